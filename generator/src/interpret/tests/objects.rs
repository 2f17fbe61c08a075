//! Structures, unions and pointers.

use super::{Checked, Faults, Kernel, assert_faults};
use crate::interpret::{FIRST, mixed};
use crate::ir::{
    Address, Binary, ExprId, ExprKind, Initial, ObjectType, Path, Place, Record, RecordId, Region,
    Root, ScalarType, Step, StmtKind, Storage, Ty, VarId, Variable, WorkItemId,
};

pub(super) const INT: ObjectType = ObjectType::Value(Ty::INT);

pub(super) fn value(scalar: ScalarType, lanes: u8) -> ObjectType {
    ObjectType::Value(Ty { scalar, lanes })
}

fn array(element: ObjectType, length: u32) -> ObjectType {
    ObjectType::Array(Box::new(element), length)
}

pub(super) fn pointer(target: ObjectType) -> ObjectType {
    ObjectType::Pointer(Box::new(target), Region::Private)
}

pub(super) fn member(variable: VarId, members: &[u8]) -> Path {
    let steps = members.iter().copied().map(Step::Member).collect();
    Path { root: Root::Variable(variable), steps }
}

/// `*p`, or `p[at]`.
pub(super) fn behind(variable: VarId, at: Option<ExprId>) -> Path {
    Path { root: Root::Pointer(Box::new(Path::to(variable)), at), steps: Vec::new() }
}

impl Kernel {
    pub(super) fn record(&mut self, is_union: bool, members: Vec<ObjectType>) -> ObjectType {
        let name = String::new();
        self.program.records.push(Record { name, is_union, members });
        ObjectType::Record(RecordId(self.program.records.len() as u32 - 1))
    }

    /// An object whose numbers are 1, 2, 3, and so on, and whose pointers are null.
    pub(super) fn object(&mut self, shape: ObjectType) -> VarId {
        let mut leaves = Vec::new();
        self.program.leaves(&shape, 0, &mut leaves);
        let initials = (1..).zip(leaves).map(|(number, (_, leaf))| match leaf {
            ObjectType::Pointer(..) => Initial::Address(Address::Null),
            _ => Initial::Number(number),
        });
        let initials = initials.collect();
        let name = format!("o{}", self.program.variables.len());
        let space = Storage::Object(shape);
        let id = self.program.declare(Variable { name, ty: Ty::INT, length: None, space });
        self.push(StmtKind::DeclareObject(id, initials));
        id
    }

    /// A pointer to something.
    pub(super) fn pointer_to(&mut self, path: Path) -> VarId {
        let id = self.object(pointer(self.program.shape_at(&path)));
        self.push(StmtKind::Point(Path::to(id), Address::Of(path)));
        id
    }

    fn element_of(&mut self, variable: VarId, at: i64) -> Path {
        let at = self.number(at);
        Path { root: Root::Variable(variable), steps: vec![Step::Index(at)] }
    }

    fn set(&mut self, path: Path, number: i64) {
        let ObjectType::Value(ty) = self.program.shape_at(&path) else { panic!("no value") };
        let value = self.program.literal(number.into(), ty, Self::key());
        self.push(StmtKind::Assign(Place::Part(path), value));
    }

    fn get(&mut self, path: Path) {
        let ObjectType::Value(ty) = self.program.shape_at(&path) else { panic!("no value") };
        let part = self.program.add(ExprKind::Part(Box::new(path)), ty, Self::key());
        self.hash(part);
    }

    fn set_at(&mut self, mut array: Path, at: i64, number: i64) {
        array.steps.push(Step::Index(self.number(at)));
        self.set(array, number);
    }

    fn get_at(&mut self, mut array: Path, at: i64) {
        array.steps.push(Step::Index(self.number(at)));
        self.get(array);
    }

    /// A union of a long, a short3, an array of five uchars, and a structure with padding.
    fn a_union(&mut self) -> VarId {
        let padded = self.record(false, vec![value(ScalarType::Char, 1), INT]);
        let shape = self.record(
            true,
            vec![
                value(ScalarType::Long, 1),
                value(ScalarType::Short, 3),
                array(value(ScalarType::Uchar, 1), 5),
                padded,
            ],
        );
        self.object(shape)
    }
}

#[test]
fn each_fault_is_seen_and_what_is_almost_one_is_not() {
    let cases: &[Checked] = &[
        ("member that was written last", (1, 2), None, |k| {
            let u = k.a_union();
            k.set(member(u, &[1]), 3);
            k.get(member(u, &[1]));
        }),
        ("narrower member of a union", (1, 2), None, |k| {
            let u = k.a_union();
            k.get(member(u, &[3, 1]));
        }),
        ("wider member of a union", (1, 2), Some(Faults::UNSET), |k| {
            let u = k.a_union();
            k.set_at(member(u, &[2]), 0, 3);
            k.get(member(u, &[0]));
        }),
        ("element of the member of a union", (1, 2), None, |k| {
            let u = k.a_union();
            k.set_at(member(u, &[2]), 0, 3);
            k.get_at(member(u, &[2]), 4);
        }),
        ("fourth lane of a vector of three", (1, 2), Some(Faults::UNSET), |k| {
            let u = k.a_union();
            k.set(member(u, &[1]), 3);
            k.get(member(u, &[0]));
        }),
        ("padding of a structure in a union", (1, 2), Some(Faults::UNSET), |k| {
            let u = k.a_union();
            k.set(member(u, &[3, 1]), 3);
            k.get_at(member(u, &[2]), 1);
        }),
        ("no padding of a structure in a union", (1, 2), None, |k| {
            let u = k.a_union();
            k.set(member(u, &[3, 1]), 3);
            k.get_at(member(u, &[2]), 4);
        }),
        ("copy of a union without all values", (1, 2), Some(Faults::UNSET), |k| {
            let (u, shape) = (k.a_union(), ObjectType::Record(RecordId(1)));
            let other = k.object(shape);
            k.set(member(u, &[1]), 3);
            k.push(StmtKind::Copy(Path::to(other), Path::to(u)));
            k.get(member(other, &[0]));
        }),
        ("null pointer", (1, 2), Some(Faults::UNSET), |k| {
            let p = k.object(pointer(INT));
            k.get(behind(p, None));
        }),
        ("null pointer that some do not follow", (1, 2), Some(Faults::UNSET), |k| {
            let (x, lid) = (k.object(INT), k.lid());
            let p = k.object(pointer(INT));
            k.branch(lid, |k| {
                k.push(StmtKind::Point(Path::to(p), Address::Of(Path::to(x))));
            });
            k.get(behind(p, None));
        }),
        ("pointer to what is there", (1, 2), None, |k| {
            let x = k.object(INT);
            let p = k.pointer_to(Path::to(x));
            k.set(behind(p, None), 7);
        }),
        ("pointer to what is gone", (1, 2), Some(Faults::UNSET), |k| {
            let p = k.object(pointer(INT));
            k.repeat(1, 1, |k, _| {
                let x = k.object(INT);
                k.push(StmtKind::Point(Path::to(p), Address::Of(Path::to(x))));
                k.get(behind(p, None));
            });
            k.set(behind(p, None), 7);
        }),
        ("pointer to the object of the last round", (1, 2), Some(Faults::UNSET), |k| {
            let p = k.object(pointer(INT));
            k.repeat(1, 2, |k, counter| {
                let x = k.object(INT);
                let is_second = k.read(counter);
                k.branch(is_second, |k| k.get(behind(p, None)));
                k.push(StmtKind::Point(Path::to(p), Address::Of(Path::to(x))));
            });
        }),
        ("last element through a pointer", (1, 2), None, |k| {
            let a = k.object(array(INT, 3));
            let path = k.element_of(a, 1);
            let (p, one) = (k.pointer_to(path), k.number(1));
            k.set(behind(p, Some(one)), 7);
        }),
        ("element after the last through a pointer", (1, 2), Some(Faults::RANGE), |k| {
            let a = k.object(array(INT, 3));
            let path = k.element_of(a, 1);
            let (p, two) = (k.pointer_to(path), k.number(2));
            k.set(behind(p, Some(two)), 7);
        }),
        ("pointer that leaves its array", (1, 2), Some(Faults::RANGE), |k| {
            let a = k.object(array(array(INT, 2), 2));
            let mut path = k.element_of(a, 1);
            path.steps.push(Step::Index(k.number(0)));
            let (p, before) = (k.pointer_to(path), k.number(-1));
            k.push(StmtKind::Point(Path::to(p), Address::Moved(Path::to(p), before)));
        }),
        ("pointer beside a single member", (1, 2), Some(Faults::RANGE), |k| {
            let shape = k.record(false, vec![INT, INT]);
            let s = k.object(shape);
            let (p, one) = (k.pointer_to(member(s, &[0])), k.number(1));
            k.get(behind(p, Some(one)));
        }),
        ("index of a member out of range", (1, 2), Some(Faults::RANGE), |k| {
            let shape = k.record(false, vec![array(INT, 2)]);
            let s = k.object(shape);
            k.get_at(member(s, &[0]), 2);
        }),
        ("each work-item writes its own element", (1, 4), None, |k| {
            let (array, lid) = (k.local(4), k.lid());
            let path = Path { root: Root::Variable(array), steps: vec![Step::Index(lid)] };
            let p = k.pointer_to(path);
            k.set(behind(p, None), 7);
            k.get(behind(p, None));
        }),
        ("all write to one element through a pointer", (1, 4), Some(Faults::RACE), |k| {
            let array = k.local(4);
            let path = k.element_of(array, 1);
            let p = k.pointer_to(path);
            k.set(behind(p, None), 7);
        }),
        ("unset local memory through a pointer", (1, 1), Some(Faults::UNSET), |k| {
            let array = k.local(4);
            let path = k.element_of(array, 1);
            let p = k.pointer_to(path);
            k.get(behind(p, None));
        }),
        ("section that writes outside through a pointer", (1, 2), Some(Faults::ORDER), |k| {
            let x = k.object(INT);
            let p = k.pointer_to(Path::to(x));
            k.section(0, |k| {
                k.set(behind(p, None), 7);
                k.declare(3)
            });
        }),
        ("section that writes its own object", (1, 2), None, |k| {
            k.section(0, |k| {
                let x = k.object(INT);
                k.set(Path::to(x), 7);
                k.declare(3)
            });
        }),
    ];
    assert_faults(cases);
}

/// A name, what is added to the result, and what does that.
type Value = (&'static str, &'static [i64], fn(&mut Kernel));

#[test]
fn objects_have_the_values_that_they_have_in_c() {
    let cases: &[Value] = &[
        ("first values in the order of the members", &[1, 2, 3, 4], |k| {
            let inner = k.record(false, vec![INT, array(INT, 2)]);
            let shape = k.record(false, vec![inner, INT]);
            let s = k.object(shape);
            k.get(member(s, &[0, 0]));
            k.get_at(member(s, &[0, 1]), 0);
            k.get_at(member(s, &[0, 1]), 1);
            k.get(member(s, &[1]));
        }),
        ("the bytes of a number, the lowest first", &[0x44, 0x11], |k| {
            let shape = k.record(true, vec![INT, array(value(ScalarType::Uchar, 1), 4)]);
            let u = k.object(shape);
            k.set(member(u, &[0]), 0x1122_3344);
            k.get_at(member(u, &[1]), 0);
            k.get_at(member(u, &[1]), 3);
        }),
        ("a byte changes a number and its sign", &[-0x7FFF_FFFF], |k| {
            let shape = k.record(true, vec![INT, array(value(ScalarType::Uchar, 1), 4)]);
            let u = k.object(shape);
            k.set_at(member(u, &[1]), 3, 0x80);
            k.get(member(u, &[0]));
        }),
        ("a copy is of its own", &[9, 2, 1], |k| {
            let shape = k.record(false, vec![INT, INT]);
            let (a, b) = (k.object(shape.clone()), k.object(shape));
            k.push(StmtKind::Copy(Path::to(b), Path::to(a)));
            k.set(member(b, &[0]), 9);
            k.get(member(b, &[0]));
            k.get(member(b, &[1]));
            k.get(member(a, &[0]));
        }),
        ("what a pointer points to, and what it pointed to", &[8, 3], |k| {
            let a = k.object(array(INT, 3));
            let path = k.element_of(a, 1);
            let (p, one) = (k.pointer_to(path.clone()), k.number(1));
            k.set(behind(p, None), 8);
            k.push(StmtKind::Point(Path::to(p), Address::Moved(Path::to(p), one)));
            k.get(path);
            k.get(behind(p, None));
        }),
        ("a pointer to a pointer", &[6], |k| {
            let x = k.object(INT);
            let p = k.pointer_to(Path::to(x));
            let q = k.pointer_to(Path::to(p));
            let root = Root::Pointer(Box::new(behind(q, None)), None);
            k.set(Path { root, steps: Vec::new() }, 6);
            k.get(Path::to(x));
        }),
        ("pointers are equal if they point to the same", &[1, 0, 0], |k| {
            let a = k.object(array(INT, 3));
            let paths = [k.element_of(a, 1), k.element_of(a, 1), k.element_of(a, 2)];
            let [p, q, r] = paths.map(|path| k.pointer_to(path));
            for other in [Address::Value(Path::to(q)), Address::Value(Path::to(r)), Address::Null] {
                let both = Box::new([Address::Value(Path::to(p)), other]);
                let same = k.program.add(ExprKind::SameAddress(both), Ty::INT, Kernel::key());
                k.hash(same);
            }
        }),
        ("each work-item has objects of its own", &[4], |k| {
            let x = k.object(INT);
            let p = k.pointer_to(Path::to(x));
            let gid = k.item(WorkItemId::LinearGlobal);
            k.push(StmtKind::Assign(Place::Part(behind(p, None)), gid));
            let part = k.program.add(ExprKind::Part(Box::new(Path::to(x))), Ty::INT, Kernel::key());
            let gid = k.item(WorkItemId::LinearGlobal);
            let difference = k.binary(Binary::Subtract, part, gid);
            let four = k.number(4);
            let sum = k.binary(Binary::Add, difference, four);
            k.hash(sum);
        }),
    ];
    for (name, values, make) in cases {
        let mut kernel = Kernel::new(2, 3);
        make(&mut kernel);
        let (faults, results) = kernel.run();
        assert!(faults.is_empty(), "{name}: {faults:?}");
        let expected = values.iter().fold(FIRST, |hash, value| mixed(hash, *value as u64));
        assert_eq!(results, [expected; 6], "{name}");
    }
}
