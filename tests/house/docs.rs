//! Documents that explain what the code has, and links that lead somewhere.

use std::fs;
use std::path::PathBuf;

use crate::workspace::root;
use clreduce_passes::TABLE;
use regex::Regex;

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

/// The Markdown files at the root, in `docs/` and in `notes/`.
fn pages() -> Vec<PathBuf> {
    let folders = [root().to_owned(), root().join("docs"), root().join("notes")];
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}
