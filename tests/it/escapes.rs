//! What tests, compilers and programs print, and what files are called, reaches neither terminals nor reports as it is.

#![cfg(unix)]

use std::fs;
use std::path::Path;

use crate::support::{Bench, assert_mentions};
use crate::terminal::Emulator;

/// A title for the terminal, a colour, a control of the upper half of Latin-1, and text that runs backwards.
const FOREIGN: &str = "\u{1b}]0;pwned\u{7} \u{1b}[31m \u{9b}2J \u{202e}c.gub";

/// The same, and text that a terminal hides.
const HIDING: &str = "\u{1b}[8mhidden";

fn is_wild(c: char) -> bool {
    c.is_control() && !"\n\t".contains(c) || c == '\u{202e}'
}

/// Runs it, and looks at every byte that it prints.
#[track_caller]
fn assert_tame(bench: &Bench, args: &[&str]) {
    let output = bench.command(args).output().unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(!said.contains(is_wild), "{args:?}: {said:?}");
    assert_mentions(&said, &[r"\u{"]);
}

/// Looks at every byte of the reports below a folder.
#[track_caller]
fn assert_tame_reports(folder: &Path) -> usize {
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            seen += assert_tame_reports(&path);
        } else if ["html", "json", "jsonl", "md", "txt"].contains(&&*ending) {
            let text = fs::read_to_string(&path).unwrap();
            assert!(!text.contains(is_wild), "{path:?}: {text:?}");
            seen += 1;
        }
    }
    seen
}

/// What tests, compilers and programs print reaches neither terminals nor reports as it is, whatever prints it.
#[test]
fn escape_sequences_of_others_are_shown_and_do_nothing() {
    let bench = Bench::new();
    bench.write("foreign", FOREIGN);
    bench.write("bug.c", "int needle;\n");
    let foreign = bench.path("foreign").display().to_string();
    let says = |name: &str, rest: &str| {
        bench.script(name, &format!("#!/bin/sh\n{rest}\n").replace("FOREIGN", &foreign));
    };
    says("rejects.sh", "cat FOREIGN; exit 1");
    assert_tame(&bench, &["bug.c", "--test", "./rejects.sh"]);
    says("signs.sh", "grep -q needle *.c && printf 'signature: %s\\n' \"$(cat FOREIGN)\"");
    fs::create_dir(bench.path("cases")).unwrap();
    fs::copy(bench.path("bug.c"), bench.path("cases/one.c")).unwrap();
    assert_tame(&bench, &["batch", "cases", "--test", "./signs.sh", "--out", "out"]);
    // A compiler that dies with a message.
    says(
        "evil-cc",
        "for file; do :; done; grep -q needle \"$file\" || exit 0\n\
         echo \"$file:1:1: internal compiler error: in f, at $(cat FOREIGN):1\" >&2; exit 4",
    );
    assert_tame(&bench, &["init", "--", "./evil-cc", "-c", "bug.c"]);
    let compiler = bench.path("evil-cc").display().to_string();
    let recipe = "preset = \"crash\"\n[[configuration]]\nname = \"cc\"\naccused = true\nbuild = \"";
    bench.write("evil.toml", format!("{recipe}{compiler} {{file}}\"\n"));
    assert_tame(&bench, &["explain", "bug.c", "--test", "evil.toml"]);
    assert_tame(&bench, &["report", "bug.c", "--test", "evil.toml"]);
    // A name is foreign, too.
    let name = format!("{}.c", FOREIGN.replace(' ', ""));
    bench.write(&name, "int needle;\n");
    says("sees.sh", "grep -q needle *.c");
    assert_tame(&bench, &[&name, "--test", "./sees.sh"]);
}

/// A compiler dies with a message, and hides what it says of itself.
fn evil_compiler(bench: &Bench) -> String {
    bench.write("foreign", FOREIGN);
    bench.write("hiding", HIDING);
    bench.script(
        "evil-cc",
        &"#!/bin/sh\n[ \"$1\" = --version ] && { echo \"1.0 $(cat HIDING)\"; exit; }\n\
          for file; do [ -f \"$file\" ] && grep -q needle \"$file\" && break; file=; done\n\
          [ -z \"$file\" ] && exec gcc \"$@\"\n\
          echo \"$file:1:1: internal compiler error: in f, at $(cat HIDING):1 $(cat FOREIGN)\" >&2; exit 4\n"
            .replace("HIDING", &bench.path("hiding").display().to_string())
            .replace("FOREIGN", &bench.path("foreign").display().to_string()),
    );
    bench.path("evil-cc").display().to_string()
}

#[test]
fn escape_sequences_that_look_like_styles_do_nothing_either() {
    let bench = Bench::new();
    let compiler = evil_compiler(&bench);
    bench.write("bug.c", "int needle;\n");
    let recipe = "preset = \"crash\"\n[[configuration]]\nname = \"\\u001b[8mcc\"\naccused = true\nbuild = \"";
    bench.write("evil.toml", format!("{recipe}{compiler} -c {{file}}\"\n"));
    assert_tame(&bench, &["explain", "bug.c", "--test", "evil.toml"]);
    assert_tame(&bench, &["bisect", "bug.c", "--test", "evil.toml", "--compilers", &compiler]);
    bench.write(&format!("cases/{HIDING}.c"), "int needle;\n");
    bench.script("sees.sh", "grep -q needle *.c");
    assert_tame(&bench, &["batch", "cases", "--test", "./sees.sh", "--out", "out"]);
    // What the arguments are is shown as well.
    for option in ["--lang", "--timeout", "--passes", "--remote"] {
        let value = format!("{option}={FOREIGN}");
        assert_tame(&bench, &["bug.c", "--test", "./sees.sh", &value]);
    }
    // With colours, those of this program are the only ones.
    let args = ["bug.c", "--test", "evil.toml", "--color", "always", "--fresh", "-vv"];
    let output = bench.command(&args).output().unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(said.contains("\u{1b}[1m") && !said.contains("\u{1b}[8m"), "{said:?}");
}

/// Also in the figures: JSON has its own way to write what a terminal would obey.
#[test]
fn escape_sequences_are_escaped_as_json_has_it() {
    let bench = Bench::new();
    let name = format!("{}.c", FOREIGN.replace(' ', ""));
    bench.write(&name, "int needle;\nint b;\n");
    bench.script("sees.sh", "grep -q needle *.c");
    bench.write(&format!("cases/{name}"), "int needle;\nint b;\n");
    let files = ["--events", "e.jsonl", "--summary", "s.json", "--report", "r.html"];
    bench.reduce(&[&[&*name, "--test", "./sees.sh"], &files[..]].concat());
    let signs = "grep -q needle *.c && printf 'signature: \\302\\2332J \\342\\200\\256c\\n'";
    bench.reduce(&["batch", "cases", "--test", signs, "--out", "out"]);
    assert!(assert_tame_reports(&bench.path("")) >= 5);
    bench.events("e.jsonl");
    assert_mentions(&bench.json("out/report.json").to_string(), &["\u{9b}2J", "\u{202e}c"]);
    // A program that a terminal shows.
    bench.write("k.c", "char *s = \"\u{9b}2J\";\n");
    for args in [&["normalize", "k.c"][..], &["k.c", "--test", "grep -q 2J k.c", "-o", "-", "-q"]] {
        let (_, _, bytes) = Emulator::start(&bench, args, 80, &[]).end();
        assert!(bytes.contains("2J") && !bytes.contains("\u{9b}"), "{args:?}: {bytes:?}");
    }
}

/// What compilers say of programs that campaigns try, and what these are called.
#[test]
fn escape_sequences_in_a_campaign_and_its_triage() {
    let bench = Bench::new();
    let compiler = evil_compiler(&bench);
    let main = "extern int printf(const char *, ...);\nint main(void) { return 0; }\n";
    for (name, more) in [(FOREIGN, "int needle;"), (HIDING, "int needle, b;"), ("plain", FOREIGN)] {
        let name = name.replace(' ', "");
        bench.write(&format!("programs/{name}.c"), format!("{main}{more}\n"));
    }
    let evil = format!("{compiler}:-O1");
    let devices = ["gcc:-O0", "gcc:-O1", "gcc:-O2", &evil];
    let mut args = vec!["fuzz", "--target", "c", "--generator", "programs", "--out", "found"];
    devices.iter().for_each(|device| args.extend(["--device", device]));
    args.extend(["--count", "3", "--gate", "0", "-j2"]);
    assert_tame(&bench, &args);
    assert!(bench.path("found/bugs").is_dir(), "there is a bug to report");
    assert!(assert_tame_reports(&bench.path("found")) > 5);
}
