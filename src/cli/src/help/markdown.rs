//! Pages in Markdown as text for the terminal: the headings, paragraphs, lists, tables and blocks of code of `docs/`.

use std::fmt::Write as _;
use std::iter::Peekable;
use std::str::Lines;
use std::sync::LazyLock;

use console::{measure_text_width, style};
use regex::{Captures, Regex};

use crate::terminal::table::wrapped;

/// What `docs/` marks in a line: links, the words of a name or a warning, and a bar inside a table.
static MARKS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?<code>`[^`]+`)|\[(?<text>[^\]]*)\]\((?<to>[^)]*)\)|\*+(?<word>[^*]+)\*+")
        .expect("the pattern is a constant")
});

/// Blanks before what is said of the row of a table.
const INDENT: usize = 4;

/// A page on lines of at most this width.
pub(crate) fn shown(page: &str, room: usize) -> String {
    let mut text = String::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        if line.is_empty() || is_comment(line) {
            continue;
        }
        if line.starts_with("```") {
            for line in lines.by_ref().take_while(|line| !line.starts_with("```")) {
                let _ = writeln!(text, "    {line}");
            }
        } else if line.starts_with('#') {
            let _ = writeln!(text, "{}", style(plain(line.trim_start_matches(['#', ' ']))).bold());
        } else if line.starts_with('|') {
            let rest = std::iter::from_fn(|| lines.next_if(|line| line.starts_with('|')));
            let rows: Vec<Vec<String>> =
                std::iter::once(line).chain(rest).filter(|row| !is_rule(row)).map(cells).collect();
            text.push_str(&table(&rows, room));
        } else {
            let indent = marker(line).unwrap_or(0);
            let whole = paragraph(line, &mut lines);
            text.push_str(&wrapped(&plain(&whole), room, indent));
            if indent > 0 && lines.peek().is_some_and(|next| marker(next).is_some()) {
                continue;
            }
        }
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

fn is_comment(line: &str) -> bool {
    line.starts_with("<!--")
}

/// The line between the head and the rows of a table.
fn is_rule(row: &str) -> bool {
    row.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

/// The width of the mark of a list, if the line begins with one.
fn marker(line: &str) -> Option<usize> {
    let mark = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = mark.len() < line.len();
    let mark = if is_number { mark.strip_prefix(". ") } else { mark.strip_prefix("- ") }?;
    Some(line.len() - mark.len())
}

/// A paragraph or an entry of a list on one line.
fn paragraph(first: &str, lines: &mut Peekable<Lines>) -> String {
    let mut whole = first.to_owned();
    let ends = |line: &str| {
        line.is_empty()
            || line.starts_with(['|', '#'])
            || line.starts_with("```")
            || is_comment(line)
            || marker(line).is_some()
    };
    while let Some(line) = lines.next_if(|line| !ends(line)) {
        let _ = write!(whole, " {}", line.trim_start());
    }
    whole
}

/// The text without marks. A link to another page says how to read it.
fn plain(text: &str) -> String {
    let shown = MARKS.replace_all(text, |found: &Captures| {
        if let Some(code) = found.name("code") {
            return code.as_str().to_owned();
        }
        let Some(link) = found.name("text") else { return found["word"].to_owned() };
        let page = found["to"].split('#').next().and_then(|page| page.strip_suffix(".md"));
        match page.filter(|page| !page.is_empty() && !page.contains('/')) {
            Some(page) => format!("{} [{page}]", link.as_str()),
            None => link.as_str().to_owned(),
        }
    });
    shown.replace("\\|", "|")
}

fn cells(row: &str) -> Vec<String> {
    // A bar with a backslash before it is a part of its cell.
    let row = row.trim().trim_matches('|').replace("\\|", "\u{1}");
    row.split('|').map(|cell| plain(cell.trim()).replace('\u{1}', "|")).collect()
}

/// In columns if it fits. If not, each row is a first line and what the other columns say of it.
fn table(rows: &[Vec<String>], room: usize) -> String {
    let Some(head) = rows.first() else { return String::new() };
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| measure_text_width(cell)).max()
    };
    let widths: Vec<usize> = (0..head.len()).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    if widths.iter().sum::<usize>() + 2 * head.len() <= room {
        for (index, row) in rows.iter().enumerate() {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
            let line = cells.collect::<Vec<_>>().join("  ");
            let line = line.trim_end();
            let line = if index == 0 { style(line).bold().to_string() } else { line.to_owned() };
            let _ = writeln!(text, "{line}");
        }
        return text;
    }
    for row in &rows[1..] {
        text.push_str(&wrapped(&row[0], room, 0));
        for (head, cell) in head.iter().zip(row).skip(1).filter(|(_, cell)| !cell.is_empty()) {
            let said = if row.len() == 2 { cell.clone() } else { format!("{head}: {cell}") };
            let said = wrapped(&said, room.saturating_sub(INDENT), INDENT);
            let _ = write!(text, "{:INDENT$}{said}", "");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_becomes_text() {
        let page = "# A *title*\n\nFor `all`: a [link](other.md#x) and\n[notes](../notes/a.md).\n\n\
            <!-- run -->\n```sh\nls *\n```\n\n- one\n  and more\n- **two**\n\n\
            | a | b |\n|---|---|\n| `x \\| y` | z |\n";
        let text = "A title\n\nFor `all`: a link [other] and notes.\n\n    ls *\n\n- one and more\n- two\n\n\
            a        b\n`x | y`  z\n";
        assert_eq!(console::strip_ansi_codes(&shown(page, 60)), text);
    }

    #[test]
    fn a_table_that_does_not_fit_becomes_lines() {
        let rows = [["what", "it does"], ["first", "a long text that goes on"]];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(table(&rows, 20), "first\n    a long text that\n    goes on\n");
    }

    #[test]
    fn lines_are_no_wider_than_the_room() {
        let page = "A paragraph of words that goes on and on.\n\n1. An entry of a list that goes on and on.\n";
        let text = shown(page, 20);
        assert!(text.lines().all(|line| line.len() <= 20), "{text}");
        assert!(text.contains("\n1. An entry of a\n   list"), "{text}");
    }
}
