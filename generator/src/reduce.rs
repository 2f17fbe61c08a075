//! Reduction of a kernel as a program. Every candidate is interpreted: it is tried only if it is valid, and its right
//! results are known. So no second compiler is needed to reduce a kernel with a wrong result.

mod cases;
mod copies;
mod expressions;
mod functions;
mod hide;

use std::collections::BTreeSet;

use crate::interpret;
use crate::ir::{
    Block, EmiEdit, ExprKind, Initial, Path, Program, StmtId, StmtKind, Storage, VarId,
};
use crate::kernel::Kernel;
use crate::profile::Target;
use crate::random::SeedKey;
use crate::repair::objects::without_addresses;

/// Finds the first candidate to go on with, and returns it with its index. Each of them comes next if those before it are not
/// interesting, so several may be tried at the same time.
pub type FirstInteresting<'a> =
    dyn FnMut(&mut dyn Iterator<Item = Kernel>) -> Option<(usize, Kernel)> + 'a;

/// Makes a kernel smaller. All candidates are valid kernels with their right results.
pub fn reduce(kernel: &Kernel, first_interesting: &mut FirstInteresting<'_>) -> Kernel {
    let mut reducer = KernelReducer { best: kernel.clone(), first_interesting };
    reducer.edits(&kernel.edits);
    loop {
        let before = size(&reducer.best);
        reducer.one_item();
        reducer.statements();
        reducer.lift();
        reducer.expressions();
        reducer.hide();
        reducer.objects();
        reducer.copies();
        reducer.cases();
        reducer.ranges();
        reducer.functions();
        if size(&reducer.best) >= before {
            break;
        }
    }
    reducer.buffers();
    reducer.best
}

/// What has to become smaller: the number of work-items, or else the number of values that ptxas may know, or else the text.
fn size(kernel: &Kernel) -> (u32, usize, usize) {
    let known = if kernel.target == Target::Ptx { hide::known(&kernel.program) } else { 0 };
    (kernel.program.sizes.items(), known, kernel.source.len())
}

struct KernelReducer<'a> {
    best: Kernel,
    first_interesting: &'a mut FirstInteresting<'a>,
}

impl KernelReducer<'_> {
    /// Takes the first of these programs that is smaller, valid and interesting, and returns what stands beside it.
    fn first_of<T>(&mut self, programs: impl IntoIterator<Item = (T, Program)>) -> Option<T> {
        let (best, mut which) = (self.best.clone(), Vec::new());
        let least = size(&best);
        let mut candidates = programs.into_iter().filter_map(|(what, program)| {
            let report = interpret::run(&program);
            let candidate = report.is_clean().then(|| Kernel::of(program, report, &best))?;
            let is_smaller = size(&candidate) < least;
            is_smaller.then(|| which.push(what));
            is_smaller.then_some(candidate)
        });
        let (index, taken) = (self.first_interesting)(&mut candidates)?;
        self.best = taken;
        Some(which.swap_remove(index))
    }

    /// Makes each of these changes that leaves the program interesting, one after the other.
    fn each<T>(&mut self, changes: &[T], changed: impl Fn(&Program, &T) -> Option<Program>) {
        let mut next = 0;
        while next < changes.len() {
            let best = self.best.program.clone();
            let rest = changes.iter().enumerate().skip(next);
            let programs = rest.filter_map(|(at, change)| Some((at, changed(&best, change)?)));
            next = self.first_of(programs).map_or(changes.len(), |taken| taken + 1);
        }
    }

    /// Takes a program if it is smaller, valid and interesting.
    fn tried(&mut self, program: Program) {
        self.first_of([((), program)]);
    }

    /// Takes edits out of a variant, so that few are left beside the kernel that it is made of.
    fn edits(&mut self, edits: &[EmiEdit]) {
        self.each(edits, |best, edit| {
            let mut program = best.clone();
            edit.drop_from(&mut program);
            Some(program)
        });
    }

    /// A single work-item, if none is needed to exchange something with.
    fn one_item(&mut self) {
        let sizes = self.best.program.sizes.local;
        self.each(&[(sizes, sizes), ([1; 3], [1; 3])], |best, (global, local)| {
            let mut program = best.clone();
            program.sizes.global = *global;
            program.sizes.local = *local;
            Some(program)
        });
    }

    /// Drops buffers, tables and attributes that nothing needs.
    fn buffers(&mut self) {
        let used = used_variables(&self.best.program);
        let mut program = self.best.program.clone();
        for (index, variable) in (0..).zip(&mut program.variables) {
            let is_object = matches!(variable.space, Storage::Object(_));
            if !is_object && !used.contains(&VarId(index)) {
                variable.space = Storage::Private;
            }
        }
        program.fixed_size = false;
        self.tried(program);
    }

    /// Removes runs of statements, the long ones first; then what only they used.
    fn statements(&mut self) {
        let all = self.best.program.statements();
        let mut length = all.len().next_power_of_two();
        while length > 0 {
            let all = self.best.program.statements();
            let runs: Vec<&[StmtId]> = all.chunks(length).rev().collect();
            self.each(&runs, |best, run| {
                let mut program = best.clone();
                for id in *run {
                    program.stmts[id.0 as usize].kind = StmtKind::Nothing;
                }
                Some(with_declarations(program, best))
            });
            length /= 2;
        }
    }

    /// Puts the statements of branches, loops and sections in their place, or adds a condition to the result.
    fn lift(&mut self) {
        self.each(&self.best.program.statements(), |best, &id| {
            let mut program = best.clone();
            let key = program.stmt(id).key;
            let inner = match program.stmt(id).kind.clone() {
                StmtKind::If(condition, then, other) if then.is_empty() && other.is_empty() => {
                    vec![program.statement(StmtKind::Hash(condition), key)]
                }
                StmtKind::Switch(_) | StmtKind::For(_) | StmtKind::Labelled(_)
                    if jumps(&program, id) =>
                {
                    return None;
                }
                kind => lifted(&mut program, kind, key)?,
            };
            replace(&mut program, id, &inner);
            Some(program)
        });
    }

    /// Makes the pointers in declarations null, and the numbers 0.
    fn objects(&mut self) {
        let all = self.best.program.statements();
        let changes: Vec<(StmtId, bool)> =
            all.into_iter().flat_map(|id| [(id, false), (id, true)]).collect();
        self.each(&changes, |best, &(id, numbers)| {
            let StmtKind::DeclareObject(object, initials) = &best.stmt(id).kind else {
                return None;
            };
            let kind = match numbers {
                false => without_addresses(*object, initials),
                true => StmtKind::DeclareObject(*object, with_zeros(initials.clone())),
            };
            let mut program = best.clone();
            program.stmts[id.0 as usize].kind = kind;
            Some(with_declarations(program, best))
        });
    }
}

fn with_zeros(mut initials: Box<[Initial]>) -> Box<[Initial]> {
    for initial in &mut initials {
        if let Initial::Number(number) = initial {
            *number = 0;
        }
    }
    initials
}

/// Restores the declarations of variables that are still used, and drops those of variables that are used no more.
fn with_declarations(mut program: Program, original: &Program) -> Program {
    let used_before = used_variables(original);
    loop {
        let used = used_variables(&program);
        let mut changed = false;
        for (index, stmt) in original.stmts.iter().enumerate() {
            let Some(declared) = stmt.kind.declared() else { continue };
            let is_gone = matches!(program.stmts[index].kind, StmtKind::Nothing);
            let is_used = used.contains(&declared);
            if is_gone == is_used && (is_used || used_before.contains(&declared)) {
                program.stmts[index].kind =
                    if is_gone { stmt.kind.clone() } else { StmtKind::Nothing };
                changed = true;
            }
        }
        if !changed {
            return program;
        }
    }
}

/// The statements within a statement, to take its place. A loop leaves its counter as a variable.
pub(crate) fn lifted(program: &mut Program, kind: StmtKind, key: SeedKey) -> Option<Block> {
    match kind {
        StmtKind::If(_, then, other) => Some([then, other].concat()),
        StmtKind::Switch(switch) => {
            Some(switch.cases.into_iter().flat_map(|case| case.body).collect())
        }
        StmtKind::For(details) => {
            let first = StmtKind::Declare(details.counter, details.start);
            Some([vec![program.statement(first, key)], details.body].concat())
        }
        StmtKind::Labelled(block) | StmtKind::Merged(_, block) => Some(block),
        StmtKind::GroupCopy(copy) => Some(copy.body),
        StmtKind::Section(section) => Some(section.body),
        _ => None,
    }
}

/// The variables that statements in the text use, except to declare them.
pub(crate) fn used_variables(program: &Program) -> BTreeSet<VarId> {
    let mut used = BTreeSet::new();
    for id in program.statements() {
        match &program.stmt(id).kind {
            StmtKind::Assign(place, _) => used.extend([place.variable()]),
            StmtKind::Call(call) => {
                used.extend([call.into.variable()]);
                used.extend(call.paths().into_iter().map(Path::variable));
            }
            StmtKind::Reduce(reduce) => used.extend([reduce.into]),
            StmtKind::Gather(gather) => used.extend([gather.into, gather.cells]),
            StmtKind::GroupCopy(copy) => used.extend([copy.into.0, copy.from.0]),
            StmtKind::Mma(mma) => used.extend(mma.sums.iter()),
            StmtKind::Collective(collective) => used.extend([collective.into]),
            StmtKind::Section(section) => used.extend(section.sum.iter()),
            kind => used.extend(kind.paths().into_iter().map(Path::variable)),
        }
    }
    let mut pending = program.roots();
    while let Some(id) = pending.pop() {
        let kind = &program.expr(id).kind;
        if let ExprKind::Variable(of) | ExprKind::Element(of, _) | ExprKind::Load(of, _) = kind {
            used.insert(*of);
        }
        used.extend(kind.paths().into_iter().map(Path::variable));
        pending.extend(kind.operands());
    }
    used
}

/// Puts statements in the place of a statement.
pub(crate) fn replace(program: &mut Program, id: StmtId, with: &[StmtId]) {
    blocks(program, |block| {
        if let Some(at) = block.iter().position(|found| *found == id) {
            block.splice(at..=at, with.iter().copied());
        }
    });
}

/// True if something in a statement leaves a loop or cases.
pub(crate) fn jumps(program: &Program, id: StmtId) -> bool {
    let inner = program.stmt(id).kind.blocks().into_iter().flatten();
    inner
        .copied()
        .any(|id| matches!(program.stmt(id).kind, StmtKind::Jump(..)) || jumps(program, id))
}

/// Does something with every block.
fn blocks(program: &mut Program, change: impl Fn(&mut Block)) {
    program.functions.iter_mut().for_each(|function| change(&mut function.body));
    change(&mut program.body);
    program.stmts.iter_mut().flat_map(|stmt| stmt.kind.blocks_mut()).for_each(change);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Buffer;
    use crate::profile::{Mode, Profile};

    /// Fewer work-items have shorter buffers, and no index may leave them.
    #[test]
    fn candidates_stay_within_the_buffers_of_their_launch() {
        let tokens = crate::TokenRange::new(300, 500).expect("a range");
        let profile = Profile { mode: Mode::Barrier, tokens, ..Profile::default() };
        for seed in 0..8 {
            let kernel = crate::generate(seed, &profile).expect("a profile that fits");
            reduce(&kernel, &mut |candidates| {
                let candidate = candidates.next()?;
                let report = interpret::run(&with_tables(&candidate));
                assert!(report.is_clean(), "{seed}: {}", candidate.source);
                assert_eq!(report.results, candidate.expected, "{seed}");
                Some((0, candidate))
            });
        }
    }

    /// Edits go first: if they are not needed, the kernel remains that the variant was made of.
    #[test]
    fn a_variant_loses_its_edits_first() {
        let tokens = crate::TokenRange::new(300, 500).expect("a range");
        let profile = Profile { mode: Mode::Basic, tokens, ..Profile::default() };
        let mut all = 0;
        for seed in 0..6 {
            let mut family = crate::variants(seed, &profile).expect("a profile that fits");
            let base = interpret::run(&family.base().program).results;
            let variant = family.next().expect("a variant");
            let (edits, mut asked) = (variant.edits.len(), 0);
            let rest = reduce(&variant, &mut |candidates| {
                let mut all = candidates.enumerate();
                all.find(|(_, candidate)| {
                    asked += 1;
                    assert!(asked > edits || candidate.expected == base, "{seed}");
                    asked <= edits
                })
            });
            let statements = |kernel: &Kernel| kernel.program.statements().len();
            assert_eq!(statements(&rest), statements(family.base()), "{seed}: {}", rest.source);
            all += edits;
        }
        assert!(all >= 18, "{all}");
    }

    /// The program with a table in place of each buffer, as long as the launch comment says.
    fn with_tables(kernel: &Kernel) -> Program {
        let comment = kernel.source.lines().next().expect("a launch comment");
        let (_, sizes) = comment.split_once("-g ").expect("sizes");
        let sizes = sizes.split(' ').next().expect("three sizes").split(',');
        let sizes: Vec<u32> = sizes.map(|size| size.parse().expect("a number")).collect();
        let mut program = kernel.program.clone();
        for variable in &mut program.variables {
            let Storage::Global(buffer) = variable.space else { continue };
            let values: Box<[i64]> = match buffer {
                Buffer::Emi => (1..=1024).rev().collect(),
                Buffer::Sequence => {
                    (10..).take(*sizes.iter().max().expect("a size") as usize).collect()
                }
                Buffer::Communication => vec![1; sizes.iter().product::<u32>() as usize].into(),
            };
            variable.length = Some(values.len() as u32);
            variable.space = Storage::Constant(values);
        }
        program
    }

    /// The bug of this test is a function that somebody calls; a kernel with it has a few lines.
    #[test]
    fn what_remains_is_small_valid_and_knows_its_results() {
        let profile = Profile { mode: Mode::All, ..Profile::default() };
        let mut reduced = 0;
        for seed in 0..30 {
            let kernel = crate::generate(seed, &profile).expect("a profile that fits");
            if !kernel.source.contains("mad_sat(") {
                continue;
            }
            let mut steps = 0;
            let small = reduce(&kernel, &mut |candidates| {
                candidates.enumerate().find(|(_, candidate)| {
                    steps += 1;
                    candidate.source.contains("mad_sat(")
                })
            });
            assert!(small.source.lines().count() <= 15, "{seed}: {}", small.source);
            assert!(interpret::run(&small.program).is_clean() && steps < 1000);
            assert_eq!(small.expected, interpret::run(&small.program).results);
            reduced += 1;
        }
        assert!(reduced >= 3, "{reduced} kernels have the function");
    }
}
