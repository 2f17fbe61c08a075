//! The names that are declared at a place.

use std::collections::BTreeSet;

use crate::ir::{FunctionId, VarId};

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameMeaning {
    Variable(VarId),
    /// A function of the program; true if it returns nothing.
    Function(FunctionId, bool),
    /// A name whose declaration is not at its end, or that nothing may refer to.
    Unusable,
}

#[derive(Default)]
pub(super) struct NameScopes<'a> {
    names: Vec<(&'a str, NameMeaning)>,
    /// The places in `names` where inner scopes begin.
    starts: Vec<usize>,
    /// The variables that nothing may assign to.
    fixed: BTreeSet<VarId>,
}

impl<'a> NameScopes<'a> {
    pub(super) fn enter(&mut self) {
        self.starts.push(self.names.len());
    }

    pub(super) fn leave(&mut self) {
        if let Some(start) = self.starts.pop() {
            self.names.truncate(start);
        }
    }

    /// The number of scopes around a place, without that of the file.
    pub(super) fn depth(&self) -> usize {
        self.starts.len()
    }

    /// Declares a name; false if the innermost scope has it already.
    pub(super) fn declare(&mut self, name: &'a str, symbol: NameMeaning) -> bool {
        let start = self.starts.last().copied().unwrap_or(0);
        let is_new = self.names[start..].iter().all(|(other, _)| *other != name);
        self.names.push((name, symbol));
        is_new
    }

    /// Gives the last declaration of a name its meaning.
    pub(super) fn define(&mut self, name: &str, symbol: NameMeaning) {
        if let Some(found) = self.names.iter_mut().rev().find(|(other, _)| *other == name) {
            found.1 = symbol;
        }
    }

    pub(super) fn find(&self, name: &str) -> Option<NameMeaning> {
        self.names.iter().rev().find(|(other, _)| *other == name).map(|(_, symbol)| *symbol)
    }

    pub(super) fn fix(&mut self, variable: VarId) {
        self.fixed.insert(variable);
    }

    pub(super) fn is_fixed(&self, variable: VarId) -> bool {
        self.fixed.contains(&variable)
    }
}
