//! The one table of passes: the schedule, `--list-passes` and the documentation come from it.

use clreduce_testcase::Language;

use crate::pass::Pass;
use crate::{gpu, names, syntax, text, tokens};

/// When a pass runs. Phases run in this order; those in rounds are repeated until a full round changes
/// nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Once at the start: what makes every later test cheaper.
    Prepare,
    /// After every turn that changed something: what is of no use any more.
    Sweep,
    /// Whole declarations and function bodies.
    Coarse,
    /// Statements, names, list elements, expressions.
    Fine,
    /// Literals, tokens, anything that spoils the structure for other passes.
    Polish,
    /// Once at the very end: names and layout for a person. Exempt from the size order, but for tokens.
    Finish,
}

impl Phase {
    /// Whether the phase belongs to the rounds that go on until nothing changes: phases that run once
    /// do not.
    #[must_use]
    pub fn is_in_rounds(self) -> bool {
        matches!(self, Self::Coarse | Self::Fine | Self::Polish)
    }

    /// Whether the phase goes round by itself before the next one begins. Only the one whose passes
    /// make work for each other cheaply does.
    #[must_use]
    pub fn settles(self) -> bool {
        self == Self::Fine
    }
}

/// How the proposals of a pass are explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Explore {
    /// All together, then ever smaller groups from the end of the list to its front.
    Groups,
    /// As groups, but none that is less than this part of the program: what is large goes first. Not in
    /// programs that are small already.
    LargeGroups(u32),
    /// All together, then as large groups; in programs that are small already as groups.
    AllOrLargeGroups(u32),
    /// One after the other, the one that removes most first.
    BiggestFirst,
    /// One after the other, also where it makes the program larger: what the other passes then make of
    /// it decides.
    Pump,
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
    row(&gpu::ndrange::NdRange, Phase::Prepare, Explore::BiggestFirst),
    row(&gpu::cuda_launch::CudaLaunch, Phase::Prepare, Explore::BiggestFirst),
    row(&text::files::Files, Phase::Prepare, Explore::Groups),
    row(&text::line_markers::LineMarkers, Phase::Prepare, Explore::Groups),
    row(&text::comments::Comments, Phase::Prepare, Explore::Groups),
    row(&text::own_headers::OwnHeaders, Phase::Prepare, Explore::Groups),
    row(&names::unreachable::Unreachable, Phase::Sweep, Explore::Groups),
    row(&gpu::ndrange::NdRange, Phase::Coarse, Explore::BiggestFirst),
    row(&names::unreachable::Unreachable, Phase::Coarse, Explore::AllOrLargeGroups(64)),
    row(&names::stub::StubBodies, Phase::Coarse, Explore::LargeGroups(8)),
    row(&syntax::statements::Statements, Phase::Coarse, Explore::LargeGroups(8)),
    row(&names::stub::StubBodies, Phase::Coarse, Explore::LargeGroups(64)),
    row(&syntax::statements::Statements, Phase::Coarse, Explore::LargeGroups(64)),
    row(&names::remove_functions::RemoveFunctions, Phase::Coarse, Explore::LargeGroups(64)),
    row(&names::remove_variables::RemoveVariables, Phase::Coarse, Explore::LargeGroups(64)),
    row(&text::conditionals::Conditionals, Phase::Coarse, Explore::Groups),
    row(&text::directives::Directives, Phase::Coarse, Explore::Groups),
    row(&gpu::cuda_launch::CudaLaunch, Phase::Coarse, Explore::BiggestFirst),
    row(&gpu::cuda_host::CudaHost, Phase::Coarse, Explore::BiggestFirst),
    row(&gpu::templates::Templates, Phase::Coarse, Explore::Groups),
    row(&gpu::kernel_arguments::KernelArguments, Phase::Coarse, Explore::Groups),
    row(&gpu::emi::Emi, Phase::Coarse, Explore::Groups),
    row(&gpu::images::Images, Phase::Coarse, Explore::Groups),
    row(&syntax::statements::Statements, Phase::Fine, Explore::Groups),
    row(&names::stub::StubBodies, Phase::Fine, Explore::Groups),
    row(&syntax::parentheses::Parentheses, Phase::Fine, Explore::Groups),
    row(&names::remove_functions::RemoveFunctions, Phase::Fine, Explore::Groups),
    row(&names::remove_variables::RemoveVariables, Phase::Fine, Explore::Groups),
    row(&names::remove_fields::RemoveFields, Phase::Fine, Explore::Groups),
    row(&names::propagate::Propagate, Phase::Fine, Explore::Groups),
    row(&names::parameters::RemoveParameters, Phase::Fine, Explore::Groups),
    row(&names::propagate_arguments::PropagateArguments, Phase::Fine, Explore::Groups),
    row(&names::inline::Inline, Phase::Fine, Explore::Groups),
    row(&names::typedefs::InlineTypedefs, Phase::Fine, Explore::Groups),
    row(&names::struct_to_field::StructToField, Phase::Fine, Explore::Groups),
    row(&names::flatten_structs::FlattenStructs, Phase::Fine, Explore::Groups),
    row(&names::split_structs::SplitStructs, Phase::Fine, Explore::Groups),
    row(&names::array_dimensions::ArrayDimensions, Phase::Fine, Explore::Groups),
    row(&names::pointer_levels::PointerLevels, Phase::Fine, Explore::Groups),
    row(&names::enums::Enums, Phase::Fine, Explore::Groups),
    row(&names::labels::Labels, Phase::Fine, Explore::Groups),
    row(&syntax::statement_expression::StatementExpression, Phase::Fine, Explore::BiggestFirst),
    row(&syntax::unwrap::Unwrap, Phase::Fine, Explore::BiggestFirst),
    row(&syntax::return_early::ReturnEarly, Phase::Fine, Explore::BiggestFirst),
    row(&syntax::statement_to_value::StatementToValue, Phase::Fine, Explore::BiggestFirst),
    row(&syntax::initializers::Initializers, Phase::Fine, Explore::Groups),
    row(&syntax::list_elements::ListElements, Phase::Fine, Explore::Groups),
    row(&gpu::barriers::Barriers, Phase::Fine, Explore::Groups),
    row(&gpu::work_items::WorkItems, Phase::Fine, Explore::Groups),
    row(&gpu::atomics::Atomics, Phase::Fine, Explore::Groups),
    row(&gpu::vectors::Vectors, Phase::Fine, Explore::Groups),
    row(&gpu::builtins::Builtins, Phase::Fine, Explore::Groups),
    row(&gpu::address_spaces::AddressSpaces, Phase::Fine, Explore::Groups),
    row(&gpu::constants::Constants, Phase::Fine, Explore::Groups),
    row(&gpu::cuda_specifiers::CudaSpecifiers, Phase::Fine, Explore::Groups),
    row(&gpu::vector_literals::VectorLiterals, Phase::Fine, Explore::Groups),
    row(&syntax::first_element::FirstElement, Phase::Fine, Explore::Groups),
    row(&syntax::expression_to_operand::ExpressionToOperand, Phase::Fine, Explore::BiggestFirst),
    row(&syntax::expression_to_constant::ExpressionToConstant, Phase::Fine, Explore::BiggestFirst),
    row(&syntax::specifiers::Specifiers, Phase::Fine, Explore::Groups),
    row(&syntax::dereference::Dereference, Phase::Fine, Explore::Groups),
    row(&syntax::fold::FoldConstants, Phase::Fine, Explore::Groups),
    row(&names::to_prototype::BodyToPrototype, Phase::Fine, Explore::Groups),
    row(&text::macros::Macros, Phase::Fine, Explore::Groups),
    row(&text::lines::Lines, Phase::Polish, Explore::Groups),
    row(&syntax::top_level::TopLevel, Phase::Polish, Explore::Groups),
    row(&names::merge_functions::MergeFunctions, Phase::Polish, Explore::Groups),
    row(&names::join_definitions::JoinDefinitions, Phase::Polish, Explore::Groups),
    row(&names::absorb_functions::AbsorbFunctions, Phase::Polish, Explore::Groups),
    row(&names::return_to_void::ReturnToVoid, Phase::Polish, Explore::Groups),
    row(&names::parameter_to_variable::ParameterToVariable, Phase::Polish, Explore::Groups),
    row(&syntax::types::Types, Phase::Polish, Explore::Groups),
    row(&tokens::literals::Literals, Phase::Polish, Explore::Groups),
    row(&names::merge_variables::MergeVariables, Phase::Polish, Explore::BiggestFirst),
    row(&gpu::to_result::ToResult, Phase::Polish, Explore::BiggestFirst),
    row(&syntax::smaller_elsewhere::SmallerElsewhere, Phase::Polish, Explore::BiggestFirst),
    row(&tokens::balanced::Balanced, Phase::Polish, Explore::BiggestFirst),
    row(&syntax::compound_assignment::CompoundAssignment, Phase::Polish, Explore::Groups),
    row(&tokens::operators::Operators, Phase::Polish, Explore::Groups),
    row(&names::inline::Inline, Phase::Polish, Explore::Pump),
    row(&tokens::token_windows::TokenWindows, Phase::Polish, Explore::Groups),
    row(&names::local_to_file::LocalToFile, Phase::Finish, Explore::Groups),
    row(&syntax::merge_declarations::MergeDeclarations, Phase::Finish, Explore::Groups),
    row(&tokens::identifiers::Identifiers, Phase::Finish, Explore::Groups),
    row(&syntax::implicit_int::ImplicitInt, Phase::Finish, Explore::Groups),
    row(&syntax::last_semicolon::LastSemicolon, Phase::Finish, Explore::Groups),
    row(&text::format::Format, Phase::Finish, Explore::Groups),
];

const fn row(pass: &'static dyn Pass, phase: Phase, explore: Explore) -> Row {
    Row { pass, phase, explore }
}

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
