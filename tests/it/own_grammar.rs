//! `--grammar`: a language that is not built in, by a grammar in a library.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Bench, assert_mentions, stderr};

/// A library with the grammar of JSON, built as a user builds one; in a folder of the test.
fn json_grammar(bench: &Bench) -> PathBuf {
    // Without it, packages for Windows would be asked for as well.
    let host = Command::new("rustc").arg("-vV").output().unwrap();
    let host = String::from_utf8(host.stdout).unwrap();
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline", "--locked", "--filter-platform"])
        .arg(host.lines().find_map(|line| line.strip_prefix("host: ")).unwrap())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let json = packages.iter().find(|package| package["name"] == "tree-sitter-json").unwrap();
    let folder = Path::new(json["manifest_path"].as_str().unwrap()).parent().unwrap().join("src");
    let library = bench.path("libtree-sitter-json.so");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-I"])
        .args([&folder, &folder.join("parser.c")])
        .arg("-o")
        .arg(&library)
        .status()
        .unwrap();
    assert!(built.success());
    library
}

#[test]
fn a_grammar_from_a_library_says_what_can_go() {
    let bench = Bench::new();
    json_grammar(&bench);
    let element = |number: u32| format!("{{\"a{number}\": [1, {{\"b\": {number}}}]}}");
    let elements: Vec<String> = (0..60).map(element).collect();
    let program = format!("[{}]\n", elements.join(",\n"));
    bench.write("case.words", &program);
    // What is no JSON is not interesting, so that lines and tokens alone get nowhere.
    let test =
        "#!/bin/sh\ngrep -q '\"b\": 37' case.words && python3 -m json.tool case.words >/dev/null\n";
    bench.script("interesting.sh", test);
    let grammar = ["--grammar", "./libtree-sitter-json.so"];
    let args = ["case.words", "--test", "./interesting.sh", "--sandbox", "off"];
    bench.run(&[&args[..], &grammar].concat()).success();
    let left = bench.read("case.words");
    assert_eq!(left.trim(), "{\"b\": 37}");
}

#[test]
fn what_is_no_grammar_is_an_error_that_names_it() {
    let bench = Bench::new();
    json_grammar(&bench);
    bench.write("case.words", "[1, 2]\n");
    bench.write("text.so", "no library\n");
    let source = "#include <stdint.h>\nstatic uint32_t old[64] = {7};\nconst void *tree_sitter_old(void) { return old; }\n\
                  const void *tree_sitter_none(void) { return 0; }\n";
    bench.write("old.c", source);
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([bench.path("old.so"), bench.path("old.c")])
        .status()
        .unwrap();
    assert!(built.success());
    for (grammar, expected) in [
        ("missing.so", "cannot be loaded"),
        ("text.so", "cannot be loaded"),
        ("case.words:json", "cannot be loaded"),
        (
            "libtree-sitter-json.so:lua",
            "has no grammar `lua`: there is no function tree_sitter_lua",
        ),
        ("old.so:none", "has no grammar `none`"),
        ("old.so", "has version 7 of tree-sitter's format"),
    ] {
        let run = bench.run(&["case.words", "--test", "true", "--grammar", grammar]).code(2);
        assert_mentions(&stderr(&run), &[expected, "help: build the grammar"]);
    }
    assert_eq!(bench.read("case.words"), "[1, 2]\n");
}
