//! Documents that are made from the code, and links that lead somewhere.
//!
//! `BLESS=1 cargo test --test docs` writes what is made.

mod workspace;

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use clreduce_passes::{Explore, Phase, Row, TABLE};
use clreduce_testcase::Language;
use regex::Regex;
use workspace::{root, sources};

const PHASES: [(Phase, &str); 6] = [
    (Phase::Prepare, "Once at the start: what makes every later test cheaper."),
    (Phase::Sweep, "After every turn that made the program smaller: what is of no use any more."),
    (Phase::Coarse, "Whole declarations and function bodies. One turn each."),
    (
        Phase::Fine,
        "Statements, names, lists, expressions. Repeated until all of it changes nothing.",
    ),
    (Phase::Polish, "Literals and tokens, and what spoils the structure for other passes."),
    (
        Phase::Finish,
        "Once at the very end: names and layout for a person. Only tokens must not become more.",
    ),
];

const INTRODUCTION: &str = "\
# Passes

Made from the table in `passes/src/table.rs`; `clreduce --list-passes` prints the same. To change this
page, change the table or a pass and run `BLESS=1 cargo test --test docs`.

A pass proposes; the engine decides what is asked. *Groups*: all proposals together, then ever smaller
groups from the end of the list. *Groups from 1/8*: as long as a group is an eighth of the program at least, and only in
programs of 1,000 tokens or more. *Biggest first*: one by one, the one that removes most first. *Pump*: one by
one, also where it grows the program, which the fine passes must then make smaller than it was. Coarse, fine and
polish start over until a full round changes nothing. The file behind a name shows what the program is
before and after the pass.
";

fn page() -> String {
    let mut page = INTRODUCTION.to_owned();
    for (phase, about) in PHASES {
        let rows: Vec<&Row> = TABLE.iter().filter(|row| row.phase == phase).collect();
        // Writing to a string cannot fail.
        let _ = write!(page, "\n## {phase:?}\n\n{about}\n\n");
        page.push_str("| pass | languages | explored | what it does |\n|---|---|---|---|\n");
        for row in rows {
            let name = row.pass.name();
            let explored = match row.explore {
                Explore::Groups => "groups".to_owned(),
                Explore::LargeGroups(part) => format!("groups from 1/{part}"),
                Explore::AllOrLargeGroups(part) => format!("all, then groups from 1/{part}"),
                Explore::BiggestFirst => "biggest first".to_owned(),
                Explore::Pump => "pump".to_owned(),
            };
            let (file, languages) = (file_of(name), languages(row));
            let about = row.pass.about();
            let _ = writeln!(page, "| [{name}](../{file}) | {languages} | {explored} | {about} |");
        }
    }
    page
}

fn languages(row: &Row) -> String {
    let languages = row.pass.languages();
    if languages.len() == Language::ALL.len() {
        return "all".to_owned();
    }
    languages.iter().map(|language| language.name()).collect::<Vec<_>>().join(", ")
}

/// The file that a pass is in.
fn file_of(name: &str) -> String {
    let quoted = format!("\"{name}\"");
    let has_it = |text: &str| text.contains("impl Pass for") && text.contains(&quoted);
    let sources = sources();
    let mut files = sources.iter().filter(|source| source.is_in(&["passes/src/"]));
    let file = files.find(|source| has_it(&source.text));
    file.unwrap_or_else(|| panic!("no file has the pass {name}")).path.clone()
}

#[test]
fn passes_are_documented_as_they_are() {
    let shown: usize = PHASES.iter().map(|(phase, _)| rows_of(*phase)).sum();
    assert_eq!(shown, TABLE.len(), "a phase is missing in this test");
    let path = root().join("docs/passes.md");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, page()).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
    assert_eq!(found, page(), "docs/passes.md is stale: run BLESS=1 cargo test --test docs");
}

fn rows_of(phase: Phase) -> usize {
    TABLE.iter().filter(|row| row.phase == phase).count()
}

#[test]
fn links_lead_somewhere() {
    let link = Regex::new(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)").unwrap();
    let mut checked = 0;
    let mut dead = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for found in link.captures_iter(&text) {
            checked += 1;
            if !page.parent().unwrap().join(&found[1]).exists() {
                dead.push(format!("{}: {}", page.display(), &found[1]));
            }
        }
    }
    assert!(dead.is_empty(), "{}", dead.join("\n"));
    assert!(checked > 0, "links are found");
}

/// The Markdown files at the root, in `docs/` and in `notes/`.
fn pages() -> Vec<PathBuf> {
    let folders = [root().to_owned(), root().join("docs"), root().join("notes")];
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}
