//! The reducer: takes the passes in the order of their phases and asks what they propose.

use std::sync::Arc;

use clreduce_passes::{Explore, Orphans, Phase, Row, Snapshot};
use clreduce_testcase::{ContentHash, Language, Size, TestCase};

use super::choice::PassChoice;
use super::headers::Headers;
use super::pump::Pump;
use super::rates::{Rates, Trial};
use super::refusals::Refusals;
use super::ruled_out::RuledOut;
use super::schedule::{Position, Schedule};
use super::search::{Sizes, Strategy};
use super::stays::Stays;
use super::turn::{Candidate, Turn};
use super::{Asker, Next, Question};

/// Up to this many bytes, a syntax tree and proposals cost far less than a test, so that they are made
/// for a success that is only supposed as well.
pub const CHEAP_TO_LOOK_AT: usize = 16 << 10;

/// In a program of fewer tokens every group is small enough to be worth a question.
const WORTH_LARGE_GROUPS: usize = 1000;

/// What a reduction may do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The language that passes see.
    pub language: Language,
    /// The passes that may run.
    pub passes: PassChoice,
    /// What a person wants to stay as it is.
    pub stays: Stays,
    /// How lists of proposals are explored.
    pub strategy: Strategy,
}

impl Plan {
    /// Everything there is.
    #[must_use]
    pub fn new(language: Language) -> Self {
        Self {
            language,
            passes: PassChoice::default(),
            stays: Stays::default(),
            strategy: Strategy::default(),
        }
    }
}

/// A deterministic conversation that reduces one test case.
#[derive(Clone)]
pub struct Reducer {
    language: Language,
    stays: Arc<Stays>,
    headers: Headers,
    schedule: Arc<Schedule>,
    base: Arc<Snapshot>,
    current: (TestCase, Size),
    at: Position,
    /// The pass under way, as an index into the rows, and its turn.
    turn: Option<(usize, Turn)>,
    /// The nested search that the turn waits for.
    pump: Option<Pump>,
    refusals: Refusals,
    /// What the last turn of large groups rules out.
    ruled_out: Option<RuledOut>,
    rates: Rates,
    strategy: Strategy,
    supposed: bool,
    supposed_commit: bool,
}

impl Reducer {
    /// A reducer for a test case that is known to be interesting.
    #[must_use]
    pub fn new(case: TestCase, plan: Plan) -> Self {
        let mut rows = plan.passes.rows();
        rows.retain(|row| row.applies_to(plan.language) && plan.stays.allows(row));
        let size = Size::of(&case);
        let headers = Headers::of(&case);
        Self {
            base: Arc::new(Snapshot::new(case.clone(), plan.language)),
            current: (case, size),
            at: Position::default(),
            turn: None,
            pump: None,
            refusals: Refusals::default(),
            ruled_out: None,
            rates: Rates::new(&rows),
            language: plan.language,
            stays: Arc::new(plan.stays),
            headers,
            schedule: Arc::new(Schedule::new(rows, plan.passes.first.as_deref())),
            strategy: plan.strategy,
            supposed: false,
            supposed_commit: false,
        }
    }

    /// A reducer for a variant that grew: the passes of the fine phase, with what is known of them.
    fn nested(&self, case: TestCase, headers: Headers) -> Self {
        let is_useful = |row: &&&Row| matches!(row.phase, Phase::Sweep | Phase::Fine);
        let rows: Vec<_> = self.schedule.rows().iter().filter(is_useful).copied().collect();
        Self {
            base: Arc::new(Snapshot::new(case.clone(), self.language)),
            current: (case.clone(), Size::of(&case)),
            at: Position::default(),
            turn: None,
            pump: None,
            ruled_out: None,
            headers,
            rates: Rates::new(&rows),
            schedule: Arc::new(Schedule::new(rows, None)),
            ..self.clone()
        }
    }

    /// The current test case.
    #[must_use]
    pub fn current(&self) -> &TestCase {
        &self.current.0
    }

    /// Where text from headers is in the current test case.
    pub(super) fn headers_now(&self) -> Headers {
        let patch = self.turn.as_ref().and_then(|(_, turn)| turn.accepted());
        patch.map_or_else(
            || self.headers.clone(),
            |patch| self.headers.followed(self.base.case(), patch),
        )
    }

    /// Begins the turn of the pass whose turn it is; false at the end of the schedule.
    fn begin_turn(&mut self) -> bool {
        let Some(index) = self.schedule.row_at(&self.at) else { return false };
        let row = self.schedule.rows()[index];
        let is_small = self.current.1.tokens < WORTH_LARGE_GROUPS;
        let proposals = if is_small && matches!(row.explore, Explore::LargeGroups(_)) {
            Vec::new()
        } else {
            let proposals = self.stays.filter(&self.base, row.pass.propose(&self.base));
            self.headers.filter(&self.base, proposals)
        };
        let base = Arc::clone(&self.base);
        let orphans = (!proposals.is_empty() && self.takes_orphans(row))
            .then(|| Orphans::new(&self.base).map(Arc::new))
            .flatten();
        let sizes = self.sizes(row);
        let before = self.ruled_out.take();
        let ruled_out = (sizes.least > 0)
            .then(|| before.unwrap_or_else(|| RuledOut::new(self.current.0.clone())));
        let turn = Turn::new(base, row, proposals, &self.refusals, self.strategy, sizes, orphans);
        self.turn = Some((index, turn.ruling_out(ruled_out)));
        true
    }

    /// How large the groups of a row's turn are. A sweep leaves alone what is smaller than what the turn before it left
    /// alone: that comes with the small groups.
    fn sizes(&self, row: &Row) -> Sizes {
        let tokens = self.current.1.tokens;
        let grain =
            self.schedule.grain_at(&self.at).map(|index| self.schedule.rows()[index].explore);
        match grain {
            Some(Explore::LargeGroups(part) | Explore::AllOrLargeGroups(part))
                if tokens >= WORTH_LARGE_GROUPS =>
            {
                // All bodies or statements can hardly ever go; what nothing uses usually can.
                let first = if matches!(row.explore, Explore::LargeGroups(_)) { 4 } else { 1 };
                Sizes { least: tokens as u64 / u64::from(part), first }
            }
            _ => Sizes::ALL,
        }
    }

    /// Whether what the proposals of a row leave without a use goes with them: where that would be proposed next, and
    /// nothing is protected, which only proposals are held to. Not in the fine phases: there it decides too much at once,
    /// and results become larger (`notes/search.md`).
    fn takes_orphans(&self, row: &Row) -> bool {
        let sweep = |row: &&Row| row.phase == Phase::Sweep;
        row.phase == Phase::Coarse
            && self.stays.text.is_empty()
            && self.schedule.rows().iter().any(sweep)
    }

    /// Ends the turn and goes on in the schedule; false in a supposed state that would have to look
    /// at a new test case first.
    fn end_turn(&mut self) -> bool {
        let Some((row, turn)) = &self.turn else { return true };
        let changed = turn.changed();
        if changed && self.supposed_commit && self.current.0.total_bytes() > CHEAP_TO_LOOK_AT {
            return false;
        }
        self.rates.end_turn(*row);
        turn.remember_refusals(&mut self.refusals);
        if changed {
            self.headers = self.headers_now();
            self.base = Arc::new(Snapshot::new(self.current.0.clone(), self.language));
        }
        self.ruled_out = self.turn.take().and_then(|(_, turn)| turn.into_ruled_out());
        self.schedule.advance(&mut self.at, changed);
        true
    }
}

/// What a guess at the answer to a candidate of this row rests on.
fn trial(row: usize, candidate: &Candidate, current: &Size) -> Trial {
    Trial { pass: row, tokens: candidate.size.tokens, current: current.tokens }
}

impl Asker for Reducer {
    fn next(&mut self) -> Next {
        loop {
            if let (Some(pump), Some((row, turn))) = (&mut self.pump, &mut self.turn) {
                match pump.next() {
                    Next::Done => {
                        self.pump = None;
                        turn.give_up_grown();
                    }
                    Next::Blocked => return Next::Blocked,
                    Next::Question(question) => {
                        let pass = self.schedule.rows()[*row].pass.name();
                        return Next::Question(Question { pass, ..question });
                    }
                }
            }
            let Some((row, turn)) = &mut self.turn else {
                if !self.begin_turn() {
                    return Next::Done;
                }
                continue;
            };
            if let Some(candidate) = turn.next(&self.current) {
                let trial = trial(*row, candidate, &self.current.1);
                return Next::Question(Question {
                    variant: candidate.variant.clone(),
                    hash: candidate.hash,
                    size: candidate.size,
                    pass: self.schedule.rows()[*row].pass.name(),
                    chance: self.rates.chance(trial),
                });
            }
            if !self.end_turn() {
                return Next::Blocked;
            }
        }
    }

    fn answer(&mut self, interesting: bool) -> Option<TestCase> {
        let (row, turn) = self.turn.as_mut()?;
        if let Some(pump) = &mut self.pump {
            let better = pump.answer(interesting, &self.current)?;
            turn.take_grown();
            self.headers = pump.headers();
            self.pump = None;
            self.supposed_commit |= self.supposed;
            self.current = better;
            return Some(self.current.0.clone());
        }
        let asked = turn.next(&self.current)?;
        self.rates.record(trial(*row, asked, &self.current.1), interesting);
        if interesting && let Some((grown, patch)) = turn.grown(&self.current) {
            let headers = self.headers.followed(self.base.case(), &patch);
            self.pump = Some(Pump::new(self.nested(grown, headers)));
            return None;
        }
        let accepted = turn.answer(interesting)?;
        self.supposed_commit |= self.supposed;
        self.current = (accepted.variant.clone(), accepted.size);
        Some(accepted.variant)
    }

    fn withdraw(&mut self, is_withdrawn: &dyn Fn(&ContentHash) -> bool) {
        self.refusals.withdraw(is_withdrawn);
        self.ruled_out = None;
        if let Some((_, turn)) = &mut self.turn {
            turn.withdraw(is_withdrawn);
        }
        if let Some(pump) = &mut self.pump {
            pump.withdraw(is_withdrawn);
        }
    }

    fn mark_supposed(&mut self) {
        self.supposed = true;
        if let Some(pump) = &mut self.pump {
            pump.mark_supposed();
        }
    }

    fn confirm(&mut self) {
        self.supposed = false;
        self.supposed_commit = false;
        if let Some(pump) = &mut self.pump {
            pump.confirm();
        }
    }
}
