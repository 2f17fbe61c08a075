//! Kernels have to be as large as asked for, with the feature of their mode, mostly executed, and with results
//! that notice a wrong operation.

#[path = "support/planted.rs"]
mod planted;

use clreduce_generator::interpret::{self, Faults, Report};
use clreduce_generator::ir::{Binary, ExprId, ExprKind, Program, StmtKind};
use clreduce_generator::{Kernel, Mode, Profile, SeedKey, generate, print};

use planted::planted;

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
        Mode::AtomicReduction => {
            runs(&|kind| matches!(kind, StmtKind::Reduce(_) | StmtKind::Gather(_)))
        }
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

/// All bits of the value are inverted; a floating-point number is one more.
fn flipped(program: &mut Program, value: ExprId) -> ExprKind {
    let ty = program.ty(value);
    let is_float = ty.scalar.is_float();
    let (operator, number) = if is_float { (Binary::Add, 1) } else { (Binary::Xor, -1) };
    let number = program.literal(number, ty, SeedKey::root(0));
    let value = program.binary(operator, value, number, SeedKey::root(0));
    ExprKind::Convert(value)
}

/// Compilers that do something else at one operation, and store another value than they should: most are seen in the
/// result.
#[test]
fn results_notice_a_wrong_operation() {
    let planted: Vec<_> = planted(400).take(60).collect();
    let missed =
        planted.iter().filter(|bug| interpret::run(&bug.program).results == bug.kernel.expected);
    let missed: Vec<_> = missed.map(|bug| format!("{}: {}", bug.seed, bug.expression)).collect();
    assert!(planted.len() == 60 && missed.len() <= 3, "{} of 60: {missed:#?}", missed.len());
}
