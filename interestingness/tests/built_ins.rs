//! The built-ins of the host run-time: one kernel for each family, over values at the edges, on the host and on
//! PoCL. Every function and type has a number of its own in the result, so that what differs has a name.
#![cfg(target_os = "linux")]

mod support;

use std::fmt::Write;

use clreduce_interestingness::Cancel;
use clreduce_interestingness::opencl::{
    DeviceWorker, Devices, KernelRun, RunLimits, RunOutcome, WorkerOptions, plan,
};
use support::{HOST, PATIENCE};

const INTEGERS: [&str; 8] = ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"];

/// A kernel that is put together from numbered checks; each adds up what it sees in `h`.
#[derive(Default)]
struct Family {
    helpers: String,
    checks: String,
    names: Vec<String>,
}

impl Family {
    /// A check with a name; `code` calls `see(bits)`.
    fn check(&mut self, name: impl Into<String>, code: &str) {
        let number = self.names.len();
        let _ = writeln!(
            self.helpers,
            "ulong check{number}(__global ulong *room, __local ulong *shared) {{\n  ulong h = 7;\n  {code}\n  return h;\n}}"
        );
        let _ = writeln!(self.checks, "  out[{number}] = check{number}(out + 4096, shared);");
        self.names.push(name.into());
    }

    fn source(&self) -> String {
        format!(
            "// -g 8192 -l 1\n#define see(x) (h = h * 1099511628211UL + (ulong)(x))\n{}\
             __kernel void entry(__global ulong *out) {{\n  __local ulong shared[64];\n\
             \x20 if (get_global_id(0)) return;\n{}}}\n",
            self.helpers, self.checks
        )
    }
}

/// Values at the edges of an integer type.
fn edges(kind: &str) -> String {
    let upper = match kind {
        "char" | "short" | "int" | "long" => kind.replace("short", "shrt").to_uppercase(),
        _ => format!("U{}", kind[1..].replace("short", "shrt").to_uppercase()),
    };
    if kind.starts_with('u') {
        format!(
            "0, 1, 2, 3, 7, 100, {upper}_MAX / 2, {upper}_MAX / 2 + 1, {upper}_MAX - 1, {upper}_MAX"
        )
    } else {
        format!("0, 1, -1, 2, -3, 7, 100, {upper}_MIN, {upper}_MIN + 1, {upper}_MAX")
    }
}

/// The names of those whose results differ between PoCL and the host, with both results.
fn differences(family: &Family) -> Vec<String> {
    let options = WorkerOptions::new(HOST.into());
    let found = Devices::find(&options);
    let source = family.source();
    let on = |name: &str, build_options: &str| {
        let device = found.devices.iter().find(|device| device.is_called(name));
        let device = device.unwrap_or_else(|| panic!("no device called {name}")).clone();
        let run = KernelRun {
            source: source.clone().into_bytes(),
            options: build_options.to_owned(),
            launches: plan(source.as_bytes(), None).unwrap().launches,
            repeat: 1,
        };
        let limits = RunLimits { build: PATIENCE, run: PATIENCE };
        let report = DeviceWorker::new(options.clone(), device).run(&run, limits, &Cancel::new());
        match report.outcome {
            RunOutcome::Results(mut results) => results.remove(0).remove(0).bytes,
            other => panic!("{name}: {other:?}"),
        }
    };
    let (host, plain) = (on("host", ""), on("host", "-cl-opt-disable"));
    let device = on("pocl", "-cl-opt-disable");
    let number =
        |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at * 8..at * 8 + 8].try_into().unwrap());
    let mut wrong = Vec::new();
    for (at, name) in family.names.iter().enumerate() {
        let [host, plain, device] = [&host, &plain, &device].map(|bytes| number(bytes, at));
        if host != device || plain != device {
            wrong.push(format!("{name}: host {host:#x}, unoptimised {plain:#x}, PoCL {device:#x}"));
        }
    }
    wrong
}

/// Adds a function of so many arguments, for the scalar type and for vectors of four and sixteen.
fn function(family: &mut Family, name: &str, arguments: usize, kind: &str, values: &str) {
    // PoCL's own `clz` of 0 is whatever the compiler makes of it.
    let condition = match name {
        "clamp" => "if (v[j] <= v[k])",
        "clz" => "if (v[i])",
        _ => "",
    };
    let loops =
        "for (int i = 0; i < 10; i++) for (int j = 0; j < 10; j++) for (int k = 0; k < 10; k++)";
    for lanes in ["", "4", "16"] {
        let operands = ["i", "j", "k"].map(|index| format!("({kind}{lanes})v[{index}]"));
        let call = format!("{name}({})", operands[..arguments].join(", "));
        let last = if lanes.is_empty() { "" } else { ".s3" };
        family.check(
            format!("{name} of {kind}{lanes}"),
            &format!(
                "const {kind} v[] = {{ {values} }};\n  {loops} {condition} see({call}{last});"
            ),
        );
    }
}

#[test]
fn integer_functions() {
    let mut family = Family::default();
    for kind in INTEGERS {
        let functions = [
            ("abs", 1),
            ("clz", 1),
            ("popcount", 1),
            ("abs_diff", 2),
            ("add_sat", 2),
            ("sub_sat", 2),
            ("hadd", 2),
            ("rhadd", 2),
            ("max", 2),
            ("min", 2),
            ("mul_hi", 2),
            ("rotate", 2),
            ("mad_hi", 3),
            ("mad_sat", 3),
            ("clamp", 3),
            ("bitselect", 3),
        ];
        for (name, arguments) in functions {
            function(&mut family, name, arguments, kind, &edges(kind));
        }
    }
    for kind in ["int", "uint"] {
        let small = "0, 1, 2, 3, 7, 100, 1000, 8388607, 65536, 4097";
        function(&mut family, "mul24", 2, kind, small);
        function(&mut family, "mad24", 3, kind, small);
    }
    assert_eq!(differences(&family), [""; 0]);
}
