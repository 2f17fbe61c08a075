//! Selections of lanes of vectors.

/// Some lanes of a vector, in an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swizzle {
    lanes: [u8; 16],
    count: u8,
}

impl Swizzle {
    /// These lanes; at most 16.
    #[must_use]
    pub fn new(of: &[u8]) -> Self {
        let mut lanes = [0; 16];
        lanes[..of.len()].copy_from_slice(of);
        Self { lanes, count: of.len() as u8 }
    }

    /// The lanes.
    #[must_use]
    pub fn lanes(&self) -> &[u8] {
        &self.lanes[..usize::from(self.count)]
    }

    /// Returns the text behind the point, for a vector of `of` lanes.
    #[must_use]
    pub fn text(&self, of: u8) -> String {
        let lanes = self.lanes();
        let half = usize::from(of / 2);
        if of != 3 && lanes.len() == half {
            let is =
                |lane: fn(u8, u8) -> u8| (0..).zip(lanes).all(|(at, &l)| l == lane(at, of / 2));
            for (name, lane) in [
                ("lo", (|at, _| at) as fn(u8, u8) -> u8),
                ("hi", |at, half| at + half),
                ("even", |at, _| 2 * at),
                ("odd", |at, _| 2 * at + 1),
            ] {
                if is(lane) {
                    return name.to_owned();
                }
            }
        }
        if of <= 4 {
            return lanes.iter().map(|&lane| char::from(b"xyzw"[usize::from(lane)])).collect();
        }
        let digit = |&lane: &u8| char::from(b"0123456789abcdef"[usize::from(lane)]);
        std::iter::once('s').chain(lanes.iter().map(digit)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_written_as_in_opencl() {
        for (lanes, of, text) in [
            (&[0_u8, 1] as &[u8], 4, "lo"),
            (&[1, 3], 4, "odd"),
            (&[1], 2, "hi"),
            (&[1, 0], 3, "yx"),
            (&[15, 0, 10], 16, "sf0a"),
            (&[4, 5, 6, 7], 8, "hi"),
        ] {
            assert_eq!(Swizzle::new(lanes).text(of), text);
        }
    }
}
