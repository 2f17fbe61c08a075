//! The size of a test case over tests and over time, as SVG.

use std::fmt::Write;

use clreduce_batch::{Commit, Record};

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 220.0;
/// Room for labels: left, right, top, bottom.
const MARGINS: [f64; 4] = [56.0, 16.0, 12.0, 34.0];

/// The curve over tests, and the one over time.
pub fn curves(record: &Record, commits: &[Commit]) -> [String; 2] {
    let start = (0.0, record.before.tokens as f64);
    let end = record.after.tokens as f64;
    let curve = |at: fn(&Commit) -> f64, last: f64, unit: &str| {
        let points = commits.iter().map(|commit| (at(commit), commit.tokens as f64));
        let points: Vec<_> = [start].into_iter().chain(points).chain([(last, end)]).collect();
        draw(&points, unit)
    };
    [
        curve(|commit| commit.tests as f64, record.tests as f64, "tests"),
        curve(|commit| commit.seconds, record.seconds, "seconds"),
    ]
}

/// A line of steps; the size on a logarithmic scale, so that the end shows as well as the begin.
fn draw(points: &[(f64, f64)], unit: &str) -> String {
    let [left, right, top, bottom] = MARGINS;
    let most_x = points.iter().map(|point| point.0).fold(1e-9, f64::max);
    let sizes = points.iter().map(|point| point.1.max(1.0));
    let most = sizes.clone().fold(10.0, f64::max).log10();
    let least = sizes.fold(f64::MAX, f64::min).log10().floor().min(most - 1.0).max(0.0);
    let x = |value: f64| left + value / most_x * (WIDTH - left - right);
    let y = |size: f64| {
        let share = (size.max(1.0).log10() - least) / (most - least);
        HEIGHT - bottom - share * (HEIGHT - top - bottom)
    };
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=img aria-label=\"tokens over {unit}\">"
    );
    let mut size = 10f64.powf(least.floor());
    while size.log10() <= most {
        if size.log10() >= least {
            // Writing to a string cannot fail.
            let _ = write!(
                svg,
                "<line class=grid x1={left} x2={:.1} y1={1:.1} y2={1:.1} />\
                 <text x={2:.1} y={3:.1} text-anchor=end>{size}</text>",
                WIDTH - right,
                y(size),
                left - 6.0,
                y(size) + 4.0
            );
        }
        size *= 10.0;
    }
    for tick in ticks(most_x) {
        let _ = write!(
            svg,
            "<line class=grid x1={0:.1} x2={0:.1} y1={top} y2={1:.1} />\
             <text x={0:.1} y={2:.1} text-anchor=middle>{tick}</text>",
            x(tick),
            HEIGHT - bottom,
            HEIGHT - bottom + 16.0
        );
    }
    let mut path = String::new();
    for (number, (at, size)) in points.iter().enumerate() {
        let _ = match number {
            0 => write!(path, "M{:.1} {:.1}", x(*at), y(*size)),
            _ => write!(path, "H{:.1}V{:.1}", x(*at), y(*size)),
        };
    }
    let _ = write!(
        svg,
        "<path d=\"{path}\" /><text class=unit x={:.1} y={:.1} text-anchor=end>{unit}</text>\
         <text class=unit x={left} y=9>tokens</text></svg>",
        WIDTH - right,
        HEIGHT - 4.0
    );
    svg
}

/// Round numbers up to a value: three to six of them.
fn ticks(most: f64) -> Vec<f64> {
    let power = 10f64.powf(most.log10().floor());
    let steps = [0.2, 0.5, 1.0, 2.0].map(|step| step * power);
    let step = steps.into_iter().find(|step| most / step <= 6.0).unwrap_or(power);
    let count = (most / step).floor() as u32;
    // Rounded, so that 0.1 three times is 0.3.
    (1..=count).map(|number| (f64::from(number) * step * 1e6).round() / 1e6).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_few_and_round() {
        assert_eq!(ticks(137.0), [50.0, 100.0]);
        assert_eq!(ticks(0.32), [0.1, 0.2, 0.3]);
        for most in [0.004, 1.0, 9.9, 10.0, 4321.0] {
            assert!((2..=6).contains(&ticks(most).len()), "{most}: {:?}", ticks(most));
        }
    }

    #[test]
    fn a_curve_without_commits_is_a_line() {
        let svg = draw(&[(0.0, 500.0), (0.0, 500.0)], "tests");
        assert!(svg.contains("<path d=\"M56.0") && !svg.contains("NaN"), "{svg}");
    }
}
