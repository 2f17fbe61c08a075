//! Which language a test case is written in: names tell, and where none does, the text.

use super::{Feature, Language};
use crate::source_file::SourceFile;

/// An ending of the names of files.
#[derive(Debug)]
pub enum FileEnding {
    /// All files with it are in the language.
    Always(&'static str),
    /// A file with it is in the language if the function returns true for its text: another language has the ending as well.
    Where(&'static str, fn(&[u8]) -> bool),
}

/// The signs by which a text tells its language.
#[derive(Debug)]
pub struct TextLook {
    /// One of these words is in one of its files. If the list is empty, words do not matter.
    pub words: &'static [&'static str],
    /// A check that one of the files must pass, if there is one.
    pub also: Option<fn(&[u8]) -> bool>,
    /// If a text looks like several languages, the one with the greatest certainty counts.
    pub certainty: u8,
}

/// How well an ending fits: whether the text decided, whether the case is the same, and its length in bytes.
type Fit = (bool, bool, usize);

impl FileEnding {
    /// The ending, without a dot.
    pub(super) fn text(&self) -> &'static str {
        match self {
            Self::Always(ending) | Self::Where(ending, _) => ending,
        }
    }

    fn fit(&self, path: &str, text: &[u8]) -> Option<Fit> {
        let (ending, by_text) = match *self {
            Self::Always(ending) => (ending, false),
            Self::Where(_, is_like) if !is_like(text) => return None,
            Self::Where(ending, _) => (ending, true),
        };
        let before = |path: &str| path.strip_suffix(ending).is_some_and(|path| path.ends_with('.'));
        let is_exact = before(path);
        (is_exact || before(&path.to_ascii_lowercase())).then_some((
            by_text,
            is_exact,
            ending.len(),
        ))
    }
}

impl TextLook {
    fn fits(&self, files: &[SourceFile]) -> bool {
        let texts = || files.iter().map(|file| &*file.bytes);
        let has = |word: &str| {
            texts().any(|text| text.windows(word.len()).any(|part| part == word.as_bytes()))
        };
        (self.words.is_empty() || self.words.iter().any(|word| has(word)))
            && self.also.is_none_or(|is_like| texts().any(is_like))
    }
}

impl Language {
    /// Guesses by file names, then by content: the first file that tells decides. The name of a header tells least, and where
    /// there are files of the C family, scripts and data beside them tell nothing.
    pub(crate) fn detect(files: &[SourceFile]) -> Self {
        let is_header = |file: &&SourceFile| file.path.ends_with(".h");
        let sources = files.iter().filter(|file| !is_header(file));
        let headers = files.iter().filter(is_header);
        let mut told: Vec<Self> = sources
            .chain(headers)
            .filter_map(|file| Self::of_name(&file.path, &file.bytes))
            .collect();
        told.sort_by_key(|language| !language.has(Feature::Syntax));
        told.into_iter().next().or_else(|| Self::of_look(files)).unwrap_or(Self::TEXT)
    }

    /// The language that the name of a file tells; where two have it, the text decides.
    #[must_use]
    pub fn of_name(path: &str, text: &[u8]) -> Option<Self> {
        let fit = |language: &Self| {
            language.0.endings.iter().filter_map(|ending| ending.fit(path, text)).max()
        };
        Self::ALL.into_iter().filter(|language| fit(language).is_some()).max_by_key(fit)
    }

    fn of_look(files: &[SourceFile]) -> Option<Self> {
        let certainty = |language: &Self| {
            let look = language.0.look.as_ref()?;
            look.fits(files).then_some(look.certainty)
        };
        Self::ALL.into_iter().filter(|language| certainty(language).is_some()).max_by_key(certainty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TestCase;

    #[test]
    fn names_tell_the_language_and_content_where_they_do_not() {
        let detect =
            |path: &str, text: &str| TestCase::single(path, text.as_bytes()).unwrap().language();
        for ending in ["cc", "cpp", "cxx", "C", "hh", "hpp", "ii", "cppm", "ixx", "CPP"] {
            assert_eq!(detect(&format!("a.{ending}"), "int x;"), Language::CPP, "{ending}");
        }
        for (name, text, expected) in [
            ("a.c", "class A { };", Language::C),
            ("a.i", "int x;", Language::C),
            ("a.h", "int class; /* template <class T> */", Language::C),
            ("a.h", "template <class T> struct A;", Language::CPP),
            ("a.h", "namespace a { }", Language::CPP),
            ("a.clcpp", "int x;", Language::OPENCL_CPP),
            ("a.cl", "template <class T> T f(T x);", Language::OPENCL_CPP),
            ("a.cl", "kernel void f(private int x) { }", Language::OPENCL),
            ("a.cu", "class A { };", Language::CUDA),
            ("a.cui", "int x;", Language::CUDA),
            ("a.cpp1.ii", "int x;", Language::CUDA),
            ("bug", "using namespace std;", Language::CPP),
            ("bug", "__kernel void f() { } namespace n { }", Language::OPENCL_CPP),
            ("bug", "__kernel void f() { }", Language::OPENCL),
            ("bug", "int main(void) { }", Language::C),
            ("bug", "what is this", Language::TEXT),
        ] {
            assert_eq!(detect(name, text), expected, "{name}: {text}");
        }
    }

    #[test]
    fn sources_tell_more_than_their_headers() {
        let file =
            |path: &str| SourceFile { path: path.into(), bytes: b"int x;".as_slice().into() };
        for (source, expected) in
            [("src/b.cc", Language::CPP), ("b.cl", Language::OPENCL), ("b.txt", Language::C)]
        {
            let case = TestCase::new(vec![file("a.h"), file("a.json"), file(source)]).unwrap();
            assert_eq!(case.language(), expected, "{source}");
        }
    }
}
