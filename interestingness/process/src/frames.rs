//! Frames: how messages travel between clreduce and the processes that it starts. A frame is the length of a message in bytes,
//! as four bytes in little-endian order, and then the message.

pub(crate) mod stream;

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

/// The argument that makes a program a worker. The name of a service follows it.
pub(crate) const ARGUMENT: &str = "--internal-worker";
/// The length of the longest message, in bytes.
pub const MOST_BYTES: u32 = 2 << 30;

/// The reason that no message arrived, or none could be sent.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The other end has closed the stream.
    #[error("the stream ended")]
    Ended,
    /// A length that no message has: the bytes of the stream are something else.
    #[error("a message of {length} bytes is announced, and the limit is {MOST_BYTES}")]
    TooLong {
        /// The length in bytes that the other end announced, or that of the message to be sent.
        length: u64,
    },
    /// The bytes of a frame are not a message of the type expected.
    #[error("a message cannot be understood: {0}")]
    Malformed(#[from] postcard::Error),
    /// The stream failed.
    #[error(transparent)]
    Io(io::Error),
}

impl FrameError {
    /// Returns whether the other end sends bytes that are no message.
    #[must_use]
    pub fn is_nonsense(&self) -> bool {
        matches!(self, Self::TooLong { .. } | Self::Malformed(_))
    }
}

impl From<io::Error> for FrameError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Ended,
            _ => Self::Io(error),
        }
    }
}

impl From<FrameError> for io::Error {
    fn from(error: FrameError) -> Self {
        match error {
            FrameError::Io(error) => error,
            FrameError::Ended => io::Error::new(io::ErrorKind::UnexpectedEof, error),
            FrameError::TooLong { .. } | FrameError::Malformed(_) => {
                io::Error::new(io::ErrorKind::InvalidData, error)
            }
        }
    }
}

/// Sends one message.
///
/// # Errors
/// When the other end has gone, or the message is too long.
pub fn write(mut to: impl Write, message: &impl Serialize) -> Result<(), FrameError> {
    let mut frame = postcard::to_extend(message, vec![0; 4])?;
    let length = frame.len() as u64 - 4;
    let header = u32::try_from(length).ok().filter(|length| *length <= MOST_BYTES);
    let header = header.ok_or(FrameError::TooLong { length })?;
    frame[..4].copy_from_slice(&header.to_le_bytes());
    to.write_all(&frame)?;
    Ok(to.flush()?)
}

/// Waits for the next message.
///
/// # Errors
/// When the other end has gone, or sends something that is not such a message.
pub fn read<M: DeserializeOwned>(mut from: impl Read) -> Result<M, FrameError> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > MOST_BYTES {
        return Err(FrameError::TooLong { length: length.into() });
    }
    // The buffer grows with the bytes that arrive: an announced length alone must not cost memory.
    let mut frame = Vec::new();
    from.take(length.into()).read_to_end(&mut frame)?;
    if frame.len() < length as usize {
        return Err(FrameError::Ended);
    }
    Ok(postcard::from_bytes(&frame)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_is_an_error() {
        for bytes in [&[0xff; 8][..], &[4, 0, 0, 0, 0xff, 0xff, 0xff, 0xff], &[9, 0, 0, 0, 1], &[1]]
        {
            assert!(read::<Option<String>>(bytes).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn messages_arrive() {
        let mut bytes = Vec::new();
        write(&mut bytes, &Some("gone")).unwrap();
        write(&mut bytes, &None::<String>).unwrap();
        let mut rest = &bytes[..];
        assert_eq!(read::<Option<String>>(&mut rest).unwrap().as_deref(), Some("gone"));
        assert_eq!(read::<Option<String>>(&mut rest).unwrap(), None);
        assert!(matches!(read::<Option<String>>(&mut rest), Err(FrameError::Ended)));
    }

    /// A reader that notes the largest buffer that it was given, in bytes.
    struct Room<'a> {
        bytes: &'a [u8],
        most: usize,
    }

    impl Read for Room<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            self.most = self.most.max(into.len());
            self.bytes.read(into)
        }
    }

    /// An announced length costs no memory before the message is there.
    #[test]
    fn an_announced_length_is_not_believed() {
        for (announced, is_too_long) in [(u32::MAX, true), (MOST_BYTES + 1, true), (1 << 30, false)]
        {
            let bytes = [&announced.to_le_bytes()[..], &[1; 100]].concat();
            let mut from = Room { bytes: &bytes, most: 0 };
            let error = read::<Vec<u8>>(&mut from).unwrap_err();
            assert_eq!(matches!(error, FrameError::TooLong { .. }), is_too_long, "{error}");
            assert!(from.most < 1 << 20, "{} bytes of room", from.most);
        }
    }
}
