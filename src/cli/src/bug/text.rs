//! The text of a bug report: from what the configurations do with a program to the sections of the report.

use std::fs;
use std::path::Path;

use clreduce_crash as crash;
use clreduce_interestingness::{Outcome, TestCommand};
use clreduce_kernel::RunOutcome;
use clreduce_recipe::{
    Component, Evidence, Preset, RecipeTest, Role, compilers_in, warning_as_error,
};
use clreduce_report::{BugReport, ReportBlock, Section};
use clreduce_testcase::{SourceFile, TestCase};

use super::command::{command, for_others, without_home};
use super::host::HostProgram;
use super::machine_code;
use super::tools::{tool, version_of};
use super::witnesses::{comparison, drift};
use crate::settings::flags::filled_in;
use crate::terminal::printing::printable;
use crate::terminal::units::show_duration;

/// Lines of an output that are shown.
const LINES: usize = 20;
/// Characters of an error, of a result and of a configuration in a title.
const LONGEST_ERROR: usize = 120;
const LONGEST_RESULT: usize = 40;

/// The report on a bug that a recipe describes.
pub(super) fn of_recipe(test: &RecipeTest, evidence: &[Evidence], case: &TestCase) -> BugReport {
    let preset = test.preset();
    let Some(suspected) = evidence.iter().find(|one| one.role == Role::Suspected) else {
        return BugReport::default();
    };
    let witnesses: Vec<&Evidence> =
        evidence.iter().filter(|one| one.role == Role::Witness).collect();
    let (name, version) = tool(&suspected.tool);
    let host = HostProgram::of(suspected, case);
    let command = command(suspected, case, host.as_ref());
    let mut sections = vec![
        Section { heading: "Compiler", blocks: vec![ReportBlock::output(version)] },
        program(case),
        Section { heading: "Command", blocks: command },
        Section { heading: "What happens", blocks: happens(test, suspected) },
    ];
    sections.extend(test.component().map(component_section));
    let says = match wrong_message(test, suspected) {
        Some(message) if message.is_warning => {
            "The compiler should compile the program without this warning."
        }
        _ => expected(preset),
    };
    let expected = ReportBlock::Text(says.to_owned());
    sections.push(Section {
        heading: "What should happen",
        blocks: std::iter::once(expected).chain(comparison(suspected, &witnesses, case)).collect(),
    });
    sections.extend(host.map(HostProgram::section));
    sections.extend(machine_code::section(evidence, case));
    let remarks = test.unchecked().into_iter().chain(test.not_checked(case));
    sections.push(notes(remarks.chain(drift(suspected, &witnesses))));
    let right = witnesses.iter().find(|one| one.result() != suspected.result());
    let title = title(test, &name, suspected, right.copied());
    without_home(BugReport { title, sections })
}

/// The report on a bug that a program or a shell command finds, with the flags that it takes from its environment.
pub(super) fn of_command(
    command: &TestCommand,
    outcome: &Outcome,
    case: &TestCase,
    flags: Option<&str>,
) -> BugReport {
    let output = String::from_utf8_lossy(&outcome.output_tail);
    let text = match command {
        TestCommand::Shell(line) => line.clone(),
        // A program that is no script names no compilers.
        TestCommand::Program { path, .. } => fs::read_to_string(path).unwrap_or_default(),
    };
    let text = flags.map_or(text.clone(), |flags| filled_in(&text, flags));
    let mut compilers = compilers_in(&text);
    let named: Vec<String> = compilers
        .iter()
        .filter_map(|name| Some(format!("{name}: {}", version_of(name)?)))
        .collect();
    let is_crash = !crash::signature(&output).is_empty();
    let compiler = if compilers.is_empty() { "the compiler" } else { compilers.remove(0) };
    let title = if is_crash {
        format!("{compiler} crashes: {}", crash_in_words(&output))
    } else {
        let error = error_in_words(&output);
        format!("{compiler}: {}", if error.is_empty() { "bug" } else { &error })
    };
    let mut sections = Vec::new();
    if !named.is_empty() {
        sections.push(Section {
            heading: "Compiler",
            blocks: vec![ReportBlock::output(named.join("\n"))],
        });
    }
    sections.extend([
        program(case),
        Section { heading: "Command", blocks: vec![ReportBlock::output(for_others(&text, case))] },
        Section { heading: "What happens", blocks: output_blocks(&output) },
    ]);
    if is_crash {
        let blocks = vec![ReportBlock::Text(expected(Preset::Crash).to_owned())];
        sections.push(Section { heading: "What should happen", blocks });
    }
    sections.push(notes([]));
    without_home(BugReport { title, sections })
}

fn notes(remarks: impl IntoIterator<Item = String>) -> Section {
    let text = format!("The program was reduced with clreduce {}.", env!("CARGO_PKG_VERSION"));
    let blocks = std::iter::once(text).chain(remarks).map(ReportBlock::Text).collect();
    Section { heading: "Notes", blocks }
}

/// The message of a compiler that a recipe asks for.
struct WrongMessage<'a> {
    /// The line with it.
    text: String,
    /// The line and all after it.
    output: &'a str,
    /// True if it is a warning that the command turns into an error.
    is_warning: bool,
}

fn wrong_message<'a>(test: &RecipeTest, suspected: &'a Evidence) -> Option<WrongMessage<'a>> {
    let Some(RunOutcome::BuildFailure { log }) = suspected.outcomes.first() else { return None };
    let output = test.asked_for(log)?;
    let line = output.lines().next()?;
    let text = crash::first_error(line).unwrap_or(line).trim();
    let flag = warning_as_error(line);
    // Its flag is that of the warning again.
    let text = match (flag, text.rsplit_once(" [-Werror")) {
        (Some(flag), Some((text, _))) => format!("{text} [-W{flag}]"),
        _ => text.to_owned(),
    };
    Some(WrongMessage { text, output, is_warning: flag.is_some() })
}

fn title(
    test: &RecipeTest,
    name: &str,
    suspected: &Evidence,
    witness: Option<&Evidence>,
) -> String {
    let preset = test.preset();
    let pass = test.component().and_then(Component::pass_name);
    if let Some(message) = wrong_message(test, suspected) {
        let verb =
            if message.is_warning { "prints a wrong warning" } else { "rejects a valid program" };
        return format!("{name} {verb}: {}", message.text);
    }
    match preset {
        Preset::Hang => format!("{} does not finish", with_flags(name, suspected)),
        Preset::WrongCode => {
            let own = with_flags(name, suspected);
            let says = match pass {
                Some(pass) => format!("{pass} of {own} compiles a program wrongly"),
                None => format!("{own} compiles a program wrongly"),
            };
            match (result_in_words(suspected), witness.and_then(result_in_words)) {
                (Some(wrong), Some(right)) => format!("{says}: {wrong} instead of {right}"),
                _ => says,
            }
        }
        Preset::Emi => format!("{name}: equivalent programs have different results"),
        Preset::Crash | Preset::BuildFailure => {
            let verb = if preset == Preset::Crash { "crashes" } else { "rejects a valid program" };
            let signature = match suspected.outcomes.first() {
                Some(RunOutcome::BuildCrash(crash) | RunOutcome::RunCrash(crash)) => {
                    let signature = crash_in_words(&crash.output);
                    if signature.is_empty() { crash.how.clone() } else { signature }
                }
                Some(RunOutcome::BuildFailure { log }) => error_in_words(log),
                _ => String::new(),
            };
            match pass {
                // The stack may name it, too.
                Some(pass) => {
                    let named = format!("pass {pass}");
                    let rest: Vec<&str> =
                        signature.split("; ").filter(|part| *part != named).collect();
                    format!("{pass} {verb} in {name}: {}", rest.join("; "))
                }
                None => format!("{name} {verb}: {signature}"),
            }
        }
    }
}

/// The part of the compiler that is wrong.
fn component_section(component: &Component) -> Section {
    let found = format!("Found with the original program: {}.", component.describe());
    let alone = component.command.as_ref().map(|command| {
        [
            ReportBlock::Text("This command for the stage alone shows the bug:".to_owned()),
            ReportBlock::output(command.clone()),
        ]
    });
    let blocks = std::iter::once(ReportBlock::Text(found)).chain(alone.into_iter().flatten());
    Section { heading: "Component", blocks: blocks.collect() }
}

/// The signature of a crash, with the name of the construct that the compiler was at.
fn crash_in_words(output: &str) -> String {
    let words = crash::signature(output);
    let subject = crash::subject(output).unwrap_or_default();
    let named = words.iter().map(|word| match subject.strip_prefix(&**word) {
        Some(rest) if rest.starts_with([' ', '(']) => subject,
        _ => word,
    });
    named.collect::<Vec<_>>().join("; ")
}

/// The first error of a compiler, or else its first line.
fn error_in_words(output: &str) -> String {
    let first = || output.lines().map(str::trim).find(|line| !line.is_empty());
    let error = output.lines().find_map(crash::first_error);
    let error = error.or_else(first).unwrap_or_default();
    printable(error).chars().take(LONGEST_ERROR).collect()
}

/// The name of a compiler with the flags that decide what it makes of a program, if the recipe names them.
fn with_flags<'a>(name: &'a str, suspected: &'a Evidence) -> &'a str {
    let own = suspected.configuration.as_str();
    let is_name = own.starts_with(name) && !own.contains('{') && own.len() <= LONGEST_RESULT;
    if is_name { own } else { name }
}

/// A result that fits into a title.
fn result_in_words(one: &Evidence) -> Option<String> {
    let text = printable(&one.result()?).split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty() && text.len() <= LONGEST_RESULT).then_some(text)
}

fn program(case: &TestCase) -> Section {
    let blocks = case.files().iter().flat_map(|file| {
        let text = String::from_utf8_lossy(&file.bytes).into_owned();
        [
            ReportBlock::Text(format!("{}:", file.path)),
            ReportBlock::Verbatim { language: language(file), text },
        ]
    });
    Section { heading: "Program", blocks: blocks.collect() }
}

/// The language of a file as Markdown names it.
fn language(file: &SourceFile) -> &'static str {
    let extension = Path::new(&*file.path).extension().and_then(|extension| extension.to_str());
    match extension.unwrap_or_default() {
        "c" | "h" | "i" | "cl" => "c",
        "cc" | "cpp" | "cxx" | "C" | "hpp" | "hh" | "ii" | "clcpp" => "cpp",
        "cu" => "cuda",
        "ll" => "llvm",
        "rs" => "rust",
        _ => "",
    }
}

fn happens(test: &RecipeTest, suspected: &Evidence) -> Vec<ReportBlock> {
    let preset = test.preset();
    if let Some(message) = wrong_message(test, suspected) {
        let says = if message.is_warning {
            "The compiler prints this warning, which the command turns into an error:"
        } else {
            "The compiler rejects the program:"
        };
        let lines: Vec<&str> = message.output.lines().take(LINES).collect();
        let lines = printable(&lines.join("\n")).into_owned();
        return vec![ReportBlock::Text(says.to_owned()), ReportBlock::output(lines)];
    }
    let limit = show_duration(suspected.limit);
    let text = |text: String| ReportBlock::Text(text);
    let mut blocks = Vec::new();
    for outcome in &suspected.outcomes {
        match outcome {
            RunOutcome::BuildCrash(crash) | RunOutcome::RunCrash(crash) => {
                let what = if matches!(outcome, RunOutcome::BuildCrash(_)) {
                    "The compiler crashes"
                } else {
                    "The program or its driver crashes"
                };
                blocks.push(text(format!("{what} ({}).", crash.how)));
                blocks.extend(output_blocks(&crash.output));
            }
            RunOutcome::BuildTimeout => {
                blocks.push(text(format!("The compiler does not finish within {limit}.")));
            }
            RunOutcome::RunTimeout => {
                blocks.push(text(format!("The program does not finish within {limit}.")));
            }
            RunOutcome::BuildFailure { log } => {
                blocks.push(text("The compiler rejects the program.".to_owned()));
                blocks.push(ReportBlock::output(telling_lines(log)));
            }
            RunOutcome::Results(_) if preset == Preset::Emi => {}
            RunOutcome::Results(_) => {
                blocks.push(text("The result is wrong:".to_owned()));
                blocks.push(ReportBlock::output(suspected.result().unwrap_or_default()));
            }
            other => blocks.push(ReportBlock::output(other.details())),
        }
    }
    if preset == Preset::Emi {
        blocks.push(text(format!("The results differ: {}", suspected.summary())));
    }
    blocks
}

fn expected(preset: Preset) -> &'static str {
    match preset {
        Preset::Crash => {
            "The compiler should compile the program, or reject it with an error message."
        }
        Preset::Hang => "The compiler should finish.",
        Preset::WrongCode => {
            "The program has no undefined behaviour that the checks find, and should have one result."
        }
        Preset::BuildFailure => "The compiler should accept the program.",
        Preset::Emi => {
            "The programs are equivalent for their input and should have the same result."
        }
    }
}

/// The part of an output that tells of a crash; the first error or the end of any other output.
fn output_blocks(output: &str) -> Vec<ReportBlock> {
    let mut blocks = Vec::new();
    let pass = crash::pass(output).map(|pass| format!("while running: {pass}"));
    let subject = crash::subject(output).filter(|_| pass.is_none());
    let subject = subject.map(|subject| format!("while at: {subject}"));
    let said: Vec<String> = crash::message_line(output)
        .map(str::to_owned)
        .into_iter()
        .chain(pass)
        .chain(subject)
        .collect();
    if !said.is_empty() {
        blocks.push(ReportBlock::output(said.join("\n")));
    }
    let stack = crash::stack(output);
    if !stack.is_empty() {
        blocks.push(ReportBlock::Text(
            "The stack, without the functions that handle the crash:".to_owned(),
        ));
        let frame = |(number, name): (usize, &String)| format!("#{number} {name}");
        let frames: Vec<String> = stack.iter().take(10).enumerate().map(frame).collect();
        blocks.push(ReportBlock::output(frames.join("\n")));
    }
    if blocks.is_empty() && !output.trim().is_empty() {
        blocks.push(ReportBlock::output(telling_lines(output)));
    }
    blocks
}

/// The first error of a compiler and what follows; without an error, the end of the output.
fn telling_lines(text: &str) -> String {
    // Colours mean nothing in a report.
    let text = printable(text.trim_end());
    let lines: Vec<&str> = text.lines().collect();
    let error = lines.iter().position(|line| crash::first_error(line).is_some());
    let start = error.unwrap_or(lines.len().saturating_sub(LINES));
    lines[start..lines.len().min(start + LINES)].join("\n")
}
