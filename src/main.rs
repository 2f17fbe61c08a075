//! The `clreduce` program, with the pages of `docs/` that `clreduce help` shows.

use std::process::ExitCode;

use clreduce_cli::HelpPage;

/// Pages of `docs/` by their names.
macro_rules! pages {
    ($($name:literal),* $(,)?) => {
        [$(HelpPage { name: $name, text: include_str!(concat!("../docs/", $name, ".md")) }),*]
    };
}

/// The pages of the book, in its order.
static PAGES: [HelpPage; 35] = pages![
    "first-bug",
    "other-reducers",
    "what-now",
    "manual",
    "tests",
    "flaky",
    "measures",
    "batches",
    "reports",
    "sandbox",
    "from-command",
    "recipes",
    "judging",
    "running-kernels",
    "validity",
    "validity-order",
    "validity-cuda",
    "coverage",
    "campaigns",
    "campaign-sources",
    "generator",
    "generator-cuda",
    "generator-collectives",
    "corpus",
    "zoo",
    "remote",
    "remote-services",
    "windows",
    "embedding",
    "commands",
    "other-languages",
    "cpp",
    "passes",
    "events",
    "glossary",
];

fn main() -> ExitCode {
    clreduce_cli::main(&PAGES)
}
