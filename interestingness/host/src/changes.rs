//! The checks that are put into LLVM's intermediate language, because clang makes none.

use clreduce_testcase::{Feature, tokens};

use crate::flavour::Flavour;
use crate::subject::HostKernel;
use crate::{aliasing, alignment, divisions};

/// What a program needs in one flavour. A start of clang costs more than a small kernel, so most programs need nothing.
#[derive(Clone, Copy)]
pub(crate) struct Changes {
    divisions: bool,
    alignment: bool,
    /// True if clang has to say of which types accesses are.
    pub types: bool,
}

impl Changes {
    pub(crate) fn of(subject: &HostKernel, flavour: Flavour) -> Self {
        let program = subject.program();
        let is_watched = flavour == Flavour::Addresses;
        Self {
            divisions: subject.language.has(Feature::Vectors) && divides_vectors(program),
            alignment: is_watched && alignment::casts_to_vectors(program),
            types: is_watched && aliasing::casts_to_numbers(program),
        }
    }

    pub(crate) fn is_any(self) -> bool {
        self.divisions || self.alignment || self.types
    }

    pub(crate) fn made(self, mut module: String, flavour: Flavour) -> String {
        if self.divisions {
            module = divisions::replace(&module, flavour == Flavour::Memory);
        }
        if self.alignment {
            module = alignment::check(&module);
        }
        if self.types {
            module = aliasing::check(&module);
        }
        module
    }
}

/// Returns whether a program may divide vectors: it has a type of vectors and a division.
fn divides_vectors(source: &[u8]) -> bool {
    const TYPES: [&str; 10] = [
        "char",
        "uchar",
        "short",
        "ushort",
        "int",
        "uint",
        "long",
        "ulong",
        "ext_vector_type",
        "vector_size",
    ];
    let (mut vectors, mut divisions) = (false, false);
    for token in tokens(source) {
        let text = &source[token.range()];
        divisions |= matches!(text, b"/" | b"%" | b"/=" | b"%=");
        let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let name = String::from_utf8_lossy(&text[..text.len() - digits]);
        let name = name.trim_matches('_');
        vectors |= TYPES.contains(&name) && (digits > 0 || name.contains('_'));
    }
    vectors && divisions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisions_of_vectors_are_suspected_from_afar() {
        assert!(divides_vectors(b"int4 f(__global int4 *p) { return *p / p[1]; }"));
        assert!(divides_vectors(
            b"typedef int v __attribute__((__ext_vector_type__(4))); v g; v h = g % g;"
        ));
        assert!(!divides_vectors(b"int f(int a1) { return a1 / 2; }"));
        assert!(!divides_vectors(b"int4 f(int4 a) { return a * 2; } // a / b"));
    }
}
