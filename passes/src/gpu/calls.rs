//! Calls of what a file does not define, by name: built-ins.

use std::ops::Range;

use clreduce_language::{NodeField, NodeKind};
use clreduce_testcase::Edit;

use crate::smaller::is_smaller;
use crate::syntax::unit::Unit;
use crate::{NodeId, Snapshot};

/// A call of a built-in.
pub(super) struct Call<'a> {
    pub node: NodeId,
    pub name: &'a str,
    pub arguments: Vec<NodeId>,
}

/// The calls in a file of functions that it does not declare, in source order.
pub(super) fn builtin_calls<'a>(snapshot: &'a Snapshot, unit: Unit<'a>) -> Vec<Call<'a>> {
    let (tree, symbols) = (unit.tree, snapshot.symbols(unit.file));
    let calls = unit.sound().filter(|(_, kind)| *kind == NodeKind::CallExpression);
    calls
        .filter_map(|(node, _)| {
            let function = tree.field(node, NodeField::Function)?;
            let list = tree.field(node, NodeField::Arguments)?;
            let is_builtin =
                tree.kind(function) == NodeKind::Identifier && symbols.of(function).is_none();
            let name = std::str::from_utf8(unit.text(function)).ok()?;
            let arguments = tree.named_children(list).collect();
            is_builtin.then_some(Call { node, name, arguments })
        })
        .collect()
}

/// The edits that leave of a call its arguments in a row of texts: text, argument, text, …, text. `None`
/// where the arguments are not in source order, or the texts are no smaller than what they replace. Edits
/// inside the arguments remain free.
pub(super) fn rewritten(
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

/// Whether an argument binds tightly enough to stand beside any operator.
pub(super) fn is_primary(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::Identifier
            | NodeKind::NumberLiteral
            | NodeKind::CharLiteral
            | NodeKind::CallExpression
            | NodeKind::ParenthesizedExpression
            | NodeKind::SubscriptExpression
            | NodeKind::FieldExpression
    )
}
