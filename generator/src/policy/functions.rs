//! Functions that compute a value from their parameters.

use super::Maker;
use super::statements::LOSSLESS;
use crate::ir::{Block, ExprId, ExprKind, Function, FunctionId, ScalarType, Storage, Ty, VarId};
use crate::random::{SeedKey, Stream};

/// The tokens of a kernel for each of its functions.
const TOKENS: usize = 900;

impl Maker<'_> {
    /// Makes some functions, and calls each once.
    pub(super) fn start_functions(&mut self, tokens: usize, key: SeedKey) -> Block {
        let mut stream = key.stream();
        let mut block = Block::new();
        if self.features.weight("function", Ty::INT) == 0 || tokens < TOKENS {
            return block;
        }
        let most = (tokens / TOKENS).min(3) as u64;
        for index in 0..=stream.below(most) {
            let key = key.child(index);
            let id = self.function((tokens / 14).clamp(50, 150), key.child(1));
            self.functions.push(id);
            let value = self.invocation(id, 1, key.child(2));
            let ty = self.program.ty(value);
            block.push(self.declare(ty, value, key).0);
        }
        block
    }

    fn function(&mut self, room: usize, key: SeedKey) -> FunctionId {
        let mut stream = key.stream();
        let count = 1 + stream.below(3);
        let parameters: Box<[VarId]> = (0..count)
            .map(|_| {
                let ty = self.any_type(&mut stream);
                self.variable('p', ty, None)
            })
            .collect();
        let bound = self.bound(key.child(6));
        // Half of the results have room for every bit of the variables.
        let wide = Ty::scalar(stream.pick(&[ScalarType::Long, ScalarType::Ulong]));
        let is_wide = stream.chance(50) && self.features.allows("function", wide);
        let ty = if is_wide { wide } else { self.any_type(&mut stream) };
        let id = FunctionId(self.program.functions.len() as u32);
        let all: Box<[VarId]> = parameters.iter().copied().chain(bound).collect();
        let (body, value) = self.apart(parameters.to_vec(), Vec::new(), |maker| {
            let mut body = Block::new();
            if stream.chance(60) {
                let ty = maker.any_type(&mut stream);
                let value = maker.expression(ty, 2, key.child(2));
                body.push(maker.declare(ty, value, key.child(3)).0);
            }
            body.extend(maker.block(room.saturating_sub(40), 2, key.child(1)));
            if let Some(bound) = bound {
                let call = (id, ty, &parameters[..], bound);
                body.extend(maker.recursion(call, key.child(7)));
            }
            let value = maker.expression(ty, 2, key.child(4));
            (body, maker.with_all(value, ty, key.child(5)))
        });
        let value = self.program.convert(value, ty, key);
        let name = format!("f{}", id.0);
        let is_apart = stream.chance(30);
        let function = Function { name, parameters: all, body, value, object: None, is_apart };
        self.program.functions.push(function);
        self.recursive.extend(bound.map(|_| id));
        id
    }

    /// Makes what `make` makes for the body of a function with these parameters.
    pub(super) fn apart<T>(
        &mut self,
        values: Vec<VarId>,
        objects: Vec<VarId>,
        make: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let readable = std::mem::replace(&mut self.readable, values.clone());
        let writable = std::mem::replace(&mut self.writable, values);
        let objects = std::mem::replace(&mut self.objects, objects);
        let communication = self.communication.take();
        let unseen = std::mem::take(&mut self.unseen);
        let labels = std::mem::take(&mut self.labels);
        let arrays = self.arrays.clone();
        self.arrays.retain(|id| matches!(self.program.variable(*id).space, Storage::Constant(_)));
        self.in_function = true;
        let made = self.scoped(make);
        self.in_function = false;
        (self.readable, self.writable, self.objects) = (readable, writable, objects);
        (self.communication, self.unseen, self.arrays) = (communication, unseen, arrays);
        self.labels = labels;
        made
    }

    /// A value that depends on every variable which can be written here, so that each assignment matters to the result.
    pub(super) fn with_all(&mut self, value: ExprId, ty: Ty, key: SeedKey) -> ExprId {
        let mut stream = key.stream();
        let computed = Ty::scalar(ty.scalar.promoted());
        let of = if ty.is_vector() { ty } else { computed };
        let mut sum = value;
        for (index, variable) in (0..).zip(self.writable.clone()) {
            let weights = LOSSLESS.map(|op| (self.features.binary(op, of), op));
            let Some(operator) = stream.weighted(&weights) else { continue };
            let other = self.read(variable, key.child(index));
            let other = self.fitted(other, of, &mut stream, key.child(index));
            sum = self.program.binary(operator, sum, other, key.child(100 + index));
        }
        self.program.convert(sum, ty, key)
    }

    /// A call of a function.
    fn invocation(&mut self, id: FunctionId, depth: u32, key: SeedKey) -> ExprId {
        let parameters = self.program.function(id).parameters.clone();
        let last = parameters.len().wrapping_sub(1);
        let is_recursive = self.recursive.contains(&id);
        let arguments = (0..).zip(&parameters).map(|(index, parameter)| {
            let ty = self.program.variable(*parameter).ty;
            if is_recursive && index == last as u64 {
                return self.depth_of_calls(key.child(index));
            }
            let value = self.expression(ty, depth, key.child(index));
            self.program.convert(value, ty, key)
        });
        let arguments = arguments.collect();
        let ty = self.program.ty(self.program.function(id).value);
        self.program.add(ExprKind::Invoke(id, arguments), ty, key)
    }

    /// A call of one of the functions, as a value of a type.
    pub(super) fn some_invocation(
        &mut self,
        ty: Ty,
        depth: u32,
        stream: &mut Stream,
        key: SeedKey,
    ) -> Option<ExprId> {
        let weigh = |id: &FunctionId| {
            let result = self.program.ty(self.program.function(*id).value);
            (if result == ty { 6 } else { u32::from(self.features.allows("convert", ty)) }, *id)
        };
        let all: Vec<(u32, FunctionId)> = self.functions.iter().map(weigh).collect();
        let id = stream.weighted(&all)?;
        let value = self.invocation(id, depth.saturating_sub(1), key.child(1));
        Some(self.fitted(value, ty, stream, key))
    }
}
