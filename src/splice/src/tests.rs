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
