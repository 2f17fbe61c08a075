//! Reads Oclgrind's log. It consists of paragraphs: a headline, the name of the kernel, and the place.

use std::collections::BTreeSet;

use thiserror::Error;

use super::TOOL;
use crate::finding::{Certainty, Finding, FindingKind};

/// A log without a verdict on the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum LogError {
    /// Oclgrind failed, with these words.
    #[error("{0}")]
    Failed(String),
    /// Oclgrind reports something that clreduce does not know.
    #[error("unknown report: {0}")]
    Unknown(String),
}

/// Returns the findings, each once.
pub(super) fn parse(log: &str) -> Result<Vec<Finding>, LogError> {
    let mut findings = BTreeSet::new();
    let mut lines = log.lines().peekable();
    while let Some(headline) = lines.next() {
        let is_headline = !headline.trim().is_empty() && !headline.starts_with('\t');
        if headline.starts_with("OCLGRIND FATAL ERROR") || headline.starts_with("Build failure") {
            let reason = lines.next().unwrap_or_default().trim();
            return Err(LogError::Failed(format!("{} {reason}", headline.trim())));
        }
        if !is_headline || !lines.peek().is_some_and(|next| next.starts_with("\tKernel:")) {
            continue;
        }
        let mut at = None;
        while let Some(line) = lines.next_if(|line| line.is_empty() || line.starts_with('\t')) {
            at = at.or_else(|| line_number(line));
        }
        let (kind, certainty) =
            kind(headline).ok_or_else(|| LogError::Unknown(headline.to_owned()))?;
        findings.insert(Finding {
            kind,
            line: at,
            tool: TOOL,
            certainty,
            message: without_address(headline).to_owned(),
        });
    }
    Ok(findings.into_iter().collect())
}

/// Reads the number in `At line 6 (column 22) of input.cl:`.
fn line_number(line: &str) -> Option<u32> {
    line.trim_start().strip_prefix("At line ")?.split(' ').next()?.parse().ok()
}

/// Cuts off the address: it differs between work-items with the same finding.
fn without_address(headline: &str) -> &str {
    headline.find(" address 0x").map_or(headline, |at| &headline[..at]).trim_end()
}

fn kind(headline: &str) -> Option<(FindingKind, Certainty)> {
    let has = |text: &str| headline.contains(text);
    let address = headline.rsplit_once(" address 0x").map(|(_, digits)| digits.trim());
    let null =
        address.is_some_and(|digits| u64::from_str_radix(digits, 16).is_ok_and(|at| at < 4096));
    let kind = match () {
        () if has("data race") || has("without waiting for events") => FindingKind::DataRace,
        () if has("divergence") => FindingKind::Divergence,
        () if has("ninitialized") || has("Invalid wait event") => FindingKind::Uninitialised,
        // Oclgrind is known to report this wrongly for copies of volatile structures. It reports real accesses, too.
        () if has("exceeds static array size") => {
            return Some((FindingKind::OutOfBounds, Certainty::Suspected));
        }
        () if has("aligned") => FindingKind::Misaligned,
        () if null => FindingKind::NullPointer,
        () if has("Invalid read")
            || has("Invalid write")
            || has("read-only")
            || has("write-only") =>
        {
            FindingKind::OutOfBounds
        }
        () => return None,
    };
    Some((kind, Certainty::Certain))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RACE: &str = "\nWrite-write data race at local memory address 0x1000000000000\n\tKernel: entry\n\n\
        \tFirst entity:  Global(1,0,0) Local(1,0,0) Group(0,0,0)\n\t  store i32 1\n\
        \tAt line 9 (column 8) of input.cl:\n\t  s[0] = 1;\n\t\n\tSecond entity: Global(0,0,0)\n\
        \tAt line 12 (column 8) of input.cl:\n\t  s[0] = 1;\n\t\n";

    #[test]
    fn each_is_found_once_with_its_line() {
        let log = format!("{RACE}{}", RACE.replace("1000000000000", "1000000000008"));
        let findings = parse(&log).unwrap();
        assert_eq!(findings.len(), 1);
        assert_eq!((findings[0].kind, findings[0].line), (FindingKind::DataRace, Some(9)));
        assert_eq!(findings[0].message, "Write-write data race at local memory");
    }

    #[test]
    fn low_addresses_are_null() {
        let log = "Invalid read of size 4 at global memory address 0x8\n\tKernel: entry\n\tEntity: Global\n";
        assert_eq!(parse(log).unwrap()[0].kind, FindingKind::NullPointer);
    }

    #[test]
    fn logs_that_are_not_understood_are_errors() {
        parse("Something new\n\tKernel: entry\n").unwrap_err();
        parse("OCLGRIND FATAL ERROR (core/x.cpp:3)\nUnsupported instruction\n").unwrap_err();
        assert_eq!(parse("1 warning generated.\n"), Ok(Vec::new()));
    }
}
