//! Defaults of options from a file of the user. The command line wins over the file.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::PathBuf;

use clap::Parser;
use thiserror::Error;
use toml::{Table, Value};

/// The options that the file may set, under their names on the command line. What belongs to one test or one program is
/// not among them.
const KEYS: [&str; 6] = ["jobs", "color", "keep-names", "protect", "skip-pass", "time-limit"];

/// The reason why the file cannot be used.
#[derive(Debug, Error)]
pub(crate) enum DefaultsError {
    #[error("cannot read `{}`: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("`{}` is no file in TOML: {source}", path.display())]
    Toml { path: PathBuf, source: toml::de::Error },
    #[error("`{}` sets `{key}`, which has no default\nhelp: it may set {}", path.display(), KEYS.join(", "))]
    Key { path: PathBuf, key: String },
    #[error("`{}`: {message}", path.display())]
    Value { path: PathBuf, message: String },
}

/// The path of the file, which need not exist: `clreduce/config.toml` in the folder for configurations.
pub(crate) fn path() -> Option<PathBuf> {
    let folder =
        |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = if cfg!(windows) {
        folder("APPDATA")
    } else {
        folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))
    };
    Some(folder?.join("clreduce/config.toml"))
}

/// The arguments with the defaults in them; those that were parsed already where there are none. `before` is the number
/// of words before the options: the program and the command.
///
/// # Errors
/// When the file is there but cannot be used.
pub(crate) fn added_to<A: Parser>(args: A, before: usize) -> Result<A, DefaultsError> {
    let Some(path) = path() else { return Ok(args) };
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(args),
        Err(source) => return Err(DefaultsError::Read { path, source }),
    };
    let table = text.parse::<Table>();
    let table = table.map_err(|source| DefaultsError::Toml { path: path.clone(), source })?;
    let mut words = Vec::new();
    for (key, value) in table {
        if !KEYS.contains(&key.as_str()) {
            return Err(DefaultsError::Key { path, key });
        }
        words.extend(words_of(&key, &value));
    }
    let given: Vec<OsString> = env::args_os().collect();
    let (start, end) = given.split_at(before.min(given.len()));
    let all = start.iter().cloned().chain(words).chain(end.iter().cloned());
    // The command line was parsed before, so that a mistake is one in the file.
    A::try_parse_from(all).map_err(|error| {
        let message = error.to_string();
        let message = message.lines().next().unwrap_or_default();
        DefaultsError::Value { path, message: message.trim_start_matches("error: ").to_owned() }
    })
}

/// The words of an option on the command line.
fn words_of(key: &str, value: &Value) -> Vec<OsString> {
    match value {
        Value::Boolean(false) => Vec::new(),
        Value::Boolean(true) => vec![format!("--{key}").into()],
        Value::Array(values) => values.iter().flat_map(|value| words_of(key, value)).collect(),
        Value::String(text) => vec![format!("--{key}={text}").into()],
        other => vec![format!("--{key}={other}").into()],
    }
}
