//! From the records of a batch to its report.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clreduce_batch::{Batch, Record};
use clreduce_report::{PAGE, Report, read_case, reduced};
use clreduce_triage::{Specimen, Triage};

use crate::failure::Failure;
use crate::not_interesting::quoted;
use crate::resolve::TestAndOptions;
use crate::test::Test;

/// Cases named at the end of a batch.
const FIRST: usize = 8;

/// What the user named.
pub struct Place<'a> {
    /// The folder of cases.
    pub dir: &'a Path,
    /// The folder of results.
    pub out: &'a Path,
    /// What is known already.
    pub known: Option<&'a Path>,
}

/// Orders the cases, writes the report, and says what to look at first.
///
/// # Errors
/// When something cannot be read or written.
pub fn write(
    place: &Place<'_>,
    batch: &Batch,
    how: &TestAndOptions,
    records: &[Record],
) -> Result<String, Failure> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| Failure::Report { path, source }
    };
    let known = match place.known {
        Some(dir) => known(dir).map_err(failed(dir))?,
        None => Vec::new(),
    };
    let (mut specimens, mut of) = (Vec::new(), Vec::new());
    for (index, record) in records.iter().enumerate() {
        let folder = batch.folder_of(&record.name);
        if record.outcome.is_reduced()
            && let Some(specimen) = specimen(&folder, record).map_err(failed(&folder))?
        {
            specimens.push(specimen);
            of.push(index);
        }
    }
    let triage = Triage::of(&specimens, &known);
    let report = Report {
        title: &format!("clreduce batch {}", place.dir.display()),
        records,
        triage: &triage,
        specimens: &of,
        folder_of: &|name| batch.folder_of(name),
        commands: &|name| commands(place, &batch.folder_of(name), how, name),
    };
    report.write(place.out).map_err(failed(&place.out.join(PAGE)))?;
    Ok(first(&triage, &of, records, &place.out.join(PAGE)))
}

fn specimen(folder: &Path, record: &Record) -> io::Result<Option<Specimen>> {
    let specimen =
        |program| Specimen::new(&program, &record.output, record.exit_code, record.refusals());
    Ok(reduced(folder)?.map(specimen))
}

/// The results of a batch, or what else lies in a folder: each file and each folder is a program.
fn known(dir: &Path) -> io::Result<Vec<Specimen>> {
    let cases = dir.join("cases");
    let is_batch = cases.is_dir();
    let mut paths: Vec<PathBuf> = fs::read_dir(if is_batch { &cases } else { dir })?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<_>>()?;
    paths.sort();
    let mut known = Vec::new();
    for path in paths {
        if is_batch {
            if let Some(record) = Record::read(&path).filter(|record| record.outcome.is_reduced()) {
                known.extend(specimen(&path, &record)?);
            }
        } else if let Some(program) = read_case(&path)? {
            known.push(Specimen::new(&program, "", None, []));
        }
    }
    Ok(known)
}

/// How somebody does it again.
fn commands(
    place: &Place<'_>,
    folder: &Path,
    how: &TestAndOptions,
    name: &str,
) -> Vec<(String, String)> {
    let word = |path: &Path| {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        quoted(&path.display().to_string())
    };
    let (original, reduced) = (place.dir.join(name), folder.join("reduced"));
    let (test, mut commands) = (how.test.to_string(), Vec::new());
    let output = quoted(&format!("reduced-{name}"));
    let again = format!("clreduce {} --test {} --output {output}", word(&original), quoted(&test));
    commands.push(("reduce it".to_owned(), again));
    let versions = [("test the result", &reduced), ("test the original", &original)];
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

/// What to look at first, in words.
fn first(triage: &Triage, of: &[usize], records: &[Record], page: &Path) -> String {
    let new = || triage.order.iter().filter(|r| r.duplicate_of.is_none() && r.known.is_none());
    let mut text = format!("{} distinct; to look at first:\n", new().count());
    for ranked in new().take(FIRST) {
        let record = &records[of[ranked.specimen]];
        let (name, tokens) = (&record.name, record.after.tokens);
        let signature = &triage.clusters[ranked.cluster];
        text.push_str(format!("  {name}  {tokens} tokens  {signature}").trim_end());
        text.push('\n');
    }
    text + &format!("report: {}\n", page.display())
}
