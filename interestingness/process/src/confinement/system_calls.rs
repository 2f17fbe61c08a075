//! System calls that a confined process is refused, by a seccomp filter: those that reach other processes, other machines
//! and what outlives the process, and that neither Landlock nor a view of the machine stops.
//!
//! Every refusal is "Operation not permitted". Programs of 32 bits are filtered too where the machine runs those of Intel;
//! elsewhere, and under the x32 ABI, they can make no system calls at all.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use rustix::io::Errno;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, sock_filter,
};

use super::Permissions;

/// A condition on an argument, by its number: that it is this, that it is not, that the pointer is not null, or that it is
/// a request of `ioctl` with this letter.
#[derive(Clone, Copy)]
enum If {
    Is(u8, u64),
    Not(u8, u64),
    Given(u8),
    Letter(u8, u64),
}
use If::{Given, Is, Letter, Not};

/// Cases in which a call is refused, each with conditions that hold together. Without cases, it always is.
type Cases = &'static [&'static [If]];

/// A call: its numbers on x86-64, in programs of 32 bits there, and on AArch64. Minus one where there is none.
type Row = ([i64; 3], Cases);

const ALWAYS: Cases = &[];
/// The first argument is a process, and 0 the caller.
const OF_OTHERS: Cases = &[&[Not(0, 0)]];

/// System calls that are always refused.
const REFUSED: &[Row] = &[
    // Limits, priorities and cores of other processes.
    ([302, 340, 261], &[&[Not(0, 0), Given(2)]]), // prlimit64
    ([141, 97, 140], &[&[Not(1, 0)], &[Is(0, 2)]]), // setpriority; 2 means all of a user
    ([251, 289, 30], &[&[Not(1, 0)], &[Is(0, 3)]]), // ioprio_set; 3 means the same
    ([203, 241, 122], OF_OTHERS),                 // sched_setaffinity
    ([144, 156, 119], OF_OTHERS),                 // sched_setscheduler
    ([142, 154, 118], OF_OTHERS),                 // sched_setparam
    ([314, 351, 274], OF_OTHERS),                 // sched_setattr
    // A way around the filter.
    ([425, 425, 425], ALWAYS), // io_uring_setup
    // Keyrings.
    ([248, 286, 217], ALWAYS), // add_key
    ([249, 287, 218], ALWAYS), // request_key
    ([250, 288, 219], ALWAYS), // keyctl
    // Memory, semaphores and queues of System V and POSIX, which stay.
    ([-1, 117, -1], ALWAYS),   // ipc
    ([29, 395, 194], ALWAYS),  // shmget
    ([30, 397, 196], ALWAYS),  // shmat
    ([31, 396, 195], ALWAYS),  // shmctl
    ([64, 393, 190], ALWAYS),  // semget
    ([65, -1, 193], ALWAYS),   // semop
    ([66, 394, 191], ALWAYS),  // semctl
    ([220, 420, 192], ALWAYS), // semtimedop
    ([68, 399, 186], ALWAYS),  // msgget
    ([69, 400, 189], ALWAYS),  // msgsnd
    ([70, 401, 188], ALWAYS),  // msgrcv
    ([71, 402, 187], ALWAYS),  // msgctl
    ([240, 277, 180], ALWAYS), // mq_open
    ([241, 278, 181], ALWAYS), // mq_unlink
    // Attributes and flags of files, which may lie anywhere.
    ([188, 226, 5], ALWAYS),   // setxattr
    ([189, 227, 6], ALWAYS),   // lsetxattr
    ([190, 228, 7], ALWAYS),   // fsetxattr
    ([197, 235, 14], ALWAYS),  // removexattr
    ([198, 236, 15], ALWAYS),  // lremovexattr
    ([199, 237, 16], ALWAYS),  // fremovexattr
    ([463, 463, 463], ALWAYS), // setxattrat
    ([466, 466, 466], ALWAYS), // removexattrat
    ([469, 469, 469], ALWAYS), // file_setattr
    // ioctl. Landlock stops requests to devices only, and files and folders that are open for reading take many: to make and
    // remove subvolumes, to encrypt, to set flags. Of the letters of file systems, only what reads or clones is left: the
    // flags and places of a file, with 64 and 32 bits. The last two type for a terminal (TIOCSTI, TIOCLINUX).
    (
        [16, 54, 29],
        &[
            &[Letter(1, 0x66), Not(1, 0x8008_6601), Not(1, 0x8004_6601), Not(1, 0xc020_660b)],
            &[Letter(1, 0x76), Not(1, 0x8008_7601), Not(1, 0x8004_7601)],
            &[Letter(1, 0x58), Not(1, 0x801c_581f)],
            &[Letter(1, 0x94), Not(1, 0x4004_9409), Not(1, 0x4020_940d), Not(1, 0xc018_9436)],
            &[Letter(1, 0xf5)],
            &[Letter(1, 0xbc)],
            &[Is(1, 0x4004_7211)],
            &[Is(1, 0x5412)],
            &[Is(1, 0x541c)],
        ],
    ),
    // Things that root may do to the machine.
    ([169, 88, 142], ALWAYS),  // reboot
    ([246, 283, 104], ALWAYS), // kexec_load
    ([320, -1, 294], ALWAYS),  // kexec_file_load
    ([175, 128, 105], ALWAYS), // init_module
    ([313, 350, 273], ALWAYS), // finit_module
    ([176, 129, 106], ALWAYS), // delete_module
    ([167, 87, 224], ALWAYS),  // swapon
    ([168, 115, 225], ALWAYS), // swapoff
    ([170, 74, 161], ALWAYS),  // sethostname
    ([171, 121, 162], ALWAYS), // setdomainname
    ([164, 79, 170], ALWAYS),  // settimeofday
    ([-1, 25, -1], ALWAYS),    // stime
    ([227, 264, 112], ALWAYS), // clock_settime
    ([-1, 404, -1], ALWAYS),   // clock_settime64
    ([159, 124, 171], ALWAYS), // adjtimex
    ([305, 343, 266], ALWAYS), // clock_adjtime
    ([-1, 405, -1], ALWAYS),   // clock_adjtime64
    ([163, 51, 89], ALWAYS),   // acct
    ([172, 110, -1], ALWAYS),  // iopl
    ([173, 101, -1], ALWAYS),  // ioperm
    ([321, 357, 280], ALWAYS), // bpf
    ([442, 442, 442], ALWAYS), // mount_setattr
    ([179, 131, 60], ALWAYS),  // quotactl
    ([443, 443, 443], ALWAYS), // quotactl_fd
    ([300, 338, 262], ALWAYS), // fanotify_init
    ([153, 111, 58], ALWAYS),  // vhangup
    // syslog: what takes messages from the kernel's log, and what decides which the console shows.
    (
        [103, 103, 116],
        &[&[Is(0, 2)], &[Is(0, 4)], &[Is(0, 5)], &[Is(0, 6)], &[Is(0, 7)], &[Is(0, 8)]],
    ),
];

const AF_UNIX: u64 = 1;
/// Without the network: any socket but those of this machine, and those whose arguments the filter cannot see.
const SOCKETS: [Row; 2] = [([41, 359, 198], &[&[Not(0, AF_UNIX)]]), ([-1, 102, -1], ALWAYS)];
/// The same for a process with a network of its own: IP and netlink stay in it.
const OTHER_SOCKETS: [Row; 2] = [
    ([41, 359, 198], &[&[Not(0, AF_UNIX), Not(0, 2), Not(0, 10), Not(0, 16)]]),
    ([-1, 102, -1], ALWAYS),
];

/// The columns of the table for programs of this machine, and for those of 32 bits, with what the kernel calls them.
const MACHINES: &[(usize, u32)] = if cfg!(target_arch = "x86_64") {
    &[(0, 0xc000_003e), (1, 0x4000_0003)]
} else {
    &[(2, 0xc000_00b7)]
};

/// Numbers of system calls of the x32 ABI begin here.
const X32: u32 = 0x4000_0000;

/// Confines the calling thread, and everything that it starts from now on.
pub(super) fn enter(permissions: &Permissions) -> io::Result<()> {
    let sockets = if permissions.network { &[][..] } else { &SOCKETS };
    seccompiler::apply_filter(&program(sockets).map_err(io::Error::other)?)
        .map_err(io::Error::other)
}

/// The filter of a process with its own network, as a file that `bwrap` reads. A program that is started inherits it and
/// cannot change it.
pub(super) fn file(permissions: &Permissions) -> io::Result<OwnedFd> {
    let sockets = if permissions.network { &[][..] } else { &OTHER_SOCKETS };
    let bytes: Vec<u8> = program(sockets)
        .map_err(io::Error::other)?
        .iter()
        .flat_map(|&sock_filter { code, jt, jf, k }| {
            let ([c0, c1], [k0, k1, k2, k3]) = (code.to_ne_bytes(), k.to_ne_bytes());
            [c0, c1, jt, jf, k0, k1, k2, k3]
        })
        .collect();
    let file = memfd_create("filter", MemfdFlags::ALLOW_SEALING)?;
    rustix::io::write(&file, &bytes)?;
    fcntl_add_seals(&file, SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK)?;
    rustix::fs::seek(&file, rustix::fs::SeekFrom::Start(0))?;
    Ok(file)
}

/// The filter: a part for each machine, behind jumps to it.
fn program(sockets: &[Row]) -> Result<BpfProgram, BackendError> {
    const LOAD: u16 = 0x20;
    const GO: u16 = 0x05;
    const IF_EQUAL: u16 = 0x15;
    const IF_LESS_NOT: u16 = 0x35;
    const RETURN: u16 = 0x06;
    let step = |code, k, jt, jf| sock_filter { code, jt, jf, k };
    let refuse = step(RETURN, u32::from(refusal()), 0, 0);
    let (number, machine) = (step(LOAD, 0, 0, 0), step(LOAD, 4, 0, 0));
    let mut program = vec![number, step(IF_LESS_NOT, X32, 0, 1), refuse.clone(), machine];
    for &(column, name) in MACHINES {
        let part = part(column, sockets)?;
        let over = u32::try_from(part.len()).unwrap_or(u32::MAX);
        program.extend([step(IF_EQUAL, name, 1, 0), step(GO, over, 0, 0)]);
        program.extend(part);
    }
    program.push(refuse);
    Ok(program)
}

/// The part for one column of the table, without the machine's name, which the crate does not know for programs of 32 bits.
fn part(column: usize, sockets: &[Row]) -> Result<BpfProgram, BackendError> {
    const OF_MACHINE: usize = 3;
    let mut rules = BTreeMap::new();
    for (numbers, cases) in REFUSED.iter().chain(sockets) {
        let number = numbers[column];
        if number >= 0 {
            let cases = cases.iter().map(|case| {
                let conditions: Result<_, _> = case.iter().map(condition).collect();
                SeccompRule::new(conditions?)
            });
            rules.insert(number, cases.collect::<Result<Vec<_>, _>>()?);
        }
    }
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refusal(), TargetArch::x86_64)?;
    Ok(BpfProgram::try_from(filter)?.split_off(OF_MACHINE))
}

fn refusal() -> SeccompAction {
    SeccompAction::Errno(Errno::PERM.raw_os_error().unsigned_abs())
}

fn condition(condition: &If) -> Result<SeccompCondition, BackendError> {
    use SeccompCmpArgLen::{Dword, Qword};
    use SeccompCmpOp::{Eq, MaskedEq, Ne};
    match *condition {
        Is(argument, value) => SeccompCondition::new(argument, Dword, Eq, value),
        Not(argument, value) => SeccompCondition::new(argument, Dword, Ne, value),
        Given(argument) => SeccompCondition::new(argument, Qword, Ne, 0),
        Letter(argument, letter) => {
            SeccompCondition::new(argument, Dword, MaskedEq(0xff00), letter << 8)
        }
    }
}
