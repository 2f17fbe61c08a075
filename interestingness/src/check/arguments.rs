//! What a kernel is launched with: from its prototype and the flags of its launch comment.
//!
//! The first pointer is the result, all zero. CLsmith's further arguments follow the flags of the launch
//! comment. Any other global pointer gets one element per work-item, 1, 2, 3, …; a local one as many
//! elements; a scalar the number of work-items.

use clreduce_testcase::{Token, TokenKind, tokens};

/// One argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Argument {
    /// Where it is.
    pub space: Space,
    /// Its type as the kernel writes it, for a pointer that of the pointer.
    pub declared: String,
    /// What an element is; `None` for types that are not built in.
    pub element: Option<Element>,
    /// The first element, or the scalar itself.
    pub start: i64,
    /// By how much each element exceeds the one before.
    pub step: i64,
    /// How many elements.
    pub count: u64,
}

/// Kinds of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    /// A pointer to global or constant memory.
    Global,
    /// A pointer to local memory.
    Local,
    /// A value.
    Scalar,
}

/// A scalar or vector type that is built in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Element {
    /// The scalar type's name.
    pub scalar: &'static str,
    /// Bytes of one lane.
    pub width: u64,
    /// 1 for a scalar.
    pub lanes: u64,
}

impl Element {
    /// Bytes of one element in memory; a vector of three takes the room of four.
    pub fn bytes(self) -> u64 {
        self.width * if self.lanes == 3 { 4 } else { self.lanes }
    }

    pub fn is_floating(self) -> bool {
        matches!(self.scalar, "float" | "double")
    }
}

/// A kernel function as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Prototype {
    /// The function's name.
    pub name: String,
    /// The words of each parameter, its name left out.
    parameters: Vec<Vec<String>>,
}

impl Prototype {
    /// The first kernel function with a body; one called `entry` goes before all others.
    pub fn find(source: &[u8]) -> Option<Self> {
        let tokens: Vec<Token> = tokens(source).collect();
        let text = |at: usize| tokens.get(at).map(|token| &source[token.range()]);
        let marks =
            (0..tokens.len()).filter(|&at| matches!(text(at), Some(b"__kernel" | b"kernel")));
        let mut first = None;
        for mark in marks {
            let Some(found) = parse(&tokens, source, mark) else { continue };
            if found.name == "entry" {
                return Some(found);
            }
            first = first.or(Some(found));
        }
        first
    }
}

/// The function whose declaration contains the token `mark`; `None` where there is no body.
fn parse(tokens: &[Token], source: &[u8], mark: usize) -> Option<Prototype> {
    let text = |at: usize| tokens.get(at).map(|token| &source[token.range()]);
    let word = |at: usize| Some(String::from_utf8_lossy(text(at)?).into_owned());
    let mut open = mark + 1;
    // `__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void entry(`
    loop {
        match text(open)? {
            b"__attribute__" => open = after_parentheses(tokens, source, open + 1)?,
            b"(" => break,
            b";" | b"{" | b"}" => return None,
            _ => open += 1,
        }
    }
    let name = word(open.checked_sub(1)?)?;
    let end = after_parentheses(tokens, source, open)?;
    if text(end)? != b"{" && text(end)? != b"__attribute__" {
        return None;
    }
    let mut parameters = vec![Vec::new()];
    let mut depth = 0;
    for at in open + 1..end - 1 {
        match text(at)? {
            b"(" => depth += 1,
            b")" => depth -= 1,
            b"," if depth == 0 => {
                parameters.push(Vec::new());
                continue;
            }
            _ => {}
        }
        parameters.last_mut()?.push(word(at)?);
    }
    for words in &mut parameters {
        let names_it = |word: &String| word.starts_with(|c: char| c == '_' || c.is_alphabetic());
        if words.len() > 1 && words.last().is_some_and(names_it) {
            words.pop();
        }
    }
    if parameters.len() == 1 && (parameters[0].is_empty() || parameters[0] == ["void"]) {
        parameters.clear();
    }
    Some(Prototype { name, parameters })
}

/// One past the parenthesis that closes the one at `open`.
fn after_parentheses(tokens: &[Token], source: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match &source[token.range()] {
            b"(" => depth += 1,
            b")" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return (token.kind == TokenKind::Punctuation).then_some(at + 1);
        }
    }
    None
}

/// The arguments for a launch, or for which parameter there is none.
pub(super) fn arguments(
    source: &[u8],
    prototype: &Prototype,
    global: &[u64],
    local: &[u64],
) -> Result<Vec<Argument>, String> {
    let items = product(global);
    let mut special = clsmith(source, global, local).into_iter();
    let mut seen_result = false;
    let argument = |words: &Vec<String>| {
        let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
        let is_pointer = has(&["*"]);
        let space = match is_pointer {
            false => Space::Scalar,
            true if has(&["__local", "local"]) => Space::Local,
            true if has(&["__global", "global", "__constant", "constant"]) => Space::Global,
            true => return Err(format!("a parameter of type `{}`", words.join(" "))),
        };
        let element = element(words);
        if space == Space::Scalar && element.is_none_or(|element| element.lanes > 1) {
            return Err(format!("a parameter of type `{}`", words.join(" ")));
        }
        let items_signed = i64::try_from(items).unwrap_or(i64::MAX);
        let (start, step, count) = match space {
            Space::Scalar => (items_signed, 0, 1),
            Space::Local => (0, 0, items),
            Space::Global if !std::mem::replace(&mut seen_result, true) => (0, 0, items),
            Space::Global => special.next().unwrap_or((1, 1, items)),
        };
        Ok(Argument { space, declared: words.join(" "), element, start, step, count })
    };
    prototype.parameters.iter().map(argument).collect()
}

fn product(sizes: &[u64]) -> u64 {
    sizes.iter().fold(1, |product, &size| product.saturating_mul(size))
}

/// Start, step and number of elements of the arguments after the result that CLsmith's flags announce.
fn clsmith(source: &[u8], global: &[u64], local: &[u64]) -> Vec<(i64, i64, u64)> {
    let line = source.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let has = |flag: &str| words.contains(&flag);
    let groups = product(global) / product(local).max(1);
    let atomics =
        words.iter().position(|word| *word == "--atomics").and_then(|at| words.get(at + 1));
    let mut special = Vec::new();
    if let Some(number) = atomics.and_then(|number| number.parse::<u64>().ok()) {
        special.extend([(0, 0, number.saturating_mul(groups)); 2]);
    }
    if has("---atomic_reductions") {
        special.push((0, 0, groups));
    }
    if has("---emi") {
        special.push((1024, -1, 1024));
    }
    if has("---fake_divergence") {
        special.push((10, 1, global.iter().copied().max().unwrap_or(1)));
    }
    if has("---inter_thread_comm") {
        special.push((1, 0, product(global)));
    }
    special
}

/// The built-in type among the words of a parameter.
fn element(words: &[String]) -> Option<Element> {
    const SCALARS: [(&str, u64); 12] = [
        ("char", 1),
        ("uchar", 1),
        ("short", 2),
        ("ushort", 2),
        ("int", 4),
        ("uint", 4),
        ("long", 8),
        ("ulong", 8),
        ("float", 4),
        ("double", 8),
        ("size_t", 8),
        ("unsigned", 4),
    ];
    let has = |name: &str| words.iter().any(|word| word == name);
    let found = words.iter().find_map(|word| {
        let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let lanes = word[name.len()..].parse().unwrap_or(1);
        let (scalar, width) = SCALARS.into_iter().find(|(scalar, _)| *scalar == name)?;
        matches!(lanes, 1 | 2 | 3 | 4 | 8 | 16).then_some(Element { scalar, width, lanes })
    })?;
    // `unsigned char`, `unsigned`, `size_t`: names that Oclgrind knows too.
    let plain = |scalar, width| Element { scalar, width, lanes: found.lanes };
    Some(match () {
        () if found.scalar == "size_t" => plain("ulong", 8),
        () if !has("unsigned") => found,
        () if has("char") => plain("uchar", 1),
        () if has("short") => plain("ushort", 2),
        () if has("long") => plain("ulong", 8),
        () => plain("uint", 4),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(source: &str) -> Result<Vec<Argument>, String> {
        let prototype = Prototype::find(source.as_bytes()).unwrap();
        arguments(source.as_bytes(), &prototype, &[4, 2], &[2, 1])
    }

    #[test]
    fn entry_is_the_kernel() {
        let source = b"__kernel void a(void);\n__kernel void b(int x) { }\nkernel void entry() {}";
        assert_eq!(Prototype::find(source).unwrap().name, "entry");
        assert_eq!(Prototype::find(&source[..50]).unwrap().name, "b");
        assert_eq!(Prototype::find(b"void f(void) {}"), None);
    }

    #[test]
    fn flags_of_clsmith_are_arguments() {
        let source = "// --atomics 3 ---emi -g 4,2 -l 2,1\n__kernel __attribute__((reqd_work_group_size(2, 1, 1))) \
            void entry(__global ulong *r, __global volatile uint *a, __global uint *s, __global int *e) {}";
        let arguments = of(source).unwrap();
        let contents: Vec<_> = arguments
            .iter()
            .map(|argument| (argument.start, argument.step, argument.count))
            .collect();
        assert_eq!(contents, [(0, 0, 8), (0, 0, 12), (0, 0, 12), (1024, -1, 1024)]);
        assert_eq!(arguments[1].declared, "__global volatile uint *");
    }

    #[test]
    fn others_count_up() {
        let arguments =
            of("kernel void k(global ulong *r, global float3 *v, local short *l, const unsigned int n) {}")
                .unwrap();
        let float3 = arguments[1].element.unwrap();
        assert_eq!((float3.bytes(), float3.is_floating(), arguments[1].step), (16, true, 1));
        assert_eq!((arguments[2].space, arguments[2].count), (Space::Local, 8));
        assert_eq!((arguments[3].element.unwrap().scalar, arguments[3].start), ("uint", 8));
        assert!(of("kernel void k(image2d_t i) {}").is_err());
    }
}
