//! A regular expression as an option: parsed, compared, stored and shown as the text that the user wrote.

use std::fmt;
use std::str::FromStr;

use regex::bytes::Regex;
use serde::{Deserialize, Serialize};

/// A regular expression over bytes. Two patterns are equal if their texts are.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TextPattern(Regex);

impl TextPattern {
    /// The compiled regular expression.
    #[must_use]
    pub fn regex(&self) -> &Regex {
        &self.0
    }
}

impl From<Regex> for TextPattern {
    fn from(regex: Regex) -> Self {
        Self(regex)
    }
}

impl FromStr for TextPattern {
    type Err = regex::Error;

    fn from_str(text: &str) -> Result<Self, regex::Error> {
        Regex::new(text).map(Self)
    }
}

impl TryFrom<String> for TextPattern {
    type Error = regex::Error;

    fn try_from(text: String) -> Result<Self, regex::Error> {
        text.parse()
    }
}

impl From<TextPattern> for String {
    fn from(pattern: TextPattern) -> Self {
        pattern.0.as_str().to_owned()
    }
}

impl PartialEq for TextPattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl fmt::Display for TextPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
