//! Vectors among the values of an initialiser list. A single number in the place of one is another program: whether it
//! fills the vector or is its first component, OpenCL C does not say, and compilers disagree.

use clreduce_language::NodeKind;

use super::unit::Unit;
use crate::{NodeId, Snapshot};

/// Operators around a vector that are looked through. A longer chain is as long as the input makes it.
const MOST_OPERATORS: usize = 8;

/// The number of components of an expression that is a vector among the values of an initialiser list, or an operand of
/// one; `None` for all other expressions.
pub(crate) fn lanes_in_list(snapshot: &Snapshot, unit: Unit<'_>, id: NodeId) -> Option<u8> {
    let tree = unit.tree;
    let is_operator = |node: &NodeId| {
        matches!(
            tree.kind(*node),
            NodeKind::BinaryExpression
                | NodeKind::UnaryExpression
                | NodeKind::ConditionalExpression
                | NodeKind::ParenthesizedExpression
        )
    };
    let around = tree.ancestors(id).take(MOST_OPERATORS).find(|node| !is_operator(node))?;
    if !matches!(tree.kind(around), NodeKind::InitializerList | NodeKind::InitializerPair) {
        return None;
    }
    let number = snapshot.types(unit.file).of(id).number()?;
    (number.lanes > 1).then_some(number.lanes)
}
