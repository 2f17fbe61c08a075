//! The service of a worker with libclang: its orders, its replies, and how it answers. Only the last runs in the
//! worker process.

use std::io;

use clreduce_process::worker::{Replies, Service, WorkerFolder};
use serde::{Deserialize, Serialize};

use crate::api::{Index, LibclangError};
use crate::diagnostic::Diagnostic;

/// An order to the worker.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum CompilerOrder {
    /// Make libclang ready.
    Load,
    /// Return libclang's diagnostics of a text.
    Diagnose {
        /// Name of its file.
        file: String,
        /// Options of clang.
        arguments: Vec<String>,
        /// The declarations before the program, and the program.
        text: [Vec<u8>; 2],
    },
}

/// A reply of the worker.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum CompilerReply {
    /// To `Load`.
    Loaded(Result<(), LibclangError>),
    /// To `Diagnose`.
    Diagnostics(Result<Vec<Diagnostic>, LibclangError>),
}

/// A worker with libclang.
pub(crate) struct CompilerService {
    folder: WorkerFolder,
    index: Option<Index>,
}

impl Service for CompilerService {
    const NAME: &'static str = "compiler";
    /// libclang descends as deep as the program is nested.
    const STACK_BYTES: u64 = 256 << 20;
    type Order = CompilerOrder;
    type Reply = CompilerReply;

    fn begin(folder: WorkerFolder) -> Self {
        Self { folder, index: None }
    }

    fn answer(&mut self, order: CompilerOrder, replies: &Replies<CompilerReply>) -> io::Result<()> {
        let reply = match order {
            CompilerOrder::Load => CompilerReply::Loaded(Index::load().map(|index| {
                // No file of the folder that clreduce was started in is meant.
                let _ = self.folder.path().map(std::env::set_current_dir);
                self.index = Some(index);
            })),
            CompilerOrder::Diagnose { file, arguments, text } => {
                let (folder, text) = (self.folder.path(), text.each_ref().map(Vec::as_slice));
                let index = self.index.as_mut().ok_or(LibclangError::NotLoaded);
                let told = index.and_then(|index| index.diagnose(folder, &file, &arguments, text));
                CompilerReply::Diagnostics(told)
            }
        };
        replies.send(&reply)
    }
}
