//! Tests of floating-point numbers: each fault is found, and a similar case without the fault is accepted.

use super::{Checked, Kernel, assert_faults};
use crate::interpret::{FIRST, Faults, mixed};
use crate::ir::{
    Binary, Builtin, Exact, ExprId, ExprKind, Initial, ObjectType, Path, Place, Record, RecordId,
    ScalarType, Step, StmtKind, Storage, Ty, Unary, VarId,
};

const FLOAT: Ty = Ty::scalar(ScalarType::Float);

impl Kernel {
    /// `number / 2^scale`, in all lanes.
    fn real(&mut self, number: i64, scale: u32, ty: Ty) -> ExprId {
        let stored = Exact::new(number, scale).stored();
        self.program.add(ExprKind::Literal(stored), ty, Self::key())
    }

    fn float(&mut self, number: i64, scale: u32) -> ExprId {
        self.real(number, scale, FLOAT)
    }

    /// Adds a conversion to the result, also one that is not defined for every value.
    fn converted(&mut self, value: ExprId, scalar: ScalarType) {
        let value = self.program.add(ExprKind::Convert(value), Ty::scalar(scalar), Self::key());
        self.hash(value);
    }

    fn called(&mut self, function: Builtin, arguments: &[ExprId]) {
        let mut all = [arguments[0]; 3];
        all[..arguments.len()].copy_from_slice(arguments);
        let kind = ExprKind::Call(function, arguments.len() as u8, all);
        let value = self.program.add(kind, FLOAT, Self::key());
        self.hash(value);
    }

    fn hashed(&mut self, operator: Binary, a: ExprId, b: ExprId) {
        let value = self.binary(operator, a, b);
        self.hash(value);
    }

    fn bits(&mut self, value: ExprId) {
        let value = self.program.add(ExprKind::Reinterpret(value), Ty::INT, Self::key());
        self.hash(value);
    }

    /// Adds `float v = 1;` to the result after `rounds` rounds of `v = v operator number;`.
    fn accumulated(&mut self, rounds: i64, operator: Binary, number: i64) {
        let (sum, one) = (self.memory(ScalarType::Float, None, Storage::Private), self.float(1, 0));
        self.push(StmtKind::Declare(sum, one));
        self.repeat(1, rounds, |k, _| {
            let (old, number) = (k.read(sum), k.float(number, 0));
            let value = k.binary(operator, old, number);
            k.push(StmtKind::Assign(Place::Variable(sum), value));
        });
        let value = self.read(sum);
        self.hash(value);
    }

    /// Writes `stored / 2` to the `float` of a union of a `float` and an `int`, and reads the member of number `read`.
    fn union(&mut self, stored: i64, read: u8) {
        let members = vec![ObjectType::Value(FLOAT), ObjectType::Value(Ty::INT)];
        self.program.records.push(Record { name: "U0".into(), is_union: true, members });
        let space = Storage::Object(ObjectType::Record(RecordId(0)));
        let object = self.memory(ScalarType::Int, None, space);
        self.push(StmtKind::DeclareObject(object, [Initial::Number(0)].into()));
        let value = self.float(stored, 1);
        self.push(StmtKind::Assign(Place::Part(part(object, 0)), value));
        let ty = if read == 0 { FLOAT } else { Ty::INT };
        let kind = ExprKind::Part(Box::new(part(object, read)));
        let value = self.program.add(kind, ty, Self::key());
        self.hash(value);
    }
}

fn part(object: VarId, member: u8) -> Path {
    Path { steps: vec![Step::Member(member)], ..Path::to(object) }
}

#[test]
fn what_is_not_exact_in_every_way_to_compute_it_is_a_fault() {
    const ARITHMETIC: Option<Faults> = Some(Faults::ARITHMETIC);
    const MOST: i64 = (1 << 24) - 1;
    let cases: &[Checked] = &[
        ("sum with 24 digits", (1, 2), None, |k| {
            let (a, b) = (k.float(MOST - 1, 0), k.float(1, 0));
            k.hashed(Binary::Add, a, b);
        }),
        ("sum with 25 digits", (1, 2), ARITHMETIC, |k| {
            let (a, b) = (k.float(MOST, 0), k.float(2, 0));
            k.hashed(Binary::Add, a, b);
        }),
        ("difference of large numbers", (1, 1), ARITHMETIC, |k| {
            let (a, b) = (k.float(MOST, 0), k.float(MOST, 0));
            k.hashed(Binary::Subtract, a, b);
        }),
        ("difference of large numbers of `double`", (1, 1), None, |k| {
            let double = Ty::scalar(ScalarType::Double);
            let (a, b) = (k.real(MOST, 0, double), k.real(MOST, 0, double));
            k.hashed(Binary::Subtract, a, b);
        }),
        ("product with 24 digits", (1, 1), None, |k| {
            let (a, b) = (k.float(4095, 2), k.float(-4097, 1));
            k.hashed(Binary::Multiply, a, b);
        }),
        ("product with 25 digits", (1, 1), ARITHMETIC, |k| {
            let (a, b) = (k.float(4097, 2), k.float(-4097, 1));
            k.hashed(Binary::Multiply, a, b);
        }),
        ("product that is too fine", (1, 1), ARITHMETIC, |k| {
            let (a, b) = (k.float(1, 5), k.float(1, 4));
            k.hashed(Binary::Multiply, a, b);
        }),
        ("division by a power of two", (1, 1), None, |k| {
            let (a, b) = (k.float(-7, 1), k.float(-4, 0));
            k.hashed(Binary::Divide, a, b);
        }),
        ("division by three", (1, 1), ARITHMETIC, |k| {
            let (a, b) = (k.float(9, 0), k.float(3, 0));
            k.hashed(Binary::Divide, a, b);
        }),
        ("division by a power of two that the compiler does not know", (1, 1), ARITHMETIC, |k| {
            let (a, four) = (k.float(8, 0), k.float(4, 0));
            let b = k.memory(ScalarType::Float, None, Storage::Private);
            k.push(StmtKind::Declare(b, four));
            let b = k.read(b);
            k.hashed(Binary::Divide, a, b);
        }),
        ("sum in a loop", (1, 1), None, |k| k.accumulated(60, Binary::Add, 1 << 18)),
        ("sum in a longer loop", (1, 1), ARITHMETIC, |k| k.accumulated(64, Binary::Add, 1 << 18)),
        ("product in a loop", (1, 1), None, |k| k.accumulated(7, Binary::Multiply, 10)),
        ("product in a longer loop", (1, 1), ARITHMETIC, |k| {
            k.accumulated(8, Binary::Multiply, 10);
        }),
        ("large number to `float`", (1, 1), ARITHMETIC, |k| {
            let value = k.number(MOST + 1);
            k.converted(value, ScalarType::Float);
        }),
        ("large number to `double`", (1, 1), None, |k| {
            let value = k.number(MOST + 1);
            k.converted(value, ScalarType::Double);
        }),
        ("to a type that has the number", (1, 1), None, |k| {
            let value = k.float(-257, 1);
            k.converted(value, ScalarType::Char);
        }),
        ("to a type that does not have the number", (1, 1), ARITHMETIC, |k| {
            let value = k.float(-258, 1);
            k.converted(value, ScalarType::Char);
        }),
        ("negative number to an unsigned type", (1, 1), ARITHMETIC, |k| {
            let value = k.float(-1, 0);
            k.converted(value, ScalarType::Uint);
        }),
        ("fraction above -1 to an unsigned type", (1, 1), None, |k| {
            let value = k.float(-1, 1);
            k.converted(value, ScalarType::Uint);
        }),
        ("implicit conversion of a large number", (1, 1), ARITHMETIC, |k| {
            let (a, b) = (k.float(1, 0), k.number(MOST + 2));
            k.hashed(Binary::Less, a, b);
        }),
        ("implicit conversion of a large number in a branch", (1, 1), ARITHMETIC, |k| {
            let (truth, a, b) = (k.number(0), k.float(1, 0), k.number(MOST + 2));
            let value = ExprKind::Conditional(truth, a, b);
            let value = k.program.add(value, FLOAT, Kernel::key());
            k.hash(value);
        }),
        ("implicit conversion of a large number in the other branch", (1, 1), None, |k| {
            let (truth, a, b) = (k.number(1), k.float(1, 0), k.number(MOST + 2));
            let value = ExprKind::Conditional(truth, a, b);
            let value = k.program.add(value, FLOAT, Kernel::key());
            k.hash(value);
        }),
        ("bits of a number", (1, 1), None, |k| {
            let value = k.float(-3, 1);
            k.bits(value);
        }),
        ("bits of zero", (1, 1), ARITHMETIC, |k| {
            let (zero, three) = (k.float(0, 0), k.float(-3, 0));
            let value = k.binary(Binary::Multiply, zero, three);
            k.bits(value);
        }),
        ("sign of zero", (1, 1), ARITHMETIC, |k| {
            let (one, zero) = (k.float(1, 0), k.float(0, 0));
            k.called(Builtin::Copysign, &[one, zero]);
        }),
        ("sign of a number", (1, 1), None, |k| {
            let (zero, three) = (k.float(0, 0), k.float(-3, 1));
            k.called(Builtin::Copysign, &[zero, three]);
        }),
        ("sum with a product", (1, 1), None, |k| {
            let all = [k.float(4095, 0), k.float(4096, 0), k.float(4095, 0)];
            k.called(Builtin::Fma, &all);
        }),
        ("sum with a large product, which cancels", (1, 1), ARITHMETIC, |k| {
            let all = [k.float(4097, 0), k.float(4096, 0), k.float(-MOST, 0)];
            k.called(Builtin::Fma, &all);
        }),
        ("bounds of clamp", (1, 1), None, |k| {
            let all = [k.float(7, 1), k.float(-1, 0), k.float(-1, 0)];
            k.called(Builtin::Clamp, &all);
        }),
        ("bounds of clamp in the wrong order", (1, 1), ARITHMETIC, |k| {
            let all = [k.float(7, 1), k.float(-1, 1), k.float(-1, 0)];
            k.called(Builtin::Clamp, &all);
        }),
        ("member of a union", (1, 1), None, |k| k.union(0, 0)),
        ("bytes of a number in a union", (1, 1), None, |k| k.union(-5, 1)),
        ("bytes of zero in a union", (1, 1), Some(Faults::UNSET), |k| k.union(0, 1)),
    ];
    assert_faults(cases);
}

#[test]
fn results_have_the_numbers_with_their_fractions() {
    type Made = fn(&mut Kernel);
    let cases: &[(&str, i64, Made)] = &[
        ("product", -15 * 64, |k| {
            let (a, b) = (k.float(5, 1), k.float(-3, 1));
            k.hashed(Binary::Multiply, a, b);
        }),
        ("quotient", -224, |k| {
            let (a, b) = (k.float(7, 0), k.float(-8, 0));
            k.hashed(Binary::Divide, a, b);
        }),
        ("negative", 384, |k| {
            let a = k.float(-3, 1);
            let value = k.program.add(ExprKind::Unary(Unary::Minus, a), FLOAT, Kernel::key());
            k.hash(value);
        }),
        ("conversion towards zero", -2, |k| {
            let value = k.float(-11, 2);
            k.converted(value, ScalarType::Int);
        }),
        ("bits", 0xC020_0000_u32.cast_signed().into(), |k| {
            let value = k.float(-5, 1);
            k.bits(value);
        }),
        ("bits in a union", 0xC020_0000_u32.cast_signed().into(), |k| k.union(-5, 1)),
        ("comparison", 1, |k| {
            let (a, b) = (k.float(-5, 1), k.float(-9, 2));
            k.hashed(Binary::Less, a, b);
        }),
    ];
    for (name, expected, make) in cases {
        let mut kernel = Kernel::new(1, 1);
        make(&mut kernel);
        let (faults, results) = kernel.run();
        assert!(faults.is_empty(), "{name}: {faults:?}");
        assert_eq!(results, [mixed(FIRST, *expected as u64)], "{name}");
    }
}

/// Copies of structures take the numbers with them, and later writes do not change the copy.
#[test]
fn copies_of_structures_have_their_numbers() {
    let mut k = Kernel::new(1, 2);
    let members = vec![ObjectType::Value(Ty::INT), ObjectType::Value(FLOAT)];
    k.program.records.push(Record { name: "S0".into(), is_union: false, members });
    let [first, second] = [0, 1].map(|number| {
        let object =
            k.memory(ScalarType::Int, None, Storage::Object(ObjectType::Record(RecordId(0))));
        let initial = Initial::Number(Exact::new(number, 1).stored());
        k.push(StmtKind::DeclareObject(object, [Initial::Number(7), initial].into()));
        object
    });
    k.push(StmtKind::Copy(Path::to(first), Path::to(second)));
    let value = k.float(9, 2);
    k.push(StmtKind::Assign(Place::Part(part(second, 1)), value));
    for object in [first, second] {
        let kind = ExprKind::Part(Box::new(part(object, 1)));
        let value = k.program.add(kind, FLOAT, Kernel::key());
        k.hash(value);
    }
    let (faults, results) = k.run();
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(results, [mixed(mixed(FIRST, 128), 576); 2]);
}
