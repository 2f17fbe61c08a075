//! Holds every pass to its contract on real programs, as `scripts/corpus` fetches them or test suites of compilers contain them:
//!
//! ```sh
//! find corpus -name '*.cl' -size -8k | xargs cargo run --release -p clreduce-passes --example corpus
//! find suite -name '*.C' | xargs cargo run --release -p clreduce-passes --example corpus -- --lang cpp --limit 20 --log log
//! cargo run --release -p clreduce-passes --example corpus -- --log log
//! ```
//!
//! Programs are checked in other processes, so that one that crashes does not end the run. A program is given up after `--limit`
//! seconds (60 without it). With `--log`, a line for each program is added to a file; programs that are in it already are skipped, so that an interrupted run can go on.
//! The fields of a line are the path, the bytes, the microseconds in which all views and proposals were made, the pass that took
//! most of them, its microseconds, and the result. The last lines of the output are the programs with the most time per byte.
//! Accepting all proposals, which the contract includes, takes more than linear time, and does not count.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use clreduce_passes::harness::check;
use clreduce_passes::{Pass, Proposals, Snapshot, TABLE};
use clreduce_testcase::{Language, TestCase};

const USAGE: &str = "usage: corpus [--lang LANGUAGE] [--limit SECONDS] [--log FILE] PROGRAM...";

/// The number of programs that one process checks.
const AT_ONCE: usize = 200;

struct Options {
    language: Option<Language>,
    limit: Duration,
    log: Option<String>,
    /// The programs are checked in this process, which another one has started.
    is_child: bool,
    programs: Vec<String>,
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let done = match options.is_child {
        true => options
            .programs
            .iter()
            .try_for_each(|program| check_program(program, options.language))
            .map(|()| ExitCode::SUCCESS),
        false => check_all(&options),
    };
    done.unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::from(2)
    })
}

fn options() -> Option<Options> {
    let limit = Duration::from_secs(60);
    let mut options =
        Options { language: None, limit, log: None, is_child: false, programs: Vec::new() };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--lang" => options.language = Some(arguments.next()?.parse().ok()?),
            "--limit" => options.limit = Duration::from_secs(arguments.next()?.parse().ok()?),
            "--log" => options.log = Some(arguments.next()?),
            "--child" => options.is_child = true,
            _ => options.programs.push(argument),
        }
    }
    Some(options)
}

/// Checks programs in other processes, and prints what is wrong and a summary.
fn check_all(options: &Options) -> Result<ExitCode, String> {
    let mut lines: Vec<String> = Vec::new();
    if let Some(log) = &options.log {
        let before = fs::read_to_string(log).unwrap_or_default();
        lines.extend(before.lines().map(str::to_owned));
    }
    let path_of = |line: &String| line.split('\t').next().unwrap_or_default().to_owned();
    let done: BTreeSet<String> = lines.iter().map(path_of).collect();
    let programs = options.programs.iter().filter(|program| !done.contains(*program));
    let programs: Vec<&str> = programs.map(String::as_str).collect();
    let mut rest = &programs[..];
    while !rest.is_empty() {
        let before = lines.len();
        check_in_child(&rest[..rest.len().min(AT_ONCE)], options, &mut lines)?;
        rest = &rest[lines.len() - before..];
    }
    Ok(summarize(&lines))
}

/// Checks programs in one process until one of them ends it or takes too long, and adds a line for each that was checked.
fn check_in_child(
    programs: &[&str],
    options: &Options,
    lines: &mut Vec<String>,
) -> Result<(), String> {
    let own = std::env::current_exe().map_err(|error| format!("its own path: {error}"))?;
    let mut command = Command::new(own);
    command.arg("--child").args(programs).stdout(Stdio::piped());
    if let Some(language) = options.language {
        command.args(["--lang", language.name()]);
    }
    let mut child = command.spawn().map_err(|error| format!("a new process: {error}"))?;
    let (sender, said) = mpsc::channel();
    if let Some(output) = child.stdout.take() {
        let read = BufReader::new(output).lines().map_while(Result::ok);
        // It ends with the process.
        std::thread::spawn(move || read.map(|line| sender.send(line)).all(|sent| sent.is_ok()));
    }
    for program in programs {
        let (mut report, deadline) = (Report::default(), Instant::now() + options.limit);
        let end = loop {
            match said.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) if line == "end" => break None,
                Ok(line) => report.add(&line),
                Err(RecvTimeoutError::Timeout) => {
                    // It may have come to an end by itself.
                    let _ = child.kill();
                    break Some(format!("not at an end after {} s", options.limit.as_secs()));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let status = child.wait().map_err(|error| format!("{program}: {error}"))?;
                    break Some(status.to_string());
                }
            }
        };
        let is_killed = end.is_some();
        let line = format!("{program}\t{}", report.line(end));
        if let Some(log) = &options.log {
            let file = OpenOptions::new().create(true).append(true).open(log);
            let written = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
            written.map_err(|error| format!("{log}: {error}"))?;
        }
        lines.push(line);
        if is_killed {
            break;
        }
    }
    child.wait().map(|_| ()).map_err(|error| format!("a process: {error}"))
}

/// The lines that a process says about a program.
#[derive(Default)]
struct Report {
    pass: String,
    times: Option<String>,
    broken: Vec<String>,
}

impl Report {
    fn add(&mut self, line: &str) {
        match line.split_once(' ') {
            Some(("pass", name)) => name.clone_into(&mut self.pass),
            Some(("times", times)) => self.times = Some(times.to_owned()),
            Some(("broken", reason)) => self.broken.push(reason.to_owned()),
            _ => {}
        }
    }

    /// The end of the line in the log, given why the process came to an end too early.
    fn line(mut self, end: Option<String>) -> String {
        self.broken.extend(end.map(|end| format!("{end} in {}", self.pass)));
        let times = self.times.unwrap_or_else(|| "0\t0\t-\t0".to_owned());
        let result =
            if self.broken.is_empty() { "kept".to_owned() } else { self.broken.join("; ") };
        format!("{times}\t{result}")
    }
}

/// Prints what is wrong with which programs, and those that take most time per byte.
fn summarize(lines: &[String]) -> ExitCode {
    let mut broken = 0;
    let mut times: Vec<(u64, &str)> = Vec::new();
    for line in lines {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[program, bytes, micros, _, _, result] = &fields[..] else { continue };
        if result != "kept" {
            broken += 1;
            println!("{program}: {result}");
        }
        let number = |field: &str| field.parse().unwrap_or(0_u64);
        // What every program takes says nothing about large ones.
        times.push((number(micros) * 1024 / number(bytes).max(1024), line));
    }
    times.sort_unstable();
    for (micros, line) in times.iter().rev().take(10) {
        println!("{micros} microseconds per KB: {line}");
    }
    println!("{} programs; the contract was broken on {broken} of them", lines.len());
    if broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Checks a program in this process, and prints lines for the one that started it.
fn check_program(path: &str, language: Option<Language>) -> Result<(), String> {
    // The reason is printed once, below.
    panic::set_hook(Box::new(|_| {}));
    let bytes = fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
    let case = TestCase::single(&name, &bytes[..]).map_err(|error| format!("{path}: {error}"))?;
    let language = language.unwrap_or_else(|| case.language());
    let passes = passes(language);
    println!("times {}\t{}", bytes.len(), times(case, language, &passes));
    for pass in passes {
        let name = pass.name;
        println!("pass {name}");
        if let Some(reason) = panic_of(|| check(pass, &bytes, language)) {
            println!("broken {name}: {reason}");
        }
    }
    println!("end");
    Ok(())
}

/// Every pass that knows a language, once.
fn passes(language: Language) -> Vec<&'static Pass> {
    let mut seen = BTreeSet::new();
    let rows = TABLE.iter().filter(|row| row.applies_to(language));
    rows.filter(|row| seen.insert(row.pass.name)).map(|row| row.pass).collect()
}

/// The microseconds in which all proposals are made, the pass with most of them, and its own.
fn times(case: TestCase, language: Language, passes: &[&Pass]) -> String {
    let snapshot = Snapshot::new(case, language);
    let (mut all, mut slowest) = (0, (0, "views"));
    let mut time = |name: &'static str, work: &dyn Fn()| {
        println!("pass {name}");
        let start = Instant::now();
        // A panic is reported where the contract is checked.
        let _ = panic_of(work);
        let micros = start.elapsed().as_micros();
        all += micros;
        slowest = slowest.max((micros, name));
    };
    time("views", &|| {
        let _ = (snapshot.tokens(0), snapshot.uses(0), snapshot.flow(0));
        let _ = (snapshot.accesses(0), snapshot.entities(0));
    });
    for pass in passes {
        time(pass.name, &|| drop(Proposals::of(pass, &snapshot)));
    }
    let (micros, name) = slowest;
    format!("{all}\t{name}\t{micros}")
}

/// The reason of a panic, on one line.
fn panic_of(work: impl Fn()) -> Option<String> {
    let reason = panic::catch_unwind(AssertUnwindSafe(work)).err()?;
    let text = reason.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| reason.downcast_ref::<&str>().copied()).unwrap_or("a panic");
    let line: Vec<&str> = text.split_whitespace().collect();
    Some(line.join(" ").chars().take(300).collect())
}
