//! Names and versions of compilers and devices.

use std::path::Path;

use clreduce_process::query;
use clreduce_recipe::{BuiltWith, compiler_of};

/// A compiler's own description: its version, and the machine for which it compiles.
pub(super) fn version_of(program: &str) -> Option<String> {
    let text = query(Path::new(program), &["--version"])?;
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    // nvcc prints its name and its copyright first.
    let version = lines.clone().find(|line| line.contains(|sign: char| sign.is_ascii_digit()))?;
    let target = lines.find(|line| line.starts_with("Target:"));
    Some(target.into_iter().fold(version.to_owned(), |text, target| text + "\n" + target))
}

/// The name of a compiler or device for the title, and everything that is known about its version.
pub(super) fn tool(tool: &BuiltWith) -> (String, String) {
    match tool {
        BuiltWith::Commands { build, .. } => {
            let program = compiler_of(build).unwrap_or("the compiler");
            (program.to_owned(), version_of(program).unwrap_or_else(|| program.to_owned()))
        }
        BuiltWith::Device { facts, .. } => {
            let version = format!(
                "{}, driver {}\nPlatform: {} ({})\n{}",
                facts.name, facts.driver, facts.platform, facts.platform_version, facts.version
            );
            (facts.platform.clone(), version)
        }
    }
}
