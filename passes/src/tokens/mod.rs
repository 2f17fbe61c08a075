//! Passes over tokens. They need no parser, and so work on any language and on broken programs.

pub(crate) mod unit;

pub(crate) mod balanced;
pub(crate) mod identifiers;
pub(crate) mod literals;
pub(crate) mod operators;
pub(crate) mod token_windows;
