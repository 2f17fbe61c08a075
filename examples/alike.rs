//! Do similar bugs reduce alike? Says how well each distance of the triage tells apart kinds of bugs that
//! are known, for the results of `clreduce batch`.
//!
//! ```sh
//! fixtures/planted/generate cases 60
//! clreduce batch cases --test './compiler *.c' --out out
//! cargo run --release --example alike -- out cases.kinds.json
//! ```
//!
//! For each distance: the mean within a kind and between kinds; how often a pair of one kind is nearer
//! than a pair of two kinds (0.5 is chance, 1 is always); and after how many cases, each the furthest from
//! all before it, every kind was seen.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::Path;

use clreduce::batch::CaseRecord;
use clreduce::report::read_result;
use clreduce::triage::{Distances, TriageCase};

type Distance = fn(&Distances) -> Option<f64>;

const DISTANCES: [(&str, Distance); 4] = [
    ("program", |distances| distances.program),
    ("output", |distances| distances.output),
    ("history", |distances| distances.history),
    ("mean", |distances| {
        let there = [distances.program, distances.output, distances.history];
        let there: Vec<f64> = there.into_iter().flatten().collect();
        (!there.is_empty()).then(|| there.iter().sum::<f64>() / there.len() as f64)
    }),
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [out, kinds] = &arguments[..] else { return Err("alike OUT KINDS.json".into()) };
    let kinds: BTreeMap<String, String> = serde_json::from_slice(&fs::read(kinds)?)?;
    let mut cases = Vec::new();
    for (name, kind) in &kinds {
        let folder = Path::new(out).join("cases").join(name);
        let Some(record) = CaseRecord::read(&folder) else { continue };
        let Some(program) = read_result(&folder)? else { continue };
        let case = TriageCase::new(&program, &record.output, record.exit_code, record.refusals());
        cases.push((kind.as_str(), case));
    }
    let distinct: BTreeSet<_> = cases.iter().map(|(_, case)| case.fingerprint()).collect();
    println!("{} cases, {} distinct results", cases.len(), distinct.len());
    println!(
        "{:<10} {:>8} {:>8} {:>8} {:>10}",
        "distance", "within", "between", "nearer", "all after"
    );
    for (name, distance) in DISTANCES {
        let between = |a: &TriageCase, b: &TriageCase| distance(&a.distances(b)).unwrap_or(1.0);
        let (mut same, mut other) = (Vec::new(), Vec::new());
        for (index, (kind, case)) in cases.iter().enumerate() {
            for (kind_too, case_too) in &cases[..index] {
                let pairs = if kind == kind_too { &mut same } else { &mut other };
                pairs.push(between(case, case_too));
            }
        }
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
        println!(
            "{name:<10} {:>8.3} {:>8.3} {:>8.3} {:>10}",
            mean(&same),
            mean(&other),
            nearer(&mut same, &mut other),
            seen_after(&cases, between)
        );
    }
    println!("in the order of names, every kind was seen after {}", in_order(&cases));
    Ok(())
}

/// The share of pairs of pairs in which the first is nearer; equals count half.
fn nearer(same: &mut [f64], other: &mut [f64]) -> f64 {
    same.sort_by(f64::total_cmp);
    other.sort_by(f64::total_cmp);
    let count = |value: f64| {
        let below = other.partition_point(|far| *far < value);
        let up_to = other.partition_point(|far| *far <= value);
        (other.len() - up_to) as f64 + (up_to - below) as f64 / 2.0
    };
    let sum: f64 = same.iter().map(|value| count(*value)).sum();
    sum / (same.len() * other.len()).max(1) as f64
}

/// Cases looked at until every kind was seen, each the furthest from all before; the first is the first.
fn seen_after(
    cases: &[(&str, TriageCase)],
    distance: impl Fn(&TriageCase, &TriageCase) -> f64,
) -> usize {
    let all: BTreeSet<&str> = cases.iter().map(|(kind, _)| *kind).collect();
    let mut nearest = vec![f64::MAX; cases.len()];
    let mut seen = BTreeSet::new();
    let mut next = 0;
    for count in 1..=cases.len() {
        seen.insert(cases[next].0);
        if seen == all {
            return count;
        }
        for (at, (_, case)) in cases.iter().enumerate() {
            nearest[at] = nearest[at].min(distance(case, &cases[next].1));
        }
        nearest[next] = -1.0;
        // The first of the furthest.
        next =
            (0..cases.len()).rev().max_by(|a, b| nearest[*a].total_cmp(&nearest[*b])).unwrap_or(0);
    }
    cases.len()
}

fn in_order(cases: &[(&str, TriageCase)]) -> usize {
    let kinds: BTreeSet<&str> = cases.iter().map(|(kind, _)| *kind).collect();
    let first = |kind: &&str| cases.iter().position(|(other, _)| other == kind);
    kinds.iter().filter_map(first).max().map_or(0, |last| last + 1)
}
