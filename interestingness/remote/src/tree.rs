//! The files of an action: a tree of folders as the API has it.

use std::collections::BTreeMap;

use bazel_remote_apis::build::bazel::remote::execution::v2::{Directory, DirectoryNode, FileNode};

use crate::digest::{Blob, BlobDigest};

/// A folder with files and folders. Both are ordered by name, as the API demands: the same files are the same blob.
#[derive(Clone, Debug, Default)]
pub(crate) struct Folder {
    files: BTreeMap<String, FileInTree>,
    folders: BTreeMap<String, Folder>,
}

#[derive(Clone, Debug)]
struct FileInTree {
    blob: Blob,
    is_executable: bool,
}

impl Folder {
    /// Puts a file at a path with `/` between its parts. Returns false if something else is there, or if the path leads out of
    /// the folder: a service that took a name of `..` would write outside of the action.
    pub(crate) fn add(&mut self, path: &str, blob: Blob, is_executable: bool) -> bool {
        stays_inside(path) && self.put(path, blob, is_executable)
    }

    fn put(&mut self, path: &str, blob: Blob, is_executable: bool) -> bool {
        match path.split_once('/') {
            Some((folder, rest)) => {
                !self.files.contains_key(folder)
                    && self.folders.entry(folder.to_owned()).or_default().put(
                        rest,
                        blob,
                        is_executable,
                    )
            }
            None => {
                let is_free = !self.files.contains_key(path) && !self.folders.contains_key(path);
                if is_free {
                    self.files.insert(path.to_owned(), FileInTree { blob, is_executable });
                }
                is_free
            }
        }
    }

    /// The folder of this name in this folder; made if it is missing.
    pub(crate) fn folder(&mut self, name: &str) -> &mut Self {
        self.folders.entry(name.to_owned()).or_default()
    }

    /// Adds the blobs of the tree: its files, and a message for each folder. Returns the digest of the whole.
    pub(crate) fn blobs(&self, blobs: &mut Vec<Blob>) -> BlobDigest {
        let mut directory = Directory::default();
        for (name, file) in &self.files {
            directory.files.push(FileNode {
                name: name.clone(),
                digest: Some(file.blob.digest.to_proto()),
                is_executable: file.is_executable,
                node_properties: None,
            });
            blobs.push(file.blob.clone());
        }
        for (name, folder) in &self.folders {
            let digest = Some(folder.blobs(blobs).to_proto());
            directory.directories.push(DirectoryNode { name: name.clone(), digest });
        }
        let blob = Blob::message(&directory);
        let digest = blob.digest;
        blobs.push(blob);
        digest
    }
}

/// Returns true if a path has no part that leads elsewhere.
pub(crate) fn stays_inside(path: &str) -> bool {
    path.split('/').all(|part| !matches!(part, "" | "." | "..") && !part.contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(paths: &[&str]) -> Option<Folder> {
        let mut tree = Folder::default();
        let add = |path: &&str| tree.add(path, Blob::new(path.as_bytes()), false);
        paths.iter().all(add).then_some(tree)
    }

    #[test]
    fn the_order_of_adding_does_not_matter() {
        let digest = |paths: &[&str]| tree(paths).unwrap().blobs(&mut Vec::new());
        assert_eq!(digest(&["b", "a/x", "a/b/c"]), digest(&["a/b/c", "b", "a/x"]));
        assert_ne!(digest(&["a/x"]), digest(&["a/y"]));
        let mut blobs = Vec::new();
        tree(&["b", "a/x", "a/b/c"]).unwrap().blobs(&mut blobs);
        assert_eq!(blobs.len(), 3 + 3);
    }

    #[test]
    fn no_path_leads_out_of_the_folder() {
        for path in ["..", "../a", "a/../b", "a/..", ".", "./a", "/a", "a//b", "a/", "", "a\0"] {
            assert!(tree(&[path]).is_none(), "{path:?}");
        }
        assert!(tree(&["..a", "a/b..", "..."]).is_some());
    }

    #[test]
    fn a_place_is_taken_once() {
        assert!(tree(&["a", "a"]).is_none());
        assert!(tree(&["a", "a/b"]).is_none());
        assert!(tree(&["a/b", "a"]).is_none());
        assert!(tree(&["a/b", "a/c"]).is_some());
    }
}
