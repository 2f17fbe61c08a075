//! Answers of several machines to the first questions, compared: all must have the same tools, and see the same in the
//! original. Where they do not, they are named.

use clreduce_interestingness::{FirstRun, Verdict};

use crate::answer::{Calibrated, Says};
use crate::failure::RemoteError;
use crate::fingerprint::Fingerprint;
use crate::job::WorkerAnswer;

/// The machines as the first actions found them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tools {
    pub(crate) fingerprint: Fingerprint,
    pub(crate) sandbox: String,
    pub(crate) without: Option<String>,
}

/// The tools that all machines have.
pub(crate) fn tools(answers: Vec<WorkerAnswer>) -> Result<Tools, RemoteError> {
    let take = |says| match says {
        Says::Tools { fingerprint, sandbox, without } => {
            Ok(Tools { fingerprint, sandbox, without })
        }
        Says::Unfit(why) => Err(RemoteError::NoAnswer(why)),
        _ => Err(unexpected()),
    };
    agreed(answers, take, |first, other| {
        let tools = other.fingerprint.differences(&first.fingerprint);
        let sandbox = if other.sandbox == first.sandbox { "" } else { "another sandbox" };
        [&*tools, sandbox]
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join(", ")
    })
}

/// The calibration of a recipe.
pub(crate) fn calibration(answers: Vec<WorkerAnswer>) -> Result<Calibrated, RemoteError> {
    let take = |says| match says {
        Says::Calibrated(calibrated) => Ok(*calibrated),
        Says::NotShown(why) => Err(RemoteError::NotShown(why)),
        Says::Invalid(why) => Err(RemoteError::Invalid(why)),
        Says::Unfit(why) => Err(RemoteError::NoAnswer(why)),
        _ => Err(unexpected()),
    };
    agreed(answers, take, |first, other| {
        let is_same = first.calibration.pin == other.calibration.pin;
        if is_same { String::new() } else { "the outcome of the original".to_owned() }
    })
}

/// The first run of a command on the original. The slowest machine decides how long tests may take. If the test is flaky, one
/// that accepts the original counts.
pub(crate) fn first_run(
    answers: Vec<WorkerAnswer>,
    is_flaky: bool,
) -> Result<FirstRun, RemoteError> {
    let take = |says| match says {
        Says::Original(run) => Ok(*run),
        _ => Err(unexpected()),
    };
    agreed(answers, take, |first, other| {
        let (one, two) = (first.outcome(), other.outcome());
        let walls = one.wall.max(two.wall);
        if is_flaky {
            if one.verdict != Verdict::Interesting {
                *first = other.clone();
            }
        } else if one.verdict != two.verdict {
            return format!("the original is {:?} and {:?}", one.verdict, two.verdict)
                .to_lowercase();
        }
        first.rehearsal.outcome.wall = walls;
        String::new()
    })
}

/// The first of the answers, if `compare` finds no difference between it and any other.
fn agreed<T>(
    answers: Vec<WorkerAnswer>,
    take: impl Fn(Says) -> Result<T, RemoteError>,
    compare: impl Fn(&mut T, &T) -> String,
) -> Result<T, RemoteError> {
    let mut found: Option<(T, String)> = None;
    for WorkerAnswer { says, worker, .. } in answers {
        let answer = take(says)?;
        let Some((first, by)) = &mut found else {
            found = Some((answer, worker));
            continue;
        };
        let differences = compare(first, &answer);
        if !differences.is_empty() {
            let (one, two) = (named(by), named(&worker));
            return Err(RemoteError::Disagreement(format!("{one} and {two}: {differences}")));
        }
    }
    found.map(|(answer, _)| answer).ok_or_else(unexpected)
}

fn named(worker: &str) -> String {
    match worker {
        "" => "a machine".to_owned(),
        name => format!("`{name}`"),
    }
}

pub(crate) fn unexpected() -> RemoteError {
    RemoteError::NoAnswer("the remote execution service answers another question".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(sandbox: &str, worker: &str) -> WorkerAnswer {
        let says = Says::Tools {
            fingerprint: Fingerprint::default(),
            sandbox: sandbox.to_owned(),
            without: None,
        };
        WorkerAnswer { says, worker: worker.to_owned(), was_cached: false }
    }

    #[test]
    fn machines_that_differ_are_named() {
        assert!(tools(vec![answer("none", "a"), answer("none", "b")]).is_ok());
        let error = tools(vec![answer("none", "a"), answer("none", ""), answer("Landlock", "c")]);
        let text = error.unwrap_err().to_string();
        assert!(text.contains("`a` and `c`: another sandbox"), "{text}");
        let mut other = answer("Landlock", "d");
        let Says::Tools { fingerprint, .. } = &mut other.says else { unreachable!() };
        *fingerprint = Fingerprint::default().with_devices(&["a device".to_owned()]);
        let text = tools(vec![answer("none", "a"), other]).unwrap_err().to_string();
        assert!(text.contains("a device") && text.contains(", another sandbox"), "{text}");
    }

    #[test]
    fn an_answer_to_another_question_and_none_at_all_are_errors() {
        assert!(tools(Vec::new()).is_err());
        assert!(first_run(vec![answer("none", "a")], false).is_err());
        assert!(calibration(vec![answer("none", "a")]).is_err());
        let rejected = WorkerAnswer {
            says: Says::NotShown("it is gone".to_owned()),
            worker: String::new(),
            was_cached: false,
        };
        let error = calibration(vec![rejected]).unwrap_err();
        assert!(matches!(&error, RemoteError::NotShown(why) if why == "it is gone"), "{error}");
    }
}
