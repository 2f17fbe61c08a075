//! Small texts: their results, and what is not valid or not understood.

use super::literals::literal;
use super::{Argument, InterpreterVerdict, Launch, judge};
use crate::ir::ScalarType;

/// The verdict of the interpreter on a kernel with two work-items in a group, and a table and a function in front.
fn judged(body: &str) -> InterpreterVerdict {
    let source = format!(
        "struct S {{ int a; uchar4 b[2]; int *n; }};\n\
         __kernel void k(__global ulong *r, __global uint *u, int n, __local int *l) {{\n{body}\n}}\n"
    );
    judged_text(&source)
}

fn judged_text(source: &str) -> InterpreterVerdict {
    let launch = Launch {
        kernel: "k".to_owned(),
        global: [2, 1, 1],
        local: [2, 1, 1],
        arguments: vec![
            Argument::Buffer(vec![0; 16]),
            Argument::Buffer(vec![0; 8]),
            Argument::Value(vec![7, 0, 0, 0]),
            Argument::Local(8),
        ],
    };
    judge(source.as_bytes(), &launch)
}

/// The first number of the first buffer.
fn result(body: &str) -> u64 {
    match judged(body) {
        InterpreterVerdict::Valid(contents) => {
            let bytes = contents[0].as_ref().expect("a buffer")[..8].try_into();
            u64::from_le_bytes(bytes.expect("eight bytes"))
        }
        other => panic!("{body}: {other:?}"),
    }
}

const ID: &str = "int i = get_global_id(0);";

#[test]
fn values_are_those_of_c() {
    for (value, expected) in [
        ("-1", u64::MAX),
        ("-1U", u64::from(u32::MAX)),
        ("-2147483648", (-2_147_483_648_i64) as u64),
        ("0x80000000", 1 << 31),
        ("010 + 1", 9),
        ("(uchar)200 + (uchar)100", 300),
        ("(char)200", (-56_i64) as u64),
        ("(short)1 << 17", 1 << 17),
        ("1 << 33", 2),
        ("-1 < 1U", 0),
        ("-1 < 1UL", 0),
        ("(char)-1 == 255", 0),
        ("2 - 1 - 1", 0),
        ("1 + 2 * 3 % 4 << 1 | 1", 7),
        ("1 ? 2 : 0 ? 3 : 4", 2),
        ("n / 2 * 2 == n || n", 1),
        ("(1 ? -1 : 1U) == 4294967295U", 1),
        ("-7 / 2 + -7 % 2", (-4_i64) as u64),
        ("~0U >> 31", 1),
        ("!7 + !0", 1),
        ("((uchar2)(250, 5) + (uchar)10).x", 4),
        ("((char2)(1) < (char2)(2, 1)).x", u64::MAX),
        ("((int4)(1, 2, 3, 4)).odd.y", 4),
        ("((int4)((int2)(1, 2), 3, n)).w", 7),
        ("((int3)(1, 2, 3)).zyx.x", 3),
        ("((char8)(1, 2, 3, 4, 5, 6, 7, 8)).s7", 8),
        ("((int2)(1, 2) ? (int2)(3) : (int2)(4)).x", 4),
        ("as_uint((uchar4)(1, 2, 0, 0))", 0x201),
        ("convert_char_sat(300)", 127),
        ("convert_uchar(300)", 44),
        ("upsample((char)-1, (uchar)1)", (-255_i64) as u64),
        ("max((int2)(1, 9), 5).x", 5),
        ("max((uchar2)(1, 9), 256).y", 9),
        ("clamp((char2)(100), (char2)(1), 7L).x", 7),
        ("add_sat(1, (char2)(127)).x", 127),
        ("select((int2)(1), 2, (int2)(0, -1)).y", 2),
        ("((uchar2)(3) << 257).x", 6),
        ("((uchar2)259 + (uchar2)-1).y", 2),
        ("max((char2)~0, (char2)(n, 5)).x", 7),
        ("((ulong2)-1 << (ulong2)n * 2).x", (-1_i64 << 14) as u64),
        ("((uchar2)(3) << (int2)(1, 8)).y", 3),
        ("(n ? (char2)(3) : (char)-2).x", 3),
        ("abs_diff(-5, 5)", 10),
        ("get_global_size(0) * get_local_size(0) + get_num_groups(0)", 5),
        ("(int)get_local_id(0) - 1", u64::MAX),
    ] {
        assert_eq!(result(&format!("{ID} if (i == 0) r[i] = {value};")), expected, "{value}");
    }
}

#[test]
fn statements_do_what_they_do_in_c() {
    for (body, expected) in [
        (
            "int s = 0; for (int j = 0; j < 10; j++) { if (j == 3) continue; if (j > 5) break; s += j; } r[i] = s;",
            12,
        ),
        ("int s = 0, j = 5; while (j) { j -= 1; s += j; } r[i] = s;", 10),
        ("int s = 0, j = 0; do { j++; if (j == 2) continue; s += j; } while (j < 4); r[i] = s;", 8),
        ("int s = 0, j = 0; while ((j += 2) < n) s += j; r[i] = s;", 12),
        (
            "int s = 0, j = 0; do { if (j == 2) continue; s += j; } while ((j += 1) < 4); r[i] = s;",
            4,
        ),
        ("char c = 127; c++; r[i] = c;", (-128_i64) as u64),
        ("uchar c = 3; c -= 5; r[i] = c;", 254),
        ("int x; x = 4; { int x = 5; x++; } r[i] = x;", 4),
        ("switch (n) { case 1: r[i] = 1; break; case 7: r[i] = 2; default: r[i] += 10; } ", 12),
        ("switch (n) { default: r[i] = 1; } ", 1),
        ("int a[3] = {1, n}; a[2] += a[1]; r[i] = a[2];", 7),
        ("int a[2][2] = {{1}, {2, 3}}; r[i] = a[0][1] * 100 + a[1][1];", 3),
        ("int4 v = 1; v.yx = (int2)(5, 6); v.w++; r[i] = v.x * 10 + v.y;", 65),
        ("uchar2 v = 255; v++; --v; v--; r[i] = v.y;", 254),
        ("struct S s = {1, {(uchar4)(2)}}; s.b[1].z; s.a += s.b[0].y; r[i] = s.a;", 3),
        ("int x = 3, *p = &x; *p += 1; int **q = &p; **q *= 2; r[i] = x;", 8),
        (
            "int x[3] = {1, 2, 3}; int *p = &x[1]; r[i] = p[1] + *(p + 1) + (p == &x[1]) + !(p != 0);",
            7,
        ),
        ("struct S s = {1}, t; t = s; struct S *p = &t; p->a = 9; r[i] = s.a + p->a + t.a;", 19),
        ("l[i] = i; barrier(CLK_LOCAL_MEM_FENCE); r[i] = l[1 - i];", 1),
        (
            "atomic_add(&u[0], i + 1); atomic_sub(&u[0], 1); barrier(CLK_GLOBAL_MEM_FENCE); r[i] = u[0];",
            1,
        ),
        (
            "if (atomic_inc(&u[0]) == 1) { int x = 5; atomic_add(&u[1], x); } barrier(CLK_GLOBAL_MEM_FENCE); r[i] = u[0] * 10 + u[1];",
            25,
        ),
        ("if (i == 0) vstore2((int2)(3, 4), 0, l); barrier(CLK_LOCAL_MEM_FENCE); r[i] = l[1];", 4),
        ("const int c = 2; ; r[i] = c + n; return;", 9),
        ("#pragma unroll 4\nfor (;;) { break; } r[i] = 1;", 1),
    ] {
        let body = format!("{ID}\n{body}");
        assert_eq!(result(&body), expected, "{body}");
    }
}

#[test]
fn functions_compute_values() {
    let text = "__constant int t[] = {3, 4};\n__constant int c = 5;\n\
        static int f(int a, short b) { a += b; int *p = &a; if (a > 2) *p = t[1]; return a * c; }\n\
        void g(int x) { x++; }\n\
        __kernel __attribute__((reqd_work_group_size(2, 1, 1))) void k(__global ulong *r, __global uint *u, int n, __local int *l)\n\
        { g(f(1, 70000)); r[get_global_id(0)] = f(n, 1) + f(f(0, 1), -1); }";
    let InterpreterVerdict::Valid(contents) = judged_text(text) else {
        panic!("{:?}", judged_text(text))
    };
    assert_eq!(contents[0].as_ref().map(|bytes| bytes[0]), Some(40));
}

#[test]
fn invalid_kernels_are_invalid() {
    for (body, reason) in [
        ("r[0] = 1;", "without a barrier"),
        ("r[i] = r[1 - i];", "without a barrier"),
        ("r[i + 1] = 1;", "outside of its array"),
        ("r[i] = u[2];", "outside of its array"),
        ("int x; r[i] = x;", "nothing has set"),
        ("int x; if (i) x = 1; r[i] = x;", "nothing has set"),
        ("int a[2]; a[0] = 1; r[i] = a[1];", "nothing has set"),
        ("r[i] = l[i];", "nothing has set"),
        ("int *p = 0; r[i] = *p;", "nothing has set"),
        ("int *p; { int x = 1; p = &x; } r[i] = *p;", "nothing has set"),
        ("int x = 2147483647; x++; r[i] = x;", "is not defined"),
        ("r[i] = 1 / (n - 7);", "is not defined"),
        ("r[i] = clamp(n, 9, 8);", "is not defined"),
        ("if (i) barrier(CLK_LOCAL_MEM_FENCE); r[i] = 1;", "come to a barrier"),
        ("while (n) { r[i] = 1; }", "does not end"),
        ("l[i] = i; barrier(CLK_GLOBAL_MEM_FENCE); r[i] = l[1 - i];", "without a barrier"),
        ("l[i] = i; barrier(0); r[i] = l[1 - i];", "without a barrier"),
        ("atomic_add(&u[0], 1); r[i] = u[0];", "without a barrier"),
        ("r[i] = x;", "`x` is not declared"),
        ("r[i] = ((int2)(r)).x;", "an address in a vector"),
        ("r[i] = n ? (int2)(1) : 1;", "a value of type `int2` in place of `ulong`"),
        ("char2 v = 1; v = v + 1;", "`+` on `char2` and `int`"),
        ("int2 v = 1; v = v + 1U;", "`+` on `int2` and `uint`"),
        ("int2 v = 1; v = (char2)(1);", "a value of type `char2` in place of `int2`"),
        ("int2 v = 1; v = 1 << v;", "`<<` on `int` and `int2`"),
        ("r[i] = max(1, (short)2);", "`max(int, short)` may be several functions"),
        ("r[i] = add_sat(1, 2L);", "`add_sat(int, long)` may be several functions"),
        ("{ r[i] = 1 }", "a semicolon is missing"),
        ("if (n) { if (n) }", "a statement is missing"),
        ("struct S s; s.x = 1;", "no member `x`"),
    ] {
        let body = format!("{ID}\n{body}");
        let InterpreterVerdict::Invalid(found) = judged(&body) else {
            panic!("{body}: {:?}", judged(&body))
        };
        assert!(found.contains(reason), "{body}: {found}");
    }
}

/// Bodies of kernels that have something which the reader does not take.
const OUTSIDE: &[&str] = &[
    "float f = 1;",
    "r[i] = INT_MAX;",
    "r[i] = event_t;",
    "int n = 1;",
    "int x = 1; int x = 2;",
    "int x = x;",
    "r[i] = (1, 2);",
    "r[i] = i = 2;",
    "r[i] = i++;",
    "int2 v = 1; v.xx = v;",
    "int2 v = 1; r[i] = v.z;",
    "int8 v = 1; r[i] = v.x;",
    "int3 v = 1; int2 w = v.hi;",
    "r[i] = (int2)(1, 2).x;",
    "int2 v = (int2)r;",
    "r[i] = (uint2)(1, 2) ? 1 : 0;",
    "uint2 c = 1; int2 v = c ? (int2)(1) : (int2)(2);",
    "r[i] = ctz(1);",
    "r[i] = any((uint2)(1));",
    "r[i] = as_int((short2)(1)) + as_int(1L);",
    "goto a; a: r[i] = 1;",
    "int j = 0; while ((j += 2) < j) ;",
    "int j = 0; while ((j += 2) && n) ;",
    "int j = 0; while ((j += 2) < 3 && n) ;",
    "r[i] = fma(1, 2, 3);",
    "if (n) return; r[i] = 1;",
    "break;",
    "continue;",
    "switch (n) { case 1: r[i] = 1; case 1: r[i] = 2; }",
    "switch (n) { case 1: int x = 2; }",
    "switch (n) { case 300: r[i] = 1; }",
    "const int x = 1; x = 2;",
    "int a[] = {};",
    "int a[1] = {1, 2};",
    "struct S s = {};",
    "struct T s;",
    "union { int a; } x;",
    "{ __local int m[2]; }",
    "long x = 1; int *p = &x;",
    "__local int *p = &n;",
    "static int x = 1;",
    "int x = 18446744073709551615;",
    "r[i] = 1ll;",
    "r[i] = 'a';",
    "r[i] = sizeof(int);",
    "r += 1;",
    "printf(\"x\");",
    "if (atomic_inc(&u[0]) == i) r[i] = 1;",
    "if (atomic_inc(&u[0]) == 0) r[i] = 1;",
    "r[i] = atomic_inc(&u[0]);",
    "atomic_add(&u[0], 1); atomic_xor(&u[0], 1);",
    "#pragma unroll\nr[i] = 1;",
    "#define N 1\nr[i] = N;",
    "for (int j = 0; j < 2; j++) int x = 1;",
];

#[test]
fn what_is_not_understood_is_outside() {
    for body in OUTSIDE {
        let body = format!("{ID}\n{body}");
        assert!(
            matches!(judged(&body), InterpreterVerdict::Outside(_)),
            "{body}: {:?}",
            judged(&body)
        );
    }
    let deep = format!("{ID} r[i] = {}1{};", "(".repeat(10_000), ")".repeat(10_000));
    let wide = format!("{ID} r[i] = 1{};", " + 1".repeat(10_000));
    for body in [deep, wide, "{".repeat(10_000), "if (n) ".repeat(10_000)] {
        assert!(matches!(judged(&body), InterpreterVerdict::Outside(_)));
    }
}

/// `clreduce check` and compilers refuse these as well.
#[test]
fn flaws_are_found_without_a_run() {
    const KERNEL: &str = "void k(__global ulong *r, __global uint *u, int n, __local int *l)";
    let kernel = |attribute: &str| format!("__kernel {attribute} {KERNEL} {{}}");
    let other = kernel("__attribute__((reqd_work_group_size(1, 1, 1)))");
    for (text, reason) in [
        (format!("int f() {{}}\n{}", kernel("")), "line 1: the function returns no value"),
        (other, "line 1: the kernel demands work-groups of another size"),
    ] {
        assert_eq!(judged_text(&text), InterpreterVerdict::Invalid(reason.to_owned()));
    }
    let splat = format!("int4 f(int2 v) {{ return v.y; }}\n{}", kernel(""));
    assert!(
        matches!(judged_text(&splat), InterpreterVerdict::Valid(_)),
        "{:?}",
        judged_text(&splat)
    );
}

#[test]
fn texts_without_the_kernel_are_outside() {
    for text in [
        "",
        "__kernel void j(__global ulong *r) {}",
        "__kernel void k() {}",
        "\u{e9}",
        "int x;",
        "\"",
        "/*",
    ] {
        assert!(matches!(judged_text(text), InterpreterVerdict::Outside(_)), "{text}");
    }
    let launch = Launch {
        kernel: "k".to_owned(),
        global: [64, 2, 1],
        local: [64, 2, 1],
        arguments: Vec::new(),
    };
    assert!(matches!(judge(b"__kernel void k() {}", &launch), InterpreterVerdict::Outside(_)));
    let launch = Launch { local: [3, 1, 1], ..launch };
    assert!(matches!(judge(b"__kernel void k() {}", &launch), InterpreterVerdict::Outside(_)));
}

#[test]
fn literals_have_the_types_of_c() {
    for (text, value) in [
        ("2147483648", Some((2_147_483_648, ScalarType::Long))),
        ("0x7fffffff", Some((0x7fff_ffff, ScalarType::Int))),
        ("0xFFFFFFFFFFFFFFFF", Some((u64::MAX.into(), ScalarType::Ulong))),
        ("5u", Some((5, ScalarType::Uint))),
        ("4294967296U", Some((1 << 32, ScalarType::Ulong))),
        ("1Lu", Some((1, ScalarType::Ulong))),
        ("0x8000000000000000L", Some((1 << 63, ScalarType::Ulong))),
        ("9223372036854775808", None),
        ("08", None),
        ("1e3", None),
        ("0x", None),
        ("1.0", None),
        ("1lul", None),
    ] {
        assert_eq!(literal(text), value, "{text}");
    }
}
