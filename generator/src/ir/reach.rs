//! The parts that a kernel refers to: operands, blocks, and the statements and expressions of its text.

use std::collections::BTreeSet;

use super::{
    Address, Block, ExprId, ExprKind, Foreign, FunctionId, Initial, Jump, Path, Place, Program,
    StmtId, StmtKind, VarId,
};

impl ExprKind {
    /// True if all operands are indices, whose type is free.
    #[must_use]
    pub fn has_indices(&self) -> bool {
        matches!(self, Self::Element(..) | Self::Load(..) | Self::Part(_) | Self::SameAddress(_))
    }

    /// The paths of the expression itself, with those of the addresses in it.
    #[must_use]
    pub fn paths(&self) -> Vec<&Path> {
        match self {
            Self::Part(path) => vec![path],
            Self::SameAddress(both) => both.iter().filter_map(Address::path).collect(),
            _ => Vec::new(),
        }
    }

    /// The operands, in the order of the text.
    #[must_use]
    pub fn operands(&self) -> Vec<ExprId> {
        match self {
            Self::Literal(_) | Self::Variable(_) | Self::Item(_) => Vec::new(),
            Self::Vector(parts) => parts.to_vec(),
            Self::Element(_, a)
            | Self::Load(_, a)
            | Self::Swizzle(a, _)
            | Self::Unary(_, a)
            | Self::Convert(a)
            | Self::Saturate(a)
            | Self::Reinterpret(a) => vec![*a],
            Self::Binary(_, a, b) => vec![*a, *b],
            Self::Conditional(a, b, c) => vec![*a, *b, *c],
            Self::Call(_, count, arguments) => arguments[..usize::from(*count)].to_vec(),
            Self::Invoke(_, arguments) => arguments.to_vec(),
            Self::Part(path) => path.indices(),
            Self::SameAddress(both) => both.iter().flat_map(Address::indices).collect(),
        }
    }
}

impl StmtKind {
    /// The variable that the statement declares. The counters of loops are not meant.
    #[must_use]
    pub fn declared(&self) -> Option<VarId> {
        match self {
            Self::Declare(id, _) | Self::DeclareArray(id, _) | Self::DeclareObject(id, _) => {
                Some(*id)
            }
            _ => None,
        }
    }

    /// The expressions of the statement itself; those of its blocks are not among them.
    #[must_use]
    pub fn expressions(&self) -> Vec<ExprId> {
        match self {
            Self::Declare(_, value)
            | Self::Hash(value)
            | Self::If(value, ..)
            | Self::Jump(_, value)
            | Self::Assign(Place::Variable(_) | Place::Lanes(..), value) => vec![*value],
            Self::Assign(Place::Element(_, at) | Place::Store(_, at), value) => vec![*value, *at],
            Self::Assign(Place::Part(path), value) => [vec![*value], path.indices()].concat(),
            Self::Copy(into, from) => [into.indices(), from.indices()].concat(),
            Self::Point(into, address) => [into.indices(), address.indices()].concat(),
            Self::DeclareObject(_, initials) => {
                let addresses = initials.iter().filter_map(|initial| match initial {
                    Initial::Address(address) => Some(address.indices()),
                    Initial::Number(_) => None,
                });
                addresses.flatten().collect()
            }
            Self::Call(call) => call.expressions(),
            Self::Switch(switch) => vec![switch.value],
            Self::For(details) => vec![details.start, details.limit],
            Self::Reduce(reduce) => vec![reduce.value],
            Self::Gather(gather) => vec![gather.value],
            Self::GroupCopy(copy) => vec![copy.into.1, copy.from.1],
            Self::Mma(mma) => [&*mma.a, &*mma.b].concat(),
            Self::Collective(one) => [one.value].into_iter().chain(one.at).collect(),
            Self::Foreign(Foreign::Update(update)) => vec![update.value, update.at],
            Self::Foreign(Foreign::Ticket(ticket)) => {
                let update = ticket.update.iter().flat_map(|update| [update.value, update.at]);
                std::iter::once(ticket.at).chain(update).collect()
            }
            Self::Nothing
            | Self::DeclareArray(..)
            | Self::Barrier
            | Self::Labelled(_)
            | Self::Merged(..)
            | Self::Section(_)
            | Self::Foreign(Foreign::Fence { .. }) => Vec::new(),
        }
    }

    /// The blocks in the statement.
    #[must_use]
    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            Self::If(_, then, other) => vec![then, other],
            Self::Switch(switch) => switch.cases.iter().map(|case| &case.body).collect(),
            Self::For(details) => vec![&details.body],
            Self::Labelled(block) | Self::Merged(_, block) => vec![block],
            Self::GroupCopy(copy) => vec![&copy.body],
            Self::Section(section) => vec![&section.body],
            Self::Foreign(Foreign::Ticket(ticket)) => vec![&ticket.body],
            _ => Vec::new(),
        }
    }

    /// The blocks in the statement, for changes.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match self {
            Self::If(_, then, other) => vec![then, other],
            Self::Switch(switch) => switch.cases.iter_mut().map(|case| &mut case.body).collect(),
            Self::For(details) => vec![&mut details.body],
            Self::Labelled(block) | Self::Merged(_, block) => vec![block],
            Self::GroupCopy(copy) => vec![&mut copy.body],
            Self::Section(section) => vec![&mut section.body],
            Self::Foreign(Foreign::Ticket(ticket)) => vec![&mut ticket.body],
            _ => Vec::new(),
        }
    }

    /// The paths of the statement itself, with those of the addresses in it.
    #[must_use]
    pub fn paths(&self) -> Vec<&Path> {
        match self {
            Self::Assign(Place::Part(path), _) => vec![path],
            Self::Copy(into, from) => vec![into, from],
            Self::Call(call) => call.paths(),
            Self::Point(into, address) => [into].into_iter().chain(address.path()).collect(),
            Self::DeclareObject(_, initials) => {
                let addresses = initials.iter().filter_map(|initial| match initial {
                    Initial::Address(address) => address.path(),
                    Initial::Number(_) => None,
                });
                addresses.collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Program {
    /// True if something in a block is an object of its own.
    pub(crate) fn declares_objects(&self, block: &Block) -> bool {
        block.iter().any(|id| {
            matches!(self.stmt(*id).kind, StmtKind::DeclareObject(..) | StmtKind::DeclareArray(..))
        })
    }

    /// The statements of a block with those in them, in the order of the text.
    pub(crate) fn statements_of(&self, block: &Block) -> Vec<StmtId> {
        let mut found = Vec::new();
        for id in block {
            let kind = &self.stmt(*id).kind;
            if !matches!(kind, StmtKind::Nothing) {
                found.push(*id);
                found.extend(kind.blocks().into_iter().flat_map(|block| self.statements_of(block)));
            }
        }
        found
    }

    /// The expressions of statements, without their operands.
    fn roots_of(&self, statements: &[StmtId]) -> Vec<ExprId> {
        statements.iter().flat_map(|id| self.stmt(*id).kind.expressions()).collect()
    }

    /// The functions that the text needs, each after those that it calls.
    #[must_use]
    pub fn functions_in_use(&self) -> Vec<FunctionId> {
        let mut found = BTreeSet::new();
        if self.functions.is_empty() {
            return Vec::new();
        }
        let (mut bodies, mut pending) = (vec![&self.body], Vec::new());
        loop {
            let mut called = Vec::new();
            if let Some(body) = bodies.pop() {
                let statements = self.statements_of(body);
                pending.extend(self.roots_of(&statements));
                called.extend(statements.iter().filter_map(|id| match &self.stmt(*id).kind {
                    StmtKind::Call(call) => Some(call.function),
                    _ => None,
                }));
            } else if let Some(id) = pending.pop() {
                let kind = &self.expr(id).kind;
                pending.extend(kind.operands());
                if let ExprKind::Invoke(id, _) = kind {
                    called.push(*id);
                }
            } else {
                break;
            }
            for id in called.into_iter().filter(|id| found.insert(*id)) {
                bodies.push(&self.function(id).body);
                pending.push(self.function(id).value);
            }
        }
        found.into_iter().collect()
    }

    /// True if a function calls itself in this expression.
    #[must_use]
    pub fn calls_itself(&self, id: ExprId) -> bool {
        let ExprKind::Invoke(function, _) = self.expr(id).kind else { return false };
        let mut pending = self.roots_of(&self.statements_of(&self.function(function).body));
        while let Some(inner) = pending.pop() {
            if inner == id {
                return true;
            }
            pending.extend(self.expr(inner).kind.operands());
        }
        false
    }

    /// True if a statement is in a function, and not in the kernel itself.
    #[must_use]
    pub fn is_in_function(&self, id: StmtId) -> bool {
        self.functions.iter().any(|function| self.statements_of(&function.body).contains(&id))
    }

    /// True if one of these statements, or something in them or in a function that they call, is of a kind.
    pub(crate) fn does(&self, block: &[StmtId], wanted: &dyn Fn(&StmtKind) -> bool) -> bool {
        block.iter().any(|id| {
            let kind = &self.stmt(*id).kind;
            let inner = match kind {
                StmtKind::Call(call) => vec![&self.function(call.function).body],
                _ => kind.blocks(),
            };
            wanted(kind) || inner.into_iter().any(|block| self.does(block, wanted))
        })
    }

    /// True if a jump in a block goes to the label behind this one.
    pub(crate) fn goes_to(&self, block: &Block, label: StmtId) -> bool {
        let goes = |id: StmtId| matches!(self.stmt(id).kind, StmtKind::Jump(Jump::Goto(to), _) if to == label);
        self.statements_of(block).into_iter().any(goes)
    }

    /// The statements that are in the text, in its order.
    #[must_use]
    pub fn statements(&self) -> Vec<StmtId> {
        let functions = self.functions_in_use().into_iter();
        let bodies = functions.map(|id| &self.function(id).body).chain([&self.body]);
        bodies.flat_map(|body| self.statements_of(body)).collect()
    }

    /// The expressions of the statements in the text and the values of its functions, without their operands.
    #[must_use]
    pub fn roots(&self) -> Vec<ExprId> {
        let mut roots = self.roots_of(&self.statements());
        roots.extend(self.functions_in_use().into_iter().map(|id| self.function(id).value));
        roots
    }

    /// True if a function of sub-groups is called.
    #[must_use]
    pub fn uses_sub_groups(&self) -> bool {
        self.statements().into_iter().any(|id| match &self.stmt(id).kind {
            StmtKind::Collective(one) => one.function.is_of_sub_group(),
            _ => false,
        })
    }

    /// The number of atomic sections that the hosts have to know of: one more than the greatest number of one.
    #[must_use]
    pub fn sections(&self) -> u32 {
        let numbers = self.statements().into_iter().filter_map(|id| match &self.stmt(id).kind {
            StmtKind::Section(section) => Some(section.index + 1),
            _ => None,
        });
        numbers.max().unwrap_or(0)
    }
}
