//! Which of the options that a program draws at random its outcome needs.

use crate::drawn::{Drawn, RANDOM};
use crate::matrix::{Compiler, Matrix};
use crate::outcome::{Observed, Subject};
use crate::runner::Runner;

impl Matrix {
    /// The compiler of a configuration with options at random.
    fn draws_for(&self, configuration: usize) -> Option<&Compiler> {
        let one = &self.configurations[configuration];
        let draws = one.options.split_whitespace().any(|word| word == RANDOM);
        self.toolchain(configuration).compiler().filter(|_| draws)
    }
}

impl Runner {
    /// The same with other options at random.
    pub(crate) fn drawing(&self, drawn: Drawn) -> Self {
        let mut runner = self.clone();
        runner.matrix.drawn = drawn;
        runner
    }

    /// The same with only those options at random that an outcome needs on a configuration. `None` once the campaign is cancelled.
    pub(crate) fn with_needed_options(
        &self,
        configuration: usize,
        subject: &Subject,
        wanted: &Observed,
    ) -> Option<Self> {
        let Some(compiler) = self.matrix.draws_for(configuration) else {
            return Some(self.clone());
        };
        let version = &compiler.version;
        let mut needed = self.matrix.drawn.options(version);
        let with = |options: Vec<String>| self.drawing(Drawn::only(version, options));
        // Mostly, none of them matters.
        let mut length = needed.len();
        while length > 0 {
            let mut end = needed.len();
            while end > 0 {
                let start = end.saturating_sub(length);
                let rest = [&needed[..start], &needed[end..]].concat();
                if with(rest.clone()).shows(configuration, subject, wanted)? {
                    needed = rest;
                }
                end = start;
            }
            length /= 2;
        }
        Some(with(needed))
    }
}
