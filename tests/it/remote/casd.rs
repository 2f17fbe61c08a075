//! `buildbox-casd`, a real remote execution service, which `scripts/setup remote` installs.

use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::executor::ports;
use super::steps::wait_until;

/// The real service.
pub struct Casd {
    process: Child,
    port: u16,
    folder: tempfile::TempDir,
}

impl Casd {
    pub fn start() -> Self {
        let target = Path::new(env!("CARGO_BIN_EXE_clreduce")).ancestors().nth(2).unwrap();
        let programs = target.join("remote");
        let program = programs.join("buildbox-casd");
        assert!(program.exists(), "{} is missing: run scripts/setup remote", program.display());
        let folder = tempfile::tempdir().unwrap();
        let port = ports::listen().local_addr().unwrap().port();
        let path = std::env::var("PATH").unwrap();
        let mounts = [
            "/usr:/usr",
            "/usr/bin:/bin",
            "/usr/lib:/lib",
            "/usr/lib64:/lib64",
            "/etc:/etc",
            "/sys:/sys",
        ];
        let process = Command::new(&program)
            .arg(format!("--bind=127.0.0.1:{port}"))
            .arg(format!("--buildbox-run={}", programs.join("buildbox-run").display()))
            .args(["--jobs=4", "--runner-arg=--staging-mode=copy-or-link"])
            .args(mounts.map(|mount| format!("--runner-arg=--ro-bind-mount={mount}")))
            .arg(folder.path().join("cache"))
            .env("PATH", format!("{}:{path}", programs.display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let casd = Self { process, port, folder };
        wait_until("the service answers", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        casd
    }

    pub fn url(&self) -> String {
        format!("grpc://127.0.0.1:{}", self.port)
    }

    /// The number of blobs that it has: three and more for each action.
    pub fn blobs(&self) -> usize {
        let mut pending = vec![self.folder.path().join("cache/cas/objects")];
        let mut count = 0;
        while let Some(folder) = pending.pop() {
            let entries: Vec<PathBuf> =
                fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
            let (folders, files): (Vec<_>, Vec<_>) =
                entries.into_iter().partition(|path| path.is_dir());
            count += files.len();
            pending.extend(folders);
        }
        count
    }
}

impl Drop for Casd {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
