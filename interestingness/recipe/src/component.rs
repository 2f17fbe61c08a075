//! The part of a compiler that is wrong: its stage, the compiler pass, and how that was found.

use std::fmt::Write as _;

use serde::Deserialize;

use crate::toml_text::in_toml;

/// A stage of a compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CompilerStage {
    /// Reads the program.
    FrontEnd,
    /// Changes the intermediate representation.
    Optimiser,
    /// Makes machine code of it.
    BackEnd,
    /// Reads assembly.
    Assembler,
}

impl CompilerStage {
    /// The name for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::FrontEnd => "front end",
            Self::Optimiser => "optimiser",
            Self::BackEnd => "back end",
            Self::Assembler => "assembler",
        }
    }

    /// The name in recipes.
    fn key(self) -> String {
        self.name().replace(' ', "-")
    }
}

/// The part of a compiler that is wrong, as it was found with the original.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Component {
    /// The stage.
    pub stage: CompilerStage,
    /// The compiler pass, as the compiler calls it.
    pub pass: Option<String>,
    /// The function of the original that the pass was at.
    pub function: Option<String>,
    /// The place of the pass among all runs of passes, as in `12 of 345`.
    pub first_wrong: Option<String>,
    /// A command for the stage alone that shows the bug.
    pub command: Option<String>,
}

impl Component {
    /// A stage of which nothing else is known.
    pub(crate) fn of_stage(stage: CompilerStage) -> Self {
        Self { stage, pass: None, function: None, first_wrong: None, command: None }
    }

    /// The name of the pass, without what all names of passes end with.
    #[must_use]
    pub fn pass_name(&self) -> Option<&str> {
        let pass = self.pass.as_deref()?;
        Some(pass.strip_suffix("Pass").filter(|name| !name.is_empty()).unwrap_or(pass))
    }

    /// Describes it for people, as in `optimiser, pass LoopVectorize, on f`.
    #[must_use]
    pub fn describe(&self) -> String {
        let pass = self.pass_name().map(|pass| format!(", pass {pass}"));
        let function = self.function.as_ref().map(|name| format!(", on {name}"));
        let place = self.first_wrong.as_ref().map(|place| format!("; first wrong at {place}"));
        let all = [pass, function, place].into_iter().flatten().collect::<String>();
        format!("{}{all}", self.stage.name())
    }

    /// The table of a recipe.
    pub(crate) fn table(&self) -> String {
        let mut text = format!("\n[component]\nstage = \"{}\"\n", self.stage.key());
        let rows = [
            ("pass", &self.pass),
            ("function", &self.function),
            ("first-wrong", &self.first_wrong),
            ("command", &self.command),
        ];
        for (key, value) in rows {
            if let Some(value) = value {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{key} = {}", in_toml(value));
            }
        }
        text
    }
}
