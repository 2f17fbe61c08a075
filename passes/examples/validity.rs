//! How many proposals of each pass still compile, and what the pass removes on its own: over a folder
//! of programs, with a sample of the proposals on each.
//!
//! ```sh
//! cargo run --release -p clreduce-passes --example validity -- 5 programs/*.c kernels/*.cl
//! ```
//!
//! The number is how many proposals of each pass are tried on each program. A program that does not
//! compile to begin with is left out and counted.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use clreduce_passes::{Row, Snapshot, TABLE};
use clreduce_testcase::{Language, Patch, Size, TestCase};

/// What is known of a pass.
#[derive(Default)]
struct Tally {
    programs: usize,
    proposals: usize,
    tried: usize,
    valid: usize,
    /// Tokens of the programs that it was given, and those that go when all that compiles together
    /// with the rest is accepted, by halves.
    tokens: usize,
    removed: usize,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let sample = arguments.next().and_then(|number| number.parse().ok());
    let files: Vec<String> = arguments.collect();
    let Some(sample) = sample.filter(|_| !files.is_empty()) else {
        eprintln!("usage: validity SAMPLE FILE...");
        std::process::exit(2);
    };
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let (mut used, mut left_out) = (0, 0);
    for path in files {
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let name = Path::new(&path).file_name().and_then(|name| name.to_str()).unwrap_or("input.c");
        let case = TestCase::single(name, bytes).unwrap_or_else(|error| panic!("{path}: {error}"));
        let language = Language::detect(&case);
        if !compiles(&case, language) {
            left_out += 1;
            continue;
        }
        used += 1;
        for row in TABLE.iter().filter(|row| row.applies_to(language)) {
            measure(row, &case, language, sample, tallies.entry(row.pass.name()).or_default());
        }
        eprintln!("{path}");
    }
    print(&tallies, used, left_out);
}

fn measure(row: &Row, case: &TestCase, language: Language, sample: usize, tally: &mut Tally) {
    let proposals = row.pass.propose(&Snapshot::new(case.clone(), language));
    if proposals.is_empty() {
        return;
    }
    let before = Size::of(case).tokens;
    tally.programs += 1;
    tally.proposals += proposals.len();
    tally.tokens += before;
    // From the middle of equal parts.
    let step = proposals.len().div_ceil(sample);
    for proposal in proposals.iter().skip(step / 2).step_by(step) {
        tally.tried += 1;
        tally.valid += usize::from(compiles(&case.apply(&proposal.patch), language));
    }
    let patches: Vec<&Patch> = proposals.iter().map(|proposal| &proposal.patch).collect();
    let mut budget = 2 * sample;
    let accepted = accept(case, language, Patch::default(), &patches, &mut budget);
    tally.removed += before.saturating_sub(Size::of(&case.apply(&accepted)).tokens);
}

/// Of a list of patches, together with those accepted before, what compiles: all, or the best of
/// its parts, as long as there is a budget of compilations.
fn accept(
    case: &TestCase,
    language: Language,
    accepted: Patch,
    patches: &[&Patch],
    budget: &mut usize,
) -> Patch {
    let mut accepted = accepted;
    let mut work = vec![patches];
    while let Some(patches) = work.pop() {
        if *budget == 0 {
            break;
        }
        let mut all = accepted.clone();
        for patch in patches {
            all = all.union(patch).unwrap_or(all);
        }
        *budget -= 1;
        let variant = case.apply(&all);
        let is_smaller = Size::of(&variant).tokens < Size::of(&case.apply(&accepted)).tokens;
        if is_smaller && compiles(&variant, language) {
            accepted = all;
        } else if patches.len() > 1 {
            let (first, second) = patches.split_at(patches.len() / 2);
            work.extend([first, second]);
        }
    }
    accepted
}

/// Whether clang accepts a program; what OpenCL 1.2 demands counts as well.
fn compiles(case: &TestCase, language: Language) -> bool {
    let options: &[&str] = match language {
        Language::OpenCl => &[
            "-x",
            "cl",
            "-cl-std=CL1.2",
            "-Xclang",
            "-finclude-default-header",
            "-Xclang",
            "-fdeclare-opencl-builtins",
        ],
        _ => &["-x", "c", "-std=gnu99", "-Werror=excess-initializers"],
    };
    let clang = std::env::var("CLANG").unwrap_or_else(|_| "clang".to_owned());
    let mut child = Command::new(clang)
        .args(["-fsyntax-only", "-w"])
        .args(options)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("clang is needed (CLANG names another)");
    let mut input = child.stdin.take().expect("it was asked for");
    // It may give up before it has read all.
    let _ = input.write_all(&case.files()[0].bytes);
    drop(input);
    child.wait().is_ok_and(|status| status.success())
}

fn print(tallies: &BTreeMap<&str, Tally>, used: usize, left_out: usize) {
    println!("{used} programs; {left_out} do not compile and are left out\n");
    println!("| pass | programs | proposals | tried | valid | yield |");
    println!("|---|---:|---:|---:|---:|---:|");
    let share = |part: usize, whole: usize| match whole {
        0 => "–".to_owned(),
        _ => format!("{:.1} %", 100.0 * part as f64 / whole as f64),
    };
    for (name, tally) in tallies.iter().filter(|(_, tally)| tally.tried > 0) {
        println!(
            "| `{name}` | {} | {} | {} | {} | {} |",
            tally.programs,
            tally.proposals,
            tally.tried,
            share(tally.valid, tally.tried),
            share(tally.removed, tally.tokens)
        );
    }
    let (tried, valid) =
        tallies.values().fold((0, 0), |sum, tally| (sum.0 + tally.tried, sum.1 + tally.valid));
    println!("| all | | | {tried} | {} | |", share(valid, tried));
}
