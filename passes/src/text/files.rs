//! Removes whole files of a test case that has several, with the lines that include them, or alone.

use clreduce_testcase::{Edit, Patch};

use crate::Snapshot;
use crate::analysis::{Include, includes};
use crate::pass::{ANY, Pass, Proposal, Proposals};

pub(crate) const PASS: Pass =
    Pass::new("files", "Remove whole files, with the lines that include them", ANY, propose);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    // A test case needs a file, so the largest one always stays.
    let files = 0..snapshot.file_count();
    let largest = files.rev().max_by_key(|&file| snapshot.bytes(file).len());
    for (file, includes) in includes(snapshot).into_iter().enumerate() {
        if Some(file) == largest {
            continue;
        }
        let alone = Proposal::edit(Edit::remove_file(file));
        if includes.is_empty() {
            proposals.push(alone);
            continue;
        }
        let line = |Include { file, line }: Include| Edit::delete(file, line);
        let lines = includes.into_iter().map(line).chain([Edit::remove_file(file)]);
        proposals.extend(Patch::new(lines.collect()).map(Proposal::new));
        proposals.push(alone.in_list(1));
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
        assert_eq!(Proposals::of(&PASS, &snapshot).list, expected);
    }
}
