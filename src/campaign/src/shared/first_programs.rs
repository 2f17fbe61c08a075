//! What happens when the first programs of a campaign have run: the gate is judged, and their alarms are raised.

use std::collections::{BTreeMap, BTreeSet};

use clreduce_interestingness::Cancel;

use super::{Shared, State};
use crate::gate::{Gate, Trial};
use crate::log::Line;
use crate::outcome::Class;
use crate::programs::Programs;
use crate::progress::Progress;
use crate::{CampaignError, LogError};

impl Shared {
    /// Judges the first programs, when all of them have run.
    pub(super) fn judge_gate(&self, state: &mut State) -> Result<(), LogError> {
        if state.knowledge.gate.is_some() || state.logged < self.gate_size() {
            return Ok(());
        }
        let features: Vec<BTreeSet<&'static str>> =
            (0..self.gate_size()).map(|program| self.features(program)).collect();
        let mut trials = BTreeMap::new();
        for index in 0..self.matrix.configurations.len() {
            let of_program =
                features.iter().zip(&state.first).filter_map(|(features, finished)| {
                    let class = finished.outcomes.get(&index).copied().unwrap_or(Class::Right);
                    let is_right = class == Class::Right;
                    class.is_telling().then_some(Trial { features, is_right })
                });
            trials.insert(self.matrix.name(index), of_program.collect());
        }
        let mut gate = Gate::of(self.gate_size(), &trials);
        if !self.avoids {
            gate.avoid.clear();
        }
        let (left_out, avoid) = (gate.left_out.clone(), gate.avoid.clone());
        state.log.add(&Line::Gate { left_out, avoid })?;
        self.pass_gate(state, gate);
        Ok(())
    }

    /// The features of a program, where it is known what it is made of.
    fn features(&self, program: u64) -> BTreeSet<&'static str> {
        let Programs::Generated(_) = &self.programs else { return BTreeSet::new() };
        let made = self.programs.make(program, &Default::default(), &Cancel::new());
        let constructs = made.ok().and_then(|made| Some(made.kernel()?.constructs()));
        constructs.unwrap_or_default().into_iter().map(|construct| construct.name).collect()
    }

    /// Goes on behind the gate, with the alarms of the first programs.
    pub(super) fn pass_gate(&self, state: &mut State, gate: Gate) {
        let (left_out, avoid) = (gate.left_out.clone(), gate.avoid.clone());
        if left_out.len() == self.matrix.configurations.len() {
            state.fail(CampaignError::AllLeftOut {
                programs: gate.size,
                left_out: left_out.clone(),
            });
        }
        self.tell(Progress::Gate { left_out, avoid });
        state.knowledge.gate = Some(gate);
        for (program, finished) in (0..).zip(std::mem::take(&mut state.first)) {
            self.raise(state, program, &finished);
        }
    }
}
