//! Protected text, names and text from headers stay as they are, whatever pass is at work.
//!
//! Each pass reduces its own fixture with arbitrary verdicts, or proposes changes to parts of any fixture.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use clreduce_candidates::{CandidateSource, Next};
use clreduce_passes::harness::Fixture;
use clreduce_passes::{Proposals, Row, Snapshot, TABLE};
use clreduce_testcase::{Language, Patch, Run, TestCase, TokenKind, tokens};
use proptest::prelude::*;
use proptest::sample::Index;
use regex::bytes::Regex;

use crate::headers::Headers;
use crate::{PassChoice, Protected, Reducer, ReducerPlan};

/// The name that a stub gives to the value that it returns; it takes the place of no name.
const STUB: &[u8] = b"r";

/// Longest conversation.
const MOST_STEPS: usize = 60;

/// A pass of the table with the text and language of its fixture.
fn fixture(row: &Row) -> (String, Language) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../passes/fixtures");
    let read = |ending: &str| fs::read_to_string(folder.join(row.pass.name).with_extension(ending));
    let languages = [
        ("c", Language::C),
        ("cl", Language::OPENCL),
        ("cpp", Language::CPP),
        ("cu", Language::CUDA),
    ];
    let found = languages
        .into_iter()
        .find_map(|(ending, of)| Some((Fixture::parse(&read(ending).ok()?).program, of)));
    // Passes over several files do little with one, but that little is to be respected as well.
    found.unwrap_or_else(|| ("#include \"x.h\"\nint x;\n".to_owned(), Language::C))
}

/// Reduces with one pass alone; `check` sees each candidate and the state that it was proposed in.
fn converse(
    row: &'static Row,
    source: &str,
    language: Language,
    protected: Protected,
    verdicts: u64,
    mut check: impl FnMut(&Reducer, &TestCase),
) {
    let case = TestCase::single("input.c", source.as_bytes()).unwrap();
    let passes = PassChoice { only: vec![row.pass.name.to_owned()], ..PassChoice::default() };
    let mut reducer =
        Reducer::new(case, ReducerPlan { passes, protected, ..ReducerPlan::new(language) });
    for step in 0..MOST_STEPS {
        let Next::Candidate(candidate) = reducer.next() else { return };
        check(&reducer, &candidate.variant);
        reducer.take_verdict(verdicts >> (step % 64) & 1 == 1);
    }
}

fn count(text: &[u8], needle: &[u8]) -> usize {
    text.windows(needle.len()).filter(|window| *window == needle).count()
}

fn words(source: &[u8]) -> BTreeSet<&[u8]> {
    let words = tokens(source).filter(|token| token.kind == TokenKind::Word);
    words.map(|token| &source[token.range()]).collect()
}

/// Returns true if a word is part of the languages rather than a name that a program gives.
fn is_built_in(word: &[u8]) -> bool {
    const WORDS: [&[u8]; 15] = [
        b"int",
        b"void",
        b"char",
        b"short",
        b"long",
        b"float",
        b"return",
        b"static",
        b"inline",
        b"unsigned",
        b"class",
        b"struct",
        b"enum",
        b"auto",
        b"true",
    ];
    let bare = word.strip_prefix(b"convert_").unwrap_or(word);
    let digits = bare.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |last| last + 1);
    let (stem, components) =
        (&bare[..digits], bare.iter().all(|byte| b"xyzws0123456789abcdef".contains(byte)));
    WORDS.contains(&stem) || WORDS.contains(&stem.strip_prefix(b"u").unwrap_or(stem)) || components
}

/// The names that symbols of the program have.
fn declared_names(base: &Snapshot) -> BTreeSet<Vec<u8>> {
    let (bytes, tree, symbols) = (base.bytes(0), base.tree(0), base.symbols(0));
    let names = symbols.ids().flat_map(|id| &symbols.get(id).declarations);
    names.map(|&name| bytes[tree.range(name)].to_vec()).collect()
}

/// Where a variant has exactly one word between two texts that it keeps, and the program had exactly one other there:
/// both.
fn exchanged(base: &Snapshot, patch: &Patch) -> Vec<(Vec<u8>, Vec<u8>)> {
    let (variant, kept) = base.case().apply_and_track(patch);
    let Some(runs) = kept.first().and_then(|kept| kept.runs.as_ref()) else { return Vec::new() };
    let (old, new) = (base.bytes(0), &variant.files()[0].bytes);
    let (mut old_at, mut new_at) = (0, 0);
    let mut found = Vec::new();
    let end = Run { old: old.len(), new: new.len(), length: 0 };
    for run in runs.iter().chain([&end]) {
        let word = |text: &[u8]| {
            let all: Vec<_> = tokens(text).collect();
            match &all[..] {
                [token] if token.kind == TokenKind::Word => Some(text[token.range()].to_vec()),
                _ => None,
            }
        };
        found.extend(word(&old[old_at..run.old]).zip(word(&new[new_at..run.new])));
        (old_at, new_at) = (run.old + run.length, run.new + run.length);
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn protected_text_stays(row: Index, first: Index, length in 1..4_usize, verdicts: u64) {
        let row = row.get(TABLE);
        let (source, language) = fixture(row);
        let tokens: Vec<_> = tokens(source.as_bytes()).collect();
        let first = first.index(tokens.len());
        let last = (first + length).min(tokens.len()) - 1;
        let kept = &source[tokens[first].start as usize..tokens[last].end as usize];
        let text = vec![Regex::new(&regex::escape(kept)).unwrap()];
        let times = text[0].find_iter(source.as_bytes()).count();
        // A protected text whose layout changes is one that is still there.
        let dense = |text: &[u8]| -> Vec<u8> {
            text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect()
        };
        let kept = dense(kept.as_bytes());
        converse(row, &source, language, Protected { names: false, text }, verdicts, |_, variant| {
            let left = variant.files().first().map_or(0, |file| count(&dense(&file.bytes), &kept));
            assert!(left >= times, "{} edits {:?}", row.pass.name, String::from_utf8_lossy(&kept));
        });
    }

    #[test]
    fn names_stay(row: Index, verdicts: u64) {
        let row = row.get(TABLE);
        let protected = Protected { names: true, text: Vec::new() };
        if protected.allows(row) {
            let (source, language) = fixture(row);
            let known = words(source.as_bytes());
            converse(row, &source, language, protected, verdicts, |_, variant| {
                let text = variant.files().first().map_or(&b""[..], |file| &file.bytes);
                for word in words(text) {
                    let name = String::from_utf8_lossy(word);
                    // A member that becomes a variable keeps the names of both.
                    let is_kept = word.split(|&byte| byte == b'_').all(|part| known.contains(part));
                    let is_known =
                        known.contains(word) || is_kept || is_built_in(word) || word == STUB;
                    assert!(is_known, "{}: {name}", row.pass.name);
                }
            });
        }
    }

    /// Not by the filter's own rule: what a variant has in the place of one declared name is not another one.
    #[test]
    fn no_pass_puts_one_name_in_the_place_of_another(
        row: Index, program: Index, cut: Index, length in 0..40_usize,
    ) {
        let row = row.get(TABLE);
        let (source, language) = fixture(program.get(TABLE));
        let tokens: Vec<_> = tokens(source.as_bytes()).collect();
        let first = cut.index(tokens.len());
        let last = (first + length).min(tokens.len() - 1);
        let source = [&source[..tokens[first].start as usize], &source[tokens[last].start as usize..]];
        let case = TestCase::single("input.c", source.concat().into_bytes()).unwrap();
        let base = Snapshot::new(case, language);
        let protected = Protected { names: true, text: Vec::new() };
        let declared = declared_names(&base);
        for proposal in protected.filter(&base, Proposals::of(row.pass, &base).list) {
            for (old, new) in exchanged(&base, &proposal.patch) {
                let is_renamed = old != new && declared.contains(&old) && declared.contains(&new);
                prop_assert!(
                    !is_renamed,
                    "{} puts {} in the place of {} in\n{}",
                    row.pass.name,
                    String::from_utf8_lossy(&new),
                    String::from_utf8_lossy(&old),
                    String::from_utf8_lossy(base.bytes(0)),
                );
            }
        }
    }

    #[test]
    fn headers_are_not_rewritten(row: Index, first: Index, last: Index, verdicts: u64) {
        let row = row.get(TABLE);
        let (source, language) = fixture(row);
        let lines: Vec<&str> = source.split_inclusive('\n').collect();
        let (a, b) = (first.index(lines.len()), last.index(lines.len()));
        let (first, last) = (a.min(b), a.max(b) + 1);
        let header = lines[first..last].concat();
        let source = format!(
            "# 1 \"input.c\"\n{}\n# 1 \"x.h\" 1\n{header}\n# 2 \"input.c\" 2\n{}",
            lines[..first].concat(), lines[last..].concat()
        );
        let case = TestCase::single("input.c", source.as_bytes()).unwrap();
        // Some fixtures have headers of their own.
        let header = String::from_utf8(Headers::of(&case, Language::C).text(&case)).unwrap();
        converse(row, &source, language, Protected::default(), verdicts, |reducer, _| {
            let left = reducer.headers_now().text(reducer.current());
            let left = String::from_utf8_lossy(&left);
            let dense: String = left.split_whitespace().collect();
            // Of an initialiser list that lost all its elements there is this left.
            let dense = dense.replace("{0}", "{}");
            let mut rest = header.chars();
            for letter in dense.chars() {
                let is_left = rest.any(|other| other == letter);
                assert!(is_left, "{} makes {left:?} of the header {header:?}", row.pass.name);
            }
        });
    }
}
