//! Waiting for a worker, within limits of time and memory.

use std::time::{Duration, Instant};

use clreduce_process::from_now;
use clreduce_process::worker::WorkerEvent;

use super::Serving;
use crate::protocol::{DeviceProcess, DeviceReply};

/// Time between two looks at the memory of a worker.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Waits until a worker is done with a kernel whose result is not needed any more, but not longer than a fresh worker needs to
/// start. Returns false if the worker cannot be used after that.
pub(super) fn finishes(serving: &Serving, is_done: bool, memory: Option<u64>) -> bool {
    let (process, deadline) = (&serving.process, from_now(serving.start));
    let mut is_done = is_done;
    while !is_done {
        match hear_until(process, deadline, memory) {
            Some(WorkerEvent::Reply(DeviceReply::RunEnd(_))) => is_done = true,
            Some(WorkerEvent::Reply(DeviceReply::Built) | WorkerEvent::Cancelled) => {}
            _ => return false,
        }
    }
    process.forgets_cancellation()
}

/// Waits for an event within a limit. If `is_fair`, the limit is for the processor time of all threads of the worker, and
/// three times the limit is allowed on the clock. `None` if the worker uses more than `memory` bytes.
pub(super) fn hear(
    process: &DeviceProcess,
    limit: Duration,
    is_fair: bool,
    memory: Option<u64>,
) -> Option<WorkerEvent<DeviceReply>> {
    /// The least time between two looks at what was computed.
    const LEAST: Duration = Duration::from_millis(20);
    let started = Instant::now();
    if !is_fair {
        return hear_until(process, from_now(limit), memory);
    }
    let (before, last) = (process.computed(), from_now(limit.saturating_mul(3)));
    let mut missing = limit;
    loop {
        // Two threads may compute at a time, and others make them slower.
        let deadline = from_now((missing / 2).max(LEAST)).min(last);
        let event = hear_until(process, deadline, memory)?;
        if !matches!(event, WorkerEvent::Silence) || Instant::now() >= last {
            return Some(event);
        }
        let computed = process.computed().zip(before);
        let computed = computed.map(|(now, before)| now.saturating_sub(before));
        missing = limit.saturating_sub(computed.unwrap_or_else(|| started.elapsed()));
        if missing.is_zero() {
            return Some(event);
        }
    }
}

/// Waits for an event until a deadline. `None` if the worker uses more memory than it may, in bytes.
fn hear_until(
    process: &DeviceProcess,
    deadline: Instant,
    memory: Option<u64>,
) -> Option<WorkerEvent<DeviceReply>> {
    let Some(memory) = memory else { return Some(process.hear(deadline)) };
    loop {
        let look = (Instant::now() + LOOK_EVERY).min(deadline);
        let event = process.hear(look);
        if !matches!(event, WorkerEvent::Silence) {
            return Some(event);
        }
        if process.uses_more_than(memory) {
            return None;
        }
        if look == deadline {
            return Some(event);
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::ErrorKind;
    use std::os::unix::fs::PermissionsExt;

    use clreduce_process::worker::{WorkerError, WorkerOptions};

    use super::*;
    use crate::opencl::OpenClService;

    const LIMIT: Duration = Duration::from_millis(300);

    /// A worker that does nothing but `line`.
    fn worker(line: &str) -> (DeviceProcess, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("worker");
        std::fs::write(&program, format!("#!/bin/sh\n{line}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let options = WorkerOptions::new(program);
        loop {
            match DeviceProcess::start::<OpenClService>(&options, None) {
                // A test beside this one has forked while the file was open for writing.
                Err(WorkerError::Start { source, .. })
                    if source.kind() == ErrorKind::ExecutableFileBusy => {}
                started => return (started.unwrap(), folder),
            }
        }
    }

    /// The time for which a worker is heard out that does nothing but `line`, and the time that it computed
    /// meanwhile.
    fn heard(line: &str, is_fair: bool) -> (Duration, Duration) {
        let (process, _folder) = worker(line);
        let started = Instant::now();
        assert!(matches!(hear(&process, LIMIT, is_fair, None), Some(WorkerEvent::Silence)));
        (started.elapsed(), process.computed().unwrap())
    }

    #[test]
    fn a_driver_that_takes_too_much_memory_is_not_waited_for() {
        // Each round doubles the text.
        let (process, _folder) = worker("x=0123456789abcdef; while :; do x=$x$x; done");
        let patience = Duration::from_secs(600);
        assert!(hear(&process, patience, false, Some(300 << 20)).is_none());
        let (process, _folder) = worker("exec sleep 60");
        let silence = hear(&process, LIMIT, false, Some(300 << 20));
        assert!(matches!(silence, Some(WorkerEvent::Silence)));
    }

    #[test]
    fn a_limit_is_one_of_computing() {
        let (wall, computed) = heard("while :; do :; done", true);
        assert!(computed >= LIMIT * 8 / 10 || wall >= LIMIT * 3, "{computed:?} in {wall:?}");
        let (wall, computed) = heard("exec sleep 60", true);
        assert!(computed < LIMIT / 2 && wall >= LIMIT * 3, "{computed:?} in {wall:?}");
        let (wall, _) = heard("exec sleep 60", false);
        assert!(wall >= LIMIT);
    }
}
