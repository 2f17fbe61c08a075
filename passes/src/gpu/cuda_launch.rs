//! Lowers the sizes of launches in `<<<…>>>` and in variables of type `dim3`: to 1, 2, 4, … rather than
//! counted up; and drops shared memory and streams from launches.
//!
//! before:
//! ```cu
//! void f(int *p) { dim3 grid(16, 2); k<<<grid, 256, 0, 0>>>(p); }
//! ```
//! after:
//! ```cu
//! void f(int *p) { dim3 grid(1, 1); k<<<1, 1>>>(p); }
//! ```

use clreduce_language::{NodeField, NodeKind};
use clreduce_testcase::{Edit, Feature, Patch};

use crate::analysis::Unit;
use crate::pass::{Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot};

pub(crate) const PASS: Pass = Pass::new(
    "cuda-launch",
    "Lower the sizes in <<<...>>> and dim3",
    &[Feature::HostAndDevice],
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    proposals.extend(Unit::all(snapshot).flat_map(for_file));
}

/// A launch has a grid and a block; what follows is shared memory and a stream.
const SIZES: usize = 2;

fn for_file(unit: Unit<'_>) -> Vec<Proposal> {
    let tree = unit.tree;
    let (mut all, mut single) = (Vec::new(), Vec::new());
    for (id, kind) in unit.sound() {
        let sizes: Vec<NodeId> = match kind {
            NodeKind::KernelCallSyntax => {
                let arguments: Vec<NodeId> = tree.named_children(id).collect();
                let rest = arguments.iter().skip(SIZES);
                all.extend(
                    rest.clone().map(|&node| Edit::delete_element(unit.file, tree.range(node))),
                );
                single.extend(rest.map(|&node| Edit::delete_element(unit.file, tree.range(node))));
                arguments.into_iter().take(SIZES).collect()
            }
            NodeKind::ArgumentList if makes_dim3(unit, id) => tree.named_children(id).collect(),
            _ => continue,
        };
        for size in sizes {
            let smaller = smaller(unit, size);
            all.extend(smaller.first().cloned());
            single.extend(smaller);
        }
    }
    let mut proposals: Vec<Proposal> = Vec::new();
    if all.len() > 1 {
        proposals.extend(Patch::new(all).map(Proposal::new));
    }
    proposals.extend(single.into_iter().map(|edit| Proposal::edit(edit).in_list(1)));
    proposals
}

/// `dim3 x(4, 2)` or `dim3(4, 2)`.
fn makes_dim3(unit: Unit<'_>, list: NodeId) -> bool {
    let tree = unit.tree;
    let Some(parent) = tree.parent(list) else { return false };
    let of = match tree.kind(parent) {
        NodeKind::CallExpression => tree.field(parent, NodeField::Function),
        NodeKind::InitDeclarator => {
            tree.parent(parent).and_then(|node| tree.field(node, NodeField::Type))
        }
        _ => None,
    };
    of.is_some_and(|of| unit.text(of) == b"dim3")
}

/// Powers of two below a number; for anything else 1.
fn smaller(unit: Unit<'_>, size: NodeId) -> Vec<Edit> {
    let (text, range) = (unit.text(size), unit.tree.range(size));
    let replace =
        |number: u64| Edit::replace(unit.file, range.clone(), number.to_string().into_bytes());
    match std::str::from_utf8(text).ok().and_then(|text| text.parse::<u64>().ok()) {
        Some(number) => {
            let powers = std::iter::successors(Some(1_u64), |power| power.checked_mul(2));
            powers.take_while(|&power| power < number).map(replace).collect()
        }
        None => vec![replace(1)],
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn as_few_as_needed() {
        assert_reduces(
            &PASS,
            Language::CUDA,
            "void f() { k<<<dim3(64, 3), g(), 4>>>(1); }",
            &["dim3(4"],
            "void f() { k<<<dim3(4, 1), 1>>>(1); }",
        );
    }
}
