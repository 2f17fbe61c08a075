//! Arguments that fit a kernel: buffers that are large enough, and values with which it ends.
//!
//! Without a description of its arguments, a kernel is launched with arguments that only fit its signature. Here it runs with them
//! on the host, and the run tells what it reaches in its buffers: those that are too small grow. Where no buffer would be
//! large enough, what was read before becomes small. If the kernel crashes or does not end, other values, sizes and contents are
//! tried, in a fixed order.

mod bounds;
mod choices;

use clreduce_compiler::Clang;
use clreduce_host::{
    HostBuild, HostError, HostKernel, Reach, ReachEnd, ReachProgram, Toolchain, is_supported, sizes,
};
use clreduce_kernel::{Argument, KernelLaunch, KernelParameter, KernelSignature};
use clreduce_process::{Cancel, ToolRunner};
use clreduce_testcase::Launch;

use crate::coverage::CoverageError;
use crate::options::CheckOptions;
pub(crate) use bounds::Bounds;
use choices::Attempt;
pub(crate) use choices::{in_groups, widen};

/// The most bytes of one buffer.
pub(crate) const MOST_BYTES: u64 = 2 << 20;
/// The most bytes of all arguments in local memory together: as much as most devices have.
const MOST_LOCAL_BYTES: u64 = 32 << 10;
/// The most jumps of a launch that clreduce makes for every kernel, and of one that it makes because another one does not fit.
pub(crate) const MOST_JUMPS: [u64; 2] = [1 << 25, 1 << 22];
/// After the first number of rounds, the buffers of a launch double in each round. After the second, the launch is given up.
pub(crate) const ROUNDS: [usize; 2] = [4, 12];
/// The most runs for one launch.
const MOST_RUNS: usize = 80;

/// A kernel with launches that fit, as far as there are any.
#[derive(Debug)]
pub struct FittedKernel {
    /// The kernel.
    pub kernel: HostKernel,
    /// For each launch that is gone or does not fit, a sentence that says why.
    pub remarks: Vec<String>,
}

/// Looks for arguments that fit a kernel, if clreduce has chosen those that it has. The same kernel gets the same arguments.
///
/// # Errors
/// When the kernel cannot be compiled or launched.
pub fn fit_arguments(
    kernel: HostKernel,
    options: &CheckOptions,
    cancel: &Cancel,
) -> Result<FittedKernel, CoverageError> {
    if !is_supported() {
        return Err(CoverageError::Unsupported);
    }
    let given = kernel.launches.clone().map_err(HostError::from)?;
    if !kernel.has_chosen_arguments || kernel.is_whole() || given.is_empty() {
        return Ok(FittedKernel { kernel, remarks: Vec::new() });
    }
    let plans: Vec<Vec<Attempt>> = given.iter().map(|launch| attempts(launch, &kernel)).collect();
    let clang = Clang::find(options.clang.as_deref(), &options.build_options)?;
    let (tools, cache) = (options.tools(), &options.cache);
    let toolchain = Toolchain { clang: &clang, tools: &tools, cache, forks: None, cancel };
    options.progress.at("looking for arguments");
    let fitter = Fitter::new(&kernel, plans.iter().flatten(), toolchain)?;
    let mut fitted = kernel.clone();
    let (mut launches, mut remarks) = (Vec::new(), Vec::new());
    for (plan, launch) in plans.iter().zip(&given) {
        let items = launch.global.iter().copied().fold(1, u64::saturating_mul);
        let plural = if items == 1 { "" } else { "s" };
        match fitter.fit(plan, cancel)? {
            Ok(Fitting { launch, avoids_complaint }) => {
                if avoids_complaint {
                    remarks.push(format!(
                        "`{}` has a data race or undefined behaviour with the first arguments that were tried, for {items} \
                         work-item{plural}; if callers may pass such arguments, describe them in KERNEL.args.toml",
                        launch.kernel
                    ));
                }
                launches.push(launch);
            }
            Err(why) => remarks.push(format!(
                "no arguments were found for `{}` with {items} work-item{plural}: {why}",
                launch.kernel
            )),
        }
    }
    // Each kernel keeps a launch.
    for signature in &kernel.kernels {
        if !launches.iter().any(|launch: &KernelLaunch| launch.kernel == signature.name) {
            launches.extend(given.iter().find(|launch| launch.kernel == signature.name).cloned());
        }
    }
    launches.dedup();
    fitted.launches = Ok(launches);
    Ok(FittedKernel { kernel: fitted, remarks })
}

/// The given launch, and others that are tried in its place.
fn attempts(launch: &KernelLaunch, kernel: &HostKernel) -> Vec<Attempt> {
    let are_sizes_given = Launch::find(&kernel.source).is_some();
    let signature = kernel.kernels.iter().find(|one| one.name == launch.kernel);
    let first = Attempt { launch: launch.clone(), most_jumps: MOST_JUMPS[0] };
    let others = signature.map_or_else(Vec::new, |signature| {
        choices::others(launch, signature, kernel, are_sizes_given)
    });
    let others = others.into_iter().map(|launch| Attempt { launch, most_jumps: MOST_JUMPS[1] });
    std::iter::once(first).chain(others).collect()
}

/// A launch that fits.
struct Fitting {
    launch: KernelLaunch,
    /// True if another launch that ends was left out because of a data race or of what the sanitizers say.
    avoids_complaint: bool,
}

/// What became of a launch whose buffers grew.
struct Grown {
    launch: KernelLaunch,
    rank: Rank,
    /// The reason that it does not fit.
    why: String,
}

/// How well a launch fits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Clean,
    /// It ends, and the sanitizers complain, or there is a data race.
    Complaint,
    /// It does not end well, or reaches beyond its buffers.
    Unfit,
}

struct Fitter<'a> {
    program: ReachProgram,
    kernels: &'a [KernelSignature],
    tools: ToolRunner,
}

impl<'a> Fitter<'a> {
    fn new<'b>(
        kernel: &'a HostKernel,
        attempts: impl Iterator<Item = &'b Attempt>,
        toolchain: Toolchain<'_>,
    ) -> Result<Self, HostError> {
        let mut subject = kernel.clone();
        subject.launches = Ok(attempts.map(|attempt| attempt.launch.clone()).collect());
        let build = HostBuild { toolchain, subject: &subject, optimisation: "-O0" };
        let program = build.reach_program()?;
        Ok(Self { program, kernels: &kernel.kernels, tools: toolchain.tools.clone() })
    }

    /// The first of these launches that fits, or else the best one that ends; or why there is none.
    fn fit(
        &self,
        attempts: &[Attempt],
        cancel: &Cancel,
    ) -> Result<Result<Fitting, String>, HostError> {
        let (mut runs, mut best): (usize, Option<Grown>) = (0, None);
        for (index, attempt) in attempts.iter().enumerate() {
            if runs >= MOST_RUNS || cancel.is_cancelled() {
                break;
            }
            let grown = self.grow(attempt, &mut runs, cancel)?;
            // With few work-items, any kernel is free of races.
            let is_unfit = best.as_ref().is_none_or(|best| best.rank == Rank::Unfit);
            if grown.rank == Rank::Clean && (is_unfit || index == 0 || has_several(&grown.launch)) {
                let avoids_complaint = best.is_some_and(|best| best.rank == Rank::Complaint);
                return Ok(Ok(Fitting { launch: grown.launch, avoids_complaint }));
            }
            if best.as_ref().is_none_or(|best| grown.rank < best.rank) {
                best = Some(grown);
            }
        }
        Ok(match best {
            Some(best) if best.rank < Rank::Unfit => {
                Ok(Fitting { launch: best.launch, avoids_complaint: false })
            }
            Some(best) => Err(best.why),
            None => Err("it was not run".to_owned()),
        })
    }

    /// Runs a launch, with larger buffers each time, until they are large enough.
    fn grow(
        &self,
        attempt: &Attempt,
        runs: &mut usize,
        cancel: &Cancel,
    ) -> Result<Grown, HostError> {
        let (mut launch, mut bounds) = (attempt.launch.clone(), Bounds::default());
        let unfit = |launch, why| Ok(Grown { launch, rank: Rank::Unfit, why });
        for round in 0..ROUNDS[1] {
            *runs += 1;
            let jumps = attempt.most_jumps;
            let reach = self.program.reach(&launch, jumps, MOST_BYTES, &self.tools, cancel)?;
            let wanted = enlarged(self.kernels, &launch, &reach, round >= ROUNDS[0]);
            if let ReachEnd::Outside(number) = reach.end {
                if let Some(next) = bounds.next(self.kernels, &launch, &reach.sources) {
                    launch = next;
                    continue;
                }
                let why = format!(
                    "it reaches before the beginning of {}, or more than {MOST_BYTES} bytes into it",
                    self.name(&launch, number)
                );
                return unfit(launch, why);
            }
            let Some(wanted) = wanted else {
                return unfit(
                    launch,
                    format!("it wants more than {MOST_LOCAL_BYTES} bytes of local memory"),
                );
            };
            if wanted == launch {
                return match reach.end {
                    ReachEnd::Clean | ReachEnd::Complaint => {
                        *runs += 1;
                        let jumps = MOST_JUMPS[0];
                        let is_clean = reach.end == ReachEnd::Clean
                            && self.program.is_clean(&launch, jumps, &self.tools, cancel)?;
                        let rank = if is_clean { Rank::Clean } else { Rank::Complaint };
                        Ok(Grown { launch, rank, why: String::new() })
                    }
                    ReachEnd::Failed(why) => unfit(launch, why),
                    ReachEnd::Outside(_) => unfit(launch, String::new()),
                };
            }
            launch = wanted;
        }
        unfit(launch, "the more its buffers hold, the more it wants".to_owned())
    }

    fn name(&self, launch: &KernelLaunch, number: usize) -> String {
        match launch.arguments.get(number) {
            Some(Argument::Buffer { name, .. }) => format!("`{name}`"),
            _ => format!("argument {}", number + 1),
        }
    }
}

/// Returns true for several work-items in each of several groups.
fn has_several(launch: &KernelLaunch) -> bool {
    let [global, local] = sizes(launch);
    let count = |sizes: [u64; 3]| sizes.iter().copied().fold(1, u64::saturating_mul);
    count(local) > 1 && count(global) > count(local)
}

/// The launch with buffers as large as was reached; `None` for too much local memory.
pub(crate) fn enlarged(
    kernels: &[KernelSignature],
    launch: &KernelLaunch,
    reach: &Reach,
    doubles: bool,
) -> Option<KernelLaunch> {
    let mut wanted = launch.clone();
    let signature = kernels.iter().find(|kernel| kernel.name == launch.kernel);
    for (index, (argument, &bytes)) in wanted.arguments.iter_mut().zip(&reach.bytes).enumerate() {
        match argument {
            Argument::Buffer { element, elements, .. } => {
                let whole = match signature.and_then(|kernel| kernel.parameters.get(index)) {
                    Some(KernelParameter::Objects { layout, .. }) => layout.bytes,
                    _ => element.bytes(),
                } as u64;
                if bytes > elements.saturating_mul(element.bytes() as u64) {
                    let count = bytes.div_ceil(whole);
                    let count = if doubles { count.next_power_of_two() } else { count };
                    *elements = count.saturating_mul(whole) / element.bytes() as u64;
                }
            }
            Argument::Local(own) => *own = bytes.max(*own),
            Argument::Value(_) | Argument::Sampler(_) => {}
        }
    }
    let local = wanted.arguments.iter().map(|argument| match argument {
        Argument::Local(bytes) => *bytes,
        _ => 0,
    });
    (local.sum::<u64>() <= MOST_LOCAL_BYTES || wanted == *launch).then_some(wanted)
}
