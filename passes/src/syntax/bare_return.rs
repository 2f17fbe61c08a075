//! Returns no value where old C lets a function forget it: some compilers no longer do, so it comes last.
//!
//! before:
//! ```c
//! int f(int x) { if (x) return 0; return x; }
//! ```
//! after:
//! ```c
//! int f(int x) { if (x) return ; return ; }
//! ```

use clreduce_testcase::Language;

use super::unit::Unit;
use crate::pass::{Pass, Proposal};
use crate::{NodeId, Snapshot};

/// The pass.
pub(crate) struct BareReturn;

impl Pass for BareReturn {
    fn name(&self) -> &'static str {
        "bare-return"
    }

    fn about(&self) -> &'static str {
        "Return no value where old C lets functions forget it"
    }

    fn languages(&self) -> &'static [Language] {
        &[Language::C]
    }

    fn propose(&self, snapshot: &Snapshot) -> Vec<Proposal> {
        let returns = Unit::all_sound(snapshot).filter(|(_, _, kind)| *kind == "return_statement");
        returns.filter_map(|(unit, id, _)| without_value(unit, id)).collect()
    }
}

fn without_value(unit: Unit<'_>, id: NodeId) -> Option<Proposal> {
    let (tree, whole) = (unit.tree, unit.tree.range(id));
    let value = tree.named_children(id).next()?;
    let after = whole.start + b"return".len()..tree.range(value).end;
    Some(Proposal::edit(unit.replace(after, b" ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn only_the_value_goes() {
        assert_reduces(
            &BareReturn,
            Language::C,
            "int f(int x) { if (x) return(1); else return g(x) + 1; return; }",
            &[],
            "int f(int x) { if (x) return; else return; return; }",
        );
    }
}
