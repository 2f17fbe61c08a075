//! The reliability gate: the first programs show what each configuration can do. A feature that it never gets right is
//! avoided, and a configuration that fails too often otherwise is left out.

use std::collections::{BTreeMap, BTreeSet};

use crate::log::AvoidLine;

/// With fewer programs, there is no gate.
const LEAST: usize = 20;
/// The largest share of failures of a configuration that takes part, in percent.
const MOST_FAILURES: usize = 25;
/// A feature is broken if it is in at least so many programs, and all of them fail.
const LEAST_USES: usize = 5;
/// The largest chance that a feature which is not broken looks so.
const CHANCE: f64 = 0.001;

/// The result of the gate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gate {
    /// The number of programs that made it.
    pub size: u64,
    /// The configurations that are left out, with the share of failures in percent.
    pub left_out: BTreeMap<String, u32>,
    /// The features that a configuration never gets right.
    pub avoid: Vec<AvoidLine>,
}

/// A program of the gate on one configuration.
pub(crate) struct Trial<'a> {
    /// The features that it has.
    pub features: &'a BTreeSet<&'static str>,
    pub is_right: bool,
}

impl Gate {
    /// Judges the programs of each configuration.
    pub(crate) fn of(size: u64, trials: &BTreeMap<String, Vec<Trial<'_>>>) -> Self {
        let mut gate = Self { size, ..Self::default() };
        for (name, trials) in trials.iter().filter(|(_, trials)| trials.len() >= LEAST) {
            let (broken, failures) = judge(trials);
            if failures > MOST_FAILURES {
                gate.left_out.insert(name.clone(), failures as u32);
                continue;
            }
            let line = |feature: &&str| AvoidLine {
                configuration: name.clone(),
                feature: (*feature).to_owned(),
            };
            gate.avoid.extend(broken.iter().map(line));
        }
        gate
    }
}

/// The features that are broken, and the share of failures among programs without them, in percent.
fn judge(trials: &[Trial<'_>]) -> (Vec<&'static str>, usize) {
    let mut left: Vec<&Trial<'_>> = trials.iter().collect();
    let mut broken = Vec::new();
    loop {
        let names: BTreeSet<&'static str> =
            left.iter().flat_map(|trial| trial.features.iter().copied()).collect();
        let uses = |name: &str| left.iter().filter(|trial| trial.features.contains(name)).count();
        let found = names.into_iter().filter(|name| is_broken(name, &left));
        // Of several that are always together, one is to blame; it does not matter which one is avoided.
        let Some(name) = found.max_by_key(|name| uses(name)) else { break };
        broken.push(name);
        left.retain(|trial| !trial.features.contains(name));
    }
    let failures = left.iter().filter(|trial| !trial.is_right).count();
    (broken, failures * 100 / left.len().max(1))
}

fn is_broken(name: &str, trials: &[&Trial<'_>]) -> bool {
    let (with, without): (Vec<&Trial<'_>>, Vec<&Trial<'_>>) =
        trials.iter().copied().partition(|trial| trial.features.contains(name));
    if with.len() < LEAST_USES || with.iter().any(|trial| trial.is_right) || without.is_empty() {
        return false;
    }
    let failures = without.iter().filter(|trial| !trial.is_right).count();
    let chance = failures as f64 / without.len() as f64;
    chance.powi(with.len() as i32) <= CHANCE
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The gate for programs of which each has the features of its number, by what fails.
    fn gate(fails: impl Fn(usize, &BTreeSet<&'static str>) -> bool) -> Gate {
        let features = |number: usize| {
            let names = [("add", 1), ("min", 3), ("clz", 7)];
            names
                .into_iter()
                .filter(move |(_, every)| number.is_multiple_of(*every))
                .map(|(name, _)| name)
        };
        let features: Vec<BTreeSet<&'static str>> =
            (0..100).map(|number| features(number).collect()).collect();
        let trial = |(number, features)| Trial { features, is_right: !fails(number, features) };
        let trials = features.iter().enumerate().map(trial).collect();
        Gate::of(100, &BTreeMap::from([("x".to_owned(), trials)]))
    }

    #[test]
    fn a_feature_that_is_never_right_is_avoided() {
        let gate = gate(|number, features| features.contains("min") || number == 5);
        assert_eq!(gate.avoid.len(), 1, "{gate:?}");
        assert_eq!(gate.avoid[0].feature, "min");
        assert!(gate.left_out.is_empty());
    }

    #[test]
    fn a_configuration_that_fails_too_often_is_left_out() {
        let gate = gate(|number, _| number % 3 == 1);
        assert_eq!(gate.left_out.get("x"), Some(&33));
        assert!(gate.avoid.is_empty());
    }

    #[test]
    fn rare_failures_and_failures_everywhere_blame_no_feature() {
        assert_eq!(gate(|number, _| number % 10 == 1).avoid, []);
        let all = gate(|_, _| true);
        assert_eq!((all.avoid.len(), all.left_out.get("x")), (0, Some(&100)));
    }
}
