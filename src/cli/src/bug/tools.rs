//! Versions of compilers, and packages that contain them.

use std::path::Path;

use clreduce_process::query;

/// What a compiler says about itself: its version, and the machine that it compiles for.
pub(super) fn version_of(program: &str) -> Option<String> {
    let text = query(Path::new(program), &["--version"])?;
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    // nvcc prints its name and its copyright first.
    let version = lines.clone().find(|line| line.contains(|sign: char| sign.is_ascii_digit()))?;
    let target = lines.find(|line| line.starts_with("Target:"));
    Some(target.into_iter().fold(version.to_owned(), |text, target| text + "\n" + target))
}

/// The Debian package of a compiler whose name says which one it is.
pub(super) fn package_of(program: &str) -> Option<String> {
    let (family, version) = program.rsplit_once('-')?;
    let is_version = !version.is_empty() && version.chars().all(|c| c.is_ascii_digit());
    match family {
        "clang" | "clang++" if is_version => Some(format!("clang-{version}")),
        "gcc" | "g++" if is_version => Some(program.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_compilers_with_a_version() {
        let package = |program| package_of(program).unwrap_or_default();
        assert_eq!((package("clang++-13"), package("g++-9")), ("clang-13".into(), "g++-9".into()));
        assert_eq!((package("clang"), package("gcc-trunk")), (String::new(), String::new()));
    }
}
