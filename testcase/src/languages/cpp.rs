//! C++.

use super::detection::{NameEnding, TextLook};
use super::{Description, Feature, Grammar};
use crate::lexer::tokens;

pub(super) static DESCRIPTION: Description = Description {
    name: "cpp",
    // Sources, headers, modules, and what a preprocessor made of them.
    endings: &[
        NameEnding::Always("cc"),
        NameEnding::Always("cpp"),
        NameEnding::Always("cxx"),
        NameEnding::Always("c++"),
        NameEnding::Always("C"),
        NameEnding::Always("hh"),
        NameEnding::Always("hpp"),
        NameEnding::Always("hxx"),
        NameEnding::Always("h++"),
        NameEnding::Always("H"),
        NameEnding::Always("ii"),
        NameEnding::Always("cppm"),
        NameEnding::Always("ixx"),
        NameEnding::Always("tcc"),
        NameEnding::Always("ipp"),
        NameEnding::Where("h", is_cpp),
    ],
    look: Some(TextLook { words: &[], also: Some(is_cpp), certainty: 2 }),
    grammar: Some(Grammar::Cpp),
    features: &[Feature::Syntax, Feature::Classes, Feature::GlobalVariables],
};

/// Returns whether a file that may be C or C++ has a construct of C++ that C has no use for. One in a comment or a literal
/// does not count.
pub(super) fn is_cpp(bytes: &[u8]) -> bool {
    let mut words: [&[u8]; 3] = [b"", b"", b""];
    tokens(bytes).any(|token| {
        words = [words[1], words[2], &bytes[token.range()]];
        matches!(
            words,
            [_, b"template", b"<"]
                | [b"namespace", _, b"{"]
                | [b"using", b"namespace", _]
                | [b"class", _, b"{" | b":" | b";"]
                | [_, b"public" | b"private" | b"protected", b":"]
        )
    })
}
