//! The lines that are left of a program, each with the variants that change it, nearest first.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use clreduce_engine::{Considered, HistoryEnd, Reducer};
use clreduce_interestingness::{Filtered, Verdict};
use clreduce_testcase::{Complaint, ContentHash, Patch, TestCase};

use crate::past::changes::{Change, TokenText};

/// What a reduction said of a variant.
#[derive(Clone, Debug)]
pub(super) struct JudgedVariant {
    pub(super) step: u64,
    pub(super) verdict: Verdict,
    pub(super) filtered: Filtered,
    pub(super) complaints: Vec<Complaint>,
    /// The test accepts it, and `--prefer` ranks it.
    pub(super) is_ranked: bool,
}

/// The reason why a variant is not the result.
#[derive(Clone, Debug)]
pub(super) enum Fate {
    /// There is a verdict on it.
    Judged(JudgedVariant),
    /// The same proposal was refused before, in the same surroundings.
    Alike(u64),
    /// A part of it was refused.
    Contains(u64),
    /// It changes what is protected.
    Protected,
    /// Nothing is known of it.
    Untried,
}

/// A variant of the result that would be smaller.
pub(super) struct Variant {
    pub(super) pass: &'static str,
    pub(super) fate: Fate,
    /// What it changes, in tokens of the text that is shown.
    pub(super) changes: Vec<Change>,
    /// The program that it was made of, by index, and how.
    base: usize,
    patch: Arc<Patch>,
}

/// A line of the program.
pub(super) struct ResultLine {
    pub(super) file: usize,
    /// Its number, from 1.
    pub(super) number: u32,
    /// Its tokens, by index.
    pub(super) tokens: Range<usize>,
    /// The nearest variant without it.
    pub(super) without: Option<usize>,
    /// Variants in which a part of it is changed, the nearest first.
    pub(super) partly: Vec<usize>,
}

/// Everything that is known of a result.
pub(super) struct Reasons {
    pub(super) shown: TokenText,
    pub(super) lines: Vec<ResultLine>,
    pub(super) variants: Vec<Variant>,
    bases: Vec<TokenText>,
}

impl Reasons {
    /// Finds the reasons for the lines that are wanted. `shown` has the same tokens as the result.
    pub(super) fn of(
        end: &HistoryEnd,
        judged: &HashMap<ContentHash, JudgedVariant>,
        shown: TokenText,
        is_wanted: impl Fn(u32) -> bool,
    ) -> Self {
        let mut lines = lines_of(&shown);
        lines.retain(|line| is_wanted(line.number));
        let states: Vec<&Reducer> =
            std::iter::once(&end.now).chain(end.before_finish.as_ref()).collect();
        let bases: Vec<TokenText> =
            states.iter().map(|state| TokenText::new(state.current())).collect();
        let mut reasons = Self { shown, lines, variants: Vec::new(), bases };
        for (index, state) in states.into_iter().enumerate() {
            reasons.add_variants(index, state, judged);
        }
        reasons.sort_variants();
        reasons
    }

    /// The variants of one state of the reducer.
    fn add_variants(
        &mut self,
        index: usize,
        state: &Reducer,
        judged: &HashMap<ContentHash, JudgedVariant>,
    ) {
        let base = &self.bases[index];
        // The names on the way to the result are those of its end.
        let end = base.followed_to(&self.bases[0]);
        let shown = self.bases[0].followed_to(&self.shown);
        let place = |file: usize, at: usize| {
            let (file, at) = end[file][at]?;
            shown[file][at]
        };
        let wanted: Vec<Vec<Range<u32>>> =
            (0..base.tokens.len()).map(|file| self.wanted(base, file, place)).collect();
        let is_wanted = |patch: &Patch| {
            patch.edits().iter().any(|edit| {
                let ranges = &wanted[edit.file as usize];
                ranges.iter().any(|range| edit.start <= range.end && range.start <= edit.end)
            })
        };
        let considered = state.considered(&is_wanted);
        let fates: Vec<Fate> = considered.iter().map(|it| fate(it, &considered, judged)).collect();
        for (it, fate) in considered.into_iter().zip(fates) {
            let changes = base.changes(&it.patch);
            let changes = changes.into_iter().flat_map(|change| moved(change, place)).collect();
            let Considered { pass, patch, .. } = it;
            self.variants.push(Variant { pass, fate, changes, base: index, patch });
        }
    }

    /// Where the tokens of the wanted lines stand in a file of a base.
    fn wanted(
        &self,
        base: &TokenText,
        file: usize,
        place: impl Fn(usize, usize) -> Option<(usize, usize)>,
    ) -> Vec<Range<u32>> {
        let is_wanted = |at: usize| {
            place(file, at).is_some_and(|(file, at)| {
                self.lines.iter().any(|line| line.file == file && line.tokens.contains(&at))
            })
        };
        let tokens = base.tokens[file].iter().enumerate();
        let mut ranges: Vec<Range<u32>> = Vec::new();
        let mut last = None;
        for (at, token) in tokens.filter(|(at, _)| is_wanted(*at)) {
            match ranges.last_mut().filter(|_| last.is_some_and(|last| last + 1 == at)) {
                Some(range) => range.end = token.end,
                None => ranges.push(token.start..token.end),
            }
            last = Some(at);
        }
        ranges
    }

    /// For each line, the variants that change it.
    fn sort_variants(&mut self) {
        // Of variants that look the same, the one of which most is known.
        let variants = &self.variants;
        let mut best: HashMap<&[Change], usize> = HashMap::new();
        for (index, variant) in variants.iter().enumerate() {
            let known = best.entry(&variant.changes).or_insert(index);
            if rank(&variant.fate) < rank(&variants[*known].fate) {
                *known = index;
            }
        }
        let is_best = |index: &usize| best.get(&variants[*index].changes[..]) == Some(index);
        let distinct: Vec<usize> = (0..variants.len()).filter(is_best).collect();
        for line in &mut self.lines {
            let touching = distinct.iter().filter_map(|&index| {
                let touch = Touch::of(&variants[index], line)?;
                Some((touch, index))
            });
            let (mut whole, mut partly): (Vec<_>, Vec<_>) =
                touching.partition(|(touch, _)| touch.is_gone);
            let nearest = |(touch, index): &(Touch, usize)| {
                (rank(&variants[*index].fate) == UNTRIED, touch.outside, Reverse(touch.inside))
            };
            whole.sort_by_key(nearest);
            partly.sort_by_key(nearest);
            line.without = whole.first().map(|(_, index)| *index);
            line.partly = partly.into_iter().map(|(_, index)| index).collect();
        }
    }

    /// The program that a variant is.
    pub(super) fn program(&self, variant: usize) -> TestCase {
        let Variant { base, patch, .. } = &self.variants[variant];
        self.bases[*base].case.apply(patch)
    }
}

/// The way in which a variant changes a line.
pub(super) struct Touch {
    /// Nothing of the line is left.
    pub(super) is_gone: bool,
    /// The tokens that it changes in the line and elsewhere.
    inside: usize,
    pub(super) outside: usize,
}

impl Touch {
    /// `None` if it does not change it.
    pub(super) fn of(variant: &Variant, line: &ResultLine) -> Option<Self> {
        let (mut gone, mut inside, mut outside) = (0, 0, 0);
        for change in &variant.changes {
            let here = part_in(change, line);
            let count = here.as_ref().map_or(0, ExactSizeIterator::len);
            let added = usize::from(!change.text.is_empty());
            gone += if change.text.is_empty() { count } else { 0 };
            outside += change.tokens.len() - count;
            match here {
                Some(_) => inside += count + added,
                None => outside += added,
            }
        }
        let is_gone = gone == line.tokens.len();
        (inside > 0).then_some(Self { is_gone, inside, outside })
    }
}

/// The tokens of a change that are in a line; `None` if it does not touch it.
pub(super) fn part_in(change: &Change, line: &ResultLine) -> Option<Range<usize>> {
    let Range { start, end } = change.tokens;
    let (first, after) = (start.max(line.tokens.start), end.min(line.tokens.end));
    let is_added_inside = start == end && line.tokens.start < start && start < line.tokens.end;
    let touches = change.file == line.file && (first < after || is_added_inside);
    touches.then_some(first..after)
}

/// The lines with tokens.
pub(super) fn lines_of(text: &TokenText) -> Vec<ResultLine> {
    let mut lines: Vec<ResultLine> = Vec::new();
    for (file, tokens) in text.tokens.iter().enumerate() {
        let bytes = &text.case.files()[file].bytes;
        let (mut number, mut at) = (1, 0);
        for (index, token) in tokens.iter().enumerate() {
            let start = token.start as usize;
            number += bytes[at..start].iter().filter(|byte| **byte == b'\n').count() as u32;
            at = start;
            match lines.last_mut().filter(|line| line.file == file && line.number == number) {
                Some(line) => line.tokens.end = index + 1,
                None => {
                    let (tokens, partly) = (index..index + 1, Vec::new());
                    lines.push(ResultLine { file, number, tokens, without: None, partly });
                }
            }
        }
    }
    lines
}

/// A change in tokens of the text that is shown. What is not there any more is left out.
fn moved(change: Change, place: impl Fn(usize, usize) -> Option<(usize, usize)>) -> Vec<Change> {
    let Change { file, tokens, text } = change;
    if tokens.is_empty() {
        let before = tokens.start.checked_sub(1).and_then(|at| place(file, at));
        let moved = before.map(|(file, at)| Change { file, tokens: at + 1..at + 1, text });
        return moved.into_iter().collect();
    }
    let mut moved: Vec<Change> = Vec::new();
    for (file, at) in tokens.filter_map(|at| place(file, at)) {
        match moved.last_mut().filter(|last| last.file == file && last.tokens.end == at) {
            Some(last) => last.tokens.end = at + 1,
            None => moved.push(Change { file, tokens: at..at + 1, text: Vec::new() }),
        }
    }
    if let Some(first) = moved.first_mut() {
        first.text = text;
    }
    moved
}

const UNTRIED: u8 = 4;

/// How much is known of a variant; less is more.
fn rank(fate: &Fate) -> u8 {
    match fate {
        Fate::Judged(_) => 0,
        Fate::Alike(_) => 1,
        Fate::Contains(_) => 2,
        Fate::Protected => 3,
        Fate::Untried => UNTRIED,
    }
}

fn fate(it: &Considered, all: &[Considered], judged: &HashMap<ContentHash, JudgedVariant>) -> Fate {
    if let Some(judged) = judged.get(&it.hash) {
        return Fate::Judged(judged.clone());
    }
    if it.is_protected {
        return Fate::Protected;
    }
    let alike = |it: &Considered| Some(judged.get(it.like.as_ref()?)?.step);
    if let Some(step) = alike(it) {
        return Fate::Alike(step);
    }
    let refused = |it: &Considered| {
        let judged = judged.get(&it.hash).filter(|it| it.verdict != Verdict::Interesting);
        judged.map(|judged| judged.step).or_else(|| alike(it))
    };
    let parts = all.iter().filter(|part| part.pass == it.pass && it.patch.contains(&part.patch));
    parts.into_iter().find_map(refused).map_or(Fate::Untried, Fate::Contains)
}
