//! Operators of expressions, and the types of their results.

use super::types::{ScalarType, Ty};

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "`-`, `~` and `!`")]
pub enum Unary {
    Minus,
    Complement,
    Not,
}

impl Unary {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Minus, Self::Complement, Self::Not];

    /// Returns how C writes it, and the name that `--avoid` takes.
    #[must_use]
    pub fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Minus => ("-", "minus"),
            Self::Complement => ("~", "complement"),
            Self::Not => ("!", "not"),
        }
    }

    /// True if there is such an operation on a type. That on truth values is one of integers.
    #[must_use]
    pub fn has(self, scalar: ScalarType) -> bool {
        self == Self::Minus || !scalar.is_float()
    }

    /// The type of the result.
    #[must_use]
    pub fn result(self, operand: Ty) -> Ty {
        match self {
            Self::Not => operand.truth(),
            _ if operand.is_vector() => operand,
            _ => Ty::scalar(operand.scalar.promoted()),
        }
    }
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the operators of C")]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    LogicalAnd,
    LogicalOr,
}

impl Binary {
    /// Lists the operators whose result has the type of the operands.
    pub const ARITHMETIC: [Self; 10] = [
        Self::Add,
        Self::Subtract,
        Self::Multiply,
        Self::Divide,
        Self::Remainder,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::ShiftLeft,
        Self::ShiftRight,
    ];
    /// Lists the operators whose result is true or false.
    pub const RELATIONAL: [Self; 8] = [
        Self::Less,
        Self::LessEqual,
        Self::Greater,
        Self::GreaterEqual,
        Self::Equal,
        Self::NotEqual,
        Self::LogicalAnd,
        Self::LogicalOr,
    ];

    /// Returns how C writes it, and the name that `--avoid` takes.
    #[must_use]
    pub fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Add => ("+", "add"),
            Self::Subtract => ("-", "subtract"),
            Self::Multiply => ("*", "multiply"),
            Self::Divide => ("/", "divide"),
            Self::Remainder => ("%", "remainder"),
            Self::And => ("&", "and"),
            Self::Or => ("|", "or"),
            Self::Xor => ("^", "xor"),
            Self::ShiftLeft => ("<<", "shift_left"),
            Self::ShiftRight => (">>", "shift_right"),
            Self::Less => ("<", "less"),
            Self::LessEqual => ("<=", "less_equal"),
            Self::Greater => (">", "greater"),
            Self::GreaterEqual => (">=", "greater_equal"),
            Self::Equal => ("==", "equal"),
            Self::NotEqual => ("!=", "not_equal"),
            Self::LogicalAnd => ("&&", "logical_and"),
            Self::LogicalOr => ("||", "logical_or"),
        }
    }

    /// True for comparisons and logical operators.
    #[must_use]
    pub fn is_relational(self) -> bool {
        Self::RELATIONAL.contains(&self)
    }

    /// True for `&&` and `||`.
    #[must_use]
    pub fn is_logical(self) -> bool {
        matches!(self, Self::LogicalAnd | Self::LogicalOr)
    }

    /// True if there is such an operation on a type.
    #[must_use]
    pub fn has(self, scalar: ScalarType) -> bool {
        let of_floats = matches!(self, Self::Add | Self::Subtract | Self::Multiply | Self::Divide)
            || self.is_relational() && !self.is_logical();
        of_floats || !scalar.is_float()
    }

    /// True for `<<` and `>>`.
    #[must_use]
    pub fn is_shift(self) -> bool {
        matches!(self, Self::ShiftLeft | Self::ShiftRight)
    }

    /// The types that the operands are converted to before the operation.
    #[must_use]
    pub fn operands(self, a: Ty, b: Ty) -> (ScalarType, ScalarType) {
        match (a.is_vector(), b.is_vector()) {
            (true, _) => (a.scalar, a.scalar),
            (_, true) => (b.scalar, b.scalar),
            _ if self.is_logical() => (a.scalar, b.scalar),
            _ if self.is_shift() => (a.scalar.promoted(), b.scalar.promoted()),
            _ => (a.scalar.usual(b.scalar), a.scalar.usual(b.scalar)),
        }
    }

    /// The type of the result.
    #[must_use]
    pub fn result(self, a: Ty, b: Ty) -> Ty {
        let both = Ty { scalar: self.operands(a, b).0, lanes: a.lanes.max(b.lanes) };
        if self.is_relational() { both.truth() } else { both }
    }
}
