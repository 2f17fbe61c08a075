//! The `#include`s of files of the test case.

use std::ops::Range;

use clreduce_testcase::TokenKind;

use super::directives::directives;
use super::tokens::Tokens;
use crate::Snapshot;

/// A line that includes a file of the test case.
#[derive(Clone)]
pub(crate) struct Include {
    /// The file in which it stands.
    pub file: usize,
    /// Its bytes, with the line break at the end.
    pub line: Range<usize>,
}

/// For each file, the lines in others that include it.
pub(crate) fn includes(snapshot: &Snapshot) -> Vec<Vec<Include>> {
    let mut includes = vec![Vec::new(); snapshot.file_count()];
    if snapshot.file_count() < 2 {
        return includes;
    }
    for unit in Tokens::all(snapshot) {
        for directive in directives(unit).into_iter().filter(|line| line.name == b"include") {
            let path = directive.tokens.start + 2;
            if path < directive.tokens.end && unit.kind(path) == TokenKind::String {
                let name = unit.text(path);
                let header = resolve(snapshot, unit.file, &name[1..name.len() - 1]);
                if let Some(header) = header.filter(|header| *header != unit.file) {
                    includes[header].push(Include { file: unit.file, line: directive.line });
                }
            }
        }
    }
    includes
}

/// The file that a quoted path names: relative to the including file, else to the directory of the
/// test.
fn resolve(snapshot: &Snapshot, from: usize, path: &[u8]) -> Option<usize> {
    let files = snapshot.case().files();
    let folder = files[from].path.rfind('/').map_or("", |slash| &files[from].path[..=slash]);
    let beside = [folder.as_bytes(), path].concat();
    let find = |wanted: &[u8]| files.iter().position(|file| file.path.as_bytes() == wanted);
    find(&beside).or_else(|| find(path))
}
