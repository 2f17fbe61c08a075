//! Triage: an order for many reduced test cases, in which each bug comes up once before any bug comes up again.
//!
//! Programs that differ only in names and layout are duplicates, and all but the first come last. Cases with the same
//! crash signature form a cluster. The next case in the order is the one that differs most from all earlier ones (Chen
//! et al., PLDI 2013). The difference takes into account the programs, the output of the tests, and which passes failed
//! how often.

mod canonical;
mod distance;
mod signature;

use clreduce_testcase::{ContentHash, TestCase};

pub use signature::of as signature_of;

use canonical::Canonical;
use distance::{Bag, Shares};

/// A reduced test case as triage sees it.
#[derive(Clone, Debug)]
pub struct TriageCase {
    fingerprint: ContentHash,
    outline: ContentHash,
    signature: String,
    tokens: usize,
    features: ComparedFeatures,
}

/// The features that are compared. A feature that one of two cases lacks is left out of their distance.
#[derive(Clone, Debug)]
struct ComparedFeatures {
    program: Bag,
    output: Bag,
    history: Shares,
}

/// Three distances between two cases, from 0 (alike) to 1; `None` if one of them lacks the feature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distances {
    /// Distance between the programs.
    pub program: Option<f64>,
    /// Distance between the outputs of the test.
    pub output: Option<f64>,
    /// Distance between the shares of each pass in the rejected variants.
    pub history: Option<f64>,
}

/// A case with its place in the order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// Index of the case.
    pub case: usize,
    /// Index of its cluster.
    pub cluster: usize,
    /// The earlier case from which this one differs only in names and layout.
    pub duplicate_of: Option<usize>,
    /// Index of the known case that it equals.
    pub known: Option<usize>,
    /// Distance to the nearest earlier or known case, from 0 to 2.
    pub distance: f64,
}

/// The result of a triage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triage {
    /// The signature of each cluster, the largest cluster first. One may be empty.
    pub clusters: Vec<String>,
    /// All cases, in the order in which to look at them.
    pub order: Vec<Ranked>,
}

impl TriageCase {
    /// Describes a reduced test case by its program, the output and exit status of the test, and how many variants of
    /// each pass the test rejected. Rejected variants tell bugs apart better than accepted ones (`notes/triage.md`).
    /// Output and history may be empty.
    #[must_use]
    pub fn new<'a>(
        program: &TestCase,
        output: &str,
        exit_code: Option<i32>,
        history: impl IntoIterator<Item = (&'a str, u64)>,
    ) -> Self {
        let canonical = Canonical::of(program);
        Self {
            fingerprint: canonical.fingerprint(),
            outline: canonical.outline(),
            signature: signature::of(output, exit_code),
            tokens: canonical.len(),
            features: ComparedFeatures {
                program: Bag::of_grams(canonical.shapes(), 3),
                output: Bag::of_grams(signature::words(output).iter().map(String::as_str), 2),
                history: Shares::of(history),
            },
        }
    }

    /// The crash signature, by which cases form clusters; empty if the test printed none.
    #[must_use]
    pub fn signature(&self) -> &str {
        &self.signature
    }

    /// A hash that programs share if they differ only in names and layout.
    #[must_use]
    pub fn fingerprint(&self) -> ContentHash {
        self.fingerprint
    }

    /// A hash that programs share if they differ only in names, layout, the names of types of numbers, and the values of
    /// literals. Such programs mostly show one bug, if they show it in the same way.
    #[must_use]
    pub fn outline(&self) -> ContentHash {
        self.outline
    }

    /// Compares two cases feature by feature.
    #[must_use]
    pub fn distances(&self, other: &Self) -> Distances {
        let (a, b) = (&self.features, &other.features);
        Distances {
            program: a.program.distance(&b.program),
            output: a.output.distance(&b.output),
            history: a.history.distance(&b.history),
        }
    }

    /// Distance from 0 to 2: the mean of the known distances, and 1 more if the signatures differ.
    fn distance(&self, other: &Self) -> f64 {
        let Distances { program, output, history } = self.distances(other);
        let there: Vec<f64> = [program, output, history].into_iter().flatten().collect();
        let mean = there.iter().sum::<f64>() / there.len().max(1) as f64;
        let apart = !other.signature.is_empty()
            && !self.signature.is_empty()
            && self.signature != other.signature;
        mean + f64::from(u8::from(apart))
    }
}

impl Triage {
    /// Orders cases. Cases that equal a known one come last, and those similar to one come late.
    #[must_use]
    pub fn of(cases: &[TriageCase], known: &[TriageCase]) -> Self {
        let (clusters, cluster_of) = clusters(cases);
        let known_as = |case: &TriageCase| {
            known.iter().position(|known| known.fingerprint == case.fingerprint)
        };
        let mut first_of = std::collections::BTreeMap::new();
        let mut pending = Vec::new();
        let mut doubles = Vec::new();
        let mut known_ones = Vec::new();
        for (index, case) in cases.iter().enumerate() {
            let ranked = Ranked {
                case: index,
                cluster: cluster_of[index],
                duplicate_of: None,
                known: known_as(case),
                distance: 0.0,
            };
            if ranked.known.is_some() {
                known_ones.push(ranked);
                continue;
            }
            let first = *first_of.entry((case.fingerprint, ranked.cluster)).or_insert(index);
            if first == index {
                pending.push(ranked);
            } else {
                doubles.push(Ranked { duplicate_of: Some(first), ..ranked });
            }
        }
        let mut order = furthest_first(pending, cases, known);
        let rank: std::collections::BTreeMap<usize, usize> =
            order.iter().enumerate().map(|(rank, ranked)| (ranked.case, rank)).collect();
        doubles.sort_by_key(|double| double.duplicate_of.and_then(|first| rank.get(&first)));
        order.extend(doubles);
        order.extend(known_ones);
        Self { clusters, order }
    }
}

/// Returns the signatures, the most frequent first, and the cluster of each case.
fn clusters(cases: &[TriageCase]) -> (Vec<String>, Vec<usize>) {
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    for case in cases {
        *counts.entry(&case.signature).or_default() += 1;
    }
    let mut names: Vec<(&str, usize)> = counts.into_iter().collect();
    names.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let place = |signature: &str| names.iter().position(|(name, _)| *name == signature);
    let of = cases.iter().filter_map(|case| place(&case.signature)).collect();
    (names.into_iter().map(|(name, _)| name.to_owned()).collect(), of)
}

/// Orders cases furthest point first. If nothing is known, the first is the smallest program of the largest cluster.
fn furthest_first(
    mut pending: Vec<Ranked>,
    cases: &[TriageCase],
    known: &[TriageCase],
) -> Vec<Ranked> {
    // Ties go to the largest cluster, then to the smallest program, then to the first name.
    pending.sort_by_key(|ranked| (ranked.cluster, cases[ranked.case].tokens));
    for ranked in &mut pending {
        let to_known = known.iter().map(|known| cases[ranked.case].distance(known));
        ranked.distance = to_known.fold(FURTHEST, f64::min);
    }
    let mut order = Vec::with_capacity(pending.len());
    while !pending.is_empty() {
        let mut best = 0;
        for at in 1..pending.len() {
            if pending[at].distance > pending[best].distance {
                best = at;
            }
        }
        let next = pending.remove(best);
        for ranked in &mut pending {
            let distance = cases[ranked.case].distance(&cases[next.case]);
            ranked.distance = ranked.distance.min(distance);
        }
        order.push(next);
    }
    order
}

/// The largest distance between two cases.
const FURTHEST: f64 = 2.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn case(program: &str, output: &str, history: &[(&'static str, u64)]) -> TriageCase {
        let case = TestCase::single("a.c", program.as_bytes()).unwrap();
        TriageCase::new(&case, output, Some(0), history.iter().copied())
    }

    fn firsts(triage: &Triage) -> Vec<usize> {
        triage.order.iter().map(|ranked| ranked.case).collect()
    }

    #[test]
    fn each_bug_comes_before_any_a_second_time() {
        let cases = [
            case("int a; int f() { return a + 1; }", "Assertion `x' failed", &[]),
            case("int b; int g() { return b + 1; }", "Assertion `x' failed", &[]),
            case("int b; int g() { return b + 2; }", "Assertion `x' failed", &[]),
            case("void f() { for (;;) { } }", "Segmentation fault", &[]),
            case("void f() { char *p = 0; p[0]; }", "Segmentation fault", &[]),
        ];
        let triage = Triage::of(&cases, &[]);
        assert_eq!(triage.clusters, ["assertion x", "Segmentation fault"]);
        assert_eq!(firsts(&triage), [0, 3, 4, 2, 1]);
        assert_eq!(triage.order[4].duplicate_of, Some(0));
    }

    #[test]
    fn what_is_known_comes_last_and_what_is_near_it_late() {
        let cases = [
            case("int f(int x) { return x << 3; }", "", &[]),
            case("int f(int x) { return x << 3 << 4; }", "", &[]),
            case("void g() { while (1) { } }", "", &[]),
        ];
        let known = [case("int h(int y) { return y << 3; }", "", &[])];
        let triage = Triage::of(&cases, &known);
        assert_eq!(firsts(&triage), [2, 1, 0]);
        assert_eq!(triage.order[2].known, Some(0));
    }

    #[test]
    fn the_history_tells_apart_what_nothing_else_does() {
        let history = |pass| [(pass, 90), ("lines", 10)];
        let cases = [
            case("int a() { return 1; }", "", &history("statements")),
            case("int a() { return 1 + 1; }", "", &history("statements")),
            case("int a() { return 1 - 1; }", "", &history("unwrap")),
        ];
        assert_eq!(firsts(&Triage::of(&cases, &[])), [0, 2, 1]);
        assert_eq!(Triage::of(&[], &cases), Triage::default());
    }
}
