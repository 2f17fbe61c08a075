//! The types of declarations and expressions of one file: numbers, pointers, structures.
//!
//! It knows scalars and vectors of OpenCL C, typedefs, structures, pointers, arrays, what functions return,
//! and the built-ins. Where it is not sure a type is [`Base::Unknown`], and whoever asks leaves that
//! expression alone. Each type carries its [slot](Type::slot): the place in the source where it is spelled.

mod builder;

use std::collections::HashMap;

use crate::kind::{NodeField, NodeKind};
use crate::numbers::Number;
use crate::symbols::{SymbolId, Symbols};
use crate::tree::{NodeId, SyntaxTree};
use builder::TypesBuilder;
use clreduce_testcase::step;

/// The bottom of a type, below all pointers and arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Base {
    /// Not known.
    #[default]
    Unknown,
    /// Nothing.
    Void,
    /// A scalar or vector.
    Number(Number),
    /// A structure or union: its tag's first declaration, or where it has no tag its specifier.
    Aggregate(NodeId),
}

/// A type, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Type {
    /// The type below all pointers and arrays.
    pub base: Base,
    /// The number of pointers and arrays.
    pub levels: u8,
    /// The node that spells the base: a type name in a declaration, cast or vector literal, or the
    /// components that were picked from a vector.
    pub slot: Option<NodeId>,
    /// The slot of the declaration that says in which address space the base lies.
    pub storage: Option<NodeId>,
}

impl Type {
    /// The scalar or vector that this is; `None` for pointers, structures and what is not known.
    #[must_use]
    pub fn number(self) -> Option<Number> {
        match self.base {
            Base::Number(number) if self.levels == 0 => Some(number),
            _ => None,
        }
    }

    /// The number at the bottom, below pointers and arrays too.
    #[must_use]
    pub fn base_number(self) -> Option<Number> {
        match self.base {
            Base::Number(number) => Some(number),
            _ => None,
        }
    }

    fn numeric(number: Number) -> Self {
        Self { base: Base::Number(number), ..Self::default() }
    }

    fn pointed_to(self) -> Self {
        match self.levels.checked_sub(1) {
            Some(levels) => Self { levels, ..self },
            None => Self::default(),
        }
    }

    fn pointer(self) -> Self {
        Self { levels: self.levels.saturating_add(1), ..self }
    }
}

/// A member of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its type.
    pub of: Type,
    /// True if it is a pointer, so that what it leads to lies elsewhere.
    pub is_pointer: bool,
}

/// The types of one file.
#[derive(Debug, Default)]
pub struct Types {
    of_node: Vec<Type>,
    of_symbol: HashMap<SymbolId, Type>,
    fields: HashMap<NodeId, Fields>,
}

#[derive(Debug, Default)]
struct Fields {
    in_order: Vec<Field>,
    by_name: HashMap<Vec<u8>, usize>,
}

impl Types {
    /// Reads the types off a tree.
    #[must_use]
    pub fn new(bytes: &[u8], tree: &SyntaxTree, symbols: &Symbols) -> Self {
        TypesBuilder::new(bytes, tree, symbols).build()
    }

    /// The type of an expression, or of what a declarator or type name declares.
    #[must_use]
    pub fn of(&self, node: NodeId) -> Type {
        step();
        self.of_node.get(node.0 as usize).copied().unwrap_or_default()
    }

    /// The type of what a symbol names; of a function, what it returns.
    #[must_use]
    pub fn of_symbol(&self, symbol: SymbolId) -> Type {
        self.of_symbol.get(&symbol).copied().unwrap_or_default()
    }

    /// The members of a structure or union, in order.
    #[must_use]
    pub fn fields(&self, aggregate: NodeId) -> Option<&[Field]> {
        self.fields.get(&aggregate).map(|fields| fields.in_order.as_slice())
    }

    fn field(&self, aggregate: NodeId, name: &[u8]) -> Option<Field> {
        let fields = self.fields.get(&aggregate)?;
        fields.by_name.get(name).map(|&index| fields.in_order[index])
    }
}

/// Returns whether a value of one type will do where one of another stands: scalars convert to each other, and
/// all else has to be the same. `None` where one of them is not known.
#[must_use]
pub fn converts(from: Type, to: Type) -> Option<bool> {
    if from.base == Base::Unknown || to.base == Base::Unknown {
        return None;
    }
    let lanes = |of: Type| of.number().map(|number| number.lanes);
    let are_scalars = lanes(from) == Some(1) && lanes(to) == Some(1);
    Some(are_scalars || from.base == to.base && from.levels == to.levels)
}

/// The type name of `(int4)(1, 2, 3, 4)`, which the grammar of C takes for a call.
#[must_use]
pub fn vector_literal(tree: &SyntaxTree, call: NodeId) -> Option<NodeId> {
    // First of all, for looking for a field goes over all children.
    if tree.kind(call) != NodeKind::CallExpression {
        return None;
    }
    let function = tree.field(call, NodeField::Function)?;
    let name = tree.named_children(function).next()?;
    let is_one = tree.kind(function) == NodeKind::ParenthesizedExpression
        && tree.kind(name) == NodeKind::Identifier;
    is_one.then_some(name)
}

/// Returns whether this is a vector itself, no pointer to one.
#[must_use]
pub fn is_vector(of: Type) -> bool {
    of.number().is_some_and(|number| number.lanes > 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clreduce_testcase::Language;

    /// The types of the values that are assigned to `_`, by name.
    fn of(source: &str) -> Vec<String> {
        let bytes = source.as_bytes();
        let tree = SyntaxTree::parse(bytes, Language::OPENCL);
        let symbols = Symbols::new(bytes, &tree);
        let types = Types::new(bytes, &tree, &symbols);
        let values = tree.ids().filter(|&id| tree.kind(id) == NodeKind::AssignmentExpression);
        let values = values.filter(|&id| source[tree.range(id)].starts_with("_ ="));
        let shown = values.map(|id| {
            let found = types.of(tree.field(id, NodeField::Right).unwrap());
            let base = match found.base {
                Base::Number(number) => number.name(),
                Base::Aggregate(_) => "struct".into(),
                Base::Void => "void".into(),
                Base::Unknown => "?".into(),
            };
            format!("{base}{}", "*".repeat(found.levels.into()))
        });
        shown.collect()
    }

    #[test]
    fn expressions_have_types() {
        let declared = "typedef uint4 V; struct S { V v; __global long *p; int a[3]; struct S *next; };\n\
            float f(int4 x, struct S *s) { V v; struct S t; ushort c; ulong8 w; int n[2][3];\n";
        for (expression, expected) in [
            ("v", "uint4"),
            ("&v", "uint4*"),
            ("v + 1", "uint4"),
            ("1 + x", "int4"),
            ("x < 2", "int4"),
            ("!w", "long8"),
            ("w.s01.y", "ulong"),
            ("w.hi", "ulong4"),
            ("v.zzzz", "uint4"),
            ("v.s4", "?"),
            ("s->v.x", "uint"),
            ("s->p", "long*"),
            ("s->p[1]", "long"),
            ("(*s).next->a", "int*"),
            ("t", "struct"),
            ("n[1]", "int*"),
            ("c + 1", "int"),
            ("c + 1u", "uint"),
            ("2 * w.x", "ulong"),
            ("(int8)(x, x)", "int8"),
            ("(V)(1)", "uint4"),
            ("(char)c", "char"),
            ("convert_short4_sat(x)", "short4"),
            ("clamp(w, 1, 2)", "ulong8"),
            ("clamp(g(), w, w)", "?"),
            ("vload2(0, s->p)", "long2"),
            ("f(x, s)", "float"),
            ("g()", "?"),
            ("g() + 1", "?"),
            ("({ int y = 1; v; })", "uint4"),
            ("c ? v : 0", "uint4"),
            ("get_global_id(0)", "ulong"),
        ] {
            assert_eq!(of(&format!("{declared} _ = {expression}; }}")), [expected], "{expression}");
        }
    }
}
