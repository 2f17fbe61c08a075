//! clang's warnings that say that a program has no defined or no portable meaning.

use std::collections::BTreeSet;

use super::finding::{Certainty, Finding, Kind};
use super::subject::{FILE, Subject};
use super::{Clang, Stage, StageName, StageReport, split_location};
use crate::Cancel;
use crate::command::{Bench, End};

const TOOL: &str = "clang";

/// Warnings by their flag. Those of clang that speak of a path that may not be taken are suspicions. Comparing
/// pointers to different types and declarations of nothing (`int;`) are not here: programs that CLsmith makes are
/// full of them, and all compilers agree on what they mean.
const WARNINGS: [(&str, Kind, Certainty); 22] = {
    use Certainty::{Certain, Suspected};
    use Kind::{Lifetime, NonPortable, Uninitialised};
    [
        ("gnu-empty-struct", NonPortable, Certain),
        ("gnu-empty-initializer", NonPortable, Certain),
        ("int-conversion", NonPortable, Certain),
        ("int-to-pointer-cast", NonPortable, Certain),
        ("pointer-to-int-cast", NonPortable, Certain),
        ("pointer-integer-compare", NonPortable, Certain),
        ("incompatible-pointer-types", NonPortable, Certain),
        ("incompatible-pointer-types-discards-qualifiers", NonPortable, Certain),
        ("gnu-conditional-omitted-operand", NonPortable, Certain),
        ("return-type", NonPortable, Certain),
        ("zero-length-array", NonPortable, Certain),
        ("excess-initializers", NonPortable, Certain),
        ("implicit-int", NonPortable, Certain),
        ("implicit-function-declaration", NonPortable, Certain),
        ("duplicate-decl-specifier", NonPortable, Certain),
        ("return-stack-address", Lifetime, Certain),
        ("uninitialized", Uninitialised, Certain),
        ("uninitialized-const-reference", Uninitialised, Certain),
        ("uninitialized-const-pointer", Uninitialised, Suspected),
        ("sometimes-uninitialized", Uninitialised, Suspected),
        ("conditional-uninitialized", Uninitialised, Suspected),
        ("self-assign-field", NonPortable, Suspected),
    ]
};

/// Of these, one has no flag.
const NO_SEMICOLON: &str = "expected ';' at end of declaration list";

/// The stage.
#[derive(Debug)]
pub struct Compile {
    clang: Clang,
    bench: Bench,
}

impl Compile {
    pub(super) fn new(clang: Clang, bench: Bench) -> Self {
        Self { clang, bench }
    }
}

impl Stage for Compile {
    fn name(&self) -> StageName {
        StageName::Compile
    }

    fn looks_for(&self) -> BTreeSet<Kind> {
        [Kind::Rejected, Kind::NonPortable].into()
    }

    fn runs(&self) -> bool {
        false
    }

    fn run(&self, subject: &Subject, cancel: &Cancel) -> StageReport {
        let mut args = self.clang.language();
        args.extend(
            ["-fsyntax-only", "-fno-caret-diagnostics", "-Wno-unknown-warning-option"]
                .map(Into::into),
        );
        args.extend(WARNINGS.iter().map(|(flag, ..)| format!("-W{flag}").into()));
        args.push(FILE.into());
        let ran = self.bench.run(&self.clang.program, args, &subject.files, cancel);
        let findings: BTreeSet<Finding> = ran.stderr.lines().filter_map(finding).collect();
        let rejected = ran.stderr.lines().any(|line| line.contains(": error: "));
        match ran.end {
            End::Exited(0) => {}
            // A crash of the compiler may come with errors; then it is still a crash.
            End::Exited(1) if rejected => {}
            _ => return StageReport::failed(TOOL, ran.trouble()),
        }
        StageReport {
            findings: findings.into_iter().collect(),
            checked: self.looks_for(),
            ..StageReport::default()
        }
    }
}

/// What a line of clang's diagnostics says.
fn finding(line: &str) -> Option<Finding> {
    let (number, rest) = split_location(line)?;
    let (severity, message) = rest.split_once(": ")?;
    let listed = || {
        let flag = message.rsplit_once("[-W")?.1.trim_end_matches(']').split(',').next()?;
        let (_, kind, certainty) = WARNINGS.iter().find(|(name, ..)| *name == flag)?;
        Some((*kind, *certainty))
    };
    let (kind, certainty) = match severity {
        // What older versions warn of, newer ones refuse.
        "error" | "fatal error" => listed().unwrap_or((Kind::Rejected, Certainty::Certain)),
        "warning" if message.starts_with(NO_SEMICOLON) => (Kind::NonPortable, Certainty::Certain),
        "warning" => listed()?,
        _ => return None,
    };
    Some(Finding { kind, line: Some(number), tool: TOOL, certainty, message: message.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_diagnostics() {
        let read = |line| finding(line).map(|found| (found.kind, found.line, found.certainty));
        let suspected = Some((Kind::Uninitialised, Some(3), Certainty::Suspected));
        assert_eq!(
            read(
                "kernel.cl:3:7: warning: variable 'x' may be uninitialized [-Wconditional-uninitialized]"
            ),
            suspected
        );
        let rejected = Some((Kind::Rejected, Some(12), Certainty::Certain));
        assert_eq!(read("kernel.cl:12:1: error: unknown type name 'y'"), rejected);
        assert_eq!(read("kernel.cl:1:1: warning: unused variable 'x' [-Wunused-variable]"), None);
        assert_eq!(read("kernel.cl:1:1: note: initialize it"), None);
    }
}
