//! The pages of the commands for the book: usage, arguments and options in Markdown, from the definitions that `--help` prints.

use std::fmt::Write as _;

use clap::{Arg, Command};

/// The page of a command that was built.
pub(crate) fn of_command(command: &Command) -> String {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut text =
        format!("# {name}\n\nFor people who use `{name}`: its options. {}.\n\n", escaped(&about));
    let usage = command.clone().render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage).replace("\n       ", "\n");
    // Writing to a string cannot fail.
    let _ = write!(text, "```text\n{usage}\n```\n");
    let shown: Vec<&Arg> =
        command.get_arguments().filter(|argument| !argument.is_hide_set()).collect();
    let mut heads: Vec<&str> = Vec::new();
    for head in shown.iter().map(|argument| head_of(argument)) {
        if !heads.contains(&head) {
            heads.push(head);
        }
    }
    for head in heads {
        let _ = write!(text, "\n## {head}\n\n");
        for argument in shown.iter().filter(|argument| head_of(argument) == head) {
            text.push_str(&entry(argument));
        }
    }
    if let Some(after) = command.get_after_long_help().or_else(|| command.get_after_help()) {
        let _ = write!(text, "\n```text\n{}\n```\n", after.to_string().trim_end());
    }
    text
}

fn head_of(argument: &Arg) -> &str {
    let usual = if argument.is_positional() { "Arguments" } else { "Options" };
    argument.get_help_heading().unwrap_or(usual)
}

/// An argument as an entry of a list: how it is written, what it means, its values.
fn entry(argument: &Arg) -> String {
    let short = argument.get_short().map(|short| format!("`-{short}`, ")).unwrap_or_default();
    let mut text = format!("- {short}`{argument}`: ");
    let help = argument.get_long_help().or_else(|| argument.get_help());
    let help = help.map(ToString::to_string).unwrap_or_default();
    text.push_str(&escaped(&help).replace("\n\n", "\n\n  "));
    let values = argument.get_possible_values();
    let values: Vec<_> = values.iter().filter(|value| !value.is_hide_set()).collect();
    let takes_values = argument.get_action().takes_values();
    if takes_values && !values.is_empty() && !argument.is_hide_possible_values_set() {
        let names: Vec<String> =
            values.iter().map(|value| format!("`{}`", value.get_name())).collect();
        let _ = write!(text, ". Values: {}", names.join(", "));
    }
    let defaults = argument.get_default_values();
    if takes_values && !defaults.is_empty() && !help.contains("[default") {
        let names: Vec<_> = defaults.iter().map(|value| value.to_string_lossy()).collect();
        let _ = write!(text, ". Default: `{}`", names.join("`, `"));
    }
    text + "\n"
}

/// Text of the help as Markdown: what is no code shows its signs as they are.
fn escaped(help: &str) -> String {
    let escape = |(index, part): (usize, &str)| {
        if index % 2 == 1 {
            return format!("`{part}`");
        }
        part.chars().fold(String::new(), |mut text, c| {
            if matches!(c, '<' | '*' | '_' | '[') {
                text.push('\\');
            }
            text.push(c);
            text
        })
    };
    help.split('`').enumerate().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::command_line::Args;

    #[test]
    fn each_page_has_every_argument() {
        let mut all = Args::command();
        all.build();
        for command in all.get_subcommands().chain([&all]) {
            let page = of_command(command);
            for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
                assert!(page.contains(&format!("`{argument}`: ")), "{argument} is not in:\n{page}");
            }
        }
    }

    #[test]
    fn signs_outside_of_code_are_escaped() {
        assert_eq!(escaped("write `*.orig` or *.c <N>"), "write `*.orig` or \\*.c \\<N>");
    }
}
