//! The state that the threads of a campaign share: which program comes next, which alarms are open, what is known.
//!
//! Outcomes are taken in the order of the programs, and alarms in the order of the outcomes, one after the other for each
//! lane of a device. So what a campaign learns does not depend on how fast anything is.

mod first_programs;
mod turns;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Condvar, Mutex, PoisonError};

use clreduce_generator::Avoid;
use crossbeam_channel::Sender;

use crate::gate::Gate;
use crate::knowledge::Knowledge;
use crate::log::{Conclusion, Line, Log};
use crate::matrix::Matrix;
use crate::outcome::Class;
use crate::programs::Programs;
use crate::progress::Progress;
use crate::queues::{Alarm, Lane, Queues, WINDOW};
use crate::runner::locked;
use crate::{CampaignError, LogError};
pub(crate) use turns::ReductionPart;
use turns::Turns;

/// The outcomes of a program, by configuration.
pub(crate) type Outcomes = BTreeMap<usize, Class>;

/// A program that has run.
#[derive(Clone, Debug, Default)]
pub(crate) struct FinishedProgram {
    pub outcomes: Outcomes,
    /// By configuration, the number of the variant that showed the outcome, if it was not the program itself.
    pub variants: BTreeMap<usize, u32>,
    /// The reason, if there was no program.
    pub missing: Option<String>,
}

/// If the first programs of a campaign are missing, so many in a row, the generator does not work.
const MOST_MISSING: u64 = 20;

/// The task of a campaign.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// The number of programs, if there is an end.
    pub count: Option<u64>,
    /// The number of programs of the gate.
    pub gate: u64,
    /// True if later programs go without what is broken.
    pub avoids: bool,
    /// The number of alarms that may be in each [`ReductionPart`] of a reduction at the same time.
    pub side_by_side: [usize; 2],
}

/// The state, and what wakes those who wait for a part of it.
pub(crate) struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    pub matrix: Matrix,
    programs: Programs,
    /// The number of programs, if there is an end.
    count: Option<u64>,
    gate: u64,
    /// True if later programs go without what is broken.
    pub avoids: bool,
    side_by_side: [usize; 2],
    events: Sender<Progress>,
}

struct State {
    log: Log,
    knowledge: Knowledge,
    /// The next program to run.
    next: u64,
    /// Outcomes of programs that came too early.
    early: BTreeMap<u64, FinishedProgram>,
    /// The number of programs whose outcomes are in the log.
    logged: u64,
    /// Outcomes of the programs of the gate.
    first: Vec<FinishedProgram>,
    /// Programs so far that are missing, if all are.
    all_missing: Option<u64>,
    queues: Queues,
    turns: [Turns; 2],
    stopped: bool,
    failure: Option<CampaignError>,
}

impl State {
    /// Stops all threads. The first error is kept.
    fn fail(&mut self, error: CampaignError) {
        self.stopped = true;
        self.failure.get_or_insert(error);
    }
}

impl Shared {
    /// The state that the lines of an earlier run lead to.
    pub(crate) fn new(
        (log, lines): (Log, Vec<Line>),
        matrix: Matrix,
        programs: Programs,
        settings: Settings,
        events: Sender<Progress>,
    ) -> Result<Self, LogError> {
        let state = State {
            log,
            knowledge: Knowledge::default(),
            next: 0,
            early: BTreeMap::new(),
            logged: 0,
            first: Vec::new(),
            all_missing: Some(0),
            queues: Queues::new(matrix.devices.len()),
            turns: Default::default(),
            stopped: false,
            failure: None,
        };
        let (state, changed) = (Mutex::new(state), Condvar::new());
        let Settings { count, gate, avoids, side_by_side } = settings;
        let shared =
            Self { state, changed, matrix, programs, count, gate, avoids, side_by_side, events };
        shared.replay(lines)?;
        Ok(shared)
    }

    fn replay(&self, lines: Vec<Line>) -> Result<(), LogError> {
        let mut state = locked(&self.state);
        for line in lines {
            match line {
                Line::Program { outcomes, variants, missing, .. } => {
                    let (outcomes, variants) = (self.numbered(outcomes), self.numbered(variants));
                    let finished = FinishedProgram { outcomes, variants, missing };
                    self.take(&mut state, finished, true);
                }
                Line::Gate { left_out, avoid } => {
                    self.pass_gate(&mut state, Gate { size: self.gate_size(), left_out, avoid });
                }
                Line::Alarm(conclusion) => {
                    self.close(&mut state, &conclusion);
                    self.tell(Progress::Concluded { conclusion, earlier: true });
                }
            }
        }
        state.next = state.logged;
        // It was killed between the last program of the gate and the gate.
        self.judge_gate(&mut state)
    }

    /// Replaces the names of configurations by their numbers. Unknown names are left out.
    fn numbered<T>(&self, named: BTreeMap<String, T>) -> BTreeMap<usize, T> {
        let found = |(name, what): (String, T)| Some((self.matrix.find(&name)?, what));
        named.into_iter().filter_map(found).collect()
    }

    /// The configurations that run a program: all, but for those that the gate has left out.
    pub(crate) fn that_run(&self, program: u64) -> Vec<usize> {
        let state = locked(&self.state);
        let gate = state.knowledge.gate.as_ref().filter(|gate| program >= gate.size);
        let takes_part = |index: &usize| {
            gate.is_none_or(|gate| !gate.left_out.contains_key(&self.matrix.name(*index)))
        };
        (0..self.matrix.configurations.len()).filter(takes_part).collect()
    }

    /// The features that a program of a configuration goes without.
    pub(crate) fn avoid_of(&self, configuration: &str, program: u64) -> Avoid {
        let state = locked(&self.state);
        state.knowledge.avoid_of(configuration, program, &state.queues)
    }

    /// Does something with what is known.
    pub(crate) fn with_knowledge<T>(&self, of: impl FnOnce(&Knowledge) -> T) -> T {
        of(&locked(&self.state).knowledge)
    }

    /// Waits for the next program that may run, and returns its number. `None` at the end.
    pub(crate) fn next_program(&self) -> Option<u64> {
        let mut state = locked(&self.state);
        loop {
            let is_last = self.count.is_some_and(|count| state.next >= count);
            if state.stopped || is_last {
                return None;
            }
            let is_known = state.next < state.queues.first_waiting().min(state.logged + WINDOW);
            if is_known && (state.next < self.gate_size() || state.knowledge.gate.is_some()) {
                state.next += 1;
                return Some(state.next - 1);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits for the next alarm of a lane of the family of a device. `None` at the end.
    pub(crate) fn next_alarm(&self, device: usize, lane: Lane) -> Option<Alarm> {
        let mut state = locked(&self.state);
        loop {
            if state.stopped {
                return None;
            }
            if let Some(alarm) = state.queues.take(device, lane) {
                return Some(alarm);
            }
            if self.count.is_some_and(|count| state.logged >= count) {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until all earlier alarms of its lane are concluded. False at the end.
    pub(crate) fn wait_for_earlier(&self, alarm: &Alarm) -> bool {
        let family = self.matrix.family(alarm.configuration);
        let mut state = locked(&self.state);
        while !state.stopped && !state.queues.is_first(family, alarm) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        !state.stopped
    }

    /// Takes down what cures the program of an alarm. Returns true if an earlier alarm is looked into that has a cure in common with
    /// it: it is probably the same bug.
    pub(crate) fn take_cures(&self, alarm: &Alarm, by: &[String]) -> bool {
        let family = self.matrix.family(alarm.configuration);
        let mut state = locked(&self.state);
        state.queues.take_cures(family, alarm, by);
        self.changed.notify_all();
        state.queues.has_likeness(family, alarm)
    }

    /// Waits while an earlier alarm is looked into that has a cure in common with this one. False at the end.
    pub(crate) fn wait_for_likeness(&self, alarm: &Alarm) -> bool {
        let family = self.matrix.family(alarm.configuration);
        let mut state = locked(&self.state);
        while !state.stopped && state.queues.has_likeness(family, alarm) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        !state.stopped
    }

    /// Takes the outcomes of a program.
    pub(crate) fn ran(&self, program: u64, finished: FinishedProgram) {
        let mut state = locked(&self.state);
        state.early.insert(program, finished);
        let logged = loop {
            let logged = state.logged;
            let Some(finished) = state.early.remove(&logged) else { break Ok(()) };
            let named = |(index, class): (&usize, &Class)| (self.matrix.name(*index), *class);
            let not_right = finished.outcomes.iter().filter(|(_, class)| **class != Class::Right);
            let outcomes = not_right.map(named).collect();
            let variants = finished.variants.iter();
            let variants = variants.map(|(index, one)| (self.matrix.name(*index), *one)).collect();
            let missing = finished.missing.clone();
            let line = Line::Program { program: logged, outcomes, variants, missing };
            if let Err(error) = state.log.add(&line) {
                break Err(error);
            }
            self.take(&mut state, finished, false);
        };
        let gate = logged.and_then(|()| self.judge_gate(&mut state));
        self.check(&mut state, gate);
        self.changed.notify_all();
    }

    /// Takes the end of an alarm.
    pub(crate) fn concluded(&self, conclusion: Conclusion) {
        let mut state = locked(&self.state);
        let logged = state.log.add(&Line::Alarm(conclusion.clone()));
        self.close(&mut state, &conclusion);
        self.tell(Progress::Concluded { conclusion, earlier: false });
        self.check(&mut state, logged);
        self.changed.notify_all();
    }

    /// Stops all threads as soon as they can.
    pub(crate) fn stop(&self) {
        locked(&self.state).stopped = true;
        self.changed.notify_all();
    }

    /// Stops all threads because of an error.
    pub(crate) fn fail(&self, error: CampaignError) {
        locked(&self.state).fail(error);
        self.changed.notify_all();
    }

    /// The error that stopped the campaign, if one did.
    pub(crate) fn take_failure(&self) -> Option<CampaignError> {
        locked(&self.state).failure.take()
    }

    /// The number of alarms that are not looked into yet.
    pub(crate) fn open_alarms(&self) -> usize {
        locked(&self.state).queues.len()
    }

    /// Says that a bug is reduced, or that it is none of its own after all.
    pub(crate) fn reduced(&self, name: &str, is_published: bool) {
        self.tell(Progress::Reduced { name: name.to_owned(), is_published });
    }

    /// Says how far a reduction is.
    pub(crate) fn reducing(&self, name: &str, tests: u64, bytes: usize) {
        self.tell(Progress::Reducing { name: name.to_owned(), tests, bytes });
    }

    fn tell(&self, progress: Progress) {
        // Nobody listens any more when the campaign is over.
        let _ = self.events.send(progress);
    }

    /// The programs of the gate.
    fn gate_size(&self) -> u64 {
        self.count.map_or(self.gate, |count| count.min(self.gate))
    }

    fn check(&self, state: &mut State, result: Result<(), LogError>) {
        if let Err(error) = result {
            state.fail(error.into());
        }
    }

    /// Takes the outcomes of the next program.
    fn take(&self, state: &mut State, finished: FinishedProgram, earlier: bool) {
        let program = state.logged;
        state.logged += 1;
        self.tell(Progress::Ran {
            program,
            outcomes: finished.outcomes.clone(),
            variants: finished.variants.clone(),
            missing: finished.missing.clone(),
            earlier,
        });
        match (finished.missing.clone(), &mut state.all_missing) {
            (Some(reason), Some(missing)) => {
                *missing += 1;
                if *missing == MOST_MISSING && !earlier {
                    state.fail(CampaignError::NoPrograms { count: MOST_MISSING, reason });
                }
            }
            (None, all) => *all = None,
            (Some(_), None) => {}
        }
        if program < self.gate_size() {
            state.first.push(finished);
        } else {
            self.raise(state, program, &finished);
        }
    }

    /// Puts the alarms of a program into the queues.
    fn raise(&self, state: &mut State, program: u64, finished: &FinishedProgram) {
        let gate = state.knowledge.gate.as_ref();
        let takes_part = |index: &usize| {
            gate.is_none_or(|gate| !gate.left_out.contains_key(&self.matrix.name(*index)))
        };
        let variant = |index: &usize| finished.variants.get(index).copied().unwrap_or(0);
        let shown = finished.outcomes.iter();
        let outcomes: Outcomes =
            shown.filter(|(index, _)| takes_part(index)).map(|(i, c)| (*i, *c)).collect();
        let devices: BTreeSet<usize> =
            outcomes.keys().map(|index| self.matrix.configurations[*index].device).collect();
        // Those with the right result have no entry in lines that were read back.
        let all: Vec<usize> = (0..self.matrix.configurations.len()).filter(takes_part).collect();
        let is_wrong = |index: &usize| outcomes.get(index) == Some(&Class::Wrong);
        // Another variant is another program.
        let is_one = all.iter().all(|index| variant(index) == variant(&all[0]));
        let is_everywhere = devices.len() > 1 && all.iter().all(is_wrong) && is_one;
        for (configuration, class) in outcomes.into_iter().filter(|(_, class)| class.is_alarm()) {
            let variant = variant(&configuration);
            let alarm = Alarm { program, variant, configuration, class, is_everywhere };
            state.queues.add(self.matrix.family(configuration), alarm);
        }
    }

    fn close(&self, state: &mut State, conclusion: &Conclusion) {
        let Some(found) = self.matrix.find(&conclusion.configuration) else { return };
        if let Some(alarm) = state.queues.conclude(self.matrix.family(found), conclusion.class) {
            state.knowledge.learn(conclusion, alarm);
        }
    }
}
