//! Mutants: programs that differ from a given one by one small fault. They judge those who look for faults: a check that
//! finds nothing wrong with a mutant of a valid kernel, or a test that does not see the difference, misses something.
//!
//! A mutant is no smaller than its program, so that these are no passes. Macros and text that did not parse are left
//! alone; [`Mutants::in_macros`] counts the operators there.
//!
//! Sources of the operators: Peng, "Automated Testing of OpenCL Kernels" (thesis, 2021), table 4.2; for barriers,
//! atomics and indices, Zhu and Zaidman, "Massively Parallel, Highly Efficient, but What About the Test Suite Quality?"
//! (ICST 2020).

mod expressions;
mod gpu;
mod statements;

use clreduce_language::NodeId;
use clreduce_testcase::{Edit, Patch, TokenKind};

use crate::Snapshot;
use crate::analysis::{Tokens, Unit, directives};

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MutationOperator {
    /// The name that people write: `barrier-deletion`.
    pub name: &'static str,
    /// The fault, in a few words.
    pub summary: &'static str,
}

/// All kinds of faults, in the order in which they are listed.
pub static MUTATION_OPERATORS: [&MutationOperator; 19] = [
    &expressions::ARITHMETIC,
    &expressions::RELATIONAL,
    &expressions::LOGICAL,
    &expressions::BITWISE,
    &expressions::ASSIGNMENT,
    &expressions::INCREMENT,
    &expressions::SIGN,
    &expressions::ZERO_DIVISION,
    &expressions::NARROW,
    &statements::NO_ITERATION,
    &statements::LOOP_BOUND,
    &statements::NO_INITIALISER,
    &gpu::NO_BARRIER,
    &gpu::DIVERGENT_BARRIER,
    &gpu::FENCE,
    &gpu::WORK_ITEM,
    &gpu::COORDINATE,
    &gpu::PLAIN_ATOMIC,
    &gpu::PLAIN_ATOMICS,
];

/// A program with one fault.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The kind of the fault.
    pub operator: &'static MutationOperator,
    /// The change of the program.
    pub patch: Patch,
    /// The file, as its index.
    pub file: usize,
    /// The line of the change, from 1.
    pub line: usize,
}

/// The mutants of a program, in the order of its text.
#[derive(Clone, Debug, Default)]
pub struct Mutants {
    /// The mutants.
    pub list: Vec<Mutant>,
    /// The number of operators in the bodies of macros, of which no mutants are made: a macro may mean something else at each use.
    pub in_macros: usize,
}

impl Mutants {
    /// The mutants of a program.
    #[must_use]
    pub fn of(snapshot: &Snapshot) -> Self {
        let mut mutants = Self::default();
        for unit in Unit::all(snapshot) {
            let mut found = FoundMutants { unit, list: Vec::new() };
            expressions::find(snapshot, &mut found);
            statements::find(&mut found);
            gpu::find(snapshot, &mut found);
            found.list.sort_by_key(|mutant| (mutant.line, first_byte(&mutant.patch)));
            mutants.list.append(&mut found.list);
        }
        mutants.in_macros = Tokens::all(snapshot).map(operators_in_macros).sum();
        mutants
    }
}

fn first_byte(patch: &Patch) -> u32 {
    patch.edits().first().map_or(0, |edit| edit.start)
}

fn operators_in_macros(tokens: Tokens<'_>) -> usize {
    let is_operator = |&token: &usize| {
        let token = tokens.tokens[token];
        token.kind == TokenKind::Punctuation
            && expressions::replacements(&tokens.bytes[token.range()]).next().is_some()
    };
    let defines = directives(tokens).into_iter().filter(|directive| directive.name == b"define");
    defines.map(|directive| directive.tokens.filter(is_operator).count()).sum()
}

struct FoundMutants<'a> {
    unit: Unit<'a>,
    list: Vec<Mutant>,
}

impl FoundMutants<'_> {
    /// Adds the program in which a text stands in place of a node.
    fn replace(
        &mut self,
        operator: &'static MutationOperator,
        node: NodeId,
        text: impl Into<Vec<u8>>,
    ) {
        let range = self.unit.tree.range(node);
        self.add(operator, Patch::single(Edit::replace(self.unit.file, range, text.into())));
    }

    fn add(&mut self, operator: &'static MutationOperator, patch: Patch) {
        let start = first_byte(&patch) as usize;
        let line = 1 + self.unit.bytes[..start].iter().filter(|byte| **byte == b'\n').count();
        self.list.push(Mutant { operator, patch, file: self.unit.file, line });
    }
}

#[cfg(test)]
mod tests;
