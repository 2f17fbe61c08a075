//! Features: named constructs, and the list of those that a profile avoids.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::ir::{Binary, Builtin, Joint, ScalarType, Ty, Unary};

/// Says why a list of features cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AvoidError {
    /// The list of features has an unknown name.
    #[error(
        "there is no feature `{name}`{}; the names are those of operators, built-in functions, statements and types: {}",
        near(*.nearest), .known.join(" ")
    )]
    #[allow(missing_docs, reason = "the name, the known name that begins most like it, all names")]
    Unknown { name: String, nearest: Option<&'static str>, known: Vec<&'static str> },
    /// An entry joins two names, two types or two numbers of lanes, which no construct has at once.
    #[error(
        "`{0}` joins two features of one kind: write them as two entries with a comma between them, or join a name, a type and a number of lanes, as in mad_sat.long.vec3"
    )]
    Twice(String),
    /// An entry has nothing beside a point.
    #[error(
        "`{0}` has a point without a name beside it: write a name, or several with points between them, as in mad_sat.long"
    )]
    NoName(String),
}

fn near(nearest: Option<&str>) -> String {
    nearest.map(|name| format!(" (`{name}`?)")).unwrap_or_default()
}

/// The features that are neither operators nor built-in functions nor types.
const CONSTRUCTS: [&str; 53] = [
    "array",
    "assignment",
    "async_copy",
    "async_strided_copy",
    "atomic_reduction",
    "atomic_section",
    "barrier",
    "bit_field",
    "break",
    "called_barrier",
    "case_range",
    "collective",
    "comma",
    "conditional",
    "compare_exchange",
    "constant",
    "continue",
    "convert",
    "convert_sat",
    "cp_async",
    "do_while",
    "exchange",
    "function",
    "goto",
    "id",
    "if",
    "increment",
    "lane",
    "loop",
    "mma_m16n8k32",
    "mma_m8n8k16",
    "nest",
    "pointer",
    "prefetch",
    "procedure",
    "recursion",
    "reinterpret",
    "reqd_work_group_size",
    "stencil",
    "structure",
    "sub_group",
    "switch",
    "swizzle",
    "ticket",
    "tree",
    "union",
    "unroll",
    "vector",
    "vload",
    "volatile",
    "vstore",
    "warp",
    "while",
];

/// A list of features that are left out. An entry such as `mad_sat.long` joins several: a construct is left out that has
/// all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Avoid(Vec<AvoidEntry>);

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct AvoidEntry {
    name: Option<&'static str>,
    scalar: Option<ScalarType>,
    lanes: Option<u8>,
}

impl Avoid {
    /// The list of these names.
    pub(crate) fn of(names: &[&'static str]) -> Self {
        let named = |name: &&'static str| AvoidEntry { name: Some(name), ..AvoidEntry::default() };
        Self(names.iter().map(named).collect())
    }

    /// The list of these names, and of all floating-point types.
    pub(crate) fn of_integers(names: &[&'static str]) -> Self {
        let floats = ScalarType::FLOATS
            .map(|scalar| AvoidEntry { scalar: Some(scalar), ..AvoidEntry::default() });
        Self(Self::of(names).0.into_iter().chain(floats).collect())
    }

    /// The features of two lists.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.0.extend(
            other.0.iter().filter(|entry| !self.0.contains(entry)).cloned().collect::<Vec<_>>(),
        );
        self
    }

    /// True if the feature as such is to be avoided.
    #[must_use]
    pub fn names(&self, feature: &str) -> bool {
        self.0.iter().any(|entry| match (entry.name, entry.scalar, entry.lanes) {
            (Some(name), None, None) => name == feature,
            (None, Some(scalar), None) => scalar.name() == feature,
            _ => false,
        })
    }

    /// The list of all vectors of a length.
    #[must_use]
    pub(crate) fn lanes(lanes: u8) -> Self {
        Self(vec![AvoidEntry { lanes: Some(lanes), ..AvoidEntry::default() }])
    }

    /// True if all vectors of a length are to be avoided.
    #[must_use]
    pub(crate) fn names_lanes(&self, lanes: u8) -> bool {
        Self::lanes(lanes).0.iter().all(|entry| self.0.contains(entry))
    }

    /// True if a construct is to be avoided where one of its types is this one.
    #[must_use]
    pub fn has(&self, feature: &str, ty: Ty) -> bool {
        self.0.iter().any(|entry| {
            entry.name.is_none_or(|name| name == feature)
                && entry.scalar.is_none_or(|scalar| scalar == ty.scalar)
                && entry.lanes.is_none_or(|lanes| lanes == ty.lanes)
        })
    }
}

/// As the option that leads to it; nothing for an empty list.
impl fmt::Display for Avoid {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, entry) in self.0.iter().enumerate() {
            out.write_str(if index == 0 { " --avoid " } else { "," })?;
            let lanes = entry.lanes.map(|lanes| format!("vec{lanes}"));
            let scalar = entry.scalar.map(|scalar| scalar.name().to_owned());
            let parts = [entry.name.map(str::to_owned), scalar, lanes];
            out.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join("."))?;
        }
        Ok(())
    }
}

impl FromStr for Avoid {
    type Err = AvoidError;

    fn from_str(text: &str) -> Result<Self, AvoidError> {
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        entries.map(entry).collect::<Result<_, _>>().map(Self)
    }
}

fn entry(text: &str) -> Result<AvoidEntry, AvoidError> {
    let mut entry = AvoidEntry::default();
    for part in text.split('.') {
        if part.is_empty() {
            return Err(AvoidError::NoName(text.to_owned()));
        }
        let digits = part.trim_start_matches(|c: char| !c.is_ascii_digit());
        let stem = &part[..part.len() - digits.len()];
        let lanes = digits.parse().ok().filter(|lanes| Ty::LANES.contains(lanes));
        let mut scalars = ScalarType::ALL.into_iter().chain(ScalarType::FLOATS);
        let scalar = scalars.find(|scalar| scalar.name() == stem);
        let added = if let Some(name) = names().into_iter().find(|name| *name == part) {
            AvoidEntry { name: Some(name), ..AvoidEntry::default() }
        } else if scalar.is_some() && (digits.is_empty() || lanes.is_some()) {
            AvoidEntry { scalar, lanes, ..AvoidEntry::default() }
        } else if stem == "vec" && lanes.is_some() {
            AvoidEntry { lanes, ..AvoidEntry::default() }
        } else {
            return Err(unknown(part));
        };
        let is_twice = (entry.name.is_some() && added.name.is_some())
            || (entry.scalar.is_some() && added.scalar.is_some())
            || (entry.lanes.is_some() && added.lanes.is_some());
        if is_twice {
            return Err(AvoidError::Twice(text.to_owned()));
        }
        entry = AvoidEntry {
            name: added.name.or(entry.name),
            scalar: added.scalar.or(entry.scalar),
            lanes: added.lanes.or(entry.lanes),
        };
    }
    Ok(entry)
}

fn unknown(part: &str) -> AvoidError {
    let mut known = names();
    known.extend(ScalarType::ALL.into_iter().chain(ScalarType::FLOATS).map(ScalarType::name));
    known.push("vec2");
    known.push("vec3");
    known.sort_unstable();
    known.dedup();
    let lower = part.to_ascii_lowercase();
    let common = |name: &str| name.bytes().zip(lower.bytes()).take_while(|(a, b)| a == b).count();
    let nearest =
        known.iter().copied().max_by_key(|name| common(name)).filter(|name| common(name) >= 2);
    AvoidError::Unknown { name: part.to_owned(), nearest, known }
}

/// The names of all features but the types.
#[must_use]
pub fn names() -> Vec<&'static str> {
    let binary = Binary::ARITHMETIC.into_iter().chain(Binary::RELATIONAL);
    let operators = Unary::ALL.into_iter().map(|u| u.texts().1).chain(binary.map(|b| b.texts().1));
    let builtins = Builtin::ALL.iter().map(|builtin| builtin.name());
    let joint = Joint::ALL.into_iter().map(Joint::name);
    operators.chain(builtins).chain(joint).chain(CONSTRUCTS).collect()
}

/// The name of an operator with this number of operands, as an avoid list has it.
#[must_use]
pub fn operator_name(text: &str, operands: usize) -> Option<&'static str> {
    let unary = Unary::ALL.into_iter().map(Unary::texts);
    let binary = Binary::ARITHMETIC.into_iter().chain(Binary::RELATIONAL).map(Binary::texts);
    let all: Vec<(&str, &str)> = if operands == 1 { unary.collect() } else { binary.collect() };
    all.into_iter().find(|(known, _)| *known == text).map(|(_, name)| name)
}

/// Returns true for the names of features that many programs have and that say little about a bug, such as `array` or `loop`.
#[must_use]
pub fn is_general(name: &str) -> bool {
    CONSTRUCTS.contains(&name) && !["barrier", "prefetch", "switch"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_join_names_and_types() {
        let avoid: Avoid = "mad_sat.long, vec3,shift_left".parse().unwrap();
        let long4 = Ty { scalar: ScalarType::Long, lanes: 4 };
        let int3 = Ty { scalar: ScalarType::Int, lanes: 3 };
        assert!(avoid.has("mad_sat", long4) && !avoid.has("mad_sat", Ty::INT));
        assert!(avoid.has("add", int3) && !avoid.has("add", long4));
        assert!(avoid.has("shift_left", long4) && avoid.names("shift_left"));
        assert!("long4.add".parse::<Avoid>().unwrap().has("add", long4));
    }

    #[test]
    fn unknown_names_are_errors_that_say_what_there_is() {
        let error = "mad_set".parse::<Avoid>().unwrap_err().to_string();
        assert!(error.contains("`mad_set` (`mad") && error.contains("rhadd"), "{error}");
        assert!("int5".parse::<Avoid>().is_err());
        let error = "MAD_SAT".parse::<Avoid>().unwrap_err().to_string();
        assert!(error.contains("(`mad_sat`?)"), "{error}");
        for empty in [".", "mad_sat.", "mad_sat..long"] {
            let error = empty.parse::<Avoid>().unwrap_err();
            assert_eq!(error, AvoidError::NoName(empty.to_owned()));
        }
        for twice in ["long.short", "add.mul24", "int2.vec3"] {
            let error = twice.parse::<Avoid>().unwrap_err().to_string();
            assert!(error.contains(twice) && error.contains("comma"), "{error}");
        }
        assert!("".parse::<Avoid>().unwrap() == Avoid::default());
    }
}
