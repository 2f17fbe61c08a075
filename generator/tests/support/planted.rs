//! Kernels as a compiler with a bug would understand them: with another operator, type or lane at one operation.

use clreduce_generator::interpret::{self, Faults};
use clreduce_generator::ir::{
    Binary, Block, ExprId, ExprKind, ObjectType, Place, Program, StmtId, StmtKind, Swizzle, Ty,
};
use clreduce_generator::{Kernel, Mode, Profile, SeedKey, generate, print};

/// A kernel, and a program that does something else at one operation.
pub struct Planted {
    #[allow(dead_code, reason = "not every user names it")]
    pub seed: u64,
    /// The kernel as it is right.
    pub kernel: Kernel,
    /// The program that stores another value.
    pub program: Program,
    /// The text of the operation in the kernel.
    #[allow(dead_code, reason = "not every user names it")]
    pub expression: String,
}

/// Kernels of all modes in turn, from a seed on, each with one wrong operation that stores another value.
pub fn planted(first: u64) -> impl Iterator<Item = Planted> {
    Mode::ALL.into_iter().cycle().zip(0..).filter_map(move |(mode, number)| {
        let seed = first + number;
        let profile = Profile { mode, ..Profile::default() };
        let kernel = generate(seed, &profile).expect("a profile that fits");
        let candidates: Vec<usize> = (0..kernel.program.exprs.len())
            .filter(|index| kernel.report.exprs[*index].has(Faults::EXECUTED))
            .filter(|index| stores_another(&kernel.program, *index))
            .collect();
        if candidates.is_empty() {
            return None;
        }
        let index = SeedKey::root(number).named("plant").stream().pick(&candidates);
        let program = miscompiled(&kernel.program, index)?;
        let expression = print::expression(&kernel.program, ExprId(index as u32));
        Some(Planted { seed, kernel, program, expression })
    })
}

/// Another operator, type or lane at an expression; the type of its value stays.
fn miscompiled(program: &Program, index: usize) -> Option<Program> {
    let expr = &program.exprs[index];
    let kind = match &expr.kind {
        ExprKind::Binary(operator, a, b) => {
            let other = match operator {
                Binary::Add => Binary::Subtract,
                Binary::Subtract => Binary::Add,
                Binary::Multiply => Binary::Add,
                Binary::And => Binary::Or,
                Binary::Or => Binary::Xor,
                Binary::Xor => Binary::And,
                Binary::ShiftLeft => Binary::ShiftRight,
                Binary::ShiftRight => Binary::ShiftLeft,
                _ => return None,
            };
            ExprKind::Binary(other, *a, *b)
        }
        ExprKind::Swizzle(of, swizzle) => {
            let lanes = program.ty(*of).lanes;
            let other: Vec<u8> = swizzle.lanes().iter().map(|lane| (lane + 1) % lanes).collect();
            ExprKind::Swizzle(*of, Swizzle::new(&other))
        }
        // Extended with the wrong sign.
        ExprKind::Convert(of)
            if !expr.ty.is_vector()
                && !program.ty(*of).scalar.is_float()
                && program.ty(*of).scalar.bits() < expr.ty.scalar.bits() =>
        {
            let from = program.ty(*of).scalar;
            let mut program = program.clone();
            let other = Ty::scalar(from.with_sign(!from.is_signed()));
            let narrow = program.add(ExprKind::Convert(*of), other, expr.key);
            program.exprs[index].kind = ExprKind::Convert(narrow);
            return Some(program);
        }
        _ => return None,
    };
    let mut program = program.clone();
    program.exprs[index].kind = kind;
    Some(program)
}

/// True if the operation is stored in a variable or a part of an object, and the miscompiled one stores other values.
fn stores_another(program: &Program, index: usize) -> bool {
    let id = ExprId(index as u32);
    let stored = program.stmts.iter().enumerate().find_map(|(at, stmt)| {
        let (kind, ty, value) = match &stmt.kind {
            StmtKind::Assign(Place::Variable(variable), value)
            | StmtKind::Declare(variable, value) => {
                (ExprKind::Variable(*variable), program.variable(*variable).ty, *value)
            }
            StmtKind::Assign(Place::Part(path), value) => match program.shape_at(path) {
                ObjectType::Value(ty) => (ExprKind::Part(Box::new(path.clone())), ty, *value),
                _ => return None,
            },
            _ => return None,
        };
        let is_top =
            value == id || matches!(program.expr(value).kind, ExprKind::Convert(of) if of == id);
        is_top.then_some((StmtId(at as u32), kind, ty))
    });
    let Some(stored) = stored else { return false };
    let Some(other) = miscompiled(program, index) else { return false };
    interpret::run(&observed(program, &stored)).results
        != interpret::run(&observed(&other, &stored)).results
}

/// The program with what was stored added to the result after the statement that stores it.
fn observed(program: &Program, (after, kind, ty): &(StmtId, ExprKind, Ty)) -> Program {
    let mut program = program.clone();
    let value = program.add(kind.clone(), *ty, SeedKey::root(0));
    let hash = program.statement(StmtKind::Hash(value), SeedKey::root(0));
    let insert = |block: &mut Block| {
        if let Some(at) = block.iter().position(|id| id == after) {
            block.insert(at + 1, hash);
        }
    };
    insert(&mut program.body);
    program.stmts.iter_mut().flat_map(|stmt| stmt.kind.blocks_mut()).for_each(insert);
    program
}
