//! The cost of many tests in flight on a remote execution service, for clreduce alone.
//!
//! `cargo run --release --example remote_slots -- 1000 10000` asks 10,000 questions, 1,000 at a time, and prints the memory of
//! the process, its processor time for each question, and the time of an answer that the service remembers. The service is another process, which answers each question after
//! half a second without running anything.

#[cfg(target_os = "linux")]
#[allow(dead_code)]
#[path = "../tests/it/remote/executor.rs"]
mod executor;
#[cfg(target_os = "linux")]
#[allow(dead_code)]
#[path = "../tests/it/remote/service.rs"]
mod service;

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [serve] if serve == "serve" => measured::serve(),
        [slots, questions] => measured::ask(slots.parse()?, questions.parse()?),
        _ => Err("usage: remote_slots SLOTS QUESTIONS".into()),
    }
}

#[cfg(target_os = "linux")]
mod measured {
    use std::error::Error;
    use std::fs;
    use std::io::{BufRead, BufReader, Read};
    use std::num::NonZeroUsize;
    use std::process::{Command, Stdio};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Instant;

    use clreduce::{Cancel, Interestingness, Limits, Pool, TestCase, TestCommand};
    use clreduce_remote::{
        ActionFiles, Remote, RemoteOptions, RemoteSettings, RemoteTest, Sandbox,
    };

    use super::executor::Service;

    /// Milliseconds after which the service answers.
    const ANSWER_MS: u64 = 500;
    /// Bytes of a variant.
    const VARIANT_BYTES: usize = 10_000;
    /// Ticks of processor time in a second, as Linux has them.
    const TICKS: f64 = 100.0;

    /// Answers until standard input ends.
    pub fn serve() -> Result<(), Box<dyn Error>> {
        let service = Service::start();
        service.state.faults.made_up_after.store(ANSWER_MS, Ordering::Relaxed);
        println!("{}", service.url());
        std::io::stdin().read_to_end(&mut Vec::new())?;
        Ok(())
    }

    pub fn ask(slots: NonZeroUsize, questions: usize) -> Result<(), Box<dyn Error>> {
        let mut server = Command::new(std::env::current_exe()?)
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut url = String::new();
        BufReader::new(server.stdout.take().ok_or("no output")?).read_line(&mut url)?;
        let options = RemoteOptions { remote: Some(url.trim().parse()?), ..Default::default() };
        let remote = Remote::connect(&options, slots)?.ok_or("no service")?;
        let command = TestCommand::Shell("true".to_owned());
        let settings = RemoteSettings {
            program: "/bin/true".into(),
            limits: Limits::default(),
            is_exact: true,
            is_flaky: false,
            pattern: None,
            sandbox: Sandbox::default(),
        };
        let files = ActionFiles::of_command(&command, &[])?;
        let test = RemoteTest::new(remote, files, settings, &Cancel::new())?.ok_or("cancelled")?;
        let (test, pool) = (Arc::new(test), Pool::new(slots)?);
        let failed = Arc::new(AtomicUsize::new(0));
        let (ticks, memory) = (ticks()?, memory("VmRSS:")?);
        let variant = |number: usize| format!("{number:0VARIANT_BYTES$}").into_bytes();
        for number in 0..questions {
            let (test, failed) = (Arc::clone(&test), Arc::clone(&failed));
            pool.run(move || {
                let judged = TestCase::single("a.c", variant(number))
                    .map(|variant| test.judge(&variant, &Cancel::new()));
                if !matches!(judged, Ok(Ok(_))) {
                    failed.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        drop(pool);
        let milliseconds = (self::ticks()? - ticks) / TICKS * 1000.0;
        println!(
            "{questions} questions, {slots} at a time: {} failed; {:.2} ms of processor time each; at most {} MB, {memory} MB before",
            failed.load(Ordering::Relaxed),
            milliseconds / questions as f64,
            self::memory("VmHWM:")?,
        );
        let mut remembered = Vec::new();
        for number in 0..questions.min(200) {
            let variant = TestCase::single("a.c", variant(number))?;
            let began = Instant::now();
            test.judge(&variant, &Cancel::new())?;
            remembered.push(began.elapsed().as_secs_f64() * 1000.0);
        }
        remembered.sort_by(f64::total_cmp);
        let median = remembered.get(remembered.len() / 2).copied().unwrap_or_default();
        println!("an answer that the service remembers takes {median:.2} ms in the median");
        drop(server.stdin.take());
        server.wait()?;
        Ok(())
    }

    /// Processor time of this process.
    fn ticks() -> Result<f64, Box<dyn Error>> {
        let text = fs::read_to_string("/proc/self/stat")?;
        let fields = text.rsplit(") ").next().ok_or("no fields")?.split(' ');
        Ok(fields.skip(11).take(2).map(|field| field.parse::<f64>().unwrap_or(0.0)).sum())
    }

    /// Memory of this process in MB.
    fn memory(name: &str) -> Result<u64, Box<dyn Error>> {
        let text = fs::read_to_string("/proc/self/status")?;
        let line = text.lines().find(|line| line.starts_with(name)).ok_or("no such line")?;
        Ok(line.split_whitespace().nth(1).ok_or("no number")?.parse::<u64>()? / 1024)
    }
}
