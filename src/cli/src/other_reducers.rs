//! Answers to options of C-Reduce, C-Vise, Shrink Ray and llvm-reduce that clreduce spells otherwise or does not need.
//! Options that mean the same here (`-n`, `-c`, `--timeout`, `--test`, `--save-temps`, ...) are aliases or have the same name.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory, Error};

use crate::command_line::Args;

/// The command that reduces many programs with the options of a reduction.
const BATCH: &str = "batch";

/// Advice for an option that clreduce does not have. A test follows each piece of advice.
const ADVICE: &[(&[&str], &str)] = &[
    (&["--tidy"], "write --output PATH, which leaves FILE as it is, so that there is no copy"),
    (&["--not-c"], "write --lang text"),
    (&["--print-diff"], "write -v: it prints what each commit changes"),
    (
        &["--remove-pass", "--skip-delta-passes"],
        "write --skip-pass PASS; `clreduce --list-passes` lists the passes",
    ),
    (
        &["--no-default-passes", "--pass-group", "--pass-group-file", "--delta-passes"],
        "write --passes PASS,PASS; `clreduce --list-passes` lists the passes",
    ),
    (&["--print-delta-passes"], "run `clreduce --list-passes`"),
    (
        &["--debug", "--log-level", "--volume"],
        "write -q or -v or -vv: errors only, or each commit, or each step",
    ),
    (&["--no-timing"], "write -q: it prints only errors and warnings"),
    (&["--timing", "--timestamp"], "leave it out: the progress shows the time since the start"),
    (&["--log-file"], "write --events FILE, which gets a line for each step"),
    (&["--clang-delta-preserve-routine"], "write --protect REGEX: text that matches stays"),
    (&["--shell"], "write --test 'bash -c \"COMMAND\"', with your shell in the place of bash"),
    (&["--test-arg"], "write --test './test.sh ARG {file}': arguments are a part of the test"),
    (&["--parallelism"], "write -j N"),
    (&["--ui"], "write --plain: it prints lines instead of drawing on the terminal"),
    (
        &["--in-place", "--backup"],
        "leave it out: the result replaces FILE, and the original stays as FILE.orig; with --output PATH, FILE stays as \
         it is",
    ),
    (&["--not-in-place"], "leave it out: each test runs in a directory of its own"),
    (&["--input-type"], "leave it out: the program keeps its name in the directory of the test"),
    (
        &["--stopping-threshold"],
        "write --max-steps N or --time-limit TIME: the reduction stops there, with the best version so far on disk",
    ),
    (&["--skip-interestingness-test-check", "-s"], "leave it out: the original is always tested"),
    (
        &["--max-improvement", "--skip-after-n-transforms"],
        "leave it out: there is no limit to the size or number of commits",
    ),
    (&["--add-pass"], "leave it out: all passes run"),
    (&["--renaming", "--sanitize"], "leave it out: identifiers become short in any case"),
    (&["--seed"], "leave it out: a reduction uses no random numbers"),
    (&["--trivial-is-error"], "leave it out: clreduce warns if nothing is left"),
    (
        &[
            "--skip-initial-passes",
            "--sllooww",
            "--no-give-up",
            "--no-cache",
            "--no-kill",
            "--shaddap",
            "--die-on-pass-bug",
            "--skip-key-off",
            "--clang-delta-std",
            "--to-utf8",
            "--sanity-checks",
            "--theme",
            "--formatter",
            "--clang-delta",
            "--no-clang-delta",
            "--abort-on-invalid-reduction",
            "--max-pass-iterations",
            "--starting-granularity-level",
            "--skip-verify-interesting-after-counting-chunks",
            "--write-tmp-files-as-bitcode",
            "--tmp-files-as-bitcode",
            "--mtriple",
            "-x",
        ],
        "leave it out: clreduce does not need it",
    ),
];

/// Replaces what the parser suggests by the equivalent of the option, if it is one of another reducer.
pub(crate) fn with_advice(mut error: Error, words: &[OsString]) -> Error {
    let Some(command) = reduction(words) else { return error };
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    match advice_on(option, &command) {
        Some(advice) => {
            error.remove(ContextKind::SuggestedArg);
            suggest(&mut error, advice.to_owned());
        }
        // "to pass it as a value, write `--` before it" is never meant here.
        None => drop(error.remove(ContextKind::Suggested)),
    }
    error
}

/// Finds an option that is written with one dash, as LLVM's tools allow it: `-test=x` would be `-t est=x`.
pub(crate) fn with_one_dash(words: &[OsString]) -> Option<Error> {
    let command = reduction(words)?;
    let words = words.iter().filter_map(|word| word.to_str()).take_while(|word| *word != "--");
    let mut found = words.filter_map(|word| {
        let name = word.strip_prefix('-').filter(|name| !name.starts_with('-'))?;
        let long = format!("-{}", word.split('=').next()?);
        let is_own =
            || command.get_arguments().any(|own| own.get_long() == long.strip_prefix("--"));
        let advice = match advice_on(&long, &command) {
            Some(advice) => advice.to_owned(),
            None if is_own() => format!("write --{name}"),
            None => return None,
        };
        (long.len() > "--x".len()).then_some((word, advice))
    });
    let (word, advice) = found.next()?;
    let mut error = Error::new(ErrorKind::UnknownArgument).with_cmd(&command);
    error.insert(ContextKind::InvalidArg, ContextValue::String(word.to_owned()));
    suggest(&mut error, advice);
    Some(error)
}

/// The command of the words, if it is one to which the advice applies.
fn reduction(words: &[OsString]) -> Option<Command> {
    let mut all = Args::command();
    all.build();
    let named = words.iter().find_map(|word| all.find_subcommand(word));
    match named.map(|command| (command.get_name() == BATCH, command.clone())) {
        None => Some(all),
        Some((is_batch, command)) => is_batch.then_some(command),
    }
}

/// The advice on an option, if the command has all options that it names.
fn advice_on(option: &str, command: &Command) -> Option<&'static str> {
    let (_, advice) = ADVICE.iter().find(|(names, _)| names.contains(&option))?;
    let outside_of_quotes = advice.split(['`', '\'']).step_by(2).flat_map(str::split_whitespace);
    let mut options = outside_of_quotes.filter(|word| word.starts_with('-'));
    let has = |word: &str| {
        let name = word.trim_end_matches([':', ',', ';']);
        command.get_arguments().any(|own| match name.strip_prefix("--") {
            Some(long) => own.get_long() == Some(long),
            None => own.get_short() == name.chars().nth(1),
        })
    };
    options.all(has).then_some(advice)
}

fn suggest(error: &mut Error, advice: String) {
    let advice = ContextValue::StyledStrs(vec![StyledStr::from(advice)]);
    error.insert(ContextKind::Suggested, advice);
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[test]
    fn no_option_with_advice_is_known() {
        for (name, advice) in
            ADVICE.iter().flat_map(|(names, advice)| names.iter().map(move |n| (n, advice)))
        {
            let words = ["clreduce", name, "./test.sh", "bug.c"];
            let error = Args::try_parse_from(words).unwrap_err();
            let shown =
                with_advice(error, &words[1..].iter().map(OsString::from).collect::<Vec<_>>());
            assert!(shown.to_string().contains(advice), "{name}: {shown}");
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
