//! Which of many reduced test cases to look at first, so that nobody reads the same bug twice.
//!
//! Exact duplicates (equal but for names and layout) stand behind the first of them. Clusters have the
//! same crash signature. The order takes next what is furthest from everything before it (Chen et al.,
//! PLDI 2013): by the programs, by what the tools printed, and by the course of the reductions.

mod canonical;
mod distance;
mod signature;

use clreduce_testcase::{ContentHash, TestCase};

pub use signature::of as signature_of;

use canonical::Canonical;
use distance::{Bag, Shares};

/// What is known of one reduced test case.
#[derive(Clone, Debug)]
pub struct Specimen {
    fingerprint: ContentHash,
    signature: String,
    tokens: usize,
    features: Features,
}

/// What distances are taken of. Where one of two lacks something, it says nothing about them.
#[derive(Clone, Debug)]
struct Features {
    program: Bag,
    output: Bag,
    course: Shares,
}

/// The three distances, from 0 (alike) to 1; `None` where one side lacks what it takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distances {
    /// Of the programs.
    pub program: Option<f64>,
    /// Of what the test printed about them.
    pub output: Option<f64>,
    /// Of the passes that asked in vain.
    pub course: Option<f64>,
}

/// A place in the order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// Index of the specimen.
    pub specimen: usize,
    /// Index of its cluster.
    pub cluster: usize,
    /// The specimen that it equals but for names and layout, further up in the order.
    pub duplicate_of: Option<usize>,
    /// Index of the known one that it equals.
    pub known: Option<usize>,
    /// Distance to the nearest before it in the order, or to the nearest known one; 0 to 2.
    pub distance: f64,
}

/// The result of a triage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triage {
    /// The signature of each cluster, the largest first; one may be empty.
    pub clusters: Vec<String>,
    /// All specimens, what to look at first, first.
    pub order: Vec<Ranked>,
}

impl Specimen {
    /// Looks at a reduced test case, at what the test printed about it, and at how many questions each
    /// pass asked in vain on the way: what could not go tells bugs apart, what could does not
    /// (`notes/triage.md`). Neither needs to be there.
    #[must_use]
    pub fn new<'a>(
        program: &TestCase,
        output: &str,
        exit_code: Option<i32>,
        course: impl IntoIterator<Item = (&'a str, u64)>,
    ) -> Self {
        let canonical = Canonical::of(program);
        Self {
            fingerprint: canonical.fingerprint(),
            signature: signature::of(output, exit_code),
            tokens: canonical.len(),
            features: Features {
                program: Bag::of_grams(canonical.shapes(), 3),
                output: Bag::of_grams(signature::words(output).iter().map(String::as_str), 2),
                course: Shares::of(course),
            },
        }
    }

    /// The signature that clusters go by; empty where the test printed none.
    #[must_use]
    pub fn signature(&self) -> &str {
        &self.signature
    }

    /// Hash of the program without names and layout.
    #[must_use]
    pub fn fingerprint(&self) -> ContentHash {
        self.fingerprint
    }

    /// The distances to another one.
    #[must_use]
    pub fn distances(&self, other: &Self) -> Distances {
        let (a, b) = (&self.features, &other.features);
        Distances {
            program: a.program.distance(&b.program),
            output: a.output.distance(&b.output),
            course: a.course.distance(&b.course),
        }
    }

    /// One number: the mean of the distances that there are, and one more for different signatures.
    fn distance(&self, other: &Self) -> f64 {
        let Distances { program, output, course } = self.distances(other);
        let there: Vec<f64> = [program, output, course].into_iter().flatten().collect();
        let mean = there.iter().sum::<f64>() / there.len().max(1) as f64;
        let apart = !other.signature.is_empty()
            && !self.signature.is_empty()
            && self.signature != other.signature;
        mean + f64::from(u8::from(apart))
    }
}

impl Triage {
    /// Orders specimens; what equals a known one comes last, and what is near one late.
    #[must_use]
    pub fn of(specimens: &[Specimen], known: &[Specimen]) -> Self {
        let (clusters, cluster_of) = clusters(specimens);
        let known_as = |specimen: &Specimen| {
            known.iter().position(|known| known.fingerprint == specimen.fingerprint)
        };
        let mut first_of = std::collections::BTreeMap::new();
        let mut pending = Vec::new();
        let mut doubles = Vec::new();
        let mut known_ones = Vec::new();
        for (index, specimen) in specimens.iter().enumerate() {
            let ranked = Ranked {
                specimen: index,
                cluster: cluster_of[index],
                duplicate_of: None,
                known: known_as(specimen),
                distance: 0.0,
            };
            if ranked.known.is_some() {
                known_ones.push(ranked);
                continue;
            }
            let first = *first_of.entry((specimen.fingerprint, ranked.cluster)).or_insert(index);
            if first == index {
                pending.push(ranked);
            } else {
                doubles.push(Ranked { duplicate_of: Some(first), ..ranked });
            }
        }
        let mut order = furthest_first(pending, specimens, known);
        let rank: std::collections::BTreeMap<usize, usize> =
            order.iter().enumerate().map(|(rank, ranked)| (ranked.specimen, rank)).collect();
        doubles.sort_by_key(|double| double.duplicate_of.and_then(|first| rank.get(&first)));
        order.extend(doubles);
        order.extend(known_ones);
        Self { clusters, order }
    }
}

/// The signatures, the most frequent first, and the cluster of each specimen.
fn clusters(specimens: &[Specimen]) -> (Vec<String>, Vec<usize>) {
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    for specimen in specimens {
        *counts.entry(&specimen.signature).or_default() += 1;
    }
    let mut names: Vec<(&str, usize)> = counts.into_iter().collect();
    names.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let place = |signature: &str| names.iter().position(|(name, _)| *name == signature);
    let of = specimens.iter().filter_map(|specimen| place(&specimen.signature)).collect();
    (names.into_iter().map(|(name, _)| name.to_owned()).collect(), of)
}

/// The furthest-point-first order. Without anything known it begins with the smallest program of the
/// largest cluster.
fn furthest_first(
    mut pending: Vec<Ranked>,
    specimens: &[Specimen],
    known: &[Specimen],
) -> Vec<Ranked> {
    // Ties go to the largest cluster, then to the smallest program, then to the first name.
    pending.sort_by_key(|ranked| (ranked.cluster, specimens[ranked.specimen].tokens));
    for ranked in &mut pending {
        let to_known = known.iter().map(|known| specimens[ranked.specimen].distance(known));
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
            let distance = specimens[ranked.specimen].distance(&specimens[next.specimen]);
            ranked.distance = ranked.distance.min(distance);
        }
        order.push(next);
    }
    order
}

/// No two are further apart.
const FURTHEST: f64 = 2.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn specimen(program: &str, output: &str, course: &[(&'static str, u64)]) -> Specimen {
        let case = TestCase::single("a.c", program.as_bytes()).unwrap();
        Specimen::new(&case, output, Some(0), course.iter().copied())
    }

    fn firsts(triage: &Triage) -> Vec<usize> {
        triage.order.iter().map(|ranked| ranked.specimen).collect()
    }

    #[test]
    fn each_bug_comes_before_any_a_second_time() {
        let specimens = [
            specimen("int a; int f() { return a + 1; }", "Assertion `x' failed", &[]),
            specimen("int b; int g() { return b + 1; }", "Assertion `x' failed", &[]),
            specimen("int b; int g() { return b + 2; }", "Assertion `x' failed", &[]),
            specimen("void f() { for (;;) { } }", "Segmentation fault", &[]),
            specimen("void f() { char *p = 0; p[0]; }", "Segmentation fault", &[]),
        ];
        let triage = Triage::of(&specimens, &[]);
        assert_eq!(triage.clusters, ["Assertion `x' failed", "Segmentation fault"]);
        assert_eq!(firsts(&triage), [0, 3, 4, 2, 1]);
        assert_eq!(triage.order[4].duplicate_of, Some(0));
    }

    #[test]
    fn what_is_known_comes_last_and_what_is_near_it_late() {
        let specimens = [
            specimen("int f(int x) { return x << 3; }", "", &[]),
            specimen("int f(int x) { return x << 3 << 4; }", "", &[]),
            specimen("void g() { while (1) { } }", "", &[]),
        ];
        let known = [specimen("int h(int y) { return y << 3; }", "", &[])];
        let triage = Triage::of(&specimens, &known);
        assert_eq!(firsts(&triage), [2, 1, 0]);
        assert_eq!(triage.order[2].known, Some(0));
    }

    #[test]
    fn the_course_tells_apart_what_nothing_else_does() {
        let course = |pass| [(pass, 90), ("lines", 10)];
        let specimens = [
            specimen("int a() { return 1; }", "", &course("statements")),
            specimen("int a() { return 1 + 1; }", "", &course("statements")),
            specimen("int a() { return 1 - 1; }", "", &course("unwrap")),
        ];
        assert_eq!(firsts(&Triage::of(&specimens, &[])), [0, 2, 1]);
        assert_eq!(Triage::of(&[], &specimens), Triage::default());
    }
}
