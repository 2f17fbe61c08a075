//! The one table of passes: the schedule, `--list-passes` and the documentation come from it.

use clreduce_testcase::Language;

use crate::pass::Pass;
use crate::syntax::expression_to_constant::ExpressionToConstant;
use crate::syntax::expression_to_operand::ExpressionToOperand;
use crate::syntax::initializers::Initializers;
use crate::syntax::list_elements::ListElements;
use crate::syntax::smaller_elsewhere::SmallerElsewhere;
use crate::syntax::specifiers::Specifiers;
use crate::syntax::statement_to_value::StatementToValue;
use crate::syntax::statements::Statements;
use crate::syntax::top_level::TopLevel;
use crate::syntax::types::Types;
use crate::syntax::unwrap::Unwrap;

/// When a pass runs. Phases run in this order, each repeated until it changes nothing; the whole is
/// repeated until a full round changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Once at the start: what makes every later test cheaper.
    Prepare,
    /// Whole declarations and function bodies.
    Coarse,
    /// Statements, names, list elements, expressions.
    Fine,
    /// Literals, tokens, anything that spoils the structure for other passes.
    Polish,
    /// Once at the very end: layout for a person.
    Finish,
}

/// How the proposals of a pass are explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Explore {
    /// All together, then ever smaller groups from the end of the list to its front.
    Groups,
    /// One after the other, the one that removes most first.
    BiggestFirst,
}

/// One row of the table.
pub struct Row {
    /// The pass.
    pub pass: &'static dyn Pass,
    /// When it runs.
    pub phase: Phase,
    /// How its proposals are explored.
    pub explore: Explore,
}

/// Every pass, in the order in which a phase runs them.
pub static TABLE: &[Row] = &[
    Row { pass: &TopLevel, phase: Phase::Coarse, explore: Explore::Groups },
    Row { pass: &Statements, phase: Phase::Fine, explore: Explore::Groups },
    Row { pass: &Unwrap, phase: Phase::Fine, explore: Explore::BiggestFirst },
    Row { pass: &StatementToValue, phase: Phase::Fine, explore: Explore::BiggestFirst },
    Row { pass: &Initializers, phase: Phase::Fine, explore: Explore::Groups },
    Row { pass: &ListElements, phase: Phase::Fine, explore: Explore::Groups },
    Row { pass: &ExpressionToOperand, phase: Phase::Fine, explore: Explore::BiggestFirst },
    Row { pass: &ExpressionToConstant, phase: Phase::Fine, explore: Explore::BiggestFirst },
    Row { pass: &Specifiers, phase: Phase::Fine, explore: Explore::Groups },
    Row { pass: &Types, phase: Phase::Polish, explore: Explore::Groups },
    Row { pass: &SmallerElsewhere, phase: Phase::Polish, explore: Explore::BiggestFirst },
];

/// The row of the pass with this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.pass.name() == name)
}

impl Row {
    /// Whether the pass knows a language.
    #[must_use]
    pub fn applies_to(&self, language: Language) -> bool {
        self.pass.languages().contains(&language)
    }
}
