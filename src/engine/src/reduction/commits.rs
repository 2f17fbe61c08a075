//! The commits of a reduction, of which some are tested again.

use clreduce_interestingness::TimeLimits;
use clreduce_testcase::{ContentHash, Size, TestCase};

/// A commit is tested again once the source has taken this number of verdicts of tests since the last one that was.
const CONFIRM_EVERY: u64 = 100;

/// Tests run ahead of the verdicts that the reduction takes, by hardly more than this.
const AHEAD: usize = 50;

/// The most confirmed commits that are remembered. Each holds a whole test case.
const CONFIRMED_AT_MOST: usize = 16;

/// A variant that became the current test case.
#[derive(Debug)]
pub(super) struct Commit {
    pub case: TestCase,
    pub hash: ContentHash,
    pub size: Size,
    /// Steps of the reduction until then.
    pub steps: usize,
    /// The limits that its test needs.
    pub limits: TimeLimits,
    /// It was tested again and is interesting: the number of verdicts before that.
    confirmed: Option<usize>,
}

/// The original and the commits since, as many as are needed to find the last one that can be relied on: the confirmed
/// ones thinned out, and all after the last of those.
#[derive(Debug)]
pub(super) struct Commits {
    list: Vec<Commit>,
    /// Verdicts that the source had taken when a commit was last chosen to be tested again.
    chosen_at: u64,
}

impl Commits {
    /// The original alone.
    pub(super) fn new(original: &TestCase, limits: &TimeLimits) -> Self {
        let mut commits = Self { list: Vec::new(), chosen_at: 0 };
        commits.add(original, Size::of(original), 0, limits);
        commits
    }

    pub(super) fn add(&mut self, case: &TestCase, size: Size, steps: usize, limits: &TimeLimits) {
        let (hash, case, limits) = (case.hash(), case.clone(), limits.clone());
        self.list.push(Commit { case, hash, size, steps, limits, confirmed: None });
    }

    /// Chooses the current test case to be tested again, if that is due after this number of verdicts.
    pub(super) fn choose(&mut self, verdicts: u64) -> Option<TestCase> {
        let last =
            self.list.last().filter(|last| last.confirmed.is_none() && self.list.len() > 1)?;
        if verdicts < self.chosen_at + CONFIRM_EVERY {
            return None;
        }
        self.chosen_at = verdicts;
        Some(last.case.clone())
    }

    /// The commit at an index; 0 is the original.
    pub(super) fn at(&self, index: usize) -> &Commit {
        &self.list[index]
    }

    /// The index of the current test case.
    pub(super) fn last(&self) -> usize {
        self.list.len() - 1
    }

    /// The index of a variant, if it is the original or a commit that is remembered.
    pub(super) fn find(&self, hash: &ContentHash) -> Option<usize> {
        self.list.iter().rposition(|commit| commit.hash == *hash)
    }

    /// Takes note that a commit was tested again, after this number of verdicts, and is interesting.
    pub(super) fn confirm(&mut self, index: usize, verdicts: usize) {
        self.list[index].confirmed.get_or_insert(verdicts);
        let mut at = 0;
        self.list.retain(|commit| {
            at += 1;
            at == 1 || commit.confirmed.is_some() || at > index
        });
        let confirmed =
            self.list.iter().skip(1).filter(|commit| commit.confirmed.is_some()).count();
        if confirmed > CONFIRMED_AT_MOST {
            let mut number = 0;
            self.list.retain(|commit| {
                number += 1;
                number % 2 == 1 || commit.confirmed.is_none()
            });
        }
    }

    /// The last commit that was confirmed, or else the original.
    pub(super) fn last_confirmed(&self) -> usize {
        self.confirmed_before(usize::MAX)
    }

    /// The last commit that was confirmed well before the verdict of this number, or else the original.
    pub(super) fn confirmed_before(&self, verdict: usize) -> usize {
        let is_before = |confirmed: usize| confirmed.saturating_add(AHEAD) <= verdict;
        self.list.iter().rposition(|commit| commit.confirmed.is_some_and(is_before)).unwrap_or(0)
    }

    /// Forgets what came after a commit.
    pub(super) fn go_back(&mut self, index: usize) {
        self.list.truncate(index + 1);
        let steps = self.list[index].steps;
        self.list[index].confirmed.get_or_insert(steps);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(number: usize) -> TestCase {
        TestCase::single("a.c", format!("{number}").into_bytes()).unwrap()
    }

    #[test]
    fn the_current_test_case_is_chosen_at_a_steady_rate() {
        let none = TimeLimits::new();
        let mut commits = Commits::new(&case(0), &none);
        let mut chosen = Vec::new();
        for verdicts in 1..=1000 {
            if verdicts % 30 == 0 {
                commits.add(&case(verdicts as usize), Size::of(&case(0)), verdicts as usize, &none);
            }
            if let Some(case) = commits.choose(verdicts) {
                let index = commits.find(&case.hash()).unwrap();
                assert_eq!(index, commits.last());
                commits.confirm(index, verdicts as usize);
                chosen.push(verdicts);
            }
        }
        assert_eq!(chosen.len(), 10, "{chosen:?}");
        let is_confirmed = commits.at(commits.last()).confirmed.is_some();
        assert_eq!(commits.choose(100_000).is_some(), !is_confirmed);
    }

    #[test]
    fn few_commits_are_remembered_and_all_since_the_last_that_was_confirmed() {
        let none = TimeLimits::new();
        let mut commits = Commits::new(&case(0), &none);
        for number in 1..=1000 {
            commits.add(&case(number), Size::of(&case(number)), number, &none);
            if number % 10 == 0 && number <= 900 {
                commits.confirm(commits.last(), number);
            }
        }
        assert!((105..=120).contains(&commits.last()), "{}", commits.last());
        assert_eq!(commits.at(0).case, case(0));
        assert_eq!(commits.at(commits.last() - 99).case, case(901));
        assert_eq!(commits.at(commits.last_confirmed()).case, case(900));
        assert!(commits.confirmed_before(900) < commits.last_confirmed());
        assert_eq!(commits.at(commits.confirmed_before(950)).case, case(900));
        commits.go_back(commits.last() - 50);
        assert_eq!(commits.at(commits.last()).case, case(950));
        assert_eq!(commits.last_confirmed(), commits.last());
    }
}
