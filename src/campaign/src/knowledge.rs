//! What a campaign has learnt: the bugs, and the features that programs go without.

use clreduce_generator::{Avoid, is_general};

use crate::gate::Gate;
use crate::log::{AvoidLine, Conclusion, End};
use crate::outcome::{Class, Observed};
use crate::queues::{AlarmRank, Lane, Queues};

/// A bug that was reduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KnownBug {
    pub name: String,
    /// The family of the device: see [`Matrix::family`].
    pub family: usize,
    pub program: u64,
    pub observed: Observed,
    /// The constructs that show it: without one of them its program is right, and with the others in the place of that one
    /// it is wrong.
    pub constructs: Vec<String>,
    /// The outlines of its reduced programs.
    pub outlines: Vec<String>,
}

impl KnownBug {
    /// The constructs that tell whether a program shows the bug. What is in many programs says nothing.
    pub(crate) fn telling(&self) -> impl Iterator<Item = &String> {
        self.constructs.iter().filter(|construct| !is_general(construct))
    }

    /// Returns true if one of its reduced programs has this outline.
    pub(crate) fn has_outline(&self, outline: Option<&String>) -> bool {
        outline.is_some_and(|outline| self.outlines.contains(outline))
    }
}

/// The bugs and avoid lists of all configurations.
#[derive(Debug, Default)]
pub(crate) struct Knowledge {
    pub bugs: Vec<KnownBug>,
    /// Features that later programs go without, with the alarm from which this was learnt.
    avoid: Vec<(AlarmRank, AvoidLine)>,
    pub gate: Option<Gate>,
}

impl Knowledge {
    /// Learns how an alarm ended.
    pub(crate) fn learn(&mut self, conclusion: &Conclusion, alarm: AlarmRank) {
        self.avoid.extend(conclusion.avoid.iter().map(|line| (alarm, line.clone())));
        let constructs = conclusion.construct.iter().chain(&conclusion.siblings);
        let Some(name) = &conclusion.bug else { return };
        match conclusion.end {
            End::Bug => {
                let (class, signature) = (conclusion.class, conclusion.signature.clone());
                self.bugs.push(KnownBug {
                    name: name.clone(),
                    family: alarm.family,
                    program: conclusion.program,
                    observed: Observed { class, signature },
                    constructs: constructs.cloned().collect(),
                    outlines: conclusion.outline.iter().cloned().collect(),
                });
            }
            End::Duplicate => {
                let known = self.bugs.iter_mut().find(|bug| bug.name == *name);
                let Some(known) = known else { return };
                for construct in constructs {
                    if !known.constructs.contains(construct) {
                        known.constructs.push(construct.clone());
                    }
                }
                known.outlines.extend(conclusion.outline.clone());
            }
            _ => {}
        }
    }

    /// The features that a program of a configuration goes without.
    pub(crate) fn avoid_of(&self, configuration: &str, program: u64, queues: &Queues) -> Avoid {
        let learnt = self.avoid.iter().filter(|(alarm, _)| queues.matters_from(*alarm) <= program);
        let of_gate = self.gate.iter().filter(|gate| gate.size <= program);
        let lines = learnt.map(|(_, line)| line).chain(of_gate.flat_map(|gate| &gate.avoid));
        let mine = lines.filter(|line| line.configuration == configuration);
        // The order of the lines depends on the order in which devices learn.
        let mut features: Vec<&str> = mine.map(|line| line.feature.as_str()).collect();
        features.sort_unstable();
        features.dedup();
        features.join(",").parse().unwrap_or_default()
    }

    /// Returns true if a feature is avoided already, now or later, for an alarm of the same lane. What the other lane has learnt so
    /// far depends on its speed.
    pub(crate) fn avoids(&self, line: &AvoidLine, class: Class) -> bool {
        let lane = Lane::of(class);
        self.avoid.iter().any(|(alarm, known)| alarm.lane == lane && known == line)
            || self.gate.iter().any(|gate| gate.avoid.contains(line))
    }

    /// The bugs of a family of devices that show in this way, in the order in which they were found.
    pub(crate) fn bugs_of(&self, family: usize, observed: &Observed) -> Vec<KnownBug> {
        let fits = |bug: &&KnownBug| bug.family == family && bug.observed == *observed;
        self.bugs.iter().filter(fits).cloned().collect()
    }

    /// Returns true if the outcome alone says which bug it is.
    pub(crate) fn is_told_apart(observed: &Observed) -> bool {
        matches!(observed.class, Class::Crash | Class::Refused)
    }
}
