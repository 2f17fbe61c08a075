//! Removes address spaces and access qualifiers of OpenCL, which the grammar does not know.
//!
//! before:
//! ```cl
//! kernel void f(global int *p) { local int x; private int y; }
//! ```
//! after:
//! ```cl
//! kernel void f(global int *p) { int x; private int y; }
//! ```

use clreduce_testcase::{Edit, Language};

use super::unit::Tokens;
use crate::Snapshot;
use crate::pass::{Pass, Proposal};

/// The pass.
pub(crate) struct AddressSpaces;

const WORDS: &[&[u8]] = &[
    b"__global",
    b"global",
    b"__local",
    b"local",
    b"__constant",
    b"constant",
    b"__private",
    b"private",
    b"__generic",
    b"generic",
    b"__read_only",
    b"read_only",
    b"__write_only",
    b"write_only",
    b"__read_write",
    b"read_write",
];

impl Pass for AddressSpaces {
    fn name(&self) -> &'static str {
        "address-spaces"
    }

    fn about(&self) -> &'static str {
        "Remove address spaces and access qualifiers"
    }

    fn languages(&self) -> &'static [Language] {
        &[Language::OpenCl]
    }

    fn propose(&self, snapshot: &Snapshot) -> Vec<Proposal> {
        let mut proposals = Vec::new();
        for unit in Tokens::all(snapshot) {
            for token in
                unit.tokens.iter().filter(|token| WORDS.contains(&&unit.bytes[token.range()]))
            {
                proposals.push(Proposal::edit(Edit::delete(unit.file, token.range())));
            }
        }
        proposals
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn the_kernel_remains_one() {
        assert_reduces(
            &AddressSpaces,
            Language::OpenCl,
            "__kernel void f(__global int *p, read_only image2d_t i) { __local int x; }",
            &["__global"],
            "__kernel void f(__global int *p, image2d_t i) { int x; }",
        );
    }
}
