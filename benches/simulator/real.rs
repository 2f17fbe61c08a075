//! The reducer itself in virtual time: every answer, also to what is asked in vain, comes from a real
//! test.

use std::cell::RefCell;
use std::collections::HashMap;
use std::error::Error;
use std::path::Path;

use clreduce_interestingness::{
    Cancel, CommandOptions, CommandTest, Interestingness, TestCommand, Verdict,
};
use clreduce_reducer::search::Search;
use clreduce_reducer::{Plan, Reducer};
use clreduce_testcase::{ContentHash, Language, TestCase};

/// A file to reduce and the answers of its test so far.
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
        Reducer::new(self.case.clone(), Plan::new(Language::detect(&self.case)))
    }

    pub fn reducer_with<S: Search>(&self) -> Reducer<S> {
        Reducer::with_search(self.case.clone(), Plan::new(Language::detect(&self.case)))
    }

    /// How many variants were tested.
    pub fn tests(&self) -> usize {
        self.verdicts.borrow().len()
    }

    pub fn judge(&self, variant: &TestCase) -> bool {
        *self.verdicts.borrow_mut().entry(variant.hash()).or_insert_with(|| {
            self.test.judge(variant, &Cancel::new()).verdict == Verdict::Interesting
        })
    }
}
