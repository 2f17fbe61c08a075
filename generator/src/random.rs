//! Randomness by integers alone. Every decision has a key: a hash of the seed and of the path to the decision. So a
//! decision at one place does not shift the numbers of another, and a seed gives the same kernel on every platform.

/// The version of the format. A change of what a seed means raises it.
pub const FORMAT: u64 = 7;

/// The place of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeedKey(u64);

impl SeedKey {
    /// The key of everything that a seed decides.
    #[must_use]
    pub fn root(seed: u64) -> Self {
        Self(mix(FORMAT)).child(seed)
    }

    /// The key of a part, by its number.
    #[must_use]
    pub fn child(self, index: u64) -> Self {
        Self(mix(self.0 ^ mix(index.wrapping_add(STEP))))
    }

    /// The key of a part, by its name.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        name.bytes().fold(self, |key, byte| key.child(u64::from(byte)))
    }

    /// The numbers that are drawn at this place.
    #[must_use]
    pub fn stream(self) -> Stream {
        Stream { state: self.0 }
    }
}

/// The increment of SplitMix64: 2^64 divided by the golden ratio.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): a bijection whose output bits each depend on all input bits.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A sequence of random numbers: SplitMix64.
#[derive(Clone, Debug)]
pub struct Stream {
    state: u64,
}

impl Stream {
    /// The next number.
    #[expect(
        clippy::should_implement_trait,
        reason = "numbers never end, and adapters would hide how many are drawn"
    )]
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        mix(self.state)
    }

    /// A number from 0 to `end - 1`; 0 where `end` is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    /// A number from `first` to `last`, both included.
    pub fn within(&mut self, first: i64, last: i64) -> i64 {
        first + self.below((last - first + 1).max(0) as u64) as i64
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of some things. There must be at least one.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    /// One of some things, each as often as its weight says; `None` if all weights are 0.
    pub fn weighted<T: Copy>(&mut self, from: &[(u32, T)]) -> Option<T> {
        let total: u64 = from.iter().map(|(weight, _)| u64::from(*weight)).sum();
        let mut at = self.below(total);
        from.iter().find_map(|(weight, thing)| {
            let hit = at < u64::from(*weight);
            at = at.wrapping_sub(u64::from(*weight));
            hit.then_some(*thing)
        })
    }

    /// Puts things into a random order.
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for end in (1..things.len()).rev() {
            let other = self.below(end as u64 + 1) as usize;
            things.swap(end, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_splitmix64() {
        // The first outputs for the state 0, as published with the algorithm.
        let mut stream = Stream { state: 0 };
        assert_eq!(stream.next(), 0xE220_A839_7B1D_CDAF);
        assert_eq!(stream.next(), 0x6E78_9E6A_A1B9_65F4);
    }

    #[test]
    fn weights_are_shares() {
        let mut stream = SeedKey::root(1).stream();
        let mut counts = [0; 3];
        for _ in 0..10_000 {
            counts[stream.weighted(&[(1, 0), (0, 1), (3, 2)]).unwrap()] += 1;
        }
        assert!((2300..2700).contains(&counts[0]) && counts[1] == 0, "{counts:?}");
        assert_eq!(stream.weighted::<u8>(&[]), None);
    }
}
