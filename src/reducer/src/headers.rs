//! Text that came from headers: it may be deleted, never rewritten.
//!
//! A preprocessor's line markers tell where it is. They are read once, in the original; from then on the
//! regions follow every commit, so that it does not matter when the markers go.

use std::ops::Range;
use std::sync::Arc;

use clreduce_passes::{Proposal, Snapshot};
use clreduce_testcase::{Edit, EditKind, Feature, Language, Patch, TestCase, map_range};

/// Ends of the names of headers.
const HEADERS: [&[u8]; 7] = [b".h", b".hh", b".hpp", b".hxx", b".cuh", b".clh", b".inl"];

/// By file, where text from headers is, in order. Cloning is cheap.
#[derive(Clone, Debug)]
pub(crate) struct Headers {
    files: Arc<[Vec<Range<usize>>]>,
}

impl Headers {
    /// The line markers of the original. In C++ there are none that count: headers are most of a program, and hold the
    /// templates that the bug is about.
    pub(crate) fn of(original: &TestCase, language: Language) -> Self {
        if language.has(Feature::Classes) {
            return Self { files: Arc::default() };
        }
        Self { files: original.files().iter().map(|file| regions(&file.bytes)).collect() }
    }

    /// The proposals that rewrite no text from headers.
    pub(crate) fn filter(&self, base: &Snapshot, mut proposals: Vec<Proposal>) -> Vec<Proposal> {
        if self.files.iter().any(|regions| !regions.is_empty()) {
            proposals.retain(|proposal| {
                !proposal.patch.edits().iter().any(|edit| {
                    let file = edit.file as usize;
                    rewrites(edit, &self.files[file], base.bytes(file).len())
                })
            });
        }
        proposals
    }

    /// Its place after a patch of `base`.
    pub(crate) fn followed(&self, base: &TestCase, patch: &Patch) -> Self {
        if self.files.iter().all(Vec::is_empty) {
            return Self { files: Arc::default() };
        }
        let (_, kept) = base.apply_and_track(patch);
        let follow = |file: usize, runs: &[_]| {
            self.files[file].iter().filter_map(|region| map_range(runs, region)).collect()
        };
        let files = kept.iter().map(|kept| match &kept.runs {
            Some(runs) => follow(kept.file, runs),
            None => self.files[kept.file].clone(),
        });
        Self { files: files.collect() }
    }

    /// All text from headers in the first file.
    #[cfg(test)]
    pub(crate) fn text(&self, case: &TestCase) -> Vec<u8> {
        let Some((regions, file)) = self.files.first().zip(case.files().first()) else {
            return Vec::new();
        };
        regions.iter().flat_map(|region| file.bytes[region.clone()].to_vec()).collect()
    }
}

/// Returns true if an edit puts text where other text from a header was. What replaces more than the region is no text
/// of the header any more; what replaces the whole file lays it out.
fn rewrites(edit: &Edit, regions: &[Range<usize>], file: usize) -> bool {
    let range = edit.range();
    if edit.kind == EditKind::RemoveFile || edit.text.is_empty() || range == (0..file) {
        return false;
    }
    let next = regions.partition_point(|region| region.end <= range.start);
    // An insertion touches only a region that it is strictly inside of.
    let mut touched = regions[next..].iter().take_while(|region| region.start < range.end);
    touched.any(|region| range.start > region.start || region.end > range.end || range == *region)
}

/// The ranges of the text between the markers of headers, without the markers.
fn regions(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut regions = Vec::new();
    let mut main = None;
    let mut open = None;
    let mut at = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let range = at..at + line.len();
        at = range.end;
        let Some((name, is_system)) = marker(line) else { continue };
        if let Some(start) = open.take().filter(|&start| start < range.start) {
            regions.push(start..range.start);
        }
        // A preprocessor's output begins with the name of what it was given.
        let begins = bytes[..range.start].trim_ascii().is_empty();
        let main = *main.get_or_insert(if begins { name } else { b"" });
        let is_header = is_system || HEADERS.iter().any(|ending| name.ends_with(ending));
        open = (is_header && name != main).then_some(range.end);
    }
    regions.extend(open.filter(|&start| start < at).map(|start| start..at));
    regions
}

/// The file that a line marker names (`# 1 "x.h" 1 3`, `#line 1 "x.h"`), and whether it is a system
/// header.
fn marker(line: &[u8]) -> Option<(&[u8], bool)> {
    let rest = line.trim_ascii().strip_prefix(b"#")?.trim_ascii_start();
    let rest = rest.strip_prefix(b"line").unwrap_or(rest).trim_ascii_start();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = rest[digits..].trim_ascii_start().strip_prefix(b"\"").filter(|_| digits > 0)?;
    let end = rest.iter().rposition(|&byte| byte == b'"')?;
    let is_system = rest[end + 1..].split(|&byte| byte == b' ').any(|flag| flag == b"3");
    Some((&rest[..end], is_system))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "# 0 \"a.c\"\n# 0 \"<built-in>\"\n# 1 \"/usr/include/x.h\" 1 3 4\nint x(int a);\n\
                          # 2 \"a.c\" 2\nint main() { return x(1); }\n";

    fn texts<'a>(headers: &Headers, case: &'a TestCase) -> Vec<&'a str> {
        let bytes = &case.files()[0].bytes;
        let text = |range: &Range<usize>| std::str::from_utf8(&bytes[range.clone()]).unwrap();
        headers.files[0].iter().map(text).collect()
    }

    fn source() -> (TestCase, Headers) {
        let case = TestCase::single("a.i", SOURCE.as_bytes()).unwrap();
        let headers = Headers::of(&case, Language::C);
        (case, headers)
    }

    fn range(text: &str) -> Range<usize> {
        let start = SOURCE.find(text).unwrap();
        start..start + text.len()
    }

    #[test]
    fn regions_lie_between_the_markers_of_headers() {
        let (case, headers) = source();
        assert_eq!(texts(&headers, &case), ["int x(int a);\n"]);
        for without in
            ["int x;\n#line 3 \"parser.y\"\nint y;\n", "# 1 \"a.h\"\nint x;", "#\n# x\n#line"]
        {
            assert!(regions(without.as_bytes()).is_empty(), "{without}");
        }
        let regions = regions(b"int a;\n#line 7 \"b.h\"\nint b;");
        assert_eq!(regions.first(), Some(&(21..27)));
    }

    #[test]
    fn they_follow_when_the_markers_go() {
        let (case, headers) = source();
        let mut edits: Vec<Edit> = SOURCE
            .match_indices('#')
            .map(|(at, _)| Edit::delete(0, at..at + SOURCE[at..].find('\n').unwrap() + 1))
            .collect();
        edits.push(Edit::delete(0, range("int a")));
        edits.push(Edit::replace(0, range("return"), b"exit".as_slice()));
        let patch = Patch::new(edits).unwrap();
        let headers = headers.followed(&case, &patch);
        let case = case.apply(&patch);
        assert_eq!(texts(&headers, &case), ["int x();\n"]);
        let gone = Patch::single(Edit::delete(0, 0..9));
        let headers = headers.followed(&case, &gone);
        assert!(texts(&headers, &case.apply(&gone)).is_empty());
    }

    #[test]
    fn they_are_deleted_but_not_rewritten() {
        let (case, headers) = source();
        let base = Snapshot::new(case, Language::C);
        let allowed = |edit: Edit| !headers.filter(&base, vec![Proposal::edit(edit)]).is_empty();
        let replace = |range: Range<usize>| allowed(Edit::replace(0, range, b"0".as_slice()));
        let region = range("int x(int a);\n");
        assert!(allowed(Edit::delete(0, range("int a"))));
        assert!(allowed(Edit::delete(0, region.clone())));
        assert!(allowed(Edit::remove_file(0)));
        assert!(replace(range("1); }")));
        assert!(replace(region.start..region.start));
        assert!(replace(region.end..region.end));
        assert!(replace(region.start..region.end + 3));
        assert!(replace(0..SOURCE.len()));
        assert!(!replace(range("a);")));
        assert!(!replace(region.clone()));
        assert!(!replace(region.start + 1..region.start + 1));
        assert!(!replace(region.start + 1..region.end + 9));
    }
}
