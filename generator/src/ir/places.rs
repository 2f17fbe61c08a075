//! The variables, elements and members that an assignment or a call writes to.

use super::{ExprId, Path, Swizzle, VarId};

/// The target of an assignment.
#[derive(Clone, Debug)]
pub enum Place {
    /// A variable.
    Variable(VarId),
    /// Some lanes of a variable, each at most once.
    Lanes(VarId, Swizzle),
    /// An element of an array.
    Element(VarId, ExprId),
    /// `vstoreN`: lanes into an array of scalars; the index counts vectors.
    Store(VarId, ExprId),
    /// A scalar or vector in an object.
    Part(Path),
}

impl Place {
    /// The variable that the text begins with.
    #[must_use]
    pub fn variable(&self) -> VarId {
        match self {
            Self::Variable(id) | Self::Lanes(id, _) | Self::Element(id, _) | Self::Store(id, _) => {
                *id
            }
            Self::Part(path) => path.variable(),
        }
    }
}
