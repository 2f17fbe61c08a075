//! Delta debugging: complements of ever smaller parts (Zeller and Hildebrandt, TSE 2002).
//!
//! It is kept to measure other searches against. Only complements are tried: that a small part alone is
//! interesting is rare in programs, and costs as many tests.

use std::sync::Arc;

use clreduce_reducer::search::{GroupSizes, ProposalSearch, Weighted};

/// State of the search: one part of what is left is tried at a time.
#[derive(Clone, Debug)]
pub struct Ddmin {
    left: Arc<Vec<u32>>,
    /// Into how many parts what is left is divided.
    parts: usize,
    /// The part that is tried now.
    part: usize,
    /// Nothing of this division could go so far.
    idle: usize,
}

impl ProposalSearch for Ddmin {
    fn over(items: Vec<Weighted>, _sizes: GroupSizes) -> Self {
        let items = super::from_the_end(items);
        Self { left: Arc::new(items), parts: 1, part: 0, idle: 0 }
    }

    fn next(&self) -> &[u32] {
        let bound = |part: usize| part * self.left.len() / self.parts;
        if self.left.is_empty() || self.parts > self.left.len() {
            return &[];
        }
        &self.left[bound(self.part)..bound(self.part + 1)]
    }

    fn take_verdict(&mut self, interesting: bool) {
        if interesting {
            let (start, length) = (self.part * self.left.len() / self.parts, self.next().len());
            Arc::make_mut(&mut self.left).drain(start..start + length);
            self.parts = (self.parts - 1).max(1).min(self.left.len().max(1));
            self.part = if self.part >= self.parts { 0 } else { self.part };
            self.idle = 0;
            return;
        }
        self.idle += 1;
        self.part = (self.part + 1) % self.parts;
        if self.idle >= self.parts {
            // A finer division; past single items, `next` has nothing left to say.
            let finest = self.parts >= self.left.len();
            self.parts =
                if finest { self.parts + 1 } else { (self.parts * 2).min(self.left.len()) };
            (self.part, self.idle) = (0, 0);
        }
    }
}
