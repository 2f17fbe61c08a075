//! The canonical form of a program, which does not depend on the names that its author chose or on its layout.

use std::collections::{BTreeMap, BTreeSet};

use clreduce_language::{NodeKind, Number};
use clreduce_passes::{Snapshot, SymbolKind};
use clreduce_testcase::{ContentHash, TestCase, TokenKind};

/// The tokens of a test case, with canonical names.
pub(crate) struct Canonical {
    tokens: Vec<CanonicalToken>,
}

struct CanonicalToken {
    /// The token, or the number of its name.
    text: String,
    /// The token, or one word for all names, one for all numbers and one for all texts.
    shape: String,
}

impl Canonical {
    /// Numbers the names that the test case declares, in the order of first occurrence. Functions without a definition
    /// keep their names, because `sin` is not `cos`.
    pub(crate) fn of(case: &TestCase) -> Self {
        let snapshot = Snapshot::new(case.clone(), case.language());
        let declared = declared(&snapshot);
        let mut names = BTreeMap::<&[u8], usize>::new();
        let mut tokens = Vec::new();
        for file in 0..snapshot.file_count() {
            // A single file is called after its case.
            if snapshot.file_count() > 1 {
                let path = case.files()[file].path.to_string();
                tokens.push(CanonicalToken { shape: path.clone(), text: path });
            }
            for token in snapshot.tokens(file) {
                let bytes = &snapshot.bytes(file)[token.range()];
                let spelled = || String::from_utf8_lossy(bytes).into_owned();
                let (text, shape) = match token.kind {
                    TokenKind::Word if declared.contains(bytes) => {
                        let next = names.len();
                        let number = names.entry(bytes).or_insert(next);
                        (format!("name {number}"), "a name".to_owned())
                    }
                    TokenKind::Number => (spelled(), "a number".to_owned()),
                    TokenKind::String | TokenKind::Char => (spelled(), "a text".to_owned()),
                    TokenKind::Word | TokenKind::Punctuation => (spelled(), spelled()),
                };
                tokens.push(CanonicalToken { text, shape });
            }
        }
        Self { tokens }
    }

    /// A hash that programs share if they differ only in names and layout.
    pub(crate) fn fingerprint(&self) -> ContentHash {
        let bytes = self.tokens.iter().flat_map(|token| token.text.bytes().chain([0]));
        ContentHash::of(&bytes.collect::<Vec<u8>>())
    }

    /// A hash that programs share if they differ only in names, layout, the names of types of numbers, and the values of
    /// literals.
    pub(crate) fn outline(&self) -> ContentHash {
        let word = |token: &'_ CanonicalToken| {
            if token.shape == "a number" || token.shape == "a text" {
                return token.shape.clone();
            }
            outline_of_word(&token.text)
        };
        let mut words: Vec<String> =
            self.tokens.iter().map(word).filter(|word| !word.is_empty()).collect();
        // `long long` is one type.
        words.dedup_by(|one, other| one == other && one.starts_with(TYPE));
        ContentHash::of(words.join("\0").as_bytes())
    }

    /// Number of tokens.
    pub(crate) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// The tokens, with one word for all names, numbers and texts.
    pub(crate) fn shapes(&self) -> impl Iterator<Item = &str> {
        self.tokens.iter().map(|token| token.shape.as_str())
    }
}

/// The word for a type of numbers in an outline.
const TYPE: &str = "a type";

/// A word without the type in it: `int3` and `uchar3` have three numbers, `convert_int3` converts. What qualifies a type is
/// nothing.
fn outline_of_word(word: &str) -> String {
    if matches!(word, "signed" | "unsigned") {
        return String::new();
    }
    // Like `uint32_t`.
    let sized =
        word.strip_suffix("_t").map(|word| word.trim_end_matches(|c: char| c.is_ascii_digit()));
    match Number::built_in(word).or_else(|| Number::built_in(sized?)) {
        Some(Number { lanes: 1, .. }) => return TYPE.to_owned(),
        Some(Number { lanes, .. }) => return format!("{TYPE} of {lanes}"),
        None => {}
    }
    let conversion = ["convert_", "as_"].into_iter().find(|start| word.starts_with(start));
    conversion.map_or_else(|| word.to_owned(), str::to_owned)
}

fn declared(snapshot: &Snapshot) -> BTreeSet<&[u8]> {
    let mut declared = BTreeSet::new();
    for file in 0..snapshot.file_count() {
        let (tree, symbols) = (snapshot.tree(file), snapshot.symbols(file));
        let text = |id| &snapshot.bytes(file)[tree.range(id)];
        for symbol in symbols.ids().map(|id| symbols.get(id)) {
            if symbol.kind != SymbolKind::Function || symbol.is_defined(tree) {
                declared.extend(symbol.declarations.iter().map(|id| text(*id)));
            }
        }
        let fields = tree.ids().filter(|id| {
            tree.kind(*id) == NodeKind::FieldIdentifier
                && tree.kind(tree.node(*id).parent) != NodeKind::FieldExpression
        });
        declared.extend(fields.map(text));
    }
    declared
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint(text: &str) -> ContentHash {
        let case = TestCase::single("a.c", text.as_bytes()).unwrap();
        Canonical::of(&case).fingerprint()
    }

    #[test]
    fn names_and_layout_do_not_matter() {
        let same = [
            "struct s { int f : 3; } v; int main(void) { v.f = 1; goto out; out: return sin(v.f); }",
            "struct t { int g : 3; }\nx;\nint fn(void) { x.g = 1; goto l; l: return sin(x.g); } // ?",
        ];
        assert_eq!(fingerprint(same[0]), fingerprint(same[1]));
        for other in [same[0].replace("sin", "cos"), same[0].replace('3', "4")] {
            assert_ne!(fingerprint(same[0]), fingerprint(&other), "{other}");
        }
        assert_ne!(fingerprint("int a, b; int c = a;"), fingerprint("int a, b; int c = b;"));
        assert_ne!(fingerprint("int sin(int); int c;"), fingerprint("int cos(int); int c;"));
    }

    #[test]
    fn outlines_have_no_types_and_values() {
        let outline = |text: &str| {
            let case = TestCase::single("a.cl", text.as_bytes()).unwrap();
            Canonical::of(&case).outline()
        };
        let struct_of = |vector: &str, other: &str, value: &str| {
            format!(
                "kernel void k(global {other} *a) {{ struct {{ {vector} b; {other} c; }} d = {{ {value} }}; \
                 *a = convert_{other}(d.c); }}"
            )
        };
        let first = outline(&struct_of("int3", "int", "1, 1"));
        assert_eq!(first, outline(&struct_of("uchar3", "ulong", "(-7), 2").replace("(-7)", "7")));
        assert_ne!(first, outline(&struct_of("int3", "int", "1, 1, 1")));
        assert_ne!(
            outline("int f() { return min(1, 2); }"),
            outline("int f() { return max(1, 2); }")
        );
        for same in ["unsigned int x = 1;", "long long int x = 3;", "uint8_t x = 4;"] {
            assert_eq!(outline(same), outline("int x = 2u;"), "{same}");
        }
    }
}
