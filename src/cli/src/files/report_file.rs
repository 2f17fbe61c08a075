//! The files of `--events`, `--summary` and `--report`. They are tried before a reduction starts, because a reduction of hours must
//! not end with a path that cannot be written.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
#[cfg(unix)]
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::terminal::printing::shown_path;

/// The reason why a report cannot be written.
#[derive(Debug, Error)]
pub(crate) enum ReportFileError {
    #[error("cannot write `{}`: {source}", shown_path(.path))]
    Write { path: PathBuf, source: io::Error },
    #[error(
        "`{}` exists and is not a report of clreduce, so it is not overwritten\n\
         help: name another file", shown_path(.0)
    )]
    NotAReport(PathBuf),
    #[error(
        "`{}` is needed by the reduction itself, so no report is written to it\n\
         help: name another file", shown_path(.0)
    )]
    Needed(PathBuf),
}

/// A file for a report, or standard output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReportFile {
    /// Written as `-`.
    Stdout,
    /// The path as the user wrote it.
    Path(PathBuf),
}

impl From<OsString> for ReportFile {
    fn from(name: OsString) -> Self {
        if name == "-" { Self::Stdout } else { Self::Path(name.into()) }
    }
}

impl ReportFile {
    /// The path, if it is not standard output.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Stdout => None,
            Self::Path(path) => Some(path),
        }
    }

    /// The error of a report that could not be written to the end.
    pub(crate) fn failed(&self, source: io::Error) -> ReportFileError {
        ReportFileError::Write { path: self.path().unwrap_or(Path::new("-")).to_owned(), source }
    }

    /// Checks that the report can be written, and leaves everything as it was. A report of an earlier run may be
    /// overwritten, and nothing else.
    ///
    /// # Errors
    /// When the system refuses, or the file is something else than a report.
    pub(crate) fn check(&self) -> Result<(), ReportFileError> {
        let Some(path) = self.path() else { return Ok(()) };
        let refused = |source| ReportFileError::Write { path: path.to_owned(), source };
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => {
                let mut file =
                    OpenOptions::new().read(true).append(true).open(path).map_err(refused)?;
                let mut first = [0];
                match file.read(&mut first).map_err(refused)? {
                    // JSON, or the page.
                    1 if !b"{<".contains(&first[0]) => {
                        Err(ReportFileError::NotAReport(path.to_owned()))
                    }
                    _ => Ok(()),
                }
            }
            Ok(metadata) if metadata.is_dir() => Err(refused(io::ErrorKind::IsADirectory.into())),
            // It cannot be opened like a file.
            #[cfg(unix)]
            Ok(metadata) if metadata.file_type().is_socket() => {
                Err(refused(io::ErrorKind::Unsupported.into()))
            }
            // A pipe or a device: only writing can tell.
            Ok(_) => Ok(()),
            Err(_) => {
                File::create_new(path).map_err(refused)?;
                fs::remove_file(path).map_err(refused)
            }
        }
    }

    /// Writes a whole report.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn write(&self, text: &str) -> Result<(), ReportFileError> {
        self.create()?.write_all(text.as_bytes()).map_err(|source| self.failed(source))
    }

    /// Opens the report, and empties what an earlier run left.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn create(&self) -> Result<Box<dyn Write + Send>, ReportFileError> {
        let Some(path) = self.path() else { return Ok(Box::new(crate::terminal::printing::Data)) };
        let refused = |source| ReportFileError::Write { path: path.to_owned(), source };
        Ok(Box::new(File::create(path).map_err(refused)?))
    }
}
