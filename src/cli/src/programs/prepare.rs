//! `clreduce prepare` turns a kernel into one file with as few work-items as its bug needs, so that later tests are
//! faster.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::ValueHint;
use clreduce_check::{CheckOptions, needs_preprocessing, preprocess};
use clreduce_engine::{PassChoice, Reduction, SandboxOptions};
use clreduce_interestingness::{Cancel, CommandOptions, CommandTest, Interestingness, Verdict};
use clreduce_testcase::{Feature, Language, Size, TestCase};

use crate::failure::{CliError, KernelError};
use crate::files::load::{ORIGINAL, beside};
use crate::files::target::on_disk;
use crate::judge::recipe;
use crate::settings::sandbox;
use crate::settings::test::{Test, on_files, test_named};
use crate::setup::init;
use crate::terminal::interrupt;
use crate::terminal::units::{show_bytes, show_count};

/// The pass that lowers the number of work-items.
const NDRANGE: &str = "ndrange";

/// The arguments of `clreduce prepare`.
#[derive(Debug, clap::Args)]
pub(crate) struct PrepareArgs {
    /// Kernel to prepare in place; the original is kept as KERNEL.orig
    #[arg(value_name = "KERNEL", value_hint = ValueHint::FilePath)]
    pub kernel: PathBuf,

    /// Test that the result must pass: a recipe, a program or a shell command [default: the bug that
    /// `clreduce init` finds]
    #[arg(long, short = 't', value_name = "TEST", value_hint = ValueHint::CommandString,
        allow_hyphen_values = true)]
    pub test: Option<String>,

    /// Write to PATH and leave KERNEL alone
    #[arg(long, short = 'o', value_name = "PATH", value_parser = on_disk(), value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,

    /// Options for every build of the kernel, such as -DN=4
    #[arg(last = true, value_name = "BUILD OPTIONS", allow_hyphen_values = true)]
    pub build_options: Vec<String>,

    #[command(flatten)]
    pub sandbox: SandboxOptions,
}

/// Prepares a kernel.
///
/// # Errors
/// When it does not show a bug, or cannot be read or written.
pub(crate) fn prepare(args: &PrepareArgs) -> Result<ExitCode, CliError> {
    let cancel = interrupt::on_interrupt()?;
    let source = init::read(&args.kernel)?;
    let original = init::single(&args.kernel, source)?;
    let test = test(args, &original, &cancel)?;
    let failed = |source| CliError::Kernel { path: args.kernel.clone(), source };
    let outcome = test.judge(&original, &cancel).map_err(|not_run| failed(not_run.into()))?;
    if outcome.verdict != Verdict::Interesting {
        return Err(failed(KernelError::NotAccepted));
    }
    let mut case = original.clone();
    // A bug that does not survive the preprocessor with all work-items may do so with fewer.
    loop {
        let before = case.clone();
        case = one_file(args, &before, &*test, &cancel)?;
        if case.language().has_all(&[Feature::OpenClWords, Feature::CheckedKernels]) {
            case = fewer_work_items(case, Arc::clone(&test), &cancel)?;
        }
        if case == before || cancel.is_cancelled() {
            break;
        }
    }
    if cancel.is_cancelled() {
        return Ok(ExitCode::from(interrupt::INTERRUPTED));
    }
    write(args, &original, &case)?;
    Ok(ExitCode::SUCCESS)
}

fn test(
    args: &PrepareArgs,
    original: &TestCase,
    cancel: &Cancel,
) -> Result<Arc<dyn Interestingness>, CliError> {
    let options = recipe::options(cancel);
    Ok(match args.test.as_deref().map(test_named).transpose()? {
        Some(Test::Recipe(recipe, _)) => Arc::new(recipe.options(options).calibrate(original)?),
        Some(Test::Command(command)) => {
            let options = CommandOptions {
                worker: options.worker,
                confinement: options.confinement,
                ..CommandOptions::default()
            };
            let command = on_files(&command, std::slice::from_ref(&args.kernel))?;
            Arc::new(CommandTest::new(&command, options)?)
        }
        None => {
            let build_options = args.build_options.join(" ");
            let found = init::find(&args.kernel, original, None, &build_options, &[], &options)?;
            Arc::new(found.recipe.calibrate(original)?)
        }
    })
}

/// Preprocessed, where that changes nothing.
fn one_file(
    args: &PrepareArgs,
    original: &TestCase,
    test: &dyn Interestingness,
    cancel: &Cancel,
) -> Result<TestCase, CliError> {
    let source = &original.files()[0].bytes;
    if !needs_preprocessing(source) {
        return Ok(original.clone());
    }
    let failed = |source| CliError::Kernel { path: args.kernel.clone(), source };
    let options = CheckOptions {
        build_options: args.build_options.clone(),
        worker: std::env::current_exe().ok(),
        confinement: sandbox::confinement(),
        ..CheckOptions::default()
    };
    let folder = args.kernel.parent().unwrap_or(Path::new(""));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let language = original.language();
    let text = preprocess(source, folder, language, &options, cancel);
    let text = text.map_err(|error| failed(error.into()))?;
    let case = init::single(&args.kernel, text)?;
    let outcome = test.judge(&case, cancel).map_err(|not_run| failed(not_run.into()))?;
    if outcome.verdict == Verdict::Interesting {
        let (before, after) = (original.total_bytes(), case.total_bytes());
        say(&format!("preprocessed: {} -> {}", show_bytes(before), show_bytes(after)))?;
        return Ok(case);
    }
    say(&format!("not preprocessed, because that changes the outcome: {}", outcome.reason))?;
    Ok(original.clone())
}

fn fewer_work_items(
    case: TestCase,
    test: Arc<dyn Interestingness>,
    cancel: &Cancel,
) -> Result<TestCase, CliError> {
    let before = Size::of(&case).work_items;
    let passes = PassChoice { only: vec![NDRANGE.to_owned()], ..PassChoice::default() };
    let reduced = Reduction::of(case)
        .shared_test(test)
        .language(Language::OPENCL)
        .passes(passes)
        .jobs(NonZeroUsize::MIN)
        .cancel(cancel.clone())
        .run()
        .map_err(CliError::Reduction)?;
    let after = reduced.size.work_items;
    if after == before {
        return Ok(reduced.case);
    }
    say(&format!("work-items: {} -> {}", show_count(before), show_count(after)))?;
    Ok(reduced.case)
}

fn write(args: &PrepareArgs, original: &TestCase, case: &TestCase) -> Result<(), CliError> {
    let path = args.output.as_ref().unwrap_or(&args.kernel);
    let failed = |source| CliError::Write { path: path.clone(), source };
    if args.output.is_none() && case == original {
        return say("nothing to prepare: the kernel is one file and needs all its work-items");
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let scratch = folder.unwrap_or(Path::new("."));
    if args.output.is_none() {
        let copy = beside(path, ORIGINAL);
        clreduce_files::create(&copy, &original.files()[0].bytes, scratch, path).map_err(failed)?;
    }
    clreduce_files::replace(path, &case.files()[0].bytes, scratch).map_err(failed)?;
    say(&format!("written: {}", path.display()))
}

fn say(line: &str) -> Result<(), CliError> {
    writeln!(crate::terminal::printing::out(), "{line}").map_err(CliError::Stdout)
}
