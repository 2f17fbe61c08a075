//! What a test may use.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Limits of one test. A test that exceeds one is ended with all its processes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Wall time; exceeding it is [`Verdict::TimedOut`](crate::Verdict::TimedOut), every other limit
    /// [`Verdict::Unresolved`](crate::Verdict::Unresolved).
    pub time: Option<Duration>,
    /// Resident memory of all its processes together, in bytes, on Windows what they have committed. Looked
    /// at ten times a second: a test may be above it for so long.
    pub memory_bytes: Option<u64>,
    /// How many processes it may consist of at a time.
    pub processes: u32,
    /// How much it may print, in bytes.
    pub output_bytes: u64,
    /// How much disk space the directory of the variant and `TMPDIR` may occupy together, in bytes.
    pub disk_bytes: u64,
}

impl Default for Limits {
    /// Five minutes, no limit of memory, 256 processes, 64 MiB of output, 4 GiB on disk.
    fn default() -> Self {
        Self {
            time: Some(Duration::from_secs(300)),
            memory_bytes: None,
            processes: 256,
            output_bytes: 64 << 20,
            disk_bytes: 4 << 30,
        }
    }
}
