//! Pastes headers that are files of the test case in the place of the lines that include them, and removes the files: first
//! those that only one source needs, all at once, then single ones.

use std::ops::Range;

use clreduce_testcase::{Edit, EditKind, Patch};

use crate::Snapshot;
use crate::analysis::{Include, Tokens, directives, includes};
use crate::pass::{PREPROCESSED, Pass, Proposal, Proposals};

pub(crate) const PASS: Pass = Pass::new(
    "own-headers",
    "Replace includes by the headers of the test case",
    PREPROCESSED,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    let graph = IncludeGraph::of(snapshot);
    let sources = (0..snapshot.file_count()).filter(|file| graph.is_source(*file));
    let mut first: Vec<Option<Include>> = vec![None; snapshot.file_count()];
    for source in sources {
        proposals.extend(graph.paste_all(source, &mut first).map(Proposal::new));
    }
    let single = |(header, first)| graph.paste(header, first);
    let singles = first.into_iter().enumerate().filter_map(single);
    proposals.extend(singles.map(|patch| Proposal::new(patch).in_list(1)));
}

/// Which file includes which.
struct IncludeGraph<'a> {
    snapshot: &'a Snapshot,
    /// For each file, the lines that include it.
    places: Vec<Vec<Include>>,
    /// For each file, the lines in it that include others, in order, with the others.
    lines: Vec<Vec<(Range<usize>, usize)>>,
    /// For each file, the sources that need it.
    needed_by: Vec<NeededBy>,
    /// For each file, whether it is to be included once: by a guard, or because one line includes it.
    once: Vec<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NeededBy {
    Nobody,
    One(usize),
    Several,
}

/// A file that is being pasted.
struct Open {
    file: usize,
    /// The bytes that have been pasted.
    at: usize,
    /// The next of its lines that include others.
    next: usize,
}

impl<'a> IncludeGraph<'a> {
    fn of(snapshot: &'a Snapshot) -> Self {
        let places = includes(snapshot);
        let mut lines = vec![Vec::new(); places.len()];
        for (header, places) in places.iter().enumerate() {
            for Include { file, line } in places {
                lines[*file].push((line.clone(), header));
            }
        }
        for lines in &mut lines {
            lines.sort_by_key(|(line, _)| line.start);
        }
        let is_once = |file: usize| {
            places[file].len() == 1
                || places[file].len() > 1 && is_guarded(Tokens::of(snapshot, file))
        };
        let once = (0..places.len()).map(is_once).collect();
        let needed_by = vec![NeededBy::Nobody; places.len()];
        let mut graph = Self { snapshot, places, lines, needed_by, once };
        let sources = (0..graph.places.len()).filter(|file| graph.is_source(*file));
        for source in sources.collect::<Vec<_>>() {
            graph.mark_needed(source);
        }
        graph
    }

    /// Returns true if a file includes others, and none includes it.
    fn is_source(&self, file: usize) -> bool {
        self.places[file].is_empty() && !self.lines[file].is_empty()
    }

    /// Notes what a source needs. What several need is not looked at a third time.
    fn mark_needed(&mut self, source: usize) {
        let mut waiting = vec![source];
        while let Some(file) = waiting.pop() {
            for (_, header) in &self.lines[file] {
                let needed = &mut self.needed_by[*header];
                match *needed {
                    NeededBy::Nobody => *needed = NeededBy::One(source),
                    NeededBy::One(other) if other != source => *needed = NeededBy::Several,
                    _ => continue,
                }
                waiting.push(*header);
            }
        }
    }

    /// Pastes the headers that only one source needs into it, each where the preprocessor comes to it first. Notes these
    /// places.
    fn paste_all(&self, source: usize, first: &mut [Option<Include>]) -> Option<Patch> {
        let (mut edits, mut text, mut line_of_source) = (Vec::new(), Vec::new(), None);
        let mut open = vec![Open { file: source, at: 0, next: 0 }];
        while let Some(last) = open.last_mut() {
            let (file, bytes) = (last.file, self.snapshot.bytes(last.file));
            let Some((line, header)) = self.lines[file].get(last.next) else {
                text.extend_from_slice(&bytes[last.at..]);
                end_line(&mut text);
                open.pop();
                if open.len() == 1
                    && let Some(line) = line_of_source.take()
                {
                    edits.push(Edit::replace(source, line, std::mem::take(&mut text)));
                }
                continue;
            };
            let (line, header) = (line.clone(), *header);
            text.extend_from_slice(&bytes[last.at..line.start]);
            (last.at, last.next) = (line.end, last.next + 1);
            let may_go = self.needed_by[header] == NeededBy::One(source) && self.once[header];
            let is_first = first[header].is_none();
            if is_first {
                first[header] = Some(Include { file, line: line.clone() });
            }
            let is_in_source = open.len() == 1;
            if is_in_source {
                text.clear();
            }
            if may_go && is_first {
                edits.push(Edit::remove_file(header));
                line_of_source = if is_in_source { Some(line) } else { line_of_source };
                open.push(Open { file: header, at: 0, next: 0 });
            } else if may_go && is_in_source {
                edits.push(Edit::delete(source, line));
            } else if !may_go && !is_in_source {
                text.extend_from_slice(&bytes[line]);
            }
        }
        let pastes = edits.iter().any(|edit| edit.kind == EditKind::RemoveFile);
        pastes.then(|| Patch::new(edits)).flatten()
    }

    /// Pastes one header at its first place, and removes the other lines that include it.
    fn paste(&self, header: usize, first: Option<Include>) -> Option<Patch> {
        let places = &self.places[header];
        let first = match (&places[..], self.needed_by[header]) {
            ([one], _) => one.clone(),
            (_, NeededBy::One(_)) if self.once[header] => first?,
            _ => return None,
        };
        let mut text = self.snapshot.bytes(header).to_vec();
        end_line(&mut text);
        let others = places.iter().filter(|place| **place != first);
        let others = others.map(|Include { file, line }| Edit::delete(*file, line.clone()));
        let mut edits: Vec<Edit> = others.collect();
        edits.push(Edit::replace(first.file, first.line, text));
        edits.push(Edit::remove_file(header));
        Patch::new(edits)
    }
}

/// What stands behind a header begins on a line of its own.
fn end_line(text: &mut Vec<u8>) {
    if !text.is_empty() && !text.ends_with(b"\n") {
        text.push(b'\n');
    }
}

/// Returns true if a header that is included a second time is empty: it has `#pragma once`, or begins with `#ifndef` and a
/// definition of the same name.
fn is_guarded(unit: Tokens<'_>) -> bool {
    let directives = directives(unit);
    let argument = |index: usize| {
        let tokens = directives.get(index).map_or(0..0, |directive| directive.tokens.clone());
        (tokens.len() > 2).then(|| unit.text(tokens.start + 2))
    };
    let name = |index: usize| directives.get(index).map_or(&b""[..], |directive| directive.name);
    let is_once = |index: &usize| name(*index) == b"pragma" && argument(*index) == Some(b"once");
    let defines = name(0) == b"ifndef" && name(1) == b"define";
    defines && argument(0).is_some() && argument(0) == argument(1)
        || (0..directives.len()).any(|index| is_once(&index))
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::{Language, SourceFile, TestCase};

    use super::*;

    fn case(texts: &[(&str, &str)]) -> TestCase {
        let file = |(path, text): &(&str, &str)| SourceFile {
            path: (*path).into(),
            bytes: text.as_bytes().to_vec().into(),
        };
        TestCase::new(texts.iter().map(file).collect()).unwrap()
    }

    /// What the proposals make of a test case, with the list of each.
    fn pasted(case: &TestCase) -> Vec<(u32, Vec<(String, String)>)> {
        let snapshot = Snapshot::new(case.clone(), Language::C);
        let proposals = Proposals::of(&PASS, &snapshot).list.into_iter();
        let text = |file: &SourceFile| {
            (file.path.to_string(), String::from_utf8(file.bytes.to_vec()).unwrap())
        };
        let applied = |proposal: Proposal| {
            let variant = case.apply(&proposal.patch);
            (proposal.list, variant.files().iter().map(text).collect())
        };
        proposals.map(applied).collect()
    }

    fn files(texts: &[(&str, &str)]) -> Vec<(String, String)> {
        texts.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn a_header_moves_to_its_only_include() {
        let (a, b, c) = ("#include \"b.h\"\nint a;", "int b;", "#include \"inc/a.h\"\nint c;");
        let found = pasted(&case(&[("inc/a.h", a), ("inc/b.h", b), ("main.c", c)]));
        let expected = [
            (0, files(&[("main.c", "int b;\nint a;\nint c;")])),
            (1, files(&[("inc/b.h", b), ("main.c", "#include \"b.h\"\nint a;\nint c;")])),
            (1, files(&[("inc/a.h", "int b;\nint a;"), ("main.c", c)])),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn what_has_a_guard_is_pasted_once() {
        let guarded = "#ifndef B\n#define B\nint b;\n#endif\n";
        let list = "int X;\n";
        let a = "#pragma once\n#include \"b.h\"\n#include \"x.def\"\n";
        let main =
            "#include \"a.h\"\n#include \"b.h\"\n#include \"x.def\"\n#include \"a.h\"\nint c;\n";
        let found =
            pasted(&case(&[("a.h", a), ("b.h", guarded), ("main.c", main), ("x.def", list)]));
        let all =
            format!("#pragma once\n{guarded}#include \"x.def\"\n#include \"x.def\"\nint c;\n");
        assert_eq!(found[0], (0, files(&[("main.c", &all), ("x.def", list)])));
        let only_b = a.replace("#include \"b.h\"\n", guarded);
        let without = main.replace("#include \"b.h\"\n", "");
        let expected = files(&[("a.h", &only_b), ("main.c", &without), ("x.def", list)]);
        assert_eq!(found[2], (1, expected));
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn what_several_sources_need_stays() {
        let a = "#include \"both.h\"\n#include \"own.h\"\nint a;\n";
        let b = "#include \"both.h\"\nint b;\n";
        let both = "#pragma once\nint x;\n";
        let found =
            pasted(&case(&[("a.c", a), ("b.c", b), ("both.h", both), ("own.h", "int o;\n")]));
        let expected = files(&[
            ("a.c", "#include \"both.h\"\nint o;\nint a;\n"),
            ("b.c", b),
            ("both.h", both),
        ]);
        assert_eq!(found, [(0, expected.clone()), (1, expected)]);
    }

    #[test]
    fn headers_that_include_each_other_come_to_an_end() {
        let a = "#pragma once\n#include \"b.h\"\nint a;\n";
        let b = "#pragma once\n#include \"a.h\"\nint b;\n";
        let found = pasted(&case(&[("a.h", a), ("b.h", b), ("main.c", "#include <a.h>\n")]));
        let all = "#pragma once\n#pragma once\nint b;\nint a;\n";
        assert_eq!(found[0], (0, files(&[("main.c", all)])));
        assert!(pasted(&case(&[("a.h", a), ("b.h", b)])).iter().all(|(list, _)| *list == 1));
    }
}
