//! Features: named constructs. A profile can avoid some; each seed goes without some others (swarm testing), and gives
//! the rest different weights.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::ir::{Binary, Builtin, Scalar, Type, Unary};
use crate::random::Key;

/// A name in a list of features that is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "there is no feature `{name}`{}; the names are those of operators, built-in functions, statements and types: {}",
    near(*.nearest), .known.join(" ")
)]
pub struct UnknownFeature {
    name: String,
    /// The known name that begins most like it.
    nearest: Option<&'static str>,
    known: Vec<&'static str>,
}

fn near(nearest: Option<&str>) -> String {
    nearest.map(|name| format!(" (`{name}`?)")).unwrap_or_default()
}

/// The features that are neither operators nor built-in functions nor types.
const CONSTRUCTS: [&str; 24] = [
    "array",
    "atomic_reduction",
    "atomic_section",
    "barrier",
    "break",
    "conditional",
    "constant",
    "continue",
    "convert",
    "convert_sat",
    "exchange",
    "id",
    "if",
    "lane",
    "loop",
    "nest",
    "reinterpret",
    "reqd_work_group_size",
    "stencil",
    "swizzle",
    "unroll",
    "vector",
    "vload",
    "vstore",
];

/// A list of features that are left out. An entry such as `mad_sat.long` joins several: a construct is left out that has
/// all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Avoid(Vec<Entry>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Entry {
    name: Option<&'static str>,
    scalar: Option<Scalar>,
    lanes: Option<u8>,
}

impl Avoid {
    /// True if the feature as such is to be avoided.
    #[must_use]
    pub fn names(&self, feature: &str) -> bool {
        self.0.iter().any(|entry| match (entry.name, entry.scalar, entry.lanes) {
            (Some(name), None, None) => name == feature,
            (None, Some(scalar), None) => scalar.name() == feature,
            _ => false,
        })
    }

    fn has(&self, feature: &str, ty: Type) -> bool {
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
    type Err = UnknownFeature;

    fn from_str(text: &str) -> Result<Self, UnknownFeature> {
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        entries.map(entry).collect::<Result<_, _>>().map(Self)
    }
}

fn entry(text: &str) -> Result<Entry, UnknownFeature> {
    let mut entry = Entry::default();
    for part in text.split('.') {
        let digits = part.trim_start_matches(|c: char| !c.is_ascii_digit());
        let stem = &part[..part.len() - digits.len()];
        let lanes = digits.parse().ok().filter(|lanes| Type::LANES.contains(lanes));
        let scalar = Scalar::ALL.into_iter().find(|scalar| scalar.name() == stem);
        if let Some(name) = names().into_iter().find(|name| *name == part) {
            entry.name = Some(name);
        } else if (scalar.is_some() && digits.is_empty()) || (scalar.is_some() && lanes.is_some()) {
            entry.scalar = scalar;
            entry.lanes = lanes.or(entry.lanes);
        } else if stem == "vec" && lanes.is_some() {
            entry.lanes = lanes;
        } else {
            return Err(unknown(part));
        }
    }
    Ok(entry)
}

fn unknown(part: &str) -> UnknownFeature {
    let mut known = names();
    known.extend(Scalar::ALL.map(Scalar::name));
    known.push("vec2");
    known.push("vec3");
    known.sort_unstable();
    let common = |name: &str| name.bytes().zip(part.bytes()).take_while(|(a, b)| a == b).count();
    let nearest =
        known.iter().copied().max_by_key(|name| common(name)).filter(|name| common(name) >= 2);
    UnknownFeature { name: part.to_owned(), nearest, known }
}

/// The names of all features but the types.
#[must_use]
pub fn names() -> Vec<&'static str> {
    let binary = Binary::ARITHMETIC.into_iter().chain(Binary::RELATIONAL);
    let operators = Unary::ALL.into_iter().map(|u| u.texts().1).chain(binary.map(|b| b.texts().1));
    let builtins = Builtin::ALL.iter().map(|builtin| builtin.name());
    operators.chain(builtins).chain(CONSTRUCTS).collect()
}

/// The features of one seed.
#[derive(Clone, Debug)]
pub struct Features {
    avoid: Avoid,
    key: Key,
    /// The share of features that are on, in percent.
    share: u64,
    version: u32,
}

impl Features {
    /// The features for a key.
    #[must_use]
    pub fn new(avoid: &Avoid, version: u32, key: Key) -> Self {
        let share = 50 + key.stream().below(51);
        Self { avoid: avoid.clone(), key, share, version }
    }

    /// How often a feature is chosen: 0 if never.
    #[must_use]
    pub fn weight(&self, name: &str, ty: Type) -> u32 {
        if self.avoid.has(name, ty) {
            return 0;
        }
        let mut stream = self.key.named(name).stream();
        if stream.chance(self.share) { 1 + stream.below(8) as u32 } else { 0 }
    }

    /// True if a feature is not avoided, on or not.
    #[must_use]
    pub fn allows(&self, name: &str, ty: Type) -> bool {
        !self.avoid.has(name, ty)
    }

    /// As `weight`, for a built-in function with this result.
    #[must_use]
    pub fn builtin(&self, builtin: Builtin, ty: Type) -> u32 {
        let fits = builtin.since() <= self.version && builtin.can_return(ty);
        if fits { self.weight(builtin.name(), ty) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_join_names_and_types() {
        let avoid: Avoid = "mad_sat.long, vec3,shift_left".parse().unwrap();
        let long4 = Type { scalar: Scalar::Long, lanes: 4 };
        let int3 = Type { scalar: Scalar::Int, lanes: 3 };
        assert!(avoid.has("mad_sat", long4) && !avoid.has("mad_sat", Type::INT));
        assert!(avoid.has("add", int3) && !avoid.has("add", long4));
        assert!(avoid.has("shift_left", long4) && avoid.names("shift_left"));
        assert!("long4.add".parse::<Avoid>().unwrap().has("add", long4));
    }

    #[test]
    fn unknown_names_are_errors_that_say_what_there_is() {
        let error = "mad_set".parse::<Avoid>().unwrap_err().to_string();
        assert!(error.contains("`mad_set` (`mad") && error.contains("rhadd"), "{error}");
        assert!("int5".parse::<Avoid>().is_err());
        assert!("".parse::<Avoid>().unwrap() == Avoid::default());
    }
}
