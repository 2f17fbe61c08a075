//! The page: the table of all cases, and the details of each, compressed until they are looked at.

use std::io::{self, Write};

use crate::highlight::escape;
use crate::{Report, Row};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Nothing is loaded from anywhere.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

const HEADINGS: [(&str, &str); 10] = [
    ("#", "what to look at first"),
    ("case", ""),
    ("bug", "the signature of the cluster"),
    ("outcome", ""),
    ("tokens", "before"),
    ("now", "tokens of the result"),
    ("bytes", "of the result"),
    ("questions", ""),
    ("tests", "started, over all runs"),
    ("seconds", ""),
];

impl Report<'_> {
    pub(crate) fn write_page(&self, file: &mut dyn Write) -> io::Result<()> {
        let rows = self.rows();
        let title = escape(self.title);
        write!(
            file,
            "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n\
             <meta name=viewport content=\"width=device-width\">\n\
             <meta http-equiv=Content-Security-Policy content=\"{POLICY}\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n<body>\n\
             <main id=all>\n<h1>{title}</h1>\n"
        )?;
        self.write_tiles(file, &rows)?;
        file.write_all(
            b"<form id=filter><input type=search name=text placeholder=\"case, bug, outcome\" \
              aria-label=filter><label><input type=checkbox name=distinct> one of each</label>\
              <output></output></form>\n<div class=wide><table id=cases>\n<thead><tr>",
        )?;
        for (name, about) in HEADINGS {
            write!(file, "<th title=\"{about}\"><button>{name}</button>")?;
        }
        file.write_all(b"\n<tbody>\n")?;
        for (index, row) in rows.iter().enumerate() {
            self.write_row(file, index, row)?;
        }
        file.write_all(b"</table></div>\n</main>\n<main id=one hidden></main>\n")?;
        for (index, row) in rows.iter().enumerate() {
            let details = self.details(row.record)?;
            writeln!(file, "<script type=text/plain id=d{index}>{details}</script>")?;
        }
        writeln!(file, "<script>\n{SCRIPT}</script>\n</html>")
    }

    /// The figures of the whole.
    fn write_tiles(&self, file: &mut dyn Write, rows: &[Row<'_>]) -> io::Result<()> {
        let reduced = || rows.iter().filter(|row| row.record.outcome.is_reduced());
        let sum = |of: &dyn Fn(&Row<'_>) -> f64| reduced().map(of).sum::<f64>();
        let (before, after) =
            (sum(&|row| row.record.before.bytes as f64), sum(&|row| row.record.after.bytes as f64));
        let is_new =
            |row: &&Row<'_>| row.ranked.is_some_and(|r| r.duplicate_of.or(r.known).is_none());
        let tiles = [
            ("cases", rows.len().to_string()),
            ("reduced", reduced().count().to_string()),
            ("distinct programs", rows.iter().filter(is_new).count().to_string()),
            ("signatures", self.triage.clusters.len().to_string()),
            ("bytes", format!("{} → {}", scaled(before), scaled(after))),
            ("tests", scaled(rows.iter().map(|row| row.record.tests as f64).sum())),
        ];
        file.write_all(b"<dl class=tiles>")?;
        for (name, value) in tiles {
            write!(file, "<div><dt>{name}<dd>{value}</div>")?;
        }
        file.write_all(b"</dl>\n")
    }

    fn write_row(&self, file: &mut dyn Write, index: usize, row: &Row<'_>) -> io::Result<()> {
        let Row { record, ranked } = row;
        let (name, reason) = (escape(&record.name), escape(&record.reason));
        let class = match ranked {
            Some(ranked) if ranked.known.is_some() => "known",
            Some(ranked) if ranked.duplicate_of.is_some() => "double",
            Some(_) => "",
            None => "none",
        };
        let bug = ranked.map_or_else(String::new, |ranked| {
            let signature = &self.triage.clusters[ranked.cluster];
            let signature = if signature.is_empty() { "no signature" } else { signature };
            let dot = ranked.cluster % 8;
            format!("<i class=dot{dot}></i>{}", escape(signature))
        });
        let note = match ranked {
            Some(ranked) if ranked.known.is_some() => "known".to_owned(),
            Some(ranked) => self
                .first_of(ranked)
                .map_or_else(String::new, |first| format!("as {}", escape(first))),
            None => String::new(),
        };
        let outcome = record.outcome.name();
        let result = |size: usize| ranked.map_or_else(String::new, |_| size.to_string());
        let state = if record.outcome.is_reduced() { "good" } else { "bad" };
        writeln!(
            file,
            "<tr class=\"{class}\"><td>{}<td><a href=\"#{index}\">{name}</a> <small>{note}</small>\
             <td class=bug title=\"{}\">{bug}<td class={state} title=\"{reason}\">{outcome}<td>{}<td>{}<td>{}\
             <td>{}<td>{}<td>{:.1}",
            index + 1,
            ranked.map_or_else(String::new, |r| escape(&self.triage.clusters[r.cluster])),
            record.before.tokens,
            result(record.after.tokens),
            result(record.after.bytes),
            record.questions,
            record.tests,
            record.seconds
        )
    }
}

/// "950", "12.3 k", "4.0 M".
fn scaled(value: f64) -> String {
    match value {
        0.0..1e4 => format!("{value:.0}"),
        1e4..1e6 => format!("{:.1} k", value / 1e3),
        _ => format!("{:.1} M", value / 1e6),
    }
}
