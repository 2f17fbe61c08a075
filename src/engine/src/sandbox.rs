//! The options of the sandbox in which tests and tools run.

use std::fs;
use std::path::PathBuf;

use clreduce_interestingness::{Confinement, NoSandbox, Permissions};
use serde::{Deserialize, Serialize};
use thiserror::Error;

#[cfg(feature = "clap")]
const HEADING: &str = "Sandbox";

/// The sandbox of tests, tools and devices, and exceptions from it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct SandboxOptions {
    /// Sandbox for tests, tools and devices
    #[cfg_attr(feature = "clap", arg(long, value_name = "LEVEL", value_enum,
        default_value_t, help_heading = HEADING))]
    pub sandbox: SandboxLevel,

    /// Let tests write PATH, a file or a folder; can be given several times
    #[cfg_attr(feature = "clap", arg(long, value_name = "PATH", value_hint = clap::ValueHint::AnyPath,
        help_heading = HEADING))]
    pub writable: Vec<String>,

    /// Let tests read PATH in a home, /tmp or /run, which --sandbox strict hides; can be given several times
    #[cfg_attr(feature = "clap", arg(long, value_name = "PATH", value_hint = clap::ValueHint::AnyPath,
        help_heading = HEADING))]
    pub readable: Vec<String>,

    /// Let tests use the network
    #[cfg_attr(feature = "clap", arg(long, help_heading = HEADING))]
    pub network: bool,

    /// Let tests see the environment variable NAME, which --sandbox strict takes for a secret; can be given several times
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME", help_heading = HEADING))]
    pub keep_env: Vec<String>,

    /// Let tests use GPUs; devices that clreduce runs kernels on can always be used
    #[cfg_attr(feature = "clap", arg(long, help_heading = HEADING))]
    pub gpu: bool,
}

/// How much tests, tools and devices are kept from doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum SandboxLevel {
    /// Linux: they write only in their own folders and use no TCP (by Landlock)
    #[default]
    Auto,
    /// Linux: they also have their own home, /tmp, /run, processes and network (by bubblewrap)
    Strict,
    /// They may do what you may do
    Off,
}

/// The reason that the options make no sandbox.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// A path that is allowed is not there.
    #[error("cannot allow the tests `{path}` ({option}): {source}")]
    Path {
        /// The option.
        option: &'static str,
        /// Its value.
        path: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// The sandbox was asked for, and cannot be had.
    #[error("cannot make the sandbox of --sandbox {level}: {reason}")]
    NoSandbox {
        /// The level.
        level: &'static str,
        /// Why not.
        reason: NoSandbox,
    },
}

impl SandboxOptions {
    /// The confinement that the options mean. Where it is [`Confinement::Unconfined`] although they ask for a sandbox, the
    /// reason stands beside it.
    ///
    /// # Errors
    /// When a path is missing, or a sandbox is asked for that cannot be had.
    pub fn confinement(&self) -> Result<(Confinement, Option<NoSandbox>), SandboxError> {
        let permissions = Permissions {
            writable: outermost(paths("--writable", &self.writable)?),
            readable: paths("--readable", &self.readable)?,
            network: self.network,
            gpus: self.gpu,
            kept_variables: self.keep_env.clone(),
        };
        let none = |level, reason| SandboxError::NoSandbox { level, reason };
        Ok(match self.sandbox {
            SandboxLevel::Off => (Confinement::Unconfined, None),
            SandboxLevel::Strict => {
                let confinement = Confinement::bubblewrap(permissions);
                (confinement.map_err(|reason| none("strict", reason))?, None)
            }
            SandboxLevel::Auto => match Confinement::landlock(permissions) {
                Ok(confinement) => (confinement, None),
                Err(reason @ (NoSandbox::Landlock | NoSandbox::System)) => {
                    (Confinement::Unconfined, Some(reason))
                }
                Err(reason) => return Err(none("auto", reason)),
            },
        })
    }
}

/// Absolute paths, without links: a sandbox looks at the files, and not at their names.
fn paths(option: &'static str, paths: &[String]) -> Result<Vec<PathBuf>, SandboxError> {
    let resolved = |path: &String| {
        let failed = |source| SandboxError::Path { option, path: path.clone(), source };
        fs::canonicalize(path).map_err(failed)
    };
    paths.iter().map(resolved).collect()
}

/// Paths without those below another one, where a test could put a link, which the sandbox of the next test would follow.
fn outermost(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.sort();
    paths.dedup_by(|path, outer| path.starts_with(outer));
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_test_can_replace_is_not_allowed_by_its_name() {
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        let found = outermost(paths(&["/b/c/d", "/a", "/b/c", "/a/x", "/b/cc", "/a"]));
        assert_eq!(found, paths(&["/a", "/b/c", "/b/cc"]));
    }

    #[test]
    fn a_path_that_is_not_there_is_a_mistake() {
        let options = SandboxOptions { writable: vec!["/no/such".into()], ..Default::default() };
        let error = options.confinement().unwrap_err().to_string();
        assert!(error.contains("/no/such") && error.contains("--writable"), "{error}");
    }

    #[test]
    fn off_is_off() {
        let options = SandboxOptions { sandbox: SandboxLevel::Off, ..Default::default() };
        assert_eq!(options.confinement().unwrap().0, Confinement::Unconfined);
    }
}
