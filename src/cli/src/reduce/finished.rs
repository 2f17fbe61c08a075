//! The result of a reduction as the command line reports it.

use std::path::PathBuf;

use clreduce_engine::Reduced;
use clreduce_engine::events::Ending;
use clreduce_interestingness::{Cancel, Interestingness};
use clreduce_recipe::StageCounts;
use clreduce_testcase::TestCase;

use crate::bug::{BugOfReduction, BugReportFile};
use crate::failure::CliError;
use crate::files::target::ReductionPaths;
use crate::flags::{self, ReducedFlags};
use crate::judge::Judge;
use crate::reduce::page::{CommitCollector, PageContent};
use crate::settings::resolve::ReduceSettings;
use crate::terminal::progress::ProgressDisplay;
use crate::terminal::statistics::RunStatistics;

/// A reduction that has ended.
pub(crate) struct FinishedReduction {
    /// The result of the engine.
    pub reduced: Reduced,
    /// The figures gathered from its events.
    pub statistics: RunStatistics,
    /// Copies of the original.
    pub originals: Vec<PathBuf>,
    /// The figures of the stages of a recipe.
    pub stages: Vec<(String, StageCounts)>,
    /// The bug report, if the test was a recipe, or its flags were reduced.
    pub bug_report: Option<BugReportFile>,
    /// The flags of the compiler, if they were reduced.
    pub flags: Option<ReducedFlags>,
    /// The contents of the page, if one was asked for.
    pub page: Option<PageContent>,
}

/// The surroundings of a result of the engine.
pub(crate) struct EngineResult<'a> {
    pub settings: &'a ReduceSettings,
    /// The test.
    pub judge: &'a Judge,
    /// The files.
    pub target: &'a ReductionPaths,
    /// Ends everything early.
    pub cancel: &'a Cancel,
    pub progress: &'a ProgressDisplay,
}

impl EngineResult<'_> {
    /// Reduces the flags, and makes the bug report and the page. The program is reduced and on disk, so that nothing that fails
    /// here is an error.
    pub(crate) fn finish(
        &self,
        original: &TestCase,
        reduced: Reduced,
        statistics: RunStatistics,
        originals: Vec<PathBuf>,
        collector: Option<CommitCollector>,
    ) -> FinishedReduction {
        let (judge, cancel, progress) = (self.judge, self.cancel, self.progress);
        let stages = judge.stages();
        self.warn_of_unchecked();
        let flags = self.flags(&reduced);
        let bug_report = if reduced.ending == Ending::Interrupted || cancel.is_cancelled() {
            None
        } else {
            let subject = BugOfReduction { judge, flags: flags.as_ref(), case: &reduced.case };
            subject.write_beside(self.target.bug_reports(), cancel, progress)
        };
        let page = collector.map(|collector| {
            let kept = originals.first().map(PathBuf::as_path);
            let page =
                collector.into_page(self.target, original, &reduced, kept).with_stages(&stages);
            match &bug_report {
                Some(report) => {
                    page.with_output(&format!("{}{}", judge.signature_line(), report.output))
                }
                // A page without the output of the test is better than none.
                None => match judge.judge(&reduced.case, cancel) {
                    Ok(outcome) => page.judged(&outcome),
                    Err(_) => page,
                },
            }
        });
        FinishedReduction { reduced, statistics, originals, stages, bug_report, flags, page }
    }

    /// Tells for which errors nothing could look.
    fn warn_of_unchecked(&self) {
        let progress = self.progress;
        match self.judge {
            Judge::Command(_) => {}
            Judge::Recipe(by) => {
                by.test.unchecked().iter().for_each(|remark| progress.warning(remark));
            }
            Judge::Remote(by) => {
                by.test.unchecked().into_iter().for_each(|remark| progress.warning(remark));
            }
        }
    }

    fn flags(&self, reduced: &Reduced) -> Option<ReducedFlags> {
        let Self { settings, judge, target, cancel, progress } = *self;
        match flags::reduce(settings, judge, reduced, target, cancel, progress) {
            Ok(flags) => flags,
            Err(CliError::Interrupted) => {
                progress.warning(
                    "interrupted while the flags were reduced: the program is reduced, and the flags are as they were",
                );
                None
            }
            Err(error) => {
                progress.warning(&format!("the flags are not reduced: {error}"));
                None
            }
        }
    }
}
