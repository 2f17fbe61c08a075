//! The files of a test case and the hash of their content.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use crate::languages::Language;
use crate::source_file::SourceFile;

/// The file or files being reduced, ordered by path. Cloning is cheap: contents are shared. Two are equal if their files are.
/// Variants are in the language of the original.
#[derive(Clone, Debug)]
pub struct TestCase {
    files: Arc<[SourceFile]>,
    language: Language,
}

impl PartialEq for TestCase {
    fn eq(&self, other: &Self) -> bool {
        self.files == other.files
    }
}

impl Eq for TestCase {}

/// Why a set of files is no test case.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum InvalidTestCase {
    /// Two files have the same path, so one would overwrite the other.
    #[error("two files of the test case are both called `{0}`")]
    DuplicatePath(String),
    /// A path is absolute, empty, or leaves the test's directory.
    #[error("`{0}` is not a path inside the test's directory")]
    EscapingPath(String),
}

impl TestCase {
    /// A test case of several files.
    ///
    /// # Errors
    /// When two files have the same path, or a path is not a plain relative one.
    pub fn new(mut files: Vec<SourceFile>) -> Result<Self, InvalidTestCase> {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        for file in &files {
            let plain = |part: &str| !matches!(part, "" | "." | "..") && !part.contains('\\');
            if !file.path.split('/').all(plain) {
                return Err(InvalidTestCase::EscapingPath(file.path.to_string()));
            }
        }
        if let Some(pair) = files.windows(2).find(|pair| pair[0].path == pair[1].path) {
            return Err(InvalidTestCase::DuplicatePath(pair[0].path.to_string()));
        }
        Ok(Self { language: Language::detect(&files), files: files.into() })
    }

    /// A test case of one file.
    ///
    /// # Errors
    /// When `path` is not a plain relative path.
    pub fn single(path: &str, bytes: impl Into<Arc<[u8]>>) -> Result<Self, InvalidTestCase> {
        Self::new(vec![SourceFile { path: path.into(), bytes: bytes.into() }])
    }

    /// The same test case; if `said` is given, it is in that language, whatever its files look like.
    #[must_use]
    pub fn in_language(self, said: Option<Language>) -> Self {
        Self { language: said.unwrap_or(self.language), ..self }
    }

    /// The language: what somebody said, or what the files of the original look like.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }

    /// The files, ordered by path.
    #[must_use]
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// Total size of all files in bytes.
    #[must_use]
    pub fn total_bytes(&self) -> usize {
        self.files.iter().map(|file| file.bytes.len()).sum()
    }

    /// Hash of paths and contents: what a verdict is remembered under.
    #[must_use]
    pub fn hash(&self) -> ContentHash {
        let mut hasher = blake3::Hasher::new();
        for file in self.files.iter() {
            // Lengths first, so that no two lists of files feed the same bytes.
            hasher.update(&(file.path.len() as u64).to_le_bytes());
            hasher.update(file.path.as_bytes());
            hasher.update(&(file.bytes.len() as u64).to_le_bytes());
            hasher.update(&file.bytes);
        }
        ContentHash(*hasher.finalize().as_bytes())
    }

    /// A variant with these files, whose order a change has not disturbed.
    pub(crate) fn with_sorted(&self, files: Vec<SourceFile>) -> Self {
        Self { files: files.into(), language: self.language }
    }
}

/// Hash of a test case's paths and contents (BLAKE3, 256 bits). Displayed as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// Hash of one sequence of bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// Reads what `Display` wrote; `None` for anything else.
    #[must_use]
    pub fn parse(hex: &str) -> Option<Self> {
        let mut hash = [0; 32];
        if hex.len() != 64 || !hex.is_ascii() {
            return None;
        }
        for (byte, digits) in hash.iter_mut().zip(hex.as_bytes().chunks(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        }
        Some(Self(hash))
    }

    /// The first 64 bits, for choices that depend on content alone.
    #[must_use]
    pub fn low_bits(&self) -> u64 {
        let mut low = [0; 8];
        low.copy_from_slice(&self.0[..8]);
        u64::from_le_bytes(low)
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_separates_path_from_content() {
        let a = TestCase::single("ab", b"c".as_slice()).unwrap();
        let b = TestCase::single("a", b"bc".as_slice()).unwrap();
        assert_ne!(a.hash(), b.hash());
        assert_eq!(ContentHash::parse(&a.hash().to_string()), Some(a.hash()));
        assert_eq!(ContentHash::parse("zz"), None);
    }

    #[test]
    fn refuses_paths_that_leave_the_directory() {
        for path in ["", "/etc/passwd", "../x", "a//b", "a/./b", "a\\b"] {
            assert!(TestCase::single(path, b"".as_slice()).is_err(), "{path}");
        }
        let file = |path: &str| SourceFile { path: path.into(), bytes: b"".as_slice().into() };
        assert!(TestCase::new(vec![file("a.c"), file("a.c")]).is_err());
    }
}
