//! Commands that make other programs of programs.

pub(crate) mod emi;
pub(crate) mod mutants;
pub(crate) mod normalize;
pub(crate) mod prepare;
pub(crate) mod splice;
