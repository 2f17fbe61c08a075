//! The drawing of the screen, for terminals from 40 columns.

use clreduce_testcase::TestCase;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Sparkline, Wrap};

use super::model::{CommitView, Model, lines_of};
use crate::terminal::printing::printable;
use crate::terminal::units::{show_bytes, show_clock, show_count, show_duration, show_share};

/// Resolution of the curve.
const CURVE_TOP: u64 = 1000;

/// The view that fills the screen under the figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum View {
    /// The commits, and the program beside them where there is room.
    #[default]
    Commits,
    Program,
    /// The end of the last test, and what it printed.
    Output,
    Keys,
}

/// The keys, and what they do.
const KEYS: [(&str, &str); 7] = [
    ("p", "show the program, or the commits again"),
    ("o", "show what the last test printed"),
    ("s", "skip the rest of this pass"),
    ("e", "edit the program, and go on from that"),
    ("q", "stop; the same command continues"),
    ("?", "show the keys"),
    ("arrows, Page Up, Page Down, Home, End", "scroll"),
];

/// The view that the user chose.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Choice {
    /// The view that is shown.
    pub view: View,
    /// The first line of it that is shown.
    pub scroll: usize,
    /// Colours are wanted.
    pub colors: bool,
}

impl Choice {
    fn color(self, color: Color) -> Style {
        if self.colors { Style::new().fg(color) } else { Style::new() }
    }
}

/// Draws everything.
pub(crate) fn draw(frame: &mut Frame<'_>, model: &Model, choice: Choice) {
    let area = frame.area();
    let figures = figures(model, area.width);
    let curve = if area.height >= 16 { 4 } else { 0 };
    let messages = u16::from(!model.messages.is_empty());
    let [head, size, graph, body, message, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(figures.len() as u16),
        Constraint::Length(curve),
        Constraint::Fill(1),
        Constraint::Length(messages),
        Constraint::Length(1),
    ])
    .areas(area);
    frame.render_widget(heading(model, head.width), head);
    frame.render_widget(Paragraph::new(figures), size);
    curve_with_axes(frame, model, choice, graph);
    if choice.view != View::Commits {
        frame.render_widget(chosen(model, choice, body), body);
    } else if area.width >= 120 {
        let [left, right] =
            Layout::horizontal([Constraint::Fill(1); 2]).spacing(2).areas::<2>(body);
        frame.render_widget(commits(model, left, choice), left);
        frame.render_widget(program(&model.program, choice.scroll, right), right);
    } else {
        frame.render_widget(commits(model, body, choice), body);
    }
    if let Some(last) = model.messages.last() {
        let style = choice.color(Color::Yellow);
        frame.render_widget(Line::styled(last.lines().next().unwrap_or_default(), style), message);
    }
    frame.render_widget(footer(model, choice), foot);
}

/// The curve of the size: its axes are a logarithmic one from 1 byte to the original, and the time from the start to now.
fn curve_with_axes(frame: &mut Frame<'_>, model: &Model, choice: Choice, area: Rect) {
    let [drawing, time] =
        Layout::vertical([Constraint::Fill(1), Constraint::Length(1)]).areas(area);
    let (top, now) = (show_bytes(model.statistics.first.1), model.statistics.elapsed());
    let width = top.len().max(4) as u16 + 1;
    let [sizes, graph] =
        Layout::horizontal([Constraint::Length(width), Constraint::Fill(1)]).areas(drawing);
    let middle = usize::from(drawing.height.saturating_sub(2));
    let lines = std::iter::once(top).chain(vec![String::new(); middle]).chain(["1 B".to_owned()]);
    let dim = Style::new().add_modifier(Modifier::DIM);
    let lines: Vec<Line<'static>> = lines.map(|line| Line::styled(line, dim)).collect();
    frame.render_widget(Paragraph::new(lines), sizes);
    let heights = model.heights(graph.width.into(), CURVE_TOP);
    let sparkline = Sparkline::default().data(&heights).max(CURVE_TOP);
    frame.render_widget(sparkline.style(choice.color(Color::Green)), graph);
    let now = show_duration(now);
    let room = usize::from(graph.width.saturating_sub(3));
    let line = format!("{:width$}0 s{now:>room$}", "", width = usize::from(width));
    frame.render_widget(Line::styled(line, dim), time);
}

fn heading(model: &Model, width: u16) -> Line<'static> {
    let time = show_clock(model.statistics.elapsed());
    let title = format!("clreduce {}", model.name);
    let room = usize::from(width).saturating_sub(time.len() + 1);
    let title: String = title.chars().take(room).collect();
    let line = format!("{title:room$} {time}");
    Line::styled(line, Style::new().add_modifier(Modifier::REVERSED))
}

/// The figures, as many on a line as there is room for.
fn figures(model: &Model, width: u16) -> Vec<Line<'static>> {
    let statistics = &model.statistics;
    let ((first, first_bytes), (best, bytes)) = (statistics.first, statistics.best);
    let mut items = vec![
        format!(
            "{} -> {} ({} left)",
            show_bytes(first_bytes),
            show_bytes(bytes),
            show_share(bytes, first_bytes)
        ),
        format!("{} -> {} tokens", show_count(first.tokens as u64), show_count(best.tokens as u64)),
    ];
    if first.work_items > 1 {
        let counts = [first, best].map(|size| show_count(size.work_items));
        items.push(format!("{} -> {} work-items", counts[0], counts[1]));
    }
    if model.pass.1 > 0 {
        items.push(format!("pass {}, {} steps", model.pass.0, show_count(model.pass.1)));
    }
    items.extend([
        format!("{} tests, {:.1}/s", show_count(statistics.tests), model.rate()),
        format!("{} of {} running", model.running(), model.slots),
        format!("last success {} ago", show_duration(model.since_commit())),
    ]);
    let mut lines: Vec<String> = Vec::new();
    for item in items {
        match lines.last_mut() {
            Some(line) if line.len() + 3 + item.len() <= usize::from(width) => {
                line.push_str("   ");
                line.push_str(&item);
            }
            _ => lines.push(item),
        }
    }
    lines.into_iter().map(Line::from).collect()
}

fn commits(model: &Model, area: Rect, choice: Choice) -> Paragraph<'static> {
    let lines = model.commits.iter().flat_map(|commit| commit_lines(commit, choice));
    Paragraph::new(lines.take(area.height.into()).collect::<Vec<_>>())
}

fn commit_lines(commit: &CommitView, choice: Choice) -> Vec<Line<'static>> {
    let (bytes, tokens) = (show_bytes(commit.bytes), show_count(commit.tokens as u64));
    let head = format!("{}: {bytes}, {tokens} tokens", commit.pass);
    let head = Line::styled(head, Style::new().add_modifier(Modifier::BOLD));
    let diff = commit.diff.iter().map(|line| {
        let style = match line.sign {
            '-' => choice.color(Color::Red),
            '+' => choice.color(Color::Green),
            _ => Style::new().add_modifier(Modifier::DIM),
        };
        Line::styled(format!("  {}{}", line.sign, line.text), style)
    });
    std::iter::once(head).chain(diff).collect()
}

/// The view that fills the body.
fn chosen(model: &Model, choice: Choice, area: Rect) -> Paragraph<'static> {
    match choice.view {
        View::Commits => commits(model, area, choice),
        View::Program => program(&model.program, choice.scroll, area),
        View::Output => {
            let (end, output) = &model.last_test;
            let output = String::from_utf8_lossy(output);
            let nothing = if output.is_empty() { "(it printed nothing)" } else { "" };
            let output = console::strip_ansi_codes(&output);
            let lines = [end.as_str(), nothing].into_iter().filter(|line| !line.is_empty());
            let lines = lines.chain(output.lines()).skip(choice.scroll);
            let shown = |line: &str| Line::from(printable(line).replace('\t', "    "));
            Paragraph::new(lines.map(shown).collect::<Vec<_>>()).wrap(Wrap { trim: false })
        }
        View::Keys => {
            let lines = KEYS.map(|(key, what)| Line::from(format!("{key}  {what}")));
            Paragraph::new(lines.to_vec()).wrap(Wrap { trim: false })
        }
    }
}

/// The lines of the program that fit, from the line that the user scrolled to.
fn program(case: &TestCase, scroll: usize, area: Rect) -> Paragraph<'static> {
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    let mut shown: Vec<Line<'static>> = Vec::new();
    let mut skip = scroll.min(lines_of(case).saturating_sub(height));
    for file in case.files() {
        let title = (case.files().len() > 1).then(|| format!("{}:", file.path).into_bytes());
        let lines = file.bytes.split(|&byte| byte == b'\n');
        for line in title.as_deref().into_iter().chain(lines) {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            if shown.len() == height {
                return Paragraph::new(shown);
            }
            let line = &line[..line.len().min(4 * width)];
            let text = printable(&String::from_utf8_lossy(line)).replace('\t', "    ");
            shown.push(Line::from(text));
        }
    }
    Paragraph::new(shown)
}

/// The most important keys, or the answer to the last one.
fn footer(model: &Model, choice: Choice) -> Line<'static> {
    let key = |key: &'static str| Span::styled(key, Style::new().add_modifier(Modifier::REVERSED));
    let program = if choice.view == View::Program { " commits " } else { " program " };
    let keys = [("p", program), ("o", " output "), ("q", " quit "), ("?", " keys ")];
    let shown = keys.into_iter().filter(|(name, _)| model.notice.is_empty() || *name == "?");
    let mut spans: Vec<Span<'static>> =
        shown.flat_map(|(name, what)| [key(name), Span::raw(what)]).collect();
    spans.push(Span::raw(format!(" {}", model.notice)));
    Line::from(spans)
}
