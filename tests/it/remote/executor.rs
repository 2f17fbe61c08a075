//! A remote execution service in the process of the test: it runs actions in folders of this machine, and can be told
//! to misbehave.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use bazel_remote_apis::build::bazel::remote::execution::v2 as api;
use bazel_remote_apis::google::bytestream::byte_stream_server;
use bazel_remote_apis::google::longrunning;
use clreduce::{ContentHash, Outcome, SourceFile, TestCase, Verdict};
use prost::Message;
use sha2::{Digest as _, Sha256};
use tokio::sync::{oneshot, watch};
use tonic::Status;
use tonic::transport::Identity;

use super::service::Api;

#[path = "lies.rs"]
mod lies;
#[path = "ports.rs"]
pub mod ports;

/// The ways in which the service misbehaves. Numbers count actions that are executed: 3 is every third.
#[derive(Debug, Default)]
pub struct Faults {
    /// Streams that end before the operation has.
    pub lost_streams: AtomicU64,
    /// Operations that are reported as done twice.
    pub answers_twice: AtomicU64,
    /// Actions whose answer waits for two seconds.
    pub delays: AtomicU64,
    /// Actions that find another compiler.
    pub other_tools: AtomicU64,
    /// Actions whose answer file is something else, each time in another way.
    pub lies: AtomicU64,
    /// Actions about variants with the contrary of their verdict, and nothing else that is wrong: one in so many.
    pub false_verdicts: AtomicU64,
    /// The action after which the service is gone, with everything that it knows, and comes back.
    pub restart_after: AtomicU64,
    /// No machine shows the bug under a recipe.
    pub not_shown: AtomicBool,
    /// Operations cannot be cancelled.
    pub no_cancel: AtomicBool,
    /// The service knows priorities.
    pub priorities: AtomicBool,
    /// Where set, no action runs: after so many milliseconds, the service makes up that everything is interesting.
    pub made_up_after: AtomicU64,
}

/// The service.
pub struct Service {
    pub state: Arc<State>,
    address: SocketAddr,
    /// The certificate and its key, if connections are encrypted.
    identity: Option<Identity>,
    /// Ends the thread with everything that is connected.
    thread: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
}

/// Everything that the service knows.
pub struct State {
    pub faults: Faults,
    /// The folders of actions.
    folder: tempfile::TempDir,
    pub blobs: Mutex<BTreeMap<String, Vec<u8>>>,
    pub results: Mutex<BTreeMap<String, api::ActionResult>>,
    pub operations: Mutex<BTreeMap<String, Running>>,
    /// Actions that were executed, those of them whose answers are remembered, and those that were cancelled.
    pub executed: AtomicU64,
    pub remembered: AtomicU64,
    pub cancelled: AtomicU64,
    pub at_once: AtomicU64,
    /// The most actions that there were at the same time.
    pub most_at_once: AtomicU64,
    /// The service is to be replaced by a new one.
    pub restart: AtomicBool,
    /// The last answer, for a liar.
    last_answer: Mutex<Vec<u8>>,
    /// Lies so far.
    lies: AtomicU64,
    /// Answers so far whose verdict was made its contrary.
    inversions: AtomicU64,
    /// The circumstances of the last action.
    pub last_asked: Mutex<Asked>,
    /// Actions by their priority.
    pub by_priority: Mutex<BTreeMap<i32, u64>>,
}

/// The circumstances in which an action was asked for.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    pub instance: String,
    /// The value of the header `x-key`.
    pub key: String,
    pub properties: Vec<(String, String)>,
}

pub struct Running {
    pub response: watch::Receiver<Option<api::ExecuteResponse>>,
    pub child: Arc<Mutex<Option<Child>>>,
}

/// Held while an action is started.
static STARTS: Mutex<()> = Mutex::new(());

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn every(count: &AtomicU64, number: u64) -> bool {
    let every = count.load(Ordering::Relaxed);
    every > 0 && number.is_multiple_of(every)
}

impl Service {
    pub fn start() -> Self {
        Self::start_with(None)
    }

    pub fn start_with(identity: Option<Identity>) -> Self {
        let state = Arc::new(State {
            faults: Faults::default(),
            folder: tempfile::tempdir().unwrap(),
            blobs: Mutex::default(),
            results: Mutex::default(),
            operations: Mutex::default(),
            executed: AtomicU64::new(0),
            remembered: AtomicU64::new(0),
            cancelled: AtomicU64::new(0),
            at_once: AtomicU64::new(0),
            most_at_once: AtomicU64::new(0),
            restart: AtomicBool::new(false),
            last_answer: Mutex::default(),
            lies: AtomicU64::new(0),
            inversions: AtomicU64::new(0),
            last_asked: Mutex::default(),
            by_priority: Mutex::default(),
        });
        // Its port stays the same over restarts.
        let listener = ports::listen();
        let address = listener.local_addr().unwrap();
        let mut service = Self { state, address, identity, thread: None };
        service.begin(listener);
        service
    }

    pub fn url(&self) -> String {
        format!("grpc://{}", self.address)
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    pub fn executed(&self) -> u64 {
        self.state.executed.load(Ordering::Relaxed)
    }

    fn begin(&mut self, listener: std::net::TcpListener) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let state = Arc::clone(&self.state);
        listener.set_nonblocking(true).unwrap();
        let of = || Api(Arc::clone(&state));
        let mut builder = tonic::transport::Server::builder();
        if let Some(identity) = &self.identity {
            let tls = tonic::transport::ServerTlsConfig::new().identity(identity.clone());
            builder = builder.tls_config(tls).unwrap();
        }
        let router = builder
            .add_service(api::capabilities_server::CapabilitiesServer::new(of()))
            .add_service(
                api::content_addressable_storage_server::ContentAddressableStorageServer::new(of()),
            )
            .add_service(api::action_cache_server::ActionCacheServer::new(of()))
            .add_service(api::execution_server::ExecutionServer::new(of()))
            .add_service(longrunning::operations_server::OperationsServer::new(of()))
            .add_service(byte_stream_server::ByteStreamServer::new(of()));
        let (ready, is_ready) = std::sync::mpsc::channel();
        runtime.spawn(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            let incoming = tonic::transport::server::TcpIncoming::from(listener);
            let incoming = incoming.with_nodelay(Some(true));
            ready.send(()).unwrap();
            router.serve_with_incoming(incoming).await.unwrap();
        });
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn(move || {
            let _ = runtime.block_on(stopped);
        });
        is_ready.recv().unwrap();
        self.thread = Some((stop, thread));
    }

    fn end(&mut self) {
        if let Some((stop, thread)) = self.thread.take() {
            drop(stop);
            thread.join().unwrap();
        }
        for running in std::mem::take(&mut *lock(&self.state.operations)).into_values() {
            kill(&running.child);
        }
    }

    /// Waits for a program that uses the service, and restarts the service meanwhile if that is due.
    pub fn until_ended(&mut self, run: &mut Child) -> ExitStatus {
        loop {
            self.restart_if_due();
            if let Some(status) = run.try_wait().unwrap() {
                return status;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Kills the service and starts a new one that knows nothing, if an action has asked for that. Called over and over.
    pub fn restart_if_due(&mut self) {
        if !self.state.restart.swap(false, Ordering::Relaxed) {
            return;
        }
        self.end();
        lock(&self.state.blobs).clear();
        // Another connection of this machine may have the port for a moment.
        let mut attempts = 0;
        let listener = loop {
            match std::net::TcpListener::bind(self.address) {
                Ok(listener) => break listener,
                Err(error) => assert!(attempts < 100, "{}: {error}", self.address),
            }
            attempts += 1;
            std::thread::sleep(std::time::Duration::from_millis(100));
        };
        self.begin(listener);
    }

    /// Processes of actions that are there now.
    pub fn processes(&self) -> usize {
        let root = self.state.folder.path();
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let cwd = |entry: fs::DirEntry| fs::read_link(entry.path().join("cwd")).ok();
        entries.filter_map(cwd).filter(|cwd| cwd.starts_with(root)).count()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.end();
    }
}

/// Starts a program that was just written. A process that another thread starts meanwhile holds the file open for a moment, and the
/// system does not run it then.
fn spawn(process: &mut Command) -> Child {
    loop {
        match process.spawn() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(Duration::from_millis(5));
            }
            started => return started.unwrap(),
        }
    }
}

pub fn kill(child: &Mutex<Option<Child>>) {
    if let Some(child) = lock(child).as_mut() {
        let _ = child.kill();
    }
}

impl State {
    /// The number of lies so far.
    pub fn lies(&self) -> u64 {
        self.lies.load(Ordering::Relaxed)
    }

    /// The number of answers so far whose verdict was made its contrary.
    pub fn inversions(&self) -> u64 {
        self.inversions.load(Ordering::Relaxed)
    }

    pub fn blob(&self, digest: Option<&api::Digest>) -> Result<Vec<u8>, Status> {
        let hash = digest.map(|digest| digest.hash.clone()).unwrap_or_default();
        let blob = lock(&self.blobs).get(&hash).cloned();
        // The API has no blob for nothing: every service knows it.
        let nothing = hash_of(b"");
        blob.or_else(|| (hash == nothing).then(Vec::new))
            .ok_or_else(|| Status::failed_precondition(format!("missing blob {hash}")))
    }

    pub fn message<M: Message + Default>(&self, digest: Option<&api::Digest>) -> Result<M, Status> {
        M::decode(&*self.blob(digest)?).map_err(|error| Status::internal(error.to_string()))
    }

    /// Makes the folder of an action.
    fn fill(&self, folder: &Path, digest: Option<&api::Digest>) -> Result<(), Status> {
        let directory: api::Directory = self.message(digest)?;
        fs::create_dir_all(folder).unwrap();
        let is_ordered = directory.files.is_sorted_by_key(|file| file.name.clone())
            && directory.directories.is_sorted_by_key(|directory| directory.name.clone());
        assert!(is_ordered, "the API demands an order");
        for file in &directory.files {
            let path = folder.join(&file.name);
            if file.is_executable {
                fs::hard_link(self.program(file.digest.as_ref())?, &path).unwrap();
            } else {
                fs::write(&path, self.blob(file.digest.as_ref())?).unwrap();
            }
        }
        for below in &directory.directories {
            self.fill(&folder.join(&below.name), below.digest.as_ref())?;
        }
        Ok(())
    }

    /// A program on the disk, which actions have in common.
    fn program(&self, digest: Option<&api::Digest>) -> Result<PathBuf, Status> {
        let hash = digest.map(|digest| digest.hash.as_str()).unwrap_or_default();
        let path = self.folder.path().join(hash);
        if !lock(&self.blobs).contains_key(hash) {
            return Err(Status::failed_precondition("missing program"));
        }
        if !path.exists() {
            fs::write(&path, self.blob(digest)?).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Ok(path)
    }

    /// A folder with a compiler that is another one.
    fn other_tools(&self) -> PathBuf {
        let folder = self.folder.path().join("other");
        if fs::create_dir(&folder).is_ok() {
            let path = folder.join("gcc");
            fs::write(&path, "#!/bin/sh\nexit 1\n").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        folder
    }

    /// Runs an action.
    pub fn execute(
        self: &Arc<Self>,
        action: &api::Action,
        number: u64,
        child: &Mutex<Option<Child>>,
    ) -> Result<api::ActionResult, Status> {
        let made_up_after = self.faults.made_up_after.load(Ordering::Relaxed);
        if made_up_after > 0 {
            std::thread::sleep(Duration::from_millis(made_up_after));
            return self.make_up(action);
        }
        let command: api::Command = self.message(action.command_digest.as_ref())?;
        let folder = self.folder.path().join(number.to_string());
        // A program that is written while another is started is busy until that one has begun.
        let starts = lock(&STARTS);
        self.fill(&folder, action.input_root_digest.as_ref())?;
        let mut process = Command::new(folder.join(&command.arguments[0]));
        process.args(&command.arguments[1..]).current_dir(&folder).env_clear();
        process.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        for variable in &command.environment_variables {
            let mut value = variable.value.clone();
            if variable.name == "PATH" && every(&self.faults.other_tools, number) {
                value = format!("{}:{value}", self.other_tools().display());
            }
            process.env(&variable.name, value);
        }
        *lock(child) = Some(spawn(&mut process));
        drop(starts);
        let status = loop {
            let ended = lock(child).as_mut().unwrap().try_wait().unwrap();
            match ended {
                Some(status) => break status,
                None => std::thread::sleep(Duration::from_millis(1)),
            }
        };
        if every(&self.faults.delays, number) {
            std::thread::sleep(Duration::from_secs(2));
        }
        let mut result = api::ActionResult {
            exit_code: status.code().unwrap_or(137),
            execution_metadata: Some(api::ExecutedActionMetadata {
                worker: format!("worker-{}", number % 3),
                ..Default::default()
            }),
            ..Default::default()
        };
        if let Ok(bytes) = fs::read(folder.join("answer.json")) {
            self.put_answer(&mut result, number, bytes);
        }
        fs::remove_dir_all(folder).unwrap();
        Ok(result)
    }

    /// An answer without any process.
    fn make_up(&self, action: &api::Action) -> Result<api::ActionResult, Status> {
        let root: api::Directory = self.message(action.input_root_digest.as_ref())?;
        let order = root.files.iter().find(|file| file.name == "order.json").unwrap();
        let order = self.blob(order.digest.as_ref())?;
        let variant = root.directories.iter().find(|below| below.name == "variant").unwrap();
        let variant: api::Directory = self.message(variant.digest.as_ref())?;
        let mut files = Vec::new();
        for file in &variant.files {
            let bytes = self.blob(file.digest.as_ref())?.into();
            files.push(SourceFile { path: file.name.as_str().into(), bytes });
        }
        let variant = TestCase::new(files).unwrap().hash().to_string();
        let order_hash = ContentHash::of(&order).to_string();
        let order: serde_json::Value = serde_json::from_slice(&order).unwrap();
        let says = if order["ask"] == "Tools" {
            serde_json::json!({ "Tools": { "fingerprint": {}, "sandbox": "none", "without": null } })
        } else {
            let outcome = serde_json::to_value(Outcome::from(Verdict::Interesting)).unwrap();
            serde_json::json!({ "Judged": outcome })
        };
        let question = serde_json::json!({ "order": order_hash, "variant": variant });
        let contents =
            serde_json::to_vec(&serde_json::json!({ "question": question, "says": says })).unwrap();
        let file = api::OutputFile {
            path: "answer.json".to_owned(),
            digest: Some(digest_of(&contents)),
            contents,
            ..Default::default()
        };
        Ok(api::ActionResult { output_files: vec![file], ..Default::default() })
    }
}

pub fn hash_of(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn digest_of(bytes: &[u8]) -> api::Digest {
    api::Digest { hash: hash_of(bytes), size_bytes: bytes.len() as i64 }
}
