//! `clreduce normalize` gives programs their normal form: without macros and comments, with names by role, laid out.

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueHint;
use clreduce_check::{CheckOptions, compiles, preprocess};
use clreduce_engine::SandboxOptions;
use clreduce_interestingness::Cancel;
use clreduce_passes::{normalized, single_kernels};
use clreduce_process::in_parallel;
use clreduce_testcase::{ContentHash, Feature, Language, TestCase};

use crate::failure::{CliError, KernelError, UsageError};
use crate::files::load::{NamedFile, files_below};
use crate::files::target::on_disk;
use crate::settings::resolve::default_jobs;
use crate::settings::sandbox;
use crate::terminal::clock::Clock;
use crate::terminal::interrupt;
use crate::terminal::printing::{error_line, printable};
use crate::terminal::units::{self, show_count};

/// Programs whose results are in memory at the same time.
const TOGETHER: usize = 64;
/// Endings of the programs of a folder.
const ENDINGS: [&str; 4] = [".cl", ".ocl", ".opencl", ".cu"];

/// The arguments of `clreduce normalize`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct NormalizeArgs {
    /// Program, or a folder: the files in it and below it that end in .cl, .ocl, .opencl or .cu
    #[arg(value_name = "FILE|DIR", required = true, value_hint = ValueHint::AnyPath)]
    pub inputs: Vec<PathBuf>,

    /// Write the results into this folder, by their names, or by their paths in DIR [default: the result on standard output]
    #[arg(long, value_name = "DIR", value_parser = on_disk(), value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,

    /// Write each kernel with what it needs into a file of its own, NAME-1.cl and so on, and equal ones once; needs --out
    #[arg(long)]
    pub kernels: bool,

    /// Leave out what clang does not accept, instead of failing
    #[arg(long)]
    pub compilable: bool,

    /// Work on N programs at a time [default: the number of cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = units::parse_count)]
    pub jobs: Option<NonZeroUsize>,

    /// Use this clang [default: the newest that has sanitizers]
    #[arg(long, value_name = "CLANG", value_hint = ValueHint::CommandName)]
    pub clang: Option<PathBuf>,

    /// Options for compiling the programs, such as -DN=4 or -I DIR
    #[arg(last = true, value_name = "BUILD OPTIONS", allow_hyphen_values = true)]
    pub build_options: Vec<String>,

    #[command(flatten)]
    pub sandbox: SandboxOptions,
}

const HELP: &str = "\
The normal form has no macros, and no comments except a launch comment: clang preprocesses the program. Functions are called A, B, .., \
variables a, b, .., types Ta, Tb, .., members Ma, .., labels La, .. and constants Ea, .., each in the order of declarations. The \
kernel `entry`, `main` and names that only the language declares stay. The normal form of a normal form is the same text. Programs \
in CUDA keep their macros, and programs in C++ their macros and names.

Examples:
  clreduce normalize kernel.cl
  clreduce normalize corpus --kernels --compilable --out kernels
  clreduce normalize a.cl b.cl --out normal -- -DN=4 -I include

Exit status:
  0  every program was normalised, or left out because of --compilable
  1  a program cannot be preprocessed, read or written
  2  the command line is wrong";

/// The outcome for one program.
enum NormalizeResult {
    /// The names and texts of the results.
    Normal(Vec<(String, Vec<u8>)>),
    /// clang does not accept it.
    LeftOut,
    Failed(KernelError),
}

/// The number of results and of programs that have none.
#[derive(Default)]
struct NormalizeCounts {
    written: usize,
    equal: usize,
    left_out: usize,
    failed: usize,
}

/// Normalises programs.
///
/// # Errors
/// When the options do not fit together, or a folder cannot be read or written.
pub(crate) fn normalize(args: &NormalizeArgs) -> Result<ExitCode, CliError> {
    let cancel = interrupt::on_interrupt()?;
    let files = files(&args.inputs)?;
    if args.out.is_none() && (args.kernels || files.len() != 1) {
        return Err(UsageError::ManyPrograms.into());
    }
    let clock = Clock::start();
    let options = CheckOptions {
        build_options: args.build_options.iter().map(|option| absolute(option)).collect(),
        clang: args.clang.clone(),
        worker: std::env::current_exe().ok(),
        confinement: sandbox::confinement(),
        ..CheckOptions::default()
    };
    let jobs = args.jobs.unwrap_or_else(default_jobs).get();
    let (mut tally, mut known) = (NormalizeCounts::default(), BTreeSet::new());
    for (round, some) in files.chunks(TOGETHER).enumerate() {
        let fates = in_parallel(some, jobs, |index, (name, path)| {
            let number = round * TOGETHER + index + 1;
            clock.progress().at(&format!("program {number} of {}", files.len()));
            fate(args, name, path, &options, &cancel)
        });
        if cancel.is_cancelled() {
            return Err(CliError::Interrupted);
        }
        for ((_, path), fate) in some.iter().zip(fates) {
            match fate {
                NormalizeResult::Normal(results) => {
                    for (name, text) in results {
                        if args.kernels && !known.insert(ContentHash::of(&text)) {
                            tally.equal += 1;
                            continue;
                        }
                        write(args.out.as_deref(), &name, &text)?;
                        tally.written += 1;
                    }
                }
                NormalizeResult::LeftOut => tally.left_out += 1,
                NormalizeResult::Failed(error) => {
                    let failure = CliError::Kernel { path: path.clone(), source: error };
                    error_line(&printable(&failure.message()));
                    tally.failed += 1;
                }
            }
        }
    }
    drop(clock);
    if args.out.is_some() {
        crate::terminal::printing::print(&tally.summary()).map_err(CliError::Stdout)?;
    }
    Ok(ExitCode::from(u8::from(tally.failed > 0)))
}

impl NormalizeCounts {
    fn summary(&self) -> String {
        let parts = [
            (self.equal, "equal to others"),
            (self.left_out, "left out: clang does not accept them"),
            (self.failed, "failed"),
        ];
        let mut text = format!("{} written", show_count(self.written as u64));
        for (count, what) in parts.into_iter().filter(|(count, _)| *count > 0) {
            text.push_str(&format!(", {} {what}", show_count(count as u64)));
        }
        text.push('\n');
        text
    }
}

/// The programs that are named, each with the name of its result.
fn files(inputs: &[PathBuf]) -> Result<Vec<NamedFile>, CliError> {
    let mut files = Vec::new();
    for input in inputs {
        if input.is_dir() {
            let below = files_below(input)?.into_iter();
            files.extend(below.filter(|(name, _)| ENDINGS.iter().any(|one| name.ends_with(one))));
        } else {
            let name = input.file_name().unwrap_or(input.as_os_str());
            files.push((name.to_string_lossy().into_owned(), input.clone()));
        }
    }
    let mut names = BTreeSet::new();
    match files.iter().find(|(name, _)| !names.insert(name)) {
        Some((name, _)) => Err(UsageError::SameResult(name.clone()).into()),
        None if files.is_empty() => Err(UsageError::NoPrograms(inputs[0].clone()).into()),
        None => Ok(files),
    }
}

/// The folder of `-I` from anywhere: clang runs in a folder of its own.
fn absolute(option: &str) -> String {
    let folder = option.strip_prefix("-I").filter(|folder| !folder.is_empty());
    let path =
        folder.map(Path::new).or_else(|| Some(Path::new(option)).filter(|path| path.is_dir()));
    match path.and_then(|path| std::path::absolute(path).ok()) {
        Some(path) if folder.is_some() => format!("-I{}", path.display()),
        Some(path) => path.display().to_string(),
        None => option.to_owned(),
    }
}

fn fate(
    args: &NormalizeArgs,
    name: &str,
    path: &Path,
    options: &CheckOptions,
    cancel: &Cancel,
) -> NormalizeResult {
    match results(args, name, path, options, cancel) {
        Ok(results) if results.is_empty() => NormalizeResult::LeftOut,
        Ok(results) => NormalizeResult::Normal(results),
        Err(KernelError::Preprocess(_)) if args.compilable => NormalizeResult::LeftOut,
        Err(error) => NormalizeResult::Failed(error),
    }
}

/// The normal forms of a program, or of its kernels.
fn results(
    args: &NormalizeArgs,
    name: &str,
    path: &Path,
    options: &CheckOptions,
    cancel: &Cancel,
) -> Result<Vec<(String, Vec<u8>)>, KernelError> {
    let source = fs::read(path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let plain = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let language = match plain.ends_with(".opencl") {
        true => Language::OPENCL,
        false => TestCase::single(&plain, &source[..])?.language(),
    };
    if language.grammar().is_none() {
        return Err(KernelError::NoLanguage);
    }
    let is_cuda = language.has(Feature::HostAndDevice);
    let source = match is_cuda {
        true => source,
        false => preprocess(&source, folder, language, options, cancel)?,
    };
    let texts = if args.kernels { single_kernels(&source, language)? } else { vec![source] };
    let mut results = Vec::new();
    for (number, text) in (1..).zip(texts) {
        let text = normalized(&text, language)?;
        if args.compilable && !is_cuda {
            match compiles(&text, folder, language, options, cancel) {
                Ok(()) => {}
                Err(clreduce_check::PreprocessError::Rejected(_)) => continue,
                Err(error) => return Err(error.into()),
            }
        }
        results.push((result_name(name, language, args.kernels.then_some(number)), text));
    }
    Ok(results)
}

/// The name of a result: kernels in OpenCL C end in `.cl`.
fn result_name(name: &str, language: Language, number: Option<usize>) -> String {
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_opencl = language.has_all(&[Feature::OpenClWords, Feature::Symbols]);
    let ending = if is_opencl { "cl" } else { ending };
    match number {
        Some(number) => format!("{stem}-{number}.{ending}"),
        None if ending.is_empty() => stem.to_owned(),
        None => format!("{stem}.{ending}"),
    }
}

fn write(out: Option<&Path>, name: &str, text: &[u8]) -> Result<(), CliError> {
    let Some(out) = out else {
        return crate::terminal::printing::data(text).map_err(CliError::Stdout);
    };
    let path = out.join(name);
    let written =
        fs::create_dir_all(path.parent().unwrap_or(out)).and_then(|()| fs::write(&path, text));
    written.map_err(|source| CliError::Write { path, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_results() {
        assert_eq!(result_name("a/b.opencl", Language::OPENCL, Some(2)), "a/b-2.cl");
        assert_eq!(result_name("b.cu", Language::CUDA, None), "b.cu");
        assert_eq!(result_name("b", Language::C, None), "b");
    }
}
