//! One file of a test case.

use std::sync::Arc;

/// One file of a test case. Cloning shares the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Path relative to the directory a test runs in, with `/` between its parts on every platform.
    pub path: Arc<str>,
    /// The file's content; any bytes at all.
    pub bytes: Arc<[u8]>,
}
