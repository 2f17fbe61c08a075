//! Configurations as groups that agree: a box for each result, with those that have it.

use std::fmt::Write;

use super::{escaped, section};

/// Configurations with one result.
#[derive(Clone, Debug, Default)]
pub struct AgreeingGroup {
    /// The result in words.
    pub result: String,
    /// The judgement on it, such as "agrees" or "wrong code".
    pub finding: String,
    /// True if it is taken for right.
    pub is_right: bool,
    /// The configurations.
    pub configurations: Vec<String>,
    /// The one of them that is suspected of the bug.
    pub suspect: Option<String>,
}

/// The groups, the largest first.
pub(crate) fn groups(groups: &[AgreeingGroup]) -> String {
    let mut sorted: Vec<&AgreeingGroup> = groups.iter().collect();
    sorted.sort_by_key(|group| std::cmp::Reverse(group.configurations.len()));
    let mut text = "<div class=groups>".to_owned();
    for group in sorted {
        let class = if group.is_right { "good" } else { "bad" };
        let [finding, result] = [&group.finding, &group.result].map(|text| escaped(text));
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "<div class={class}><h3>{finding} <small>{}</small></h3><ul>",
            group.configurations.len()
        );
        for name in &group.configurations {
            let is_suspect = group.suspect.as_ref() == Some(name);
            let suspect = if is_suspect { " <strong>suspected</strong>" } else { "" };
            let _ = write!(text, "<li>{}{suspect}</li>", escaped(name));
        }
        let _ = write!(text, "</ul><code>{result}</code></div>");
    }
    section("", "Configurations that agree", &(text + "</div>"))
}
