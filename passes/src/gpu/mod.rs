//! Passes for what only GPU code has.

mod calls;

pub(crate) mod atomics;
pub(crate) mod barriers;
pub(crate) mod builtins;
pub(crate) mod ndrange;
pub(crate) mod vectors;
pub(crate) mod work_items;
