//! A remote execution service in the process of the test: it runs actions in folders of this machine, and can be told
//! to misbehave.

use std::collections::HashMap;
use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use bazel_remote_apis::build::bazel::remote::execution::v2 as api;
use bazel_remote_apis::google::bytestream::{self, byte_stream_server};
use bazel_remote_apis::google::longrunning::{self as longrunning, Operation, operation};
use bazel_remote_apis::google::protobuf::Empty;
use bazel_remote_apis::google::rpc;
use prost::Message;
use sha2::{Digest as _, Sha256};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_stream::{Stream, StreamExt};
use tonic::{Request, Response, Status, Streaming};

type Replies<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

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
    /// The action after which the service is gone, with everything that it knows, and comes back.
    pub restart_after: AtomicU64,
    /// Operations cannot be cancelled.
    pub no_cancel: AtomicBool,
}

/// The service.
pub struct Service {
    pub state: Arc<State>,
    address: SocketAddr,
    /// Ends the thread with everything that is connected.
    thread: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
}

/// Everything that the service knows.
pub struct State {
    pub faults: Faults,
    /// The folders of actions.
    folder: tempfile::TempDir,
    blobs: Mutex<HashMap<String, Vec<u8>>>,
    results: Mutex<HashMap<String, api::ActionResult>>,
    operations: Mutex<HashMap<String, Running>>,
    /// Actions that were executed, those of them whose answers are remembered, and those that were cancelled.
    pub executed: AtomicU64,
    pub remembered: AtomicU64,
    pub cancelled: AtomicU64,
    at_once: AtomicU64,
    /// The most actions that there were at the same time.
    pub most_at_once: AtomicU64,
    /// The service is to be replaced by a new one.
    restart: AtomicBool,
    /// The last answer, for a liar.
    last_answer: Mutex<Vec<u8>>,
}

struct Running {
    response: watch::Receiver<Option<api::ExecuteResponse>>,
    child: Arc<Mutex<Option<Child>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn every(count: &AtomicU64, number: u64) -> bool {
    let every = count.load(Ordering::Relaxed);
    every > 0 && number.is_multiple_of(every)
}

impl Service {
    pub fn start() -> Self {
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
        });
        // A port of its own, which stays the same over restarts.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        let mut service = Self { state, address, thread: None };
        service.begin();
        service
    }

    pub fn url(&self) -> String {
        format!("grpc://{}", self.address)
    }

    pub fn executed(&self) -> u64 {
        self.state.executed.load(Ordering::Relaxed)
    }

    fn begin(&mut self) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (state, address) = (Arc::clone(&self.state), self.address);
        let of = || Api(Arc::clone(&state));
        let router = tonic::transport::Server::builder()
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
            let listener = tokio::net::TcpListener::bind(address).await.unwrap();
            let incoming = tonic::transport::server::TcpIncoming::from(listener);
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
        for (_, running) in lock(&self.state.operations).drain() {
            kill(&running.child);
        }
    }

    /// Kills the service and starts a new one that knows nothing, if an action has asked for that. Called over and over.
    pub fn restart_if_due(&mut self) {
        if !self.state.restart.swap(false, Ordering::Relaxed) {
            return;
        }
        self.end();
        lock(&self.state.blobs).clear();
        self.begin();
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

fn kill(child: &Mutex<Option<Child>>) {
    if let Some(child) = lock(child).as_mut() {
        let _ = child.kill();
    }
}

impl State {
    fn blob(&self, digest: Option<&api::Digest>) -> Result<Vec<u8>, Status> {
        let hash = digest.map(|digest| digest.hash.clone()).unwrap_or_default();
        let blob = lock(&self.blobs).get(&hash).cloned();
        // The API has no blob for nothing: every service knows it.
        let nothing = hash_of(b"");
        blob.or_else(|| (hash == nothing).then(Vec::new))
            .ok_or_else(|| Status::failed_precondition(format!("missing blob {hash}")))
    }

    fn message<M: Message + Default>(&self, digest: Option<&api::Digest>) -> Result<M, Status> {
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
            fs::write(&path, self.blob(file.digest.as_ref())?).unwrap();
            let mode = if file.is_executable { 0o755 } else { 0o644 };
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }
        for below in &directory.directories {
            self.fill(&folder.join(&below.name), below.digest.as_ref())?;
        }
        Ok(())
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
    fn execute(
        self: &Arc<Self>,
        action: &api::Action,
        number: u64,
        child: &Mutex<Option<Child>>,
    ) -> Result<api::ActionResult, Status> {
        let command: api::Command = self.message(action.command_digest.as_ref())?;
        let folder = self.folder.path().join(number.to_string());
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
        *lock(child) = Some(process.spawn().unwrap());
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
            let bytes =
                if every(&self.faults.lies, number) { self.lie(number, bytes) } else { bytes };
            result.output_files.push(api::OutputFile {
                path: "answer.json".to_owned(),
                digest: Some(digest_of(&bytes)),
                contents: if number.is_multiple_of(2) { bytes.clone() } else { Vec::new() },
                ..Default::default()
            });
            lock(&self.blobs).insert(hash_of(&bytes), bytes);
        }
        fs::remove_dir_all(folder).unwrap();
        Ok(result)
    }

    /// Something else than the answer.
    fn lie(&self, number: u64, answer: Vec<u8>) -> Vec<u8> {
        let earlier = std::mem::replace(&mut *lock(&self.last_answer), answer);
        match number % 4 {
            0 => Vec::new(),
            1 => b"{\"verdict\":\"Interesting\"}".to_vec(),
            2 => vec![b'['; 1 << 20],
            // The right form, about another variant.
            _ => earlier,
        }
    }
}

fn hash_of(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn digest_of(bytes: &[u8]) -> api::Digest {
    api::Digest { hash: hash_of(bytes), size_bytes: bytes.len() as i64 }
}

struct Api(Arc<State>);

#[tonic::async_trait]
impl api::capabilities_server::Capabilities for Api {
    async fn get_capabilities(
        &self,
        _: Request<api::GetCapabilitiesRequest>,
    ) -> Result<Response<api::ServerCapabilities>, Status> {
        Ok(Response::new(api::ServerCapabilities {
            execution_capabilities: Some(api::ExecutionCapabilities {
                exec_enabled: true,
                ..Default::default()
            }),
            ..Default::default()
        }))
    }
}

#[tonic::async_trait]
impl api::content_addressable_storage_server::ContentAddressableStorage for Api {
    type GetTreeStream = Replies<api::GetTreeResponse>;

    async fn find_missing_blobs(
        &self,
        request: Request<api::FindMissingBlobsRequest>,
    ) -> Result<Response<api::FindMissingBlobsResponse>, Status> {
        let blobs = lock(&self.0.blobs);
        let mut missing_blob_digests = request.into_inner().blob_digests;
        missing_blob_digests.retain(|digest| !blobs.contains_key(&digest.hash));
        Ok(Response::new(api::FindMissingBlobsResponse { missing_blob_digests }))
    }

    async fn batch_update_blobs(
        &self,
        request: Request<api::BatchUpdateBlobsRequest>,
    ) -> Result<Response<api::BatchUpdateBlobsResponse>, Status> {
        let mut responses = Vec::new();
        for blob in request.into_inner().requests {
            assert_eq!(blob.digest.as_ref(), Some(&digest_of(&blob.data)));
            lock(&self.0.blobs).insert(hash_of(&blob.data), blob.data);
            let status = Some(rpc::Status::default());
            responses
                .push(api::batch_update_blobs_response::Response { digest: blob.digest, status });
        }
        Ok(Response::new(api::BatchUpdateBlobsResponse { responses }))
    }

    async fn batch_read_blobs(
        &self,
        request: Request<api::BatchReadBlobsRequest>,
    ) -> Result<Response<api::BatchReadBlobsResponse>, Status> {
        let read = |digest: api::Digest| {
            let data = self.0.blob(Some(&digest)).unwrap_or_default();
            api::batch_read_blobs_response::Response {
                digest: Some(digest),
                data,
                ..Default::default()
            }
        };
        let responses = request.into_inner().digests.into_iter().map(read).collect();
        Ok(Response::new(api::BatchReadBlobsResponse { responses }))
    }

    async fn get_tree(
        &self,
        _: Request<api::GetTreeRequest>,
    ) -> Result<Response<Self::GetTreeStream>, Status> {
        Err(Status::unimplemented(""))
    }

    type GetChunkMappingStream = Replies<api::GetChunkMappingResponse>;

    async fn get_chunk_mapping(
        &self,
        _: Request<api::GetChunkMappingRequest>,
    ) -> Result<Response<Self::GetChunkMappingStream>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn register_chunk_mapping(
        &self,
        _: Request<Streaming<api::RegisterChunkMappingRequest>>,
    ) -> Result<Response<api::RegisterChunkMappingResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn split_blob(
        &self,
        _: Request<api::SplitBlobRequest>,
    ) -> Result<Response<api::SplitBlobResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn splice_blob(
        &self,
        _: Request<api::SpliceBlobRequest>,
    ) -> Result<Response<api::SpliceBlobResponse>, Status> {
        Err(Status::unimplemented(""))
    }
}

#[tonic::async_trait]
impl byte_stream_server::ByteStream for Api {
    type ReadStream = Replies<bytestream::ReadResponse>;

    async fn read(
        &self,
        _: Request<bytestream::ReadRequest>,
    ) -> Result<Response<Self::ReadStream>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn write(
        &self,
        request: Request<Streaming<bytestream::WriteRequest>>,
    ) -> Result<Response<bytestream::WriteResponse>, Status> {
        let mut stream = request.into_inner();
        let (mut bytes, mut name) = (Vec::new(), String::new());
        while let Some(piece) = stream.next().await {
            let piece = piece?;
            assert_eq!(piece.write_offset, bytes.len() as i64);
            if name.is_empty() {
                name = piece.resource_name;
            }
            bytes.extend(piece.data);
        }
        let digest = digest_of(&bytes);
        assert!(name.ends_with(&format!("/blobs/{}/{}", digest.hash, digest.size_bytes)), "{name}");
        lock(&self.0.blobs).insert(digest.hash, bytes);
        Ok(Response::new(bytestream::WriteResponse { committed_size: digest.size_bytes }))
    }

    async fn query_write_status(
        &self,
        _: Request<bytestream::QueryWriteStatusRequest>,
    ) -> Result<Response<bytestream::QueryWriteStatusResponse>, Status> {
        Err(Status::unimplemented(""))
    }
}

#[tonic::async_trait]
impl api::action_cache_server::ActionCache for Api {
    async fn get_action_result(
        &self,
        request: Request<api::GetActionResultRequest>,
    ) -> Result<Response<api::ActionResult>, Status> {
        let hash = request.into_inner().action_digest.unwrap_or_default().hash;
        let result = lock(&self.0.results).get(&hash).cloned();
        result.map(Response::new).ok_or_else(|| Status::not_found("no such result"))
    }

    async fn update_action_result(
        &self,
        _: Request<api::UpdateActionResultRequest>,
    ) -> Result<Response<api::ActionResult>, Status> {
        Err(Status::unimplemented(""))
    }
}

#[tonic::async_trait]
impl api::execution_server::Execution for Api {
    type ExecuteStream = Replies<Operation>;
    type WaitExecutionStream = Replies<Operation>;

    async fn execute(
        &self,
        request: Request<api::ExecuteRequest>,
    ) -> Result<Response<Self::ExecuteStream>, Status> {
        let request = request.into_inner();
        let digest = request.action_digest.unwrap_or_default();
        let action: api::Action = self.0.message(Some(&digest))?;
        let remembered = lock(&self.0.results).get(&digest.hash).cloned();
        if let Some(result) = remembered.filter(|_| !request.skip_cache_lookup) {
            let response = api::ExecuteResponse {
                result: Some(result),
                cached_result: true,
                ..Default::default()
            };
            let done = operation("cached", Some(response));
            return Ok(Response::new(Box::pin(tokio_stream::iter([Ok(done)]))));
        }
        let number = self.0.executed.fetch_add(1, Ordering::Relaxed) + 1;
        let name = format!("operation-{number}");
        let (sender, receiver) = watch::channel(None);
        let child = Arc::new(Mutex::new(None));
        let running = Running { response: receiver.clone(), child: Arc::clone(&child) };
        lock(&self.0.operations).insert(name.clone(), running);
        let state = Arc::clone(&self.0);
        std::thread::spawn(move || {
            let at_once = state.at_once.fetch_add(1, Ordering::Relaxed) + 1;
            state.most_at_once.fetch_max(at_once, Ordering::Relaxed);
            let response = match state.execute(&action, number, &child) {
                Ok(result) => {
                    if !action.do_not_cache {
                        state.remembered.fetch_add(1, Ordering::Relaxed);
                        lock(&state.results).insert(digest.hash, result.clone());
                    }
                    api::ExecuteResponse { result: Some(result), ..Default::default() }
                }
                Err(status) => api::ExecuteResponse {
                    status: Some(rpc::Status {
                        code: status.code() as i32,
                        message: status.message().to_owned(),
                        ..Default::default()
                    }),
                    ..Default::default()
                },
            };
            state.at_once.fetch_sub(1, Ordering::Relaxed);
            let _ = sender.send(Some(response));
        });
        if state_restarts(&self.0, number) {
            self.0.restart.store(true, Ordering::Relaxed);
        }
        Ok(Response::new(self.follow(name, receiver, number)))
    }

    async fn wait_execution(
        &self,
        request: Request<api::WaitExecutionRequest>,
    ) -> Result<Response<Self::WaitExecutionStream>, Status> {
        let name = request.into_inner().name;
        let receiver = lock(&self.0.operations).get(&name).map(|running| running.response.clone());
        let receiver = receiver.ok_or_else(|| Status::not_found("no such operation"))?;
        // Half of the streams are lost again.
        let number = self.0.executed.load(Ordering::Relaxed);
        Ok(Response::new(self.follow(name, receiver, number)))
    }
}

fn state_restarts(state: &State, number: u64) -> bool {
    state.faults.restart_after.load(Ordering::Relaxed) == number
}

impl Api {
    fn follow(
        &self,
        name: String,
        mut receiver: watch::Receiver<Option<api::ExecuteResponse>>,
        number: u64,
    ) -> Replies<Operation> {
        let (sender, stream) = mpsc::channel(4);
        let is_lost = every(&self.0.faults.lost_streams, number);
        let is_twice = every(&self.0.faults.answers_twice, number);
        tokio::spawn(async move {
            let _ = sender.send(Ok(operation(&name, None))).await;
            if is_lost {
                if number.is_multiple_of(2) {
                    let _ = sender.send(Err(Status::unavailable("the stream is lost"))).await;
                }
                return;
            }
            let Ok(response) = receiver.wait_for(Option::is_some).await.map(|r| r.clone()) else {
                return;
            };
            let done = operation(&name, response);
            let _ = sender.send(Ok(done.clone())).await;
            if is_twice {
                let _ = sender.send(Ok(done)).await;
            }
        });
        Box::pin(tokio_stream::wrappers::ReceiverStream::new(stream))
    }
}

fn operation(name: &str, response: Option<api::ExecuteResponse>) -> Operation {
    let done = response.is_some();
    let result = response.map(|response| {
        operation::Result::Response(bazel_remote_apis::google::protobuf::Any {
            type_url: "type.googleapis.com/build.bazel.remote.execution.v2.ExecuteResponse".into(),
            value: response.encode_to_vec(),
        })
    });
    Operation { name: name.to_owned(), done, result, ..Default::default() }
}

#[tonic::async_trait]
impl longrunning::operations_server::Operations for Api {
    async fn cancel_operation(
        &self,
        request: Request<longrunning::CancelOperationRequest>,
    ) -> Result<Response<Empty>, Status> {
        if self.0.faults.no_cancel.load(Ordering::Relaxed) {
            return Err(Status::unimplemented("no cancellation"));
        }
        let name = request.into_inner().name;
        let child = lock(&self.0.operations).get(&name).map(|running| Arc::clone(&running.child));
        let child = child.ok_or_else(|| Status::not_found("no such operation"))?;
        self.0.cancelled.fetch_add(1, Ordering::Relaxed);
        kill(&child);
        Ok(Response::new(Empty::default()))
    }

    async fn list_operations(
        &self,
        _: Request<longrunning::ListOperationsRequest>,
    ) -> Result<Response<longrunning::ListOperationsResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn get_operation(
        &self,
        _: Request<longrunning::GetOperationRequest>,
    ) -> Result<Response<Operation>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn delete_operation(
        &self,
        _: Request<longrunning::DeleteOperationRequest>,
    ) -> Result<Response<Empty>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn wait_operation(
        &self,
        _: Request<longrunning::WaitOperationRequest>,
    ) -> Result<Response<Operation>, Status> {
        Err(Status::unimplemented(""))
    }
}
