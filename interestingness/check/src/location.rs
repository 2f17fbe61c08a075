//! The places that clang's messages begin with.

/// Splits a message of clang, as in `kernel.cl:6:3: warning: ...`, into the line of the kernel and the rest.
pub(crate) fn split_location(line: &str) -> Option<(u32, &str)> {
    let rest = line.strip_prefix(clreduce_host::FILE)?.strip_prefix(':')?;
    let (number, rest) = rest.split_once(':')?;
    let (column, rest) = rest.split_once(": ")?;
    column.parse::<u32>().ok()?;
    Some((number.parse().ok()?, rest))
}
