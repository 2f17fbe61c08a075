//! Other compilers and devices in the place of the suspected one, to find out which versions have a bug.

use std::sync::LazyLock;

use regex::Regex;
use toml::Spanned;

use crate::Recipe;
use crate::naming::unversioned;

/// A word of a command line, without the signs of the shell around it.
static WORD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"[^\s;&|()"'<>]+"#).expect("the pattern is a constant"));

/// Names of compilers without their versions.
const COMPILERS: [&str; 16] = [
    "clang", "clang++", "gcc", "g++", "cc", "c++", "nvcc", "icx", "icpx", "tcc", "rustc", "opt",
    "llc", "hipcc", "dpcpp", "cl",
];

/// The compiler that a command line calls: the first word that names one, or else the first word that is no assignment
/// to a variable.
#[must_use]
pub fn compiler_of(line: &str) -> Option<&str> {
    let mut words = WORD.find_iter(line).map(|word| word.as_str());
    compilers_in(line).first().copied().or_else(|| words.find(|word| !word.contains('=')))
}

/// All compilers that a text names, such as a script, each once.
#[must_use]
pub fn compilers_in(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for word in WORD.find_iter(text).map(|word| word.as_str()) {
        if is_compiler(word) && !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

/// Returns true if a word names a compiler.
pub(crate) fn is_compiler(word: &str) -> bool {
    COMPILERS.contains(&unversioned(base_name(word)))
}

/// A command line with another compiler. What contains a space is a command line of its own, and replaces the whole.
#[must_use]
pub fn with_compiler(line: &str, compiler: &str) -> String {
    if compiler.contains(char::is_whitespace) {
        return compiler.to_owned();
    }
    let same_family =
        |word: &&str| unversioned(base_name(word)) == unversioned(base_name(compiler));
    let mut words = WORD.find_iter(line).map(|word| word.as_str());
    let Some(old) = words.find(same_family).or_else(|| compiler_of(line)) else {
        return compiler.to_owned();
    };
    let other = |found: &regex::Captures<'_>| match &found[0] {
        word if word == old => compiler.to_owned(),
        word => word.to_owned(),
    };
    WORD.replace_all(line, other).into_owned()
}

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

impl Recipe {
    /// The same recipe, with another compiler, command or device in the configuration of that name. With an earlier
    /// calibration, [`resume`](Self::resume) makes it a test of the same outcome.
    #[must_use]
    pub fn with_tool(&self, configuration: &str, tool: &str) -> Self {
        let mut other = self.clone();
        for table in &mut other.document.configurations {
            let table = table.get_mut();
            if table.name() != configuration {
                continue;
            }
            // A name that came from the tool stays as well: the calibration knows it.
            let at = table.name.as_ref().map_or(0..0, Spanned::span);
            table.name = Some(Spanned::new(at, configuration.to_owned()));
            if let Some(device) = &mut table.device {
                *device.get_mut() = tool.to_owned();
            }
            if let Some(build) = &mut table.build {
                *build.get_mut() = with_compiler(build.get_ref(), tool);
            }
        }
        other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compiler_of_a_line_is_replaced_and_nothing_else() {
        for (line, compiler, expected) in [
            ("clang-14 -O1 -c {file}", "clang-16", "clang-16 -O1 -c {file}"),
            (
                "LC_ALL=C ulimit -t 9; /usr/bin/gcc-12 x.c",
                "gcc-13",
                "LC_ALL=C ulimit -t 9; gcc-13 x.c",
            ),
            ("gcc -E x.c | clang-14 -xc -", "clang-13", "gcc -E x.c | clang-13 -xc -"),
            ("gcc a.c && gcc b.c -o gcc-out", "tcc", "tcc a.c && tcc b.c -o gcc-out"),
            ("clang++-14 x.cc", "clang++-16", "clang++-16 x.cc"),
            ("mycc x.c", "mycc-2", "mycc-2 x.c"),
            ("clang-14 -O1 {file}", "gcc -O3 {file}", "gcc -O3 {file}"),
        ] {
            assert_eq!(with_compiler(line, compiler), expected, "{line}");
        }
        assert_eq!(compiler_of("timeout 9 nice clang-14 -c x.c"), Some("clang-14"));
    }
}
