//! The fingerprint of a machine: the tools that a test uses, and what they are.
//!
//! Verdicts of machines with different compilers must not be mixed. No machine is asked for versions, which would cost
//! a process for each tool and test. A tool is known by its path and the hash of its content. A program that is linked
//! to libraries, as compilers are, is known by those as well.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use clreduce_testcase::ContentHash;
use serde::{Deserialize, Serialize};

use crate::elf;

/// Of a larger file, this number of bytes at each end are hashed, and its size.
const HASHED_END: u64 = 256 << 10;
/// Digits of a hash that are kept.
const DIGITS: usize = 16;
/// The version of the driver of NVIDIA, where there is one.
const DRIVER: &str = "/proc/driver/nvidia/version";

/// The tools of a machine, as far as a test uses them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint(BTreeMap<String, String>);

impl Fingerprint {
    /// The tools that are named in these texts and found in these folders.
    pub(crate) fn of(texts: &[String], folders: &[PathBuf]) -> Self {
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_./+-".contains(c);
        let words: BTreeSet<&str> =
            texts.iter().flat_map(|text| text.split(|c: char| !is_part(c))).collect();
        let found = words.into_iter().filter_map(|word| find(word, folders)).take(200);
        let mut files: BTreeSet<PathBuf> = found.collect();
        let libraries: Vec<PathBuf> = files.iter().flat_map(|file| elf::libraries(file)).collect();
        files.extend(libraries);
        let mut tools = BTreeMap::new();
        for file in files.iter().map(PathBuf::as_path).chain([Path::new(DRIVER)]) {
            if let Some(hash) = hash(file) {
                tools.insert(file.display().to_string(), hash);
            }
        }
        Self(tools)
    }

    /// The tools that differ from those of another machine, for a person.
    pub(crate) fn differences(&self, other: &Self) -> String {
        let mut text = String::new();
        let names: BTreeSet<&String> = self.0.keys().chain(other.0.keys()).collect();
        for name in names {
            let what = match (self.0.get(name), other.0.get(name)) {
                (Some(one), Some(two)) if one == two => continue,
                (Some(_), Some(_)) => "is another",
                (Some(_), None) => "is there",
                (None, _) => "is missing",
            };
            let separator = if text.is_empty() { "" } else { ", " };
            // Writing to a string cannot fail.
            let _ = write!(text, "{separator}{name} {what}");
        }
        text
    }

    /// The same fingerprint with the devices of the machine.
    pub(crate) fn with_devices(mut self, devices: &[String]) -> Self {
        self.0.extend(devices.iter().map(|device| (device.clone(), String::new())));
        self
    }

    /// A short text that is the same for the same tools.
    #[must_use]
    pub fn digest(&self) -> String {
        let text: String = self.0.iter().map(|(name, hash)| format!("{name}={hash}\n")).collect();
        ContentHash::of(text.as_bytes()).to_string()[..DIGITS].to_owned()
    }
}

/// The program that a word names, if it names one.
fn find(word: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    if word.len() < 2 || word.ends_with('.') {
        return None;
    }
    let path = Path::new(word);
    if path.is_absolute() {
        return is_program(path).then(|| path.to_owned());
    }
    // A relative path leads to a file of the test or of the variant.
    if word.contains('/') {
        return None;
    }
    folders.iter().map(|folder| folder.join(word)).find(|path| is_program(path))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

fn hash(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let size = file.metadata().ok()?.len();
    let mut bytes = Vec::new();
    file.by_ref().take(HASHED_END).read_to_end(&mut bytes).ok()?;
    if size > 2 * HASHED_END {
        file.seek(SeekFrom::End(-i64::try_from(HASHED_END).ok()?)).ok()?;
        bytes.extend(size.to_le_bytes());
    }
    file.take(HASHED_END).read_to_end(&mut bytes).ok()?;
    Some(ContentHash::of(&bytes).to_string()[..DIGITS].to_owned())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn folder_with(tools: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in tools {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        folder
    }

    #[test]
    fn tools_are_known_by_what_they_are() {
        let texts = ["cc-9 -O2 a.c 2>&1 | grep -q ICE; echo $cc".to_owned()];
        let of = |folder: &tempfile::TempDir| {
            Fingerprint::of(&texts, &[folder.path().to_owned()]).0.into_values().collect::<Vec<_>>()
        };
        let first = folder_with(&[("cc-9", "1"), ("unused", "1")]);
        let same = folder_with(&[("cc-9", "1"), ("unused", "2")]);
        let other = folder_with(&[("cc-9", "2")]);
        assert_eq!(of(&first).len(), 1);
        assert_eq!(of(&first), of(&same));
        assert_ne!(of(&first), of(&other));
        assert!(of(&folder_with(&[])).is_empty());
    }

    #[test]
    fn differences_name_the_tool() {
        let folder = folder_with(&[("cc-9", "1")]);
        let print = || Fingerprint::of(&["cc-9".to_owned()], &[folder.path().to_owned()]);
        let before = print();
        std::fs::write(folder.path().join("cc-9"), "2").unwrap();
        let after = print();
        let text = after.differences(&before);
        assert!(text.ends_with("/cc-9 is another"), "{text}");
        assert_ne!(before.digest(), after.digest());
        assert_eq!(before.differences(&before), "");
    }

    #[test]
    fn a_large_tool_is_known_by_its_ends() {
        let large = |last: u8| {
            let folder = folder_with(&[("cc-9", "")]);
            let mut bytes = vec![1; 3 << 20];
            *bytes.last_mut().unwrap() = last;
            std::fs::write(folder.path().join("cc-9"), bytes).unwrap();
            hash(&folder.path().join("cc-9")).unwrap()
        };
        assert_eq!(large(1), large(1));
        assert_ne!(large(1), large(2));
    }
}
