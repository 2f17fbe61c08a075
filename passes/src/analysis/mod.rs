//! Facts about a snapshot that several passes need: functions, parameters, places of expressions, directives.
//!
//! Nothing here makes an edit; that is the part of [`edit`](crate::edit). What depends on a file alone, and not on
//! the snapshot, is in `clreduce-language`.

mod binding;
mod blocks;
mod built_in;
mod builtin_calls;
mod call_places;
mod declarations;
mod declared;
mod directives;
mod functions;
mod includes;
mod items;
mod lines;
mod main_file;
mod names;
mod needs;
mod nests;
mod new_object;
mod nodes;
mod parameters;
mod places;
mod roots;
mod spelled;
mod templates;
mod tokens;
mod unit;
mod vectors_in_lists;

pub(crate) use binding::{Binding, binding, demand};
pub(crate) use blocks::{Block, blocks};
pub(crate) use built_in::is_built_in;
pub(crate) use builtin_calls::{BuiltinCall, builtin_calls};
pub(crate) use call_places::CallPlaces;
pub(crate) use declarations::{alone, words};
pub(crate) use declared::{NameRole, declared_role};
pub(crate) use directives::{Directive, comments, directives, launch_comment};
pub(crate) use functions::{
    Function, MOST_DECLARATIONS, calls, functions, returns_void, token_count,
};
pub(crate) use includes::{Include, includes};
pub(crate) use items::{TopLevelItem, is_declaration, items, providers};
pub(crate) use lines::{
    PresumedLines, begins_system_header, line_markers, line_ranges, without_effect,
};
pub(crate) use main_file::{is_in, main_file};
pub(crate) use names::{name_texts, names};
pub(crate) use needs::Needs;
pub use nests::NestMiddles;
pub(crate) use nests::{Nest, nests};
pub(crate) use new_object::NewObject;
pub(crate) use nodes::{
    DEEPEST, has_effect, is_expression, is_primary, is_statement, is_statement_list, with_semicolon,
};
pub(crate) use parameters::{Lists, parameter_list, parameter_name, parameters, parameters_of};
pub(crate) use places::{ExpressionPlace, is_condition, is_lvalue, places};
pub(crate) use roots::roots;
pub(crate) use spelled::{Spelling, is_member, pointers_in};
pub(crate) use templates::{
    TemplateHead, argument_lists, concepts, constraint, default_argument, is_closed, is_name,
    is_pack, name_in, outside_members, template_parameter_name,
};
pub(crate) use tokens::Tokens;
pub(crate) use unit::Unit;
pub(crate) use vectors_in_lists::lanes_in_list;
