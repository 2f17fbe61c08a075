//! Variables are used only where they are declared.

use std::collections::BTreeSet;

use clreduce_generator::{Mode, Profile, generate};

/// The first variable that a text uses after the block that declares it. A name belongs to the block in which it occurs
/// first.
fn used_too_late(text: &str) -> Option<String> {
    let mut seen = BTreeSet::new();
    let mut open = vec![BTreeSet::new()];
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len()).max(first.len_utf8());
        let (word, after) = rest.split_at(length);
        rest = after;
        match word {
            "{" => open.push(BTreeSet::new()),
            "}" => drop(open.pop()),
            _ if is_variable(word) && !open.iter().any(|block| block.contains(word)) => {
                if !seen.insert(word) {
                    return Some(word.to_owned());
                }
                open.last_mut().expect("braces in pairs").insert(word);
            }
            _ => {}
        }
    }
    None
}

/// `v` and a number. The variables of functions have other names.
fn is_variable(word: &str) -> bool {
    word.strip_prefix('v').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

#[test]
fn a_variable_is_used_in_its_block_alone() {
    assert_eq!(
        used_too_late("{ int v1 = 0; { int v2; v2 = v1; } v1 = v2; }").as_deref(),
        Some("v2")
    );
    assert_eq!(used_too_late("{ int v1 = 0; { int v2; v2 = v1; } v1 = 2; }"), None);
    for (mode, seeds) in [(Mode::Free, 130..160), (Mode::Barrier, 560..580), (Mode::All, 1..30)] {
        for seed in seeds {
            let profile =
                Profile { mode, tokens: "300..3000".parse().unwrap(), ..Profile::default() };
            let kernel = generate(seed, &profile).unwrap();
            let late = used_too_late(&kernel.source);
            assert_eq!(late, None, "{} {seed}:\n{}", mode.name(), kernel.source);
        }
    }
}
