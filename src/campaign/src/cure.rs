//! The search for a feature without which a program is right. It tells bugs apart that have no message, and says what
//! later programs have to avoid.

use std::collections::BTreeSet;

use clreduce_generator::{Avoid, Construct, ConstructKind, Kernel};

use crate::outcome::{Observed, Subject};
use crate::programs::Programs;
use crate::runner::Runner;

/// Features that hardly any program can do without come last.
const COMMON: [&str; 5] = ["loop", "id", "convert", "vector", "swizzle"];

/// A feature that cures a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cure {
    /// Its name.
    pub construct: String,
    /// The name with a type, if that is enough, or the name.
    pub feature: String,
    /// Constructs of the same kind that show the bug in the place of this one.
    pub siblings: Vec<String>,
}

impl Cure {
    fn of(construct: &str, feature: &str) -> Self {
        let (construct, feature) = (construct.to_owned(), feature.to_owned());
        Self { construct, feature, siblings: Vec::new() }
    }

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

/// Finds the cure of a reduced kernel, as [`first`] does, and what shows the same bug in its place.
pub(crate) fn find(
    runner: &Runner,
    programs: &Programs,
    configuration: usize,
    (small, large): (&Kernel, &Kernel),
    observed: &Observed,
) -> Option<Option<Cure>> {
    let Some(mut cure) = first(runner, programs, configuration, (small, large))? else {
        return Some(None);
    };
    for (name, sibling) in small.siblings(&cure.construct) {
        if runner.shows(configuration, &Subject::from(&sibling), observed)? {
            cure.siblings.push(name.to_owned());
        }
    }
    Some(Some(cure))
}

/// Finds the feature of a reduced kernel without which both it and the kernel that it was made of are right, or at least a
/// function without which the reduced one is. The innermost `None` says that there is none.
fn first(
    runner: &Runner,
    programs: &Programs,
    configuration: usize,
    (small, large): (&Kernel, &Kernel),
) -> Option<Option<Cure>> {
    let constructs = small.constructs();
    let mut names: Vec<&Construct> = Vec::new();
    for construct in &constructs {
        if names.iter().all(|known| known.name != construct.name) {
            names.push(construct);
        }
    }
    names.sort_by_key(|one| (one.kind, one.name));
    let of = |names: &[&Construct], kernels: &[&Kernel]| {
        first_cure(runner, programs, configuration, (names, &constructs), kernels)
    };
    let (common, own): (Vec<&Construct>, Vec<&Construct>) =
        names.into_iter().partition(|one| COMMON.contains(&one.name));
    if let Some(cure) = of(&own, &[small, large])? {
        return Some(Some(cure));
    }
    // Where the large one shows several bugs, nothing cures it alone. Only the name of a function says enough then.
    let is_function = |one: &&Construct| one.kind == ConstructKind::BuiltinFunction;
    let functions: Vec<&Construct> = own.into_iter().filter(is_function).collect();
    if let Some(cure) = of(&functions, &[small])? {
        return Some(Some(cure));
    }
    of(&common, &[small, large])
}

/// The first of the names without which all kernels are right, with its type if that is enough.
fn first_cure(
    runner: &Runner,
    programs: &Programs,
    configuration: usize,
    (names, constructs): (&[&Construct], &[Construct]),
    kernels: &[&Kernel],
) -> Option<Option<Cure>> {
    for name in names.iter().map(|one| one.name) {
        if !cures(runner, programs, configuration, name, kernels)? {
            continue;
        }
        let typed = constructs.iter().filter(|one| one.name == name).map(|one| &one.with_type);
        for feature in typed {
            if cures(runner, programs, configuration, feature, kernels)? {
                return Some(Some(Cure::of(name, feature)));
            }
        }
        return Some(Some(Cure::of(name, name)));
    }
    Some(None)
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
