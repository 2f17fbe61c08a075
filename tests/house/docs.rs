//! Documents that explain what the code has, links that lead somewhere, pages that stay short, and the order of the book.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::workspace::{relative, root};
use clreduce_passes::TABLE;
use regex::Regex;

/// A page of `docs/` is about one subject, and has at most this number of words.
const MOST_WORDS: usize = 1_500;
/// All pages of `docs/` together.
const MOST_WORDS_TOGETHER: usize = 30_000;
/// The map of the code has a limit of its own.
const LONGER: [(&str, usize); 1] = [("ARCHITECTURE.md", 2_500)];

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
    let link = Regex::new(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)").unwrap();
    let mut checked = 0;
    let mut dead = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for found in link.captures_iter(&text) {
            checked += 1;
            let to = match &found[1] {
                "" => page.clone(),
                path => page.parent().unwrap().join(path),
            };
            let is_there = match found.get(2) {
                Some(anchor) => to.is_file() && anchors(&to).contains(anchor.as_str()),
                None => to.exists(),
            };
            if !is_there {
                dead.push(format!("{}: {}", page.display(), &found[0]));
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

/// What a link to a heading of a page is called: words in small letters, joined by `-`, and numbered from the second on.
fn anchors(page: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(page).unwrap();
    let code = Regex::new(r"(?ms)^```.*?^```$").unwrap();
    let heading = Regex::new(r"(?m)^#+ (.*)$").unwrap();
    let link = Regex::new(r"\[([^\]]*)\]\([^)]*\)").unwrap();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let text = code.replace_all(&text, "");
    let names = heading.captures_iter(&text).map(|found| {
        let title = link.replace_all(&found[1], "$1").to_lowercase();
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
        let name = title.chars().filter(kept).collect::<String>().replace(' ', "-");
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        if *count == 1 { name } else { format!("{name}-{}", *count - 1) }
    });
    names.collect()
}

/// The table of contents has every page once, and the program has the pages in the same order for `clreduce help`.
#[test]
fn the_book_and_the_program_have_every_page() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let entry = Regex::new(r"\]\(([^)]+)\)").unwrap();
    let summary = read("docs/SUMMARY.md");
    let entries: Vec<&str> =
        entry.captures_iter(&summary).map(|found| found.get(1).unwrap().as_str()).collect();
    let name = |page: &PathBuf| page.file_name().unwrap().to_str().unwrap().to_owned();
    let mut pages: Vec<String> = pages_in("docs").iter().map(name).collect();
    pages.retain(|page| page != "SUMMARY.md");
    pages.sort();
    let mut sorted = entries.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, pages, "docs/SUMMARY.md (left) and the pages of docs/ (right)");
    let shown = Regex::new(r#"(?m)^    "([a-z-]+)",$"#).unwrap();
    let program = read("src/main.rs");
    let shown: Vec<String> =
        shown.captures_iter(&program).map(|found| format!("{}.md", &found[1])).collect();
    assert_eq!(shown, entries[1..], "src/main.rs (left) and docs/SUMMARY.md (right)");
}

/// A page begins with a title, and with a sentence that says whom it is for.
#[test]
fn the_first_sentence_of_a_page_says_whom_it_is_for() {
    for page in pages_in("docs") {
        let text = fs::read_to_string(&page).unwrap();
        let mut parts = text.splitn(3, "\n\n");
        let (title, first) = (parts.next().unwrap(), parts.next().unwrap());
        assert!(title.starts_with("# "), "{}", page.display());
        let says = first.starts_with("For ") && first.contains(':');
        assert!(says || relative(&page) == "docs/SUMMARY.md", "{}: {first}", page.display());
    }
}

/// The Markdown files at the root, in `docs/` and in `notes/`.
fn pages() -> Vec<PathBuf> {
    let folders = ["", "docs", "notes", "notes/measurements", "python"];
    folders.iter().flat_map(|folder| pages_in(folder)).collect()
}

/// The Markdown files in a folder of the project.
fn pages_in(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let is_page = |path: &PathBuf| Path::extension(path).is_some_and(|ending| ending == "md");
    paths.filter(is_page).collect()
}
