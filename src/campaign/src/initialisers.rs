//! Lists of initialisers as a cure: the same text, where members and elements get their values one by one.
//!
//! Compilers lay the content of a list out in memory at once, and what is wrong there shows in no construct.

use clreduce_language::{
    Aggregates, Base, NodeField, NodeId, NodeKind, Symbols, SyntaxTree, Types,
};
use clreduce_testcase::Language;

/// The name of the feature.
pub(crate) const INITIALISER: &str = "initialiser";

/// A text whose local variables get no value from a list. `None` if there is no such variable.
pub(crate) fn one_by_one(source: &str, language: Language) -> Option<String> {
    let tree = SyntaxTree::parse(source.as_bytes(), language);
    let symbols = Symbols::new(source.as_bytes(), &tree);
    let types = Types::new(source.as_bytes(), &tree, &symbols);
    let aggregates = Aggregates::new(source.as_bytes(), &tree, &symbols);
    let text = Text { source, tree, symbols, types, aggregates };
    let changes: Vec<(NodeId, String)> =
        text.tree.ids().filter_map(|node| Some((node, text.written_out(node)?))).collect();
    if changes.is_empty() {
        return None;
    }
    let (mut all, mut end) = (String::new(), 0);
    for (declaration, written) in changes {
        let range = text.tree.range(declaration);
        all += source.get(end..range.start)?;
        all += &written;
        end = range.end;
    }
    all += source.get(end..)?;
    Some(all)
}

/// A text with what is known of its names.
struct Text<'a> {
    source: &'a str,
    tree: SyntaxTree,
    symbols: Symbols,
    types: Types,
    aggregates: Aggregates,
}

/// What a list gives values to.
#[derive(Clone)]
struct Object {
    /// The expression that names it.
    path: String,
    base: Base,
    /// The number of its array dimensions.
    dimensions: u8,
}

impl Text<'_> {
    fn of(&self, node: NodeId) -> &str {
        self.source.get(self.tree.range(node)).unwrap_or_default()
    }

    /// The declaration of one local variable with a list, and assignments in its place.
    fn written_out(&self, declaration: NodeId) -> Option<String> {
        let tree = &self.tree;
        let parent = tree.node(declaration).parent;
        let is_local = tree.kind(declaration) == NodeKind::Declaration
            && tree.kind(parent) == NodeKind::CompoundStatement;
        let mut declarators = tree.fields(declaration, NodeField::Declarator);
        let one = declarators.next().filter(|_| is_local)?;
        // What may not change, or is there only once, gets its value where it is declared.
        let fixed = ["const", "static", "constant", "__constant"];
        let is_fixed = self.of(declaration).split(|c: char| !c.is_alphanumeric() && c != '_');
        if declarators.next().is_some() || { is_fixed }.any(|word| fixed.contains(&word)) {
            return None;
        }
        let declared = tree.field(one, NodeField::Declarator)?;
        let list = tree.field(one, NodeField::Value)?;
        if tree.kind(list) != NodeKind::InitializerList {
            return None;
        }
        let (mut name, mut dimensions) = (declared, 0);
        while tree.kind(name) == NodeKind::ArrayDeclarator {
            dimensions += 1;
            name = tree.field(name, NodeField::Declarator)?;
        }
        if tree.kind(name) != NodeKind::Identifier {
            return None;
        }
        let (path, ty) = (self.of(name).to_owned(), self.types.of_symbol(self.symbols.of(name)?));
        let object = Object { path, base: ty.base, dimensions };
        let mut assigned = String::new();
        self.assign(&object, list, &mut assigned)?;
        let range = tree.range(declaration);
        let head = self.source.get(range.start..tree.range(declared).end)?;
        // The number of elements follows from the list, where it is not written.
        let count = tree.named_children(list).count();
        let head = head.replacen("[]", &format!("[{count}]"), 1);
        Some(format!("{head} = {{0}};{assigned}"))
    }

    /// Adds the assignments that a list stands for.
    fn assign(&self, object: &Object, list: NodeId, out: &mut String) -> Option<()> {
        let elements: Vec<NodeId> = self.tree.named_children(list).collect();
        for (at, element) in elements.into_iter().enumerate() {
            let inner = self.inner(object, at)?;
            let is_whole = inner.dimensions == 0 && !matches!(inner.base, Base::Aggregate(_));
            match self.tree.kind(element) {
                NodeKind::InitializerPair => return None,
                NodeKind::InitializerList if is_whole => return None,
                NodeKind::InitializerList => self.assign(&inner, element, out)?,
                // All is zero already.
                _ if self.of(element) == "0" => {}
                // A value without its braces belongs to a member of a member.
                _ if inner.dimensions > 0 => return None,
                _ => *out += &format!(" {} = {};", inner.path, self.of(element)),
            }
        }
        Some(())
    }

    /// The element or member of this number.
    fn inner(&self, object: &Object, at: usize) -> Option<Object> {
        let path = &object.path;
        if object.dimensions > 0 {
            let path = format!("{path}[{at}]");
            return Some(Object { path, dimensions: object.dimensions - 1, ..object.clone() });
        }
        let Base::Aggregate(base) = object.base else { return None };
        let aggregate = &self.aggregates.all[self.aggregates.index_of(base)?];
        let member = aggregate.members.get(at)?;
        let (name, mut declarator) = (member.name?, member.declarator?);
        let mut dimensions = 0;
        while self.tree.kind(declarator) == NodeKind::ArrayDeclarator {
            dimensions += 1;
            declarator = self.tree.field(declarator, NodeField::Declarator)?;
        }
        let is_plain = self.tree.kind(declarator) == NodeKind::FieldIdentifier;
        let path = format!("{path}.{}", self.of(name));
        let base = self.types.fields(base)?.get(at)?.of.base;
        is_plain.then_some(Object { path, base, dimensions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_and_elements_get_their_values_one_by_one() {
        let written = |declarations: &str, body: &str| {
            let source = format!("{declarations}kernel void k(global int *r) {{ {body} }}\n");
            let all = one_by_one(&source, Language::OPENCL)?;
            Some(all.split_once("*r) { ")?.1.trim_end().strip_suffix(" }")?.to_owned())
        };
        let structure = "struct S { short3 b; int c[2]; };\n";
        assert_eq!(
            written(structure, "struct S d = {(short3)(1), {1, 0}}; *r = d.c[0];").as_deref(),
            Some("struct S d = {0}; d.b = (short3)(1); d.c[0] = 1; *r = d.c[0];")
        );
        assert_eq!(
            written("", "ulong3 b[] = {(ulong3)(1), (ulong3)(6)}; *r = b[1].z;").as_deref(),
            Some("ulong3 b[2] = {0}; b[0] = (ulong3)(1); b[1] = (ulong3)(6); *r = b[1].z;")
        );
        assert_eq!(
            written("", "struct { int c; } e[] = {{0}, {4}}; *r = e[1].c;").as_deref(),
            Some("struct { int c; } e[2] = {0}; e[1].c = 4; *r = e[1].c;")
        );
        // A scalar is no list, and nobody knows what belongs to what without braces.
        assert_eq!(written("", "int a = 3;"), None);
        assert_eq!(written("", "int a[2][2] = {1, 2, 3, 4};"), None);
        assert_eq!(written("", "const int a[2] = {1, 2};"), None);
    }
}
