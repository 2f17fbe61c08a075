//! The header is that of the source, and a program in C links and reduces.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cbindgen::{Builder, Config, ExportConfig, Language, RenameRule, Style};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn header() -> String {
    let names = [
        ("ClreduceStatus", "clreduce_status"),
        ("ClreduceOptions", "clreduce_options"),
        ("ClreduceResult", "clreduce_result"),
        ("ClreduceTest", "clreduce_test"),
        ("ClreduceFile", "clreduce_file"),
        ("ClreduceFilesTest", "clreduce_files_test"),
        ("ClreduceProgress", "clreduce_progress"),
        ("ClreduceProgressCallback", "clreduce_progress_callback"),
        ("ClreduceCancellation", "clreduce_cancellation"),
    ];
    let mut config = Config {
        language: Language::C,
        cpp_compat: true,
        include_guard: Some("CLREDUCE_H".to_owned()),
        autogen_warning: Some(
            "/* Made from capi/src/lib.rs: BLESS=1 cargo test -p clreduce-capi */".to_owned(),
        ),
        style: Style::Both,
        line_length: 110,
        documentation: true,
        export: ExportConfig {
            rename: names.map(|(rust, c)| (rust.to_owned(), c.to_owned())).into(),
            ..ExportConfig::default()
        },
        ..Config::default()
    };
    config.enumeration.rename_variants = RenameRule::ScreamingSnakeCase;
    let bindings = Builder::new().with_config(config).with_src(root().join("src/lib.rs"));
    let mut text = Vec::new();
    bindings.generate().unwrap().write(&mut text);
    String::from_utf8(text).unwrap()
}

#[test]
fn the_header_is_that_of_the_source() {
    let path = root().join("include/clreduce.h");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, header()).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
    assert_eq!(found, header(), "it is stale: run BLESS=1 cargo test -p clreduce-capi");
}

/// The library that cargo built beside this test.
fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folders = test.ancestors().skip(1).take(2);
    let mut found = folders.map(|folder| folder.join("libclreduce_c.a"));
    found.find(|path| path.exists()).expect("the library lies beside the test")
}

fn compile(compiler: &str, source: &Path, program: &Path) {
    let mut command = Command::new(compiler);
    command.args(["-Wall", "-Wextra", "-Werror"]).arg("-I").arg(root().join("include"));
    command.arg(source).arg(library()).args(["-lpthread", "-ldl", "-lm", "-o"]).arg(program);
    assert!(command.status().unwrap().success(), "{command:?}");
}

#[test]
fn the_example_in_c_reduces() {
    let dir = tempfile::tempdir().unwrap();
    let (program, bug) = (dir.path().join("reduce"), dir.path().join("bug.c"));
    compile("cc", &root().join("examples/reduce.c"), &program);
    let source =
        "int table[4];\nint f(int x) { return x * 2; }\nint needle(void) { return f(3); }\n";
    fs::write(&bug, source).unwrap();
    let run = |test: &str| Command::new(&program).arg(&bug).arg(test).output().unwrap();
    let done = run("grep -q 'needle(' \"$FILE\" && cc -fsyntax-only -w \"$FILE\" 2>/dev/null");
    let reduced = String::from_utf8(done.stdout).unwrap();
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(reduced.contains("needle(") && !reduced.contains("table"), "{reduced}");
    assert_eq!(run("false").status.code(), Some(2), "not interesting");
    assert_eq!(run("grep -q main \"$FILE\"").stdout, b"");
}

#[test]
fn files_progress_cancelling_and_messages_work_from_c() {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("files");
    compile("cc", &root().join("tests/files.c"), &program);
    let done = Command::new(&program).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}
