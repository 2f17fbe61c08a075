//! Bars of the time that passes and stages took.

use std::fmt::Write;

use clreduce_batch::CaseRecord;

use super::{count, escaped, percent, seconds, section};

/// The most bars of a kind; the rest is added up.
const MOST: usize = 12;

/// The time by pass, and by stage where a recipe judged. Empty if it was not measured.
pub(crate) fn time(record: &CaseRecord) -> String {
    let passes = record.passes.iter().map(|pass| {
        let about = format!("{} steps, {} interesting", count(pass.steps), count(pass.interesting));
        (pass.name.clone(), pass.seconds, about)
    });
    let stages = record.stages.iter().map(|stage| {
        (stage.name.clone(), stage.seconds, format!("{} variants", count(stage.looked)))
    });
    let mut text = bars("By pass", passes.collect());
    text += &bars("By stage of the test, all jobs together", stages.collect());
    if text.is_empty() { text } else { section("times", "Time", &text) }
}

fn bars(heading: &str, mut rows: Vec<(String, f64, String)>) -> String {
    rows.retain(|(_, time, _)| *time > 0.0);
    rows.sort_by(|a, b| b.1.total_cmp(&a.1));
    let rest = rows.split_off(rows.len().min(MOST));
    if !rest.is_empty() {
        let (name, time) = (format!("{} more", rest.len()), rest.iter().map(|row| row.1).sum());
        rows.push((name, time, String::new()));
    }
    let most = rows.iter().map(|row| row.1).fold(0.0, f64::max);
    if rows.is_empty() {
        return String::new();
    }
    let mut text = format!("<h3>{heading}</h3><div class=bars>");
    for (name, time, about) in &rows {
        let (name, about) = (escaped(name), escaped(about));
        let (width, time) = (percent(*time, most), seconds(*time));
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "<span>{name}</span><span class=track title=\"{about}\"><i style=\"width:{width}\"></i></span><span>{time}</span>"
        );
    }
    text + "</div>"
}
