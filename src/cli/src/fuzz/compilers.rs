//! The configurations of a campaign on programs in C or C++: compilers with options.

use std::fs;
use std::path::{self, Path, PathBuf};

use clreduce_campaign::{Compiler, Configuration, Drawn, Matrix, SourceKind, Toolchain};
use clreduce_devices::InstallationKind;
use clreduce_process::query;
use clreduce_tools::find_program;

use super::configurations::DeviceChoice;
use crate::failure::FuzzError;
use crate::settings::zoo;

/// The newest version of a compiler that is looked for.
const NEWEST: u32 = 40;
/// The compilers that every machine may have, apart from versions.
const USUAL: [&str; 2] = ["gcc", "clang"];
/// The options of each compiler where the user names none.
const LEVELS: [&str; 5] = ["-O0", "-O1", "-O2", "-O3", "-Os"];

/// The compilers, and the configurations that they make.
///
/// # Errors
/// When a compiler is not there.
pub(super) fn matrix(choices: &[DeviceChoice], kind: SourceKind) -> Result<Matrix, FuzzError> {
    let known = installed();
    let mut devices: Vec<(String, Toolchain)> = Vec::new();
    let mut configurations: Vec<Configuration> = Vec::new();
    let mut add = |name: String, program: PathBuf, options: &str| {
        let found = devices.iter().position(|(own, _)| *own == name);
        let device = match found {
            Some(device) => device,
            None => {
                devices.push((name.clone(), compiler(program.clone())));
                devices.len() - 1
            }
        };
        let is_same =
            |one: &Toolchain| matches!(one, Toolchain::Compiler(one) if one.program == program);
        if !is_same(&devices[device].1) {
            return Err(FuzzError::SameName(name));
        }
        let one = Configuration { device, options: options.to_owned() };
        if configurations.contains(&one) {
            return Err(FuzzError::Twice(format!("{name}:{options}")));
        }
        configurations.push(one);
        Ok(())
    };
    for choice in choices {
        let (name, program) = find(&choice.name, &known)?;
        add(name, program, &choice.options)?;
    }
    if choices.is_empty() {
        for (name, program) in &known {
            for options in LEVELS {
                add(name.clone(), program.clone(), options)?;
            }
        }
    }
    if devices.is_empty() {
        let (name, known) = (USUAL[0].to_owned(), "none is installed".to_owned());
        return Err(FuzzError::NoCompiler { name, known });
    }
    let (host, options) = (None, String::new());
    Ok(Matrix { devices, configurations, host, options, kind, drawn: Drawn::default() })
}

/// The compilers of the system and the zoo, each once, by name.
fn installed() -> Vec<(String, PathBuf)> {
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    let mut files: Vec<PathBuf> = Vec::new();
    let mut add = |name: String, program: PathBuf| {
        // A link to a version is no other compiler.
        let file = fs::canonicalize(&program).unwrap_or_else(|_| program.clone());
        if !files.contains(&file) {
            files.push(file);
            found.push((name, program));
        }
    };
    for usual in USUAL {
        let versions = (1..NEWEST).map(|version| format!("{usual}-{version}"));
        for name in versions.chain([usual.to_owned()]) {
            if let Some(program) = find_program(&name) {
                add(name, program);
            }
        }
    }
    let is_c = |name: &str| USUAL.contains(&name) || name == "cc";
    for one in zoo::installations() {
        if let (InstallationKind::Compiler, Some(program), true) =
            (one.kind, &one.program, is_c(&one.name))
        {
            add(one.label(), program.clone());
        }
    }
    found
}

/// The name and the file of the compiler that a user means.
fn find(name: &str, known: &[(String, PathBuf)]) -> Result<(String, PathBuf), FuzzError> {
    if let Some(found) = known.iter().find(|(own, _)| own == name) {
        return Ok(found.clone());
    }
    // Programs run in other directories.
    let Some(program) = find_program(name).and_then(|program| path::absolute(program).ok()) else {
        let known: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
        return Err(FuzzError::NoCompiler { name: name.to_owned(), known: known.join(", ") });
    };
    let short = Path::new(name).file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok((short, program))
}

fn compiler(program: PathBuf) -> Toolchain {
    let said = query(&program, &["--version"]).unwrap_or_default();
    let version = said.lines().next().unwrap_or_default().to_owned();
    Toolchain::Compiler(Compiler { program, version })
}
