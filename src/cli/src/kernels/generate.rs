//! `clreduce generate` writes random kernels that come with their right results.

use std::fs;
use std::io;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ValueHint, value_parser};
use clreduce_generator::{
    Avoid, Edits, Kernel, Mode, Profile, Target, TokenRange, VARIANTS, variants,
};
use clreduce_process::in_parallel;

use crate::failure::{CliError, UsageError};
use crate::files::target::on_disk;
use crate::kernels::expected;
use crate::settings::resolve::default_jobs;
use crate::terminal::units;

/// The arguments of `clreduce generate`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct GenerateArgs {
    /// Language: opencl-1.2, opencl-2, opencl-3, cuda, ptx, c++ or c
    ///
    /// Kernels for opencl-2 and opencl-3 are built with -cl-std=CL2.0 or -cl-std=CL3.0: `clreduce run` takes it after `--`. Kernels
    /// for cuda are for NVRTC, nvcc and clang, from C++11 on. Those for ptx are for ptxas of CUDA 11.7 and later, and for devices of
    /// compute capability 8.0, most of them of 7.0; floating-point numbers are only within instructions whose result is exact. Programs
    /// in c++ and c are for gcc and clang, from C++11 and C11 on; they need -lm.
    #[arg(long, value_name = "LANGUAGE", default_value = "opencl-1.2", value_parser = targets(), hide_possible_values = true)]
    pub target: Target,

    #[command(flatten)]
    pub profile: ProfileArgs,

    /// Number that decides everything else
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,

    /// Generate N kernels, for S and the numbers after it; needs --out
    #[arg(long, value_name = "N", default_value = "1")]
    pub count: NonZeroU32,

    /// Generate N kernels at a time; the kernels do not depend on it [default: the number of cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = units::parse_count)]
    pub jobs: Option<NonZeroUsize>,

    /// Let each kernel compare its results with the right ones, and print what differs
    ///
    /// For cuda, c++ and c, the file is a whole program. It prints its results, and ends with 1 if they are wrong.
    #[arg(long)]
    pub self_check: bool,

    /// Generate also N variants of each kernel that have the same right results; 40 at most
    ///
    /// Variants have branches that are never taken, or always, and the compiler cannot know that. With --out, they are
    /// MODE-SEED-emi-1.cl to MODE-SEED-emi-N.cl; fewer where others would be equal to one of them. Without --out, variant N
    /// alone goes to standard output.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=VARIANTS as i64))]
    pub emi: Option<u32>,

    /// Edits of variants: dead (blocks that are never executed), guards (branches that are always taken), or all
    #[arg(long, value_name = "KIND", default_value = "all", value_parser = edits(), requires = "emi", hide_possible_values = true)]
    pub emi_edits: Edits,

    /// Write MODE-SEED.cl (.cu, .cpp, .c) and MODE-SEED.expected into this folder [default: the kernel on standard output]
    #[arg(long, value_name = "DIR", value_parser = on_disk(), value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
}

/// The options that say what kernels are made of.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ProfileArgs {
    /// Kind of kernels: one of the modes of CLsmith, or free, which has everything; for c++ and c, basic or vector [default: free, and
    /// vector for c++ and c]
    #[arg(long, value_name = "MODE", value_parser = modes())]
    pub mode: Option<Mode>,

    /// Generate kernels with A to B tokens
    #[arg(long, value_name = "A..B", default_value_t = TokenRange::default(), allow_hyphen_values = true)]
    pub tokens: TokenRange,

    /// Leave out these features, as in mad_sat.long,vec3,barrier
    ///
    /// A feature is the name of a built-in function, an operator, a statement or a type, or several of them joined by
    /// points. A wrong name lists all names.
    #[arg(long, value_name = "LIST", default_value = "", hide_default_value = true)]
    pub avoid: Avoid,

    /// Also use `double`, which some devices lack
    #[arg(long)]
    pub doubles: bool,

    /// Also use functions of sub-groups of 32 work-items; needs --target opencl-3
    ///
    /// Few devices have them. The kernels ask for the size by intel_reqd_sub_group_size.
    #[arg(long)]
    pub sub_groups: bool,
}

impl ProfileArgs {
    /// The profile, for kernels that do not compare their results.
    pub(crate) fn profile(&self, target: Target) -> Profile {
        Profile {
            target,
            mode: self.mode.unwrap_or(if target.is_program() { Mode::Vector } else { Mode::Free }),
            tokens: self.tokens.clone(),
            avoid: self.avoid.clone(),
            doubles: self.doubles,
            sub_groups: self.sub_groups,
            ..Profile::default()
        }
    }
}

const HELP: &str = "\
Each kernel is valid: it has no undefined behaviour, no race, and it ends. Its right results are in the file with the \
ending `.expected`, as `clreduce run` and the hosts of CLsmith print them. `clreduce run` compares.

A kernel for opencl-2 or opencl-3 needs the option for its version wherever it is built: `clreduce run k.cl -- -cl-std=CL2.0`.

Examples:
  clreduce generate --mode vector --seed 7
  clreduce generate --count 1000 --out kernels
  clreduce generate --mode barrier --avoid mad_sat,vec3 --tokens 300..800 --count 100 --out kernels
  clreduce generate --mode all --emi 40 --count 20 --out kernels
  clreduce generate --target cuda --self-check --seed 7 > k.cu && nvcc -o k k.cu && ./k
  for k in kernels/*.cl; do clreduce run $k --device-name oclgrind > log || echo $k; done

Exit status:
  0  the kernels were written
  1  a file cannot be written
  2  the command line is wrong";

fn modes() -> impl TypedValueParser<Value = Mode> {
    let names = PossibleValuesParser::new(Mode::ALL.map(Mode::name));
    names.map(|name| Mode::ALL.into_iter().find(|mode| mode.name() == name).unwrap_or(Mode::Free))
}

pub(crate) fn targets() -> impl TypedValueParser<Value = Target> {
    let names = PossibleValuesParser::new(Target::ALL.map(Target::name));
    names.map(|name| {
        let target = Target::ALL.into_iter().find(|target| target.name() == name);
        target.unwrap_or(Target::OpenCl12)
    })
}

fn edits() -> impl TypedValueParser<Value = Edits> {
    let names = PossibleValuesParser::new(Edits::ALL.map(Edits::name));
    names.map(|name| {
        let edits = Edits::ALL.into_iter().find(|edits| edits.name() == name);
        edits.unwrap_or_default()
    })
}

/// Generates kernels.
///
/// # Errors
/// When the options do not fit together, or a kernel cannot be written.
pub(crate) fn generate(args: &GenerateArgs) -> Result<ExitCode, CliError> {
    let profile = Profile {
        self_check: args.self_check,
        edits: args.emi_edits,
        ..args.profile.profile(args.target)
    };
    let made = |seed| clreduce_generator::generate(seed, &profile).map_err(UsageError::from);
    let Some(folder) = &args.out else {
        if args.count.get() > 1 {
            return Err(UsageError::ManyKernels.into());
        }
        let kernel = match args.emi {
            None => made(args.seed)?,
            Some(number) => last_variant(args.seed, &profile, number)?,
        };
        crate::terminal::printing::data(kernel.source.as_bytes()).map_err(CliError::Stdout)?;
        return Ok(ExitCode::SUCCESS);
    };
    profile.check().map_err(UsageError::from)?;
    if args.emi.is_some() {
        profile.check_variants().map_err(UsageError::from)?;
    }
    let write_error = |path: &Path, source| CliError::Write { path: path.to_owned(), source };
    fs::create_dir_all(folder).map_err(|error| write_error(folder, error))?;
    let jobs = args.jobs.unwrap_or_else(default_jobs).get();
    let next = AtomicU64::new(0);
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= args.count.get().into() {
                return Ok(());
            }
            let seed = args.seed.wrapping_add(index);
            let write = |kernel: &Kernel, name: &str| {
                let ending = profile.target.extension();
                let path = folder.join(format!("{}-{seed}{name}.{ending}", profile.mode.name()));
                write(&path, kernel).map_err(|error| write_error(&path, error))
            };
            let Some(count) = args.emi else {
                write(&made(seed)?, "")?;
                continue;
            };
            let family = variants(seed, &profile).map_err(UsageError::from)?;
            write(family.base(), "")?;
            // The number comes first: at its end, no further variant is made.
            for (number, variant) in (1..=count).zip(family) {
                write(&variant, &format!("-emi-{number}"))?;
            }
        }
    };
    in_parallel(0..jobs, jobs, |_, _| work()).into_iter().collect::<Result<(), CliError>>()?;
    Ok(ExitCode::SUCCESS)
}

/// The variant of a kernel with a number.
fn last_variant(seed: u64, profile: &Profile, number: u32) -> Result<Kernel, UsageError> {
    let mut made = 0;
    let mut family = variants(seed, profile)?.inspect(|_| made += 1);
    match family.nth(number as usize - 1) {
        Some(kernel) => Ok(kernel),
        None => Err(UsageError::NoVariant { seed, made }),
    }
}

fn write(path: &Path, kernel: &Kernel) -> io::Result<()> {
    fs::write(path, &kernel.source)?;
    fs::write(expected::beside(path), kernel.expected_text())
}
