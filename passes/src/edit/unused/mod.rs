//! Declarations that a patch leaves without a use, to be removed with the same patch.

mod symbols;
mod unreached;

use clreduce_language::ItemId;
use clreduce_testcase::{Feature, Patch};

use crate::snapshot::Snapshot;
use symbols::UnusedSymbols;
use unreached::UnreachedItems;
pub(crate) use unreached::unreached;

/// The declarations of one snapshot and what uses them.
pub struct UnusedDeclarations(UseModel);

enum UseModel {
    Symbols(UnusedSymbols),
    /// In C++, where a name does not tell what is used.
    Items(UnreachedItems),
}

impl UnusedDeclarations {
    /// Looks at the uses in a snapshot; `None` where nothing may be concluded from them.
    #[must_use]
    pub fn new(snapshot: &Snapshot) -> Option<Self> {
        let uses = match snapshot.language().has(Feature::Classes) {
            true => UseModel::Items(UnreachedItems::new(snapshot)?),
            false => UseModel::Symbols(UnusedSymbols::new(snapshot)?),
        };
        Some(Self(uses))
    }

    /// The patch, and with it every declaration that was used before and is not any more. Items of C++ that are `needed` stay.
    #[must_use]
    pub fn follow(&self, snapshot: &Snapshot, patch: Patch, needed: &[ItemId]) -> Patch {
        match &self.0 {
            UseModel::Symbols(symbols) => symbols.follow(snapshot, patch),
            UseModel::Items(items) => items.follow(snapshot, patch, needed),
        }
    }
}
