//! The calls of the Bazel Remote Execution API, as the service of the tests answers them.

use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use bazel_remote_apis::build::bazel::remote::execution::v2 as api;
use bazel_remote_apis::google::bytestream::{self, byte_stream_server};
use bazel_remote_apis::google::longrunning::{self as longrunning, Operation, operation};
use bazel_remote_apis::google::protobuf::Empty;
use bazel_remote_apis::google::rpc;
use prost::Message;
use tokio::sync::{mpsc, watch};
use tokio_stream::{Stream, StreamExt};
use tonic::{Request, Response, Status, Streaming};

use super::executor::{Asked, Running, State, digest_of, every, hash_of, kill, lock};

type Replies<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// The services of the API.
pub struct Api(pub Arc<State>);

#[tonic::async_trait]
impl api::capabilities_server::Capabilities for Api {
    async fn get_capabilities(
        &self,
        _: Request<api::GetCapabilitiesRequest>,
    ) -> Result<Response<api::ServerCapabilities>, Status> {
        Ok(Response::new(api::ServerCapabilities {
            execution_capabilities: Some(api::ExecutionCapabilities {
                exec_enabled: true,
                execution_priority_capabilities: self
                    .0
                    .faults
                    .priorities
                    .load(Ordering::Relaxed)
                    .then(priorities),
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
        let key = request.metadata().get("x-key").map(|value| value.to_str().unwrap().to_owned());
        let request = request.into_inner();
        let digest = request.action_digest.unwrap_or_default();
        let action: api::Action = self.0.message(Some(&digest))?;
        let command: api::Command = self.0.message(action.command_digest.as_ref())?;
        assert_eq!(action.platform, platform_of(&command));
        let properties = action.platform.iter().flat_map(|platform| &platform.properties);
        let properties = properties.map(|one| (one.name.clone(), one.value.clone())).collect();
        let instance = request.instance_name.clone();
        *lock(&self.0.last_asked) = Asked { instance, key: key.unwrap_or_default(), properties };
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
        let priority = request.execution_policy.map_or(0, |policy| policy.priority);
        *lock(&self.0.by_priority).entry(priority).or_default() += 1;
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

/// Services of version 2.2 and later look at the action, earlier ones at the command.
#[expect(deprecated, reason = "older services know no other field")]
fn platform_of(command: &api::Command) -> Option<api::Platform> {
    command.platform.clone()
}

fn priorities() -> api::PriorityCapabilities {
    let range = api::priority_capabilities::PriorityRange { min_priority: -10, max_priority: 10 };
    api::PriorityCapabilities { priorities: vec![range] }
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
