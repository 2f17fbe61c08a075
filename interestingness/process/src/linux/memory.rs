//! The memory of the processes of one test, in bytes: what they have mapped, files in memory that they hold open (memfd),
//! and segments of System V that they have made.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;

use rustix::process::Pid;

/// How the mappings of such files and segments are named. They count where they are kept.
const KEPT: [&str; 2] = ["/memfd:", "/SYSV"];

/// The segments of System V whose makers or users were seen among the processes. They may have gone since.
#[derive(Debug, Default)]
pub(super) struct Segments(BTreeSet<u64>);

impl Segments {
    /// Returns true if processes use more than `limit` bytes of memory. The exact number is costly, so it is read only when
    /// an upper bound is over the limit.
    pub(super) fn exceed(&mut self, members: &[Pid], limit: u64) -> bool {
        let kept = self.bytes(members) + open_files(members);
        resident_bytes(members) + kept > limit && proportional_bytes(members) + kept > limit
    }

    /// The resident memory of the segments.
    fn bytes(&mut self, members: &[Pid]) -> u64 {
        // A kernel without them has no such file.
        let table = fs::read_to_string("/proc/sysvipc/shm").unwrap_or_default();
        let mut total = 0;
        for row in table.lines().skip(1) {
            let fields: Vec<&str> = row.split_ascii_whitespace().collect();
            let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
            let (Some(name), Some(resident)) = (number(1), number(14)) else { continue };
            // The processes that made it and attached it last.
            let users = [number(4), number(5)];
            let is_user =
                |pid: &Pid| users.contains(&Some(pid.as_raw_nonzero().get().unsigned_abs().into()));
            if self.0.contains(&name) || members.iter().any(is_user) {
                self.0.insert(name);
                total += resident;
            }
        }
        total
    }
}

/// The memory of files that are in memory alone, and that processes hold open.
fn open_files(members: &[Pid]) -> u64 {
    let mut sizes = BTreeMap::new();
    for pid in members {
        let folder = format!("/proc/{}/fd", pid.as_raw_nonzero());
        // A process of another user, or one that has gone: then it has none.
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_kept =
                fs::read_link(&path).is_ok_and(|to| to.to_string_lossy().starts_with(KEPT[0]));
            if let (true, Ok(file)) = (is_kept, fs::metadata(path)) {
                sizes.insert((file.dev(), file.ino()), file.blocks() * 512);
            }
        }
    }
    sizes.values().sum()
}

/// Resident memory of all processes together; an upper bound that counts shared pages for each of them.
fn resident_bytes(members: &[Pid]) -> u64 {
    let pages = members.iter().map(|pid| {
        let statm = fs::read_to_string(format!("/proc/{}/statm", pid.as_raw_nonzero()));
        let statm = statm.unwrap_or_default();
        statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0)
    });
    pages.sum::<u64>() * rustix::param::page_size() as u64
}

/// The same without what is kept elsewhere, where shared pages count once, and what was swapped out counts too.
fn proportional_bytes(members: &[Pid]) -> u64 {
    let kilobytes = |pid: &Pid| {
        let mappings = fs::read_to_string(format!("/proc/{}/smaps", pid.as_raw_nonzero()));
        let Ok(mappings) = mappings else { return resident_bytes(&[*pid]) >> 10 };
        let (mut total, mut is_kept) = (0, false);
        for line in mappings.lines() {
            let value = line.strip_prefix("Pss:").or_else(|| line.strip_prefix("SwapPss:"));
            let value =
                value.and_then(|value| value.trim().strip_suffix(" kB")?.parse::<u64>().ok());
            match value {
                Some(_) if is_kept => {}
                Some(value) => total += value,
                // `7f00-7f01 rw-s 00000000 00:01 2050 /memfd:name (deleted)`
                None if !line.starts_with(|first: char| first.is_ascii_uppercase()) => {
                    let name = line.find('/').map_or("", |at| &line[at..]);
                    is_kept = KEPT.iter().any(|kept| name.starts_with(kept));
                }
                None => {}
            }
        }
        total
    };
    members.iter().map(kilobytes).sum::<u64>() << 10
}

#[cfg(test)]
mod tests {
    use std::os::fd::OwnedFd;

    use rustix::fs::{MemfdFlags, memfd_create};
    use rustix::process::getpid;

    use super::*;

    #[test]
    fn memory_is_measured() {
        let own = [getpid()];
        let (resident, proportional) = (resident_bytes(&own), proportional_bytes(&own));
        assert!(0 < proportional && proportional <= resident, "{proportional} {resident}");
        let file: OwnedFd = memfd_create("test", MemfdFlags::CLOEXEC).unwrap();
        let before = open_files(&own);
        rustix::io::write(&file, &vec![1; 1 << 20]).unwrap();
        // Other tests may have such files as well.
        assert!(open_files(&own) >= before.max(1 << 20), "{before}");
    }
}
