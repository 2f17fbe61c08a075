//! Kernels in PTX on this machine, which executes and checks them as C++.

#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::fs;

use clreduce_campaign::{Class, End, GeneratedPrograms, Programs};
use clreduce_devices::{Backend, DeviceError, FoundDevice, Host, Transport, WorkerOptions};
use clreduce_generator::{Mode, Profile, Target, TokenRange};
use clreduce_kernel::{KernelRun, ProgramKind, RunLimits, RunReport};
use clreduce_process::{Cancel, ToolRunner};

use crate::support::planted::{attempt_on, matrix_of};
use crate::support::{Bench, assert_mentions, stderr, stdout};

#[test]
fn kernels_of_the_generator_have_their_right_results() {
    let bench = Bench::new();
    for mode in ["basic", "free", "atomic-section", "barrier"] {
        let generate = [
            "generate",
            "--target",
            "ptx",
            "--mode",
            mode,
            "--tokens",
            "300..1500",
            "--seed",
            "60",
        ];
        bench.run(&[&generate[..], &["--count", "3", "--out", "k"]].concat()).success();
    }
    let names: Vec<String> = fs::read_dir(bench.path("k"))
        .unwrap()
        .map(|entry| format!("k/{}", entry.unwrap().file_name().to_string_lossy()))
        .filter(|name| name.ends_with(".ptx"))
        .collect();
    assert_eq!(names.len(), 12);
    for name in names {
        // It compares with the result that the interpreter of the generator knows.
        bench.run(&["run", &name, "--device-name", "host"]).success();
    }
}

/// A kernel with one buffer of 64 numbers, whose address is in `%d`.
fn kernel(body: &str) -> String {
    format!(
        "// -g 64 -l 32\n.version 7.6\n.target sm_70\n.address_size 64\n.shared .align 4 .b8 tile[128];\n\
         .visible .entry k(.param .u64 out)\n{{\n.reg .pred %q<4>;\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n\
         ld.param.u64 %d0, [out];\nmov.u32 %r0, %tid.x;\nmad.wide.u32 %d, %r0, 4, %d0;\n\
         mov.u32 %r1, %ctaid.x;\nmad.lo.u32 %r1, %r1, 32, %r0;\nmad.wide.u32 %d1, %r1, 4, %d0;\n\
         {body}\nret;\n}}\n"
    )
    .replace("%d,", "%d8,")
}

#[test]
fn what_is_undefined_in_ptx_is_found() {
    let bench = Bench::new();
    let cases = [
        ("st.global.u32 [%d1], %r1;", ""),
        ("st.global.u32 [%d1], %r7;", "uninitialised"),
        ("@%q1 st.global.u32 [%d1], %r1;", "uninitialised"),
        ("add.cc.u32 %r2, %r1, 1;\naddc.u32 %r3, %r1, 0;\nst.global.u32 [%d1], %r3;", ""),
        ("addc.u32 %r3, %r1, 0;\nst.global.u32 [%d1], %r3;", "uninitialised"),
        (
            "sub.cc.u32 %r2, %r1, %r7;\nsubc.u32 %r3, %r1, 0;\nst.global.u32 [%d1], %r3;",
            "uninitialised",
        ),
        ("mul.hi.u32 %r2, %r1, %r7;\nst.global.u32 [%d1], %r2;", "uninitialised"),
        ("st.global.u32 [%d1+65536], %r1;", "out-of-bounds"),
        (
            "sub.u32 %r2, %r0, 5;\ndiv.u32 %r3, %r1, %r2;\nst.global.u32 [%d1], %r3;",
            "division-by-zero",
        ),
        ("st.global.u32 [%d0], %r1;", "data-race"),
        (
            "mov.u32 %r2, tile;\nmad.lo.u32 %r3, %r0, 4, %r2;\nst.shared.u32 [%r3], %r1;\nbar.sync 0;\n\
             xor.b32 %r4, %r0, 1;\nmad.lo.u32 %r4, %r4, 4, %r2;\nld.shared.u32 %r5, [%r4];\nst.global.u32 [%d1], %r5;",
            "",
        ),
        (
            "mov.u32 %r2, tile;\nmad.lo.u32 %r3, %r0, 4, %r2;\nst.shared.u32 [%r3], %r1;\n\
             xor.b32 %r4, %r0, 1;\nmad.lo.u32 %r4, %r4, 4, %r2;\nld.shared.u32 %r5, [%r4];\nst.global.u32 [%d1], %r5;",
            "data-race",
        ),
        (
            "setp.lt.u32 %q1, %r0, 7;\n@%q1 bra L1;\nbar.sync 0;\nL1: st.global.u32 [%d1], %r1;",
            "divergence",
        ),
    ];
    for (body, finding) in cases {
        bench.write("k.ptx", kernel(body));
        let checked = bench.run(&["check", "k.ptx"]);
        if finding.is_empty() {
            assert_mentions(&stdout(&checked.success()), &["k.ptx: valid"]);
        } else {
            let said = stdout(&checked.code(1));
            assert!(said.contains(finding), "{body}\n{said}");
        }
    }
}

#[test]
fn instructions_that_are_not_known_are_named() {
    let bench = Bench::new();
    bench.write("k.ptx", kernel("tanh.approx.f32 %r2, %r1;\nst.global.u32 [%d1], %r2;"));
    let checked = bench.run(&["check", "k.ptx"]).failure();
    assert_mentions(&stderr(&checked), &["line 17", "`tanh.approx.f32`"]);
}

#[test]
fn kernels_that_people_wrote_get_arguments() {
    let bench = Bench::new();
    bench.write("k.ptx", kernel("st.global.u32 [%d1], %r1;").replace("// -g 64 -l 32\n", ""));
    let run = stdout(&bench.run(&["run", "k.ptx", "--device-name", "host"]).success());
    assert!(run.contains("0x7ff"), "{run}");
    let shown = stdout(&bench.run(&["run", "k.ptx", "--show-arguments"]).success());
    assert_mentions(&shown, &["kernel = \"k\"", "buffer = \"uint\"", "elements = 2048"]);
}

/// An assembler that takes an exclusive or for an ordinary one.
#[derive(Debug)]
struct Faulty;

impl Backend for Faulty {
    fn name(&self) -> &'static str {
        "faulty"
    }

    fn title(&self) -> &'static str {
        "faulty"
    }

    fn takes(&self) -> ProgramKind {
        ProgramKind::Ptx
    }

    fn find(&self, _options: &WorkerOptions) -> Result<Vec<FoundDevice>, DeviceError> {
        Ok(Vec::new())
    }

    fn transport(&self) -> Transport {
        fn run(
            tools: &ToolRunner,
            run: &KernelRun,
            limits: RunLimits,
            cancel: &Cancel,
        ) -> RunReport {
            let source = String::from_utf8_lossy(&run.source).replace("xor.b32", "or.b32");
            let run = KernelRun { source: source.into_bytes(), ..run.clone() };
            match Host::PTX.transport() {
                Transport::Programs(host) => host(tools, &run, limits, cancel),
                _ => unreachable!("the host makes a program of each kernel"),
            }
        }
        Transport::Programs(run)
    }
}

#[test]
fn variants_of_a_reduction_are_checked() {
    let bench = Bench::new();
    // Without checks, what is left is a race, or the number of bits of a register that nothing sets.
    let body = "mov.u32 %r2, tile;\nmad.lo.u32 %r3, %r0, 4, %r2;\npopc.b32 %r6, %r1;\nst.shared.u32 [%r3], %r6;\n\
         bar.sync 0;\nxor.b32 %r4, %r0, 1;\nmad.lo.u32 %r4, %r4, 4, %r2;\nld.shared.u32 %r5, [%r4];\n\
         st.global.u32 [%d1], %r5;";
    bench.write("k.ptx", kernel(body));
    bench.write(
        "k.toml",
        "preset = \"wrong-code\"\n[[configuration]]\ndevice = \"host\"\naccused = true\n\
         options = \"'-D__builtin_popcountll(x)=(__builtin_ctzll((x)|64))'\"\n\
         [[configuration]]\ndevice = \"host\"\noptions = \"-O0\"\n",
    );
    let reduced = bench.run(&["k.ptx", "--test", "k.toml", "--plain"]).success();
    let told = stderr(&reduced);
    assert!(!told.contains("cannot be checked in the original"), "{told}");
    let text = fs::read_to_string(bench.path("k.ptx")).unwrap();
    assert!(text.contains("popc.b32") && text.lines().count() < 24, "{text}");
    bench.run(&["check", "k.ptx"]).success();
}

#[test]
fn a_wrong_instruction_is_found_and_reduced_to_a_few() {
    let out = tempfile::tempdir().unwrap();
    let profile = Profile {
        target: Target::Ptx,
        mode: Mode::Basic,
        tokens: TokenRange::new(300, 500).unwrap(),
        ..Profile::default()
    };
    let programs = Programs::Generated(GeneratedPrograms { profile, first: 83, variants: 0 });
    let backends: [&'static dyn Backend; 2] = [&Host::PTX, &Faulty];
    let matrix = matrix_of(ProgramKind::Ptx, backends.into_iter());
    let told = attempt_on(out.path(), (programs, 4), matrix, (2, 0)).unwrap();
    let bugs: Vec<_> = told.conclusions.iter().filter(|found| found.end == End::Bug).collect();
    let classes: BTreeSet<Class> = bugs.iter().map(|bug| bug.class).collect();
    assert!(bugs.len() == 1 && classes == BTreeSet::from([Class::Wrong]), "{told:#?}");
    let folder = out.path().join("bugs").join(bugs[0].bug.as_ref().unwrap());
    let text = fs::read_to_string(folder.join("kernel.ptx")).unwrap();
    let is_instruction = |line: &&str| line.ends_with(';') && !line.trim().starts_with('.');
    assert!(text.contains("xor.b32"), "{text}");
    assert!(text.lines().filter(is_instruction).count() <= 15, "{text}");
}
