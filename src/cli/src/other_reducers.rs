//! Answers to options of C-Reduce and C-Vise that clreduce spells otherwise or does not need. Options that mean the same
//! here (`-n`, `-c`, `--timeout`, `--also-interesting`, `--save-temps`, ...) are aliases or have the same name.

use clap::Error;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The equivalent of an option that clreduce does not have.
const ADVICE: [(&[&str], &str); 13] = [
    (
        &["--tidy"],
        "the original stays beside the result as FILE.orig; with --output PATH there is no copy",
    ),
    (&["--not-c"], "write --lang text"),
    (&["--print-diff"], "write -v, which shows what each commit changes"),
    (&["--remove-pass"], "write --skip-pass PASS; `clreduce --list-passes` lists the passes"),
    (
        &["--add-pass", "--no-default-passes", "--pass-group", "--pass-group-file"],
        "write --passes PASS,PASS; `clreduce --list-passes` lists the passes",
    ),
    (
        &["--debug", "--log-level"],
        "write -v for commits, -vv for every step, or -q for errors only",
    ),
    (
        &["--log-file", "--timing", "--timestamp"],
        "write --events FILE, which gets a line for each step",
    ),
    (
        &["--clang-delta-preserve-routine"],
        "write --protect REGEX, which keeps the text that matches",
    ),
    (&["--shell"], "write the shell in the test, as in --test 'bash -c \"...\"'"),
    (
        &["--max-improvement", "--skip-after-n-transforms"],
        "leave it out: commits of any size are taken",
    ),
    (
        &["--stopping-threshold"],
        "write --max-steps N or --time-limit TIME, or press Ctrl-C: the best version so far is on disk",
    ),
    (
        &["--skip-interestingness-test-check", "-s"],
        "leave it out: the original is always tested, because the time limit of a test is derived from it",
    ),
    (
        &[
            "--skip-initial-passes",
            "--sllooww",
            "--no-give-up",
            "--no-cache",
            "--no-kill",
            "--no-timing",
            "--shaddap",
            "--die-on-pass-bug",
            "--skip-key-off",
            "--clang-delta-std",
            "--renaming",
            "--to-utf8",
        ],
        "leave it out: clreduce does not need it",
    ),
];

/// Replaces what the parser suggests by the equivalent of the option, if it is one of another reducer.
pub(crate) fn with_advice(mut error: Error) -> Error {
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let Some((_, advice)) = ADVICE.iter().find(|(names, _)| names.contains(&option.as_str()))
    else {
        return error;
    };
    error.remove(ContextKind::SuggestedArg);
    let advice = ContextValue::StyledStrs(vec![StyledStr::from(*advice)]);
    error.insert(ContextKind::Suggested, advice);
    error
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::command_line::Args;

    #[test]
    fn every_option_gets_its_answer_and_is_not_known_otherwise() {
        for (names, advice) in ADVICE {
            for name in names {
                let error = Args::try_parse_from(["clreduce", name, "./test.sh", "bug.c"]);
                let shown = with_advice(error.unwrap_err()).to_string();
                assert!(shown.contains(advice), "{name}: {shown}");
            }
        }
    }

    #[test]
    fn options_that_mean_the_same_work() {
        let parse = |words: &[&str]| Args::try_parse_from(words).unwrap().reduce;
        for option in ["--n", "-n"] {
            let jobs = parse(&["clreduce", option, "4", "./test.sh", "bug.c"]).options.jobs;
            assert_eq!(jobs.map(usize::from), Some(4));
        }
        for option in ["--commands", "-c"] {
            let test = parse(&["clreduce", option, "gcc -c bug.c", "bug.c"]).test.test;
            assert_eq!(test.as_deref(), Some("gcc -c bug.c"));
        }
    }
}
