//! The reducer itself in virtual time. A real test gives every verdict, those on early tests that no step uses included.

use std::cell::RefCell;
use std::collections::HashMap;
use std::error::Error;
use std::path::Path;

use clreduce_candidates::{CandidateSource, Next};
use clreduce_interestingness::{
    Cancel, CommandOptions, CommandTest, Interestingness, TestCommand, Verdict,
};
use clreduce_reducer::search::ProposalSearch;
use clreduce_reducer::{Reducer, ReducerPlan};
use clreduce_testcase::{ContentHash, TestCase};

use super::Trace;

/// A file to reduce and the verdicts of its test so far.
pub struct Real {
    case: TestCase,
    test: CommandTest,
    verdicts: RefCell<HashMap<ContentHash, bool>>,
}

impl Real {
    pub fn new(file: &Path, test: &Path) -> Result<Self, Box<dyn Error>> {
        let name = file.file_name().and_then(|name| name.to_str()).ok_or("no file name")?;
        let case = TestCase::single(name, std::fs::read(file)?)?;
        let command = TestCommand::program(test)?;
        let test = CommandTest::new(&command, CommandOptions::default())?;
        let real = Self { case, test, verdicts: RefCell::default() };
        if real.judge(&real.case) { Ok(real) } else { Err("it is not interesting".into()) }
    }

    pub fn reducer(&self) -> Reducer {
        Reducer::new(self.case.clone(), ReducerPlan::new(self.case.language()))
    }

    pub fn reducer_with<S: ProposalSearch>(&self) -> Reducer<S> {
        Reducer::with_search(self.case.clone(), ReducerPlan::new(self.case.language()))
    }

    /// The number of variants that were tested.
    pub fn tests(&self) -> usize {
        self.verdicts.borrow().len()
    }

    /// A reduction as a recorded conversation: a line for each step. `=N` stands for the verdict of step N, counted from 0.
    pub fn record(&self) -> String {
        let mut reducer = self.reducer();
        let mut steps = HashMap::new();
        let (mut text, mut step) = (String::new(), 0);
        while let (Next::Candidate(candidate), Some(basis)) = (reducer.next(), reducer.basis()) {
            let interesting = self.judge(&candidate.variant);
            let verdict = match steps.get(&candidate.hash) {
                Some(step) => format!("={step}"),
                None => u8::from(interesting).to_string(),
            };
            steps.entry(candidate.hash).or_insert(step);
            step += 1;
            let line = Trace::line(&basis, reducer.current().total_bytes(), &verdict);
            text.extend([line.as_str(), "\n"]);
            reducer.take_verdict(interesting);
        }
        text
    }

    pub fn judge(&self, variant: &TestCase) -> bool {
        *self.verdicts.borrow_mut().entry(variant.hash()).or_insert_with(|| {
            self.test
                .judge(variant, &Cancel::new())
                .is_ok_and(|outcome| outcome.verdict == Verdict::Interesting)
        })
    }
}
