//! A test case: the files being reduced, how they are changed and how two versions compare.
//!
//! This crate is a leaf. It does no I/O and knows nothing of passes, searches or tests.

mod apply;
mod clues;
mod complaints;
mod files;
mod languages;
mod launch;
mod lexer;
mod patch;
mod printable;
mod quoting;
mod recount;
mod size;
mod source_file;
mod steps;

pub use apply::{Kept, Run, map_range};
pub use clues::{Clues, Mention};
pub use complaints::{Complaint, LEAST_COMPLAINING};
pub use files::{ContentHash, InvalidTestCase, TestCase};
pub use languages::{
    AddressSpace, CudaWord, Description, Feature, FileEnding, Grammar, Language, TextLook,
    UnknownLanguage, is_access_qualifier,
};
pub use launch::Launch;
pub use lexer::{LexicalRules, Token, TokenKind, count_tokens, tokens};
pub use patch::{Edit, EditKind, Patch};
pub use printable::{printable, printable_json};
pub use quoting::Quoting;
pub use recount::{is_recountable, recount};
pub use size::Size;
pub use source_file::SourceFile;
#[cfg(feature = "count-steps")]
pub use steps::count_steps;
pub use steps::{step, steps, text_steps};
