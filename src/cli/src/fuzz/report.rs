//! The report of a campaign: the page of a batch with a table of all outcomes, and the text on standard output.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use clreduce_batch::{Batch, CaseRecord};
use clreduce_campaign::{BUGS, CampaignResult, Class, End};
use clreduce_report::{
    BatchReport, CampaignOutcomes, CaseDetails, OutcomeRow, PAGE, ReportError, read_result,
};
use clreduce_triage::{Triage, TriageCase};

use super::tally::Tally;
use crate::failure::CliError;
use crate::settings::repeat::absolute;
use crate::terminal::quoting::quoted;
use crate::terminal::table::of_rows;
use crate::terminal::units::{counted, show_count, show_duration};

/// Writes the page and its data.
///
/// # Errors
/// When a result cannot be read, or a file cannot be written.
pub(super) fn write(out: &Path, batch: &Batch, tally: &Tally) -> Result<(), CliError> {
    let (mut records, mut cases, mut triaged) = (Vec::new(), Vec::new(), Vec::new());
    // A bug keeps its case; the order of names is that of the map.
    for name in tally.bugs.keys() {
        let folder = batch.folder_of(name);
        let Some(record) = CaseRecord::read(&folder) else { continue };
        if let Some(program) = read_result(&folder)? {
            let output = format!("signature: {}", signature(tally, name));
            cases.push(TriageCase::new(&program, &output, None, record.refusals()));
            triaged.push(records.len());
        }
        records.push(record);
    }
    let triage = Triage::of(&cases, &[]);
    let table = table(tally);
    let report = BatchReport {
        title: &format!("clreduce fuzz {}", out.display()),
        records: &records,
        triage: &triage,
        triaged: &triaged,
        outcomes: Some(&table),
        details: &|record| details(out, batch, record),
    };
    report.write(out)?;
    Ok(())
}

/// What tells bugs apart on the page.
fn signature(tally: &Tally, name: &str) -> String {
    let Some(bug) = tally.bugs.get(name) else { return String::new() };
    let first = &bug.first;
    let what = [first.construct.as_deref().unwrap_or_default(), &first.signature];
    let what: Vec<&str> = what.into_iter().filter(|text| !text.is_empty()).collect();
    let colon = if what.is_empty() { "" } else { ": " };
    format!("{}, {}{colon}{}", first.configuration, first.class.name(), what.join(", "))
}

fn details(out: &Path, batch: &Batch, record: &CaseRecord) -> Result<CaseDetails, ReportError> {
    let bug = out.join(BUGS).join(&record.name);
    let folder = absolute(&bug);
    let word = quoted(&folder.display().to_string());
    let commands = vec![(
        "show what each stage of the recipe says about the bug".to_owned(),
        format!("cd {word} && clreduce explain kernel.* --test recipe.toml"),
    )];
    Ok(CaseDetails {
        commands,
        path: folder,
        bug_report: fs::read_to_string(bug.join("report.md")).ok(),
        ..CaseDetails::read(&batch.folder_of(&record.name))?
    })
}

fn table(tally: &Tally) -> CampaignOutcomes {
    let classes: Vec<Class> = tally.classes().collect();
    let rows =
        tally.configurations.iter().zip(&tally.outcomes).map(|(name, outcomes)| OutcomeRow {
            configuration: name.clone(),
            counts: classes.iter().map(|class| outcomes.get(class).copied().unwrap_or(0)).collect(),
            bugs: bugs_of(tally, name).count() as u64,
            avoids: tally.avoids.get(name).cloned().unwrap_or_default(),
            left_out: tally.left_out.contains_key(name),
        });
    CampaignOutcomes {
        programs: tally.programs,
        classes: classes.iter().map(|class| class.name().to_owned()).collect(),
        rows: rows.collect(),
        found_by: tally.bugs.values().map(|bug| bug.first.program).collect(),
    }
}

fn bugs_of<'a>(tally: &'a Tally, configuration: &'a str) -> impl Iterator<Item = &'a String> {
    let found = tally.bugs.iter().filter(move |(_, bug)| bug.first.configuration == configuration);
    found.map(|(name, _)| name)
}

/// The text at the end. `known` has the names of bugs that are known from elsewhere, `gate` is the number of programs before the first reduction.
// Writing to a string cannot fail, here and below.
pub(super) fn summary(
    out: &Path,
    (tally, known): (&Tally, &BTreeMap<String, &str>),
    result: &CampaignResult,
    (count, gate): (Option<u64>, u64),
) -> String {
    let mut text = outcomes_in_words(tally);
    text += &bases_in_words(tally);
    text.push('\n');
    for (name, bug) in &tally.bugs {
        let construct = bug.first.construct.as_ref();
        let without = construct.map(|it| format!("; right without {it}")).unwrap_or_default();
        let as_what = known.get(name).map(|it| format!("; known as {it}")).unwrap_or_default();
        let _ = writeln!(text, "{name}: seen {}{without}{as_what}", counted(bug.alarms, "time"));
    }
    for name in &tally.waiting {
        let _ = writeln!(text, "{name}: reduced; an earlier suspected bug may be the same");
    }
    text += &others_in_words(tally);
    let _ = writeln!(
        text,
        "{} in {}; {}; this run took {}, {:.1} cores in use",
        counted(tally.bugs.len() as u64, "bug"),
        out.join(BUGS).display(),
        counted(tally.programs, "program"),
        show_duration(result.wall),
        result.cores
    );
    let _ = writeln!(text, "report: {}", out.join(PAGE).display());
    let is_over = count.is_some_and(|count| tally.programs >= count) && result.open_alarms == 0;
    if !is_over {
        let open = match result.open_alarms as u64 {
            _ if tally.programs < gate => {
                format!("Nothing is reduced before the first {} (--gate)", counted(gate, "program"))
            }
            0 => "All suspected bugs have been examined".to_owned(),
            1 => "1 suspected bug has not been examined yet".to_owned(),
            open => format!("{} suspected bugs have not been examined yet", show_count(open)),
        };
        let _ = writeln!(text, "{open}. Run the same command to continue.");
    }
    text
}

/// The table of outcomes, and the configurations that take no part any more.
fn outcomes_in_words(tally: &Tally) -> String {
    let table = table(tally);
    let mut head = vec!["configuration".to_owned()];
    head.extend(table.classes.iter().cloned().chain(["bugs".to_owned()]));
    let mut rows = vec![head];
    rows.extend(table.rows.iter().map(|row| {
        let counts = row.counts.iter().chain([&row.bugs]).map(|count| show_count(*count));
        std::iter::once(row.configuration.clone()).chain(counts).collect()
    }));
    let mut text = of_rows(&rows);
    for row in table.rows.iter().filter(|row| row.left_out) {
        let _ = writeln!(text, "{} is left out: it fails too often", row.configuration);
    }
    text
}

/// The table of programs by what their variants have shown; empty if there are none.
fn bases_in_words(tally: &Tally) -> String {
    let Some(bases) = &tally.bases else { return String::new() };
    let shown = |class: &Class| bases.iter().any(|one| one.shown.contains_key(class));
    let classes: Vec<Class> = Class::ALL.into_iter().filter(shown).collect();
    let names = classes.iter().map(|class| class.name());
    let head = ["variants", "base fails"].into_iter().chain(names).chain(["stable"]);
    let mut rows = vec![head.map(str::to_owned).collect::<Vec<_>>()];
    rows.extend(tally.configurations.iter().zip(bases).map(|(name, counts)| {
        let shown = classes.iter().map(|class| counts.shown.get(class).copied().unwrap_or(0));
        let all = std::iter::once(counts.fails).chain(shown).chain([counts.stable]);
        std::iter::once(name.clone()).chain(all.map(show_count)).collect()
    }));
    format!("\n{}", of_rows(&rows))
}

/// What became of alarms that are no bugs, and the programs that were missing.
fn others_in_words(tally: &Tally) -> String {
    let ended = |end: End| {
        let count = tally.others.iter().filter(|other| other.end == end).count() as u64;
        (count > 0).then(|| counted(count, "suspected bug"))
    };
    let mut text = String::new();
    if let Some(accused) = ended(End::Generator) {
        let _ = writeln!(
            text,
            "{accused} may be a fault of the generator of kernels: see campaign.jsonl"
        );
    }
    if let Some(invalid) = ended(End::Invalid) {
        let _ = writeln!(text, "{invalid} came from invalid programs");
    }
    if tally.missing > 0 {
        let _ = writeln!(text, "{} seeds or files gave no program", show_count(tally.missing));
    }
    text
}
