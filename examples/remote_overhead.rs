//! The cost of a test on a remote execution service, beside that of the service itself.
//!
//! `cargo run --example remote_overhead -- grpc://127.0.0.1:50111 target/release/clreduce 200 $(pidof buildbox-casd)` asks 200 questions in three ways, in turn:
//! by an action that runs the test alone; by one that runs the test alone, and has the program among its files, so that the service has to put it
//! there; and by clreduce, whose action runs the program. Each question is about a new variant. It prints the times and their
//! ratios to the first, in the median and on the mean of the middle half.

use std::error::Error;
use std::io::Write;
use std::num::NonZeroUsize;
use std::os::unix::fs::OpenOptionsExt;
use std::time::Instant;

use bazel_remote_apis::build::bazel::remote::execution::v2 as api;
use bazel_remote_apis::google::longrunning::operation;
use clreduce::{Cancel, Interestingness, Limits, TestCase, TestCommand, Verdict};
use clreduce_remote::{ActionFiles, Remote, RemoteOptions, RemoteSettings, RemoteTest, Sandbox};
use prost::Message;
use sha2::{Digest as _, Sha256};
use tokio::runtime::Runtime;
use tonic::transport::Channel;

/// A test that takes hardly any time. Both kinds of actions run it in a folder with the variant.
const TEST: &str = "#!/bin/sh\ngrep -q needle a.c\n";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, program, count, service] = &arguments[..] else {
        return Err("usage: remote_overhead URL PROGRAM COUNT PID".into());
    };
    let count = count.parse::<NonZeroUsize>()?.get();
    let ours = ours(url, program)?;
    let mut bare = Bare::new(url)?;
    // clreduce has uploaded it.
    let program = digest_of(&std::fs::read(program)?);
    let mut walls: [Vec<f64>; 3] = Default::default();
    let mut cpu = [0; 3];
    for number in 0..count + 5 {
        // Never the variant of an earlier run, whose verdict the service may remember.
        let text =
            format!("int needle; /* {number} {} {:?} */\n", std::process::id(), Instant::now());
        let variant = TestCase::single("a.c", text.as_bytes())?;
        let (began, mut before) = (Instant::now(), ticks(service)?);
        let mut spent = |kind: usize| -> Result<(), Box<dyn Error>> {
            let now = ticks(service)?;
            let ticks = now - std::mem::replace(&mut before, now);
            // The first ones upload the test and the program.
            cpu[kind] += if number < 5 { 0 } else { ticks };
            Ok(())
        };
        let alone = bare.execute(text.as_bytes(), None)?;
        let one = Instant::now();
        spent(0)?;
        let with_program = bare.execute(text.as_bytes(), Some(program.clone()))?;
        let two = Instant::now();
        spent(1)?;
        let outcome = ours.judge(&variant, &Cancel::new())?;
        let ended = Instant::now();
        spent(2)?;
        let status = alone.max(with_program);
        if status != 0 || outcome.verdict != Verdict::Interesting {
            return Err(format!("exit status {status}, {:?}", outcome.verdict).into());
        }
        if number >= 5 {
            for (walls, wall) in walls.iter_mut().zip([one - began, two - one, ended - two]) {
                walls.push(wall.as_secs_f64() * 1000.0);
            }
        }
    }
    let [alone, with_program, ours] = walls.map(|mut walls| {
        walls.sort_by(f64::total_cmp);
        let middle = &walls[count / 4..count - count / 4];
        [walls[count / 2], middle.iter().sum::<f64>() / middle.len() as f64, walls[count / 10]]
    });
    for (at, name) in ["median", "mean of the middle half", "fastest tenth"].iter().enumerate() {
        let (alone, with_program, ours) = (alone[at], with_program[at], ours[at]);
        println!(
            "{name}: the test alone {alone:.1} ms; beside the program {with_program:.1} ms, ratio {:.2}; clreduce {ours:.1} ms, ratio {:.2}",
            with_program / alone,
            ours / alone
        );
    }
    let each = cpu.map(|ticks| ticks as f64 * 10.0 / count as f64);
    println!(
        "processor time of the service and its actions for each: {:.1}, {:.1} and {:.1} ms",
        each[0], each[1], each[2]
    );
    Ok(())
}

/// Processor time of a process and its children that have ended, in hundredths of a second.
fn ticks(process: &str) -> Result<u64, Box<dyn Error>> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    let fields = text.rsplit_once(')').ok_or("no statistics")?.1.split_whitespace();
    fields.skip(11).take(4).map(|field| Ok(field.parse::<u64>()?)).sum()
}

/// The test as clreduce runs it.
fn ours(url: &str, program: &str) -> Result<RemoteTest, Box<dyn Error>> {
    let options = RemoteOptions { remote: Some(url.parse()?), ..Default::default() };
    let remote = Remote::connect(&options, NonZeroUsize::MIN)?.ok_or("no service")?;
    let folder = tempfile::tempdir()?;
    let script = folder.path().join("test.sh");
    let mut file =
        std::fs::OpenOptions::new().write(true).create_new(true).mode(0o755).open(&script)?;
    file.write_all(TEST.as_bytes())?;
    drop(file);
    let files = ActionFiles::of_command(&TestCommand::program(&script)?, &[])?;
    let settings = RemoteSettings {
        program: program.into(),
        limits: Limits::default(),
        is_exact: true,
        is_flaky: false,
        pattern: None,
        sandbox: Sandbox::default(),
    };
    Ok(RemoteTest::new(remote, files, settings, &Cancel::new())?.ok_or("cancelled")?)
}

/// A client that does nothing but what the API asks for: an upload and an execution.
struct Bare {
    runtime: Runtime,
    channel: Channel,
}

impl Bare {
    fn new(url: &str) -> Result<Self, Box<dyn Error>> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let endpoint = Channel::from_shared(url.replace("grpc://", "http://"))?.tcp_nodelay(true);
        let channel = runtime.block_on(endpoint.connect())?;
        Ok(Self { runtime, channel })
    }

    /// The exit status of the test on a variant.
    fn execute(
        &mut self,
        variant: &[u8],
        program: Option<api::Digest>,
    ) -> Result<i32, Box<dyn Error>> {
        let mut blobs = Vec::new();
        let file = |name: &str, digest, is_executable| api::FileNode {
            name: name.to_owned(),
            digest: Some(digest),
            is_executable,
            ..Default::default()
        };
        let mut files = vec![file("a.c", blob(&mut blobs, variant.to_vec()), false)];
        files.extend(program.map(|digest| file("clreduce", digest, true)));
        files.push(file("test.sh", blob(&mut blobs, TEST.into()), true));
        let root = blob(&mut blobs, api::Directory { files, ..Default::default() }.encode_to_vec());
        let variable = api::command::EnvironmentVariable {
            name: "PATH".into(),
            value: "/usr/bin:/bin".into(),
        };
        let command = api::Command {
            arguments: vec!["./test.sh".to_owned()],
            environment_variables: vec![variable],
            ..Default::default()
        };
        let command = blob(&mut blobs, command.encode_to_vec());
        let action = api::Action {
            command_digest: Some(command),
            input_root_digest: Some(root),
            ..Default::default()
        };
        let action = blob(&mut blobs, action.encode_to_vec());
        let (storage, execution) = (self.channel.clone(), self.channel.clone());
        self.runtime.block_on(async move {
            type Storage =
                api::content_addressable_storage_client::ContentAddressableStorageClient<Channel>;
            let requests = blobs
                .into_iter()
                .map(|(digest, data)| api::batch_update_blobs_request::Request {
                    digest: Some(digest),
                    data,
                    ..Default::default()
                })
                .collect();
            let request = api::BatchUpdateBlobsRequest { requests, ..Default::default() };
            Storage::new(storage).batch_update_blobs(request).await?;
            let request = api::ExecuteRequest { action_digest: Some(action), ..Default::default() };
            let mut stream = api::execution_client::ExecutionClient::new(execution)
                .execute(request)
                .await?
                .into_inner();
            while let Some(operation) = stream.message().await? {
                if let (true, Some(operation::Result::Response(any))) =
                    (operation.done, operation.result)
                {
                    let response = api::ExecuteResponse::decode(any.value.as_slice())?;
                    return Ok(response.result.ok_or("no result")?.exit_code);
                }
            }
            Err("the stream ended early".into())
        })
    }
}

/// Adds a blob, and returns its digest.
fn blob(blobs: &mut Vec<(api::Digest, Vec<u8>)>, bytes: Vec<u8>) -> api::Digest {
    let digest = digest_of(&bytes);
    blobs.push((digest.clone(), bytes));
    digest
}

fn digest_of(bytes: &[u8]) -> api::Digest {
    let hash = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    api::Digest { hash, size_bytes: bytes.len() as i64 }
}
