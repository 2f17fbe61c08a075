//! Pastes a header that is a file of the test case in the place of the only `#include` that names it,
//! and removes the file.

use clreduce_testcase::{Edit, Patch, TokenKind};

use crate::Snapshot;
use crate::analysis::{Tokens, directives};
use crate::pass::{PARSED, Pass, PassInfo, Proposal, Proposals};

/// The pass.
pub(crate) struct OwnHeaders;

impl Pass for OwnHeaders {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "own-headers",
            "Paste headers of the test case in the place of their includes",
            PARSED,
        )
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        if snapshot.file_count() < 2 {
            return;
        }
        // For each file, the includes that name it.
        let mut includes = vec![Vec::new(); snapshot.file_count()];
        for unit in Tokens::all(snapshot) {
            for directive in directives(unit).into_iter().filter(|line| line.name == b"include") {
                let path = directive.tokens.start + 2;
                if path < directive.tokens.end && unit.kind(path) == TokenKind::String {
                    let name = unit.text(path);
                    if let Some(header) = resolve(snapshot, unit.file, &name[1..name.len() - 1]) {
                        includes[header].push((unit.file, directive.line.clone()));
                    }
                }
            }
        }
        let pasted = |(header, places): (usize, &Vec<(usize, std::ops::Range<usize>)>)| {
            let [(file, line)] = places.as_slice() else { return None };
            let mut text = snapshot.bytes(header).to_vec();
            if !text.ends_with(b"\n") {
                text.push(b'\n');
            }
            let paste = Edit::replace(*file, line.clone(), text);
            (*file != header)
                .then(|| Patch::new(vec![paste, Edit::remove_file(header)]))
                .flatten()
                .map(Proposal::new)
        };
        proposals.extend(includes.iter().enumerate().filter_map(pasted));
    }
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

#[cfg(test)]
mod tests {
    use clreduce_testcase::{SourceFile, TestCase};

    use clreduce_testcase::Language;

    use super::*;

    #[test]
    fn a_header_moves_to_its_only_include() {
        let file = |path: &str, text: &str| SourceFile {
            path: path.into(),
            bytes: text.as_bytes().to_vec().into(),
        };
        let files = vec![
            file("inc/a.h", "#include \"b.h\"\nint a;"),
            file("inc/b.h", "int b;"),
            file("main.c", "#include \"inc/a.h\"\nint c;"),
        ];
        let case = TestCase::new(files).unwrap();
        let proposals = Proposals::of(&OwnHeaders, &Snapshot::new(case.clone(), Language::C)).list;
        let results: Vec<TestCase> =
            proposals.iter().map(|proposal| case.apply(&proposal.patch)).collect();
        assert_eq!(results.len(), 2);
        assert_eq!(&*results[0].files()[1].bytes, b"#include \"b.h\"\nint a;\nint c;");
        assert_eq!(&*results[1].files()[0].bytes, b"int b;\nint a;");
    }
}
