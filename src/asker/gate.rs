//! Refuses what cannot compile without asking: text that no longer parses, names that nothing declares.
//!
//! A gate must be honest, because some bugs are about invalid code. The first variants it would refuse
//! are asked all the same, and later a fixed share of them, chosen by content; one that turns out
//! interesting switches that gate off for good. What it refused without asking is not remembered, so
//! that it is proposed again then.

use std::collections::BTreeSet;

use clreduce_passes::{NodeId, Snapshot};
use clreduce_testcase::{ContentHash, Language, TestCase};

/// Variants that a gate must have been right about before it refuses any.
const PROBATION: u32 = 20;
/// One in so many later ones is asked as well.
const SAMPLE: u64 = 16;
/// Larger variants are asked: looking at them costs more than a test that fails to compile.
const MAX_TOKENS: usize = 4_000;

/// Why a variant is not expected to compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    /// It does not parse, and the current test case does.
    Syntax,
    /// It uses a name that nothing declares, and that the current test case does not use so.
    Undeclared,
}

/// What has become of the variants that a gate doubted.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    right: u32,
    wrong: bool,
}

/// The gates of a reduction.
#[derive(Clone, Debug)]
pub(super) struct Gate {
    syntax: Record,
    undeclared: Record,
}

impl Gate {
    /// Gates at the beginning; ones that are always open where they are not wanted.
    pub(super) fn new(wanted: bool) -> Self {
        let record = Record { right: 0, wrong: !wanted };
        Self { syntax: record, undeclared: record }
    }

    /// Whether a doubted variant is refused without asking.
    pub(super) fn refuses(&self, doubt: Doubt, hash: &ContentHash) -> bool {
        let record = self.record(doubt);
        !record.wrong && record.right >= PROBATION && !hash.low_bits().is_multiple_of(SAMPLE)
    }

    /// What is wrong with a variant that was right with the snapshot it was made from. Nobody looks once
    /// both kinds of doubt were wrong.
    pub(super) fn doubt(
        &self,
        base: &Snapshot,
        variant: &TestCase,
        tokens: usize,
    ) -> Option<Doubt> {
        if self.syntax.wrong && self.undeclared.wrong {
            return None;
        }
        doubt(base, variant, tokens)
    }

    /// Learns from the answer about a doubted variant.
    pub(super) fn learn(&mut self, doubt: Doubt, interesting: bool) {
        let record = match doubt {
            Doubt::Syntax => &mut self.syntax,
            Doubt::Undeclared => &mut self.undeclared,
        };
        if interesting {
            record.wrong = true;
        } else {
            record.right = record.right.saturating_add(1);
        }
    }

    fn record(&self, doubt: Doubt) -> Record {
        match doubt {
            Doubt::Syntax => self.syntax,
            Doubt::Undeclared => self.undeclared,
        }
    }
}

fn doubt(base: &Snapshot, variant: &TestCase, tokens: usize) -> Option<Doubt> {
    let language = base.language();
    if language == Language::Text || tokens > MAX_TOKENS || base.file_count() != 1 {
        return None;
    }
    let variant = Snapshot::new(variant.clone(), language);
    if variant.file_count() != 1 {
        return None;
    }
    if fails_to_parse(&variant) {
        return (!fails_to_parse(base)).then_some(Doubt::Syntax);
    }
    let known = undeclared(base);
    (!undeclared(&variant).is_subset(&known)).then_some(Doubt::Undeclared)
}

fn fails_to_parse(snapshot: &Snapshot) -> bool {
    snapshot.tree(0).is_empty() || snapshot.tree(0).has_error(NodeId(0))
}

/// Names that are used and not declared; functions that C lets one call so left out.
fn undeclared(snapshot: &Snapshot) -> BTreeSet<&[u8]> {
    let tree = snapshot.tree(0);
    let implicit = |&&name: &&NodeId| {
        snapshot.language() == Language::C
            && tree.node(name).field == Some("function")
            && tree.parent(name).is_some_and(|parent| tree.kind(parent) == "call_expression")
    };
    let names = snapshot.symbols(0).unresolved().iter().filter(|name| !implicit(name));
    names
        .filter(|&&name| tree.kind(name) != "primitive_type")
        .map(|&name| &snapshot.bytes(0)[tree.range(name)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubt_of(before: &str, after: &str) -> Option<Doubt> {
        let case = |source: &str| TestCase::single("a.c", source.as_bytes()).unwrap();
        doubt(&Snapshot::new(case(before), Language::C), &case(after), 1)
    }

    #[test]
    fn doubts_what_cannot_compile() {
        let before = "typedef int T; int x; T f(void) { return x + NULL; }";
        assert_eq!(doubt_of(before, "int x; T f(void) { return x; }"), Some(Doubt::Undeclared));
        assert_eq!(
            doubt_of(before, "typedef int T; T f(void) { return x; }"),
            Some(Doubt::Undeclared)
        );
        assert_eq!(
            doubt_of(before, "typedef int T; int x; T f(void) { return (x; }"),
            Some(Doubt::Syntax)
        );
        assert_eq!(doubt_of(before, "int x; int f() { return NULL + g(x); }"), None);
    }

    #[test]
    fn one_contradiction_ends_a_gate() {
        let hash = ContentHash([1; 32]);
        let mut gate = Gate::new(true);
        for _ in 0..PROBATION {
            assert!(!gate.refuses(Doubt::Syntax, &hash));
            gate.learn(Doubt::Syntax, false);
        }
        assert!(gate.refuses(Doubt::Syntax, &hash));
        assert!(!gate.refuses(Doubt::Undeclared, &hash));
        gate.learn(Doubt::Syntax, true);
        assert!(!gate.refuses(Doubt::Syntax, &hash));
    }
}
