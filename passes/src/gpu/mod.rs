//! Passes for what only GPU code has.

mod calls;

pub(crate) mod address_spaces;
pub(crate) mod atomics;
pub(crate) mod barriers;
pub(crate) mod builtins;
pub(crate) mod constants;
pub(crate) mod cuda_host;
pub(crate) mod cuda_launch;
pub(crate) mod cuda_specifiers;
pub(crate) mod emi;
pub(crate) mod images;
pub(crate) mod kernel_arguments;
pub(crate) mod ndrange;
pub(crate) mod templates;
pub(crate) mod to_result;
pub(crate) mod vector_literals;
pub(crate) mod vectors;
pub(crate) mod work_items;
