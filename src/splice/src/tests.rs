//! Tests of splicing on small collections.

use clreduce_language::{NodeId, SyntaxTree};
use clreduce_testcase::Language;

use super::*;

struct Texts(Vec<(&'static str, &'static str)>);

impl Collection for Texts {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn name(&self, index: usize) -> &str {
        self.0[index].0
    }

    fn text(&self, index: usize) -> Option<Vec<u8>> {
        Some(self.0[index].1.as_bytes().to_vec())
    }
}

const KERNEL: (&str, &str) = (
    "host.cl",
    "__kernel void A(__global float *a, int b) { int c = get_global_id(0); float d = 1.0f; if (c < b) { d = d + 2.0f; } a[c] = d; }",
);

fn all(texts: Vec<(&'static str, &'static str)>, seeds: u64) -> Vec<Spliced> {
    let collection = Texts(texts);
    (0..seeds).map(|seed| splice(&collection, seed).unwrap()).collect()
}

fn text(spliced: &Spliced) -> &str {
    std::str::from_utf8(&spliced.text).unwrap()
}

#[test]
fn functions_and_types_come_along_and_names_are_bound_by_type() {
    let donor = (
        "donor.cl",
        "typedef struct { float x; } S; float F(S s, float t) { return s.x * t; } int unused;
         __kernel void B(__global const float *in, __global float *out) {
             int i = get_global_id(0); S s = { 3.0f }; float z = in[i]; out[i] = F(s, z) + 1.0f; }",
    );
    let made = all(vec![KERNEL, donor], 60);
    for one in &made {
        let text = text(one);
        let tree = SyntaxTree::parse(&one.text, Language::OPENCL);
        assert!(!tree.has_error(NodeId(0)), "{text}");
        assert_eq!(text.matches("__kernel").count(), 1, "{text}");
        assert!(text.starts_with("// -g 16 -l 4 --elements 8192\n// seed "), "{text}");
        assert!(!text.contains("unused"), "{text}");
    }
    // A call of the function in the other kernel, with the structure as it was declared there.
    let calls = |one: &&Spliced| {
        one.sources[0] == "host.cl"
            && text(one).contains("typedef struct")
            && text(one).contains("= {0};")
    };
    assert!(made.iter().any(|one| calls(&one)));
    // The results of a part lie in a buffer of its own, apart for each work-item.
    assert!(made.iter().any(|one| text(one).contains("+ 128 * get_global_id(0))[")));
}

#[test]
fn the_seed_decides_and_the_format_is_fixed() {
    let donor = (
        "donor.cl",
        "__kernel void B(__global float *a, float b) { a[get_global_id(0)] = sqrt(b) * b + 1.0f; }",
    );
    let [first, again] = [(); 2].map(|()| all(vec![KERNEL, donor], 20));
    assert_eq!(first, again);
    assert_ne!(first[1].text, first[2].text);
}

#[test]
fn barriers_returns_and_local_memory_stay_where_they_are() {
    let donor = (
        "donor.cl",
        "__kernel void B(__global float *a, __local float *b) { int i = get_local_id(0); b[i] = a[i];
         barrier(CLK_LOCAL_MEM_FENCE); if (i > 3) return; a[i] = b[i + 1] * 2.0f; }",
    );
    for one in all(vec![KERNEL, donor], 60).iter().filter(|one| one.sources[0] == "host.cl") {
        let text = text(one);
        assert!(
            !text.contains("barrier") && !text.contains("return") && !text.contains("__local"),
            "{text}"
        );
    }
}

#[test]
fn collections_without_kernels_are_refused() {
    let refused = |texts| splice(&Texts(texts), 1).unwrap_err().to_string();
    assert!(refused(vec![]).contains("no file has a kernel"));
    assert!(
        refused(vec![("a", "__kernel void A(image2d_t a) {}")]).contains("no file has a kernel")
    );
    assert!(
        refused(vec![("a", "#define N 1\n__kernel void A(__global int *a) {}")])
            .contains("no file")
    );
    assert!(
        refused(vec![("a", "__kernel void A(__global int *a) {}")]).contains("no fitting part")
    );
}

#[test]
fn dead_blocks_have_parts_of_the_kernel_and_of_other_programs() {
    let donor = "uint F(uint x) { return x; }
         __kernel void B(__global ulong *out) {
             uint u = 3u; ulong w = 77ul;
             for (uint i = 0u; i < 4u; i++) { ulong v = (ulong)(u * 77u); w += v; }
             if (w > 77ul) { u = F(u); }
             out[0] = w; }";
    let (kernel, donors) = (KERNEL.1.as_bytes(), [donor.as_bytes().to_vec()]);
    let mut all = PartCounts::default();
    for seed in 0..20 {
        let family = EmiFamily::of(kernel.to_vec(), &[], &donors, seed).unwrap();
        let parts = family.parts();
        (all.own, all.others) = (all.own + parts.own, all.others + parts.others);
        let first = String::from_utf8(family.variants(1).remove(0)).unwrap();
        assert_eq!(parts.others > 0, first.contains("77"), "{first}");
        // Functions of another program do not come along.
        assert!(!first.contains("F("), "{first}");
    }
    assert!(all.own >= 20 && all.others >= 20, "{all:?}");
}

#[test]
fn a_kernel_of_one_statement_has_all_variants_too() {
    let kernel = "__kernel void A(__global float *a) { a[get_global_id(0)] *= 2.0f; }";
    let donor = "__kernel void B(__global uint *out) { uint u = 3u; if (u > 2u) { u += 4u; u *= 7u; } out[0] = u; }";
    for seed in 0..8 {
        let donors = [donor.as_bytes().to_vec()];
        let family = EmiFamily::of(kernel.as_bytes().to_vec(), &[], &donors, seed).unwrap();
        let variants = family.variants(MOST_VARIANTS);
        let different: std::collections::BTreeSet<&Vec<u8>> = variants.iter().collect();
        assert_eq!((variants.len(), different.len()), (40, 40), "{seed}");
        for text in &variants {
            let tree = SyntaxTree::parse(text, Language::OPENCL);
            assert!(!tree.has_error(NodeId(0)), "{}", String::from_utf8_lossy(text));
        }
    }
}

#[test]
fn edits_stand_before_a_branch_that_is_never_taken_and_not_in_it() {
    let kernel = "__kernel void A(__global int *a, int b) { if (b > 7) { a[0] = 3; } }";
    let body = kernel.find("{ a[0]").unwrap();
    let family =
        |range: std::ops::Range<usize>| EmiFamily::of(kernel.as_bytes().to_vec(), &[range], &[], 1);
    let first = family(body..kernel.len() - 2).unwrap().variants(1).remove(0);
    let text = String::from_utf8(first).unwrap();
    assert!(text.contains("emi_dead[") && text.contains("if (b > 7) { a[0] = 3; }"), "{text}");
    let start = kernel.find("if").unwrap();
    assert!(family(start..kernel.len() - 2).is_none());
}

/// find_ellipse_kernel_4 of Rodinia has a variable `max`.
#[test]
fn a_variable_with_the_name_of_a_built_in_function_hides_it_from_dead_blocks() {
    let kernel = "__kernel void A(__global int *a) { int max = a[1]; a[0] = max; a[2] = 7; a[3] = min(a[0], 2); }";
    let donor = "__kernel void B(__global int *out) { int u = 3; u += max(u, 77) * 2; u += min(u, 78) * 2; out[0] = u; }";
    let mut calls = 0;
    for seed in 0..30 {
        let donors = [donor.as_bytes().to_vec()];
        let family = EmiFamily::of(kernel.as_bytes().to_vec(), &[], &donors, seed).unwrap();
        let text = String::from_utf8(family.variants(1).remove(0)).unwrap();
        assert!(!text.contains("max("), "{text}");
        calls += text.matches("78").count();
    }
    assert!(calls > 0);
}
