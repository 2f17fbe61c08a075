//! An action from its upload to its answer, whatever happens to connections, servers and workers.
//!
//! An action is idempotent: its answer depends on its digest alone. So whenever something is lost, the same action is
//! executed again. What a cancelled action occupies on the service counts as a slot until it has ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bazel_remote_apis::build::bazel::remote::execution::v2::{
    ActionResult, ExecuteRequest, ExecuteResponse, ExecutionPolicy, GetActionResultRequest,
    WaitExecutionRequest,
};
use bazel_remote_apis::google::longrunning::{CancelOperationRequest, Operation, operation};
use prost::Message;
use tokio::sync::{Notify, SetOnce};
use tokio::time::{sleep, timeout};
use tonic::{Code, Status, Streaming};

use crate::answer::{Answer, NoAnswer};
use crate::calls::with_causes;
use crate::connection::SharedState;
use crate::digest::BlobDigest;
use crate::failure::Failure;
use crate::job::{ANSWER, CacheUse, Job, WorkerAnswer};

/// The first pause between two attempts; each is twice the one before, and none longer than [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// The time in which a service says that it has cancelled an action.
const CANCEL_LIMIT: Duration = Duration::from_secs(1);
/// Time for the transfer of files, besides the time of the action itself.
const TRANSFER: Duration = Duration::from_secs(60);
/// The largest answer. An output file that is larger is no answer.
const MOST_ANSWER: u64 = 16 << 20;

/// The state of an action that others look at while it is executed.
#[derive(Debug, Default)]
struct ActionState {
    /// The name of the operation, once the service has told it.
    name: SetOnce<String>,
    given_up: AtomicBool,
    /// Told when it is given up.
    wake: Notify,
}

/// The reason that an attempt had no answer.
#[derive(Debug)]
enum Trouble {
    /// The connection was lost; the operation may go on.
    Lost(Status),
    /// The service, or a worker, failed.
    Again(String),
    /// The worker has other tools than those that the action expects. The text names both.
    OtherTools(String),
    /// The service lacks some of the files.
    Missing(String),
    /// Another attempt would end in the same way.
    Fatal(String),
    /// It is no longer needed.
    GivenUp,
}

impl SharedState {
    /// Runs an action to its answer; `None` once `cancelled` is told.
    pub(crate) async fn run(
        self: Arc<Self>,
        job: Arc<Job>,
        cancelled: &Notify,
    ) -> Result<Option<WorkerAnswer>, Failure> {
        let slots = Arc::clone(&self.slots);
        let permit = tokio::select! {
            permit = slots.acquire_owned() => permit,
            () = cancelled.notified() => return Ok(None),
        };
        let running = Arc::new(ActionState::default());
        let (shared, state) = (Arc::clone(&self), Arc::clone(&running));
        // A task of its own: it holds the slot until the action has ended, whoever waits for it.
        let mut task = tokio::spawn(async move {
            let _permit = permit;
            shared.attempts(&job, &state).await
        });
        tokio::select! {
            result = &mut task => {
                result.unwrap_or_else(|error| Err(Failure::NoAnswer(error.to_string()))).map(Some)
            }
            () = cancelled.notified() => {
                running.given_up.store(true, Ordering::Release);
                running.wake.notify_one();
                self.cancel(&running).await;
                Ok(None)
            }
        }
    }

    /// Asks the service to end an action.
    async fn cancel(&self, running: &ActionState) {
        if self.cannot_cancel.load(Ordering::Relaxed) {
            return;
        }
        // An action that is not named within the time runs to its own limit.
        let Ok(name) = timeout(CANCEL_LIMIT, running.name.wait()).await else { return };
        let request = self.calls.request(CancelOperationRequest { name: name.clone() });
        let mut operations = self.calls.operations();
        if let Ok(Err(status)) = timeout(CANCEL_LIMIT, operations.cancel_operation(request)).await
            && status.code() == Code::Unimplemented
        {
            self.cannot_cancel.store(true, Ordering::Relaxed);
        }
    }

    /// Executes an action as often as it takes.
    async fn attempts(&self, job: &Job, running: &ActionState) -> Result<WorkerAnswer, Failure> {
        if job.circumstance.memory == CacheUse::Use
            && let Some(answer) = self.remembered(job).await
        {
            self.cached.fetch_add(1, Ordering::Relaxed);
            return Ok(answer);
        }
        let mut pause = FIRST_PAUSE;
        let mut last = given_up();
        for attempt in 0..7 {
            if attempt > 0 {
                tokio::select! {
                    () = sleep(pause) => {}
                    () = running.wake.notified() => return Err(given_up()),
                }
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            // A failure may be in the cache as well.
            let may_be_cached = job.circumstance.memory == CacheUse::Use && attempt == 0;
            match self.attempt(job, running, may_be_cached).await {
                Ok(answer) => {
                    let count = if answer.was_cached { &self.cached } else { &self.executed };
                    count.fetch_add(1, Ordering::Relaxed);
                    return Ok(answer);
                }
                Err(Trouble::GivenUp) => return Err(given_up()),
                Err(Trouble::Fatal(why)) => return Err(Failure::NoAnswer(why)),
                Err(Trouble::Missing(why)) => {
                    self.forget(&job.blobs);
                    last = no_answer(&why);
                }
                Err(Trouble::OtherTools(why)) => last = Failure::OtherTools(why),
                Err(Trouble::Again(why)) => last = no_answer(&why),
                Err(Trouble::Lost(status)) => last = no_answer(&with_causes(&status)),
            }
        }
        Err(last)
    }

    /// The answer of the same action that the service remembers.
    async fn remembered(&self, job: &Job) -> Option<WorkerAnswer> {
        let request = self.calls.short_request(GetActionResultRequest {
            instance_name: self.calls.instance.clone(),
            action_digest: Some(job.action.to_proto()),
            inline_output_files: vec![ANSWER.to_owned()],
            ..Default::default()
        });
        // Whatever the reason: what is not remembered is executed.
        let found = self.calls.cache().get_action_result(request).await.ok()?.into_inner();
        self.answer(found, true, job).await.ok()
    }

    /// Uploads an action and executes it once. When the connection is lost, the operation is asked for again, once.
    async fn attempt(
        &self,
        job: &Job,
        running: &ActionState,
        may_be_cached: bool,
    ) -> Result<WorkerAnswer, Trouble> {
        if running.given_up.load(Ordering::Acquire) {
            return Err(Trouble::GivenUp);
        }
        self.upload(&job.blobs).await.map_err(|status| trouble(&status))?;
        let priority = if job.circumstance.is_guess { self.guess_priority } else { 0 };
        let request = self.calls.request(ExecuteRequest {
            instance_name: self.calls.instance.clone(),
            skip_cache_lookup: !may_be_cached,
            action_digest: Some(job.action.to_proto()),
            inline_output_files: vec![ANSWER.to_owned()],
            execution_policy: (priority != 0).then_some(ExecutionPolicy { priority }),
            ..Default::default()
        });
        let mut name = None;
        let executed = match self.calls.execution().execute(request).await {
            Ok(stream) => self.follow(stream.into_inner(), job, running, &mut name).await,
            Err(status) => Err(trouble(&status)),
        };
        let response = match (executed, name) {
            (Err(Trouble::Lost(_)), Some(name)) => {
                let request = self.calls.request(WaitExecutionRequest { name });
                let stream = self.calls.execution().wait_execution(request).await;
                let stream = stream.map_err(|status| Trouble::Again(with_causes(&status)))?;
                self.follow(stream.into_inner(), job, running, &mut None).await?
            }
            (executed, _) => executed?,
        };
        let status = response.status.unwrap_or_default();
        if status.code != 0 {
            return Err(trouble(&Status::new(Code::from_i32(status.code), status.message)));
        }
        let result = response.result.unwrap_or_default();
        self.answer(result, response.cached_result, job).await
    }

    /// Reads the messages about an operation to its end. Later messages about it count for nothing.
    async fn follow(
        &self,
        mut stream: Streaming<Operation>,
        job: &Job,
        running: &ActionState,
        name: &mut Option<String>,
    ) -> Result<ExecuteResponse, Trouble> {
        loop {
            let message = if running.given_up.load(Ordering::Acquire) {
                let most = job.limit.saturating_add(TRANSFER);
                timeout(most, stream.message()).await.map_err(|_| Trouble::GivenUp)?
            } else {
                tokio::select! {
                    message = stream.message() => message,
                    () = running.wake.notified() => continue,
                }
            };
            let operation = match message {
                Ok(Some(operation)) => operation,
                Ok(None) => {
                    return Err(Trouble::Lost(Status::unavailable("the stream ended early")));
                }
                Err(status) => return Err(trouble(&status)),
            };
            if !operation.name.is_empty() {
                // After an attempt that was lost, the first name stays: the two are the same action.
                let _ = running.name.set(operation.name.clone());
                *name = Some(operation.name);
            }
            if operation.done {
                return match operation.result {
                    Some(operation::Result::Response(any)) => {
                        ExecuteResponse::decode(any.value.as_slice()).map_err(|error| {
                            Trouble::Again(format!("the response cannot be read: {error}"))
                        })
                    }
                    Some(operation::Result::Error(status)) => {
                        let status = Status::new(Code::from_i32(status.code), status.message);
                        Err(trouble(&status))
                    }
                    None => {
                        Err(Trouble::Again("the operation has ended without result".to_owned()))
                    }
                };
            }
        }
    }

    /// The answer in the result of an action.
    async fn answer(
        &self,
        result: ActionResult,
        was_cached: bool,
        job: &Job,
    ) -> Result<WorkerAnswer, Trouble> {
        let worker = result.execution_metadata.map(|data| data.worker).unwrap_or_default();
        let by = if worker.is_empty() { "the worker" } else { &worker };
        let exit_code = result.exit_code;
        let mut files = result.output_files.into_iter();
        let Some(file) = files.find(|file| file.path == ANSWER) else {
            let output = match result.stderr_digest {
                _ if !result.stderr_raw.is_empty() => result.stderr_raw,
                Some(digest) => self.read(&digest, MOST_ANSWER).await.unwrap_or_default(),
                None => Vec::new(),
            };
            let output = String::from_utf8_lossy(&output);
            let said = output.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            return Err(Trouble::Again(format!(
                "the action ended on {by} with exit status {exit_code} and without an answer: {said}"
            )));
        };
        let digest = file.digest.unwrap_or_default();
        let is_inline = !file.contents.is_empty()
            && BlobDigest::from_proto(&digest).is_some_and(|digest| digest.is_of(&file.contents));
        let bytes = if is_inline {
            file.contents
        } else {
            let read = self.read(&digest, MOST_ANSWER).await;
            read.map_err(|status| Trouble::Again(with_causes(&status)))?
        };
        match Answer::read(&bytes, exit_code, &job.question) {
            Ok(says) => Ok(WorkerAnswer { says, worker, was_cached }),
            Err(NoAnswer::Because(why)) => Err(Trouble::Again(format!("{by}: {why}"))),
            Err(NoAnswer::OtherTools(found)) => {
                let expected = job.expect.clone().unwrap_or_default();
                let differences = found.differences(&expected);
                Err(Trouble::OtherTools(format!(
                    "{by} has other tools than the machine of the first run: {differences}"
                )))
            }
        }
    }
}

/// The meaning of an error of the service.
fn trouble(status: &Status) -> Trouble {
    let text = || with_causes(status);
    match status.code() {
        Code::Unauthenticated
        | Code::PermissionDenied
        | Code::InvalidArgument
        | Code::Unimplemented => {
            Trouble::Fatal(format!("the remote execution service refuses: {}", text()))
        }
        Code::FailedPrecondition | Code::NotFound => Trouble::Missing(text()),
        Code::Unavailable | Code::Internal | Code::Aborted | Code::Unknown => {
            Trouble::Lost(status.clone())
        }
        _ => Trouble::Again(text()),
    }
}

fn no_answer(why: &str) -> Failure {
    Failure::NoAnswer(format!("no answer from the remote execution service: {why}"))
}

fn given_up() -> Failure {
    Failure::NoAnswer("cancelled".to_owned())
}
