//! A fingerprint recognises a proposal on a later snapshot by what it touches.
//!
//! That is the text it removes and what it puts there, the tokens beside it, and how often each name in the removed
//! text occurs in the program. A declaration that was refuted while it was used gets another fingerprint once a use
//! is gone, and only then.

use std::collections::HashMap;
use std::ops::Range;

use clreduce_passes::{Phase, Row, Snapshot};
use clreduce_testcase::{ContentHash, EditKind, Patch, Token, TokenKind};

/// Computes fingerprints on one snapshot for one pass.
pub(super) struct Fingerprints<'a> {
    snapshot: &'a Snapshot,
    pass: &'static str,
    heads_only: bool,
    files: Vec<Prefixes>,
    /// The number of files that the program includes.
    includes: usize,
}

/// Tokens on either side of an edit that belong to what it touches.
const CONTEXT: usize = 2;

impl<'a> Fingerprints<'a> {
    /// Prepares the fingerprints of a row. The passes of the sweep run again and again, so that their proposals are
    /// recognised by their first tokens alone, however much of the rest has changed.
    pub(super) fn new(snapshot: &'a Snapshot, row: &Row) -> Self {
        let heads_only = row.phase == Phase::Sweep;
        let files = if heads_only { Vec::new() } else { prefixes(snapshot) };
        let names = (0..snapshot.file_count()).flat_map(|file| {
            snapshot.tokens(file).iter().map(move |token| &snapshot.bytes(file)[token.range()])
        });
        let includes = names.filter(|name| *name == b"include").count();
        Self { snapshot, pass: row.pass.name, heads_only, files, includes }
    }

    pub(super) fn of(&self, patch: &Patch) -> u64 {
        let mut touched: Vec<u8> = self.pass.as_bytes().to_vec();
        for edit in patch.edits() {
            let file = edit.file as usize;
            if edit.kind == EditKind::RemoveFile {
                // Nothing else tells an empty file from others. A file may go once nothing includes it.
                touched.extend_from_slice(self.snapshot.case().files()[file].path.as_bytes());
                touched.extend_from_slice(&self.includes.to_le_bytes());
            }
            let (bytes, tokens) = (self.snapshot.bytes(file), self.snapshot.tokens(file));
            let add = |touched: &mut Vec<u8>, tokens: &[Token]| {
                for token in tokens {
                    touched.extend_from_slice(&bytes[token.range()]);
                    touched.push(0);
                }
            };
            let first = tokens.partition_point(|token| token.end <= edit.start);
            let after = tokens.partition_point(|token| token.start < edit.end).max(first);
            if self.heads_only {
                add(&mut touched, &tokens[first..after.min(first + 8)]);
                continue;
            }
            add(&mut touched, &tokens[first.saturating_sub(CONTEXT)..first]);
            touched.push(1);
            add(&mut touched, &tokens[after..(after + CONTEXT).min(tokens.len())]);
            touched.push(2);
            touched.extend_from_slice(&self.files[file].of(first..after).to_le_bytes());
            touched.extend_from_slice(&(edit.text.len() as u64).to_le_bytes());
            touched.extend_from_slice(&edit.text);
        }
        ContentHash::of(&touched).low_bits()
    }
}

/// Hashes of the tokens of a file up to each of them. That of any range follows from two of them, so
/// that proposals nested 100,000 deep do not each read everything inside them.
struct Prefixes(Vec<u64>);

impl Prefixes {
    /// Hash of a range of tokens and of how often each name among them occurs.
    fn of(&self, range: Range<usize>) -> u64 {
        let before = multiply(self.0[range.start], power(range.len() as u64));
        (self.0[range.end] + MODULUS - before) % MODULUS
    }
}

fn prefixes(snapshot: &Snapshot) -> Vec<Prefixes> {
    let mut occurrences: HashMap<&[u8], u64> = HashMap::new();
    for file in 0..snapshot.file_count() {
        let bytes = snapshot.bytes(file);
        for token in snapshot.tokens(file).iter().filter(is_word) {
            *occurrences.entry(&bytes[token.range()]).or_default() += 1;
        }
    }
    let of_file = |file: usize| {
        let (bytes, tokens) = (snapshot.bytes(file), snapshot.tokens(file));
        let mut hashes = Vec::with_capacity(tokens.len() + 1);
        hashes.push(0);
        let mut hash = 0;
        for token in tokens {
            let text = &bytes[token.range()];
            let count = if is_word(&token) { occurrences.get(text).copied() } else { None };
            let seed = count.unwrap_or(0) + 1;
            let token = text.iter().fold(seed, |hash, &byte| step(hash, u64::from(byte) + 1));
            hash = step(hash, token);
            hashes.push(hash);
        }
        Prefixes(hashes)
    };
    (0..snapshot.file_count()).map(of_file).collect()
}

/// Hashes are values of polynomials modulo a Mersenne prime.
const MODULUS: u64 = (1 << 61) - 1;
const BASE: u64 = 0x0135_7a3f_9d2c_84eb;

fn step(hash: u64, next: u64) -> u64 {
    (multiply(hash, BASE) + next) % MODULUS
}

fn multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    ((product & u128::from(MODULUS)) as u64 + (product >> 61) as u64) % MODULUS
}

/// The base to the power of `exponent`.
fn power(mut exponent: u64) -> u64 {
    let (mut result, mut factor) = (1, BASE);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = multiply(result, factor);
        }
        factor = multiply(factor, factor);
        exponent /= 2;
    }
    result
}

fn is_word(token: &&Token) -> bool {
    token.kind == TokenKind::Word
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clreduce_passes::find;
    use clreduce_testcase::{Edit, Language, TestCase};

    use super::*;

    fn fingerprint(source: &str, range: Range<usize>) -> u64 {
        let case = TestCase::single("a.c", source.as_bytes()).unwrap();
        let snapshot = Snapshot::new(case, Language::C);
        let row = find("statements").unwrap();
        Fingerprints::new(&snapshot, row).of(&Patch::single(Edit::delete(0, range)))
    }

    #[test]
    fn what_is_touched_counts_and_where_it_stands_does_not() {
        let here = fingerprint("a(); x(y); b(); z;", 5..10);
        assert_eq!(here, fingerprint("w + 1; a();  x( y); b(); z; q;", 13..19));
        for other in
            ["a(); x(z); b(); z;", "a(); x(y); b(); y;", "a(), x(y); b(); z;", "a(); x(y); c(); z;"]
        {
            assert_ne!(here, fingerprint(other, 5..10), "{other}");
        }
        assert_ne!(here, fingerprint("a(); x(y); b(); z;", 5..9));
    }

    #[test]
    fn nested_proposals_do_not_each_read_what_is_inside() {
        let depth = 100_000;
        let source = format!("{}x{}", "{".repeat(depth), "}".repeat(depth));
        let case = TestCase::single("a.c", source.as_bytes()).unwrap();
        let snapshot = Snapshot::new(case, Language::TEXT);
        let fingerprints = Fingerprints::new(&snapshot, find("statements").unwrap());
        let known: BTreeSet<u64> = (0..depth)
            .map(|at| Patch::single(Edit::delete(0, at..2 * depth - at)))
            .map(|patch| fingerprints.of(&patch))
            .collect();
        assert_eq!(known.len(), depth, "quadratic time would be minutes here");
    }
}
