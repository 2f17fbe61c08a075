//! Passes that know what names mean: functions, variables, types, and what uses them.

mod accesses;
pub(crate) mod aggregates;
pub(crate) mod functions;
pub(crate) mod orphans;
pub(crate) mod uses;

pub(crate) mod absorb_functions;
pub(crate) mod array_dimensions;
pub(crate) mod enums;
pub(crate) mod flatten_structs;
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
pub(crate) mod propagate_arguments;
pub(crate) mod remove_fields;
pub(crate) mod remove_functions;
pub(crate) mod remove_variables;
pub(crate) mod return_to_void;
pub(crate) mod split_structs;
pub(crate) mod struct_to_field;
pub(crate) mod stub;
pub(crate) mod to_prototype;
pub(crate) mod typedefs;
pub(crate) mod unreachable;
