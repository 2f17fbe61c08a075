//! Calls of the service: connections, and what every request carries.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bazel_remote_apis::build::bazel::remote::execution::v2 as api;
use bazel_remote_apis::google::bytestream::byte_stream_client::ByteStreamClient;
use bazel_remote_apis::google::longrunning::operations_client::OperationsClient;
use prost::Message;
use tonic::Request;
use tonic::metadata::{Ascii, BinaryMetadataValue, MetadataKey, MetadataMap, MetadataValue};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};

use crate::failure::RemoteError;
use crate::options::{RemoteAddress, RemoteOptions};

/// The largest message that is accepted. Answers are smaller; this is the size of a batch of blobs and more.
pub(crate) const MOST_MESSAGE: usize = 16 << 20;

/// Calls that are in flight on one connection at a time. Services and the proxies before them allow 100 and more.
const CALLS_PER_CONNECTION: usize = 64;

/// The name of the header that tells a service which tool calls.
const METADATA: &str = "build.bazel.remote.execution.v2.requestmetadata-bin";

/// The time for one call other than the execution of an action.
pub(crate) const CALL_LIMIT: Duration = Duration::from_secs(60);

const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// A connection on which nothing arrives is tried this number of times, and given up after [`CONNECT_LIMIT`].
const KEEP_ALIVE: Duration = Duration::from_secs(20);

/// The connections to a service.
#[derive(Debug)]
pub(crate) struct Connections {
    short: Channel,
    executions: Vec<Channel>,
    next: AtomicUsize,
    headers: MetadataMap,
    pub(crate) instance: String,
}

pub(crate) type Storage =
    api::content_addressable_storage_client::ContentAddressableStorageClient<Channel>;
pub(crate) type ActionCache = api::action_cache_client::ActionCacheClient<Channel>;
pub(crate) type Execution = api::execution_client::ExecutionClient<Channel>;
pub(crate) type Capabilities = api::capabilities_client::CapabilitiesClient<Channel>;

impl Connections {
    /// Connections that are made at the first call. Must be called in the runtime.
    pub(crate) fn new(
        address: &RemoteAddress,
        options: &RemoteOptions,
        slots: usize,
    ) -> Result<Self, RemoteError> {
        let endpoint = endpoint(address, options)?;
        let connections = slots.div_ceil(CALLS_PER_CONNECTION);
        Ok(Self {
            short: endpoint.connect_lazy(),
            executions: (0..connections).map(|_| endpoint.connect_lazy()).collect(),
            next: AtomicUsize::new(0),
            headers: headers(options)?,
            instance: options.remote_instance.clone(),
        })
    }

    /// A message with the headers of every request.
    pub(crate) fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        *request.metadata_mut() = self.headers.clone();
        request
    }

    /// The same for a call that takes no longer than [`CALL_LIMIT`].
    pub(crate) fn short_request<T>(&self, message: T) -> Request<T> {
        let mut request = self.request(message);
        request.set_timeout(CALL_LIMIT);
        request
    }

    pub(crate) fn storage(&self) -> Storage {
        Storage::new(self.short.clone()).max_decoding_message_size(MOST_MESSAGE)
    }

    pub(crate) fn bytes(&self) -> ByteStreamClient<Channel> {
        ByteStreamClient::new(self.short.clone()).max_decoding_message_size(MOST_MESSAGE)
    }

    pub(crate) fn cache(&self) -> ActionCache {
        ActionCache::new(self.short.clone()).max_decoding_message_size(MOST_MESSAGE)
    }

    pub(crate) fn operations(&self) -> OperationsClient<Channel> {
        OperationsClient::new(self.short.clone())
    }

    pub(crate) fn capabilities(&self) -> Capabilities {
        Capabilities::new(self.short.clone())
    }

    pub(crate) fn execution(&self) -> Execution {
        let at = self.next.fetch_add(1, Ordering::Relaxed) % self.executions.len();
        Execution::new(self.executions[at].clone()).max_decoding_message_size(MOST_MESSAGE)
    }
}

/// The line before a certificate in PEM format.
const PEM: &str = "-----BEGIN CERTIFICATE-----";

fn endpoint(address: &RemoteAddress, options: &RemoteOptions) -> Result<Endpoint, RemoteError> {
    let failed = |error: tonic::transport::Error| RemoteError::Connect {
        address: address.to_string(),
        reason: with_causes(&error),
    };
    let scheme = if address.is_tls { "https" } else { "http" };
    let endpoint = Endpoint::from_shared(format!("{scheme}://{}", address.authority))
        .map_err(failed)?
        .connect_timeout(CONNECT_LIMIT)
        .http2_keep_alive_interval(KEEP_ALIVE)
        .keep_alive_timeout(CONNECT_LIMIT)
        .keep_alive_while_idle(true)
        .tcp_nodelay(true);
    if !address.is_tls {
        return Ok(endpoint);
    }
    let mut tls = ClientTlsConfig::new();
    tls = match &options.remote_ca {
        Some(path) => {
            let pem = std::fs::read(path)
                .map_err(|source| RemoteError::File { path: path.clone(), source })?;
            if !String::from_utf8_lossy(&pem).contains(PEM) {
                return Err(RemoteError::Connect {
                    address: address.to_string(),
                    reason: format!("{} contains no certificate in PEM format", path.display()),
                });
            }
            tls.ca_certificate(Certificate::from_pem(pem))
        }
        None => tls.with_native_roots(),
    };
    endpoint.tls_config(tls).map_err(failed)
}

/// The headers of the user, and the name of this program.
fn headers(options: &RemoteOptions) -> Result<MetadataMap, RemoteError> {
    let mut headers = MetadataMap::new();
    for header in &options.remote_header {
        let invalid = || RemoteError::Header(header.key.clone());
        let key = MetadataKey::<Ascii>::from_bytes(header.key.to_ascii_lowercase().as_bytes());
        let value = header.value.parse::<MetadataValue<Ascii>>().map_err(|_| invalid())?;
        headers.append(key.map_err(|_| invalid())?, value);
    }
    let tool = api::ToolDetails {
        tool_name: "clreduce".to_owned(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let metadata = api::RequestMetadata { tool_details: Some(tool), ..Default::default() };
    let value = BinaryMetadataValue::from_bytes(&metadata.encode_to_vec());
    headers.insert_bin(METADATA, value);
    Ok(headers)
}

/// An error with everything that caused it.
pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}

/// Advice on an error of an encrypted connection; empty for other errors.
pub(crate) fn advice(error: &str) -> &'static str {
    if error.contains("peer certificate") {
        "\nhelp: name the certificate of its authority by --remote-ca, and the host as the certificate does"
    } else if error.contains("InvalidContentType") {
        "\nhelp: the service does not encrypt; write grpc:// in place of grpcs://"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_checked_before_the_first_call() {
        let with = |header: &str| {
            let remote_header = vec![header.parse().unwrap()];
            headers(&RemoteOptions { remote_header, ..RemoteOptions::default() })
        };
        let sent = with("X-Api-Key=secret").unwrap();
        assert_eq!(sent.get("x-api-key").unwrap(), "secret");
        assert!(sent.get_bin(METADATA).is_some());
        for header in ["a b=c", "key=\n", "key-bin=x"] {
            let error = with(header).unwrap_err().to_string();
            assert!(!error.contains("=c") && error.contains("cannot be sent"), "{error}");
        }
    }
}
