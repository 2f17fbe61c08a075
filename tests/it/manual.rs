//! The manual names what there is, and there is what it names.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::support::{Bench, SCRIPT, stdout};

fn options(text: &str) -> BTreeSet<String> {
    let pieces = text.split("--").skip(1);
    let name = |piece: &str| -> String {
        piece.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect()
    };
    pieces.map(name).filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase())).collect()
}

#[test]
fn options_and_fields_of_the_manual_exist() {
    let bench = Bench::with_bug();
    let page = |name: &str| {
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name)).unwrap()
    };
    let known = options(&stdout(&bench.reduce(&["--help"])));
    let events = page("events.md");
    for text in [&page("manual.md"), &page("flaky.md"), &events] {
        let unknown: Vec<_> = options(text).difference(&known).cloned().collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }

    let known = options(&stdout(&bench.reduce(&["batch", "--help"])));
    let unknown: Vec<_> = options(&page("batches.md")).difference(&known).cloned().collect();
    assert!(unknown.is_empty(), "{unknown:?}");

    let mut known = options(&stdout(&bench.reduce(&["fuzz", "--help"])));
    known.extend(options(&stdout(&bench.reduce(&["run", "--help"]))));
    let unknown: Vec<_> = options(&page("campaigns.md")).difference(&known).cloned().collect();
    assert!(unknown.is_empty(), "{unknown:?}");

    bench.reduce(&["bug.c", "--test", SCRIPT, "--events", "e.jsonl", "--summary", "s"]);
    let mut fields: BTreeSet<String> = BTreeSet::new();
    for object in bench.events("e.jsonl").into_iter().chain([bench.json("s")]) {
        fields.extend(object.as_object().unwrap().keys().cloned());
    }
    let missing: Vec<_> =
        fields.iter().filter(|field| !events.contains(&format!("`{field}`"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
