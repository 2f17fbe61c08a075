//! Where the numbers of a type lie in memory.

use crate::numbers::Number;

/// A number in an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutNumber {
    /// Its offset, in bytes.
    pub offset: usize,
    /// Its type.
    pub number: Number,
    /// The members that lead to it, as in `corners[1].f[0]`; empty where the object itself is the number.
    pub name: String,
}

/// The numbers of a structure, an enumeration or a truth value, by their offsets. For each of these types, the value 1 in all
/// numbers is valid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The numbers, those of nested structures and arrays included.
    pub numbers: Vec<LayoutNumber>,
    /// The size of all, in bytes.
    pub bytes: usize,
    align: usize,
}

/// The size, in bytes, of the largest structure whose layout is computed: kernels take no larger one.
const MOST_BYTES: usize = 1 << 16;

impl Layout {
    /// One number. CUDA makes structures of its vectors, with room for three numbers in a vector of three.
    pub(crate) fn of_number(number: Number, cuda: bool) -> Self {
        if !cuda {
            return Self {
                numbers: vec![LayoutNumber { offset: 0, number, name: String::new() }],
                bytes: number.bytes(),
                align: number.bytes(),
            };
        }
        let (one, lanes) = (Number::scalar(number.scalar), usize::from(number.lanes));
        let bytes = one.bytes();
        let align = match lanes {
            2 => 2 * bytes,
            4 => (4 * bytes).min(16),
            _ => bytes,
        };
        let name = |lane: usize| {
            if lanes == 1 { String::new() } else { ["x", "y", "z", "w"][lane % 4].to_owned() }
        };
        let number = |lane| LayoutNumber { offset: lane * bytes, number: one, name: name(lane) };
        let numbers = (0..lanes).map(number).collect();
        Self { numbers, bytes: lanes * bytes, align }
    }

    /// Adds a member of this name: an array of `array` elements, or one element if that is `None`. In a union, all members
    /// begin at the same place, and the first one holds the value.
    ///
    /// Returns `None` if the member is too large.
    pub(crate) fn add(
        &mut self,
        name: &str,
        member: &Self,
        array: Option<usize>,
        is_union: bool,
    ) -> Option<()> {
        let elements = array.unwrap_or(1);
        let bytes = member.bytes.checked_mul(elements).filter(|&bytes| bytes <= MOST_BYTES)?;
        let start = if is_union { 0 } else { self.bytes.next_multiple_of(member.align.max(1)) };
        if !is_union || self.numbers.is_empty() {
            for index in 0..elements {
                let copy = start + index * member.bytes;
                let place = array.map_or_else(String::new, |_| format!("[{index}]"));
                self.numbers.extend(member.numbers.iter().map(|inner| {
                    let point = if inner.name.is_empty() { "" } else { "." };
                    let name = format!("{name}{place}{point}{}", inner.name);
                    LayoutNumber { offset: copy + inner.offset, number: inner.number, name }
                }));
            }
        }
        self.bytes = self.bytes.max(start + bytes);
        self.align = self.align.max(member.align);
        (self.bytes <= MOST_BYTES).then_some(())
    }

    /// Ends a structure with the words around its braces, which may be attributes. Those that pack it are not followed.
    pub(crate) fn finish(mut self, attributes: &[&str]) -> Option<Self> {
        if attributes.iter().any(|word| word.trim_matches('_') == "packed") || self.bytes == 0 {
            return None;
        }
        let is_alignment =
            |word: &&str| ["aligned", "align", "alignas"].contains(&word.trim_matches('_'));
        if let Some(at) = attributes.iter().position(is_alignment) {
            let ["(", size, ")", ..] = attributes.get(at + 1..)? else { return None };
            self.align = self.align.max(size.parse().ok().filter(|size| *size <= MOST_BYTES)?);
        }
        self.bytes = self.bytes.next_multiple_of(self.align.max(1));
        Some(self)
    }

    /// Returns true if some bytes belong to no number.
    #[must_use]
    pub fn has_padding(&self) -> bool {
        let used: usize = self
            .numbers
            .iter()
            .map(|one| one.number.scalar.bytes() * usize::from(one.number.lanes))
            .sum();
        used < self.bytes
    }
}
