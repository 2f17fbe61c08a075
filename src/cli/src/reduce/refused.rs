//! The search for the permissions that a test lacks, where the sandbox is the reason that it rejects the original.

use std::env;
use std::path::{Path, PathBuf};

use clreduce_interestingness::{
    Cancel, CommandOptions, CommandTest, Confinement, Outcome, TestCommand, Verdict, allowed_time,
};
use clreduce_process::quoted;
use clreduce_testcase::TestCase;

/// Texts that tools print where a sandbox refuses something.
const REFUSALS: [&str; 5] = [
    "Permission denied",
    "Read-only file system",
    "Operation not permitted",
    "Network is unreachable",
    "No such file or directory",
];

/// A test that rejects the original in its sandbox.
pub(crate) struct RefusedBySandbox<'a> {
    pub command: &'a TestCommand,
    pub options: CommandOptions,
    pub original: &'a TestCase,
    pub outcome: &'a Outcome,
    pub cancel: &'a Cancel,
}

/// Something that an option allows.
#[derive(Clone, Debug)]
enum Permission {
    Writable(PathBuf),
    Readable(PathBuf),
    Network,
    Gpu,
}

impl RefusedBySandbox<'_> {
    /// The message, if the sandbox is the reason.
    ///
    /// The test runs outside for that, unless the sandbox is the strict one: who asks for it does not trust the program.
    /// There it is tried whether the test needs to read more.
    pub(crate) fn find(&self) -> Option<String> {
        let lacking = match self.options.confinement {
            Confinement::Unconfined => return None,
            Confinement::Landlock(_) if !self.accepts(Confinement::Unconfined) => return None,
            // A test that is flaky, for which there is another message.
            Confinement::Landlock(_) if self.accepts(self.options.confinement.clone()) => {
                return None;
            }
            Confinement::Landlock(_) => self.lacking(),
            Confinement::Bubblewrap(_) => Some(self.lacking()?),
        };
        let refused = self.lines();
        let seen = if refused.is_empty() {
            String::new()
        } else {
            format!("\nnote: the output of the test in the sandbox:{refused}")
        };
        let help = match lacking {
            Some(lacking) => {
                let refusals: Vec<String> = lacking.iter().map(Permission::refusal).collect();
                let options: Vec<String> = lacking.iter().map(Permission::option).collect();
                format!(
                    "note: the sandbox refuses {}\nhelp: allow that by {}",
                    refusals.join(", and "),
                    options.join(" ")
                )
            }
            None => "note: no option of the sandbox allows what the test does\n\
                help: run it without a sandbox, by --sandbox off"
                .to_owned(),
        };
        Some(format!(
            "the sandbox is the reason that the test does not accept the original{seen}\n{help}\n\
             help: `clreduce help sandbox` says what a sandbox refuses; --sandbox off switches it off"
        ))
    }

    fn accepts(&self, confinement: Confinement) -> bool {
        let limit = allowed_time(self.outcome.wall);
        let options = CommandOptions { confinement, ..self.options.clone() };
        CommandTest::new(self.command, options).is_ok_and(|test| {
            let outcome = test.judge_within(self.original, limit, self.cancel);
            outcome.is_ok_and(|outcome| outcome.verdict == Verdict::Interesting)
        })
    }

    /// A set of permissions with which the test accepts the original, and of which none can be left out.
    fn lacking(&self) -> Option<Vec<Permission>> {
        let mut needed = self.candidates();
        if !self.accepts(with(&self.options.confinement, &needed)) {
            return None;
        }
        let mut next = 0;
        while next < needed.len() {
            let mut fewer = needed.clone();
            fewer.remove(next);
            if self.accepts(with(&self.options.confinement, &fewer)) {
                needed = fewer;
            } else {
                next += 1;
            }
        }
        Some(needed)
    }

    /// Permissions that tests use. Those that give more stand first, so that those that give less are kept.
    fn candidates(&self) -> Vec<Permission> {
        let mut folders: Vec<PathBuf> = ["/tmp", "/var/tmp", "/dev/shm", "/run"]
            .into_iter()
            .map(PathBuf::from)
            .chain(env::var_os("HOME").map(PathBuf::from))
            .chain(env::current_dir().ok())
            .collect();
        if let TestCommand::Program { path, .. } = self.command {
            folders.extend(path.parent().map(Path::to_owned));
        }
        folders.retain(|folder| folder.is_dir() && folder != Path::new("/"));
        let mut known = Vec::new();
        folders.retain(|folder| {
            let is_new = !known.contains(folder);
            known.push(folder.clone());
            is_new
        });
        // A home holds much besides.
        folders.sort_by_key(|folder| folder.components().count());
        let folders = folders.into_iter();
        if matches!(self.options.confinement, Confinement::Bubblewrap(_)) {
            return std::iter::once(Permission::Gpu)
                .chain(folders.map(Permission::Readable))
                .collect();
        }
        let others = [Permission::Network, Permission::Gpu];
        others.into_iter().chain(folders.map(Permission::Writable)).collect()
    }

    /// Lines of the output that tell of a refusal.
    fn lines(&self) -> String {
        let output = String::from_utf8_lossy(&self.outcome.output_tail).into_owned();
        let output = console::strip_ansi_codes(&output).into_owned();
        let tells = |line: &&str| REFUSALS.iter().any(|refusal| line.contains(refusal));
        let lines = output.lines().filter(tells).take(5);
        lines
            .map(|line| format!("\n    | {}", crate::terminal::printing::printable(line.trim())))
            .collect()
    }
}

/// A confinement with more permissions.
fn with(confinement: &Confinement, permissions: &[Permission]) -> Confinement {
    permissions.iter().fold(confinement.clone(), |confinement, permission| match permission {
        Permission::Writable(path) => confinement.with_writable([path.clone()]),
        Permission::Readable(path) => confinement.with_readable([path.clone()]),
        Permission::Network => confinement.with_network(),
        Permission::Gpu => confinement.with_gpus(),
    })
}

impl Permission {
    fn refusal(&self) -> String {
        match self {
            Self::Writable(path) => format!("to write to {}", path.display()),
            Self::Readable(path) => format!("to read {}", path.display()),
            Self::Network => "to use the network".to_owned(),
            Self::Gpu => "to use the GPU".to_owned(),
        }
    }

    fn option(&self) -> String {
        match self {
            Self::Writable(path) => format!("--writable {}", quoted(path.as_os_str())),
            Self::Readable(path) => format!("--readable {}", quoted(path.as_os_str())),
            Self::Network => "--network".to_owned(),
            Self::Gpu => "--gpu".to_owned(),
        }
    }
}
