//! Functions that work on objects: they get structures and pointers, write to what these point to, and return structures.

use super::Maker;
use super::statements::LOSSLESS;
use super::ways::Goal;
use crate::ir::{
    ActualParameter, Block, ExprId, Function, FunctionId, ObjectType, Path, Place, ProcedureCall,
    Region, Root, ScalarType, Step, StmtId, StmtKind, Storage, Ty, VarId, Variable,
};
use crate::random::{SeedKey, Stream};

/// The tokens that are left of a kernel for each of these functions.
const TOKENS: usize = 450;

impl Maker<'_> {
    /// Makes some functions, and calls each once.
    pub(super) fn start_procedures(&mut self, room: usize, key: SeedKey) -> Block {
        let mut block = Block::new();
        let is_on = self.features.weight("procedure", Ty::INT) > 0;
        if self.objects.is_empty() || !is_on || room < TOKENS {
            return block;
        }
        let most = (room / TOKENS).min(3) as u64;
        for index in 0..=key.stream().below(most) {
            let key = key.child(index);
            let with_barrier = self.synchronises()
                && self.features.weight("called_barrier", Ty::INT) > 0
                && key.named("barrier").stream().chance(60);
            let room = (room / 12).clamp(40, 200);
            let Some(id) = self.procedure(room, with_barrier, key.child(1)) else { continue };
            if with_barrier {
                self.meetings.push(id)
            } else {
                self.procedures.push(id)
            }
            block.extend(self.procedure_call(id, key.child(2)).unwrap_or_default());
        }
        block
    }

    fn procedure(&mut self, room: usize, with_barrier: bool, key: SeedKey) -> Option<FunctionId> {
        let mut stream = key.stream();
        let mut objects = Vec::new();
        for index in 0..1 + stream.below(3) {
            let Some(shape) = self.parameter_shape(&mut stream, key.child(index)) else { continue };
            let letter = if matches!(shape, ObjectType::Record(_)) { 's' } else { 'p' };
            let name = format!("{letter}{}", self.program.variables.len());
            let space = Storage::Object(shape);
            let variable = Variable { name, ty: Ty::INT, length: None, space };
            objects.push(self.program.declare(variable));
        }
        if objects.is_empty() {
            return None;
        }
        let values: Vec<VarId> = (0..stream.below(3))
            .map(|_| {
                let ty = self.any_type(&mut stream);
                self.variable('p', ty, None)
            })
            .collect();
        let wide = Ty::scalar(ScalarType::Ulong);
        let ty = if self.features.allows("procedure", wide) { wide } else { Ty::INT };
        let is_record = |id: &&VarId| matches!(self.program.shape(**id), ObjectType::Record(_));
        let object = objects.iter().find(is_record).copied();
        let object = object.filter(|_| stream.chance(60));
        let (body, value) = self.apart(values.clone(), objects.clone(), |maker| {
            let mut body = maker.block(room, 2, key.child(10));
            if with_barrier {
                let at = key.named("barrier").stream().below(body.len() as u64 + 1) as usize;
                body.insert(at, maker.program.statement(StmtKind::Barrier, key));
            }
            for index in 0..1 + stream.below(2) {
                let key = key.child(20 + index);
                body.extend(maker.assign_part(2, &mut key.stream(), key).unwrap_or_default());
            }
            let value = maker.expression(ty, 2, key.child(30));
            let value = maker.with_all(value, ty, key.child(31));
            body.extend(object.and_then(|object| maker.keep_in(object, value, key.child(32))));
            (body, value)
        });
        let value = match object {
            Some(_) => self.program.literal(0, ty, key),
            None => self.program.convert(value, ty, key),
        };
        let object = object.map(Path::to);
        let parameters = [objects, values].concat().into();
        let id = FunctionId(self.program.functions.len() as u32);
        let (name, is_apart) = (format!("f{}", id.0), stream.chance(35));
        let function = Function { name, parameters, body, value, object, is_apart };
        self.program.functions.push(function);
        Some(id)
    }

    /// Puts a value into a member of the structure that a function returns, so that it is not lost.
    fn keep_in(&mut self, object: VarId, value: ExprId, key: SeedKey) -> Option<StmtId> {
        let ObjectType::Record(id) = self.program.shape(object) else { return None };
        let record = self.program.record(id);
        let is_whole = |ty: Ty| !ty.scalar.is_float();
        let members = record.members.iter().filter(|_| !record.is_union);
        let mut members = (0..).zip(members);
        let found = members.find(|(_, member)| member.value().is_some_and(is_whole));
        let (member, shape) = found.map(|(at, shape)| (Step::Member(at), shape.clone()))?;
        let ty = shape.value()?;
        let weights = LOSSLESS.map(|op| (self.features.binary(op, ty), op));
        let operator = key.stream().weighted(&weights)?;
        let path = Path { root: Root::Variable(object), steps: vec![member] };
        let old = self.part_of(path.clone(), &shape, key)?;
        let value = self.program.convert(value, ty, key);
        let sum = self.program.binary(operator, old, value, key);
        let sum = self.program.convert(sum, ty, key);
        Some(self.program.statement(StmtKind::Assign(Place::Part(path), sum), key))
    }

    /// The type of a parameter that some object can be given to.
    fn parameter_shape(&mut self, stream: &mut Stream, key: SeedKey) -> Option<ObjectType> {
        if stream.chance(35)
            && let Some(walk) = self.some_way(Goal::Record, stream, key)
        {
            return Some(walk.shape);
        }
        if self.features.weight("pointer", Ty::INT) == 0 {
            return None;
        }
        let walk = self.some_way(Goal::Addressable, stream, key)?;
        let is_writable = walk.region == Region::Private;
        is_writable.then(|| ObjectType::Pointer(Box::new(walk.shape), Region::Private))
    }

    /// A call of one of the functions that work on objects.
    pub(super) fn some_call(&mut self, key: SeedKey) -> Option<Block> {
        let id = key.stream().pick(&self.procedures);
        self.procedure_call(id, key.child(1))
    }

    /// A barrier, perhaps in a function that all work-items of a group call together.
    pub(super) fn meeting(&mut self, key: SeedKey) -> Block {
        let mut stream = key.named("meeting").stream();
        if !self.meetings.is_empty() && !self.is_pure() && stream.chance(50) {
            let id = stream.pick(&self.meetings);
            if let Some(block) = self.procedure_call(id, key.named("meeting")) {
                return block;
            }
        }
        vec![self.program.statement(StmtKind::Barrier, key)]
    }

    fn procedure_call(&mut self, id: FunctionId, key: SeedKey) -> Option<Block> {
        let mut stream = key.stream();
        let function = self.program.function(id);
        let (parameters, object) = (function.parameters.clone(), function.object.clone());
        let ty = self.program.ty(function.value);
        let mut arguments = Vec::new();
        for (index, parameter) in (0..).zip(&parameters) {
            let key = key.child(index);
            let variable = self.program.variable(*parameter);
            arguments.push(match variable.space.clone() {
                Storage::Object(ObjectType::Pointer(target, region)) => ActualParameter::Address(
                    self.some_address(&target, region, &mut stream, key)?,
                ),
                Storage::Object(shape) => {
                    let walk = self.some_way(Goal::Exactly(&shape), &mut stream, key)?;
                    ActualParameter::Object(walk.path)
                }
                _ => {
                    let ty = variable.ty;
                    let value = self.expression(ty, 1, key);
                    ActualParameter::Value(self.program.convert(value, ty, key))
                }
            });
        }
        let mut block = Block::new();
        let into = match object {
            Some(object) => {
                let shape = self.program.shape_at(&object);
                let walk = (0..4).find_map(|number| {
                    let key = key.child(30 + number);
                    let walk = self.some_way(Goal::Exactly(&shape), &mut stream, key)?;
                    is_fixed(&walk.path).then_some(walk)
                })?;
                Place::Part(walk.path)
            }
            None => {
                let same = self.writable.iter().copied();
                let same = same.filter(|id| self.program.variable(*id).ty == ty);
                let same: Vec<VarId> = same.collect();
                let variable = if same.is_empty() {
                    let first = self.program.literal(0, ty, key);
                    let (declaration, variable) = self.declare(ty, first, key);
                    block.push(declaration);
                    variable
                } else {
                    stream.pick(&same)
                };
                if !self.is_pure() && self.unseen.contains(&variable) {
                    block.push(self.hashed(variable, key));
                }
                self.unseen.push(variable);
                Place::Variable(variable)
            }
        };
        let call = ProcedureCall { function: id, arguments: arguments.into(), into };
        block.push(self.program.statement(StmtKind::Call(call), key));
        Some(block)
    }
}

/// True if nothing is computed to find what a path leads to: the order of that and of the call would not be certain.
fn is_fixed(path: &Path) -> bool {
    let has_index = path.steps.iter().any(|step| matches!(step, Step::Index(_)));
    matches!(path.root, Root::Variable(_)) && !has_index
}
