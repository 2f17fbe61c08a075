//! Counts and shares as they are printed. Times and sizes come from `clreduce_interestingness::units`.

use std::time::Duration;

pub(crate) use clreduce_interestingness::units::{
    parse_bytes, parse_count, parse_duration, show_bytes, show_duration,
};

/// "18 variants rejected by libclang, "; empty for none.
pub(crate) fn show_refused(count: u64) -> String {
    if count == 0 {
        String::new()
    } else {
        format!("{} variants rejected by libclang, ", show_count(count))
    }
}

pub(crate) fn show_count(count: u64) -> String {
    let digits = count.to_string();
    let mut shown = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// "1 program", "1,234 programs".
pub(crate) fn counted(count: u64, one: &str) -> String {
    format!("{} {one}{}", show_count(count), if count == 1 { "" } else { "s" })
}

/// The time on a clock, which moves every second: "0:07", "1:02:03".
pub(crate) fn show_clock(time: Duration) -> String {
    let (hours, minutes, seconds) =
        (time.as_secs() / 3600, time.as_secs() / 60 % 60, time.as_secs() % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// A part as a percentage of the whole: "12.3 %".
pub(crate) fn show_share(part: usize, whole: usize) -> String {
    let percent = if whole == 0 { 100.0 } else { part as f64 * 100.0 / whole as f64 };
    format!("{percent:.1} %")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_figures() {
        assert_eq!(show_count(1_234_567), "1,234,567");
        assert_eq!(show_count(12), "12");
        assert_eq!(show_share(1, 8), "12.5 %");
        assert_eq!(show_clock(Duration::from_millis(62_900)), "1:02");
        assert_eq!(show_clock(Duration::from_secs(3 * 3600 + 7)), "3:00:07");
    }
}
