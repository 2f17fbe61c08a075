//! Declarations that a patch leaves unused, to be removed with the same patch.
//!
//! Uses are counted, so that a patch costs what it removes and not what the program holds. Functions that use only
//! each other are not found: they are left to [`unreachable`](crate::names::unreachable).

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use clreduce_language::{
    NodeField, NodeId, NodeKind, Symbol, SymbolId, SymbolKind, SyntaxTree, is_entry,
};
use clreduce_testcase::{Edit, Patch, tokens};

use crate::analysis::{has_effect, with_semicolon};
use crate::snapshot::Snapshot;

/// The declarations and uses of one snapshot.
pub(super) struct UnusedSymbols {
    symbols: Vec<Counted>,
    holders: Vec<HoldingDeclaration>,
    /// Every use of a symbol outside its own declaration, ordered by where it begins.
    uses: Vec<(u32, SymbolId)>,
}

/// A symbol and where it is.
struct Counted {
    /// Uses; none where the symbol must stay, whatever uses it.
    uses: Option<u32>,
    name: Range<usize>,
    declarations: Vec<Declaration>,
}

struct Declaration {
    /// Index of the declaration or definition.
    holder: usize,
    /// Its declarator, where there are others beside it.
    declarator: Option<NodeId>,
    /// Uses in here do not count.
    own: Range<usize>,
}

struct HoldingDeclaration {
    edit: Edit,
    /// True if it has several declarators.
    several: bool,
    /// Symbols that it declares.
    symbols: u32,
}

impl UnusedSymbols {
    /// Counts the uses in a snapshot; `None` where nothing may be concluded from them: in several files, names would
    /// have to be followed through `#include`, and without functions every variable counts.
    pub(super) fn new(snapshot: &Snapshot) -> Option<Self> {
        if snapshot.file_count() != 1 || snapshot.tree(0).is_empty() {
            return None;
        }
        let tree = snapshot.tree(0);
        let functions = || tree.named_children(NodeId(0)).filter(|&node| is_function(tree, node));
        functions().next()?;
        let has_entry = functions().any(|function| is_entry(tree, snapshot.bytes(0), function));
        let mut orphans = Self { symbols: Vec::new(), holders: Vec::new(), uses: Vec::new() };
        let mut known = HashMap::new();
        let ancestors = Ancestors::new(tree);
        let table = snapshot.symbols(0);
        for id in table.ids() {
            let symbol = table.get(id);
            let declarations = orphans.declarations(tree, symbol, &ancestors, &mut known);
            // In source order, and apart from each other.
            let own = declarations.iter().flatten().map(|declaration| declaration.own.clone());
            let own: Vec<Range<usize>> = own.collect();
            let is_own = |at: usize| {
                let next = own.partition_point(|range| range.end <= at);
                own.get(next).is_some_and(|range| range.start <= at)
            };
            let uses = symbol.uses.iter().map(|&node| tree.range(node).start);
            let before = orphans.uses.len();
            orphans.uses.extend(uses.filter(|&at| !is_own(at)).map(|at| (at as u32, id)));
            let uses = (orphans.uses.len() - before) as u32;
            let may_go = declarations.is_some() && may_go(snapshot, symbol, &ancestors, has_entry);
            orphans.symbols.push(Counted {
                uses: may_go.then_some(uses),
                name: tree.range(symbol.declarations[0]),
                declarations: declarations.unwrap_or_default(),
            });
        }
        orphans.uses.sort_unstable();
        Some(orphans)
    }

    /// Returns the declarations of a symbol, counted for their holders; `None` where one of its declarations cannot go.
    fn declarations(
        &mut self,
        tree: &SyntaxTree,
        symbol: &Symbol,
        ancestors: &Ancestors,
        known: &mut HashMap<NodeId, Option<usize>>,
    ) -> Option<Vec<Declaration>> {
        if matches!(symbol.kind, SymbolKind::Parameter | SymbolKind::Label) {
            return None;
        }
        let mut last = None;
        let found: Vec<_> = symbol
            .declarations
            .iter()
            .map(|&name| {
                let (node, part) = ancestors.holder(tree, name)?;
                let holder = *known.entry(node).or_insert_with(|| {
                    let several = tree.fields(node, NodeField::Declarator).nth(1).is_some();
                    let edit = Edit::delete(0, with_semicolon(tree, node));
                    may_be_removed(tree, node).then(|| {
                        self.holders.push(HoldingDeclaration { edit, several, symbols: 0 });
                        self.holders.len() - 1
                    })
                });
                let holder = holder?;
                if last.replace(holder) != Some(holder) {
                    self.holders[holder].symbols += 1;
                }
                let declarator = part.filter(|_| self.holders[holder].several);
                let own = tree.range(declarator.unwrap_or(node));
                Some(Declaration { holder, declarator, own })
            })
            .collect();
        found.into_iter().collect()
    }

    /// The patch, and with it every declaration that was used before and is not any more.
    pub(super) fn follow(&self, snapshot: &Snapshot, patch: Patch) -> Patch {
        let mut count = RemainingUses {
            of: self,
            tree: snapshot.tree(0),
            left: self.symbols.iter().map(|symbol| symbol.uses).collect(),
            declared: self.holders.iter().map(|holder| holder.symbols).collect(),
            gone: vec![false; self.uses.len()],
            unused: Vec::new(),
            edits: Vec::new(),
        };
        // What is put in the place of something else may use names as well.
        let words: HashSet<&[u8]> = patch
            .edits()
            .iter()
            .flat_map(|edit| tokens(&edit.text).map(|token| &edit.text[token.range()]))
            .collect();
        for edit in patch.edits() {
            count.remove(edit.range());
        }
        while let Some(symbol) = count.unused.pop() {
            let name = &snapshot.bytes(0)[self.symbols[symbol.0 as usize].name.clone()];
            if !words.contains(name) {
                count.forget(symbol);
            }
        }
        if count.edits.is_empty() {
            return patch;
        }
        let edits = count.edits.into_iter().chain(patch.edits().iter().cloned()).collect();
        Patch::new(edits).unwrap_or(patch)
    }
}

/// The uses that are left while one removal leads to the next.
struct RemainingUses<'a> {
    of: &'a UnusedSymbols,
    tree: &'a SyntaxTree,
    /// Uses of each symbol.
    left: Vec<Option<u32>>,
    /// Symbols of each declaration.
    declared: Vec<u32>,
    /// By use, whether it is removed.
    gone: Vec<bool>,
    unused: Vec<SymbolId>,
    edits: Vec<Edit>,
}

impl RemainingUses<'_> {
    /// Takes away the uses in a range.
    fn remove(&mut self, range: Range<usize>) {
        let uses = &self.of.uses;
        let first = uses.partition_point(|(at, _)| (*at as usize) < range.start);
        let inside = uses[first..].iter().take_while(|(at, _)| (*at as usize) < range.end);
        for (index, (_, symbol)) in (first..).zip(inside) {
            if std::mem::replace(&mut self.gone[index], true) {
                continue;
            }
            if let Some(left) = &mut self.left[symbol.0 as usize] {
                *left -= 1;
                if *left == 0 {
                    self.unused.push(*symbol);
                }
            }
        }
    }

    /// Removes the declarations of a symbol, where they declare nothing else.
    fn forget(&mut self, symbol: SymbolId) {
        let mut last = None;
        for &Declaration { holder, declarator, .. } in
            &self.of.symbols[symbol.0 as usize].declarations
        {
            if last.replace(holder) != Some(holder) {
                self.declared[holder] -= 1;
            }
            let edit = if self.declared[holder] == 0 {
                self.of.holders[holder].edit.clone()
            } else if let Some(declarator) = declarator {
                Edit::delete_element(0, self.tree.range(declarator))
            } else {
                continue;
            };
            self.remove(edit.range());
            self.edits.push(edit);
        }
    }
}

fn is_function(tree: &SyntaxTree, node: NodeId) -> bool {
    tree.kind(node) == NodeKind::FunctionDefinition
}

/// By node, the ancestors that matter to a name that it declares.
struct Ancestors {
    /// The declaration or definition, or what else stands outside all functions.
    holder: Vec<Option<(NodeId, NodeId)>>,
    function: Vec<Option<(NodeId, NodeId)>>,
}

impl Ancestors {
    fn new(tree: &SyntaxTree) -> Self {
        let holds = |node: NodeId| {
            matches!(
                tree.kind(node),
                NodeKind::Declaration
                    | NodeKind::TypeDefinition
                    | NodeKind::FunctionDefinition
                    | NodeKind::ParameterDeclaration
            ) || tree.parent(node) == Some(NodeId(0))
        };
        Self {
            holder: tree.nearest_ancestors(holds),
            function: tree.nearest_ancestors(|node| is_function(tree, node)),
        }
    }

    /// The declaration or definition that a name is declared by, and the declarator in it.
    fn holder(&self, tree: &SyntaxTree, name: NodeId) -> Option<(NodeId, Option<NodeId>)> {
        let (node, part) = self.holder[name.0 as usize]?;
        let is_declarator = tree.node(part).field == Some(NodeField::Declarator);
        Some((node, is_declarator.then_some(part)))
    }
}

/// Returns whether a declaration or definition stands where it can go, and does nothing by itself.
fn may_be_removed(tree: &SyntaxTree, node: NodeId) -> bool {
    let is_in_list = tree.parent(node).is_some_and(|parent| {
        matches!(tree.kind(parent), NodeKind::TranslationUnit | NodeKind::CompoundStatement)
    });
    let acts = |declarator: NodeId| {
        tree.field(declarator, NodeField::Value).is_some_and(|value| has_effect(tree, value))
    };
    let is_known = match tree.kind(node) {
        NodeKind::Declaration | NodeKind::TypeDefinition => {
            !tree.fields(node, NodeField::Declarator).any(acts)
        }
        NodeKind::FunctionDefinition
        | NodeKind::StructSpecifier
        | NodeKind::UnionSpecifier
        | NodeKind::EnumSpecifier => true,
        _ => false,
    };
    is_in_list && is_known && !tree.has_error(node)
}

/// Returns whether a symbol may go when nothing uses it.
fn may_go(snapshot: &Snapshot, symbol: &Symbol, ancestors: &Ancestors, has_entry: bool) -> bool {
    let tree = snapshot.tree(0);
    let is_root = || {
        let mut definitions = symbol
            .declarations
            .iter()
            .filter_map(|&name| Some(ancestors.function[name.0 as usize]?.0));
        symbol.kind == SymbolKind::Function
            && definitions.any(|function| !has_entry || is_entry(tree, snapshot.bytes(0), function))
    };
    !symbol.opaque && !is_root()
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::{Language, TestCase};

    use super::*;

    /// The text that is left when every `@`...`@` is removed, with `text` in its place.
    fn left(marked: &str, text: &'static str) -> String {
        let (mut source, mut edits) = (String::new(), Vec::new());
        for (index, part) in marked.split('@').enumerate() {
            let start = source.len();
            source += part;
            if index % 2 == 1 {
                edits.push(Edit::replace(0, start..source.len(), text.as_bytes()));
            }
        }
        let case = TestCase::single("a.c", source.as_bytes()).unwrap();
        let snapshot = Snapshot::new(case.clone(), Language::C);
        let orphans = UnusedSymbols::new(&snapshot).unwrap();
        let patch = orphans.follow(&snapshot, Patch::new(edits).unwrap());
        let again = orphans.follow(&snapshot, patch.clone());
        assert_eq!(again, patch, "nothing follows from what followed");
        let bytes = case.apply(&patch).files()[0].bytes.clone();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_was_used_only_there_goes_along() {
        assert_eq!(
            left(
                "typedef int T; struct S { T t; }; struct S s; static int g(int); int x, y;\n\
                 static int f(void) { return g(s.t) + x; } static int g(int a) { l: return y; }\n\
                 int main(void) { int l = x, k = 1, m; @f(); l = m;@ return k; }",
                ""
            ),
            "int main(void) { int k = 1; return k; }"
        );
    }

    #[test]
    fn what_was_unused_before_stays() {
        assert_eq!(
            left("int x, y; static int f(void) { return x; } int main(void) { @y;@ }", ""),
            "int x; static int f(void) { return x; } int main(void) { }"
        );
    }

    #[test]
    fn what_acts_or_is_named_again_stays() {
        let source = "int x, y;\nint main(void) { int z = main(), t; for (int i = 0; ; ) @t = x + y + z + i;@ }";
        assert_eq!(
            left(source, "y;"),
            "int y; int main(void) { int z = main(), t; for (int i = 0; ; ) y; }"
        );
    }

    #[test]
    fn without_an_entry_every_function_counts() {
        assert_eq!(
            left("int g(void); int f(void) { return 0; } void h(void) { @f(); g();@ }", ""),
            "int f(void) { return 0; } void h(void) { }"
        );
    }

    #[test]
    fn all_that_a_declaration_declares_must_be_unused() {
        assert_eq!(
            left(
                "enum E { A, B }; struct S { int a; } s; int main(void) { @A; s;@ struct S *p; B; }",
                ""
            ),
            "enum E { A, B }; struct S { int a; } s; int main(void) { struct S *p; B; }"
        );
        assert_eq!(
            left(
                "enum { A, B }; struct S { int a; } s; int main(void) { @A; s; struct S *p; B;@ }",
                ""
            ),
            "int main(void) { }"
        );
    }
}
