//! What a campaign has learnt: the bugs, and the features that programs go without.

use std::collections::BTreeMap;

use clreduce_generator::{Avoid, SeedKey, is_general};

use crate::gate::Gate;
use crate::log::{AvoidLine, Conclusion, End};
use crate::outcome::{Class, Observed};
use crate::queues::{AlarmRank, Queues};

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
    /// The feature that becomes rarer with each alarm of the bug.
    pub feature: Option<String>,
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
    /// Features that fewer later programs have, with the alarm that they caused.
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
                    feature: conclusion.avoid.first().map(|line| line.feature.clone()),
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

    /// The features that a program of a configuration goes without. Of those that caused alarms `n` times, one program in `n` still
    /// has each: a frequent bug soon costs little, and what stands beside a rare one is still tested.
    pub(crate) fn avoid_of(&self, configuration: &str, program: u64, queues: &Queues) -> Avoid {
        let learnt = self.avoid.iter().filter(|(alarm, _)| queues.matters_from(*alarm) <= program);
        let of_gate = self.gate.iter().filter(|gate| gate.size <= program);
        let is_mine = |line: &&AvoidLine| line.configuration == configuration;
        let mut alarms: BTreeMap<&str, u64> = BTreeMap::new();
        for line in learnt.map(|(_, line)| line).filter(is_mine) {
            *alarms.entry(&line.feature).or_default() += 1;
        }
        let draws = SeedKey::root(program).named("avoid");
        alarms.retain(|feature, count| draws.named(feature).stream().below(*count) > 0);
        let of_gate = of_gate.flat_map(|gate| &gate.avoid).filter(is_mine);
        alarms.extend(of_gate.map(|line| (line.feature.as_str(), 0)));
        let features: Vec<&str> = alarms.into_keys().collect();
        features.join(",").parse().unwrap_or_default()
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
