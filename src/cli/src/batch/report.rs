//! Triage of the results of a batch, and its report.

use std::fs;
use std::path::{Path, PathBuf};

use clreduce_batch::{Batch, Record};
use clreduce_report::{BatchReport, PAGE, ReportError, read_program, read_result};
use clreduce_triage::{Triage, TriageCase};

use crate::failure::CliError;
use crate::quoting::quoted;
use crate::resolve::TestAndOptions;
use crate::test::Test;

/// Number of cases that are listed on standard output.
const FIRST: usize = 8;

/// The folders that the user named.
pub(super) struct BatchFolders<'a> {
    /// The folder with the cases.
    pub dir: &'a Path,
    /// The folder for the results.
    pub out: &'a Path,
    /// A folder with known programs.
    pub known: Option<&'a Path>,
}

/// Orders the cases, writes the report, and returns a list of the cases to look at first.
///
/// # Errors
/// When a result or a known program cannot be read, or the report cannot be written.
pub(super) fn write(
    folders: &BatchFolders<'_>,
    batch: &Batch,
    how: &TestAndOptions,
    records: &[Record],
) -> Result<String, CliError> {
    let known = folders.known.map(known).transpose()?.unwrap_or_default();
    let (mut cases, mut triaged) = (Vec::new(), Vec::new());
    for (index, record) in records.iter().enumerate() {
        let folder = batch.folder_of(&record.name);
        if record.outcome.is_reduced()
            && let Some(case) = triage_case(&folder, record)?
        {
            cases.push(case);
            triaged.push(index);
        }
    }
    let triage = Triage::of(&cases, &known);
    let report = BatchReport {
        title: &format!("clreduce batch {}", folders.dir.display()),
        records,
        triage: &triage,
        triaged: &triaged,
        folder_of: &|name| batch.folder_of(name),
        commands: &|name| commands(folders, &batch.folder_of(name), how, name),
    };
    report.write(folders.out)?;
    Ok(first(&triage, &triaged, records, &folders.out.join(PAGE)))
}

fn triage_case(folder: &Path, record: &Record) -> Result<Option<TriageCase>, ReportError> {
    let case =
        |program| TriageCase::new(&program, &record.output, record.exit_code, record.refusals());
    Ok(read_result(folder)?.map(case))
}

/// Reads known programs: the results of a batch, or each file and each folder of another folder.
fn known(dir: &Path) -> Result<Vec<TriageCase>, ReportError> {
    let cases = dir.join("cases");
    let is_batch = cases.is_dir();
    let dir = if is_batch { &cases } else { dir };
    let failed = |source| ReportError::Read { path: dir.to_owned(), source };
    let entries = fs::read_dir(dir).map_err(failed)?;
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| Ok(entry.map_err(failed)?.path()))
        .collect::<Result<_, ReportError>>()?;
    paths.sort();
    let mut known = Vec::new();
    for path in paths {
        if is_batch {
            if let Some(record) = Record::read(&path).filter(|record| record.outcome.is_reduced()) {
                known.extend(triage_case(&path, &record)?);
            }
        } else if let Some(program) = read_program(&path)? {
            known.push(TriageCase::new(&program, "", None, []));
        }
    }
    Ok(known)
}

/// Lists commands that repeat the reduction and the test of a case.
fn commands(
    folders: &BatchFolders<'_>,
    folder: &Path,
    how: &TestAndOptions,
    name: &str,
) -> Vec<(String, String)> {
    let word = |path: &Path| {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        quoted(&path.display().to_string())
    };
    let (original, reduced) = (folders.dir.join(name), folder.join("reduced"));
    let (test, mut commands) = (how.test.to_string(), Vec::new());
    let output = quoted(&format!("reduced-{name}"));
    let again = format!("clreduce {} --test {} --output {output}", word(&original), quoted(&test));
    commands.push(("reduce this case again".to_owned(), again));
    let versions =
        [("run the test on the result", &reduced), ("run the test on the original", &original)];
    for (what, version) in versions.into_iter().filter(|(_, version)| version.exists()) {
        let command = match &how.test {
            Test::Recipe(_, recipe) => {
                let file = version.join(name);
                let version = word(if file.exists() { &file } else { version });
                let original = word(&original);
                format!("clreduce explain --test {} {version} --original {original}", word(recipe))
            }
            Test::Command(_) if version.is_dir() => {
                format!("cp -r {} try && cd try && ({test})", word(version))
            }
            Test::Command(_) => {
                format!("mkdir try && cp {} try && cd try && ({test})", word(version))
            }
        };
        commands.push((what.to_owned(), command));
    }
    commands
}

/// Lists the cases to look at first.
fn first(triage: &Triage, triaged: &[usize], records: &[Record], page: &Path) -> String {
    let new = || triage.order.iter().filter(|r| r.duplicate_of.is_none() && r.known.is_none());
    let count = new().count();
    let mut text = match count {
        0 => "no new programs\n".to_owned(),
        1 => "1 distinct program:\n".to_owned(),
        _ if count <= FIRST => {
            format!("{count} distinct programs, in the order to look at them:\n")
        }
        _ => format!("{count} distinct programs; look at these first:\n"),
    };
    for ranked in new().take(FIRST) {
        let record = &records[triaged[ranked.case]];
        let (name, tokens) = (&record.name, record.after.tokens);
        let signature = &triage.clusters[ranked.cluster];
        text.push_str(format!("  {name}  {tokens} tokens  {signature}").trim_end());
        text.push('\n');
    }
    text + &format!("report: {}\n", page.display())
}
