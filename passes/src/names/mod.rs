//! Passes that know what names mean: functions, variables, types, and what uses them.

mod functions;
mod stub;
mod to_prototype;
mod unreachable;

pub use stub::StubBodies;
pub use to_prototype::BodyToPrototype;
pub use unreachable::Unreachable;
