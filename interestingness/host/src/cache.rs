//! Compiled parts of the run-time, kept from one check to the next.
//!
//! They are executed later, and decide what is valid: a test must not change them. No sandbox lets a test write here, and
//! each kind of sandbox has a folder of its own. Beside each part stands a digest of its content. This process compares it
//! before it first uses the part, and the one in its memory whenever the file has changed since.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use clreduce_process::when_free;
use sha2::{Digest, Sha256};

use crate::toolchain::Toolchain;

/// The parts that this process has found to be what was built, as they were then.
static KNOWN: LazyLock<Mutex<HashMap<PathBuf, (Stamp, String)>>> = LazyLock::new(Mutex::default);

/// Returns the folder for parts unless told otherwise: it lies in the user's folder for caches, or, where there is
/// none, in
/// one for this user alone among the temporary files.
#[must_use]
pub fn default_cache() -> PathBuf {
    let variable = |name: &str| env::var_os(name).filter(|value: &OsString| !value.is_empty());
    let folder = variable("XDG_CACHE_HOME").map(PathBuf::from).or_else(|| {
        Some(PathBuf::from(variable("LOCALAPPDATA").or_else(|| variable("HOME"))?).join(".cache"))
    });
    folder
        .unwrap_or_else(|| env::temp_dir().join(format!("clreduce-{}", std::process::id())))
        .join("clreduce")
}

/// The folder for the parts of a toolchain.
pub(crate) fn folder(toolchain: &Toolchain<'_>) -> PathBuf {
    toolchain.cache.join(toolchain.tools.sandbox())
}

/// The file for a part with this key; the same for every process that runs this version of clreduce.
pub(crate) fn place(toolchain: &Toolchain<'_>, name: &str, key: &impl Hash) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    env!("CARGO_PKG_VERSION").hash(&mut hasher);
    folder(toolchain).join(format!("{name}-{:016x}", hasher.finish()))
}

/// Returns whether a part is there, and is what was built.
pub(crate) fn is_sound(place: &Path) -> bool {
    let Some(stamp) = Stamp::of(place) else { return false };
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let expected = match known.get(place) {
        Some((then, _)) if *then == stamp => return true,
        Some((_, digest)) => Some(digest.clone()),
        None => fs::read_to_string(digest_file(place)).ok(),
    };
    let found = fs::read(place).map(digest_of).ok();
    let is_sound = found.is_some() && found == expected;
    if let (true, Some(digest)) = (is_sound, found) {
        known.insert(place.to_owned(), (stamp, digest));
    }
    is_sound
}

/// Puts a part in its place by one rename, so that no process sees half of it. Another process may have put the same part
/// there meanwhile, and that one is as good.
pub(crate) fn put(place: &Path, content: Vec<u8>) -> io::Result<()> {
    let folder = place.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    keep_private(folder)?;
    let write = |to: &Path, content: &[u8]| {
        let mut file = tempfile::Builder::new().prefix("making-").tempfile_in(folder)?;
        file.write_all(content)?;
        make_executable(file.as_file())?;
        let path = file.into_temp_path();
        when_free(|| fs::rename(&path, to))?;
        // It has another name now.
        let _ = path.keep();
        io::Result::Ok(())
    };
    write(place, &content)?;
    let (stamp, digest) = (Stamp::of(place), digest_of(content));
    write(&digest_file(place), digest.as_bytes())?;
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.extend(stamp.map(|stamp| (place.to_owned(), (stamp, digest))));
    Ok(())
}

fn digest_file(place: &Path) -> PathBuf {
    place.with_extension("sha256")
}

fn digest_of(content: Vec<u8>) -> String {
    format!("{:x}", Sha256::digest(content))
}

/// The identity and the times of a file. They differ once somebody has written to the file or replaced it.
#[derive(PartialEq, Eq)]
struct Stamp([i128; 6]);

#[cfg(unix)]
impl Stamp {
    /// Reads the identity of an executable file that this user owns. A link has none.
    fn of(place: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let file = fs::symlink_metadata(place).ok()?;
        let time =
            |seconds: i64, nanoseconds: i64| i128::from(seconds) << 64 | i128::from(nanoseconds);
        let is_own = file.is_file() && file.mode() & 0o777 == 0o700;
        is_own.then(|| {
            let [changed, modified] =
                [time(file.ctime(), file.ctime_nsec()), time(file.mtime(), file.mtime_nsec())];
            let numbers = [file.dev(), file.ino(), file.size(), file.uid().into()];
            let [device, number, size, owner] = numbers.map(i128::from);
            Self([device, number, size, owner, changed, modified])
        })
    }
}

#[cfg(not(unix))]
impl Stamp {
    fn of(place: &Path) -> Option<Self> {
        let file = fs::symlink_metadata(place).ok().filter(fs::Metadata::is_file)?;
        let modified = file.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some(Self([file.len().into(), modified.as_nanos().cast_signed(), 0, 0, 0, 0]))
    }
}

/// Makes a folder private to its owner. A folder that belongs to another user is an error.
fn keep_private(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    let _ = folder;
    Ok(())
}

fn make_executable(file: &fs::File) -> io::Result<()> {
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    let _ = file;
    Ok(())
}
