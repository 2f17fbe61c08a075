//! Other commands for the same file that a command is compared with: by how long they take, for example.

use std::ffi::OsStr;

use clreduce_process::quoted;

use super::installed::{other_compilers, other_versions};
use crate::compilation::Compilation;
use crate::compilation::command::{CompileCommand, LineOptions};
use crate::suspect::with_compiler;

/// The versions of a compiler that are compared with it: the newest ones.
const VERSIONS: usize = 3;

/// The level of optimisation that takes least.
const PLAIN: &str = "-O0";

/// A command for the file in the current directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedCommand {
    /// The compiler with the options that matter.
    pub name: String,
    /// The line for the shell.
    pub line: String,
}

impl Compilation {
    /// The command itself, for the file in the current directory.
    #[must_use]
    pub fn named(&self) -> NamedCommand {
        self.named_with(&self.command, None)
    }

    /// The commands that this one is compared with: the given ones, or else the same compiler without optimisation, its other versions, and
    /// another compiler.
    #[must_use]
    pub fn alternatives(&self, also: &[CompileCommand]) -> Vec<NamedCommand> {
        if !also.is_empty() {
            return also.iter().map(|command| self.named_with(command, None)).collect();
        }
        let (own, compiler) = (self.named(), self.command.compiler());
        let plain = self.command.optimises().then(|| self.named_with(&self.command, Some(PLAIN)));
        let versions = other_versions(compiler).into_iter().take(VERSIONS);
        let others = versions.chain(other_compilers(compiler, &self.name));
        let by_others = others.map(|other| NamedCommand {
            name: with_compiler(&own.name, &other),
            line: with_compiler(&own.line, &other),
        });
        let mut all: Vec<NamedCommand> = Vec::new();
        for one in plain.into_iter().chain(by_others) {
            if one.line != own.line && !all.contains(&one) {
                all.push(one);
            }
        }
        all
    }

    fn named_with(&self, command: &CompileCommand, optimisation: Option<&str>) -> NamedCommand {
        let file = quoted(OsStr::new(&self.name));
        let form = LineOptions { file: &file, optimisation, ..LineOptions::RECIPE };
        NamedCommand { name: command.short_name(optimisation), line: command.line(form) }
    }
}
