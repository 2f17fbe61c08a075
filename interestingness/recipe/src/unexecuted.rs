//! Finds the parts of the original that are not executed, which the reducer removes first, and how long its loops run.

use std::collections::BTreeMap;
use std::ops::Range;

use clreduce_check::{HostKernel, ProbedProgram, coverage};
use clreduce_kernel::{OutcomeClass, Output, RunOutcome};
use clreduce_process::Cancel;
use clreduce_testcase::{Feature, SourceFile, TestCase};

use crate::calibration::limit_of;
use crate::configuration::{Means, RecipeConfiguration, VariantProgram};
use crate::pin::Pin;
use crate::resolved::ResolvedRecipe;

/// The facts that a run of the original has shown.
#[derive(Default)]
pub(crate) struct Executed {
    /// By file, the ranges that were not executed.
    pub unexecuted: BTreeMap<String, Vec<Range<usize>>>,
    /// The most jumps of a work-group of a kernel.
    pub jumps: Option<u64>,
}

/// Runs the original. Nothing is known where it does not run, where no check can tell, and where several programs are
/// compared.
pub(crate) fn executed(
    kit: &ResolvedRecipe,
    programs: &[VariantProgram<'_>],
    pin: &Pin,
    limits: &BTreeMap<String, u64>,
    cancel: &Cancel,
) -> Executed {
    use OutcomeClass::{Result, RunCrash, RunTimeout, UnstableResult};
    let ([program], Result | RunCrash | RunTimeout | UnstableResult) = (programs, pin.class) else {
        return Executed::default();
    };
    let (ranges, jumps) = match program.subject() {
        Some(kernel) => of_kernel(kit, &kernel, cancel),
        None => (of_program(kit, program, pin, limits, cancel).unwrap_or_default(), None),
    };
    if cancel.is_cancelled() {
        return Executed::default();
    }
    let ranges = Some(ranges).filter(|ranges| !ranges.is_empty());
    let unexecuted = ranges.map(|ranges| (program.path().to_owned(), ranges)).into_iter().collect();
    Executed { unexecuted, jumps }
}

/// The host runs the kernel with probes. The ranges that were not executed, and the most jumps of a work-group.
fn of_kernel(
    kit: &ResolvedRecipe,
    kernel: &HostKernel,
    cancel: &Cancel,
) -> (Vec<Range<usize>>, Option<u64>) {
    let Ok(coverage) = coverage(kernel, &kit.check, cancel) else { return Default::default() };
    let jumps = coverage.incomplete.is_none().then_some(coverage.jumps);
    (coverage.never_executed(), jumps)
}

/// Compiles and runs the program with probes, by one configuration after the other, until one prints what was executed. The
/// accused comes last, because it runs the program wrongly. If its run crashes or does not end, it is left out.
fn of_program(
    kit: &ResolvedRecipe,
    program: &VariantProgram<'_>,
    pin: &Pin,
    limits: &BTreeMap<String, u64>,
    cancel: &Cancel,
) -> Option<Vec<Range<usize>>> {
    if !program.case.language().has_all(&[Feature::Symbols, Feature::GlobalVariables]) {
        return None;
    }
    let probed = ProbedProgram::of(program.source());
    let mut files: Vec<SourceFile> = program.case.files().to_vec();
    files.get_mut(program.file)?.bytes = probed.text().into();
    let case = TestCase::new(files).ok()?;
    let with_probes = VariantProgram {
        case: &case,
        file: program.file,
        plan: program.plan.clone(),
        options: program.options,
    };
    let ends = !matches!(pin.class, OutcomeClass::RunCrash | OutcomeClass::RunTimeout);
    let runs = |one: &&RecipeConfiguration| {
        matches!(&one.means, Means::Commands { run: Some(_), .. })
            && (ends || one.name != pin.accused)
    };
    let mut configurations: Vec<&RecipeConfiguration> =
        kit.configurations.iter().filter(runs).collect();
    configurations.sort_by_key(|one| one.name == pin.accused);
    configurations.into_iter().find_map(|one| {
        let limit = limit_of(limits, &one.name);
        let shown = kit.run_on(one, std::slice::from_ref(&with_probes), limit, cancel);
        let printed: &[Output] = shown.outcomes.first().and_then(RunOutcome::result)?;
        probed.unexecuted(&printed.first()?.bytes)
    })
}
