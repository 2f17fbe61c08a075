//! Mutants of small programs: hand-computed lists by kind.

use clreduce_testcase::{Language, TestCase};

use super::*;

/// The mutants of a program, each as its operator and the text of its line.
fn mutants(source: &str, language: Language) -> Vec<(&'static str, String)> {
    let case = TestCase::single("a", source.as_bytes()).unwrap();
    let all = Mutants::of(&Snapshot::new(case.clone(), language)).list;
    let text = |mutant: &Mutant| {
        let variant = case.apply(&mutant.patch);
        let text = String::from_utf8(variant.files()[0].bytes.to_vec()).unwrap();
        text.lines().nth(mutant.line - 1).unwrap_or_default().trim().to_owned()
    };
    all.iter().map(|mutant| (mutant.operator.name, text(mutant))).collect()
}

fn texts(source: &str, language: Language, operator: &str) -> Vec<String> {
    let of_operator = |(name, _): &(&str, String)| *name == operator;
    mutants(source, language).into_iter().filter(of_operator).map(|(_, text)| text).collect()
}

#[test]
fn a_guarded_increment_has_three_and_one() {
    let source = "void f(int id, int size, int i) {\nif (id < size) i++;\n}";
    assert_eq!(
        mutants(source, Language::C),
        [
            ("relational", "if (id > size) i++;".to_owned()),
            ("relational", "if (id <= size) i++;".to_owned()),
            ("relational", "if (id >= size) i++;".to_owned()),
            ("increment", "if (id < size) i--;".to_owned()),
        ]
    );
}

#[test]
fn a_remainder_of_floating_point_numbers_does_not_compile() {
    let ints = "int f(int a, int b) {\nreturn a % b;\n}";
    assert_eq!(texts(ints, Language::C, "arithmetic").len(), 4);
    assert_eq!(texts(ints, Language::C, "zero-division"), ["return a % ((b) - (b));"]);
    let floats = "float f(float a, float b) {\nreturn a * b;\n}";
    let replaced = texts(floats, Language::C, "arithmetic");
    assert_eq!(replaced, ["return a + b;", "return a - b;", "return a / b;"]);
    assert_eq!(texts(floats, Language::C, "zero-division"), [""; 0]);
}

#[test]
fn faults_of_kernels() {
    let source = "kernel void k(global int *r, local int *p) {\n\
        p[get_local_id(0)] = 1;\n\
        barrier(CLK_LOCAL_MEM_FENCE);\n\
        atomic_add(&r[0], p[1]);\natomic_inc(&r[1]);\n}";
    let of = |operator| texts(source, Language::OPENCL, operator);
    assert_eq!(of("no-barrier"), [";"]);
    assert_eq!(
        of("divergent-barrier"),
        ["if (get_local_id(0) == 0) barrier(CLK_LOCAL_MEM_FENCE);"]
    );
    assert_eq!(of("fence"), ["barrier(CLK_GLOBAL_MEM_FENCE);"]);
    assert_eq!(of("work-item"), ["p[get_global_id(0)] = 1;", "p[get_group_id(0)] = 1;"]);
    assert_eq!(of("plain-atomic"), ["r[0] += p[1];", "++r[1];"]);
    assert_eq!(of("plain-atomics"), ["r[0] += p[1];"]);
    let cuda = "__global__ void k(int *r) {\n__syncthreads();\nr[threadIdx.x] = 1;\n}";
    assert_eq!(texts(cuda, Language::CUDA, "no-barrier"), [";"]);
    assert_eq!(texts(cuda, Language::CUDA, "work-item"), ["r[blockIdx .x] = 1;"]);
}

#[test]
fn coordinates_of_images() {
    let source = "kernel void k(read_only image1d_t i, read_only image2d_t j, write_only image3d_t o) {\n\
        int4 a = read_imagei(i, 2);\n\
        int4 b = read_imagei(j, CLK_ADDRESS_CLAMP, c);\n\
        write_imagei(o, (int4)(1), a + b);\n}";
    assert_eq!(
        texts(source, Language::OPENCL, "coordinate"),
        [
            "int4 a = read_imagei(i, (2) + 1);",
            "int4 a = read_imagei(i, (2) - 1);",
            "int4 b = read_imagei(j, CLK_ADDRESS_CLAMP, (c) + 1);",
            "int4 b = read_imagei(j, CLK_ADDRESS_CLAMP, (c) - 1);",
            "int4 b = read_imagei(j, CLK_ADDRESS_CLAMP, (c).yx);",
            "write_imagei(o, ((int4)(1)) + 1, a + b);",
            "write_imagei(o, ((int4)(1)) - 1, a + b);",
            "write_imagei(o, ((int4)(1)).yxzw, a + b);",
        ]
    );
}

#[test]
fn faults_of_statements() {
    let source =
        "void f(int n) {\nfor (int i = 0; i < n; i++) ;\nwhile (n) n--;\nconst int c = 1;\n}";
    assert_eq!(
        texts(source, Language::C, "loop-bound"),
        ["for (int i = 0; i < (n) - 1; i++) ;", "for (int i = 0; i < (n) + 1; i++) ;"]
    );
    assert_eq!(
        texts(source, Language::C, "no-iteration"),
        ["for (int i = 0; 0; i++) ;", "while (0) n--;"]
    );
    assert_eq!(texts(source, Language::C, "no-initialiser"), ["for (int i; i < n; i++) ;"]);
    let wide = "long f(int a, int b) {\nreturn (long)a * b;\n}";
    assert_eq!(texts(wide, Language::C, "narrow"), ["return (a) * b;"]);
}

#[test]
fn macros_are_left_out_and_counted() {
    let source = "#define TWICE(x) ((x) + (x) * 1)\nint f(int a) { return TWICE(a); }\n";
    let snapshot = Snapshot::new(TestCase::single("a.c", source.as_bytes()).unwrap(), Language::C);
    let all = Mutants::of(&snapshot);
    assert!(all.list.is_empty(), "{:?}", all.list);
    assert_eq!(all.in_macros, 2);
}

#[test]
fn every_operator_is_listed_once() {
    let mut names: Vec<&str> = MUTATION_OPERATORS.iter().map(|operator| operator.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), MUTATION_OPERATORS.len());
}
