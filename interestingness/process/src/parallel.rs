//! Independent pieces of work on several threads.

use std::sync::{Mutex, PoisonError};
use std::thread;

/// Calls `work` with each thing and its place, on at most `jobs` threads. The results are in the order of the things.
pub fn in_parallel<T: Send, R: Send>(
    things: impl IntoIterator<Item = T, IntoIter: Send>,
    jobs: usize,
    work: impl Fn(usize, T) -> R + Sync,
) -> Vec<R> {
    let next = Mutex::new(things.into_iter().enumerate());
    let done: Mutex<Vec<(usize, R)>> = Mutex::default();
    thread::scope(|scope| {
        let share = || {
            loop {
                let taken = next.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((index, thing)) = taken else { break };
                let result = work(index, thing);
                done.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
            }
        };
        let started =
            (0..jobs).map_while(|_| thread::Builder::new().spawn_scoped(scope, share).ok());
        // If the system starts no thread, this one does the work.
        if started.count() == 0 && jobs > 0 {
            share();
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}
