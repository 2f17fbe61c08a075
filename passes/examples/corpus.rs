//! Holds every pass to its contract on real programs, as `scripts/corpus` fetches them or test suites of compilers contain them:
//!
//! ```sh
//! find corpus -name '*.cl' -size -8k | xargs cargo run --release -p clreduce-passes --example corpus
//! find suite -name '*.C' | xargs cargo run --release -p clreduce-passes --example corpus -- --lang cpp --limit 20 --log log
//! cargo run --release -p clreduce-passes --example corpus -- --log log
//! ```
//!
//! Each program is checked in a process of its own, and killed after `--limit` seconds (60 without it). With `--log`, a line
//! for each program is added to a file; programs that are in it already are skipped, so that an interrupted run can go on.
//! The fields of a line are the path, the bytes, the microseconds in which all views and proposals were made, the pass that took
//! most of them, its microseconds, and the result. The last lines of the output are the programs with the most time per byte.
//! Accepting all proposals, which the contract includes, takes more than linear time, and does not count.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use clreduce_passes::harness::check;
use clreduce_passes::{Pass, Proposals, Snapshot, TABLE};
use clreduce_testcase::{Language, TestCase};

const USAGE: &str = "usage: corpus [--lang LANGUAGE] [--limit SECONDS] [--log FILE] PROGRAM...";

struct Options {
    language: Option<Language>,
    limit: Duration,
    log: Option<String>,
    /// The program is checked in this process, which another one has started.
    is_child: bool,
    programs: Vec<String>,
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let done = match (options.is_child, &options.programs[..]) {
        (true, [program]) => check_program(program, options.language),
        _ => check_all(&options),
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

/// Checks programs, each in a process of its own, and prints what is wrong and a summary.
fn check_all(options: &Options) -> Result<ExitCode, String> {
    let mut lines: Vec<String> = Vec::new();
    if let Some(log) = &options.log {
        let before = fs::read_to_string(log).unwrap_or_default();
        lines.extend(before.lines().map(str::to_owned));
    }
    let path_of = |line: &String| line.split('\t').next().unwrap_or_default().to_owned();
    let done: BTreeSet<String> = lines.iter().map(path_of).collect();
    for program in options.programs.iter().filter(|program| !done.contains(*program)) {
        let line = check_in_child(program, options)?;
        if let Some(log) = &options.log {
            let file = OpenOptions::new().create(true).append(true).open(log);
            let written = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
            written.map_err(|error| format!("{log}: {error}"))?;
        }
        lines.push(line);
    }
    Ok(summarize(&lines))
}

/// The line about a program.
fn check_in_child(program: &str, options: &Options) -> Result<String, String> {
    let own = std::env::current_exe().map_err(|error| format!("its own path: {error}"))?;
    let mut command = Command::new(own);
    command.args(["--child", program]).stdout(Stdio::piped()).stderr(Stdio::inherit());
    if let Some(language) = options.language {
        command.args(["--lang", language.name()]);
    }
    let mut child = command.spawn().map_err(|error| format!("a new process: {error}"))?;
    let start = Instant::now();
    let status = loop {
        let status = child.try_wait().map_err(|error| format!("{program}: {error}"))?;
        if status.is_some() || start.elapsed() > options.limit {
            break status;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    if status.is_none() {
        // It may have come to an end by itself.
        let _ = child.kill();
        let _ = child.wait();
    }
    let mut said = String::new();
    if let Some(mut output) = child.stdout.take() {
        output.read_to_string(&mut said).map_err(|error| format!("{program}: {error}"))?;
    }
    let of_kind = |kind: &'static str| said.lines().filter_map(move |it| it.strip_prefix(kind));
    let pass = of_kind("pass ").last().unwrap_or("no pass");
    let times = of_kind("times ").last().unwrap_or("0\t0\t-\t0");
    let broken: Vec<&str> = of_kind("broken ").collect();
    let result = match status {
        None => format!("not at an end after {} s, in {pass}", options.limit.as_secs()),
        Some(status) if !status.success() => format!("{status} in {pass}"),
        Some(_) if broken.is_empty() => "kept".to_owned(),
        Some(_) => broken.join("; "),
    };
    Ok(format!("{program}\t{times}\t{result}"))
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
fn check_program(path: &str, language: Option<Language>) -> Result<ExitCode, String> {
    // The reason is printed once, below.
    panic::set_hook(Box::new(|_| {}));
    let bytes = fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
    let case = TestCase::single(&name, &bytes[..]).map_err(|error| format!("{path}: {error}"))?;
    let language = language.unwrap_or_else(|| Language::detect(&case));
    let passes = passes(language);
    println!("times {}\t{}", bytes.len(), times(case, language, &passes));
    for pass in passes {
        let name = pass.info().name;
        println!("pass {name}");
        if let Some(reason) = panic_of(|| check(pass, &bytes, language)) {
            println!("broken {name}: {reason}");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Every pass that knows a language, once.
fn passes(language: Language) -> Vec<&'static dyn Pass> {
    let mut seen = BTreeSet::new();
    let rows = TABLE.iter().filter(|row| row.applies_to(language));
    rows.filter(|row| seen.insert(row.info().name)).map(|row| row.pass).collect()
}

/// The microseconds in which all proposals are made, the pass with most of them, and its own.
fn times(case: TestCase, language: Language, passes: &[&dyn Pass]) -> String {
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
        time(pass.info().name, &|| drop(Proposals::of(*pass, &snapshot)));
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
