//! Shared memory whose size the launch decides, in CUDA.
//!
//! Before: `extern __shared__ float tile[];`
//! After: `static float (&tile)[] = reinterpret_cast<float (&)[]>(clreduce_dynamic);`
//!
//! No description of a launch says how much there is, so there is as much as every device has without being asked: 48 KiB. All
//! such arrays begin at the same place, as they do on a device.

use std::ops::Range;

use clreduce_testcase::tokens;

/// Returns a program with such declarations replaced; `None` if it has none. Lines keep their numbers.
pub(crate) fn with_size(program: &[u8]) -> Option<Vec<u8>> {
    let ranges: Vec<Range<usize>> = tokens(program).map(|token| token.range()).collect();
    let word = |at: usize| ranges.get(at).map_or(&b""[..], |range| &program[range.clone()]);
    let (mut text, mut done) = (Vec::new(), 0);
    for at in (0..ranges.len()).filter(|&at| word(at) == b"extern") {
        let Some(length) = ranges[at..].iter().position(|range| program[range.clone()] == *b";")
        else {
            break;
        };
        let words: Vec<&[u8]> = (at + 1..at + length).map(word).collect();
        let Some(declaration) = declaration(&words) else { continue };
        let (start, end) = (ranges[at].start, ranges[at + length].start);
        text.extend_from_slice(&program[done..start]);
        text.extend(declaration.into_bytes());
        text.extend(program[start..end].iter().filter(|byte| **byte == b'\n'));
        done = end;
    }
    text.extend_from_slice(&program[done..]);
    (done > 0).then_some(text)
}

/// What stands for the declaration with these words, without `extern` and the semicolon.
fn declaration(words: &[&[u8]]) -> Option<String> {
    let [words @ .., name, b"[", b"]"] = words else { return None };
    if !words.contains(&&b"__shared__"[..]) {
        return None;
    }
    let (mut kind, mut depth) = (String::new(), 0_usize);
    for &word in words {
        match word {
            b"(" => depth += 1,
            b")" => depth = depth.saturating_sub(1),
            b"__shared__" | b"__align__" | b"alignas" | b"__attribute__" => {}
            _ if depth > 0 => {}
            _ => {
                kind.push_str(&String::from_utf8_lossy(word));
                kind.push(' ');
            }
        }
    }
    let name = String::from_utf8_lossy(name);
    Some(format!("static {kind}(&{name})[] = reinterpret_cast<{kind}(&)[]>(clreduce_dynamic)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_arrays_without_a_size_are_given_one() {
        let of =
            |text: &str| with_size(text.as_bytes()).map(|text| String::from_utf8(text).unwrap());
        assert_eq!(
            of("int a; extern __shared__ __align__(16)\n unsigned char s[]; f();").as_deref(),
            Some(
                "int a; static unsigned char (&s)[] = reinterpret_cast<unsigned char (&)[]>(clreduce_dynamic)\n; f();"
            )
        );
        assert_eq!(of("extern \"C\" __global__ void k() { __shared__ int s[3]; int b[]; }"), None);
        assert_eq!(of("extern int a[]; extern"), None);
    }
}
