//! Coverage of a program in C that others compile and run: what of its text was executed.
//!
//! The probes and their run-time are a part of the source, so every compiler for Linux and every command will do. The
//! program prints what it has seen when it ends.

use std::ops::Range;

use clreduce_testcase::Language;

use super::probes::ProbedSource;
use super::{Count, Coverage, ProbeCounts};

/// The line that the program prints begins so. A digit for each place follows.
const BEGIN: &str = "clreduce-coverage: ";

/// A program in C with probes.
#[derive(Debug)]
pub struct ProbedProgram<'a> {
    program: &'a [u8],
    probed: ProbedSource,
}

impl<'a> ProbedProgram<'a> {
    /// Puts probes into a program.
    #[must_use]
    pub fn of(program: &'a [u8]) -> Self {
        Self { program, probed: ProbedSource::of(program, Language::C) }
    }

    /// The source of the program with its probes.
    #[must_use]
    pub fn text(&self) -> Vec<u8> {
        [run_time(self.probed.places).as_bytes(), &self.probed.text].concat()
    }

    /// The ranges of the original text that were not executed, in order; none contains another. `printed` is what the
    /// program with probes has printed. Without the line of the run-time, nothing is known.
    #[must_use]
    pub fn unexecuted(&self, printed: &[u8]) -> Option<Vec<Range<usize>>> {
        let mut counts = ProbeCounts::default();
        let mut is_known = false;
        for line in printed.split(|&byte| byte == b'\n') {
            let Some(digits) = line.strip_prefix(BEGIN.as_bytes()) else { continue };
            if digits.len() != self.probed.places as usize {
                continue;
            }
            // A program that forks prints several lines.
            is_known = true;
            for (place, _) in (0..).zip(digits).filter(|(_, digit)| **digit == b'1') {
                counts.places.insert(place, Count { times: 1, work_items: 1 });
            }
        }
        is_known.then(|| Coverage::of(self.program, &self.probed, &counts).never_executed())
    }
}

/// The functions that the probes call. Names of the C library have others here, as the program may declare them in
/// its own way.
fn run_time(places: u32) -> String {
    let header = BEGIN.len() + 1;
    format!(
        "static char clreduce_line[{header} + {places} + 2] = \"\\n{BEGIN}\"; \
         void clreduce_reaches(unsigned place) {{ clreduce_line[{header} + place] = '1'; }} \
         int clreduce_sees(unsigned place, int value) {{ clreduce_reaches(place + (unsigned)value); return value; }} \
         int clreduce_considers(unsigned place, unsigned a, unsigned b, int value) \
         {{ (void)a, (void)b; return clreduce_sees(place, value); }} \
         int clreduce_decides(unsigned place, unsigned a, int value) {{ (void)a; return clreduce_sees(place, value); }} \
         void clreduce_loop_begins(unsigned a) {{ (void)a; }} \
         void clreduce_loop_goes_on(unsigned a) {{ (void)a; }} \
         void clreduce_loop_ends(unsigned a) {{ (void)a; }} \
         void clreduce_comes_to_barrier(unsigned a) {{ (void)a; }} \
         extern long clreduce_write(int, const void *, unsigned long) __asm__(\"write\"); \
         __attribute__((destructor)) static void clreduce_prints(void) \
         {{ unsigned long end = {header} + {places}, at; long done; \
         for (at = {header}; at < end; at++) if (!clreduce_line[at]) clreduce_line[at] = '0'; \
         clreduce_line[end++] = '\\n'; \
         for (at = 0; at < end; at += (unsigned long)done) \
         if ((done = clreduce_write(1, clreduce_line + at, end - at)) <= 0) break; }} "
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str =
        "int never(int x) { return x; }\nint main(void) { if (0) never(1); return 0; }\n";

    #[test]
    fn the_line_of_the_run_time_says_what_was_executed() {
        let program = ProbedProgram::of(PROGRAM.as_bytes());
        let places = program.probed.places as usize;
        let of = |printed: &str| program.unexecuted(printed.as_bytes());
        assert_eq!(of(""), None);
        assert_eq!(of("clreduce-coverage: 1\n"), None);
        let all = of(&format!("result\nclreduce-coverage: {}\n", "1".repeat(places)));
        assert_eq!(all, Some(Vec::new()));
        // A child process sees other parts.
        let seen = |digit: &str| format!("\nclreduce-coverage: {}\n", digit.repeat(places));
        assert_eq!(of(&(seen("0") + &seen("1"))), Some(Vec::new()));
        let none: Vec<&str> =
            of(&seen("0")).unwrap().into_iter().map(|range| &PROGRAM[range]).collect();
        let lines: Vec<&str> = PROGRAM.lines().collect();
        assert_eq!(none, lines);
    }
}
