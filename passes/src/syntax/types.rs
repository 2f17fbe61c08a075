//! Replaces types by `int`: the types of variables, parameters, functions, members and casts.
//!
//! before:
//! ```c
//! unsigned long f(ulong x) { return (short)x; }
//! ```
//! after:
//! ```c
//! int f(ulong x) { return (short)x; }
//! ```

use clreduce_testcase::Language;

use super::unit::Unit;
use crate::Snapshot;
use crate::pass::{PARSED, Pass, Proposal};

/// The pass.
pub(crate) struct Types;

impl Pass for Types {
    fn name(&self) -> &'static str {
        "types"
    }

    fn about(&self) -> &'static str {
        "Replace types by int"
    }

    fn languages(&self) -> &'static [Language] {
        PARSED
    }

    fn propose(&self, snapshot: &Snapshot) -> Vec<Proposal> {
        let types = Unit::all_sound(snapshot).filter(|&(unit, id, kind)| {
            let is_type = matches!(
                kind,
                "primitive_type"
                    | "sized_type_specifier"
                    | "type_identifier"
                    | "struct_specifier"
                    | "union_specifier"
                    | "enum_specifier"
            ) && unit.tree.node(id).field == Some("type");
            is_type && unit.tree.field(id, "body").is_none() && unit.text(id) != b"void"
        });
        types.filter_map(|(unit, id, _)| unit.shrink(id, b"int")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn what_is_longer_than_int_becomes_int() {
        assert_reduces(
            &Types,
            Language::C,
            "struct S { long a; }; void f(struct S *s, const unsigned char c) { (float)c; T t; }",
            &[],
            "struct S { int a; }; void f(int *s, const int c) { (int)c; T t; }",
        );
    }
}
