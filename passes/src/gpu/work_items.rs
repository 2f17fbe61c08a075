//! Replaces work-item functions, and CUDA's variables for them, by the number that they have for a single
//! work-item: identifiers by 0, sizes by 1.
//!
//! All of them together, then all of one kind, then one by one.
//!
//! before:
//! ```cl
//! void f(__global int *p) { p[get_global_id(0)] = get_global_size(0) + get_global_id(1); }
//! ```
//! after:
//! ```cl
//! void f(__global int *p) { p[0] = 1 + 0; }
//! ```

use std::collections::BTreeMap;

use clreduce_language::{NodeField, NodeKind, Shape};
use clreduce_testcase::{Edit, Feature, Patch};

use crate::analysis::{Unit, builtin_calls};
use crate::pass::{DEVICE, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot};

pub(crate) const PASS: Pass =
    Pass::new("work-items", "Replace work-item functions by 0, and sizes by 1", DEVICE, propose);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    proposals.extend(Unit::all(snapshot).flat_map(|unit| for_file(snapshot, unit)));
}

fn for_file(snapshot: &Snapshot, unit: Unit<'_>) -> Vec<Proposal> {
    let mut kinds: BTreeMap<&str, Vec<Edit>> = BTreeMap::new();
    let mut replace = |name, node: NodeId, is_size: bool| {
        let number: &[u8] = if is_size { b"1" } else { b"0" };
        let edit = Edit::replace(unit.file, unit.tree.range(node), number);
        kinds.entry(name).or_default().push(edit);
    };
    if snapshot.language().has(Feature::OpenClWords) {
        for call in builtin_calls(snapshot, unit) {
            if Shape::of(call.name) == Some(Shape::WorkItem) {
                let is_size =
                    ["size", "num_groups", "dim"].iter().any(|end| call.name.ends_with(end));
                replace(call.name, call.node, is_size);
            }
        }
    } else {
        for (node, name) in cuda_variables(unit) {
            replace(name, node, name.ends_with("Dim"));
        }
    }
    let patches = |edits: Vec<Vec<Edit>>, list: u32| {
        let patches = edits.into_iter().filter_map(Patch::new);
        patches.map(move |patch| Proposal::new(patch).in_list(list))
    };
    let single: Vec<Vec<Edit>> = kinds.values().flatten().map(|edit| vec![edit.clone()]).collect();
    let mut proposals = Vec::new();
    if kinds.len() > 1 {
        proposals.extend(patches(vec![kinds.values().flatten().cloned().collect()], 0));
    }
    if single.len() > kinds.len() {
        proposals.extend(patches(kinds.into_values().collect(), 1));
    }
    proposals.extend(patches(single, 2));
    proposals
}

/// `threadIdx.x` and the like.
fn cuda_variables(unit: Unit<'_>) -> impl Iterator<Item = (NodeId, &'static str)> {
    const VARIABLES: [&str; 4] = ["blockDim", "blockIdx", "gridDim", "threadIdx"];
    unit.sound().filter(|(_, kind)| *kind == NodeKind::FieldExpression).filter_map(
        move |(node, _)| {
            let text = unit.text(unit.tree.field(node, NodeField::Argument)?);
            let name = VARIABLES.iter().find(|name| name.as_bytes() == text)?;
            Some((node, *name))
        },
    )
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn identifiers_and_sizes() {
        assert_reduces(
            &PASS,
            Language::OPENCL,
            "x = get_local_id(0) * get_num_groups(1) + get_local_id(2) + get_work_dim();",
            &["get_local_id(2)"],
            "x = 0 * 1 + get_local_id(2) + 1;",
        );
    }

    #[test]
    fn of_cuda_too() {
        assert_reduces(
            &PASS,
            Language::CUDA,
            "void f(void) { x = blockIdx.x * blockDim.x + threadIdx.y; }",
            &[],
            "void f(void) { x = 0 * 1 + 0; }",
        );
    }
}
