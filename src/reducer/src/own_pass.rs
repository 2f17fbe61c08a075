//! The pass of a user, which is not in the table: its proposals come from outside.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

use clreduce_passes::{GROUPS, Pass, Phase, Row};
use clreduce_testcase::{Patch, TestCase};

/// The patches of a test case: equal ones for equal test cases. It may take long, so that only a real state asks.
pub type OwnPatches = dyn Fn(&TestCase) -> Vec<Patch> + Send + Sync;

/// The pass of a user, if there is one.
#[derive(Clone, Default)]
pub struct OwnPasses(pub Option<Arc<OwnPatches>>);

impl Debug for OwnPasses {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("OwnPasses").field(&self.0.is_some()).finish()
    }
}

/// What it proposes is asked for elsewhere.
const PASS: Pass =
    Pass::new("own", "Try what the program of --pass-command proposes", &[], |_, _| {});

/// Its row: in rounds, like other large removals.
static ROW: Row = Row { pass: &PASS, phase: Phase::Coarse, policy: GROUPS };

impl OwnPasses {
    /// Adds its row. Who writes a pass knows the program best, so it comes before others of its phase.
    pub(crate) fn add_to(&self, rows: &mut Vec<&'static Row>) {
        if self.0.is_some() {
            rows.insert(0, &ROW);
        }
    }

    /// Returns true for its row.
    pub(crate) fn is(row: &Row) -> bool {
        std::ptr::eq(row, &ROW)
    }
}
