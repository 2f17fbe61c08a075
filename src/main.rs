//! The `clreduce` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    clreduce_cli::main()
}
