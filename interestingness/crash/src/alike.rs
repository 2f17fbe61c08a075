//! Crashes that are the same bug, although one is that of a whole compiler and the other that of a part of it alone.

use crate::{Message, function, message, stack};

/// Returns true if two crashes are the same bug: they have the same message that names it, or they are in the same function, or,
/// where neither says that, they say the same.
#[must_use]
pub fn is_alike(one: &str, other: &str) -> bool {
    match (said(one), said(other)) {
        (Some((first, true)), Some((second, true))) => first == second,
        (first, second) => {
            let places = (place(one), place(other));
            places.0 == places.1 && (places.0.is_some() || first == second)
        }
    }
}

/// The message, and whether it names the bug.
fn said(output: &str) -> Option<(String, bool)> {
    let Message { text, names_the_bug } = output.lines().find_map(message)?;
    // A driver says it in other words than a part of it.
    let text = text.trim_start_matches("LLVM ERROR: ");
    let text = text.trim_start_matches("error: error in backend: ");
    Some((text.to_owned(), names_the_bug))
}

/// The function that crashed, or those that repeat.
fn place(output: &str) -> Option<String> {
    match stack::repeated(output) {
        Some(names) => Some(names.join(", ")),
        None => function(output),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_alone_says_the_same_in_other_words() {
        let driver = "fatal error: error in backend: Cannot select: t12\nPLEASE submit a bug report\n2.\tCode generation\n";
        let alone = "LLVM ERROR: Cannot select: t12\nPLEASE submit a bug report\n";
        assert!(is_alike(driver, alone));
        assert!(!is_alike(driver, &alone.replace("select", "lower")));
        let crash = |phase: &str, function: &str| {
            format!("{phase}\n #1 0x2 llvm::{function}(int) (/lib/libLLVM.so+0x2)\n")
        };
        assert!(is_alike(&crash("2.\tOptimizer", "f"), &crash("", "f")));
        assert!(!is_alike(&crash("2.\tOptimizer", "f"), &crash("2.\tOptimizer", "g")));
        assert!(is_alike("2.\tOptimizer\n", ""));
    }
}
