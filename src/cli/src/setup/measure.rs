//! `clreduce measure`: what a command takes, as a number that a test prints for `--measure`.

use std::process::{Command, ExitCode, Stdio};
#[cfg(unix)]
use std::{fs, io};

use clap::ValueEnum;
use clreduce_interestingness::{Cancel, Quantity};
use clreduce_process::{End, ToolRunner, quoted};
use clreduce_testcase::TestCase;
#[cfg(unix)]
use clreduce_tools::find_program;

use crate::failure::{CliError, MeasureError};
use crate::terminal::printing;

/// The arguments of `clreduce measure`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct MeasureArgs {
    /// The resource
    #[arg(value_name = "WHAT")]
    pub what: MeasuredResource,

    /// Command for the shell; its output goes to standard error
    #[arg(value_name = "COMMAND")]
    pub command: String,

    /// Another command: the number tells how many times as much the first one takes
    #[arg(value_name = "REFERENCE")]
    pub reference: Option<String>,
}

/// What a command takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MeasuredResource {
    /// Processor time of all its processes, in seconds
    Time,
    /// Peak memory of the largest of its processes, in MiB
    Memory,
    /// Instructions of all its processes, in millions, as perf counts them, or else valgrind, which takes fifty times as long
    Instructions,
}

const EXAMPLES: &str = "\
Examples:
  Reduce a program that gcc needs long for, compared with gcc without optimisation:
    clreduce x.c --measure --test 'clreduce measure time \"gcc -O2 -c x.c\" \"gcc -O0 -c x.c\"'

  A compiler whose time grows too fast:
    clreduce measure time 'gcc -DN=2000 -c x.c' 'gcc -DN=1000 -c x.c'";

/// A command that takes less time than this, in seconds, is run again, and the least time counts: other work only ever adds.
const SHORT: &str = "0.2";
const RUNS: usize = 3;

/// Measures, and prints the number.
///
/// # Errors
/// When a command fails, or this system does not tell what a command takes.
pub(crate) fn measure(args: &MeasureArgs) -> Result<ExitCode, CliError> {
    let number = match &args.reference {
        None => taken(args.what, &args.command)?,
        Some(reference) => {
            let [command, reference] =
                [&args.command, reference].map(|command| least(args.what, command));
            ratio(command?, reference?)
        }
    };
    printing::print(&format!("{number}\n")).map_err(CliError::Stdout)?;
    Ok(ExitCode::SUCCESS)
}

/// What a command takes, measured by a process of its own: the system tells the peak of the memory of all that ended before.
fn least(what: MeasuredResource, command: &str) -> Result<Quantity, MeasureError> {
    let short: Option<Quantity> =
        if what == MeasuredResource::Time { SHORT.parse().ok() } else { None };
    let mut least = measured_apart(what, command)?;
    for _ in 1..RUNS {
        if short.is_none_or(|short| least >= short) {
            break;
        }
        least = least.min(measured_apart(what, command)?);
    }
    Ok(least)
}

/// What `clreduce measure` says of a command, which fails as the command does.
///
/// # Errors
/// When it fails.
fn measured_apart(what: MeasuredResource, command: &str) -> Result<Quantity, MeasureError> {
    let failed = |source| MeasureError::Start { command: command.to_owned(), source };
    let exe = std::env::current_exe().map_err(failed)?;
    let mut child = Command::new(exe);
    child.args(["measure", what.name(), command]).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = child.output().map_err(failed)?;
    let number = Quantity::printed_last(&output.stdout).filter(|_| output.status.success());
    number.ok_or_else(|| MeasureError::Reported(command.to_owned()))
}

/// How many times as much the one is as the other.
fn ratio(command: Quantity, reference: Quantity) -> Quantity {
    // Nothing takes less than the least that is counted.
    let reference = reference.in_millionths().max(1);
    Quantity::millionths(1_000_000).part(command.in_millionths(), reference)
}

impl MeasuredResource {
    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Memory => "memory",
            Self::Instructions => "instructions",
        }
    }
}

/// Runs a command, and asks the system what it took.
#[cfg(unix)]
fn taken(what: MeasuredResource, command: &str) -> Result<Quantity, MeasureError> {
    use nix::sys::resource::{UsageWho, getrusage};

    let failed = |source| MeasureError::Start { command: command.to_owned(), source };
    if what == MeasuredResource::Instructions {
        return instructions(command);
    }
    run(&[], command)?;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|errno| failed(errno.into()))?;
    let count = |number: i64| u64::try_from(number).unwrap_or_default();
    Ok(Quantity::millionths(match what {
        MeasuredResource::Time => {
            let times = [usage.user_time(), usage.system_time()];
            times.iter().map(|time| count(time.tv_sec()) * 1_000_000 + count(time.tv_usec())).sum()
        }
        // In KiB, but on macOS in bytes.
        MeasuredResource::Memory if cfg!(target_os = "macos") => {
            count(usage.max_rss()).saturating_mul(1_000_000) >> 20
        }
        _ => count(usage.max_rss()).saturating_mul(1_000_000) >> 10,
    }))
}

/// Runs a command for the shell, which other words may come before.
#[cfg(unix)]
fn run(before: &[String], command: &str) -> Result<(), MeasureError> {
    let words = before.iter().map(String::as_str).chain(["/bin/sh", "-c", command]);
    let words: Vec<&str> = words.collect();
    let mut child = Command::new(words[0]);
    child.args(&words[1..]).stdin(Stdio::null()).stdout(io::stderr());
    let failed = |source| MeasureError::Start { command: command.to_owned(), source };
    let status = child.status().map_err(failed)?;
    if status.success() {
        return Ok(());
    }
    Err(MeasureError::Failed { command: command.to_owned(), status })
}

/// Counts instructions. A machine in a cloud often has no counters.
#[cfg(unix)]
fn instructions(command: &str) -> Result<Quantity, MeasureError> {
    let failed = |source| MeasureError::Start { command: command.to_owned(), source };
    let folder = tempfile::tempdir().map_err(failed)?;
    let at = |name: &str| folder.path().join(name).display().to_string();
    let count = |before: &[String], command: &str| -> Result<Option<u64>, MeasureError> {
        run(before, command)?;
        let entries = fs::read_dir(folder.path()).map_err(failed)?.flatten();
        let texts = entries.filter_map(|entry| fs::read_to_string(entry.path()).ok());
        Ok(texts.filter_map(|text| counted(&text)).reduce(u64::saturating_add))
    };
    let written = at("perf");
    let perf = ["perf", "stat", "-x", ",", "-e", "instructions:u", "-o", written.as_str(), "--"];
    let perf = perf.map(str::to_owned);
    if matches!(count(&perf, "true"), Ok(Some(_))) {
        return count(&perf, command)?.map(Quantity::millionths).ok_or(MeasureError::NoCounter);
    }
    let log = format!("--log-file={}", at("valgrind.%p"));
    let options = ["--tool=cachegrind", "--cache-sim=no", "--trace-children=yes"];
    let valgrind = ["valgrind"].into_iter().chain(options);
    let valgrind = valgrind.chain(["--cachegrind-out-file=/dev/null", log.as_str()]);
    let valgrind: Vec<String> = valgrind.map(str::to_owned).collect();
    if find_program("valgrind").is_none() {
        return Err(MeasureError::NoCounter);
    }
    count(&valgrind, command)?.map(Quantity::millionths).ok_or(MeasureError::NoCounter)
}

/// The number in what perf or valgrind has written.
#[cfg(unix)]
fn counted(text: &str) -> Option<u64> {
    let by_perf = |line: &str| line.split_once(",,instructions").map(|(count, _)| count.to_owned());
    let by_valgrind = |line: &str| {
        let (before, count) = line.split_once("refs:")?;
        before.trim_end().ends_with('I').then(|| count.replace(',', ""))
    };
    let mut counts = text.lines().filter_map(|line| by_perf(line).or_else(|| by_valgrind(line)));
    counts.find_map(|count| count.trim().parse().ok())
}

/// Runs a command, and asks the system what it took.
#[cfg(not(unix))]
fn taken(_what: MeasuredResource, _command: &str) -> Result<Quantity, MeasureError> {
    Err(MeasureError::Unsupported)
}

/// Measures a command in a directory with the files of a test case, as a test would.
pub(crate) fn measure_on(
    what: MeasuredResource,
    line: &str,
    case: &TestCase,
    tools: &ToolRunner,
    cancel: &Cancel,
) -> Result<Quantity, MeasureError> {
    let failed = |source| MeasureError::Start { command: line.to_owned(), source };
    let exe = std::env::current_exe().map_err(failed)?;
    let words = [exe.as_os_str(), "measure".as_ref(), what.name().as_ref(), line.as_ref()];
    let ran = tools.shell(&words.map(quoted).join(" "), case, cancel);
    let number = Quantity::printed_last(ran.stdout.as_bytes());
    number.filter(|_| ran.end == End::Exited(0)).ok_or_else(|| MeasureError::OnProgram {
        command: line.to_owned(),
        reason: if ran.end == End::TimedOut { ran.end.reason() } else { ran.stderr },
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn both_counters_are_read() {
        let perf = "# started on Sat\n\n125041,,instructions:u,640000,100.00,,\n";
        assert_eq!(counted(perf), Some(125_041));
        assert_eq!(counted("<not supported>,,instructions:u,0,100.00,,\n"), None);
        for line in ["==7== I   refs:      1,077,720", "==7== I refs:        1,077,720"] {
            assert_eq!(counted(&format!("==7== Command: x\n{line}\n")), Some(1_077_720));
        }
        assert_eq!(counted("==7== D   refs:      12\n"), None);
    }

    #[test]
    fn a_ratio_has_the_digits_of_both() {
        let ratio = |command: &str, reference: &str| {
            super::ratio(command.parse().unwrap(), reference.parse().unwrap()).to_string()
        };
        assert_eq!(ratio("3", "0.5"), "6");
        assert_eq!(ratio("1", "3"), "0.333333");
        assert_eq!(ratio("0.000001", "0"), "1");
    }
}
