//! The passes: each looks at a snapshot of a program and proposes patches that make it smaller.
//!
//! This file declares every pass and lists them in [`TABLE`], the order in which they run. To add a pass,
//! write its file, declare it and give it a row here, and write its fixture; `CONTRIBUTING.md` says how.
//!
//! The crate is pure. A pass reads no files, starts no processes or threads, looks at no clock, draws no
//! random numbers, and does not recurse to a depth that its input decides. The engine decides which
//! proposals are tested, in which order and how many at once.

mod analysis;
mod budget;
mod edit;
mod mutants;
mod normal;
mod pass;
mod snapshot;
mod table;

pub mod harness;

pub use analysis::NestMiddles;
pub use budget::Budget;
pub use clreduce_language::{
    NodeId, Symbol, SymbolId, SymbolKind, Symbols, SyntaxNode, SyntaxTree,
};
pub use edit::{RefusedGroup, Repaired, UnusedDeclarations};
pub use mutants::{MUTATION_OPERATORS, Mutant, Mutants, MutationOperator};
pub use normal::{normalized, single_kernels};
pub use pass::{LaunchEdits, Pass, Proposal, Proposals};
pub use snapshot::Snapshot;
pub use table::{GROUPS, Grouping, Phase, Policy, Row};

use table::{ALL_OR_LARGE_GROUPS, BIGGEST_FIRST, HALVES, LARGE_GROUPS, LARGE_ONES, row};

/// Passes for what only GPU code has.
mod gpu {
    pub(crate) mod address_spaces;
    pub(crate) mod atomics;
    pub(crate) mod barriers;
    pub(crate) mod builtins;
    pub(crate) mod constants;
    pub(crate) mod cuda_host;
    pub(crate) mod cuda_launch;
    pub(crate) mod emi;
    pub(crate) mod images;
    pub(crate) mod kernel_arguments;
    pub(crate) mod ndrange;
    pub(crate) mod to_result;
    pub(crate) mod vector_literals;
    pub(crate) mod vectors;
    pub(crate) mod work_items;
}

/// Passes for what only C++ has, and so CUDA: namespaces, classes and their members, templates, overloads.
mod cpp {
    pub(crate) mod bases;
    pub(crate) mod bodies;
    pub(crate) mod class_to_int;
    pub(crate) mod clues;
    pub(crate) mod constraints;
    pub(crate) mod cuts;
    pub(crate) mod declarations;
    pub(crate) mod forwarding;
    pub(crate) mod functions;
    mod holders;
    pub(crate) mod inline_members;
    pub(crate) mod inline_names;
    pub(crate) mod main_bodies;
    pub(crate) mod main_file;
    pub(crate) mod namespaces;
    pub(crate) mod objects;
    mod parts;
    pub(crate) mod pipes;
    mod slice;
    pub(crate) mod specialisations;
    pub(crate) mod template_arguments;
    pub(crate) mod template_parameters;
    pub(crate) mod traits;
    pub(crate) mod unreachable;
    pub(crate) mod uses;
}

/// Passes that know what names mean: functions, variables, types, and what uses them.
mod names {
    pub(crate) mod absorb_functions;
    pub(crate) mod array_dimensions;
    pub(crate) mod clues;
    pub(crate) mod enums;
    pub(crate) mod inline;
    pub(crate) mod join_definitions;
    pub(crate) mod labels;
    pub(crate) mod local_to_file;
    pub(crate) mod merge_functions;
    pub(crate) mod merge_variables;
    pub(crate) mod parameter_to_variable;
    pub(crate) mod parameters;
    pub(crate) mod pointer_levels;
    pub(crate) mod propagate;
    pub(crate) mod remove_fields;
    pub(crate) mod remove_functions;
    pub(crate) mod remove_variables;
    pub(crate) mod stub;
    pub(crate) mod to_prototype;
    pub(crate) mod typedefs;
    pub(crate) mod unreachable;
}

/// Passes over the syntax tree. They know kinds of nodes and no names: what they propose is well
/// formed, but whether what is left is still declared is for the test to say.
mod syntax {
    pub(crate) mod compound_assignment;
    pub(crate) mod designators;
    pub(crate) mod expression_to_constant;
    pub(crate) mod expression_to_operand;
    pub(crate) mod indirection;
    pub(crate) mod initializers;
    pub(crate) mod list_elements;
    pub(crate) mod merge_declarations;
    pub(crate) mod nesting;
    pub(crate) mod parentheses;
    pub(crate) mod smaller_elsewhere;
    pub(crate) mod specifiers;
    pub(crate) mod statement_expression;
    pub(crate) mod statements;
    pub(crate) mod top_level;
    pub(crate) mod types;
    pub(crate) mod unexecuted;
    pub(crate) mod unwrap;
}

/// Passes that know nothing of a language but its grammar.
mod grammar {
    mod definitions;
    pub(crate) mod delete_nodes;
    pub(crate) mod lift_nodes;
    pub(crate) mod smallest_nodes;
}

/// Passes over LLVM IR.
mod llvm {
    pub(crate) mod arguments;
    pub(crate) mod bodies;
    pub(crate) mod branches;
    pub(crate) mod modifiers;
    pub(crate) mod module;
    pub(crate) mod numbers;
    pub(crate) mod slots;
    pub(crate) mod unused;
    pub(crate) mod values;
}

/// Passes over lines, comments, directives and files, and the layout of the final result.
mod text {
    mod layout;

    pub(crate) mod blocks;
    pub(crate) mod comments;
    pub(crate) mod conditionals;
    pub(crate) mod definitions;
    pub(crate) mod directives;
    pub(crate) mod files;
    pub(crate) mod format;
    pub(crate) mod line_markers;
    pub(crate) mod lines;
    pub(crate) mod macros;
    pub(crate) mod mentions;
    pub(crate) mod own_headers;
}

/// Passes over tokens. They need no parser, and so work on any language and on broken programs.
mod tokens {
    pub(crate) mod balanced;
    pub(crate) mod identifiers;
    pub(crate) mod literals;
    pub(crate) mod operators;
    pub(crate) mod registers;
    pub(crate) mod token_windows;
}

/// Every pass, in the order in which a phase runs them.
pub static TABLE: &[Row] = &[
    row(&names::clues::PASS, Phase::Prepare, LARGE_ONES),
    row(&cpp::clues::PASS, Phase::Prepare, LARGE_ONES),
    row(&syntax::unexecuted::PASS, Phase::Prepare, BIGGEST_FIRST.with_unused()),
    row(&gpu::ndrange::PASS, Phase::Prepare, BIGGEST_FIRST),
    row(&gpu::cuda_launch::PASS, Phase::Prepare, BIGGEST_FIRST),
    row(&llvm::numbers::PASS, Phase::Prepare, GROUPS),
    row(&text::own_headers::PASS, Phase::Prepare, GROUPS),
    row(&text::files::PASS, Phase::Prepare, GROUPS),
    row(&cpp::unreachable::PASS, Phase::Prepare, ALL_OR_LARGE_GROUPS),
    row(&cpp::uses::PASS, Phase::Prepare, LARGE_ONES),
    row(&cpp::main_bodies::PASS, Phase::Prepare, LARGE_GROUPS),
    row(&cpp::bodies::PASS, Phase::Prepare, ALL_OR_LARGE_GROUPS),
    row(&cpp::functions::PASS, Phase::Prepare, ALL_OR_LARGE_GROUPS),
    row(&text::line_markers::PASS, Phase::Prepare, GROUPS),
    row(&text::comments::PASS, Phase::Prepare, GROUPS),
    row(&names::unreachable::PASS, Phase::Sweep, GROUPS),
    row(&cpp::unreachable::PASS, Phase::Sweep, GROUPS),
    row(&llvm::unused::PASS, Phase::Sweep, GROUPS),
    row(&cpp::cuts::PASS, Phase::Cuts, LARGE_ONES),
    row(&gpu::ndrange::PASS, Phase::Coarse, BIGGEST_FIRST.with_unused()),
    row(&text::own_headers::PASS, Phase::Coarse, GROUPS),
    row(&text::files::PASS, Phase::Coarse, GROUPS),
    row(&names::unreachable::PASS, Phase::Coarse, ALL_OR_LARGE_GROUPS),
    row(&cpp::declarations::PASS, Phase::Coarse, LARGE_GROUPS),
    row(&cpp::main_file::PASS, Phase::Coarse, LARGE_GROUPS),
    row(&syntax::statements::PASS, Phase::Coarse, LARGE_GROUPS),
    row(&llvm::bodies::PASS, Phase::Coarse, HALVES),
    row(&llvm::modifiers::PASS, Phase::Coarse, GROUPS),
    row(&llvm::values::PASS, Phase::Coarse, GROUPS),
    row(&llvm::branches::PASS, Phase::Coarse, GROUPS),
    row(&llvm::slots::PASS, Phase::Coarse, GROUPS),
    row(&grammar::delete_nodes::PASS, Phase::Coarse, LARGE_GROUPS),
    row(&text::blocks::PASS, Phase::Coarse, GROUPS),
    row(&syntax::nesting::PASS, Phase::Coarse, GROUPS),
    row(&text::conditionals::PASS, Phase::Coarse, GROUPS.with_unused()),
    row(&text::directives::PASS, Phase::Coarse, GROUPS.with_unused()),
    row(&gpu::cuda_launch::PASS, Phase::Coarse, BIGGEST_FIRST.with_unused()),
    row(&gpu::cuda_host::PASS, Phase::Coarse, BIGGEST_FIRST.with_unused()),
    row(&gpu::kernel_arguments::PASS, Phase::Coarse, GROUPS.with_unused()),
    row(&gpu::emi::PASS, Phase::Coarse, GROUPS.with_unused()),
    row(&gpu::images::PASS, Phase::Coarse, GROUPS.with_unused()),
    row(&cpp::declarations::PASS, Phase::Fine, GROUPS),
    row(&cpp::namespaces::PASS, Phase::Fine, GROUPS),
    row(&cpp::inline_names::PASS, Phase::Fine, GROUPS),
    row(&cpp::forwarding::PASS, Phase::Fine, GROUPS),
    row(&cpp::inline_members::PASS, Phase::Fine, GROUPS),
    row(&cpp::objects::PASS, Phase::Fine, BIGGEST_FIRST),
    row(&cpp::pipes::PASS, Phase::Fine, BIGGEST_FIRST.with_unused()),
    row(&cpp::bases::PASS, Phase::Fine, GROUPS),
    row(&cpp::constraints::PASS, Phase::Fine, GROUPS),
    row(&cpp::traits::PASS, Phase::Fine, GROUPS),
    row(&cpp::template_parameters::PASS, Phase::Fine, GROUPS),
    row(&cpp::template_arguments::PASS, Phase::Fine, GROUPS),
    row(&cpp::specialisations::PASS, Phase::Fine, BIGGEST_FIRST),
    row(&syntax::specifiers::PASS, Phase::Fine, GROUPS),
    row(&cpp::class_to_int::PASS, Phase::Fine, GROUPS),
    row(&syntax::statements::PASS, Phase::Fine, GROUPS),
    row(&names::stub::PASS, Phase::Fine, GROUPS),
    row(&syntax::parentheses::PASS, Phase::Fine, GROUPS),
    row(&names::remove_functions::PASS, Phase::Fine, GROUPS),
    row(&names::remove_variables::PASS, Phase::Fine, GROUPS),
    row(&names::remove_fields::PASS, Phase::Fine, GROUPS),
    row(&names::propagate::PASS, Phase::Fine, GROUPS),
    row(&names::parameters::PASS, Phase::Fine, GROUPS),
    row(&names::inline::PASS, Phase::Fine, GROUPS),
    row(&names::typedefs::PASS, Phase::Fine, GROUPS),
    row(&names::array_dimensions::PASS, Phase::Fine, GROUPS),
    row(&names::pointer_levels::PASS, Phase::Fine, GROUPS),
    row(&names::enums::PASS, Phase::Fine, GROUPS),
    row(&names::labels::PASS, Phase::Fine, GROUPS),
    row(&syntax::statement_expression::PASS, Phase::Fine, BIGGEST_FIRST),
    row(&syntax::unwrap::PASS, Phase::Fine, BIGGEST_FIRST),
    row(&syntax::initializers::PASS, Phase::Fine, GROUPS),
    row(&syntax::designators::PASS, Phase::Fine, GROUPS),
    row(&syntax::list_elements::PASS, Phase::Fine, GROUPS),
    row(&llvm::arguments::PASS, Phase::Fine, GROUPS),
    row(&grammar::delete_nodes::PASS, Phase::Fine, GROUPS),
    row(&text::mentions::PASS, Phase::Fine, GROUPS),
    row(&tokens::registers::PASS, Phase::Fine, GROUPS),
    row(&text::definitions::PASS, Phase::Fine, GROUPS),
    row(&grammar::lift_nodes::PASS, Phase::Fine, BIGGEST_FIRST),
    row(&gpu::barriers::PASS, Phase::Fine, GROUPS),
    row(&gpu::work_items::PASS, Phase::Fine, GROUPS),
    row(&gpu::atomics::PASS, Phase::Fine, GROUPS),
    row(&gpu::vectors::PASS, Phase::Fine, GROUPS),
    row(&gpu::builtins::PASS, Phase::Fine, GROUPS),
    row(&gpu::address_spaces::PASS, Phase::Fine, GROUPS),
    row(&gpu::constants::PASS, Phase::Fine, GROUPS),
    row(&gpu::vector_literals::PASS, Phase::Fine, GROUPS),
    row(&syntax::indirection::PASS, Phase::Fine, GROUPS),
    row(&syntax::expression_to_operand::PASS, Phase::Fine, BIGGEST_FIRST),
    row(&syntax::expression_to_constant::PASS, Phase::Fine, BIGGEST_FIRST),
    row(&names::to_prototype::PASS, Phase::Fine, GROUPS),
    row(&text::macros::PASS, Phase::Fine, GROUPS),
    row(&text::lines::PASS, Phase::Polish, GROUPS),
    row(&grammar::smallest_nodes::PASS, Phase::Polish, GROUPS),
    row(&syntax::top_level::PASS, Phase::Polish, GROUPS),
    row(&names::merge_functions::PASS, Phase::Polish, GROUPS),
    row(&names::join_definitions::PASS, Phase::Polish, GROUPS),
    row(&names::absorb_functions::PASS, Phase::Polish, GROUPS),
    row(&names::parameter_to_variable::PASS, Phase::Polish, GROUPS),
    row(&syntax::types::PASS, Phase::Polish, GROUPS),
    row(&tokens::literals::PASS, Phase::Polish, GROUPS),
    row(&names::merge_variables::PASS, Phase::Polish, BIGGEST_FIRST),
    row(&gpu::to_result::PASS, Phase::Polish, BIGGEST_FIRST),
    row(&syntax::smaller_elsewhere::PASS, Phase::Polish, BIGGEST_FIRST),
    row(&tokens::balanced::PASS, Phase::Polish, GROUPS),
    row(&syntax::compound_assignment::PASS, Phase::Polish, GROUPS),
    row(&tokens::operators::PASS, Phase::Polish, GROUPS),
    row(&tokens::token_windows::PASS, Phase::Polish, GROUPS),
    row(&names::local_to_file::PASS, Phase::Finish, GROUPS),
    row(&syntax::merge_declarations::PASS, Phase::Finish, GROUPS),
    row(&tokens::identifiers::PASS, Phase::Finish, GROUPS),
    row(&text::format::PASS, Phase::Finish, GROUPS),
    row(&tokens::token_windows::SINGLE, Phase::Last, BIGGEST_FIRST),
    row(&text::format::PASS, Phase::Last, GROUPS),
];

/// The row of the pass with this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.pass.name == name)
}
