//! Prototypes of kernels, read off the source text without a compiler.
//!
//! Macros are not expanded and `typedef`s are followed only where they rename a built-in type. What
//! is not understood becomes [`Parameter::Other`], never a guess.

use std::collections::HashMap;

use clreduce_testcase::tokens;

use crate::job::{ElementType, Scalar};

/// A kernel with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prototype {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Its attribute `reqd_work_group_size`.
    pub required_local: Option<Vec<u64>>,
}

/// One parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// A pointer to global or constant memory.
    Buffer {
        /// Its name; may be empty.
        name: String,
        /// The type of its elements.
        element: ElementType,
        /// True if the kernel may not write there.
        read_only: bool,
    },
    /// A pointer to local memory.
    Local(ElementType),
    /// A value.
    Value(ElementType),
    /// Anything else: images, structures, pointers to pointers; the text.
    Other(String),
}

/// The kernels that an OpenCL program defines, in order.
#[must_use]
pub fn kernels(source: &[u8]) -> Vec<Prototype> {
    read(source, false)
}

/// The kernels that a CUDA program defines, in order.
#[must_use]
pub fn cuda_kernels(source: &[u8]) -> Vec<Prototype> {
    read(source, true)
}

fn read(source: &[u8], cuda: bool) -> Vec<Prototype> {
    let words = words(source);
    let mut reader = Reader { words: &words, at: 0, types: HashMap::new(), local: None, cuda };
    let (mut found, mut depth) = (Vec::new(), 0_usize);
    while let Some(word) = reader.next() {
        match word {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            ";" => reader.local = None,
            "typedef" => reader.typedef(),
            "__attribute__" => reader.attribute(),
            "__global__" if cuda => found.extend(reader.kernel()),
            "__kernel" | "kernel" if !cuda => found.extend(reader.kernel()),
            _ => {}
        }
        if word == "}" && depth == 0 {
            reader.local = None;
        }
    }
    found
}

/// The tokens of a source text, without those of preprocessor directives.
fn words(source: &[u8]) -> Vec<&str> {
    let (mut words, mut directive_end) = (Vec::new(), 0);
    for token in tokens(source) {
        let range = token.range();
        if range.start < directive_end {
            continue;
        }
        let text = std::str::from_utf8(&source[range.clone()]).unwrap_or("?");
        if text == "#" {
            directive_end = end_of_directive(source, range.end);
        } else {
            words.push(text);
        }
    }
    words
}

/// The end of the line, or of the last one that continues it.
fn end_of_directive(source: &[u8], mut at: usize) -> usize {
    while let Some(length) = source[at..].iter().position(|&byte| byte == b'\n') {
        let line = &source[at..at + length];
        at += length + 1;
        if !line.trim_ascii_end().ends_with(b"\\") {
            return at;
        }
    }
    source.len()
}

struct Reader<'a> {
    words: &'a [&'a str],
    at: usize,
    types: HashMap<&'a str, ElementType>,
    /// From an attribute of the declaration that is being read.
    local: Option<Vec<u64>>,
    /// True if it is CUDA: any pointer is one to global memory there, and types have names of C++.
    cuda: bool,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let word = self.words.get(self.at).copied();
        self.at += usize::from(word.is_some());
        word
    }

    fn peek(&self) -> Option<&'a str> {
        self.words.get(self.at).copied()
    }

    /// The tokens between the parenthesis that comes next and the one that closes it.
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

    fn attribute(&mut self) {
        let content = self.parenthesised().unwrap_or_default();
        let is_size = |word: &&str| word.trim_matches('_') == "reqd_work_group_size";
        if let Some(at) = content.iter().position(is_size) {
            let numbers = content[at + 1..].iter().take_while(|word| **word != ")");
            let numbers: Vec<u64> = numbers.filter_map(|word| word.parse().ok()).collect();
            self.local = (numbers.len() == 3 && !numbers.contains(&0)).then_some(numbers);
        }
    }

    /// `typedef unsigned int u32;`
    fn typedef(&mut self) {
        let rest = &self.words[self.at..];
        let length = rest.iter().position(|word| *word == ";").unwrap_or(0);
        if let Some((name, words)) = rest[..length].split_last()
            && let Some(element) = self.element_type(words)
        {
            self.types.insert(name, element);
        }
    }

    /// After `__kernel`; `None` where no definition follows.
    fn kernel(&mut self) -> Option<Prototype> {
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
        Some(Prototype { name: name.to_owned(), parameters, required_local: self.local.take() })
    }

    fn parameter(&self, words: &[&str]) -> Parameter {
        let other = || Parameter::Other(words.join(" "));
        let (mut space, mut constant, mut stars) = (None, false, 0);
        if self.cuda && words.contains(&"*") {
            space = Some("global");
        }
        let mut rest: Vec<&str> = Vec::new();
        for &word in words {
            match word {
                "__global" | "global" => space = Some("global"),
                "__constant" | "constant" => space = Some("constant"),
                "__local" | "local" => space = Some("local"),
                // What is constant after the star is the pointer.
                "const" => constant |= stars == 0,
                "*" => stars += 1,
                "[" => return other(),
                "volatile" | "restrict" | "__restrict" | "__restrict__" | "__private"
                | "private" => {}
                _ => rest.push(word),
            }
        }
        let Some((element, name)) = self.typed_name(&rest) else { return other() };
        // A vector of three has no padding in CUDA, and has elsewhere.
        if self.cuda && element.lanes == 3 {
            return other();
        }
        match (space, stars) {
            (None, 0) => Parameter::Value(element),
            (Some("local"), 1) => Parameter::Local(element),
            (Some(space), 1) => {
                let read_only = constant || space == "constant";
                Parameter::Buffer { name: name.to_owned(), element, read_only }
            }
            _ => other(),
        }
    }

    /// A type and perhaps a name.
    fn typed_name<'b>(&self, words: &[&'b str]) -> Option<(ElementType, &'b str)> {
        if let Some(element) = self.element_type(words) {
            return Some((element, ""));
        }
        let (name, words) = words.split_last()?;
        Some((self.element_type(words)?, name))
    }

    fn element_type(&self, words: &[&str]) -> Option<ElementType> {
        if let [word] = words
            && let Some(element) = word.parse().ok().or_else(|| self.types.get(word).copied())
        {
            return Some(element);
        }
        let (mut unsigned, mut base) = (false, None);
        let mut seen = 0;
        for word in words {
            match *word {
                "unsigned" => unsigned = true,
                "signed" => {}
                "int" if base.is_some() => {}
                "char" | "short" | "int" | "long" => base = Some(*word),
                _ => return None,
            }
            seen += 1;
        }
        (seen > 0).then(|| {
            ElementType::from(match (base.unwrap_or("int"), unsigned) {
                ("char", false) => Scalar::Char,
                ("char", true) => Scalar::Uchar,
                ("short", false) => Scalar::Short,
                ("short", true) => Scalar::Ushort,
                ("long", false) => Scalar::Long,
                ("long", true) => Scalar::Ulong,
                (_, false) => Scalar::Int,
                (_, true) => Scalar::Uint,
            })
        })
    }
}

/// Parameters without their attributes; none for `void`.
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
mod tests {
    use super::*;

    fn parameters(text: &str) -> Vec<Parameter> {
        let source = format!("typedef unsigned long u64;\nkernel void k({text}) {{}}");
        kernels(source.as_bytes()).remove(0).parameters
    }

    fn buffer(name: &str, element: &str, read_only: bool) -> Parameter {
        Parameter::Buffer { name: name.into(), element: element.parse().unwrap(), read_only }
    }

    #[test]
    fn parameters_of_all_kinds() {
        let value = |name: &str| Parameter::Value(name.parse().unwrap());
        let cases = [
            ("void", vec![]),
            ("", vec![]),
            ("__global float4 *a, const int n", vec![buffer("a", "float4", false), value("int")]),
            ("global const volatile uint *restrict a", vec![buffer("a", "uint", true)]),
            ("__global int * const p", vec![buffer("p", "int", false)]),
            ("__constant char *c", vec![buffer("c", "char", true)]),
            ("__global u64 *", vec![buffer("", "ulong", false)]),
            (
                "unsigned int x, long int, unsigned y",
                vec![value("uint"), value("long"), value("uint")],
            ),
            ("__local double *l", vec![Parameter::Local("double".parse().unwrap())]),
            ("float __attribute__((aligned(8))) f", vec![value("float")]),
        ];
        for (text, expected) in cases {
            assert_eq!(parameters(text), expected, "{text}");
        }
        for text in
            ["image2d_t i", "__global int **p", "struct S s", "int *p", "size_t n", "sampler_t s"]
        {
            assert!(matches!(parameters(text)[..], [Parameter::Other(_)]), "{text}");
        }
    }

    #[test]
    fn kernels_of_cuda() {
        let source = b"template<int N> struct S {}; extern \"C\" __global__ __launch_bounds__(64, 2)\n\
            void k(const unsigned long long *__restrict__ a, float4 *b, S<3> s, float3 *c, double d) { }";
        let found = cuda_kernels(source).remove(0);
        assert_eq!(found.name, "k");
        assert_eq!(
            found.parameters[..2],
            [buffer("a", "ulong", true), buffer("b", "float4", false)]
        );
        assert!(matches!(found.parameters[2..4], [Parameter::Other(_), Parameter::Other(_)]));
        assert_eq!(found.parameters[4], Parameter::Value("double".parse().unwrap()));
        assert_eq!(kernels(source), []);
    }

    #[test]
    fn kernels_are_what_has_a_body() {
        let source = b"#define K __kernel \\\n void x(int a) {}\n\
            __kernel void declared(__global int *a);\n\
            void helper(int a) { int kernel = a; }\n\
            __attribute__((reqd_work_group_size(8, 4, 1))) __kernel void first(int a) { { } }\n\
            /* __kernel void commented(int a) {} */\n\
            __kernel __attribute__((vec_type_hint(int))) void second(void) {}";
        let found = kernels(source);
        let names: Vec<_> = found.iter().map(|kernel| kernel.name.as_str()).collect();
        assert_eq!(names, ["first", "second"]);
        assert_eq!(found[0].required_local.as_deref(), Some(&[8, 4, 1][..]));
        assert_eq!(found[1].required_local, None);
    }

    #[test]
    fn any_text_is_survived() {
        for text in
            ["__kernel", "__kernel void k(", "kernel k((", "__attribute__(", "typedef", "#\\"]
        {
            assert_eq!(kernels(text.as_bytes()), []);
        }
    }
}
