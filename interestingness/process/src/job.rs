//! Job objects: processes that end together, also when clreduce itself is killed.
//!
//! The `unsafe` code is sound because each call gets a handle that is open for as long as the value that owns it
//! lives (`OwnedHandle`, `Child`), and pointers to values of the very type that the call is documented to read or
//! fill, together with their size. What is filled is plain numbers, for which any bytes are valid.
#![allow(unsafe_code)]

use std::io;
use std::mem::{size_of, zeroed};
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::os::windows::process::CommandExt;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::System::Diagnostics::Debug::{
    SEM_FAILCRITICALERRORS, SEM_NOGPFAULTERRORBOX, SEM_NOOPENFILEERRORBOX, SetErrorMode,
};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_ACTIVE_PROCESS,
    JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION, JOB_OBJECT_LIMIT_JOB_MEMORY,
    JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, JOBOBJECT_BASIC_ACCOUNTING_INFORMATION,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectBasicAccountingInformation,
    JobObjectExtendedLimitInformation, QueryInformationJobObject, SetInformationJobObject,
    TerminateJobObject,
};
use windows_sys::Win32::System::Threading::{CREATE_NO_WINDOW, CREATE_SUSPENDED};

/// The longest time that processes that were ended may take to go.
const PATIENCE: Duration = Duration::from_secs(10);

#[link(name = "ntdll", kind = "raw-dylib")]
unsafe extern "system" {
    /// Lets all threads of a process run. The standard library does not give out the thread that the documented
    /// `ResumeThread` needs; to find it means to go through all threads of the system.
    safe fn NtResumeProcess(process: HANDLE) -> i32;
}

/// A job object. Its processes end when this is dropped.
#[derive(Debug)]
pub(crate) struct JobObject(OwnedHandle);

impl JobObject {
    /// A job that no process can leave. The system itself stops it short of `processes` and of `memory` bytes of
    /// committed memory; where these are a little higher than what is allowed, that too much was used shows.
    pub fn new(processes: Option<u32>, memory: Option<u64>) -> io::Result<Self> {
        // SAFETY: without attributes and without a name; the handle is ours alone.
        let job = unsafe {
            let handle = CreateJobObjectW(std::ptr::null(), std::ptr::null());
            if handle.is_null() {
                return Err(io::Error::last_os_error());
            }
            Self(OwnedHandle::from_raw_handle(handle))
        };
        // SAFETY: all zeros are limits of which none is in force.
        let mut limits: JOBOBJECT_EXTENDED_LIMIT_INFORMATION = unsafe { zeroed() };
        let basic = &mut limits.BasicLimitInformation;
        // A crash is an answer, not a reason to ask the user what to do about it.
        basic.LimitFlags =
            JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
        if let Some(processes) = processes {
            basic.LimitFlags |= JOB_OBJECT_LIMIT_ACTIVE_PROCESS;
            basic.ActiveProcessLimit = processes;
        }
        if let Some(memory) = memory {
            basic.LimitFlags |= JOB_OBJECT_LIMIT_JOB_MEMORY;
            limits.JobMemoryLimit = usize::try_from(memory).unwrap_or(usize::MAX);
        }
        // SAFETY: the class goes with the type, and the size is that of the value.
        let done = unsafe {
            SetInformationJobObject(
                job.handle(),
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast(),
                size_of_val(&limits) as u32,
            )
        };
        checked(done).map(|()| job)
    }

    /// Starts a program in the job: it does not run before it is in it. It has a console of its own, which is not
    /// shown: a Ctrl-C that is meant for clreduce does not reach it.
    pub fn start(&self, command: &mut Command) -> io::Result<Child> {
        let mut child = command.creation_flags(CREATE_SUSPENDED | CREATE_NO_WINDOW).spawn()?;
        let process = child.as_raw_handle();
        // SAFETY: both handles are open.
        let assigned = checked(unsafe { AssignProcessToJobObject(self.handle(), process) });
        let running = assigned.and_then(|()| match NtResumeProcess(process) {
            0.. => Ok(()),
            status => Err(io::Error::other(format!("it cannot be resumed ({status:#x})"))),
        });
        if running.is_err() {
            let _ = child.kill();
        }
        running.map(|()| child)
    }

    /// Ends all processes. Returns false when some are still there much later.
    pub fn end(&self) -> bool {
        // SAFETY: the handle is open. That nothing is left to end is no failure.
        let _ = unsafe { TerminateJobObject(self.handle(), 1) };
        self.is_empty_within(PATIENCE)
    }

    /// Waits until all processes have gone. Returns false when they have not.
    pub fn is_empty_within(&self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        while self.processes() > 0 {
            if Instant::now() >= deadline {
                return false;
            }
            sleep(Duration::from_millis(1));
        }
        true
    }

    /// The number of processes in it now.
    pub fn processes(&self) -> u32 {
        // SAFETY: all zeros are counts.
        let mut counts: JOBOBJECT_BASIC_ACCOUNTING_INFORMATION = unsafe { zeroed() };
        self.query(JobObjectBasicAccountingInformation, &mut counts);
        counts.ActiveProcesses
    }

    /// The most memory that its processes together ever had committed, in bytes.
    pub fn peak_memory(&self) -> u64 {
        // SAFETY: all zeros are counts.
        let mut limits: JOBOBJECT_EXTENDED_LIMIT_INFORMATION = unsafe { zeroed() };
        self.query(JobObjectExtendedLimitInformation, &mut limits);
        limits.PeakJobMemoryUsed as u64
    }

    /// Fills `into`, which is of the type that belongs to `class`; where the system refuses, nothing changes.
    fn query<T: Copy>(&self, class: i32, into: &mut T) {
        // SAFETY: the two callers pass what belongs together; the size is that of the value.
        let _ = unsafe {
            QueryInformationJobObject(
                self.handle(),
                class,
                std::ptr::from_mut(into).cast(),
                size_of::<T>() as u32,
                std::ptr::null_mut(),
            )
        };
    }

    fn handle(&self) -> HANDLE {
        self.0.as_raw_handle()
    }
}

/// Has no program that is started from now on wait for an answer in a box on the screen when a library is missing.
pub(crate) fn no_error_boxes() {
    // SAFETY: takes and gives numbers.
    unsafe {
        SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX)
    };
}

fn checked(result: i32) -> io::Result<()> {
    if result == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
