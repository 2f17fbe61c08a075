//! Halving with growth, from the end of the list to its front.
//!
//! Later code uses earlier code, so what stands last goes first. A group that can go makes the next one
//! twice as large; one that cannot is cut to a quarter. Asked least, or no more than the least, of all
//! searches measured on lists of declarations and statements (`notes/search.md`).

use std::sync::Arc;

/// State of the search: items before `end` are undecided.
#[derive(Clone, Debug)]
pub struct Groups {
    items: Arc<[u32]>,
    end: usize,
    group: usize,
}

impl Groups {
    /// A search over these items, in the order of the list; the first group is all of them.
    #[must_use]
    pub fn new(items: Vec<u32>) -> Self {
        let group = items.len();
        Self { end: items.len(), items: items.into(), group }
    }

    /// The items to try next, together.
    #[must_use]
    pub fn next(&self) -> &[u32] {
        &self.items[self.end - self.group.min(self.end)..self.end]
    }

    /// Takes the answer.
    pub fn answer(&mut self, interesting: bool) {
        let tried = self.next().len();
        if interesting {
            self.end -= tried;
            self.group = tried * 2;
        } else if tried > 1 {
            self.group = (tried / 4).max(1);
        } else {
            self.end -= tried;
            self.group = 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the search; `needed` items cannot go. Returns what is left and how often it asked.
    fn run(count: u32, needed: &[u32]) -> (Vec<u32>, usize) {
        let mut search = Groups::new((0..count).collect());
        let (mut left, mut asked) = ((0..count).collect::<Vec<_>>(), 0);
        while !search.next().is_empty() {
            let group = search.next().to_vec();
            let interesting = !group.iter().any(|item| needed.contains(item));
            if interesting {
                left.retain(|item| !group.contains(item));
            }
            search.answer(interesting);
            asked += 1;
        }
        (left, asked)
    }

    #[test]
    fn keeps_exactly_what_is_needed() {
        for needed in [&[][..], &[0], &[7, 8, 500], &[999]] {
            assert_eq!(run(1000, needed).0, needed);
        }
        assert_eq!(run(0, &[]), (vec![], 0));
    }

    #[test]
    fn asks_once_when_all_can_go_and_few_times_for_few_needed() {
        assert_eq!(run(1000, &[]).1, 1);
        assert!(run(1000, &[500]).1 <= 30, "{}", run(1000, &[500]).1);
    }
}
