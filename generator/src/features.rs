//! The features of a seed. It goes without those that its profile avoids and without some others (swarm testing), and
//! gives the rest different weights.

use crate::avoid::Avoid;
use crate::ir::{Binary, Builtin, Joint, ScalarType, Ty};
use crate::profile::{Profile, Target};
use crate::random::SeedKey;

/// Values in PTX are numbers in registers.
const PTX_LACKS: [&str; 18] = [
    "vector",
    "swizzle",
    "lane",
    "vload",
    "vstore",
    "structure",
    "union",
    "pointer",
    "procedure",
    "async_copy",
    "async_strided_copy",
    "prefetch",
    "goto",
    "volatile",
    "comma",
    "assignment",
    "increment",
    "recursion",
];

/// OpenCL C has no bit-fields and no recursion, and devices need not have `goto`. Ranges of cases are an extension of GNU.
const OPENCL_LACKS: [&str; 4] = ["bit_field", "goto", "case_range", "recursion"];

/// A thread of CUDA has a stack of 1 KiB where the compiler does not know how deep calls go.
const CUDA_LACKS: [&str; 1] = ["recursion"];

/// The features that kernels in a language never have.
fn lacks(target: Target) -> Avoid {
    match target {
        Target::Ptx => Avoid::of_integers(&PTX_LACKS),
        Target::Cuda => Avoid::of(&CUDA_LACKS),
        Target::Cpp | Target::C => Avoid::default(),
        _ => Avoid::of(&OPENCL_LACKS),
    }
}

/// The features of one seed.
#[derive(Clone, Debug)]
pub struct Features {
    avoid: Avoid,
    key: SeedKey,
    /// The share of features that are on, in percent.
    share: u64,
    target: Target,
    doubles: bool,
    sub_groups: bool,
    /// True if expressions may have to be left out.
    leaves_out: bool,
}

impl Features {
    /// The features for a key.
    #[must_use]
    pub fn new(profile: &Profile, key: SeedKey) -> Self {
        let share = 50 + key.stream().below(51);
        let (avoid, doubles) = (profile.avoid.clone().and(&lacks(profile.target)), profile.doubles);
        let (target, sub_groups) = (profile.target, profile.sub_groups);
        let avoid = if target == Target::C { avoid.and(&Avoid::lanes(3)) } else { avoid };
        let leaves_out =
            profile.avoid != Avoid::default() || matches!(target, Target::Ptx | Target::C);
        Self { avoid, key, share, target, doubles, sub_groups, leaves_out }
    }

    /// The scalar types that there are, avoided or not.
    pub fn scalars(&self) -> impl Iterator<Item = ScalarType> + use<> {
        let double = self.doubles.then_some(ScalarType::Double);
        ScalarType::ALL.into_iter().chain([ScalarType::Float]).chain(double)
    }

    /// How often a feature is chosen: 0 if never.
    #[must_use]
    pub fn weight(&self, name: &str, ty: Ty) -> u32 {
        if self.avoid.has(name, ty) {
            return 0;
        }
        let mut stream = self.key.named(name).stream();
        if stream.chance(self.share) { 1 + stream.below(8) as u32 } else { 0 }
    }

    /// True if a feature is not avoided, on or not.
    #[must_use]
    pub fn allows(&self, name: &str, ty: Ty) -> bool {
        !self.avoid.has(name, ty)
    }

    /// True if there is an expression that is avoided.
    #[must_use]
    pub fn leaves_out(&self) -> bool {
        self.leaves_out
    }

    /// True for kernels in CUDA C++.
    #[must_use]
    pub fn are_of_cuda(&self) -> bool {
        self.target == Target::Cuda
    }

    /// True for kernels in PTX.
    #[must_use]
    pub fn are_of_ptx(&self) -> bool {
        self.target == Target::Ptx
    }

    /// As `weight`, for an operator with this result.
    #[must_use]
    pub fn binary(&self, operator: Binary, ty: Ty) -> u32 {
        // In OpenCL C, a quotient of `float` may be wrong by 2.5 units, even if the exact one is a number of the type.
        let is_certain = operator != Binary::Divide || ty.scalar != ScalarType::Float;
        let divides_exactly = self.target == Target::Cuda || self.target.is_program();
        let fits = operator.has(ty.scalar) && (is_certain || divides_exactly);
        if fits { self.weight(operator.texts().1, ty) } else { 0 }
    }

    /// As `weight`, for a collective function on values of a type.
    #[must_use]
    pub fn joint(&self, function: Joint, ty: Ty) -> u32 {
        let is_asked = self.sub_groups || !function.is_of_sub_group();
        let fits = self.target.has_joint(function) && self.allows(function.feature(), Ty::INT);
        // A user who asks for sub-groups wants to see them.
        let times = if function.is_of_sub_group() { 2 } else { 1 };
        if fits && is_asked { times * self.weight(function.name(), ty) } else { 0 }
    }

    /// True if functions of sub-groups are among the features of the seed.
    #[must_use]
    pub fn has_sub_groups(&self) -> bool {
        let is_on = |function: Joint| self.joint(function, Ty::INT) > 0;
        self.sub_groups && Joint::ALL.into_iter().any(|one| one.is_of_sub_group() && is_on(one))
    }

    /// As `weight`, for a built-in function with this result.
    #[must_use]
    pub fn builtin(&self, builtin: Builtin, ty: Ty) -> u32 {
        let fits = self.target.has(builtin) && builtin.can_return(ty);
        if fits { self.weight(builtin.name(), ty) } else { 0 }
    }
}
