//! CUDA as clang reads it where CUDA is not installed: what CUDA declares stands before the program. The program is
//! read as for the host, where clang minds less what device code may do; nvcc and NVRTC say that themselves. What is
//! not declared here clang does not know: then nothing can be said. To run on the host, a bare kernel is C++.

use std::fmt::Write as _;

use clreduce_kernel::has_main;

use crate::{DECLARATIONS, FILE};

const TEXT: &str = include_str!("cuda/declarations.h");

/// Headers that stand before a program only if it includes them.
const ON_DEMAND: [(&str, &str); 3] = [
    ("cuda_fp16.h", include_str!("cuda/half.h")),
    ("math_constants.h", include_str!("cuda/constants.h")),
    ("cooperative_groups.h", include_str!("cuda/groups.h")),
];

/// Headers of CUDA's whose content stands before the program.
const HEADERS: [&str; 11] = [
    "cooperative_groups/reduce.h",
    "cuda.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "device_atomic_functions.h",
    "device_functions.h",
    "device_launch_parameters.h",
    "driver_types.h",
    "math_functions.h",
    "vector_functions.h",
    "vector_types.h",
];

/// Headers of the C library whose functions devices have, and which those of the host contradict. A whole program has the
/// host's.
const HEADERS_OF_C: [&str; 11] = [
    "assert.h", "cassert", "cmath", "cstdio", "cstdlib", "cstring", "math.h", "new", "stdio.h",
    "stdlib.h", "string.h",
];

/// The section of variables that the work-items of a group share.
pub(crate) const SHARED: &str = ".bss.clreduce_shared";

/// The program with the declarations before it; its lines keep their numbers.
pub(crate) fn text(source: &[u8]) -> Vec<u8> {
    text_with("", source)
}

/// The same, with more declarations behind them.
pub(crate) fn text_with(declarations: &str, source: &[u8]) -> Vec<u8> {
    let is_program = has_main(source);
    let kind =
        if is_program { "#define CLREDUCE_PROGRAM 1\n" } else { "#define __CUDACC_RTC__ 1\n" };
    let lines = || source.split_inclusive(|&byte| byte == b'\n');
    let mut text = format!("{kind}#line 1 \"{DECLARATIONS}\"\n{TEXT}");
    for (name, content) in ON_DEMAND {
        // `cooperative_groups/reduce.h` includes `cooperative_groups.h`.
        let stem = name.trim_end_matches(".h");
        if lines().filter_map(included).any(|included| included.starts_with(stem)) {
            text.push_str(content);
        }
    }
    text.push_str(declarations);
    // Writing to a string cannot fail.
    let _ = writeln!(text, "#line 1 \"{FILE}\"");
    let mut text = text.into_bytes();
    for line in lines() {
        let is_declared = included(line).is_some_and(|name| {
            HEADERS.contains(&name)
                || ON_DEMAND.iter().any(|(known, _)| *known == name)
                || !is_program && HEADERS_OF_C.contains(&name)
        });
        text.extend_from_slice(if is_declared { b"\n" } else { line });
    }
    text
}

/// Returns the declarations before a program, and the program.
pub(crate) fn split(text: &[u8]) -> (&[u8], &[u8]) {
    let mark = format!("#line 1 \"{FILE}\"\n").into_bytes();
    let at = text.windows(mark.len()).position(|window| window == mark);
    text.split_at(at.map_or(0, |at| at + mark.len()))
}

/// The name in `#include <NAME>`.
fn included(line: &[u8]) -> Option<&str> {
    let line = std::str::from_utf8(line).ok()?.trim_start().strip_prefix('#')?;
    let name = line.trim_start().strip_prefix("include")?.trim_start().strip_prefix(['<', '"'])?;
    name.split(['>', '"']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_numbers() {
        let text =
            text(b"#include <stdint.h>\n # include \"cuda_runtime.h\" // x\nint main() {}\n");
        let text = String::from_utf8(text).unwrap();
        assert!(
            text.ends_with("#line 1 \"kernel.cl\"\n#include <stdint.h>\n\nint main() {}\n"),
            "{text}"
        );
    }
}
