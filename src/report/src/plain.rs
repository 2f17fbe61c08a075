//! The report as text and pictures, for a browser without scripts; with scripts, only the pictures of all cases stay.

use std::io::Write;

use crate::json::ReportedCase;
use crate::page::CasePictures;
use crate::pictures::{
    COLOURS, SizedCase, bugs, count, escaped, fragment, matrix, seconds, section, sizes,
};
use crate::{BatchReport, ReportRow, Stopped};

impl BatchReport<'_> {
    pub(crate) fn write_text(
        &self,
        file: &mut dyn Write,
        rows: &[ReportRow<'_>],
    ) -> Result<(), Stopped> {
        write!(file, "<main id=plain>\n<h1>{}</h1>\n<div id=pictures>", escaped(self.title))?;
        if let Some(outcomes) = self.outcomes {
            file.write_all(matrix(outcomes).as_bytes())?;
            if !outcomes.found_by.is_empty() {
                file.write_all(bugs(outcomes.programs, &outcomes.found_by).as_bytes())?;
            }
        }
        file.write_all(self.sizes(rows).as_bytes())?;
        writeln!(file, "</div>")?;
        if rows.len() != 1 {
            self.write_table(file, rows)?;
        }
        for (index, row) in rows.iter().enumerate() {
            let case = self.reported(index, row)?;
            file.write_all(one_case(&case, rows.len() == 1).as_bytes())?;
        }
        Ok(writeln!(file, "</main>")?)
    }

    /// The sizes of the cases that have some; one case has a curve of its own.
    fn sizes(&self, rows: &[ReportRow<'_>]) -> String {
        let clusters = &self.triage.clusters;
        let mut cases = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            let cluster = self.place(index, row).cluster;
            let found = clusters.iter().position(|signature| Some(&**signature) == cluster);
            let Some(number) = found else { continue };
            let signature = match &*clusters[number] {
                "" => "no signature",
                signature => signature,
            };
            cases.push(SizedCase {
                name: &row.record.name,
                tokens: [row.record.before.tokens, row.record.after.tokens],
                bug: (signature, number % COLOURS),
            });
        }
        if rows.len() == 1 || cases.is_empty() { String::new() } else { sizes(&cases) }
    }

    fn write_table(&self, file: &mut dyn Write, rows: &[ReportRow<'_>]) -> Result<(), Stopped> {
        write!(
            file,
            "<section class=wide><table><thead><tr><th class=left>case</th><th class=left>bug</th>\
             <th class=left>outcome</th><th>tokens</th><th>reduced</th><th>seconds</th></tr></thead><tbody>"
        )?;
        for (index, row) in rows.iter().enumerate() {
            let (record, place) = (row.record, self.place(index, row));
            let name = escaped(&record.name);
            write!(
                file,
                "<tr><td class=left><a href=\"#{}\">{name}</a></td><td class=\"left bug\">{}</td>\
                 <td class=left>{}</td><td>{}</td><td>{}</td><td>{:.1}</td></tr>",
                fragment(&record.name),
                escaped(place.cluster.unwrap_or_default()),
                record.outcome.name(),
                count(record.before.tokens as u64),
                count(record.after.tokens as u64),
                record.seconds
            )?;
        }
        Ok(writeln!(file, "</tbody></table></section>")?)
    }
}

/// A case; in full if it is the only one.
fn one_case(case: &ReportedCase<'_>, is_only: bool) -> String {
    let record = case.record;
    let name = escaped(&record.name);
    let [before, after] =
        [record.before.tokens, record.after.tokens].map(|size| count(size as u64));
    let mut text = format!(
        "<p id=\"{name}\"><b>{name}</b>: {}, {before} → {after} tokens in {} tests, {}. {}</p>\n",
        record.outcome.name(),
        count(record.tests),
        seconds(record.seconds),
        escaped(&record.reason)
    );
    for file in &case.reduced {
        let program = format!("<pre>{}</pre>", escaped(&file.text));
        text += &section("", &escaped(&file.path), &program);
    }
    if !is_only {
        return text;
    }
    let CasePictures { size, map, time } = CasePictures::of(case);
    text += &[map, size, time].concat();
    if let Some(report) = &case.bug_report {
        text += &section("", "Bug report", &format!("<pre>{}</pre>", escaped(report)));
    }
    let command = |(what, command): (&str, &str)| {
        format!("<p><small>{}</small><br><code>{}</code></p>", escaped(what), escaped(command))
    };
    let commands = case.commands.iter().map(|it| command((&it.what, &it.command)));
    text + &section("", "Commands", &commands.collect::<String>())
}
