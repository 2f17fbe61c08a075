//! Options and what they do, from outside.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    BUG, Bench, NO, SCRIPT, SCRIPT_NAME, TEST, YES, assert_mentions, slow, stderr, stdout,
};

#[test]
fn exit_codes() {
    let bench = Bench::with_bug();
    bench.run(&["bug.c", "--test", SCRIPT]).code(0);
    bench.run(&["bug.c", "--test", NO]).code(1);
    for wrong in [
        &["none.c", "--test", YES][..],
        &["bug.c"],
        &["--test", YES],
        &["bug.c", "--test", YES, "--no-such"],
    ] {
        bench.run(wrong).code(2);
    }
    for wrong in ["-j0", "--timeout=0", "--memory-limit=x", "--protect=(", "--lang=cobol"] {
        bench.run(&["bug.c", "--test", YES, wrong]).code(2);
    }
}

#[test]
fn the_result_may_go_to_standard_output() {
    let bench = Bench::with_bug();
    let args = ["bug.c", "--test", SCRIPT, "-o", "-"];
    let run = bench.reduce(&args);
    let printed = stdout(&run);
    assert!(printed.contains("needle(") && printed.len() < BUG.len() / 2, "{printed}");
    assert_mentions(&stderr(&run), &["No single token is left to remove"]);
    assert_eq!(bench.read("bug.c"), BUG);
    assert_eq!(bench.names(), ["bug.c", SCRIPT_NAME]);
    // A run that was stopped prints the best so far, and goes on.
    let stopped = stdout(&bench.reduce(&[&args[..], &["--max-steps", "5", "--quiet"]].concat()));
    assert!(stopped.contains("needle(") && stopped.len() < BUG.len(), "{stopped}");
    let run = bench.reduce(&args);
    assert_mentions(&stderr(&run), &["resuming an earlier run"]);
    assert_eq!(stdout(&run), printed);
    assert_eq!(bench.names(), ["bug.c", SCRIPT_NAME]);
    // Where there is a folder or more than one file to write, there is no standard output.
    for folder in [&["batch", "."][..], &["fuzz"], &["generate"]] {
        let refused = bench.run(&[folder, &["--out", "-"]].concat()).code(2);
        assert_mentions(&stderr(&refused), &["'-' for '--out", "cannot go to standard output"]);
    }
    bench.write("a.c", BUG);
    for (more, part) in [(&["a.c"][..], "several files"), (&["--summary", "-"], "the same place")] {
        let refused = bench.run(&[&args[..], more].concat()).failure();
        assert_mentions(&stderr(&refused), &[part]);
    }
}

#[test]
fn a_result_that_replaces_a_file_says_so() {
    let bench = Bench::with_bug();
    bench.write("out.c", "int mine;\n");
    let args = ["bug.c", "--test", SCRIPT, "-o", "out.c"];
    let run = bench.reduce(&args);
    assert_mentions(&stderr(&run), &["out.c` exists, and the result replaces it"]);
    fs::remove_file(bench.path("out.c")).unwrap();
    assert!(!stderr(&bench.reduce(&args)).contains("exists"));
}

#[test]
#[cfg_attr(windows, ignore = "its test is a command of Unix")]
fn the_current_folder_is_named_as_the_result() {
    let bench = Bench::with_bug();
    bench.write("project/bug.c", BUG);
    let mut command = bench.command(&[".", "--test", "grep -q needle bug.c"]);
    let output = command.current_dir(bench.path("project")).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    let project = dunce::canonicalize(bench.path("project")).unwrap();
    assert_mentions(&shown, &[&format!("result:   {}\n", project.display())]);
}

#[test]
fn wrong_names_get_a_suggestion() {
    let bench = Bench::with_bug();
    for jobs in ["0", "abc", "-1", "1.5"] {
        let run = bench.run(&["bug.c", "--test", SCRIPT, &format!("--jobs={jobs}")]).code(2);
        assert_mentions(&stderr(&run), &["--jobs", "expected a whole number, 1 or more"]);
    }
    for (wrong, right) in [("statments", "'statements'"), ("unreachabel", "'unreachable'")] {
        let run = bench.run(&["bug.c", "--test", SCRIPT, "--passes", wrong]).code(2);
        assert_mentions(&stderr(&run), &[right]);
    }
    let run = bench.run(&["bug.c", "--test", SCRIPT, "--passes", "statement"]).code(2);
    assert_mentions(&stderr(&run), &["statements"]);
    let run = bench.run(&["bug.c", "--test", "recipe.toml"]).code(2);
    assert_mentions(&stderr(&run), &["recipe.toml", "cannot be read"]);
}

#[test]
fn events_tell_the_conversation() {
    let bench = Bench::with_bug();
    bench.reduce(&["bug.c", "--test", SCRIPT, "--events", "e.jsonl", "--summary", "s.json"]);
    let events = bench.events("e.jsonl");
    let kind = |index: usize| events[index]["event"].as_str().unwrap();
    assert_eq!((kind(0), kind(events.len() - 1)), ("started", "finished"));
    let known = ["started", "judged", "committed", "pass_finished", "left_out", "finished"];
    assert!(events.iter().all(|event| known.contains(&event["event"].as_str().unwrap())));

    let answered: Vec<_> = events.iter().filter(|event| event["event"] == "judged").collect();
    for (index, event) in answered.iter().enumerate() {
        assert_eq!(event["step"], index as u64 + 1);
        assert_eq!(event["key"].as_str().unwrap().len(), 64);
        assert_eq!(event["interesting"], event["verdict"] == "interesting");
        assert!(event["pass"].is_string() && event["known"].is_boolean());
        assert!(event["tests"].as_u64() > Some(0));
    }
    let committed = events.iter().rfind(|event| event["event"] == "committed").unwrap();
    assert_eq!(committed["bytes"], bench.read("bug.c").len());

    let summary = bench.json("s.json");
    assert_eq!(summary["steps"], answered.len());
    assert_eq!(summary["bytes"], bench.read("bug.c").len());
    assert_eq!(summary["original_bytes"], BUG.len());
    assert_eq!(summary["tokens"], committed["tokens"]);
    assert_eq!(summary["ending"], "minimal");
    assert!(summary["seconds"].as_f64() > Some(0.0));
    assert!(summary["tests"].as_u64() > Some(0) && summary["cache_hits"].is_u64());
    let passes = summary["passes"].as_array().unwrap();
    let asked: u64 = passes.iter().map(|pass| pass["steps"].as_u64().unwrap()).sum();
    assert_eq!(asked, answered.len() as u64);
}

/// Also of a pass that proposes nothing at all because of it, whose run has no steps.
#[test]
fn events_tell_what_passes_left_out() {
    let uses: String = ('a'..='m').map(|name| format!("int {name} = needle(2);\n")).collect();
    let sum: Vec<String> = ('a'..='m').map(|name| name.to_string()).collect();
    let program = format!(
        "int needle(int x) {{ x += 1; x *= 3; return x; }}\n\
         int main(void) {{\n{uses}return {};\n}}\n",
        sum.join(" + ")
    );
    let told = ["1", "8"].map(|jobs| {
        let bench = Bench::with_bug();
        bench.write("bug.c", &program);
        let passes = ["--passes", "inline,literals,merge-variables", "-j", jobs, "-vv"];
        let args = [&["bug.c", "--test", SCRIPT, "--events", "e.jsonl"][..], &passes].concat();
        let shown = stderr(&bench.reduce(&args));
        let calls = "  inline left something out: more than 8 calls of one function\n";
        let variables =
            "  merge-variables left something out: more than 12 variables of one file\n";
        assert_mentions(&shown, &[calls, variables]);
        let fields =
            |event: &Value| ["event", "pass", "of", "most"].map(|name| event[name].clone());
        bench.events("e.jsonl").iter().map(fields).collect::<Vec<_>>()
    });
    assert_eq!(told[0], told[1], "the events depend on -j");
    let inline = json!(["left_out", "inline", "calls of one function", 8]);
    let merge = json!(["left_out", "merge-variables", "variables of one file", 12]);
    let told: Vec<Value> = told[0].iter().map(|fields| json!(fields)).collect();
    let finished = told.iter().rposition(|event| event[0] == "pass_finished").unwrap();
    let (before, after) = told.split_at(finished + 1);
    assert_eq!((&before[1], &before[2][0]), (&inline, &json!("judged")), "{told:?}");
    assert!(after.contains(&merge), "no step follows: {told:?}");
}

#[test]
fn every_number_of_jobs_asks_the_same() {
    let runs = ["1", "2", "8"].map(|jobs| {
        let bench = Bench::with_bug();
        bench.reduce(&["bug.c", "--test", SCRIPT, "-j", jobs, "--events", "e.jsonl"]);
        (bench.read("bug.c"), bench.keys("e.jsonl"))
    });
    assert_eq!(runs[0], runs[1]);
    assert_eq!(runs[0], runs[2]);
}

#[test]
fn max_steps_stops_early_and_goes_on_later() {
    let whole = Bench::with_bug();
    whole.reduce(&["bug.c", "--test", SCRIPT]);
    let bench = Bench::with_bug();
    let run = bench.reduce(&["bug.c", "--test", SCRIPT, "--max-steps", "5", "--summary", "s"]);
    assert_mentions(&stdout(&run), &["--max-steps"]);
    assert_eq!(bench.json("s")["steps"], 5);
    assert_eq!(bench.json("s")["ending"], "step_limit");
    assert!(bench.is_interesting(&["bug.c"]));
    let run = bench.reduce(&["bug.c", "--test", SCRIPT]);
    assert_mentions(&stderr(&run), &["resuming an earlier run"]);
    assert_eq!(bench.read("bug.c"), whole.read("bug.c"));
    assert_eq!(bench.read("bug.c.orig"), BUG);
}

#[test]
fn what_a_limit_ends_is_laid_out_and_gone_on_with() {
    let whole = Bench::new();
    let text = BUG.replace('\n', "  \n\n\n");
    whole.write("bug.c", &text);
    whole.script(crate::support::SCRIPT_NAME, TEST);
    whole.reduce(&["bug.c", "--test", SCRIPT, "--events", "e"]);
    let bench = Bench::new();
    bench.write("bug.c", &text);
    bench.script(crate::support::SCRIPT_NAME, TEST);
    for steps in ["4", "9"] {
        bench.reduce(&["bug.c", "--test", SCRIPT, "--max-steps", steps]);
        let now = bench.read("bug.c");
        let is_trimmed = now.lines().all(|line| line.trim_end() == line);
        assert!(is_trimmed && !now.contains("\n\n\n"), "{steps} steps: {now}");
        assert!(bench.is_interesting(&["bug.c"]));
    }
    bench.reduce(&["bug.c", "--test", SCRIPT, "--events", "e"]);
    assert_eq!(bench.read("bug.c"), whole.read("bug.c"));
    assert_eq!(bench.keys("e"), whole.keys("e"));
}

#[test]
fn fresh_begins_with_the_files_as_they_are() {
    let bench = Bench::with_bug();
    bench.reduce(&["bug.c", "--test", SCRIPT, "--max-steps", "5"]);
    let now = bench.read("bug.c").len();
    bench.reduce(&["bug.c", "--test", SCRIPT, "--fresh", "--summary", "s"]);
    assert_eq!(bench.json("s")["original_bytes"], now);
    assert_eq!(bench.read("bug.c.orig"), BUG);
}

#[test]
fn time_limit_keeps_the_best() {
    let bench = Bench::with_bug();
    bench.script(SCRIPT_NAME, &slow(200));
    let run = bench.reduce(&["bug.c", "--test", SCRIPT, "--time-limit", "2s"]);
    assert_mentions(&stdout(&run), &["--time-limit"]);
    assert!(bench.is_interesting(&["bug.c"]));
}

#[test]
#[cfg_attr(windows, ignore = "needs gcc")]
fn output_of_a_command_is_a_test_without_a_script() {
    let bench = Bench::new();
    bench.write("bug.c", "int a;\nint b;\nint c = undeclared;\nint d;\n");
    let test = ["--test", "gcc -c bug.c", "--interesting-stderr", "undeclared. undeclared"];
    bench.reduce(&[&["bug.c"], &test[..]].concat());
    let result = bench.read("bug.c");
    assert!(result.contains("undeclared") && !result.contains("int b"), "{result}");

    bench.write("bug.c", "int one;\nint two;\nint three;\n");
    bench.reduce(&["bug.c", "--test", "cat bug.c; false", "--interesting-stdout", "(?m)^int two;"]);
    assert_eq!(bench.read("bug.c").trim(), "int two;");
}

#[test]
fn also_interesting_variants_are_put_aside() {
    let bench = Bench::with_bug();
    let test = if cfg!(windows) {
        format!("@find \"main\" bug.c >nul\r\n@if errorlevel 1 exit /b 77\r\n{TEST}")
    } else {
        TEST.replace("\ngrep", "\ngrep -q main bug.c || exit 77\ngrep")
    };
    bench.script(SCRIPT_NAME, &test);
    bench.reduce(&["bug.c", "--test", SCRIPT, "--also-interesting", "77"]);
    let folders: Vec<_> = fs::read_dir(bench.path("bug.c.also-interesting")).unwrap().collect();
    assert!(!folders.is_empty());
    for folder in folders {
        let variant = fs::read_to_string(folder.unwrap().path().join("bug.c")).unwrap();
        assert!(!variant.contains("main"), "{variant}");
    }
}

#[test]
fn directories_of_tests_can_be_kept() {
    let bench = Bench::with_bug();
    let run = bench.reduce(&["bug.c", "--test", SCRIPT, "--save-temps"]);
    let noted = stderr(&run);
    let folder = noted.split_once("are kept in ").unwrap().1.lines().next().unwrap();
    let kept: Vec<_> = fs::read_dir(folder).unwrap().flatten().collect();
    assert!(kept.len() > 4, "{kept:?}");
    assert!(kept.iter().all(|entry| entry.path().join("variant/bug.c").exists()));
    let folder = dunce::canonicalize(folder).unwrap();
    assert!(folder.starts_with(dunce::canonicalize(bench.temporary()).unwrap()));
}

#[test]
fn quiet_prints_nothing_and_verbose_prints_steps() {
    let bench = Bench::with_bug();
    let run = bench.reduce(&["bug.c", "--test", SCRIPT, "--quiet", "--output", "a.c"]);
    assert_eq!((stdout(&run), stderr(&run)), (String::new(), String::new()));
    let run = bench.reduce(&["bug.c", "--test", SCRIPT, "-v", "--output", "b.c"]);
    assert_mentions(&stderr(&run), &["tokens  unreachable"]);
    let run = bench.reduce(&["bug.c", "--test", SCRIPT, "-vv", "--output", "c.c"]);
    assert_mentions(&stderr(&run), &[": interesting", ": not interesting (exit code 1)"]);
}

#[test]
fn passes_can_be_chosen() {
    let bench = Bench::with_bug();
    let args = ["bug.c", "--test", SCRIPT, "--summary", "s", "--output"];
    let names = |extra: &[&str], output: &str| -> Vec<String> {
        bench.reduce(&[&args[..], &[output], extra].concat());
        let summary = bench.json("s");
        let passes = summary["passes"].as_array().unwrap();
        passes.iter().map(|pass| pass["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&["--passes", "statements"], "a.c"), ["statements"]);
    let without = names(&["--skip-pass", "statements,unreachable"], "b.c");
    assert!(!without.is_empty());
    assert!(!without.iter().any(|name| name == "statements" || name == "unreachable"));
}

#[test]
fn protected_text_stays() {
    let bench = Bench::with_bug();
    let args = ["bug.c", "--test", SCRIPT, "--output"];
    let result = |extra: &[&str], output: &str| {
        bench.reduce(&[&args[..], &[output], extra].concat());
        bench.read(output)
    };
    let kept = result(&["--protect", r"int table\[4\]", "--protect", "p.second\\+\\+"], "a.c");
    assert!(kept.contains("int table[4]") && kept.contains("p.second++"), "{kept}");
    assert!(!result(&[], "b.c").contains("table"));
}

#[test]
#[cfg_attr(windows, ignore = "needs gcc")]
fn names_stay() {
    let bench = Bench::with_bug();
    bench
        .script("test.sh", "#!/bin/sh\ngrep -q '[a-z]*(int' bug.c && gcc -fsyntax-only -w bug.c\n");
    bench.reduce(&["bug.c", "--test", SCRIPT, "--output", "c.c", "--keep-names"]);
    let names = bench.read("c.c");
    let known = ["needle", "twice", "thrice"];
    assert!(known.iter().any(|name| names.contains(name)), "{names}");
}

#[test]
fn tables_come_from_one_place() {
    let bench = Bench::new();
    let list = stdout(&bench.run(&["--list-passes"]).code(0));
    let completions = stdout(&bench.run(&["--generate", "bash"]).code(0));
    let manual = stdout(&bench.run(&["--generate", "man"]).code(0));
    let help = stdout(&bench.run(&["--help"]).code(0));
    for pass in list.lines().map(|line| line.split_whitespace().next().unwrap()) {
        assert!(completions.contains(pass), "{pass}");
    }
    for text in [&completions, &manual.replace('\\', ""), &help] {
        assert_mentions(text, &["--max-steps", "--also-interesting", "--skip-pass"]);
    }
}

#[test]
fn defaults_come_from_a_file_and_the_command_line_wins() {
    let bench = Bench::with_bug();
    let jobs = |args: &[&str]| {
        let common = ["bug.c", "--test", SCRIPT, "--output", "out.c", "--summary", "s", "--fresh"];
        bench.reduce(&[&common, args].concat());
        bench.json("s")["jobs"].clone()
    };
    bench.write(
        "config/clreduce/config.toml",
        "jobs = 3\nskip-pass = [\"lines\", \"comments\"]\nkeep-names = false\n",
    );
    assert_eq!((jobs(&[]), jobs(&["-j", "1"])), (3.into(), 1.into()));
    let passes = bench.json("s")["passes"].to_string();
    assert!(!passes.contains("\"lines\"") && passes.contains("identifiers"), "{passes}");
    bench.run(&["--list-passes"]).code(0);
    let said = stdout(&bench.run(&["--version"]).code(0));
    assert_mentions(&said, &["clreduce 0.", "\nlibclang: ", "\ndevice:   ", "config.toml"]);
    assert_eq!(stdout(&bench.run(&["-V"]).code(0)).lines().count(), 1);

    for (text, parts) in [
        ("jobs = \"many\"", ["config.toml", "invalid value 'many'"]),
        ("test = \"true\"", ["sets `test`", "jobs, color"]),
        ("jobs = ", ["config.toml", "no file in TOML"]),
    ] {
        bench.write("config/clreduce/config.toml", text);
        let refused = bench.run(&["bug.c", "--test", SCRIPT]).code(2);
        assert_mentions(&stderr(&refused), &parts);
    }
}
