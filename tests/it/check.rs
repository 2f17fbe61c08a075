//! `clreduce check` as a person or a script uses it, with the real tools.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/validity").join(name)
}

fn check(kernel: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::cargo_bin("clreduce").unwrap();
    let Output { status, stdout, stderr } =
        command.arg("check").arg(kernel).args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn findings_are_printed_once_with_line_kind_and_tool() {
    let kernel = fixture("uninit-scalar.cl");
    let (code, out, _) = check(&kernel, &["--only", "compile"]);
    assert_eq!(code, Some(1));
    assert_eq!(out.lines().count(), 1, "{out}");
    let place = format!("{}:5: uninitialised: ", kernel.display());
    assert!(out.starts_with(&place) && out.ends_with(" [clang]\n"), "{out}");
}

#[test]
fn a_valid_kernel_is_called_valid_with_what_was_not_looked_for() {
    let kernel = fixture("valid-barriers.cl");
    let (code, out, err) = check(&kernel, &["--only", "compile,simulate"]);
    let valid = format!("{}: valid: nothing was found by compile, simulate\n", kernel.display());
    assert_eq!((code, out), (Some(0), valid));
    assert!(
        err.contains("note: these were not looked for: ") && err.contains("signed-overflow"),
        "{err}"
    );
}

#[test]
fn functions_that_are_only_inline_are_executed() {
    let folder = tempfile::tempdir().unwrap();
    let kernel = folder.path().join("k.cl");
    let text = "// -g 1 -l 1\ninline int f(int a, int b) {\n    return a / b;\n}\n\
                __kernel void k(__global int *a) { a[0] = f(1, DIVISOR - get_global_id(0)); }\n";
    for (divisor, code, output) in [("0", 1, ":3: division-by-zero: "), ("1", 0, ": valid: ")] {
        fs::write(&kernel, text.replace("DIVISOR", divisor)).unwrap();
        let (status, out, err) = check(&kernel, &["--only", "compile,sanitize"]);
        assert_eq!(status, Some(code), "{out}{err}");
        assert!(out.contains(output), "{out}");
    }
}

#[test]
fn a_stage_without_its_tool_names_the_package() {
    let mut command = Command::cargo_bin("clreduce").unwrap();
    let kernel = fixture("valid-barriers.cl");
    let run =
        command.args(["check", "--only", "simulate"]).arg(kernel).env("PATH", "").output().unwrap();
    let err = String::from_utf8(run.stderr).unwrap();
    assert_eq!(run.status.code(), Some(3));
    assert!(
        err.contains("`oclgrind-kernel` is not installed; install it: apt-get install oclgrind\n"),
        "{err}"
    );
    assert!(!err.contains("repeated"), "{err}");
}

#[test]
fn the_doctor_names_the_packages_of_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::cargo_bin("clreduce").unwrap();
    let run = command
        .arg("doctor")
        .env("PATH", "")
        .env("OCL_ICD_VENDORS", folder.path())
        .output()
        .unwrap();
    let out = String::from_utf8(run.stdout).unwrap();
    assert_eq!(run.status.code(), Some(1), "{out}");
    for part in [
        "clang ",
        "missing; apt-get install clang-19",
        "missing; apt-get install pocl-opencl-icd",
        "Devices\n",
    ] {
        assert!(out.contains(part), "{part:?} is not in {out}");
    }
    let advice = out.lines().last().unwrap();
    assert!(
        advice.starts_with("To install what is missing: apt-get install bubblewrap clang-19 "),
        "{advice}"
    );
    // What is there is shown with its place; the devices are those of `clreduce devices`.
    let run = Command::cargo_bin("clreduce").unwrap().arg("doctor").output().unwrap();
    let out = String::from_utf8(run.stdout).unwrap();
    assert!(out.contains("/oclgrind\n") && out.contains("Portable Computing Language"), "{out}");
}

/// What is there decides what to install: clang 16 without its sanitizers, and a loader without a file about a driver.
#[test]
fn the_doctor_names_the_packages_that_go_with_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let [bin, path] = ["llvm-16/bin", "bin"].map(|name| folder.path().join(name));
    for folder in [&bin, &path] {
        fs::create_dir_all(folder).unwrap();
    }
    fs::write(bin.join("clang"), "").unwrap();
    std::os::unix::fs::symlink(bin.join("clang"), path.join("clang-16")).unwrap();
    let vendors = folder.path().join("vendors");
    let mut command = Command::cargo_bin("clreduce").unwrap();
    let run =
        command.arg("doctor").env("PATH", &path).env("OCL_ICD_VENDORS", &vendors).output().unwrap();
    let out = String::from_utf8(run.stdout).unwrap();
    assert_eq!(run.status.code(), Some(1), "{out}");
    let finds_none = format!("the OpenCL loader finds no driver, as {} has", vendors.display());
    for part in [
        "/bin/clang-16\n",
        "missing; apt-get install libclang-rt-16-dev\n",
        "apt-get install pocl-opencl-icd",
        "NVIDIA's GPUs need nvidia-opencl-icd",
        "For GPUs of NVIDIA: apt-get install libcuda1 ",
        "  OpenCL C  no stage can look for ",
        &finds_none,
    ] {
        assert!(out.contains(part), "{part:?} is not in {out}");
    }
    assert!(!out.contains("libclang-rt-19-dev"), "{out}");
}

#[test]
fn json_is_one_object() {
    let (code, out, _) = check(&fixture("race-inter-group.cl"), &["--only", "simulate", "--json"]);
    assert_eq!(code, Some(1));
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["validity"], "invalid");
    assert_eq!(report["findings"][0]["kind"], "data-race");
    assert_eq!(report["findings"][0]["line"], 4);
}

#[test]
fn coverage_says_what_never_happened_and_qualifies_valid() {
    let folder = tempfile::tempdir().unwrap();
    let kernel = folder.path().join("k.cl");
    let name = kernel.display();
    let source = "// -g 4,1,1 -l 2,1,1\nkernel void entry(global ulong *r) {\n  uint id = get_global_id(0);\n  \
                  if (id > 7)\n    r[id] = 3;\n}\n";
    fs::write(&kernel, source).unwrap();
    let (code, out, err) = check(&kernel, &["--only", "compile", "--coverage"]);
    let expected = format!(
        "{name}: valid for these arguments: nothing was found by compile; 1 of 2 branches never ran\n\
         {name}:4:7: condition never true (4 work-items, 1 launch)\n\
         {name}:5:5: never executed (4 work-items, 1 launch)\n\
         {name}: covered: 1 of 2 branches, 1 of 2 values of conditions, 0 of 0 conditions that change a branch alone, \
         0 of 0 loop cases, 0 of 0 barriers (4 work-items, 1 launch)\n"
    );
    assert_eq!((code, out), (Some(0), expected), "{err}");
    let (_, out, _) = check(&kernel, &["--only", "compile", "--coverage", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["coverage"]["summary"]["branches"]["covered"], 1);
    assert_eq!(report["coverage"]["points"][1]["when_false"]["work_items"], 4);
    // Without branches, and where the kernel cannot be launched.
    fs::write(&kernel, source.replace("if (id > 7)", "")).unwrap();
    let (code, out, _) = check(&kernel, &["--only", "compile", "--coverage"]);
    assert!(code == Some(0) && out.contains("valid: ") && out.contains("0 of 0 branches"), "{out}");
    fs::write(&kernel, "kernel void k(image2d_depth_t i) {}\n").unwrap();
    let (_, _, err) = check(&kernel, &["--only", "compile", "--coverage"]);
    assert!(
        err.contains("the coverage is not known: ") && err.contains("image2d_depth_t i"),
        "{err}"
    );
}

#[test]
fn what_cannot_be_said_is_status_three() {
    let folder = tempfile::tempdir().unwrap();
    let kernel = folder.path().join("k.cl");
    fs::write(
        &kernel,
        "__kernel void k(read_only image2d_depth_t i, __global ulong *r) { *r = get_image_width(i); }\n",
    )
    .unwrap();
    let (code, out, err) = check(&kernel, &["--only", "simulate"]);
    assert_eq!((code, out.as_str()), (Some(3), ""));
    assert!(
        err.contains(
            "Oclgrind: clreduce cannot make an argument for the parameter `read_only image2d_depth_t i`"
        ),
        "{err}"
    );
    let (code, ..) = check(&kernel, &["--only", "compile", "--clang", "/nowhere/clang"]);
    assert_eq!(code, Some(3));
}

#[test]
fn what_is_no_kernel_is_status_two() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("k.cl");
    fs::write(&file, "int x;\n").unwrap();
    assert_eq!(check(&file, &[]).0, Some(2));
    assert_eq!(check(&fixture("valid-barriers.cl"), &["--only", "simulation"]).0, Some(2));
}

#[test]
fn kernels_that_evade_a_stage_are_never_valid() {
    let folder = tempfile::tempdir().unwrap();
    let kernel = folder.path().join("k.cl");
    let entry = |before: &str, body: &str| {
        format!(
            "// -g 2,1,1 -l 2,1,1\n{before}\n__kernel void entry(__global ulong *result) {{\n{body}\n}}\n"
        )
    };
    let own = "result[get_global_id(0)] =";
    let end = "__asm__ volatile(\"mov $60, %eax; xor %edi, %edi; syscall\");";
    let cases = [
        (
            "int g(int);\nint f(int n) { return n ? g(n - 1) : 0; }\nint g(int n) { return f(n); }",
            format!("{own} f(3);"),
            1,
            "calls itself",
        ),
        ("int f(int n) { return f(n + 1u) + 1; }", format!("{own} f(3);"), 1, "calls itself"),
        (
            "#define SELF f\nint f(int n) { return n ? SELF(n - 1) : 0; }",
            format!("{own} f(3);"),
            1,
            "k.cl:3: non-portable: `f` calls itself",
        ),
        (
            "#if 0\nint f(int n) { return f(n - 1); }\n#else\nint f(int n) { return n; }\n#endif",
            format!("{own} f(3);"),
            0,
            "valid",
        ),
        ("void _exit(int);", format!("{own} 1; _exit(0);"), 3, "built-in _exit not known"),
        ("", format!("{own} 1; {end}"), 3, "the kernel ended the program"),
        (
            "__attribute__((no_sanitize(\"address\"))) void f(__global ulong *r) { r[0] = 1; }",
            "f(result);".to_owned(),
            3,
            "no_sanitize",
        ),
        (
            "__attribute__((disable_sanitizer_instrumentation)) void f(__global ulong *r) { r[0] = 1; }",
            "f(result);".to_owned(),
            3,
            "disable_sanitizer_instrumentation",
        ),
        (
            "__attribute__((__no_address_safety_analysis__)) void f(__global ulong *r) { r[0] = 1; }",
            "f(result);".to_owned(),
            3,
            "no_address_safety_analysis",
        ),
        (
            "#define JOIN(a, b) a##b\n\
             __attribute__((JOIN(no_sani, tize)(\"address\"))) void f(__global ulong *r) { r[0] = 1; }",
            "f(result);".to_owned(),
            3,
            "no_sanitize",
        ),
        ("// Not for no_sanitize.", format!("{own} 1;"), 0, "valid"),
        ("", format!("{own} 1; __builtin_trap();"), 3, "without a report"),
        (
            "",
            format!("event_t e; {own} 1; wait_group_events(-1, &e);"),
            1,
            "no asynchronous copy has returned",
        ),
    ];
    for (before, body, code, said) in cases {
        fs::write(&kernel, entry(before, &body)).unwrap();
        let (seen, out, err) = check(&kernel, &["--only", "compile,sanitize"]);
        let printed = [out, err].concat();
        assert!(
            seen == Some(code) && printed.contains(said),
            "{before} {body}: {seen:?} {printed}"
        );
    }
}

#[test]
fn arguments_that_clreduce_has_chosen_do_not_make_a_kernel_invalid_for_certain() {
    let folder = tempfile::tempdir().unwrap();
    let kernel = folder.path().join("k.cl");
    let name = kernel.display();
    let source = "// -g 8 -l 8\n#define REAL float\n#define MEM __global\n\
                  __kernel void k(MEM REAL *out, int width) {\n  out[width * width * get_global_id(0)] = 1;\n}\n";
    // Larger buffers do.
    fs::write(&kernel, source).unwrap();
    assert_eq!(check(&kernel, &["--only", "compile,sanitize"]).0, Some(0));
    // No buffer has anything before its beginning.
    let before = source.replace("width * width *", "-1 - width -");
    fs::write(&kernel, &before).unwrap();
    let (code, out, err) = check(&kernel, &["--only", "compile,sanitize"]);
    assert_eq!(code, Some(4), "{out}{err}");
    assert!(out.contains(&format!("{name}:5: out-of-bounds: ")), "{out}");
    assert!(out.contains("invalid with these arguments, which clreduce has chosen"), "{out}");
    assert!(err.contains("k.args.toml") && err.contains("clreduce inputs"), "{err}");
    let (_, out, _) = check(&kernel, &["--only", "compile,sanitize", "--json"]);
    assert!(out.contains("\"validity\":\"invalid-with-chosen-arguments\""), "{out}");
    // What the text alone says does not depend on arguments.
    fs::write(&kernel, source.replace("= 1;", "= none;")).unwrap();
    assert_eq!(check(&kernel, &["--only", "compile,sanitize"]).0, Some(1));
    // A type may be a macro of the build.
    let of_build = before.replace("#define REAL float\n", "");
    fs::write(&kernel, of_build).unwrap();
    let build = ["--only", "compile,sanitize", "--", "-DREAL=double"];
    assert_eq!(check(&kernel, &build).0, Some(4));
    // With arguments of the user, by either name of the file.
    fs::write(&kernel, source).unwrap();
    let described = |width: u32| {
        format!(
            "kernel = \"k\"\nglobal = [8]\nlocal = [8]\n[[argument]]\nbuffer = \"float\"\nelements = 8\n\
             [[argument]]\nvalue = \"int\"\nis = {width}\n"
        )
    };
    for file in ["k.args.toml", "k.cl.args.toml"] {
        let file = folder.path().join(file);
        for (width, code) in [(1, 0), (2, 1)] {
            fs::write(&file, described(width)).unwrap();
            let (seen, out, err) = check(&kernel, &["--only", "compile,sanitize"]);
            assert_eq!(seen, Some(code), "{out}{err}");
        }
        fs::remove_file(file).unwrap();
    }
    for file in ["k.args.toml", "k.cl.args.toml"] {
        fs::write(folder.path().join(file), described(1)).unwrap();
    }
    let (code, _, err) = check(&kernel, &[]);
    assert!(code == Some(2) && err.contains("describe the arguments of the same kernel"), "{err}");
}

#[test]
fn a_result_that_depends_on_the_order_of_evaluation_has_a_status_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let kernel = folder.path().join("k.cl");
    let source = "// -g 4,1,1 -l 4,1,1\nint next(int *p) { return ++*p; }\nint two(int a, int b) { return a * 10 + b; }\n\
                  __kernel void entry(__global ulong *r) {\n  int x = 0, y =\n    \
                  two(next(&x), next(&x));\n  r[get_global_id(0)] = y;\n}\n";
    fs::write(&kernel, source).unwrap();
    let (code, out, err) = check(&kernel, &[]);
    let found = format!("{}:6: evaluation-order: `result[0]` is 0xc", kernel.display());
    assert!(code == Some(3) && out.starts_with(&found), "{out}{err}");
    assert!(err.contains("unresolved: the result depends on the order in which operands"), "{err}");
    fs::write(&kernel, source.replace("a * 10 + b", "a + b")).unwrap();
    assert_eq!(check(&kernel, &[]).0, Some(0));
}

#[test]
fn users_choose_the_orders_of_work_items() {
    let folder = tempfile::tempdir().unwrap();
    let kernel = folder.path().join("k.cl");
    let argument = |kind| format!("[[launch.argument]]\nbuffer = \"{kind}\"\nelements = 8\n");
    let launch = "[[launch]]\nkernel = \"k\"\nglobal = [8]\nlocal = [2]\n";
    let described = format!("{launch}{}{}", argument("int"), argument("uint"));
    fs::write(folder.path().join("k.args.toml"), described).unwrap();
    let write = |body: &str| {
        let head = "kernel void k(global int *r, volatile global uint *c) {\n";
        fs::write(&kernel, format!("{head}{body}\n}}\n")).unwrap();
    };
    let checked = |args: &[&str]| check(&kernel, &[&["--only", "sanitize"], args].concat());
    write("r[atomic_inc(c)] = get_global_id(0);");
    for (args, order) in [
        (&[][..], "in reverse order"),
        (&["--orders", "7,reverse"], "in the random order 7"),
        (&["--orders", "2"], "in the random order 2"),
    ] {
        let (code, out, err) = checked(args);
        assert!(code == Some(3) && out.contains(&format!("if they run {order},")), "{out}{err}");
        assert_eq!(checked(args).1, out);
    }
    assert_eq!(checked(&["--orders", "forward"]).0, Some(2));
    write(
        "if (get_group_id(0) == 1) atomic_xchg(c, 1);\n\
         if (get_group_id(0) == 0) while (atomic_or(c, 0) == 0);\nr[get_global_id(0)] = 1;",
    );
    let (code, _, err) = checked(&[]);
    let reason =
        "waits at line 3 until another one changes memory: the kernel needs a fair scheduler";
    assert!(code == Some(3) && err.contains(reason), "{err}");
}
