//! Commands that generate, run and check kernels.

pub(crate) mod blind_spots;
pub(crate) mod check;
mod coverage;
pub(crate) mod devices;
pub(crate) mod expected;
pub(crate) mod generate;
pub(crate) mod inputs;
pub(crate) mod launches;
mod orders;
pub(crate) mod run;
