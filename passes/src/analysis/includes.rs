//! The `#include`s of files of the test case.

use std::collections::HashMap;
use std::ops::Range;

use clreduce_testcase::{SourceFile, TokenKind};

use super::directives::{Directive, directives};
use super::tokens::Tokens;
use crate::Snapshot;

/// A line that includes a file of the test case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Include {
    /// The file in which it stands.
    pub file: usize,
    /// Its bytes, with the line break at the end.
    pub line: Range<usize>,
}

/// For each file, the lines in others that include it.
pub(crate) fn includes(snapshot: &Snapshot) -> Vec<Vec<Include>> {
    let mut includes = vec![Vec::new(); snapshot.file_count()];
    if snapshot.file_count() < 2 {
        return includes;
    }
    let paths = FilePaths::of(snapshot.case().files());
    for unit in Tokens::all(snapshot) {
        for directive in directives(unit).into_iter().filter(|line| line.name == b"include") {
            let header = named(unit, &directive).and_then(|name| paths.find(unit.file, name));
            if let Some(header) = header.filter(|header| *header != unit.file) {
                includes[header].push(Include { file: unit.file, line: directive.line });
            }
        }
    }
    includes
}

/// Headers of C without their ending. In angle brackets, they are not those of a project.
const OF_C: [&[u8]; 30] = [
    b"assert",
    b"complex",
    b"ctype",
    b"errno",
    b"fenv",
    b"float",
    b"inttypes",
    b"iso646",
    b"limits",
    b"locale",
    b"malloc",
    b"math",
    b"memory",
    b"setjmp",
    b"signal",
    b"stdalign",
    b"stdarg",
    b"stdatomic",
    b"stdbool",
    b"stddef",
    b"stdint",
    b"stdio",
    b"stdlib",
    b"stdnoreturn",
    b"string",
    b"tgmath",
    b"threads",
    b"time",
    b"uchar",
    b"wchar",
];

/// A header as a directive names it.
#[derive(Clone, Copy)]
enum HeaderName<'a> {
    Quoted(&'a [u8]),
    Angled(&'a [u8]),
}

fn named<'a>(unit: Tokens<'a>, directive: &Directive<'_>) -> Option<HeaderName<'a>> {
    let first = directive.tokens.start + 2;
    let text = (first < directive.tokens.end).then(|| unit.text(first))?;
    if unit.kind(first) == TokenKind::String {
        return Some(HeaderName::Quoted(text.get(1..text.len() - 1)?));
    }
    let start = unit.tokens[first].start as usize + 1;
    let rest = unit.bytes.get(start..directive.line.end).filter(|_| text.starts_with(b"<"))?;
    let end = rest.iter().position(|&byte| byte == b'>')?;
    Some(HeaderName::Angled(&rest[..end]))
}

/// The files of a test case by their paths. The options `-I` of the command are not known.
struct FilePaths<'a> {
    files: &'a [SourceFile],
    by_path: HashMap<&'a [u8], usize>,
    /// By the last part of the path.
    by_name: HashMap<&'a [u8], Vec<usize>>,
}

impl<'a> FilePaths<'a> {
    fn of(files: &'a [SourceFile]) -> Self {
        let (mut by_path, mut by_name) = (HashMap::new(), HashMap::<_, Vec<usize>>::new());
        for (index, file) in files.iter().enumerate() {
            let path = file.path.as_bytes();
            by_path.insert(path, index);
            by_name.entry(last_part(path)).or_default().push(index);
        }
        Self { files, by_path, by_name }
    }

    /// The file that a name means: in quotes, relative to the including file; else relative to the directory of the test;
    /// else the only file whose path ends with the name, as a directory of headers has it.
    fn find(&self, from: usize, name: HeaderName<'_>) -> Option<usize> {
        let path = match name {
            // The headers of C++ have no ending.
            HeaderName::Angled(path) => {
                let ending = path.iter().rposition(|&byte| byte == b'.')?;
                if OF_C.contains(&&path[..ending]) {
                    return None;
                }
                path
            }
            HeaderName::Quoted(path) => path,
        };
        let folder =
            self.files[from].path.rfind('/').map_or("", |at| &self.files[from].path[..=at]);
        let beside = || self.at(&[folder.as_bytes(), path].concat());
        let beside = matches!(name, HeaderName::Quoted(_)).then(beside).flatten();
        beside.or_else(|| self.at(path)).or_else(|| self.below_any(path))
    }

    fn at(&self, path: &[u8]) -> Option<usize> {
        self.by_path.get(&*normal(path)?).copied()
    }

    fn below_any(&self, path: &[u8]) -> Option<usize> {
        let path = normal(path)?;
        let is_below = |file: &&usize| {
            let whole = self.files[**file].path.as_bytes();
            whole.strip_suffix(&*path).is_some_and(|folder| folder.ends_with(b"/"))
        };
        let mut found = self.by_name.get(last_part(&path))?.iter().filter(is_below);
        found.next().filter(|_| found.next().is_none()).copied()
    }
}

fn last_part(path: &[u8]) -> &[u8] {
    path.rsplit(|&byte| byte == b'/').next().unwrap_or(path)
}

/// A path without `.` and `..`; `None` if it leads out of the test case.
fn normal(path: &[u8]) -> Option<Vec<u8>> {
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|&byte| byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join(&b'/'))
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::{Language, TestCase};

    use super::*;

    #[test]
    fn headers_are_found_beside_and_in_directories() {
        let texts = [
            ("inc/lib/a.h", "#include \"b.h\"\n#include <string.h>\n"),
            ("inc/lib/b.h", "int b;\n"),
            ("inc/string.h", ""),
            ("one/twice.h", ""),
            (
                "src/main.c",
                "#include <lib/a.h>\n#include \"../inc/lib/b.h\"\n#include \"twice.h\"\n# include <lib/b.h> // b\n#include <b.hpp>\n#include <>\n#include",
            ),
            ("two/twice.h", ""),
        ];
        let file = |(path, text): (&str, &str)| SourceFile {
            path: path.into(),
            bytes: text.as_bytes().to_vec().into(),
        };
        let case = TestCase::new(texts.map(file).into()).unwrap();
        let found = includes(&Snapshot::new(case, Language::C));
        let lines: Vec<Vec<&str>> = found
            .iter()
            .map(|places| {
                places.iter().map(|at| texts[at.file].1[at.line.clone()].trim()).collect()
            })
            .collect();
        let of_b = ["#include \"b.h\"", "#include \"../inc/lib/b.h\"", "# include <lib/b.h> // b"];
        assert_eq!(lines, [&["#include <lib/a.h>"][..], &of_b, &[], &[], &[], &[]]);
    }
}
