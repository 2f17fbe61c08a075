//! `clreduce init --slow` and `--memory`: compares what a compiler takes with what other commands take for the same program, and
//! writes a test that prints how many times as much it is.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clreduce_interestingness::{Limits, Quantity};
use clreduce_process::{ToolRunner, quoted};
use clreduce_recipe::{Compilation, NamedCommand};
use clreduce_testcase::TestCase;
use clreduce_tools::find_program;

use super::InitArgs;
use super::compiler::{also, unless_exists};
use crate::failure::{CliError, InitError};
use crate::judge::recipe;
use crate::setup::init::script;
use crate::setup::measure::{MeasuredResource, measure_on};
use crate::terminal::clock::Clock;
use crate::terminal::interrupt;
use crate::terminal::printing::printable;

/// The limit of one command, unless the person sets one: what is too slow takes long.
const LIMIT: Duration = Duration::from_secs(600);

/// The name of this program on the search path.
const NAME: &str = "clreduce";

/// A command and what it takes.
type Taken = (NamedCommand, Quantity);

/// The resource that the compiler takes too much of, if that is what is wrong.
pub(super) fn resource(args: &InitArgs) -> Option<MeasuredResource> {
    let time = args.slow.then_some(MeasuredResource::Time);
    time.or(args.memory.then_some(MeasuredResource::Memory))
}

/// Writes the test.
///
/// # Errors
/// When the command fails, no other one takes less than half, or a file is in the way.
pub(super) fn init(
    args: &InitArgs,
    compilation: &Compilation,
    what: MeasuredResource,
) -> Result<ExitCode, CliError> {
    if args.script.is_some() || args.accuse.is_some() {
        return Err(InitError::OnlyForKernels.into());
    }
    let cancel = interrupt::on_interrupt()?;
    let path = unless_exists(PathBuf::from(&compilation.name).with_extension("sh"))?;
    let also = also(args, compilation)?;
    let case = TestCase::single(&compilation.name, compilation.source.clone())
        .map_err(|error| InitError::Command(error.into()))?;
    let options = recipe::options_alone(&cancel);
    let limits = Limits { time: Some(args.timeout.unwrap_or(LIMIT)), ..Limits::default() };
    let tools =
        ToolRunner::confined(options.temporary, options.worker, limits, options.confinement);
    let clock = Clock::start();
    let progress = clock.progress();
    let take = |command: NamedCommand| {
        progress.at(&format!("{}: compiling {}", command.name, compilation.name));
        let taken = measure_on(what, &command.line, &case, &tools, &cancel);
        if cancel.is_cancelled() { Err(CliError::Interrupted) } else { Ok((command, taken)) }
    };
    let (own, taken) = take(compilation.named())?;
    let own: Taken = (own, taken.map_err(InitError::Measure)?);
    let mut others: Vec<Taken> = Vec::new();
    for command in compilation.alternatives(&also) {
        // One that rejects the program says nothing.
        if let (command, Ok(taken)) = take(command)? {
            others.push((command, taken));
        }
    }
    drop(clock);
    let all = std::iter::once(&own).chain(&others).map(|taken| shown(taken, what));
    let all: Vec<String> = all.collect();
    let least = others.iter().min_by_key(|(_, taken)| *taken);
    let Some(reference) = least.filter(|(_, taken)| *taken <= own.1.part(1, 2)) else {
        let all = all.iter().map(|line| format!("\n    {line}")).collect();
        return Err(InitError::NotMore { what: what.name(), name: own.0.name, all }.into());
    };
    script::create(&path, &text(what, &all, [&own.0, &reference.0])?, true)
        .map_err(|source| CliError::Write { path: path.clone(), source })?;
    print(&all, &compilation.command.source().display().to_string(), &path)
        .map_err(CliError::Stdout)?;
    Ok(ExitCode::SUCCESS)
}

/// "gcc-12 -O2: 3.1 s".
fn shown((command, taken): &Taken, what: MeasuredResource) -> String {
    let unit = match what {
        MeasuredResource::Time => "s",
        MeasuredResource::Memory => "MiB",
        MeasuredResource::Instructions => "million",
    };
    format!("{}: {} {unit}", command.name, taken.rounded())
}

/// The text of the test, which compares two commands.
///
/// # Errors
/// When the system does not tell the path of this program.
fn text(
    what: MeasuredResource,
    all: &[String],
    commands: [&NamedCommand; 2],
) -> Result<String, CliError> {
    let about: String = all.iter().map(|line| format!("#   {line}\n")).collect();
    let [own, reference] = commands.map(|command| quoted(command.line.as_ref()));
    let (program, what) = (this_program()?, what.name());
    Ok(format!(
        "#!/bin/sh\n# What `clreduce init` has measured:\n{about}\
         # Prints how many times as much {what} the first command takes as the second.\n\
         exec {program} measure {what} {own} \\\n    {reference}\n",
    ))
}

/// This program as a word for the shell: its name, or its path where the name stands for another program or for none.
fn this_program() -> Result<String, CliError> {
    let own = env::current_exe().map_err(CliError::OwnPath)?;
    let named = find_program(NAME).and_then(|path| fs::canonicalize(path).ok());
    let is_named = named.is_some() && named == fs::canonicalize(&own).ok();
    Ok(if is_named { NAME.to_owned() } else { quoted(own.as_os_str()) })
}

fn print(all: &[String], source: &str, test: &Path) -> io::Result<()> {
    let mut out = crate::terminal::printing::out();
    for line in all {
        writeln!(out, "{}", printable(line))?;
    }
    let (source, test) = (quoted(source.as_ref()), quoted(test.as_os_str()));
    writeln!(out, "\nwritten: {test}\nreduce:  clreduce {source} --test ./{test} --measure")
}
