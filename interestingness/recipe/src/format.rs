//! A recipe as a person writes it, in TOML, and what it can say at all. `docs/recipes.md` explains every key.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clreduce_check::{StageName, UnknownStage};
use clreduce_kernel::OutcomeClass;
use clreduce_process::units::{parse_bytes, parse_duration};
use regex::Regex;
use serde::{Deserialize, Deserializer, Serialize, de};
use toml::Spanned;

use crate::error::Problem;

/// What kind of bug it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// A compiler or a driver dies.
    Crash,
    /// A compiler or a program does not end.
    Hang,
    /// A program gives another result than it should.
    WrongCode,
    /// A compiler refuses what it should accept.
    BuildFailure,
    /// Variants of one program that should give the same result do not.
    Emi,
}

impl Preset {
    /// Which outcomes of the accused are this kind of bug.
    pub(crate) fn classes(self) -> &'static [OutcomeClass] {
        match self {
            Self::Crash => &[OutcomeClass::BuildCrash, OutcomeClass::RunCrash],
            Self::Hang => &[OutcomeClass::BuildTimeout, OutcomeClass::RunTimeout],
            Self::WrongCode | Self::Emi => &[OutcomeClass::Result],
            Self::BuildFailure => &[OutcomeClass::BuildFailure],
        }
    }

    /// The stages where the recipe names none. What only builds need not be free of errors when it runs; what
    /// runs under sanitizers need not be suspected.
    pub(crate) fn checks(self) -> &'static [StageName] {
        match self {
            Self::Crash | Self::BuildFailure => &[StageName::Compile],
            Self::Hang | Self::WrongCode | Self::Emi => {
                &[StageName::Compile, StageName::Sanitize, StageName::Simulate]
            }
        }
    }

    /// As in a recipe.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::Hang => "hang",
            Self::WrongCode => "wrong-code",
            Self::BuildFailure => "build-failure",
            Self::Emi => "emi",
        }
    }
}

/// The whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Document {
    pub preset: Spanned<Preset>,
    /// For every build of a kernel and every check.
    #[serde(default)]
    pub options: String,
    /// Describes the arguments of a kernel; beside the recipe.
    pub arguments: Option<Spanned<PathBuf>>,
    /// Of all stages together.
    pub memory: Option<Size>,
    #[serde(default, rename = "configuration")]
    pub configurations: Vec<Spanned<ConfigurationTable>>,
    #[serde(default, rename = "variant")]
    pub variants: Vec<VariantTable>,
    #[serde(rename = "stage")]
    pub stages: Option<Vec<Spanned<StageTable>>>,
    #[serde(default)]
    pub outcome: OutcomeTable,
}

/// A device with options, or commands.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ConfigurationTable {
    pub name: Option<String>,
    /// A part of the device's name.
    pub device: Option<Spanned<String>>,
    /// Of this configuration alone.
    #[serde(default)]
    pub options: String,
    /// A line for the shell.
    pub build: Option<Spanned<String>>,
    /// Another, when that has ended well.
    pub run: Option<Spanned<String>>,
    #[serde(default)]
    pub accused: bool,
    pub timeout: Option<Time>,
    pub memory: Option<Size>,
    /// At a time on the device.
    pub jobs: Option<u32>,
}

/// One of several programs that should come to the same.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VariantTable {
    #[serde(default)]
    pub options: String,
    pub file: Option<String>,
}

/// One way to reject a variant.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct StageTable {
    pub check: Option<Check>,
    pub command: Option<Spanned<String>>,
    pub name: Option<String>,
    pub required: Option<bool>,
    pub timeout: Option<Time>,
    pub memory: Option<Size>,
    pub confirm: Option<Confirm>,
}

/// What the accused has to show.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct OutcomeTable {
    pub class: Option<Spanned<OutcomeClass>>,
    /// Must be found in what a crash or a compiler says, instead of what the original shows.
    pub message: Option<Pattern>,
    /// The right result.
    pub reference: Option<String>,
    pub confirm: Option<Confirm>,
}

/// "2 of 3": so many of so many runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Confirm {
    pub least: u32,
    pub of: u32,
}

impl Confirm {
    pub const ONCE: Self = Self { least: 1, of: 1 };
}

impl FromStr for Confirm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once(" of ").and_then(|(least, of)| {
            Some(Self { least: least.trim().parse().ok()?, of: of.trim().parse().ok()? })
        });
        numbers
            .filter(|confirm| (1..=confirm.of).contains(&confirm.least) && confirm.of <= 99)
            .ok_or_else(|| format!("`{text}` should be as in \"2 of 3\""))
    }
}

/// A time as people write it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Time(pub Duration);

impl FromStr for Time {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse_duration(text).map(Self).map_err(|error| error.to_string())
    }
}

/// Bytes as people write them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size(pub u64);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse_bytes(text).map(Self).map_err(|error| error.to_string())
    }
}

/// The name of a check.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Check(pub StageName);

impl FromStr for Check {
    type Err = UnknownStage;

    fn from_str(text: &str) -> Result<Self, UnknownStage> {
        text.parse().map(Self)
    }
}

/// A regular expression.
#[derive(Clone, Debug)]
pub(crate) struct Pattern(pub Regex);

impl FromStr for Pattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Regex::new(text).map(Self).map_err(|error| error.to_string())
    }
}

macro_rules! deserialize_from_text {
    ($($name:ident),*) => {$(
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                String::deserialize(from)?.parse().map_err(de::Error::custom)
            }
        }
    )*};
}
deserialize_from_text!(Confirm, Time, Size, Check, Pattern);

impl Document {
    /// Reads a recipe and refuses what could never work, whatever tools there are.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let document: Self = toml::from_str(text).map_err(|error| Problem {
            at: error.span().map(|span| span.start),
            what: error.message().trim().to_owned(),
            help: "docs/recipes.md explains every key".to_owned(),
        })?;
        document.check()?;
        Ok(document)
    }

    fn check(&self) -> Result<(), Problem> {
        let preset = *self.preset.get_ref();
        let at_preset = |problem: Problem| problem.at(self.preset.span().start);
        if self.configurations.is_empty() {
            return Err(Problem::new(
                "there is no configuration to show the bug",
                "add [[configuration]] with `device = \"pocl\"` or `build = \"clang -O1 -c {file}\"`",
            ));
        }
        let mut names = Vec::new();
        for table in &self.configurations {
            self.check_configuration(table.get_ref())
                .map_err(|problem| problem.at(table.span().start))?;
            let name = table.get_ref().name();
            if names.contains(&name) {
                return Err(Problem::new(
                    format!("there are two configurations `{name}`"),
                    "give one of them another `name`",
                )
                .at(table.span().start));
            }
            names.push(name);
        }
        let accused = self.configurations.iter().filter(|table| table.get_ref().accused);
        if let Some(second) = accused.clone().nth(1) {
            return Err(Problem::new(
                "two configurations are accused",
                "write a recipe for each: one bug at a time",
            )
            .at(second.span().start));
        }
        for table in self.stages.iter().flatten() {
            table.get_ref().check().map_err(|problem| problem.at(table.span().start))?;
        }
        let alone = self.configurations.len() == 1;
        match preset {
            Preset::WrongCode if alone && self.outcome.reference.is_none() => {
                Err(at_preset(Problem::new(
                    "nobody can say what the right result is: there is one configuration",
                    "add another [[configuration]], or `reference` in [outcome]",
                )))
            }
            Preset::Hang if alone && self.configurations[0].get_ref().timeout.is_none() => {
                Err(at_preset(Problem::new(
                    "nobody can say how long is too long: there is one configuration",
                    "add `timeout` to it, or a second [[configuration]] that ends",
                )))
            }
            Preset::Emi if self.variants.len() < 2 => Err(at_preset(Problem::new(
                "there is nothing to compare",
                "add two or more [[variant]], each with `options` or a `file`",
            ))),
            Preset::Emi => Ok(()),
            _ if !self.variants.is_empty() => Err(at_preset(Problem::new(
                "only the preset `emi` compares variants",
                "take [[variant]] out, or write preset = \"emi\"",
            ))),
            _ => self.check_class(preset),
        }
    }

    fn check_class(&self, preset: Preset) -> Result<(), Problem> {
        let Some(class) = &self.outcome.class else { return Ok(()) };
        if preset.classes().contains(class.get_ref()) {
            return Ok(());
        }
        let names: Vec<&str> = preset.classes().iter().map(|class| class.name()).collect();
        Err(Problem::new(
            format!("`{}` is not what `{}` is about", class.get_ref().name(), preset.name()),
            format!("write one of: {}", names.join(", ")),
        )
        .at(class.span().start))
    }

    fn check_configuration(&self, table: &ConfigurationTable) -> Result<(), Problem> {
        let name = table.name();
        match (&table.device, &table.build, &table.run) {
            (Some(_), None, None) | (None, Some(_), _) => {}
            _ => {
                return Err(Problem::new(
                    format!("it is not said what the configuration `{name}` is"),
                    "give either `device`, or `build` and perhaps `run`",
                ));
            }
        }
        let simulated = |device: &Spanned<String>| {
            let device = device.get_ref().to_lowercase();
            device.len() > 2 && "oclgrind".contains(&device)
        };
        let has_accused = self.configurations.iter().any(|table| table.get_ref().accused);
        if table.device.as_ref().is_some_and(simulated) && has_accused && !table.accused {
            return Err(Problem::new(
                "Oclgrind has bugs that no device shares: it can be accused, but is no witness",
                "take this configuration out",
            ));
        }
        if table.build.is_some() && !table.options.is_empty() {
            return Err(Problem::new(
                "`options` are for devices",
                "write them into the command `build`",
            ));
        }
        Ok(())
    }
}

impl ConfigurationTable {
    /// The name, or what stands for it.
    pub fn name(&self) -> String {
        let device = self.device.as_ref().map(|device| match self.options.as_str() {
            "" => device.get_ref().clone(),
            options => format!("{} {options}", device.get_ref()),
        });
        let build = || self.build.as_ref().map(|build| build.get_ref().clone());
        self.name.clone().or(device).or_else(build).unwrap_or_default()
    }
}

impl StageTable {
    fn check(&self) -> Result<(), Problem> {
        if self.check.is_some() == self.command.is_some() {
            return Err(Problem::new(
                "it is not said what this stage does",
                "give either `check`, one of compile, analyze, sanitize, simulate, or `command`",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::RecipeError;

    fn error(text: &str) -> String {
        let problem = Document::parse(text).unwrap_err();
        RecipeError::new("r.toml".as_ref(), text, problem).to_string()
    }

    #[test]
    fn what_is_wrong_is_said_with_line_and_remedy() {
        let two = "preset = \"wrong-code\"\n[[configuration]]\ndevice = \"a\"\n[[configuration]]\n";
        let one = "[[configuration]]\ndevice = \"a\"\n";
        let cases: &[(String, &[&str])] = &[
            ("preset = \"crsh\"".into(), &["line 1", "crsh", "`crash`"]),
            ("preset =".into(), &["line 1"]),
            ("preset = \"crash\"".into(), &["no configuration", "[[configuration]]"]),
            (format!("preset = \"crash\"\n{one}devise = 1\n"), &["line 4", "devise", "`device`"]),
            (format!("{two}device = \"a\"\n"), &["line 4", "two configurations `a`"]),
            (format!("preset = \"wrong-code\"\n{one}"), &["line 1", "one configuration"]),
            (format!("preset = \"hang\"\n{one}"), &["line 1", "`timeout`"]),
            (format!("preset = \"emi\"\n{one}"), &["line 1", "[[variant]]"]),
            (format!("{two}build = \"c\"\noptions = \"-w\"\n"), &["line 4", "`build`"]),
            (format!("{two}run = \"x\"\n"), &["line 4", "either `device`"]),
            (
                format!(
                    "{two}accused = true\ndevice = \"x\"\n[[configuration]]\ndevice = \"oclgrind\""
                ),
                &["line 7", "no witness"],
            ),
            (format!("preset = \"crash\"\n{one}timeout = \"2 years\"\n"), &["line 4", "500ms"]),
            (
                format!("preset = \"crash\"\n{one}[outcome]\nclass = \"result\"\n"),
                &["line 5", "build_crash, run_crash"],
            ),
            (
                format!("preset = \"crash\"\n{one}[[stage]]\ncheck = \"simulation\"\n"),
                &["line 5", "simulate"],
            ),
            (
                format!("preset = \"crash\"\n{one}[outcome]\nconfirm = \"3 of 2\"\n"),
                &["line 5", "2 of 3"],
            ),
        ];
        for (text, parts) in cases {
            let error = error(text);
            for part in *parts {
                assert!(error.contains(part), "{part:?} is not in {error}\n{text}");
            }
        }
    }
}
