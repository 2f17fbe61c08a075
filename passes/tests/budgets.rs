//! Passes with more to look at than their budgets allow: they keep their contract, propose
//! something still where they can, and say what they left out.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use clreduce_passes::{Proposals, Row, Snapshot, TABLE, find};
use clreduce_testcase::{Language, TestCase};

/// A budget, the pass that has it, a program with two of the things that it counts, and whether the pass
/// proposes something when it may look at one of them only.
const BEYOND: [(&str, &str, Language, &str, bool); 36] = [
    ("sides of one #if", "conditionals", Language::C, "#if A\na\n#else\nb\n#endif\n", true),
    ("lines that move to the left", "blocks", Language::TEXT, "a\n b\n c\n", true),
    ("groups of lines that are not joined", "lines", Language::TEXT, "a\nb\n", true),
    (
        "names that one function uses",
        "smaller-elsewhere",
        Language::C,
        "int f(int a, int b) { return a + b * 2; }",
        true,
    ),
    (
        "expressions with names in their place",
        "smaller-elsewhere",
        Language::C,
        "int f(int a, int b) { return (a + b) * 2; }",
        true,
    ),
    ("declarations of one function", "stub-bodies", Language::C, TWICE, false),
    ("declarations of one function", "remove-parameters", Language::C, TWICE, false),
    (
        "declarations of one function",
        "remove-parameters",
        Language::C,
        "void f(int a); void f(int a);",
        false,
    ),
    ("declarations of one function", "types", Language::C, TWICE_LONG, true),
    (
        "declarations of one function",
        "list-elements",
        Language::C,
        "void f(int a); void f(int a); void g(void) { f(1, 2); }",
        true,
    ),
    (
        "calls of one function",
        "inline",
        Language::C,
        "void f(int a) { b = a; b += a; b -= a; } void g(void) { f(1); f(2); }",
        false,
    ),
    (
        "calls of one member",
        "cpp-inline-members",
        Language::CPP,
        "struct A { int x; int f() { return x; } }; int g(A a) { return a.f() + a.f(); }",
        false,
    ),
    (
        "calls of one short function",
        "inline",
        Language::C,
        "void f(int a) { b = a; } void g(void) { f(1); f(2); }",
        false,
    ),
    (
        "variables of one file",
        "merge-variables",
        Language::C,
        "void f(void) { int a = 1, b = 2; a = b; }",
        false,
    ),
    (
        "declarations that go together",
        "unreachable",
        Language::C,
        "int a; int b(void) { return a; } int main(void) { return 0; }",
        true,
    ),
    (
        "specialisations of one template",
        "cpp-specialisations",
        Language::CPP,
        "template <int N> struct A { }; template <> struct A<1> { }; template <> struct A<2> { }; A<2> a;",
        true,
    ),
    (
        "names of the main file",
        "cpp-uses",
        Language::CPP,
        "# 1 \"a.cc\"\n# 1 \"h.h\" 1\nint h;\n# 2 \"a.cc\" 2\nint a; int b;\n",
        true,
    ),
    (
        "cuts that are compared",
        "cpp-cuts",
        Language::CPP,
        "struct A { A(int); A(long); A(char); };\nint main() { A a(1); return 0; }",
        true,
    ),
    (
        "bytes of what a name stands for, for all uses",
        "cpp-inline-names",
        Language::CPP,
        "typedef long T; T x;",
        false,
    ),
    (
        "parameters of one template",
        "cpp-template-parameters",
        Language::CPP,
        "template <class T, class U> struct A { }; A<int, int> a;",
        true,
    ),
    (
        "elements of one vector literal",
        "vector-literals",
        Language::OPENCL,
        "void f(int a, int b) { int2 v = (int2)(a, b); }",
        true,
    ),
    (
        "functions that one image is passed to",
        "images",
        Language::OPENCL,
        "void g(read_only image2d_t j) { } kernel void f(read_only image2d_t i) { g(i); }",
        true,
    ),
    (
        "blocks around one barrier",
        "barriers",
        Language::OPENCL,
        "kernel void f(int a) { if (a) { if (a) { barrier(CLK_LOCAL_MEM_FENCE); } } }",
        true,
    ),
    (
        "flags of one barrier",
        "barriers",
        Language::OPENCL,
        "kernel void f(int a) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); }",
        true,
    ),
    (
        "vectors that change on their own",
        "vectors",
        Language::OPENCL,
        "void f(void) { int4 v = (int4)(1); int4 w = (int4)(2); }",
        true,
    ),
    ("stores of results in one kernel", "to-result", Language::OPENCL, STORES, true),
    ("values before one store of a result", "to-result", Language::OPENCL, STORES, true),
    ("windows of tokens in one file", "token-windows", Language::C, "int a; int b;", false),
    ("single tokens in one file", "token-windows", Language::C, "int a; int b;", false),
    (
        "cases of one switch",
        "unwrap",
        Language::C,
        "void f(int a) { switch (a) { case 1: a = 2; case 2: a = 3; } }",
        true,
    ),
    (
        "arguments of one call",
        "expression-to-operand",
        Language::C,
        "int f(int a) { return g(a, a + 1); }",
        true,
    ),
    (MANY, "expression-to-operand", Language::C, SUMS, true),
    (MANY, "expression-to-constant", Language::C, SUMS, true),
    (MANY, "parentheses", Language::C, "int a = (1), b = (2);", true),
    (MANY, "indirection", Language::C, "void f(int *a) { a[2] = a[1]; }", true),
    (MANY, "literals", Language::C, "int a = 0x10, b = 0x20;", true),
];

const MANY: &str = "proposals of one pass";
const TWICE: &str = "int f(int a); int f(int a) { return a + 1; }";
const TWICE_LONG: &str = "long f(int a); long f(int a) { return a + 1; }";
const SUMS: &str = "void f(int a) { a = a + 1; a = a + 2; }";
const STORES: &str =
    "kernel void f(global int *r, int a) { int b; b = a + 1; b = a + 2; r[0] = b; r[1] = b; }";

/// Budgets that lie above another one of the same pass, so that both cannot be one.
const ABOVE: [&str; 1] = ["names in the place of one expression"];

#[test]
fn what_is_beyond_a_budget_is_noted() {
    let mut wrong = Vec::new();
    for (of, pass, language, program, proposes) in BEYOND {
        let case = TestCase::single("input", program.as_bytes()).unwrap();
        let snapshot = Snapshot::new(case, language);
        let is_beyond = |row: &&Row| {
            let few = Proposals::with_budgets_of(1, row.pass, &snapshot);
            few.left_out.iter().any(|budget| budget.of == of)
        };
        let mut rows = TABLE.iter().filter(|row| row.pass.name == pass);
        let row = rows.find(is_beyond);
        let row = row.unwrap_or_else(|| panic!("{pass} does not note that {of} are left out"));
        let mut expect = |holds: bool, what: &str| {
            if !holds {
                wrong.push(format!("{pass}, {of}, {program}: {what}"));
            }
        };
        let is_noted =
            |proposals: &Proposals| proposals.left_out.iter().any(|budget| budget.of == of);
        let all = Proposals::of(row.pass, &snapshot);
        expect(!all.list.is_empty(), "nothing is proposed");
        expect(!is_noted(&all), "two of them are within the budget");
        let few = Proposals::with_budgets_of(1, row.pass, &snapshot);
        expect(few.list.is_empty() != proposes, &format!("proposed beyond it: {:?}", few.list));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn three_names_are_tried_in_the_place_of_one_expression() {
    let row = find("smaller-elsewhere").unwrap();
    for (names, count, is_noted) in [("a * b * c", 3 + 3, false), ("a * b * c * d", 3 * 3, true)] {
        let program = format!("int a, b, c, d; int f(void) {{ return {names}; }}");
        let case = TestCase::single("input", program.as_bytes()).unwrap();
        let snapshot = Snapshot::new(case, Language::C);
        let Proposals { list, left_out, .. } = Proposals::of(row.pass, &snapshot);
        assert_eq!(list.len(), count, "{program}");
        assert_eq!(left_out.iter().any(|budget| budget.of == ABOVE[0]), is_noted, "{left_out:?}");
    }
}

#[test]
fn every_budget_is_tested() {
    let tested: BTreeSet<&str> = BEYOND.iter().map(|(of, ..)| *of).chain(ABOVE).collect();
    let mut known = BTreeSet::new();
    let mut work = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(path) = work.pop() {
        if path.is_dir() {
            work.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for budget in text.split("Budget::new(").skip(1) {
            known.extend(budget.split('"').nth(1).map(str::to_owned));
        }
    }
    let known: BTreeSet<&str> = known.iter().map(String::as_str).collect();
    assert_eq!(
        known, tested,
        "write a line for each budget into BEYOND in passes/tests/budgets.rs"
    );
}
