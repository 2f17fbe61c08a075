//! The signatures of kernels: name, parameters and required sizes of work-groups and sub-groups.
//!
//! This is the one reader of signatures. It reads tokens and not the syntax tree, because it runs for each variant that is
//! tested: the bodies of functions, which are nearly all of a file, are skipped unparsed, and a variant whose body does
//! not parse still has its signature. Macros without parameters are expanded, and types are followed as far as
//! [`TypeNames`] knows them. A parameter that is not understood becomes [`KernelParameter::Other`], never a guess.

use clreduce_testcase::{AddressSpace, Feature, Language};

use crate::images::{ImageKind, pixel};
use crate::kernel::{KernelParameter, KernelSignature};
use crate::macros::words;
use crate::ptx;
use crate::type_names::TypeNames;

/// Reads the signatures of all kernels that a program defines, in order. A file of another language than CUDA and PTX is
/// read as OpenCL C.
#[must_use]
pub fn kernel_signatures(source: &[u8], language: Language) -> Vec<KernelSignature> {
    if language.has(Feature::VirtualInstructions) {
        return ptx::signatures(source);
    }
    let cuda = language.has(Feature::HostAndDevice);
    let words = words(source);
    let mut reader = SignatureReader {
        words: &words,
        at: 0,
        types: TypeNames::new(cuda),
        local: None,
        hint: None,
        sub_group: None,
        cuda,
    };
    let (mut found, mut depth) = (Vec::new(), 0_usize);
    while let Some(word) = reader.next() {
        match word {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            ";" => (reader.local, reader.hint, reader.sub_group) = (None, None, None),
            "typedef" | "using" | "struct" | "union" | "enum" | "class" => reader.definition(),
            "__attribute__" => reader.attribute(),
            "__global__" if cuda => found.extend(reader.kernel()),
            "__kernel" | "kernel" if !cuda => found.extend(reader.kernel()),
            _ => {}
        }
        if word == "}" && depth == 0 {
            (reader.local, reader.hint, reader.sub_group) = (None, None, None);
        }
    }
    found
}

struct SignatureReader<'a> {
    words: &'a [&'a str],
    at: usize,
    types: TypeNames<'a>,
    /// The size of work-groups from an attribute of the declaration that is being read.
    local: Option<Vec<u64>>,
    /// The one that the attribute `work_group_size_hint` gives.
    hint: Option<Vec<u64>>,
    /// The same for the size of sub-groups.
    sub_group: Option<u64>,
    /// In CUDA, every pointer is one to global memory.
    cuda: bool,
}

impl<'a> SignatureReader<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let word = self.words.get(self.at).copied();
        self.at += usize::from(word.is_some());
        word
    }

    fn peek(&self) -> Option<&'a str> {
        self.words.get(self.at).copied()
    }

    /// Returns the tokens in the parentheses that come next.
    fn parenthesised(&mut self) -> Option<&'a [&'a str]> {
        if self.peek() != Some("(") {
            return None;
        }
        let (start, mut depth) = (self.at + 1, 0_usize);
        while let Some(word) = self.next() {
            match word {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(&self.words[start..self.at - 1]);
            }
        }
        None
    }

    /// Reads what follows `__attribute__`.
    fn attribute(&mut self) {
        let content = self.parenthesised().unwrap_or_default();
        let place = |name: &str| content.iter().position(|word| word.trim_matches('_') == name);
        if let Some(at) = place("intel_reqd_sub_group_size")
            && let ["(", size, ")", ..] = &content[at + 1..]
        {
            self.sub_group = size.parse().ok();
        }
        let sizes = |name: &str| {
            let numbers = content[place(name)? + 1..].iter().take_while(|word| **word != ")");
            let numbers: Vec<u64> = numbers.filter_map(|word| word.parse().ok()).collect();
            (numbers.len() == 3 && !numbers.contains(&0)).then_some(numbers)
        };
        if place("reqd_work_group_size").is_some() {
            self.local = sizes("reqd_work_group_size");
        }
        self.hint = sizes("work_group_size_hint").or(self.hint.take());
    }

    /// Reads a definition of a type, from its first word on, which has been read. A function that returns a
    /// structure is no definition of a type.
    fn definition(&mut self) {
        let (start, mut depth, mut has_braces) = (self.at - 1, 0_usize, false);
        let mut before = "";
        for (at, &word) in self.words.iter().enumerate().skip(start) {
            match word {
                "(" if depth == 0 && !has_braces && !is_attribute(before) => return,
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" => depth = depth.saturating_sub(1),
                ";" if depth == 0 => {
                    self.types.define(&self.words[start..at]);
                    self.at = at + 1;
                    return;
                }
                _ => {}
            }
            has_braces |= word == "{";
            before = word;
        }
    }

    /// Reads what follows `__kernel`; returns `None` where that is no definition.
    fn kernel(&mut self) -> Option<KernelSignature> {
        let mut name = "";
        loop {
            match self.peek()? {
                "(" => break,
                ";" | "{" | "}" | "=" => return None,
                "__attribute__" | "__launch_bounds__" => {
                    self.next();
                    self.attribute();
                }
                word => {
                    name = word;
                    self.next();
                }
            }
        }
        let parameters = self.parenthesised()?;
        while self.peek() == Some("__attribute__") {
            self.next();
            self.attribute();
        }
        if self.peek() != Some("{") || !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return None;
        }
        let parameters = split_at_commas(parameters).into_iter().map(|p| self.parameter(&p));
        let parameters = parameters.collect();
        Some(KernelSignature {
            name: name.to_owned(),
            parameters,
            required_local: self.local.take(),
            hinted_local: self.hint.take(),
            required_sub_group: self.sub_group.take(),
        })
    }

    fn parameter(&self, words: &[&str]) -> KernelParameter {
        let other = || KernelParameter::Other(words.join(" "));
        if let Some(found) = self.image_or_sampler(words) {
            return found;
        }
        let (mut space, mut constant, mut stars) = (None, false, 0);
        if self.cuda && words.contains(&"*") {
            space = Some(AddressSpace::Global);
        }
        let mut rest: Vec<&str> = Vec::new();
        for &word in words {
            match word {
                // After the star, `const` says that the pointer is constant.
                "const" | "__const" | "__const__" => constant |= stars == 0,
                "*" => stars += 1,
                "[" => return other(),
                "volatile" | "__volatile" | "__volatile__" => {}
                "restrict" | "__restrict" | "__restrict__" => {}
                _ => match AddressSpace::of(word.as_bytes()) {
                    Some(AddressSpace::Private) => {}
                    None | Some(AddressSpace::Generic) => rest.push(word),
                    named => space = named,
                },
            }
        }
        let read_only = constant || space == Some(AddressSpace::Constant);
        // A vector of three has no padding in CUDA; buffers of numbers are filled as in OpenCL, with padding.
        let number = typed_name(&rest, |words| self.types.number(words))
            .filter(|(element, _)| !self.cuda || element.lanes != 3);
        if let Some((element, name)) = number {
            let name = name.to_owned();
            return match (space, stars) {
                (None, 0) => KernelParameter::Value(element),
                (Some(AddressSpace::Local), 1) => KernelParameter::Local(element.bytes()),
                (Some(_), 1) => KernelParameter::Buffer { name, element, read_only },
                _ => other(),
            };
        }
        let kind = |name: &str| rest[..rest.len() - usize::from(!name.is_empty())].join(" ");
        match (typed_name(&rest, |words| self.types.layout(words)), space, stars) {
            (Some((layout, name)), None, 0) => KernelParameter::Object { kind: kind(name), layout },
            (Some((layout, _)), Some(AddressSpace::Local), 1) => {
                KernelParameter::Local(layout.bytes)
            }
            (Some((layout, name)), Some(_), 1) => KernelParameter::Objects {
                kind: kind(name),
                name: name.to_owned(),
                layout,
                read_only,
            },
            _ => other(),
        }
    }
}

impl SignatureReader<'_> {
    /// A parameter that is an image or a sampler, and no pointer to one.
    fn image_or_sampler(&self, words: &[&str]) -> Option<KernelParameter> {
        let is_extra = |word: &&&str| {
            !matches!(word.trim_matches('_'), "const" | "private") && !is_access(word)
        };
        let (kind, name) = match words.iter().filter(is_extra).collect::<Vec<_>>()[..] {
            [kind] => (*kind, ""),
            [kind, name] => (*kind, *name),
            _ => return None,
        };
        if kind == "sampler_t" {
            return Some(KernelParameter::Sampler);
        }
        let kind = ImageKind::named(kind)?;
        let access = words.iter().find(|word| is_access(word));
        let read_only = access.is_none_or(|word| word.ends_with("read_only"));
        let (name, pixel) = (name.to_owned(), pixel(self.words, name));
        Some(KernelParameter::Image { name, kind, pixel, read_only })
    }
}

/// Returns true for a word that says how a kernel uses an image.
fn is_access(word: &str) -> bool {
    matches!(word.trim_start_matches('_'), "read_only" | "write_only" | "read_write")
}

/// Splits a declaration into its type, which `known` knows, and its name, which may be missing.
fn typed_name<'b, T>(
    words: &[&'b str],
    known: impl Fn(&[&str]) -> Option<T>,
) -> Option<(T, &'b str)> {
    if let Some(found) = known(words) {
        return Some((found, ""));
    }
    let (name, words) = words.split_last()?;
    Some((known(words)?, name))
}

/// Returns true if parentheses behind this word do not begin parameters.
fn is_attribute(word: &str) -> bool {
    matches!(word, "__attribute__" | "alignas" | "__align__")
}

/// Splits a list of parameters and leaves out their attributes; `(void)` is an empty list.
fn split_at_commas<'a>(words: &[&'a str]) -> Vec<Vec<&'a str>> {
    let (mut parts, mut depth, mut attribute) = (vec![Vec::new()], 0_usize, false);
    for &word in words {
        match word {
            "__attribute__" => attribute = true,
            "(" => depth += 1,
            ")" => {
                depth = depth.saturating_sub(1);
                attribute &= depth > 0;
            }
            "," if depth == 0 => parts.push(Vec::new()),
            _ if attribute => {}
            _ => {
                if let Some(part) = parts.last_mut() {
                    part.push(word);
                }
            }
        }
    }
    match &parts[..] {
        [only] if only.is_empty() || only[..] == ["void"] => Vec::new(),
        _ => parts,
    }
}

#[cfg(test)]
mod tests;
