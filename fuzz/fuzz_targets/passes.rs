//! Holds every pass to its contract: the first byte chooses a pass and a language, the rest is the
//! program. `cargo +nightly fuzz run passes -- -max_len=4096 ../passes/corpus`

#![no_main]

use clreduce_passes::TABLE;
use clreduce_passes::harness::check;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((&choice, program)) = input.split_first() else { return };
    let row = &TABLE[choice as usize % TABLE.len()];
    let languages = row.pass.languages();
    check(row.pass, program, languages[choice as usize / TABLE.len() % languages.len()]);
});
