//! Pictures as HTML and SVG. Nothing else draws them, so a page shows them without scripts; texts keep their size on every
//! screen, and `page.css` gives the colours for dark and light.

mod axis;
mod bars;
mod curve;
mod groups;
mod map;
mod matrix;
mod sizes;
mod versions;

use clreduce_testcase::printable;

pub(crate) use bars::time;
pub(crate) use curve::{bugs, size};
pub use groups::AgreeingGroup;
pub(crate) use groups::groups;
pub(crate) use map::map;
pub(crate) use matrix::matrix;
pub(crate) use sizes::{SizedCase, fragment, sizes};
pub(crate) use versions::versions;
pub use versions::{VersionMark, VersionSeen};

/// A text in a page. What controls a terminal is escaped as well: pages are also read there.
pub(crate) fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in printable(text).chars() {
        match char {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '"' => shown.push_str("&quot;"),
            char => shown.push(char),
        }
    }
    shown
}

/// A section of a page.
pub(crate) fn section(class: &str, heading: &str, content: &str) -> String {
    format!("<section class=\"{class}\"><h2>{heading}</h2>{content}</section>\n")
}

/// A count with commas between thousands.
pub(crate) fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut shown = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// A time in seconds, minutes or hours.
pub(crate) fn seconds(value: f64) -> String {
    match value {
        value if value < 9.95 => format!("{value:.1} s"),
        value if value < 99.5 => format!("{value:.0} s"),
        value if value < 5970.0 => format!("{:.0} min", value / 60.0),
        value => format!("{:.1} h", value / 3600.0),
    }
}

/// A part of a whole in percent, for a style.
pub(crate) fn percent(part: f64, whole: f64) -> String {
    let share = if whole > 0.0 { 100.0 * part / whole } else { 0.0 };
    format!("{:.2}%", share.clamp(0.0, 100.0))
}

/// The number of colours; the last one is for everything else.
pub(crate) const COLOURS: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_as_people_write_them() {
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            [0.04, 9.9, 12.3, 600.0, 9000.0].map(seconds),
            ["0.0 s", "9.9 s", "12 s", "10 min", "2.5 h"]
        );
        assert_eq!(escaped("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
        assert_eq!(escaped("\u{9b}2J"), "\\u{9b}2J");
        assert_eq!(
            (percent(1.0, 3.0), percent(1.0, 0.0)),
            ("33.33%".to_owned(), "0.00%".to_owned())
        );
    }
}
