//! The Clang Static Analyzer. It follows paths that need not be taken: all it has is suspicions.

use std::collections::BTreeSet;

use clreduce_compiler::Clang;
use clreduce_host::{FILE, Subject};
use clreduce_process::{Cancel, End, ToolRunner};

use super::finding::{Certainty, Finding, Kind};
use super::{Stage, StageName, StageReport, split_location};

const TOOL: &str = "clang-analyzer";

/// What each checker's reports are; others are ignored.
const CHECKERS: [(&str, Kind); 9] = [
    ("core.uninitialized.ArraySubscript", Kind::Uninitialised),
    ("core.uninitialized.Assign", Kind::Uninitialised),
    ("core.uninitialized.Branch", Kind::Uninitialised),
    ("core.uninitialized.UndefReturn", Kind::Uninitialised),
    ("core.UndefinedBinaryOperatorResult", Kind::Uninitialised),
    ("core.CallAndMessage", Kind::Uninitialised),
    ("core.NullDereference", Kind::NullPointer),
    ("core.DivideZero", Kind::DivisionByZero),
    ("core.StackAddressEscape", Kind::Lifetime),
];

/// The stage.
#[derive(Debug)]
pub struct Analyze {
    clang: Clang,
    tools: ToolRunner,
}

impl Analyze {
    pub(super) fn new(clang: Clang, tools: ToolRunner) -> Self {
        Self { clang, tools }
    }
}

impl Stage for Analyze {
    fn name(&self) -> StageName {
        StageName::Analyze
    }

    fn looks_for(&self) -> BTreeSet<Kind> {
        CHECKERS.iter().map(|(_, kind)| *kind).collect()
    }

    fn runs(&self) -> bool {
        false
    }

    fn run(&self, subject: &Subject, cancel: &Cancel) -> StageReport {
        let mut args = self.clang.language();
        args.extend(
            ["--analyze", "-w", "--analyzer-output", "text", "-fno-caret-diagnostics"]
                .map(Into::into),
        );
        args.push(FILE.into());
        let ran = self.tools.run(self.clang.program(), args, &subject.files, cancel);
        if ran.end != End::Exited(0) {
            return StageReport::failed(TOOL, ran.trouble());
        }
        let findings: BTreeSet<Finding> = ran.stderr.lines().filter_map(finding).collect();
        StageReport {
            findings: findings.into_iter().collect(),
            checked: self.looks_for(),
            ..StageReport::default()
        }
    }
}

/// What a line of the analyser's report says.
fn finding(line: &str) -> Option<Finding> {
    let (number, rest) = split_location(line)?;
    let message = rest.strip_prefix("warning: ")?;
    let checker = message.rsplit_once('[')?.1.trim_end_matches(']');
    let (_, kind) = CHECKERS.into_iter().find(|(name, _)| *name == checker)?;
    let certainty = Certainty::Suspected;
    Some(Finding { kind, line: Some(number), tool: TOOL, certainty, message: message.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_reports_by_checker() {
        let line = "kernel.cl:9:3: warning: Assigned value is garbage or undefined \
                    [core.uninitialized.Assign]";
        let found = finding(line).unwrap();
        assert_eq!((found.kind, found.line), (Kind::Uninitialised, Some(9)));
        assert_eq!(
            finding("kernel.cl:9:3: warning: Value is never read [deadcode.DeadStores]"),
            None
        );
    }
}
