//! Holds a pass to its contract on one input; for unit tests, property tests and fuzzing alike.

use clreduce_testcase::{Language, Patch, Size, TestCase, tokens};

use crate::{Pass, Snapshot};

/// Runs a pass on a snapshot of `bytes` and checks what [`Pass`] promises: proposals in bounds,
/// deterministic, applicable alone and together, and convergent when everything is interesting.
///
/// # Panics
/// When the pass breaks its contract.
pub fn check(pass: &dyn Pass, bytes: &[u8], language: Language) {
    let case = TestCase::single("input", bytes).expect("a plain path");
    let snapshot = Snapshot::new(case.clone(), language);
    let proposals = pass.propose(&snapshot);
    assert_eq!(
        proposals,
        pass.propose(&Snapshot::new(case.clone(), language)),
        "not deterministic"
    );
    let mut together = Patch::default();
    for proposal in &proposals {
        for edit in proposal.patch.edits() {
            assert!(edit.start <= edit.end && edit.end as usize <= bytes.len(), "out of bounds");
        }
        if let Some(union) = together.union(&proposal.patch) {
            together = union;
        }
    }
    let _ = case.apply(&together);
    converges(pass, case, language);
}

/// Accepts everything that makes the program smaller and expects an end.
fn converges(pass: &dyn Pass, mut case: TestCase, language: Language) {
    let rounds = 64;
    for _ in 0..rounds {
        let snapshot = Snapshot::new(case.clone(), language);
        let mut accepted = Patch::default();
        for proposal in pass.propose(&snapshot) {
            if let Some(union) = accepted.union(&proposal.patch)
                && Size::of(&case.apply(&union)) < Size::of(&case.apply(&accepted))
            {
                accepted = union;
            }
        }
        if accepted.is_empty() {
            return;
        }
        case = case.apply(&accepted);
    }
    panic!("{} does not converge in {rounds} rounds", pass.name());
}

/// What a pass makes of `source` when every variant for which `interesting` holds is accepted, one
/// proposal after the other, to a fixpoint. For tests of single passes.
#[must_use]
pub fn reduce_with(
    pass: &dyn Pass,
    source: &str,
    language: Language,
    interesting: impl Fn(&str) -> bool,
) -> String {
    let mut case = TestCase::single("input", source.as_bytes()).expect("a plain path");
    let text = |case: &TestCase| {
        String::from_utf8_lossy(case.files().first().map_or(b"", |file| &file.bytes)).into_owned()
    };
    loop {
        let snapshot = Snapshot::new(case.clone(), language);
        let mut accepted = Patch::default();
        for proposal in pass.propose(&snapshot) {
            let Some(union) = accepted.union(&proposal.patch) else { continue };
            let (before, after) = (case.apply(&accepted), case.apply(&union));
            let order = Size::of(&after)
                .cmp(&Size::of(&before))
                .then_with(|| Size::tie_break(&after, &before));
            if order.is_lt() && interesting(&text(&after)) {
                accepted = union;
            }
        }
        if accepted.is_empty() {
            return text(&case);
        }
        case = case.apply(&accepted);
    }
}

/// Asserts what a pass alone makes of a program when a variant is interesting as long as it has all
/// of `keep` in it. Layout and comments do not count, neither in what is kept nor in the result.
///
/// # Panics
/// When something else is left than `after`.
pub fn assert_reduces(
    pass: &dyn Pass,
    language: Language,
    before: &str,
    keep: &[&str],
    after: &str,
) {
    let keep: Vec<String> = keep.iter().map(|needle| spelled(needle).trim().to_owned()).collect();
    let left = reduce_with(pass, before, language, |text| {
        let text = spelled(text);
        keep.iter().all(|needle| text.contains(needle))
    });
    assert_eq!(spelled(&left), spelled(after), "what {} leaves of {before:?}", pass.name());
}

/// The tokens of a text with one blank around each.
#[must_use]
pub fn spelled(text: &str) -> String {
    tokens(text.as_bytes()).fold(String::from(" "), |mut line, token| {
        line.push_str(text.get(token.range()).unwrap_or("?"));
        line.push(' ');
        line
    })
}
