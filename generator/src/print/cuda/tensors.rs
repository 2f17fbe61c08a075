//! Products of tiles: inline PTX, in a function of the prelude.

use super::super::KernelPrinter;
use crate::ir::{Mma, VarId};

impl KernelPrinter<'_> {
    pub(in super::super) fn mma(&mut self, mma: &Mma) {
        let name = |id: &VarId| self.program.variable(*id).name.clone();
        let words = mma.a.iter().chain(&mma.b).map(|id| self.text(*id));
        let arguments: Vec<String> = mma.sums.iter().map(name).chain(words).collect();
        let [a, b] = mma.signed.map(|signed| if signed { "int8" } else { "uint8" });
        let (function, arguments) = (mma.tile.name(), arguments.join(", "));
        self.line(&format!("{function}<{a}, {b}>({arguments});"));
    }
}
