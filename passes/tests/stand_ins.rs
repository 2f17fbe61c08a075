//! The stand-ins for classes of the standard library do what the library does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The headers whose classes have a stand-in.
const HEADERS: [&str; 11] = [
    "functional",
    "limits",
    "map",
    "memory",
    "optional",
    "set",
    "string",
    "string_view",
    "unordered_map",
    "unordered_set",
    "vector",
];

/// The stand-ins, each after those that it mentions.
const STAND_INS: [&str; 12] = [
    "pair",
    "vector",
    "basic_string_view",
    "basic_string",
    "unique_ptr",
    "optional",
    "map",
    "unordered_map",
    "set",
    "unordered_set",
    "function",
    "numeric_limits",
];

/// The heads that classes have in the library, where they are not those of the stand-ins.
const HEADS: [(&str, &str); 2] = [
    (
        "template <class T0, class T1> struct unique_ptr",
        "template <class T0, class T1 = T0> struct unique_ptr",
    ),
    (
        "template <class T0, class... T1> struct function",
        "template <class T> struct function; template <class T0, class... T1> struct function<T0(T1...)>",
    ),
];

#[test]
fn stand_ins_do_what_the_library_does() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = here.join("src/cpp/stand_ins/library");
    let uses = fs::read_to_string(here.join("tests/stand_ins/uses.cpp")).unwrap();
    let include = |header: &&str| format!("#include <{header}>\n");
    let real = format!("{}{uses}", HEADERS.iter().map(include).collect::<String>());
    let mut short = String::from(
        "#include <cstdio>\n#include <initializer_list>\nnamespace std {\ntemplate <class> struct char_traits {};\n\
         struct nullopt_t {};\nconstexpr nullopt_t nullopt{};\n",
    );
    for name in STAND_INS {
        let text = fs::read_to_string(library.join(format!("{name}.hpp"))).unwrap();
        let head = HEADS.iter().find(|(head, _)| text.starts_with(head));
        short += &head.map_or(text.clone(), |(head, new)| text.replacen(head, new, 1));
    }
    short += "}\n";
    short += &uses;
    assert_eq!(fs::read_dir(&library).unwrap().count(), STAND_INS.len());
    let folder = tempfile::tempdir().unwrap();
    let expected = printed(folder.path(), "real", &real);
    assert_eq!(expected.lines().count(), 28, "{expected}");
    assert_eq!(printed(folder.path(), "short", &short), expected);
}

/// Compiles a program with the sanitizers of addresses and of undefined behaviour, runs it, and returns its output.
fn printed(folder: &Path, name: &str, text: &str) -> String {
    let source = folder.join(format!("{name}.cpp"));
    fs::write(&source, text).unwrap();
    let program: PathBuf = folder.join(name);
    let mut compiler = Command::new("g++");
    compiler.args([
        "-std=c++17",
        "-w",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all",
        "-o",
    ]);
    let compiled = compiler.arg(&program).arg(&source).output().expect("g++ is installed");
    assert!(compiled.status.success(), "{name}: {}", String::from_utf8_lossy(&compiled.stderr));
    let run = Command::new(&program).output().unwrap();
    assert!(run.status.success(), "{name}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}
