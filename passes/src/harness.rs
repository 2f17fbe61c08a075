//! Holds a pass to its contract on one input; for unit tests, property tests and fuzzing alike.

use clreduce_testcase::{EditKind, Language, Launch, Patch, Size, TestCase, tokens};

use crate::{LaunchEdits, Pass, Proposal, Proposals, Snapshot, TABLE, UnusedDeclarations};

/// Runs a pass on a snapshot of `bytes` and checks what [`Pass`] promises: proposals in bounds,
/// deterministic, smaller, applicable alone and together, and convergent when everything is
/// interesting.
///
/// # Panics
/// When the pass breaks its contract.
pub fn check(pass: &dyn Pass, bytes: &[u8], language: Language) {
    check_each(&[pass], bytes, language);
}

/// Checks several passes on one input. They share its views, as they do in a reduction.
///
/// # Panics
/// As [`check`].
pub fn check_each(passes: &[&dyn Pass], bytes: &[u8], language: Language) {
    let case = TestCase::single("input", bytes).expect("a plain path");
    let [snapshot, equal] = [(); 2].map(|()| Snapshot::new(case.clone(), language));
    let orphans = UnusedDeclarations::new(&snapshot);
    for &pass in passes {
        let proposals = Proposals::of(pass, &snapshot).list;
        let again = Proposals::of(pass, &equal).list;
        assert_eq!(proposals, again, "{} is not deterministic", pass.info().name);
        for proposal in &proposals {
            check_patch(pass, &proposal.patch, &case);
        }
        // Applying a few is enough: each costs as much as the whole file.
        for proposal in proposals.iter().step_by(proposals.len() / 100 + 1) {
            check_variant(pass, &case, &case.apply(&proposal.patch));
            if let Some(orphans) = &orphans {
                check_orphans(pass, &case, &snapshot, orphans, &proposal.patch);
            }
        }
        converges(pass, case.clone(), proposals, language);
    }
}

/// Checks the pass and language that the first byte chooses on the program behind it: any bytes will do,
/// as a fuzzer makes them.
///
/// # Panics
/// As [`check`].
pub fn check_chosen(input: &[u8]) {
    let Some((&choice, program)) = input.split_first() else { return };
    let row = &TABLE[choice as usize % TABLE.len()];
    let languages = row.info().languages;
    check(row.pass, program, languages[choice as usize / TABLE.len() % languages.len()]);
}

/// Edits in bounds, in order, and apart from each other.
fn check_patch(pass: &dyn Pass, patch: &Patch, case: &TestCase) {
    let name = pass.info().name;
    assert!(!patch.is_empty(), "{name} proposes nothing");
    for edit in patch.edits() {
        let Some(file) = case.files().get(edit.file as usize) else {
            panic!("{name} edits a file that is not there")
        };
        let removes = edit.kind == EditKind::RemoveFile;
        let inside = edit.start <= edit.end && edit.end as usize <= file.bytes.len();
        assert!(removes || inside, "{name} edits {:?}, out of bounds", edit.range());
    }
    for pair in patch.edits().windows(2) {
        let apart = (pair[0].file, pair[0].end) <= (pair[1].file, pair[1].start)
            || pair[0].file < pair[1].file;
        assert!(apart, "{name} proposes overlapping edits {pair:?}");
    }
}

/// Checks that a variant is smaller, unless the pass is for layout, and that it is still launched.
fn check_variant(pass: &dyn Pass, case: &TestCase, variant: &TestCase) {
    let info = pass.info();
    let name = info.name;
    let shown = || String::from_utf8_lossy(&case.files()[0].bytes).into_owned();
    // With what stands before it gone, a comment may come to say how many work-items there are: then the variant is not
    // smaller, and the engine does not test it.
    let launched = |case: &TestCase| {
        case.files().first().is_some_and(|file| Launch::find(&file.bytes).is_some())
    };
    let measured = !info.layout_only && !info.may_grow && (launched(case) || !launched(variant));
    if measured && !has_odd_literal(&case.files()[0].bytes) {
        assert!(is_smaller(variant, case), "{name} proposes no smaller program for {:?}", shown());
    }
    if launched(case) {
        let (before, after) = (fixed_launch(case, info.launch), fixed_launch(variant, info.launch));
        assert_eq!(after, before, "{name} edits the launch of {:?}", shown());
    }
}

/// The part of the launch comment that a pass with these edits must leave as it is.
fn fixed_launch(case: &TestCase, edits: LaunchEdits) -> Option<Vec<u8>> {
    let file = case.files().first()?;
    let launch = Launch::find(&file.bytes)?;
    let sizes = launch.global_range.start.min(launch.local_range.start);
    let comment = &file.bytes[launch.comment.clone()];
    Some(match edits {
        LaunchEdits::Nothing => comment.to_vec(),
        LaunchEdits::Arguments => file.bytes[sizes..launch.comment.end].to_vec(),
        LaunchEdits::Sizes => {
            let is_size = |byte: &u8| byte.is_ascii_digit() || *byte == b',';
            comment.iter().copied().filter(|byte| !is_size(byte)).collect()
        }
    })
}

/// What a patch leaves without a use may go with it: more is removed, and nothing more follows from that.
fn check_orphans(
    pass: &dyn Pass,
    case: &TestCase,
    snapshot: &Snapshot,
    orphans: &UnusedDeclarations,
    patch: &Patch,
) {
    let followed = orphans.follow(snapshot, patch.clone());
    check_patch(pass, &followed, case);
    let again = orphans.follow(snapshot, followed.clone());
    assert_eq!(again, followed, "more follows from what followed a patch of {}", pass.info().name);
    assert!(followed.covers(patch), "what follows replaces a patch of {}", pass.info().name);
}

/// Returns true if a literal or comment never ends, or holds what the parser does not take for part of one. Then what
/// is removed may decide how all that follows is read, and nobody can tell whether it becomes smaller.
fn has_odd_literal(bytes: &[u8]) -> bool {
    tokens(bytes).any(|token| {
        let text = &bytes[token.range()];
        let quoted = matches!(text.last(), Some(b'"' | b'\''));
        let odd = quoted
            && (text.len() == 1
                || text.iter().any(|byte| !byte.is_ascii_graphic() && *byte != b' '));
        odd || bytes[token.start as usize..].starts_with(b"/*")
    })
}

fn is_smaller(variant: &TestCase, case: &TestCase) -> bool {
    let order = Size::of(variant).cmp(&Size::of(case));
    order.then_with(|| Size::tie_break(variant, case)).is_lt()
}

/// Accepts everything that makes the program smaller and expects an end; of a pass for layout, that
/// it has nothing to say about its own result.
fn converges(
    pass: &dyn Pass,
    mut case: TestCase,
    mut proposals: Vec<Proposal>,
    language: Language,
) {
    if pass.info().layout_only {
        if let [proposal] = proposals.as_slice() {
            case = case.apply(&proposal.patch);
            let again = Proposals::of(pass, &Snapshot::new(case, language)).list;
            assert_eq!(again, [], "{} is not idempotent", pass.info().name);
        }
        return;
    }
    // Some take one level of many in each round: a star, a pair of braces.
    let rounds = Size::of(&case).tokens.max(64);
    for _ in 0..rounds {
        let (mut accepted, mut smallest) = (Patch::default(), case.clone());
        for proposal in proposals {
            if let Some(union) = accepted.union(&proposal.patch) {
                let variant = case.apply(&union);
                if is_smaller(&variant, &smallest) {
                    (accepted, smallest) = (union, variant);
                }
            }
        }
        if accepted.is_empty() {
            return;
        }
        case = smallest;
        proposals = Proposals::of(pass, &Snapshot::new(case.clone(), language)).list;
    }
    panic!("{} does not converge in {rounds} rounds", pass.info().name);
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
        for proposal in Proposals::of(pass, &snapshot).list {
            let Some(union) = accepted.union(&proposal.patch) else { continue };
            let (before, after) = (case.apply(&accepted), case.apply(&union));
            if is_smaller(&after, &before) && interesting(&text(&after)) {
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
    assert_eq!(spelled(&left), spelled(after), "what {} leaves of {before:?}", pass.info().name);
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

/// A program to try one pass on, and what the pass leaves of it. The text of a fixture is the program,
/// then a line `// keep: a | b` with the tokens that make a variant interesting (optional), then a line
/// `// becomes: 64 tokens -> 41` and the program that is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// The program.
    pub program: String,
    /// A variant is interesting if it has all of these, as [`spelled`] tokens.
    pub keep: Vec<String>,
    /// The line `64 tokens -> 41` and the program that is left; `None` in a fixture that does not say.
    pub becomes: Option<String>,
}

impl Fixture {
    const KEEP: &'static str = "// keep:";
    const BECOMES: &'static str = "// becomes: ";

    /// Reads the text of a fixture.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let (text, becomes) = match text.split_once(Self::BECOMES) {
            Some((text, becomes)) => (text, Some(becomes.to_owned())),
            None => (text, None),
        };
        let (program, keep) = text.rsplit_once(Self::KEEP).unwrap_or((text, ""));
        let keep = keep.split(" | ").map(|needle| spelled(needle).trim().to_owned());
        Self {
            program: program.to_owned(),
            keep: keep.filter(|needle| !needle.is_empty()).collect(),
            becomes,
        }
    }

    /// The text of a fixture, with this for what is left.
    #[must_use]
    pub fn with_result(text: &str, becomes: &str) -> String {
        let text = text.split_once(Self::BECOMES).map_or(text, |(text, _)| text);
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        format!("{text}{gap}{}{becomes}", Self::BECOMES)
    }
}
