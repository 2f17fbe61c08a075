//! Calls with structures and pointers, bit-fields, and jumps out of blocks.

use super::objects::{INT, behind, member, pointer, value};
use super::{Faults, Kernel};
use crate::interpret::{FIRST, mixed};
use crate::ir::{
    ActualParameter, Address, Binary, ExprKind, Function, FunctionId, Jump, ObjectType, Path,
    Place, ProcedureCall, ScalarType, StmtKind, Storage, Ty, VarId, Variable,
};

impl Kernel {
    fn parameter(&mut self, shape: ObjectType) -> VarId {
        let (name, space) = (String::new(), Storage::Object(shape));
        self.program.declare(Variable { name, ty: Ty::INT, length: None, space })
    }

    /// A function that returns its first parameter, or 0.
    fn procedure(
        &mut self,
        parameters: &[VarId],
        returns_first: bool,
        make: impl FnOnce(&mut Self),
    ) -> FunctionId {
        let (value, body) = (self.number(0), self.block(make));
        let object = returns_first.then(|| Path::to(parameters[0]));
        let (name, parameters) = ("f".to_owned(), parameters.into());
        let function = Function { name, parameters, body, value, object, is_apart: false };
        self.program.functions.push(function);
        FunctionId(self.program.functions.len() as u32 - 1)
    }

    fn call(&mut self, function: FunctionId, arguments: Vec<ActualParameter>, into: Place) {
        self.push(StmtKind::Call(ProcedureCall { function, arguments: arguments.into(), into }));
    }

    fn part(&mut self, path: Path) -> crate::ir::ExprId {
        let ty = self.program.shape_at(&path).value().expect("a value");
        self.program.add(ExprKind::Part(Box::new(path)), ty, Self::key())
    }

    fn add_to(&mut self, path: Path, number: i64) {
        let (old, number) = (self.part(path.clone()), self.number(number));
        let sum = self.binary(Binary::Add, old, number);
        self.push(StmtKind::Assign(Place::Part(path), sum));
    }
}

fn hashed(numbers: &[i64]) -> Vec<u64> {
    vec![numbers.iter().fold(FIRST, |hash, number| mixed(hash, *number as u64))]
}

/// `*p += 10; *q += *p` with two pointers to one number.
#[test]
fn what_one_pointer_writes_another_one_reads() {
    let mut kernel = Kernel::new(1, 1);
    let object = kernel.object(INT);
    let [p, q] = [(); 2].map(|()| kernel.parameter(pointer(INT)));
    let f = kernel.procedure(&[p, q], false, |k| {
        k.add_to(behind(p, None), 10);
        let (a, b) = (k.part(behind(q, None)), k.part(behind(p, None)));
        let sum = k.binary(Binary::Add, a, b);
        k.push(StmtKind::Assign(Place::Part(behind(q, None)), sum));
    });
    let into = kernel.memory(ScalarType::Int, None, Storage::Private);
    let same = || ActualParameter::Address(Address::Of(Path::to(object)));
    kernel.call(f, vec![same(), same()], Place::Variable(into));
    let (result, returned) = (kernel.part(Path::to(object)), kernel.read(into));
    kernel.hash(result);
    kernel.hash(returned);
    let (faults, results) = kernel.run();
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(results, hashed(&[22, 0]));
}

/// The structure that a function gets is a copy, and so is the one that it returns.
#[test]
fn structures_are_passed_and_returned_by_value() {
    let mut kernel = Kernel::new(1, 1);
    let shape = kernel.record(false, vec![INT, value(ScalarType::Char, 1)]);
    let [from, into] = [(); 2].map(|()| kernel.object(shape.clone()));
    let parameter = kernel.parameter(shape);
    let f = kernel.procedure(&[parameter], true, |k| k.add_to(member(parameter, &[0]), 5));
    let arguments = vec![ActualParameter::Object(Path::to(from))];
    kernel.call(f, arguments, Place::Part(Path::to(into)));
    for path in [member(from, &[0]), member(into, &[0]), member(into, &[1])] {
        let part = kernel.part(path);
        kernel.hash(part);
    }
    let (faults, results) = kernel.run();
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(results, hashed(&[1, 6, 2]));
}

/// `*p = &parameter;`, and then the program follows `*p`, or does not.
#[test]
fn a_parameter_ends_with_its_call() {
    for follows in [false, true] {
        let mut kernel = Kernel::new(1, 1);
        let kept = kernel.object(pointer(INT));
        let [out, own] = [pointer(pointer(INT)), INT].map(|shape| kernel.parameter(shape));
        let f = kernel.procedure(&[out, own], false, |k| {
            k.push(StmtKind::Point(behind(out, None), Address::Of(Path::to(own))));
        });
        let number = kernel.object(INT);
        let into = kernel.memory(ScalarType::Int, None, Storage::Private);
        let arguments = vec![
            ActualParameter::Address(Address::Of(Path::to(kept))),
            ActualParameter::Object(Path::to(number)),
        ];
        kernel.call(f, arguments, Place::Variable(into));
        if follows {
            let part = kernel.part(behind(kept, None));
            kernel.hash(part);
        }
        let found = kernel.run().0;
        assert_eq!(found.iter().any(|faults| faults.has(Faults::UNSET)), follows, "{found:?}");
    }
}

/// A write keeps the low bits, with their sign; the first value, too.
#[test]
fn bit_fields_keep_the_low_bits() {
    let mut kernel = Kernel::new(1, 1);
    let bits = [(ScalarType::Int, 3), (ScalarType::Uint, 3), (ScalarType::Long, 40)];
    let members = bits.map(|(scalar, bits)| ObjectType::Bits(scalar, bits)).to_vec();
    let shape = kernel.record(false, members);
    let object = kernel.object(shape);
    for number in 0..2 {
        kernel.add_to(member(object, &[number]), 12);
    }
    kernel.add_to(member(object, &[2]), -4);
    for number in 0..3 {
        let part = kernel.part(member(object, &[number]));
        kernel.hash(part);
    }
    let (faults, results) = kernel.run();
    assert!(faults.is_empty(), "{faults:?}");
    // 1 + 12, 2 + 12 and 3 - 4.
    assert_eq!(results, hashed(&[-3, 6, -1]));
}

/// The work-items leave both loops for the label behind the outer block, each in a round of its own.
#[test]
fn a_jump_leaves_all_loops_up_to_its_label() {
    let mut kernel = Kernel::new(1, 4);
    let label = kernel.program.statement(StmtKind::Nothing, Kernel::key());
    let block = kernel.block(|k| {
        k.repeat(1, 3, |k, outer| {
            k.repeat(1, 2, |k, inner| {
                let (i, j, two) = (k.read(outer), k.read(inner), k.number(2));
                let twice = k.binary(Binary::Multiply, i, two);
                let round = k.binary(Binary::Add, twice, j);
                k.hash(round);
                let lid = k.lid();
                let is_over = k.binary(Binary::Equal, round, lid);
                k.push(StmtKind::Jump(Jump::Goto(label), is_over));
            });
        });
        let never = k.number(99);
        k.hash(never);
    });
    kernel.program.stmts[label.0 as usize].kind = StmtKind::Labelled(block);
    kernel.made.push(label);
    let after = kernel.number(7);
    kernel.hash(after);
    let (faults, results) = kernel.run();
    assert!(faults.is_empty(), "{faults:?}");
    let expected = |lid: i64| {
        let rounds: Vec<i64> = (0..=lid).chain([7]).collect();
        hashed(&rounds)[0]
    };
    assert_eq!(results, (0..4).map(expected).collect::<Vec<_>>());
}
