//! The end of a process: how it came about, and how it is told to a person.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The way in which a task ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// By itself, with this exit code.
    Exited(i32),
    /// By a signal that clreduce did not send.
    Signalled(i32),
    /// At the time limit.
    TimedOut,
    /// Because it is no longer needed.
    Cancelled,
    /// At another limit; the text says which.
    Failed(String),
    /// It could not be run, or nothing is known of its end; the text says why. This says nothing about its files.
    NotRun(String),
}

impl End {
    /// Returns the crash, if it was one: by a signal, or with a status by which a shell tells of a signal, or Windows of
    /// any failure.
    #[must_use]
    pub fn crash(&self) -> Option<String> {
        match *self {
            Self::Signalled(signal) => Some(describe_signal(signal)),
            Self::Exited(status @ 129..160) => Some(describe_signal(status - 128)),
            Self::Exited(status @ ..0) => Some(describe_exit(status)),
            _ => None,
        }
    }

    /// The end in words; empty for an exit code of 0.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::Exited(0) => String::new(),
            Self::Exited(code) => describe_exit(*code),
            Self::Signalled(signal) => describe_signal(*signal),
            Self::TimedOut => "did not finish within the time limit".to_owned(),
            Self::Cancelled => "cancelled".to_owned(),
            Self::Failed(reason) | Self::NotRun(reason) => reason.clone(),
        }
    }
}

/// The death of a process that should have stayed alive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crash {
    /// For example "killed by signal 11 (SIGSEGV)".
    pub how: String,
    /// The last lines that it printed: an assertion, a stack.
    pub output: String,
}

/// A task that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completed {
    /// The way in which it ended.
    pub end: End,
    /// The last bytes of both streams as they came.
    pub tail: Vec<u8>,
    /// All of standard output and of standard error, where asked for.
    pub streams: [Vec<u8>; 2],
    /// Wall time.
    pub wall: Duration,
    /// Processes that were still there when the main one had ended; counted where asked for.
    pub processes_left: u32,
    /// A process that could not be killed within seconds.
    pub stuck: bool,
}

impl Completed {
    /// A task that did not come to run.
    pub fn not_run(reason: impl Into<String>) -> Self {
        Self::without_run(End::NotRun(reason.into()))
    }

    /// A task that was cancelled before it ran.
    #[must_use]
    pub fn cancelled() -> Self {
        Self::without_run(End::Cancelled)
    }

    fn without_run(end: End) -> Self {
        Self {
            end,
            tail: Vec::new(),
            streams: [Vec::new(), Vec::new()],
            wall: Duration::ZERO,
            processes_left: 0,
            stuck: false,
        }
    }
}

/// An exit code in words.
#[must_use]
pub fn describe_exit(code: i32) -> String {
    match code {
        126 => "exit code 126 (from a shell: a command could not be run)".to_owned(),
        127 => "exit code 127 (from a shell: a command was not found)".to_owned(),
        129..160 => match signal_name(code - 128) {
            Some(name) => format!("exit code {code} (from a shell: a command got {name})"),
            None => format!("exit code {code}"),
        },
        9009 => "exit code 9009 (from cmd: a command was not found)".to_owned(),
        // Windows tells a crash by such a code; nothing else on any system has a negative one.
        ..0 => match status_name(code as u32) {
            Some(name) => format!("exit code {code:#010X} ({name})"),
            None => format!("exit code {code:#010X}"),
        },
        _ => format!("exit code {code}"),
    }
}

/// Statuses that compilers and tests die of on Windows.
fn status_name(status: u32) -> Option<&'static str> {
    Some(match status {
        0x8000_0003 => "breakpoint",
        0xC000_0005 => "access violation",
        0xC000_0017 => "out of memory",
        0xC000_001D => "illegal instruction",
        0xC000_0094 => "integer division by zero",
        0xC000_00FD => "stack overflow",
        0xC000_0135 => "a library was not found",
        0xC000_013A => "Ctrl-C",
        0xC000_0374 => "heap corruption",
        0xC000_0409 => "abort or stack buffer overrun",
        _ => return None,
    })
}

/// A signal in words.
#[must_use]
pub fn describe_signal(signal: i32) -> String {
    match signal_name(signal) {
        Some(name) => format!("killed by signal {signal} ({name})"),
        None => format!("killed by signal {signal}"),
    }
}

/// Signals that compilers and tests die of; their numbers are the same on all common Linux systems.
fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        31 => "SIGSYS",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_for_people() {
        let reason = |end: End| end.reason();
        assert_eq!(reason(End::Exited(1)), "exit code 1");
        assert!(reason(End::Exited(139)).ends_with("a command got SIGSEGV)"));
        assert_eq!(
            reason(End::Exited(0xC000_0005_u32 as i32)),
            "exit code 0xC0000005 (access violation)"
        );
        assert_eq!(reason(End::Signalled(11)), "killed by signal 11 (SIGSEGV)");
        assert_eq!(reason(End::Signalled(64)), "killed by signal 64");
    }

    #[test]
    fn crashes_are_told_from_refusals() {
        assert_eq!(End::Signalled(6).crash().as_deref(), Some("killed by signal 6 (SIGABRT)"));
        assert_eq!(End::Exited(139).crash(), End::Signalled(11).crash());
        assert!(End::Exited(0xC000_0005_u32 as i32).crash().is_some());
        assert!([0, 1, 127, 128, 255].iter().all(|&status| End::Exited(status).crash().is_none()));
    }
}
