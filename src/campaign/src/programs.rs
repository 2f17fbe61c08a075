//! The programs of a campaign: kernels of consecutive seeds with their right results, or programs from elsewhere.

use clreduce_generator::{Avoid, Kernel, Profile, generate, variants};
use clreduce_interestingness::Cancel;

use crate::external::{ExternalPrograms, NoProgram};
use crate::outcome::Subject;

/// The programs of a campaign.
#[derive(Clone, Debug)]
pub enum Programs {
    /// Kernels of clreduce's generator.
    Generated(GeneratedPrograms),
    /// Programs from a command or a folder.
    External(ExternalPrograms),
}

/// The kernels of a profile, from a seed on.
#[derive(Clone, Debug)]
pub struct GeneratedPrograms {
    /// What is asked for, apart from the seed.
    pub profile: Profile,
    /// The seed of the first program.
    pub first: u64,
    /// The number of variants that run with each program.
    pub variants: u32,
}

/// A program.
#[derive(Clone, Debug)]
pub(crate) enum Program {
    /// One of clreduce's generator, which can be changed as a program.
    Kernel(Box<Kernel>),
    /// A text.
    Text(Subject),
}

impl Program {
    /// The program with its right result.
    pub(crate) fn subject(&self) -> Subject {
        match self {
            Self::Kernel(kernel) => Subject::from(&**kernel),
            Self::Text(subject) => subject.clone(),
        }
    }

    /// The program as one of clreduce's generator.
    pub(crate) fn kernel(&self) -> Option<&Kernel> {
        match self {
            Self::Kernel(kernel) => Some(&**kernel),
            Self::Text(_) => None,
        }
    }
}

impl Programs {
    /// The name of a program or of a variant of it, by which a person makes it again.
    #[must_use]
    pub fn name(&self, program: u64, variant: u32) -> String {
        let name = match self {
            Self::Generated(kernels) => {
                format!("{}-{}", kernels.profile.mode.name(), kernels.seed(program))
            }
            Self::External(external) => external.name(program),
        };
        match variant {
            0 => name,
            variant => format!("{name}-emi-{variant}"),
        }
    }

    /// The seed of a program, or its number.
    pub(crate) fn seed(&self, program: u64) -> u64 {
        match self {
            Self::Generated(kernels) => kernels.seed(program),
            Self::External(_) => program,
        }
    }

    /// The number of variants that run with each program.
    #[must_use]
    pub fn variants(&self) -> u32 {
        match self {
            Self::Generated(kernels) => kernels.variants,
            Self::External(external) => external.variants.count,
        }
    }

    /// The number of programs, if there is an end.
    #[must_use]
    pub fn count(&self) -> Option<u64> {
        match self {
            Self::Generated(_) => None,
            Self::External(external) => external.count(),
        }
    }

    /// What the programs depend on, by the names of options.
    pub(crate) fn facts(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Generated(kernels) => kernels.facts(),
            Self::External(external) => external.facts(),
        }
    }

    /// Makes a program without more features than are avoided anyway. Only clreduce's generator can do without any.
    pub(crate) fn make(
        &self,
        program: u64,
        avoid: &Avoid,
        cancel: &Cancel,
    ) -> Result<Program, NoProgram> {
        match self {
            Self::Generated(kernels) => match kernels.kernel(program, avoid) {
                Some(kernel) => Ok(Program::Kernel(Box::new(kernel))),
                None => Err(NoProgram::None("these features cannot be avoided together".into())),
            },
            Self::External(external) => external.make(program, cancel).map(Program::Text),
        }
    }

    /// Returns true if programs can do without these features.
    pub(crate) fn can_avoid(&self, avoid: &Avoid) -> bool {
        match self {
            Self::Generated(kernels) => kernels.can_avoid(avoid),
            Self::External(_) => false,
        }
    }
}

impl GeneratedPrograms {
    fn seed(&self, program: u64) -> u64 {
        self.first.wrapping_add(program)
    }

    fn kernel(&self, program: u64, avoid: &Avoid) -> Option<Kernel> {
        generate(self.seed(program), &self.without(avoid)).ok()
    }

    /// A kernel and its variants, up to a number; some have fewer.
    pub(crate) fn family(&self, program: u64, count: u32, avoid: &Avoid) -> Option<Vec<Kernel>> {
        let family = variants(self.seed(program), &self.without(avoid)).ok()?;
        let base = family.base().clone();
        Some(std::iter::once(base).chain(family.take(count as usize)).collect())
    }

    fn can_avoid(&self, avoid: &Avoid) -> bool {
        let profile = self.without(avoid);
        profile.check().is_ok() && (self.variants == 0 || profile.check_variants().is_ok())
    }

    fn without(&self, avoid: &Avoid) -> Profile {
        Profile { avoid: self.profile.avoid.clone().and(avoid), ..self.profile.clone() }
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let profile = &self.profile;
        let facts = vec![
            ("--target", profile.target.name().to_owned()),
            ("--mode", profile.mode.name().to_owned()),
            ("--tokens", profile.tokens.to_string()),
            ("--avoid", profile.avoid.to_string()),
            ("--doubles", profile.doubles.to_string()),
            ("--sub-groups", profile.sub_groups.to_string()),
            ("--seed", self.first.to_string()),
        ];
        let variants = (self.variants > 0).then(|| ("--emi", self.variants.to_string()));
        facts.into_iter().chain(variants).collect()
    }
}
