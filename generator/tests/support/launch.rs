//! The launch that the first line of a kernel describes, as the hosts of CLsmith read it.

use clreduce_generator::read::{Argument, Launch};

/// The launch that the first line of a kernel describes.
pub fn launch(source: &str) -> Launch {
    let words: Vec<&str> = source.lines().next().unwrap_or("").split_whitespace().collect();
    let after = |flag: &str| {
        let at = words.iter().position(|word| *word == flag)?;
        words.get(at + 1).copied()
    };
    let has = |flag: &str| words.contains(&flag);
    let sizes = |flag: &str| {
        let numbers =
            after(flag).expect("sizes").split(',').map(|size| size.parse().expect("a size"));
        let mut all = [1; 3];
        all.iter_mut().zip(numbers).for_each(|(size, number)| *size = number);
        all
    };
    let (global, local): ([u64; 3], [u64; 3]) = (sizes("-g"), sizes("-l"));
    let items: u64 = global.iter().product();
    let groups = items / local.iter().product::<u64>();
    let ints = |values: &mut dyn Iterator<Item = i32>| -> Vec<u8> {
        values.flat_map(i32::to_le_bytes).collect()
    };
    let zeros = |bytes: u64| Argument::Buffer(vec![0; bytes as usize]);
    let mut arguments = vec![zeros(8 * items)];
    if let Some(count) = after("--atomics") {
        let count: u64 = count.parse().expect("a count");
        arguments.extend([zeros(4 * count * groups), zeros(4 * count * groups)]);
    }
    if has("---atomic_reductions") {
        arguments.push(zeros(4 * groups));
    }
    if has("---emi") {
        arguments.push(Argument::Buffer(ints(&mut (1..=1024).rev())));
    }
    if has("---fake_divergence") {
        let most = *global.iter().max().expect("three") as i32;
        arguments.push(Argument::Buffer(ints(&mut (10..10 + most))));
    }
    if has("---inter_thread_comm") {
        let ones = (0..items).flat_map(|_| 1_i64.to_le_bytes());
        arguments.push(Argument::Buffer(ones.collect()));
    }
    Launch { kernel: "entry".to_owned(), global, local, arguments }
}
