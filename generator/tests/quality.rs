//! Kernels have to be as large as asked for, with the feature of their mode, mostly executed, and with results
//! that notice a wrong operation.

use clreduce_generator::interpret::{self, Faults, Report};
use clreduce_generator::ir::{
    Binary, Block, ExprId, ExprKind, Place, Program, StmtId, StmtKind, Swizzle, Type, VarId,
};
use clreduce_generator::{Kernel, Key, Mode, Profile, generate, print};

/// Kernels of a mode; each test looks at as many as take a second or two.
fn kernels(mode: Mode, seeds: std::ops::Range<u64>) -> impl Iterator<Item = Kernel> {
    let profile = Profile { mode, ..Profile::default() };
    seeds.map(move |seed| generate(seed, &profile).expect("a profile that fits"))
}

fn executed(report: &Report, id: usize) -> bool {
    report.exprs[id].has(Faults::EXECUTED)
}

#[test]
fn sizes_are_those_that_were_asked_for() {
    for mode in Mode::ALL {
        let sizes = kernels(mode, 0..40).map(|k| print::tokens(&k.source) * 100 / k.asked);
        let far: Vec<_> = sizes.filter(|percent| !(75..=125).contains(percent)).collect();
        assert!(far.len() <= 2, "{mode:?}: {far:?} % of the size");
    }
}

/// How often the feature of the mode was executed.
fn feature(mode: Mode, kernel: &Kernel) -> u32 {
    let runs = |wanted: &dyn Fn(&StmtKind) -> bool| {
        let stmts = kernel.program.stmts.iter().zip(&kernel.report.runs);
        stmts.filter(|(stmt, _)| wanted(&stmt.kind)).map(|(_, runs)| *runs).sum()
    };
    let vectors = kernel
        .program
        .exprs
        .iter()
        .enumerate()
        .filter(|(index, expr)| expr.ty.is_vector() && executed(&kernel.report, *index));
    match mode {
        Mode::Basic => 2,
        Mode::Vector => vectors.count() as u32,
        Mode::Barrier => runs(&|kind| matches!(kind, StmtKind::Barrier)),
        Mode::AtomicSection => runs(&|kind| matches!(kind, StmtKind::Section(_))),
        Mode::AtomicReduction => runs(&|kind| matches!(kind, StmtKind::Reduce(_))),
        Mode::All | Mode::Free => runs(&|kind| {
            matches!(kind, StmtKind::Barrier | StmtKind::Section(_) | StmtKind::Reduce(_))
        }),
    }
}

#[test]
fn the_feature_of_a_mode_is_executed() {
    for mode in Mode::ALL {
        let counts: Vec<_> = kernels(mode, 100..140).map(|k| feature(mode, &k)).collect();
        let few = counts.iter().filter(|count| **count < 2).count();
        assert!(few <= 2, "{mode:?}: {counts:?}");
    }
}

#[test]
fn most_statements_are_executed() {
    for mode in Mode::ALL {
        let (mut all, mut run) = (0, 0);
        for kernel in kernels(mode, 200..230) {
            let reached = reachable(&kernel.program);
            all += reached.len();
            run += reached.iter().filter(|id| kernel.report.runs[**id] > 0).count();
        }
        assert!(run * 100 >= all * 80, "{mode:?}: {run} of {all} statements");
    }
}

/// The statements that are in the kernel.
fn reachable(program: &Program) -> Vec<usize> {
    let mut pending = program.body.clone();
    let mut found = Vec::new();
    while let Some(id) = pending.pop() {
        let kind = &program.stmt(id).kind;
        if matches!(kind, StmtKind::Nothing) {
            continue;
        }
        pending.extend(kind.blocks().into_iter().flatten());
        found.push(id.0 as usize);
    }
    found
}

#[test]
fn most_assignments_reach_the_output() {
    let (mut all, mut seen) = (0, 0);
    for kernel in Mode::ALL.into_iter().flat_map(|mode| kernels(mode, 300..304)) {
        for index in reachable(&kernel.program) {
            let StmtKind::Assign(_, value) = &kernel.program.stmts[index].kind else { continue };
            if kernel.report.runs[index] == 0 {
                continue;
            }
            let (mut program, value) = (kernel.program.clone(), *value);
            let key = program.expr(value).key;
            let other = program.add(program.expr(value).kind.clone(), program.ty(value), key);
            program.exprs[value.0 as usize].kind = flipped(&mut program, other);
            all += 1;
            seen += usize::from(interpret::run(&program).results != kernel.expected);
        }
    }
    assert!(all > 100 && seen * 100 >= all * 70, "{seen} of {all} assignments");
}

/// All bits of the value are inverted.
fn flipped(program: &mut Program, value: ExprId) -> ExprKind {
    let ty = program.ty(value);
    let ones = program.literal(-1, ty, Key::root(0));
    let value = program.binary(Binary::Xor, value, ones, Key::root(0));
    ExprKind::Convert(value)
}

/// Compilers that do something else at one operation, and store another value than they should: most are seen in the
/// result.
#[test]
fn results_notice_a_wrong_operation() {
    let (mut planted, mut missed) = (0, Vec::new());
    for (number, kernel) in Mode::ALL.into_iter().cycle().zip(0..).flat_map(|(mode, seed)| {
        kernels(mode, 400 + seed..401 + seed).map(move |kernel| (seed, kernel))
    }) {
        if planted == 60 {
            break;
        }
        let mut stream = Key::root(number).named("plant").stream();
        let candidates: Vec<usize> = (0..kernel.program.exprs.len())
            .filter(|index| executed(&kernel.report, *index))
            .filter(|index| stores_another(&kernel.program, *index))
            .collect();
        if candidates.is_empty() {
            continue;
        }
        let index = stream.pick(&candidates);
        let program = miscompiled(&kernel.program, index).expect("chosen so");
        planted += 1;
        if interpret::run(&program).results == kernel.expected {
            let id = ExprId(index as u32);
            missed.push(format!("{number}: {}", print::expression(&kernel.program, id)));
        }
    }
    assert!(missed.len() <= 3, "{} of {planted}: {missed:#?}", missed.len());
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
            if !expr.ty.is_vector() && program.ty(*of).scalar.bits() < expr.ty.scalar.bits() =>
        {
            let from = program.ty(*of).scalar;
            let mut program = program.clone();
            let other = Type::scalar(from.with_sign(!from.is_signed()));
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

/// True if the operation is stored in a variable, and the miscompiled one stores other values.
fn stores_another(program: &Program, index: usize) -> bool {
    let id = ExprId(index as u32);
    let stored = program.stmts.iter().enumerate().find_map(|(at, stmt)| match &stmt.kind {
        StmtKind::Assign(Place::Variable(variable), value) | StmtKind::Declare(variable, value) => {
            let is_top = *value == id
                || matches!(program.expr(*value).kind, ExprKind::Convert(of) if of == id);
            is_top.then_some((StmtId(at as u32), *variable))
        }
        _ => None,
    });
    let Some(stored) = stored else { return false };
    let Some(other) = miscompiled(program, index) else { return false };
    interpret::run(&observed(program, stored)).results
        != interpret::run(&observed(&other, stored)).results
}

/// The program with a variable added to the result after a statement.
fn observed(program: &Program, (after, variable): (StmtId, VarId)) -> Program {
    let mut program = program.clone();
    let ty = program.variable(variable).ty;
    let value = program.add(ExprKind::Variable(variable), ty, Key::root(0));
    let hash = program.statement(StmtKind::Hash(value), Key::root(0));
    let insert = |block: &mut Block| {
        if let Some(at) = block.iter().position(|id| *id == after) {
            block.insert(at + 1, hash);
        }
    };
    insert(&mut program.body);
    for stmt in &mut program.stmts {
        stmt.kind.blocks_mut().into_iter().for_each(insert);
    }
    program
}
