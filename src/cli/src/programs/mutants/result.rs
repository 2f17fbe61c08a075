//! The results of mutants: counts by kind of mutant, and those that went unnoticed.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use clreduce_passes::Mutant;
use clreduce_testcase::TestCase;
use serde::Serialize;

use crate::terminal::printing::{Data, json_line, printable};

/// The end of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MutantResult {
    /// It does not compile.
    Stillborn,
    /// It is the same program.
    Equivalent,
    /// The judge noticed the change, by this.
    Killed(String),
    /// The judge was stopped by a time limit, which counts as killed.
    TimedOut,
    /// The judge did not notice the change.
    Survived,
    /// The judge could not decide, for this reason.
    Undecided(String),
}

const FATES: [&str; 6] = ["stillborn", "equivalent", "killed", "timeout", "survived", "undecided"];

impl MutantResult {
    fn name(&self) -> &'static str {
        FATES[self.index()]
    }

    fn index(&self) -> usize {
        match self {
            Self::Stillborn => 0,
            Self::Equivalent => 1,
            Self::Killed(_) => 2,
            Self::TimedOut => 3,
            Self::Survived => 4,
            Self::Undecided(_) => 5,
        }
    }

    fn details(&self) -> &str {
        match self {
            Self::Killed(text) | Self::Undecided(text) => text,
            _ => "",
        }
    }
}

impl fmt::Display for MutantResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.details() {
            "" => f.write_str(self.name()),
            details => write!(f, "{}: {details}", self.name()),
        }
    }
}

/// A mutant that was judged.
#[derive(Debug)]
pub(super) struct JudgedMutant {
    operator: &'static str,
    line: usize,
    before: String,
    after: String,
    fate: MutantResult,
}

impl JudgedMutant {
    pub(super) fn new(mutant: &Mutant, case: &TestCase, fate: MutantResult) -> Self {
        let bytes = &case.files()[mutant.file].bytes;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let edits = mutant.patch.edits();
        let before: Vec<String> = edits.iter().map(|edit| text(&bytes[edit.range()])).collect();
        let after: Vec<String> = edits.iter().map(|edit| text(&edit.text)).collect();
        Self {
            operator: mutant.operator.name,
            line: mutant.line,
            before: before.join(" ... "),
            after: after.join(" ... "),
            fate,
        }
    }
}

/// All mutants of a program that were judged.
pub(super) struct Results<'a> {
    /// The program.
    pub path: &'a Path,
    pub judged: Vec<JudgedMutant>,
    /// The number of operators in macros, of which there are no mutants.
    pub in_macros: usize,
}

#[derive(Serialize)]
struct JsonMutant<'a> {
    operator: &'a str,
    line: usize,
    before: &'a str,
    after: &'a str,
    fate: &'a str,
    details: &'a str,
}

#[derive(Serialize)]
struct JsonCounts {
    schema: u32,
    mutants: usize,
    operators_in_macros: usize,
    counts: BTreeMap<&'static str, usize>,
}

type FateCounts = [usize; FATES.len()];

impl Results<'_> {
    fn counts(&self, counts: impl Fn(&JudgedMutant) -> bool) -> FateCounts {
        let mut all = FateCounts::default();
        self.judged.iter().filter(|one| counts(one)).for_each(|one| all[one.fate.index()] += 1);
        all
    }

    pub(super) fn print_json(&self) -> io::Result<()> {
        for JudgedMutant { operator, line, before, after, fate } in &self.judged {
            let (name, details) = (fate.name(), fate.details());
            let mutant = JsonMutant { operator, line: *line, before, after, fate: name, details };
            json_line(&mut Data, &mutant)?;
        }
        let counts = FATES.into_iter().zip(self.counts(|_| true)).collect();
        let (mutants, operators_in_macros) = (self.judged.len(), self.in_macros);
        let counts = JsonCounts { schema: 1, mutants, operators_in_macros, counts };
        json_line(&mut Data, &counts)
    }

    /// A table by kind of mutant, the mutants that were not noticed, and the share of those that were.
    pub(super) fn print(&self) -> io::Result<()> {
        let mut out = crate::terminal::printing::out();
        write!(out, "{:<18} {:>8}", "operator", "mutants")?;
        FATES.iter().try_for_each(|fate| write!(out, " {fate:>10}"))?;
        writeln!(out)?;
        let mut operators: Vec<&str> = self.judged.iter().map(|one| one.operator).collect();
        operators.sort_unstable();
        operators.dedup();
        for operator in operators {
            row(&mut out, operator, &self.counts(|one| one.operator == operator))?;
        }
        let all = self.counts(|_| true);
        row(&mut out, "all", &all)?;
        writeln!(out)?;
        let open = |one: &&JudgedMutant| {
            matches!(one.fate, MutantResult::Survived | MutantResult::Undecided(_))
        };
        for one in self.judged.iter().filter(open) {
            let place = format!("{}:{}", self.path.display(), one.line);
            let change = format!("`{}` became `{}`", one.before, one.after);
            let line = format!("{place}: {}: {}: {change}", one.operator, one.fate);
            writeln!(out, "{}", printable(&line.replace('\n', " ")))?;
        }
        if self.in_macros > 0 {
            writeln!(out, "{} operators in macros left out", self.in_macros)?;
        }
        let [_, _, killed, timed_out, survived, undecided] = all;
        let (noticed, of) = (killed + timed_out, killed + timed_out + survived + undecided);
        let percent = if of == 0 { 0.0 } else { 100.0 * noticed as f64 / of as f64 };
        writeln!(out, "{noticed} of {of} mutants were noticed ({percent:.1} %)")
    }
}

fn row(out: &mut impl Write, name: &str, counts: &FateCounts) -> io::Result<()> {
    write!(out, "{name:<18} {:>8}", counts.iter().sum::<usize>())?;
    counts.iter().try_for_each(|count| write!(out, " {count:>10}"))?;
    writeln!(out)
}
