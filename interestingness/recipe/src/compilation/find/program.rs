//! The files of a program: one, or a source with the headers of its project.

use clreduce_testcase::{InvalidTestCase, TestCase};

/// The files of a program, and which of them the compiler is given.
#[derive(Clone, Debug)]
pub(super) struct ProgramFiles {
    pub case: TestCase,
    /// The path of the source.
    pub main: String,
}

impl ProgramFiles {
    /// A program of one file.
    pub(super) fn single(name: &str, text: &[u8]) -> Result<Self, InvalidTestCase> {
        Ok(Self { case: TestCase::single(name, text)?, main: name.to_owned() })
    }

    /// The text of the source.
    pub(super) fn source(&self) -> &[u8] {
        let source = self.case.files().iter().find(|file| *file.path == *self.main);
        source.map(|file| &*file.bytes).unwrap_or_default()
    }
}
