//! The page about one reduction, which `--report` asks for: the page of a batch with one case.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clreduce_batch::{CaseRecord, CommitRecord, LinesLeft, StageRecord, diff};
use clreduce_engine::Reduced;
use clreduce_engine::events::Event;
use clreduce_interestingness::Outcome;
use clreduce_recipe::StageCounts;
use clreduce_report::{BatchReport, CaseDetails};
use clreduce_testcase::TestCase;
use clreduce_triage::{Triage, TriageCase};

use crate::failure::CliError;
use crate::files::report_file::ReportFile;
use crate::files::target::ReductionPaths;
use crate::settings::repeat::{RepeatCommands, absolute};
use crate::settings::resolve::TestAndOptions;

/// Everything that the page shows besides commands and the bug report.
pub(crate) struct PageContent {
    /// The figures.
    pub record: CaseRecord,
    /// The commits with their diffs.
    pub commits: Vec<CommitRecord>,
    pub result: TestCase,
    /// The path of the original, and of the result.
    pub paths: [PathBuf; 2],
}

/// Collects the commits of a reduction from its events.
pub(crate) struct CommitCollector {
    current: TestCase,
    lines_left: LinesLeft,
    started: Instant,
    tests: u64,
    commits: Vec<CommitRecord>,
}

impl CommitCollector {
    /// Nothing has happened yet.
    pub(crate) fn new(original: TestCase) -> Self {
        let lines_left = LinesLeft::new(&original);
        let (started, commits) = (Instant::now(), Vec::new());
        Self { current: original, lines_left, started, tests: 0, commits }
    }

    /// Takes note of one event.
    pub(crate) fn update(&mut self, event: &Event) {
        if let Event::Judged { tests, .. } = event {
            self.tests = *tests;
        }
        let seconds = self.started.elapsed().as_secs_f64();
        if let Some((commit, case)) = CommitRecord::of(event, self.tests, seconds) {
            let (diff, taken) = (diff(&self.current, case), self.lines_left.follow(case));
            self.commits.push(CommitRecord { diff, taken, ..commit });
            self.current = case.clone();
        }
        if let Event::WentBack { step, case, .. } = event {
            self.commits.retain(|commit| commit.step <= *step);
            self.current = case.clone();
            self.lines_left.go_back(case);
        }
    }

    /// The contents of the page when the reduction has ended. `kept` is a copy of the original.
    pub(crate) fn into_page(
        self,
        target: &ReductionPaths,
        original: &TestCase,
        reduced: &Reduced,
        kept: Option<&Path>,
    ) -> PageContent {
        let input = target.inputs.first().map(|input| &*input.absolute).unwrap_or(Path::new(""));
        let name = input.file_name().unwrap_or_default().to_string_lossy();
        let result = target.results().into_iter().next().unwrap_or_default();
        PageContent {
            record: CaseRecord::of(&name, original, reduced),
            commits: self.commits,
            result: reduced.case.clone(),
            paths: [kept.unwrap_or(input).to_owned(), result],
        }
    }
}

impl PageContent {
    /// Adds the times of the stages of a recipe.
    pub(crate) fn with_stages(mut self, stages: &[(String, StageCounts)]) -> Self {
        let stage = |(name, counts): &(String, StageCounts)| StageRecord {
            name: name.clone(),
            looked: counts.looked,
            seconds: counts.wall.as_secs_f64(),
        };
        self.record.stages = stages.iter().map(stage).collect();
        self
    }

    /// Adds what the test says about the result.
    pub(crate) fn judged(mut self, outcome: &Outcome) -> Self {
        self.record.exit_code = outcome.exit_code;
        self.with_output(&String::from_utf8_lossy(&outcome.output_tail))
    }

    /// Adds what the suspected configuration printed.
    pub(crate) fn with_output(mut self, output: &str) -> Self {
        output.clone_into(&mut self.record.output);
        self
    }

    /// Writes the page.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn write(
        &self,
        file: &ReportFile,
        how: &TestAndOptions,
        bug_report: Option<&str>,
    ) -> Result<(), CliError> {
        let Self { record, commits, result, paths: [original, reduced] } = self;
        let refusals = record.refusals();
        let case = TriageCase::new(result, &record.output, record.exit_code, refusals);
        let repeat = RepeatCommands { how, original, name: &record.name, result: reduced };
        let report = BatchReport {
            title: &format!("clreduce {}", record.name),
            records: std::slice::from_ref(record),
            triage: &Triage::of(&[case], &[]),
            triaged: &[0],
            outcomes: None,
            details: &|_| {
                Ok(CaseDetails {
                    result: Some(result.clone()),
                    commits: commits.clone(),
                    path: absolute(original),
                    commands: repeat.commands(),
                    bug_report: bug_report.map(str::to_owned),
                })
            },
        };
        let page = report.page()?;
        file.create()?.write_all(&page).map_err(|source| file.failed(source))?;
        Ok(())
    }
}
