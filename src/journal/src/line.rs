//! Lines of a journal: each has a checksum over everything before it, and a record.

use std::collections::BTreeMap;
use std::time::Duration;

use clreduce_interestingness::{Filtered, Quantity, TimeLimits, Verdict};
use clreduce_testcase::{Complaint, ContentHash};

/// A verdict as a journal holds it. The record also names the pass, for people; it is not read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalEntry {
    /// Content hash of the variant.
    pub hash: ContentHash,
    /// The verdict that the reducer took.
    pub verdict: Verdict,
    /// The part of the compile filter in it.
    pub filtered: Filtered,
    /// The complaints about the variant that the reducer took with the verdict.
    pub complaints: Vec<Complaint>,
    /// The rank of an interesting variant, where somebody prefers one to another. One that is refused because of it has it, too.
    pub rank: Option<Quantity>,
}

/// Digits of a checksum.
const DIGITS: usize = 16;

/// Checksum of all lines so far. A line that was torn, changed, moved or left out does not fit the
/// chain, and neither do the lines after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chain(u64);

impl Chain {
    /// The line that holds a record, line feed included. The record contains none.
    pub(crate) fn line(&mut self, record: &str) -> String {
        debug_assert!(!record.contains('\n'));
        self.add(record);
        format!("{:0DIGITS$x} {record}\n", self.0)
    }

    /// The record of the next line, line feed excluded; `None` when the line does not fit.
    pub(crate) fn check<'a>(&mut self, line: &'a [u8]) -> Option<&'a str> {
        let line = std::str::from_utf8(line).ok()?;
        let (checksum, record) = line.split_once(' ')?;
        let mut next = *self;
        next.add(record);
        if checksum != format!("{:0DIGITS$x}", next.0) {
            return None;
        }
        *self = next;
        Some(record)
    }

    fn add(&mut self, record: &str) {
        let mut bytes = self.0.to_le_bytes().to_vec();
        bytes.extend_from_slice(record.as_bytes());
        self.0 = ContentHash::of(&bytes).low_bits();
    }
}

/// Begins the record of a pass that a person skipped.
const SKIPPED: &str = "skipped ";

/// Begins the record of a test case that a person edited.
const EDITED: &str = "edited ";

/// Begins the record of time limits, which are in milliseconds.
const LIMITS: &str = "limits ";

/// Begins the record of a test case that was laid out.
const LAID_OUT: &str = "laid-out ";

/// A line that a journal holds between two verdicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Between {
    /// A person skipped this pass: the next verdict is that on another pass.
    Skipped(String),
    /// A person edited the files: the next verdict is that on this test case, which lies in the state folder.
    Edited(ContentHash),
    /// Later tests have these time limits.
    Limits(TimeLimits),
    /// The files were laid out and are this test case, although no verdict of a step led to it.
    LaidOut(ContentHash),
}

/// Writes what came between two verdicts as a record.
pub(crate) fn write_between(between: &Between) -> String {
    match between {
        Between::Skipped(pass) => format!("{SKIPPED}{pass}"),
        Between::Edited(case) => format!("{EDITED}{case}"),
        Between::LaidOut(case) => format!("{LAID_OUT}{case}"),
        Between::Limits(limits) => {
            let millis = |limit: &Duration| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
            let limits = limits.iter().map(|(name, limit)| (name.clone(), millis(limit).into()));
            format!("{LIMITS}{}", serde_json::Value::Object(limits.collect()))
        }
    }
}

/// Reads what [`write_between`] wrote.
pub(crate) fn read_between(record: &str) -> Option<Between> {
    if let Some(pass) = record.strip_prefix(SKIPPED) {
        return Some(Between::Skipped(pass.to_owned()));
    }
    if let Some(case) = record.strip_prefix(EDITED) {
        return ContentHash::parse(case).map(Between::Edited);
    }
    if let Some(case) = record.strip_prefix(LAID_OUT) {
        return ContentHash::parse(case).map(Between::LaidOut);
    }
    let limits: BTreeMap<String, u64> = serde_json::from_str(record.strip_prefix(LIMITS)?).ok()?;
    let limits = limits.into_iter().map(|(name, millis)| (name, Duration::from_millis(millis)));
    Some(Between::Limits(limits.collect()))
}

/// Prefix of a verdict on a variant that the compile filter had rejected.
const DOUBTED: &str = "doubted-";

/// The word instead of a verdict where the compile filter gave it.
const REFUSED: &str = "refused";

/// Between a verdict and the rank of the variant, in millionths.
const RANK: char = ':';

/// Begins the list of complaints in a record.
const COMPLAINTS: &str = " [{";

/// Writes a verdict as a record: verdict, rank if there is one, content hash, name of the pass, and complaints if there are any.
pub(crate) fn write_entry(entry: &JournalEntry, pass: &str) -> String {
    let JournalEntry { hash, verdict, filtered, complaints, rank } = entry;
    let verdict = match verdict {
        Verdict::Interesting => "yes",
        Verdict::Uninteresting => "no",
        Verdict::TimedOut => "timed-out",
        Verdict::Unresolved => "unresolved",
    };
    let (before, verdict) = match filtered {
        Filtered::Passed => ("", verdict),
        Filtered::Doubted => (DOUBTED, verdict),
        Filtered::Rejected => ("", REFUSED),
    };
    let rank = rank.map(|rank| format!("{RANK}{}", rank.in_millionths())).unwrap_or_default();
    let mut record = format!("{before}{verdict}{rank} {hash} {pass}");
    if !complaints.is_empty()
        && let Ok(complaints) = serde_json::to_string(complaints)
    {
        record = format!("{record} {complaints}");
    }
    record
}

/// Reads what [`write_entry`] wrote.
pub(crate) fn read_entry(record: &str) -> Option<JournalEntry> {
    let (verdict, rest) = record.split_once(' ')?;
    let (verdict, rank) = match verdict.split_once(RANK) {
        Some((verdict, rank)) => (verdict, Some(Quantity::millionths(rank.parse().ok()?))),
        None => (verdict, None),
    };
    let (verdict, filtered) = match verdict.strip_prefix(DOUBTED) {
        Some(verdict) => (verdict, Filtered::Doubted),
        None if verdict == REFUSED => ("no", Filtered::Rejected),
        None => (verdict, Filtered::Passed),
    };
    let verdict = match verdict {
        "yes" => Verdict::Interesting,
        "no" => Verdict::Uninteresting,
        "timed-out" => Verdict::TimedOut,
        "unresolved" => Verdict::Unresolved,
        _ => return None,
    };
    let (hash, rest) = rest.split_once(' ')?;
    let complaints = match rest.find(COMPLAINTS) {
        Some(at) => serde_json::from_str(&rest[at..]).ok()?,
        None => Vec::new(),
    };
    Some(JournalEntry { hash: ContentHash::parse(hash)?, verdict, filtered, complaints, rank })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_survive_the_way_through_a_record() {
        let hash = ContentHash::of(b"variant");
        let complaint = Complaint {
            file: "a \"[{b}\".cc".to_owned(),
            line: 3,
            column: 0,
            names: vec!["std::f".to_owned(), "\n".to_owned()],
        };
        let survives = |verdict, filtered, complaints: Vec<Complaint>| {
            for rank in [None, Some(Quantity::MAX)] {
                let complaints = Clone::clone(&complaints);
                let entry = JournalEntry { hash, verdict, filtered, complaints, rank };
                let record = write_entry(&entry, "a pass");
                assert!(!record.contains('\n'));
                assert_eq!(read_entry(&record), Some(entry));
            }
        };
        for verdict in
            [Verdict::Interesting, Verdict::Uninteresting, Verdict::TimedOut, Verdict::Unresolved]
        {
            for filtered in [Filtered::Passed, Filtered::Doubted] {
                survives(verdict, filtered, vec![complaint.clone(), complaint.clone()]);
                survives(verdict, filtered, Vec::new());
            }
        }
        survives(Verdict::Uninteresting, Filtered::Rejected, Vec::new());
        assert_eq!(read_entry("maybe 00 pass"), None);
    }

    #[test]
    fn what_comes_between_verdicts_survives_the_way_through_a_record() {
        let hash = ContentHash::of(b"edited");
        let limit = |name: &str, millis| (name.to_owned(), Duration::from_millis(millis));
        let limits = TimeLimits::from([limit("", 2500), limit("gpu \"0\"\n", 1)]);
        for between in [
            Between::Skipped("a pass".to_owned()),
            Between::Edited(hash),
            Between::Limits(limits),
            Between::LaidOut(ContentHash::of(b"laid out")),
        ] {
            let record = write_between(&between);
            assert!(read_entry(&record).is_none() && !record.contains('\n'));
            assert_eq!(read_between(&record), Some(between));
        }
        assert_eq!(read_between("no 00 pass"), None);
    }

    #[test]
    fn a_line_fits_only_where_it_was_written() {
        let mut chain = Chain::default();
        let lines = [chain.line("one"), chain.line("two"), chain.line("two")];
        let mut reader = Chain::default();
        assert_eq!(reader.check(lines[0].trim_end().as_bytes()), Some("one"));
        assert_eq!(reader.check(lines[2].trim_end().as_bytes()), None, "a line is missing");
        assert_eq!(reader.check(lines[1].trim_end().replace('w', "v").as_bytes()), None);
        assert_eq!(reader.check(lines[1].trim_end().as_bytes()), Some("two"));
    }
}
