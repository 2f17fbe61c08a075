//! Kernels with their right results.

use std::fmt::Write;

use crate::features::Features;
use crate::interpret::Report;
use crate::ir::{EmiEdit, Program};
use crate::policy;
use crate::print::{self, Extras};
use crate::profile::{Edits, Profile, ProfileError, Target};
use crate::random::{FORMAT, SeedKey};
use crate::repair::repair;

/// How the origin of a kernel begins that is not the one of a seed any more.
const REDUCED: &str = "reduced from: ";

/// A kernel with its right results.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The text in OpenCL C or CUDA C++, whose first line says how it is launched, as for the hosts of CLsmith; or a whole program in
    /// C++ or C.
    pub source: String,
    /// The right result of each work-item: the content of the buffer `result`.
    pub expected: Vec<u64>,
    /// The kernel as a program, for edits.
    pub program: Program,
    /// The findings of the interpreter about it.
    pub report: Report,
    /// The size that was asked for, in tokens.
    pub asked: usize,
    /// The language of the text.
    pub(crate) target: Target,
    /// The command that makes it, for its second line.
    origin: String,
    /// The edits that make it a variant of another kernel.
    pub(crate) edits: Vec<EmiEdit>,
}

impl Kernel {
    /// A kernel, with what the interpreter found out about it. It may check itself.
    pub(crate) fn new(
        mut program: Program,
        report: Report,
        asked: usize,
        origin: String,
        (target, self_check): (Target, bool),
    ) -> Self {
        // An edit may read something twice.
        let most = program.most_reads();
        program.volatile.retain(|variable| most.get(variable).is_none_or(|count| *count <= 1));
        let expected = report.results.clone();
        let extras = Extras { origin: &origin, expected: self_check.then_some(&expected[..]) };
        let source = match target {
            Target::Cuda => print::cuda(&program, &extras),
            Target::Cpp => print::cpp(&program, &extras),
            Target::Ptx => print::ptx(&program, &extras),
            Target::C => print::c(&program, &extras),
            _ => print::opencl(&program, &extras),
        };
        Self { source, expected, program, report, asked, target, origin, edits: Vec::new() }
    }

    /// The same kernel as a variant with these edits.
    pub(crate) fn with_edits(self, edits: Vec<EmiEdit>) -> Self {
        Self { edits, ..self }
    }

    /// Another version of a kernel.
    pub(crate) fn of(program: Program, report: Report, of: &Self) -> Self {
        let origin = match of.origin.strip_prefix(REDUCED) {
            Some(_) => of.origin.clone(),
            None => format!("{REDUCED}{}", of.origin),
        };
        Self::new(program, report, of.asked, origin, (of.target, false))
    }

    /// The right results as `clreduce run` and the hosts of CLsmith print them.
    #[must_use]
    pub fn expected_text(&self) -> String {
        let mut text = String::new();
        for word in &self.expected {
            // C writes a zero without prefix. Writing to a string cannot fail.
            let _ = match word {
                0 => write!(text, "0,"),
                word => write!(text, "{word:#x},"),
            };
        }
        text.push('\n');
        text
    }
}

/// Makes the kernel of a seed. The same seed and profile give the same kernel everywhere.
///
/// # Errors
/// If the parts of the profile do not fit together.
pub fn generate(seed: u64, profile: &Profile) -> Result<Kernel, ProfileError> {
    profile.check()?;
    let key = root(seed, profile);
    let features = features(seed, profile);
    let (from, to) = (i64::from(profile.tokens.from()), i64::from(profile.tokens.to()));
    let asked = key.named("tokens").stream().within(from, to) as usize;
    let mut program = policy::kernel(profile, &features, asked, key);
    let mut report = repair(&mut program, &features);
    policy::make_volatile(&mut program, &features, key.named("volatile"));
    policy::merge(&mut program, &features, key.named("merge"));
    report.know_merged(&program);
    let form = (profile.target, profile.self_check);
    Ok(Kernel::new(program, report, asked, origin(seed, profile, None), form))
}

/// The place of everything that a seed decides in a mode.
pub(crate) fn root(seed: u64, profile: &Profile) -> SeedKey {
    SeedKey::root(seed).named(profile.mode.name())
}

pub(crate) fn features(seed: u64, profile: &Profile) -> Features {
    let key = root(seed, profile).named("features");
    Features::new(profile, key)
}

/// The command that makes a kernel, or a variant of it, and the format.
pub(crate) fn origin(seed: u64, profile: &Profile, variant: Option<usize>) -> String {
    let mut text = format!(
        "clreduce generate --target {} --mode {} --seed {seed} --tokens {}{}",
        profile.target.name(),
        profile.mode.name(),
        profile.tokens,
        profile.avoid,
    );
    if profile.doubles {
        text += " --doubles";
    }
    if profile.sub_groups {
        text += " --sub-groups";
    }
    if profile.self_check {
        text += " --self-check";
    }
    if let Some(number) = variant {
        let edits = match profile.edits {
            Edits::All => String::new(),
            edits => format!(" --emi-edits {}", edits.name()),
        };
        text += &format!(" --emi {number}{edits}");
    }
    // PTX has changed twice since.
    let format = FORMAT + if profile.target == Target::Ptx { 2 } else { 0 };
    text + &format!(", format {format}")
}
