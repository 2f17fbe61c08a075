//! A small fuzz driver: runs programs under every configuration, lets them vote, reduces what is wrong,
//! and writes a folder for each distinct bug.
//!
//! ```sh
//! cargo run --release --example fuzz_driver -- --out bugs --count 100 \
//!     --generate 'csmith --seed $SEED' \
//!     --check 'clang -w -fsanitize=address,undefined -fno-sanitize-recover=all program.c && ./a.out' \
//!     --config 'gcc-O0=gcc -w -O0 program.c && ./a.out' \
//!     --config 'gcc-O2=gcc -w -O2 program.c && ./a.out' \
//!     --config 'clang-O2=clang -w -O2 program.c && ./a.out'
//! ```
//!
//! A command runs in a directory of its own, in which the program lies as `program.c`. `--from DIR`
//! takes the files of a folder instead of generated ones; kernels run with
//! `--config 'pocl=clreduce run program.cl --device-name pocl'`. `--check`, where it is given, must find
//! every program and variant valid, so that no reduction ends in undefined behaviour.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use clreduce::triage::{TriageCase, signature_of};
use clreduce::{
    Cancel, CommandOptions, CommandTest, Interestingness, Limits, NotRun, Outcome, Pool, Reduced,
    Reduction, Running, SetupError, TestCase, TestCommand, Verdict,
};

type Failure = Box<dyn Error>;

/// Longest time for one program under one configuration.
const TIME: Duration = Duration::from_secs(20);

fn main() -> Result<(), Failure> {
    run(std::env::args().skip(1))
}

/// Does what the arguments say.
pub fn run(arguments: impl Iterator<Item = String>) -> Result<(), Failure> {
    let options = Options::parse(arguments)?;
    let configs = Configs::new(&options)?;
    let pool = Arc::new(Pool::new(thread::available_parallelism()?)?);
    let mut seen = BTreeSet::new();
    let mut running = Vec::new();
    for program in options.programs()? {
        let (name, case) = program?;
        for bug in configs.bugs(&case) {
            println!("{name}: {bug}");
            // Crashes of one signature count as one bug until the compiler is mended.
            if matches!(bug.kind, Kind::Crash(_)) && !seen.insert(bug.to_string()) {
                continue;
            }
            let judge = Judge { configs: Configs::new(&options)?, bug: bug.clone() };
            let reduction = Reduction::of(case.clone()).test(judge).pool(Arc::clone(&pool));
            running.push((name.clone(), case.clone(), bug, reduction.start()?));
        }
    }
    let mut distinct = BTreeSet::new();
    for (name, case, bug, reduction) in running {
        match finish(&options.out, &name, &case, &bug, reduction, &mut distinct) {
            Ok(line) => println!("{name}: {line}"),
            Err(error) => println!("{name}: not reduced: {error}"),
        }
    }
    println!("{} distinct bugs in {}", distinct.len(), options.out.display());
    Ok(())
}

/// Waits for a reduction and writes its bug down, if it is a new one.
fn finish(
    out: &Path,
    name: &str,
    case: &TestCase,
    bug: &Bug,
    reduction: Running,
    distinct: &mut BTreeSet<String>,
) -> Result<String, Failure> {
    let reduced: Reduced = reduction.wait()?;
    // Equal but for names and layout, and wrong in the same way.
    let triage_case = TriageCase::new(&reduced.case, "", None, []);
    if !distinct.insert(format!("{} {bug}", triage_case.fingerprint())) {
        return Ok("a duplicate".to_owned());
    }
    let folder = out.join(format!("{:03}-{}", distinct.len(), bug.config));
    for (part, case) in [("original", case), ("reduced", &reduced.case)] {
        for file in case.files() {
            let path = folder.join(part).join(&*file.path);
            fs::create_dir_all(path.parent().unwrap_or(&folder))?;
            fs::write(path, &file.bytes)?;
        }
    }
    let (tokens, steps) = (reduced.size.tokens, reduced.steps);
    fs::write(folder.join("bug.txt"), format!("{bug}\nfound in {name}\n{steps} steps\n"))?;
    Ok(format!("{bug}, {tokens} tokens, in {}", folder.display()))
}

/// The fault of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Bug {
    config: String,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// It crashes, with this signature.
    Crash(String),
    /// It ends well, with another result than all others.
    Wrong,
    /// It does not end.
    Hang,
}

impl std::fmt::Display for Bug {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.kind {
            Kind::Crash(signature) => write!(f, "{}: crash: {signature}", self.config),
            Kind::Wrong => write!(f, "{}: wrong result", self.config),
            Kind::Hang => write!(f, "{}: does not end", self.config),
        }
    }
}

/// The configurations, by name, and the check of validity.
struct Configs {
    tests: Vec<(String, CommandTest)>,
    check: Option<CommandTest>,
}

impl Configs {
    fn new(options: &Options) -> Result<Self, SetupError> {
        let limits = Limits { time: Some(TIME), ..Limits::default() };
        let test = |command: &String| {
            let options = CommandOptions { limits: limits.clone(), ..CommandOptions::default() };
            CommandTest::new(&TestCommand::Shell(command.clone()), options)
        };
        let tests = options.configs.iter().map(|(name, line)| Ok((name.clone(), test(line)?)));
        Ok(Self {
            tests: tests.collect::<Result<_, SetupError>>()?,
            check: options.check.as_ref().map(test).transpose()?,
        })
    }

    /// Runs a program under every configuration and says what is wrong.
    fn bugs(&self, program: &TestCase) -> Vec<Bug> {
        let nobody = Cancel::new();
        let outcomes: Vec<Outcome> =
            self.tests.iter().map(|(_, test)| judged(test.judge(program, &nobody))).collect();
        let majority = majority(&outcomes);
        let kind_of = |outcome: &Outcome| match outcome.verdict {
            Verdict::Interesting => {
                let is_wrong = majority.is_some_and(|result| *result != outcome.output_tail);
                is_wrong.then_some(Kind::Wrong)
            }
            // A program that ends with no compiler says nothing about compilers.
            Verdict::TimedOut => majority.map(|_| Kind::Hang),
            Verdict::Uninteresting | Verdict::Unresolved => crash(outcome).map(Kind::Crash),
        };
        let found = self.tests.iter().zip(&outcomes).filter_map(|((config, _), outcome)| {
            Some(Bug { config: config.clone(), kind: kind_of(outcome)? })
        });
        let found: Vec<Bug> = found.collect();
        let is_ours = found.is_empty() || self.is_valid(program, majority, &nobody);
        if is_ours { found } else { Vec::new() }
    }

    /// Returns true if the check, if there is one, ends well and with the result of the majority.
    fn is_valid(&self, program: &TestCase, result: Option<&Vec<u8>>, cancel: &Cancel) -> bool {
        self.check.as_ref().is_none_or(|check| {
            let outcome = judged(check.judge(program, cancel));
            outcome.verdict == Verdict::Interesting && result == Some(&outcome.output_tail)
        })
    }
}

/// The outcome of a test; one that was not run says nothing.
fn judged(result: Result<Outcome, NotRun>) -> Outcome {
    result.unwrap_or_else(|_| Outcome::from(Verdict::Unresolved))
}

/// The output of more than half of those that end well.
fn majority(outcomes: &[Outcome]) -> Option<&Vec<u8>> {
    let well = || outcomes.iter().filter(|outcome| outcome.verdict == Verdict::Interesting);
    let votes = |result: &Vec<u8>| well().filter(|o| o.output_tail == *result).count();
    well().map(|outcome| &outcome.output_tail).find(|result| 2 * votes(result) > well().count())
}

/// The signature of a crash. A compiler that refuses a program with a message does not crash.
fn crash(outcome: &Outcome) -> Option<String> {
    let text = format!("{}\n{}", String::from_utf8_lossy(&outcome.output_tail), outcome.reason);
    let signature = signature_of(&text, None);
    (!signature.is_empty()).then_some(signature)
}

/// The interestingness test: a variant still shows the bug, and the bug is the compiler's.
struct Judge {
    configs: Configs,
    bug: Bug,
}

impl Judge {
    fn shows_it(&self, variant: &TestCase, cancel: &Cancel) -> Result<bool, NotRun> {
        let tests = &self.configs.tests;
        let Some((_, suspect)) = tests.iter().find(|(name, _)| *name == self.bug.config) else {
            return Ok(false);
        };
        let others = tests.iter().filter(|(name, _)| *name != self.bug.config);
        let outcome = suspect.judge(variant, cancel)?;
        let is_suspicious = match &self.bug.kind {
            Kind::Crash(signature) => crash(&outcome).as_ref() == Some(signature),
            Kind::Wrong => outcome.verdict == Verdict::Interesting,
            Kind::Hang => outcome.verdict == Verdict::TimedOut,
        };
        if !is_suspicious {
            return Ok(false);
        }
        // The first result that differs ends the check, since running every configuration is the most expensive part.
        let mut results = others.map(|(_, test)| judged(test.judge(variant, cancel)));
        let is_well = |outcome: &Outcome| outcome.verdict == Verdict::Interesting;
        let is_crash = matches!(self.bug.kind, Kind::Crash(_));
        // Several configurations may crash on the same; all must agree on a result.
        let first = if is_crash { results.find(is_well) } else { results.next().filter(is_well) };
        let Some(Outcome { output_tail: result, .. }) = first else { return Ok(false) };
        let agree = |other: Outcome| is_well(&other) && other.output_tail == result;
        Ok((is_crash || results.all(agree))
            && (self.bug.kind != Kind::Wrong || outcome.output_tail != result)
            && self.configs.is_valid(variant, Some(&result), cancel))
    }
}

impl Interestingness for Judge {
    fn judge(&self, variant: &TestCase, cancel: &Cancel) -> Result<Outcome, NotRun> {
        let shows_it = self.shows_it(variant, cancel)?;
        Ok(Outcome::from(if shows_it { Verdict::Interesting } else { Verdict::Uninteresting }))
    }
}

/// The parsed arguments.
#[derive(Default)]
struct Options {
    configs: Vec<(String, String)>,
    check: Option<String>,
    generate: Option<String>,
    from: Option<PathBuf>,
    count: u32,
    out: PathBuf,
}

/// A program and what it is called.
type Named = Result<(String, TestCase), Failure>;

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let mut options = Self { count: 10, out: "bugs".into(), ..Self::default() };
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or(format!("{name} needs a value"))?;
            match name.as_str() {
                "--config" => {
                    let (config, line) = value.split_once('=').ok_or("--config NAME=COMMAND")?;
                    options.configs.push((config.to_owned(), line.to_owned()));
                }
                "--check" => options.check = Some(value),
                "--generate" => options.generate = Some(value),
                "--from" => options.from = Some(value.into()),
                "--count" => options.count = value.parse()?,
                "--out" => options.out = value.into(),
                _ => return Err(format!("there is no {name}").into()),
            }
        }
        if options.configs.len() < 2 {
            return Err("two configurations at least: one is compared with the others".into());
        }
        Ok(options)
    }

    /// The programs, one after the other.
    fn programs(&self) -> Result<Box<dyn Iterator<Item = Named> + '_>, Failure> {
        if let Some(line) = &self.generate {
            return Ok(Box::new((1..=self.count).map(move |seed| generate(line, seed))));
        }
        let folder =
            self.from.as_ref().ok_or("--generate or --from says where programs are from")?;
        let mut paths: Vec<PathBuf> =
            fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_, Failure>>()?;
        paths.sort();
        Ok(Box::new(paths.into_iter().map(|path| {
            let ending = path.extension().unwrap_or_default().to_string_lossy();
            let case = TestCase::single(&format!("program.{ending}"), fs::read(&path)?)?;
            Ok((path.display().to_string(), case))
        })))
    }
}

fn generate(line: &str, seed: u32) -> Named {
    let made = Command::new("sh").args(["-c", line]).env("SEED", seed.to_string()).output()?;
    if !made.status.success() {
        return Err(String::from_utf8_lossy(&made.stderr).into_owned().into());
    }
    Ok((format!("seed {seed}"), TestCase::single("program.c", made.stdout)?))
}
