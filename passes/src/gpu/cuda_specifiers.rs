//! Removes what CUDA adds to declarations: where a function runs, how it is inlined, launch bounds,
//! `__restrict__`. All of one word together, then one by one.
//!
//! before:
//! ```cu
//! __device__ __forceinline__ int g(int *__restrict__ p) { return *p; }
//! __global__ void __launch_bounds__(256, 2) k(int *__restrict__ p) { *p = 1; }
//! ```
//! after:
//! ```cu
//! __device__ int g(int *p) { return *p; }
//! __global__ void k(int *p) { *p = 1; }
//! ```

use std::collections::BTreeMap;

use clreduce_testcase::{Edit, Language, Patch};

use crate::Snapshot;
use crate::analysis::Unit;
use crate::pass::{Pass, PassInfo, Proposal, Proposals};

/// The pass.
pub(crate) struct CudaSpecifiers;

const WORDS: [&str; 11] = [
    "__align__",
    "__device__",
    "__device_builtin__",
    "__forceinline__",
    "__grid_constant__",
    "__host__",
    "__inline__",
    "__launch_bounds__",
    "__noinline__",
    "__restrict",
    "__restrict__",
];

impl Pass for CudaSpecifiers {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "cuda-specifiers",
            "Remove what CUDA adds to functions and pointers",
            &[Language::Cuda],
        )
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        for unit in Unit::all(snapshot) {
            let mut words: BTreeMap<&str, Vec<Edit>> = BTreeMap::new();
            for (name, edit) in specifiers(snapshot, unit) {
                words.entry(name).or_default().push(edit);
            }
            let alike = words.values().filter(|edits| edits.len() > 1).cloned();
            proposals.extend(alike.filter_map(Patch::new).map(Proposal::new));
            let single = words.into_values().flatten();
            proposals.extend(single.map(|edit| Proposal::edit(edit).in_list(1)));
        }
    }
}

/// The words with the edits that remove them, and what stands in parentheses behind them.
fn specifiers<'a>(
    snapshot: &'a Snapshot,
    unit: Unit<'a>,
) -> impl Iterator<Item = (&'static str, Edit)> + 'a {
    let tokens = snapshot.tokens(unit.file);
    let text = |at: usize| tokens.get(at).map_or(&b""[..], |token| &unit.bytes[token.range()]);
    (0..tokens.len()).filter_map(move |at| {
        let name = WORDS.iter().find(|word| word.as_bytes() == text(at))?;
        let mut last = at;
        if text(at + 1) == b"(" && matches!(*name, "__launch_bounds__" | "__align__") {
            let simple = |at: &usize| !matches!(text(*at), b"" | b";" | b"{" | b"}");
            last = (at + 2..).take_while(simple).find(|&at| text(at) == b")")?;
        }
        let range = tokens[at].start as usize..tokens[last].end as usize;
        Some((*name, Edit::delete(unit.file, range)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn one_word_without_the_other() {
        assert_reduces(
            &CudaSpecifiers,
            Language::Cuda,
            "__host__ __device__ int f(); __host__ int g(); struct __align__(16) S { int x; };",
            &["__device__"],
            "__device__ int f(); int g(); struct S { int x; };",
        );
    }

    #[test]
    fn kernels_remain_kernels() {
        let source = "__global__ void k(int *p) { __shared__ int x; }";
        assert_reduces(&CudaSpecifiers, Language::Cuda, source, &[], source);
    }
}
