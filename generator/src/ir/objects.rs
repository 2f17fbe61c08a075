//! Objects in memory: structures, unions, arrays of them, and pointers. They have addresses, and lie in memory as bytes.

use super::{ExprId, Program, ScalarType, Storage, Ty, VarId};

/// The number of a structure or union type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId(pub u32);

/// A structure or union type. Its members have types with smaller numbers.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its tag.
    pub name: String,
    /// True if all members begin at the same address.
    pub is_union: bool,
    /// The types of the members; their names follow from their numbers.
    pub members: Vec<ObjectType>,
}

/// The type of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectType {
    /// A scalar or a vector.
    Value(Ty),
    /// A bit-field of so many bits, a member of a structure. Nothing has its address.
    Bits(ScalarType, u8),
    /// A structure or a union.
    Record(RecordId),
    /// An array with its number of elements.
    Array(Box<ObjectType>, u32),
    /// The address of an object.
    Pointer(Box<ObjectType>, Region),
}

/// The address space of what a pointer points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the address spaces of OpenCL C")]
pub enum Region {
    Private,
    Local,
    Global,
    Constant,
}

/// The way to a part of an object.
#[derive(Clone, Debug)]
pub struct Path {
    /// The object where it begins.
    pub root: Root,
    /// The parts of parts.
    pub steps: Vec<Step>,
}

/// The object where a path begins.
#[derive(Clone, Debug)]
pub enum Root {
    /// A variable.
    Variable(VarId),
    /// `*p`, or `p[i]`: the pointer lies at a path itself.
    Pointer(Box<Path>, Option<ExprId>),
}

/// A part of an object.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// A member of a structure or union.
    Member(u8),
    /// An element of an array.
    Index(ExprId),
}

/// The value of a pointer.
#[derive(Clone, Debug)]
pub enum Address {
    /// A null pointer.
    Null,
    /// `&x`.
    Of(Path),
    /// Another pointer.
    Value(Path),
    /// Another pointer plus a number of elements.
    Moved(Path, ExprId),
}

/// The first value of a scalar, a vector or a pointer in an object.
#[derive(Clone, Debug)]
pub enum Initial {
    /// The stored bits of all lanes.
    Number(i64),
    /// The value of a pointer.
    Address(Address),
}

impl ObjectType {
    /// The type of the value of a scalar, a vector or a bit-field.
    #[must_use]
    pub fn value(&self) -> Option<Ty> {
        match self {
            Self::Value(ty) => Some(*ty),
            Self::Bits(scalar, _) => Some(Ty::scalar(*scalar)),
            _ => None,
        }
    }

    /// The number that is read after `stored` was written: a bit-field keeps only its lowest bits.
    #[must_use]
    pub fn kept(&self, stored: i64) -> i64 {
        let Self::Bits(scalar, bits) = self else { return stored };
        let rest = 64 - u32::from(*bits);
        match scalar.is_signed() {
            true => stored << rest >> rest,
            false => ((stored as u64) << rest >> rest) as i64,
        }
    }
}

impl Path {
    /// The path to a variable as a whole.
    #[must_use]
    pub fn to(variable: VarId) -> Self {
        Self { root: Root::Variable(variable), steps: Vec::new() }
    }

    /// The variable that the text begins with.
    #[must_use]
    pub fn variable(&self) -> VarId {
        match &self.root {
            Root::Variable(variable) => *variable,
            Root::Pointer(path, _) => path.variable(),
        }
    }

    /// The indices, in the order of the text.
    #[must_use]
    pub fn indices(&self) -> Vec<ExprId> {
        let mut found = match &self.root {
            Root::Variable(_) => Vec::new(),
            Root::Pointer(path, at) => [path.indices(), at.iter().copied().collect()].concat(),
        };
        found.extend(self.steps.iter().filter_map(|step| match step {
            Step::Index(at) => Some(*at),
            Step::Member(_) => None,
        }));
        found
    }
}

impl Address {
    /// The path that it is about.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Null => None,
            Self::Of(path) | Self::Value(path) | Self::Moved(path, _) => Some(path),
        }
    }

    /// The indices, in the order of the text.
    #[must_use]
    pub fn indices(&self) -> Vec<ExprId> {
        let mut found = self.path().map(Path::indices).unwrap_or_default();
        if let Self::Moved(_, by) = self {
            found.push(*by);
        }
        found
    }
}

impl Program {
    /// The type of a variable as an object.
    #[must_use]
    pub fn shape(&self, id: VarId) -> ObjectType {
        let variable = self.variable(id);
        match &variable.space {
            Storage::Object(shape) => shape.clone(),
            _ => ObjectType::Array(Box::new(ObjectType::Value(variable.ty)), self.elements(id)),
        }
    }

    /// The address space that pointers to a variable have.
    #[must_use]
    pub fn region(&self, id: VarId) -> Region {
        match self.variable(id).space {
            Storage::Private | Storage::Object(_) => Region::Private,
            Storage::Local => Region::Local,
            Storage::Constant(_) => Region::Constant,
            Storage::Global(_) | Storage::Argument(_) => Region::Global,
        }
    }

    /// The type of what a path leads to.
    ///
    /// # Panics
    /// If a step does not fit the type that it is a part of.
    #[must_use]
    pub fn shape_at(&self, path: &Path) -> ObjectType {
        let first = match &path.root {
            Root::Variable(variable) => self.shape(*variable),
            Root::Pointer(pointer, _) => match self.shape_at(pointer) {
                ObjectType::Pointer(shape, _) => *shape,
                other => panic!("only pointers point to something: {other:?}"),
            },
        };
        path.steps.iter().fold(first, |shape, step| self.part(&shape, *step))
    }

    /// The address space of what a path leads to.
    #[must_use]
    pub fn region_at(&self, path: &Path) -> Region {
        match &path.root {
            Root::Variable(variable) => self.region(*variable),
            Root::Pointer(pointer, _) => match self.shape_at(pointer) {
                ObjectType::Pointer(_, region) => region,
                _ => Region::Private,
            },
        }
    }

    /// The type of the part of an object to which a step leads.
    pub(crate) fn part(&self, shape: &ObjectType, step: Step) -> ObjectType {
        match (shape, step) {
            (ObjectType::Record(record), Step::Member(member)) => {
                self.record(*record).members[usize::from(member)].clone()
            }
            (ObjectType::Array(element, _), Step::Index(_)) => (**element).clone(),
            _ => panic!("{shape:?} has no part {step:?}"),
        }
    }

    /// A structure or union type.
    #[must_use]
    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }

    /// The size and the alignment of a type in bytes. Those of pointers are of no importance: nothing shows them.
    #[must_use]
    pub fn layout(&self, shape: &ObjectType) -> (u32, u32) {
        match shape {
            ObjectType::Value(ty) => {
                let lanes = if ty.lanes == 3 { 4 } else { u32::from(ty.lanes) };
                let size = ty.scalar.bits() / 8 * lanes;
                (size, size)
            }
            // Nothing shows where bit-fields lie: no structure with one is in a union.
            ObjectType::Bits(scalar, _) => (scalar.bits() / 8, scalar.bits() / 8),
            ObjectType::Pointer(..) => (8, 8),
            ObjectType::Array(element, length) => {
                let (size, align) = self.layout(element);
                (size * length, align)
            }
            ObjectType::Record(id) => {
                let record = self.record(*id);
                let (mut end, mut most) = (0_u32, 1);
                for member in &record.members {
                    let (size, align) = self.layout(member);
                    most = most.max(align);
                    end = match record.is_union {
                        true => end.max(size),
                        false => end.next_multiple_of(align) + size,
                    };
                }
                (end.next_multiple_of(most), most)
            }
        }
    }

    /// The distance of a member from the begin of its structure or union.
    #[must_use]
    pub fn offset(&self, id: RecordId, member: u8) -> u32 {
        let record = self.record(id);
        if record.is_union {
            return 0;
        }
        let mut end = 0_u32;
        for (index, shape) in (0..).zip(&record.members) {
            let (size, align) = self.layout(shape);
            let start = end.next_multiple_of(align);
            if index == member {
                return start;
            }
            end = start + size;
        }
        end
    }

    /// The bytes that belong to no value, as first byte and end; in unions, none are named.
    pub(crate) fn padding(&self, shape: &ObjectType, base: u32, found: &mut Vec<(u32, u32)>) {
        match shape {
            ObjectType::Value(ty) if ty.lanes == 3 => {
                let lane = ty.scalar.bits() / 8;
                found.push((base + 3 * lane, base + 4 * lane));
            }
            ObjectType::Value(_) | ObjectType::Bits(..) | ObjectType::Pointer(..) => {}
            ObjectType::Array(element, length) => {
                let size = self.layout(element).0;
                for index in 0..*length {
                    self.padding(element, base + index * size, found);
                }
            }
            ObjectType::Record(id) if self.record(*id).is_union => {}
            ObjectType::Record(id) => {
                let mut end = base;
                for (index, member) in (0..).zip(&self.record(*id).members) {
                    let start = base + self.offset(*id, index);
                    found.push((end, start));
                    self.padding(member, start, found);
                    end = start + self.layout(member).0;
                }
                found.push((end, base + self.layout(shape).0));
            }
        }
    }

    /// The scalars, vectors and pointers of a type, each with its distance from the begin; of a union, those of its first
    /// member. These are what a declaration gives a first value to.
    pub(crate) fn leaves(&self, shape: &ObjectType, base: u32, found: &mut Vec<(u32, ObjectType)>) {
        match shape {
            ObjectType::Value(_) | ObjectType::Bits(..) | ObjectType::Pointer(..) => {
                found.push((base, shape.clone()));
            }
            ObjectType::Array(element, length) => {
                let size = self.layout(element).0;
                for index in 0..*length {
                    self.leaves(element, base + index * size, found);
                }
            }
            ObjectType::Record(id) => {
                let record = self.record(*id);
                let count = if record.is_union { 1 } else { record.members.len() };
                for (index, member) in (0..).zip(&record.members[..count]) {
                    self.leaves(member, base + self.offset(*id, index), found);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{ScalarType, Sizes};

    /// The numbers are those of `sizeof` and `offsetof` in OpenCL C.
    #[test]
    fn layouts_are_those_of_opencl_c() {
        let mut program = Program::new(Sizes { global: [1; 3], local: [1; 3] });
        let value = |scalar, lanes| ObjectType::Value(Ty { scalar, lanes });
        let mut add = |is_union, members: Vec<ObjectType>| {
            program.records.push(Record { name: String::new(), is_union, members });
            RecordId(program.records.len() as u32 - 1)
        };
        let inner = add(false, vec![value(ScalarType::Char, 1), value(ScalarType::Short, 3)]);
        let both = add(
            true,
            vec![
                ObjectType::Array(Box::new(value(ScalarType::Uchar, 1)), 5),
                value(ScalarType::Uint, 1),
            ],
        );
        let outer = add(
            false,
            vec![
                value(ScalarType::Char, 1),
                ObjectType::Record(inner),
                value(ScalarType::Uchar, 2),
                ObjectType::Record(both),
                value(ScalarType::Long, 1),
            ],
        );
        assert_eq!(program.layout(&ObjectType::Record(inner)), (16, 8));
        assert_eq!(program.layout(&ObjectType::Record(both)), (8, 4));
        assert_eq!([0, 1, 2, 3, 4].map(|m| program.offset(outer, m)), [0, 8, 24, 28, 40]);
        assert_eq!(program.layout(&ObjectType::Record(outer)), (48, 8));
        let mut padding = Vec::new();
        program.padding(&ObjectType::Record(outer), 0, &mut padding);
        padding.retain(|(start, end)| start < end);
        assert_eq!(padding, [(1, 8), (9, 16), (22, 24), (26, 28), (36, 40)]);
    }
}
