//! The stream on which a process gets its orders.
//!
//! On Linux it is a socket, and not a pipe. A write to a pipe whose reader has gone raises SIGPIPE, which would end a C
//! program that embeds clreduce.

#[cfg(unix)]
pub(crate) use unix::{OrderStream, QuietSocket};
#[cfg(windows)]
pub(crate) use windows::OrderStream;

#[cfg(unix)]
mod unix {
    use std::io::{self, Write};
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    use std::process::Stdio;

    use rustix::net::{SendFlags, send};

    /// This end of the stream. The process notices that it is dropped.
    #[derive(Debug)]
    pub(crate) struct OrderStream(UnixStream);

    impl OrderStream {
        /// Both ends; the other one is for the standard input of the process.
        pub(crate) fn pair() -> io::Result<(Self, Stdio)> {
            let (ours, theirs) = UnixStream::pair()?;
            Ok((Self(ours), OwnedFd::from(theirs).into()))
        }
    }

    impl Write for OrderStream {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            QuietSocket(&self.0).write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A socket that is written to without a signal.
    pub(crate) struct QuietSocket<'a>(pub &'a UnixStream);

    impl Write for QuietSocket<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            Ok(send(self.0, bytes, SendFlags::NOSIGNAL)?)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
}

#[cfg(windows)]
mod windows {
    use std::io::{self, PipeWriter, Write};
    use std::process::Stdio;

    /// This end of the stream. The process notices that it is dropped.
    #[derive(Debug)]
    pub(crate) struct OrderStream(PipeWriter);

    impl OrderStream {
        /// Both ends; the other one is for the standard input of the process.
        pub(crate) fn pair() -> io::Result<(Self, Stdio)> {
            let (theirs, ours) = io::pipe()?;
            Ok((Self(ours), theirs.into()))
        }
    }

    impl Write for OrderStream {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            self.0.flush()
        }
    }
}
