//! Answers: what an action says, as it writes them into its folder. They come from other machines, so nothing in them
//! is taken for granted.

use clreduce_interestingness::{FirstRun, Outcome, TimeLimits};
use clreduce_recipe::Calibration;
use clreduce_testcase::{ContentHash, TestCase};
use serde::{Deserialize, Serialize};

use crate::fingerprint::Fingerprint;

/// Exit status of an action that found other tools than the order expects.
pub(crate) const OTHER_TOOLS: u8 = 3;
/// Exit status of an action that has no answer for another reason.
pub(crate) const NO_ANSWER: u8 = 4;

/// The order and the variant that an answer is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AskedAbout {
    order: String,
    variant: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Answer {
    pub question: AskedAbout,
    pub says: Says,
}

/// The content of an answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Says {
    /// The tools of the machine, and the sandbox that it has for tests or the reason why it has none.
    Tools { fingerprint: Fingerprint, sandbox: String, without: Option<String> },
    /// The first run of a command on the original.
    Original(Box<FirstRun>),
    /// The calibration of a recipe.
    Calibrated(Box<Calibrated>),
    /// A verdict.
    Judged(Box<Outcome>),
    /// The original does not show the bug under the recipe.
    NotShown(String),
    /// A check of the recipe calls the original invalid.
    Invalid(String),
    /// Nothing can be judged on this machine, for this reason.
    Unfit(String),
    /// The machine has other tools than those that the order expects.
    OtherTools(Fingerprint),
    /// The test was not run.
    NotRun(String),
}

/// The calibration of a recipe, and what a person is told about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Calibrated {
    pub calibration: Calibration,
    pub part_limits: TimeLimits,
    pub warnings: Vec<String>,
    pub unchecked: Option<String>,
    /// The devices that the recipe uses, with their drivers.
    pub devices: Vec<String>,
}

/// The reason why an answer cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    OtherTools(Fingerprint),
    Because(String),
}

impl AskedAbout {
    /// The question about a variant. `order` is the text of the order.
    pub(crate) fn new(order: &[u8], variant: &TestCase) -> Self {
        let order = ContentHash::of(order).to_string();
        Self { order, variant: variant.hash().to_string() }
    }
}

impl Answer {
    /// Reads the answer to a question.
    ///
    /// # Errors
    /// An answer that cannot be read, or answers another question, is an error.
    pub(crate) fn read(
        bytes: &[u8],
        exit_code: i32,
        question: &AskedAbout,
    ) -> Result<Says, NoAnswer> {
        let answer: Self = serde_json::from_slice(bytes)
            .map_err(|error| NoAnswer::Because(format!("its answer cannot be read: {error}")))?;
        match answer.says {
            // Such a machine need not know anything else.
            Says::OtherTools(found) => return Err(NoAnswer::OtherTools(found)),
            Says::NotRun(why) => return Err(NoAnswer::Because(why)),
            _ => {}
        }
        if answer.question != *question {
            return Err(NoAnswer::Because("its answer is about another variant".to_owned()));
        }
        if exit_code != 0 {
            return Err(NoAnswer::Because(format!("it ended with exit status {exit_code}")));
        }
        Ok(answer.says)
    }
}

#[cfg(test)]
mod tests {
    use clreduce_interestingness::Verdict;

    use super::*;

    fn question(text: &str) -> AskedAbout {
        AskedAbout::new(b"order", &TestCase::single("a.c", text.as_bytes()).unwrap())
    }

    #[test]
    fn only_the_answer_to_the_question_counts() {
        let says = Says::Judged(Box::new(Outcome::from(Verdict::Interesting)));
        let bytes = serde_json::to_vec(&Answer { question: question("a"), says }).unwrap();
        assert!(matches!(Answer::read(&bytes, 0, &question("a")), Ok(Says::Judged(_))));
        let bad = [
            Answer::read(&bytes, 0, &question("b")),
            Answer::read(&bytes, 1, &question("a")),
            Answer::read(&bytes[1..], 0, &question("a")),
            Answer::read(b"{\"verdict\":\"Interesting\"}", 0, &question("a")),
            Answer::read(b"", 0, &question("a")),
            Answer::read(&[0xff; 64], 0, &question("a")),
        ];
        for read in bad {
            assert!(matches!(read, Err(NoAnswer::Because(_))), "{read:?}");
        }
    }

    #[test]
    fn a_machine_with_other_tools_says_so_whatever_it_was_asked() {
        let says = Says::OtherTools(Fingerprint::default());
        let bytes = serde_json::to_vec(&Answer { question: question("a"), says }).unwrap();
        for exit_code in [0, 3] {
            let read = Answer::read(&bytes, exit_code, &question("b"));
            assert!(matches!(read, Err(NoAnswer::OtherTools(_))), "{read:?}");
        }
    }
}
