//! Functions that call themselves: each call has its own variables.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Machine;
use crate::ir::{FunctionId, StmtId, StmtKind, VarId};

/// The most calls of a function within each other. Generated functions are called less deep, but what edits make of them may
/// not end.
const MOST_CALLS: u32 = 32;

/// The places of variables in memory.
pub(super) type Places = Vec<Range<usize>>;

/// The state of a call while the function that it calls is the same one. The inner call puts it aside.
pub(super) struct OuterCall {
    values: Vec<i64>,
    going: BTreeMap<StmtId, u64>,
}

impl Machine<'_> {
    /// Begins a call, and puts aside what the call around it has. `None` if calls may not end.
    pub(super) fn enter_function(&mut self, id: FunctionId) -> Option<Option<OuterCall>> {
        let depth = self.calls.entry(id).or_default();
        if *depth == MOST_CALLS {
            return None;
        }
        *depth += 1;
        if *depth == 1 {
            return Some(None);
        }
        let mut values = Vec::new();
        for range in self.variables_of(id) {
            values.extend_from_slice(&self.memory.values()[range]);
        }
        Some(Some(OuterCall { values, going: std::mem::take(&mut self.going) }))
    }

    /// Ends a call: what the call around it has is there again.
    pub(super) fn leave_function(&mut self, id: FunctionId, outer: Option<OuterCall>) {
        if let Some(depth) = self.calls.get_mut(&id) {
            *depth -= 1;
        }
        let Some(outer) = outer else { return };
        self.going = outer.going;
        let mut rest = &outer.values[..];
        for range in self.variables_of(id) {
            let (own, others) = rest.split_at(range.len());
            self.memory.values_mut()[range].copy_from_slice(own);
            rest = others;
        }
    }

    /// The places of the private variables of a function.
    fn variables_of(&mut self, id: FunctionId) -> Places {
        if let Some(known) = self.own_variables.get(&id) {
            return known.clone();
        }
        let program = self.program;
        let function = program.function(id);
        let mut found: Vec<VarId> = function.parameters.to_vec();
        for id in program.statements_of(&function.body) {
            match &program.stmt(id).kind {
                StmtKind::For(details) => found.push(details.counter),
                kind => found.extend(kind.declared()),
            }
        }
        let place = |variable: VarId| {
            let start = self.memory.start(variable);
            let lanes = usize::from(program.variable(variable).ty.lanes);
            start..start + program.elements(variable) as usize * lanes * self.width
        };
        let places: Places = found.into_iter().map(place).collect();
        self.own_variables.insert(id, places.clone());
        places
    }
}
