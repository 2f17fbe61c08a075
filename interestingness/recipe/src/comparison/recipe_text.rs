//! The text of the recipe for a bug that a comparison of devices found.

use std::fmt::Write;
use std::path::Path;

use clreduce_check::FindingKind;
use clreduce_kernel::VoteResult;

use super::devices::USUAL_LIMIT;
use super::{DeviceComparison, SuspectedBug};
use crate::format::Preset;
use crate::shown::on_one_line;
use crate::toml_text::in_toml;

impl DeviceComparison {
    /// The recipe for it. `arguments` is the file that describes the arguments, `build_options` are for every
    /// build, and `allow_unchecked` are the kinds of errors that need not be checked.
    #[must_use]
    pub fn recipe(
        &self,
        kernel: &str,
        bug: SuspectedBug,
        arguments: Option<&Path>,
        build_options: &str,
        allow_unchecked: &[FindingKind],
    ) -> String {
        let mut text = format!("# The bug that clreduce found with {}:\n", on_one_line(kernel));
        let width =
            self.configurations.iter().map(|seen| seen.name().len()).max().unwrap_or_default();
        // Writing to a string cannot fail, here and below.
        for seen in &self.configurations {
            let _ =
                writeln!(text, "#   {:<width$}  {}", seen.name(), on_one_line(&seen.describe()));
        }
        let _ = writeln!(text, "preset = \"{}\"", bug.preset.name());
        if !build_options.is_empty() {
            let _ = writeln!(text, "options = {}", in_toml(build_options));
        }
        if let Some(arguments) = arguments {
            let _ = writeln!(text, "arguments = {}", in_toml(&arguments.to_string_lossy()));
        }
        if !allow_unchecked.is_empty() {
            let kinds: Vec<&str> = allow_unchecked.iter().map(|kind| kind.name()).collect();
            let _ = writeln!(text, "allow-unchecked = {kinds:?}");
        }
        let witnesses = self.witnesses(bug);
        for index in std::iter::once(bug.configuration).chain(witnesses.iter().copied()) {
            let seen = &self.configurations[index];
            let _ = write!(text, "\n[[configuration]]\ndevice = {}\n", in_toml(&seen.device));
            if !seen.options.is_empty() {
                let _ = writeln!(text, "options = {}", in_toml(&seen.options));
            }
            if index == bug.configuration {
                text.push_str("accused = true\n");
            }
        }
        if bug.preset == Preset::Hang && witnesses.is_empty() {
            let _ = writeln!(text, "timeout = \"{}s\"", USUAL_LIMIT.as_secs());
        }
        // No compiler is to blame for a crash of a program that is not valid, and with this class the program has to be valid.
        if self.configurations[bug.configuration].finding == VoteResult::RunCrash {
            text.push_str("\n[outcome]\nclass = \"run_crash\"\n");
        }
        text
    }
}
