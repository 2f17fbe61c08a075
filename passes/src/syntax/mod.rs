//! Passes over the syntax tree. They know kinds of nodes and no names: what they propose is well
//! formed, but whether what is left is still declared is for the test to say.

mod binding;
mod context;
pub(crate) mod unit;

pub(crate) mod compound_assignment;
pub(crate) mod dereference;
pub(crate) mod expression_to_constant;
pub(crate) mod expression_to_operand;
pub(crate) mod first_element;
pub(crate) mod fold;
pub(crate) mod implicit_int;
pub(crate) mod initializers;
pub(crate) mod last_semicolon;
pub(crate) mod list_elements;
pub(crate) mod merge_declarations;
pub(crate) mod parentheses;
pub(crate) mod return_early;
pub(crate) mod smaller_elsewhere;
pub(crate) mod specifiers;
pub(crate) mod statement_expression;
pub(crate) mod statement_to_value;
pub(crate) mod statements;
pub(crate) mod top_level;
pub(crate) mod types;
pub(crate) mod unwrap;
