//! Faults of kernels: barriers, indices and atomic operations.

use clreduce_language::NodeKind;
use clreduce_testcase::{Edit, Feature, Patch};

use super::{FoundMutants, MutationOperator};
use crate::Snapshot;
use crate::analysis::{Unit, builtin_calls};
use crate::gpu::atomics;
use crate::gpu::images::image_type;
use crate::pass::Proposals;

pub(super) static NO_BARRIER: MutationOperator =
    MutationOperator { name: "no-barrier", summary: "no barrier" };
pub(super) static DIVERGENT_BARRIER: MutationOperator =
    MutationOperator { name: "divergent-barrier", summary: "a barrier for one work-item alone" };
pub(super) static FENCE: MutationOperator =
    MutationOperator { name: "fence", summary: "a fence of the other address space" };
pub(super) static WORK_ITEM: MutationOperator =
    MutationOperator { name: "work-item", summary: "another index of the work-item" };
pub(super) static PLAIN_ATOMIC: MutationOperator =
    MutationOperator { name: "plain-atomic", summary: "a plain operation for an atomic one" };
pub(super) static PLAIN_ATOMICS: MutationOperator =
    MutationOperator { name: "plain-atomics", summary: "plain operations for all atomic ones" };

pub(super) static COORDINATE: MutationOperator =
    MutationOperator { name: "coordinate", summary: "other coordinates in an image" };

/// The functions that synchronise a group.
const BARRIERS: [&str; 3] = ["barrier", "work_group_barrier", "__syncthreads"];
const FENCES: [[&str; 2]; 1] = [["CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE"]];
/// Names of which each can stand for the others.
const INDICES: [&[&str]; 3] = [
    &["get_local_id", "get_global_id", "get_group_id"],
    &["get_local_size", "get_global_size", "get_num_groups"],
    &["threadIdx", "blockIdx"],
];

pub(super) fn find(snapshot: &Snapshot, found: &mut FoundMutants<'_>) {
    if !snapshot.language().has_all(&[Feature::Syntax, Feature::CheckedKernels]) {
        return;
    }
    barriers(snapshot, found);
    indices(snapshot, found);
    coordinates(snapshot, found);
    atomics(snapshot, found);
}

fn barriers(snapshot: &Snapshot, found: &mut FoundMutants<'_>) {
    let (unit, tree) = (found.unit, found.unit.tree);
    let first = match snapshot.language().has(Feature::HostAndDevice) {
        true => "if (threadIdx.x == 0) ",
        false => "if (get_local_id(0) == 0) ",
    };
    for call in builtin_calls(snapshot, unit) {
        let Some(statement) = tree.parent(call.node) else { continue };
        if BARRIERS.contains(&call.name) && tree.kind(statement) == NodeKind::ExpressionStatement {
            found.replace(&NO_BARRIER, statement, ";");
            let text = [first.as_bytes(), unit.text(statement)].concat();
            found.replace(&DIVERGENT_BARRIER, statement, text);
        }
    }
}

fn indices(snapshot: &Snapshot, found: &mut FoundMutants<'_>) {
    let unit = found.unit;
    let symbols = snapshot.symbols(unit.file);
    let names: Vec<_> = unit
        .sound()
        .filter(|&(node, kind)| kind == NodeKind::Identifier && symbols.of(node).is_none())
        .collect();
    for (node, _) in names {
        let text = unit.text(node);
        let is = |name: &&str| name.as_bytes() == text;
        let rows = INDICES.into_iter().map(|row| (&WORK_ITEM, row));
        let rows = rows.chain(FENCES.iter().map(|row| (&FENCE, &row[..])));
        for (operator, row) in rows.filter(|(_, row)| row.iter().any(&is)) {
            for other in row.iter().filter(|name| !is(name)) {
                found.replace(operator, node, *other);
            }
        }
    }
}

/// Each coordinate one more and one less, and the first two of an image with several exchanged.
fn coordinates(snapshot: &Snapshot, found: &mut FoundMutants<'_>) {
    let (unit, symbols) = (found.unit, snapshot.symbols(found.unit.file));
    for call in builtin_calls(snapshot, unit) {
        let coordinate = match call.name {
            name if name.starts_with("read_image") => call.arguments.last(),
            name if name.starts_with("write_image") => call.arguments.get(1),
            _ => continue,
        };
        let (Some(&image), Some(&coordinate)) = (call.arguments.first(), coordinate) else {
            continue;
        };
        let of_type = symbols.of(image).and_then(|id| image_type(unit, symbols, id));
        let exchanged = match of_type {
            Some(b"image2d_t") => Some(".yx"),
            Some(name) if !name.starts_with(b"image1d") => Some(".yxzw"),
            _ => None,
        };
        for change in [" + 1", " - 1"].into_iter().chain(exchanged) {
            let text = [b"(", unit.text(coordinate), b")", change.as_bytes()].concat();
            found.replace(&COORDINATE, coordinate, text);
        }
    }
}

/// One atomic operation that became a plain one conflicts with the others; all of them conflict with each other.
fn atomics(snapshot: &Snapshot, found: &mut FoundMutants<'_>) {
    let patches: Vec<Patch> = Proposals::of(&atomics::PASS, snapshot)
        .list
        .into_iter()
        .map(|proposal| proposal.patch)
        .filter(|patch| patch.edits().iter().all(|edit| is_in(edit, found.unit)))
        .collect();
    if let [_, _, ..] = patches[..] {
        let edits = patches.iter().flat_map(|patch| patch.edits().iter().cloned());
        if let Some(all) = Patch::new(edits.collect()) {
            found.add(&PLAIN_ATOMICS, all);
        }
    }
    for patch in patches {
        found.add(&PLAIN_ATOMIC, patch);
    }
}

fn is_in(edit: &Edit, unit: Unit<'_>) -> bool {
    edit.file as usize == unit.file
}
