//! Removes what stands in matching delimiters: with them, without them, or only them; or puts the
//! least in its place that can stand there.
//!
//! before:
//! ```c
//! int a[] = { 1, 2 }; void f(void) { if (a[0] }
//! ```
//! after:
//! ```c
//! int a[]; void f(void) { if (a[0] }
//! ```

use clreduce_testcase::{Edit, Patch};

use crate::Snapshot;
use crate::analysis::Tokens;
use crate::pass::{ANY, Pass, Proposal, Proposals};

pub(crate) const PASS: Pass = Pass::new(
    "balanced",
    "Remove or empty what stands in matching delimiters, where the parser fails",
    ANY,
    propose,
);

/// Ways to treat a pair; each is a list of its own, level by level.
const WAYS: u32 = 4;

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Tokens::unparsed(snapshot) {
        let mut depth = 0;
        for (open, close) in unit.partners().into_iter().enumerate() {
            if close < open {
                depth -= 1;
            } else if close > open {
                let ways = ways(unit, open, close).into_iter().zip(0..);
                proposals.extend(ways.filter_map(|(patch, way)| {
                    Some(Proposal::new(patch?).in_list(depth * WAYS + way))
                }));
                depth += 1;
            }
        }
    }
}

fn ways(unit: Tokens<'_>, open: usize, close: usize) -> [Option<Patch>; WAYS as usize] {
    let whole = unit.span(open, close);
    let inside = unit.tokens[open].end as usize..unit.tokens[close].start as usize;
    let full = close > open + 1;
    let assigned = open > 0 && unit.text(open - 1) == b"=";
    let least: Option<&'static [u8]> = match unit.text(open) {
        b"{" => Some(b";"),
        b"(" => Some(b"0"),
        _ => None,
    };
    let edit = |edit: Edit| Some(Patch::single(edit));
    let from = if assigned { unit.tokens[open - 1].start as usize } else { whole.start };
    [
        edit(Edit::delete(unit.file, from..whole.end)),
        if full { edit(Edit::delete(unit.file, inside)) } else { None },
        Patch::new(vec![
            Edit::delete(unit.file, unit.tokens[open].range()),
            Edit::delete(unit.file, unit.tokens[close].range()),
        ]),
        least.and_then(|text| edit(Edit::replace(unit.file, whole, text))),
    ]
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, keep: &[&str], after: &str) {
        assert_reduces(&PASS, Language::TEXT, before, keep, after);
    }

    #[test]
    fn pairs_go_from_the_outside_in() {
        check("f { g ( x ) [ 1 ] } h", &["g"], "f g h");
        check("f { g } h", &["h"], "f h");
        check("if (a) { b } }", &["(", ";"], "if () ; }");
        check("f ( { g ( ) } ) h", &["( )"], "f ( ) h");
    }
}
