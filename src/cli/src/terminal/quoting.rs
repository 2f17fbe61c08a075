//! Quoting of words for the shell of this system, in commands that people copy.

/// Puts a word into quotes if the shell would not take it as it is.
pub(crate) fn quoted(path: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/\\:._-+=@%".contains(c);
    if path.chars().all(plain) {
        path.to_owned()
    } else if cfg!(windows) {
        format!("\"{path}\"")
    } else {
        format!("'{}'", path.replace('\'', "'\\''"))
    }
}
