//! Languages outside the C family, with their real compilers.

use crate::support::{Bench, assert_mentions, stderr, stdout};

/// A reduction of `name` whose result has at most `most` bytes after at most `steps` steps.
fn assert_reduces(name: &str, source: &str, test: &str, most: usize, steps: usize) -> String {
    let bench = Bench::new();
    bench.write(name, source);
    bench.script("test.sh", test);
    let args = [name, "--test", "./test.sh", "-j2", "--events", "events.jsonl"];
    let run = bench.reduce(&args);
    let left = bench.read(name);
    let asked =
        bench.events("events.jsonl").iter().filter(|event| event["event"] == "judged").count();
    assert!(left.len() <= most && asked <= steps, "{asked} steps, {} bytes:\n{left}", left.len());
    assert!(!stderr(&run).contains("read as text"));
    left
}

#[test]
fn python_is_reduced_to_what_its_tree_must_hold() {
    let method = |at: usize| {
        format!(
            "    def method_{at}(self, first: int, *rest, key=None) -> int:\n        \"\"\"A text.\"\"\"\n        \
             for name, value in self.items[{at}:]:\n            if value > {at} and name not in rest:\n                \
             try:\n                    self.other(name, key=[1, 2, *rest])\n                except (KeyError, ValueError) as error:\n                    \
             raise TypeError(f\"{{error}} {at}\") from error\n                finally:\n                    self.count += 1\n        return first + {at}\n\n"
        )
    };
    let methods: String = (0..12).map(method).collect();
    let source = format!(
        "import os, sys\n\n@decorated\nclass Named(Base, metaclass=Meta):\n    count: int = 3\n\n{methods}\n"
    );
    let test = "#!/bin/sh\nexec python3 - \"$1\" <<'END'\nimport ast, sys\ntree = ast.parse(open(sys.argv[1]).read())\n\
                found = any(isinstance(a, ast.Try) and any(isinstance(b, ast.Raise) for b in ast.walk(a))\n    \
                for c in tree.body if isinstance(c, ast.ClassDef) for f in c.body if isinstance(f, ast.FunctionDef)\n    \
                for a in ast.walk(f))\nsys.exit(not found)\nEND\n";
    assert_reduces("bug.py", &source, test, 90, 200);
}

#[test]
fn rust_is_reduced_to_the_error_of_its_compiler() {
    let function = |at: usize| {
        format!(
            "pub fn f{at}(a: &[u32], b: Option<String>) -> u32 {{\n    let mut sum = {at};\n    for x in a.iter().map(|x| x + 1) {{\n        \
             if x > {at} {{ sum += x; }} else {{ sum -= 1; }}\n    }}\n    match b {{ Some(text) => text.len() as u32 + sum, None => sum }}\n}}\n"
        )
    };
    let functions: String = (0..10).map(function).collect();
    let moved = "pub fn moved(names: Vec<String>) -> usize {\n    let other = names;\n    println!(\"{}\", names.len());\n    other.len()\n}\n";
    let source = format!(
        "use std::collections::HashMap;\n{functions}{moved}pub type T = HashMap<u8, u8>;\n"
    );
    let test = "#!/bin/sh\nrustc --edition 2024 --crate-type lib --emit=metadata \"$1\" 2>&1 | grep -q E0382\n";
    assert_reduces("bug.rs", &source, test, 80, 300);
}

/// What LLVM only numbers cannot go alone, until it has names.
#[test]
fn llvm_ir_of_a_program_is_reduced_to_the_instructions_that_matter() {
    let bench = Bench::new();
    let function = |at: usize| {
        format!(
            "int f{at}(int *a, int n) {{ int s = {at}; for (int i = 0; i < n; i++) if (a[i] > {at}) s += a[i] * {at}; return s; }}\n"
        )
    };
    let source: String = (1..9).map(function).collect();
    bench.write("bug.c", source);
    let clang =
        ["-O1", "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", "bug.c", "-o", "bug.ll"];
    let status =
        std::process::Command::new("clang-19").args(clang).current_dir(bench.path("")).status();
    assert!(status.unwrap().success());
    let test = "#!/bin/sh\nclang-19 -w -O2 -S -emit-llvm \"$1\" -o out.ll 2>err || exit 1\ngrep -q ' mul ' out.ll\n";
    let left = assert_reduces("bug.ll", &bench.read("bug.ll"), test, 120, 1_300);
    assert!(left.contains("mul"), "{left}");
}

#[test]
fn languages_are_listed_and_an_unknown_one_is_told() {
    let bench = Bench::with_bug();
    let list = stdout(&bench.run(&["languages"]).success());
    for row in [
        "cpp its meaning .cc",
        "python      its grammar   .py .pyi",
        "llvm        its meaning   .ll",
        "text        lines",
    ] {
        let dense = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(list.lines().any(|line| dense(line).starts_with(&dense(row))), "{row}\n{list}");
    }
    bench.write("bug.xyz", "one\nneedle\nthree\n");
    let args = ["bug.xyz", "--test", "grep -q needle bug.xyz"];
    assert_mentions(&stderr(&bench.run(&args).success()), &["read as text", "clreduce languages"]);
    assert_eq!(bench.read("bug.xyz"), "needle\n");
}
