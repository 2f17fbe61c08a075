//! A deep nest costs some tens of tests, and not one for each of its levels.

use std::collections::HashSet;

use clreduce_candidates::{CandidateSource, Next};
use clreduce_reducer::{Reducer, ReducerPlan};
use clreduce_testcase::{ContentHash, Language, TestCase, count_steps};

/// The text that opens a level, the text inside, and the text that closes a level.
const NESTS: [[&str; 3]; 20] = [
    ["{", "needle;", "}"],
    ["{\n", "needle\n", "}\n"],
    ["(", "needle", ")"],
    ["[", "needle", "]"],
    ["({", "needle;", ";})"],
    ["f(", "needle", ")"],
    ["a[", "needle", "]"],
    ["if (a) ", "needle;", ""],
    ["if (a) { b;\n", "needle;", "}\n"],
    ["if (a) { ", "needle;", "} else c;"],
    ["if (a) b; else ", "needle;", ""],
    ["while (a) {", "needle;", "}"],
    ["switch (a) { case 1: ", "needle;", "}"],
    ["- ", "needle", ""],
    ["a + ", "needle", ""],
    ["a ? b : ", "needle", ""],
    ["\n#if A\n", "needle;", "\n#endif\n"],
    ["\n#ifdef A\nint x;\n", "needle;", "\n#else\nint y;\n#endif\n"],
    ["(", "needle", ""],
    ["", "needle", "}"],
];

/// A nest alone, as text and as a program, and in a program.
fn places(open: &str, inside: &str, close: &str, depth: usize) -> [(Language, String); 4] {
    let nest = format!("{}{inside}{}", open.repeat(depth), close.repeat(depth));
    [
        (Language::TEXT, nest.clone()),
        (Language::C, format!("int a; void f(void) {{ {nest}; }}")),
        (Language::C, format!("int a; int x = {nest};")),
        (Language::C, nest),
    ]
}

/// The number of tests, and what is left.
fn reduce(source: &str, language: Language, interesting: impl Fn(&str) -> bool) -> (usize, String) {
    let text = |case: &TestCase| {
        let bytes = case.files().first().map(|file| file.bytes.to_vec());
        String::from_utf8(bytes.unwrap_or_default()).unwrap()
    };
    let case = TestCase::single("input", source.as_bytes()).unwrap();
    let mut reducer = Reducer::new(case, ReducerPlan::new(language));
    let mut tested: HashSet<ContentHash> = HashSet::new();
    while let Next::Candidate(candidate) = reducer.next() {
        tested.insert(candidate.hash);
        reducer.take_verdict(interesting(&text(&candidate.variant)));
    }
    (tested.len(), text(reducer.current()))
}

#[test]
fn a_nest_that_is_not_needed_costs_tens_of_tests() {
    for [open, inside, close] in NESTS {
        for (language, source) in places(open, inside, close, 2000) {
            let (tests, left) = reduce(&source, language, |text| text.contains("needle"));
            let what = format!("{language:?} {}", &source[..30]);
            assert!(tests <= 60, "{what}: {tests} tests");
            assert_eq!(left.trim(), "needle", "{what}");
        }
    }
}

#[test]
fn a_nest_that_has_to_be_deep_costs_no_more_the_deeper_it_is() {
    for [open, inside, close] in
        NESTS.into_iter().filter(|nest| nest.iter().all(|part| !part.is_empty()))
    {
        let [small, large] = [500, 2000].map(|depth| {
            let [.., (language, source)] = places(open, inside, close, depth);
            let is_deep = |text: &str, part: &str| text.matches(part.trim()).count() > depth / 2;
            let (tests, left) = reduce(&source, language, |text| {
                text.contains("needle") && is_deep(text, open) && is_deep(text, close)
            });
            assert!(left.matches(open.trim()).count() < depth / 2 + depth / 8, "{open}");
            tests
        });
        assert!(large < small * 3 / 2, "{open}: {small} tests, then {large}");
    }
}

#[test]
fn many_lines_of_closing_brackets_cost_work_in_proportion() {
    for close in ["}", "}\n"] {
        let work = |lines: usize| {
            let source = format!("int needle;\n{}", close.repeat(lines));
            let has_needle = |text: &str| text.contains("needle");
            let ((tests, left), steps) = count_steps(|| reduce(&source, Language::C, has_needle));
            assert!(tests <= 80 && left.trim() == "needle", "{tests} tests, left: {left}");
            steps
        };
        let (small, large) = (work(2000), work(4000));
        assert!(2 * large <= 5 * small, "{close:?}: {small} steps, then {large}");
    }
}
