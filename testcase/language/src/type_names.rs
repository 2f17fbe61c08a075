//! The names of types that parameters of kernels have: numbers, and structures, enumerations and truth values made of them.
//!
//! Of a structure only what is sure is known: its members are numbers, arrays of them with a literal size, or other such
//! structures. One with anything else in it, such as a pointer or a bit field, has no layout.

use std::collections::HashMap;

use crate::constants::constant;
use crate::layouts::Layout;
use crate::numbers::{Number, Scalar};

/// The types that a program has named so far.
pub(crate) struct TypeNames<'a> {
    numbers: HashMap<&'a str, Number>,
    layouts: HashMap<&'a str, Layout>,
    cuda: bool,
}

impl<'a> TypeNames<'a> {
    pub(crate) fn new(cuda: bool) -> Self {
        Self { numbers: HashMap::new(), layouts: HashMap::new(), cuda }
    }

    /// Reads a definition without its semicolon: `typedef unsigned int u32`, `struct S { int a; }`, `typedef enum { A } E`.
    pub(crate) fn define(&mut self, words: &[&'a str]) {
        let (is_typedef, words) = match words {
            ["typedef", rest @ ..] => (true, rest),
            ["using", name, "=", rest @ ..] => return self.rename(name, rest),
            _ => (false, words),
        };
        let Some(open) = words.iter().position(|word| *word == "{") else {
            if let Some((name, words)) = words.split_last().filter(|_| is_typedef) {
                self.rename(name, words);
            }
            return;
        };
        let Some(close) = words.iter().rposition(|word| *word == "}") else { return };
        let (head, body, after) = (&words[..open], &words[open + 1..close], &words[close + 1..]);
        let Some(layout) = self.of_definition(head, body, after) else { return };
        let is_name = |word: &&str| word.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let fixed = head.iter().position(|word| *word == ":").unwrap_or(head.len());
        let tag = head[..fixed].iter().rev().copied().find(is_name);
        let alias = after.iter().rev().copied().find(is_name).filter(|_| is_typedef);
        for name in tag.into_iter().chain(alias) {
            self.layouts.insert(name, layout.clone());
        }
    }

    fn rename(&mut self, name: &'a str, words: &[&str]) {
        if let Some(number) = self.number(words) {
            self.numbers.insert(name, number);
        } else if let Some(layout) = self.layout(words) {
            self.layouts.insert(name, layout);
        }
    }

    fn of_definition(&self, head: &[&str], body: &[&str], after: &[&str]) -> Option<Layout> {
        if head.first() == Some(&"enum") {
            let fixed = head.iter().position(|word| *word == ":");
            let number = fixed
                .map_or(Some(Number::scalar(Scalar::Int)), |at| self.number(&head[at + 1..]))?;
            return Some(Layout::of_number(number, self.cuda));
        }
        if head.contains(&":") {
            return None;
        }
        let mut layout = Layout::default();
        let is_union = head.first() == Some(&"union");
        for declaration in declarations(body) {
            if declaration.contains(&"virtual") || declaration.contains(&"operator") {
                return None;
            }
            // A member function takes no room.
            if self.cuda && declaration.contains(&"(") && !declaration.contains(&"alignas") {
                continue;
            }
            self.add_members(declaration, is_union, &mut layout)?;
        }
        let attributes = [head, after].concat();
        layout.finish(&attributes)
    }

    /// Adds what one declaration declares, such as `float m[2][2], n`.
    fn add_members(&self, words: &[&str], is_union: bool, layout: &mut Layout) -> Option<()> {
        const UNKNOWN: [&str; 8] = ["*", "&", "<", ":", "{", "(", "static", "="];
        let mut depth = 0_usize;
        for word in words {
            match *word {
                "[" => depth += 1,
                "]" => depth = depth.saturating_sub(1),
                word if depth == 0 && UNKNOWN.contains(&word) => return None,
                _ => {}
            }
        }
        let plain: Vec<&str> =
            words.iter().copied().filter(|word| !["const", "volatile"].contains(word)).collect();
        let mut declarators = plain.split(|word| *word == ",");
        let first = declarators.next()?;
        let end = first.iter().position(|word| *word == "[").unwrap_or(first.len());
        let kind = self.layout_or_number(first.get(..end.checked_sub(1)?)?)?;
        for declarator in std::iter::once(&first[end - 1..]).chain(declarators) {
            let name = declarator.first()?;
            layout.add(name, &kind, elements(declarator.get(1..)?)?, is_union)?;
        }
        Some(())
    }

    fn layout_or_number(&self, words: &[&str]) -> Option<Layout> {
        let number = self.number(words).map(|number| Layout::of_number(number, self.cuda));
        number.or_else(|| self.layout(words))
    }

    /// The layout of a type that is no plain number.
    pub(crate) fn layout(&self, words: &[&str]) -> Option<Layout> {
        match words {
            ["bool" | "_Bool"] => Some(Layout::of_number(Number::scalar(Scalar::Char), self.cuda)),
            ["struct" | "union" | "enum" | "class", name] | [name] => {
                self.layouts.get(name).cloned().or_else(|| {
                    self.number(&[name]).map(|number| Layout::of_number(number, self.cuda))
                })
            }
            _ => None,
        }
    }

    /// The number that a type is.
    pub(crate) fn number(&self, words: &[&str]) -> Option<Number> {
        const SEVERAL: [&str; 6] = ["unsigned", "signed", "char", "short", "int", "long"];
        match words {
            [word] if SEVERAL[..2].contains(word) => Number::named(word),
            ["size_t" | "uint64_t"] if self.cuda => Number::built_in("ulong"),
            ["int64_t" | "ptrdiff_t"] if self.cuda => Number::built_in("long"),
            ["uint32_t"] if self.cuda => Number::built_in("uint"),
            ["int32_t"] if self.cuda => Number::built_in("int"),
            ["uint16_t"] if self.cuda => Number::built_in("ushort"),
            ["int16_t"] if self.cuda => Number::built_in("short"),
            ["uint8_t"] if self.cuda => Number::built_in("uchar"),
            ["int8_t"] if self.cuda => Number::built_in("char"),
            ["__half" | "half"] if self.cuda => Number::built_in("half"),
            // An atomic object is as large as its number.
            ["atomic_flag"] if !self.cuda => Number::built_in("int"),
            [word] => Number::built_in(word)
                .or_else(|| self.numbers.get(word).copied())
                .or_else(|| Number::built_in(word.strip_prefix("atomic_").filter(|_| !self.cuda)?)),
            [] => None,
            _ if words.iter().all(|word| SEVERAL.contains(word)) => Number::named(&words.join(" ")),
            _ => None,
        }
    }
}

/// The declarations in the braces of a structure, without access specifiers and semicolons.
fn declarations<'w, 'a>(body: &'w [&'a str]) -> Vec<&'w [&'a str]> {
    let (mut found, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, word) in body.iter().enumerate() {
        match *word {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth = depth.saturating_sub(1),
            ":" if depth == 0
                && matches!(body[start..at], ["public" | "private" | "protected"]) =>
            {
                start = at + 1;
            }
            _ => {}
        }
        // The body of a function ends a declaration as a semicolon does.
        let ends_function = *word == "}" && body[start..at].contains(&"(");
        if depth == 0 && (*word == ";" || ends_function) {
            found.push(&body[start..at]);
            start = at + 1;
        }
    }
    found.retain(|declaration| !declaration.is_empty());
    found
}

/// The number of elements that `[2][N + 1]` stands for; `Some(None)` for nothing.
fn elements(words: &[&str]) -> Option<Option<usize>> {
    if words.is_empty() {
        return Some(None);
    }
    let inner = words.strip_prefix(&["["])?.strip_suffix(&["]"])?;
    // Between two dimensions stand `]` and `[`.
    let mut sizes = inner.split(|word| *word == "[");
    let mut product = 1_usize;
    let count = sizes.clone().count();
    for (index, size) in sizes.by_ref().enumerate() {
        let size = if index + 1 < count { size.strip_suffix(&["]"])? } else { size };
        product = product.checked_mul(usize::try_from(constant(size)?).ok()?)?;
    }
    Some(Some(product))
}
