//! The launches of a kernel that files describe. All commands find these files by one rule.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueHint;
use clreduce_kernel::{Plan, ProgramKind, description_names};

use crate::failure::ArgumentsError;

/// The option that names files with launches.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct LaunchArgs {
    /// File that describes the arguments; given several times, the launches of all files run [default: for k.cl, the file
    /// k.args.toml or k.cl.args.toml, if it exists]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub args: Vec<PathBuf>,
}

/// The file beside a kernel that describes its arguments, if there is one.
///
/// # Errors
/// When there are two.
pub(crate) fn description_beside(kernel: &Path) -> Result<Option<PathBuf>, ArgumentsError> {
    match description_names(kernel).map(|path| Some(path).filter(|path| path.is_file())) {
        [Some(one), Some(other)] => Err(ArgumentsError::Two(one, other)),
        [one, other] => Ok(one.or(other)),
    }
}

impl LaunchArgs {
    /// The launches in the files that were named, or in the one beside the kernel; `None` if there is no such file.
    ///
    /// # Errors
    /// When a file cannot be read, or is wrong.
    pub(crate) fn described(
        &self,
        kernel: &Path,
        source: &[u8],
    ) -> Result<Option<Plan>, ArgumentsError> {
        let beside;
        let paths = match &self.args[..] {
            [] => {
                beside = description_beside(kernel)?;
                beside.as_slice()
            }
            named => named,
        };
        let kind = ProgramKind::of(&kernel.to_string_lossy(), source);
        let mut launches = Vec::new();
        for path in paths {
            let text = fs::read_to_string(path)
                .map_err(|source| ArgumentsError::Read { path: path.clone(), source })?;
            let plan = kind.plan(source, Some(&text)).map_err(|source| ArgumentsError::Plan {
                path: path.clone(),
                source: source.into(),
            })?;
            launches.extend(plan.launches);
        }
        Ok((!paths.is_empty()).then_some(Plan { launches, compile_only: None, is_chosen: false }))
    }
}
