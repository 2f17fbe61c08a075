//! Where the numbers of a kernel come from: the places in buffers that a work-item has read.

/// A place in a buffer that a work-item has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// The number of the argument.
    pub argument: usize,
    /// The bytes before it.
    pub offset: u64,
}

impl Source {
    /// Reads a word of the run-time: `3:16`.
    pub(crate) fn read(word: &str) -> Option<Self> {
        let (argument, offset) = word.split_once(':')?;
        Some(Self { argument: argument.parse().ok()?, offset: offset.parse().ok()? })
    }
}
