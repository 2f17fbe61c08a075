//! `clreduce devices` and `clreduce run` on the real PoCL, the real Oclgrind and the host; with an nvcc made here.

#![cfg(target_os = "linux")]

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{Bench, assert_mentions, stderr, stdout};
use serde_json::Value;

/// Adds one to what is in its buffer, and prints something that is no result.
const KERNEL: &str = "\
// -g 4,1,1 -l 2,1,1
__kernel void entry(__global ulong *result) {
  size_t x = get_global_id(0);
#ifdef LARGE
  result[x] = 0xffffffffffffff00UL;
#endif
  result[x] += x * 17;
  if (x == 0) printf(\"disturbance\\n\");
}
";

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("kernel.cl", KERNEL);
    bench
}

#[test]
fn devices_are_listed() {
    let bench = bench();
    let text = stdout(&bench.run(&["devices"]).code(0));
    // Without them the other tests cannot run: scripts/setup kernel installs both.
    assert_mentions(&text, &["0.0  ", "Portable Computing Language", "Oclgrind", "simulated"]);
    let lines = stdout(&bench.run(&["devices", "--json"]).code(0));
    let devices: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let through: Vec<_> =
        devices.iter().map(|device| device["through"].as_str().unwrap()).collect();
    assert!(through.contains(&"loader") && through.contains(&"oclgrind"), "{lines}");
    assert!(through.contains(&"host"), "{lines}");
    bench.assert_nothing_left();
}

#[test]
fn results_are_printed_as_by_clsmith() {
    let bench = bench();
    for name in ["pocl", "oclgrind", "host"] {
        for more in [&[][..], &["--no-opt"], &["--repeat", "3"]] {
            let args = [&["run", "kernel.cl", "--device-name", name][..], more].concat();
            assert_eq!(stdout(&bench.run(&args).code(0)), "0,0x11,0x22,0x33,\n", "{args:?}");
        }
    }
    let large =
        bench.run(&["run", "kernel.cl", "--platform", "0", "--device", "0", "--", "-DLARGE"]);
    let expected = "0xffffffffffffff00,0xffffffffffffff11,0xffffffffffffff22,0xffffffffffffff33,\n";
    assert_eq!(stdout(&large.code(0)), expected);
    bench.assert_nothing_left();
}

#[test]
fn a_killed_run_on_the_host_leaves_nothing() {
    let bench = Bench::new();
    let kernel = "__kernel void entry(__global volatile ulong *result) { while (1) result[0]++; }";
    bench.write("endless.cl", format!("// -g 1,1,1 -l 1,1,1\n{kernel}\n"));
    // While the kernel is compiled, and while it runs.
    for file in ["kernel.o", "kernel.so"] {
        let mut child = bench.start(&["run", "endless.cl", "--device-name", "host"]);
        let deadline = Instant::now() + Duration::from_secs(60);
        while !bench.processes().iter().any(|line| line.contains(file)) {
            assert!(Instant::now() < deadline, "{:?}", bench.processes());
            sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        bench.assert_nothing_left();
    }
}

#[test]
fn the_exit_status_and_a_line_of_json_tell_the_class() {
    for device in ["pocl", "host"] {
        classes_on(device);
    }
}

/// A kernel for which clreduce makes no arguments.
const PACKED: &str =
    "struct __attribute__((packed)) S { char c; int i; }; kernel void k(global struct S *s) {}\n";

fn classes_on(device: &str) {
    let bench = Bench::new();
    let entry = |body: &str| {
        format!("// -g 1 -l 1\nkernel void entry(global volatile ulong *r) {{ {body} }}\n")
    };
    let cases = [
        (entry("r[0] = 7;"), "result", 0),
        (entry("r[0] = ;"), "build_failure", 10),
        (PACKED.to_owned(), "built", 13),
        (entry("*(global volatile int *)16 = 1;"), "run_crash", 21),
        (entry("while (!r[0]);"), "run_timeout", 22),
    ];
    for (source, class, status) in cases {
        bench.write("k.cl", source);
        let args = ["run", "k.cl", "--device-name", device, "--json", "--timeout", "10"];
        let line: Value = serde_json::from_str(&stdout(&bench.run(&args).code(status))).unwrap();
        assert_eq!(line["class"], class, "{line}");
        assert_eq!(line["hash"].is_string(), class == "result", "{line}");
        if class == "result" {
            assert_eq!(line["outputs"][0]["values"], "0x7,");
        }
    }
    bench.assert_nothing_left();
}

#[test]
fn arguments_are_described_by_a_file() {
    let bench = Bench::new();
    bench
        .write("k.cl", "kernel void k(global short *out, int a) { out[get_global_id(0)] += a; }\n");
    let description = "kernel = \"k\"\nglobal = [3]\n[[argument]]\nbuffer = \"short\"\nelements = 4\n\
        fill = [10, 20, 30, 40]\n[[argument]]\nvalue = \"int\"\nis = -1\n";
    bench.write("k.args.toml", description);
    let run = |args: &[&str]| {
        let start = ["run", "k.cl", "--device-name", "pocl"];
        bench.run(&[&start[..], args].concat())
    };
    assert_eq!(stdout(&run(&[]).code(0)), "0x9,0x13,0x1d,0x28,\n");
    bench.write("other.toml", description.replace("is = -1", "iss = -1"));
    let refused = run(&["--args", "other.toml"]).code(1);
    assert_mentions(&stderr(&refused), &["other.toml", "iss", "line 9"]);
}

#[test]
fn mistakes_are_named() {
    let bench = bench();
    let missing = bench.run(&["run", "kernel.cl", "--device-name", "no such thing"]).code(2);
    assert_mentions(&stderr(&missing), &["no such device", "Portable Computing Language"]);
    assert_mentions(&stderr(&bench.run(&["run", "gone.cl"]).code(1)), &["gone.cl"]);
    bench.write("empty.cl", "int x;\n");
    assert_mentions(&stderr(&bench.run(&["run", "empty.cl"]).code(1)), &["no kernel"]);
    bench.run(&["run"]).code(2);
}

/// "Compiles" by copying a script; the first word of its second line decides how that goes.
const NVCC: &str = "#!/bin/sh\n\
    [ \"$1\" = --version ] && { echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit; }\n\
    case $(sed -n 2p program.cu) in\n\
    '# fail'*) echo 'program.cu(1): error: no'; exit 2;;\n\
    '# die'*) echo \"nvcc error   : 'cicc' died due to signal 11 (Invalid memory reference)\"; exit 11;;\n\
    esac\n\
    for last; do :; done\n\
    cp program.cu \"$last\" && chmod +x \"$last\"\n";

#[test]
fn whole_programs_are_compiled_by_nvcc() {
    let bench = Bench::new();
    bench.script("nvcc", NVCC);
    let path = format!("{}:{}", bench.path("").display(), std::env::var("PATH").unwrap());
    let cases = [
        ("# int main( is there\necho 42", "result", 0),
        ("# fail int main(", "build_failure", 10),
        ("# die int main(", "build_crash", 11),
        ("# int main(\nexit 3", "run_failure", 20),
        ("# int main(\nkill -SEGV $$", "run_crash", 21),
        ("# int main(\nsleep 1000", "run_timeout", 22),
    ];
    for (text, class, status) in cases {
        bench.write("p.cu", format!("#!/bin/sh\n{text}\n"));
        let mut command = bench.command(&["run", "p.cu", "--json", "--timeout", "5"]);
        command.env("PATH", &path);
        let ran = assert_cmd::Command::from_std(command).assert().code(status);
        let line: Value = serde_json::from_str(&stdout(&ran)).unwrap();
        assert_eq!(line["class"], class, "{line}");
        if class == "result" {
            assert_eq!(line["outputs"][0]["values"], "42\n");
        }
    }
    bench.assert_nothing_left();
}

#[test]
fn init_asks_nvcc_about_programs_in_cuda() {
    let bench = Bench::new();
    // The program that it makes prints 1 where it is for a debugger, and 2 otherwise. Names of folders may hold `-G`.
    let compiler = "for last; do :; done\ncase \" $* \" in *' -G '*) n=1;; *) n=2;; esac\n\
                    printf '#!/bin/sh\\necho %s\\n' $n > \"$last\"; chmod +x \"$last\"\n";
    let version = NVCC.lines().take(2).collect::<Vec<_>>().join("\n");
    bench.script("nvcc", &format!("{version}\n{compiler}"));
    let path = format!("{}:{}", bench.path("").display(), std::env::var("PATH").unwrap());
    bench.write(
        "p.cu",
        "__global__ void k(int *p) { *p = 1; }\nint main() { k<<<1, 1>>>(nullptr); }\n",
    );
    let run = |args: &[&str], code| {
        let mut command = bench.command(args);
        command.env("PATH", &path);
        assert_cmd::Command::from_std(command).assert().code(code)
    };
    // Nothing runs a whole program in CUDA to look for races.
    let refused = stderr(&run(&["init", "p.cu"], 1));
    assert_mentions(&refused, &["can look for `data-race`", "--allow-unchecked data-race"]);
    let found = stdout(&run(&["init", "p.cu", "--allow-unchecked", "data-race"], 0));
    assert_mentions(&found, &["wrong-code: nvcc", "nvcc -G", "a guess"]);
    assert_mentions(&bench.read("p.toml"), &["accused = true", "options = \"-G\""]);
    let shown = stdout(&run(&["explain", "--test", "p.toml", "p.cu"], 0));
    assert_mentions(&shown, &["compile", "holds", "outcome"]);
    // The name of the file need not tell the language.
    std::fs::rename(bench.path("p.cu"), bench.path("q.txt")).unwrap();
    let args = ["init", "q.txt", "--allow-unchecked", "data-race"];
    let found = stdout(&run(&[&args[..], &["--lang", "cuda"]].concat(), 0));
    assert_mentions(&found, &["wrong-code: nvcc", "--test q.toml --lang cuda"]);
}
