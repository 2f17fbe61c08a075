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

    /// The content of a file. It stays in the file if it is larger than `most_kept` bytes.
    ///
    /// # Errors
    /// When the file cannot be read, or is something else than a file.
    pub(crate) fn file(path: PathBuf, most_kept: u64) -> io::Result<Self> {
        let mut file = open(&path)?;
        let mut kept = Vec::new();
        file.by_ref().take(most_kept + 1).read_to_end(&mut kept)?;
        if kept.len() as u64 <= most_kept {
            return Ok(Self::new(kept));
        }
        let (mut hasher, mut size) = (Sha256::new_with_prefix(&kept), kept.len() as u64);
        drop(kept);
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
    /// When they are in a file, and it cannot be read any more or has changed.
    pub(crate) fn bytes(&self) -> io::Result<Arc<[u8]>> {
        let path = match &self.content {
            Content::Bytes(bytes) => return Ok(Arc::clone(bytes)),
            Content::File(path) => path,
        };
        let mut bytes = Vec::new();
        open(path)?.take(self.digest.size + 1).read_to_end(&mut bytes)?;
        if self.digest.is_of(&bytes) { Ok(bytes.into()) } else { Err(has_changed(path)) }
    }

    /// Gives the bytes to `take` in pieces, with the place of each and whether it is the last one. The last piece is held back
    /// until all bytes are known to be those of the digest. Ends early once `take` returns false.
    ///
    /// # Errors
    /// As [`bytes`](Self::bytes).
    pub(crate) fn pieces(
        &self,
        mut take: impl FnMut(u64, Vec<u8>, bool) -> bool,
    ) -> io::Result<()> {
        let size = self.digest.size;
        let (mut source, path): (Box<dyn Read>, &Path) = match &self.content {
            Content::Bytes(bytes) => (Box::new(io::Cursor::new(Arc::clone(bytes))), Path::new("")),
            Content::File(path) => (Box::new(open(path)?.take(size + 1)), path),
        };
        let (mut hasher, mut offset) = (Sha256::new(), 0);
        loop {
            let mut data = Vec::new();
            source.by_ref().take(PIECE as u64).read_to_end(&mut data)?;
            hasher.update(&data);
            let end = offset + data.len() as u64;
            let is_last = end >= size || data.is_empty();
            if is_last {
                let more = source.read(&mut [0])?;
                if more > 0 || BlobDigest::new(hasher.clone(), end) != self.digest {
                    return Err(has_changed(path));
                }
            }
            if !take(offset, data, is_last) || is_last {
                return Ok(());
            }
            offset = end;
        }
    }
}

/// Opens a file for reading, and nothing else: one that is replaced by a pipe or a socket would be waited for without end.
fn open(path: &Path) -> io::Result<File> {
    let other = || io::Error::other("it is neither a file nor a folder");
    if !path.metadata()?.is_file() {
        return Err(other());
    }
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Opening a pipe without this would wait for a writer.
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    let file = options.open(path)?;
    // It may have been replaced just now.
    if file.metadata()?.is_file() { Ok(file) } else { Err(other()) }
}

fn has_changed(path: &Path) -> io::Error {
    io::Error::other(format!("{} has changed since the reduction began", path.display()))
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
        for most_kept in [0, 5, PIECE as u64, 2 * PIECE as u64] {
            let blob = Blob::file(path.clone(), most_kept).unwrap();
            assert_eq!(blob.digest, Blob::new(bytes.clone()).digest);
            assert!(blob.digest.is_of(&blob.bytes().unwrap()) && !blob.digest.is_of(b"x"));
            let mut read = Vec::new();
            let take = |offset, data: Vec<u8>, _| {
                assert_eq!(offset, read.len() as u64);
                read.extend(data);
                true
            };
            blob.pieces(take).unwrap();
            assert_eq!(read, bytes);
        }
    }

    /// A service would get other bytes than those that it is told, or wait for bytes that never come.
    #[test]
    fn a_file_that_is_replaced_after_its_digest_was_taken_is_not_sent() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let old = vec![7; PIECE + 2];
        let [mut other, mut longer] = [old.clone(), old.clone()];
        other[PIECE] = 8;
        longer.push(7);
        for new in [other, longer, old[1..].to_vec(), Vec::new()] {
            std::fs::write(&path, &old).unwrap();
            let blob = Blob::file(path.clone(), 0).unwrap();
            std::fs::write(&path, new).unwrap();
            assert!(blob.bytes().unwrap_err().to_string().contains("has changed"));
            let mut is_whole = false;
            let sent = blob.pieces(|_, _, is_last| {
                is_whole |= is_last;
                true
            });
            assert!(sent.unwrap_err().to_string().contains("has changed") && !is_whole);
        }
        std::fs::write(&path, &old).unwrap();
        let blob = Blob::file(path.clone(), 0).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(blob.bytes().is_err() && blob.pieces(|_, _, _| true).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn pipes_sockets_and_devices_are_no_files_and_are_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, socket) = (folder.path().join("pipe"), folder.path().join("socket"));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        // A thread of its own: one that waits for the other end of a pipe would never come back.
        std::thread::spawn(move || {
            for path in [pipe, socket, "/dev/zero".into()] {
                let _ = sender.send(Blob::file(path, 1 << 20).is_err());
            }
        });
        for _ in 0..3 {
            let is_error = receiver.recv_timeout(std::time::Duration::from_secs(60));
            assert_eq!(is_error, Ok(true));
        }
    }
}
