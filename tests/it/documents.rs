//! Tests of the commands in the documents: clreduce understands each, and each runs here, in another test, or says why not.
//!
//! A comment in front of a block of code tells which of these it is:
//!
//! - `run`, or `run after: COMMANDS` that prepare it: it runs here, in a folder of the page;
//! - `run in: FILE`: that test runs such commands;
//! - `not run: REASON`;
//! - `file: NAME`: the block is the content of a file of the folder; `is: NAME`: the file has this content now.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use regex::Regex;

use crate::support::{Bench, stdout};

/// A block of code of a page.
struct Block {
    /// Its page and line.
    place: String,
    /// What the comment in front of it says.
    mark: String,
    text: String,
    is_shell: bool,
}

impl Block {
    /// True if it is there to be typed.
    fn is_typed(&self) -> bool {
        let is_command = |line: &str| line.trim_start_matches("$ ").starts_with("clreduce ");
        let is_file = self.text.starts_with("#!");
        self.is_shell && !is_file || self.text.lines().any(is_command)
    }

    /// What the comment says behind this word.
    fn marked(&self, word: &str) -> Option<&str> {
        let rest = self.mark.strip_prefix(word)?;
        rest.is_empty().then_some(rest).or_else(|| rest.strip_prefix(": "))
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// README.md and the pages of `docs/`.
fn pages() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("docs")).unwrap();
    let mut pages: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    pages.retain(|page| page.extension().is_some_and(|ending| ending == "md"));
    pages.sort();
    pages.insert(0, root().join("README.md"));
    pages
}

fn blocks(page: &Path) -> Vec<Block> {
    let text = fs::read_to_string(page).unwrap();
    let block = Regex::new(r"(?ms)(?:^<!-- ([^\n]*) -->\n)?^```(\w*)\n(.*?)^```$").unwrap();
    let found = block.captures_iter(&text).map(|found| {
        let line = text[..found.get(0).unwrap().start()].lines().count() + 1;
        Block {
            place: format!("{}:{line}", page.strip_prefix(root()).unwrap().display()),
            mark: found.get(1).map_or("", |mark| mark.as_str()).to_owned(),
            text: found[3].to_owned(),
            is_shell: &found[2] == "sh",
        }
    });
    found.collect()
}

/// The words of the first command of a line, as a shell divides them, without what comes after a `--`.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            (None, '|' | '>' | '&' | ';') => break,
            (None, '#') if word.is_none() => break,
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    words.truncate(end);
    words
}

/// Each call of clreduce in the text of a page, with its place.
fn calls(page: &Path) -> Vec<(String, Vec<String>)> {
    let text = fs::read_to_string(page).unwrap();
    let in_prose = Regex::new(r"`(clreduce [^`\n]+)`").unwrap();
    let prose = Regex::new(r"(?ms)^```.*?^```$").unwrap().replace_all(&text, "").into_owned();
    let mut calls: Vec<(String, Vec<String>)> = Vec::new();
    for found in in_prose.captures_iter(&prose).filter(|found| !found[1].contains("...")) {
        calls.push((page.display().to_string(), words(&found[1])));
    }
    for block in blocks(page) {
        let text = block.text.replace("\\\n", " ");
        let lines = text.lines().map(|line| line.trim_start_matches("$ "));
        for line in lines.filter(|line| line.starts_with("clreduce ")) {
            calls.push((block.place.clone(), words(line)));
        }
    }
    calls
}

#[test]
fn every_command_line_is_understood() {
    let bench = Bench::new();
    let mut count = 0;
    for (place, words) in pages().iter().flat_map(|page| calls(page)) {
        // clap reports a wrong word before it gets to `--help`, so nothing runs.
        let mut args: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        if !args.contains(&"--help") {
            args.push("--help");
        }
        let output = bench.command(&args).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{place}: {}\n{errors}", words.join(" "));
        count += 1;
    }
    assert!(count > 100, "calls are found: {count}");
}

#[test]
fn every_block_of_commands_is_tested_or_says_why_not() {
    let mut wrong = Vec::new();
    for block in pages().iter().flat_map(|page| blocks(page)) {
        let place = &block.place;
        if let Some(file) = block.marked("run in") {
            let Ok(test) = fs::read_to_string(root().join(file)) else {
                wrong.push(format!("{place}: there is no {file}"));
                continue;
            };
            for line in block.text.lines().filter(|line| line.starts_with("clreduce ")) {
                let words = words(line);
                let command = words
                    .get(1)
                    .filter(|word| word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase()));
                if command.is_some_and(|command| !test.contains(&format!("\"{command}\""))) {
                    wrong.push(format!("{place}: {file} does not run `{}`", words[..2].join(" ")));
                }
            }
        } else if let Some(reason) = block.marked("not run") {
            if reason.split(' ').count() < 3 {
                wrong.push(format!("{place}: this is no reason: {reason}"));
            }
        } else if block.is_typed()
            && ["run", "run after", "file"].iter().all(|word| block.marked(word).is_none())
        {
            wrong.push(format!(
                "{place}: write `<!-- run -->` or `<!-- not run: REASON -->` before it"
            ));
        } else if !block.mark.is_empty()
            && ["run", "run after", "file", "is"].iter().all(|word| block.marked(word).is_none())
        {
            wrong.push(format!("{place}: unknown: {}", block.mark));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs the blocks of a page, in its order and in one folder.
#[track_caller]
fn run(name: &str) {
    let bench = Bench::new();
    let mut ran = 0;
    for block in blocks(&root().join(name)) {
        if let Some(file) = block.marked("file") {
            bench.script(file, &block.text);
        } else if let Some(file) = block.marked("is") {
            assert_eq!(bench.read(file).trim_end(), block.text.trim_end(), "{}", block.place);
        } else if let Some(before) = block.marked("run").or_else(|| block.marked("run after")) {
            run_block(&bench, &block, before);
            ran += 1;
        }
    }
    assert!(ran > 0, "{name} has commands to run");
}

/// Runs the commands of a block. In a transcript, they follow `$`, and what `cat` prints stands below it.
#[track_caller]
fn run_block(bench: &Bench, block: &Block, before: &str) {
    let is_transcript = block.text.starts_with("$ ");
    let lines: Vec<&str> = if is_transcript {
        block.text.lines().filter_map(|line| line.strip_prefix("$ ")).collect()
    } else {
        block.text.lines().collect()
    };
    let program = Path::new(env!("CARGO_BIN_EXE_clreduce"));
    let path = std::env::var("PATH").unwrap();
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c"])
        .arg(format!("{before}\n{}", lines.join("\n")))
        .current_dir(bench.path(""))
        .env("PATH", format!("{}:{path}", program.parent().unwrap().display()))
        .env("fixtures", root().join("fixtures"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let (printed, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{printed}\n{errors}", block.place);
    if is_transcript {
        for shown in block.text.split("$ cat ").skip(1) {
            let (file, content) = shown.split_once('\n').unwrap();
            assert_eq!(bench.read(file).trim_end(), content.trim_end(), "{}", block.place);
        }
    }
}

macro_rules! pages_that_run {
    ($($name:ident: $page:literal,)*) => {
        $(
            #[test]
            fn $name() {
                run($page);
            }
        )*
        const RUN: &[&str] = &[$($page),*];
    };
}

pages_that_run! {
    readme: "README.md",
    batches: "docs/batches.md",
    commands: "docs/commands.md",
    coverage: "docs/coverage.md",
    first_bug: "docs/first-bug.md",
    recipes: "docs/recipes.md",
    generator: "docs/generator.md",
    generator_cuda: "docs/generator-cuda.md",
    running_kernels: "docs/running-kernels.md",
    validity: "docs/validity.md",
}

/// The picture of the README is made of the reduction that the README shows.
#[test]
fn the_picture_is_of_the_example() {
    let bench = Bench::new();
    for file in ["ledger.c", "interesting.sh"] {
        bench.script(
            file,
            &fs::read_to_string(root().join("fixtures/c-warning").join(file)).unwrap(),
        );
    }
    bench.reduce(&["ledger.c", "--test", "./interesting.sh", "--events", "events.jsonl"]);
    let picture = root().join("scripts/picture");
    let drawn =
        Command::new("python3").arg(picture).arg(bench.path("events.jsonl")).output().unwrap();
    assert!(drawn.status.success(), "{}", String::from_utf8_lossy(&drawn.stderr));
    let shown = fs::read_to_string(root().join("docs/ledger.svg")).unwrap();
    assert_eq!(
        String::from_utf8(drawn.stdout).unwrap(),
        shown,
        "scripts/picture says how to make it"
    );
}

#[test]
fn each_page_with_commands_to_run_has_a_test() {
    for page in pages() {
        let name = page.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
        let runs = blocks(&page)
            .iter()
            .any(|block| block.mark.starts_with("run") && block.marked("run in").is_none());
        assert_eq!(runs, RUN.contains(&&*name), "{name}: see `pages_that_run`");
    }
}

/// `clreduce help` shows each page of the table of contents, and no page hides behind a command of the same name.
#[test]
fn help_shows_every_page() {
    let bench = Bench::new();
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let entry = Regex::new(r"\]\(([a-z-]+)\.md\)").unwrap();
    let listed = stdout(&bench.run(&["help"]).code(0));
    let mut count = 0;
    for found in entry.captures_iter(&summary) {
        let page = fs::read_to_string(root().join(format!("docs/{}.md", &found[1]))).unwrap();
        let title = page.lines().next().unwrap().trim_start_matches("# ").replace('`', "");
        assert!(listed.contains(&found[1]), "{} is not in:\n{listed}", &found[1]);
        let shown = stdout(&bench.run(&["help", &found[1]]).code(0));
        assert!(shown.replace('`', "").starts_with(&title), "{title} is not in:\n{shown}");
        count += 1;
    }
    assert!(count > 20, "{count}");
    bench.run(&["help", "nothing"]).code(2);
}
