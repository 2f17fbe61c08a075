//! Families of programs that are very deep or very wide, on which the work of passes is measured.

mod languages;
mod nests;
mod wide;

use clreduce_testcase::Language;

/// A family of programs, one for each number of parts.
pub struct Shape {
    pub name: &'static str,
    pub language: Language,
    /// The program with a given number of parts.
    pub program: Box<dyn Fn(usize) -> String + Sync>,
}

/// A nest: `open` and `close` as often as there are parts, around `middle`, in a function.
fn nest(
    name: &'static str,
    open: &'static str,
    middle: &'static str,
    close: &'static str,
) -> Shape {
    shape(name, Language::C, move |parts| {
        let (open, close) = (open.repeat(parts), close.repeat(parts));
        format!("int a, b, f(int); void g(void) {{ int c; {open}{middle}{close} }}")
    })
}

/// As many copies of `part` as there are parts, with `@` replaced by the number of each.
fn wide(
    name: &'static str,
    before: &'static str,
    part: &'static str,
    after: &'static str,
) -> Shape {
    wide_in(Language::C, name, before, part, after)
}

fn wide_in(
    language: Language,
    name: &'static str,
    before: &'static str,
    part: &'static str,
    after: &'static str,
) -> Shape {
    shape(name, language, move |parts| {
        let copies = copies(part, parts);
        format!("{before}{copies}{after}")
    })
}

fn copies(part: &str, parts: usize) -> String {
    (0..parts).map(|index| part.replace('@', &index.to_string())).collect()
}

fn shape(
    name: &'static str,
    language: Language,
    program: impl Fn(usize) -> String + Sync + 'static,
) -> Shape {
    Shape { name, language, program: Box::new(program) }
}

/// Programs that are `first` of all parts, then `second` of all parts.
fn two(language: Language, name: &'static str, texts: [&'static str; 5]) -> Shape {
    shape(name, language, move |parts| {
        let [before, first, between, second, after] = texts;
        format!("{before}{}{between}{}{after}", copies(first, parts), copies(second, parts))
    })
}

/// Programs that are very deep.
pub fn nests() -> Vec<Shape> {
    languages::nests().into_iter().chain(nests::nests()).collect()
}

/// Programs that are very wide.
pub fn wide_shapes() -> Vec<Shape> {
    languages::wide().into_iter().chain(wide::wide_shapes()).collect()
}
