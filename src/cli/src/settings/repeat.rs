//! Commands that repeat a reduction and its test. They can be pasted into a shell as they are.

use std::path::{Path, PathBuf};

use clreduce_engine::Options;
use clreduce_interestingness::TestCommand;
use serde_json::Value;

use crate::settings::resolve::TestAndOptions;
use crate::settings::test::{Test, on_files};
use crate::terminal::quoting::quoted;

/// The reduction that is repeated.
pub(crate) struct RepeatCommands<'a> {
    /// The test and the options.
    pub how: &'a TestAndOptions,
    /// The file or folder of the original.
    pub original: &'a Path,
    /// The name under which the test knows it.
    pub name: &'a str,
    /// The file or folder of the result.
    pub result: &'a Path,
}

impl RepeatCommands<'_> {
    /// Lists the commands: what each does, and the command itself.
    pub(crate) fn commands(&self) -> Vec<(String, String)> {
        let test = quoted(&self.how.test.to_string());
        let is_renamed = self.original.file_name().is_some_and(|name| name != self.name);
        let (before, input) = if is_renamed {
            let name = quoted(self.name);
            (format!("cp -r {} {name} && ", word(self.original)), name)
        } else {
            (String::new(), word(self.original))
        };
        let again = format!(
            "{before}clreduce {input} --test {test}{} --output {}",
            words_of(&self.how.options),
            quoted(&format!("reduced-{}", self.name))
        );
        let mut commands = vec![("reduce this case again".to_owned(), again)];
        let versions = [("result", self.result), ("original", self.original)];
        for (what, version) in versions.into_iter().filter(|(_, version)| version.exists()) {
            // The folder of a result contains the file under the name of the case.
            let file = version.join(self.name);
            let version = if file.is_file() { &file } else { version };
            commands.push(self.of_test(what, version));
        }
        commands
    }

    /// A command that runs the test on one version, in a directory of its own.
    fn of_test(&self, what: &str, version: &Path) -> (String, String) {
        let title = format!("run the test on the {what}");
        match &self.how.test {
            Test::Recipe(_, recipe) => {
                let (recipe, original) = (word(recipe), word(self.original));
                let program = word(version);
                let command =
                    format!("clreduce explain --test {recipe} {program} --original {original}");
                (title, command)
            }
            Test::Command(test) => {
                let test = match test {
                    TestCommand::Shell(_) if !version.is_dir() => {
                        on_files(test, &[PathBuf::from(self.name)]).unwrap_or_else(|_| test.clone())
                    }
                    test => test.clone(),
                };
                let (copied, to) = match version.is_dir() {
                    true => (version.join("."), ".".to_owned()),
                    false => (version.to_owned(), quoted(self.name)),
                };
                let command = if cfg!(windows) {
                    format!("mkdir try && xcopy /s {} try && cd try && {test}", word(version))
                } else {
                    format!("(cd \"$(mktemp -d)\" && cp -r {} {to} && {test})", word(&copied))
                };
                (format!("{title}{}", self.criterion()), command)
            }
        }
    }

    /// The condition that decides, if it is not the exit status.
    fn criterion(&self) -> String {
        let options = &self.how.options;
        let patterns = [
            ("standard output", &options.interesting_stdout),
            ("standard error", &options.interesting_stderr),
        ];
        let said = patterns.into_iter().filter_map(|(stream, pattern)| {
            Some(format!("{stream} matches /{}/", pattern.as_ref()?.regex()))
        });
        let said = said.collect::<Vec<_>>().join(" and ");
        if said.is_empty() { said } else { format!("; it is interesting if {said}") }
    }
}

/// The options as a person writes them, with a space before each: all but the defaults and those that
/// change nothing but the speed.
fn words_of(options: &Options) -> String {
    let options = Options { jobs: None, ..options.clone() };
    let json = |options: &Options| serde_json::to_value(options).unwrap_or_default();
    let (given, default) = (json(&options), json(&Options::default()));
    let given = given.as_object().into_iter().flatten();
    let changed = given.filter(|(name, value)| default.get(name.as_str()) != Some(value));
    changed
        .flat_map(|(name, value)| {
            // The value may be left out, so that a space would end it.
            let is_optional = ["flaky", "measure"].contains(&name.as_str());
            let joined =
                move |value: String| if is_optional { value.replacen(' ', "=", 1) } else { value };
            values(value).into_iter().map(move |value| format!(" --{name}{}", joined(value)))
        })
        .collect()
}

/// The values of an option, with a space before each; an empty one for a switch.
fn values(value: &Value) -> Vec<String> {
    match value {
        Value::Bool(_) => vec![String::new()],
        Value::String(text) => vec![format!(" {}", quoted(text))],
        Value::Array(several) => several.iter().flat_map(values).collect(),
        // A duration.
        Value::Object(parts) => {
            let part = |name| parts.get(name).and_then(Value::as_u64).unwrap_or_default();
            let milliseconds = part("secs") * 1000 + part("nanos") / 1_000_000;
            vec![format!(" {milliseconds}ms")]
        }
        other => vec![format!(" {other}")],
    }
}

/// The absolute path, so that a command can be pasted anywhere.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn word(path: &Path) -> String {
    quoted(&absolute(path).display().to_string())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::command_line::Args;

    /// The written options are read as the same options.
    #[test]
    fn options_survive_the_way_through_the_command_line() {
        let text = "clreduce x --interesting-stderr 'it''s' --timeout 1500ms --memory-limit 1000000 --lang c \
                    --skip-pass lines --skip-pass comments --protect a+ --protect b --keep-names --max-steps 7 \
                    --flaky=20%";
        let words = shlex::split(text).unwrap();
        let options = Args::try_parse_from(words).unwrap().reduce.options;
        let again = format!("clreduce x{}", words_of(&options));
        let again = Args::try_parse_from(shlex::split(&again).unwrap()).unwrap().reduce.options;
        assert_eq!(options, again);
        assert_eq!(words_of(&Options::default()), "");
    }
}
