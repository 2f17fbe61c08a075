//! The figures of a campaign: outcomes by configuration and class, bugs, and what became of alarms.

use std::collections::{BTreeMap, BTreeSet};

use clreduce_campaign::{Class, Conclusion, End, Progress};

/// The figures so far, those of earlier runs included.
#[derive(Debug)]
pub(super) struct Tally {
    /// The names of the configurations.
    pub configurations: Vec<String>,
    /// For each configuration, the number of programs with each outcome that is not right.
    pub outcomes: Vec<BTreeMap<Class, u64>>,
    /// The outcomes of variants on each configuration. `None` without `--emi`.
    pub bases: Option<Vec<BaseCounts>>,
    /// Programs that have run, and those of this run alone.
    pub programs: u64,
    pub programs_now: u64,
    /// Numbers without a program.
    pub missing: u64,
    /// The bugs by name, with the number of alarms that were taken for each.
    pub bugs: BTreeMap<String, FoundBug>,
    /// The configurations that are left out, with the share of failures in percent.
    pub left_out: BTreeMap<String, u32>,
    /// Bugs whose folders are there, while earlier alarms are still looked into.
    pub waiting: BTreeSet<String>,
    /// The alarms that ended without a bug.
    pub others: Vec<Conclusion>,
    /// What each configuration avoids.
    pub avoids: BTreeMap<String, Vec<String>>,
}

/// The outcomes of programs and their variants on a configuration.
#[derive(Debug, Default)]
pub(super) struct BaseCounts {
    /// Programs that are not right themselves, so that no variant runs.
    pub fails: u64,
    /// Programs of which a variant is not right, by its outcome.
    pub shown: BTreeMap<Class, u64>,
    /// Programs that are right with all their variants.
    pub stable: u64,
}

/// A bug that was found.
#[derive(Debug)]
pub(super) struct FoundBug {
    /// The alarm that led to it.
    pub first: Conclusion,
    /// All alarms that were taken for it.
    pub alarms: u64,
}

impl Tally {
    /// Nothing so far.
    pub(super) fn new(configurations: Vec<String>, with_variants: bool) -> Self {
        let bases = configurations.iter().map(|_| BaseCounts::default()).collect();
        Self {
            bases: with_variants.then_some(bases),
            outcomes: configurations.iter().map(|_| BTreeMap::new()).collect(),
            configurations,
            programs: 0,
            programs_now: 0,
            missing: 0,
            bugs: BTreeMap::new(),
            left_out: BTreeMap::new(),
            waiting: BTreeSet::new(),
            others: Vec::new(),
            avoids: BTreeMap::new(),
        }
    }

    /// Counts an event.
    pub(super) fn add(&mut self, progress: Progress) {
        match progress {
            Progress::Ran { outcomes, variants, missing, earlier, .. } => {
                if missing.is_none() {
                    self.count_bases(&outcomes, &variants);
                }
                self.programs += 1;
                self.missing += u64::from(missing.is_some());
                self.programs_now += u64::from(!earlier);
                for (index, class) in outcomes.into_iter().filter(|(_, c)| *c != Class::Right) {
                    *self.outcomes[index].entry(class).or_default() += 1;
                }
            }
            Progress::Gate { left_out, avoid } => {
                self.left_out = left_out;
                for line in avoid {
                    self.avoids.entry(line.configuration).or_default().push(line.feature);
                }
            }
            Progress::Reducing { .. } => {}
            Progress::Reduced { name, is_published: true } => _ = self.waiting.insert(name),
            Progress::Reduced { name, .. } => _ = self.waiting.remove(&name),
            Progress::Concluded { conclusion, .. } => self.conclude(conclusion),
        }
    }

    fn count_bases(&mut self, outcomes: &BTreeMap<usize, Class>, variants: &BTreeMap<usize, u32>) {
        let counts = self.bases.iter_mut().flatten().zip(&self.configurations).enumerate();
        for (index, (counts, _)) in
            counts.filter(|(_, (_, name))| !self.left_out.contains_key(*name))
        {
            let class = outcomes.get(&index).copied().unwrap_or(Class::Right);
            match class {
                Class::Right => counts.stable += 1,
                class if variants.contains_key(&index) => {
                    *counts.shown.entry(class).or_default() += 1;
                }
                _ => counts.fails += 1,
            }
        }
    }

    fn conclude(&mut self, conclusion: Conclusion) {
        for line in &conclusion.avoid {
            let features = self.avoids.entry(line.configuration.clone()).or_default();
            if !features.contains(&line.feature) {
                features.push(line.feature.clone());
            }
        }
        match (conclusion.end, &conclusion.bug) {
            (End::Bug, Some(name)) => {
                let name = name.clone();
                self.waiting.remove(&name);
                self.bugs.insert(name, FoundBug { first: conclusion, alarms: 1 });
            }
            (End::Known | End::Duplicate, Some(name)) => {
                if let Some(bug) = self.bugs.get_mut(name) {
                    bug.alarms += 1;
                }
            }
            _ => self.others.push(conclusion),
        }
    }

    /// The number of alarms of all configurations.
    pub(super) fn alarms(&self) -> u64 {
        let all = self.outcomes.iter().flat_map(BTreeMap::iter);
        all.filter(|(class, _)| class.is_alarm()).map(|(_, count)| count).sum()
    }

    /// The classes that some program has shown, in the order of tables.
    pub(super) fn classes(&self) -> impl Iterator<Item = Class> {
        let shown = |class: &Class| self.outcomes.iter().any(|one| one.contains_key(class));
        Class::ALL.into_iter().filter(shown)
    }
}
