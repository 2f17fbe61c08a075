//! A compiler or device that is tried in the place of the suspected one: a name on the command line, or a version in the
//! zoo.

use clreduce_devices::{Installation, InstallationKind};
use clreduce_interestingness::TestCommand;
use clreduce_recipe::with_compiler;

use super::subject::BugTest;
use super::versions::expanded;
use crate::failure::BugError;
use crate::settings::zoo;
use crate::terminal::quoting::quoted;

/// A compiler or device to try.
pub(super) struct CompilerVersion {
    /// Its name, for people.
    pub name: String,
    installation: Option<&'static Installation>,
}

impl CompilerVersion {
    /// The candidates that words on the command line mean; without words, all versions in the zoo of the device that a
    /// recipe suspects.
    pub(super) fn all(words: &[String], subject: &BugTest) -> Vec<Self> {
        let suspected = || match subject {
            BugTest::Recipe { test, .. } if test.suspects_a_device() => {
                let accused = test.calibration().pin.accused.split(' ').next().unwrap_or_default();
                let name = zoo::installation(accused).map_or(accused, |own| &own.name);
                zoo::installations().iter().filter(|one| one.name == name).map(Self::of).collect()
            }
            _ => Vec::new(),
        };
        if words.is_empty() {
            return suspected();
        }
        words.iter().flat_map(|text| expanded(text)).flat_map(Self::named).collect()
    }

    fn named(word: String) -> Vec<Self> {
        let versions = zoo::installations().iter().filter(|one| one.name == word);
        let versions: Vec<Self> = versions.map(Self::of).collect();
        if !versions.is_empty() {
            return versions;
        }
        let installation = zoo::installation(&word);
        vec![Self { name: word, installation }]
    }

    fn of(installation: &'static Installation) -> Self {
        Self { name: installation.label(), installation: Some(installation) }
    }

    /// The word that names it to others: the program of a compiler, or the name of a device.
    pub(super) fn tool(&self) -> &str {
        let program = self.installation.and_then(|own| own.program.as_deref());
        program.and_then(|path| path.to_str()).unwrap_or(&self.name)
    }

    /// A test for it, as a line for the shell.
    ///
    /// # Errors
    /// When the test is a script, which does not take another compiler, and the candidate is not of a zoo.
    pub(super) fn command_line(&self, command: &TestCommand) -> Result<String, BugError> {
        let is_compiler =
            self.installation.is_none_or(|own| own.kind == InstallationKind::Compiler);
        let line = match (command, self.installation) {
            (TestCommand::Shell(line), _) if is_compiler => with_compiler(line, self.tool()),
            (TestCommand::Shell(line), _) => line.clone(),
            (TestCommand::Program { path, .. }, None) => {
                return Err(BugError::Script(path.clone()));
            }
            (TestCommand::Program { path, args }, Some(_)) => {
                let words = [path.as_os_str()].into_iter().chain(args.iter().map(|arg| &**arg));
                let words: Vec<String> =
                    words.map(|word| quoted(&word.to_string_lossy())).collect();
                words.join(" ")
            }
        };
        let Some(installation) = self.installation else { return Ok(line) };
        let program = installation.program.iter().map(|path| ("CC", path.display().to_string()));
        let label = [("CLREDUCE_ZOO", self.name.clone())];
        let own = installation.environment.iter().map(|(name, value)| (&**name, value.clone()));
        let exports = own.chain(program).chain(label);
        let exports = exports.map(|(name, value)| format!("export {name}={}; ", quoted(&value)));
        Ok(exports.collect::<String>() + &line)
    }
}
