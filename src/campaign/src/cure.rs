//! The search for the features without which a program is right. They tell bugs apart that have no message, and say what
//! later programs have to avoid.
//!
//! Many constructs lead from the one at fault to the result, and each of them cures the program when it is left out. The one at fault
//! is often one of a family, such as comparisons, and others of the family show the bug in its place.

use std::collections::BTreeSet;

use clreduce_generator::{Avoid, Construct, ConstructKind, Kernel, SubstituteNumber};
use clreduce_process::in_parallel;

use crate::outcome::{Class, Observed, Subject};
use crate::programs::Programs;
use crate::runner::Runner;

/// Features that hardly any program can do without come last.
const COMMON: [&str; 5] = ["loop", "id", "convert", "vector", "swizzle"];
/// The feature that all conversions are.
const CONVERSION: &str = "convert";
/// The number of constructs that are tried at the same time, if there are slots for them.
const AT_ONCE: usize = 8;

/// A feature that cures a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cure {
    /// Its name.
    pub construct: String,
    /// The name with a type, if that is enough, or the name.
    pub feature: String,
    /// Constructs of the same family that show the bug in the place of this one.
    pub siblings: Vec<String>,
}

impl Cure {
    /// The names of the construct and of its siblings.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.construct).chain(&self.siblings)
    }

    /// The features that later programs go without: this one, and those of the siblings.
    pub(crate) fn features(&self) -> impl Iterator<Item = String> {
        let extent = self.feature.strip_prefix(&self.construct).unwrap_or_default();
        self.names().map(move |name| format!("{name}{extent}"))
    }
}

/// All that cures a reduced kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cures {
    /// Those that say which bug it is, the best one first: constructs with siblings, or one other.
    pub telling: Vec<Cure>,
    /// The names of all constructs without which the reduced kernel is right. Many only lead from the fault to the result.
    pub all: Vec<String>,
    /// The conversions without which a reduced kernel in PTX is right, by type. They are instructions there.
    pub conversions: Vec<String>,
    /// The outline of the reduced kernel.
    pub outline: Option<String>,
}

/// A reduced kernel with the kernel that it was made of, and the bug that both show.
pub(crate) struct Search<'a> {
    pub runner: &'a Runner,
    pub programs: &'a Programs,
    pub configuration: usize,
    pub small: &'a Kernel,
    pub large: &'a Kernel,
    pub observed: &'a Observed,
}

impl Search<'_> {
    /// Finds what cures the kernels. `None` once the campaign is cancelled.
    pub(crate) fn run(&self) -> Option<Cures> {
        let constructs = self.small.constructs();
        let mut names: Vec<&Construct> = Vec::new();
        for construct in &constructs {
            if names.iter().all(|known| known.name != construct.name) {
                names.push(construct);
            }
        }
        names.sort_by_key(|one| (COMMON.contains(&one.name), one.kind, one.name));
        let found = self.those_that_cure(&names)?;
        let mut telling = Vec::new();
        for one in &found {
            let siblings = self.siblings(one.name)?;
            if !siblings.is_empty() {
                telling.push(Cure { siblings, ..self.cure(one.name, &constructs)? });
            }
        }
        if telling.is_empty()
            && let Some(one) = self.best(&found)?
        {
            telling.push(self.cure(one.name, &constructs)?);
        }
        let all = found.iter().map(|one| one.name.to_owned()).collect();
        let conversions = self.conversions(&constructs)?;
        Some(Cures { telling, all, conversions, outline: None })
    }

    /// The conversions that cure a reduced kernel with a wrong result, by type, where they are instructions.
    fn conversions(&self, constructs: &[Construct]) -> Option<Vec<String>> {
        let is_wrong = self.observed.class.is_wrong();
        let has_them = is_wrong && self.runner.matrix.kind.has_instructions();
        let mut found = Vec::new();
        for one in constructs.iter().filter(|one| has_them && one.name == CONVERSION) {
            if self.cures(&one.with_type, &[self.small])? {
                found.push(one.with_type.clone());
            }
        }
        Some(found)
    }

    /// The constructs without which the reduced kernel is right. Each test of a hang may take the whole limit, so the first one
    /// that cures both kernels is enough there.
    fn those_that_cure<'a>(&self, names: &[&'a Construct]) -> Option<Vec<&'a Construct>> {
        if self.observed.class != Class::Hang {
            let cures = |_, one: &&'a Construct| self.cures(one.name, &[self.small]);
            let cured: Option<Vec<bool>> = in_parallel(names, AT_ONCE, cures).into_iter().collect();
            let cures = names.iter().zip(cured?).filter(|(_, cures)| *cures);
            return Some(cures.map(|(one, _)| *one).collect());
        }
        let mut found = Vec::new();
        for one in names {
            if !self.cures(one.name, &[self.small])? {
                continue;
            }
            found.push(*one);
            if self.cures(one.name, &[self.large])? {
                break;
            }
        }
        Some(found)
    }

    /// The first construct without which the large kernel is right as well, or at least a function without which the reduced
    /// one is: where the large one shows several bugs, nothing cures it alone, and only the name of a function says enough.
    /// The innermost `None` says that there is none.
    fn best<'a>(&self, found: &[&'a Construct]) -> Option<Option<&'a Construct>> {
        let (common, own): (Vec<&Construct>, Vec<&Construct>) =
            found.iter().partition(|one| COMMON.contains(&one.name));
        for one in &own {
            if self.cures(one.name, &[self.large])? {
                return Some(Some(one));
            }
        }
        let is_function = |one: &&&Construct| one.kind == ConstructKind::BuiltinFunction;
        if let Some(one) = own.iter().find(is_function) {
            return Some(Some(one));
        }
        for one in common {
            if self.cures(one.name, &[self.large])? {
                return Some(Some(one));
            }
        }
        Some(None)
    }

    /// The others of its family that show the bug in the place of a construct. If a number in its place shows the bug, the
    /// construct is not at fault, whatever its siblings do.
    fn siblings(&self, construct: &str) -> Option<Vec<String>> {
        if !Kernel::has_family(construct) {
            return Some(Vec::new());
        }
        for number in SubstituteNumber::TRUTHS {
            if let Some(kernel) = self.small.with_number(construct, number)
                && self.shows(&kernel)?
            {
                return Some(Vec::new());
            }
        }
        let mut siblings: Vec<String> = Vec::new();
        for (name, sibling) in self.small.siblings(construct) {
            if siblings.iter().all(|known| known != name) && self.shows(&sibling)? {
                siblings.push(name.to_owned());
            }
        }
        Some(siblings)
    }

    /// A construct as a cure, with its type if that is enough.
    fn cure(&self, name: &str, constructs: &[Construct]) -> Option<Cure> {
        let both = [self.small, self.large];
        let kernels = if self.cures(name, &both)? { &both[..] } else { &both[..1] };
        let mut feature = name.to_owned();
        for one in constructs.iter().filter(|one| one.name == name) {
            if self.cures(&one.with_type, kernels)? {
                feature.clone_from(&one.with_type);
                break;
            }
        }
        Some(Cure { construct: name.to_owned(), feature, siblings: Vec::new() })
    }

    fn cures(&self, feature: &str, kernels: &[&Kernel]) -> Option<bool> {
        cures(self.runner, self.programs, self.configuration, feature, kernels)
    }

    fn shows(&self, kernel: &Kernel) -> Option<bool> {
        self.runner.shows(self.configuration, &Subject::from(kernel), self.observed)
    }
}

/// Finds the entry of an avoid list for a construct that is known to cure a kernel.
pub(crate) fn feature_of(
    runner: &Runner,
    programs: &Programs,
    configuration: usize,
    construct: &str,
    kernel: &Kernel,
) -> Option<String> {
    let typed: BTreeSet<String> = kernel
        .constructs()
        .into_iter()
        .filter(|one| one.name == construct)
        .map(|one| one.with_type)
        .collect();
    for feature in typed {
        if cures(runner, programs, configuration, &feature, &[kernel])? {
            return Some(feature);
        }
    }
    Some(construct.to_owned())
}

/// Returns true if kernels are right without a feature.
pub(crate) fn cures(
    runner: &Runner,
    programs: &Programs,
    configuration: usize,
    feature: &str,
    kernels: &[&Kernel],
) -> Option<bool> {
    let Some(avoid) = feature.parse::<Avoid>().ok().filter(|avoid| programs.can_avoid(avoid))
    else {
        return Some(false);
    };
    for kernel in kernels {
        let Some(without) = kernel.without(&avoid) else { return Some(false) };
        if !runner.is_right(configuration, &Subject::from(&without))? {
            return Some(false);
        }
    }
    Some(true)
}
