//! Times and sizes as people write and read them.

use std::time::Duration;

pub use clreduce_interestingness::units::parse_duration;

/// "512 B", "12.4 KB", "3.1 MB": powers of 1000, as file managers show them.
pub fn show_bytes(bytes: usize) -> String {
    let mut value = bytes as f64;
    for unit in ["B", "KB", "MB"] {
        if value < 999.5 {
            return if unit == "B" { format!("{bytes} B") } else { format!("{value:.1} {unit}") };
        }
        value /= 1000.0;
    }
    format!("{value:.1} GB")
}

/// "4.2 s", "1 min 02 s", "3 h 07 min".
pub fn show_duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..60 => format!("{:.1} s", duration.as_secs_f64()),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}

/// "18 refused by libclang, "; nothing where it refused none.
pub fn show_refused(count: u64) -> String {
    if count == 0 { String::new() } else { format!("{} refused by libclang, ", show_count(count)) }
}

/// "1,234,567".
pub fn show_count(count: u64) -> String {
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

/// What is left of a whole, as "12.3 %".
pub fn show_share(part: usize, whole: usize) -> String {
    let percent = if whole == 0 { 100.0 } else { part as f64 * 100.0 / whole as f64 };
    format!("{percent:.1} %")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_figures() {
        assert_eq!(show_bytes(999), "999 B");
        assert_eq!(show_bytes(999_999), "1.0 MB");
        assert_eq!(show_count(1_234_567), "1,234,567");
        assert_eq!(show_count(12), "12");
        assert_eq!(show_duration(Duration::from_secs(62)), "1 min 02 s");
        assert_eq!(show_share(1, 8), "12.5 %");
    }
}
