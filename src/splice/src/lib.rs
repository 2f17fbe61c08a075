//! New kernels from parts of other kernels, as seeds of campaigns.
//!
//! A kernel of a collection gets parts of other kernels: an expression, a statement or a block takes the place of one
//! of the same kind and type. Names that a part does not declare itself are bound to variables of the same type where it
//! comes to stand; functions, types and constants that it uses come along. The result has the normal form of
//! [`normalized`](clreduce_passes::normalized), and a launch comment.
//!
//! This crate reads no files and uses no clock and no thread. A seed and a collection decide everything.

mod bind;
mod dead;
mod donor;
mod emi;
mod launch;
mod program;
mod prune;
mod shape;
mod site;
mod variable;

use clreduce_generator::{SeedKey, Stream};
use clreduce_language::{KernelParameter, NodeId, kernel_signatures};
use clreduce_passes::{normalized, single_kernels};
use clreduce_testcase::Language;
use thiserror::Error;

pub use emi::{ELEMENTS as EMI_ELEMENTS, EmiFamily, MOST_VARIANTS, PartCounts, alone, donors};

use donor::Snippet;
use program::ParsedKernels;
use site::{Site, SiteKind};

/// The version of the format. A change of what a seed means raises it.
const FORMAT: u64 = 2;
/// Larger files are left out: most of such a file is a library.
pub const LARGEST: usize = 64 << 10;

/// A collection of programs in OpenCL C. Each is one file without directives other than pragmas.
pub trait Collection {
    /// Their number.
    fn count(&self) -> usize;

    /// The name of a program, for people.
    fn name(&self, index: usize) -> &str;

    /// The text of a program; `None` where it cannot be used.
    fn text(&self, index: usize) -> Option<Vec<u8>>;
}

/// A spliced kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spliced {
    /// The program, with its launch comment and a comment that names its sources.
    pub text: Vec<u8>,
    /// The names of the programs that it is made of; the first is that of the kernel.
    pub sources: Vec<String>,
}

/// The reason that a seed has no kernel.
#[derive(Debug, Error)]
pub enum SpliceError {
    /// No program has a kernel that can be launched and that parses.
    #[error(
        "no file has a kernel that can be spliced: they need to be preprocessed, of at most {LARGEST} bytes, and with buffers and numbers as arguments"
    )]
    NoKernel,
    /// No part of any of them fits.
    #[error("found no fitting part in {0} attempts\nhelp: try a folder with more kernels")]
    NoPart(u64),
}

/// Makes a kernel of a seed.
///
/// # Errors
/// When the collection has no kernel that can get a part of another one.
pub fn splice(collection: &dyn Collection, seed: u64) -> Result<Spliced, SpliceError> {
    let key = SeedKey::root(seed).named("splice").child(FORMAT);
    if collection.count() == 0 {
        return Err(SpliceError::NoKernel);
    }
    let mut tried = 0;
    for attempt in 0..200 {
        let key = key.child(attempt);
        let Some((index, host)) = host(collection, key.named("host").stream()) else { continue };
        tried += 1;
        if let Some(spliced) = with_parts(collection, index, host, key) {
            return Ok(spliced.named(collection, seed));
        }
    }
    Err(if tried == 0 { SpliceError::NoKernel } else { SpliceError::NoPart(tried) })
}

/// A kernel with parts of other kernels.
struct WithParts {
    text: Vec<u8>,
    sources: Vec<usize>,
    /// The dimensions in which it is launched: those of the kernel without parts.
    dimensions: usize,
}

impl WithParts {
    fn named(self, collection: &dyn Collection, seed: u64) -> Spliced {
        let names = self.sources.iter().map(|&index| collection.name(index).to_owned());
        let sources: Vec<String> = names.collect();
        let launch = launch::comment(&self.text, self.dimensions);
        // Names of files may have any characters but a line break.
        let listed = sources.join(", ").replace(['\n', '\r'], " ");
        let mut text = format!("{launch}\n// seed {seed}: {listed}\n").into_bytes();
        text.extend_from_slice(&self.text);
        Spliced { text, sources }
    }
}

/// A kernel to begin with, alone.
fn host(collection: &dyn Collection, mut stream: Stream) -> Option<(usize, Vec<u8>)> {
    let index = stream.below(collection.count() as u64) as usize;
    let program = ParsedKernels::read(collection.text(index)?)?;
    let kernels = single_kernels(&program.text, Language::OPENCL).ok()?;
    if kernels.is_empty() {
        return None;
    }
    let chosen = stream.below(kernels.len() as u64) as usize;
    let text = kernels.into_iter().nth(chosen)?;
    let signatures = kernel_signatures(&text, Language::OPENCL);
    let is_launched = |parameter: &KernelParameter| {
        let is_image =
            matches!(parameter, KernelParameter::Image { .. } | KernelParameter::Sampler);
        !is_image && !matches!(parameter, KernelParameter::Other(_))
    };
    let fits = signatures.iter().all(|kernel| kernel.parameters.iter().all(is_launched));
    (fits && !signatures.is_empty()).then_some((index, text))
}

/// Puts parts into a kernel; `None` if none fits.
fn with_parts(
    collection: &dyn Collection,
    host: usize,
    text: Vec<u8>,
    key: SeedKey,
) -> Option<WithParts> {
    let mut sources = vec![host];
    let dimensions = launch::dimensions(&text);
    let mut program = ParsedKernels::read(text)?;
    let parts = key.named("parts").stream().within(1, 5) as u64;
    for part in 0..parts {
        let spliced = (0..4).find_map(|place| {
            one_part(
                collection,
                (&program, dimensions),
                part,
                key.named("part").child(part).child(place),
            )
        });
        if let Some((donor, spliced)) = spliced {
            program = spliced;
            if !sources.contains(&donor) {
                sources.push(donor);
            }
        }
    }
    let has_parts = sources.len() > 1;
    let text = normalized(&program.text, Language::OPENCL).ok()?;
    has_parts.then_some(WithParts { text, sources, dimensions })
}

/// Puts one part into a program, from a file whose index is returned too.
fn one_part(
    collection: &dyn Collection,
    (program, dimensions): (&ParsedKernels, usize),
    part: u64,
    key: SeedKey,
) -> Option<(usize, ParsedKernels)> {
    let mut stream = key.stream();
    let kind = stream.weighted(&SiteKind::WEIGHTS)?;
    let sites = Site::all(program, kind);
    if sites.is_empty() {
        return None;
    }
    let site = stream.pick(&sites);
    (0..12).find_map(|donor| {
        let mut stream = key.named("donor").child(donor).stream();
        let index = stream.below(collection.count() as u64) as usize;
        let other = ParsedKernels::read(collection.text(index)?)?;
        let nodes = fitting(&other, site);
        if nodes.is_empty() {
            return None;
        }
        let snippet = Snippet::of(&other, stream.pick(&nodes), part)?;
        let text = bind::put(program, site, &snippet, dimensions, &mut stream)?;
        let alone = single_kernels(&text, Language::OPENCL).ok()?;
        let [text] = <[Vec<u8>; 1]>::try_from(alone).ok()?;
        Some((index, ParsedKernels::read(text)?))
    })
}

/// The nodes of a program that can stand at a place of another one.
fn fitting(program: &ParsedKernels, site: Site) -> Vec<NodeId> {
    match site.kind {
        SiteKind::Expression => donor::expressions(program, site.number),
        SiteKind::Statement => donor::statements(program),
        SiteKind::Block => donor::blocks(program),
    }
}

#[cfg(test)]
mod tests;
