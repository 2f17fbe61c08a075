//! A language that nothing but its description knows: a small Lisp. What stands here and in the fixture beside it is all
//! that a language without passes of its own needs.

use clreduce_passes::harness::{Fixture, check_each, reduce_with};
use clreduce_passes::{Pass, Row, TABLE};
use clreduce_testcase::{
    Description, Feature, FileEnding, Language, LexicalRules, Quoting, Size, TestCase,
};

static RULES: LexicalRules = LexicalRules {
    comments: &[(";", "\n"), ("#|", "|#")],
    nesting: None,
    strings: &[Quoting::new("\"", &[""])],
    characters: &[],
    in_words: "-+*/<>=!?_",
};

static DESCRIPTION: Description = Description {
    name: "lisp",
    endings: &[FileEnding::Always("lisp")],
    look: None,
    lexer: &RULES,
    grammar: None,
    features: &[Feature::Comments],
};

const LISP: Language = Language::described(&DESCRIPTION);

#[test]
fn generic_passes_run_on_it() {
    let rows: Vec<&Row> = TABLE.iter().filter(|row| row.applies_to(LISP)).collect();
    let names: Vec<&str> = rows.iter().map(|row| row.pass.name).collect();
    for name in ["comments", "nesting", "lines", "balanced", "literals", "token-windows", "format"]
    {
        assert!(names.contains(&name), "{name} leaves {LISP} out");
    }
    let fixture = Fixture::parse(include_str!("program.lisp"));
    let passes: Vec<&Pass> = rows.iter().map(|row| row.pass).collect();
    check_each(&passes, fixture.program.as_bytes(), LISP);

    let tokens = |text: &str| {
        let case = TestCase::single("a.lisp", text.as_bytes()).unwrap().in_language(Some(LISP));
        Size::of(&case).tokens
    };
    // What is kept is compared as Lisp reads it.
    let spelled = |text: &str| {
        RULES
            .tokens(text.as_bytes())
            .map(|token| &text[token.range()])
            .collect::<Vec<_>>()
            .join(" ")
    };
    let keep: Vec<String> = fixture.keep.iter().map(|needle| spelled(needle)).collect();
    let mut left = fixture.program.clone();
    loop {
        let before = left.clone();
        for pass in &passes {
            left = reduce_with(pass, &left, LISP, |text| {
                keep.iter().all(|needle| spelled(text).contains(needle))
            });
        }
        if left == before {
            break;
        }
    }
    let result =
        format!("{} tokens -> {}\n{}", tokens(&fixture.program), tokens(&left), left.trim());
    assert_eq!(Some(result.trim()), fixture.becomes.as_deref().map(str::trim));
}

#[test]
fn comments_and_words_are_read_as_it_says() {
    let words = |text: &'static str| {
        let tokens = RULES.tokens(text.as_bytes());
        tokens.map(|token| &text[token.range()]).collect::<Vec<_>>()
    };
    assert_eq!(
        words("(is-it? 'a) ; '(\n#| ( |# \"\\\"; \" -1"),
        ["(", "is-it?", "'", "a", ")", "\"\\\"; \"", "-1"]
    );
    assert_eq!(words("a #| b"), ["a", "#", "|", "b"]);
}
