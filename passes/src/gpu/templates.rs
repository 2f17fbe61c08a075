//! Makes a function of a template that is used with one list of arguments; where none are spelled, its
//! types become `int`.
//!
//! before:
//! ```cu
//! template <typename T, int N> __global__ void k(T *p) { T x[N]; *p = x[0]; } void f(float *p) { k<float, 4><<<1, 1>>>(p); }
//! ```
//! after:
//! ```cu
//! __global__ void k(float *p) { float x[4]; *p = x[0]; } void f(float *p) { k<<<1, 1>>>(p); }
//! ```

use clreduce_language::{NodeField, NodeKind};
use clreduce_testcase::{Edit, Language, Patch};

use crate::analysis::Unit;
use crate::budget::Budget;
use crate::pass::{Pass, PassInfo, Proposal, Proposals};
use crate::{NodeId, Snapshot};

/// The pass.
pub(crate) struct Templates;

impl Pass for Templates {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "templates",
            "Make functions of templates that are used in one way",
            &[Language::Cuda],
        )
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        for unit in Unit::all(snapshot) {
            let tree = unit.tree;
            let of_kind = |wanted| tree.ids().filter(move |&id| tree.kind(id) == wanted);
            let used: Vec<NodeId> = of_kind(NodeKind::TemplateFunction).collect();
            let templates = of_kind(NodeKind::TemplateDeclaration).filter(|&id| tree.is_sound(id));
            let templates = proposals.limited(&MOST, templates).into_iter();
            let patches = templates.filter_map(|id| Patch::new(instantiated(unit, id, &used)?));
            proposals.extend(patches.map(Proposal::new));
        }
    }
}

/// The number of templates that are looked at: for each all uses of all of them are.
const MOST: Budget = Budget::new("templates of one file", 64);

fn instantiated(unit: Unit<'_>, template: NodeId, used: &[NodeId]) -> Option<Vec<Edit>> {
    let tree = unit.tree;
    let list = tree.field(template, NodeField::Parameters)?;
    let function = tree.named_children(template).nth(1)?;
    if tree.kind(function) != NodeKind::FunctionDefinition {
        return None;
    }
    let declarator = tree.field(function, NodeField::Declarator)?;
    let name = tree.subtree(declarator).find(|&node| tree.kind(node) == NodeKind::Identifier)?;
    let header = tree.node(template).start as usize..tree.node(function).start as usize;
    let mut edits = vec![Edit::delete(unit.file, header)];
    let mut spelled: Option<Vec<&[u8]>> = None;
    for &used in used {
        if tree.field(used, NodeField::Name).map(|name| unit.text(name)) != Some(unit.text(name)) {
            continue;
        }
        let arguments = tree.field(used, NodeField::Arguments)?;
        let texts: Vec<&[u8]> =
            tree.named_children(arguments).map(|node| unit.text(node)).collect();
        if spelled.as_ref().is_some_and(|known| *known != texts) {
            return None;
        }
        spelled = Some(texts);
        edits.push(Edit::delete(unit.file, tree.range(arguments)));
    }
    let parameters: Vec<NodeId> = tree.named_children(list).collect();
    for (index, &parameter) in parameters.iter().enumerate() {
        let is_name = |node: &NodeId| {
            matches!(tree.kind(*node), NodeKind::TypeIdentifier | NodeKind::Identifier)
        };
        let name = tree.subtree(parameter).rfind(is_name)?;
        let argument: &[u8] = match &spelled {
            Some(texts) => texts.get(index)?,
            None => b"int",
        };
        let uses = tree.subtree(function).filter(is_name);
        let uses = uses.filter(|&node| unit.text(node) == unit.text(name));
        edits
            .extend(uses.map(|node| Edit::replace(unit.file, tree.range(node), argument.to_vec())));
    }
    Some(edits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn only_what_is_used_in_one_way() {
        assert_reduces(
            &Templates,
            Language::Cuda,
            "template <class T> T f(T x) { return x; } int g() { return f(1); }",
            &[],
            "int f(int x) { return x; } int g() { return f(1); }",
        );
        let source =
            "template <class T> T f(T x) { return x; } int g() { return f<int>(f<long>(1)); }";
        assert_reduces(&Templates, Language::Cuda, source, &[], source);
    }
}
