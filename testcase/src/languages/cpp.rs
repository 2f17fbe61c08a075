//! C++.

use super::detection::{Ending, Look};
use super::{Description, Feature, Grammar};
use crate::lexer::tokens;

pub(super) static DESCRIPTION: Description = Description {
    name: "cpp",
    // Sources, headers, modules, and what a preprocessor made of them.
    endings: &[
        Ending::Always("cc"),
        Ending::Always("cpp"),
        Ending::Always("cxx"),
        Ending::Always("c++"),
        Ending::Always("C"),
        Ending::Always("hh"),
        Ending::Always("hpp"),
        Ending::Always("hxx"),
        Ending::Always("h++"),
        Ending::Always("H"),
        Ending::Always("ii"),
        Ending::Always("cppm"),
        Ending::Always("ixx"),
        Ending::Always("tcc"),
        Ending::Always("ipp"),
        Ending::Where("h", is_cpp),
    ],
    look: Some(Look { words: &[], also: Some(is_cpp), certainty: 2 }),
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
