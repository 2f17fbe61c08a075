//! A bug report as text: Markdown, and the plain text that Bugzilla takes.

use std::fmt::Write as _;

use clreduce_testcase::printable;

/// A bug report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BugReport {
    /// The bug on one line.
    pub title: String,
    /// The sections in their order.
    pub sections: Vec<Section>,
}

/// A heading and what stands below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The heading.
    pub heading: &'static str,
    /// The content below it.
    pub blocks: Vec<ReportBlock>,
}

/// A part of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReportBlock {
    /// A paragraph.
    Text(String),
    /// Text that is shown as it is: a program, a command, an output.
    Verbatim {
        /// The language of a program, as Markdown names it.
        language: &'static str,
        /// The text.
        text: String,
    },
    /// Rows of cells below a head.
    Table {
        /// The head of each column.
        head: Vec<&'static str>,
        /// The rows.
        rows: Vec<Vec<String>>,
    },
}

impl ReportBlock {
    /// An output or a command, verbatim.
    #[must_use]
    pub fn output(text: impl Into<String>) -> Self {
        Self::Verbatim { language: "", text: text.into() }
    }
}

// Writing to a string cannot fail.
impl BugReport {
    /// The report in Markdown, for GitHub, GitLab and others.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = format!("# {}\n", escaped(&self.title));
        for Section { heading, blocks } in &self.sections {
            let _ = write!(text, "\n## {heading}\n");
            for block in blocks {
                text.push('\n');
                match block {
                    ReportBlock::Text(paragraph) => {
                        let _ = writeln!(text, "{}", escaped(paragraph));
                    }
                    ReportBlock::Verbatim { language, text: code } => {
                        let fence = fence(code);
                        let _ = writeln!(text, "{fence}{language}\n{}\n{fence}", code.trim_end());
                    }
                    ReportBlock::Table { head, rows } => {
                        let _ = writeln!(
                            text,
                            "| {} |\n|{}",
                            head.join(" | "),
                            "---|".repeat(head.len())
                        );
                        for row in rows {
                            let cells: Vec<String> =
                                row.iter().map(|cell| escaped(&on_one_line(cell))).collect();
                            let _ = writeln!(text, "| {} |", cells.join(" | "));
                        }
                    }
                }
            }
        }
        printable(&text).into_owned()
    }

    /// The report as plain text, for Bugzilla.
    #[must_use]
    pub fn plain(&self) -> String {
        let mut text = format!("{}\n", self.title);
        for Section { heading, blocks } in &self.sections {
            let _ = write!(text, "\n{heading}\n{}\n", "-".repeat(heading.chars().count()));
            let shown: Vec<String> = blocks.iter().map(plain_block).collect();
            text.push_str(&shown.join("\n"));
        }
        printable(&text).into_owned()
    }
}

fn plain_block(block: &ReportBlock) -> String {
    match block {
        ReportBlock::Text(paragraph) => format!("{paragraph}\n"),
        ReportBlock::Verbatim { text, .. } => format!("{}\n", text.trim_end()),
        ReportBlock::Table { rows, .. } => {
            let row = |row: &Vec<String>| {
                let filled = row.iter().filter(|cell| !cell.is_empty());
                format!(
                    "  {}\n",
                    filled.map(|cell| on_one_line(cell)).collect::<Vec<_>>().join(": ")
                )
            };
            rows.iter().map(row).collect()
        }
    }
}

/// Text in which no sign means anything to Markdown.
fn escaped(text: &str) -> String {
    let mut result = String::new();
    for sign in text.chars() {
        if r"\`*_<>[]#|&".contains(sign) {
            result.push('\\');
        }
        result.push(sign);
    }
    result
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// More signs than any run of them in the text.
fn fence(text: &str) -> String {
    let longest = text.split(|sign| sign != '`').map(str::len).max().unwrap_or_default();
    "`".repeat((longest + 1).max(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_program_or_message_changes_the_text_around_it() {
        let row = vec!["a|b".to_owned(), "x\ny".to_owned(), String::new()];
        let report = BugReport {
            title: "crash in f<int>".to_owned(),
            sections: vec![Section {
                heading: "Program",
                blocks: vec![
                    ReportBlock::Text("a `b` *c*".to_owned()),
                    ReportBlock::Verbatim { language: "c", text: "/* ```` */\n".to_owned() },
                    ReportBlock::Table { head: vec!["one", "two", "three"], rows: vec![row] },
                ],
            }],
        };
        assert_eq!(
            report.markdown(),
            "# crash in f\\<int\\>\n\n## Program\n\na \\`b\\` \\*c\\*\n\n`````c\n/* ```` */\n`````\n\n\
             | one | two | three |\n|---|---|---|\n| a\\|b | x y |  |\n"
        );
        assert_eq!(
            report.plain(),
            "crash in f<int>\n\nProgram\n-------\na `b` *c*\n\n/* ```` */\n\n  a|b: x y\n"
        );
    }
}
