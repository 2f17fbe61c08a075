//! Writes the enumerations `NodeKind` and `NodeField`, one variant for each name in `grammar/kinds.txt`.
//!
//! That list holds what the grammars of tree-sitter say about themselves in `node-types.json`; a test of
//! this crate compares the two. The list lies here so that the grammars, 35 MB of C, need not be compiled a
//! second time for this script.

use std::fmt::Write;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=grammar/kinds.txt");
    let list =
        fs::read_to_string("grammar/kinds.txt").expect("grammar/kinds.txt lies in the crate");
    let of = |what: &str| -> Vec<(String, String)> {
        let lines = list.lines().filter_map(|line| line.strip_prefix(what)?.strip_prefix(' '));
        let mut names: Vec<(String, String)> = lines
            .map(|name| name.replace("\\n", "\n"))
            .map(|name| (variant(what, &name), name))
            .collect();
        names.sort_by(|a, b| a.1.cmp(&b.1));
        names
    };
    let mut kinds = [of("named"), of("token")].concat();
    kinds.push(("Error".to_owned(), "ERROR".to_owned()));
    kinds.sort_by(|a, b| a.1.cmp(&b.1));
    let mut out =
        enumeration("NodeKind", "The kind of a node, named as the grammar names it.", &kinds);
    for (method, about, belongs) in FAMILIES {
        let members: Vec<&str> = kinds
            .iter()
            .filter(|(_, name)| belongs(name))
            .map(|(variant, _)| variant.as_str())
            .collect();
        let patterns = members.iter().map(|variant| format!("Self::{variant}"));
        let patterns = patterns.collect::<Vec<_>>().join(" | ");
        writeln!(
            out,
            "impl NodeKind {{\n/// {about}\n#[must_use]\npub const fn {method}(self) -> bool {{ \
             matches!(self, {patterns}) }}\n}}"
        )
        .expect("a string takes any text");
    }
    out += &enumeration("NodeField", "The part that a node plays in its parent.", &of("field"));
    let folder = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(format!("{folder}/kinds.rs"), out).expect("OUT_DIR can be written");
}

/// A method of `NodeKind`, its documentation, and the names of the kinds for which it holds.
type Family = (&'static str, &'static str, fn(&str) -> bool);

/// Families of kinds that share a part of their names. The grammars call by these names what belongs together.
const FAMILIES: [Family; 10] = [
    ("is_statement", "Returns whether it is a statement, but for declarations.", |name| {
        name.ends_with("_statement")
    }),
    ("is_expression_form", "Returns whether it is an expression that is made of others.", |name| {
        name.ends_with("_expression")
    }),
    ("is_literal", "Returns whether it is a number, a character or a text.", |name| {
        name.ends_with("_literal")
    }),
    ("is_declarator", "Returns whether it is what surrounds a declared name.", |name| {
        name.ends_with("_declarator")
    }),
    (
        "is_array_declarator",
        "Returns whether it is an array around a declared name, or around none.",
        |name| name.ends_with("array_declarator"),
    ),
    ("is_declaration", "Returns whether it is a declaration.", |name| {
        name.ends_with("declaration")
    }),
    ("is_list", "Returns whether it is a list of parts in delimiters.", |name| {
        name.ends_with("_list")
    }),
    (
        "is_preprocessing",
        "Returns whether it is a directive of the preprocessor or a part of one.",
        |name| name.starts_with("preproc_"),
    ),
    ("is_attribute", "Returns whether it is an attribute, or code with attributes.", |name| {
        name.starts_with("attribute")
    }),
    (
        "is_microsoft",
        "Returns whether it is something that only compilers of Microsoft know.",
        |name| name.starts_with("ms_"),
    ),
];

fn enumeration(name: &str, about: &str, variants: &[(String, String)]) -> String {
    for pair in sorted(variants).windows(2) {
        assert_ne!(pair[0].0, pair[1].0, "two names make one variant: tell them apart in build.rs");
    }
    let mut out = format!(
        "/// {about}\n#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]\n#[repr(u16)]\n\
         pub enum {name} {{\n"
    );
    for (variant, text) in variants {
        writeln!(out, "#[doc = {:?}]\n{variant},", format!("`` {} ``", text.escape_default()))
            .expect("a string takes any text");
    }
    write!(
        out,
        "}}\nimpl {name} {{\n/// Every variant, in the order of their names.\n\
         pub const ALL: [Self; {}] = [",
        variants.len()
    )
    .expect("a string takes any text");
    variants.iter().for_each(|(variant, _)| out += &format!("Self::{variant},"));
    out += "];\nconst NAMES: [&'static str; Self::ALL.len()] = [";
    variants.iter().for_each(|(_, text)| out += &format!("{text:?},"));
    out += "];\n/// The grammar's name for it.\n#[must_use]\npub const fn name(self) -> &'static str { \
            Self::NAMES[self as usize] }\n";
    out += "/// What the grammar calls so.\n#[must_use]\npub fn named(name: &str) -> Option<Self> { \
            let at = Self::NAMES.binary_search(&name).ok()?; Some(Self::ALL[at]) }\n}\n";
    out
}

fn sorted(variants: &[(String, String)]) -> Vec<&(String, String)> {
    let mut sorted: Vec<_> = variants.iter().collect();
    sorted.sort();
    sorted
}

/// `CallExpression` for `call_expression`, `IfKeyword` for `if`, `PlusEqual` for `+=`.
fn variant(what: &str, name: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if what != "token" {
        return pascal(name);
    }
    if name.chars().all(is_word) {
        return keyword(name);
    }
    let known = TOKENS.iter().find(|(token, _)| *token == name);
    if let Some((_, variant)) = known {
        return (*variant).to_owned();
    }
    let mut out = String::new();
    for part in split_words(name) {
        out += &match part {
            "L" => "Wide".to_owned(),
            "R" => "Raw".to_owned(),
            "U" => "Utf32".to_owned(),
            "u" => "Utf16".to_owned(),
            "u8" => "Utf8".to_owned(),
            "LR" => "WideRaw".to_owned(),
            "UR" => "Utf32Raw".to_owned(),
            "uR" => "Utf16Raw".to_owned(),
            "u8R" => "Utf8Raw".to_owned(),
            word if word.chars().all(is_word) => pascal(word),
            other => character(other).to_owned(),
        };
    }
    out
}

/// Underscores that set a keyword apart from others of the same letters are spelled.
fn keyword(name: &str) -> String {
    let word = name.trim_matches('_');
    let before = match (name.len() - name.trim_start_matches('_').len(), name.ends_with('_')) {
        (0, _) => "",
        (_, true) => "Dunder",
        (1, false) if word.starts_with(|c: char| c.is_ascii_uppercase()) => "Reserved",
        (1, false) => "Underscore",
        (_, false) => "DoubleUnderscore",
    };
    format!("{before}{}Keyword", pascal(&word.to_ascii_lowercase()))
}

fn pascal(name: &str) -> String {
    let words = name.split('_').filter(|word| !word.is_empty());
    words.map(|word| format!("{}{}", word[..1].to_ascii_uppercase(), &word[1..])).collect()
}

/// Words whole, everything else by characters.
fn split_words(name: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let word = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (part, after) = rest.split_at(word.max(1));
        parts.push(part);
        rest = after;
    }
    parts
}

/// Tokens with a name of their own.
const TOKENS: [(&str, &str); 8] = [
    ("->", "Arrow"),
    ("->*", "ArrowStar"),
    ("...", "Ellipsis"),
    ("::", "ColonColon"),
    ("++", "Increment"),
    ("--", "Decrement"),
    ("<=>", "Spaceship"),
    ("\n", "Newline"),
];

fn character(text: &str) -> &'static str {
    match text {
        "!" => "Not",
        "\"" => "Quote",
        "#" => "Hash",
        "%" => "Percent",
        "&" => "Ampersand",
        "'" => "Apostrophe",
        "(" => "LeftParenthesis",
        ")" => "RightParenthesis",
        "*" => "Star",
        "+" => "Plus",
        "," => "Comma",
        "-" => "Minus",
        "." => "Dot",
        "/" => "Slash",
        ":" => "Colon",
        ";" => "Semicolon",
        "<" => "Less",
        "=" => "Equal",
        ">" => "Greater",
        "?" => "Question",
        "[" => "LeftBracket",
        "]" => "RightBracket",
        "^" => "Caret",
        "{" => "LeftBrace",
        "|" => "Pipe",
        "}" => "RightBrace",
        "~" => "Tilde",
        other => panic!("the grammar has a new character {other:?}: give it a name in build.rs"),
    }
}
