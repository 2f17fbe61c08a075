//! Computes what is constant: integers without suffix, where neither they nor the result exceed an
//! `int`, and conditions that are a literal.
//!
//! before:
//! ```c
//! int f(void) { return g(1 << 2) + (7 - 3) * 2; }
//! ```
//! after:
//! ```c
//! int f(void) { return g(4) + (7 - 3) * 2; }
//! ```

use clreduce_language::{NodeField, NodeKind};
use clreduce_testcase::Edit;

use crate::analysis::Unit;
use crate::pass::{PARSED, Pass, PassInfo, Proposal, Proposals};
use crate::{NodeId, Snapshot};

/// The pass.
pub(crate) struct FoldConstants;

impl Pass for FoldConstants {
    fn info(&self) -> PassInfo {
        PassInfo::new("fold-constants", "Compute operations on integer literals", PARSED)
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        for unit in Unit::all(snapshot) {
            let values = values(unit);
            for (id, kind) in unit.sound() {
                if kind == NodeKind::BinaryExpression
                    && let Some(value) = values[id.0 as usize]
                {
                    let text = value.to_string().into_bytes();
                    let edit = Edit::replace(unit.file, unit.tree.range(id), text);
                    proposals.push(Proposal::edit(edit));
                }
            }
        }
    }
}

/// The value of each node that is an expression of literals, where it is no less than 0.
fn values(unit: Unit<'_>) -> Vec<Option<i32>> {
    let tree = unit.tree;
    let mut values: Vec<Option<i32>> = vec![None; tree.len()];
    // Children come behind their parents.
    for id in tree.ids().rev() {
        let of = |id: NodeId| values[id.0 as usize];
        let value = match tree.kind(id) {
            NodeKind::NumberLiteral => literal(unit.text(id)),
            NodeKind::ParenthesizedExpression => tree.named_children(id).next().and_then(of),
            NodeKind::BinaryExpression => binary(unit, id, of),
            _ => None,
        };
        values[id.0 as usize] = value.filter(|value| *value >= 0);
    }
    values
}

fn literal(text: &[u8]) -> Option<i32> {
    let text = std::str::from_utf8(text).ok()?;
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => i32::from_str_radix(digits, 16).ok(),
        None if text.len() > 1 && text.starts_with('0') => i32::from_str_radix(&text[1..], 8).ok(),
        None => text.parse().ok(),
    }
}

fn binary(unit: Unit<'_>, id: NodeId, of: impl Fn(NodeId) -> Option<i32>) -> Option<i32> {
    let tree = unit.tree;
    let (a, b) = (of(tree.field(id, NodeField::Left)?)?, of(tree.field(id, NodeField::Right)?)?);
    let shift = u32::try_from(b).ok().filter(|&by| by < 31);
    match unit.text(tree.field(id, NodeField::Operator)?) {
        b"+" => a.checked_add(b),
        b"-" => a.checked_sub(b),
        b"*" => a.checked_mul(b),
        b"/" => a.checked_div(b),
        b"%" => a.checked_rem(b),
        b"<<" => a.checked_mul(1 << shift?),
        b">>" => Some(a >> shift?),
        b"&" => Some(a & b),
        b"|" => Some(a | b),
        b"^" => Some(a ^ b),
        b"&&" => Some(i32::from(a != 0 && b != 0)),
        b"||" => Some(i32::from(a != 0 || b != 0)),
        b"==" => Some(i32::from(a == b)),
        b"!=" => Some(i32::from(a != b)),
        b"<" => Some(i32::from(a < b)),
        b">" => Some(i32::from(a > b)),
        b"<=" => Some(i32::from(a <= b)),
        b">=" => Some(i32::from(a >= b)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn only_what_is_an_int_is_computed() {
        let check = |before: &str, after: &str| {
            let wrap = |text: &str| format!("int x = {text};");
            assert_reduces(&FoldConstants, Language::C, &wrap(before), &[], &wrap(after));
        };
        check("(0x10 - 3) * 2 + y", "26 + y");
        check("1U + 2", "1U + 2");
        check("1 - 2", "1 - 2");
        check("2147483647 + 1 + 1 / 0 + (1 << 31)", "2147483647 + 1 + 1 / 0 + (1 << 31)");
    }
}
