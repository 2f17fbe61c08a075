//! Signatures of kernels, and the layouts of their parameters.

use super::*;
use crate::numbers::Number;

fn kernels(source: &[u8]) -> Vec<KernelSignature> {
    kernel_signatures(source, Language::OPENCL)
}

fn parameters(text: &str) -> Vec<KernelParameter> {
    let source = format!("typedef unsigned long u64;\nkernel void k({text}) {{}}");
    kernels(source.as_bytes()).remove(0).parameters
}

fn buffer(name: &str, element: &str, read_only: bool) -> KernelParameter {
    KernelParameter::Buffer {
        name: name.into(),
        element: Number::built_in(element).unwrap(),
        read_only,
    }
}

#[test]
fn parameters_are_classified() {
    let value = |name: &str| KernelParameter::Value(Number::built_in(name).unwrap());
    let cases = [
        ("void", vec![]),
        ("", vec![]),
        ("__global float4 *a, const int n", vec![buffer("a", "float4", false), value("int")]),
        ("global const volatile uint *restrict a", vec![buffer("a", "uint", true)]),
        ("__global int * const p", vec![buffer("p", "int", false)]),
        ("__constant char *c", vec![buffer("c", "char", true)]),
        ("__global u64 *", vec![buffer("", "ulong", false)]),
        ("unsigned int x, long int, unsigned y", vec![value("uint"), value("long"), value("uint")]),
        ("__local double *l", vec![KernelParameter::Local(8)]),
        ("float __attribute__((aligned(8))) f", vec![value("float")]),
    ];
    for (text, expected) in cases {
        assert_eq!(parameters(text), expected, "{text}");
    }
    for text in [
        "image2d_depth_t i",
        "__global int **p",
        "struct S s",
        "int *p",
        "size_t n",
        "sampler_t *s",
    ] {
        assert!(matches!(parameters(text)[..], [KernelParameter::Other(_)]), "{text}");
    }
}

#[test]
fn images_have_a_kind_an_access_and_pixels() {
    let image = |text: &str| match &parameters(text)[..] {
        [KernelParameter::Image { name, kind, read_only, .. }] => (name.clone(), *kind, *read_only),
        other => panic!("{other:?}"),
    };
    assert_eq!(image("image2d_t i"), ("i".to_owned(), ImageKind::TwoD, true));
    assert_eq!(image("__write_only image3d_t"), (String::new(), ImageKind::ThreeD, false));
    assert!(!image("read_write image1d_array_t a").2);
    assert_eq!(parameters("const sampler_t s"), [KernelParameter::Sampler]);
}

#[test]
fn structures_have_a_layout() {
    let source = b"typedef struct { char c; float f[2]; } P; enum Mode { A, B };\n\
        struct Box { P corners[2]; uint3 n; };\n\
        kernel void k(global P *p, enum Mode m, struct Box b, global atomic_int *n, constant struct Box *c) {}";
    let found = kernels(source).remove(0).parameters;
    let KernelParameter::Objects { name, layout, read_only: false, .. } = &found[0] else {
        panic!("{found:?}")
    };
    assert_eq!((name.as_str(), layout.bytes, layout.has_padding()), ("p", 12, true));
    let places: Vec<_> = layout.numbers.iter().map(|one| (one.offset, &*one.name)).collect();
    assert_eq!(places, [(0, "c"), (4, "f[0]"), (8, "f[1]")]);
    assert!(
        matches!(&found[1], KernelParameter::Object { kind, layout } if kind == "enum Mode" && layout.bytes == 4)
    );
    assert!(
        matches!(&found[2], KernelParameter::Object { kind, layout } if kind == "struct Box" && layout.bytes == 48)
    );
    assert_eq!(found[3], buffer("n", "int", false));
    assert!(matches!(&found[4], KernelParameter::Objects { read_only: true, .. }));
    let source = b"struct V { float3 at; bool on; __device__ float x() const { return at.x; } };\n\
        struct H { virtual int f(); int a; }; __global__ void k(V v, bool b, float3 *c, H h) {}";
    let found = kernel_signatures(source, Language::CUDA).remove(0).parameters;
    let sizes: Vec<usize> = found
        .iter()
        .map(|parameter| match parameter {
            KernelParameter::Object { layout, .. } | KernelParameter::Objects { layout, .. } => {
                layout.bytes
            }
            _ => 0,
        })
        .collect();
    assert_eq!(sizes, [16, 1, 12, 0]);
}

#[test]
fn kernels_of_cuda() {
    let source = b"template<int N> struct S {}; extern \"C\" __global__ __launch_bounds__(64, 2)\n\
        void k(const unsigned long long *__restrict__ a, float4 *b, S<3> s, float3 *c, double d) { }";
    let found = kernel_signatures(source, Language::CUDA).remove(0);
    assert_eq!(found.name, "k");
    assert_eq!(found.parameters[..2], [buffer("a", "ulong", true), buffer("b", "float4", false)]);
    assert!(matches!(
        found.parameters[2..4],
        [KernelParameter::Other(_), KernelParameter::Objects { .. }]
    ));
    assert_eq!(found.parameters[4], KernelParameter::Value(Number::built_in("double").unwrap()));
    assert_eq!(kernels(source), []);
}

#[test]
fn only_definitions_are_kernels() {
    let source = b"#define K __kernel \\\n void x(int a) {}\n\
        __kernel void declared(__global int *a);\n\
        void helper(int a) { int kernel = a; }\n\
        __attribute__((reqd_work_group_size(8, 4, 1))) __kernel void first(int a) { { } }\n\
        /* __kernel void commented(int a) {} */\n\
        __kernel __attribute__((vec_type_hint(int), intel_reqd_sub_group_size(32))) void second(void) {}
\
        kernel void third(void) {}";
    let found = kernels(source);
    let names: Vec<_> = found.iter().map(|kernel| kernel.name.as_str()).collect();
    assert_eq!(names, ["first", "second", "third"]);
    assert_eq!(found[0].required_local.as_deref(), Some(&[8, 4, 1][..]));
    assert_eq!(found[1].required_local, None);
    let sub_groups = found.iter().map(|kernel| kernel.required_sub_group);
    assert!(sub_groups.eq([None, Some(32), None]));
}

#[test]
fn a_type_may_be_a_macro() {
    let float = |name| buffer(name, "float", false);
    let of = |directives: &str| {
        let source = format!("{directives}\nkernel void k(MEM REAL *a, REAL b) {{}}");
        kernels(source.as_bytes()).remove(0).parameters
    };
    let value = |name| KernelParameter::Value(Number::built_in(name).unwrap());
    let mem = "#define MEM __global // here\n";
    assert_eq!(of(&format!("{mem}#define REAL float")), [float("a"), value("float")]);
    let guarded = "#ifdef DOUBLE\n#define REAL double\n#else\n#define REAL float\n#endif\n";
    assert_eq!(of(&format!("{mem}{guarded}"))[1], value("float"));
    assert_eq!(of(&format!("#define DOUBLE\n{mem}{guarded}"))[1], value("double"));
    assert_eq!(of(&format!("{mem}#define T REAL\n#define REAL T"))[1], of("")[1]);
    assert_eq!(of(&format!("{mem}#define REAL(a) float"))[1], of("")[1]);
    assert_eq!(of(&format!("{mem}#if 0\n#define REAL float\n#endif"))[1], of("")[1]);
}

#[test]
fn any_text_can_be_read() {
    for text in ["__kernel", "__kernel void k(", "kernel k((", "__attribute__(", "typedef", "#\\"] {
        assert_eq!(kernels(text.as_bytes()), []);
    }
}
