//! Calls of functions that work on objects: they get structures or pointers, and may write to what these point to.

use super::{Address, ExprId, FunctionId, Path, Place};

/// A call as a statement, so that the order of its effects is certain.
#[derive(Clone, Debug)]
pub struct ProcedureCall {
    /// The function.
    pub function: FunctionId,
    /// The arguments, in the order of the parameters.
    pub arguments: Box<[ActualParameter]>,
    /// The place that the result is assigned to: a variable of exactly its type, or a structure. Its path has no index that is an
    /// expression.
    pub into: Place,
}

/// The argument for one parameter.
#[derive(Clone, Debug)]
pub enum ActualParameter {
    /// A value of exactly the type of the parameter.
    Value(ExprId),
    /// A pointer.
    Address(Address),
    /// A structure or a union, which is copied.
    Object(Path),
}

impl ActualParameter {
    /// The path that it is about.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Value(_) => None,
            Self::Address(address) => address.path(),
            Self::Object(path) => Some(path),
        }
    }

    /// The indices in it.
    #[must_use]
    pub fn indices(&self) -> Vec<ExprId> {
        match self {
            Self::Value(_) => Vec::new(),
            Self::Address(address) => address.indices(),
            Self::Object(path) => path.indices(),
        }
    }
}

impl ProcedureCall {
    /// The indices in the arguments.
    #[must_use]
    pub fn indices(&self) -> Vec<ExprId> {
        self.arguments.iter().flat_map(ActualParameter::indices).collect()
    }

    /// The expressions of the arguments.
    #[must_use]
    pub fn expressions(&self) -> Vec<ExprId> {
        let of = |argument: &ActualParameter| match argument {
            ActualParameter::Value(value) => vec![*value],
            other => other.indices(),
        };
        self.arguments.iter().flat_map(of).collect()
    }

    /// The paths in it.
    #[must_use]
    pub fn paths(&self) -> Vec<&Path> {
        let into = match &self.into {
            Place::Part(path) => Some(path),
            _ => None,
        };
        into.into_iter().chain(self.arguments.iter().filter_map(ActualParameter::path)).collect()
    }
}
