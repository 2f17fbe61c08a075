//! The search for programs and libraries, without running or loading them.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// How the name of AddressSanitizer's library begins. The libraries of the other sanitizers lie beside it.
pub(crate) const ADDRESS_SANITIZER: &str = "libclang_rt.asan";

/// Returns the folders of the search path.
#[must_use]
pub fn search_path() -> Vec<PathBuf> {
    env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect()
}

/// Finds a program: on the search path, or at its path.
#[must_use]
pub fn find_program(program: &str) -> Option<PathBuf> {
    let name = format!("{program}{}", env::consts::EXE_SUFFIX);
    if program.contains(['/', std::path::MAIN_SEPARATOR]) {
        return [program, &name].map(PathBuf::from).into_iter().find(|path| path.is_file());
    }
    search_path().iter().map(|folder| folder.join(&name)).find(|path| path.is_file())
}

/// Returns true if a program is installed: on the search path, or at its path.
#[must_use]
pub fn is_installed(program: &str) -> bool {
    find_program(program).is_some()
}

/// Finds a shared library whose name starts like one of these, where the system's loader looks.
pub(crate) fn library(starts: &[&str]) -> Option<PathBuf> {
    let is_it =
        |name: &str| name.contains(".so") && starts.iter().any(|start| name.starts_with(start));
    library_folders().iter().find_map(|folder| file_in(folder, is_it))
}

/// Finds a library that belongs to a clang: in the folders `lib/clang/VERSION/lib/PLATFORM`.
pub(crate) fn of_clang(clang: &Path, part: &str) -> Option<PathBuf> {
    let program = fs::canonicalize(clang).ok()?;
    let libraries =
        folders_in(&versions_of_clang(&program)?).into_iter().map(|version| version.join("lib"));
    let platforms = libraries.flat_map(|libraries| folders_in(&libraries));
    platforms.into_iter().find_map(|platform| file_in(&platform, |name| is_library(name, part)))
}

/// Returns true if a clang has the libraries of its sanitizers, or may have them: a script that starts a clang has no folder
/// of libraries.
#[must_use]
pub fn has_sanitizers(clang: &str) -> bool {
    let program = find_program(clang).and_then(|clang| fs::canonicalize(clang).ok());
    program.is_some_and(|clang| {
        let is_script = versions_of_clang(&clang).is_none_or(|versions| !versions.is_dir());
        is_script || of_clang(&clang, ADDRESS_SANITIZER).is_some()
    })
}

/// The folder `lib/clang` of a program, which need not be there.
fn versions_of_clang(program: &Path) -> Option<PathBuf> {
    Some(program.parent()?.parent()?.join("lib/clang"))
}

/// The version of a clang, as Debian's packages have it: that of the folder of its LLVM, or of its name.
pub(crate) fn version_of_clang(clang: &Path) -> Option<String> {
    let program = fs::canonicalize(clang).ok()?;
    let folder = program.parent().and_then(Path::parent).and_then(Path::file_name);
    let names = [folder, program.file_name(), clang.file_name()].into_iter().flatten();
    names.into_iter().find_map(|name| {
        let name = name.to_string_lossy();
        let version = name.strip_prefix("llvm-").or_else(|| name.strip_prefix("clang-"))?;
        version.bytes().all(|byte| byte.is_ascii_digit()).then(|| version.to_owned())
    })
}

/// Returns true for a library whose name begins like this. A list of its symbols may lie where it does not.
fn is_library(name: &str, start: &str) -> bool {
    name.starts_with(start) && !name.ends_with(".syms")
}

/// Finds the file that tells OpenCL's loader about a driver.
pub(crate) fn opencl_driver(part: &str) -> Option<PathBuf> {
    file_in(&opencl_vendors(), |name| name.contains(part))
}

/// The folder with the files that tell OpenCL's loader about drivers.
pub(crate) fn opencl_vendors() -> PathBuf {
    env::var_os("OCL_ICD_VENDORS")
        .map_or_else(|| PathBuf::from("/etc/OpenCL/vendors"), PathBuf::from)
}

/// The folders in which the system's loader looks for libraries.
fn library_folders() -> Vec<PathBuf> {
    let own = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = env::split_paths(&own).collect();
    let mut configurations = files_in(Path::new("/etc/ld.so.conf.d"));
    configurations.sort();
    for text in configurations.iter().filter_map(|file| fs::read_to_string(file).ok()) {
        folders.extend(
            text.lines().map(str::trim).filter(|line| line.starts_with('/')).map(PathBuf::from),
        );
    }
    folders.extend(
        ["/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib", "/usr/local/cuda/lib64"]
            .map(PathBuf::from),
    );
    // Debian's clang keeps its library in a folder of its own, too.
    let mut of_llvm: Vec<PathBuf> = folders_in(Path::new("/usr/lib"));
    of_llvm.retain(|folder| {
        folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with("llvm-"))
    });
    of_llvm.sort();
    folders.extend(of_llvm.into_iter().rev().map(|folder| folder.join("lib")));
    folders
}

/// The last file in a folder whose name is right.
fn file_in(folder: &Path, is_it: impl Fn(&str) -> bool) -> Option<PathBuf> {
    let mut files = files_in(folder);
    files.retain(|file| file.file_name().is_some_and(|name| is_it(&name.to_string_lossy())));
    // The newest version has the largest number.
    files.sort();
    files.pop()
}

pub(crate) fn files_in(folder: &Path) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|path| path.is_file()).collect()
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|path| path.is_dir()).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_a_clang_is_that_of_its_folder_or_name() {
        let root = tempfile::tempdir().unwrap();
        for (file, version) in [("llvm-16/bin/clang", "16"), ("usr/bin/clang-17", "17")] {
            let clang = root.path().join(file);
            fs::create_dir_all(clang.parent().unwrap()).unwrap();
            fs::write(&clang, "").unwrap();
            assert_eq!(version_of_clang(&clang).as_deref(), Some(version));
        }
    }

    #[test]
    fn the_libraries_of_a_clang_lie_below_its_folder() {
        let root = tempfile::tempdir().unwrap();
        let library = root.path().join("lib/clang/19/lib/linux/libclang_rt.asan-x86_64.a");
        let clang = root.path().join("bin/clang");
        for file in [&library, &clang] {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let found = of_clang(&clang, "libclang_rt.asan").unwrap();
        assert_eq!(found, fs::canonicalize(&library).unwrap());
        assert!(has_sanitizers(clang.to_str().unwrap()) && !has_sanitizers("no-such-program"));
        assert_eq!(of_clang(&clang, "libclang_rt.msan"), None);
        assert_eq!(version_of_clang(&clang), None);
        assert_eq!(find_program(clang.to_str().unwrap()), Some(clang));
        assert!(!is_installed("no-such-program"));
    }
}
