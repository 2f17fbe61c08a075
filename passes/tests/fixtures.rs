//! The fixtures: a program for each pass, and what the pass alone makes of it.
//!
//! `BLESS=1 cargo test -p clreduce-passes --test fixtures` writes the results into the fixtures.

use std::fs;
use std::path::{Path, PathBuf};

use clreduce_passes::harness::{Fixture, original, spelled};
use clreduce_passes::{Pass, Proposals, TABLE};
use clreduce_testcase::{Language, Patch, Size, SourceFile, TestCase};

#[test]
fn every_pass_reduces_its_fixture() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut wrong = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        // A fixture without a pass is a matter for the test of the three files.
        let Some(row) = clreduce_passes::find(name) else { continue };
        wrong.extend(check(&Example::read(&path), row.pass));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// CUDA and C++ for OpenCL extend C++: what a pass makes of a program that has nothing of them in it is the same.
#[test]
fn programs_in_cpp_are_the_same_in_what_extends_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut count = 0;
    for path in paths.filter(|path| path.extension().is_some_and(|ending| ending == "cpp")) {
        let row = clreduce_passes::find(path.file_stem().unwrap().to_str().unwrap()).unwrap();
        let name = row.pass.name;
        for language in [Language::CUDA, Language::OPENCL_CPP] {
            assert!(row.applies_to(language), "{name} leaves {language} out");
            let example = Example { language, ..Example::read(&path) };
            assert_eq!(
                Some(example.report(&example.reduce(row.pass)).trim_end()),
                example.becomes.as_deref().map(str::trim_end),
                "{name} in {language}"
            );
        }
        count += 1;
    }
    assert!(count > 20, "{count} fixtures");
}

#[test]
fn a_fixture_without_a_result_says_which_lines_to_write() {
    let row = TABLE.iter().find(|row| row.pass.name == "comments").unwrap();
    let path = PathBuf::from("passes/fixtures/comments.cl");
    let example = |text: &str| Example::of(&path, Language::OPENCL, &[("comments.cl", text)], None);
    let missing = check(&example("int x; /* no */\n// keep: x\n"), row.pass).unwrap();
    assert!(missing.starts_with("passes/fixtures/comments.cl"), "{missing}");
    assert!(missing.ends_with("\n// becomes: 3 tokens -> 3\nint x;"), "{missing}");
    let idle = check(&example("int x;\n// keep: x\n"), row.pass).unwrap();
    assert!(idle.contains("does nothing"), "{idle}");
    let right = example("int x; /* no */\n// keep: x\n// becomes: 3 tokens -> 3\nint x; \n");
    assert_eq!(check(&right, row.pass), None);
}

/// A fixture as files: what a pass is tried on, and where the expected result is written.
struct Example {
    /// The fixture, and the file of it that holds the expected result.
    path: PathBuf,
    language: Language,
    case: TestCase,
    keep: Vec<String>,
    becomes: Option<String>,
}

/// The name of the file in the folder of a fixture of several files that holds the expected result.
const RESULT: &str = "becomes";

impl Example {
    fn read(path: &Path) -> Self {
        let read = |path: &Path| fs::read_to_string(path).unwrap().replace("\r\n", "\n");
        let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        if !path.is_dir() {
            let language = match path.extension().and_then(|extension| extension.to_str()) {
                Some("cl") => Language::OPENCL,
                Some("cu") => Language::CUDA,
                Some("cpp") => Language::CPP,
                Some("txt") => Language::TEXT,
                Some("ll") => Language::LLVM,
                Some("ptx") => Language::PTX,
                Some("py") => Language::PYTHON,
                Some("rs") => Language::RUST,
                _ => Language::C,
            };
            return Self::of(path, language, &[(&name(path), &read(path))], None);
        }
        let paths = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
        let files: Vec<_> = paths.map(|path| (name(&path), read(&path))).collect();
        let sources = files.iter().filter(|(name, _)| name != RESULT);
        let sources: Vec<_> = sources.map(|(name, text)| (&**name, &**text)).collect();
        let result = files.iter().find(|(name, _)| name == RESULT).map(|(_, text)| text.clone());
        Self::of(&path.join(RESULT), Language::C, &sources, result)
    }

    fn of(
        path: &Path,
        language: Language,
        files: &[(&str, &str)],
        mut becomes: Option<String>,
    ) -> Self {
        let (mut sources, mut keep) = (Vec::new(), Vec::new());
        for (name, text) in files {
            let fixture = Fixture::parse(text);
            let bytes = fixture.program.clone().into_bytes();
            sources.push(SourceFile { path: (*name).into(), bytes: bytes.into() });
            becomes = becomes.or_else(|| fixture.becomes.clone());
            keep.extend(fixture.keep);
        }
        let case = TestCase::new(sources).unwrap().in_language(Some(language));
        Self { path: path.to_owned(), language, case, keep, becomes }
    }

    /// Accepts every proposal that keeps what must be kept, one after the other, to a fixpoint.
    fn reduce(&self, pass: &Pass) -> TestCase {
        let mut case = self.case.clone();
        loop {
            let snapshot = original(case.clone(), self.language);
            let (mut accepted, mut best) = (Patch::default(), case.clone());
            for proposal in Proposals::of(pass, &snapshot).list {
                let Some(union) = accepted.union(&proposal.patch) else { continue };
                let variant = case.apply(&union);
                let order = Size::of(&variant).cmp(&Size::of(&best));
                let order = order.then_with(|| Size::tie_break(&variant, &best));
                // Layout is no smaller; it must only come to an end.
                let better = order.is_lt() || (order.is_eq() && variant != best);
                if better && self.is_interesting(&variant) {
                    (accepted, best) = (union, variant);
                }
            }
            if accepted.is_empty() {
                return case;
            }
            case = best;
        }
    }

    fn is_interesting(&self, variant: &TestCase) -> bool {
        let text: String = variant.files().iter().map(|file| spelled(text(file))).collect();
        self.keep.iter().all(|needle| text.contains(needle))
    }

    /// The rest of the program, as it is written in a fixture.
    fn report(&self, result: &TestCase) -> String {
        let tokens = |case: &TestCase| Size::of(case).tokens;
        let mut report = format!("{} tokens -> {}\n", tokens(&self.case), tokens(result));
        for file in result.files() {
            if self.is_folder() {
                report.push_str(&format!("--- {}\n", file.path));
            }
            report.push_str(text(file));
        }
        report
    }

    fn is_folder(&self) -> bool {
        self.path.ends_with(RESULT)
    }
}

/// Says what is wrong with a fixture, if anything is.
fn check(example: &Example, pass: &Pass) -> Option<String> {
    let name = pass.name;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let path = example.path.strip_prefix(root).unwrap_or(&example.path).display();
    let result = example.reduce(pass);
    if result == example.case {
        return Some(format!("{path}: the pass {name} does nothing with this program"));
    }
    let report = example.report(&result);
    let report = report.trim_end();
    if std::env::var_os("BLESS").is_some() && example.path.is_absolute() {
        let text = if example.is_folder() {
            format!("{report}\n")
        } else {
            let old = fs::read_to_string(&example.path).unwrap();
            Fixture::with_result(&old, &format!("{report}\n"))
        };
        fs::write(&example.path, text).unwrap();
        return None;
    }
    let lines = Fixture::with_result("", report);
    match example.becomes.as_deref().map(str::trim_end) {
        Some(expected) if expected == report => None,
        Some(expected) => Some(format!(
            "{path}: the pass {name} leaves something else\nexpected:\n{expected}\nfound:\n{report}"
        )),
        None => Some(format!(
            "{path} does not say what the pass {name} leaves. If this is right, append these lines, or \
             run BLESS=1 cargo test -p clreduce-passes --test fixtures:\n{lines}"
        )),
    }
}

fn text(file: &SourceFile) -> &str {
    std::str::from_utf8(&file.bytes).unwrap()
}
