//! Profiles: what is generated, apart from the seed.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use thiserror::Error;

use crate::avoid::Avoid;
use crate::ir::{Builtin, Joint, ScalarType, Ty};

/// The edits that variants have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edits {
    /// All kinds.
    #[default]
    All,
    /// Blocks that are never executed: CLsmith's variants, and those of CUDAsmith with false conditional blocks (FCB).
    Dead,
    /// Branches around statements that are always taken, as CUDAsmith's true guards (TG).
    Guards,
}

impl Edits {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::All, Self::Dead, Self::Guards];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Dead => "dead",
            Self::Guards => "guards",
        }
    }
}

/// The request for a kernel, apart from the seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The language.
    pub target: Target,
    /// The kinds of constructs.
    pub mode: Mode,
    /// The size of each kernel lies in this range.
    pub tokens: TokenRange,
    /// The features that are left out.
    pub avoid: Avoid,
    /// True for kernels with `double`, which devices need not have.
    pub doubles: bool,
    /// True for kernels with functions of sub-groups of 32 work-items, which few devices have.
    pub sub_groups: bool,
    /// True for kernels that compare their results with the right ones and print what differs.
    pub self_check: bool,
    /// The edits that [variants](crate::variants) of the kernel have.
    pub edits: Edits,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            target: Target::OpenCl12,
            mode: Mode::Free,
            tokens: TokenRange::default(),
            avoid: Avoid::default(),
            doubles: false,
            sub_groups: false,
            self_check: false,
            edits: Edits::default(),
        }
    }
}

/// The language of a program: a version of OpenCL C, CUDA C++, C++ or C for CPUs, or PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "1.2, 2.0, 3.0, CUDA, C++, C and PTX")]
pub enum Target {
    OpenCl12,
    OpenCl20,
    OpenCl30,
    Cuda,
    Cpp,
    C,
    Ptx,
}

impl Target {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::OpenCl12, Self::OpenCl20, Self::OpenCl30, Self::Cuda, Self::Cpp, Self::C, Self::Ptx];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenCl12 => "opencl-1.2",
            Self::OpenCl20 => "opencl-2",
            Self::OpenCl30 => "opencl-3",
            Self::Cuda => "cuda",
            Self::Cpp => "c++",
            Self::C => "c",
            Self::Ptx => "ptx",
        }
    }

    /// The end of the names of files.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::OpenCl12 | Self::OpenCl20 | Self::OpenCl30 => "cl",
            Self::Cuda => "cu",
            Self::Cpp => "cpp",
            Self::C => "c",
            Self::Ptx => "ptx",
        }
    }

    /// True if kernels in this language can have a function. Those of CUDA, C++ and C have all of OpenCL C: the text defines them.
    #[must_use]
    pub fn has(self, builtin: Builtin) -> bool {
        let version = match self {
            Self::OpenCl12 => 120,
            Self::OpenCl20 => 200,
            Self::OpenCl30 => 300,
            Self::Cuda => return builtin.since() != Builtin::PTX,
            Self::Cpp | Self::C => return builtin.since() < Builtin::PTX,
            Self::Ptx => return builtin.instruction().is_some(),
        };
        builtin.since() <= version
    }

    /// True for whole programs for CPUs, whose work-items run one after the other.
    #[must_use]
    pub fn is_program(self) -> bool {
        matches!(self, Self::Cpp | Self::C)
    }

    /// True if kernels in this language can have a collective function.
    #[must_use]
    pub fn has_joint(self, function: Joint) -> bool {
        match self {
            Self::OpenCl12 | Self::Cpp | Self::C => false,
            Self::OpenCl20 => !function.is_of_warp() && !function.is_of_sub_group(),
            Self::OpenCl30 => !function.is_of_warp(),
            Self::Cuda | Self::Ptx => function.is_of_warp(),
        }
    }
}

/// The kinds of constructs. All but `Free` correspond to the modes of CLsmith.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Scalars; every work-item computes the same, except for the number of its group.
    Basic,
    /// `Basic`, with vectors.
    Vector,
    /// `Basic`; the work-items of a group exchange memory at barriers.
    Barrier,
    /// `Basic`; one work-item of a group enters a section.
    AtomicSection,
    /// `Basic`; the work-items of a group add up values atomically.
    AtomicReduction,
    /// Everything of the modes before.
    All,
    /// Everything; the work-items compute with their numbers.
    Free,
}

impl Mode {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Basic,
        Self::Vector,
        Self::Barrier,
        Self::AtomicSection,
        Self::AtomicReduction,
        Self::All,
        Self::Free,
    ];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Vector => "vector",
            Self::Barrier => "barrier",
            Self::AtomicSection => "atomic-section",
            Self::AtomicReduction => "atomic-reduction",
            Self::All => "all",
            Self::Free => "free",
        }
    }

    /// True if kernels have vectors.
    #[must_use]
    pub fn has_vectors(self) -> bool {
        matches!(self, Self::Vector | Self::All | Self::Free)
    }

    /// True if the work-items exchange memory.
    #[must_use]
    pub fn has_barriers(self) -> bool {
        matches!(self, Self::Barrier | Self::All | Self::Free)
    }

    /// True if there are atomic sections.
    #[must_use]
    pub fn has_sections(self) -> bool {
        matches!(self, Self::AtomicSection | Self::All | Self::Free)
    }

    /// True if there are atomic reductions.
    #[must_use]
    pub fn has_reductions(self) -> bool {
        matches!(self, Self::AtomicReduction | Self::All | Self::Free)
    }
}

/// A range of sizes in tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRange(RangeInclusive<u32>);

impl TokenRange {
    /// The least size: a kernel has parameters, variables and a result.
    pub const LEAST: u32 = 300;
    /// The greatest size.
    pub const MOST: u32 = 20_000;

    /// A range of sizes.
    ///
    /// # Errors
    /// If there is no kernel in the range.
    pub fn new(from: u32, to: u32) -> Result<Self, ProfileError> {
        if from > to || from < Self::LEAST || to > Self::MOST {
            return Err(ProfileError::Tokens { from, to });
        }
        Ok(Self(from..=to))
    }

    /// The least size.
    #[must_use]
    pub fn from(&self) -> u32 {
        *self.0.start()
    }

    /// The greatest size.
    #[must_use]
    pub fn to(&self) -> u32 {
        *self.0.end()
    }
}

impl Default for TokenRange {
    fn default() -> Self {
        Self(300..=3000)
    }
}

impl fmt::Display for TokenRange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}..{}", self.from(), self.to())
    }
}

impl FromStr for TokenRange {
    type Err = ProfileError;

    fn from_str(text: &str) -> Result<Self, ProfileError> {
        let (from, to) = text.split_once("..").unwrap_or((text, text));
        let number = |part: &str| part.parse().map_err(|_| ProfileError::NoRange(text.to_owned()));
        Self::new(number(from)?, number(to)?)
    }
}

/// Says why a profile cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProfileError {
    /// Sizes that no kernel can have.
    #[error(
        "no kernel has {from} to {to} tokens: write A..B with A at most B, A at least {least} and B at most {most}",
        least = TokenRange::LEAST, most = TokenRange::MOST
    )]
    #[allow(missing_docs, reason = "the ends of the range")]
    Tokens { from: u32, to: u32 },
    /// No range of numbers.
    #[error("`{0}` is no range of numbers of tokens: write A..B, as in 300..3000")]
    NoRange(String),
    /// The mode needs what is to be avoided.
    #[error(
        "the mode `{mode}` cannot do without `{feature}`: leave it out of --avoid, or choose another mode"
    )]
    #[allow(missing_docs, reason = "the two that exclude each other")]
    Contradiction { mode: &'static str, feature: &'static str },
    /// Every kernel needs what is to be avoided.
    #[error("no kernel can do without `{0}`: leave it out of --avoid")]
    Needed(&'static str),
    /// The mode needs vectors, and each number of lanes is to be avoided.
    #[error(
        "the mode `{mode}` cannot do without vectors, and --avoid leaves out each of {lanes}: leave one of them in, or choose another mode"
    )]
    #[allow(missing_docs, reason = "the two that exclude each other")]
    NoVectors { mode: &'static str, lanes: String },
    /// Numbers of the type `double` are asked for, and are to be avoided.
    #[error("--doubles asks for `double`, and --avoid leaves it out: leave out one of the two")]
    Doubles,
    /// Functions of sub-groups are asked for, and are to be avoided.
    #[error(
        "--sub-groups asks for functions of sub-groups, and --avoid leaves them out: leave out one of the two"
    )]
    SubGroups,
    /// Functions of sub-groups are asked for in a language that has none.
    #[error("--sub-groups needs the language that has them: --target opencl-3")]
    NoSubGroups,
    /// Functions of sub-groups are asked for in a mode without exchanges.
    #[error(
        "the mode `{0}` has no functions of sub-groups: leave out --sub-groups, or choose barrier, atomic-reduction, all or free"
    )]
    SubGroupsMode(&'static str),
    /// The work-items of a mode share memory, and the language has no work-items.
    #[error(
        "programs in C and C++ have no work-items that share memory: choose --mode basic or vector"
    )]
    ProgramMode,
    /// The mode needs vectors, which PTX has not.
    #[error("values in PTX are no vectors: choose another --mode than {0}")]
    PtxMode(&'static str),
    /// An option that PTX has no use for.
    #[error("kernels in PTX have neither floating-point numbers nor output: leave out {0}")]
    PtxOption(&'static str),
    /// Variants need what is to be avoided.
    #[error(
        "variants of kernels cannot do without `{0}`: leave it out of --avoid, or leave out --emi"
    )]
    Variants(&'static str),
}

/// The features that the exchange of elements at barriers needs, and their types.
pub(crate) const COMMUNICATION: [(&str, Ty); 12] = [
    ("uint", UINT),
    ("long", Ty::scalar(ScalarType::Long)),
    ("barrier", Ty::INT),
    ("id", Ty::INT),
    ("constant", Ty::INT),
    ("add", Ty::INT),
    ("add", UINT),
    ("multiply", Ty::INT),
    ("multiply", UINT),
    ("remainder", Ty::INT),
    ("remainder", UINT),
    ("convert", UINT),
];
const UINT: Ty = Ty::scalar(ScalarType::Uint);

impl Profile {
    /// Checks that the parts fit together.
    ///
    /// # Errors
    /// If the mode needs what is to be avoided.
    pub fn check(&self) -> Result<(), ProfileError> {
        if self.avoid.has("int", Ty::INT) {
            return Err(ProfileError::Needed("int"));
        }
        if self.doubles && self.avoid.names("double") {
            return Err(ProfileError::Doubles);
        }
        if self.target.is_program() && !matches!(self.mode, Mode::Basic | Mode::Vector) {
            return Err(ProfileError::ProgramMode);
        }
        if self.target == Target::Ptx && matches!(self.mode, Mode::Vector | Mode::All) {
            return Err(ProfileError::PtxMode(self.mode.name()));
        }
        let options = [("--doubles", self.doubles), ("--self-check", self.self_check)];
        if let Some((name, _)) = options.into_iter().find(|(_, is_given)| *is_given)
            && self.target == Target::Ptx
        {
            return Err(ProfileError::PtxOption(name));
        }
        self.check_sub_groups()?;
        let mut needs = Vec::new();
        if self.mode != Mode::Free {
            needs.extend(self.mode.has_barriers().then_some(COMMUNICATION).into_iter().flatten());
            if self.mode.has_sections() {
                needs.extend([("barrier", Ty::INT), ("atomic_section", Ty::INT)]);
            }
            if self.mode.has_reductions() {
                needs.extend([("barrier", Ty::INT), ("atomic_reduction", Ty::INT)]);
            }
        }
        let (mode, needs_vectors) =
            (self.mode.name(), matches!(self.mode, Mode::Vector | Mode::All));
        let vectors = needs_vectors && self.avoid.names("vector");
        let missing = needs.into_iter().find(|(feature, ty)| self.avoid.has(feature, *ty));
        match missing.map(|(feature, _)| feature).or(vectors.then_some("vector")) {
            Some(feature) => Err(ProfileError::Contradiction { mode, feature }),
            None if needs_vectors => self.check_lanes(),
            None => Ok(()),
        }
    }

    /// Checks that there can be functions of sub-groups, where they are asked for.
    fn check_sub_groups(&self) -> Result<(), ProfileError> {
        if !self.sub_groups {
            return Ok(());
        }
        if self.target != Target::OpenCl30 {
            return Err(ProfileError::NoSubGroups);
        }
        if self.avoid.names("sub_group") {
            return Err(ProfileError::SubGroups);
        }
        if !self.mode.has_barriers() && !self.mode.has_reductions() {
            return Err(ProfileError::SubGroupsMode(self.mode.name()));
        }
        Ok(())
    }

    /// Checks that there are vectors of some length.
    fn check_lanes(&self) -> Result<(), ProfileError> {
        let most = if self.target == Target::Cuda { 4 } else { 16 };
        let lanes = Ty::LANES.into_iter().filter(|lanes| (2..=most).contains(lanes));
        let lanes = lanes.filter(|lanes| *lanes != 3 || self.target != Target::C);
        if lanes.clone().any(|lanes| !self.avoid.names_lanes(lanes)) {
            return Ok(());
        }
        let names: Vec<String> = lanes.map(|lanes| format!("vec{lanes}")).collect();
        let lanes = names.join(", ");
        Err(ProfileError::NoVectors { mode: self.mode.name(), lanes })
    }

    /// Checks that kernels of this profile can have variants.
    ///
    /// # Errors
    /// If it avoids what branches need.
    pub fn check_variants(&self) -> Result<(), ProfileError> {
        match ["if", "less"].into_iter().find(|name| self.avoid.has(name, Ty::INT)) {
            Some(feature) => Err(ProfileError::Variants(feature)),
            None => Ok(()),
        }
    }
}
