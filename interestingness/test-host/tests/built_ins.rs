//! The built-ins of the host run-time: one kernel for each family, over values at the edges, on the host and on
//! PoCL. Every function and type has a number of its own in the result, so that what differs has a name.
#![cfg(target_os = "linux")]

mod support;

use std::fmt::Write;

use clreduce_devices::{DeviceWorker, Devices, WorkerOptions};
use clreduce_interestingness::Cancel;
use clreduce_kernel::{KernelRun, RunLimits, RunOutcome, plan};
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

/// The bytes of the one buffer.
fn on(name: &str, source: &str, build_options: &str) -> Vec<u8> {
    let options = WorkerOptions::new(HOST.into());
    let device =
        Devices::find(&options, &[]).devices.into_iter().find(|device| device.is_called(name));
    let device = device.unwrap_or_else(|| panic!("no device called {name}"));
    let run = KernelRun {
        source: source.as_bytes().to_owned(),
        options: build_options.to_owned(),
        launches: plan(source.as_bytes(), None).unwrap().launches,
        repeat: 1,
    };
    let limits = RunLimits { build: PATIENCE, run: PATIENCE };
    let report = DeviceWorker::new(options, device).run(&run, limits, &Cancel::new());
    match report.outcome {
        RunOutcome::Results(mut results) => results.remove(0).remove(0).bytes,
        other => panic!("{name}: {other:?}"),
    }
}

fn run(family: &Family, name: &str, build_options: &str) -> Vec<u8> {
    on(name, &family.source(), build_options)
}

fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at * 8..at * 8 + 8].try_into().unwrap())
}

/// The names of those whose results differ between PoCL and the host, with both results.
fn differences(family: &Family) -> Vec<String> {
    let host = run(family, "host", "");
    let plain = run(family, "host", "-cl-opt-disable");
    let device = run(family, "pocl", "-cl-opt-disable");
    let mut wrong = Vec::new();
    for (at, name) in family.names.iter().enumerate() {
        let [host, plain, device] = [&host, &plain, &device].map(|bytes| number(bytes, at));
        if host != device || plain != device {
            wrong.push(format!("{name}: host {host:#x}, unoptimised {plain:#x}, PoCL {device:#x}"));
        }
    }
    wrong
}

/// Adds a function of `arguments` arguments, for the scalar type and for vectors of four and sixteen.
fn function(family: &mut Family, name: &str, arguments: usize, kind: &str, values: &str) {
    let condition = if name == "clamp" { "if (v[j] <= v[k])" } else { "" };
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

#[test]
fn products_that_do_not_fit_saturate() {
    let mut family = Family::default();
    // Oclgrind gets these wrong.
    family.check("mad_sat", "if (mad_sat(1L, -1L, 0L) == -1) see(1);");
    family.check("clz of 0", "see(clz((char)0) + clz((ushort)0) + clz(0) + clz(0UL));");
    let outcome = run(&family, "host", "");
    let seen = |value: u64| 7_u64.wrapping_mul(1_099_511_628_211).wrapping_add(value);
    assert_eq!((number(&outcome, 0), number(&outcome, 1)), (seen(1), seen(8 + 16 + 32 + 64)));
}

#[test]
fn wide_integers_from_narrow_ones() {
    let mut family = Family::default();
    for (wide, high, low) in [
        ("short", "char", "uchar"),
        ("ushort", "uchar", "uchar"),
        ("int", "short", "ushort"),
        ("uint", "ushort", "ushort"),
        ("long", "int", "uint"),
        ("ulong", "uint", "uint"),
    ] {
        family.check(
            format!("upsample to {wide}"),
            &format!(
                "const {high} v[] = {{ {} }}; const {low} w[] = {{ {} }};\n  for (int i = 0; i < 10; i++) for (int j = 0; j < 10; j++) {{\n    see(upsample(v[i], w[j])); see(upsample(({high}4)v[i], ({low}4)w[j]).s2); }}",
                edges(high),
                edges(low)
            ),
        );
    }
    assert_eq!(differences(&family), [""; 0]);
}

/// Adds a conversion of a scalar and of four lanes.
fn conversion(family: &mut Family, to: &str, suffix: &str, from: &str, values: &str) {
    let see = if to == "float" {
        "as_uint"
    } else if to == "double" {
        "as_ulong"
    } else {
        ""
    };
    family.check(
        format!("convert_{to}{suffix} of {from}"),
        &format!(
            "const {from} v[] = {{ {values} }};\n  for (int i = 0; i < 10; i++) {{\n    see({see}(convert_{to}{suffix}(v[i])));\n    see({see}(convert_{to}4{suffix}(({from}4)v[i]).s1));\n  }}"
        ),
    );
}

#[test]
fn conversions() {
    let mut family = Family::default();
    let small = "0.0f, -0.5f, 0.5f, 1.5f, 2.5f, -1.5f, 99.75f, 126.5f, -127.5f, -3.0f";
    let wild = "0.0f, -0.5f, 300.7f, -70000.5f, 1e10f, -1e10f, 1e30f, -1e30f, 254.5f, 65535.5f";
    for to in INTEGERS {
        for from in INTEGERS {
            for suffix in ["", "_sat", "_rte", "_sat_rtp"] {
                conversion(&mut family, to, suffix, from, &edges(from));
            }
        }
        for from in ["float", "double"] {
            for suffix in ["_sat", "_sat_rte", "_sat_rtp", "_sat_rtn", "_sat_rtz"] {
                conversion(&mut family, to, suffix, from, wild);
            }
        }
    }
    for to in ["char", "short", "int", "long"] {
        for suffix in ["", "_rte", "_rtp", "_rtn", "_rtz"] {
            conversion(&mut family, to, suffix, "float", small);
        }
    }
    assert_eq!(differences(&family), [""; 0]);
}

#[test]
fn conversions_to_floating_point() {
    let mut family = Family::default();
    for suffix in ["", "_rte", "_rtp", "_rtn", "_rtz"] {
        for from in ["int", "uint", "long", "ulong"] {
            let values = edges(from).replace("100", "16777217").replace(" 7,", " 33554435,");
            conversion(&mut family, "float", suffix, from, &values);
            conversion(&mut family, "double", suffix, from, &values);
        }
        let values =
            "0.1, -0.1, 1.0, 1e-30, 3.3333333333, -7.7777777777, 16777217.0, 1e20, -1e20, 0.0";
        conversion(&mut family, "float", suffix, "double", values);
    }
    assert_eq!(differences(&family), [""; 0]);
}

#[test]
fn selection_and_comparison() {
    let mut family = Family::default();
    for (kind, sign, unsigned) in [
        ("char", "char", "uchar"),
        ("ushort", "short", "ushort"),
        ("int", "int", "uint"),
        ("ulong", "long", "ulong"),
    ] {
        for by in [sign, unsigned] {
            family.check(
                format!("select of {kind} by {by}"),
                &format!(
                    "const {by} v[] = {{ {} }};\n  for (int i = 0; i < 10; i++) {{\n    see(select(({kind})3, ({kind})5, v[i])); see(select(({kind}4)3, ({kind}4)5, ({by}4)v[i]).s1); }}",
                    edges(by)
                ),
            );
        }
    }
    for kind in ["char", "short", "int", "long"] {
        family.check(
            format!("any and all of {kind}"),
            &format!(
                "const {kind} v[] = {{ {} }};\n  for (int i = 0; i < 10; i++) for (int j = 0; j < 10; j++) {{\n    see(any(v[i])); see(all(v[i])); see(any(({kind}2)(v[i], v[j]))); see(all(({kind}2)(v[i], v[j]))); }}",
                edges(kind)
            ),
        );
    }
    const REAL: &str = "0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN, 1e-42f, 2.5f, -2.5f";
    for name in [
        "isequal",
        "isnotequal",
        "isgreater",
        "isgreaterequal",
        "isless",
        "islessequal",
        "islessgreater",
        "isordered",
        "isunordered",
    ] {
        family.check(name, &format!(
            "const float v[] = {{ {REAL} }};\n  for (int i = 0; i < 10; i++) for (int j = 0; j < 10; j++) {{\n    see({name}(v[i], v[j])); see({name}((float4)v[i], (float4)v[j]).s2); see({name}((double)v[i], (double)v[j])); see({name}((double2)v[i], (double2)v[j]).s1); }}"
        ));
    }
    for name in ["isnan", "isinf", "isfinite", "isnormal", "signbit"] {
        family.check(name, &format!(
            "const float v[] = {{ {REAL} }};\n  for (int i = 0; i < 10; i++) {{\n    see({name}(v[i])); see({name}((float4)v[i]).s2); see({name}((double2)v[i]).s1); }}"
        ));
    }
    assert_eq!(differences(&family), [""; 0]);
}

#[test]
fn memory() {
    let mut family = Family::default();
    for kind in ["char", "ushort", "int", "ulong", "float"] {
        for lanes in ["2", "3", "4", "8", "16"] {
            family.check(format!("vload{lanes} and vstore{lanes} of {kind}"), &format!(
                "{kind} a[40], b[40]; __global {kind} *g = (__global {kind} *)room;\n  for (int i = 0; i < 40; i++) {{ a[i] = ({kind})(i * 3); b[i] = 1; g[i] = 2; }}\n  vstore{lanes}(vload{lanes}(1, a), 1, b); vstore{lanes}(vload{lanes}(0, b + 1), 1, g + 3);\n  for (int i = 0; i < 40; i++) {{ see((long)b[i]); see((long)g[i]); }}"
            ));
        }
    }
    for suffix in ["", "_rte", "_rtz", "_rtp", "_rtn"] {
        family.check(format!("vstore_half{suffix}"), &format!(
            "const float v[] = {{ 0.0f, -0.0f, 1.0f, 0.1f, -0.1f, 65504.0f, 65519.0f, 65520.0f, 1e-7f, 3e-8f, 6.1e-5f, 5.9e-5f, -5.96e-8f, 2049.0f, 2051.0f, 1e30f, -1e30f, INFINITY }};\n  __global half *g = (__global half *)room;\n  for (int i = 0; i < 18; i++) {{ vstore_half{suffix}(v[i], i, g); see(((__global ushort *)room)[i]); see(as_uint(vload_half(i, g))); }}\n  vstorea_half3{suffix}((float3)(0.3f, 1.5f, -2.7f), 1, g); see(((__global ushort *)room)[6]); see(as_uint(vloada_half3(1, g).s2)); vstore_half4{suffix}((double4)(0.3, 1.5, -2.7, 9e9), 1, g); see(((__global ushort *)room)[7]);"
        ));
    }
    let operations = [
        ("add", "5"),
        ("sub", "9"),
        ("xchg", "77"),
        ("min", "3"),
        ("max", "300"),
        ("and", "12"),
        ("or", "65"),
        ("xor", "255"),
    ];
    for kind in ["int", "uint"] {
        for space in ["__global", "__local"] {
            for (name, value) in operations {
                family.check(format!("atomic_{name} of {kind} in {space}"), &format!(
                    "volatile {space} {kind} *p = (volatile {space} {kind} *){};\n  *p = ({kind})-100; see(atomic_{name}(p, ({kind}){value})); see(*p); see(atomic_inc(p)); see(*p); see(atomic_dec(p)); see(atomic_cmpxchg(p, *p, ({kind})8)); see(atomic_cmpxchg(p, ({kind})9, ({kind})1)); see(*p);",
                    if space == "__local" { "shared" } else { "room" }
                ));
            }
        }
    }
    family.check("async copies", "__local int *l = (__local int *)shared; __global int *g = (__global int *)room;\n  for (int i = 0; i < 60; i++) { g[i] = i * 7; l[i] = 1; }\n  event_t e = async_work_group_copy(l, g + 3, 9, 0); wait_group_events(1, &e);\n  e = async_work_group_strided_copy(l + 20, g, 5, 3, 0); wait_group_events(1, &e);\n  e = async_work_group_strided_copy(g + 30, l, 5, 2, 0); wait_group_events(1, &e);\n  for (int i = 0; i < 60; i++) { see(l[i]); see(g[i]); } prefetch(g, 4);");
    assert_eq!(differences(&family), [""; 0]);
}

#[test]
fn permutations() {
    let mut family = Family::default();
    for (kind, mask) in [
        ("char", "uchar"),
        ("ushort", "ushort"),
        ("int", "uint"),
        ("ulong", "ulong"),
        ("float", "uint"),
    ] {
        for (from, to) in [(2, 2), (2, 16), (4, 4), (8, 4), (16, 16), (16, 2)] {
            let lanes = |count: usize, shown: &dyn Fn(usize) -> String| {
                (0..count).map(shown).collect::<Vec<_>>().join(", ")
            };
            let (x, y) =
                (lanes(from, &|i| format!("{}", i + 1)), lanes(from, &|i| format!("{}", i + 50)));
            let picked = lanes(to, &|i| format!("{}", i * 13 + 3));
            family.check(format!("shuffle of {kind}{from} to {to}"), &format!(
                "{kind}{to} a = shuffle(({kind}{from})({x}), ({mask}{to})({picked}));\n  {kind}{to} b = shuffle2(({kind}{from})({x}), ({kind}{from})({y}), ({mask}{to})({picked}));\n  {kind} c[{to}]; vstore{to}(a, 0, c); for (int i = 0; i < {to}; i++) see((long)c[i]); vstore{to}(b, 0, c); for (int i = 0; i < {to}; i++) see((long)c[i]);"
            ));
        }
    }
    assert_eq!(differences(&family), [""; 0]);
}

/// Functions whose result the specification leaves no choice in.
#[test]
fn exact_floating_point() {
    let mut family = Family::default();
    const REAL: &str = "0.0f, -0.0f, 1.0f, -1.5f, 2.5f, -3.7f, 1e10f, -0.3f, 7.0f, 100.25f";
    for (kind, bits) in [("float", "as_uint"), ("double", "as_ulong")] {
        let vector = format!("{bits}4");
        let mut add = |name: &str, call: &str| {
            let lane = |call: &str| {
                call.replace('x', &format!("({kind}4)v[i]")).replace('y', &format!("({kind}4)v[j]"))
            };
            let scalar = call.replace('x', "v[i]").replace('y', "v[j]");
            family.check(format!("{name} of {kind}"), &format!(
                "const {kind} v[] = {{ {REAL} }};\n  for (int i = 0; i < 10; i++) for (int j = 0; j < 10; j++) {{\n    see({bits}({name}({scalar}))); see({vector}({name}({})).s1); }}",
                lane(call)
            ));
        };
        for name in ["ceil", "fabs", "floor", "rint", "round", "trunc", "sign", "sqrt"] {
            // PoCL's `float` square root may be off by the last place.
            if name != "sqrt" || kind == "double" {
                add(name, "x");
            }
        }
        for name in ["fmax", "fmin", "copysign", "fdim", "nextafter", "step", "maxmag", "minmag"] {
            add(name, "x, y");
        }
        // PoCL takes the other one of two zeros.
        add("max", "x + 1, y + 1");
        add("min", "x + 1, y + 1");
        add("fma", "x, y, x");
        family.check(format!("pointers of {kind}"), &format!(
            "const {kind} v[] = {{ {REAL} }}; {kind} p; {kind}4 p4; int n; int4 n4;\n  for (int i = 0; i < 10; i++) {{\n    see({bits}(fract(v[i], &p))); see({bits}(p)); see({vector}(modf(({kind}4)v[i], &p4)).s1); see({vector}(p4).s1);\n    see({bits}(frexp(v[i], &n))); see(n); see({vector}(frexp(({kind}4)v[i], &n4)).s1); see(n4.s1);\n    see({bits}(ldexp(v[i], i - 4))); see({vector}(ldexp(({kind}4)v[i], (int4)3)).s1); if (v[i] != 0) {{ see(ilogb(v[i])); see({bits}(logb(v[i]))); }}\n    see({bits}(fmod(v[i], ({kind})0.7))); see({bits}(remainder(v[i], ({kind})0.7))); see({bits}(mix(v[i], v[0], ({kind})0.5))); }}"
        ));
    }
    assert_eq!(differences(&family), [""; 0]);
}

#[test]
fn work_items() {
    let source = "// -g 4,6,2 -l 2,3,1\n__kernel void entry(__global ulong *out) {\n\
        \x20 size_t at = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);\n\
        \x20 out[at] = get_work_dim() + 10 * get_local_id(0) + 100 * get_local_id(1) + 1000 * get_group_id(0)\n\
        \x20   + 10000 * get_group_id(1) + 100000 * get_group_id(2) + 1000000 * get_num_groups(1) + 10000000 * get_local_size(1)\n\
        \x20   + 100000000 * get_global_offset(0) + 10000000000 * get_local_id(9);\n\
        \x20 barrier(CLK_LOCAL_MEM_FENCE); mem_fence(CLK_GLOBAL_MEM_FENCE); read_mem_fence(CLK_LOCAL_MEM_FENCE);\n}\n";
    assert_eq!(on("host", source, ""), on("pocl", source, ""));
    assert_eq!(on("host", source, "-cl-opt-disable"), on("pocl", source, ""));
}
