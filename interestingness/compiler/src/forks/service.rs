//! The service of a worker with fork servers: one for each compiler that it is asked for. It runs in the worker process.

use std::io;
use std::time::Duration;

use clreduce_process::ForkServer;
use clreduce_process::worker::{Replies, Service, WorkerFolder};

use super::{ForkOrder, ForkReply, ForkedCompiler};

/// The most fork servers at a time: each needs the memory of a compiler. Four make all verdicts: those of two sanitizers, each
/// for kernels and for LLVM's intermediate language. Reports, which are rarer, take their places.
const MOST: usize = 4;
/// The longest time until a compiler reads its program, on a machine that is busy.
const START_LIMIT: Duration = Duration::from_secs(10);

/// A worker with fork servers.
pub(crate) struct ForkService {
    folder: WorkerFolder,
    /// The one that was used last is the last.
    servers: Vec<(ForkedCompiler, ForkServer)>,
}

impl Service for ForkService {
    const NAME: &'static str = "fork-servers";
    type Order = ForkOrder;
    type Reply = ForkReply;

    fn begin(folder: WorkerFolder) -> Self {
        Self { folder, servers: Vec::new() }
    }

    fn answer(&mut self, order: ForkOrder, replies: &Replies<ForkReply>) -> io::Result<()> {
        let reply = self.compile(order).unwrap_or(ForkReply::Useless);
        replies.send(&reply)
    }
}

impl ForkService {
    fn compile(&mut self, order: ForkOrder) -> io::Result<ForkReply> {
        let folder = self.folder.path().ok_or(io::ErrorKind::NotFound)?;
        let known = self.servers.iter().position(|(compiler, _)| *compiler == order.compiler);
        let ForkedCompiler { program, arguments } = &order.compiler;
        let mut server = match known {
            Some(index) => self.servers.remove(index).1,
            None => {
                let folder = folder.to_owned();
                ForkServer::start(program, arguments, &order.library, folder, START_LIMIT)?
            }
        };
        let written = server.run(&order.source, order.memory)?;
        if self.servers.len() == MOST {
            self.servers.remove(0);
        }
        self.servers.push((order.compiler, server));
        Ok(written.map_or(ForkReply::Failed, ForkReply::Written))
    }
}
