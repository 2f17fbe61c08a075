//! The programs of a campaign: kernels of consecutive seeds with their right results, or programs from elsewhere.

use clreduce_generator::{Avoid, Kernel, Profile, generate};
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
    /// The name of a program, by which a person makes it again.
    #[must_use]
    pub fn name(&self, program: u64) -> String {
        match self {
            Self::Generated(kernels) => {
                format!("{}-{}", kernels.profile.mode.name(), kernels.seed(program))
            }
            Self::External(external) => external.name(program),
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
            Self::Generated(kernels) => kernels.without(avoid).check().is_ok(),
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

    fn without(&self, avoid: &Avoid) -> Profile {
        Profile { avoid: self.profile.avoid.clone().and(avoid), ..self.profile.clone() }
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let profile = &self.profile;
        vec![
            ("--target", profile.target.name().to_owned()),
            ("--mode", profile.mode.name().to_owned()),
            ("--tokens", profile.tokens.to_string()),
            ("--avoid", profile.avoid.to_string()),
            ("--doubles", profile.doubles.to_string()),
            ("--sub-groups", profile.sub_groups.to_string()),
            ("--seed", self.first.to_string()),
        ]
    }
}
