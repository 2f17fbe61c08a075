//! The table of stages. A new stage is one file with a [`StageInfo`], and one row here.

use std::collections::BTreeSet;
use std::str::FromStr;

use clreduce_compiler::NoClang;
use clreduce_host::HostKernel;
use clreduce_kernel::LaunchError;
use clreduce_process::Cancel;
use clreduce_testcase::Language;
use serde::Serialize;
use thiserror::Error;

use crate::finding::FindingKind;
use crate::stage::{CheckStage, Question, StageInfo, StageReport, StageSetup};
use crate::{analyze, compile, sanitize, simulate};

/// Makes [`StageName`] of the rows.
macro_rules! stages {
    ($($(#[$doc:meta])* $name:ident: $info:expr,)*) => {
        /// The stages, the cheapest first.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum StageName {
            $($(#[$doc])* $name,)*
        }

        impl StageName {
            /// Every stage, the cheapest first.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The facts about the stage.
            #[must_use]
            pub fn info(self) -> &'static StageInfo {
                match self {
                    $(Self::$name => &$info,)*
                }
            }
        }
    };
}

stages! {
    /// clang's warnings.
    Compile: compile::STAGE,
    /// The Clang Static Analyzer.
    Analyze: analyze::STAGE,
    /// The kernel as a program of this machine, under clang's sanitizers.
    Sanitize: sanitize::STAGE,
    /// The simulator Oclgrind.
    Simulate: simulate::STAGE,
}

impl StageName {
    /// The name that people read and write.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Returns true if the stage can check programs in that language.
    #[must_use]
    pub fn reads(self, language: Language) -> bool {
        language.has_all(self.info().needs)
    }

    /// Returns true if the stage can check that kernel. A CUDA program that launches its kernels itself is not run.
    #[must_use]
    pub fn suits(self, subject: &HostKernel) -> bool {
        let is_run = !matches!(subject.launches, Err(LaunchError::WholeProgram));
        let StageInfo { executes, takes_images, .. } = *self.info();
        self.reads(subject.language)
            && (is_run || !executes)
            && (takes_images || !subject.has_images())
    }
}

/// A name that no stage has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no stage `{name}`; write one of {}", StageName::ALL.iter().map(|stage| stage.name()).collect::<Vec<_>>().join(", "))]
pub struct UnknownStage {
    /// The name.
    pub name: String,
}

impl FromStr for StageName {
    type Err = UnknownStage;

    fn from_str(text: &str) -> Result<Self, UnknownStage> {
        let found = Self::ALL.iter().copied().find(|stage| stage.name() == text);
        found.ok_or_else(|| UnknownStage { name: text.to_owned() })
    }
}

/// A stage with its tools.
pub struct PreparedStage {
    name: StageName,
    stage: Box<dyn CheckStage>,
}

impl PreparedStage {
    pub(crate) fn new(name: StageName, setup: StageSetup) -> Result<Self, NoClang> {
        Ok(Self { name, stage: (name.info().make)(setup)? })
    }

    /// Which stage it is.
    #[must_use]
    pub fn name(&self) -> StageName {
        self.name
    }

    /// The kinds of findings that it looks for.
    #[must_use]
    pub fn looks_for(&self) -> BTreeSet<FindingKind> {
        self.stage.looks_for()
    }

    /// Checks a kernel. Returns soon after `cancel`, with the findings so far.
    #[must_use]
    pub fn run(
        &self,
        subject: &HostKernel,
        question: Question<'_>,
        cancel: &Cancel,
    ) -> StageReport {
        self.stage.run(subject, question, cancel)
    }
}
