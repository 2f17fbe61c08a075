//! The axes of a plot: places, round numbers, and the lines of a grid.

use std::fmt::Write;

use super::{count, escaped, percent};

/// A scale from the low to the high end of a plot.
pub(super) struct Axis {
    low: f64,
    high: f64,
    is_logarithmic: bool,
    /// Between two numbers of it there may be none.
    is_of_counts: bool,
}

impl Axis {
    /// From 0 to the largest value.
    pub(super) fn linear(values: impl Iterator<Item = f64>) -> Self {
        let high = values.fold(1e-9, f64::max);
        Self { low: 0.0, high, is_logarithmic: false, is_of_counts: false }
    }

    /// The same for what is counted.
    pub(super) fn counts(values: impl Iterator<Item = f64>) -> Self {
        Self { is_of_counts: true, ..Self::linear(values) }
    }

    /// Powers of ten around positive values; it spans at least one power.
    pub(super) fn logarithmic(values: impl Iterator<Item = f64> + Clone) -> Self {
        let high = values.clone().fold(10.0, f64::max).log10();
        let least = values.fold(f64::INFINITY, f64::min).clamp(1.0, 1e300);
        let low = least.log10().floor().min(high - 1.0).max(0.0);
        Self { low, high, is_logarithmic: true, is_of_counts: true }
    }

    /// The place of a value, in percent from the low end.
    pub(super) fn place(&self, value: f64) -> f64 {
        let value = if self.is_logarithmic { value.max(1.0).log10() } else { value };
        100.0 * ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// Round numbers on the scale: powers of ten, or two to six of them.
    fn ticks(&self) -> Vec<f64> {
        if self.is_logarithmic {
            let (first, last) = (self.low.ceil() as i32, self.high.floor() as i32);
            return (first..=last).map(|power| 10_f64.powi(power)).collect();
        }
        let power = 10_f64.powf(self.high.log10().floor());
        let steps = [0.2, 0.5, 1.0, 2.0].map(|part| part * power);
        let step = steps.into_iter().find(|step| self.high / step <= 6.0).unwrap_or(power);
        let step = if self.is_of_counts { step.max(1.0) } else { step };
        (1..=(self.high / step) as u64).map(|number| number as f64 * step).collect()
    }
}

/// A plot with its axes: the drawing has 100 units in each direction, from the upper left corner.
pub(super) fn plot((x_name, x): (&str, &Axis), (y_name, y): (&str, &Axis), marks: &str) -> String {
    let (mut grid, mut below, mut left) = (String::new(), String::new(), String::new());
    // Writing to a string cannot fail.
    for tick in x.ticks() {
        let at = x.place(tick);
        let _ = write!(grid, "<path class=grid d=\"M{at:.2} 0V100\"/>");
        let _ = write!(below, "<span style=\"left:{at:.2}%\">{}</span>", number(tick));
    }
    for tick in y.ticks() {
        let at = y.place(tick);
        let _ = write!(grid, "<path class=grid d=\"M0 {:.2}H100\"/>", 100.0 - at);
        let _ = write!(left, "<span style=\"bottom:{at:.2}%\">{}</span>", number(tick));
    }
    let (x_name, y_name) = (escaped(x_name), escaped(y_name));
    format!(
        "<div class=plot role=img aria-label=\"{y_name} over {x_name}\"><div class=y-name>{y_name}</div>\
         <div class=y>{left}</div><div class=area><svg viewBox=\"0 0 100 100\" preserveAspectRatio=none>{grid}{}</svg>{}</div>\
         <div class=x>{below}</div><div class=x-name>{x_name}</div></div>",
        if marks.starts_with("<path") { marks } else { "" },
        if marks.starts_with("<path") { "" } else { marks },
    )
}

/// A number beside a tick.
fn number(value: f64) -> String {
    let rounded = value.round();
    if (value - rounded).abs() < 1e-9 { count(rounded as u64) } else { format!("{value:.1}") }
}

/// A bar from `left` to `right`, in percent of its strip.
pub(super) fn piece(class: &str, (left, right): (f64, f64), whole: f64, title: &str) -> String {
    format!(
        "<i class=\"{class}\" style=\"left:{};width:{}\" title=\"{}\"></i>",
        percent(left, whole),
        percent(right - left, whole),
        escaped(title)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        for high in [0.3, 1.0, 7.0, 137.0, 99_999.0] {
            let ticks = Axis::linear([high].into_iter()).ticks();
            assert!((2..=6).contains(&ticks.len()), "{high}: {ticks:?}");
            assert!(ticks.iter().all(|tick| *tick <= high), "{high}: {ticks:?}");
        }
        assert_eq!(Axis::counts([2.0].into_iter()).ticks(), [1.0, 2.0]);
        let axis = Axis::logarithmic([30.0, 21_376.0].into_iter());
        assert_eq!(axis.ticks(), [10.0, 100.0, 1000.0, 10_000.0]);
        assert_eq!((axis.place(10.0), axis.place(21_376.0)), (0.0, 100.0));
        // One size alone has a scale too.
        assert!(Axis::logarithmic([1.0].into_iter()).place(1.0).is_finite());
    }
}
