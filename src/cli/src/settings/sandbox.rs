//! The sandbox of this run of the program. It is chosen once, from the command line, before anything is started.

use std::sync::OnceLock;

use clreduce_engine::{SandboxError, SandboxOptions};
use clreduce_interestingness::{Confinement, NoSandbox};

use crate::settings::zoo;
use crate::terminal::printing::warning_line;

/// Name of the fact in a journal that tells which sandbox there really was.
pub(crate) const FACT: &str = "the sandbox";

static CHOSEN: OnceLock<Confinement> = OnceLock::new();

/// Chooses the sandbox. Prints a line if there is none although it was not switched off.
///
/// # Errors
/// When a path is missing, or a sandbox is asked for that cannot be had.
pub(crate) fn choose(options: &SandboxOptions) -> Result<(), SandboxError> {
    let (confinement, missing) = options.confinement()?;
    if let Some(reason) = missing {
        warning_line(&without(&reason));
    }
    let own = std::env::current_exe().ok();
    // The first choice stays.
    let _ = CHOSEN.set(confinement.with_readable(own).with_readable(zoo::folder()));
    Ok(())
}

/// The sandbox that was chosen.
pub(crate) fn confinement() -> Confinement {
    CHOSEN.get().cloned().unwrap_or_default()
}

/// The kind of sandbox, for the journal.
pub(crate) fn fact() -> &'static str {
    confinement().kind()
}

/// Advice on a test that rejects the original in the strict sandbox, and is not tried outside.
pub(crate) fn advice() -> Option<String> {
    matches!(CHOSEN.get(), Some(Confinement::Bubblewrap(_))).then(|| {
        "the test ran in --sandbox strict, which has another home, /tmp and network, and no secrets in the environment; \
         allow more by --readable, --writable, --network or --keep-env, or see whether the test accepts the original with --sandbox auto"
            .to_owned()
    })
}

fn without(reason: &NoSandbox) -> String {
    format!("tests run without a sandbox, and may do what you may do: {reason}")
}
