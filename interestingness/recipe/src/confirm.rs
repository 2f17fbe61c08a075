//! Stages that run several times.

use clreduce_interestingness::Cancel;

use crate::format::RequiredRuns;
use crate::pin::StageVerdict;

/// Repeats a stage until the verdict is certain: "2 of 3" ends after two runs that pass, or two that do not.
pub(crate) fn confirmed(
    confirm: RequiredRuns,
    cancel: &Cancel,
    mut ask: impl FnMut() -> StageVerdict,
) -> StageVerdict {
    let mut held = 0;
    for asked in 1..=confirm.of {
        let answer = ask();
        held += u32::from(answer == StageVerdict::Passes);
        let missing = confirm.least - held;
        if missing == 0 {
            return StageVerdict::Passes;
        }
        if missing > confirm.of - asked || cancel.is_cancelled() {
            return match answer {
                StageVerdict::Passes => {
                    StageVerdict::Rejects(format!("the outcome appeared in {held} of {asked} runs"))
                }
                answer => answer,
            };
        }
    }
    StageVerdict::Passes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_of_three_are_enough_for_both_answers() {
        let ask = |answers: &[bool]| {
            let mut left = answers.iter();
            let mut asked = 0;
            let answer = confirmed(RequiredRuns { least: 2, of: 3 }, &Cancel::new(), || {
                asked += 1;
                if *left.next().unwrap() {
                    StageVerdict::Passes
                } else {
                    StageVerdict::Rejects("no".into())
                }
            });
            (answer == StageVerdict::Passes, asked)
        };
        assert_eq!(ask(&[true, true]), (true, 2));
        assert_eq!(ask(&[false, true, true]), (true, 3));
        assert_eq!(ask(&[true, false, false]), (false, 3));
        assert_eq!(ask(&[false, false]), (false, 2));
    }
}
