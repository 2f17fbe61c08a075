//! The program clreduce: options, files on disk, and everything that is printed.
//!
//! Options pass two stages: [`command_line`] records them, and [`settings`] decides what they mean.

mod batch;
mod bug;
mod command_line;
mod defaults;
mod failure;
mod files;
mod flags;
mod fuzz;
mod help;
mod judge;
mod kernels;
mod other_reducers;
mod past;
mod programs;
mod reduce;
mod settings;
mod setup;
mod terminal;
mod version;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use command_line::{Args, Command};
use defaults::DefaultsError;
use failure::CliError;
pub use help::HelpPage;
use settings::{resolve, sandbox, zoo};
use terminal::printing::{self, argument_error, error_line, printable};
use terminal::table;

/// Runs the program. `clreduce help` shows the pages.
pub fn main(pages: &[HelpPage]) -> ExitCode {
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
        return ended(
            version::long()
                .and_then(|text| printing::print(&text).map_err(CliError::Stdout))
                .map(|()| ExitCode::SUCCESS),
        );
    }
    if let Some(error) = other_reducers::with_one_dash(&words) {
        return refused(&error);
    }
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return refused(&other_reducers::with_advice(error, &words)),
    };
    ended(with_defaults(args).map_err(CliError::from).and_then(|args| start(args, pages)))
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

fn start(args: Args, pages: &[HelpPage]) -> Result<ExitCode, CliError> {
    args.reduce.show.color.apply();
    if let Some(folder) = &args.zoo {
        zoo::choose(folder)?;
    }
    if let Some(options) = args.sandbox() {
        sandbox::choose(&options)?;
    }
    match args.command {
        Some(Command::Batch(args)) => return batch::batch(*args),
        Some(Command::Check(args)) => return kernels::check::check(&args),
        Some(Command::Explain(args)) => return setup::explain::explain(&args),
        Some(Command::Devices(args)) => return kernels::devices::devices(&args),
        Some(Command::Doctor(args)) => return setup::doctor::doctor(&args),
        Some(Command::Languages(args)) => return setup::languages::languages(&args),
        Some(Command::Fuzz(args)) => return fuzz::fuzz(&args),
        Some(Command::Generate(args)) => return kernels::generate::generate(&args),
        Some(Command::Init(args)) => return setup::init::init(&args),
        Some(Command::Inputs(args)) => return kernels::inputs::inputs(&args),
        Some(Command::Normalize(args)) => return programs::normalize::normalize(&args),
        Some(Command::Emi(args)) => return programs::emi::emi(&args),
        Some(Command::Splice(args)) => return programs::splice::splice(&args),
        Some(Command::Prepare(args)) => return programs::prepare::prepare(&args),
        Some(Command::Run(args)) => return kernels::run::run(&args),
        Some(Command::Measure(args)) => return setup::measure::measure(&args),
        Some(Command::Mutants(args)) => return programs::mutants::mutants(&args),
        Some(Command::History(args)) => return past::history(&args),
        Some(Command::Why(args)) => return past::why(&args),
        Some(Command::Report(args)) => return bug::report(&args),
        Some(Command::Bisect(args)) => return bug::bisect(&args),
        Some(Command::Help(args)) => return help::help(&args, pages),
        None => {}
    }
    let mut out = printing::out();
    if let Some(what) = args.generate {
        help::generate::generate(what, args.reduce.output.as_deref(), &mut out)?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.list_passes {
        out.write_all(table::of_passes().as_bytes()).map_err(CliError::Stdout)?;
        return Ok(ExitCode::SUCCESS);
    }
    let settings = resolve::resolve(args.reduce)?;
    reduce::reduce(&settings)
}
