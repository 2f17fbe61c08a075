//! Passes that know what names mean: functions, variables, types, and what uses them.

mod functions;
mod parameters;
mod propagate;
mod remove_functions;
mod remove_variables;
mod stub;
mod to_prototype;
mod unreachable;
mod uses;

pub use parameters::RemoveParameters;
pub use propagate::Propagate;
pub use remove_functions::RemoveFunctions;
pub use remove_variables::RemoveVariables;
pub use stub::StubBodies;
pub use to_prototype::BodyToPrototype;
pub use unreachable::Unreachable;
