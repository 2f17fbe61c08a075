//! Brings host code around CUDA kernels down to one launch and one copy back: synchronisation, events,
//! error checks and releases go together, then all launches but one, all copies back but one, and
//! copies to the device.
//!
//! before:
//! ```cu
//! int main() { int *d, h; cudaMalloc(&d, 4); cudaMemcpy(d, &h, 4, cudaMemcpyHostToDevice); k<<<1, 1>>>(d); k<<<1, 1>>>(d);
//! if (cudaGetLastError() != cudaSuccess) return 1; cudaDeviceSynchronize(); cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); cudaFree(d); }
//! ```
//! after:
//! ```cu
//! int main() { int *d, h; cudaMalloc(&d, 4); k<<<1, 1>>>(d); cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); }
//! ```

use clreduce_language::{NodeField, NodeKind};
use clreduce_testcase::{Edit, Feature, Patch};

use crate::analysis::Unit;
use crate::edit::remove_statement;
use crate::pass::{Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot};

pub(crate) const PASS: Pass = Pass::new(
    "cuda-host",
    "Bring CUDA host code down to one launch and one copy back",
    &[Feature::HostAndDevice],
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    proposals.extend(Unit::all(snapshot).flat_map(for_file));
}

/// The CUDA operation of a statement of host code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HostRole {
    Launch,
    CopyBack,
    CopyThere,
    /// Nothing that a result depends on: waiting, measuring, checking, releasing.
    Other,
}

fn for_file(unit: Unit<'_>) -> Vec<Proposal> {
    let statements = statements(unit);
    let of = |wanted: HostRole| {
        let alike = statements.iter().filter(move |(_, role)| *role == wanted);
        alike.map(|&(statement, _)| remove_statement(unit.tree, unit.file, statement)).collect()
    };
    let mut patches: Vec<Vec<Edit>> = vec![of(HostRole::Other)];
    for role in [HostRole::Launch, HostRole::CopyBack] {
        let edits: Vec<Edit> = of(role);
        // The last one shows what the ones before it did.
        for kept in edits.iter().rev().take(if edits.len() > 1 { 3 } else { 0 }) {
            patches.push(edits.iter().filter(|edit| *edit != kept).cloned().collect());
        }
    }
    patches.push(of(HostRole::CopyThere));
    let patches = patches.into_iter().filter(|edits| !edits.is_empty()).filter_map(Patch::new);
    patches.zip(0..).map(|(patch, list)| Proposal::new(patch).in_list(list)).collect()
}

/// The outermost statements that call CUDA, with their roles.
fn statements(unit: Unit<'_>) -> Vec<(NodeId, HostRole)> {
    let tree = unit.tree;
    let mut found: Vec<(NodeId, HostRole)> = Vec::new();
    for (call, kind) in unit.sound() {
        if kind != NodeKind::CallExpression {
            continue;
        }
        let Some(role) = role(unit, call) else { continue };
        let inside = |&node: &NodeId| tree.kind(node) != NodeKind::CompoundStatement;
        let around: Vec<NodeId> = tree.ancestors(call).take(8).take_while(inside).collect();
        let statement = around.into_iter().rev().find(|&node| {
            matches!(tree.kind(node), NodeKind::ExpressionStatement | NodeKind::IfStatement)
                && tree.is_sound(node)
        });
        let Some(statement) = statement else { continue };
        // What a check guards is more than a check.
        let checks =
            tree.kind(statement) != NodeKind::IfStatement || is_in_condition(unit, statement, call);
        if checks && found.last().is_none_or(|(last, _)| tree.node(*last).after <= statement) {
            found.push((statement, role));
        }
    }
    found
}

fn is_in_condition(unit: Unit<'_>, statement: NodeId, call: NodeId) -> bool {
    let condition = unit.tree.field(statement, NodeField::Condition);
    condition.is_some_and(|node| node < call && call < unit.tree.node(node).after)
}

fn role(unit: Unit<'_>, call: NodeId) -> Option<HostRole> {
    let tree = unit.tree;
    if tree.children(call).any(|child| tree.kind(child) == NodeKind::KernelCallSyntax) {
        return Some(HostRole::Launch);
    }
    let name = unit.text(tree.field(call, NodeField::Function)?);
    let arguments = tree.field(call, NodeField::Arguments).map_or(&b""[..], |list| unit.text(list));
    let says = |word: &[u8]| arguments.windows(word.len()).any(|window| window == word);
    match name {
        b"cudaMalloc" | b"cudaMallocManaged" | b"cudaHostAlloc" | b"cudaMallocHost" => None,
        b"cudaMemcpy" | b"cudaMemcpyAsync" if says(b"DeviceToHost") => Some(HostRole::CopyBack),
        b"cudaMemcpyFromSymbol" => Some(HostRole::CopyBack),
        b"cudaMemcpy" | b"cudaMemcpyAsync" | b"cudaMemcpyToSymbol" | b"cudaMemset" => {
            Some(HostRole::CopyThere)
        }
        _ => name.starts_with(b"cuda").then_some(HostRole::Other),
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn the_launch_that_counts() {
        assert_reduces(
            &PASS,
            Language::CUDA,
            "void f() { k<<<1, 1>>>(1); if (x) { k<<<1, 1>>>(2); } k<<<1, 1>>>(3); cudaEventRecord(e); }",
            &["(2)"],
            "void f() { if (x) { k<<<1, 1>>>(2); } }",
        );
    }

    #[test]
    fn what_a_check_guards_stays() {
        let source = "void f() { if (x) cudaFree(d); }";
        assert_reduces(&PASS, Language::CUDA, source, &[], source);
    }
}
