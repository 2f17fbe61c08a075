//! Admission of jobs: only as many run at the same time as fit into memory, and on each device as many as it can take.
//!
//! Jobs wait in order of arrival. A job that waits for a device does not hold up others. A job that waits for memory does,
//! because a large job would never start otherwise.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use clreduce_process::Cancel;

/// The memory and the devices that jobs share.
#[derive(Debug)]
pub(crate) struct Admission {
    state: Mutex<Resources>,
    changed: Condvar,
}

/// The resources that are free, and the jobs that wait for them.
#[derive(Debug)]
struct Resources {
    /// The free memory, in bytes.
    memory: u64,
    /// The number of jobs that each device can still take.
    devices: Vec<u32>,
    /// The waiting jobs, in order of arrival.
    queue: Vec<(u64, Need)>,
    next: u64,
}

/// The resources of one job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Need {
    /// Bytes.
    pub memory: u64,
    /// The place of its device.
    pub device: Option<usize>,
}

/// A running job. Dropping it frees its resources.
#[derive(Debug)]
pub(crate) struct Admitted<'a> {
    admission: &'a Admission,
    need: Need,
}

impl Admission {
    /// Shares `memory` bytes, and devices with the given numbers of jobs.
    pub(crate) fn new(memory: u64, devices: Vec<u32>) -> Self {
        let state = Resources { memory, devices, queue: Vec::new(), next: 0 };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Waits until the job can start. Returns `None` if it was cancelled.
    pub(crate) fn admit<'a>(&'a self, need: Need, cancel: &Cancel) -> Option<Admitted<'a>> {
        // A cancellation does not notify the condition, because its hook must not need the lock. So the wait looks
        // now and then.
        const LOOK_EVERY: std::time::Duration = std::time::Duration::from_millis(50);
        let mut state = self.lock();
        let ticket = state.next;
        state.next += 1;
        state.queue.push((ticket, need));
        while !state.is_turn_of(ticket) && !cancel.is_cancelled() {
            let waited = self.changed.wait_timeout(state, LOOK_EVERY);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.queue.retain(|(number, _)| *number != ticket);
        let admitted = (!cancel.is_cancelled()).then(|| {
            state.take(need);
            Admitted { admission: self, need }
        });
        drop(state);
        // A later job may fit beside it.
        self.changed.notify_all();
        admitted
    }

    fn lock(&self) -> MutexGuard<'_, Resources> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Resources {
    fn is_turn_of(&self, ticket: u64) -> bool {
        let mut memory = self.memory;
        let mut devices = self.devices.clone();
        for (number, need) in &self.queue {
            let device = need.device.map(|device| &mut devices[device]);
            if let Some(jobs) = device {
                if *jobs == 0 {
                    // It waits for its device, and does not hold up others.
                    if *number == ticket {
                        return false;
                    }
                    continue;
                }
                *jobs -= 1;
            }
            if *number == ticket {
                return need.memory <= memory;
            }
            memory = memory.saturating_sub(need.memory);
        }
        false
    }

    fn take(&mut self, need: Need) {
        self.memory -= need.memory;
        if let Some(device) = need.device {
            self.devices[device] -= 1;
        }
    }
}

impl Drop for Admitted<'_> {
    fn drop(&mut self) {
        let mut state = self.admission.lock();
        state.memory += self.need.memory;
        if let Some(device) = self.need.device {
            state.devices[device] += 1;
        }
        drop(state);
        self.admission.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    const fn memory(bytes: u64) -> Need {
        Need { memory: bytes, device: None }
    }

    #[test]
    fn never_more_than_there_is() {
        let admission = Admission::new(10, vec![1]);
        let (memory, on_device) = (AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for number in 0..16_u64 {
                let need =
                    Need { memory: 1 + number % 7, device: number.is_multiple_of(3).then_some(0) };
                let (admission, memory, on_device) = (&admission, &memory, &on_device);
                scope.spawn(move || {
                    let admitted = admission.admit(need, &Cancel::new()).unwrap();
                    let add = u64::from(need.device.is_some());
                    let used = memory.fetch_add(need.memory, Ordering::SeqCst) + need.memory;
                    let jobs = on_device.fetch_add(add, Ordering::SeqCst) + add;
                    std::thread::sleep(std::time::Duration::from_millis(2));
                    assert!(used <= 10 && jobs <= 1, "{used} bytes, {jobs} jobs");
                    memory.fetch_sub(need.memory, Ordering::SeqCst);
                    on_device.fetch_sub(add, Ordering::SeqCst);
                    drop(admitted);
                });
            }
        });
        assert_eq!(admission.lock().memory, 10);
    }

    #[test]
    fn who_waits_for_a_device_keeps_nobody_else_waiting() {
        let admission = Admission::new(10, vec![1]);
        let on_device = Need { memory: 4, device: Some(0) };
        let first = admission.admit(on_device, &Cancel::new()).unwrap();
        let mut state = admission.lock();
        state.queue = vec![(0, on_device), (1, memory(6)), (2, memory(1))];
        let turns: Vec<bool> = (0..3).map(|ticket| state.is_turn_of(ticket)).collect();
        assert_eq!(turns, [false, true, false]);
        // A large one is not overtaken for ever.
        state.queue = vec![(0, memory(7)), (1, memory(1))];
        assert!(!state.is_turn_of(0) && !state.is_turn_of(1));
        state.queue.clear();
        drop(state);
        drop(first);
    }

    #[test]
    fn a_cancelled_one_goes() {
        let admission = Admission::new(1, Vec::new());
        let holder = admission.admit(memory(1), &Cancel::new());
        let cancel = Cancel::new();
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| admission.admit(memory(1), &cancel).is_none());
            cancel.cancel();
            assert!(waiter.join().unwrap());
        });
        assert!(admission.lock().queue.is_empty());
        drop(holder);
    }
}
