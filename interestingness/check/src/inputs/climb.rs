//! The search for launches that take the other branch of a condition: arguments change until the numbers that it compares
//! are as near to each other as they must be.
//!
//! A step of one coordinate tells how the gap of the condition changes with it. If it changes evenly, as in `x * 3 + 1 == 3001`,
//! the next step closes it; otherwise the best step is the beginning of the next round.

use std::collections::BTreeSet;

use clreduce_host::{Gap, HostError, LaunchTrace};
use clreduce_kernel::KernelLaunch;

use super::{InputSearch, Origin};
use crate::coordinates::Coordinate;

/// The most rounds for one branch.
const ROUNDS: usize = 5;
/// The most launches for one branch.
const MOST_LAUNCHES: usize = 50;
/// The groups in each dimension of a launch that is made wider.
const GROUPS: f64 = 4.0;
/// The steps of a coordinate, until the gap changes.
const STEPS: [f64; 3] = [1.0, 16.0, -1000.0];

/// A branch that no launch has taken, whose condition was evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Goal {
    /// The place that counts how often the condition is false.
    condition: u32,
    /// The place to come to.
    place: u32,
}

/// A launch, and the gap of a condition under it.
struct Position {
    launch: KernelLaunch,
    gap: Gap,
}

/// The launches that may still be tried for a branch.
struct Left {
    launches: usize,
    /// Where they come from: this decides how they may be mended.
    origin: Origin,
}

impl Position {
    fn distance(&self) -> f64 {
        self.gap.signed().abs()
    }
}

impl InputSearch<'_> {
    /// Tries to take a branch that is not among `closed`, which it joins. Returns false if there is none.
    pub(super) fn climb(
        &mut self,
        closed: &mut BTreeSet<(Goal, usize)>,
    ) -> Result<bool, HostError> {
        let traces: Vec<&LaunchTrace> = self.kept.iter().map(|(_, trace)| trace).collect();
        let came_to = |place| traces.iter().any(|trace| trace.came_to(place));
        let goals = traces.iter().flat_map(|trace| &trace.gaps).flat_map(|gap| {
            let condition = gap.place;
            [condition, condition + 1].map(|place| Goal { condition, place })
        });
        let open: BTreeSet<Goal> = goals.filter(|goal| !came_to(goal.place)).collect();
        // From the first launch, which is mostly small, and again from another one that is nearer to the branch.
        let next = open.into_iter().find_map(|goal| {
            let bases = [self.first(goal), self.nearest(goal)];
            let base = bases.into_iter().flatten().find(|&base| closed.insert((goal, base)))?;
            Some((goal, base))
        });
        let Some((goal, base)) = next else { return Ok(false) };
        let (launch, trace) = self.kept[base].clone();
        if self.approach(goal, launch.clone(), &trace, Origin::Step)? {
            return Ok(true);
        }
        // A condition over identifiers may need more of them.
        if let Some(wider) = self.spread(&launch) {
            let trace = self.attempt(wider.clone(), Origin::InGroups)?;
            if !self.has_reached(goal) {
                self.approach(goal, wider, &trace, Origin::InGroups)?;
            }
        }
        Ok(true)
    }

    /// The launch with several groups in each dimension; `None` if it has them, or was tried.
    fn spread(&self, launch: &KernelLaunch) -> Option<KernelLaunch> {
        let is_free = self.kernel.has_chosen_arguments && self.candidates.sizes_are_free();
        let groups = Coordinate::groups(if is_free { launch.global.len() } else { 0 });
        let wider = groups.fold(launch.clone(), |wider, groups| {
            let is_few = groups.of(&wider).is_some_and(|count| count < GROUPS);
            let more = is_few.then(|| groups.with(&wider, GROUPS)).flatten();
            more.unwrap_or(wider)
        });
        (!self.known.contains(&wider)).then_some(wider)
    }

    /// Tries to take a branch, beginning with this launch. Returns whether one takes it.
    fn approach(
        &mut self,
        goal: Goal,
        launch: KernelLaunch,
        trace: &LaunchTrace,
        origin: Origin,
    ) -> Result<bool, HostError> {
        if !self.solve(goal, &launch, origin)?
            && let Some(gap) = gap_of(trace, goal)
        {
            self.climb_to(goal, Position { launch, gap }, origin)?;
        }
        Ok(self.has_reached(goal))
    }

    /// The number of the first launch that evaluated the condition of a branch.
    fn first(&self, goal: Goal) -> Option<usize> {
        self.kept.iter().position(|(_, trace)| gap_of(trace, goal).is_some())
    }

    /// The number of the launch that is nearest to a branch.
    fn nearest(&self, goal: Goal) -> Option<usize> {
        let gaps =
            self.kept.iter().enumerate().filter_map(|(number, (_, trace))| {
                Some((number, gap_of(trace, goal)?.signed().abs()))
            });
        gaps.min_by(|one, other| one.1.total_cmp(&other.1)).map(|(number, _)| number)
    }

    /// Asks the solver, if there is one. Returns whether its launch takes the branch.
    fn solve(
        &mut self,
        goal: Goal,
        base: &KernelLaunch,
        origin: Origin,
    ) -> Result<bool, HostError> {
        let Some(solver) = &self.solver else { return Ok(false) };
        let wanted = (goal.condition, goal.place > goal.condition);
        let launch = solver.launch(self.kernel, base, wanted, &self.tools, self.cancel);
        let Some(launch) = launch.filter(|launch| !self.known.contains(launch)) else {
            return Ok(false);
        };
        let origin = if origin == Origin::Step { Origin::Made } else { origin };
        self.attempt(launch, origin)?;
        Ok(self.has_reached(goal))
    }

    fn climb_to(
        &mut self,
        goal: Goal,
        mut best: Position,
        origin: Origin,
    ) -> Result<(), HostError> {
        // What was read before the comparison comes first.
        let Position { launch, gap } = &best;
        let sources = gap
            .sources
            .iter()
            .filter_map(|&source| Coordinate::of_source(&self.kernel.kernels, launch, source));
        let mut coordinates: Vec<Coordinate> = sources.flatten().collect();
        for other in Coordinate::all(self.kernel, launch, self.candidates.sizes_are_free()) {
            if !coordinates.contains(&other) {
                coordinates.push(other);
            }
        }
        let mut left = Left { launches: MOST_LAUNCHES, origin };
        for _ in 0..ROUNDS {
            let before = best.distance();
            let mut useful = Vec::new();
            for coordinate in coordinates {
                if self.move_along(coordinate, goal, &mut best, &mut left)? {
                    useful.push(coordinate);
                }
                if left.launches == 0 || self.has_reached(goal) || !self.may_go_on() {
                    return Ok(());
                }
            }
            coordinates = useful;
            if best.distance() >= before {
                return Ok(());
            }
        }
        Ok(())
    }

    fn has_reached(&self, goal: Goal) -> bool {
        self.kept.last().is_some_and(|(_, trace)| trace.came_to(goal.place))
    }

    /// Changes one coordinate. Returns whether the gap depends on it.
    fn move_along(
        &mut self,
        coordinate: Coordinate,
        goal: Goal,
        best: &mut Position,
        left: &mut Left,
    ) -> Result<bool, HostError> {
        let Some(start) = coordinate.of(&best.launch) else { return Ok(false) };
        let gap = best.gap.signed();
        for step in STEPS {
            let Some(moved) = self.step(coordinate, start + step, goal, best, left)? else {
                continue;
            };
            let change = (moved.signed() - gap) / step;
            if change == 0.0 && best.gap.signed() == gap {
                continue;
            }
            if self.has_reached(goal) {
                return Ok(true);
            }
            if change != 0.0 {
                // Where the gap would be closed, and a little beyond it on both sides.
                for wanted in [0.0, 1.0, -1.0] {
                    let to = start + (wanted - gap) / change;
                    self.step(coordinate, to, goal, best, left)?;
                    if self.has_reached(goal) {
                        break;
                    }
                }
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// Runs the best launch with another number at a coordinate, which may be better. Returns the gap.
    fn step(
        &mut self,
        coordinate: Coordinate,
        to: f64,
        goal: Goal,
        best: &mut Position,
        left: &mut Left,
    ) -> Result<Option<Gap>, HostError> {
        let next = coordinate.with(&best.launch, to).filter(|next| !self.known.contains(next));
        let Some(launch) = next.filter(|_| left.launches > 0) else { return Ok(None) };
        left.launches -= 1;
        let trace = self.attempt(launch.clone(), left.origin)?;
        let gap = gap_of(&trace, goal);
        if let Some(gap) = &gap {
            let moved = Position { launch, gap: gap.clone() };
            if moved.distance() < best.distance() {
                *best = moved;
            }
        }
        Ok(gap)
    }
}

fn gap_of(trace: &LaunchTrace, goal: Goal) -> Option<Gap> {
    trace.gaps.iter().find(|gap| gap.place == goal.condition).cloned()
}
