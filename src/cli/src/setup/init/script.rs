//! Scripts that `clreduce init` writes instead of a recipe, for people who want to extend the test. They call
//! `clreduce check` and `clreduce run`.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use clreduce_kernel::OutcomeClass;

use crate::kernels::run::status;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScriptLanguage {
    Shell,
    #[value(name = "powershell")]
    PowerShell,
    Python,
}

impl ScriptLanguage {
    /// The end of its name.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Shell => "sh",
            Self::PowerShell => "ps1",
            Self::Python => "py",
        }
    }
}

/// The description of a script.
pub(crate) struct Script {
    /// Name of the kernel's file.
    pub kernel: String,
    /// Lines of comment.
    pub about: Vec<String>,
    /// The stages of `clreduce check`.
    pub checks: Vec<String>,
    /// The original has warnings that `clreduce check` takes for errors.
    pub not_portable: bool,
    /// The outcome of the accused configuration.
    pub class: OutcomeClass,
    /// Its messages.
    pub words: Vec<String>,
    /// The accused as options of `clreduce run`.
    pub accused: Vec<String>,
    /// The witnesses that agree with each other, each as options of `clreduce run`.
    pub witnesses: Vec<Vec<String>>,
    /// Description of the arguments, absolute.
    pub arguments: Option<PathBuf>,
    /// For every build.
    pub build_options: String,
}

impl Script {
    /// The words of one call of `clreduce run`.
    fn run(&self, configuration: &[String]) -> Vec<String> {
        let mut words = vec!["clreduce".to_owned(), "run".to_owned(), self.kernel.clone()];
        words.extend_from_slice(configuration);
        if let Some(arguments) = &self.arguments {
            words.extend(["--args".to_owned(), arguments.display().to_string()]);
        }
        words.extend(self.build_words());
        words
    }

    /// The words of the call of `clreduce check`; none where nothing is checked.
    fn check(&self) -> Option<Vec<String>> {
        let stages = self.checks.iter().filter(|stage| !(self.not_portable && *stage == "compile"));
        let stages: Vec<&str> = stages.map(String::as_str).collect();
        let start = ["clreduce", "check", &self.kernel, "--only"].map(str::to_owned);
        (!stages.is_empty()).then(|| {
            start.into_iter().chain([stages.join(",")]).chain(self.build_words()).collect()
        })
    }

    fn build_words(&self) -> Vec<String> {
        let words: Vec<String> = self.build_options.split_whitespace().map(str::to_owned).collect();
        if words.is_empty() {
            words
        } else {
            std::iter::once("--".to_owned()).chain(words).collect()
        }
    }

    /// A text that the accused prints whatever the variant, if it prints any.
    fn phrase(&self) -> Option<&str> {
        let pieces = self.words.iter().flat_map(|word| word.split('…')).map(str::trim);
        let pieces = pieces.map(|piece| {
            piece
                .trim_start_matches("in ")
                .trim_start_matches("assertion ")
                .trim_start_matches("error: ")
        });
        pieces.filter(|piece| piece.len() > 3).max_by_key(|piece| piece.len())
    }

    fn is_result(&self) -> bool {
        self.class == OutcomeClass::Result
    }
}

/// The text of a script.
pub(crate) fn write(kind: ScriptLanguage, script: &Script) -> String {
    match kind {
        ScriptLanguage::Shell => shell(script),
        ScriptLanguage::PowerShell => powershell(script),
        ScriptLanguage::Python => python(script),
    }
}

/// Writes a new file; a script can be run.
///
/// # Errors
/// When it is there already, or the system refuses.
pub(crate) fn create(path: &Path, text: &str, is_script: bool) -> io::Result<()> {
    let mut file: File = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())?;
    #[cfg(unix)]
    if is_script {
        use std::os::unix::fs::PermissionsExt;
        file.set_permissions(std::fs::Permissions::from_mode(0o755))?;
    }
    #[cfg(not(unix))]
    let _ = is_script;
    Ok(())
}

fn lines(about: &[String]) -> String {
    about.iter().map(|line| format!("{line}\n")).collect()
}

fn words(words: &[String]) -> String {
    let quote = |word: &String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,=+:".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}

fn shell(script: &Script) -> String {
    let mut text = format!("#!/bin/sh\n{}", lines(&script.about));
    if let Some(check) = script.check() {
        text.push_str(&format!("{} >/dev/null 2>&1 || exit 1\n", words(&check)));
    }
    let accused = words(&script.run(&script.accused));
    if script.is_result() {
        text.push_str(&format!("wrong=$({accused} 2>/dev/null) || exit 1\n"));
        for (index, witness) in script.witnesses.iter().enumerate() {
            let witness = words(&script.run(witness));
            text.push_str(&format!("right=$({witness} 2>/dev/null) || exit 1\n"));
            text.push_str("[ \"$wrong\" != \"$right\" ] || exit 1\n");
            if index > 0 {
                text.push_str("[ \"$first\" = \"$right\" ] || exit 1\n");
            } else if script.witnesses.len() > 1 {
                text.push_str("first=$right\n");
            }
        }
        text.push_str("exit 0\n");
        return text;
    }
    text.push_str(&format!(
        "said=$({accused} 2>&1)\n[ $? -eq {} ] || exit 1\n",
        status(script.class)
    ));
    if let Some(phrase) = script.phrase() {
        let phrase = words(&[phrase.to_owned()]);
        text.push_str(&format!("printf '%s\\n' \"$said\" | grep -qF -e {phrase} || exit 1\n"));
    }
    for witness in &script.witnesses {
        text.push_str(&format!("{} >/dev/null 2>&1 || exit 1\n", words(&script.run(witness))));
    }
    text.push_str("exit 0\n");
    text
}

fn powershell(script: &Script) -> String {
    let words = |words: &[String]| {
        let quote = |word: &String| format!("'{}'", word.replace('\'', "''"));
        let (program, rest) = words.split_first().map_or(("", &[][..]), |(a, b)| (a.as_str(), b));
        format!("& {program} {}", rest.iter().map(quote).collect::<Vec<_>>().join(" "))
    };
    let mut text = lines(&script.about);
    let fails = "if ($LASTEXITCODE -ne 0) { exit 1 }\n";
    if let Some(check) = script.check() {
        text.push_str(&format!("{} *> $null\n{fails}", words(&check)));
    }
    let accused = words(&script.run(&script.accused));
    if script.is_result() {
        text.push_str(&format!("$wrong = ({accused} 2> $null) -join \"`n\"\n{fails}"));
        for (index, witness) in script.witnesses.iter().enumerate() {
            let witness = words(&script.run(witness));
            text.push_str(&format!("$right = ({witness} 2> $null) -join \"`n\"\n{fails}"));
            text.push_str("if ($wrong -eq $right) { exit 1 }\n");
            let next =
                if index > 0 { "if ($first -ne $right) { exit 1 }\n" } else { "$first = $right\n" };
            text.push_str(next);
        }
        text.push_str("exit 0\n");
        return text;
    }
    text.push_str(&format!("$said = ({accused} 2>&1 | Out-String)\n"));
    text.push_str(&format!("if ($LASTEXITCODE -ne {}) {{ exit 1 }}\n", status(script.class)));
    if let Some(phrase) = script.phrase() {
        let phrase = phrase.replace('\'', "''");
        text.push_str(&format!("if (-not $said.Contains('{phrase}')) {{ exit 1 }}\n"));
    }
    for witness in &script.witnesses {
        text.push_str(&format!("{} *> $null\n{fails}", words(&script.run(witness))));
    }
    text.push_str("exit 0\n");
    text
}

fn python(script: &Script) -> String {
    let list = |words: &[String]| {
        let quote =
            |word: &String| format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""));
        format!("[{}]", words.iter().map(quote).collect::<Vec<_>>().join(", "))
    };
    let mut text = format!(
        "#!/usr/bin/env python3\n{}import subprocess\nimport sys\n\n\n",
        lines(&script.about)
    );
    text.push_str(
        "def call(words):\n    done = subprocess.run(words, capture_output=True, text=True, errors=\"replace\")\n    \
         return done.returncode, done.stdout, done.stderr\n\n\n\
         def need(condition):\n    if not condition:\n        sys.exit(1)\n\n\n",
    );
    if let Some(check) = script.check() {
        text.push_str(&format!("need(call({})[0] == 0)\n", list(&check)));
    }
    text.push_str(&format!("status, wrong, said = call({})\n", list(&script.run(&script.accused))));
    text.push_str(&format!("need(status == {})\n", status(script.class)));
    if let Some(phrase) = script.phrase() {
        text.push_str(&format!(
            "need({} in wrong + said)\n",
            &list(&[phrase.to_owned()]).trim_matches(['[', ']'])
        ));
    }
    let witnesses: Vec<String> = script
        .witnesses
        .iter()
        .map(|witness| format!("    {},\n", list(&script.run(witness))))
        .collect();
    if !witnesses.is_empty() {
        text.push_str(&format!("others = [call(words) for words in [\n{}]]\n", witnesses.concat()));
        text.push_str("need(all(status == 0 for status, _, _ in others))\n");
        if script.is_result() {
            text.push_str(
                "need(len({right for _, right, _ in others}) == 1 and others[0][1] != wrong)\n",
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_the_shell() {
        let list = ["clreduce", "-DS=\"a b\"", "it's"].map(str::to_owned);
        assert_eq!(words(&list), "clreduce '-DS=\"a b\"' 'it'\\''s'");
    }

    #[test]
    fn the_phrase_is_what_does_not_change() {
        let script = Script {
            kernel: "k.cl".into(),
            about: Vec::new(),
            checks: vec!["compile".into()],
            not_portable: true,
            class: OutcomeClass::BuildCrash,
            words: vec!["in f".into(), "error: no member named … in … at all".into()],
            accused: Vec::new(),
            witnesses: Vec::new(),
            arguments: None,
            build_options: String::new(),
        };
        assert_eq!(script.phrase(), Some("no member named"));
        assert_eq!(script.check(), None);
    }
}
