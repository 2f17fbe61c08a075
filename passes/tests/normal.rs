//! The normal form of a normal form is the same text, whatever the program is, and renaming keeps every token apart.

use clreduce_passes::normalized;
use clreduce_testcase::{Language, TokenKind, tokens};
use proptest::prelude::*;

const LANGUAGES: [Language; 4] = [Language::OPENCL, Language::CUDA, Language::C, Language::CPP];

fn check(source: &[u8], language: Language) {
    let once = normalized(source, language).unwrap();
    let twice = normalized(&once, language).unwrap();
    let show = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
    assert_eq!(show(&twice), show(&once), "{language:?}: {}", show(source));
}

/// Declarations, statements and expressions that make a program in most orders, names that mean several things among them.
fn part() -> impl Strategy<Value = String> {
    let name =
        prop::sample::select(vec!["a", "x", "step", "first", "A", "entry", "max", "Ta", "s0"]);
    (name.clone(), name, 0..14).prop_map(|(one, two, kind)| match kind {
        0 => format!("int {one};"),
        1 => format!("int {one}(int {two}) {{ return {two}; }}"),
        2 => format!("struct {one} {{ int {two}; float4 v; }};"),
        3 => format!("kernel void {one}(global float *{two}) {{ {two}[0] = {two}[1].x; }}"),
        4 => format!("typedef float {one};"),
        5 => format!("void f(void) {{ {one}: {two}(1); goto {one}; }}"),
        6 => format!("enum {{ {one}, E }};"),
        7 => format!("/* {one} */ // {two}\n"),
        8 => format!("\n#define {one} {two}\n"),
        9 => format!("{one} = {two}.{one};"),
        10 => "{".to_owned(),
        11 => "}".to_owned(),
        12 => format!("float {one} = step(max({two}, 1), 2);"),
        _ => format!("struct {one} {two}, *p = &{two};"),
    })
}

proptest! {
    #[test]
    fn programs(parts in prop::collection::vec(part(), 0..12), language in 0..4_usize) {
        check(parts.join(" ").as_bytes(), LANGUAGES[language]);
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200), language in 0..4_usize) {
        check(&bytes, LANGUAGES[language]);
    }

    /// Two names are equal afterwards if and only if they were: within a program without errors and macros.
    #[test]
    fn renaming_is_one_to_one(parts in prop::collection::vec(part(), 0..8)) {
        let parts = parts.into_iter().filter(|part| !part.contains(['#', '/', '{', '}'])  || part.ends_with('}') && part.len() > 1);
        let source: String = parts.collect();
        let after = normalized(source.as_bytes(), Language::C).unwrap();
        let words = |text: &[u8]| -> Vec<Vec<u8>> {
            tokens(text).filter(|one| one.kind == TokenKind::Word).map(|one| text[one.range()].to_vec()).collect()
        };
        let (old, new) = (words(source.as_bytes()), words(&after));
        prop_assert_eq!(old.len(), new.len());
        for (one, other) in new.iter().zip(&old) {
            for (same, before) in new.iter().zip(&old) {
                // A name may be a member's and another thing's, which get two names.
                prop_assert!(one != same || other == before, "{} {}", source, String::from_utf8_lossy(&after));
            }
        }
    }
}
