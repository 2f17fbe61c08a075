//! The flow of values, which says what types must change together. Values flow from variable to variable, argument
//! to parameter, operand to result, and where they flow their vectors must have equally many lanes and their pointers the same
//! address space.
//!
//! Both are partitions of [slots](Type::slot). Where something flows that the types do not explain, what
//! flows there is unsure, and with it all it flows to.

use std::collections::HashMap;

use crate::builtins::Shape;
use crate::kind::{NodeField, NodeKind};
use crate::numbers::Number;
use crate::symbols::{SymbolId, SymbolKind, Symbols};
use crate::tree::{NodeId, SyntaxTree};
use crate::types::{Base, Type, Types, is_vector, vector_literal};
use clreduce_testcase::step;

/// Classes of nodes that belong together.
#[derive(Debug, Default)]
pub struct Classes {
    parent: Vec<u32>,
    unsure: Vec<bool>,
}

impl Classes {
    fn new(nodes: usize) -> Self {
        Self { parent: (0..nodes as u32).collect(), unsure: vec![false; nodes] }
    }

    /// The node that stands for the class of a node; `None` where something unexplained flows.
    #[must_use]
    pub fn sure(&self, node: NodeId) -> Option<NodeId> {
        let root = self.find(node.0);
        (!self.unsure[root as usize]).then_some(NodeId(root))
    }

    /// Makes every way to the root one step long.
    fn flatten(&mut self) {
        for node in 0..self.parent.len() {
            // The root is the lowest of its class, so that the way from a lower node is short already.
            self.parent[node] = self.parent[self.parent[node] as usize];
        }
    }

    fn find(&self, mut node: u32) -> u32 {
        step();
        while self.parent[node as usize] != node {
            step();
            node = self.parent[node as usize];
        }
        node
    }

    fn join(&mut self, a: NodeId, b: NodeId) {
        let (a, b) = (self.compress(a.0), self.compress(b.0));
        // The lower one stands for both, whatever the order they are joined in.
        let (low, high) = (a.min(b), a.max(b));
        self.parent[high as usize] = low;
        self.unsure[low as usize] |= self.unsure[high as usize];
    }

    /// Finds, and shortens the way for next time.
    fn compress(&mut self, node: u32) -> u32 {
        let root = self.find(node);
        let mut at = node;
        while at != root {
            at = std::mem::replace(&mut self.parent[at as usize], root);
        }
        root
    }

    fn doubt(&mut self, node: Option<NodeId>) {
        if let Some(node) = node {
            let root = self.compress(node.0);
            self.unsure[root as usize] = true;
        }
    }
}

/// The flow of values in one file.
#[derive(Debug, Default)]
pub struct Flow {
    /// Slots whose vectors have equally many lanes.
    pub lanes: Classes,
    /// Slots of what lies in the same address space.
    pub storage: Classes,
}

impl Flow {
    /// Reads the flow off a tree and its types.
    #[must_use]
    pub fn new(bytes: &[u8], tree: &SyntaxTree, symbols: &Symbols, types: &Types) -> Self {
        let out = Self { lanes: Classes::new(tree.len()), storage: Classes::new(tree.len()) };
        let mut builder = FlowBuilder {
            bytes,
            tree,
            symbols,
            types,
            out,
            parameters: HashMap::new(),
            function: None,
        };
        builder.symbols();
        for id in tree.ids() {
            builder.node(id);
        }
        builder.out.lanes.flatten();
        builder.out.storage.flatten();
        builder.out
    }
}

struct FlowBuilder<'a> {
    bytes: &'a [u8],
    tree: &'a SyntaxTree,
    symbols: &'a Symbols,
    types: &'a Types,
    out: Flow,
    /// Of each function, the parameters of one of its declarations.
    parameters: HashMap<SymbolId, Vec<Type>>,
    /// The function being defined, where it ends, and what it returns.
    function: Option<(NodeId, Type)>,
}

impl FlowBuilder<'_> {
    fn field(&self, id: NodeId, field: NodeField) -> Option<NodeId> {
        self.tree.field(id, field)
    }

    fn of(&self, id: NodeId, field: NodeField) -> Type {
        self.field(id, field).map_or(Type::default(), |node| self.types.of(node))
    }

    /// All declarations of a symbol have one type; names in text that did not parse are unsure.
    fn symbols(&mut self) {
        for id in self.symbols.ids() {
            let symbol = self.symbols.get(id);
            let first = self.types.of_symbol(id);
            for &declaration in &symbol.declarations {
                self.flow(first, self.types.of(declaration));
                // Also at the bottom of equal pointers, and of structures.
                self.same_base(first, self.types.of(declaration));
                if symbol.opaque {
                    self.doubt(self.types.of(declaration));
                }
                if symbol.kind == SymbolKind::Function {
                    self.prototype(id, declaration);
                }
            }
        }
    }

    fn prototype(&mut self, function: SymbolId, name: NodeId) {
        let Some(list) =
            self.tree.parent(name).and_then(|id| self.field(id, NodeField::Parameters))
        else {
            return;
        };
        let declared = self.tree.named_children(list).map(|parameter| self.types.of(parameter));
        let declared: Vec<Type> = declared.collect();
        let known = self.parameters.entry(function).or_insert_with(|| declared.clone()).clone();
        for (known, declared) in known.into_iter().zip(declared) {
            self.flow(known, declared);
        }
    }

    fn node(&mut self, id: NodeId) {
        let (tree, types) = (self.tree, self.types);
        match tree.kind(id) {
            NodeKind::FunctionDefinition => {
                let name = self.field(id, NodeField::Declarator).and_then(|at| {
                    tree.subtree(at).find(|&node| tree.kind(node) == NodeKind::Identifier)
                });
                let returned = name.map_or(Type::default(), |name| types.of(name));
                self.function = Some((tree.node(id).after, returned));
            }
            NodeKind::ReturnStatement => {
                let value = tree.named_children(id).next();
                let inside = self.function.filter(|(after, _)| id < *after);
                if let (Some(value), Some((_, returned))) = (value, inside) {
                    self.flow(returned, types.of(value));
                }
            }
            NodeKind::InitDeclarator => {
                let declared = self.field(id, NodeField::Declarator).and_then(|declarator| {
                    tree.subtree(declarator).find(|&node| tree.kind(node) == NodeKind::Identifier)
                });
                if let (Some(name), Some(value)) = (declared, self.field(id, NodeField::Value)) {
                    self.initialise(types.of(name), value);
                }
            }
            NodeKind::CompoundLiteralExpression => {
                if let Some(value) = self.field(id, NodeField::Value) {
                    self.initialise(self.of(id, NodeField::Type), value);
                }
            }
            NodeKind::AssignmentExpression => {
                self.flow(self.of(id, NodeField::Left), self.of(id, NodeField::Right))
            }
            NodeKind::BinaryExpression => {
                self.flow(self.of(id, NodeField::Left), self.of(id, NodeField::Right))
            }
            NodeKind::ConditionalExpression => {
                self.flow(self.of(id, NodeField::Consequence), self.of(id, NodeField::Alternative));
                let condition = self.of(id, NodeField::Condition);
                if is_vector(condition) {
                    self.flow(condition, self.of(id, NodeField::Consequence));
                    self.flow(condition, self.of(id, NodeField::Alternative));
                }
            }
            NodeKind::CastExpression => {
                self.cast(self.of(id, NodeField::Type), self.of(id, NodeField::Value))
            }
            NodeKind::FieldExpression | NodeKind::SubscriptExpression => {
                let of = self.of(id, NodeField::Argument);
                if is_vector(of) && types.of(id).base == Base::Unknown {
                    self.doubt(of);
                }
            }
            NodeKind::CallExpression => self.call(id),
            _ => {}
        }
    }

    fn initialise(&mut self, declared: Type, value: NodeId) {
        let tree = self.tree;
        let mut open = vec![(declared, value)];
        while let Some((declared, value)) = open.pop() {
            if tree.kind(value) != NodeKind::InitializerList {
                self.flow(declared, self.types.of(value));
                continue;
            }
            let elements: Vec<NodeId> = tree.named_children(value).collect();
            let fields = match declared.base {
                _ if declared.levels > 0 => None,
                Base::Aggregate(aggregate) => self.types.fields(aggregate),
                _ => None,
            };
            for (index, element) in elements.into_iter().enumerate() {
                let expected = match fields {
                    _ if tree.kind(element) == NodeKind::InitializerPair => None,
                    Some(fields) => fields.get(index).map(|field| field.of),
                    None if declared.levels > 0 => {
                        Some(Type { levels: declared.levels - 1, ..declared })
                    }
                    None => (index == 0 && declared.number().is_some()).then_some(declared),
                };
                match expected {
                    Some(expected) => open.push((expected, element)),
                    None => {
                        tree.subtree(element).for_each(|node| self.doubt(self.types.of(node)));
                    }
                }
            }
        }
    }

    fn cast(&mut self, to: Type, from: Type) {
        if to.levels > 0 && from.levels > 0 {
            self.same_storage(to, from);
            // The type as which the bytes of a vector are read is not known.
            if to.base_number() != from.base_number() {
                self.doubt_lanes(to);
                self.doubt_lanes(from);
            } else {
                self.same_base(to, from);
            }
        } else {
            self.flow(to, from);
        }
    }

    fn call(&mut self, id: NodeId) {
        let (tree, types) = (self.tree, self.types);
        let Some(list) = self.field(id, NodeField::Arguments) else { return };
        let arguments: Vec<Type> = tree.named_children(list).map(|node| types.of(node)).collect();
        if vector_literal(tree, id).is_some() {
            return; // its elements are fitted into it, whatever becomes of it
        }
        let function = self.field(id, NodeField::Function);
        let symbol = function.and_then(|name| self.symbols.of(name));
        if let Some(parameters) = symbol.and_then(|symbol| self.parameters.get_mut(&symbol)) {
            let parameters = std::mem::take(parameters);
            for (&parameter, &argument) in parameters.iter().zip(&arguments) {
                self.flow(parameter, argument);
            }
            arguments.iter().skip(parameters.len()).for_each(|&argument| self.doubt(argument));
            self.parameters.extend(symbol.map(|symbol| (symbol, parameters)));
            return;
        }
        let name = function.map_or(&b""[..], |name| &self.bytes[tree.range(name)]);
        let shape = std::str::from_utf8(name).ok().and_then(Shape::of);
        match shape {
            Some(Shape::Elementwise | Shape::Mask | Shape::Folded | Shape::Widened) => {
                for pair in
                    arguments.iter().filter(|&&of| is_vector(of)).collect::<Vec<_>>().windows(2)
                {
                    self.flow(*pair[0], *pair[1]);
                }
                if types.of(id).base == Base::Unknown {
                    arguments.iter().for_each(|&argument| self.doubt(argument));
                }
            }
            Some(Shape::Converted(_)) => {
                self.flow(types.of(id), arguments.first().copied().unwrap_or_default())
            }
            Some(Shape::Reinterpreted(to)) => {
                let from = arguments.first().copied().unwrap_or_default();
                let alike =
                    |a: Number, b: Number| a.lanes == b.lanes && a.scalar.mask() == b.scalar.mask();
                if from.number().is_some_and(|from| alike(from, to)) {
                    self.flow(types.of(id), from);
                } else {
                    self.doubt(types.of(id));
                    self.doubt(from);
                }
            }
            Some(Shape::Stored(_)) => {
                if let (Some(name), Some(value)) =
                    (function, arguments.first().and_then(|of| of.slot))
                {
                    self.out.lanes.join(name, value);
                }
            }
            // Of what is private there are no atomic operations.
            Some(Shape::Atomic) => self.doubt(arguments.first().copied().unwrap_or_default()),
            Some(Shape::Loaded(_) | Shape::Fence | Shape::WorkItem) => {}
            None => arguments.iter().for_each(|&argument| self.doubt(argument)),
        }
    }

    /// A value of one type becomes one of the other, or both are operands of one operator.
    fn flow(&mut self, a: Type, b: Type) {
        if a.levels > 0 && b.levels > 0 {
            self.same_storage(a, b);
            self.same_base(a, b);
            return;
        }
        let unexplained = |of: Type| of.base == Base::Unknown;
        match (is_vector(a), is_vector(b)) {
            (true, true) => self.same_base(a, b),
            (true, false) if unexplained(b) => self.doubt_lanes(a),
            (false, true) if unexplained(a) => self.doubt_lanes(b),
            _ => {}
        }
        if a.levels > 0 && unexplained(b) {
            self.doubt(a);
        }
        if b.levels > 0 && unexplained(a) {
            self.doubt(b);
        }
    }

    fn same_base(&mut self, a: Type, b: Type) {
        let lanes = |of: Type| of.base_number().map_or(1, |number| number.lanes);
        match (a.slot, b.slot) {
            _ if lanes(a) == 1 && lanes(b) == 1 => {}
            (Some(one), Some(other)) if lanes(a) == lanes(b) => self.out.lanes.join(one, other),
            _ => {
                self.doubt_lanes(a);
                self.doubt_lanes(b);
            }
        }
    }

    fn same_storage(&mut self, a: Type, b: Type) {
        match (a.storage, b.storage) {
            (Some(one), Some(other)) => self.out.storage.join(one, other),
            (one, other) => self.out.storage.doubt(one.or(other)),
        }
    }

    fn doubt(&mut self, of: Type) {
        self.doubt_lanes(of);
        if of.levels > 0 {
            self.out.storage.doubt(of.storage);
        }
    }

    fn doubt_lanes(&mut self, of: Type) {
        if of.base_number().is_some_and(|number| number.lanes > 1) {
            self.out.lanes.doubt(of.slot);
        }
    }
}
