//! Oclgrind's log: paragraphs of a headline, the kernel's name and where it happened.

use std::collections::BTreeSet;

use crate::finding::{Certainty, Finding, Kind};

/// The findings, each once; or the line that cannot be understood.
pub(super) fn parse(log: &str) -> Result<Vec<Finding>, String> {
    let mut findings = BTreeSet::new();
    let mut lines = log.lines().peekable();
    while let Some(headline) = lines.next() {
        let is_headline = !headline.trim().is_empty() && !headline.starts_with('\t');
        if headline.starts_with("OCLGRIND FATAL ERROR") || headline.starts_with("Build failure") {
            let reason = lines.next().unwrap_or_default().trim();
            return Err(format!("{} {reason}", headline.trim()));
        }
        if !is_headline || !lines.peek().is_some_and(|next| next.starts_with("\tKernel:")) {
            continue;
        }
        let mut at = None;
        while let Some(line) = lines.next_if(|line| line.is_empty() || line.starts_with('\t')) {
            at = at.or_else(|| line_number(line));
        }
        let (kind, certainty) = kind(headline).ok_or_else(|| format!("unknown: {headline}"))?;
        findings.insert(Finding {
            kind,
            line: at,
            tool: super::TOOL,
            certainty,
            message: without_address(headline).to_owned(),
        });
    }
    Ok(findings.into_iter().collect())
}

/// `At line 6 (column 22) of input.cl:`
fn line_number(line: &str) -> Option<u32> {
    line.trim_start().strip_prefix("At line ")?.split(' ').next()?.parse().ok()
}

/// Addresses differ from work-item to work-item; what is wrong does not.
fn without_address(headline: &str) -> &str {
    headline.find(" address 0x").map_or(headline, |at| &headline[..at]).trim_end()
}

fn kind(headline: &str) -> Option<(Kind, Certainty)> {
    let has = |text: &str| headline.contains(text);
    let address = headline.rsplit_once(" address 0x").map(|(_, digits)| digits.trim());
    let null =
        address.is_some_and(|digits| u64::from_str_radix(digits, 16).is_ok_and(|at| at < 4096));
    let kind = match () {
        () if has("data race") => Kind::DataRace,
        () if has("divergence") => Kind::Divergence,
        () if has("ninitialized") => Kind::Uninitialised,
        // Known to be wrong of copies of volatile structs; what is really accessed is reported as well.
        () if has("exceeds static array size") => {
            return Some((Kind::OutOfBounds, Certainty::Suspected));
        }
        () if has("aligned") => Kind::Misaligned,
        () if null => Kind::NullPointer,
        () if has("Invalid read")
            || has("Invalid write")
            || has("read-only")
            || has("write-only") =>
        {
            Kind::OutOfBounds
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
        assert_eq!((findings[0].kind, findings[0].line), (Kind::DataRace, Some(9)));
        assert_eq!(findings[0].message, "Write-write data race at local memory");
    }

    #[test]
    fn low_addresses_are_null() {
        let log = "Invalid read of size 4 at global memory address 0x8\n\tKernel: entry\n\tEntity: Global\n";
        assert_eq!(parse(log).unwrap()[0].kind, Kind::NullPointer);
    }

    #[test]
    fn odd_logs_say_nothing() {
        parse("Something new\n\tKernel: entry\n").unwrap_err();
        parse("OCLGRIND FATAL ERROR (core/x.cpp:3)\nUnsupported instruction\n").unwrap_err();
        assert_eq!(parse("1 warning generated.\n"), Ok(Vec::new()));
    }
}
