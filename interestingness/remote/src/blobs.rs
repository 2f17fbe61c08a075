//! Blobs on their way to a service and back.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use bazel_remote_apis::build::bazel::remote::execution::v2::{
    BatchReadBlobsRequest, BatchUpdateBlobsRequest, Digest, FindMissingBlobsRequest,
    batch_update_blobs_request,
};
use bazel_remote_apis::google::bytestream::WriteRequest;
use tonic::{Code, Status};

use crate::connection::SharedState;
use crate::digest::{Blob, BlobDigest};

impl SharedState {
    /// Sends those of the blobs that the service lacks.
    ///
    /// # Errors
    /// When it does not take them.
    pub(crate) async fn upload(&self, blobs: &[Blob]) -> Result<(), Status> {
        let mut seen = HashSet::new();
        let new: Vec<&Blob> = {
            let known = self.known();
            let is_new = |blob: &&Blob| !known.contains(&blob.digest) && seen.insert(blob.digest);
            blobs.iter().filter(is_new).collect()
        };
        let (small, large): (Vec<&Blob>, Vec<&Blob>) =
            // Most small blobs are new: they are sent without a question whether the service has them.
            new.into_iter().partition(|blob| blob.digest.size <= 32 << 10);
        let missing = self.missing(&large).await?;
        let large = large.into_iter().filter(|blob| missing.contains(&blob.digest));
        let (mut batch, mut size) = (Vec::new(), 0);
        for blob in small.into_iter().chain(large) {
            let with_frame = blob.digest.size + 128;
            if with_frame > self.most_batch {
                self.write(blob).await?;
                continue;
            }
            if size + with_frame > self.most_batch {
                self.update(&std::mem::take(&mut batch)).await?;
                size = 0;
            }
            size += with_frame;
            batch.push(blob);
        }
        self.update(&batch).await?;
        self.known().extend(blobs.iter().map(|blob| blob.digest));
        Ok(())
    }

    /// Forgets that the service has these blobs: it has said that it lacks some.
    pub(crate) fn forget(&self, blobs: &[Blob]) {
        let mut known = self.known();
        for blob in blobs {
            known.remove(&blob.digest);
        }
    }

    async fn missing(&self, blobs: &[&Blob]) -> Result<HashSet<BlobDigest>, Status> {
        if blobs.is_empty() {
            return Ok(HashSet::new());
        }
        let request = self.calls.short_request(FindMissingBlobsRequest {
            instance_name: self.calls.instance.clone(),
            blob_digests: blobs.iter().map(|blob| blob.digest.to_proto()).collect(),
            ..Default::default()
        });
        let found = self.calls.storage().find_missing_blobs(request).await?.into_inner();
        Ok(found.missing_blob_digests.iter().filter_map(BlobDigest::from_proto).collect())
    }

    async fn update(&self, blobs: &[&Blob]) -> Result<(), Status> {
        if blobs.is_empty() {
            return Ok(());
        }
        let mut requests = Vec::new();
        for blob in blobs {
            let data = blob.bytes().map_err(unreadable)?.to_vec();
            requests.push(batch_update_blobs_request::Request {
                digest: Some(blob.digest.to_proto()),
                data,
                ..Default::default()
            });
        }
        let request = self.calls.short_request(BatchUpdateBlobsRequest {
            instance_name: self.calls.instance.clone(),
            requests,
            ..Default::default()
        });
        let done = self.calls.storage().batch_update_blobs(request).await?.into_inner();
        let statuses = done.responses.into_iter().filter_map(|response| response.status);
        match statuses.into_iter().find(|status| status.code != 0) {
            Some(status) => Err(Status::new(Code::from_i32(status.code), status.message)),
            None => Ok(()),
        }
    }

    /// Sends a large blob in pieces.
    async fn write(&self, blob: &Blob) -> Result<(), Status> {
        let digest = blob.digest;
        let number = self.next_upload();
        let instance = match self.calls.instance.as_str() {
            "" => String::new(),
            name => format!("{name}/"),
        };
        // A name that no other upload has, in the form that services ask for.
        let name = format!("{:08x}-0000-4000-8000-{number:012x}", std::process::id());
        let resource = format!("{instance}uploads/{name}/blobs/{}/{}", digest.hex(), digest.size);
        let (sender, pieces) = tokio::sync::mpsc::channel(4);
        let content = blob.clone();
        let failed = Arc::new(std::sync::Mutex::new(None));
        let failure = Arc::clone(&failed);
        let read = move || {
            if let Err(error) = send_pieces(&content, &resource, &sender)
                && let Ok(mut failure) = failure.lock()
            {
                *failure = Some(error);
            }
        };
        let reader = std::thread::Builder::new().name("upload".to_owned()).spawn(read);
        let reader = reader.map_err(unreadable)?;
        let request = self.calls.request(Pieces(pieces));
        let written = self.calls.bytes().write(request).await;
        // The stream is gone, so that the thread ends at its next piece.
        drop(reader);
        if let Some(error) = failed.lock().ok().and_then(|mut error| error.take()) {
            return Err(unreadable(error));
        }
        let committed = written?.into_inner().committed_size;
        // -1: the service had it, in another form.
        if committed == -1 || u64::try_from(committed).is_ok_and(|size| size == digest.size) {
            return Ok(());
        }
        Err(Status::data_loss(format!("{committed} of {} bytes were taken", digest.size)))
    }

    /// Reads a blob that is not larger than `most`.
    ///
    /// # Errors
    /// When the service does not have it, or sends something else.
    pub(crate) async fn read(&self, digest: &Digest, most: u64) -> Result<Vec<u8>, Status> {
        let wanted = BlobDigest::from_proto(digest)
            .filter(|digest| digest.size <= most)
            .ok_or_else(|| Status::out_of_range("the output is too large"))?;
        let request = self.calls.short_request(BatchReadBlobsRequest {
            instance_name: self.calls.instance.clone(),
            digests: vec![digest.clone()],
            ..Default::default()
        });
        let read = self.calls.storage().batch_read_blobs(request).await?.into_inner();
        let is_right = |data: &Vec<u8>| data.len() as u64 == wanted.size && wanted.is_of(data);
        let mut contents = read.responses.into_iter().map(|response| response.data);
        contents
            .find(is_right)
            .ok_or_else(|| Status::not_found("the output is not in the storage of the service"))
    }
}

/// The pieces of a large blob, as a stream of requests.
struct Pieces(tokio::sync::mpsc::Receiver<WriteRequest>);

impl tokio_stream::Stream for Pieces {
    type Item = WriteRequest;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<WriteRequest>> {
        self.0.poll_recv(context)
    }
}

fn send_pieces(
    blob: &Blob,
    resource: &str,
    sender: &tokio::sync::mpsc::Sender<WriteRequest>,
) -> io::Result<()> {
    blob.pieces(|offset, data, is_last| {
        let request = WriteRequest {
            resource_name: if offset == 0 { resource.to_owned() } else { String::new() },
            write_offset: i64::try_from(offset).unwrap_or(i64::MAX),
            finish_write: is_last,
            data,
        };
        // The receiver has gone once the call has ended.
        sender.blocking_send(request).is_ok()
    })
}

fn unreadable(error: io::Error) -> Status {
    Status::invalid_argument(format!("cannot read a file to upload: {error}"))
}
