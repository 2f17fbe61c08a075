//! The program clreduce: options, files on disk, and everything that is printed.
//!
//! Options pass two stages: [`command_line`] records them, and [`resolve`] decides what they mean.

mod args;
mod batch;
mod bug;
mod check;
mod clock;
mod command_line;
mod coverage;
mod defaults;
mod devices;
mod diagnosis;
mod diff;
mod doctor;
mod events_file;
mod expected;
mod explain;
mod failure;
mod finished;
mod flags;
mod fuzz;
mod generate;
mod init;
mod inputs;
mod interrupt;
mod judge;
mod keep;
mod kernels;
mod launches;
mod load;
mod mutants;
mod normalize;
mod not_interesting;
mod other_reducers;
mod page;
mod prepare;
mod printing;
mod progress;
mod quoting;
mod recipe;
mod reduce;
mod refused;
mod remote;
mod repeat;
mod report;
mod report_file;
mod resolve;
mod run;
mod sandbox;
mod screen;
mod script;
mod splice;
mod statistics;
mod summary;
mod table;
mod target;
mod test;
mod units;
mod version;
mod zoo;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use args::Color;
use clap::Parser;
use command_line::{Args, Command};
use defaults::DefaultsError;
use failure::CliError;
use printing::{argument_error, error_line, printable};

/// Runs the program.
pub fn main() -> ExitCode {
    let services = [clreduce_compiler::SERVICES, clreduce_devices::SERVICES].concat();
    if let Some(code) = clreduce_process::worker_main(&services) {
        return code;
    }
    if let Some(code) = clreduce_remote::judge_main() {
        return code;
    }
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    // `-V` is the short form.
    if words == ["--version"] {
        return ended(version::long().and_then(|text| print(&text)).map(|()| ExitCode::SUCCESS));
    }
    if let Some(error) = other_reducers::with_one_dash(&words) {
        return refused(&error);
    }
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return refused(&other_reducers::with_advice(error, &words)),
    };
    ended(with_defaults(args).map_err(CliError::from).and_then(start))
}

/// The exit status, after a message about the arguments, or the help that they ask for.
fn refused(error: &clap::Error) -> ExitCode {
    argument_error(error);
    if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS }
}

/// The exit status, after a message about a failure.
fn ended(result: Result<ExitCode, CliError>) -> ExitCode {
    match result {
        Ok(code) => code,
        // `clreduce ... | head` is fine.
        Err(failure) if failure.is_closed_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            let error = console::style("error").for_stderr().red().bold();
            error_line(&format!("{error}: {}", printable(&failure.message())));
            failure.exit_code()
        }
    }
}

/// The arguments of a reduction or a batch with the defaults of the user in them.
fn with_defaults(args: Args) -> Result<Args, DefaultsError> {
    match args.command {
        None if args.generate.is_none() && !args.list_passes => defaults::added_to(args, 1),
        Some(Command::Batch(_)) => defaults::added_to(args, 2),
        _ => Ok(args),
    }
}

fn start(args: Args) -> Result<ExitCode, CliError> {
    set_colors(args.reduce.show.color);
    if let Some(folder) = &args.zoo {
        zoo::choose(folder)?;
    }
    if let Some(options) = args.sandbox() {
        sandbox::choose(&options)?;
    }
    match args.command {
        Some(Command::Batch(args)) => return batch::batch(*args),
        Some(Command::Check(args)) => return check::check(&args),
        Some(Command::Explain(args)) => return explain::explain(&args),
        Some(Command::Devices(args)) => return devices::devices(&args),
        Some(Command::Doctor(args)) => return doctor::doctor(&args),
        Some(Command::Fuzz(args)) => return fuzz::fuzz(&args),
        Some(Command::Generate(args)) => return kernels::kernels(&args),
        Some(Command::Init(args)) => return init::init(&args),
        Some(Command::Inputs(args)) => return inputs::inputs(&args),
        Some(Command::Normalize(args)) => return normalize::normalize(&args),
        Some(Command::Splice(args)) => return splice::splice(&args),
        Some(Command::Prepare(args)) => return prepare::prepare(&args),
        Some(Command::Run(args)) => return run::run(&args),
        Some(Command::Mutants(args)) => return mutants::mutants(&args),
        Some(Command::Report(args)) => return bug::report(&args),
        Some(Command::Bisect(args)) => return bug::bisect(&args),
        None => {}
    }
    let mut out = printing::out();
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
/// When standard output does not take it.
fn print(text: &str) -> Result<(), CliError> {
    printing::out().write_all(printable(text).as_bytes()).map_err(CliError::Stdout)
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
