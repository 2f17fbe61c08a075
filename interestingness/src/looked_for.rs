//! The patterns that a test looks for in the output of its tools: those of `grep` in a script.
//!
//! They are clues, no more: a pattern that is not found or not understood is left out.

use clreduce_process::TestCommand;
use regex::Regex;

use crate::hints::text;

/// The patterns of a test's `grep` commands that must be found. Commands behind `!` and with `-v` are left out.
pub(crate) fn looked_for(command: &TestCommand) -> Vec<Regex> {
    in_script(&text(command))
}

fn in_script(script: &str) -> Vec<Regex> {
    // A command with its options, and the pattern in quotes or as a word.
    const GREP: &str = r#"(?x)
        (?<not>!\s*)? \b(?<tool>[ef]?grep|rg)
        (?<options>(?:
            \s+-[A-Za-z]*[ABCm]\s+\d+ | \s+--(?:(?:after-|before-)?context|max-count)\s+\d+ | \s+-\d+ |
            \s+-{1,2}[A-Za-z][\w-]*(?:=\S+)?
        )*) (?:\s+--)?
        \s+ (?: '(?<single>[^'\n]+)' | "(?<double>[^"$`\n]+)" | (?<word>[^\s'"`$|;&<>()-][^\s'"`$|;&<>()]*) )"#;
    let Ok(grep) = Regex::new(GREP) else { return Vec::new() };
    let script = script.replace("\\\n", " ");
    let commands = script.lines().filter(|line| !line.trim_start().starts_with('#'));
    let found = commands.flat_map(|line| grep.captures_iter(line));
    let pattern = |found: regex::Captures<'_>| {
        // `-e PATTERN` and `--regexp=PATTERN` are options to the expression above.
        let options = found.name("options").map_or("", |options| options.as_str());
        let short = options.split_whitespace().filter(|word| !word.starts_with("--"));
        let has = |flag: char| short.clone().any(|word| word.contains(flag));
        let inverts = has('v') || options.contains("--invert-match");
        if found.name("not").is_some() || inverts || has('f') {
            return None;
        }
        let text = ["single", "double", "word"].iter().find_map(|name| found.name(name))?.as_str();
        let translated = match &found["tool"] {
            "fgrep" => regex::escape(text),
            _ if has('F') => regex::escape(text),
            "grep" if !has('E') && !has('P') => of_basic(text),
            _ => text.to_owned(),
        };
        let flags = if has('i') { "(?i)" } else { "" };
        // A pattern that matches everything is no clue.
        Regex::new(&format!("{flags}{translated}")).ok().filter(|pattern| !pattern.is_match(""))
    };
    found.filter_map(pattern).collect()
}

/// A basic regular expression of POSIX in the syntax of the library: there, the operators have no backslash.
fn of_basic(basic: &str) -> String {
    let mut extended = String::new();
    let mut characters = basic.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some(next @ ('(' | ')' | '{' | '}' | '|' | '+' | '?')) => extended.push(next),
                // Outside of brackets it may be escaped and need not.
                Some(']') => extended.push_str(r"\]"),
                Some(next) => extended.extend(['\\', next]),
                None => extended.push_str(r"\\"),
            },
            '(' | ')' | '{' | '}' | '|' | '+' | '?' => extended.extend(['\\', character]),
            _ => extended.push(character),
        }
    }
    extended
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patterns_of_grep_are_read() {
        let found = |script| -> Vec<String> {
            in_script(script).iter().map(|pattern| pattern.as_str().to_owned()).collect()
        };
        for (script, expected) in [
            ("grep -q setge s.s && grep -q imull s.s", &["setge", "imull"][..]),
            ("grep -q -- '-Wpointer-sign\\]' log", &[r"-Wpointer-sign\]"]),
            ("x 2>&1 | grep -q 'runtime error: .*shift'", &["runtime error: .*shift"]),
            ("grep -qF ' * ' dump", &[r" \* "]),
            ("grep -Eq \"in (f|g)\" log", &["in (f|g)"]),
            ("grep -q 'in \\(f\\|g\\)(x)' log", &[r"in (f|g)\(x\)"]),
            ("grep -qi error log", &["(?i)error"]),
            (
                "grep -A 3 foo x; grep -qm 1 -C2 bar x; grep --max-count 1 -2 baz x",
                &["foo", "bar", "baz"],
            ),
            ("grep -c 3 x; grep --context=3 -e four x", &["3", "four"]),
            ("gcc a.c 2>&1 | \\\n grep \\\n 'a b'", &["a b"]),
            ("! grep -q warning log; grep -v x log; grep -qf list log", &[]),
            ("# grep x y\ngrep '' log; grep \"$x\" log; grep -q '[' log", &[]),
            ("egrep 'a|b' x; grepping 'no'", &["a|b"]),
        ] {
            assert_eq!(found(script), expected, "{script}");
        }
    }
}
