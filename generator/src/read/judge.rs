//! The interpreter's judgement of a text.

use super::{Argument, Launch, Outside, Reading, Refusal, read};
use crate::interpret::{self, Faults, Report};

/// The verdict of the interpreter on a kernel and a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InterpreterVerdict {
    /// The kernel is valid; for each argument that is a buffer, its content after the launch.
    Valid(Vec<Option<Vec<u8>>>),
    /// The kernel is not valid, with the reason.
    Invalid(String),
    /// The interpreter cannot judge it.
    Outside(Outside),
}

/// The lane operations after which a loop counts as endless, even in a large text.
const MOST_STEPS: u64 = 20_000_000;

/// Reads a kernel in OpenCL C, and executes it.
#[must_use]
pub fn judge(source: &[u8], launch: &Launch) -> InterpreterVerdict {
    let reading = match read(source, launch) {
        Ok(reading) => reading,
        Err(Refusal::Outside(outside)) => return InterpreterVerdict::Outside(outside),
        Err(Refusal::Flaw(flaw)) => return InterpreterVerdict::Invalid(flaw.to_string()),
    };
    let steps = interpret::step_limit(&reading.program).min(MOST_STEPS);
    let report = interpret::run_within(&reading.program, steps);
    match worst(&reading, &report) {
        Some((faults, line)) if faults.has(Faults::ORDER) => InterpreterVerdict::Outside(Outside {
            line,
            construct: "atomics whose effect may depend on the order of work-items".to_owned(),
        }),
        Some((faults, line)) => {
            InterpreterVerdict::Invalid(format!("line {line}: {}", reason(faults)))
        }
        None => InterpreterVerdict::Valid(contents(&reading, &report, launch)),
    }
}

/// The faults of the first line that has some, but those about the order first of all: what follows them is not certain.
fn worst(reading: &Reading, report: &Report) -> Option<(Faults, u32)> {
    let of_exprs = report.exprs.iter().zip(&reading.lines.exprs);
    let of_stmts = report.stmts.iter().zip(&reading.lines.stmts);
    let faulty = of_exprs.chain(of_stmts).filter(|(faults, _)| faults.any());
    let first = faulty.min_by_key(|(faults, line)| (!faults.has(Faults::ORDER), **line));
    first.map(|(faults, line)| (*faults, *line))
}

fn reason(faults: Faults) -> &'static str {
    let reasons = [
        (Faults::UNSET, "a value is used that nothing has set, or a pointer that leads nowhere"),
        (Faults::RANGE, "an index is outside of its array"),
        (Faults::ARITHMETIC, "the result of an operation is not defined"),
        (Faults::RACE, "work-items use the same memory without a barrier between them"),
        (Faults::DIVERGENCE, "not all work-items of a group come to a barrier"),
        (Faults::ENDLESS, "a loop does not end within the limit of the interpreter"),
    ];
    let found = reasons.iter().find(|(kind, _)| faults.has(*kind));
    found.map_or("the kernel is not valid", |(_, text)| text)
}

/// The content of each buffer after the launch.
fn contents(reading: &Reading, report: &Report, launch: &Launch) -> Vec<Option<Vec<u8>>> {
    let mut contents: Vec<Option<Vec<u8>>> = launch
        .arguments
        .iter()
        .map(|argument| match argument {
            Argument::Buffer(bytes) => Some(bytes.clone()),
            _ => None,
        })
        .collect();
    for (index, id) in &reading.buffers {
        let found = report.buffers.iter().find(|(other, _)| other == id);
        let (Some((_, values)), Some(Some(bytes))) = (found, contents.get_mut(*index)) else {
            continue;
        };
        let size = reading.program.variable(*id).ty.scalar.bits() as usize / 8;
        for (value, bytes) in values.iter().zip(bytes.chunks_exact_mut(size)) {
            bytes.copy_from_slice(&value.to_le_bytes()[..size]);
        }
    }
    contents
}
