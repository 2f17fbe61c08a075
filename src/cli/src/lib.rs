//! The program clreduce: options, files on disk, and everything that is printed.
//!
//! Options pass two stages: [`command_line`] records them, and [`resolve`] decides what they mean.

mod args;
mod batch;
mod bug;
mod check;
mod command_line;
mod devices;
mod diagnosis;
mod events_file;
mod explain;
mod failure;
mod finished;
mod generate;
mod init;
mod interrupt;
mod judge;
mod keep;
mod load;
mod not_interesting;
mod other_reducers;
mod prepare;
mod printing;
mod progress;
mod quoting;
mod recipe;
mod reduce;
mod report;
mod report_file;
mod resolve;
mod run;
mod script;
mod statistics;
mod summary;
mod table;
mod target;
mod test;
mod units;

use std::io::{self, Write};
use std::process::ExitCode;

use args::Color;
use clap::Parser;
use command_line::{Args, Command};
use failure::CliError;
use printing::{error_line, printable};

/// Runs the program.
pub fn main() -> ExitCode {
    let services = [clreduce_compiler::SERVICES, clreduce_devices::SERVICES].concat();
    if let Some(code) = clreduce_process::worker_main(&services) {
        return code;
    }
    let args = Args::try_parse().unwrap_or_else(|error| other_reducers::with_advice(error).exit());
    set_colors(args.reduce.show.color);
    match start(args) {
        Ok(code) => code,
        // `clreduce ... | head` is fine.
        Err(CliError::Stdout(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(failure) => {
            let error = console::style("error").for_stderr().red().bold();
            error_line(&format!("{error}: {}", printable(&failure.message())));
            failure.exit_code()
        }
    }
}

fn start(args: Args) -> Result<ExitCode, CliError> {
    match args.command {
        Some(Command::Batch(args)) => return batch::batch(*args),
        Some(Command::Check(args)) => return check::check(&args),
        Some(Command::Explain(args)) => return explain::explain(&args),
        Some(Command::Devices(args)) => return devices::devices(&args),
        Some(Command::Init(args)) => return init::init(&args),
        Some(Command::Prepare(args)) => return prepare::prepare(&args),
        Some(Command::Run(args)) => return run::run(&args),
        Some(Command::Report(args)) => return bug::report(&args),
        Some(Command::Bisect(args)) => return bug::bisect(&args),
        None => {}
    }
    let mut out = io::stdout();
    if let Some(what) = args.generate {
        generate::generate(what, &mut out).map_err(CliError::Stdout)?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.list_passes {
        out.write_all(table::of_passes().as_bytes()).map_err(CliError::Stdout)?;
        return Ok(ExitCode::SUCCESS);
    }
    let settings = resolve::resolve(args.reduce)?;
    reduce::reduce(&settings)
}

/// Writes text to standard output.
///
/// # Errors
/// When standard output does not take it. A closed pipe is no error: `clreduce ... | head` is fine.
fn print(text: &str) -> Result<(), CliError> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CliError::Stdout(error)),
        _ => Ok(()),
    }
}

fn set_colors(color: Color) {
    let enabled = match color {
        // `console` looks at the terminal, NO_COLOR and CLICOLOR itself.
        Color::Auto => return,
        Color::Always => true,
        Color::Never => false,
    };
    console::set_colors_enabled(enabled);
    console::set_colors_enabled_stderr(enabled);
}
