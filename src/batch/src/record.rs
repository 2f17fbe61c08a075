//! The outcome of a case.

use std::fs;
use std::io;
use std::path::Path;

use clreduce_testcase::{Size, SourceFile, TestCase};
use serde::{Deserialize, Serialize};

use crate::files;

/// Name of the record in a case's folder: where it is, the case is finished.
const FILE: &str = "case.json";

/// The outcome of a case, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseOutcome {
    /// Nothing proposed is left to try.
    Minimal,
    /// A limit of steps or of time ended it.
    Limit,
    /// The test does not find it interesting.
    NotInteresting,
    /// The test says now this, now that.
    Flaky,
    /// It could not be read or reduced.
    Failed,
    /// The batch was interrupted; begun again, it goes on.
    Interrupted,
}

impl CaseOutcome {
    /// Returns true if there is a result.
    #[must_use]
    pub fn is_reduced(self) -> bool {
        matches!(self, Self::Minimal | Self::Limit)
    }

    /// As people say it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Limit => "stopped at a limit",
            Self::NotInteresting => "not interesting",
            Self::Flaky => "flaky",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }
}

/// The size of a test case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measure {
    /// Bytes, white space included.
    pub bytes: usize,
    /// Tokens of all files; comments and white space do not count.
    pub tokens: usize,
    /// Work-items that the launch comment of a kernel asks for; 1 without one.
    pub work_items: u64,
}

impl Measure {
    /// Measures a test case.
    #[must_use]
    pub fn of(case: &TestCase) -> Self {
        Self::new(Size::of(case), case.total_bytes())
    }

    pub(crate) fn new(size: Size, bytes: usize) -> Self {
        Self { bytes, tokens: size.tokens, work_items: size.work_items }
    }
}

/// The tests of a pass in a case, and their outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PassRecord {
    /// The name of the pass.
    pub name: String,
    /// The number of its steps.
    pub steps: u64,
    /// The number of its steps with the verdict "interesting".
    pub interesting: u64,
    /// Tokens that its commits removed; negative when they added some.
    pub tokens_removed: i64,
    /// Wall time of its runs, in seconds. Records of older versions have none.
    #[serde(default)]
    pub seconds: f64,
}

/// The time that a stage of a recipe took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageRecord {
    /// The name of the stage.
    pub name: String,
    /// The number of variants that it looked at.
    pub looked: u64,
    /// The sum of the wall times of its runs, in seconds. Several may run at a time.
    pub seconds: f64,
}

/// A file of the original.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileLines {
    /// Its path in the test case.
    pub path: String,
    /// The number of its lines.
    pub lines: usize,
}

/// The outcome of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseRecord {
    /// The name of the case.
    pub name: String,
    /// Content hash of the original, as 64 hexadecimal digits; empty where it could not be read.
    pub original: String,
    /// Its outcome.
    pub outcome: CaseOutcome,
    /// The reason of the outcome, in one line; empty if the outcome needs none.
    pub reason: String,
    /// Size of the original.
    pub before: Measure,
    /// Size of the result.
    pub after: Measure,
    /// Answers consumed.
    pub steps: u64,
    /// Tests started, over all runs.
    pub tests: u64,
    /// Wall time, over all runs.
    pub seconds: f64,
    /// Time limit of one test, in seconds.
    pub timeout: f64,
    /// Answers that a second test contradicted.
    pub contradictions: u64,
    /// The passes, in the order in which they first asked.
    pub passes: Vec<PassRecord>,
    /// The stages of a recipe.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageRecord>,
    /// The files of the original.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileLines>,
    /// Exit status of the test on the result.
    pub exit_code: Option<i32>,
    /// The last lines that the test printed about the result, or about the original where there is none.
    pub output: String,
}

impl CaseRecord {
    /// By pass, the number of steps whose variant was refused.
    pub fn refusals(&self) -> impl Iterator<Item = (&str, u64)> {
        self.passes.iter().map(|pass| (pass.name.as_str(), pass.steps - pass.interesting))
    }

    /// Takes note of the original.
    pub(crate) fn take_original(&mut self, original: &TestCase) {
        self.original = original.hash().to_string();
        self.before = Measure::of(original);
        let lines = |bytes: &[u8]| bytes.split_inclusive(|&byte| byte == b'\n').count();
        let file = |file: &SourceFile| FileLines {
            path: file.path.to_string(),
            lines: lines(&file.bytes),
        };
        self.files = original.files().iter().map(file).collect();
    }

    /// A case of which nothing is known but what went wrong.
    pub(crate) fn without_result(name: &str, outcome: CaseOutcome, reason: String) -> Self {
        Self {
            name: name.to_owned(),
            original: String::new(),
            outcome,
            reason,
            before: Measure::default(),
            after: Measure::default(),
            steps: 0,
            tests: 0,
            seconds: 0.0,
            timeout: 0.0,
            contradictions: 0,
            passes: Vec::new(),
            stages: Vec::new(),
            files: Vec::new(),
            exit_code: None,
            output: String::new(),
        }
    }

    /// The record of a finished case; `None` where there is none that can be read.
    #[must_use]
    pub fn read(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(folder.join(FILE)).ok()?).ok()
    }

    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        files::replace_by_json(&folder.join(FILE), self)
    }
}
