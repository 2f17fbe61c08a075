//! Environment variables that hold secrets, or lead to programs that know some.

use std::env;

/// Parts of names.
const PARTS: [&str; 8] =
    ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "APIKEY", "DBUS_"];
/// Words of names that have several.
const WORDS: [&str; 7] = ["KEY", "KEYS", "PASS", "PWD", "AUTH", "PAT", "COOKIE"];
/// How the names for agents and displays begin.
const BEGINNINGS: [&str; 6] = ["SSH_", "GPG_", "KRB5", "XAUTHORITY", "DISPLAY", "WAYLAND_"];

/// The names of the secrets in the environment of this process.
pub(super) fn names() -> impl Iterator<Item = String> {
    let variables = env::vars_os().map(|(name, value)| {
        (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned())
    });
    variables.filter(|(name, value)| is_secret(name, value)).map(|(name, _)| name)
}

fn is_secret(name: &str, value: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let has_word = upper.contains('_') && upper.split('_').any(|word| WORDS.contains(&word));
    has_word
        || PARTS.iter().any(|part| upper.contains(part))
        || BEGINNINGS.iter().any(|beginning| upper.starts_with(beginning))
        || has_password(value)
}

/// Returns whether a value is an address with a name and a password.
fn has_password(value: &str) -> bool {
    let authority = value.split_once("://").and_then(|(_, rest)| rest.split('/').next());
    let user = authority.and_then(|authority| authority.rsplit_once('@'));
    user.is_some_and(|(user, _)| user.contains(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_told_by_names_and_addresses() {
        let secrets = [
            "GITHUB_TOKEN",
            "OPENAI_API_KEY",
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
            "MYSQL_PWD",
            "PGPASSWORD",
            "SSH_AUTH_SOCK",
            "DBUS_SESSION_BUS_ADDRESS",
            "npm_config__authToken",
            "GPG_AGENT_INFO",
            "XAUTHORITY",
            "REGISTRY_AUTH",
            "GITHUB_PAT",
            "db_password",
            "KRB5CCNAME",
        ];
        for name in secrets {
            assert!(is_secret(name, "x"), "{name}");
        }
        for name in
            ["PATH", "PWD", "OLDPWD", "PASS", "HOME", "KEYBOARD", "LANG", "CLREDUCE_TEST", "AUTHOR"]
        {
            assert!(!is_secret(name, "/a:b@c"), "{name}");
        }
        assert!(is_secret("DATABASE_URL", "postgres://me:word@host/x"));
        assert!(!is_secret("HTTP_PROXY", "http://host:80/a@b:c"));
    }
}
