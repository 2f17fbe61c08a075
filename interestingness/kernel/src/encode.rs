//! Numbers as bytes in memory, as this machine and its devices lay them out.

use clreduce_language::{Number, Scalar};

/// Returns one element with the value in every lane. Values that are too large wrap around.
#[must_use]
pub fn encode(number: Number, value: f64) -> Vec<u8> {
    encode_lane(number.scalar, value).repeat(number.stored_lanes())
}

/// Returns one element with an integer in every lane, exactly if the element is an integer. Values that are too large
/// wrap around.
#[must_use]
pub fn encode_whole(number: Number, value: i64) -> Vec<u8> {
    match number.scalar {
        Scalar::Half | Scalar::Float | Scalar::Double => encode(number, value as f64),
        scalar => {
            let bytes = Number::scalar(scalar).bytes();
            value.to_ne_bytes()[..bytes].repeat(number.stored_lanes())
        }
    }
}

/// Returns the value of the first lane of an element, as [`encode_whole`] takes it; `None` if it is no integer.
#[must_use]
pub fn decode_whole(number: Number, bytes: &[u8]) -> Option<i64> {
    let lane = Number::scalar(number.scalar).bytes();
    let bytes = bytes.get(..lane)?;
    let unsigned = bytes.iter().rev().fold(0_u64, |all, &byte| all << 8 | u64::from(byte));
    let signed = unsigned.cast_signed() << (64 - 8 * lane) >> (64 - 8 * lane);
    match number.scalar {
        Scalar::Half | Scalar::Float | Scalar::Double => None,
        Scalar::Uchar | Scalar::Ushort | Scalar::Uint | Scalar::Ulong => {
            Some(unsigned.cast_signed())
        }
        Scalar::Char | Scalar::Short | Scalar::Int | Scalar::Long => Some(signed),
    }
}

/// Returns the value of the first lane of an element; `None` if it is no finite number, or bytes are missing.
#[must_use]
pub fn read_number(number: Number, bytes: &[u8]) -> Option<f64> {
    let lane = bytes.get(..Number::scalar(number.scalar).bytes())?;
    let value = match number.scalar {
        Scalar::Half => half_value(u16::from_ne_bytes(lane.try_into().ok()?)),
        Scalar::Float => f32::from_ne_bytes(lane.try_into().ok()?).into(),
        Scalar::Double => f64::from_ne_bytes(lane.try_into().ok()?),
        Scalar::Ulong => u64::from_ne_bytes(lane.try_into().ok()?) as f64,
        _ => decode_whole(number, lane)? as f64,
    };
    value.is_finite().then_some(value)
}

fn encode_lane(scalar: Scalar, value: f64) -> Vec<u8> {
    // By way of a wide integer, so that negative numbers wrap and do not saturate.
    let whole = value as i128;
    match scalar {
        Scalar::Half => half_bits(value as f32).to_ne_bytes().to_vec(),
        Scalar::Float => (value as f32).to_ne_bytes().to_vec(),
        Scalar::Double => value.to_ne_bytes().to_vec(),
        Scalar::Char | Scalar::Uchar => vec![whole as u8],
        Scalar::Short | Scalar::Ushort => (whole as u16).to_ne_bytes().to_vec(),
        Scalar::Int | Scalar::Uint => (whole as u32).to_ne_bytes().to_vec(),
        Scalar::Long | Scalar::Ulong => (whole as u64).to_ne_bytes().to_vec(),
    }
}

/// Converts a float to a half and rounds towards zero: values in buffers are small and whole.
fn half_bits(number: f32) -> u16 {
    let bits = number.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let exponent = (bits >> 23 & 0xff) as i32 - 127 + 15;
    let significand = bits & 0x7f_ffff | 0x80_0000;
    match exponent {
        // A half of this size has fewer digits.
        -9..=0 => sign | (significand >> (14 - exponent)) as u16,
        ..=-10 => sign,
        31.. => sign | 0x7c00,
        _ => sign | (exponent as u16) << 10 | (bits >> 13 & 0x3ff) as u16,
    }
}

/// The number that the bits of a half are.
pub(crate) fn half_value(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff) / 1024.0;
    let size = match bits >> 10 & 0x1f {
        0 => fraction / 16384.0,
        31 => f64::INFINITY,
        exponent => (1.0 + fraction) * f64::from(i32::from(exponent) - 15).exp2(),
    };
    if bits & 0x8000 == 0 { size } else { -size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_memory() {
        let scalar = |scalar, value| encode(Number::scalar(scalar), value);
        assert_eq!(scalar(Scalar::Char, -1.0), [0xff]);
        assert_eq!(scalar(Scalar::Long, -2.0), (-2_i64).to_ne_bytes());
        assert_eq!(scalar(Scalar::Half, 1.0), 0x3c00_u16.to_ne_bytes());
        assert_eq!(scalar(Scalar::Half, -2048.0), 0xe800_u16.to_ne_bytes());
        assert_eq!(scalar(Scalar::Half, 0.0), [0, 0]);
        assert_eq!(
            [0x3c00, 0xe800, 0x3555, 0].map(half_value),
            [1.0, -2048.0, 0.333_251_953_125, 0.0]
        );
        for bits in (0..0x7c00).chain(0x8000..0xfc00) {
            assert_eq!(half_bits(half_value(bits) as f32), bits, "{bits:#x}");
        }
        assert_eq!(encode(Number { scalar: Scalar::Ushort, lanes: 3 }, 1.0), [1, 0].repeat(4));
        for scalar in [Scalar::Char, Scalar::Ushort, Scalar::Int, Scalar::Ulong] {
            for value in [0, 7, 100] {
                let number = Number::scalar(scalar);
                assert_eq!(encode_whole(number, value), encode(number, value as f64));
                assert_eq!(decode_whole(number, &encode_whole(number, value)), Some(value));
            }
        }
        let long = Number::scalar(Scalar::Long);
        assert_eq!(decode_whole(long, &encode_whole(long, i64::MAX - 1)), Some(i64::MAX - 1));
        let short = Number::scalar(Scalar::Short);
        assert_eq!(decode_whole(short, &encode_whole(short, -3)), Some(-3));
    }
}
