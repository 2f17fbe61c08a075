//! `clreduce init KERNEL` runs a kernel on all devices, and writes a test for the bug that it shows beside the kernel.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clreduce_check::{CheckOptions, CheckReport, FindingKind, KernelCheck, Validity};
use clreduce_kernel::{Output, ProgramKind, describe, read_description};
use clreduce_recipe::{
    ConfigurationResult, DeviceComparison, Recipe, RecipeError, RecipeOptions, RecipeTest,
    SuspectedBug, SuspicionBasis,
};
use clreduce_testcase::TestCase;

use super::InitArgs;
use crate::failure::{CliError, InitError};
use crate::judge::recipe;
use crate::kernels::blind_spots;
use crate::kernels::check::other_arguments;
use crate::kernels::expected;
use crate::kernels::launches::{LaunchArgs, description_beside};
use crate::settings::sandbox;
use crate::setup::init::page;
use crate::setup::init::script::{self, Script, ScriptLanguage};
use crate::terminal::clock::Clock;
use crate::terminal::interrupt;
use crate::terminal::printing::{error_line, warning_line};
use crate::terminal::quoting::quoted;

/// A bug that was found, and the recipe for it.
pub(crate) struct KernelBug {
    /// The results of all configurations.
    pub comparison: DeviceComparison,
    /// The bug to reduce.
    pub bug: SuspectedBug,
    pub recipe: Recipe,
    /// Description of the arguments, where there is one.
    pub arguments: Option<PathBuf>,
}

/// Writes the test.
///
/// # Errors
/// When no bug is found, the kernel cannot be used, or the test cannot be written.
pub(super) fn init(args: &InitArgs) -> Result<ExitCode, CliError> {
    let cancel = interrupt::on_interrupt()?;
    let clock = Clock::start();
    let options = RecipeOptions { progress: clock.progress(), ..recipe::options_alone(&cancel) };
    let kernel = args.inputs.first().ok_or(InitError::NoInput)?;
    let case = single(kernel, read(kernel)?)?.in_language(args.lang);
    let build_options = args.words.join(" ");
    let path = kernel.with_extension(args.script.map_or("toml", ScriptLanguage::extension));
    if path.exists() {
        return Err(InitError::Exists(path).into());
    }
    let accuse = args.accuse.as_deref();
    let found = find(kernel, &case, accuse, &build_options, &args.allow_unchecked, &options)?;
    let test = found.recipe.calibrate(&case);
    drop(clock);
    if test.as_ref().is_err_and(RecipeError::is_not_shown) {
        // It showed once, and the advice is about the recipe.
        let recipe = kernel.with_extension("toml");
        let written = script::create(&recipe, found.recipe.text(), false);
        written.map_err(|source| CliError::Write { path: recipe, source })?;
    }
    let test = test?;
    print(&found, &test).map_err(CliError::Stdout)?;
    page::of_devices(args, &found.bug, &found.comparison.configurations)?;
    let text = match args.script {
        None => found.recipe.text().to_owned(),
        Some(kind) => script::write(kind, &script_of(kernel, &found, &test, &build_options)),
    };
    let written = script::create(&path, &text, args.script.is_some());
    written.map_err(|source| CliError::Write { path: path.clone(), source })?;
    let mut out = crate::terminal::printing::out();
    let _ = writeln!(
        out,
        "\nwritten: {path}\nreduce:  clreduce {kernel} --test {path}{lang}",
        path = named(&path),
        lang = args.lang.map_or_else(String::new, |lang| format!(" --lang {lang}")),
        kernel = kernel.display()
    );
    Ok(ExitCode::SUCCESS)
}

/// Runs a kernel on all devices, and finds the bug.
///
/// # Errors
/// When no bug is found, or the arguments of the kernel cannot be determined.
pub(crate) fn find(
    kernel: &Path,
    case: &TestCase,
    accuse: Option<&str>,
    build_options: &str,
    allow_unchecked: &[FindingKind],
    options: &RecipeOptions,
) -> Result<KernelBug, CliError> {
    let unusable = |source| CliError::Kernel { path: kernel.to_owned(), source };
    let arguments = description_beside(kernel).map_err(|error| unusable(error.into()))?;
    let described = arguments.as_deref().map(read_description).transpose();
    let described = described.map_err(|error| unusable(error.into()))?;
    let is_fitted = described.is_none();
    let described = described.or_else(|| fitted(kernel, case, build_options, options));
    let right = expected::read(kernel)?;
    let is_right =
        right.map(|text| move |outputs: &[Output]| expected::difference(&text, outputs).is_none());
    let comparison = DeviceComparison::of(
        ProgramKind::of_case(case),
        &case.files()[0].bytes,
        described.as_deref(),
        build_options,
        is_right.as_ref().map(|is_right| is_right as _),
        options,
    )
    .map_err(|source| InitError::Plan { path: kernel.to_owned(), source })?;
    for problem in &comparison.problems {
        warning_line(problem);
    }
    if comparison.configurations.is_empty() {
        let advice = blind_spots::no_device(ProgramKind::of_case(case));
        return Err(InitError::NoDevice { kernel: kernel.to_owned(), advice }.into());
    }
    let bugs = comparison.bugs();
    let bug = match (bugs.first(), accuse) {
        (None, _) => {
            error_line(table(&comparison).trim_end_matches('\n'));
            let mut found = nothing_wrong(&comparison);
            if let Some(&failing) = comparison.failing_and_agreeing().0.first() {
                found.push_str(&what_to_do(failing, kernel, case, build_options, options));
            }
            return Err(InitError::NothingWrong { kernel: kernel.to_owned(), found }.into());
        }
        (Some(first), None) => *first,
        (Some(_), Some(wanted)) => bug_of(&comparison, &bugs, wanted)?,
    };
    let arguments = match described.filter(|_| is_fitted) {
        Some(text) => Some(write_arguments(kernel, &text)?),
        None => arguments,
    };
    let file_name =
        |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let beside = arguments.as_deref().map(file_name).map(PathBuf::from);
    let name = file_name(kernel);
    let text = comparison.recipe(&name, bug, beside.as_deref(), build_options, allow_unchecked);
    let path = kernel.with_extension("toml");
    let recipe = Recipe::parse(&path, text)?.options(options.clone());
    Ok(KernelBug { comparison, bug, recipe, arguments })
}

/// The bug of the configuration that the user accuses.
fn bug_of(
    comparison: &DeviceComparison,
    bugs: &[SuspectedBug],
    wanted: &str,
) -> Result<SuspectedBug, InitError> {
    let name = |bug: &SuspectedBug| comparison.configurations[bug.configuration].name();
    let found = bugs.iter().find(|bug| name(bug) == wanted);
    let names = || bugs.iter().map(name).collect::<Vec<_>>().join(", ");
    found.copied().ok_or_else(|| InitError::NotWrong(wanted.to_owned(), names()))
}

/// Writes the arguments that clreduce has chosen beside a kernel.
fn write_arguments(kernel: &Path, text: &str) -> Result<PathBuf, CliError> {
    let path = kernel.with_extension("args.toml");
    let written = script::create(&path, text, false);
    written.map_err(|source| CliError::Write { path: path.clone(), source })?;
    error_line(&format!(
        "note: written: {}, with the arguments that clreduce has chosen",
        path.display()
    ));
    Ok(path)
}

/// Says what the configurations of a comparison without a bug have in common, and what to do next.
fn nothing_wrong(comparison: &DeviceComparison) -> String {
    let all = comparison.configurations.len();
    let (failing, agreeing) = comparison.failing_and_agreeing();
    let mut text = match failing.len() {
        0 if agreeing == all => format!("all {all} configurations agree on its result"),
        0 => format!("{agreeing} of {all} configurations agree on its result"),
        failing => {
            format!("{failing} of {all} configurations fail, and {agreeing} agree on its result")
        }
    };
    if let Some(name) = comparison.named_like_builtin.as_ref().filter(|_| !failing.is_empty()) {
        text.push_str(&format!(
            "\nnote: the kernel is named like the built-in function `{name}`, and some drivers do not run such a kernel; \
             rename it"
        ));
    }
    if failing.is_empty() {
        text.push_str(if agreeing == all {
            "\nhelp: the bug may need another device (`clreduce devices` lists them) or options of a build, as in: \
             clreduce init kernel.cl -- -DN=4"
        } else {
            "\nhelp: a wrong result is only found if the majority of at least three configurations agrees on another \
             one; `clreduce devices` lists the devices"
        });
    }
    text
}

/// Says what to do about a configuration that fails: if the kernel is valid, its failure may be the bug.
fn what_to_do(
    failing: &ConfigurationResult,
    kernel: &Path,
    case: &TestCase,
    build_options: &str,
    options: &RecipeOptions,
) -> String {
    let name = kernel.display().to_string();
    if let Some(report) = checked(kernel, case, build_options, options)
        && let Some(finding) = report.findings.iter().find(|finding| finding.is_certain())
    {
        let separator = if finding.line.is_some() { ":" } else { ": " };
        let (why, help) = match report.validity {
            Validity::InvalidWithChosenArguments => (
                "the kernel is not valid with these arguments, which clreduce has chosen",
                other_arguments(kernel),
            ),
            _ => (
                "the kernel is not valid, so a failure is no bug",
                format!(
                    "help: mend the kernel; `clreduce check {}` says what is wrong",
                    quoted(&name)
                ),
            ),
        };
        return format!("\nnote: {why}:\n    {name}{separator}{finding}\n{help}");
    }
    let device = quoted(&failing.device);
    let no_opt = if failing.options.is_empty() { "" } else { " --no-opt" };
    let details = failing.outcome.details();
    let message = regex::escape(details.lines().next().unwrap_or_default());
    let test = format!("clreduce run {{file}} --device-name {device}{no_opt}");
    format!(
        "\nhelp: if that failure is the bug, let its message be the test:\n    clreduce {kernel} --test {test} \
         --interesting-stderr {message}",
        test = quoted(&test),
        message = quoted(&message),
        kernel = quoted(&name)
    )
}

/// Checks a kernel that fails on a device; `None` where it cannot be checked.
fn checked(
    kernel: &Path,
    case: &TestCase,
    build_options: &str,
    options: &RecipeOptions,
) -> Option<CheckReport> {
    let checks = checks(build_options, options)?;
    let source = &case.files()[0].bytes;
    let kind = ProgramKind::of_case(case);
    let planned =
        LaunchArgs::default().planned(kernel, kind, source, &checks, &options.cancel).ok()?;
    let subject = planned.subject(source).ok()?;
    Some(KernelCheck::new(&checks).ok()?.run(&subject, &options.cancel))
}

/// The options of a check with these options of a build, if they can be split into words.
fn checks(build_options: &str, options: &RecipeOptions) -> Option<CheckOptions> {
    Some(CheckOptions {
        build_options: shlex::split(build_options)?,
        side_by_side: true,
        worker: std::env::current_exe().ok(),
        confinement: sandbox::confinement(),
        progress: options.progress.clone(),
        ..CheckOptions::default()
    })
}

/// The description of arguments that fit a kernel, where those that every kernel gets do not.
fn fitted(
    kernel: &Path,
    case: &TestCase,
    build_options: &str,
    options: &RecipeOptions,
) -> Option<String> {
    let checks = checks(build_options, options)?;
    let source = &case.files()[0].bytes;
    let kind = ProgramKind::of_case(case);
    let planned =
        LaunchArgs::default().planned(kernel, kind, source, &checks, &options.cancel).ok()?;
    if !planned.is_fitted {
        return None;
    }
    let launches = planned.plan.as_ref().ok()?.launches.clone();
    let kernels = planned.subject(source).ok()?.kernels;
    let text = describe(&launches, &kernels)?;
    Some(format!("# Chosen by `clreduce init`; change what is meant otherwise.\n{text}"))
}

/// Reads a kernel.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn read(kernel: &Path) -> Result<Vec<u8>, CliError> {
    fs::read(kernel)
        .map_err(|error| CliError::Kernel { path: kernel.to_owned(), source: error.into() })
}

/// A kernel as a test case.
///
/// # Errors
/// When its name is not a valid path of a test case.
pub(crate) fn single(kernel: &Path, source: Vec<u8>) -> Result<TestCase, CliError> {
    let name = kernel.file_name().and_then(OsStr::to_str).unwrap_or_default();
    TestCase::single(name, source).map_err(|error| CliError::Load(error.into()))
}

fn print(found: &KernelBug, test: &RecipeTest) -> io::Result<()> {
    let mut out = crate::terminal::printing::out();
    out.write_all(table(&found.comparison).as_bytes())?;
    let accused = found.comparison.configurations[found.bug.configuration].name();
    let kind = found.bug.preset.name();
    let basis = match found.bug.basis {
        SuspicionBasis::Majority => "",
        SuspicionBasis::Known => " (its result is not the one in the file KERNEL.expected)",
        SuspicionBasis::Two => {
            " (uncertain: only two configurations agree, and three are needed for a majority)"
        }
        SuspicionBasis::Guess => {
            " (a guess: no other configuration has a result, and this one optimises)"
        }
    };
    writeln!(out, "\n{kind}: {accused}{basis}")?;
    for other in found.comparison.bugs().iter().filter(|other| **other != found.bug) {
        let name = found.comparison.configurations[other.configuration].name();
        writeln!(
            out,
            "also {}: {name} (to blame it instead: --accuse '{name}')",
            other.preset.name()
        )?;
    }
    for warning in test.warnings() {
        warning_line(warning);
    }
    Ok(())
}

/// A table of all configurations with their results.
fn table(comparison: &DeviceComparison) -> String {
    let width =
        comparison.configurations.iter().map(|seen| seen.name().len()).max().unwrap_or_default();
    let line = |seen: &ConfigurationResult| {
        let finding = page::finding(seen);
        format!("{:<width$}  {finding:<11}  {}\n", seen.name(), seen.describe())
    };
    comparison.configurations.iter().map(line).collect()
}

/// Describes the script for a bug.
fn script_of(kernel: &Path, found: &KernelBug, test: &RecipeTest, build_options: &str) -> Script {
    let pin = &test.calibration().pin;
    let run = |index: usize| {
        let seen = &found.comparison.configurations[index];
        let mut words = vec!["--device-name".to_owned(), seen.device.clone()];
        words.extend((!seen.options.is_empty()).then(|| "--no-opt".to_owned()));
        words
    };
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    Script {
        kernel: kernel.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        about: found
            .recipe
            .text()
            .lines()
            .take_while(|line| line.starts_with('#'))
            .map(str::to_owned)
            .collect(),
        checks: test.checks().map(|name| name.name().to_owned()).collect(),
        not_portable: !test.calibration().tolerated.warnings.is_empty(),
        class: pin.class,
        words: pin.signature.clone(),
        accused: run(found.bug.configuration),
        witnesses: found.comparison.witnesses(found.bug).into_iter().map(run).collect(),
        arguments: found.arguments.as_ref().map(absolute),
        build_options: build_options.to_owned(),
    }
}

/// The path as a command line takes it: a script is run as a program.
fn named(path: &Path) -> String {
    let bare = path.parent().is_none_or(|parent| parent.as_os_str().is_empty());
    let is_script = path.extension().is_some_and(|extension| extension != "toml");
    if bare && is_script { format!("./{}", path.display()) } else { path.display().to_string() }
}
