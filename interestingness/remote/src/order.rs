//! Orders: what an action is asked, as it lies in its folder.

use std::path::{Path, PathBuf};

use clreduce_interestingness::{Limits, Occasion, Permissions, TimeLimits};
use clreduce_process::TestCommand;
use clreduce_recipe::{Calibration, Recipe};
use serde::{Deserialize, Serialize};

use crate::digest::Blob;
use crate::failure::RemoteError;
use crate::fingerprint::Fingerprint;
use crate::job::TEST;
use crate::tree::{Folder, stays_inside};

/// Stands for the folder of the action in a line for the shell.
pub(crate) const ROOT: &str = "@clreduce-root@";

/// The most files that the folder of a test may have.
const MOST_FILES: usize = 10_000;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TestOrder {
    pub ask: Ask,
    pub test: OrderedTest,
    /// The name of the language that the variant is in.
    pub language: String,
    pub limits: Limits,
    /// Limits of the parts of a recipe.
    pub part_limits: TimeLimits,
    /// Patterns for standard output and standard error, which decide instead of the exit status.
    pub patterns: Option<[Option<String>; 2]>,
    pub sandbox: Sandbox,
    /// The kind of sandbox that the machines of the first actions have. Others must have it too.
    pub found_sandbox: Option<String>,
    /// The tools that the machine must have. The first action asks for them.
    pub expect: Option<Fingerprint>,
}

/// A question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Ask {
    /// Which tools are there?
    Tools,
    /// What does the test do with the original, at its first run?
    Original,
    /// What does the original show under the recipe?
    Calibration,
    /// Is the variant interesting?
    Variant,
    /// Is it, by everything that the test has?
    Again,
    /// Is it, in the run of this number?
    Run(u32),
}

impl Ask {
    /// The occasion on which a machine judges the variant.
    pub(crate) fn occasion(self) -> Occasion {
        match self {
            Self::Again => Occasion::Again,
            Self::Run(run) => Occasion::Run(run),
            Self::Tools | Self::Original | Self::Calibration | Self::Variant => Occasion::Next,
        }
    }
}

/// A test as an action runs it. Its paths are relative to the folder of the action.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum OrderedTest {
    Program {
        path: String,
        args: Vec<String>,
    },
    Shell(String),
    /// `devices` are those of the machine that calibrated.
    Recipe {
        path: String,
        calibration: Option<Box<Calibration>>,
        devices: Vec<String>,
    },
}

/// The sandbox of a test on the other machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sandbox {
    /// Its kind.
    pub level: OrderedSandboxLevel,
    /// The exceptions. Paths are those of the other machine.
    pub permissions: Permissions,
}

/// A kind of sandbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum OrderedSandboxLevel {
    /// Landlock where the kernel of the machine has it, and otherwise none.
    #[default]
    Auto,
    /// Bubblewrap, or the test is not run.
    Strict,
    /// None.
    Off,
}

/// The files of a test, and the test as an action runs it.
#[derive(Clone, Debug)]
pub struct ActionFiles {
    pub(crate) folder: Folder,
    pub(crate) test: OrderedTest,
}

impl ActionFiles {
    /// The files of a command: its program, or the scripts that a line for the shell names by absolute paths. `more` are
    /// files and folders that lie beside it.
    ///
    /// # Errors
    /// When one cannot be read, or two have the same name.
    pub fn of_command(command: &TestCommand, more: &[PathBuf]) -> Result<Self, RemoteError> {
        let mut folder = Folder::default();
        let test = match command {
            TestCommand::Program { path, args } => {
                let path = add(&mut folder, path)?;
                let args = args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
                OrderedTest::Program { path, args }
            }
            TestCommand::Shell(line) => {
                let mut line = line.clone();
                let scripts = clreduce_interestingness::test_files(command).into_iter();
                for path in scripts.map(|(path, _)| path).filter(|path| !is_of_system(path)) {
                    let text = path.to_string_lossy();
                    let placed = add(&mut folder, &path)?;
                    line = line.replace(&*text, &format!("{ROOT}/{placed}"));
                }
                OrderedTest::Shell(line)
            }
        };
        add_all(&mut folder, more)?;
        Ok(Self { folder, test })
    }

    /// The files of a recipe: what it reads, and the programs that its commands name by absolute paths. In the action these
    /// are found by their names.
    ///
    /// # Errors
    /// As [`of_command`](Self::of_command).
    pub fn of_recipe(recipe: &Recipe, path: &Path, more: &[PathBuf]) -> Result<Self, RemoteError> {
        let mut folder = Folder::default();
        let placed = format!("{TEST}/{}", name_of(path));
        let mut text = recipe.text().to_owned();
        for program in programs_in(recipe.text()) {
            add(&mut folder, &program)?;
            text = text.replace(&*program.to_string_lossy(), &name_of(&program));
        }
        folder.add(&name_of(path), Blob::new(text.into_bytes()), false);
        for (name, path) in recipe.files() {
            place(&mut folder, name, &path)?;
        }
        add_all(&mut folder, more)?;
        let test = OrderedTest::Recipe { path: placed, calibration: None, devices: Vec::new() };
        Ok(Self { folder, test })
    }
}

/// The programs that a text names by absolute paths, other than those of the system. The longest come first.
fn programs_in(text: &str) -> Vec<PathBuf> {
    let is_end = |c: char| c.is_whitespace() || "'\"`;|&<>()=,".contains(c);
    let words = text.split(is_end).filter(|word| word.starts_with('/')).map(PathBuf::from);
    let is_own = |path: &PathBuf| path.is_file() && is_executable(path) && !is_of_system(path);
    let mut found: Vec<PathBuf> = words.filter(is_own).collect();
    found.sort_by_key(|path| std::cmp::Reverse(path.as_os_str().len()));
    found.dedup();
    found
}

/// Returns true if a file belongs to the tools of a machine, which are not uploaded.
fn is_of_system(path: &Path) -> bool {
    ["/bin", "/etc", "/lib", "/lib64", "/nix", "/opt", "/sbin", "/usr"]
        .iter()
        .any(|folder| path.starts_with(folder))
}

/// Adds a file to the folder of the test. Returns its path in the action.
fn add(folder: &mut Folder, path: &Path) -> Result<String, RemoteError> {
    let name = name_of(path);
    place(folder, name.clone(), path)?;
    Ok(format!("{TEST}/{name}"))
}

fn add_all(folder: &mut Folder, paths: &[PathBuf]) -> Result<(), RemoteError> {
    for path in paths {
        if !stays_inside(&name_of(path)) {
            return Err(RemoteError::Outside(path.display().to_string()));
        }
    }
    let mut pending: Vec<(String, PathBuf)> =
        paths.iter().map(|path| (name_of(path), path.clone())).collect();
    let mut count = 0;
    while let Some((name, path)) = pending.pop() {
        count += 1;
        let failed = |source| RemoteError::File { path: path.clone(), source };
        if count > MOST_FILES {
            return Err(failed(std::io::Error::other(format!("more than {MOST_FILES} files"))));
        }
        let metadata = std::fs::metadata(&path).map_err(failed)?;
        if metadata.is_dir() {
            for entry in std::fs::read_dir(&path).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                // A link to a folder may lead back.
                let is_link = entry.file_type().map_err(failed)?.is_symlink();
                if !(is_link && entry.path().is_dir()) {
                    let below = entry.file_name().to_string_lossy().into_owned();
                    pending.push((format!("{name}/{below}"), entry.path()));
                }
            }
        } else {
            place(folder, name, &path)?;
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<Blob, RemoteError> {
    // Larger files stay on disk until they are sent.
    let blob = Blob::file(path.to_owned(), 1 << 20);
    blob.map_err(|source| RemoteError::File { path: path.to_owned(), source })
}

/// Puts a file into the folder of the test.
fn place(folder: &mut Folder, name: String, path: &Path) -> Result<(), RemoteError> {
    if !stays_inside(&name) {
        return Err(RemoteError::Outside(name));
    }
    let blob = read(path)?;
    if folder.add(&name, blob, is_executable(path)) {
        Ok(())
    } else {
        Err(RemoteError::SameName(name))
    }
}

fn name_of(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.permissions().mode() & 0o111 != 0)
}

/// Windows has no such attribute, and the other machine has another system.
#[cfg(not(unix))]
fn is_executable(_path: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_of_a_line_get_their_place_in_the_action() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("t.sh");
        std::fs::write(&script, "exit 0").unwrap();
        let line = format!("sh {} a.c", script.display());
        let files = ActionFiles::of_command(&TestCommand::Shell(line), &[]).unwrap();
        let OrderedTest::Shell(line) = &files.test else { panic!("{:?}", files.test) };
        assert_eq!(line, "sh @clreduce-root@/test/t.sh a.c");
    }

    /// A compiler of the user's is uploaded, and one of the system is not.
    #[test]
    #[cfg(unix)]
    fn programs_of_a_recipe_are_found_by_their_names() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let compiler = folder.path().join("my-cc");
        std::fs::write(&compiler, "#!/bin/sh\nexit 1\n").unwrap();
        std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = folder.path().join("r.toml");
        let text = format!(
            "preset = \"crash\"\n[[configuration]]\nbuild = \"{} /bin/sh {{file}}\"\n",
            compiler.display()
        );
        let recipe = Recipe::parse(&path, text).unwrap();
        let files = ActionFiles::of_recipe(&recipe, &path, &[]).unwrap();
        let mut blobs = Vec::new();
        files.folder.blobs(&mut blobs);
        let texts = blobs.iter().map(|blob| blob.bytes().unwrap());
        let texts: Vec<String> = texts.map(|b| String::from_utf8_lossy(&b).into_owned()).collect();
        assert_eq!(blobs.len(), 2 + 1);
        assert!(texts.iter().any(|text| text.contains("build = \"my-cc /bin/sh {file}\"")));
    }

    #[test]
    fn files_beside_the_test_have_names_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("t.sh");
        let below = folder.path().join("lib");
        std::fs::create_dir(&below).unwrap();
        for file in [&script, &below.join("t.sh")] {
            std::fs::write(file, "exit 0").unwrap();
        }
        // A link to the folder itself does not lead around.
        #[cfg(unix)]
        std::os::unix::fs::symlink(&below, below.join("again")).unwrap();
        let command = TestCommand::Program { path: script, args: Vec::new() };
        let files = |more: PathBuf| ActionFiles::of_command(&command, &[more]);
        let mut blobs = Vec::new();
        files(below.clone()).unwrap().folder.blobs(&mut blobs);
        assert_eq!(blobs.len(), 2 + 2);
        let twice = files(below.join("t.sh")).unwrap_err();
        assert!(matches!(twice, RemoteError::SameName(name) if name == "t.sh"));
        let missing = files(folder.path().join("gone")).unwrap_err().to_string();
        assert!(missing.contains("gone"), "{missing}");
    }
}
