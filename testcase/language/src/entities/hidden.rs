//! Names in attributes of GNU C++ and CUDA, which the parser does not get to see: `launch_bounds(A::threads)`,
//! `aligned(alignof(T))`.

use clreduce_testcase::{CudaWord, Token, TokenKind, step, tokens};

use super::mentions::Reference;
use super::{Entities, ItemId};
use crate::tree::{NodeId, SyntaxTree};

/// How many parentheses are around the arguments of the attribute that a word begins; `None` for another word. The parser
/// sees `__launch_bounds__`.
fn depth_of_arguments(word: &[u8]) -> Option<usize> {
    match word {
        b"__attribute__" | b"__attribute" => Some(3),
        b"__launch_bounds__" => None,
        _ => (CudaWord::of(word) == Some(CudaWord::WithArguments)).then_some(1),
    }
}

/// Adds to the innermost item around each attribute what its arguments may mean.
pub(super) fn add_mentions(bytes: &[u8], tree: &SyntaxTree, entities: &mut Entities) {
    let mut changed: Vec<ItemId> = Vec::new();
    let (mut open, mut next): (Vec<ItemId>, usize) = (Vec::new(), 0);
    let range = |node: NodeId| tree.range(node);
    for word in words(bytes) {
        let at = word.start as usize;
        while entities.items.get(next).is_some_and(|item| range(item.node).start <= at) {
            open.push(ItemId(next as u32));
            next += 1;
            step();
        }
        // An item that has ended holds none of those that follow.
        while open.last().is_some_and(|&id| range(entities.item(id).node).end <= at) {
            open.pop();
        }
        let (Some(&id), Some(name)) = (open.last(), entities.scopes.name(&bytes[word.range()]))
        else {
            continue;
        };
        entities.items[id.0 as usize].mentions.push((word.start, Reference::Any(name)));
        changed.push(id);
    }
    changed.sort_unstable();
    changed.dedup();
    for id in changed {
        entities.items[id.0 as usize].mentions.sort();
    }
}

/// The words in the arguments of attributes, in order.
fn words(bytes: &[u8]) -> Vec<Token> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    // The parentheses around the arguments of the attribute that a token is in.
    let mut inside: Option<usize> = None;
    for token in tokens(bytes) {
        let text = &bytes[token.range()];
        match (inside, text) {
            (None, _) => {
                inside = depth_of_arguments(text);
                depth = 0;
            }
            (Some(_), b"(") => depth += 1,
            (Some(_), b")") if depth > 1 => depth -= 1,
            (Some(around), _) if depth > 0 && !matches!(text, b")" | b";" | b"{" | b"}") => {
                let is_argument = depth >= around && token.kind == TokenKind::Word;
                found.extend(is_argument.then_some(token));
            }
            _ => inside = None,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_arguments_are_names() {
        let source = "__attribute__((device)) __attribute__((launch_bounds(A::n, f(m)), pure)) void f(int x);
            __align__(sizeof(B)) int y; __attribute__ int z; __attribute__((aligned(C; int w;";
        let found = words(source.as_bytes()).into_iter().map(|token| &source[token.range()]);
        assert_eq!(found.collect::<Vec<_>>(), ["A", "n", "f", "m", "sizeof", "B", "C"]);
    }
}
