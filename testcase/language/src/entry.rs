//! Entry points: the functions that are called from outside the program.

use clreduce_testcase::tokens;

use crate::kind::{NodeField, NodeKind};
use crate::tree::{NodeId, SyntaxTree};

/// Returns whether the host launches a function, by the words before its declarator. A preprocessor makes
/// `__attribute__((global))` of `__global__`.
#[must_use]
pub fn is_kernel(tree: &SyntaxTree, bytes: &[u8], function: NodeId) -> bool {
    let Some(declarator) = tree.field(function, NodeField::Declarator) else { return false };
    let words = &bytes[tree.range(function).start..tree.range(declarator).start];
    let mut last: [&[u8]; 3] = [b""; 3];
    tokens(words).any(|token| {
        last = [last[1], last[2], &words[token.range()]];
        matches!(last, [_, _, b"kernel" | b"__kernel" | b"__global__"] | [b"(", b"global", b")"])
    })
}

/// Returns whether the host or the system calls a function: a kernel, or `main`.
#[must_use]
pub fn is_entry(tree: &SyntaxTree, bytes: &[u8], function: NodeId) -> bool {
    let is_main = |declarator: NodeId| {
        let mut names =
            tree.subtree(declarator).filter(|&node| tree.kind(node) == NodeKind::Identifier);
        names.next().is_some_and(|name| &bytes[tree.range(name)] == b"main")
    };
    is_kernel(tree, bytes, function)
        || tree.field(function, NodeField::Declarator).is_some_and(is_main)
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;

    #[test]
    fn kernels_of_cuda_may_be_preprocessed() {
        let source = b"extern \"C\" __global__ void a() {} void __attribute__((global)) b() {}\n\
            template <class T> __attribute__((global)) void c(T) {} __attribute__((device)) void d() {}";
        let tree = SyntaxTree::parse(source, Language::CUDA);
        let functions = tree.ids().filter(|&id| tree.kind(id) == NodeKind::FunctionDefinition);
        let kernels: Vec<bool> = functions.map(|id| is_kernel(&tree, source, id)).collect();
        assert_eq!(kernels, [true, true, true, false]);
    }

    #[test]
    fn the_words_before_the_declarator_and_the_name_decide() {
        let source =
            b"kernel void a() {} void __kernel b() {} void c(int kernel) {} int *main() {}\n\
            int d(int main) {} void /* kernel */ e() {}";
        let tree = SyntaxTree::parse(source, Language::OPENCL);
        let functions = || tree.ids().filter(|&id| tree.kind(id) == NodeKind::FunctionDefinition);
        let kernels: Vec<bool> = functions().map(|id| is_kernel(&tree, source, id)).collect();
        assert_eq!(kernels, [true, true, false, false, false, false]);
        let entries: Vec<bool> = functions().map(|id| is_entry(&tree, source, id)).collect();
        assert_eq!(entries, [true, true, false, true, false, false]);
    }
}
