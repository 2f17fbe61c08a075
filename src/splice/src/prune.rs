//! Pruning of statements that are never executed, as CLsmith does it: statements are deleted, or lifted out of branches and loops.

use clreduce_generator::{EmiRates, PrunedAs, SeedKey};
use clreduce_language::{NodeField, NodeId, NodeKind, SyntaxTree};
use clreduce_testcase::Language;

use crate::shape::is_loop;

/// A block after pruning, the inner statements first; `None` if no statement is left.
pub(crate) fn pruned(block: &[u8], rates: EmiRates, key: SeedKey) -> Option<Vec<u8>> {
    let text = [b"void f(void) ", block].concat();
    let tree = SyntaxTree::parse(&text, Language::OPENCL);
    let body = tree.ids().find(|&id| tree.kind(id) == NodeKind::CompoundStatement)?;
    let mut pruner = Pruner { text: &text, tree: &tree, rates, key, is_left: false };
    let statements = pruner.block(body);
    pruner.is_left.then_some(statements)
}

struct Pruner<'a> {
    text: &'a [u8],
    tree: &'a SyntaxTree,
    rates: EmiRates,
    key: SeedKey,
    /// True if a statement is left that is no declaration.
    is_left: bool,
}

impl Pruner<'_> {
    fn bytes(&self, id: NodeId) -> &[u8] {
        &self.text[self.tree.range(id)]
    }

    /// The statements of a block that are left, in brackets.
    fn block(&mut self, id: NodeId) -> Vec<u8> {
        let mut text = b"{ ".to_vec();
        for child in self.tree.named_children(id).collect::<Vec<_>>() {
            text.extend(self.statement(child));
            text.push(b' ');
        }
        text.push(b'}');
        text
    }

    fn statement(&mut self, id: NodeId) -> Vec<u8> {
        let kind = self.tree.kind(id);
        if kind == NodeKind::CompoundStatement {
            return self.block(id);
        }
        let is_compound = is_loop(kind) || kind == NodeKind::IfStatement;
        let is_leaf = matches!(
            kind,
            NodeKind::ExpressionStatement | NodeKind::BreakStatement | NodeKind::ContinueStatement
        );
        // The other statements need the declarations.
        if !is_compound && !is_leaf {
            self.is_left |= kind != NodeKind::Declaration;
            return self.bytes(id).to_vec();
        }
        let mut stream = self.key.child(self.tree.node(id).start.into()).stream();
        let was_left = self.is_left;
        let parts: Vec<(NodeId, Vec<u8>)> =
            self.parts(id).into_iter().map(|part| (part, self.statement(part))).collect();
        match self.rates.decide(is_compound, &mut stream) {
            PrunedAs::Deleted => {
                self.is_left = was_left;
                b";".to_vec()
            }
            PrunedAs::Lifted => self.lifted(id, &parts),
            PrunedAs::Kept => {
                self.is_left = true;
                self.replaced(id, &parts)
            }
        }
    }

    /// The statements within a branch or loop.
    fn parts(&self, id: NodeId) -> Vec<NodeId> {
        let tree = self.tree;
        let otherwise =
            tree.field(id, NodeField::Alternative).map(|clause| match tree.kind(clause) {
                NodeKind::ElseClause => tree.named_children(clause).last().unwrap_or(clause),
                _ => clause,
            });
        let fields = [NodeField::Consequence, NodeField::Body].map(|field| tree.field(id, field));
        fields.into_iter().chain([otherwise]).flatten().collect()
    }

    /// A statement with other parts.
    fn replaced(&self, id: NodeId, parts: &[(NodeId, Vec<u8>)]) -> Vec<u8> {
        let range = self.tree.range(id);
        let (mut text, mut done) = (Vec::new(), range.start);
        for (part, new) in parts {
            let old = self.tree.range(*part);
            text.extend(&self.text[done..old.start]);
            text.extend(new);
            done = old.end;
        }
        text.extend(&self.text[done..range.end]);
        text
    }

    /// The parts of a statement in its place. The variables of its head come along, and jumps out of the loop do not.
    fn lifted(&self, id: NodeId, parts: &[(NodeId, Vec<u8>)]) -> Vec<u8> {
        let tree = self.tree;
        let head = tree.field(id, NodeField::Initializer);
        let head = head.filter(|&head| tree.kind(head) == NodeKind::Declaration);
        let mut text = b"{ ".to_vec();
        text.extend(head.map_or(&b""[..], |head| self.bytes(head)));
        for (_, part) in parts {
            match is_loop(tree.kind(id)) {
                true => text.extend(without_jumps(part)),
                false => text.extend(part),
            }
            text.push(b' ');
        }
        text.push(b'}');
        text
    }
}

/// The body of a loop without the jumps that leave the loop or its iteration.
fn without_jumps(body: &[u8]) -> Vec<u8> {
    let text = [b"void f(void) { ", body, b" }"].concat();
    let tree = SyntaxTree::parse(&text, Language::OPENCL);
    let is_jump = |&id: &NodeId| {
        let ends_switch = tree.kind(id) == NodeKind::BreakStatement;
        let jumps = ends_switch || tree.kind(id) == NodeKind::ContinueStatement;
        jumps
            && !tree.ancestors(id).any(|around| {
                is_loop(tree.kind(around))
                    || ends_switch && tree.kind(around) == NodeKind::SwitchStatement
            })
    };
    let (mut left, mut done) = (Vec::new(), b"void f(void) { ".len());
    for id in tree.ids().filter(is_jump) {
        let range = tree.range(id);
        left.extend(&text[done..range.start]);
        left.push(b';');
        done = range.end;
    }
    left.extend(&text[done..text.len() - b" }".len()]);
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(block: &str) -> Vec<String> {
        let key = SeedKey::root(3);
        let one = |rates| pruned(block.as_bytes(), rates, key);
        let texts = EmiRates::ALL.into_iter().filter_map(one);
        texts.map(|text| String::from_utf8(text).unwrap()).collect()
    }

    #[test]
    fn statements_are_kept_deleted_and_lifted() {
        let block =
            "{ int x = 1; for (int i = 0; i < 3; i++) { if (x) break; else x = i; x += 2; } x++; }";
        let texts = all(block);
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(squeezed(&texts[0]), squeezed(block));
        // The jump goes with the loop, and its variable stays.
        assert!(texts.iter().any(|text| text.contains("{ int i = 0;") && !text.contains("break")));
        assert!(texts.iter().any(|text| text.contains("for") && !text.contains("x++")));
        assert!(texts.iter().all(|text| text.contains("int x = 1;")));
        for text in &texts {
            let tree = SyntaxTree::parse(format!("void f() {text}").as_bytes(), Language::OPENCL);
            assert!(!tree.has_error(NodeId(0)), "{text}");
            assert!(text.contains("for") || !text.contains("break"), "{text}");
        }
    }
}
