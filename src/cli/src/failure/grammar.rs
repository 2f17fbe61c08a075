//! A grammar that cannot be loaded.

use std::path::PathBuf;

use clreduce_language::GrammarError;
use thiserror::Error;

/// There is no grammar to load.
#[derive(Debug, Error)]
pub(crate) enum GrammarFileError {
    #[error("the grammar `{}` cannot be loaded: {reason}", path.display())]
    Library { path: PathBuf, reason: String },
    #[error("`{}` has no grammar `{name}`: there is no function tree_sitter_{name}", path.display())]
    Missing { path: PathBuf, name: String },
    #[error(transparent)]
    Grammar(#[from] GrammarError),
}
