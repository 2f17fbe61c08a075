//! Removes blocks of lines in texts without a grammar: whole blocks, one of their parts, or only the lines that
//! open, divide and close them.
//!
//! The indentation and words such as `end if` say what a block is. Where the indentation alone ends a block, as in Python, the
//! lines that stay move to the left.
//!
//! before:
//! ```text
//! do i = 1, 3
//!   if (i > 1) then
//!     call a
//!   else
//!     call b
//!   end if
//! end do
//! ```
//! after:
//! ```text
//! do i = 1, 3
//!     call b
//! end do
//! ```

use std::ops::Range;

use clreduce_testcase::{Edit, Feature, Patch, steps};

use crate::Snapshot;
use crate::analysis::{Block, Tokens, blocks, launch_comment, line_ranges};
use crate::budget::Budget;
use crate::pass::{ANY, Pass, Proposal, Proposals};

pub(crate) const PASS: Pass =
    Pass::new("blocks", "Remove blocks of lines, or only the lines around them", ANY, propose);

/// Levels of blocks with a list of their own.
const LEVELS: u32 = 16;
/// A block in many others is moved once for each of them.
const MOVED: Budget = Budget::new("lines that move to the left", 200_000);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    // Where something else than indentation ends a block, a grammar knows it.
    let language = snapshot.language();
    let knows_blocks = language.has(Feature::Grammar) && !language.has(Feature::Indentation);
    if language.has(Feature::Syntax) || knows_blocks {
        return;
    }
    let mut moved = 0;
    for unit in Tokens::all(snapshot) {
        let launch = launch_comment(unit.bytes).end;
        for block in blocks(unit.bytes).iter().filter(|block| block.range.start >= launch) {
            propose_block(unit, block, &mut moved, proposals);
        }
    }
}

/// Proposes a block without each of its parts and without its frame. `moved` counts the lines that move to the left.
fn propose_block(unit: Tokens<'_>, block: &Block, moved: &mut usize, proposals: &mut Proposals) {
    let level = block.depth.min(LEVELS - 1);
    let delete = |range| Proposal::edit(Edit::delete(unit.file, range));
    proposals.push(delete(block.range.clone()).in_list(level));
    let parts: Vec<_> = block.parts().collect();
    let divided = block.frame.iter().zip(&parts).skip(1);
    proposals.extend(divided.map(|(line, part)| delete(line.start..part.end).in_list(level + 1)));
    if !block.is_closed {
        *moved += parts.iter().map(|part| line_starts(unit.bytes, part).count()).sum::<usize>();
        if !proposals.allow(&MOVED, *moved) {
            return;
        }
    }
    let alone = parts.chunks(1).filter(|_| parts.len() > 1);
    let unwrapped = alone.chain([&parts[..]]).filter_map(|parts| unwrapped(unit, block, parts));
    proposals.extend(unwrapped.map(|proposal| proposal.in_list(LEVELS + level)));
}

/// A block of which only these parts stay.
fn unwrapped(unit: Tokens<'_>, block: &Block, parts: &[Range<usize>]) -> Option<Proposal> {
    let ends = parts.iter().map(|part| part.end);
    let starts = parts.iter().map(|part| part.start).chain([block.range.end]);
    let gone =
        [block.range.start].into_iter().chain(ends).zip(starts).filter(|(start, end)| start < end);
    let mut edits: Vec<Edit> =
        gone.map(|(start, end)| Edit::delete(unit.file, start..end)).collect();
    if !block.is_closed {
        let outer = blanks(unit.bytes, block.range.start);
        for part in parts.iter().filter(|part| !part.is_empty()) {
            let inner = blanks(unit.bytes, part.start);
            let by = inner.saturating_sub(outer);
            edits.extend(line_starts(unit.bytes, part).filter_map(|start| {
                let by = by.min(blanks(unit.bytes, start));
                (by > 0).then(|| Edit::delete(unit.file, start..start + by))
            }));
        }
    }
    Patch::new(edits).map(Proposal::new)
}

/// The number of blanks at the start of a line.
fn blanks(bytes: &[u8], start: usize) -> usize {
    bytes[start..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// The places in a range of whole lines where one starts.
fn line_starts(bytes: &[u8], lines: &Range<usize>) -> impl Iterator<Item = usize> {
    let first = lines.start;
    line_ranges(&bytes[lines.clone()]).inspect(|_| steps(1)).map(move |line| first + line.start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::reduce_with;
    use clreduce_testcase::Language;

    fn reduced(source: &str, keep: &[&str]) -> String {
        reduce_with(&PASS, source, Language::TEXT, |text| {
            keep.iter().all(|kept| text.contains(kept))
        })
    }

    #[test]
    fn words_that_close_a_block_go_with_the_words_that_open_it() {
        let fortran = "program p\n  do i = 1, 2\n    if (i > 1) then\n      x = 1\n    else if (i > 0) then\n      y = 1\n    \
                       else\n      z = 1\n    end if\n  enddo\nend program p\n";
        assert_eq!(reduced(fortran, &["y = 1"]), "      y = 1\n");
        assert_eq!(
            reduced(fortran, &["y = 1", "program", "end"]),
            "program p\n      y = 1\nend program p\n"
        );
        let empty = "a\ndo i = 1, 2\nend do\nif (a) then\nelse\nend if\nb\n";
        assert_eq!(reduced(empty, &["a", "b"]), "a\nb\n");
        let shell = "for x in 1 2\ndo\n  if test $x; then\n    echo a\n  fi\ndone\n";
        assert_eq!(reduced(shell, &["echo a"]), "    echo a\n");
        let lua = "function f()\n  while a do\n    g()\n  end\nend\nlocal x\n";
        assert_eq!(reduced(lua, &["g()", "x"]), "    g()\nlocal x\n");
        let ir = "define void @f() {\n  ret void\n}\ndefine void @g() {\n  ret void\n}\n";
        assert_eq!(reduced(ir, &["@g", "ret", "}"]), "define void @g() {\n  ret void\n}\n");
        let ptx = ".target sm_70\n.func (.reg .b32 r) f(\n  .reg .b32 a\n)\n.noreturn\n{\n  exit;\n}\n.entry k()\n{\n  ret;\n}\n";
        assert_eq!(
            reduced(ptx, &["sm_70", "k()", "}"]),
            ".target sm_70\n.entry k()\n{\n  ret;\n}\n"
        );
        let cut = "{\n  exit;\n}\n .entry k\n{\n  ret;\n}\nx;\n";
        assert_eq!(reduced(cut, &["x;"]), "x;\n");
        assert_eq!(reduced(cut, &["k", "x;"]), " .entry k\n{\n  ret;\n}\nx;\n");
        let allman = "a;\nwhile (x)\n{\n  b;\n}\nstruct s\n{\n  int c;\n};\n";
        assert_eq!(reduced(allman, &["a;", "b;"]), "a;\n  b;\n");
    }

    #[test]
    fn labels_at_the_margin_are_nested_in_their_function() {
        let source = ".func f()\n{\nL1:\n  exit;\nL2:\n  ret;\n}\n.func g()\n{\n  ret;\n}\n";
        let case = clreduce_testcase::TestCase::single("x", source.as_bytes()).unwrap();
        let proposals = Proposals::of(&PASS, &Snapshot::new(case, Language::TEXT)).list;
        let outer = proposals.iter().filter(|proposal| proposal.list == 0);
        let first: Vec<&str> =
            outer.map(|proposal| &source[proposal.patch.edits()[0].range()]).collect();
        assert_eq!(first, [&source[..37], &source[37..]]);
    }

    #[test]
    fn what_only_indentation_ends_moves_to_the_left() {
        let python = "class A:\n    def f(self):\n        try:\n            g()\n\n            h()\n        except B:\n            \
                      i()\n    def j(self):\n        pass\n";
        let left = reduced(python, &["h()", "i()"]);
        assert_eq!(left.lines().map(str::trim).collect::<Vec<_>>(), ["g()", "", "h()", "i()"]);
        assert_eq!(
            reduced(python, &["h()", "def f", "try"]),
            "def f(self):\n    try:\n        g()\n\n        h()\n"
        );
    }
}
