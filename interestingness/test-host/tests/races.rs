//! Data races, and results that depend on the order of work-items: small kernels with verdicts that were worked out by
//! hand, in addition to `fixtures/validity`.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod support;

use std::path::PathBuf;
use std::time::Duration;
use std::{env, fs, thread};

use clreduce_check::{
    CheckOptions, CheckReport, FindingKind, HostKernel, KernelCheck, StageName, Validity,
};
use clreduce_host::{BuildDetail, Flavour, HostBuild, HostProgram, Order, atomics_meet};
use clreduce_interestingness::Cancel;
use clreduce_kernel::{Output, Scalar};
use clreduce_process::{End, Limits, ToolRunner};
use support::toolchain::{cache, toolchain};

fn subject(source: &str) -> HostKernel {
    HostKernel::new(source.as_bytes()).unwrap()
}

fn check_by(stage: StageName, subject: &HostKernel) -> CheckReport {
    let options = CheckOptions {
        stages: [stage].into(),
        // For a machine that is busy.
        timeout: Duration::from_secs(300),
        cache: cache().to_owned(),
        ..CheckOptions::default()
    };
    KernelCheck::new(&options).unwrap().run(subject, &Cancel::new())
}

fn sanitize(source: &str) -> CheckReport {
    check_by(StageName::Sanitize, &subject(source))
}

/// The lines of the findings of this kind.
fn lines(report: &CheckReport, kind: FindingKind) -> Vec<Option<u32>> {
    let of_kind = report.findings.iter().filter(|finding| finding.kind == kind);
    of_kind.map(|finding| finding.line).collect()
}

const ORDERS: [Order; 5] =
    [Order::Forward, Order::Reverse, Order::Shuffled(1), Order::Shuffled(2), Order::Shuffled(3)];

/// A program under AddressSanitizer, for runs in chosen orders.
fn program(subject: &HostKernel) -> (HostProgram, ToolRunner) {
    let limits = Limits { time: Some(Duration::from_secs(60)), ..Limits::default() };
    let tools = ToolRunner::local(env::temp_dir(), None, limits);
    let cancel = Cancel::new();
    let toolchain = toolchain(&tools, &cancel);
    let build = HostBuild { toolchain, subject, optimisation: "-O0" };
    let program = build.program(Flavour::Addresses, BuildDetail::Verdict).unwrap();
    (program, tools)
}

/// The outputs of a run, whether atomics met in it, and whether a race was reported.
fn run((program, tools): &(HostProgram, ToolRunner), order: Order) -> (Vec<Output>, bool, bool) {
    let runs = program.run(order, tools, &Cancel::new()).unwrap();
    assert!(runs.iter().all(|ran| ran.end == End::Exited(0)), "{runs:?}");
    let races = runs.iter().any(|ran| ran.stderr.contains("clreduce: data-race"));
    (program.outputs(&runs), atomics_meet(&runs), races)
}

/// The numbers of 32 bits in the first buffer.
fn numbers(outputs: &[Output]) -> String {
    Output { scalar: Scalar::Uint, ..outputs[0].clone() }.show()
}

#[test]
fn r1_a_write_of_the_same_value_is_a_race_in_every_order() {
    let source = "// -g 4,1,1 -l 2,1,1\nkernel void entry(global ulong *r) {\n  r[0] = 1;\n}\n";
    let report = sanitize(source);
    assert_eq!(lines(&report, FindingKind::DataRace), [Some(3)], "{report:?}");
    let race = &report.findings[0];
    assert!(race.is_certain() && !race.message.contains(" at line "), "{race:?}");
    let built = program(&subject(source));
    for order in ORDERS {
        let (outputs, _, races) = run(&built, order);
        assert!(races && numbers(&outputs).starts_with("0x1,0"), "{order:?} {outputs:?}");
    }
    let alone = sanitize(&source.replace("-g 4,1,1 -l 2", "-g 1,1,1 -l 1"));
    assert_eq!(alone.validity, Validity::Valid, "{alone:?}");
}

#[test]
fn r2_and_r3_groups_of_one_item_race_too_unless_each_has_its_own_element() {
    let source = "// -g 4,1,1 -l 1,1,1\nkernel void entry(global ulong *r) {\n  r[0] = 1;\n}\n";
    let report = sanitize(source);
    assert_eq!(lines(&report, FindingKind::DataRace), [Some(3)], "{report:?}");
    assert!(report.findings[0].message.contains("one of another group"), "{report:?}");
    let own = sanitize(&source.replace("r[0]", "r[get_global_id(0)]"));
    assert_eq!(own.validity, Validity::Valid, "{own:?}");
}

#[test]
fn r4_a_barrier_orders_the_memory_that_it_names() {
    let kernel = |memory: &str, fence: &str| {
        format!(
            "// -g 4,1,1 -l 2,1,1\nkernel void entry(global ulong *r) {{\n  local ulong own[2];\n  {memory} ulong *p = {};\n  \
             uint l = get_local_id(0);\n  p[l] = 1;\n  {fence};\n  ulong seen = p[1 - l];\n  \
             barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n  r[get_global_id(0)] = seen;\n}}\n",
            if memory == "local" { "own" } else { "r + 2 * get_group_id(0)" },
        )
    };
    let races = |memory, fence| {
        let report = sanitize(&kernel(memory, fence));
        let expected = lines(&report, FindingKind::DataRace);
        assert_eq!(report.validity == Validity::Valid, expected.is_empty(), "{report:?}");
        expected
    };
    assert_eq!(races("local", "barrier(CLK_LOCAL_MEM_FENCE)"), []);
    assert_eq!(races("local", ""), [Some(6)]);
    assert_eq!(races("global", "barrier(CLK_LOCAL_MEM_FENCE)"), [Some(8)]);
    assert_eq!(races("global", "barrier(CLK_GLOBAL_MEM_FENCE)"), []);
}

#[test]
fn r5_atomics_race_with_plain_accesses_and_not_with_each_other() {
    let kernel = |body: &str| {
        format!(
            "// -g 4,1,1 -l 2,1,1\nkernel void entry(global uint *r) {{\n  uint g = get_global_id(0);\n  {body}\n}}\n"
        )
    };
    let plain = sanitize(&kernel("atomic_inc(&r[0]);\n  r[g] = r[0];"));
    assert!(lines(&plain, FindingKind::DataRace).contains(&Some(5)), "{plain:?}");
    let sums = sanitize(&kernel("atomic_add(&r[0], g);\n  atomic_add(&r[0], 1);"));
    assert_eq!(sums.validity, Validity::Valid, "{sums:?}");
    // Who comes second only compares, so that the first one may read what it has written.
    let first = "local uint won; if (!g) won = 0; barrier(CLK_LOCAL_MEM_FENCE);\n  \
        if (!atomic_cmpxchg(&won, 0u, 7u)) r[0] = won;";
    let first = kernel(first).replace("-g 4,1,1 -l 2,1,1", "-g 4,1,1 -l 4,1,1");
    let report = sanitize(&first);
    assert_eq!(report.validity, Validity::Valid, "{report:?}");
    let writes = sanitize(&first.replace("r[0] = won", "r[0] = ++won"));
    assert!(lines(&writes, FindingKind::DataRace).contains(&Some(5)), "{writes:?}");
}

#[test]
fn r7_and_r8_each_byte_counts() {
    let kernel = |body: &str| {
        format!(
            "// -g 2,1,1 -l 2,1,1\nstruct S {{ uint a; uint b; uint c; }};\nkernel void entry(global ulong *r) {{\n  \
             global uchar *bytes = (global uchar *)r;\n  global uchar4 *lanes = (global uchar4 *)r;\n  \
             global struct S *s = (global struct S *)r;\n  uint l = get_local_id(0);\n  {body}\n}}\n"
        )
    };
    let races = |body: &str| {
        let report = sanitize(&kernel(body));
        let found = lines(&report, FindingKind::DataRace);
        assert_eq!(report.validity == Validity::Valid, found.is_empty(), "{body} {report:?}");
        !found.is_empty()
    };
    assert!(!races("bytes[l] = l;"));
    assert!(races("if (l) bytes[3] = 1; else lanes[0] = (uchar4)(2);"));
    assert!(!races("if (l) bytes[4] = 1; else lanes[0] = (uchar4)(2);"));
    // A copy of twelve bytes reads the last of them, and none behind it.
    let copy = "struct S mine; mine.a = 0; if (l) bytes[AT] = 1; else mine = s[0];";
    assert!(races(&copy.replace("AT", "11")));
    assert!(!races(&copy.replace("AT", "12")));
}

/// The program without one of its barriers, for each of them.
fn without_barriers(source: &str) -> Vec<String> {
    let starts = source.match_indices("barrier(").map(|(at, _)| at);
    let without = |at: usize| {
        let end = at + source[at..].find(");").unwrap() + 1;
        format!("{}{}", &source[..at], &source[end..])
    };
    starts.map(without).collect()
}

#[test]
fn r10_without_a_barrier_sanitize_and_oclgrind_agree_on_races() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/validity");
    let mut sources: Vec<String> = fs::read_dir(root)
        .unwrap()
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
        .filter(|text| text.contains("// check: valid"))
        .flat_map(|text| without_barriers(&text))
        .collect();
    sources.sort();
    assert!(sources.len() >= 8, "{}", sources.len());
    let races = |stage, source: &String| {
        let report = check_by(stage, &subject(source));
        !lines(&report, FindingKind::DataRace).is_empty()
    };
    let differences = |sources: &[String]| -> Vec<String> {
        let differs = |source: &&String| {
            races(StageName::Sanitize, source) != races(StageName::Simulate, source)
        };
        sources.iter().filter(differs).cloned().collect()
    };
    let (one, other) = sources.split_at(sources.len() / 2);
    let differing = thread::scope(|scope| {
        let one = scope.spawn(|| differences(one));
        [differences(other), one.join().unwrap()].concat()
    });
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    let raced = sources.iter().filter(|source| races(StageName::Sanitize, source)).count();
    assert!(raced > 0 && raced < sources.len(), "{raced} of {}", sources.len());
}

#[test]
fn r11_groups_that_compute_the_same_columns_race_with_equal_results() {
    // As in a wavefront with a halo: each group computes 16 columns and writes some of them.
    let kernel = |step: u32| {
        format!(
            "// -g 64,1,1 -l 16,1,1\nkernel void entry(global ulong *r) {{\n  local int row[16];\n  \
             int me = get_local_id(0), column = (int)get_group_id(0) * {step} + me;\n  row[me] = column;\n  \
             barrier(CLK_LOCAL_MEM_FENCE);\n  if (me > 3 && me < 12)\n    r[column] = row[me - 1] + row[me + 1];\n}}\n"
        )
    };
    let overlapping = sanitize(&kernel(3));
    assert_eq!(lines(&overlapping, FindingKind::DataRace), [Some(8)], "{overlapping:?}");
    let built = program(&subject(&kernel(3)));
    let (forward, _, races) = run(&built, Order::Forward);
    assert!(races && ORDERS.into_iter().all(|order| run(&built, order).0 == forward));
    let apart = sanitize(&kernel(8));
    assert_eq!(apart.validity, Validity::Valid, "{apart:?}");
}

const CLAIMED_SLOTS: &str = "// -g 8,1,1 -l 2,1,1\nkernel void entry(global uint *r) {\n  \
    atomic_xchg(&r[1 + atomic_inc(&r[0])], get_global_id(0));\n}\n";

#[test]
fn o1_slots_that_atomics_claim_depend_on_the_order() {
    let report = sanitize(CLAIMED_SLOTS);
    assert_eq!(report.validity, Validity::Unresolved, "{report:?}");
    let [found] = &report.findings[..] else { panic!("{report:?}") };
    assert_eq!(found.kind, FindingKind::OrderDependence);
    assert!(
        found.message.contains("`result[0]` is 0x8 if")
            && found.message.contains("0x700000008 if they run in reverse order"),
        "{found:?}"
    );
    assert!(report.failures.is_empty() && report.unchecked.is_empty(), "{report:?}");
    let built = program(&subject(CLAIMED_SLOTS));
    let (forward, meets, races) = run(&built, Order::Forward);
    assert!(meets && !races && numbers(&forward).starts_with("0x8,0,0x1,0x2,0x3,0x4,0x5,0x6,0x7,"));
    let (reverse, ..) = run(&built, Order::Reverse);
    assert!(numbers(&reverse).starts_with("0x8,0x7,0x6,0x5,0x4,0x3,0x2,0x1,0,"), "{reverse:?}");
}

#[test]
fn o2_a_sum_does_not_depend_on_the_order() {
    let source = "// -g 8,1,1 -l 2,1,1\nkernel void entry(global uint *r) {\n  \
        atomic_add(&r[0], (uint)get_global_id(0));\n}\n";
    let built = program(&subject(source));
    for order in ORDERS {
        let (outputs, meets, races) = run(&built, order);
        assert!(meets && !races && numbers(&outputs).starts_with("0x1c,0"), "{outputs:?}");
    }
    let report = sanitize(source);
    assert_eq!(report.validity, Validity::Valid, "{report:?}");
    // Nothing meets where each work-item has its own counter, or barriers stand between.
    let own = source.replace("&r[0]", "&r[get_global_id(0)]");
    assert!(!run(&program(&subject(&own)), Order::Forward).1);
}

#[test]
fn o3_and_o4_a_seed_decides_the_order() {
    let built = program(&subject(CLAIMED_SLOTS));
    let shown = |order| numbers(&run(&built, order).0);
    assert_eq!(shown(Order::Shuffled(7)), shown(Order::Shuffled(7)));
    let different: std::collections::BTreeSet<String> = ORDERS.into_iter().map(shown).collect();
    assert_eq!(different.len(), 5);
    let alone = CLAIMED_SLOTS.replace("-g 8,1,1 -l 2,1,1", "-g 1,1,1 -l 1,1,1");
    let alone = program(&subject(&alone));
    assert_eq!(run(&alone, Order::Shuffled(7)), run(&alone, Order::Forward));
}

#[test]
fn o5_a_copy_by_the_group_is_there_in_every_order() {
    let source = "// -g 4,1,1 -l 4,1,1\nkernel void entry(global ulong *r) {\n  local ulong own[4];\n  \
        event_t done = async_work_group_copy(own, r, 4, 0);\n  wait_group_events(1, &done);\n  \
        barrier(CLK_GLOBAL_MEM_FENCE);\n  r[get_global_id(0)] += own[3 - get_local_id(0)] + get_local_id(0);\n}\n";
    let report = sanitize(source);
    assert_eq!(report.validity, Validity::Valid, "{report:?}");
    let built = program(&subject(source));
    let (forward, meets, _) = run(&built, Order::Forward);
    for order in ORDERS {
        assert_eq!(run(&built, order).0, forward, "{order:?}");
    }
    assert!(!meets);
}

#[test]
fn o6_atomic_functions_that_do_not_commute_are_named() {
    let source = "// -g 2,1,1 -l 2,1,1\nkernel void entry(global int *r) {\n  atomic_sub(&r[0], 3);\n  \
        atomic_and(&r[0], 6);\n}\n";
    // One after the other, the work-items have the same result in every order.
    let built = program(&subject(source));
    let (forward, ..) = run(&built, Order::Forward);
    for order in ORDERS {
        assert_eq!(run(&built, order).0, forward);
    }
    let report = sanitize(source);
    assert_eq!(report.validity, Validity::Unresolved, "{report:?}");
    let [found] = &report.findings[..] else { panic!("{report:?}") };
    assert_eq!((found.kind, found.line), (FindingKind::OrderDependence, Some(3)));
    assert!(found.message.contains("the other one at line 4"), "{found}");
    assert!(report.failures.is_empty() && report.unchecked.is_empty(), "{report:?}");
    // A recipe that does not compare results goes on, so everything else is looked for as well.
    let other = source.replace("6);", "6);\n  int x; r[2 + get_global_id(0)] = x;");
    assert_eq!(lines(&sanitize(&other), FindingKind::Uninitialised), [Some(5)]);
}

#[test]
fn an_order_in_which_the_kernel_is_wrong_counts() {
    // The second work-item that comes writes behind the end, if it is not the last.
    let source = "// -g 4,1,1 -l 2,1,1\nkernel void entry(global uint *r) {\n  uint come = atomic_inc(&r[0]);\n  \
        int last = 0x7ffffffe + (come == 1 && get_global_id(0) == 2);\n  r[1 + get_global_id(0)] = last + 1;\n}\n";
    let report = sanitize(source);
    assert_eq!(report.validity, Validity::Invalid, "{report:?}");
    assert_eq!(lines(&report, FindingKind::SignedOverflow), [Some(5)], "{report:?}");
}

#[test]
fn who_waits_for_another_is_not_endless() {
    let kernel = |wait: &str| {
        format!(
            "// -g 2,1,1 -l 1,1,1\nkernel void entry(global uint *r) {{\n  volatile global uint *flag = r + 1;\n  \
             if (get_group_id(0) == 0)\n    while ({wait})\n      ;\n  else\n    atomic_xchg(flag, 1u);\n}}\n"
        )
    };
    for wait in ["!atomic_add(flag, 0u)", "!*flag"] {
        let report = sanitize(&kernel(wait));
        assert_eq!(report.validity, Validity::Unresolved, "{report:?}");
        assert!(report.findings.is_empty(), "{report:?}");
        let said = &report.failures[0].message;
        assert!(said.contains("waits at line 5 until another one"), "{said}");
    }
    // The other way round, it waits only in another order.
    let report = sanitize(&kernel("!atomic_add(flag, 0u)").replace("== 0)", "== 1)"));
    assert_eq!(report.validity, Validity::Unresolved, "{report:?}");
    assert!(report.failures[0].message.contains("waits at line 5"), "{report:?}");
    assert_eq!(report.unchecked, [FindingKind::OrderDependence].into());
}

#[test]
fn loops_that_never_end_are_known_by_their_steps() {
    let kernel = |body: &str| {
        format!(
            "// -g 2,1,1 -l 1,1,1\nkernel void entry(global ulong *r) {{\n  ulong x = get_global_id(0);\n  {body}\n  \
             r[get_global_id(0)] = x;\n}}\n"
        )
    };
    let repeats = [
        "for (;;)\n    ;",
        "while (r[1] == 0)\n    x = 1 - x;",
        "for (uchar i = 0; i < 255; i++)\n    x += 256;\n  for (;;)\n    r[get_global_id(0)] ^= 1;",
        "again:\n  if (x < 9)\n    goto again;",
    ];
    for body in repeats {
        let report = sanitize(&kernel(body));
        let [found] = &report.findings[..] else { panic!("{body} {report:?}") };
        assert_eq!(found.kind, FindingKind::NonTermination, "{report:?}");
        assert!(found.line.is_some() && found.message.contains("same memory"), "{found:?}");
    }
    // A counter that goes on for ever.
    let report = sanitize(&kernel("while (x < 9 || x)\n    x++, x |= 1;"));
    let [found] = &report.findings[..] else { panic!("{report:?}") };
    assert_eq!(found.kind, FindingKind::NonTermination, "{report:?}");
    assert!(found.message.contains("2^28 jumps"), "{found:?}");
}
