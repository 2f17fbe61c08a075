//! What is said between clreduce and a device worker: frames of a length and a message on pipes.

use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::device::{Facts, Through};
use super::job::KernelRun;
use super::outcome::Output;
use crate::compile_worker::Diagnostic;

/// Longest message, in bytes. Whoever announces a longer one talks nonsense.
const MOST_BYTES: u32 = 2 << 30;

/// To the worker. The end of the stream means that clreduce has gone.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Order {
    /// Tell which devices there are that are reached this way.
    List(Through),
    /// Make this device ready; for all runs to come.
    Open {
        /// Through what it is reached.
        through: Through,
        /// Number of the platform.
        platform: u32,
        /// Number of the device on it.
        device: u32,
    },
    /// Do this on the open device.
    Run(KernelRun),
    /// Make libclang ready.
    LoadClang,
    /// Tell what libclang says of a text.
    Diagnose {
        /// Name of its file.
        file: String,
        /// Options of clang.
        arguments: Vec<String>,
        /// The text.
        source: Vec<u8>,
    },
}

/// From the worker.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Reply {
    /// To `List`.
    Devices(Result<Vec<Found>, String>),
    /// To `Diagnose`.
    Diagnostics(Result<Vec<Diagnostic>, String>),
    /// To `Open` and `LoadClang`.
    Opened(Result<(), String>),
    /// First answer to `Run`, where the program could be built.
    Built,
    /// Last answer to `Run`.
    Done(Done),
}

/// How a run ended that the worker survived.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Done {
    BuildFailure(String),
    Built,
    RunFailure(String),
    /// The different results of all repetitions.
    Results(Vec<Vec<Output>>),
}

impl Done {
    /// Does all launches so many times, each time with fresh buffers; the first that fails ends it.
    pub fn repeat<L>(
        times: u32,
        launches: impl IntoIterator<Item = L> + Clone,
        launch: impl Fn(L) -> Result<Vec<Output>, String>,
    ) -> Self {
        let mut results: Vec<Vec<Output>> = Vec::new();
        for _ in 0..times.max(1) {
            let outputs: Result<Vec<Vec<Output>>, String> =
                launches.clone().into_iter().map(&launch).collect();
            match outputs.map(|outputs| outputs.concat()) {
                Ok(outputs) if results.contains(&outputs) => {}
                Ok(outputs) => results.push(outputs),
                Err(reason) => return Self::RunFailure(reason),
            }
        }
        Self::Results(results)
    }
}

/// A device that a worker sees.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Found {
    pub platform: u32,
    pub device: u32,
    pub facts: Facts,
}

/// Sends one message.
pub(crate) fn write(mut to: impl Write, message: &impl Serialize) -> io::Result<()> {
    let mut frame = postcard::to_extend(message, vec![0; 4]).map_err(io::Error::other)?;
    let length = u32::try_from(frame.len() - 4).map_err(io::Error::other)?;
    frame[..4].copy_from_slice(&length.to_le_bytes());
    to.write_all(&frame)?;
    to.flush()
}

/// Waits for the next message.
pub(crate) fn read<M: DeserializeOwned>(mut from: impl Read) -> io::Result<M> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > MOST_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a message of absurd length"));
    }
    // Grows with what really comes.
    let mut frame = Vec::new();
    from.take(length.into()).read_to_end(&mut frame)?;
    if frame.len() < length as usize {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    postcard::from_bytes(&frame).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencl::Scalar;

    #[test]
    fn nonsense_is_an_error() {
        for bytes in [&[0xff; 8][..], &[4, 0, 0, 0, 0xff, 0xff, 0xff, 0xff], &[9, 0, 0, 0, 1], &[1]]
        {
            assert!(read::<Reply>(bytes).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn different_results_are_kept_and_a_failure_ends_all() {
        let done = std::cell::Cell::new(0);
        let launch = |fails_at: u8| {
            done.set(done.get() + 1);
            let name = (done.get() / 3).to_string();
            let output = Output { kernel: "k".into(), name, scalar: Scalar::Int, bytes: vec![] };
            if done.get() == fails_at { Err("gone".to_owned()) } else { Ok(vec![output]) }
        };
        let Done::Results(results) = Done::repeat(3, [9, 9], launch) else { panic!() };
        let names =
            |outputs: &Vec<Output>| outputs.iter().map(|output| output.name.clone()).collect();
        assert_eq!(results.iter().map(names).collect::<Vec<String>>(), ["00", "11", "12"]);
        assert!(matches!(Done::repeat(3, [9, 9], launch), Done::RunFailure(why) if why == "gone"));
        assert_eq!(done.get(), 9);
    }

    #[test]
    fn messages_arrive() {
        let mut bytes = Vec::new();
        write(&mut bytes, &Reply::Opened(Err("gone".into()))).unwrap();
        write(&mut bytes, &Reply::Built).unwrap();
        let mut rest = &bytes[..];
        assert!(matches!(read(&mut rest), Ok(Reply::Opened(Err(reason))) if reason == "gone"));
        assert!(matches!(read(&mut rest), Ok(Reply::Built)));
        let end = read::<Reply>(&mut rest).unwrap_err();
        assert_eq!(end.kind(), io::ErrorKind::UnexpectedEof);
    }
}
