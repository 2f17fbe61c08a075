//! Counts how many proposals of each pass still compile, and what the pass removes on its own: over many
//! programs, with a sample of the proposals on each.
//!
//! ```sh
//! cargo run --release -p clreduce-passes --example validity -- 2 4 programs/*.c kernels/*.cl >> rows
//! cargo run --release -p clreduce-passes --example validity < rows
//! ```
//!
//! The first number is how many proposals of each pass are tried on each program, the second
//! how many variants are compiled to find out what a pass removes on its own: that takes longest, and
//! may be done for some of the programs only. What is found out is a line for each pass and program, so
//! that it can be done in parts; without arguments, lines are read and the table is made of them. Why a
//! proposal does not compile goes to standard error. `PASSES=statements,unwrap` measures only these passes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use clreduce_passes::{Proposals, Row, Snapshot, TABLE};
use clreduce_testcase::{Feature, Language, Patch, Size, TestCase};

/// The counts of a pass on a program, or on all of them.
#[derive(Default)]
struct Tally {
    proposals: usize,
    tried: usize,
    valid: usize,
    /// Tokens of the programs that it was given, and those that go when all that compiles together
    /// with the rest is accepted, by halves.
    tokens: usize,
    removed: usize,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers = arguments.iter().map_while(|number| number.parse().ok());
    match (&arguments[..], &numbers.collect::<Vec<usize>>()[..]) {
        ([], _) => table(),
        ([_, _, files @ ..], &[sample, budget]) => {
            files.iter().for_each(|path| on_program(path, sample, budget));
        }
        _ => {
            eprintln!("usage: validity SAMPLE BUDGET FILE... >> rows; validity < rows");
            std::process::exit(2);
        }
    }
}

/// Prints a line for each pass that has proposals for a program; `!` in the place of the
/// pass for a program that does not compile to begin with.
fn on_program(path: &str, sample: usize, budget: usize) {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let name = Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or("input.c");
    let case = TestCase::single(name, bytes).unwrap_or_else(|error| panic!("{path}: {error}"));
    let language = case.language();
    if compile(&case, language).is_err() {
        println!("!\t{path}\t0\t0\t0\t0\t0");
        return;
    }
    let mut seen = BTreeSet::new();
    let wanted = std::env::var("PASSES").ok();
    let is_wanted = |row: &&Row| {
        let name = row.pass.name;
        wanted.as_ref().is_none_or(|wanted| wanted.split(',').any(|one| one == name))
    };
    let rows = TABLE.iter().filter(|row| row.applies_to(language)).filter(is_wanted);
    for row in rows.filter(|row| seen.insert(row.pass.name)) {
        if let Some(tally) = measure(row, &case, language, sample, budget) {
            let Tally { proposals, tried, valid, tokens, removed } = tally;
            let pass = row.pass.name;
            println!("{pass}\t{path}\t{proposals}\t{tried}\t{valid}\t{tokens}\t{removed}");
        }
    }
}

fn measure(
    row: &Row,
    case: &TestCase,
    language: Language,
    sample: usize,
    budget: usize,
) -> Option<Tally> {
    let proposals = Proposals::of(row.pass, &Snapshot::new(case.clone(), language)).list;
    if proposals.is_empty() {
        return None;
    }
    let mut tally = Tally { proposals: proposals.len(), ..Tally::default() };
    // From the middle of equal parts.
    let step = proposals.len().div_ceil(sample);
    for proposal in proposals.iter().skip(step / 2).step_by(step) {
        tally.tried += 1;
        match compile(&case.apply(&proposal.patch), language) {
            Ok(()) => tally.valid += 1,
            Err(error) => complain(row, case, &proposal.patch, &error),
        }
    }
    if budget > 0 {
        let patches: Vec<&Patch> = proposals.iter().map(|proposal| &proposal.patch).collect();
        let accepted = accept(case, language, &patches, budget);
        tally.tokens = Size::of(case).tokens;
        tally.removed = tally.tokens.saturating_sub(Size::of(&case.apply(&accepted)).tokens);
    }
    Some(tally)
}

/// Says what does not compile: the pass, the first error, and what was to be edited.
fn complain(row: &Row, case: &TestCase, patch: &Patch, error: &str) {
    eprintln!("{} in {}: {error}", row.pass.name, case.files()[0].path);
    let bytes = &case.files()[0].bytes;
    for edit in patch.edits().iter().take(4) {
        let from = edit.range().start.saturating_sub(40);
        let to = (edit.range().end + 40).min(bytes.len());
        let shown = |range: std::ops::Range<usize>| {
            let text = String::from_utf8_lossy(&bytes[range]).into_owned();
            let words: Vec<&str> = text.split_whitespace().collect();
            words.join(" ").chars().take(160).collect::<String>()
        };
        let (before, behind) = (shown(from..edit.range().start), shown(edit.range().end..to));
        let text = String::from_utf8_lossy(&edit.text);
        eprintln!("    {before} [- {} -][+ {text} +] {behind}", shown(edit.range()));
    }
}

/// Of a list of patches, what compiles together: all, or the best of its parts, as long as there is a
/// budget of compilations.
fn accept(case: &TestCase, language: Language, patches: &[&Patch], budget: usize) -> Patch {
    let mut accepted = Patch::default();
    let mut work = vec![patches];
    for _ in 0..budget {
        let Some(patches) = work.pop() else { break };
        let mut all = accepted.clone();
        for patch in patches {
            all = all.union(patch).unwrap_or(all);
        }
        let variant = case.apply(&all);
        let is_smaller = Size::of(&variant).tokens < Size::of(&case.apply(&accepted)).tokens;
        if is_smaller && compile(&variant, language).is_ok() {
            accepted = all;
        } else if patches.len() > 1 {
            let (first, second) = patches.split_at(patches.len() / 2);
            work.extend([first, second]);
        }
    }
    accepted
}

/// Compiles a program with clang, by the rules of OpenCL 1.2 where it is one; C++ with g++. The error is the first one. A variable
/// with the name of another compiler may have options behind the name.
fn compile(case: &TestCase, language: Language) -> Result<(), String> {
    let is_cpp = language.has(Feature::Classes);
    let options: &[&str] = match language {
        _ if language.has(Feature::OpenClWords) => &[
            "-x",
            "cl",
            "-cl-std=CL1.2",
            "-Xclang",
            "-finclude-default-header",
            "-Xclang",
            "-fdeclare-opencl-builtins",
        ],
        // Of what gcc preprocessed, clang refuses the built-ins.
        _ if is_cpp => &["-x", "c++", "-std=gnu++17"],
        _ => &["-x", "c", "-std=gnu99", "-Werror=excess-initializers"],
    };
    let (compiler, variable, limit) = if is_cpp {
        ("g++", "CXX", "-fmax-errors=1")
    } else {
        ("clang", "CLANG", "-ferror-limit=1")
    };
    let compiler = std::env::var(variable).unwrap_or_else(|_| compiler.to_owned());
    let mut words = compiler.split_whitespace();
    let mut child = Command::new(words.next().unwrap_or_default())
        .args(["-fsyntax-only", "-w", "-fno-diagnostics-show-caret", limit])
        .args(options)
        .args(words)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("clang and g++ are needed (CLANG and CXX name others)");
    let mut input = child.stdin.take().expect("it was asked for");
    // It may give up before it has read all.
    let _ = input.write_all(&case.files()[0].bytes);
    drop(input);
    let done = child.wait_with_output().expect("it was started");
    match done.status.success() {
        true => Ok(()),
        false => {
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            let error = said.lines().find_map(|line| Some(line.split_once("error: ")?.1));
            Err(error.unwrap_or("it crashed").to_owned())
        }
    }
}

/// Reads lines and prints the table that they make.
fn table() {
    let mut lines = String::new();
    std::io::stdin().read_to_string(&mut lines).expect("lines on standard input");
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut programs: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for line in lines.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [pass, path, numbers @ ..] = &fields[..] else { panic!("no line of mine: {line}") };
        let number = |at: usize| numbers.get(at).and_then(|n| n.parse().ok()).unwrap_or(0_usize);
        let tally = tallies.entry(pass).or_default();
        tally.proposals += number(0);
        tally.tried += number(1);
        tally.valid += number(2);
        tally.tokens += number(3);
        tally.removed += number(4);
        programs.entry(pass).or_default().insert(path);
    }
    let left_out = programs.remove("!").map_or(0, |programs| programs.len());
    let used: BTreeSet<&str> = programs.values().flatten().copied().collect();
    println!("{} programs; {left_out} do not compile and are left out\n", used.len());
    println!("| pass | programs | proposals | tried | valid | yield |");
    println!("|---|---:|---:|---:|---:|---:|");
    let share = |part: usize, whole: usize| match whole {
        0 => "–".to_owned(),
        _ => format!("{:.1} %", 100.0 * part as f64 / whole as f64),
    };
    for (name, tally) in tallies.iter().filter(|(_, tally)| tally.tried > 0) {
        let Tally { proposals, tried, valid, tokens, removed } = *tally;
        let (count, valid, removed) =
            (programs[name].len(), share(valid, tried), share(removed, tokens));
        println!("| `{name}` | {count} | {proposals} | {tried} | {valid} | {removed} |");
    }
    let sum = |of: fn(&Tally) -> usize| tallies.values().map(of).sum::<usize>();
    let (tried, valid) = (sum(|tally| tally.tried), sum(|tally| tally.valid));
    println!("| all | | | {tried} | {} | |", share(valid, tried));
}
