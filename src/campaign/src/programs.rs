//! The programs of a campaign: kernels of consecutive seeds.

use clreduce_generator::{Avoid, Kernel, Profile, generate};

/// The kernels of a profile, from a seed on.
#[derive(Clone, Debug)]
pub struct Programs {
    /// What is asked for, apart from the seed.
    pub profile: Profile,
    /// The seed of the first program.
    pub first: u64,
}

impl Programs {
    /// The name of a program, by which a person makes it again.
    #[must_use]
    pub fn name(&self, program: u64) -> String {
        format!("{}-{}", self.profile.mode.name(), self.seed(program))
    }

    /// The end of the names of their files.
    #[must_use]
    pub fn extension(&self) -> &'static str {
        self.profile.target.extension()
    }

    pub(crate) fn seed(&self, program: u64) -> u64 {
        self.first.wrapping_add(program)
    }

    /// A program without more features than the profile avoids; `None` if they do not fit together.
    pub(crate) fn kernel(&self, program: u64, avoid: &Avoid) -> Option<Kernel> {
        generate(self.seed(program), &self.without(avoid)).ok()
    }

    /// Returns true if kernels of the profile can do without these features.
    pub(crate) fn can_avoid(&self, avoid: &Avoid) -> bool {
        self.without(avoid).check().is_ok()
    }

    fn without(&self, avoid: &Avoid) -> Profile {
        Profile { avoid: self.profile.avoid.clone().and(avoid), ..self.profile.clone() }
    }
}
