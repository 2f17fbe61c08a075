//! Reads the reports of the sanitizers and of the host run-time.

use std::collections::BTreeSet;

use clreduce_host::{CODE, CodeAddress, DECLARATIONS, Flavour, ProgramSymbols};

use crate::finding::{Certainty, Finding, FindingKind};
use crate::location::split_location;

/// Returns the findings in the standard error of a program, each once.
pub(super) fn parse(text: &str, symbols: &ProgramSymbols) -> Vec<Finding> {
    let lines: Vec<&str> = text.lines().collect();
    let mut findings = BTreeSet::new();
    for (at, line) in lines.iter().enumerate() {
        let found = undefined(line)
            .or_else(|| trapped(line))
            .or_else(|| runtime(line, symbols))
            .or_else(|| report(line, &lines[at + 1..], symbols));
        findings.extend(found);
    }
    // A fault on a line with another finding follows from that one.
    let trap = |finding: &Finding| finding.tool == Flavour::Addresses.tool();
    let explained: BTreeSet<Option<u32>> =
        findings.iter().filter(|finding| !trap(finding)).map(|finding| finding.line).collect();
    findings
        .into_iter()
        .filter(|finding| !trap(finding) || !explained.contains(&finding.line))
        .collect()
}

/// Returns true if there is anything that [`parse`] could read.
pub(super) fn says_anything(text: &str) -> bool {
    let marks = ["clreduce: ", "runtime error: ", "Sanitizer: "];
    text.lines().any(|line| marks.iter().any(|mark| line.contains(mark)))
}

fn certain(kind: FindingKind, line: Option<u32>, tool: &'static str, message: String) -> Finding {
    Finding { kind, line, tool, certainty: Certainty::Certain, message }
}

/// `kernel.cl:6:3: runtime error: signed integer overflow: …`. In CUDA, it may be in what a function of CUDA does, such as `abs`;
/// then the line is not known.
fn undefined(line: &str) -> Option<Finding> {
    let (place, message) = line.split_once(": runtime error: ")?;
    let number = split_location(&format!("{place}: ")).map(|(number, _)| number);
    // Precompiled ones have a whole path.
    let file = place.rsplit('/').next().unwrap_or(place);
    if number.is_none() && !file.starts_with(DECLARATIONS) {
        return None;
    }
    let has = |text: &str| message.contains(text);
    let kind = match () {
        () if has("division by zero") => FindingKind::DivisionByZero,
        () if has("shift exponent") => FindingKind::ShiftCount,
        () if has("signed integer overflow")
            || has("cannot be represented in type") && !has("outside") =>
        {
            FindingKind::SignedOverflow
        }
        () if has("outside the range of representable values") => FindingKind::Conversion,
        () if has("null pointer") => FindingKind::NullPointer,
        () if has("misaligned") => FindingKind::Misaligned,
        () if has("not a valid value for type 'bool'") => FindingKind::Uninitialised,
        () if has("not a valid value for type") => FindingKind::Conversion,
        () => FindingKind::OutOfBounds,
    };
    Some(certain(kind, number, "UndefinedBehaviorSanitizer", message.to_owned()))
}

/// `clreduce: trapped 22`, with the number of a check of UndefinedBehaviorSanitizer: its place in clang's list of
/// `SanitizerHandler`s, which has not changed from clang 12 on.
fn trapped(line: &str) -> Option<Finding> {
    let number: u8 = line.strip_prefix("clreduce: trapped ")?.trim().parse().ok()?;
    let (kind, message) = match number {
        0 | 12 | 13 | 21 => (FindingKind::SignedOverflow, "signed integer overflow"),
        3 => (FindingKind::DivisionByZero, "division by zero, or a quotient that overflows"),
        5 => (FindingKind::Conversion, "a value that the type it is converted to does not have"),
        10 => (FindingKind::Uninitialised, "a value that its type does not have"),
        20 => (
            FindingKind::ShiftCount,
            "a shift by the width of the type or more, or by a negative number",
        ),
        22 => (FindingKind::NullPointer, "an access through a null or misaligned pointer"),
        _ => (FindingKind::OutOfBounds, "an access out of bounds"),
    };
    Some(certain(kind, None, "UndefinedBehaviorSanitizer", message.to_owned()))
}

/// Returns the line of a loop that another work-item may end, `clreduce: waits 0x12,0x34 repeats`. The inner one is
/// missing where it is not known.
pub(super) fn waits(text: &str, symbols: &ProgramSymbols) -> Option<Option<u32>> {
    let said = text.lines().find_map(|line| line.strip_prefix("clreduce: waits "))?;
    Some(line_of(said.split(' ').next()?, symbols))
}

/// Returns true if a group of work-items was stopped after many jumps, none of them of a work-item that made too many.
pub(super) fn stopped_after_many_steps(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("clreduce: endless ") && line.ends_with(" many"))
}

/// The line of the innermost of some calls, `0x12,0x34`.
fn line_of(calls: &str, symbols: &ProgramSymbols) -> Option<u32> {
    symbols.line(calls.split(',').filter_map(CodeAddress::in_kernel))
}

/// The findings of the run-time that need a place alone, by the word for them.
const BY_WORD: [(&str, FindingKind, &str); 9] = [
    ("clamp-range", FindingKind::ClampRange, "clamp with a minimum above the maximum"),
    ("no-event", FindingKind::Uninitialised, "an event that no asynchronous copy has returned"),
    ("left-over", FindingKind::Lifetime, "an access to a variable of a function that has returned"),
    (
        "misaligned",
        FindingKind::Misaligned,
        "an access through a pointer that is not aligned as its type demands",
    ),
    (
        "aliasing",
        FindingKind::Aliasing,
        "an access through a pointer to another type than that of the value",
    ),
    ("image-coordinates", FindingKind::OutOfBounds, "coordinates outside of an image"),
    (
        "image-use",
        FindingKind::Uninitialised,
        "an image is used by a function, or with a sampler, for which its format gives no value",
    ),
    (
        "outside-of-mask",
        FindingKind::Divergence,
        "a thread calls a function of a warp whose mask does not name it",
    ),
    (
        "not-awaited",
        FindingKind::DataRace,
        "the kernel ends without waiting for an asynchronous copy",
    ),
];

/// `clreduce: clamp-range 0x12,0x34` and others of [`BY_WORD`], `clreduce: divergence 0x12,0x34 ended`,
/// `clreduce: divided 0x12 0x34`, `clreduce: data-race 0x12,0x34 0x56 write read group`,
/// `clreduce: endless 0x12,0x34 repeats`
fn runtime(line: &str, symbols: &ProgramSymbols) -> Option<Finding> {
    let mut words = line.strip_prefix("clreduce: ")?.split(' ');
    let kind = words.next()?;
    let place = |calls: &str| line_of(calls, symbols);
    let first = place(words.next().unwrap_or_default());
    if let Some((_, kind, message)) = BY_WORD.iter().find(|(word, ..)| *word == kind) {
        return Some(certain(*kind, first, "host", (*message).to_owned()));
    }
    match kind {
        "divergence" => {
            let other = words.next()?;
            let elsewhere = match place(other) {
                _ if other == "ended" => "has ended".to_owned(),
                Some(line) if Some(line) != first => format!("waits at line {line}"),
                _ => "came there another way".to_owned(),
            };
            let message =
                format!("a work-item waits at a barrier while another of its group {elsewhere}");
            Some(certain(FindingKind::Divergence, first, "host", message))
        }
        "divided" => {
            let elsewhere = match words.next()? {
                "0x0" => "does not".to_owned(),
                other => match place(other) {
                    Some(line) if Some(line) != first => format!("does so at line {line}"),
                    _ => "came there another way, or with other arguments".to_owned(),
                },
            };
            let message = format!(
                "a work-item makes or awaits a copy of its group, and another of its group {elsewhere}"
            );
            Some(certain(FindingKind::Divergence, first, "host", message))
        }
        "data-race" => {
            let earlier = place(words.next()?);
            let (now, then) = (way(words.next()?)?, way(words.next()?)?);
            let elsewhere = match earlier {
                Some(line) if Some(line) != first => format!(" at line {line}"),
                _ => String::new(),
            };
            let whose = match words.next()? {
                "group" => "another of its group",
                _ => "one of another group",
            };
            let message = format!(
                "a work-item {now} what {whose} {then}{elsewhere}, and no barrier orders the two"
            );
            Some(certain(FindingKind::DataRace, first, "host", message))
        }
        "endless" => {
            let message = endless(words.next()?)?.to_owned();
            Some(certain(FindingKind::NonTermination, first, "host", message))
        }
        _ => None,
    }
}

/// What the run-time says of work-items that do not end; `None` where a whole group has made many jumps.
fn endless(word: &str) -> Option<&'static str> {
    match word {
        "repeats" => Some("a work-item comes here again and again with the same memory"),
        "steps" => Some("a work-item does not end: it has made 2^28 jumps, the last one here"),
        "too-many" => {
            Some("a work-group does not end soon: it has made the most jumps that it may")
        }
        _ => None,
    }
}

/// The way in which the run-time says that a byte is accessed.
fn way(word: &str) -> Option<&'static str> {
    Some(match word {
        "read" => "reads",
        "write" => "writes",
        "atomic" => "changes atomically",
        "compare" => "compares atomically",
        "copy-from" => "copies asynchronously",
        "copy-to" => "overwrites by an asynchronous copy",
        _ => return None,
    })
}

/// `==1==ERROR: AddressSanitizer: …`, `==1==WARNING: MemorySanitizer: …`, with a stack below.
fn report(line: &str, below: &[&str], symbols: &ProgramSymbols) -> Option<Finding> {
    let line = line.trim_start_matches('=').trim_start_matches(|c: char| c.is_ascii_digit());
    let line = line.strip_prefix("==")?;
    let (_, message) = line.split_once(": ")?;
    let frames =
        below.iter().map(|line| line.trim_start()).skip_while(|line| !line.starts_with("#0 "));
    let frames = frames.take_while(|line| line.starts_with('#')).filter_map(frame);
    let place = symbols.line(frames);
    if let Some(message) = message.strip_prefix("MemorySanitizer: ") {
        if !message.starts_with("use-of-uninitialized-value") {
            return None;
        }
        if let Some(found) = undefined_value(below, symbols) {
            return Some(found);
        }
        let (place, message) = match place {
            Some(_) => (place, "use of an uninitialised value".to_owned()),
            // Seen in a buffer at the end: then the line of the variable that it came from.
            None => (
                origin(below, symbols),
                "an uninitialised value becomes part of the result".to_owned(),
            ),
        };
        return Some(certain(FindingKind::Uninitialised, place, Flavour::Memory.tool(), message));
    }
    let message = message.strip_prefix("AddressSanitizer: ")?;
    let what = message.split(' ').next()?;
    let kind = match what {
        "SEGV" if is_low(message) => FindingKind::NullPointer,
        "SEGV" | "BUS" => FindingKind::OutOfBounds,
        "FPE" => FindingKind::DivisionByZero,
        "stack-use-after-return" | "stack-use-after-scope" => FindingKind::Lifetime,
        _ if what.ends_with("-overflow") && what != "stack-overflow" => FindingKind::OutOfBounds,
        _ if what.ends_with("-underflow") || what == "unknown-crash" => FindingKind::OutOfBounds,
        _ => return None,
    };
    let message = message.split(" on ").next()?.to_owned();
    Some(certain(kind, place, Flavour::Addresses.tool(), message))
}

/// Returns the finding for a value that is not defined and is used, such as a lane of a vector.
fn undefined_value(below: &[&str], symbols: &ProgramSymbols) -> Option<Finding> {
    let (kind, message) = origin_frames(below).find_map(|place| {
        let name = symbols.function(place)?;
        Some(match name.strip_prefix("clreduce_undefined_")?.split('_').next()? {
            "clamp" => (FindingKind::ClampRange, "clamp with a minimum above the maximum"),
            "conversion" => (
                FindingKind::Conversion,
                "a floating-point number is converted to an integer type that cannot hold it",
            ),
            "factor" => (
                FindingKind::NonPortable,
                "mul24 or mad24 multiplies a number of more than 24 bits",
            ),
            "truth" => (
                FindingKind::NonPortable,
                "OpenCL says only whether the result of a vote is zero, and more of it is used",
            ),
            "fourth" => (
                FindingKind::Uninitialised,
                "the fourth element of a vector of three has no value, and it is used",
            ),
            "quotient" => {
                (FindingKind::DivisionByZero, "a lane is divided by zero, and the result used")
            }
            "lane" => (
                FindingKind::Uninitialised,
                "a thread of a warp reads from one that takes no part in the call, and uses what it got",
            ),
            _ => (FindingKind::SignedOverflow, "a lane of signed integers overflows, and it is used"),
        })
    })?;
    let line = symbols.line(origin_frames(below));
    Some(certain(kind, line, Flavour::Memory.tool(), message.to_owned()))
}

/// Returns the line where the value was made, from the second stack of a report of MemorySanitizer.
fn origin(below: &[&str], symbols: &ProgramSymbols) -> Option<u32> {
    symbols.line(origin_frames(below))
}

fn origin_frames<'a>(below: &'a [&str]) -> impl Iterator<Item = CodeAddress> + 'a {
    let is_origin = |line: &str| {
        line.contains("was created by") || line.contains("was marked as uninitialized")
    };
    let created = below.iter().skip_while(move |line| !is_origin(line));
    created.filter_map(|line| frame(line.trim_start()))
}

/// Returns true if an access went to one of the first pages.
fn is_low(message: &str) -> bool {
    let digits =
        message.split_once("address 0x").map(|(_, rest)| rest.split(' ').next().unwrap_or(rest));
    digits.is_some_and(|digits| u64::from_str_radix(digits, 16).is_ok_and(|address| address < 4096))
}

/// `#0 0x55d0c0  (/tmp/kernel.so+0x12345) (BuildId: …)`: the address relative to the file.
fn frame(line: &str) -> Option<CodeAddress> {
    let (path, rest) = line.rsplit_once("+0x")?;
    let (digits, _) = rest.split_once(')')?;
    // The first one is where it happened and not where a call returns to; one more does no harm, as
    // instructions that access memory are longer than that.
    let address = u64::from_str_radix(digits, 16).ok()? + u64::from(line.starts_with("#0 "));
    let (_, file) = path.rsplit_once('/')?;
    match () {
        () if file == CODE => Some(CodeAddress::Kernel(address)),
        () if file.starts_with("host-") => Some(CodeAddress::Host(address)),
        () => None,
    }
}
