//! Equivalence modulo inputs (Le, Afshari and Su 2014) for kernels that exist: variants with other texts and the same results.
//!
//! The kernel gets one more buffer, whose element `i` is `i`; the compiler cannot know that. Behind a comparison of two of its
//! elements that is never true stand parts of this kernel and of generated ones. Behind one that is always true, a statement of the
//! kernel remains, or a variable is kept, changed and restored. Each variant keeps some of these edits, and prunes what is
//! never executed.

use std::collections::BTreeSet;
use std::ops::Range;

use clreduce_generator::{EmiRates, Mode, Profile, SeedKey, Stream, TokenRange, generate};
use clreduce_language::NodeId;
use clreduce_passes::single_kernels;
use clreduce_testcase::Language;

use crate::bind::with_parameters;
use crate::dead::{FreeNames, dead_part};
use crate::donor::{self, Snippet};
use crate::program::{ParsedFunction, ParsedKernels};
use crate::prune::pruned;
use crate::shape::jumps_out;
use crate::site::{Site, SiteKind};
use crate::variable::{SplicedVariable, variables_at};

/// The most variants of a kernel: as many as there are rates of pruning.
pub const MOST_VARIANTS: usize = EmiRates::ALL.len();
/// The elements of the buffer.
pub const ELEMENTS: u64 = 16;
/// The edits of a kernel.
const EDITS: Range<u64> = 6..10;
/// The generated programs that parts come from.
const DONORS: u64 = 4;
/// The least tokens of a part of another program.
const LEAST_TOKENS: usize = 8;
/// The parts in a dead block.
const PARTS: Range<u64> = 2..5;
/// The draws until a variant differs from all earlier ones.
const DRAWS: u64 = 160;
/// Those of them with the same rates.
const DRAWS_OF_RATES: u64 = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EditKind {
    /// Statements that are never executed.
    Dead,
    /// A statement of the kernel that is always executed where it was before.
    Guard,
    /// A variable is kept, changed and restored.
    Scramble,
}

/// An edit at a statement.
struct LiveEdit {
    kind: EditKind,
    at: Range<usize>,
    /// The comparison.
    condition: String,
    /// The statements behind it, in brackets; none for a guard.
    body: Vec<u8>,
    /// The parts of it that the kernel has, and those of other programs.
    parts: PartCounts,
}

/// The number of parts in dead blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartCounts {
    /// Those of the kernel itself.
    pub own: usize,
    /// Those of other programs.
    pub others: usize,
}

/// Generated programs that parts of dead blocks come from, beside the kernel itself.
#[must_use]
pub fn donors(seed: u64) -> Vec<Vec<u8>> {
    let tokens = TokenRange::new(600, 1500).unwrap_or_default();
    let donor = |number: u64| {
        let mode = if number.is_multiple_of(2) { Mode::Basic } else { Mode::Vector };
        let profile = Profile { mode, tokens: tokens.clone(), ..Profile::default() };
        let seed = seed.wrapping_mul(DONORS).wrapping_add(number);
        Some(generate(seed, &profile).ok()?.source.into_bytes())
    };
    (0..DONORS).filter_map(donor).collect()
}

/// A kernel with edits. One of several kernels in a file must be alone there.
pub struct EmiFamily {
    text: Vec<u8>,
    /// The list of parameters with one more.
    parameters: (Range<usize>, Vec<u8>),
    edits: Vec<LiveEdit>,
    rates: [EmiRates; MOST_VARIANTS],
    key: SeedKey,
}

impl EmiFamily {
    /// Chooses edits for a kernel that is alone in a program without directives. `unexecuted` are the ranges of its text that no
    /// launch executes: no edit is put there. `others` are programs that parts of dead blocks come from, beside the kernel itself.
    /// Returns `None` if the program cannot be read, or there is no place for an edit.
    #[must_use]
    pub fn of(
        text: Vec<u8>,
        unexecuted: &[Range<usize>],
        others: &[Vec<u8>],
        seed: u64,
    ) -> Option<Self> {
        let key = SeedKey::root(seed).named("emi-of-texts");
        let program = ParsedKernels::read(text.clone())?;
        let [kernel] = <[ParsedFunction; 1]>::try_from(
            program.functions().into_iter().filter(|one| one.is_kernel).collect::<Vec<_>>(),
        )
        .ok()?;
        let buffer = fresh(&text, "emi_dead");
        let parameter = format!("__global const int *{buffer}").into_bytes();
        let parameters = with_parameters(&program, kernel, &[parameter])?;
        let own = Donor::own(ParsedKernels::read(text.clone())?);
        let others = others.iter().filter_map(|text| ParsedKernels::read(text.clone()));
        let donors: Vec<Donor> = std::iter::once(own).chain(others.map(Donor::other)).collect();
        let sites: Vec<Site> = Site::all(&program, SiteKind::Statement)
            .into_iter()
            .filter(|site| {
                // A branch that is never taken may follow a condition that is executed.
                let start = program.tree().range(site.node).start;
                let is_executed = unexecuted.iter().all(|range| !range.contains(&start));
                program.is_within(site.node, kernel.body) && is_executed
            })
            .collect();
        let maker = Maker { program: &program, donors: &donors, buffer: &buffer };
        let edits = maker.edits(&sites, key);
        let mut rates = EmiRates::ALL;
        key.named("rates").stream().shuffle(&mut rates[1..]);
        (!edits.is_empty()).then_some(Self { text, parameters, edits, rates, key })
    }

    /// Up to `count` variants with different texts. The first has all edits unpruned. A variant does not depend on `count`.
    #[must_use]
    pub fn variants(&self, count: usize) -> Vec<Vec<u8>> {
        let mut seen = BTreeSet::new();
        let mut variants = Vec::new();
        for number in 0..count.min(MOST_VARIANTS) {
            let key = self.key.child(number as u64);
            // A variant that is equal to an earlier one gets other numbers, and then other rates.
            let mut drawn = (0..DRAWS).map(|draw| {
                let other = (draw / DRAWS_OF_RATES) as usize;
                let rates = self.rates[(number + other) % MOST_VARIANTS];
                self.drawn(rates, number == 0, key.child(draw))
            });
            variants.extend(drawn.find(|text| seen.insert(text.clone())));
        }
        variants
    }

    /// The number of parts that stand in dead blocks before they are pruned.
    #[must_use]
    pub fn parts(&self) -> PartCounts {
        self.edits.iter().fold(PartCounts::default(), |all, edit| PartCounts {
            own: all.own + edit.parts.own,
            others: all.others + edit.parts.others,
        })
    }

    fn drawn(&self, rates: EmiRates, is_first: bool, key: SeedKey) -> Vec<u8> {
        // By place; what ends there comes before what begins.
        let mut insertions: Vec<(usize, bool, Vec<u8>)> = Vec::new();
        for (number, edit) in (0..).zip(&self.edits) {
            let key = key.child(number);
            let is_dead = edit.kind == EditKind::Dead;
            if !is_dead && !is_first && !key.stream().chance(70) {
                continue;
            }
            let body = match (is_dead, is_first) {
                (true, false) => match pruned(&edit.body, rates, key.named("prune")) {
                    Some(body) => body,
                    None => continue,
                },
                _ => edit.body.clone(),
            };
            let head = format!("{{ if ({}) ", edit.condition).into_bytes();
            let (before, after) = match edit.kind {
                EditKind::Guard => ([&head[..], b"{ "].concat(), &b" } }"[..]),
                _ => ([&head[..], &body, b" "].concat(), &b" }"[..]),
            };
            insertions.push((edit.at.start, true, before));
            insertions.push((edit.at.end, false, after.to_vec()));
        }
        let (range, parameters) = &self.parameters;
        insertions.sort_by_key(|(at, begins, _)| (*at, *begins));
        let (mut text, mut done) = (self.text[..range.start].to_vec(), range.end);
        text.extend(parameters);
        for (at, _, more) in insertions {
            text.extend(&self.text[done..at]);
            text.extend(more);
            done = at;
        }
        text.extend(&self.text[done..]);
        text
    }
}

/// A program with its parts that can stand in dead blocks.
struct Donor {
    program: ParsedKernels,
    statements: Vec<NodeId>,
    blocks: Vec<NodeId>,
}

impl Donor {
    /// The program of the kernel itself.
    fn own(program: ParsedKernels) -> Self {
        let (statements, blocks) = (donor::statements(&program), donor::blocks(&program));
        Self { program, statements, blocks }
    }

    /// Another program. What it declares outside of functions does not come along.
    fn other(program: ParsedKernels) -> Self {
        let mut donor = Self::own(program);
        let program = &donor.program;
        let fits = |node: &NodeId| {
            program.token_count(*node) >= LEAST_TOKENS && !needs_declarations(program, *node)
        };
        donor.statements.retain(fits);
        donor.blocks.retain(fits);
        donor
    }
}

struct Maker<'a> {
    program: &'a ParsedKernels,
    /// The first is the kernel itself.
    donors: &'a [Donor],
    buffer: &'a str,
}

impl Maker<'_> {
    fn edits(&self, sites: &[Site], key: SeedKey) -> Vec<LiveEdit> {
        const KINDS: [EditKind; 4] =
            [EditKind::Dead, EditKind::Dead, EditKind::Guard, EditKind::Scramble];
        let mut stream = key.named("places").stream();
        let mut edits: Vec<LiveEdit> = Vec::new();
        let wanted = EDITS.start + stream.below(EDITS.end - EDITS.start);
        // A short kernel has several edits in one place: the last one is the innermost.
        let most = 1 + wanted / sites.len().max(1) as u64;
        for number in 0..4 * wanted {
            if sites.is_empty() || edits.len() as u64 == wanted {
                break;
            }
            // There are two dead blocks at least.
            let kind = if edits.len() < 2 { EditKind::Dead } else { stream.pick(&KINDS) };
            let site = stream.pick(sites);
            let at = self.program.tree().range(site.node);
            let here = edits.iter().filter(|other| other.at.start == at.start).count() as u64;
            if here >= most {
                continue;
            }
            let key = key.named("edit").child(number);
            edits.extend(self.edit(kind, site, at, key));
        }
        edits
    }

    fn edit(&self, kind: EditKind, site: Site, at: Range<usize>, key: SeedKey) -> Option<LiveEdit> {
        let mut stream = key.stream();
        let none = PartCounts::default();
        let (body, parts) = match kind {
            EditKind::Dead => self.dead(site, key)?,
            // A compiler may suppose that a jump behind a condition leaves a value unset.
            EditKind::Guard if jumps_out(self.program, site.node) => return None,
            EditKind::Guard => (Vec::new(), none),
            EditKind::Scramble => (self.scramble(site, &mut stream)?, none),
        };
        let smaller = stream.below(ELEMENTS - 1);
        let greater = smaller + 1 + stream.below(ELEMENTS - 1 - smaller);
        let (left, right) =
            if kind == EditKind::Dead { (greater, smaller) } else { (smaller, greater) };
        let condition = format!("{0}[{left}] < {0}[{right}]", self.buffer);
        Some(LiveEdit { kind, at, condition, body, parts })
    }

    /// Several parts in one block.
    fn dead(&self, site: Site, key: SeedKey) -> Option<(Vec<u8>, PartCounts)> {
        let count = PARTS.start + key.stream().below(PARTS.end - PARTS.start);
        let parts = (0..count).filter_map(|part| self.dead_part(site, part, key.child(part)));
        let (are_own, parts): (Vec<bool>, Vec<Vec<u8>>) = parts.unzip();
        let own = are_own.iter().filter(|is_own| **is_own).count();
        let counts = PartCounts { own, others: are_own.len() - own };
        (!parts.is_empty()).then(|| ([b"{ ", &parts.join(&b' ')[..], b" }"].concat(), counts))
    }

    /// A statement or block of a donor, whose free names are variables of the kernel, or variables of its own; and whether the
    /// donor is the kernel.
    fn dead_part(&self, site: Site, part: u64, key: SeedKey) -> Option<(bool, Vec<u8>)> {
        (0..12).find_map(|attempt| {
            let mut stream = key.child(attempt).stream();
            // Every other part is the kernel's own.
            let number = match self.donors.len() as u64 {
                2.. if stream.chance(50) => 1 + stream.below(self.donors.len() as u64 - 1),
                _ => 0,
            };
            let donor = &self.donors[number as usize];
            let nodes = if stream.chance(50) { &donor.blocks } else { &donor.statements };
            if nodes.is_empty() {
                return None;
            }
            let (donor, node) = (&donor.program, stream.pick(nodes));
            let snippet = Snippet::of(donor, node, part)?;
            let names = match stream.chance(50) {
                true => FreeNames::OfTheKernel,
                false => FreeNames::TheirOwn,
            };
            let (is_own, program) = (number == 0, self.program);
            let text =
                dead_part(program, site, &snippet, (names, is_own), self.buffer, &mut stream);
            Some((is_own, text?))
        })
    }

    /// `{ T t = v; v = 1; v = t; }`
    fn scramble(&self, site: Site, stream: &mut Stream) -> Option<Vec<u8>> {
        let variables = variables_at(self.program, site.node);
        let fits = |one: &&SplicedVariable<'_>| {
            one.of.number().is_some() && one.has_value() && !one.is_const
        };
        let fitting: Vec<&SplicedVariable<'_>> = variables.iter().filter(fits).collect();
        if fitting.is_empty() {
            return None;
        }
        let variable = stream.pick(&fitting);
        let (name, number) = (std::str::from_utf8(variable.name()).ok()?, variable.of.number()?);
        let value = stream.below(100);
        let text = format!(
            "{{ {number} {name}_kept = {name}; {name} = ({number})({value}); {name} = {name}_kept; }}"
        );
        Some(text.into_bytes())
    }
}

/// Returns true if a part needs a function, type or constant that its program declares outside of functions.
fn needs_declarations(program: &ParsedKernels, node: NodeId) -> bool {
    program.names_in(node).any(|(_, symbol)| program.symbols().get(symbol).scope == NodeId(0))
}

/// A name that no word of a text is.
fn fresh(text: &[u8], name: &str) -> String {
    let is_taken = |name: &str| text.windows(name.len()).any(|word| word == name.as_bytes());
    let mut fresh = name.to_owned();
    while is_taken(&fresh) {
        fresh.push('_');
    }
    fresh
}

/// One kernel of a program, alone.
#[must_use]
pub fn alone(text: &[u8], kernel: &str) -> Option<Vec<u8>> {
    let kernels = single_kernels(text, Language::OPENCL).ok()?;
    kernels.into_iter().find(|text| {
        let found = clreduce_language::kernel_signatures(text, Language::OPENCL);
        found.iter().any(|one| one.name == kernel)
    })
}
