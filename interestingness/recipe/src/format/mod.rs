//! The format of recipes: the tables and keys of a recipe in TOML. `docs/recipes.md` explains every key.

mod validate;
mod values;

use std::path::PathBuf;

use clreduce_check::{FindingKind, StageName};
use clreduce_kernel::OutcomeClass;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::component::Component;
use crate::error::{Problem, ProblemKind};

pub(crate) use values::{CheckName, MemorySize, MessagePattern, RequiredRuns, TimeLimit};

/// A kind of bugs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// A compiler or a driver crashes.
    Crash,
    /// A compiler or a program does not end within its limit.
    Hang,
    /// A program has a wrong result.
    WrongCode,
    /// A compiler rejects a valid program.
    BuildFailure,
    /// Programs that should have the same result do not.
    Emi,
}

impl Preset {
    /// The outcomes of the suspected configuration that are this kind of bug.
    pub(crate) fn classes(self) -> &'static [OutcomeClass] {
        match self {
            Self::Crash => &[OutcomeClass::BuildCrash, OutcomeClass::RunCrash],
            Self::Hang => &[OutcomeClass::BuildTimeout, OutcomeClass::RunTimeout],
            Self::WrongCode | Self::Emi => &[OutcomeClass::Result],
            Self::BuildFailure => &[OutcomeClass::BuildFailure],
        }
    }

    /// The checks of a recipe without stages, where the outcome has to be of a class, if the recipe says which. A program
    /// that is only built need not be free of errors when it runs. The analyzer is left out where sanitizers run, as it
    /// only suspects.
    pub(crate) fn checks(self, class: Option<OutcomeClass>) -> &'static [StageName] {
        match (self, class) {
            (Self::Hang | Self::WrongCode | Self::Emi, _)
            | (Self::Crash, Some(OutcomeClass::RunCrash)) => {
                &[StageName::Compile, StageName::Sanitize, StageName::Simulate]
            }
            (Self::Crash | Self::BuildFailure, _) => &[StageName::Compile],
        }
    }

    /// The kinds of findings that decide: a program with one of them shows no bug of this preset, whatever its outcome.
    pub(crate) fn decisive(self) -> &'static [FindingKind] {
        match self {
            // A kernel with a data race has no right result.
            Self::WrongCode | Self::Emi => &[FindingKind::DataRace],
            Self::Crash | Self::Hang | Self::BuildFailure => &[],
        }
    }

    /// Returns true if the program has to run for a bug of this kind, so that it has to be valid.
    pub(crate) fn runs(self) -> bool {
        self.checks(None).iter().any(|check| check.info().executes)
    }

    /// The name in recipes.
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

/// Number of the format of recipes. It grows when a key is removed or gets another meaning, not when one is added.
pub(crate) const SCHEMA: u32 = 1;

/// A recipe.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Document {
    /// The number of the format, [`SCHEMA`].
    pub schema: Option<Spanned<u32>>,
    pub preset: Spanned<Preset>,
    /// The options of every build of a kernel and of every check.
    #[serde(default = "no_text")]
    pub options: Spanned<String>,
    /// The file beside the recipe that describes the arguments of a kernel.
    pub arguments: Option<Spanned<PathBuf>>,
    /// The memory of all stages together.
    pub memory: Option<MemorySize>,
    /// The kinds that decide whether there is a bug, and that need not be checked all the same.
    #[serde(default)]
    pub allow_unchecked: Vec<FindingKind>,
    #[serde(default, rename = "configuration")]
    pub configurations: Vec<Spanned<ConfigurationTable>>,
    #[serde(default, rename = "variant")]
    pub variants: Vec<VariantTable>,
    #[serde(rename = "stage")]
    pub stages: Option<Vec<Spanned<StageTable>>>,
    #[serde(default)]
    pub outcome: OutcomeTable,
    /// The part of the compiler that is wrong, as `clreduce init` found it.
    pub component: Option<Component>,
}

/// A configuration: a device with options, or commands.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ConfigurationTable {
    pub name: Option<Spanned<String>>,
    /// A part of the device's name.
    pub device: Option<Spanned<String>>,
    /// The options of this configuration alone.
    #[serde(default = "no_text")]
    pub options: Spanned<String>,
    /// The command that builds a variant.
    pub build: Option<Spanned<String>>,
    /// The command that runs it, if the build succeeds.
    pub run: Option<Spanned<String>>,
    /// True if this is the suspected configuration.
    #[serde(default)]
    pub accused: bool,
    pub timeout: Option<TimeLimit>,
    pub memory: Option<MemorySize>,
    /// The number of jobs that the device runs at the same time.
    pub jobs: Option<u32>,
}

/// One of several programs that should have the same result.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VariantTable {
    #[serde(default)]
    pub options: String,
    pub file: Option<String>,
}

/// A stage: one way to reject a variant.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct StageTable {
    pub check: Option<CheckName>,
    pub command: Option<Spanned<String>>,
    pub name: Option<String>,
    pub required: Option<bool>,
    pub timeout: Option<TimeLimit>,
    pub memory: Option<MemorySize>,
    pub confirm: Option<RequiredRuns>,
}

/// The outcome that the suspected configuration must have.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct OutcomeTable {
    pub class: Option<Spanned<OutcomeClass>>,
    /// A pattern that the messages of a crash or of a compiler must match, instead of the messages of the original.
    pub message: Option<MessagePattern>,
    /// The correct result.
    pub reference: Option<String>,
    pub confirm: Option<RequiredRuns>,
}

impl Document {
    /// Reads a recipe. Rejects one that cannot work, whatever tools are installed.
    pub(crate) fn parse(text: &str) -> Result<Self, Problem> {
        let document: Self = toml::from_str(text).map_err(|error| Problem {
            at: error.span().map(|span| span.start),
            what: error.message().trim().to_owned(),
            help: "`clreduce help recipes` explains every key".to_owned(),
            kind: ProblemKind::Recipe,
        })?;
        validate::document(&document)?;
        Ok(document)
    }
}

impl ConfigurationTable {
    /// The name; where there is none, the device or the command.
    pub(crate) fn name(&self) -> String {
        let device = self.device.as_ref().map(|device| match self.options.get_ref().as_str() {
            "" => device.get_ref().clone(),
            options => format!("{} {options}", device.get_ref()),
        });
        let build = || self.build.as_ref().map(|build| build.get_ref().clone());
        self.name
            .as_ref()
            .map(|name| name.get_ref().clone())
            .or(device)
            .or_else(build)
            .unwrap_or_default()
    }
}

/// The value of a key that the recipe does not have: empty, and nowhere in the text.
fn no_text() -> Spanned<String> {
    Spanned::new(0..0, String::new())
}
