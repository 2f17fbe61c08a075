//! The stage that runs the Clang Static Analyzer. It follows paths that need not be taken, so all its findings are
//! suspicions.

use std::collections::BTreeSet;

use clreduce_compiler::Clang;
use clreduce_host::{FILE, HostKernel};
use clreduce_process::{Cancel, End, ToolRunner};
use clreduce_testcase::Feature;

use crate::finding::{Certainty, Finding, FindingKind, StageFailure};
use crate::location::split_location;
use crate::stage::{CheckStage, Question, StageInfo, StageReport};

const TOOL: &str = "clang-analyzer";

pub(crate) const STAGE: StageInfo = StageInfo {
    name: "analyze",
    needs: &[Feature::CheckedKernels, Feature::OpenClWords],
    executes: false,
    takes_images: true,
    exact: &[],
    required: false,
    memory_bytes: 2 << 30,
    limit_factor: 10,
    tool: None,
    make: |setup| Ok(Box::new(Analyze { clang: setup.clang()?, tools: setup.tools })),
};

/// The kinds of findings by checker. Other checkers are ignored.
const CHECKERS: [(&str, FindingKind); 9] = [
    ("core.uninitialized.ArraySubscript", FindingKind::Uninitialised),
    ("core.uninitialized.Assign", FindingKind::Uninitialised),
    ("core.uninitialized.Branch", FindingKind::Uninitialised),
    ("core.uninitialized.UndefReturn", FindingKind::Uninitialised),
    ("core.UndefinedBinaryOperatorResult", FindingKind::Uninitialised),
    ("core.CallAndMessage", FindingKind::Uninitialised),
    ("core.NullDereference", FindingKind::NullPointer),
    ("core.DivideZero", FindingKind::DivisionByZero),
    ("core.StackAddressEscape", FindingKind::Lifetime),
];

#[derive(Debug)]
struct Analyze {
    clang: Clang,
    tools: ToolRunner,
}

impl CheckStage for Analyze {
    fn looks_for(&self) -> BTreeSet<FindingKind> {
        CHECKERS.iter().map(|(_, kind)| *kind).collect()
    }

    fn run(&self, subject: &HostKernel, _question: Question<'_>, cancel: &Cancel) -> StageReport {
        let mut args = self.clang.language();
        args.extend(
            ["--analyze", "-w", "--analyzer-output", "text", "-fno-caret-diagnostics"]
                .map(Into::into),
        );
        args.push(FILE.into());
        let ran = self.tools.run(self.clang.program(), args, &subject.files, cancel);
        if ran.end != End::Exited(0) {
            return StageReport::failed(StageFailure::of_run(TOOL, self.clang.program(), &ran));
        }
        let findings: BTreeSet<Finding> = ran.stderr.lines().filter_map(finding).collect();
        StageReport {
            findings: findings.into_iter().collect(),
            checked: self.looks_for(),
            ..StageReport::default()
        }
    }
}

/// Reads a line of the analyzer's report.
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
        assert_eq!((found.kind, found.line), (FindingKind::Uninitialised, Some(9)));
        assert_eq!(
            finding("kernel.cl:9:3: warning: Value is never read [deadcode.DeadStores]"),
            None
        );
    }
}
