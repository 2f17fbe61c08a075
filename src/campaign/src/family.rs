//! A program and its variants, which have its result: equivalence modulo inputs. They run one after the other on a
//! configuration, and all that they show is one outcome.

use std::collections::BTreeMap;
use std::path::Path;

use clreduce_generator::Avoid;
use clreduce_kernel::{KernelLaunch, Plan, ProgramKind};
use clreduce_recipe::show;

use crate::external::{ExternalPrograms, NoProgram};
use crate::given::{GivenKernel, NoVariants, described};
use crate::matrix::{Configuration, SourceKind};
use crate::outcome::{Class, ExpectedResult, Subject};
use crate::programs::{Program, Programs};
use crate::runner::Runner;
use crate::shared::{FinishedProgram, Shared};

/// Runs a program whose result is known, and its variants, on all configurations that take part. Those that avoid other features
/// get another program.
pub(crate) fn observed(
    program: u64,
    runner: &Runner,
    programs: &Programs,
    shared: &Shared,
) -> Option<FinishedProgram> {
    let mut families: BTreeMap<Avoid, Result<Vec<Program>, NoProgram>> = BTreeMap::new();
    let mut finished = FinishedProgram::default();
    for index in shared.that_run(program) {
        let name = runner.matrix.name(index);
        let avoid = shared.avoid_of(&name, program);
        let which = (program, programs.variants());
        let make = |avoid: &Avoid| family(runner, programs, which, avoid);
        let (variant, class) = match families.entry(avoid).or_insert_with_key(make) {
            Ok(family) => shown(runner, index, family)?,
            Err(NoProgram::Cancelled) => return None,
            Err(NoProgram::None(_)) if matches!(programs, Programs::Generated(_)) => {
                (0, Class::Unresolved)
            }
            Err(NoProgram::None(reason)) => {
                let missing = Some(reason.clone());
                return Some(FinishedProgram { missing, ..Default::default() });
            }
        };
        finished.outcomes.insert(index, class);
        if variant > 0 {
            finished.variants.insert(index, variant);
        }
    }
    Some(finished)
}

/// A program, and then so many of its variants, or fewer.
fn family(
    runner: &Runner,
    programs: &Programs,
    (program, count): (u64, u32),
    avoid: &Avoid,
) -> Result<Vec<Program>, NoProgram> {
    match programs {
        _ if programs.variants() == 0 => {
            programs.make(program, avoid, &runner.cancel).map(|one| vec![one])
        }
        Programs::Generated(kernels) => match kernels.family(program, count, avoid) {
            Some(family) => Ok(family.into_iter().map(|one| Program::Kernel(one.into())).collect()),
            None => Err(NoProgram::None("these features cannot be avoided together".into())),
        },
        Programs::External(external) => {
            let family = given(runner, external, (program, count))?;
            Ok(family.into_iter().map(Program::Text).collect())
        }
    }
}

/// The variant with a number; 0 is the program itself.
pub(crate) fn member(
    runner: &Runner,
    programs: &Programs,
    (program, variant): (u64, u32),
    avoid: &Avoid,
) -> Result<Program, NoProgram> {
    let family = family(runner, programs, (program, variant), avoid)?;
    let gone = || NoProgram::None("there are fewer variants now".to_owned());
    family.into_iter().nth(variant as usize).ok_or_else(gone)
}

/// The first alarm of a family on a configuration, and the number of its variant. If the program itself is not right, no variant
/// runs. `None` once the campaign is cancelled.
fn shown(runner: &Runner, configuration: usize, family: &[Program]) -> Option<(u32, Class)> {
    let mut shown = (0, Class::Right);
    for (variant, program) in (0..).zip(family) {
        let class = runner.observe(configuration, &program.subject())?.class;
        let is_over = class.is_alarm() || variant == 0 && class != Class::Right;
        let is_first = shown.1 == Class::Right && class != Class::Right;
        if is_over || is_first {
            shown = (variant, class);
        }
        if is_over {
            break;
        }
    }
    Some(shown)
}

/// A program from elsewhere and its variants, with the result that it has on the host, unless that is known.
fn given(
    runner: &Runner,
    external: &ExternalPrograms,
    (program, count): (u64, u32),
) -> Result<Vec<Subject>, NoProgram> {
    let made = external.make(program, &runner.cancel)?;
    let no_variants = |reason: NoVariants| NoProgram::None(reason.to_string());
    let SourceKind::Kernels(kind @ ProgramKind::OpenCl) = runner.matrix.kind else {
        return Err(no_variants(NoVariants::NoPlace));
    };
    let plan = kind.plan(made.source.as_bytes(), made.arguments.as_deref());
    let Plan { launches, .. } = plan.map_err(|error| NoProgram::None(error.to_string()))?;
    let options = runner.check_options();
    let permit = runner.permit().ok_or(NoProgram::Cancelled)?;
    let (source, here) = (made.source.clone().into_bytes(), Path::new("."));
    let all = launches.len();
    let base = GivenKernel::of(source, launches, here, &options, &runner.cancel);
    let base = base.map_err(no_variants)?;
    // What is known about several kernels says nothing about the first one.
    let expected = match base.launches.len() == all {
        true => made.expected,
        false => ExpectedResult::Open { executed: false },
    };
    let variants = match count {
        0 => Vec::new(),
        count => {
            let family = base
                .family(external.variants.seed, &options, &runner.cancel)
                .map_err(no_variants)?;
            family.variants(count as usize)
        }
    };
    drop(permit);
    if runner.cancel.is_cancelled() {
        return Err(NoProgram::Cancelled);
    }
    let first = described_as(&base.text, &base.launches, &expected)?;
    let first = Subject { expected: known(runner, &first)?, ..first };
    let launches = base.variant_launches();
    let variants = variants.iter().map(|text| described_as(text, &launches, &first.expected));
    let variants: Vec<Subject> = variants.collect::<Result<_, _>>()?;
    Ok(std::iter::once(first).chain(variants).collect())
}

/// A text with the description of its arguments.
fn described_as(
    text: &[u8],
    launches: &[KernelLaunch],
    expected: &ExpectedResult,
) -> Result<Subject, NoProgram> {
    let Some(arguments) = described(text, launches) else {
        let reason = "its arguments cannot be written as a description";
        return Err(NoProgram::None(reason.to_owned()));
    };
    let source = String::from_utf8_lossy(text).into_owned();
    Ok(Subject { source, arguments: Some(arguments), expected: expected.clone() })
}

/// The right result of a program: the known one, or that of the host.
fn known(runner: &Runner, subject: &Subject) -> Result<ExpectedResult, NoProgram> {
    if subject.result().is_some() {
        return Ok(subject.expected.clone());
    }
    let none = |reason: &str| Err(NoProgram::None(format!("no result on the host: {reason}")));
    let Some(device) = runner.matrix.host else { return none("it runs no kernels") };
    let host = Configuration { device, options: String::new() };
    let (outcome, _) = runner.outcome(&host, subject).ok_or(NoProgram::Cancelled)?;
    let Some(outputs) = outcome.result() else { return none(&outcome.details()) };
    let result = show(outputs);
    Ok(match runner.matrix.kind.is_exact(&subject.source) {
        true => ExpectedResult::Known(result),
        // Another result of the last digits accuses nobody.
        false => ExpectedResult::Voted { result, exact: false },
    })
}
