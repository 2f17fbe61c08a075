//! Times, sizes and counts, read from the way in which people write them.

use std::num::NonZeroUsize;
use std::time::Duration;

use thiserror::Error;

/// A time, size or count that makes no sense, with a message for the person who wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UnitError {
    /// An unknown unit of time.
    #[error("expected seconds, or a time as in 500ms, 90s, 2m, 1h")]
    Time,
    /// An unknown unit of size.
    #[error("expected bytes, or a size as in 500M or 2G")]
    Size,
    /// The part before the unit.
    #[error("`{0}` is not a number")]
    Number(String),
    /// Zero, or longer than any time.
    #[error("the time is zero or too large")]
    TimeRange,
    /// Zero, or larger than any size.
    #[error("the size is zero or too large")]
    SizeRange,
    /// Zero, or no number.
    #[error("expected a whole number, 1 or more")]
    Count,
    /// More things at the same time than there can be.
    #[error("expected a whole number from 1 to {MOST_AT_A_TIME}")]
    CountRange,
}

/// Reads "90", "1.5", "500ms", "90s", "2m", "1h"; a number alone is seconds.
///
/// # Errors
/// Anything else, zero included, with a message for the person who wrote it.
pub fn parse_duration(text: &str) -> Result<Duration, UnitError> {
    let (number, unit) = split(text);
    let scale = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => return Err(UnitError::Time),
    };
    let seconds: f64 = number.parse().map_err(|_| UnitError::Number(number.to_owned()))?;
    match Duration::try_from_secs_f64(seconds * scale) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err(UnitError::TimeRange),
    }
}

/// Reads "1000000", "500M", "2G", "2GiB"; units are powers of 1024.
///
/// # Errors
/// Anything else, zero included, with a message for the person who wrote it.
pub fn parse_bytes(text: &str) -> Result<u64, UnitError> {
    let (number, unit) = split(text);
    let shift = match unit.to_ascii_lowercase().trim_end_matches('b').trim_end_matches('i') {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err(UnitError::Size),
    };
    let number: f64 = number.parse().map_err(|_| UnitError::Number(number.to_owned()))?;
    let bytes = number * f64::from(shift).exp2();
    // Floats this large are exact enough: memory is not limited to the byte.
    if bytes >= 1.0 && bytes < 2f64.powi(63) { Ok(bytes as u64) } else { Err(UnitError::SizeRange) }
}

/// The most things at the same time: each is a thread here, and some processes.
const MOST_AT_A_TIME: usize = 4096;

/// Reads a number of things at the same time, of which there is at least one.
///
/// # Errors
/// Anything else, with a message for the person who wrote it.
pub fn parse_count(text: &str) -> Result<NonZeroUsize, UnitError> {
    let count: NonZeroUsize = text.parse().map_err(|_| UnitError::Count)?;
    Some(count).filter(|count| count.get() <= MOST_AT_A_TIME).ok_or(UnitError::CountRange)
}

/// A size of files in powers of 1000, as file managers show them: "512 B", "12.4 KB", "3.1 MB".
#[must_use]
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

/// A time: "4.2 s", "1 min 02 s", "3 h 07 min".
#[must_use]
pub fn show_duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..60 => format!("{:.1} s", duration.as_secs_f64()),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}

/// A limit in bytes, in powers of 1024 as [`parse_bytes`] reads it: "200 MiB".
pub(crate) fn show_limit(bytes: u64) -> String {
    for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")] {
        let whole = bytes >> shift;
        if whole > 0 {
            let tenths = ((bytes & ((1 << shift) - 1)) * 10) >> shift;
            return match tenths {
                0 => format!("{whole} {unit}"),
                _ => format!("{whole}.{tenths} {unit}"),
            };
        }
    }
    format!("{bytes} bytes")
}

fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_times() {
        let millis = |text| parse_duration(text).map(|duration| duration.as_millis());
        assert_eq!(millis("3"), Ok(3000));
        assert_eq!(millis("1.5s"), Ok(1500));
        assert_eq!(millis("500ms"), Ok(500));
        assert_eq!(millis("2 m"), Ok(120_000));
        for wrong in ["", "0", "s", "-1", "1y", "1.2.3", "99999999999999999999999h"] {
            assert!(millis(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn reads_sizes() {
        assert_eq!(parse_bytes("1000"), Ok(1000));
        assert_eq!(parse_bytes("2G"), Ok(2 << 30));
        assert_eq!(parse_bytes("2GiB"), Ok(2 << 30));
        assert_eq!(parse_bytes("1.5k"), Ok(1536));
        for wrong in ["", "0", "G", "-1", "1X", "9999999999999T"] {
            assert!(parse_bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn shows_times_and_sizes() {
        assert_eq!(show_bytes(999), "999 B");
        assert_eq!(show_bytes(999_999), "1.0 MB");
        assert_eq!(show_duration(Duration::from_secs(62)), "1 min 02 s");
    }

    #[test]
    fn limits_have_units() {
        let shown = [0, 1023, 1024, 1536, 200 << 20, 5 << 29].map(show_limit);
        assert_eq!(shown, ["0 bytes", "1023 bytes", "1 KiB", "1.5 KiB", "200 MiB", "2.5 GiB"]);
    }
}
