//! Launches to try next: with values that a kernel compared, and with random ones.

use clreduce_host::{Comparison, HostKernel, LaunchTrace};
use clreduce_kernel::{
    Argument, Fill, KernelLaunch, KernelParameter, Number, decode_whole, encode_whole,
};
use clreduce_testcase::{Launch, tokens};

use super::MOST_BYTES;

/// The most elements at the beginning of a buffer in which compared values are looked for.
const MOST_ELEMENTS: u64 = 64;
/// The most launches that the comparisons of one launch lead to.
const MOST_OF_LAUNCH: usize = 16;
/// The most elements of a random buffer that differ from each other.
const MOST_RANDOM: u64 = 16;
/// The most work-items in one dimension.
const MOST_ITEMS: u64 = 4096;

/// The launches to try.
pub(super) struct Candidates<'a> {
    kernel: &'a HostKernel,
    /// True if the sizes of launches may change: neither a launch comment nor the kernel fixes them.
    sizes_are_free: bool,
    /// The numbers in the source.
    literals: Vec<i64>,
    /// With compared values in the place of values.
    values: Vec<KernelLaunch>,
    /// With compared values in buffers, or as the number of work-items: there it is more of a guess.
    others: Vec<KernelLaunch>,
    random: Random,
}

impl<'a> Candidates<'a> {
    pub(super) fn new(kernel: &'a HostKernel, seed: u64) -> Self {
        let is_fixed = kernel
            .kernels
            .iter()
            .any(|one| one.required_local.is_some() || one.required_sub_group.is_some());
        let number = |token: clreduce_testcase::Token| {
            let text = std::str::from_utf8(&kernel.expanded[token.range()]).ok()?;
            let text = text.trim_end_matches(['u', 'U', 'l', 'L']);
            match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
                Some(digits) => u64::from_str_radix(digits, 16).ok().map(u64::cast_signed),
                None => text.parse().ok(),
            }
        };
        let mut literals: Vec<i64> = tokens(&kernel.expanded).filter_map(number).collect();
        literals.sort_unstable();
        literals.dedup();
        Self {
            kernel,
            sizes_are_free: !is_fixed && Launch::find(&kernel.source).is_none(),
            literals,
            values: Vec::new(),
            others: Vec::new(),
            random: Random(seed),
        }
    }

    /// True if the sizes of launches may change.
    pub(super) fn sizes_are_free(&self) -> bool {
        self.sizes_are_free
    }

    /// Remembers the launches that the comparisons of a kept one lead to: one operand was an argument, and becomes the
    /// other operand.
    pub(super) fn add_compared(&mut self, launch: &KernelLaunch, trace: &LaunchTrace) {
        let mut compared = trace.compared.clone();
        // Constants come first: they are what the kernel waits for.
        compared.sort_by_key(|one| (!one.is_constant, *one));
        let all = compared.iter().flat_map(|one| {
            let other = Comparison { first: one.second, second: one.first, ..*one };
            let swapped = (!one.is_constant).then_some(other);
            std::iter::once(*one).chain(swapped)
        });
        let all: Vec<Comparison> = all.collect();
        let values = all.iter().flat_map(|one| self.with_value(launch, *one));
        let values: Vec<KernelLaunch> = values.take(MOST_OF_LAUNCH).collect();
        let others = all.iter().flat_map(|one| self.with_content_or_size(launch, *one));
        let others: Vec<KernelLaunch> = others.take(MOST_OF_LAUNCH).collect();
        self.values.extend(values);
        self.others.extend(others);
    }

    /// The launches in which a value that was the second operand is the first one.
    fn with_value(&self, launch: &KernelLaunch, comparison: Comparison) -> Vec<KernelLaunch> {
        let changed = |(index, argument): (usize, &Argument)| {
            let (Argument::Value(value), Some(element)) = (argument, self.element(launch, index))
            else {
                return None;
            };
            if launch.fixed.contains(&index) {
                return None;
            }
            decode_whole(element, value).filter(|&value| is_second(comparison, value))?;
            let value = encode_whole(element, first_of(comparison));
            Some(with_argument(launch, index, Argument::Value(value)))
        };
        launch.arguments.iter().enumerate().filter_map(changed).collect()
    }

    /// The launches in which an element of a buffer that was the second operand is the first one, or with as many
    /// work-items as an identifier needs.
    fn with_content_or_size(
        &self,
        launch: &KernelLaunch,
        comparison: Comparison,
    ) -> Vec<KernelLaunch> {
        let wanted = first_of(comparison);
        let changed = |(index, argument): (usize, &Argument)| {
            let Argument::Buffer { name, element, elements, fill, output, image } = argument else {
                return None;
            };
            // Elements are written as numbers of floating point.
            let is_fixed = launch.fixed.contains(&index);
            if is_fixed || *elements > MOST_ELEMENTS || (wanted as f64) as i64 != wanted {
                return None;
            }
            let content = fill.content(*element, *elements);
            let values = content.chunks(element.bytes());
            let values = values.map(|one| decode_whole(*element, one));
            let values: Vec<i64> = values.collect::<Option<_>>()?;
            let at = values.iter().position(|&value| is_second(comparison, value))?;
            let mut values: Vec<f64> = values.into_iter().map(|value| value as f64).collect();
            values[at] = wanted as f64;
            let buffer = Argument::Buffer {
                name: name.clone(),
                element: *element,
                elements: *elements,
                fill: Fill::Values(values),
                output: *output,
                image: *image,
            };
            Some(with_argument(launch, index, buffer))
        };
        let larger = (self.sizes_are_free && launch.global[0] <= comparison.first)
            .then(|| with_items(launch, comparison.first.saturating_add(1)))
            .flatten();
        launch.arguments.iter().enumerate().filter_map(changed).chain(larger).collect()
    }

    fn element(&self, launch: &KernelLaunch, index: usize) -> Option<Number> {
        let kernel = self.kernel.kernels.iter().find(|kernel| kernel.name == launch.kernel)?;
        match kernel.parameters.get(index)? {
            KernelParameter::Value(element) => Some(*element),
            _ => None,
        }
    }

    /// The launches with compared values in the place of values, without those that are known.
    pub(super) fn take_values(&mut self, known: &[KernelLaunch]) -> Vec<KernelLaunch> {
        unknown(std::mem::take(&mut self.values), known)
    }

    /// The launches with compared values elsewhere, without those that are known.
    pub(super) fn take_others(&mut self, known: &[KernelLaunch]) -> Vec<KernelLaunch> {
        unknown(std::mem::take(&mut self.others), known)
    }

    /// Random changes of some launches.
    pub(super) fn random(
        &mut self,
        bases: &[&KernelLaunch],
        known: &[KernelLaunch],
        count: usize,
    ) -> Vec<KernelLaunch> {
        let mut found: Vec<KernelLaunch> = Vec::new();
        // A kernel without arguments has few launches.
        for _ in 0..20 * count {
            if found.len() == count || bases.is_empty() {
                break;
            }
            let base = bases[self.random.below(bases.len())];
            let next = self.changed(base);
            if next != *base && !known.contains(&next) && !found.contains(&next) {
                found.push(next);
            }
        }
        found
    }

    fn changed(&mut self, base: &KernelLaunch) -> KernelLaunch {
        let mut launch = base.clone();
        let choices = launch.arguments.len() + usize::from(self.sizes_are_free);
        if choices == 0 {
            return launch;
        }
        let index = self.random.below(choices);
        let items = launch.global.iter().copied().fold(1, u64::saturating_mul);
        let element = self.element(base, index);
        if launch.fixed.contains(&index) {
            return launch;
        }
        match launch.arguments.get_mut(index) {
            None => {
                let sizes = [1, 2, 3, 4, 32, 64, 2 * items, items + 1];
                let items = sizes[self.random.below(sizes.len())];
                return with_items(base, items).unwrap_or(launch);
            }
            Some(Argument::Value(value)) => {
                if let Some(element) = element {
                    *value = encode_whole(element, self.value(items));
                }
            }
            Some(Argument::Buffer { fill, elements, .. }) => {
                *fill = match self.random.below(4) {
                    0 => Fill::all(self.value(items) as f64),
                    1 => Fill::Steps { first: self.value(items) as f64, step: 1.0 },
                    2 => Fill::Steps { first: *elements as f64, step: -1.0 },
                    _ => {
                        let count = (*elements).min(MOST_RANDOM);
                        Fill::Values((0..count).map(|_| self.value(items) as f64).collect())
                    }
                };
            }
            Some(Argument::Local(_) | Argument::Sampler(_)) => {}
        }
        launch
    }

    /// A value that kernels often treat in a way of its own.
    fn value(&mut self, items: u64) -> i64 {
        let items = items.cast_signed();
        let common = [0, 1, -1, 2, items - 1, items, items + 1, i64::MAX, i64::MIN];
        match self.random.below(4) {
            0 if !self.literals.is_empty() => {
                let near = self.random.below(3) as i64 - 1;
                self.literals[self.random.below(self.literals.len())].wrapping_add(near)
            }
            1 => 1 << self.random.below(63),
            2 => self.random.below(256) as i64 - 128,
            _ => common[self.random.below(common.len())],
        }
    }
}

/// A launch in one dimension with `items` work-items, in groups as large as before if they fit. `None` if a buffer would be
/// too large.
fn with_items(launch: &KernelLaunch, items: u64) -> Option<KernelLaunch> {
    if launch.global.len() != 1 || !(1..=MOST_ITEMS).contains(&items) {
        return None;
    }
    let group = launch.local.as_ref().map(|local| local[0]);
    let group = group.filter(|group| items.is_multiple_of(*group)).unwrap_or(1);
    let before = launch.global[0];
    let mut next = KernelLaunch {
        global: vec![items],
        local: launch.local.as_ref().map(|_| vec![group]),
        ..launch.clone()
    };
    // Buffers have an element for each work-item, where they had one.
    for (index, argument) in next.arguments.iter_mut().enumerate() {
        if let Argument::Buffer { element, elements, .. } = argument
            && *elements >= before
            && !launch.fixed.contains(&index)
        {
            let wanted = (*elements / before.max(1)).saturating_mul(items);
            if wanted > *elements {
                if wanted.saturating_mul(element.bytes() as u64) > MOST_BYTES {
                    return None;
                }
                *elements = wanted;
            }
        }
    }
    Some(next)
}

/// Returns each launch once that is not known.
fn unknown(launches: Vec<KernelLaunch>, known: &[KernelLaunch]) -> Vec<KernelLaunch> {
    let mut found: Vec<KernelLaunch> = Vec::new();
    for launch in launches {
        if !known.contains(&launch) && !found.contains(&launch) {
            found.push(launch);
        }
    }
    found
}

fn with_argument(launch: &KernelLaunch, index: usize, argument: Argument) -> KernelLaunch {
    let mut next = launch.clone();
    next.arguments[index] = argument;
    next
}

fn unused_bits(comparison: Comparison) -> usize {
    64 - 8 * comparison.bytes.clamp(1, 8)
}

/// Returns true if a value was the second operand, as far as the comparison saw it.
fn is_second(comparison: Comparison, value: i64) -> bool {
    let unused = unused_bits(comparison);
    value.cast_unsigned() << unused == comparison.second << unused
}

/// The first operand as a signed number.
fn first_of(comparison: Comparison) -> i64 {
    let unused = unused_bits(comparison);
    (comparison.first << unused).cast_signed() >> unused
}

/// A generator of random numbers (splitmix64), the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % bound.max(1) as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_grow_with_the_work_items_up_to_a_limit() {
        let launch = |items, elements| KernelLaunch {
            kernel: "k".to_owned(),
            global: vec![items],
            local: None,
            arguments: vec![Argument::Buffer {
                name: "a".to_owned(),
                element: Number::scalar(clreduce_kernel::Scalar::Int),
                elements,
                fill: Fill::all(0.0),
                output: true,
                image: None,
            }],
            fixed: Vec::new(),
        };
        assert_eq!(with_items(&launch(4, 8), 16), Some(launch(16, 32)));
        assert_eq!(with_items(&launch(4, 8), 2), Some(launch(2, 8)));
        assert_eq!(with_items(&launch(1, 1 << 20), 2), None);
        assert_eq!(with_items(&launch(2, u64::MAX / 2), 4096), None);
        assert_eq!(with_items(&launch(2, 1 << 20), 1), Some(launch(1, 1 << 20)));
    }
}
