//! The folders of a launcher: its root, those of its slots, and the one that tasks share.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::confinement::{Confinement, Permissions};
use crate::folder::RunFolder;

/// The folder in the root for files that several tasks need, beside those of the slots.
pub(super) const SHARED: &str = "shared";

/// Tells whether a folder's disk has no space or inodes left. A test then fails because of the disk.
pub(super) fn is_full(folder: &Path) -> bool {
    let Ok(disk) = rustix::fs::statvfs(folder) else { return false };
    let is_root = rustix::process::geteuid().is_root();
    let (blocks, inodes) =
        if is_root { (disk.f_bfree, disk.f_ffree) } else { (disk.f_bavail, disk.f_favail) };
    // Tests need some space for temporary files. Some file systems do not tell: for them, everything is 0.
    disk.f_blocks > 0 && blocks.saturating_mul(disk.f_frsize) < (1 << 20)
        || disk.f_files > 0 && inodes == 0
}

/// Makes the directory of a slot in a root, which is made as well if there is none. Returns both. Where that fails,
/// nothing is left.
pub(super) fn make_directories(
    base: &Path,
    root: Option<&Path>,
    owner: u32,
    slot: u64,
) -> io::Result<(PathBuf, PathBuf)> {
    let is_new = root.is_none();
    let root = root.map_or_else(|| make_root(base, owner), |root| Ok(root.to_owned()))?;
    let directory = root.join(slot.to_string());
    match std::fs::create_dir(&directory) {
        Err(error) if is_new => {
            // The disk may be full; the first error says so.
            let _ = std::fs::remove_dir(&root);
            Err(error)
        }
        made => made.map(|()| (root, directory)),
    }
}

/// Makes a directory that no other user can have foreseen or can enter.
fn make_root(base: &Path, owner: u32) -> io::Result<PathBuf> {
    let prefix = format!("clreduce-{owner}-");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).rand_bytes(12).permissions(PermissionsExt::from_mode(0o700));
    Ok(builder.tempdir_in(base)?.keep())
}

/// The confinement of a task, which may write its folder, and read those for files that several tasks need.
pub(super) fn own(
    confinement: &Confinement,
    root: &Path,
    folder: &RunFolder,
    permissions: &Permissions,
) -> Confinement {
    let confinement = confinement.clone().with_readable([root.join(SHARED)]);
    confinement.with_writable([folder.root().to_owned()]).with(permissions)
}

/// The mark of the processes of a test, in their environment; without a test, the prefix of the marks of all tests
/// of a slot begin with.
pub(super) fn mark(root: &Path, slot: u64, test: Option<u64>) -> String {
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    match test {
        Some(test) => format!("{name}/{slot}/{test}"),
        None => format!("{name}/{slot}/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A full disk may have room for the root and none for what lies in it; so may a path.
    #[test]
    fn a_root_without_a_directory_does_not_stay() {
        const LONGEST_PATH: usize = 4095;
        let folder = tempfile::tempdir().unwrap();
        let mut base = folder.path().to_owned();
        let rest = LONGEST_PATH - "/clreduce-1-".len() - 12;
        while rest - base.as_os_str().len() > 200 {
            base.push("x".repeat(99));
        }
        base.push("x".repeat(rest - base.as_os_str().len() - 1));
        std::fs::create_dir_all(&base).unwrap();
        let error = make_directories(&base, None, 1, 0).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidFilename);
        assert_eq!(std::fs::read_dir(&base).unwrap().count(), 0);
    }
}
