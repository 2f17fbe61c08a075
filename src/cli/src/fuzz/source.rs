//! The programs of a campaign, from the options of the command line.

use std::path::Path;
use std::time::Duration;

use clap::ValueEnum;
use clreduce_campaign::{ExternalPrograms, GeneratedPrograms, Matrix, Programs, SourceKind};
use clreduce_devices::WorkerOptions;
use clreduce_generator::{Profile, Target};
use clreduce_kernel::{ProgramKind, Rule};
use clreduce_process::{Limits, ToolRunner};

use super::FuzzArgs;
use crate::failure::{CliError, FuzzError, UsageError};

/// The name of clreduce's own generator.
pub(super) const OWN: &str = "clreduce";
/// The most that a program may have, in bytes.
const MOST_BYTES: u64 = 8 << 20;

/// The kind of programs in a language.
pub(super) fn kind(target: Target) -> SourceKind {
    match target {
        Target::OpenCl12 | Target::OpenCl20 | Target::OpenCl30 => {
            SourceKind::Kernels(ProgramKind::OpenCl)
        }
        Target::Cuda => SourceKind::Kernels(ProgramKind::CudaKernels),
        Target::Ptx => SourceKind::Kernels(ProgramKind::Ptx),
        Target::C => SourceKind::C,
        Target::Cpp => SourceKind::Cpp,
    }
}

/// The rule by which a majority is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum VoteRule {
    /// More than half of the results, and at least three
    Majority,
    /// Two thirds of all configurations
    TwoThirds,
}

impl VoteRule {
    fn rule(self) -> Rule {
        match self {
            Self::Majority => Rule::AtLeastThree,
            Self::TwoThirds => Rule::TwoThirds,
        }
    }

    /// The least number of voters that make a majority.
    fn least_voters(self) -> usize {
        match self {
            Self::Majority => 3,
            Self::TwoThirds => 2,
        }
    }
}

/// The programs that the options ask for.
///
/// # Errors
/// When options contradict each other, or a folder has no programs.
pub(super) fn programs(args: &FuzzArgs, worker: &WorkerOptions) -> Result<Programs, CliError> {
    if args.generator == OWN {
        let profile = args.profile.profile(args.target);
        profile.check().map_err(UsageError::from)?;
        if args.emi > 0 {
            profile.check_variants().map_err(UsageError::from)?;
        }
        let (first, variants) = (args.seed, args.emi);
        return Ok(Programs::Generated(GeneratedPrograms { profile, first, variants }));
    }
    let (asked, usual) = (args.profile.profile(Target::OpenCl12), Profile::default());
    let of_profile = [
        ("--mode", args.profile.mode.is_some()),
        ("--tokens", asked.tokens != usual.tokens),
        ("--avoid", asked.avoid != usual.avoid),
        ("--doubles", asked.doubles != usual.doubles),
        ("--sub-groups", asked.sub_groups != usual.sub_groups),
    ];
    if let Some((name, _)) = of_profile.into_iter().find(|(_, is_given)| *is_given) {
        return Err(FuzzError::OnlyOwn(name).into());
    }
    let (folder, rule) = (Path::new(&args.generator), args.votes.rule());
    let external = if folder.is_dir() {
        ExternalPrograms::of_folder(folder, kind(args.target), rule)
    } else {
        let tools = tools(worker, args.timeout, Some(args.memory_limit));
        ExternalPrograms::of_command(&args.generator, args.seed, tools, rule)
    };
    let external = external.map_err(FuzzError::from)?;
    Ok(Programs::External(external.with_variants(args.emi, args.seed)))
}

/// Checks that there are enough configurations for a vote: a majority, and another one; or a host for variants.
///
/// # Errors
/// When there are too few configurations for a vote, or no host for variants.
pub(super) fn check_voters(
    args: &FuzzArgs,
    programs: &Programs,
    matrix: &Matrix,
) -> Result<(), FuzzError> {
    let needs_votes = matches!(programs, Programs::External(one) if one.needs_votes());
    let has_variants = matches!(programs, Programs::External(_)) && programs.variants() > 0;
    if has_variants
        && (matrix.kind != SourceKind::Kernels(ProgramKind::OpenCl) || matrix.host.is_none())
    {
        return Err(FuzzError::NoVariants);
    }
    let least = args.votes.least_voters();
    let all = matrix.configurations.len();
    if needs_votes && (matrix.voters() < least || all <= least) {
        return Err(FuzzError::FewVoters { all, least: least + 1 });
    }
    Ok(())
}

/// Runs the command that makes programs.
fn tools(worker: &WorkerOptions, time: Duration, memory: Option<u64>) -> ToolRunner {
    let limits = Limits {
        time: Some(time),
        memory_bytes: memory,
        output_bytes: MOST_BYTES,
        ..Limits::default()
    };
    let (temporary, program) = (worker.temporary.clone(), worker.program.clone());
    ToolRunner::confined(temporary, Some(program), limits, worker.confinement.clone())
}
