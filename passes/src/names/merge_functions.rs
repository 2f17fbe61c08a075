//! Puts one function in the place of another with the same types.
//!
//! before:
//! ```c
//! int f(int a) { return a; } int g(int b) { return b * 2; } int main(void) { return f(1) + g(2); }
//! ```
//! after:
//! ```c
//! int f(int a) { return a; } int main(void) { return f(1) + f(2); }
//! ```

use std::collections::HashMap;

use clreduce_testcase::{Edit, Patch, tokens};

use crate::analysis::{Function, functions, parameter_list, parameters};
use crate::edit::remove_declaration;
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "merge-functions",
    "Replace functions by another one with the same types",
    PARSED,
    propose,
)
.renaming();

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    let mut first: HashMap<Vec<u8>, Function> = HashMap::new();
    for function in functions(snapshot, proposals) {
        let Some(kind) = signature(snapshot, &function) else { continue };
        match first.get(&kind) {
            Some(earlier) => {
                let edits = merge(snapshot, earlier, &function);
                proposals.extend(edits.and_then(Patch::new).map(Proposal::new));
            }
            None => {
                first.insert(kind, function);
            }
        }
    }
}

/// The words of a function's head, names left out, and the file that it is in.
fn signature(snapshot: &Snapshot, function: &Function) -> Option<Vec<u8>> {
    let file = function.file;
    let (tree, symbols, bytes) =
        (snapshot.tree(file), snapshot.symbols(file), snapshot.bytes(file));
    let list = parameter_list(tree, function.name)?;
    let named = parameters(tree, list).into_iter().flat_map(|parameter| tree.subtree(parameter));
    let is_name = |&node: &crate::NodeId| {
        symbols.of(node).is_some_and(|id| symbols.get(id).declarations.contains(&node))
    };
    let mut names: Vec<_> = named.filter(is_name).map(|node| tree.range(node)).collect();
    names.push(tree.range(function.name));
    let head = tree.range(function.definition).start..tree.range(function.body).start;
    let mut signature = file.to_le_bytes().to_vec();
    for token in tokens(&bytes[head.clone()]) {
        let range = head.start + token.start as usize..head.start + token.end as usize;
        if !names.contains(&range) && &bytes[range.clone()] != b"static" {
            signature.extend_from_slice(&bytes[range]);
            signature.push(b' ');
        }
    }
    Some(signature)
}

fn merge(snapshot: &Snapshot, earlier: &Function, function: &Function) -> Option<Vec<Edit>> {
    let file = function.file;
    let (tree, symbols) = (snapshot.tree(file), snapshot.symbols(file));
    let symbol = symbols.get(function.symbol);
    if symbol.opaque || symbol.uses.is_empty() {
        return None;
    }
    let declarations = symbol.declarations.iter();
    let mut edits = declarations
        .map(|&name| remove_declaration(tree, file, name))
        .collect::<Option<Vec<Edit>>>()?;
    let name = &snapshot.bytes(file)[tree.range(earlier.name)];
    let uses = symbol.uses.iter();
    edits.extend(uses.map(|&used| Edit::replace(file, tree.range(used), name.to_vec())));
    Some(edits)
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn only_functions_of_the_same_types() {
        assert_reduces(
            &PASS,
            Language::C,
            "int f(int a, S *b) { } static int g(int x, S *y) { } int h(int, S); \
             int h(int x, S y) { } int k(void) { return f(1, 0) + g(2, 0) + h(3, s); }",
            &[],
            "int f(int a, S *b) { } int h(int, S); int h(int x, S y) { } \
             int k(void) { return f(1, 0) + f(2, 0) + h(3, s); }",
        );
    }
}
