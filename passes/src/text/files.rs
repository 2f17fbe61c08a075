//! Removes whole files of a test case that has several.

use clreduce_testcase::Edit;

use crate::Snapshot;
use crate::pass::{ANY, Pass, PassInfo, Proposal, Proposals};

/// The pass.
pub(crate) struct Files;

impl Pass for Files {
    fn info(&self) -> PassInfo {
        PassInfo::new("files", "Remove whole files", ANY)
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        // A test case without files is none: the largest always stays.
        let files = 0..snapshot.file_count();
        let largest = files.clone().rev().max_by_key(|&file| snapshot.bytes(file).len());
        let others = files.filter(|&file| Some(file) != largest);
        proposals.extend(others.map(|file| Proposal::edit(Edit::remove_file(file))));
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::{SourceFile, TestCase};

    use clreduce_testcase::Language;

    use super::*;

    #[test]
    fn all_but_the_largest_can_go() {
        let file = |path: &str, text: &str| SourceFile {
            path: path.into(),
            bytes: text.as_bytes().to_vec().into(),
        };
        let files = vec![file("a.c", "int x;"), file("b.c", "int x, y;"), file("c.c", "")];
        let snapshot = Snapshot::new(TestCase::new(files).unwrap(), Language::C);
        let expected = [0, 2].map(|file| Proposal::edit(Edit::remove_file(file)));
        assert_eq!(Proposals::of(&Files, &snapshot).list, expected);
    }
}
