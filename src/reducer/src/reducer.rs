//! The reducer: runs the passes in the order of the schedule and proposes variants.

mod considered;

use std::sync::{Arc, OnceLock};

use clreduce_candidates::{Candidate, CandidateSource, LeftOut, Next};
use clreduce_passes::{
    Budget, NestMiddles, Phase, Proposal, Proposals, Row, Snapshot, UnusedDeclarations,
};
use clreduce_testcase::{Clues, Complaint, ContentHash, Language, Patch, Size, TestCase};

use crate::chances::{ChanceKey, Chances};
use crate::choice::PassChoice;
use crate::headers::Headers;
use crate::lists::lists;
use crate::own_pass::OwnPasses;
use crate::pass_run::{Combination, PassRun};
use crate::protected::Protected;
use crate::refuted::Refuted;
use crate::schedule::{Change, Position, Schedule};
use crate::search::{GroupSizes, Groups, ProposalSearch};
pub use considered::Considered;

/// Up to this many bytes, a syntax tree and proposals cost far less than a test. They are made even for a success
/// that is only supposed.
pub const CHEAP_TO_PARSE: usize = 16 << 10;

/// In a program of fewer tokens every group is small enough to be worth a test.
const WORTH_LARGE_GROUPS: usize = 1000;

/// The settings of a reducer.
#[derive(Clone, Debug)]
pub struct ReducerPlan {
    /// The language that passes see.
    pub language: Language,
    /// The passes that may run.
    pub passes: PassChoice,
    /// The names and texts that no pass may change.
    pub protected: Protected,
    /// The pass that is not in the table.
    pub own: OwnPasses,
}

impl ReducerPlan {
    /// Everything there is.
    #[must_use]
    pub fn new(language: Language) -> Self {
        let (passes, protected) = (PassChoice::default(), Protected::default());
        Self { language, passes, protected, own: OwnPasses::default() }
    }
}

/// The state of the reduction of one test case. It is the whole state: a clone goes on as the original would.
///
/// `G` is the search for proposals that are tried in groups. Anything but the default is there to be measured.
#[derive(Clone)]
pub struct Reducer<G = Groups> {
    language: Language,
    protected: Arc<Protected>,
    own: OwnPasses,
    headers: Headers,
    schedule: Arc<Schedule>,
    base: Arc<Snapshot>,
    /// The middles of the nests of `base`, found when they are first needed.
    nests: Arc<OnceLock<NestMiddles>>,
    current: (TestCase, Size),
    at: Position,
    /// The pass under way: the index of its row, and the state of its run.
    pass_run: Option<(usize, PassRun<G>)>,
    refuted: Refuted,
    chances: Chances,
    /// By index of a row: whether it has had a run with candidates.
    has_run: Vec<bool>,
    /// The proposals that passes left out since the last verdict.
    left_out: Vec<LeftOut>,
    supposed: bool,
    supposed_commit: bool,
}

impl Reducer {
    /// A reducer for a test case that is known to be interesting.
    #[must_use]
    pub fn new(case: TestCase, plan: ReducerPlan) -> Self {
        Self::with_search(case, plan)
    }
}

impl<G: ProposalSearch> Reducer<G> {
    /// A reducer with another search for groups.
    #[must_use]
    pub fn with_search(case: TestCase, plan: ReducerPlan) -> Self {
        let mut rows = plan.passes.rows();
        rows.retain(|row| row.applies_to(plan.language) && plan.protected.allows(row));
        plan.own.add_to(&mut rows);
        let size = Size::of(&case);
        let headers = Headers::of(&case, plan.language);
        Self {
            base: Arc::new(Snapshot::new(case.clone(), plan.language)),
            nests: Arc::default(),
            current: (case, size),
            at: Position::default(),
            pass_run: None,
            refuted: Refuted::default(),
            chances: Chances::new(&rows),
            has_run: vec![false; rows.len()],
            left_out: Vec::new(),
            language: plan.language,
            protected: Arc::new(plan.protected),
            own: plan.own,
            headers,
            schedule: Arc::new(Schedule::new(rows)),
            supposed: false,
            supposed_commit: false,
        }
    }

    /// The current test case.
    #[must_use]
    pub fn current(&self) -> &TestCase {
        &self.current.0
    }

    /// Returns what the chance of the current candidate is estimated from, for recordings of reductions.
    pub fn basis(&mut self) -> Option<Basis> {
        let (row, run) = self.pass_run.as_mut()?;
        let attempt = run.next(&self.current, &self.refuted)?;
        let trial = trial(*row, self.has_run[*row], attempt, &self.current.1);
        Some(Basis { row: self.schedule.rows()[*row], trial })
    }

    /// The ranges of the current test case that come from headers.
    pub(crate) fn headers_now(&self) -> Headers {
        match &self.pass_run {
            Some((_, run)) => self.headers.followed(self.base.case(), run.accepted()),
            None => self.headers.clone(),
        }
    }

    /// Begins the run of the next pass; false at the end of the reduction.
    fn begin_run(&mut self) -> bool {
        let Some(index) = self.schedule.row_at(&self.at) else { return false };
        let row = self.schedule.rows()[index];
        if row.phase == Phase::Last {
            self.refuted.forget();
        }
        let is_small = self.current.1.tokens < WORTH_LARGE_GROUPS;
        let proposals = if is_small && !row.policy.on_small_programs {
            Vec::new()
        } else {
            let Proposals { list, left_out, .. } = self.proposals(row, &self.base);
            let pass = row.pass.name;
            let left_out =
                left_out.iter().map(|Budget { of, most }| LeftOut { pass, of, most: *most });
            self.left_out.extend(left_out);
            self.headers.filter(&self.base, self.protected.filter(&self.base, list))
        };
        let base = Arc::clone(&self.base);
        let unused = (!proposals.is_empty() && self.removes_unused(row))
            .then(|| UnusedDeclarations::new(&self.base).map(Arc::new))
            .flatten();
        let sizes = self.sizes(row);
        let proposals = self.refuted.begin_run(&base, row, sizes.least > 0, proposals);
        let is_deep = |proposal: &Proposal| {
            self.nests.get_or_init(|| NestMiddles::of(&base)).hold(&proposal.patch)
        };
        let lists = lists(&proposals, is_deep);
        self.pass_run = Some((index, PassRun::new(base, row, proposals, lists, sizes, unused)));
        true
    }

    fn proposals(&self, row: &Row, base: &Snapshot) -> Proposals {
        let mut proposals = Proposals::of(row.pass, base);
        if let Some(own) = self.own.0.as_ref().filter(|_| OwnPasses::is(row)) {
            proposals.list = own(base.case()).into_iter().map(Proposal::new).collect();
        }
        proposals
    }

    /// Returns true if the next pass is one that only a real state may ask.
    fn waits_for_own(&self) -> bool {
        let next = self.schedule.row_at(&self.at).map(|index| self.schedule.rows()[index]);
        self.supposed && next.is_some_and(OwnPasses::is)
    }

    /// The sizes of the groups of a row's run. A sweep leaves alone what is smaller than what the run before it left
    /// alone: that comes with the small groups.
    fn sizes(&self, row: &Row) -> GroupSizes {
        let tokens = self.current.1.tokens;
        match self.grain().and_then(|grain| grain.policy.smallest_group) {
            Some(part) if tokens >= WORTH_LARGE_GROUPS => GroupSizes {
                least: tokens as u64 / u64::from(part),
                first: row.policy.first_group.into(),
            },
            _ => GroupSizes::ALL,
        }
    }

    /// The row that decides how small the groups are that are tried.
    fn grain(&self) -> Option<&'static Row> {
        self.schedule.grain_at(&self.at).map(|index| self.schedule.rows()[index])
    }

    /// Returns true if what the proposals of a row leave without a use goes with them: where that would be proposed
    /// next, and nothing is protected, which only proposals are held to. Not in the fine phases: there it decides too
    /// much at once, and results become larger (`notes/search.md`).
    fn removes_unused(&self, row: &Row) -> bool {
        let sweep = |row: &&Row| row.phase == Phase::Sweep;
        row.policy.removes_unused
            && self.protected.text.is_empty()
            && self.schedule.rows().iter().any(sweep)
    }

    /// Ends the pass run and goes on in the schedule; false in a supposed state that would have to parse a new test
    /// case first.
    fn end_run(&mut self) -> bool {
        let Some((row, run)) = &self.pass_run else { return true };
        let change = run.change();
        let changed = change != Change::Nothing;
        if changed && self.supposed_commit && self.current.0.total_bytes() > CHEAP_TO_PARSE {
            return false;
        }
        self.has_run[*row] |= run.has_tried();
        self.refuted.end_run();
        if changed {
            self.headers = self.headers_now();
            self.base = Arc::new(Snapshot::new(self.current.0.clone(), self.language));
            self.nests = Arc::default();
        }
        self.pass_run = None;
        self.schedule.advance(&mut self.at, change);
        true
    }
}

/// The keys from which the chance of a candidate was estimated.
#[derive(Clone, Copy)]
pub struct Basis {
    /// The row that proposed the candidate.
    pub row: &'static Row,
    /// The trial, with the index of the row in the schedule.
    pub trial: ChanceKey,
}

/// The key from which the chance of a variant of this row is estimated.
fn trial(row: usize, in_later_run: bool, attempt: &Combination, current: &Size) -> ChanceKey {
    ChanceKey { row, in_later_run, tokens: attempt.size.tokens, current: current.tokens }
}

impl<G: ProposalSearch> CandidateSource for Reducer<G> {
    fn laid_out(&self) -> Option<TestCase> {
        let case = &self.current.0;
        let row = self.schedule.rows().iter().find(|row| row.pass.layout_only)?;
        // A larger program is not read by a person, and laying it out takes longer than a test.
        if case.total_bytes() > (1 << 20) {
            return None;
        }
        let snapshot = Snapshot::new(case.clone(), self.language);
        let list = Proposals::of(row.pass, &snapshot).list;
        let list = self.headers_now().filter(&snapshot, self.protected.filter(&snapshot, list));
        let mut patches = list.iter().map(|proposal| &proposal.patch);
        let patch = patches.try_fold(Patch::default(), |all, patch| all.union(patch))?;
        Some(case.apply(&patch)).filter(|laid_out| laid_out != case)
    }

    fn take_clues(&mut self, clues: &Arc<Clues>) {
        let case = self.base.case().clone();
        self.base = Arc::new(Snapshot::new(case, self.language).with_clues(Arc::clone(clues)));
    }

    fn next(&mut self) -> Next {
        loop {
            let Some((row, run)) = &mut self.pass_run else {
                if self.waits_for_own() {
                    return Next::Blocked;
                }
                if !self.begin_run() {
                    return Next::Done;
                }
                continue;
            };
            if let Some(attempt) = run.next(&self.current, &self.refuted) {
                let trial = trial(*row, self.has_run[*row], attempt, &self.current.1);
                return Next::Candidate(Candidate {
                    variant: attempt.variant.clone(),
                    hash: attempt.hash,
                    size: attempt.size,
                    pass: self.schedule.rows()[*row].pass.name,
                    chance: self.chances.of(trial),
                });
            }
            if !self.end_run() {
                return Next::Blocked;
            }
        }
    }

    fn heeds_complaints(&self) -> bool {
        self.pass_run.as_ref().is_some_and(|(_, run)| run.heeds_complaints())
    }

    fn take_complaints(&mut self, complaints: &[Complaint]) {
        if let Some((_, run)) = &mut self.pass_run {
            run.take_complaints(complaints);
        }
    }

    fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    fn take_verdict(&mut self, interesting: bool) -> Option<TestCase> {
        self.left_out.clear();
        let (row, run) = self.pass_run.as_mut()?;
        let tried = run.next(&self.current, &self.refuted)?;
        let trial = trial(*row, self.has_run[*row], tried, &self.current.1);
        self.chances.learn(trial, interesting);
        let accepted = run.take_verdict(interesting, &mut self.refuted)?;
        self.supposed_commit |= self.supposed;
        self.current = (accepted.variant.clone(), accepted.size);
        Some(accepted.variant)
    }

    fn retract(&mut self, is_retracted: &dyn Fn(&ContentHash) -> bool) {
        self.refuted.retract(is_retracted);
    }

    fn skip_pass(&mut self) {
        let has_ended = self.end_run();
        debug_assert!(has_ended, "a real state is never blocked");
    }

    fn go_on_from(&mut self, case: TestCase) {
        self.refuted.end_run();
        self.refuted.forget_texts();
        self.pass_run = None;
        self.at = Position::default();
        self.headers = Headers::of(&case, self.language);
        self.base = Arc::new(Snapshot::new(case.clone(), self.language));
        self.nests = Arc::default();
        let size = Size::of(&case);
        self.current = (case, size);
        self.supposed_commit |= self.supposed;
    }

    fn mark_supposed(&mut self) {
        self.supposed = true;
    }

    fn confirm(&mut self) {
        self.supposed = false;
        self.supposed_commit = false;
    }

    fn look_past(&mut self) {
        self.supposed_commit = false;
    }
}
