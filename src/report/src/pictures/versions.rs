//! A row of versions of a compiler, in green and red.

use std::fmt::Write;

use super::{escaped, section};

/// The sign of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionMark {
    /// It shows the bug.
    Bug,
    /// It does what it should.
    Right,
    /// It does something else.
    Unclear,
    /// It was not run.
    NotRun,
}

/// A version, and what it does.
#[derive(Clone, Debug)]
pub struct VersionSeen {
    /// Its name.
    pub name: String,
    /// Its sign.
    pub mark: VersionMark,
    /// What it does, in words.
    pub words: String,
    /// What it says of itself.
    pub version: String,
}

/// The row, and a table with the words. The name of a box is what the names do not share.
pub(crate) fn versions(rows: &[VersionSeen]) -> String {
    let shared = shared_start(rows);
    let (mut boxes, mut table) = (String::new(), String::new());
    for row in rows {
        let (class, sign) = match row.mark {
            VersionMark::Bug => ("bad", "bug"),
            VersionMark::Right => ("good", "right"),
            VersionMark::Unclear => ("unclear", "?"),
            VersionMark::NotRun => ("unclear", "not run"),
        };
        let [name, words, version] =
            [&row.name, &row.words, &row.version].map(|text| escaped(text));
        let short = escaped(&row.name[shared..]);
        // Writing to a string cannot fail.
        let _ = write!(
            boxes,
            "<li class={class} title=\"{name}: {words}\"><b>{short}</b><span>{sign}</span></li>"
        );
        let _ = write!(
            table,
            "<tr><td class=left>{name}</td><td class=\"left words {class}\">{words}</td><td class=left>{version}</td></tr>"
        );
    }
    let row = format!("<ul class=versions>{boxes}</ul>");
    let table = format!(
        "<section class=wide><table><thead><tr><th class=left>compiler</th><th class=left>result</th>\
         <th class=left>version</th></tr></thead><tbody>{table}</tbody></table></section>\n"
    );
    section("", "Versions", &row) + &table
}

/// How much of their names all versions share, up to a dash.
fn shared_start(rows: &[VersionSeen]) -> usize {
    let Some(first) = rows.first().filter(|_| rows.len() > 1) else { return 0 };
    let mut dashes = first.name.match_indices('-').map(|(at, _)| at + 1);
    let is_shared = |at: &usize| rows.iter().all(|row| row.name.starts_with(&first.name[..*at]));
    dashes.rfind(is_shared).unwrap_or_default()
}
