//! The kinds of nodes and the fields of the grammars, as enumerations.
//!
//! The build script makes both of what the grammars say about themselves, so that a misspelt kind does not
//! compile. A kind of C and one of CUDA with the same name are the same variant.

use tree_sitter::Language as Grammar;

include!(concat!(env!("OUT_DIR"), "/kinds.rs"));

impl NodeKind {
    /// Returns whether it is a conditional directive of the preprocessor with the code that it guards, or one of
    /// its alternatives.
    #[must_use]
    pub const fn is_preproc_conditional(self) -> bool {
        matches!(self, Self::PreprocIf | Self::PreprocIfdef) || self.is_preproc_alternative()
    }

    /// Returns whether it is `#elif`, `#else` or the like with the code that it guards.
    #[must_use]
    pub const fn is_preproc_alternative(self) -> bool {
        matches!(self, Self::PreprocElif | Self::PreprocElifdef | Self::PreprocElse)
    }
}

/// For the numbers that a grammar gives to kinds and fields, their variants.
pub(crate) struct GrammarNames {
    kinds: Vec<NodeKind>,
    fields: Vec<Option<NodeField>>,
}

impl GrammarNames {
    pub(crate) fn of(grammar: &Grammar) -> Self {
        let kind = |id: usize| grammar.node_kind_for_id(id as u16).and_then(NodeKind::named);
        let field = |id: usize| grammar.field_name_for_id(id as u16).and_then(NodeField::named);
        Self {
            kinds: (0..grammar.node_kind_count())
                .map(|id| kind(id).unwrap_or(NodeKind::Error))
                .collect(),
            // Fields are numbered from 1.
            fields: (0..=grammar.field_count()).map(field).collect(),
        }
    }

    /// The kind with a number; that of an error lies beyond all others.
    pub(crate) fn kind(&self, id: u16) -> NodeKind {
        self.kinds.get(usize::from(id)).copied().unwrap_or(NodeKind::Error)
    }

    pub(crate) fn field(&self, id: u16) -> Option<NodeField> {
        self.fields.get(usize::from(id)).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    /// The right content of `grammar/kinds.txt`.
    fn list() -> String {
        let (mut named, mut all, mut fields) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for grammar in [tree_sitter_c::NODE_TYPES, tree_sitter_cuda::NODE_TYPES] {
            let kinds: Vec<Value> = serde_json::from_str(grammar).unwrap();
            for kind in kinds.iter().filter(|kind| kind.get("subtypes").is_none()) {
                let name = kind["type"].as_str().unwrap().replace('\n', "\\n");
                if kind["named"] == true {
                    named.insert(name.clone());
                }
                all.insert(name);
                fields
                    .extend(kind["fields"].as_object().into_iter().flatten().map(|f| f.0.clone()));
            }
        }
        let tokens = all.difference(&named).map(|name| format!("token {name}\n"));
        let named = named.iter().map(|name| format!("named {name}\n"));
        named.chain(tokens).chain(fields.iter().map(|name| format!("field {name}\n"))).collect()
    }

    #[test]
    fn the_list_of_kinds_is_what_the_grammars_say() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/grammar/kinds.txt");
        let list = list();
        if std::env::var_os("UPDATE_KINDS").is_some() {
            std::fs::write(path, &list).unwrap();
        }
        let is = std::fs::read_to_string(path).unwrap();
        assert!(is == list, "{path} is stale: run this test with UPDATE_KINDS=1, then build again");
    }

    #[test]
    fn every_node_that_a_tree_can_hold_has_a_kind() {
        for grammar in [tree_sitter_c::LANGUAGE, tree_sitter_cuda::LANGUAGE] {
            let grammar: Grammar = grammar.into();
            let names = GrammarNames::of(&grammar);
            for id in 0..grammar.node_kind_count() as u16 {
                if grammar.node_kind_is_visible(id) {
                    let name = grammar.node_kind_for_id(id).unwrap();
                    assert_eq!(names.kind(id).name(), name);
                }
            }
            for id in 1..=grammar.field_count() as u16 {
                let name = grammar.field_name_for_id(id);
                assert_eq!(names.field(id).map(NodeField::name), name);
            }
        }
    }

    #[test]
    fn names_and_variants_belong_together() {
        for kind in NodeKind::ALL {
            assert_eq!(NodeKind::named(kind.name()), Some(kind));
        }
        let named: Vec<_> = ["call_expression", "if", "->", "_Generic", "\n"]
            .into_iter()
            .map(|name| format!("{:?}", NodeKind::named(name).unwrap()))
            .collect();
        let expected =
            ["CallExpression", "IfKeyword", "Arrow", "ReservedGenericKeyword", "Newline"];
        assert_eq!(named, expected);
        assert_eq!(NodeField::named("declarator"), Some(NodeField::Declarator));
        assert_eq!(NodeKind::named("no_such_kind"), None);
    }
}
