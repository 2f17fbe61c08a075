//! The resources that a task may use.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::end::End;
use crate::units::show_limit;

/// The moment after a time. One that is too long for the clock ends in a century.
#[must_use]
pub fn from_now(time: Duration) -> Instant {
    const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 3600);
    let now = Instant::now();
    now.checked_add(time).unwrap_or_else(|| now + CENTURY)
}

/// Limits of one task. A task that exceeds one is ended with all its processes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Wall time. Exceeding it is [`End::TimedOut`], exceeding any other limit is [`End::Failed`].
    pub time: Option<Duration>,
    /// Resident memory of all its processes together, in bytes, with the memory that no process maps (memfd, System V), and on
    /// Windows what they have committed. It is measured ten times a second, so a test may exceed the limit for a tenth of one.
    pub memory_bytes: Option<u64>,
    /// The number of processes that it may consist of at a time.
    pub processes: u32,
    /// The most that it may print, in bytes.
    pub output_bytes: u64,
    /// The most disk space that the directory of the variant and `TMPDIR` may occupy together, in bytes.
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

/// The ends of tasks that exceeded a limit, with the reason for a person.
impl Limits {
    pub(crate) fn too_much_output(&self) -> End {
        End::Failed(format!("printed more than {}", show_limit(self.output_bytes)))
    }

    pub(crate) fn too_much_disk(&self) -> End {
        End::Failed(format!("wrote more than {} to disk", show_limit(self.disk_bytes)))
    }

    pub(crate) fn too_much_memory(&self) -> End {
        let limit = show_limit(self.memory_bytes.unwrap_or_default());
        End::Failed(format!("used more than {limit} of memory"))
    }

    pub(crate) fn too_many_processes(&self) -> End {
        End::Failed(format!("ran more than {} processes at a time", self.processes))
    }
}
