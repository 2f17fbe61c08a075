//! The tools with which tests build kernels for the host.

use std::path::Path;
use std::sync::OnceLock;

use clreduce_host::{Toolchain, clang};
use clreduce_interestingness::Cancel;
use clreduce_process::ToolRunner;
use tempfile::TempDir;

/// The compiled run-time is kept for all tests of a file.
pub fn cache() -> &'static Path {
    static CACHE: OnceLock<TempDir> = OnceLock::new();
    CACHE.get_or_init(|| tempfile::tempdir().unwrap()).path()
}

/// Returns the newest clang with these tools.
pub fn toolchain<'a>(tools: &'a ToolRunner, cancel: &'a Cancel) -> Toolchain<'a> {
    Toolchain { clang: clang().unwrap(), tools, cache: cache(), forks: None, cancel }
}
