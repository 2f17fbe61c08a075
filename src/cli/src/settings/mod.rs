//! From the options of the command line to what they mean together.

pub(crate) mod args;
pub(crate) mod flags;
pub(crate) mod grammar;
pub(crate) mod repeat;
pub(crate) mod resolve;
pub(crate) mod sandbox;
pub(crate) mod test;
pub(crate) mod zoo;
