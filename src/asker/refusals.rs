//! What was refused and has not changed since, so that it is not asked again.
//!
//! A proposal is recognised on a later snapshot by a fingerprint of what it touches: the text it
//! removes and what it puts there, the tokens beside it, and how often each name in the removed text
//! occurs in the program. A declaration that could not go while it was used is so asked again once a
//! use is gone, and only then.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use clreduce_passes::{Phase, Row, Snapshot};
use clreduce_testcase::{ContentHash, Patch, Token, TokenKind};

/// Fingerprints of refused proposals. Cloning is cheap.
#[derive(Clone, Default)]
pub(super) struct Refusals {
    known: Arc<BTreeSet<u64>>,
}

impl Refusals {
    pub(super) fn contains(&self, fingerprint: u64) -> bool {
        self.known.contains(&fingerprint)
    }

    pub(super) fn extend(&mut self, fingerprints: impl ExactSizeIterator<Item = u64>) {
        if fingerprints.len() > 0 {
            Arc::make_mut(&mut self.known).extend(fingerprints);
        }
    }
}

/// Computes fingerprints on one snapshot for one pass.
pub(super) struct Fingerprints<'a> {
    snapshot: &'a Snapshot,
    pass: &'static str,
    heads_only: bool,
    occurrences: HashMap<&'a [u8], u32>,
}

/// Tokens on either side of an edit that belong to what it touches.
const CONTEXT: usize = 2;

/// Tokens that tell one item of file scope from another.
const HEAD: usize = 8;

impl<'a> Fingerprints<'a> {
    /// Passes of the sweep come again and again: what they were refused is known by its first tokens
    /// alone, however much of it has changed.
    pub(super) fn new(snapshot: &'a Snapshot, row: &Row) -> Self {
        let mut occurrences = HashMap::new();
        for file in 0..snapshot.file_count() {
            let bytes = snapshot.bytes(file);
            for token in snapshot.tokens(file).iter().filter(is_word) {
                *occurrences.entry(&bytes[token.range()]).or_default() += 1;
            }
        }
        Self { snapshot, pass: row.pass.name(), heads_only: row.phase == Phase::Sweep, occurrences }
    }

    pub(super) fn of(&self, patch: &Patch) -> u64 {
        let mut touched: Vec<u8> = self.pass.as_bytes().to_vec();
        for edit in patch.edits() {
            let file = edit.file as usize;
            let (bytes, tokens) = (self.snapshot.bytes(file), self.snapshot.tokens(file));
            let first = tokens.partition_point(|token| token.end <= edit.start);
            let after = tokens.partition_point(|token| token.start < edit.end);
            if self.heads_only {
                for token in &tokens[first..after.min(first + HEAD)] {
                    touched.extend_from_slice(&bytes[token.range()]);
                    touched.push(0);
                }
                continue;
            }
            touched.push(0);
            touched.extend_from_slice(&edit.text);
            touched.push(1);
            let context = first.saturating_sub(CONTEXT)..(after + CONTEXT).min(tokens.len());
            for (index, token) in tokens[context.clone()].iter().enumerate() {
                let inside = (first..after).contains(&(context.start + index));
                touched.push(2 + u8::from(inside));
                touched.extend_from_slice(&bytes[token.range()]);
                if inside && let Some(count) = self.occurrences.get(&bytes[token.range()]) {
                    touched.extend_from_slice(&count.to_le_bytes());
                }
            }
        }
        ContentHash::of(&touched).low_bits()
    }
}

fn is_word(token: &&Token) -> bool {
    token.kind == TokenKind::Word
}
