//! Small programs made by hand.

use crate::interpret::{Faults, run};
use crate::ir::{
    AtomicSection, Binary, Block, Buffer, ExprId, ExprKind, For, Function, FunctionId, Jump,
    LoopForm, Place, Program, ScalarType, Sizes, StmtKind, Storage, Ty, VarId, Variable,
    WorkItemId,
};
use crate::random::SeedKey;

/// A program with short names for what it is made of. `made` are the statements so far.
pub(super) struct Kernel {
    pub program: Program,
    pub made: Block,
}

impl Kernel {
    pub fn new(groups: u32, group: u32) -> Self {
        let sizes = Sizes { global: [groups * group, 1, 1], local: [group, 1, 1] };
        Self { program: Program::new(sizes), made: Block::new() }
    }

    pub fn key() -> SeedKey {
        SeedKey::root(0)
    }

    pub fn number(&mut self, number: i64) -> ExprId {
        self.program.literal(number.into(), Ty::INT, Self::key())
    }

    pub fn item(&mut self, item: WorkItemId) -> ExprId {
        self.program.add(ExprKind::Item(item), Ty::INT, Self::key())
    }

    pub fn lid(&mut self) -> ExprId {
        self.item(WorkItemId::LinearLocal)
    }

    pub fn read(&mut self, variable: VarId) -> ExprId {
        let ty = self.program.variable(variable).ty;
        self.program.add(ExprKind::Variable(variable), ty, Self::key())
    }

    pub fn element(&mut self, array: VarId, at: ExprId) -> ExprId {
        let ty = self.program.variable(array).ty;
        self.program.add(ExprKind::Element(array, at), ty, Self::key())
    }

    pub fn binary(&mut self, operator: Binary, a: ExprId, b: ExprId) -> ExprId {
        self.program.binary(operator, a, b, Self::key())
    }

    pub fn memory(&mut self, scalar: ScalarType, length: Option<u32>, space: Storage) -> VarId {
        let name = format!("v{}", self.program.variables.len());
        self.program.declare(Variable { name, ty: Ty::scalar(scalar), length, space })
    }

    pub fn local(&mut self, length: u32) -> VarId {
        self.memory(ScalarType::Int, Some(length), Storage::Local)
    }

    pub fn communication(&mut self) -> VarId {
        self.memory(ScalarType::Long, None, Storage::Global(Buffer::Communication))
    }

    pub fn push(&mut self, kind: StmtKind) {
        let id = self.program.statement(kind, Self::key());
        self.made.push(id);
    }

    pub fn declare(&mut self, value: i64) -> VarId {
        let variable = self.memory(ScalarType::Int, None, Storage::Private);
        let value = self.number(value);
        self.push(StmtKind::Declare(variable, value));
        variable
    }

    pub fn write(&mut self, array: VarId, at: ExprId) {
        let value = self.number(5);
        self.push(StmtKind::Assign(Place::Element(array, at), value));
    }

    pub fn hash(&mut self, value: ExprId) {
        self.push(StmtKind::Hash(value));
    }

    pub fn barrier(&mut self) {
        self.push(StmtKind::Barrier);
    }

    /// `variable = variable OPERATOR number`.
    pub fn update(&mut self, variable: VarId, operator: Binary, number: i64) {
        let old = self.read(variable);
        let number = self.number(number);
        let value = self.binary(operator, old, number);
        self.push(StmtKind::Assign(Place::Variable(variable), value));
    }

    pub fn jump_at(&mut self, jump: Jump, counter: VarId, number: i64) {
        let counter = self.read(counter);
        let number = self.number(number);
        let condition = self.binary(Binary::Equal, counter, number);
        self.push(StmtKind::Jump(jump, condition));
    }

    /// The statements that `make` adds, as a block of their own.
    pub fn block(&mut self, make: impl FnOnce(&mut Self)) -> Block {
        let outer = std::mem::take(&mut self.made);
        make(self);
        std::mem::replace(&mut self.made, outer)
    }

    /// A function with one parameter, whose statements and value `make` gives.
    pub fn function(&mut self, make: impl FnOnce(&mut Self, VarId) -> ExprId) -> FunctionId {
        let parameter = self.memory(ScalarType::Int, None, Storage::Private);
        let mut value = None;
        let body = self.block(|kernel| value = Some(make(kernel, parameter)));
        let value = value.unwrap_or_else(|| self.number(0));
        let (name, parameters) = ("f".to_owned(), [parameter].into());
        let function = Function { name, parameters, body, value, object: None, is_apart: false };
        self.program.functions.push(function);
        FunctionId(self.program.functions.len() as u32 - 1)
    }

    pub fn invoke(&mut self, function: FunctionId, argument: ExprId) -> ExprId {
        let kind = ExprKind::Invoke(function, [argument].into());
        self.program.add(kind, Ty::INT, Self::key())
    }

    pub fn branch(&mut self, condition: ExprId, make: impl FnOnce(&mut Self)) {
        let then = self.block(make);
        self.push(StmtKind::If(condition, then, Block::new()));
    }

    /// A loop from 0, whose limit and body `make` gives.
    pub fn repeat(&mut self, step: i32, limit: i64, make: impl FnOnce(&mut Self, VarId)) {
        let limit = self.number(limit);
        self.repeat_to(step, limit, make);
    }

    pub fn repeat_to(&mut self, step: i32, limit: ExprId, make: impl FnOnce(&mut Self, VarId)) {
        let counter = self.memory(ScalarType::Int, None, Storage::Private);
        let start = self.number(0);
        let body = self.block(|kernel| make(kernel, counter));
        self.push(StmtKind::For(For {
            form: LoopForm::For,
            counter,
            start,
            limit,
            step,
            unroll: None,
            body,
        }));
    }

    /// A section that adds up a variable which `make` declares.
    pub fn section(&mut self, index: u32, make: impl FnOnce(&mut Self) -> VarId) {
        let mut sum = None;
        let body = self.block(|kernel| sum = Some(make(kernel)));
        let sum = sum.into_iter().collect();
        self.push(StmtKind::Section(AtomicSection { index, arrival: 0, body, sum }));
    }

    /// All faults, and the results.
    pub fn run(mut self) -> (Vec<Faults>, Vec<u64>) {
        self.program.body = self.made;
        let report = run(&self.program);
        let all = report.exprs.iter().chain(&report.stmts);
        (all.copied().filter(|faults| faults.any()).collect(), report.results)
    }
}
