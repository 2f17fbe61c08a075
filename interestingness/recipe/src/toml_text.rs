//! Texts as TOML writes them.

/// A text in quotes, with escapes where TOML asks for them.
pub(crate) fn in_toml(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
