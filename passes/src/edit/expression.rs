//! Edits that put one expression in the place of another.

use std::ops::Range;

use clreduce_language::{NodeId, NodeKind, SyntaxTree};
use clreduce_testcase::Edit;

use super::smaller::is_smaller;
use crate::analysis::Unit;

/// The edits that leave of a call its arguments in a row of texts: text, argument, text, …, text. `None`
/// where the arguments are not in source order, or the texts are no smaller than what they replace. Edits
/// inside the arguments remain free.
pub(crate) fn rewritten(
    unit: Unit<'_>,
    call: NodeId,
    texts: &[&str],
    arguments: &[NodeId],
) -> Option<Vec<Edit>> {
    let whole = unit.tree.range(call);
    let (mut edits, mut replaced) = (Vec::new(), Vec::new());
    let mut at = whole.start;
    let ends = arguments.iter().map(|&argument| unit.tree.range(argument));
    for (text, range) in texts.iter().zip(ends.chain(std::iter::once(whole.end..whole.end))) {
        if range.start < at {
            return None;
        }
        let gap: Range<usize> = at..range.start;
        replaced.extend([&unit.bytes[gap.clone()], b" "].concat());
        edits.push(Edit::replace(unit.file, gap, text.as_bytes().to_vec()));
        at = range.end;
    }
    is_smaller(texts.join(" ").as_bytes(), &replaced).then_some(edits)
}

/// A text that can stand where an identifier stood.
pub(crate) fn as_operand(tree: &SyntaxTree, value: NodeId, text: &[u8]) -> Vec<u8> {
    let is_primary = matches!(
        tree.kind(value),
        NodeKind::Identifier
            | NodeKind::NumberLiteral
            | NodeKind::CharLiteral
            | NodeKind::StringLiteral
            | NodeKind::CallExpression
            | NodeKind::ParenthesizedExpression
            | NodeKind::SubscriptExpression
            | NodeKind::FieldExpression
    );
    if is_primary { text.to_vec() } else { [b"(", text, b")"].concat() }
}
