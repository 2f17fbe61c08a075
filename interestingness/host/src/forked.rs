//! Builds by fork servers, where many kernels come.

use std::ffi::OsString;

use clreduce_compiler::ForkedCompiler;

use crate::toolchain::Toolchain;
use crate::{FILE, parts};

/// Has a fork server of clang compile a text. There is no result if there is no fork server, or if it does not succeed.
pub(crate) fn compile(
    toolchain: &Toolchain<'_>,
    mut arguments: Vec<OsString>,
    file: &str,
    text: &[u8],
) -> Option<Vec<u8>> {
    let forks = toolchain.forks?;
    arguments.extend(["-", "-o", "-"].map(OsString::from));
    let compiler = ForkedCompiler { program: toolchain.clang.program().to_owned(), arguments };
    if !forks.pays_for(&compiler) {
        return None;
    }
    let Ok(library) = parts::fork_server(toolchain) else {
        if !toolchain.cancel.is_cancelled() {
            forks.give_up();
        }
        return None;
    };
    let mut source = Vec::new();
    if file == FILE {
        // For line tables, and `__FILE__`.
        source.extend(format!("#line 1 \"{FILE}\"\n").into_bytes());
    }
    source.extend(text);
    forks.compile(compiler, library, source, &toolchain.tools.limits, toolchain.cancel)
}
