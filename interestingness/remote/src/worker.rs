//! The other end: the program clreduce in the folder of an action, which judges one variant.
//!
//! The test may do anything to that folder. What the action reads is read before the test begins, and the answer is
//! written when all processes of the test have ended, to a new file.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clreduce_interestingness::{
    Cancel, CommandOptions, CommandTest, Confinement, Interestingness, NoSandbox, NotRun,
    OutputPattern,
};
use clreduce_process::TestCommand;
use clreduce_recipe::{Calibration, Recipe, RecipeOptions};
use clreduce_testcase::{SourceFile, TestCase};

use crate::answer::{Answer, AskedAbout, Calibrated, NO_ANSWER, OTHER_TOOLS, Says};
use crate::environment;
use crate::fingerprint::Fingerprint;
use crate::job::{ANSWER, JUDGE, ORDER, ORIGINAL, TEST, VARIANT};
use crate::order::{Ask, OrderedSandboxLevel, OrderedTest, ROOT, Sandbox, TestOrder};

/// The folder for the folders of the test, in the folder of the action.
const TEMPORARY: &str = "tmp";
/// The answer before it has its name.
const UNFINISHED: &str = ".answer.json";
/// The kind that stands for no sandbox.
const NONE: &str = "none";

/// Judges, if this process is one that was started for that.
#[must_use]
pub fn judge_main() -> Option<ExitCode> {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_none_or(|argument| argument != JUDGE) {
        return None;
    }
    let judged = std::env::current_dir().and_then(|root| {
        environment::set(&root.join(TEST), &root)?;
        judge(&root)
    });
    Some(judged.unwrap_or_else(|error| {
        // The service passes it on to the one who asked.
        let _ = writeln!(io::stderr(), "clreduce cannot judge: {error}");
        ExitCode::from(NO_ANSWER)
    }))
}

fn judge(root: &Path) -> io::Result<ExitCode> {
    let text = fs::read(root.join(ORDER))?;
    let order: TestOrder = serde_json::from_slice(&text)?;
    let variant = read_case(&root.join(VARIANT))?.in_language(order.language.parse().ok());
    let question = AskedAbout::new(&text, &variant);
    let found = fingerprint(&order, root)?;
    let says = match &order.expect {
        Some(expected) if *expected != found => Says::OtherTools(found),
        _ => (Bench { root, order: &order }).ask(&variant, found).unwrap_or_else(Says::NotRun),
    };
    let status = match says {
        Says::OtherTools(_) => OTHER_TOOLS,
        Says::NotRun(_) => NO_ANSWER,
        _ => 0,
    };
    write(root, &Answer { question, says })?;
    Ok(ExitCode::from(status))
}

/// Writes the answer. The test may have put something else in its place.
fn write(root: &Path, answer: &Answer) -> io::Result<()> {
    let (unfinished, finished) = (root.join(UNFINISHED), root.join(ANSWER));
    for path in [&unfinished, &finished] {
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path)?,
            Ok(_) => fs::remove_file(path)?,
            Err(_) => {}
        }
    }
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(&unfinished)?;
    file.write_all(&serde_json::to_vec(answer)?)?;
    drop(file);
    fs::rename(unfinished, finished)
}

/// The tools that the files of the test name.
fn fingerprint(order: &TestOrder, root: &Path) -> io::Result<Fingerprint> {
    let mut texts = vec![];
    if let OrderedTest::Shell(line) = &order.test {
        // The shell itself is a tool as well.
        texts.extend([line.clone(), "sh".to_owned()]);
    }
    let mut pending = vec![root.join(TEST)];
    while let Some(path) = pending.pop() {
        let Ok(metadata) = fs::metadata(&path) else { continue };
        if metadata.is_dir() {
            pending.extend(fs::read_dir(&path)?.flatten().map(|entry| entry.path()));
        } else if metadata.len() <= (1 << 20) {
            // Larger files are not searched for the names of tools.
            texts.push(String::from_utf8_lossy(&fs::read(&path)?).into_owned());
        }
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&folders).collect();
    Ok(Fingerprint::of(&texts, &folders))
}

/// An order and the folder in which it is carried out.
struct Bench<'a> {
    root: &'a Path,
    order: &'a TestOrder,
}

impl Bench<'_> {
    /// The answer that the order asks for, or the reason that the test was not run.
    fn ask(&self, variant: &TestCase, found: Fingerprint) -> Result<Says, String> {
        let is_first = self.order.ask == Ask::Tools;
        let (confinement, without) =
            match confinement(&self.order.sandbox, self.order.found_sandbox.as_deref()) {
                Ok(chosen) => chosen,
                Err(error) if is_first => return Ok(Says::Unfit(error.to_string())),
                Err(error) => return Err(error.to_string()),
            };
        if is_first {
            let sandbox = confinement.kind().to_owned();
            return Ok(Says::Tools { fingerprint: found, sandbox, without });
        }
        let temporary = self.root.join(TEMPORARY);
        fs::create_dir_all(&temporary).map_err(|error| error.to_string())?;
        let worker = std::env::current_exe().ok();
        let test = self.root.join(TEST);
        let confinement = confinement.with_readable(worker.iter().cloned().chain([test]));
        match &self.order.test {
            OrderedTest::Recipe { path, calibration, devices } => {
                let options =
                    RecipeOptions { worker, temporary, confinement, ..RecipeOptions::default() };
                let calibration = calibration.as_deref().map(|found| (found, &devices[..]));
                self.by_recipe(path, options, calibration, variant, found)
            }
            OrderedTest::Program { .. } | OrderedTest::Shell(_) => {
                let pattern = pattern(&self.order.patterns).map_err(|error| error.to_string())?;
                let limits = self.order.limits.clone();
                let options = CommandOptions {
                    limits,
                    pattern,
                    worker,
                    temporary,
                    confinement,
                    ..CommandOptions::default()
                };
                let command = self.command()?;
                let failed = |error: NotRun| error.to_string();
                let test =
                    CommandTest::new(&command, options).map_err(|error| error.to_string())?;
                if self.order.ask == Ask::Original {
                    let first = test.first_run(variant, &Cancel::new()).map_err(failed)?;
                    return Ok(Says::Original(Box::new(first)));
                }
                let outcome = test.judge_on(variant, self.order.ask.occasion(), &Cancel::new());
                let outcome = outcome.map_err(failed)?;
                Ok(Says::Judged(Box::new(outcome)))
            }
        }
    }

    /// Calibrates a recipe on the variant, or judges the variant by a recipe that was calibrated.
    fn by_recipe(
        &self,
        path: &str,
        options: RecipeOptions,
        calibration: Option<(&Calibration, &[String])>,
        variant: &TestCase,
        found: Fingerprint,
    ) -> Result<Says, String> {
        let recipe = Recipe::load(&self.root.join(path)).map_err(|error| error.to_string())?;
        let recipe = recipe.options(options);
        let Some((calibration, devices)) = calibration else {
            return Ok(match recipe.calibrate(variant) {
                Ok(test) => Says::Calibrated(Box::new(Calibrated {
                    calibration: test.calibration().clone(),
                    part_limits: test.part_limits(),
                    warnings: test.warnings().to_vec(),
                    unchecked: test.unchecked(),
                    devices: test.devices(),
                })),
                Err(error) if error.is_not_shown() => Says::NotShown(error.to_string()),
                Err(error) if error.rejects_original() => Says::Invalid(error.to_string()),
                Err(error) => Says::Unfit(error.to_string()),
            });
        };
        let original = read_case(&self.root.join(ORIGINAL)).map_err(|error| error.to_string())?;
        let original = original.in_language(Some(variant.language()));
        let test = recipe.resume(&original, calibration.clone());
        let test = test.map_err(|error| error.to_string())?;
        let here = test.devices();
        if here != devices {
            return Ok(Says::OtherTools(found.with_devices(&here)));
        }
        test.set_part_limits(&self.order.part_limits);
        let outcome = test.judge_on(variant, self.order.ask.occasion(), &Cancel::new());
        Ok(Says::Judged(Box::new(outcome.map_err(|error| error.to_string())?)))
    }

    /// The command of the test, with the paths of this folder.
    fn command(&self) -> Result<TestCommand, String> {
        Ok(match &self.order.test {
            OrderedTest::Shell(line) => {
                let root = self.root.to_string_lossy();
                let root = root.trim_end_matches('/');
                if root.contains(|c: char| c.is_whitespace() || "'\"\\$`".contains(c)) {
                    return Err(format!(
                        "the folder of the action is called `{root}`, which a shell would take apart"
                    ));
                }
                TestCommand::Shell(line.replace(ROOT, root))
            }
            OrderedTest::Program { path, args } => TestCommand::Program {
                path: self.root.join(path),
                args: args.iter().map(Into::into).collect(),
            },
            OrderedTest::Recipe { .. } => return Err("a recipe is no command".to_owned()),
        })
    }
}

/// The sandbox that the order asks for, and the reason if there is none. `auto` is tried out by the first action alone. Later ones
/// take what that has `found`: a machine that lacks it runs no test.
fn confinement(
    sandbox: &Sandbox,
    found: Option<&str>,
) -> Result<(Confinement, Option<String>), NoSandbox> {
    let permissions = sandbox.permissions.clone();
    Ok(match (sandbox.level, found) {
        (OrderedSandboxLevel::Off, _) | (OrderedSandboxLevel::Auto, Some(NONE)) => {
            (Confinement::Unconfined, None)
        }
        (OrderedSandboxLevel::Strict, _) => (Confinement::bubblewrap(permissions)?, None),
        (OrderedSandboxLevel::Auto, Some(_)) => (Confinement::Landlock(permissions), None),
        (OrderedSandboxLevel::Auto, None) => match Confinement::landlock(permissions) {
            Ok(confinement) => (confinement, None),
            Err(reason @ (NoSandbox::Landlock | NoSandbox::System)) => {
                (Confinement::Unconfined, Some(reason.to_string()))
            }
            Err(reason) => return Err(reason),
        },
    })
}

fn pattern(patterns: &Option<[Option<String>; 2]>) -> Result<Option<OutputPattern>, regex::Error> {
    let regex = |text: &Option<String>| text.as_deref().map(regex::bytes::Regex::new).transpose();
    let Some([stdout, stderr]) = patterns else { return Ok(None) };
    Ok(Some(OutputPattern { stdout: regex(stdout)?, stderr: regex(stderr)? }))
}

/// The files below a folder; none if there is no such folder.
fn read_case(folder: &Path) -> io::Result<TestCase> {
    let mut files = Vec::new();
    if folder.is_dir() {
        read_folder(folder, "", 64, &mut files)?;
    }
    TestCase::new(files).map_err(io::Error::other)
}

fn read_folder(
    folder: &Path,
    path: &str,
    depth: usize,
    files: &mut Vec<SourceFile>,
) -> io::Result<()> {
    if depth == 0 {
        return Err(io::Error::other("folders are too deep"));
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let path = format!("{path}{}", name.to_string_lossy());
        if entry.path().is_dir() {
            read_folder(&entry.path(), &format!("{path}/"), depth - 1, files)?;
        } else {
            let bytes = Arc::from(fs::read(entry.path())?);
            files.push(SourceFile { path: path.into(), bytes });
        }
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use clreduce_interestingness::{Outcome, Verdict};

    use super::*;

    /// Puts something at a path. There is a file elsewhere that it may lead to.
    type Plant<'a> = &'a dyn Fn(&Path, &Path);

    /// A test that could write into the folder of the action has put something where the answer belongs.
    #[test]
    fn what_a_test_plants_in_place_of_the_answer_goes() {
        let folder = tempfile::tempdir().unwrap();
        let outside = folder.path().join("outside");
        let pipe = |path: &Path| {
            assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
        };
        let socket = |path: &Path| drop(std::os::unix::net::UnixListener::bind(path).unwrap());
        let plants: [Plant<'_>; 6] = [
            &|path, _| pipe(path),
            &|path, _| socket(path),
            &|path, _| fs::write(path, "{}").unwrap(),
            &|path, outside| std::os::unix::fs::symlink(outside, path).unwrap(),
            &|path, _| fs::create_dir_all(path.join("x")).unwrap(),
            &|path, outside| fs::hard_link(outside, path).unwrap(),
        ];
        for name in [ANSWER, UNFINISHED] {
            for plant in plants {
                let action = tempfile::tempdir().unwrap();
                let root = action.path();
                fs::write(&outside, "untouched").unwrap();
                plant(&root.join(name), &outside);
                let question = AskedAbout::new(b"", &TestCase::new(Vec::new()).unwrap());
                let says = Says::Judged(Box::new(Outcome::from(Verdict::TimedOut)));
                write(root, &Answer { question: question.clone(), says }).unwrap();
                let answer = root.join(ANSWER);
                assert!(fs::symlink_metadata(&answer).unwrap().is_file());
                let read = Answer::read(&fs::read(&answer).unwrap(), 0, &question);
                assert!(matches!(read, Ok(Says::Judged(_))), "{read:?}");
                assert_eq!(fs::read(&outside).unwrap(), b"untouched");
                assert!(!root.join(UNFINISHED).exists());
            }
        }
    }

    /// A machine without Landlock among others that have it would otherwise run tests without a sandbox.
    #[test]
    fn later_actions_have_the_sandbox_of_the_first_or_run_no_test() {
        let auto = Sandbox::default();
        let chosen = |found| confinement(&auto, Some(found)).unwrap().0;
        assert!(matches!(chosen("Landlock"), Confinement::Landlock(_)));
        assert_eq!(chosen("none").kind(), "none");
    }

    #[test]
    fn a_case_has_the_paths_of_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("d")).unwrap();
        fs::write(folder.path().join("d/b.h"), "2").unwrap();
        fs::write(folder.path().join("a.c"), "1").unwrap();
        let case = read_case(folder.path()).unwrap();
        let paths: Vec<&str> = case.files().iter().map(|file| &*file.path).collect();
        assert_eq!(paths, ["a.c", "d/b.h"]);
        assert!(read_case(&folder.path().join("gone")).unwrap().files().is_empty());
    }
}
