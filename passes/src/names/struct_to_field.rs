//! Puts the type of a structure's only field in place of the structure.
//!
//! `x.f` becomes `x`, `p->f` becomes `(*p)`. Only for fields whose name no other structure has, so
//! that what is accessed is known without types.
//!
//! before:
//! ```c
//! struct S { short f; }; struct S x, *p = &x; int g(void) { return x.f + p->f; }
//! ```
//! after:
//! ```c
//! short x, *p = &x; int g(void) { return x + (*p); }
//! ```

use clreduce_testcase::{Edit, Language, Patch};

use super::functions::declared_name;
use super::remove_fields::FieldNames;
use crate::pass::{PARSED, Pass, Proposal};
use crate::snapshot::Snapshot;
use crate::views::{NodeId, Symbol, SyntaxTree};

/// See the [module](self).
pub struct StructToField;

impl Pass for StructToField {
    fn name(&self) -> &'static str {
        "struct-to-field"
    }

    fn about(&self) -> &'static str {
        "Put the type of a structure's only field in place of the structure"
    }

    fn languages(&self) -> &'static [Language] {
        PARSED
    }

    fn propose(&self, snapshot: &Snapshot) -> Vec<Proposal> {
        let mut proposals = Vec::new();
        for file in 0..snapshot.file_count() {
            let tree = snapshot.tree(file);
            let fields = FieldNames::new(snapshot, file);
            for specifier in tree.ids() {
                if matches!(tree.kind(specifier), "struct_specifier" | "union_specifier")
                    && let Some(edits) = replace(snapshot, file, specifier, &fields)
                    && let Some(patch) = Patch::new(edits)
                {
                    proposals.push(Proposal::new(patch));
                }
            }
        }
        proposals
    }
}

fn replace(
    snapshot: &Snapshot,
    file: usize,
    specifier: NodeId,
    names: &FieldNames,
) -> Option<Vec<Edit>> {
    let (tree, symbols, bytes) =
        (snapshot.tree(file), snapshot.symbols(file), snapshot.bytes(file));
    let mut members = tree.named_children(tree.field(specifier, "body")?);
    let (field, None) = (members.next()?, members.next()) else { return None };
    let declarator = tree.field(field, "declarator")?;
    let name = declared_name(tree, declarator)?;
    // A plain field: pointers and arrays would have to move into every declarator.
    if declarator != name || tree.fields(field, "declarator").count() != 1 {
        return None;
    }
    let text = &bytes[tree.range(name)];
    if names.declared.get(text) != Some(&1) || names.designated.contains_key(text) {
        return None;
    }
    let kind = bytes[tree.range(tree.field(field, "type")?)].to_vec();
    let mut edits = Vec::new();
    for &access in names.accesses.get(text).into_iter().flatten() {
        edits.push(without_field(tree, file, access, bytes)?);
    }
    match tree.field(specifier, "name").and_then(|tag| symbols.of(tag)) {
        Some(tag) => edits.extend(replace_tag(tree, file, symbols.get(tag), &kind)?),
        None => edits.push(Edit::replace(file, tree.range(specifier), kind)),
    }
    Some(edits)
}

/// Every mention of the tag becomes the field's type; a declaration of nothing else goes.
fn replace_tag(tree: &SyntaxTree, file: usize, tag: &Symbol, kind: &[u8]) -> Option<Vec<Edit>> {
    if tag.opaque {
        return None;
    }
    let mentions = tag.declarations.iter().chain(&tag.uses);
    mentions
        .map(|&name| {
            let specifier = tree.parent(name)?;
            let above = tree.parent(specifier)?;
            let alone = tree.kind(above) == "translation_unit"
                || (tree.kind(above) == "declaration" && tree.field(above, "declarator").is_none());
            Some(if alone {
                Edit::delete(file, super::unreachable::with_semicolon(tree, specifier))
            } else {
                Edit::replace(file, tree.range(specifier), kind.to_vec())
            })
        })
        .collect()
}

fn without_field(tree: &SyntaxTree, file: usize, access: NodeId, bytes: &[u8]) -> Option<Edit> {
    let argument = tree.field(access, "argument")?;
    let arrow = tree.children(access).any(|child| tree.kind(child) == "->");
    if arrow {
        let text = [b"(*", &bytes[tree.range(argument)], b")"].concat();
        Some(Edit::replace(file, tree.range(access), text))
    } else {
        Some(Edit::delete(file, tree.range(argument).end..tree.range(access).end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::reduce_with;

    #[test]
    fn accesses_lose_their_field() {
        let source =
            "struct S { short f; };\nstruct S x, *p = &x; int g(void) { return x.f + p->f; }";
        assert_eq!(
            reduce_with(&StructToField, source, Language::C, |_| true).trim(),
            "short x, *p = &x; int g(void) { return x + (*p); }"
        );
    }

    #[test]
    fn ambiguous_fields_stay() {
        let source = "struct S { short f; }; struct T { int f; } t; int g(void) { return t.f; }";
        assert_eq!(reduce_with(&StructToField, source, Language::C, |_| true), source);
    }
}
