//! The folder of a bug: the reduced kernel with its right result, the original, the recipe and the bug report.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clreduce_interestingness::Cancel;
use clreduce_recipe::RecipeTest;
use clreduce_testcase::TestCase;

use crate::CampaignError;
use crate::outcome::Subject;

/// Name of the folder with the bugs, in the folder of the campaign.
pub const BUGS: &str = "bugs";

/// Writes the bug report on a program, in Markdown and as plain text. Returns false once cancelled.
pub type WriteReport = Box<
    dyn Fn(&RecipeTest, &TestCase, [PathBuf; 2], &Cancel) -> Result<bool, String> + Send + Sync,
>;

/// What the folder of a bug holds besides the report.
pub(crate) struct BugFolder<'a> {
    pub kernel: &'a Subject,
    pub original: &'a Subject,
    pub recipe: &'a str,
    /// The end of the names of kernels.
    pub extension: &'a str,
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
        let files = [
            (format!("kernel.{}", self.extension), &self.kernel.source),
            ("kernel.expected".to_owned(), &self.kernel.expected),
            (format!("original.{}", self.extension), &self.original.source),
            ("original.expected".to_owned(), &self.original.expected),
        ];
        for (name, text) in files {
            fs::write(folder.join(name), text)?;
        }
        fs::write(folder.join("recipe.toml"), self.recipe)
    }
}

/// The folder of a bug.
pub(crate) fn folder_of(campaign: &Path, name: &str) -> PathBuf {
    campaign.join(BUGS).join(name)
}

/// Reads the kernel of a bug; `None` where there is none.
pub(crate) fn read(campaign: &Path, name: &str, extension: &str) -> Option<Subject> {
    let folder = folder_of(campaign, name);
    let source = fs::read_to_string(folder.join(format!("kernel.{extension}"))).ok()?;
    let expected = fs::read_to_string(folder.join("kernel.expected")).ok()?;
    Some(Subject { source, expected })
}
