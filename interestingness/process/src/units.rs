//! Times and sizes, read from the way in which people write them.

use std::time::Duration;

use thiserror::Error;

/// A time or a size that makes no sense, with a message for the person who wrote it.
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
    #[error("the time must be greater than zero and not beyond all measure")]
    TimeRange,
    /// Zero, or larger than any size.
    #[error("the size must be at least one byte and not beyond all measure")]
    SizeRange,
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
    // Floats this large are exact enough: nobody limits memory to the byte.
    if bytes >= 1.0 && bytes < 2f64.powi(63) { Ok(bytes as u64) } else { Err(UnitError::SizeRange) }
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
}
