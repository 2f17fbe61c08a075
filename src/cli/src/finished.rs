//! The result of a reduction as the command line reports it.

use std::path::PathBuf;

use clreduce_engine::Reduced;
use clreduce_recipe::StageCounts;

use crate::bug::BugReportFile;
use crate::flags::ReducedFlags;
use crate::page::PageContent;
use crate::statistics::RunStatistics;

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
