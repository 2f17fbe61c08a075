//! Holds a pass to its contract on one input; for unit tests, property tests and fuzzing alike.

use std::ops::Range;
use std::sync::Arc;

use clreduce_testcase::{
    Clues, EditKind, Feature, Language, Launch, Mention, Patch, Size, TestCase, tokens,
};

use crate::{LaunchEdits, Pass, Proposal, Proposals, Snapshot, TABLE, UnusedDeclarations};

/// The snapshot of an original. Comments in it are clues: `// clue: f` names a declaration, `// clue: 12:3` a place, and
/// `// unexecuted: 12:3-14:1` what was not executed, up to the second place.
///
/// # Panics
/// Never, whatever the program is.
#[must_use]
pub fn original(case: TestCase, language: Language) -> Snapshot {
    let mut clues = Clues::default();
    for file in case.files() {
        let text = String::from_utf8_lossy(&file.bytes);
        let clues_about =
            |what| text.lines().filter_map(move |line| line.trim().strip_prefix(what));
        let unexecuted = clues_about("// unexecuted: ").filter_map(|range| {
            let (start, end) = range.split_once('-')?;
            Some(offset(&text, start)?..offset(&text, end)?)
        });
        let unexecuted: Vec<Range<usize>> = unexecuted.collect();
        if !unexecuted.is_empty() {
            clues.unexecuted.insert(file.path.to_string(), unexecuted);
        }
        for clue in clues_about("// clue: ") {
            let place = clue.split_once(':').and_then(|(line, column)| {
                let (line, column) = (line.parse().ok()?, column.parse().ok()?);
                Some(Mention::Place { file: file.path.to_string(), line, column })
            });
            clues.mentions.push(vec![place.unwrap_or_else(|| Mention::Name(clue.to_owned()))]);
        }
    }
    Snapshot::new(case, language).with_clues(Arc::new(clues))
}

/// The offset of a place: `12:3`, both from 1.
fn offset(text: &str, place: &str) -> Option<usize> {
    let (line, column) = place.split_once(':')?;
    let (line, column): (usize, usize) = (line.parse().ok()?, column.parse().ok()?);
    let before: usize = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
    before.checked_add(column.checked_sub(1)?)
}

/// Runs a pass on a snapshot of `bytes` and checks what [`Pass`] promises: proposals in bounds,
/// deterministic, smaller, applicable alone and together, and convergent when everything is
/// interesting.
///
/// # Panics
/// When the pass breaks its contract.
pub fn check(pass: &Pass, bytes: &[u8], language: Language) {
    check_each(&[pass], bytes, language);
}

/// Checks several passes on one input. They share its views, as they do in a reduction.
///
/// # Panics
/// As [`check`].
pub fn check_each(passes: &[&Pass], bytes: &[u8], language: Language) {
    let case = TestCase::single("input", bytes).expect("a plain path").in_language(Some(language));
    let [snapshot, equal] = [(); 2].map(|()| original(case.clone(), language));
    let orphans = UnusedDeclarations::new(&snapshot);
    let program = Measured::new(case);
    let is_odd = has_odd_literal(bytes);
    for &pass in passes {
        let proposals = Proposals::of(pass, &snapshot).list;
        let again = Proposals::of(pass, &equal).list;
        assert_eq!(proposals, again, "{} is not deterministic", pass.name);
        for proposal in &proposals {
            check_patch(pass, &proposal.patch, &program.case);
        }
        // Applying a few is enough: each costs as much as the whole file.
        for proposal in proposals.iter().step_by(proposals.len() / 100 + 1) {
            check_variant(pass, &program, is_odd, program.case.apply(&proposal.patch));
            if let Some(orphans) = &orphans {
                check_orphans(pass, &program.case, &snapshot, orphans, &proposal.patch);
            }
        }
        converges(pass, program.clone(), proposals, language);
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
    let languages: Vec<_> = row.pass.languages().collect();
    check(row.pass, program, languages[choice as usize / TABLE.len() % languages.len()]);
}

/// Edits in bounds, in order, and apart from each other.
fn check_patch(pass: &Pass, patch: &Patch, case: &TestCase) {
    let name = pass.name;
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

#[derive(Clone)]
struct Measured {
    case: TestCase,
    size: Size,
}

impl Measured {
    fn new(case: TestCase) -> Self {
        Self { size: Size::of(&case), case }
    }

    fn is_smaller_than(&self, other: &Self) -> bool {
        let order = self.size.cmp(&other.size);
        order.then_with(|| Size::tie_break(&self.case, &other.case)).is_lt()
    }
}

/// Checks that a variant is smaller, unless the pass is for layout, and that it is still launched. It is not known
/// whether variants of a program with an odd literal are smaller.
fn check_variant(pass: &Pass, program: &Measured, is_odd: bool, variant: TestCase) {
    let case = &program.case;
    let name = pass.name;
    let shown = || String::from_utf8_lossy(&case.files()[0].bytes).into_owned();
    // With what stands before it gone, a comment may come to say how many work-items there are: then the variant is not
    // smaller, and the engine does not test it.
    let launched = |case: &TestCase| {
        let has_kernels = case.language().has(Feature::Kernels);
        has_kernels && case.files().first().is_some_and(|file| Launch::find(&file.bytes).is_some())
    };
    let is_comparable = launched(case) || !launched(&variant);
    if launched(case) {
        let (before, after) =
            (fixed_launch(case, pass.launch), fixed_launch(&variant, pass.launch));
        assert_eq!(after, before, "{name} edits the launch of {:?}", shown());
    }
    if is_comparable && !is_odd && !pass.layout_only && !pass.may_grow {
        let is_smaller = Measured::new(variant).is_smaller_than(program);
        assert!(is_smaller, "{name} proposes no smaller program for {:?}", shown());
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
    pass: &Pass,
    case: &TestCase,
    snapshot: &Snapshot,
    orphans: &UnusedDeclarations,
    patch: &Patch,
) {
    let followed = orphans.follow(snapshot, patch.clone(), &[]);
    check_patch(pass, &followed, case);
    let again = orphans.follow(snapshot, followed.clone(), &[]);
    assert_eq!(again, followed, "more follows from what followed a patch of {}", pass.name);
    assert!(followed.covers(patch), "what follows replaces a patch of {}", pass.name);
}

/// Returns true if a literal or comment never ends, or holds what the parser does not take for part of one. Then what
/// is removed may decide how everything behind it is read, and the program need not become smaller.
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

/// Accepts everything that makes the program smaller and expects an end; of a pass for layout, that
/// it has nothing to say about its own result.
fn converges(pass: &Pass, mut program: Measured, mut proposals: Vec<Proposal>, language: Language) {
    if pass.layout_only {
        if let [proposal] = proposals.as_slice() {
            let case = program.case.apply(&proposal.patch);
            let again = Proposals::of(pass, &Snapshot::new(case, language)).list;
            assert_eq!(again, [], "{} is not idempotent", pass.name);
        }
        return;
    }
    // Some take one level of many in each round: a star, a pair of braces.
    let rounds = program.size.tokens.max(64);
    for _ in 0..rounds {
        let (mut accepted, mut smallest) = (Patch::default(), program.clone());
        for proposal in proposals {
            if let Some(union) = accepted.union(&proposal.patch) {
                let variant = Measured::new(program.case.apply(&union));
                if variant.is_smaller_than(&smallest) {
                    (accepted, smallest) = (union, variant);
                }
            }
        }
        if accepted.is_empty() {
            return;
        }
        program = smallest;
        proposals = Proposals::of(pass, &Snapshot::new(program.case.clone(), language)).list;
    }
    panic!("{} does not converge in {rounds} rounds", pass.name);
}

/// The result of a pass on `source` when every variant for which `interesting` holds is accepted, one
/// proposal after the other, to a fixpoint. For tests of single passes.
#[must_use]
pub fn reduce_with(
    pass: &Pass,
    source: &str,
    language: Language,
    interesting: impl Fn(&str) -> bool,
) -> String {
    let case = TestCase::single("input", source.as_bytes()).expect("a plain path");
    let case = case.in_language(Some(language));
    let mut program = Measured::new(case);
    let text = |case: &TestCase| {
        String::from_utf8_lossy(case.files().first().map_or(b"", |file| &file.bytes)).into_owned()
    };
    loop {
        let snapshot = original(program.case.clone(), language);
        let (mut accepted, mut smallest) = (Patch::default(), program.clone());
        for proposal in Proposals::of(pass, &snapshot).list {
            let Some(union) = accepted.union(&proposal.patch) else { continue };
            let variant = Measured::new(program.case.apply(&union));
            if variant.is_smaller_than(&smallest) && interesting(&text(&variant.case)) {
                (accepted, smallest) = (union, variant);
            }
        }
        if accepted.is_empty() {
            return text(&program.case);
        }
        program = smallest;
    }
}

/// Asserts what a pass alone makes of a program when a variant is interesting as long as it has all
/// of `keep` in it. Layout and comments do not count, neither in what is kept nor in the result.
///
/// # Panics
/// When something else is left than `after`.
pub fn assert_reduces(pass: &Pass, language: Language, before: &str, keep: &[&str], after: &str) {
    let keep: Vec<String> = keep.iter().map(|needle| spelled(needle).trim().to_owned()).collect();
    let left = reduce_with(pass, before, language, |text| {
        let text = spelled(text);
        keep.iter().all(|needle| text.contains(needle))
    });
    assert_eq!(spelled(&left), spelled(after), "what {} leaves of {before:?}", pass.name);
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
