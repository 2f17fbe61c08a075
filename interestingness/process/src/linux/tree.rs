//! The processes of one test: finding them, measuring them, ending them.
//!
//! A supervisor is a *subreaper*: whatever a test starts, however it detaches itself, becomes a child
//! of the supervisor when its parent dies. So "I have no children left" is a complete and atomic proof
//! that nothing is left. Without a supervisor, the next best thing is a mark in the environment, which
//! children inherit.

use std::collections::HashMap;
use std::fs;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getpgid, getpgrp, getpid, kill_process,
    kill_process_group, pidfd_open, wait, waitpid,
};

/// The environment variable that marks the processes of a test.
pub(super) const MARK: &str = "CLREDUCE_TEST";

/// After being killed, a process may need this long to give back its memory. One that needs longer
/// is stuck in the kernel (a driver, a network file system).
const PATIENCE: Duration = Duration::from_secs(10);

/// The number of processes that are looked for before those found are killed: among those that fork without
/// end, the search for the last one is a race that is lost.
const BATCH: usize = 256;

/// The way in which the processes of a test are known.
#[derive(Clone, Copy, Debug)]
pub(super) enum TreeScope {
    /// All descendants of this process, which is a subreaper and runs one test at a time.
    Subreaper,
    /// The main process and its descendants, and every process that carries the mark.
    Marked,
}

/// The processes of one test.
pub(super) struct ProcessTree {
    leader: Pid,
    scope: TreeScope,
    mark: String,
    status: Option<WaitStatus>,
}

impl ProcessTree {
    /// The tree below `leader`, a child of this process that leads a process group and has `mark` as
    /// the value of [`MARK`]. No other code may wait for that child.
    pub(super) fn new(leader: Pid, scope: TreeScope, mark: &str) -> Self {
        Self { leader, scope, mark: mark.to_owned(), status: None }
    }

    /// Takes note of children that have ended. Returns whether any is left.
    fn reap(&mut self) -> bool {
        loop {
            let ended = match self.scope {
                TreeScope::Subreaper => wait(WaitOptions::NOHANG),
                TreeScope::Marked if self.status.is_some() => return false,
                TreeScope::Marked => waitpid(Some(self.leader), WaitOptions::NOHANG),
            };
            match ended {
                Ok(Some((pid, status))) if pid == self.leader => self.status = Some(status),
                Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }

    /// Takes note of detached processes that have ended, so that they do not count any more.
    pub(super) fn reap_orphans(&mut self) {
        if matches!(self.scope, TreeScope::Subreaper) {
            self.reap();
        }
    }

    /// Processes that are found without looking at the whole system, zombies included; no more than
    /// about `enough`.
    pub(super) fn members(&self, enough: usize) -> Vec<Pid> {
        match self.scope {
            TreeScope::Subreaper => descendants(getpid(), enough),
            TreeScope::Marked => {
                let mut members = vec![self.leader];
                members.extend(descendants(self.leader, enough));
                members
            }
        }
    }

    /// The number of processes besides the main one.
    pub(super) fn count_others(&self) -> u32 {
        let mut members = self.all_members(usize::MAX);
        members.retain(|&pid| pid != self.leader);
        u32::try_from(members.len()).unwrap_or(u32::MAX)
    }

    /// All processes that can be found; may mean a look at every process of the system.
    pub(super) fn all_members(&self, enough: usize) -> Vec<Pid> {
        match self.scope {
            TreeScope::Subreaper => self.members(enough),
            TreeScope::Marked => {
                let mut members = marked(|mark| mark == self.mark.as_bytes());
                if self.status.is_none() {
                    members.extend(self.members(enough));
                }
                members.sort_by_key(|pid| pid.as_raw_nonzero());
                members.dedup();
                members
            }
        }
    }

    /// Kills every process and waits until all have gone. `Err` where one does not go.
    pub(super) fn end(&mut self) -> Result<Option<WaitStatus>, Stuck> {
        // Atomic even against a fork bomb: a fork with a signal pending does not happen. The leader
        // is not reaped yet, so the number still means its group.
        let _ = kill_process_group(self.leader, Signal::KILL);
        let give_up = Instant::now() + PATIENCE;
        loop {
            let children = self.reap();
            if !children && matches!(self.scope, TreeScope::Subreaper) {
                return Ok(self.status);
            }
            let members = self.all_members(BATCH);
            if !children && members.is_empty() {
                return Ok(self.status);
            }
            if Instant::now() >= give_up {
                return Err(Stuck);
            }
            match self.scope {
                TreeScope::Subreaper => kill_all_with_groups(&members),
                TreeScope::Marked => kill_all(&members),
            }
            wait_for_end(members.first().copied());
        }
    }
}

/// A process did not die of `SIGKILL` in time.
#[derive(Debug)]
pub(super) struct Stuck;

/// Ends all descendants of this process, a subreaper, when it is not known which they are.
pub(super) fn end_all_children() {
    let give_up = Instant::now() + PATIENCE;
    while Instant::now() < give_up {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
            Ok(None) => {
                let members = descendants(getpid(), BATCH);
                kill_all_with_groups(&members);
                wait_for_end(members.first().copied());
            }
            Err(_) => return,
        }
    }
}

/// Kills every process whose mark begins with `prefix`; for what a supervisor that died left behind.
pub(super) fn sweep(prefix: &str) {
    let give_up = Instant::now() + PATIENCE;
    // While a program is being loaded, its process has no environment: one look that finds nothing proves nothing.
    let mut looks_in_vain = 0;
    while looks_in_vain < 2 && Instant::now() < give_up {
        let members = marked(|mark| mark.starts_with(prefix.as_bytes()));
        looks_in_vain = if members.is_empty() { looks_in_vain + 1 } else { 0 };
        kill_all(&members);
        wait_for_end(members.first().copied());
    }
}

fn kill_all(members: &[Pid]) {
    for &pid in members {
        // Fails for a process that has just ended, and for one of another user: `end` notices.
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// Only where every group but the own one consists of members: in a session of its own.
fn kill_all_with_groups(members: &[Pid]) {
    let own = getpgrp();
    let mut groups: Vec<Pid> = members.iter().filter_map(|&pid| getpgid(Some(pid)).ok()).collect();
    groups.sort_by_key(|pid| pid.as_raw_nonzero());
    groups.dedup();
    for group in groups.into_iter().filter(|&group| group != own) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    kill_all(members);
}

/// Waits a moment, no longer than the given process lives.
fn wait_for_end(pid: Option<Pid>) {
    let moment = Timespec { tv_sec: 0, tv_nsec: 5_000_000 };
    let pidfd = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    let mut fds: Vec<PollFd<'_>> =
        pidfd.iter().map(|fd| PollFd::from_borrowed_fd(fd.as_fd(), PollFlags::IN)).collect();
    // An interrupted wait is a shorter one.
    let _ = poll(&mut fds, Some(&moment));
}

/// Descendants of a process that are linked to it by living parents, breadth first; not many more
/// than `enough`.
pub(super) fn descendants(root: Pid, enough: usize) -> Vec<Pid> {
    let mut found = Vec::new();
    if kernel_lists_children() {
        children(root, &mut found);
        let mut next = 0;
        while let Some(&pid) = found.get(next)
            && found.len() <= enough
        {
            children(pid, &mut found);
            next += 1;
        }
    } else {
        let mut by_parent: HashMap<i32, Vec<Pid>> = HashMap::new();
        for pid in all_processes() {
            if let Some(parent) = parent(pid) {
                by_parent.entry(parent).or_default().push(pid);
            }
        }
        let mut next = 0;
        found.extend(by_parent.remove(&root.as_raw_nonzero().get()).unwrap_or_default());
        while let Some(&pid) = found.get(next) {
            found.extend(by_parent.remove(&pid.as_raw_nonzero().get()).unwrap_or_default());
            next += 1;
        }
    }
    found
}

/// Returns whether the kernel has `/proc/PID/task/TID/children` (`CONFIG_PROC_CHILDREN`).
fn kernel_lists_children() -> bool {
    static LISTS: OnceLock<bool> = OnceLock::new();
    *LISTS.get_or_init(|| fs::exists("/proc/thread-self/children").unwrap_or(false))
}

/// Cheap, because in the face of a fork bomb every time slice counts.
fn children(pid: Pid, found: &mut Vec<Pid>) {
    let tasks = format!("/proc/{}/task", pid.as_raw_nonzero());
    children_of_thread(&format!("{tasks}/{}/children", pid.as_raw_nonzero()), found);
    // Each thread has children of its own. A directory has two links and one per directory in it.
    if fs::metadata(&tasks).is_ok_and(|metadata| metadata.nlink() > 3) {
        for task in fs::read_dir(&tasks).into_iter().flatten().flatten() {
            if task.file_name().to_str().and_then(parse_pid) != Some(pid) {
                children_of_thread(&format!("{}/children", task.path().display()), found);
            }
        }
    }
}

fn children_of_thread(list: &str, found: &mut Vec<Pid>) {
    // Gone meanwhile: no children.
    let list = fs::read_to_string(list).unwrap_or_default();
    found.extend(list.split_ascii_whitespace().filter_map(parse_pid));
}

/// A field of `/proc/PID/stat`, which is `PID (NAME) STATE PARENT ...`; the name may hold anything. The state is field 3
/// (proc(5)).
fn stat_field(pid: Pid, number: usize) -> Option<String> {
    let stat = fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    let after_name = stat.iter().rposition(|&byte| byte == b')')? + 1;
    let fields = std::str::from_utf8(&stat[after_name..]).ok()?;
    fields.split_ascii_whitespace().nth(number.checked_sub(3)?).map(str::to_owned)
}

fn parent(pid: Pid) -> Option<i32> {
    stat_field(pid, 4)?.parse().ok()
}

/// Processor time of a process, for it and for the system, in ticks of the clock.
pub(super) fn ticks(pid: Pid) -> Option<u64> {
    sum_of_fields(pid, [14, 15])
}

/// The same, with that of its children that have ended, and of theirs.
pub(super) fn ticks_with_ended(pid: Pid) -> Option<u64> {
    sum_of_fields(pid, 14..=17)
}

fn sum_of_fields(pid: Pid, numbers: impl IntoIterator<Item = usize>) -> Option<u64> {
    numbers.into_iter().map(|number| stat_field(pid, number)?.parse::<u64>().ok()).sum()
}

fn all_processes() -> impl Iterator<Item = Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| parse_pid(entry.file_name().to_str()?))
}

/// The number of processes and threads of all users.
pub(super) fn count_processes() -> u64 {
    // `0.05 0.15 0.08 1/83 6028`: the number after the slash.
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let count = load.split(['/', ' ']).nth(4).and_then(|count| count.parse().ok());
    count.unwrap_or(u64::MAX)
}

fn parse_pid(text: &str) -> Option<Pid> {
    Pid::from_raw(text.parse().ok()?)
}

/// Processes with a mark that fits. Zombies have no environment and do not count.
fn marked(fits: impl Fn(&[u8]) -> bool) -> Vec<Pid> {
    let own = getpid();
    let has_mark = |pid: Pid| {
        let environment = fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero()));
        environment.is_ok_and(|bytes| {
            let mut variables = bytes.split(|&byte| byte == 0);
            variables.any(|variable| {
                let value = variable.strip_prefix(MARK.as_bytes());
                value.and_then(|value| value.strip_prefix(b"=")).is_some_and(&fits)
            })
        })
    };
    all_processes().filter(|&pid| pid != own && has_mark(pid)).collect()
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::{Child, Command, Stdio};

    use super::*;

    fn pid_of(child: &Child) -> Pid {
        Pid::from_child(child)
    }

    #[test]
    fn what_ended_children_have_computed_counts_for_their_parent() {
        let count = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
        let line = format!("sh -c '{count}'; echo over; read line");
        let mut command = Command::new("sh");
        command.args(["-c", &line]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut said = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut said).unwrap();
        let (own, all) = (ticks(pid_of(&child)), ticks_with_ended(pid_of(&child)));
        assert!(all > own, "{all:?} {own:?}");
        drop(child.stdin.take());
        child.wait().unwrap();
    }

    #[test]
    fn finds_children_of_threads() {
        let (send, receive) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let mut child = Command::new("sleep").arg("1000").spawn().unwrap();
            let found = descendants(getpid(), usize::MAX).contains(&pid_of(&child));
            child.kill().unwrap();
            child.wait().unwrap();
            send.send(found).unwrap();
        });
        assert!(receive.recv().unwrap());
        thread.join().unwrap();
    }

    #[test]
    fn reads_the_process_table() {
        let mut child = Command::new("sleep").arg("1000").env(MARK, "unit/1").spawn().unwrap();
        let pid = pid_of(&child);
        assert!(descendants(getpid(), usize::MAX).contains(&pid));
        assert_eq!(parent(pid), Some(getpid().as_raw_nonzero().get()));
        // Until the new program is loaded, a child shows the environment of this process.
        let deadline = Instant::now() + Duration::from_secs(20);
        while marked(|mark| mark == b"unit/1") != [pid] {
            assert!(Instant::now() < deadline, "the mark does not show");
            std::thread::yield_now();
        }
        assert!((2..100_000).contains(&count_processes()));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!descendants(getpid(), usize::MAX).contains(&pid));
    }
}
