//! The gaps of conditions: how far the numbers that a condition compares are from each other.
//!
//! Each operand passes through a function that tells the run-time its value and returns it. A search for launches closes the
//! gap of a condition to get to its other branch.

use clreduce_language::{NodeField, NodeId, NodeKind, Scalar, SyntaxTree, Types};
use clreduce_testcase::tokens;

use crate::sources::Source;

/// The numbers that a condition compared when they were nearest to each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Gap {
    /// The condition: the place that counts how often it is false. That of its being true is the next one.
    pub place: u32,
    /// The left operand.
    pub left: f64,
    /// The right operand; 0 where a number alone is the condition.
    pub right: f64,
    /// Where the operands may have come from: first what was read and has their values, then what was read last.
    pub sources: Vec<Source>,
}

impl Gap {
    /// The left operand without the right one.
    #[must_use]
    pub fn signed(&self) -> f64 {
        self.left - self.right
    }

    /// Reads a line of the run-time: `clreduce-gap: 12 3 3001 0:16`.
    pub(super) fn read(line: &str) -> Option<Self> {
        let mut words = line.strip_prefix("clreduce-gap: ")?.split(' ');
        let place = words.next()?.parse().ok()?;
        let mut number = || words.next()?.parse::<f64>().ok().filter(|number| number.is_finite());
        let (left, right) = (number()?, number()?);
        Some(Self { place, left, right, sources: words.filter_map(Source::read).collect() })
    }
}

/// The functions that operands pass through. `char`, `short` and truth values are promoted to `int`, as they are where they
/// are compared.
pub(super) fn declarations(source: &[u8]) -> String {
    let mut text = String::from(
        "void clreduce_operand_is_whole(unsigned, int, long); void clreduce_operand_is_real(unsigned, int, float);\n",
    );
    let has_double = tokens(source).any(|token| source[token.range()].starts_with(b"double"));
    let real: &[&str] = if has_double { &["float", "double"] } else { &["float"] };
    let whole = ["int", "uint", "long", "ulong"].map(|kind| (kind, "whole"));
    for (kind, what) in whole.into_iter().chain(real.iter().map(|&kind| (kind, "real"))) {
        text += &format!(
            "__attribute__((overloadable)) static {kind} clreduce_operand(unsigned place, int side, {kind} value) \
             {{ clreduce_operand_is_{what}(place, side, value); return value; }} "
        );
    }
    text + "\n"
}

/// The operands of a comparison of numbers, with 0 for the left one and 1 for the right one; or a number alone.
pub(super) fn operands(
    source: &[u8],
    tree: &SyntaxTree,
    types: &Types,
    condition: NodeId,
) -> Vec<(NodeId, u8)> {
    let is_number = |&id: &NodeId| {
        types.of(id).number().is_some_and(|one| one.lanes == 1 && one.scalar != Scalar::Half)
    };
    let bare = std::iter::successors(Some(condition), |&id| {
        let is_bracket = tree.kind(id) == NodeKind::ParenthesizedExpression;
        is_bracket.then(|| tree.named_children(id).next()).flatten()
    });
    let Some(bare) = bare.last() else { return Vec::new() };
    let operator = tree.field(bare, NodeField::Operator).map(|id| &source[tree.range(id)]);
    let compares = matches!(operator, Some(b"==" | b"!=" | b"<" | b"<=" | b">" | b">="));
    if tree.kind(bare) == NodeKind::BinaryExpression && compares {
        let sides = [NodeField::Left, NodeField::Right].map(|side| tree.field(bare, side));
        let [Some(left), Some(right)] = sides else { return Vec::new() };
        let both = [left, right].iter().all(is_number);
        return if both { vec![(left, 0), (right, 1)] } else { Vec::new() };
    }
    let is_choice = matches!(
        tree.kind(bare),
        NodeKind::CommaExpression
            | NodeKind::AssignmentExpression
            | NodeKind::ConditionalExpression
    );
    if is_number(&bare) && !is_choice { vec![(bare, 0)] } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_place_and_two_numbers() {
        let gap = Gap::read("clreduce-gap: 12 3 3001.5 1:8").unwrap();
        assert_eq!((gap.place, gap.signed()), (12, -2998.5));
        assert_eq!(gap.sources, [Source { argument: 1, offset: 8 }]);
        assert_eq!(Gap::read("clreduce-gap: 12 nan 3"), None);
        assert_eq!(Gap::read("clreduce-gap: 12"), None);
    }
}
