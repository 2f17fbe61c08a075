//! Holds every pass to its contract: `cargo +nightly fuzz run passes corpus/passes seeds -- -max_len=4096`.
//!
//! The inputs that it found, and a few for every pass, are in `seeds`; the tests of the passes run them.

#![no_main]

use clreduce_passes::harness::check_chosen;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| check_chosen(input));
