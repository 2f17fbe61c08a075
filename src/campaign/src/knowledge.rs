//! What a campaign has learnt: the bugs, and the features that programs go without.

use std::collections::{BTreeMap, BTreeSet};

use clreduce_generator::{Avoid, SeedKey, instruction, is_general, is_plain};

use crate::cure::Cures;
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
    /// The instructions of PTX among all without which its reduced program is right.
    pub instructions: Vec<String>,
    /// The conversions among them, by type.
    pub conversions: Vec<String>,
    /// Others of the family of the construct show it as well.
    pub is_of_family: bool,
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

    /// Returns true if one of its constructs alone says that a program in PTX shows it. Where several instructions beside each other
    /// show it, each of them may show another bug beside others, and without a plain one most programs are right.
    pub(crate) fn is_told_by_one(&self) -> bool {
        let is_particular = || match &self.instructions[..] {
            [] => self.telling().next().is_some(),
            [one] => !is_plain(one) || self.feature.as_deref().is_some_and(is_narrow),
            _ => false,
        };
        !self.observed.class.is_wrong() || self.is_of_family || is_particular()
    }

    /// The features that show it together in PTX: instructions, and conversions if these say too little.
    pub(crate) fn together(&self) -> impl Iterator<Item = &String> {
        let conversions = self.conversions.iter().filter(|_| self.instructions.len() < 2);
        self.instructions.iter().chain(conversions)
    }

    /// Returns true if a wrong result of another program in PTX has the same instructions as cures. Where neither has any, the
    /// conversions have to be the same.
    pub(crate) fn has_same_instructions(&self, cures: &Cures) -> bool {
        let of = |names: &[String]| -> BTreeSet<String> {
            names.iter().filter_map(|name| instruction(name)).collect()
        };
        if !self.observed.class.is_wrong() {
            return false;
        }
        match (of(&self.instructions), of(&cures.all)) {
            (own, other) if own.is_empty() && other.is_empty() => {
                !self.conversions.is_empty() && self.conversions == cures.conversions
            }
            (own, other) => own == other,
        }
    }

    /// Returns true if one of its reduced programs has this outline.
    pub(crate) fn has_outline(&self, outline: Option<&String>) -> bool {
        outline.is_some_and(|outline| self.outlines.contains(outline))
    }
}

/// Returns true for a feature with a type of 16 bits, which few instructions of a program have.
fn is_narrow(feature: &str) -> bool {
    feature.ends_with("short")
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
                let is_instruction = |name: &&String| instruction(name).is_some();
                self.bugs.push(KnownBug {
                    name: name.clone(),
                    family: alarm.family,
                    program: conclusion.program,
                    observed: Observed { class, signature },
                    constructs: constructs.cloned().collect(),
                    instructions: conclusion.cures.iter().filter(is_instruction).cloned().collect(),
                    conversions: conclusion.conversions.clone(),
                    is_of_family: !conclusion.siblings.is_empty(),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn bug(instructions: &[&str], feature: &str) -> KnownBug {
        KnownBug {
            name: "one".to_owned(),
            family: 0,
            program: 0,
            observed: Observed { class: Class::Wrong, signature: String::new() },
            constructs: Vec::new(),
            instructions: names(instructions),
            conversions: names(&["convert.ushort"]),
            is_of_family: false,
            feature: Some(feature.to_owned()),
            outlines: Vec::new(),
        }
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn several_instructions_beside_each_other_are_one_bug() {
        let is_told = |instructions: &[&str], feature| bug(instructions, feature).is_told_by_one();
        assert!(is_told(&["ptx_cnot"], "ptx_cnot.uint") && is_told(&["ptx_neg"], "ptx_neg.short"));
        assert!(!is_told(&["ptx_neg"], "ptx_neg.int") && !is_told(&[], "function"));
        let several = bug(&["ptx_cnot", "ptx_shl"], "ptx_cnot.uint");
        assert!(!several.is_told_by_one() && several.together().count() == 2);
        let family = KnownBug { is_of_family: true, ..several.clone() };
        assert!(family.is_told_by_one());
        assert_eq!(bug(&["ptx_shl"], "ptx_shl.long").together().count(), 2);
        let cures = |all: &[&str], conversions: &[&str]| Cures {
            all: names(all),
            conversions: names(conversions),
            ..Cures::default()
        };
        assert!(several.has_same_instructions(&cures(&["shift_left", "ptx_cnot", "convert"], &[])));
        assert!(!several.has_same_instructions(&cures(&["ptx_cnot", "convert"], &[])));
        let observed = Observed { class: Class::Hang, signature: String::new() };
        let hang = KnownBug { observed, ..several.clone() };
        assert!(hang.is_told_by_one());
        assert!(!hang.has_same_instructions(&cures(&["ptx_shl", "ptx_cnot"], &[])));
        let of_conversions = bug(&[], "function");
        assert!(of_conversions.has_same_instructions(&cures(&["function"], &["convert.ushort"])));
        assert!(!of_conversions.has_same_instructions(&cures(&["function"], &["convert.char"])));
    }
}
