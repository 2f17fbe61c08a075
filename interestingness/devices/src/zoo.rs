//! The zoo: versions of compilers and run-times that `scripts/zoo` has installed side by side. Each has an environment of
//! its own, so that a worker process can load any of them.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clreduce_process::worker::WorkerOptions;
use serde::Deserialize;
use thiserror::Error;

/// Name of the file that describes an installation, in its folder.
const FILE: &str = "zoo.toml";
/// The variable with the folders of libraries.
const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

/// The use of an installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InstallationKind {
    /// An OpenCL run-time that the loader finds.
    OpenCl,
    /// A version of NVRTC for the CUDA driver.
    Cuda,
    /// A compiler for a command line, or ptxas.
    Compiler,
}

/// A version of a compiler or run-time in a folder of its own.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Installation {
    /// The name that its versions share, such as `pocl`.
    pub name: String,
    /// The version, as its packager writes it.
    pub version: String,
    /// Its use.
    pub kind: InstallationKind,
    /// The program, of a compiler.
    pub program: Option<PathBuf>,
    /// Environment variables for its users alone, such as `OCL_ICD_VENDORS`.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
}

/// The reason that a zoo cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ZooError {
    /// The folder or a file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The folder or file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A description has a mistake.
    #[error("{} is no description of an installation: {source}; install it again by scripts/zoo", path.display())]
    Description {
        /// The file.
        path: PathBuf,
        /// The mistake.
        source: Box<toml::de::Error>,
    },
    /// There is no installation.
    #[error("there is no installation in {}; `scripts/zoo install NAME --into {}` adds one", .0.display(), .0.display())]
    Empty(PathBuf),
}

impl Installation {
    /// The name and the version, by which commands know it: `pocl-3.0`.
    #[must_use]
    pub fn label(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }

    /// The way in which workers are started with it.
    pub(crate) fn worker_options(&self, options: &WorkerOptions) -> WorkerOptions {
        let mut options = options.clone();
        let own = self.environment.iter();
        let valued = |(name, value): (&String, &String)| {
            (name.into(), with_inherited(name, value, env::var_os(name)))
        };
        options.environment.extend(own.map(valued));
        options
    }
}

/// The value of a variable for an installation. Its libraries come before those that this process looks for, and do not
/// replace them.
fn with_inherited(name: &str, value: &str, inherited: Option<OsString>) -> OsString {
    let mut value = OsString::from(value);
    if name == LIBRARY_PATH
        && let Some(inherited) = inherited.filter(|path| !path.is_empty())
    {
        value.push(":");
        value.push(inherited);
    }
    value
}

/// Reads the installations of a zoo, by name and in order of version. Folders without a description do not count: their
/// installation is not complete.
///
/// # Errors
/// When the folder or a description cannot be read, or when the folder holds no installation.
pub fn read_zoo(folder: &Path) -> Result<Vec<Installation>, ZooError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| ZooError::Read { path, source }
    };
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed(folder))? {
        let path = entry.map_err(failed(folder))?.path().join(FILE);
        if !path.is_file() {
            continue;
        }
        let text = fs::read_to_string(&path).map_err(failed(&path))?;
        let read = toml::from_str::<Installation>(&text);
        all.push(read.map_err(|source| ZooError::Description { path, source: source.into() })?);
    }
    if all.is_empty() {
        return Err(ZooError::Empty(folder.to_owned()));
    }
    let order = |one: &Installation, other: &Installation| {
        one.name.cmp(&other.name).then_with(|| by_version(&one.version, &other.version))
    };
    all.sort_by(order);
    Ok(all)
}

/// The order of versions: part by part, numbers as numbers. A version is older than one that continues it.
fn by_version(one: &str, other: &str) -> Ordering {
    let parts = |text: &str| -> Vec<(u64, String)> {
        let parts = text.split(['.', '-', '+']);
        parts.map(|part| (part.parse().unwrap_or(u64::MAX), part.to_owned())).collect()
    };
    parts(one).cmp(&parts(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_number() {
        let mut versions =
            ["1.3.post1", "3.0", "1.10", "1.2.post2", "1.2", "2026.0.0", "1.2.post1", "0.8.1"];
        versions.sort_by(|one, other| by_version(one, other));
        let order =
            ["0.8.1", "1.2", "1.2.post1", "1.2.post2", "1.3.post1", "1.10", "3.0", "2026.0.0"];
        assert_eq!(versions, order);
    }

    #[test]
    fn libraries_of_the_system_are_found_behind_those_of_an_installation() {
        let value = |name: &str, inherited: Option<&str>| {
            with_inherited(name, "/zoo/lib", inherited.map(OsString::from))
        };
        assert_eq!(
            value(LIBRARY_PATH, Some("/usr/local/cuda/lib")),
            "/zoo/lib:/usr/local/cuda/lib"
        );
        assert_eq!(value(LIBRARY_PATH, Some("")), "/zoo/lib");
        assert_eq!(value(LIBRARY_PATH, None), "/zoo/lib");
        assert_eq!(value("OCL_ICD_VENDORS", Some("/etc/OpenCL/vendors")), "/zoo/lib");
    }

    #[test]
    fn a_zoo_is_read_in_order_and_mistakes_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            fs::create_dir_all(folder.path().join(name)).unwrap();
            fs::write(folder.path().join(name).join(FILE), text).unwrap();
        };
        assert!(matches!(read_zoo(folder.path()), Err(ZooError::Empty(_))));
        fs::create_dir(folder.path().join("unfinished")).unwrap();
        write("b", "name = \"pocl\"\nversion = \"1.10\"\nkind = \"opencl\"\n");
        write(
            "c",
            "name = \"pocl\"\nversion = \"1.9\"\nkind = \"opencl\"\n[environment]\nA = \"b\"\n",
        );
        write("a", "name = \"clang\"\nversion = \"13\"\nkind = \"compiler\"\nprogram = \"/x\"\n");
        let labels: Vec<String> =
            read_zoo(folder.path()).unwrap().iter().map(Installation::label).collect();
        assert_eq!(labels, ["clang-13", "pocl-1.9", "pocl-1.10"]);
        write("a", "name = \"clang\"\nversion = \"13\"\nkind = \"compilers\"\n");
        let error = read_zoo(folder.path()).unwrap_err().to_string();
        assert!(error.contains("compilers"), "{error}");
    }
}
