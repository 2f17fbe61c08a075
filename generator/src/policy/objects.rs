//! Objects and pointers: their declarations, and what is done with their parts.

use super::Maker;
use super::ways::Goal;
use crate::ir::{
    Address, Binary, Block, ExprId, ExprKind, Initial, ObjectType, Path, Place, Record, Region,
    ScalarType, Step, StmtId, StmtKind, Storage, Ty, VarId, Variable,
};
use crate::random::{SeedKey, Stream};

/// The most scalars, vectors and pointers in an object of a large kernel.
const MOST_LEAVES: u64 = 8;

impl Maker<'_> {
    /// Declares types, objects and pointers for a kernel of this number of tokens.
    pub(super) fn start_objects(&mut self, tokens: usize, key: SeedKey) -> Block {
        let mut stream = key.stream();
        let [structures, unions, pointers] =
            ["structure", "union", "pointer"].map(|name| self.features.weight(name, Ty::INT) > 0);
        let size = tokens as u64;
        // Smaller kernels have no objects.
        if size < 500 || !(structures || unions) {
            return Block::new();
        }
        let leaves = (size / 180).min(MOST_LEAVES) as usize;
        for index in 0..1 + stream.below(1 + size / 700).min(3) {
            let is_union = unions && (!structures || stream.chance(35));
            let key = key.child(index);
            let members = if is_union {
                self.union_members(key)
            } else {
                self.members(pointers, leaves, key)
            };
            let name = format!("{}{index}", if is_union { 'U' } else { 'S' });
            self.program.records.push(Record { name, is_union, members });
        }
        let mut block = Block::new();
        for index in 0..1 + stream.below(1 + size / 900).min(3) {
            let shape = self.object_shape(index == 0, pointers, &mut stream);
            block.push(self.object(shape, key.child(100 + index)));
        }
        if pointers {
            for index in 0..1 + stream.below(1 + size / 500).min(4) {
                block.extend(self.pointer(key.child(200 + index)));
            }
        }
        block
    }

    /// The type of an object; the first one is a structure or a union.
    fn object_shape(&mut self, is_first: bool, pointers: bool, stream: &mut Stream) -> ObjectType {
        let ty = self.any_type(stream);
        let value = ObjectType::Value(ty);
        let record = self.some_record(stream).unwrap_or_else(|| value.clone());
        let mut leaves = Vec::new();
        self.program.leaves(&record, 0, &mut leaves);
        let few = leaves.len() <= MOST_LEAVES as usize / 2;
        match stream.below(100) {
            0..20 if few && self.features.allows("array", Ty::INT) => {
                ObjectType::Array(Box::new(record), 2)
            }
            20..32 if pointers && !is_first => value,
            32..45 if pointers && !is_first => {
                let length = 3 + stream.below(4) as u32;
                self.array_shape(ty, length).unwrap_or(value)
            }
            _ => record,
        }
    }

    fn object(&mut self, shape: ObjectType, key: SeedKey) -> StmtId {
        let mut stream = key.stream();
        let mut leaves = Vec::new();
        self.program.leaves(&shape, 0, &mut leaves);
        let initials = leaves.into_iter().map(|(_, leaf)| match leaf {
            ObjectType::Pointer(target, _) => {
                let found = self.some_way(Goal::Exactly(&target), &mut stream, key);
                let address = found.map_or(Address::Null, |walk| Address::Of(walk.path));
                Initial::Address(address)
            }
            ObjectType::Value(_) | ObjectType::Bits(..) => {
                let scalar = leaf.value().map_or(ScalarType::Int, |ty| ty.scalar);
                Initial::Number(leaf.kept(self.stored(scalar, &mut stream)))
            }
            ObjectType::Record(_) | ObjectType::Array(..) => Initial::Number(0),
        });
        let initials = initials.collect();
        self.add_object('s', shape, initials, key).1
    }

    fn add_object(
        &mut self,
        letter: char,
        shape: ObjectType,
        initials: Box<[Initial]>,
        key: SeedKey,
    ) -> (VarId, StmtId) {
        let name = format!("{letter}{}", self.program.variables.len());
        let space = Storage::Object(shape);
        let id = self.program.declare(Variable { name, ty: Ty::INT, length: None, space });
        self.objects.push(id);
        (id, self.program.statement(StmtKind::DeclareObject(id, initials), key))
    }

    /// Declares a pointer to something that is there.
    pub(super) fn pointer(&mut self, key: SeedKey) -> Option<StmtId> {
        let mut stream = key.stream();
        let found = self.some_way(Goal::Addressable, &mut stream, key)?;
        Some(self.pointer_to(found.path, key.child(1)).1)
    }

    /// Declares a pointer to something.
    pub(super) fn pointer_to(&mut self, path: Path, key: SeedKey) -> (VarId, StmtId) {
        let region = self.program.region_at(&path);
        let shape = ObjectType::Pointer(Box::new(self.program.shape_at(&path)), region);
        let initials = Box::new([Initial::Address(Address::Of(path))]);
        self.add_object('p', shape, initials, key)
    }

    /// The value of a part of an object.
    pub(super) fn some_part(&mut self, stream: &mut Stream, key: SeedKey) -> Option<ExprId> {
        if self.in_section || self.objects.is_empty() {
            return None;
        }
        let walk = self.some_way(Goal::Value, stream, key)?;
        self.part_of(walk.path, &walk.shape, key)
    }

    pub(super) fn part_of(
        &mut self,
        path: Path,
        shape: &ObjectType,
        key: SeedKey,
    ) -> Option<ExprId> {
        let ty = shape.value()?;
        Some(self.program.add(ExprKind::Part(Box::new(path)), ty, key))
    }

    /// Makes a comparison of two pointers for equality.
    pub(super) fn same_address(&mut self, stream: &mut Stream, key: SeedKey) -> Option<ExprId> {
        if self.in_section || self.objects.is_empty() {
            return None;
        }
        let walk = self.some_way(Goal::Pointer, stream, key)?;
        let ObjectType::Pointer(target, region) = &walk.shape else { return None };
        let other = match self.some_address(target, *region, stream, key.child(20)) {
            Some(other) => other,
            None => Address::Null,
        };
        let both = Box::new([Address::Value(walk.path), other]);
        Some(self.program.add(ExprKind::SameAddress(both), Ty::INT, key))
    }

    /// The address of something, or a pointer.
    pub(super) fn some_address(
        &mut self,
        target: &ObjectType,
        region: Region,
        stream: &mut Stream,
        key: SeedKey,
    ) -> Option<Address> {
        let pointer = ObjectType::Pointer(Box::new(target.clone()), region);
        if region != Region::Private || stream.chance(25) {
            let walk = self.some_way(Goal::Exactly(&pointer), stream, key)?;
            return Some(Address::Value(walk.path));
        }
        Some(Address::Of(self.some_way(Goal::Exactly(target), stream, key)?.path))
    }

    /// A write to an object or to a pointer.
    pub(super) fn write_object(&mut self, depth: u32, key: SeedKey) -> Option<Block> {
        if self.in_section {
            return None;
        }
        let mut stream = key.stream();
        let key = key.child(1);
        match stream.below(100) {
            0..16 => self.copy(&mut stream, key).map(|id| vec![id]),
            16..34 => self.point(&mut stream, key).map(|id| vec![id]),
            _ => self.assign_part(depth, &mut stream, key),
        }
    }

    /// Assigns to a scalar or a vector. An old value that would be lost is added to the result before.
    pub(super) fn assign_part(
        &mut self,
        depth: u32,
        stream: &mut Stream,
        key: SeedKey,
    ) -> Option<Block> {
        let walk = self.some_way(Goal::WritableValue, stream, key)?;
        let ty = walk.shape.value()?;
        let value = self.expression(ty, depth, key.child(30));
        let old = self.part_of(walk.path.clone(), &walk.shape, key)?;
        let operators = super::statements::LOSSLESS;
        let weights = operators.map(|op| (self.features.binary(op, ty), op));
        // Functions have no result that the old value could be added to.
        let update: Option<Binary> =
            stream.weighted(&weights).filter(|_| self.in_function || stream.chance(65));
        let mut block = Block::new();
        let value = match update {
            Some(operator) => {
                let sum = self.program.binary(operator, old, value, key);
                self.program.convert(sum, ty, key)
            }
            None if self.in_function => value,
            None => {
                block.push(self.program.statement(StmtKind::Hash(old), key));
                value
            }
        };
        let assign = StmtKind::Assign(Place::Part(walk.path), value);
        block.push(self.program.statement(assign, key));
        Some(block)
    }

    fn copy(&mut self, stream: &mut Stream, key: SeedKey) -> Option<StmtId> {
        let into = self.some_way(Goal::Record, stream, key)?;
        let from = (0..6).find_map(|number| {
            let from = self.some_way(Goal::Record, stream, key.child(20 + number))?;
            (from.shape == into.shape && from.path.variable() != into.path.variable())
                .then_some(from)
        })?;
        Some(self.program.statement(StmtKind::Copy(into.path, from.path), key))
    }

    fn point(&mut self, stream: &mut Stream, key: SeedKey) -> Option<StmtId> {
        let into = self.some_way(Goal::Pointer, stream, key)?;
        let ObjectType::Pointer(target, region) = &into.shape else { return None };
        let address = if matches!(**target, ObjectType::Value(_)) && stream.chance(30) {
            let by = stream.pick(&[-1, 1, 1, 2]);
            let by = self.program.literal(by, Ty::INT, key);
            Address::Moved(into.path.clone(), by)
        } else {
            self.some_address(target, *region, stream, key.child(20))?
        };
        Some(self.program.statement(StmtKind::Point(into.path, address), key))
    }

    /// Adds every part of an object to the result; of a union, those of its widest member. Where they have no value, the
    /// repair takes a narrower one.
    pub(super) fn hashed_object(&mut self, object: VarId, key: SeedKey) -> Block {
        let mut found = Vec::new();
        self.parts(Path::to(object), self.program.shape(object), key, &mut found);
        let hash = |(path, shape): (Path, ObjectType)| {
            let value = self.part_of(path, &shape, key)?;
            Some(self.program.statement(StmtKind::Hash(value), key))
        };
        found.into_iter().filter_map(hash).collect()
    }

    fn parts(
        &mut self,
        path: Path,
        shape: ObjectType,
        key: SeedKey,
        found: &mut Vec<(Path, ObjectType)>,
    ) {
        let steps: Vec<Step> = match &shape {
            ObjectType::Value(_) | ObjectType::Bits(..) => return found.push((path, shape)),
            ObjectType::Pointer(..) => return,
            ObjectType::Array(_, length) => (0..*length)
                .map(|at| Step::Index(self.program.literal(at.into(), Ty::INT, key)))
                .collect(),
            ObjectType::Record(id) => {
                let record = self.program.record(*id);
                let all = (0..).zip(&record.members);
                if record.is_union {
                    let widest = all.max_by_key(|(_, member)| self.program.layout(member).0);
                    widest.map(|(number, _)| Step::Member(number)).into_iter().collect()
                } else {
                    all.map(|(number, _)| Step::Member(number)).collect()
                }
            }
        };
        for step in steps {
            let mut path = path.clone();
            path.steps.push(step);
            let part = self.program.part(&shape, step);
            self.parts(path, part, key, found);
        }
    }

    /// The types of the values in objects, which are added to the result at the end.
    pub(super) fn types_in_objects(&self) -> Vec<Ty> {
        let mut leaves = Vec::new();
        for id in &self.objects {
            self.program.leaves(&self.program.shape(*id), 0, &mut leaves);
        }
        leaves.into_iter().filter_map(|(_, leaf)| leaf.value()).collect()
    }
}
