//! Calls of built-in functions whose arguments must be of one type and are not, as in `mad_sat(7, 1, (long2)(3))`.
//!
//! OpenCL C has no such overload. clang makes a vector of the scalar and says nothing, and other compilers refuse the call or choose
//! another overload.

use clreduce_language::{NodeField, NodeId, NodeKind, Number, Symbols, SyntaxTree, Types};
use clreduce_testcase::{Language, TokenKind, tokens};

use crate::expanded::{line_at, without_headers};
use crate::finding::{Certainty, Finding, FindingKind};

/// Functions of integers whose arguments are all of one type.
const SAME: [&str; 12] = [
    "abs_diff",
    "add_sat",
    "bitselect",
    "hadd",
    "mad24",
    "mad_hi",
    "mad_sat",
    "mul24",
    "mul_hi",
    "rhadd",
    "rotate",
    "sub_sat",
];
/// Those whose arguments after the first may all be scalars.
const LIMITS: [&str; 3] = ["clamp", "max", "min"];

/// Finds the calls in a preprocessed program in OpenCL C.
pub(crate) fn mixed_arguments(expanded: &[u8]) -> Vec<Finding> {
    let text = &without_headers(expanded)[..];
    let is_named = |word: &[u8]| is_listed(&String::from_utf8_lossy(word));
    let mut words = tokens(text).filter(|token| token.kind == TokenKind::Word);
    if !words.any(|token| is_named(&text[token.range()])) {
        return Vec::new();
    }
    let tree = SyntaxTree::parse(text, Language::OPENCL);
    let symbols = Symbols::new(text, &tree);
    let types = Types::new(text, &tree, &symbols);
    let finding = |call: NodeId| {
        let function = tree.field(call, NodeField::Function)?;
        let name = std::str::from_utf8(&text[tree.range(function)]).ok()?;
        // A function of the program may have the name of a built-in one.
        let is_own = symbols.of(function).is_some();
        let arguments = tree.field(call, NodeField::Arguments)?;
        // A macro of the language, which stands for one number.
        let is_constant = |argument: NodeId| {
            let is_of_macros =
                |byte: &u8| byte.is_ascii_uppercase() || b"_0123456789".contains(byte);
            tree.kind(argument) == NodeKind::Identifier
                && symbols.of(argument).is_none()
                && text[tree.range(argument)].iter().all(is_of_macros)
        };
        let number = |argument: NodeId| {
            let constant = || is_constant(argument).then(|| Number::built_in("int")).flatten();
            types.of(argument).number().or_else(constant)
        };
        let numbers: Vec<Option<Number>> = tree.named_children(arguments).map(number).collect();
        let found = (is_listed(name) && !is_own).then(|| mixture(name, &numbers)).flatten()?;
        Some(Finding {
            kind: FindingKind::NonPortable,
            line: line_at(expanded, tree.range(call).start),
            tool: "clreduce",
            certainty: Certainty::Certain,
            message: format!(
                "`{name}` takes arguments of one type, and these are {found}: OpenCL C has no such function"
            ),
        })
    };
    let calls = tree.ids().filter(|node| tree.kind(*node) == NodeKind::CallExpression);
    calls.filter_map(finding).collect()
}

fn is_listed(name: &str) -> bool {
    SAME.contains(&name) || LIMITS.contains(&name)
}

/// The types of the arguments, where no overload has them. Scalars alone are converted as in C.
fn mixture(name: &str, arguments: &[Option<Number>]) -> Option<String> {
    let all: Option<Vec<Number>> = arguments.iter().copied().collect();
    let all = all?;
    let vectors: Vec<&Number> = all.iter().filter(|number| number.lanes > 1).collect();
    let first = *vectors.first()?;
    let is_of_scalars = LIMITS.contains(&name)
        && all.first() == Some(first)
        && all.iter().skip(1).all(|number| number.lanes == 1);
    let is_same = all.iter().all(|number| number == first);
    (!is_of_scalars && !is_same)
        .then(|| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_among_vectors_and_different_vectors_are_found() {
        let found = |statement: &str| {
            let source = format!(
                "kernel void k(global short *b, long2 l, short2 s, int i) {{\n  {statement};\n}}\n"
            );
            let mut all = mixed_arguments(source.as_bytes());
            assert!(all.len() <= 1, "{all:?}");
            all.pop().map(|one| (one.line, one.message))
        };
        let (line, message) = found("l = mad_sat(7, 1, (long2)(3))").unwrap();
        assert_eq!(line, Some(2));
        assert!(message.contains("these are int, int, long2"), "{message}");
        assert!(found("s = max(*b, (short2)(0))").is_some());
        assert!(found("s = clamp(s, (short2)(0), *b)").is_some());
        assert!(found("l = add_sat(l, convert_long2(s) + 1)").is_none());
        // Limits may be scalars, and scalars are converted.
        assert!(found("s = max(s, *b)").is_none() && found("s = clamp(s, *b, *b)").is_none());
        assert!(found("i = max(i, 3u)").is_none() && found("i = mad24(i, 2, 3)").is_none());
        assert!(found("l = mad_sat(CLK_LOCAL_MEM_FENCE, l, l)").is_some());
        // What is not known is not judged.
        assert!(found("s = max(unknown, s)").is_none());
    }

    /// clang's header makes typedefs of the names of vectors.
    #[test]
    fn headers_of_clang_say_nothing_about_types() {
        let found = |argument: &str| {
            let source = format!(
                "# 1 \"kernel.cl\"\n# 1 \"/lib/opencl-c-base.h\" 1\n\
                 typedef int int2 __attribute__((ext_vector_type(2)));\n\
                 # 7 \"kernel.cl\" 2\nkernel void k(int2 v) {{\n  v = mad24(v, {argument}, v);\n}}\n"
            );
            mixed_arguments(source.as_bytes()).pop().map(|one| one.line)
        };
        assert_eq!(found("(int2)(7)"), None);
        assert_eq!(found("7"), Some(Some(8)));
    }

    #[test]
    fn functions_of_the_program_are_its_own() {
        let source = "int max(int a, int2 b) { return a; }\nkernel void k(int2 v) { max(1, v); }\n";
        assert!(mixed_arguments(source.as_bytes()).is_empty());
    }
}
