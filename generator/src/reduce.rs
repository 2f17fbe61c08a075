//! Reduction of a kernel as a program. Every candidate is interpreted: it is tried only if it is valid, and its right
//! results are known. So no second compiler is needed to reduce a kernel with a wrong result.

mod copies;
mod functions;

use std::collections::BTreeSet;

use crate::interpret;
use crate::ir::{
    Block, EmiEdit, ExprKind, Initial, Path, Program, StmtId, StmtKind, Storage, VarId,
};
use crate::kernel::Kernel;
use crate::random::SeedKey;
use crate::repair::objects::without_addresses;

/// Makes a kernel smaller while `interesting` says yes. It gets valid kernels with their right results; each step is one
/// call.
pub fn reduce(kernel: &Kernel, interesting: &mut dyn FnMut(&Kernel) -> bool) -> Kernel {
    let mut reducer = KernelReducer { best: kernel.clone(), interesting };
    reducer.edits(&kernel.edits);
    loop {
        let before = reducer.best.source.len();
        reducer.one_item();
        reducer.statements();
        reducer.lift();
        reducer.expressions();
        reducer.objects();
        reducer.copies();
        reducer.cases();
        reducer.functions();
        reducer.buffers();
        if reducer.best.source.len() >= before {
            return reducer.best;
        }
    }
}

struct KernelReducer<'a> {
    best: Kernel,
    interesting: &'a mut dyn FnMut(&Kernel) -> bool,
}

impl KernelReducer<'_> {
    /// Takes a candidate if it is smaller, valid and interesting.
    fn tried(&mut self, program: Program) -> bool {
        let report = interpret::run(&program);
        if !report.is_clean() {
            return false;
        }
        let candidate = Kernel::of(program, report, &self.best);
        let is_smaller = candidate.source.len() < self.best.source.len();
        let taken = is_smaller && (self.interesting)(&candidate);
        if taken {
            self.best = candidate;
        }
        taken
    }

    /// Takes edits out of a variant, so that few are left beside the kernel that it is made of.
    fn edits(&mut self, edits: &[EmiEdit]) {
        for edit in edits {
            let mut program = self.best.program.clone();
            edit.drop_from(&mut program);
            self.tried(program);
        }
    }

    /// A single work-item, if none is needed to exchange something with.
    fn one_item(&mut self) {
        let mut program = self.best.program.clone();
        program.sizes.global = program.sizes.local;
        self.tried(program.clone());
        program.sizes.global = [1; 3];
        program.sizes.local = [1; 3];
        self.tried(program);
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
            for start in (0..all.len()).step_by(length).rev() {
                let end = (start + length).min(all.len());
                let mut program = self.best.program.clone();
                for id in &all[start..end] {
                    program.stmts[id.0 as usize].kind = StmtKind::Nothing;
                }
                self.tried(with_declarations(program, &self.best.program));
            }
            length /= 2;
        }
    }

    /// Puts the statements of branches, loops and sections in their place, or adds a condition to the result.
    fn lift(&mut self) {
        for id in self.best.program.statements() {
            let mut program = self.best.program.clone();
            let key = program.stmt(id).key;
            let inner = match program.stmt(id).kind.clone() {
                StmtKind::If(condition, then, other) if then.is_empty() && other.is_empty() => {
                    vec![program.statement(StmtKind::Hash(condition), key)]
                }
                StmtKind::Switch(_) | StmtKind::For(_) if jumps(&program, id) => continue,
                kind => match lifted(&mut program, kind, key) {
                    Some(inner) => inner,
                    None => continue,
                },
            };
            replace(&mut program, id, &inner);
            self.tried(program);
        }
    }

    /// Makes the pointers in declarations null, and the numbers 0.
    fn objects(&mut self) {
        for id in self.best.program.statements() {
            let kind = self.best.program.stmt(id).kind.clone();
            let StmtKind::DeclareObject(object, initials) = &kind else { continue };
            let mut zeros = initials.clone();
            for initial in &mut zeros {
                if let Initial::Number(number) = initial {
                    *number = 0;
                }
            }
            for kind in
                [without_addresses(*object, initials), StmtKind::DeclareObject(*object, zeros)]
            {
                let mut program = self.best.program.clone();
                program.stmts[id.0 as usize].kind = kind;
                self.tried(with_declarations(program, &self.best.program));
            }
        }
    }

    /// Removes cases, the last ones first.
    fn cases(&mut self) {
        for id in self.best.program.statements() {
            let count = match &self.best.program.stmt(id).kind {
                StmtKind::Switch(switch) => switch.cases.len(),
                _ => continue,
            };
            for index in (0..count).rev() {
                let mut program = self.best.program.clone();
                if let StmtKind::Switch(switch) = &mut program.stmts[id.0 as usize].kind {
                    switch.cases.remove(index);
                }
                self.tried(with_declarations(program, &self.best.program));
            }
        }
    }

    /// Replaces expressions by one of their operands, or by a number.
    fn expressions(&mut self) {
        let mut pending = self.best.program.roots();
        while let Some(id) = pending.pop() {
            let expr = self.best.program.expr(id).clone();
            let is_number = matches!(expr.kind, ExprKind::Literal(_));
            let children = expr.kind.operands();
            let number = [1, 0].map(|number| ExprKind::Literal(expr.ty.scalar.wrap(number)));
            let number = number.into_iter().filter(|_| !is_number);
            let same = children.iter().filter(|child| self.best.program.ty(**child) == expr.ty);
            let same = same.map(|child| self.best.program.expr(*child).kind.clone());
            let converted = children.iter().filter(|child| {
                let ty = self.best.program.ty(**child);
                ty.lanes == expr.ty.lanes
                    && ty != expr.ty
                    && !matches!(expr.kind, ExprKind::Convert(_))
            });
            let converted = converted.map(|child| ExprKind::Convert(*child));
            let candidates: Vec<_> = number.chain(same).chain(converted).collect();
            let taken = candidates.into_iter().any(|kind| {
                let mut program = self.best.program.clone();
                program.exprs[id.0 as usize].kind = kind;
                self.tried(with_declarations(program, &self.best.program))
            });
            if taken {
                pending.push(id);
            } else {
                pending.extend(children);
            }
        }
    }
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
            reduce(&kernel, &mut |candidate| {
                let report = interpret::run(&with_tables(candidate));
                assert!(report.is_clean(), "{seed}: {}", candidate.source);
                assert_eq!(report.results, candidate.expected, "{seed}");
                true
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
            let rest = reduce(&variant, &mut |candidate| {
                asked += 1;
                assert!(asked > edits || candidate.expected == base, "{seed}");
                asked <= edits
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
            let small = reduce(&kernel, &mut |kernel| {
                steps += 1;
                kernel.source.contains("mad_sat(")
            });
            assert!(small.source.lines().count() <= 15, "{seed}: {}", small.source);
            assert!(interpret::run(&small.program).is_clean() && steps < 1000);
            assert_eq!(small.expected, interpret::run(&small.program).results);
            reduced += 1;
        }
        assert!(reduced >= 3, "{reduced} kernels have the function");
    }
}
