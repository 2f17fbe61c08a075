//! The options of a remote execution service.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::failure::RemoteError;

#[cfg(feature = "clap")]
const HEADING: &str = "Remote execution";

/// The service that runs tests, and how it is used. [`Default`] uses no service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct RemoteOptions {
    /// Run tests on the machines of the remote execution service at URL: grpc://HOST:PORT or grpcs://HOST:PORT
    ///
    /// The service has the Bazel Remote Execution API, version 2. -j is the number of tests that it runs at the same time.
    #[cfg_attr(feature = "clap", arg(long, value_name = "URL", help_heading = HEADING))]
    pub remote: Option<RemoteAddress>,

    /// Ask for machines with this property; can be given several times
    #[cfg_attr(feature = "clap", arg(long, value_name = "KEY=VALUE", requires = "remote", help_heading = HEADING))]
    pub remote_property: Vec<KeyValue>,

    /// Name of the instance of the service
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME", requires = "remote",
        default_value = "", hide_default_value = true, help_heading = HEADING))]
    pub remote_instance: String,

    /// Send this header with every call, such as a key; can be given several times
    #[cfg_attr(feature = "clap", arg(long, value_name = "KEY=VALUE", requires = "remote", help_heading = HEADING))]
    pub remote_header: Vec<KeyValue>,

    /// Trust the certificates in FILE (PEM) instead of those of the system
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", requires = "remote",
        value_hint = clap::ValueHint::FilePath, help_heading = HEADING))]
    pub remote_ca: Option<PathBuf>,

    /// Upload PATH, a file or a folder, to the folder of the test; can be given several times
    #[cfg_attr(feature = "clap", arg(long, value_name = "PATH", requires = "remote",
        value_hint = clap::ValueHint::AnyPath, help_heading = HEADING))]
    pub remote_file: Vec<PathBuf>,
}

/// The address of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteAddress {
    /// True if the connection is encrypted.
    pub is_tls: bool,
    /// `HOST:PORT`.
    pub authority: String,
}

impl FromStr for RemoteAddress {
    type Err = RemoteError;

    fn from_str(text: &str) -> Result<Self, RemoteError> {
        let invalid = || RemoteError::Address(text.to_owned());
        let (scheme, authority) = text.split_once("://").ok_or_else(invalid)?;
        let is_tls = match scheme {
            "grpc" => false,
            "grpcs" => true,
            _ => return Err(invalid()),
        };
        let authority = authority.trim_end_matches('/');
        let (host, port) = authority.rsplit_once(':').ok_or_else(invalid)?;
        let is_plain = !host.is_empty() && !host.contains(['/', '@', ' ']);
        if !is_plain || port.parse::<u16>().is_err() {
            return Err(invalid());
        }
        Ok(Self { is_tls, authority: authority.to_owned() })
    }
}

impl fmt::Display for RemoteAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "grpc{}://{}", if self.is_tls { "s" } else { "" }, self.authority)
    }
}

/// A name and a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct KeyValue {
    /// The name.
    pub key: String,
    /// The value.
    pub value: String,
}

impl FromStr for KeyValue {
    type Err = RemoteError;

    fn from_str(text: &str) -> Result<Self, RemoteError> {
        match text.split_once('=') {
            Some((key, value)) if !key.is_empty() => {
                Ok(Self { key: key.to_owned(), value: value.to_owned() })
            }
            _ => Err(RemoteError::NoValue(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_scheme_and_a_port() {
        let plain: RemoteAddress = "grpc://build.example:8980".parse().unwrap();
        assert_eq!((plain.is_tls, &*plain.authority), (false, "build.example:8980"));
        let tls: RemoteAddress = "grpcs://[::1]:443/".parse().unwrap();
        assert_eq!((tls.is_tls, &*tls.authority), (true, "[::1]:443"));
        assert_eq!(tls.to_string(), "grpcs://[::1]:443");
        for text in
            ["host:1", "http://host:1", "grpc://host", "grpc://:1", "grpc://h:x", "grpc://a@h:1"]
        {
            let error = text.parse::<RemoteAddress>().unwrap_err().to_string();
            assert!(error.contains(text) && error.contains("grpc://HOST:PORT"), "{error}");
        }
    }

    #[test]
    fn a_value_may_contain_an_equals_sign() {
        let pair: KeyValue = "x-key=a=b".parse().unwrap();
        assert_eq!((&*pair.key, &*pair.value), ("x-key", "a=b"));
        assert!("key".parse::<KeyValue>().is_err() && "=v".parse::<KeyValue>().is_err());
    }
}
