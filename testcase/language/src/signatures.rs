//! The signatures of kernels: name, parameters and required sizes of work-groups and sub-groups.
//!
//! This is the one reader of signatures. It reads tokens and not the syntax tree, because it runs for each variant that is
//! tested: the bodies of functions, which are nearly all of a file, are skipped unparsed, and a variant whose body does
//! not parse still has its signature. Macros without parameters are expanded, and types are followed as far as
//! [`TypeNames`] knows them. A parameter that is not understood becomes [`KernelParameter::Other`], never a guess.

use clreduce_testcase::Language;

use crate::layouts::Layout;
use crate::macros::words;
use crate::numbers::Number;
use crate::type_names::TypeNames;

/// The signature of a kernel that the program defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelSignature {
    /// The name of the kernel.
    pub name: String,
    /// The parameters, in order.
    pub parameters: Vec<KernelParameter>,
    /// The attribute `reqd_work_group_size`, three numbers.
    pub required_local: Option<Vec<u64>>,
    /// The attribute `intel_reqd_sub_group_size`.
    pub required_sub_group: Option<u64>,
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelParameter {
    /// A pointer to global or constant memory.
    Buffer {
        /// The name; empty where the parameter has none.
        name: String,
        /// The type that it points to.
        element: Number,
        /// True if the kernel cannot write there.
        read_only: bool,
    },
    /// A pointer to local memory, by the size in bytes of what it points to.
    Local(usize),
    /// A scalar or a vector.
    Value(Number),
    /// A structure, an enumeration or a truth value.
    Object {
        /// The type as it is written.
        kind: String,
        /// Its numbers.
        layout: Layout,
    },
    /// A pointer to such objects in global or constant memory.
    Objects {
        /// The name; empty where the parameter has none.
        name: String,
        /// The numbers of one of them.
        layout: Layout,
        /// True if the kernel cannot write there.
        read_only: bool,
    },
    /// Any other parameter, such as an image or a pointer to a pointer, as it is written.
    Other(String),
}

/// Reads the signatures of all kernels that a program defines, in order. A file of another language than CUDA is read as
/// OpenCL C.
#[must_use]
pub fn kernel_signatures(source: &[u8], language: Language) -> Vec<KernelSignature> {
    let cuda = language == Language::Cuda;
    let words = words(source);
    let mut reader = SignatureReader {
        words: &words,
        at: 0,
        types: TypeNames::new(cuda),
        local: None,
        sub_group: None,
        cuda,
    };
    let (mut found, mut depth) = (Vec::new(), 0_usize);
    while let Some(word) = reader.next() {
        match word {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            ";" => (reader.local, reader.sub_group) = (None, None),
            "typedef" | "using" | "struct" | "union" | "enum" | "class" => reader.definition(),
            "__attribute__" => reader.attribute(),
            "__global__" if cuda => found.extend(reader.kernel()),
            "__kernel" | "kernel" if !cuda => found.extend(reader.kernel()),
            _ => {}
        }
        if word == "}" && depth == 0 {
            (reader.local, reader.sub_group) = (None, None);
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
        if let Some(at) = place("reqd_work_group_size") {
            let numbers = content[at + 1..].iter().take_while(|word| **word != ")");
            let numbers: Vec<u64> = numbers.filter_map(|word| word.parse().ok()).collect();
            self.local = (numbers.len() == 3 && !numbers.contains(&0)).then_some(numbers);
        }
    }

    /// Reads a definition of a type, from its first word on, which has been read. A function that returns a structure is none.
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
            required_sub_group: self.sub_group.take(),
        })
    }

    fn parameter(&self, words: &[&str]) -> KernelParameter {
        let other = || KernelParameter::Other(words.join(" "));
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
                // After the star, `const` says that the pointer is constant.
                "const" => constant |= stars == 0,
                "*" => stars += 1,
                "[" => return other(),
                "volatile" | "restrict" | "__restrict" | "__restrict__" | "__private"
                | "private" => {}
                _ => rest.push(word),
            }
        }
        let read_only = constant || space == Some("constant");
        // A vector of three has no padding in CUDA; buffers of numbers are filled as in OpenCL, with padding.
        let number = typed_name(&rest, |words| self.types.number(words))
            .filter(|(element, _)| !self.cuda || element.lanes != 3);
        if let Some((element, name)) = number {
            let name = name.to_owned();
            return match (space, stars) {
                (None, 0) => KernelParameter::Value(element),
                (Some("local"), 1) => KernelParameter::Local(element.bytes()),
                (Some(_), 1) => KernelParameter::Buffer { name, element, read_only },
                _ => other(),
            };
        }
        match (typed_name(&rest, |words| self.types.layout(words)), space, stars) {
            (Some((layout, name)), None, 0) => {
                let kind = &rest[..rest.len() - usize::from(!name.is_empty())];
                KernelParameter::Object { kind: kind.join(" "), layout }
            }
            (Some((layout, _)), Some("local"), 1) => KernelParameter::Local(layout.bytes),
            (Some((layout, name)), Some(_), 1) => {
                KernelParameter::Objects { name: name.to_owned(), layout, read_only }
            }
            _ => other(),
        }
    }
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
mod tests {
    use super::*;

    fn kernels(source: &[u8]) -> Vec<KernelSignature> {
        kernel_signatures(source, Language::OpenCl)
    }

    fn parameters(text: &str) -> Vec<KernelParameter> {
        let source = format!("typedef unsigned long u64;\nkernel void k({text}) {{}}");
        kernels(source.as_bytes()).remove(0).parameters
    }

    fn buffer(name: &str, element: &str, read_only: bool) -> KernelParameter {
        KernelParameter::Buffer {
            name: name.into(),
            element: Number::built_in(element).unwrap(),
            read_only,
        }
    }

    #[test]
    fn parameters_are_classified() {
        let value = |name: &str| KernelParameter::Value(Number::built_in(name).unwrap());
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
            ("__local double *l", vec![KernelParameter::Local(8)]),
            ("float __attribute__((aligned(8))) f", vec![value("float")]),
        ];
        for (text, expected) in cases {
            assert_eq!(parameters(text), expected, "{text}");
        }
        for text in
            ["image2d_t i", "__global int **p", "struct S s", "int *p", "size_t n", "sampler_t s"]
        {
            assert!(matches!(parameters(text)[..], [KernelParameter::Other(_)]), "{text}");
        }
    }

    #[test]
    fn structures_have_a_layout() {
        let source = b"typedef struct { char c; float f[2]; } P; enum Mode { A, B };\n\
            struct Box { P corners[2]; uint3 n; };\n\
            kernel void k(global P *p, enum Mode m, struct Box b, global atomic_int *n, constant struct Box *c) {}";
        let found = kernels(source).remove(0).parameters;
        let KernelParameter::Objects { name, layout, read_only: false } = &found[0] else {
            panic!("{found:?}")
        };
        assert_eq!((name.as_str(), layout.bytes, layout.has_padding()), ("p", 12, true));
        assert_eq!(layout.numbers.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0, 4, 8]);
        assert!(
            matches!(&found[1], KernelParameter::Object { kind, layout } if kind == "enum Mode" && layout.bytes == 4)
        );
        assert!(
            matches!(&found[2], KernelParameter::Object { kind, layout } if kind == "struct Box" && layout.bytes == 48)
        );
        assert_eq!(found[3], buffer("n", "int", false));
        assert!(matches!(&found[4], KernelParameter::Objects { read_only: true, .. }));
        let source = b"struct V { float3 at; bool on; __device__ float x() const { return at.x; } };\n\
            struct H { virtual int f(); int a; }; __global__ void k(V v, bool b, float3 *c, H h) {}";
        let found = kernel_signatures(source, Language::Cuda).remove(0).parameters;
        let sizes: Vec<usize> = found
            .iter()
            .map(|parameter| match parameter {
                KernelParameter::Object { layout, .. }
                | KernelParameter::Objects { layout, .. } => layout.bytes,
                _ => 0,
            })
            .collect();
        assert_eq!(sizes, [16, 1, 12, 0]);
    }

    #[test]
    fn kernels_of_cuda() {
        let source = b"template<int N> struct S {}; extern \"C\" __global__ __launch_bounds__(64, 2)\n\
            void k(const unsigned long long *__restrict__ a, float4 *b, S<3> s, float3 *c, double d) { }";
        let found = kernel_signatures(source, Language::Cuda).remove(0);
        assert_eq!(found.name, "k");
        assert_eq!(
            found.parameters[..2],
            [buffer("a", "ulong", true), buffer("b", "float4", false)]
        );
        assert!(matches!(
            found.parameters[2..4],
            [KernelParameter::Other(_), KernelParameter::Objects { .. }]
        ));
        assert_eq!(
            found.parameters[4],
            KernelParameter::Value(Number::built_in("double").unwrap())
        );
        assert_eq!(kernels(source), []);
    }

    #[test]
    fn only_definitions_are_kernels() {
        let source = b"#define K __kernel \\\n void x(int a) {}\n\
            __kernel void declared(__global int *a);\n\
            void helper(int a) { int kernel = a; }\n\
            __attribute__((reqd_work_group_size(8, 4, 1))) __kernel void first(int a) { { } }\n\
            /* __kernel void commented(int a) {} */\n\
            __kernel __attribute__((vec_type_hint(int), intel_reqd_sub_group_size(32))) void second(void) {}
\
            kernel void third(void) {}";
        let found = kernels(source);
        let names: Vec<_> = found.iter().map(|kernel| kernel.name.as_str()).collect();
        assert_eq!(names, ["first", "second", "third"]);
        assert_eq!(found[0].required_local.as_deref(), Some(&[8, 4, 1][..]));
        assert_eq!(found[1].required_local, None);
        let sub_groups = found.iter().map(|kernel| kernel.required_sub_group);
        assert!(sub_groups.eq([None, Some(32), None]));
    }

    #[test]
    fn a_type_may_be_a_macro() {
        let float = |name| buffer(name, "float", false);
        let of = |directives: &str| {
            let source = format!("{directives}\nkernel void k(MEM REAL *a, REAL b) {{}}");
            kernels(source.as_bytes()).remove(0).parameters
        };
        let value = |name| KernelParameter::Value(Number::built_in(name).unwrap());
        let mem = "#define MEM __global // here\n";
        assert_eq!(of(&format!("{mem}#define REAL float")), [float("a"), value("float")]);
        let guarded = "#ifdef DOUBLE\n#define REAL double\n#else\n#define REAL float\n#endif\n";
        assert_eq!(of(&format!("{mem}{guarded}"))[1], value("float"));
        assert_eq!(of(&format!("#define DOUBLE\n{mem}{guarded}"))[1], value("double"));
        assert_eq!(of(&format!("{mem}#define T REAL\n#define REAL T"))[1], of("")[1]);
        assert_eq!(of(&format!("{mem}#define REAL(a) float"))[1], of("")[1]);
        assert_eq!(of(&format!("{mem}#if 0\n#define REAL float\n#endif"))[1], of("")[1]);
    }

    #[test]
    fn any_text_can_be_read() {
        for text in
            ["__kernel", "__kernel void k(", "kernel k((", "__attribute__(", "typedef", "#\\"]
        {
            assert_eq!(kernels(text.as_bytes()), []);
        }
    }
}
