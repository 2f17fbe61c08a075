//! Coverage: small kernels whose counts were worked out by hand.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod support;

use std::time::Duration;

use clreduce_host::{
    Count, Coverage, CoverageSummary, HostBuild, HostError, HostKernel, Seen, Share,
};
use clreduce_interestingness::Cancel;
use clreduce_process::{Limits, ToolRunner};
use support::toolchain::toolchain;

fn measure(path: &str, source: &str) -> Result<Coverage, HostError> {
    let limits = Limits { time: Some(Duration::from_secs(300)), ..Limits::default() };
    let tools = ToolRunner::local(std::env::temp_dir(), None, limits);
    let cancel = Cancel::new();
    let subject = HostKernel::of(path, source.as_bytes()).unwrap();
    let toolchain = toolchain(&tools, &cancel);
    HostBuild { toolchain, subject: &subject, optimisation: "-O0" }.coverage()
}

fn coverage(source: &str) -> Coverage {
    measure("k.cl", source).unwrap()
}

/// Returns the events at the points whose text begins with `text`.
fn seen<'a>(coverage: &'a Coverage, source: &str, text: &str) -> Vec<&'a Seen> {
    let points = coverage.points.iter();
    points
        .filter(|point| source[point.range.clone()].starts_with(text))
        .map(|point| &point.seen)
        .collect()
}

fn count(times: u64, work_items: u64) -> Count {
    Count { times, work_items }
}

/// The text that no work-item executed.
fn never<'a>(coverage: &Coverage, source: &'a str) -> Vec<&'a str> {
    coverage.never_executed().into_iter().map(|range| &source[range]).collect()
}

const KERNEL: &str = "// -g 4,1,1 -l 2,1,1
void y(void) {}
kernel void entry(global ulong *r) {
  uint gid = get_global_id(0), x = 0;
  for (uint i = 0; i < gid; i++) {
    if (i == 2)
      break;
    x += i;
  }
  if (gid > 1 && x < 100)
    y();
  r[gid] = x;
}
";

#[test]
fn c1_to_c4_loops_conditions_and_work_items() {
    let coverage = coverage(KERNEL);
    assert_eq!((coverage.launches, coverage.work_items, &coverage.incomplete), (1, 4, &None));
    let expected = Seen::Loop {
        zero: Some(count(1, 1)),
        one: count(1, 1),
        more: count(2, 2),
        boundary: Some(count(3, 3)),
    };
    assert_eq!(seen(&coverage, KERNEL, "for ("), [&expected]);
    let [Seen::Branch { conditions: 1, when_true, when_false }] =
        seen(&coverage, KERNEL, "i == 2")[..]
    else {
        panic!("{coverage:?}")
    };
    assert_eq!((*when_true, *when_false), (count(1, 1), count(5, 3)));
    let both = seen(&coverage, KERNEL, "gid > 1");
    let [Seen::Branch { conditions: 2, .. }, Seen::Condition { when_true, when_false, decides }] =
        both[..]
    else {
        panic!("{both:?}")
    };
    assert_eq!((*when_true, *when_false, *decides), (count(2, 2), count(2, 2), true));
    let expected =
        Seen::Condition { when_true: count(2, 2), when_false: count(0, 0), decides: false };
    assert_eq!(seen(&coverage, KERNEL, "x < 100"), [&expected]);
    // The call, and the body of the function.
    assert!(seen(&coverage, KERNEL, "y();").contains(&&Seen::Section { reached: count(2, 2) }));
    assert_eq!(never(&coverage, KERNEL), [""; 0]);
    let share = |covered, all| Share { covered, all };
    let expected = CoverageSummary {
        branches: share(6, 6),
        conditions: share(7, 8),
        deciding: share(1, 2),
        loops: share(4, 4),
        barriers: share(0, 0),
    };
    assert_eq!(coverage.summary, expected);
    let missing: Vec<String> = coverage
        .missing()
        .into_iter()
        .map(|(line, column, what)| format!("{line}:{column}: {what}"))
        .collect();
    assert_eq!(missing, ["10:18: condition never false"]);
}

#[test]
fn c1_one_work_item_only_ends_the_loop() {
    let source = KERNEL.replace("-g 4,1,1 -l 2,1,1", "-g 1,1,1 -l 1,1,1");
    let coverage = coverage(&source);
    let expected = Seen::Loop {
        zero: Some(count(1, 1)),
        one: count(0, 0),
        more: count(0, 0),
        boundary: Some(count(1, 1)),
    };
    assert_eq!(seen(&coverage, &source, "for ("), [&expected]);
    let body = "{\n    if (i == 2)\n      break;\n    x += i;\n  }";
    assert_eq!(never(&coverage, &source), ["void y(void) {}", body, "x < 100", "y();"]);
}

#[test]
fn c5_launches_add_up() {
    let source =
        "kernel void k(global int *p, int n) {\n  if (n > 1)\n    p[get_global_id(0)] = n;\n}\n";
    let coverage = coverage(source);
    assert_eq!((coverage.launches, coverage.work_items), (2, 2049));
    let expected =
        Seen::Branch { conditions: 1, when_true: count(2048, 2048), when_false: count(1, 1) };
    assert_eq!(seen(&coverage, source, "n > 1"), [&expected]);
}

#[test]
fn c6_a_barrier_counts_where_whole_groups_pass_it() {
    let source = "// -g 2,1,1 -l 2,1,1\nkernel void entry(global ulong *r) {\n  uint l = get_local_id(0);\n  \
        barrier(CLK_LOCAL_MEM_FENCE);\n  if (l < 1)\n    barrier(CLK_GLOBAL_MEM_FENCE);\n  r[l] = l;\n}\n";
    let coverage = coverage(source);
    assert_eq!(
        seen(&coverage, source, "barrier(CLK_LOCAL"),
        [&Seen::Barrier { passed: count(1, 2) }]
    );
    let diverging = seen(&coverage, source, "barrier(CLK_GLOBAL");
    assert!(diverging.contains(&&Seen::Barrier { passed: count(0, 0) }), "{diverging:?}");
    assert!(coverage.incomplete.as_ref().unwrap().contains("do not meet at a barrier"));
    assert!(coverage.never_executed().is_empty());
    let missing: Vec<String> = coverage.missing().into_iter().map(|(_, _, what)| what).collect();
    assert!(missing.contains(&"no work-group passed this barrier".to_owned()), "{missing:?}");
}

#[test]
fn c7_without_branches_nothing_is_missing() {
    let coverage = coverage(
        "// -g 4,1,1 -l 2,1,1\nkernel void entry(global ulong *r) { r[get_global_id(0)] = 1; }\n",
    );
    assert_eq!(coverage.summary, CoverageSummary::default());
    assert!(coverage.missing().is_empty());
}

#[test]
fn probes_leave_the_meaning_of_a_program_alone() {
    let source = "// -g 4,1,1 -l 2,1,1
#define N 3
constant int table[N > 2 && 1 ? 2 : 1] = { 4 && 5, 6 ? 7 : 8 };
int f(int a, int4 v) {
  int4 w = v > 0 && v < 9 ? v : -v;
  int sized[N > 1 ? 2 : 3] = { a || w.x, !a };
  switch (a) {
  case 1 ? 7 : 8: return 1;
  case 2:
    a += sized[0];
  case 3: case 4: break;
  default: ;
    int inner = 3; a += inner;
  }
  if (a) if (a > 9) a--; else a++;
  else do a += 2; while (a < 4);
  #pragma unroll
  for (int i = 0; i < 2; i++) a++;
  for (int i = 0; ; i++) for (int j = 0; j < i; j++) if (i + j > 4) goto out;
out:
  for (; a; a = 0) ;
  return (a ? 3 : sized[1]) + table[0] + (a && sized[0] || !(a || w.y));
}
kernel void entry(global ulong *r) {
  if (get_global_id(0) > 100) { r[0] = 3; return; }
  r[get_global_id(0)] = f(get_global_id(0), (int4)(1, 2, 3, 4));
}
";
    let coverage = coverage(source);
    assert_eq!((&coverage.incomplete, coverage.functions_left_out), (&None, 0));
    let never = never(&coverage, source);
    for text in ["case 1 ? 7 : 8: return 1;", "{ r[0] = 3; return; }"] {
        assert!(never.contains(&text), "{text}: {never:?}");
    }
}

#[test]
fn cuda_counts_as_well() {
    let source = "// -g 4,1,1 -l 2,1,1\ntemplate <int N> __device__ int f(int a) {\n  if constexpr (N > 1) return a;\n  \
        return a && N ? 1 : 2;\n}\n__global__ void k(int *p) {\n  if (threadIdx.x) p[threadIdx.x] = f<1>(3);\n  __syncthreads();\n}\n";
    let coverage = measure("k.cu", source).unwrap();
    assert_eq!(coverage.incomplete, None);
    let [Seen::Branch { when_true, .. }] = seen(&coverage, source, "threadIdx.x")[..1] else {
        panic!("{coverage:?}")
    };
    assert!(when_true.times > 0);
    assert!(
        matches!(seen(&coverage, source, "__syncthreads()")[0], Seen::Barrier { passed } if passed.times > 0)
    );
}

/// No launch comes to what no kernel calls: it is shown, and its branches do not count.
#[test]
fn functions_that_no_kernel_calls_have_no_branches() {
    let source = "int unused(int x) { return x ? 1 : 2; }\nint used(int x) { return x > 0 ? 1 : 2; }\n\
                  kernel void k(global int *r) { r[get_global_id(0)] = used(r[get_global_id(0)]); }\n";
    let coverage = coverage(source);
    assert_eq!(coverage.summary.branches, Share { covered: 1, all: 2 });
    assert_eq!(never(&coverage, source), ["int unused(int x) { return x ? 1 : 2; }", "2"]);
}
