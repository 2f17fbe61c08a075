//! C++.

use super::detection::{FileEnding, TextLook};
use super::{Description, Feature, Grammar};
use crate::lexer::{C_FAMILY, tokens};

pub(super) static DESCRIPTION: Description = Description {
    name: "cpp",
    // Sources, headers, modules, and what a preprocessor made of them.
    endings: &[
        FileEnding::Always("cc"),
        FileEnding::Always("cpp"),
        FileEnding::Always("cxx"),
        FileEnding::Always("c++"),
        FileEnding::Always("C"),
        FileEnding::Always("hh"),
        FileEnding::Always("hpp"),
        FileEnding::Always("hxx"),
        FileEnding::Always("h++"),
        FileEnding::Always("H"),
        FileEnding::Always("ii"),
        FileEnding::Always("cppm"),
        FileEnding::Always("ixx"),
        FileEnding::Always("tcc"),
        FileEnding::Always("ipp"),
        FileEnding::Where("h", is_cpp),
    ],
    look: Some(TextLook { words: &[], also: Some(is_cpp), certainty: 2 }),
    lexer: &C_FAMILY,
    grammar: Some(Grammar::Cpp),
    features: &[
        Feature::Comments,
        Feature::Preprocessor,
        Feature::Syntax,
        Feature::Classes,
        Feature::GlobalVariables,
    ],
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
