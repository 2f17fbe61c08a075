//! Clues in the output of a test: the places and names of the program that a crash, or a message that the test looks
//! for, is about.

use clreduce_testcase::{Clues, Mention};
use regex::Regex;

use crate::names::bare;
use crate::{is_crash, pattern};

/// More statements of an output than these are no clue.
const MOST_STATEMENTS: usize = 16;
/// The places of one message that are enough to choose from.
const MOST_PLACES: usize = 256;

/// Reads the clues in what a test printed, or wrote into files. `looked_for` are the patterns that the test looks for:
/// a line that one of them matches says what the bug is about. The crash of a compiler says so itself.
#[must_use]
pub fn clues(outputs: &[String], looked_for: &[Regex]) -> Clues {
    let mut mentions: Vec<Vec<Mention>> = Vec::new();
    for pattern in looked_for {
        let lines = outputs.iter().flat_map(|output| output.lines());
        let matching = lines.filter(|line| pattern.is_match(line));
        let mut places: Vec<Mention> = Vec::new();
        for place in matching.filter_map(in_message).take(MOST_PLACES) {
            if !places.contains(&place) {
                places.push(place);
            }
        }
        mentions.push(places);
    }
    for output in outputs.iter().filter(|output| is_crash(output)) {
        mentions.extend(in_crash(output).into_iter().map(|mention| vec![mention]));
    }
    let mut clues = Clues::default();
    for places in mentions.into_iter().filter(|places| !places.is_empty()) {
        if clues.mentions.len() < MOST_STATEMENTS && !clues.mentions.contains(&places) {
            clues.mentions.push(places);
        }
    }
    clues
}

/// The parts of the program that the report of a crash names.
fn in_crash(output: &str) -> Vec<Mention> {
    let mut found = Vec::new();
    // gcc says in which function it was before each message.
    let mut function = None;
    for line in output.lines() {
        if pattern!(r": (?:In|In \w[\w ]*) (?:function|constructor|destructor|instantiation of)\b")
            .is_match(line)
        {
            function = name_in(line);
        } else if line.contains("internal compiler error") {
            found.extend(function.take());
            found.extend(place_in(line));
        } else if pattern!(r"^\S+:\d+:(?:\d+:)?\s+(?:required (?:from|by)|instantiated from)\b")
            .is_match(line)
        {
            found.extend(place_in(line));
        } else if let Some(frame) = pattern!(r"^\s*[1-9]\d*\.\s+(.+)$").captures(line) {
            found.extend(place_in(&frame[1]));
            found.extend(name_in(&frame[1]));
        }
    }
    found
}

/// The part of the program that a message is about: the place in front of it, or else the function that it names.
fn in_message(line: &str) -> Option<Mention> {
    place_in(line).or_else(|| name_in(line))
}

/// The place that a line begins with: `bug.c:12:5: error: x`, `2. bug.c:12:5: parsing function body`, `bug.cu(12): error: x`.
fn place_in(line: &str) -> Option<Mention> {
    let found = pattern!(
        r"^\s*(?:\d+\.\s+)?([^\s:'<>][^:'<>\n]*?)(?::(\d+)(?::(\d+))?(?::|\s)|\((\d+)\): )"
    )
    .captures(line)?;
    let column = found.get(3).map_or(Some(0), |column| column.as_str().parse().ok())?;
    let number = found.get(2).or_else(|| found.get(4))?.as_str().parse().ok()?;
    Some(Mention::Place { file: found[1].to_owned(), line: number, column })
}

/// The function or declaration that a line names: `In function ‘f’`, `on function '@f'`, `parsing function body 'g'`.
fn name_in(line: &str) -> Option<Mention> {
    let found = pattern!(
        r#"(?:function|function body|constructor|destructor|instantiation of|declaration|definition)(?: for)? ['"`‘]@?([^'"`’]+)['"`’]"#
    )
    .captures(line)?;
    // With parameters and template arguments in C++, and a list of the latter behind `[with`.
    let readable = crate::names::readable(found[1].trim_start_matches("(anonymous)::"));
    let readable = readable.split(" [with").next().unwrap_or_default();
    let name = bare(readable);
    let name = name.rsplit("::").next().unwrap_or_default().trim();
    (!name.is_empty()).then(|| Mention::Name(name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(file: &str, line: u32, column: u32) -> Mention {
        Mention::Place { file: file.to_owned(), line, column }
    }

    fn name(name: &str) -> Mention {
        Mention::Name(name.to_owned())
    }

    #[test]
    fn crashes_say_what_they_are_about() {
        let stack = "PLEASE submit a bug report to https://github.com/llvm/llvm-project/issues/\nStack dump:\n\
            0.\tProgram arguments: clang -c bug.c\n";
        for (output, expected) in [
            (
                "during GIMPLE pass: vrp\nbug.c: In function ‘f’:\nbug.c:12:5: internal compiler error: in g, at tree.c:9\n",
                vec![name("f"), place("bug.c", 12, 5)],
            ),
            // A warning in another function says nothing about the crash.
            (
                "bug.c: In function 'h':\nbug.c:3:1: warning: unused\nbug.c: In function 'f':\n\
                 /tmp/bug.c:12: internal compiler error: Segmentation fault\n",
                vec![name("f"), place("/tmp/bug.c", 12, 0)],
            ),
            (
                "bug.cc: In instantiation of ‘T N::f<T>(T) [with T = int]’:\nbug.cc:9:14:   required from here\n\
                 bug.cc:3:7: internal compiler error: in tsubst\n",
                vec![place("bug.cc", 9, 14), name("f"), place("bug.cc", 3, 7)],
            ),
            (
                &format!(
                    "{stack}1.\tbug.c:7:3: current parser token ';'\n2.\tbug.c:6:12: parsing function body 'g'\n\
                     3.\tbug.c:6:12: in compound statement ('{{}}')\n"
                ),
                vec![place("bug.c", 7, 3), place("bug.c", 6, 12), name("g"), place("bug.c", 6, 12)],
            ),
            (
                &format!(
                    "{stack}1.\t<eof> parser at end of file\n2.\tbug.c:4:6: LLVM IR generation of declaration 'f'\n\
                     3.\tbug.c:4:6: Generating code for declaration 'f'\n"
                ),
                vec![place("bug.c", 4, 6), name("f"), place("bug.c", 4, 6), name("f")],
            ),
            (
                &format!(
                    "{stack}1.\t<eof> parser at end of file\n2.\tCode generation\n\
                     3.\tRunning pass 'Function Pass Manager' on module 'bug.c'.\n\
                     4.\tRunning pass 'X86 DAG->DAG Instruction Selection' on function '@_ZN1N1fEi'\n"
                ),
                vec![name("f")],
            ),
            (
                &format!(
                    "{stack}4.\tRunning pass \"instcombine<max-iterations=1>\" on function \"f\"\n\
                     /lib/libLLVM.so(main+0x1)[0x7f]\n #1 0x7f in main (/lib/libLLVM.so+0x1)\n"
                ),
                vec![name("f")],
            ),
            (&format!("{stack}1.\t<eof> parser at end of file\n2.\tOptimizer\n"), vec![]),
            ("bug.c: In function 'f':\nbug.c:3:1: warning: unused\n", vec![]),
        ] {
            assert_eq!(in_crash(output), expected, "{output}");
        }
    }

    #[test]
    fn what_the_test_looks_for_says_where() {
        let log = "a.c: In function 'f':\na.c:3:1: warning: x [-Wa]\n    3 | x = y;\na.c:4:1: warning: y [-Wb]\n\
            a.c:5:2: warning: x [-Wa]\n2.\ta.c:5:2: warning: x [-Wa]\n"
            .to_owned();
        let looked_for =
            |text: &str| clues(std::slice::from_ref(&log), &[Regex::new(text).unwrap()]).mentions;
        assert_eq!(looked_for(r"\[-Wa\]"), [[place("a.c", 3, 1), place("a.c", 5, 2)]]);
        assert_eq!(looked_for("3 \\|"), Vec::<Vec<Mention>>::new());
        assert_eq!(looked_for("nothing"), Vec::<Vec<Mention>>::new());
    }

    /// Nothing is too long, too large or too odd.
    #[test]
    fn odd_outputs_are_no_clue() {
        let odd = "bug.c:99999999999:1: internal compiler error\n:::: internal compiler error\n\
            1.\t: 2.\n1.\tfunction ''\n1.\tfunction '(((<<<'\nC:\\bug.c:1: internal compiler error: \u{0}\n";
        assert!(clues(&[odd.to_owned()], &[]).mentions.len() < MOST_STATEMENTS);
        let many: String = (0..100_000).map(|line| format!("a.c:{line}: x\n")).collect();
        let found = clues(&[many], &[Regex::new("x").unwrap()]).mentions;
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [MOST_PLACES]);
    }
}
