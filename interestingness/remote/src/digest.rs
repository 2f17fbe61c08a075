//! Blobs: byte sequences that a service knows by their SHA-256 digest and size.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bazel_remote_apis::build::bazel::remote::execution::v2::Digest;
use prost::Message;
use sha2::{Digest as _, Sha256};

/// Bytes read from a file at a time.
const PIECE: usize = 1 << 20;

/// The name of a blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct BlobDigest {
    hash: [u8; 32],
    pub(crate) size: u64,
}

/// A blob with its content. Cloning is cheap.
#[derive(Clone, Debug)]
pub(crate) struct Blob {
    pub(crate) digest: BlobDigest,
    pub(crate) content: Content,
}

/// The place of the bytes of a blob.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Bytes(Arc<[u8]>),
    /// A file that is too large to be kept in memory.
    File(Arc<Path>),
}

impl BlobDigest {
    fn new(hasher: Sha256, size: u64) -> Self {
        Self { hash: hasher.finalize().into(), size }
    }

    /// The hash in hexadecimal digits.
    pub(crate) fn hex(&self) -> String {
        self.hash.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    pub(crate) fn to_proto(self) -> Digest {
        Digest { hash: self.hex(), size_bytes: i64::try_from(self.size).unwrap_or(i64::MAX) }
    }

    /// Returns true if these bytes have this digest.
    pub(crate) fn is_of(&self, bytes: &[u8]) -> bool {
        *self == Blob::new(bytes).digest
    }

    /// Reads a digest that a service sent; `None` if it is malformed.
    pub(crate) fn from_proto(digest: &Digest) -> Option<Self> {
        let text = &digest.hash;
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        let mut hash = [0; 32];
        for (index, byte) in hash.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * index..2 * index + 2], 16).ok()?;
        }
        Some(Self { hash, size: u64::try_from(digest.size_bytes).ok()? })
    }
}

impl Blob {
    /// A blob in memory.
    pub(crate) fn new(bytes: impl Into<Arc<[u8]>>) -> Self {
        let bytes = bytes.into();
        let digest = BlobDigest::new(Sha256::new_with_prefix(&bytes), bytes.len() as u64);
        Self { digest, content: Content::Bytes(bytes) }
    }

    /// A message of the API.
    pub(crate) fn message(message: &impl Message) -> Self {
        Self::new(message.encode_to_vec())
    }

    /// A blob whose bytes stay in a file.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn file(path: PathBuf) -> io::Result<Self> {
        let mut file = File::open(&path)?;
        let (mut hasher, mut size) = (Sha256::new(), 0);
        let mut piece = vec![0; PIECE];
        loop {
            let read = file.read(&mut piece)?;
            if read == 0 {
                break;
            }
            hasher.update(&piece[..read]);
            size += read as u64;
        }
        let digest = BlobDigest::new(hasher, size);
        Ok(Self { digest, content: Content::File(path.into()) })
    }

    /// The bytes.
    ///
    /// # Errors
    /// When they are in a file, and it cannot be read any more.
    pub(crate) fn bytes(&self) -> io::Result<Arc<[u8]>> {
        match &self.content {
            Content::Bytes(bytes) => Ok(Arc::clone(bytes)),
            Content::File(path) => std::fs::read(path).map(Into::into),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_api() {
        let blob = Blob::new(b"abc".as_slice());
        let proto = blob.digest.to_proto();
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!((&*proto.hash, proto.size_bytes), (hash, 3));
        assert_eq!(BlobDigest::from_proto(&proto), Some(blob.digest));
        for (hash, size_bytes) in [("", 3), (&hash[1..], 3), ("zz", 3), (hash, -1)] {
            let digest = Digest { hash: hash.to_owned(), size_bytes };
            assert_eq!(BlobDigest::from_proto(&digest), None, "{digest:?}");
        }
    }

    #[test]
    fn a_file_and_its_bytes_are_the_same_blob() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let bytes = vec![7; PIECE + 1];
        std::fs::write(&path, &bytes).unwrap();
        let blob = Blob::file(path).unwrap();
        assert_eq!(blob.digest, Blob::new(bytes.clone()).digest);
        assert!(blob.digest.is_of(&blob.bytes().unwrap()) && !blob.digest.is_of(b"x"));
    }
}
