//! Functions that call themselves, up to a depth that the caller gives.

use super::Maker;
use super::statements::LOSSLESS;
use crate::ir::{Binary, Block, ExprId, ExprKind, FunctionId, Place, StmtKind, Ty, VarId};
use crate::random::SeedKey;

/// The deepest calls. Each takes space on the stack.
const DEEPEST: u32 = 7;

/// A function that is being made: its number, the type of its value, the parameters that are given on, and the bound.
pub(super) type OwnCall<'a> = (FunctionId, Ty, &'a [VarId], VarId);

impl Maker<'_> {
    /// The parameter that says how deep a function calls itself, where it does.
    pub(super) fn bound(&mut self, key: SeedKey) -> Option<VarId> {
        let is_on = self.features.weight("recursion", Ty::INT) > 0
            && self.features.allows("if", Ty::INT)
            && self.features.allows("greater", Ty::INT)
            && self.features.allows("subtract", Ty::INT);
        (is_on && key.stream().chance(70)).then(|| self.variable('n', Ty::INT, None))
    }

    /// `T v = ...; if (n > 0) v = v ^ f(..., n - 1);`
    pub(super) fn recursion(
        &mut self,
        (id, ty, parameters, bound): OwnCall<'_>,
        key: SeedKey,
    ) -> Block {
        let mut stream = key.stream();
        let first = self.expression(ty, 1, key.child(1));
        let (declared, variable) = self.declare(ty, first, key.child(2));
        let mut arguments: Vec<ExprId> = Vec::new();
        for (index, parameter) in (10..).zip(parameters) {
            let ty = self.program.variable(*parameter).ty;
            let value = match stream.chance(30) {
                true => self.read(*parameter, key.child(index)),
                false => self.expression(ty, 1, key.child(index)),
            };
            arguments.push(self.program.convert(value, ty, key.child(index)));
        }
        let [one, zero] = [1, 0].map(|number| self.program.literal(number, Ty::INT, key));
        let depth = self.read(bound, key);
        arguments.push(self.program.binary(Binary::Subtract, depth, one, key));
        let call = self.program.add(ExprKind::Invoke(id, arguments.into()), ty, key);
        let weights = LOSSLESS.map(|op| (self.features.binary(op, ty), op));
        let value = match stream.weighted(&weights) {
            Some(operator) if stream.chance(70) => {
                let old = self.read(variable, key);
                self.program.binary(operator, old, call, key)
            }
            _ => call,
        };
        let value = self.program.convert(value, ty, key);
        let assignment = StmtKind::Assign(Place::Variable(variable), value);
        let then = vec![self.program.statement(assignment, key)];
        let depth = self.read(bound, key);
        let more = self.program.binary(Binary::Greater, depth, zero, key);
        vec![declared, self.program.statement(StmtKind::If(more, then, Block::new()), key)]
    }

    /// How deep a function calls itself, as an argument.
    pub(super) fn depth_of_calls(&mut self, key: SeedKey) -> ExprId {
        let mut stream = key.stream();
        let most = if self.executions > 64 { 3 } else { DEEPEST };
        if stream.chance(60) || !self.features.allows("and", Ty::INT) {
            let depth = 1 + stream.below(u64::from(most)) as i64;
            return self.hidden(depth, key.child(1));
        }
        let value = self.leaf(Ty::INT, key.child(1));
        let value = self.program.convert(value, Ty::INT, key);
        let mask = self.program.literal(most.into(), Ty::INT, key);
        self.program.binary(Binary::And, value, mask, key)
    }
}
