//! The folder of a bug: the reduced kernel with its right result, the original, the recipe and the bug report.

use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clreduce_interestingness::Cancel;
use clreduce_recipe::RecipeTest;
use clreduce_testcase::TestCase;
use thiserror::Error;

use crate::CampaignError;
use crate::drawn::{Drawn, KeptOptions};
use crate::matrix::SourceKind;
use crate::outcome::{ExpectedResult, Subject};

/// The end of the name of a file with the description of a kernel's arguments.
pub(crate) const ARGUMENTS: &str = "args.toml";
/// Name of the file with the options at random that a bug needs.
const DRAWN: &str = "random-options";
/// Name of the folder with the bugs, in the folder of the campaign.
pub const BUGS: &str = "bugs";

/// Writes the bug report on a program, in Markdown and as plain text. Returns false once cancelled.
pub type WriteReport = Box<
    dyn Fn(&RecipeTest, &TestCase, [PathBuf; 2], &Cancel) -> Result<bool, ReportFailure>
        + Send
        + Sync,
>;

/// The reason that there is no bug report.
#[derive(Debug, Error)]
#[error("no bug report can be written: {0}")]
pub struct ReportFailure(#[source] pub Box<dyn Error + Send + Sync>);

/// What the folder of a bug holds besides the report.
pub(crate) struct BugFolder<'a> {
    pub kernel: &'a Subject,
    pub original: &'a Subject,
    pub recipe: &'a str,
    pub kind: SourceKind,
    /// The options at random that the bug needs, where there are such options.
    pub drawn: Option<&'a KeptOptions>,
}

impl BugFolder<'_> {
    /// Writes the folder. It appears under its name when it is complete; `report` writes the reports.
    pub(crate) fn write(
        &self,
        campaign: &Path,
        name: &str,
        report: impl FnOnce([PathBuf; 2]) -> Result<bool, CampaignError>,
    ) -> Result<bool, CampaignError> {
        let (folder, new) =
            (folder_of(campaign, name), folder_of(campaign, &format!(".{name}.new")));
        let failed = |source| CampaignError::Write { path: folder.clone(), source };
        self.write_files(&new).map_err(failed)?;
        if !report(["report.md", "report.txt"].map(|name| new.join(name)))? {
            return Ok(false);
        }
        clreduce_files::remove_tree(&folder).map_err(failed)?;
        clreduce_files::rename(&new, &folder).map_err(failed)?;
        Ok(true)
    }

    fn write_files(&self, folder: &Path) -> io::Result<()> {
        clreduce_files::remove_tree(folder)?;
        fs::create_dir_all(folder)?;
        let original = format!("original.{}", self.kind.extension());
        for (name, subject) in [(self.kind.file_name(), self.kernel), (&original, self.original)] {
            let path = folder.join(name);
            fs::write(&path, &subject.source)?;
            if let Some(result) = subject.result() {
                fs::write(path.with_extension("expected"), result)?;
            }
            if let Some(arguments) = &subject.arguments {
                fs::write(path.with_extension(ARGUMENTS), arguments)?;
            }
        }
        if let Some(drawn) = self.drawn {
            fs::write(folder.join(DRAWN), drawn.to_string())?;
        }
        fs::write(folder.join("recipe.toml"), self.recipe)
    }
}

/// The folder of a bug.
pub(crate) fn folder_of(campaign: &Path, name: &str) -> PathBuf {
    campaign.join(BUGS).join(name)
}

/// The options at random that a bug needs.
pub(crate) fn drawn(campaign: &Path, name: &str) -> Drawn {
    let text = fs::read_to_string(folder_of(campaign, name).join(DRAWN)).unwrap_or_default();
    KeptOptions::read(&text).map_or(Drawn::Nothing, Drawn::Kept)
}

/// Reads the program of a bug; `None` where there is none.
pub(crate) fn read(campaign: &Path, name: &str, kind: SourceKind) -> Option<Subject> {
    let path = folder_of(campaign, name).join(kind.file_name());
    let source = fs::read_to_string(&path).ok()?;
    let arguments = fs::read_to_string(path.with_extension(ARGUMENTS)).ok();
    // Nobody has a result of some crashes.
    let expected = fs::read_to_string(path.with_extension("expected"));
    let expected = expected.map_or(ExpectedResult::Open { executed: true }, ExpectedResult::Known);
    Some(Subject { source, arguments, expected })
}
