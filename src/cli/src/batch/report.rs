//! Triage of the results of a batch, and its report.

use std::fs;
use std::path::{Path, PathBuf};

use clreduce_batch::{Batch, CaseRecord};
use clreduce_report::{BatchReport, CaseDetails, PAGE, ReportError, read_program, read_result};
use clreduce_triage::{Triage, TriageCase};

use crate::failure::CliError;
use crate::settings::repeat::{self, RepeatCommands};
use crate::settings::resolve::TestAndOptions;

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
    records: &[CaseRecord],
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
        outcomes: None,
        details: &|record| {
            let folder = batch.folder_of(&record.name);
            let original = folders.dir.join(&record.name);
            let again = RepeatCommands {
                how,
                original: &original,
                name: &record.name,
                result: &folder.join("reduced"),
            };
            Ok(CaseDetails {
                commands: again.commands(),
                path: repeat::absolute(&original),
                ..CaseDetails::read(&folder)?
            })
        },
    };
    report.write(folders.out)?;
    Ok(first(&triage, &triaged, records, &folders.out.join(PAGE)))
}

fn triage_case(folder: &Path, record: &CaseRecord) -> Result<Option<TriageCase>, ReportError> {
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
            if let Some(record) =
                CaseRecord::read(&path).filter(|record| record.outcome.is_reduced())
            {
                known.extend(triage_case(&path, &record)?);
            }
        } else if let Some(program) = read_program(&path)? {
            known.push(TriageCase::new(&program, "", None, []));
        }
    }
    Ok(known)
}

/// Lists the cases to look at first.
fn first(triage: &Triage, triaged: &[usize], records: &[CaseRecord], page: &Path) -> String {
    let new = || triage.order.iter().filter(|r| r.duplicate_of.is_none() && r.known.is_none());
    let count = new().count();
    let mut text = match count {
        0 if triaged.is_empty() => String::new(),
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
