//! Pastes a header that is a file of the test case in the place of the only `#include` that names it,
//! and removes the file.

use clreduce_testcase::{Edit, Patch};

use crate::Snapshot;
use crate::analysis::{Include, includes};
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
        let pasted = |(header, places): (usize, Vec<Include>)| {
            let [Include { file, line }] = places.as_slice() else { return None };
            let mut text = snapshot.bytes(header).to_vec();
            if !text.ends_with(b"\n") {
                text.push(b'\n');
            }
            let paste = Edit::replace(*file, line.clone(), text);
            Patch::new(vec![paste, Edit::remove_file(header)]).map(Proposal::new)
        };
        proposals.extend(includes(snapshot).into_iter().enumerate().filter_map(pasted));
    }
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
