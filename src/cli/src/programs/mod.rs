//! Commands that make other programs of programs, or measure what is made of them.

pub(crate) mod emi;
pub(crate) mod mutants;
pub(crate) mod normalize;
pub(crate) mod prepare;
pub(crate) mod splice;
