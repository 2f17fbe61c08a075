//! The table of passes and the headers of their files agree.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use clreduce_passes::harness::{original, reduce_with};
use clreduce_passes::{Pass, Proposals, TABLE};
use clreduce_testcase::{Language, Patch, TestCase};

/// Passes over several files or over deep nests, of which a header shows no example.
const WITHOUT_EXAMPLE: [&str; 3] = ["files", "own-headers", "nesting"];

#[test]
fn names_are_unique_and_sentences_are_sentences() {
    let mut seen = HashSet::new();
    for row in TABLE {
        let (name, about) = (row.pass.name, row.pass.about);
        assert!(seen.insert((name, row.phase, row.policy)), "{name} stands in the table twice");
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        assert!(
            name.bytes().all(plain) && !name.starts_with('-') && !name.ends_with('-'),
            "{name}"
        );
        assert!(about.starts_with(|first: char| first.is_ascii_uppercase()), "{name}: {about}");
        assert!(
            !about.contains('\n') && !about.ends_with('.') && about.len() < 90,
            "{name}: {about}"
        );
        assert!(row.pass.languages().next().is_some(), "{name} knows no language");
    }
}

#[test]
fn what_a_header_shows_is_what_the_pass_does() {
    let files = sources(&root().join("src"));
    let mut shown = HashSet::new();
    for row in TABLE {
        let name = row.pass.name;
        if WITHOUT_EXAMPLE.contains(&name) || !shown.insert(name) {
            continue;
        }
        let quoted = format!("\"{name}\"");
        let file = files.iter().find(|(path, text)| {
            !path.ends_with("table.rs") && text.contains("Pass::new(") && text.contains(&quoted)
        });
        let (_, text) = file.unwrap_or_else(|| panic!("no file has the pass {name}"));
        let (before, language) = example(text, "before:", name);
        let (after, _) = example(text, "after:", name);
        assert!(row.applies_to(language), "{name} does not know the language of its example");
        let mut results = outcomes(row.pass, &before, language);
        if name == "format" {
            results.retain(|result| result.trim_end() == after.trim_end());
            assert!(!results.is_empty(), "{name} does not do what its header shows");
        } else {
            let dense = |text: &str| text.split_whitespace().collect::<String>();
            assert!(
                results.iter().any(|result| dense(result) == dense(&after)),
                "{name} makes of {before:?} not {after:?} but {results:#?}"
            );
        }
    }
}

/// All that a pass can be said to make of a program: by any of its proposals (of the first few, by any
/// of them together), or by everything until nothing is left to do.
fn outcomes(pass: &Pass, before: &str, language: Language) -> Vec<String> {
    let case = TestCase::single("example", before.as_bytes()).unwrap();
    let proposals = Proposals::of(pass, &original(case.clone(), language)).list;
    let few = &proposals[..proposals.len().min(8)];
    let together = (1..1_u32 << few.len()).filter_map(|chosen| {
        let chosen = few.iter().enumerate().filter(|(index, _)| chosen >> index & 1 == 1);
        Patch::new(chosen.flat_map(|(_, proposal)| proposal.patch.edits()).cloned().collect())
    });
    let patches = proposals.iter().map(|proposal| proposal.patch.clone()).chain(together);
    let text =
        |patch: Patch| String::from_utf8(case.apply(&patch).files()[0].bytes.to_vec()).unwrap();
    let mut outcomes: Vec<String> = patches.map(text).collect();
    outcomes.push(reduce_with(pass, before, language, |_| true));
    outcomes
}

/// The fenced block of a file's header that follows a line.
fn example(source: &str, heading: &str, name: &str) -> (String, Language) {
    let mut header = source.lines().map_while(|line| line.strip_prefix("//!"));
    let found = header.by_ref().any(|line| line.trim() == heading);
    let fence = header.next().unwrap_or_default().trim();
    assert!(found && fence.starts_with("```"), "the header of {name} has no example `{heading}`");
    let language = match &fence[3..] {
        "cl" => Language::OPENCL,
        "cu" => Language::CUDA,
        "cpp" => Language::CPP,
        "c" => Language::C,
        "json" => Language::JSON,
        "llvm" => Language::LLVM,
        "ptx" => Language::PTX,
        _ => Language::TEXT,
    };
    let lines = header.take_while(|line| line.trim() != "```");
    let lines: Vec<&str> = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    (lines.join("\n"), language)
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else {
            let text = fs::read_to_string(&path).unwrap();
            files.push((path, text));
        }
    }
    files
}
