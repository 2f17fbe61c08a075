//! What a launch reaches in its buffers: how large they must be.

use std::ffi::OsString;

use clreduce_kernel::KernelLaunch;
use clreduce_process::{Cancel, End, ToolRun, ToolRunner};

use crate::build::{HostBuild, HostProgram, distinct_calls, watches_races};
use crate::error::HostError;
use crate::flavour::{BuildDetail, Flavour};
use crate::order::Order;
use crate::sources::Source;

/// The status of the run-time when an access is so far outside of a buffer that no larger one would help.
const EXIT_OUTSIDE: i32 = 96;

/// What a launch reaches in its buffers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// For each argument, the number of bytes from the beginning of its buffer that the kernel wants to be there; 0 for a
    /// value.
    pub bytes: Vec<u64>,
    /// The way in which the launch ended.
    pub end: ReachEnd,
    /// The places that the work-item had read that left a buffer, the last one first.
    pub sources: Vec<Source>,
}

/// The way in which a launch ended whose reach was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReachEnd {
    /// At its end, and nothing was wrong but what [`Reach::bytes`] tells.
    Clean,
    /// At its end, and the sanitizers complained.
    Complaint,
    /// With an access before the beginning of the buffer with this number, or farther behind its end than a buffer may be
    /// large.
    Outside(usize),
    /// In another way, for this reason.
    Failed(String),
}

/// A kernel as a program that tells what it reaches.
#[derive(Debug)]
pub struct ReachProgram(HostProgram);

impl HostBuild<'_> {
    /// Makes a program of the kernel that tells what it reaches in its buffers.
    ///
    /// # Errors
    /// When the kernel, or what it needs, cannot be compiled.
    pub fn reach_program(&self) -> Result<ReachProgram, HostError> {
        let mut subject = self.subject.clone();
        subject.launches = Ok(distinct_calls(&self.subject.launches.clone()?));
        let build = HostBuild { subject: &subject, ..*self };
        Ok(ReachProgram(build.program(Flavour::Reaches, BuildDetail::Report)?))
    }
}

impl ReachProgram {
    /// Runs a launch with the same kinds of arguments as one for which it was built, until
    /// it ends, all work-items together have made `most_jumps`, or it wants more than `most_bytes` of a buffer.
    ///
    /// # Errors
    /// When the program needs what is nowhere.
    pub fn reach(
        &self,
        launch: &KernelLaunch,
        most_jumps: u64,
        most_bytes: u64,
        tools: &ToolRunner,
        cancel: &Cancel,
    ) -> Result<Reach, HostError> {
        Ok(self.run(launch, most_jumps, most_bytes, tools, cancel)?.0)
    }

    /// Runs a launch, with buffers as large as they are, and looks for data races. Returns true if nothing is found.
    ///
    /// # Errors
    /// When the program needs what is nowhere.
    pub fn is_clean(
        &self,
        launch: &KernelLaunch,
        most_jumps: u64,
        tools: &ToolRunner,
        cancel: &Cancel,
    ) -> Result<bool, HostError> {
        let mut words = vec![OsString::from(format!("steps:{most_jumps}"))];
        words.extend(watches_races(std::slice::from_ref(launch)).then(|| "races".into()));
        let ran = self.0.run_as(launch, &words, Order::Forward, tools, cancel)?;
        Ok(end(&ran) == ReachEnd::Clean)
    }

    /// The same program, with one more word for the run-time.
    pub(crate) fn with_word(self, word: OsString) -> Self {
        Self(self.0.with_word(word))
    }

    /// Runs a launch as [`reach`](Self::reach) does. Returns what was printed as well.
    pub(crate) fn run(
        &self,
        launch: &KernelLaunch,
        most_jumps: u64,
        most_bytes: u64,
        tools: &ToolRunner,
        cancel: &Cancel,
    ) -> Result<(Reach, ToolRun), HostError> {
        let words = words(most_jumps, most_bytes);
        let ran = self.0.run_as(launch, &words, Order::Forward, tools, cancel)?;
        Ok((Reach::of(launch, &ran), ran))
    }
}

fn words(most_jumps: u64, most_bytes: u64) -> [OsString; 2] {
    [format!("reaches:{most_bytes}"), format!("steps:{most_jumps}")].map(OsString::from)
}

impl Reach {
    fn of(launch: &KernelLaunch, ran: &ToolRun) -> Self {
        let mut bytes = vec![0; launch.arguments.len()];
        for (number, reached) in ran.stdout.lines().filter_map(reached) {
            if let Some(place) = bytes.get_mut(number) {
                *place = reached;
            }
        }
        let sources = ran.stdout.lines().find_map(|line| line.strip_prefix("clreduce-sources: "));
        let sources = sources.unwrap_or_default().split(' ').filter_map(Source::read).collect();
        Self { bytes, end: end(ran), sources }
    }
}

/// Reads a line of the run-time: `clreduce-reached: 0 4096`.
fn reached(line: &str) -> Option<(usize, u64)> {
    let (number, bytes) = line.strip_prefix("clreduce-reached: ")?.split_once(' ')?;
    Some((number.parse().ok()?, bytes.parse().ok()?))
}

fn end(ran: &ToolRun) -> ReachEnd {
    let outside = |line: &str| {
        line.strip_prefix("clreduce: outside ")?.split(' ').next()?.parse::<usize>().ok()
    };
    match ran.end {
        End::Exited(0) if ran.stderr.trim().is_empty() => ReachEnd::Clean,
        End::Exited(0) => ReachEnd::Complaint,
        End::Exited(EXIT_OUTSIDE) => match ran.stderr.lines().find_map(outside) {
            Some(number) => ReachEnd::Outside(number),
            None => ReachEnd::Failed(ran.trouble()),
        },
        _ => ReachEnd::Failed(ran.trouble()),
    }
}
