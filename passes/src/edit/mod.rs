//! Edits that several passes make: removing a declaration with its uses, putting one expression in the place
//! of another.

mod disjoint;
mod edited;
mod expression;
mod needs;
mod parameter;
mod removal;
mod repair;
mod smaller;
mod stub;
mod substitute;
mod unit;
mod unused;

pub(crate) use disjoint::disjoint;
pub(crate) use edited::edited;
pub(crate) use expression::{as_operand, rewritten};
pub(crate) use needs::{ItemNeeds, KeptParts};
pub(crate) use parameter::ParameterTable;
pub(crate) use removal::{
    for_each_symbol, is_whole_statement, remove_declaration, remove_expression, remove_statement,
    remove_symbol, without,
};
pub use repair::{RefusedGroup, Repaired};
pub(crate) use smaller::is_smaller;
pub(crate) use stub::stub_of;
pub(crate) use substitute::{Arguments, TemplateArgument, fitted, substituted, substitutions};
pub use unused::UnusedDeclarations;
pub(crate) use unused::unreached;
