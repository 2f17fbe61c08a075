//! What each pass alone makes of a program of its own. A last line `// keep: a | b` names what every
//! variant must have in it to be interesting.

use std::fs;
use std::path::Path;

use clreduce_passes::harness::spelled;
use clreduce_passes::{Pass, Snapshot, TABLE};
use clreduce_testcase::{Language, Patch, Size, SourceFile, TestCase};

#[test]
fn every_pass_reduces_its_fixture() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        // A pass may stand in several rows.
        let row = TABLE.iter().find(|row| row.pass.name() == name);
        let pass = row.unwrap_or_else(|| panic!("no pass is called {name}")).pass;
        let fixture = Fixture::read(&path);
        let result = fixture.reduce(pass);
        assert_ne!(result, fixture.case, "{name} does nothing with its fixture");
        insta::assert_snapshot!(name, fixture.report(&result));
    }
}

struct Fixture {
    case: TestCase,
    language: Language,
    keep: Vec<String>,
}

impl Fixture {
    fn read(path: &Path) -> Self {
        let paths = match path.is_dir() {
            true => fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect(),
            false => vec![path.to_owned()],
        };
        let (mut files, mut keep, mut language) = (Vec::new(), Vec::new(), Language::C);
        for path in paths {
            let mut text = fs::read_to_string(&path).unwrap();
            if let Some(at) = text.rfind("// keep:") {
                keep = text[at + 8..].split(" | ").map(spelled).collect();
                text.truncate(at);
            }
            if path.extension().is_some_and(|extension| extension == "cl") {
                language = Language::OpenCl;
            }
            if path.extension().is_some_and(|extension| extension == "cu") {
                language = Language::Cuda;
            }
            let name = path.file_name().unwrap().to_str().unwrap();
            files.push(SourceFile { path: name.into(), bytes: text.into_bytes().into() });
        }
        let keep = keep.iter().map(|needle: &String| needle.trim().to_owned()).collect();
        Self { case: TestCase::new(files).unwrap(), language, keep }
    }

    fn interesting(&self, variant: &TestCase) -> bool {
        let text: String = variant.files().iter().map(|file| spelled(text(file))).collect();
        self.keep.iter().all(|needle| text.contains(needle))
    }

    /// Accepts every proposal that keeps what must be kept, one after the other, to a fixpoint.
    fn reduce(&self, pass: &dyn Pass) -> TestCase {
        let mut case = self.case.clone();
        loop {
            let snapshot = Snapshot::new(case.clone(), self.language);
            let (mut accepted, mut best) = (Patch::default(), case.clone());
            for proposal in pass.propose(&snapshot) {
                let Some(union) = accepted.union(&proposal.patch) else { continue };
                let variant = case.apply(&union);
                let order = Size::of(&variant).cmp(&Size::of(&best));
                let order = order.then_with(|| Size::tie_break(&variant, &best));
                // Layout is no smaller; it must only come to an end.
                let better = order.is_lt() || (order.is_eq() && variant != best);
                if better && self.interesting(&variant) {
                    (accepted, best) = (union, variant);
                }
            }
            if accepted.is_empty() {
                return case;
            }
            case = best;
        }
    }

    fn report(&self, result: &TestCase) -> String {
        let tokens = |case: &TestCase| Size::of(case).tokens;
        let mut report = format!("{} tokens -> {}\n", tokens(&self.case), tokens(result));
        for file in result.files() {
            report.push_str(&format!("--- {}\n{}", file.path, text(file)));
        }
        report
    }
}

fn text(file: &SourceFile) -> &str {
    std::str::from_utf8(&file.bytes).unwrap()
}
