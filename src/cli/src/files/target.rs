//! The paths of a reduction: the files that are replaced, the state folder, and the kept original.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clreduce_testcase::{SourceFile, TestCase};
use thiserror::Error;

use crate::files::keep::OriginalCopy;
use crate::files::load::{
    ALSO_INTERESTING, BUG_REPORTS, EDITED, FLAGS, FilePlace, Input, LoadError, ORIGINAL,
    OWN_ENDINGS, RECIPE_WITH_FLAGS, SLIPPED, STATE, beside,
};

/// The reason why the result cannot be written to the path of `--output`.
#[derive(Debug, Error)]
pub(crate) enum OutputError {
    #[error("`{0}` is the input itself\nhelp: leave --output out to reduce in place")]
    IsInput(PathBuf),
    #[error(
        "the folder `{0}` is not empty, and its files would be mixed with the result\n\
         help: name a folder that does not exist yet"
    )]
    NotEmpty(PathBuf),
    #[error(
        "the result is a folder, but `{0}` is a file\nhelp: name a folder that does not exist yet"
    )]
    IsFile(PathBuf),
    #[error(
        "`{0}` is neither a file nor a folder (a device, a pipe or a socket), so the result cannot be written to it\n\
         help: name a file or folder that does not exist yet"
    )]
    Special(PathBuf),
    #[error(
        "`{0}` is a symbolic link that leads nowhere, so the result cannot be written to it\n\
         help: remove the link, or name the file that it should lead to"
    )]
    Dangling(PathBuf),
    #[error(
        "the result has several files, and standard output takes one\n\
         help: name a folder that does not exist yet"
    )]
    Stdout,
    #[error("`{0}` is the test, which the result would replace\nhelp: name another file")]
    IsTest(PathBuf),
    #[error("cannot use `{path}` for the result: {source}")]
    Unusable { path: PathBuf, source: io::Error },
}

/// The parser of the path of something that does not go to standard output.
pub(crate) fn on_disk() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match is_stdout(&path) {
        true => Err("it cannot go to standard output; name a file or a folder"),
        false => Ok(path),
    })
}

/// The paths that a reduction reads and writes.
#[derive(Clone, Debug)]
pub(crate) struct ReductionPaths {
    /// The files and folders that are reduced.
    pub inputs: Vec<Input>,
    /// The path that state and other by-products are named after.
    base: PathBuf,
    /// Path of the result, a file or a folder, if not in place.
    output: Option<PathBuf>,
    /// The result is printed at the end. Until then, it lies in the state folder.
    pub to_stdout: bool,
}

/// Ending of the name after which the state is named if the result goes to standard output.
const STDOUT: &str = ".stdout";

/// Returns true for the path that stands for standard output.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

impl ReductionPaths {
    /// Decides it. Nothing is written.
    ///
    /// # Errors
    /// When the output and the input do not go together.
    pub(crate) fn of(inputs: Vec<Input>, output: Option<&Path>) -> Result<Self, OutputError> {
        let Some(output) = output else {
            let base = inputs.first().map(|input| input.real.clone()).unwrap_or_default();
            return Ok(Self { inputs, base, output: None, to_stdout: false });
        };
        if is_stdout(output) {
            let [Input { is_dir: false, real, .. }] = &inputs[..] else {
                return Err(OutputError::Stdout);
            };
            let base = beside(real, STDOUT);
            let output = beside(&base, STATE).join("result");
            return Ok(Self { inputs, base, output: Some(output), to_stdout: true });
        }
        let unusable = |source| OutputError::Unusable { path: output.to_owned(), source };
        let mut path = absolute(output).map_err(unusable)?;
        if let [Input { is_dir: false, absolute, .. }] = &inputs[..] {
            if path.is_dir()
                && let Some(name) = absolute.file_name()
            {
                path.push(name);
            }
        } else if path.is_file() {
            return Err(OutputError::IsFile(output.to_owned()));
        }
        // If the link led somewhere, the path would be that of its target by now.
        if path.is_symlink() {
            return Err(OutputError::Dangling(output.to_owned()));
        }
        if path.exists() && !path.is_file() && !path.is_dir() {
            return Err(OutputError::Special(output.to_owned()));
        }
        if inputs
            .iter()
            .any(|input| dunce::canonicalize(&path).is_ok_and(|path| path == input.real))
        {
            return Err(OutputError::IsInput(output.to_owned()));
        }
        Ok(Self { inputs, base: path.clone(), output: Some(path), to_stdout: false })
    }

    /// True if the input itself is replaced.
    pub(crate) fn in_place(&self) -> bool {
        self.output.is_none()
    }

    /// The state folder.
    pub(crate) fn state(&self) -> PathBuf {
        beside(&self.base, STATE)
    }

    /// Folder for variants that `--also-interesting` asks for.
    pub(crate) fn also_interesting(&self) -> PathBuf {
        beside(&self.base, ALSO_INTERESTING)
    }

    /// Folder for variants that `--allow-slippage` asks for.
    pub(crate) fn slipped(&self) -> PathBuf {
        beside(&self.base, SLIPPED)
    }

    /// Folder for edits that the test does not accept.
    pub(crate) fn edited(&self) -> PathBuf {
        beside(&self.base, EDITED)
    }

    /// The bug reports: Markdown, and plain text.
    pub(crate) fn bug_reports(&self) -> [PathBuf; 2] {
        BUG_REPORTS.map(|ending| beside(&self.base, ending))
    }

    /// The file with the flags that are left.
    pub(crate) fn flags(&self) -> PathBuf {
        beside(&self.base, FLAGS)
    }

    /// The recipe with the flags that are left.
    pub(crate) fn recipe_with_flags(&self) -> PathBuf {
        beside(&self.base, RECIPE_WITH_FLAGS)
    }

    /// The path of the output; it is no part of a DIR it lies in.
    pub(crate) fn output(&self) -> Option<&Path> {
        self.output.as_deref()
    }

    /// Refuses an output that is the program of the test.
    ///
    /// # Errors
    /// When it is.
    pub(crate) fn check_output_is_not(&self, test: &Path) -> Result<(), OutputError> {
        match (&self.output, absolute(test)) {
            (Some(output), Ok(test)) if *output == test => Err(OutputError::IsTest(test)),
            _ => Ok(()),
        }
    }

    /// Returns true if a file that the reduction reads or writes has this path: a file that is reduced, the result, or one
    /// that is kept beside them.
    pub(crate) fn needs(&self, path: &Path) -> bool {
        let Ok(path) = absolute(path) else { return false };
        let files = self.inputs.iter().filter(|input| !input.is_dir);
        let mut files = files.map(|input| &input.real).chain(&self.output);
        let bases = self.inputs.iter().map(|input| &input.absolute).chain([&self.base]);
        let is_beside = |base: &PathBuf| {
            let name = |path: &Path| path.file_name()?.to_str().map(str::to_owned);
            let ending = name(base)
                .zip(name(&path))
                .and_then(|(base, name)| Some(name.strip_prefix(base.as_str())?.to_owned()));
            base.parent() == path.parent()
                && ending.is_some_and(|it| OWN_ENDINGS.iter().any(|own| it.ends_with(own)))
        };
        files.any(|file| *file == path) || bases.into_iter().any(is_beside)
    }

    /// The path on disk of each file of the original.
    pub(crate) fn places(&self, original: &TestCase) -> Vec<FilePlace> {
        let place = |file: &SourceFile| {
            let (like, root) = self.input_of(&file.path);
            let (disk, root) = match &self.output {
                Some(output) if self.is_one_file() => (output.clone(), parent(output)),
                Some(output) => (output.join(&*file.path), output.clone()),
                None => (like.clone(), root),
            };
            FilePlace { path: Arc::clone(&file.path), disk, root, like }
        };
        original.files().iter().map(place).collect()
    }

    /// Copies of the original that must exist before anything is replaced. A copy of something else
    /// that is there from an earlier run stays, and the new one gets another name.
    pub(crate) fn originals(&self, original: &TestCase) -> Vec<OriginalCopy> {
        if !self.in_place() {
            return Vec::new();
        }
        let mut copies = Vec::new();
        for input in &self.inputs {
            let files = original.files().iter().filter(|file| {
                let (disk, root) = self.input_of(&file.path);
                if input.is_dir { root == input.real } else { disk == input.real }
            });
            let files: Vec<&SourceFile> = files.collect();
            let copy = |base: &Path, file: &SourceFile| {
                if input.is_dir { base.join(&*file.path) } else { base.to_owned() }
            };
            // A link is somebody else's: it may even lead to the file that is reduced. A pipe cannot be compared.
            let is_free = |base: &PathBuf| {
                let fits = |file: &&SourceFile| {
                    let path = copy(base, file);
                    match fs::symlink_metadata(&path) {
                        Ok(meta) => {
                            meta.is_file() && fs::read(path).is_ok_and(|it| *it == *file.bytes)
                        }
                        Err(error) => error.kind() == io::ErrorKind::NotFound,
                    }
                };
                !base.is_symlink() && base.is_dir() <= input.is_dir && files.iter().all(fits)
            };
            let numbered = (2..).map(|number| format!(".{number}{ORIGINAL}"));
            let base = std::iter::once(ORIGINAL.to_owned())
                .chain(numbered)
                .map(|ending| beside(&input.absolute, &ending))
                .find(is_free);
            let Some(base) = base else { continue };
            copies.extend(files.into_iter().map(|file| OriginalCopy {
                path: Arc::clone(&file.path),
                copy: copy(&base, file),
                base: base.clone(),
            }));
        }
        copies
    }

    pub(crate) fn results(&self) -> Vec<PathBuf> {
        match &self.output {
            Some(_) if self.to_stdout => Vec::new(),
            Some(output) => vec![output.clone()],
            None => self.inputs.iter().map(|input| input.absolute.clone()).collect(),
        }
    }

    /// Refuses an output folder in which files of somebody else lie.
    ///
    /// # Errors
    /// When there are any, or it cannot be looked at.
    pub(crate) fn check_output_empty(&self) -> Result<(), OutputError> {
        let Some(output) = self.output.as_ref().filter(|_| !self.is_one_file()) else {
            return Ok(());
        };
        match fs::read_dir(output) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(source) => Err(OutputError::Unusable { path: output.clone(), source }),
            Ok(mut entries) => match entries.next() {
                Some(_) => Err(OutputError::NotEmpty(output.clone())),
                None => Ok(()),
            },
        }
    }

    fn is_one_file(&self) -> bool {
        matches!(self.inputs[..], [Input { is_dir: false, .. }])
    }

    /// Path on disk and root of a file that is reduced in place.
    fn input_of(&self, path: &str) -> (PathBuf, PathBuf) {
        let file = self.inputs.iter().find(|input| {
            !input.is_dir && input.absolute.file_name().is_some_and(|name| name == path)
        });
        if let Some(file) = file {
            return (file.real.clone(), parent(&file.real));
        }
        let dirs = || self.inputs.iter().filter(|input| input.is_dir);
        // With several folders, the one that has it; a file that is gone goes back to any.
        let dir = dirs().find(|dir| dir.real.join(path).exists()).or_else(|| dirs().next());
        dir.map_or_else(Default::default, |dir| (dir.real.join(path), dir.real.clone()))
    }
}

/// Reads the files as they are now.
///
/// # Errors
/// When something cannot be read.
pub(crate) fn read(places: &[FilePlace]) -> Result<TestCase, LoadError> {
    let mut files = Vec::new();
    for place in places {
        match fs::read(&place.disk) {
            Ok(bytes) => {
                files.push(SourceFile { path: Arc::clone(&place.path), bytes: bytes.into() });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(LoadError::Read { path: place.disk.clone(), source }),
        }
    }
    Ok(TestCase::new(files)?)
}

/// Absolute, with the symbolic links of the folder above resolved.
pub(crate) fn absolute(path: &Path) -> io::Result<PathBuf> {
    if let Ok(real) = dunce::canonicalize(path) {
        return Ok(real);
    }
    // Without a slash at the end, and with `.` gone.
    let path: PathBuf = std::path::absolute(path)?.components().collect();
    match (path.parent().map(dunce::canonicalize), path.file_name()) {
        (Some(parent), Some(name)) => Ok(parent?.join(name)),
        _ => Ok(path),
    }
}

fn parent(path: &Path) -> PathBuf {
    path.parent().unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(paths: &[&Path]) -> Vec<Input> {
        let paths: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
        Input::find_all(&paths).unwrap()
    }

    #[test]
    fn originals_of_earlier_runs_stay() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.c");
        fs::write(&file, "new").unwrap();
        let case = TestCase::single("a.c", b"new".as_slice()).unwrap();
        let target = ReductionPaths::of(inputs(&[&file]), None).unwrap();
        let copy = || {
            let copies = target.originals(&case);
            copies[0].copy.file_name().unwrap().to_str().unwrap().to_owned()
        };
        assert_eq!(copy(), "a.c.orig");
        fs::write(dir.path().join("a.c.orig"), "new").unwrap();
        assert_eq!(copy(), "a.c.orig");
        fs::write(dir.path().join("a.c.orig"), "old").unwrap();
        assert_eq!(copy(), "a.c.2.orig");
    }

    #[test]
    fn output_of_one_file_is_a_file_or_lies_in_a_folder() {
        let dir = tempfile::tempdir().unwrap();
        let root = dunce::canonicalize(dir.path()).unwrap();
        let file = root.join("a.c");
        fs::write(&file, "x").unwrap();
        fs::create_dir(root.join("out")).unwrap();
        let case = TestCase::single("a.c", b"x".as_slice()).unwrap();
        let disk = |output: &str| {
            let target = ReductionPaths::of(inputs(&[&file]), Some(&root.join(output))).unwrap();
            assert!(target.originals(&case).is_empty());
            target.places(&case)[0].disk.strip_prefix(&root).unwrap().to_owned()
        };
        assert_eq!(disk("b.c"), Path::new("b.c"));
        assert_eq!(disk("out"), Path::new("out/a.c"));
        let same = ReductionPaths::of(inputs(&[&file]), Some(&file));
        assert!(matches!(same, Err(OutputError::IsInput(_))));
    }

    #[test]
    fn output_of_a_folder_is_an_empty_folder() {
        let dir = tempfile::tempdir().unwrap();
        let source = dir.path().join("src");
        fs::create_dir(&source).unwrap();
        let output = dir.path().join("out/");
        let target = ReductionPaths::of(inputs(&[&source]), Some(&output)).unwrap();
        assert!(target.state().ends_with("out.clreduce"));
        target.check_output_empty().unwrap();
        fs::create_dir(&output).unwrap();
        target.check_output_empty().unwrap();
        fs::write(output.join("theirs"), "").unwrap();
        assert!(matches!(target.check_output_empty(), Err(OutputError::NotEmpty(_))));
    }
}
