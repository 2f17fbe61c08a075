//! Documents that explain what the code has, links that lead somewhere, and pages that stay short.

use std::fs;
use std::path::{Path, PathBuf};

use crate::workspace::{relative, root};
use clreduce_passes::TABLE;
use regex::Regex;

/// A page of `docs/` is about one subject, and has at most this number of words.
const MOST_WORDS: usize = 1_500;
/// All pages of `docs/` together.
const MOST_WORDS_TOGETHER: usize = 30_000;
/// Pages with a limit of their own: the map of the code, the manual, and pages that are mainly a table.
const LONGER: [(&str, usize); 3] = [
    ("ARCHITECTURE.md", 2_500),
    ("docs/generator-constructs.md", 2_500),
    ("docs/manual.md", 4_000),
];

/// Every phase and every way to explore proposals that is in use stands in `docs/passes.md`.
#[test]
fn the_page_of_passes_explains_the_table() {
    let page = fs::read_to_string(root().join("docs/passes.md")).unwrap();
    for row in TABLE {
        let (phase, policy) = (format!("**{:?}**", row.phase), format!("*{}*", row.policy));
        assert!(page.contains(&phase), "docs/passes.md does not explain the phase {phase}");
        assert!(page.contains(&policy), "docs/passes.md does not explain the policy {policy}");
    }
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

#[test]
fn pages_for_users_and_the_map_are_short() {
    let mut together = 0;
    let mut wrong = Vec::new();
    for page in pages_in("docs").into_iter().chain([root().join("ARCHITECTURE.md")]) {
        let path = relative(&page);
        let words = fs::read_to_string(&page).unwrap().split_whitespace().count();
        let own_limit = LONGER.iter().find(|(longer, _)| *longer == path);
        let most = own_limit.map_or(MOST_WORDS, |(_, most)| *most);
        if words > most {
            wrong.push(format!("{path}: {words} words, {most} at most; split it by subject"));
        }
        if path.starts_with("docs/") {
            together += words;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(together > 0, "pages are found");
    assert!(together <= MOST_WORDS_TOGETHER, "docs/ has {together} words");
    for (path, _) in LONGER {
        assert!(root().join(path).exists(), "{path} is gone: take it out of this test");
    }
}

/// The Markdown files at the root, in `docs/` and in `notes/`.
fn pages() -> Vec<PathBuf> {
    let folders = ["", "docs", "notes", "notes/measurements"];
    folders.iter().flat_map(|folder| pages_in(folder)).collect()
}

/// The Markdown files in a folder of the project.
fn pages_in(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let is_page = |path: &PathBuf| Path::extension(path).is_some_and(|ending| ending == "md");
    paths.filter(is_page).collect()
}
