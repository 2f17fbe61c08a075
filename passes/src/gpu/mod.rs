//! Passes for what only GPU code has.

pub(crate) mod ndrange;
