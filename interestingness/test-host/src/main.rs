//! What the tests of this crate need another process for: a supervisor to run tests in, a host that
//! can be killed while it runs a test, and a program without restraint.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clreduce_devices::{DeviceWorker, Devices, OpenClLoader, WorkerOptions};
use clreduce_interestingness::{
    Cancel, CommandOptions, CommandTest, Interestingness, TestCommand, worker_main,
};
use clreduce_kernel::{KernelRun, RunLimits, plan};
use clreduce_testcase::TestCase;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<ExitCode, Failure> {
    let services = [clreduce_compiler::SERVICES, clreduce_devices::SERVICES].concat();
    if let Some(code) = worker_main(&services) {
        return Ok(code);
    }
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["judge", temporary, jobs, command] => judge(temporary.into(), jobs.parse()?, command)?,
        ["run-kernel", temporary, source] => run_kernel(temporary.into(), source)?,
        ["hog", bytes] => hog(bytes.parse()?),
        ["hold", file, started] => hold(file, started)?,
        ["echo", ..] => args[1..].iter().for_each(|arg| println!("[{arg}]")),
        ["flood"] => loop {
            writeln!(std::io::stdout(), "flood")?;
        },
        // As a segmentation fault is told on Windows; no other system has such a status.
        ["crash"] => std::process::exit(0xC000_0005_u32 as i32),
        ["spawn-cost", worker] => spawn_cost(worker)?,
        _ => {
            return Err("judge DIRECTORY JOBS COMMAND | run-kernel DIRECTORY WORD | hog BYTES | \
                        hold FILE STARTED | echo WORD... | flood | crash | spawn-cost WORKER"
                .into());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs the same test in several threads, with supervisors.
fn judge(temporary: PathBuf, jobs: usize, command: &str) -> Result<(), Failure> {
    let worker = Some(std::env::current_exe()?);
    let options = CommandOptions { temporary, worker, ..CommandOptions::default() };
    let test = CommandTest::new(&TestCommand::parse(command)?, options)?;
    let variant = TestCase::single("a.c", b"int x;\n".as_slice())?;
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                println!(
                    "{:?}",
                    test.judge(&variant, &Cancel::new()).map(|outcome| outcome.verdict)
                );
            });
        }
    });
    Ok(())
}

/// Runs a kernel that begins with a word for the driver, for as long as it takes.
fn run_kernel(temporary: PathBuf, word: &str) -> Result<(), Failure> {
    let mut options = WorkerOptions::new(std::env::current_exe()?);
    options.temporary = temporary;
    let device =
        Devices::of(&OpenClLoader, &options).devices.into_iter().next().ok_or("no device")?;
    let source = format!("{word}\n__kernel void k(__global uint *out) {{}}").into_bytes();
    let launches = plan(&source, None)?.launches;
    let run = KernelRun { source, options: String::new(), launches, repeat: 1 };
    let limit = Duration::from_secs(1000);
    let limits = RunLimits { build: limit, run: limit };
    let report = DeviceWorker::new(options, device).run(&run, limits, &Cancel::new());
    println!("{:?}", report.outcome);
    Ok(())
}

/// Takes memory, uses it, and keeps it.
fn hog(bytes: usize) {
    let memory = vec![1_u8; bytes];
    // Whoever reads the line knows that it is all there.
    let _ =
        writeln!(std::io::stdout(), "{}", memory.iter().map(|&b| usize::from(b)).sum::<usize>());
    std::thread::sleep(Duration::from_secs(1000));
}

/// Has a file open, which on Windows others notice, and makes another one to say so.
fn hold(file: &str, started: &str) -> Result<(), Failure> {
    let mut options = std::fs::File::options();
    options.create(true).truncate(true).write(true);
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::share_mode(&mut options, 0);
    let _file = options.open(file)?;
    std::fs::write(started, "")?;
    std::thread::sleep(Duration::from_secs(1000));
    Ok(())
}

/// Prints what a test costs that does nothing, with one file of 100 KB; for people, not for tests.
fn spawn_cost(worker: &str) -> Result<(), Failure> {
    let worker = (worker != "-").then(|| worker.into());
    let options = CommandOptions { worker, ..CommandOptions::default() };
    let test = CommandTest::new(&TestCommand::program("/bin/true".as_ref())?, options)?;
    let variant = TestCase::single("a.c", vec![b'x'; 100_000])?;
    let rounds = 500;
    let started = std::time::Instant::now();
    for _ in 0..rounds {
        let _ = test.judge(&variant, &Cancel::new());
    }
    println!("{:?} per test", started.elapsed() / rounds);
    let started = std::time::Instant::now();
    for _ in 0..rounds {
        std::process::Command::new("/bin/true").status()?;
    }
    println!("{:?} for the program alone", started.elapsed() / rounds);
    Ok(())
}
