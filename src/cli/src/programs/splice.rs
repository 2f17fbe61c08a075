//! `clreduce splice` makes new kernels of parts of other kernels.

use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueHint;
use clreduce_splice::{Collection, LARGEST, splice as spliced};

use crate::failure::{CliError, UsageError};
use crate::files::load::{LoadError, NamedFile, files_below};
use crate::files::target::on_disk;
use crate::terminal::printing::error_line;

/// The arguments of `clreduce splice`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct SpliceArgs {
    /// Folder of preprocessed kernels in OpenCL C: the files in it and below it that end in .cl
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,

    /// Number that decides everything else
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,

    /// Make N kernels, for S and the numbers after it; needs --out
    #[arg(long, value_name = "N", default_value = "1")]
    pub count: NonZeroU32,

    /// Write splice-SEED.cl into this folder [default: the kernel on standard output]
    #[arg(long, value_name = "DIR", value_parser = on_disk(), value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
}

const HELP: &str = "\
A kernel of the folder gets up to five parts of other kernels: an expression takes the place of one of the same type, and a statement or \
block the place of another one. Variables that a part does not declare become variables of the same type where it comes to stand; what \
it calls comes along. The same folder and seed give the same kernel. `clreduce normalize --kernels --compilable` makes such folders.

The first line says how the kernel is launched, the second names the files that it is made of. A kernel need not be valid: `clreduce check` \
tells, and `clreduce fuzz` compares devices.

Examples:
  clreduce splice kernels --seed 7
  clreduce splice kernels --count 1000 --out spliced
  clreduce fuzz --out campaign --generator 'clreduce splice /data/kernels --seed {seed}'

Exit status:
  0  the kernels were written
  1  the folder has no kernels that fit, or a file cannot be written
  2  the command line is wrong";

/// The kernels of a folder, which are read when they are needed.
pub(crate) struct KernelFolder {
    files: Vec<NamedFile>,
}

impl KernelFolder {
    /// The kernels of a folder, in the order of their paths.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub(crate) fn open(folder: &Path) -> Result<Self, LoadError> {
        let mut files = files_below(folder)?;
        files.retain(|(name, _)| name.ends_with(".cl"));
        Ok(Self { files })
    }
}

impl Collection for KernelFolder {
    fn count(&self) -> usize {
        self.files.len()
    }

    fn name(&self, index: usize) -> &str {
        &self.files[index].0
    }

    fn text(&self, index: usize) -> Option<Vec<u8>> {
        let path = &self.files[index].1;
        let fits = fs::metadata(path).is_ok_and(|file| file.len() <= LARGEST as u64);
        if fits { fs::read(path).ok() } else { None }
    }
}

/// Makes kernels.
///
/// # Errors
/// When the folder has no kernels that fit, or a kernel cannot be written.
pub(crate) fn splice(args: &SpliceArgs) -> Result<ExitCode, CliError> {
    let kernels = KernelFolder::open(&args.folder)?;
    let made = |seed| {
        spliced(&kernels, seed)
            .map_err(|source| CliError::Splice { path: args.folder.clone(), source })
    };
    let Some(out) = &args.out else {
        if args.count.get() > 1 {
            return Err(UsageError::ManyKernels.into());
        }
        crate::terminal::printing::data(&made(args.seed)?.text).map_err(CliError::Stdout)?;
        return Ok(ExitCode::SUCCESS);
    };
    let write_error = |path: &Path, source| CliError::Write { path: path.to_owned(), source };
    fs::create_dir_all(out).map_err(|error| write_error(out, error))?;
    for index in 0..args.count.get() {
        let seed = args.seed.wrapping_add(index.into());
        let path = out.join(format!("splice-{seed}.cl"));
        fs::write(&path, made(seed)?.text).map_err(|error| write_error(&path, error))?;
    }
    if args.count.get() > 1 {
        error_line(&format!("{} kernels in {}", args.count, out.display()));
    }
    Ok(ExitCode::SUCCESS)
}
