//! The captured output of a task: the tail for people, all of it where a pattern is looked for.

/// The length of the tail, in bytes.
const TAIL_BYTES: usize = 16 << 10;

/// Collects the output of one test in the order it comes.
#[derive(Debug)]
pub(crate) struct Capture {
    tail: Vec<u8>,
    whole: Option<[Vec<u8>; 2]>,
    total: u64,
}

impl Capture {
    /// Keeps the streams apart and whole as well where `whole` says so.
    pub(crate) fn new(whole: bool) -> Self {
        Self { tail: Vec::new(), whole: whole.then(Default::default), total: 0 }
    }

    /// Takes what came on standard output (0) or standard error (1).
    pub(crate) fn push(&mut self, stream: usize, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        if let Some(whole) = &mut self.whole {
            whole[stream].extend_from_slice(bytes);
        }
        self.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(TAIL_BYTES)..]);
        // Cut rarely, so that many small writes do not move the tail each time.
        if self.tail.len() > 4 * TAIL_BYTES {
            self.cut();
        }
    }

    fn cut(&mut self) {
        self.tail.drain(..self.tail.len().saturating_sub(TAIL_BYTES));
    }

    /// The number of bytes that came in all.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The tail and the whole streams (empty where not kept).
    pub(crate) fn finish(mut self) -> (Vec<u8>, [Vec<u8>; 2]) {
        self.cut();
        (self.tail, self.whole.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_end_in_order() {
        let mut capture = Capture::new(true);
        for _ in 0..10_000 {
            capture.push(0, b"0123456789");
            capture.push(1, b"e");
        }
        assert_eq!(capture.total(), 110_000);
        let (tail, [out, err]) = capture.finish();
        assert_eq!((tail.len(), out.len(), err.len()), (TAIL_BYTES, 100_000, 10_000));
        assert!(tail.ends_with(b"9e0123456789e"));
    }
}
