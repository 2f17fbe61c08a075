//! The corpus of kernels under `fixtures/validity`: every stage of the check on the real tools, and the table
//! in `notes/measurements/validity.md` of which tool finds what. Every second valid kernel is left out, unless ignored tests run as well: all
//! of them take some minutes of two cores. After a change that is meant, write the table anew with
//! `CLREDUCE_BLESS=1 cargo test -p clreduce-interestingness-tests --test validity -- --ignored`; `CLREDUCE_ONLY=order-,valid-atomic` has
//! it look at the kernels with such names alone.
#![cfg(target_os = "linux")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clreduce_check::{
    Certainty, CheckOptions, CheckReport, Finding, FindingKind, HostKernel, KernelCheck, Question,
    StageName, Validity,
};
use clreduce_interestingness::Cancel;

/// Long enough for every kernel that ends, and instrumented, on a machine that is busy.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The limit for kernels that never end, shorter than that of others.
const TIMEOUT_OF_ENDLESS: Duration = Duration::from_secs(4);

struct Fixture {
    name: String,
    subject: HostKernel,
    /// What is wrong with it; `None` for a valid one.
    invalid: Option<FindingKind>,
}

impl Fixture {
    /// A kernel whose result depends on the order of work-items is legal, and of no use.
    fn expected(&self) -> Validity {
        match self.invalid {
            None => Validity::Valid,
            Some(kind) if kind.is_legal() => Validity::Unresolved,
            Some(_) => Validity::Invalid,
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn fixtures() -> Vec<Fixture> {
    let entries = fs::read_dir(root().join("fixtures/validity")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fixture(path)).collect()
}

fn fixture(path: &Path) -> Fixture {
    let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
    let text = fs::read_to_string(path).unwrap();
    let tag = text.lines().nth(1).unwrap().strip_prefix("// check: ").unwrap();
    let invalid = tag.split_once(' ').map(|(_, kind)| kind.parse().unwrap());
    let subject = HostKernel::new(text.as_bytes()).unwrap();
    let fixture = Fixture { name, subject, invalid };
    let verdict = match fixture.expected() {
        Validity::Valid => "valid",
        Validity::Invalid | Validity::InvalidWithChosenArguments => "invalid",
        Validity::Unresolved => "unresolved",
    };
    assert_eq!(tag.split(' ').next(), Some(verdict), "{}", fixture.name);
    fixture
}

fn options(fixture: &Fixture, cache: &Path) -> CheckOptions {
    let endless = fixture.invalid == Some(FindingKind::NonTermination);
    CheckOptions {
        timeout: if endless { TIMEOUT_OF_ENDLESS } else { TIMEOUT },
        cache: cache.to_owned(),
        ..CheckOptions::default()
    }
}

/// The findings of all stages on a fixture, none of them left out because an earlier one has found something.
fn look(fixture: &Fixture, cache: &Path) -> CheckReport {
    let options = CheckOptions { all_stages: true, ..options(fixture, cache) };
    KernelCheck::new(&options).unwrap().run(&fixture.subject, &Cancel::new())
}

/// What `sanitize` finds in a fixture if it is only asked whether anything is wrong.
fn verdict_of_sanitize(fixture: &Fixture, cache: &Path) -> Vec<Finding> {
    let sanitize = clreduce_check::prepare(StageName::Sanitize, &options(fixture, cache)).unwrap();
    let question = Question { verdict_only: true, ..Question::default() };
    sanitize.run(&fixture.subject, question, &Cancel::new()).findings
}

/// The reports on all fixtures, a few at a time; and for those that end, what `sanitize` finds if it need not say where.
fn look_at_all(fixtures: &[Fixture], cache: &Path) -> Vec<(CheckReport, Option<Vec<Finding>>)> {
    let share = fixtures.len().div_ceil(4);
    let ends = |one: &&Fixture| one.invalid != Some(FindingKind::NonTermination);
    let look = |one: &Fixture| {
        let verdict = Some(one).filter(ends).map(|one| verdict_of_sanitize(one, cache));
        (look(one, cache), verdict)
    };
    std::thread::scope(|scope| {
        let look_at = |share: &'_ [Fixture]| share.iter().map(look).collect::<Vec<_>>();
        let threads: Vec<_> =
            fixtures.chunks(share).map(|share| scope.spawn(move || look_at(share))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn all_stages_together_are_right_and_the_table_says_which_finds_what() {
    let mut valid = 0;
    look_at_corpus(|fixture| {
        valid += u32::from(fixture.invalid.is_none());
        fixture.invalid.is_some() || valid % 2 == 0
    });
}

#[test]
#[ignore = "takes some minutes of two cores"]
fn the_same_for_all_kernels() {
    let only = std::env::var("CLREDUCE_ONLY").unwrap_or_default();
    let page = look_at_corpus(|fixture| only.split(',').any(|part| fixture.name.contains(part)));
    if std::env::var_os("CLREDUCE_BLESS").is_some() {
        fs::write(root().join("notes/measurements/validity.md"), page).unwrap();
    }
}

/// Checks some of the fixtures. Returns the page with the table as it should be; where nothing is to be blessed, the page is the
/// same already.
fn look_at_corpus(mut is_chosen: impl FnMut(&Fixture) -> bool) -> String {
    let cache = tempfile::tempdir().unwrap();
    let fixtures = fixtures();
    assert!(fixtures.len() >= 209);
    let names: Vec<String> = fixtures.iter().map(|fixture| fixture.name.clone()).collect();
    let chosen: Vec<Fixture> = fixtures.into_iter().filter(|fixture| is_chosen(fixture)).collect();
    let mut wrong = Vec::new();
    let mut rows: BTreeMap<&str, String> = BTreeMap::new();
    let reports = look_at_all(&chosen, cache.path());
    for (fixture, (together, verdict)) in chosen.iter().zip(reports) {
        let named = |report: &CheckReport| {
            report.findings.iter().any(|finding| Some(finding.kind) == fixture.invalid)
        };
        if together.validity != fixture.expected() || fixture.invalid.is_some() && !named(&together)
        {
            wrong.push(format!("{}: {together:?}", fixture.name));
        }
        let refuted = together.refuted.iter().map(|refuted| &refuted.finding);
        let mut all = together.findings.iter().chain(refuted);
        let is_found = all.any(|found| stage_of(found.tool) == StageName::Sanitize);
        if let Some(verdict) = verdict.filter(|verdict| verdict.is_empty() == is_found) {
            wrong.push(format!("{}: a verdict alone is {verdict:?}", fixture.name));
        }
        let stages = StageName::ALL.iter();
        let cells: Vec<String> =
            stages.map(|&stage| cell(&together, stage, fixture.invalid)).collect();
        let (name, tag) = (&fixture.name, fixture.invalid.map_or("valid", FindingKind::name));
        rows.insert(name, format!("| {name} | {tag} | {} |", cells.join(" | ")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let written = fs::read_to_string(root().join("notes/measurements/validity.md")).unwrap();
    let (prose, table) = written.split_once(HEADER).unwrap();
    let mut true_page = format!("{prose}{HEADER}");
    for name in &names {
        let start = format!("| {name} | ");
        let known = || table.lines().find(|line| line.starts_with(&start));
        let row = rows.get(&name[..]).map(String::as_str).or_else(known);
        let _ = writeln!(true_page, "{}", row.unwrap_or_default());
    }
    if std::env::var_os("CLREDUCE_BLESS").is_none() {
        assert_eq!(written, true_page, "notes/measurements/validity.md is not what the tools say");
    }
    true_page
}

const HEADER: &str = "\
| kernel | is | compile | analyze | sanitize | simulate |
|---|---|---|---|---|---|
";

fn stage_of(tool: &str) -> StageName {
    match tool {
        "clang" | "clreduce" => StageName::Compile,
        "clang-analyzer" => StageName::Analyze,
        "Oclgrind" => StageName::Simulate,
        _ => StageName::Sanitize,
    }
}

/// A stage that names what is wrong is shown with that alone: what follows from it depends on garbage.
fn cell(report: &CheckReport, stage: StageName, invalid: Option<FindingKind>) -> String {
    let kinds = |certainty| -> BTreeSet<&str> {
        let refuted = report.refuted.iter().map(|refuted| &refuted.finding);
        let all = report.findings.iter().chain(refuted);
        let those =
            all.filter(|found| stage_of(found.tool) == stage && found.certainty == certainty);
        those.map(|finding| finding.kind.name()).collect()
    };
    let mut certain = kinds(Certainty::Certain);
    if let Some(named) = invalid.map(FindingKind::name).filter(|name| certain.contains(name)) {
        certain = BTreeSet::from([named]);
    }
    let suspected = kinds(Certainty::Suspected);
    let suspected = suspected.difference(&certain).map(|kind| format!("({kind})"));
    let words: Vec<String> =
        certain.iter().map(|kind| (*kind).to_owned()).chain(suspected).collect();
    let failed = report.failures.iter().any(|failure| stage_of(failure.tool) == stage);
    match words.is_empty() {
        true if failed => "?".to_owned(),
        true => "–".to_owned(),
        false => words.join(", "),
    }
}

/// A check of a kernel that is not a fixture.
fn check(source: &str, stages: &[StageName]) -> CheckReport {
    let cache = tempfile::tempdir().unwrap();
    let options = CheckOptions {
        stages: stages.iter().copied().collect(),
        cache: cache.path().to_owned(),
        ..CheckOptions::default()
    };
    let subject = HostKernel::new(source.as_bytes()).unwrap();
    KernelCheck::new(&options).unwrap().run(&subject, &Cancel::new())
}

#[test]
fn a_function_that_the_host_does_not_know_is_never_valid() {
    let source = "int __attribute__((overloadable)) sub_group_of_a_vendor(int);\n\
                  __kernel void entry(__global ulong *result) {\n\
                  result[0] = sub_group_of_a_vendor(3) + abs(4);\n}\n";
    let report = check(source, &[StageName::Sanitize]);
    assert_eq!(report.validity, Validity::Unresolved);
    let message = &report.failures[0].message;
    assert!(message.contains("built-in sub_group_of_a_vendor not known"), "{message}");
}

#[test]
fn a_kernel_cannot_replace_parts_of_the_run_time() {
    // With an atomic function of its own, a kernel could hide what it does.
    let source = "void CLREDUCE(atomic)(ulong a, ulong b, uint c, ulong d) {}\n\
                  __kernel void entry(__global ulong *result) { result[0] = get_global_id(0); }\n";
    for reserved in
        ["void clreduce_atomic", "#define NAME(a, b) a##b\nvoid NAME(clreduce, _atomic)"]
    {
        let source = source.replace("void CLREDUCE(atomic)", reserved);
        let report = check(&source, &[StageName::Sanitize]);
        assert_eq!(report.validity, Validity::Unresolved);
        let message = &report.failures[0].message;
        assert!(message.contains("the name `clreduce_atomic`"), "{message}");
    }
}

#[test]
fn findings_have_the_line_they_happen_on() {
    let source = "__kernel void entry(__global ulong *result) {\n  int low = 3;\n  int x = INT_MAX;\n\
                  \x20 result[get_global_id(0)] = clamp(1, low,\n    2);\n  x += 1;\n  int none[2];\n\
                  \x20 result[get_global_id(0)] += none[x & 1];\n}\n";
    let mut places: Vec<_> = check(source, &[StageName::Sanitize])
        .findings
        .iter()
        .map(|finding| (finding.kind, finding.line))
        .collect();
    places.sort();
    assert_eq!(
        places,
        [(FindingKind::SignedOverflow, Some(6)), (FindingKind::ClampRange, Some(4))]
    );
    let uninitialised = source.replace("clamp(1, low,", "max(low,").replace("x += 1", "x -= 1");
    let report = check(&uninitialised, &[StageName::Sanitize]);
    let places: Vec<_> =
        report.findings.iter().map(|finding| (finding.kind, finding.line)).collect();
    assert_eq!(places, [(FindingKind::Uninitialised, Some(7))], "{report:?}");
}

#[test]
fn sanitize_knows_the_result_where_there_is_only_one() {
    let cache = tempfile::tempdir().unwrap();
    let options = CheckOptions { cache: cache.path().to_owned(), ..CheckOptions::default() };
    let sanitize = clreduce_check::prepare(StageName::Sanitize, &options).unwrap();
    let kernel = |value: &str| {
        let source = format!(
            "// -g 2,1,1 -l 1,1,1\n__kernel void entry(__global ulong *result) {{\n  int x = 3, y[1];\n\
             \x20 result[get_global_id(0)] = {value};\n}}\n"
        );
        HostKernel::new(source.into_bytes()).unwrap()
    };
    let cancel = Cancel::new();
    let exact = kernel("x + get_global_id(0)");
    let report = sanitize.run(&exact, Question::default(), &cancel);
    let result = report.result.unwrap();
    assert!(result.is_only_right);
    assert_eq!(result.outputs[0].show(), "0x3,0x4,");
    assert!(report.checked.contains(&FindingKind::Uninitialised));
    // If that is the suspected result, nothing else matters.
    let question = Question { doubted: Some(&result.outputs), ..Question::default() };
    let ended = sanitize.run(&exact, question, &cancel);
    assert_eq!(ended.result, Some(result.clone()));
    assert!(!ended.checked.contains(&FindingKind::Uninitialised), "{ended:?}");
    // What depends on where variables lie, floating point, and a value that nothing has set.
    let cases = [("(ulong)&x", None, 1), ("(ulong)(x * 1.5)", Some(false), 0), ("y[0]", None, 1)];
    for (value, is_only_right, findings) in cases {
        let report = sanitize.run(&kernel(value), question, &cancel);
        let only_right = report.result.map(|result| result.is_only_right);
        assert_eq!((only_right, report.findings.len()), (is_only_right, findings), "{value}");
        assert!(report.checked.contains(&FindingKind::Uninitialised));
    }
}

#[test]
fn a_missing_tool_says_nothing_of_the_kernel() {
    let missing = CheckOptions { clang: Some("/nowhere/clang".into()), ..CheckOptions::default() };
    assert!(KernelCheck::new(&missing).is_err());
}
