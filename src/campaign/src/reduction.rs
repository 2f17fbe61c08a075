//! The reduction of a bug: first as a program, with known results, then as a text by a recipe. The folder of the case has
//! the journals of both, so that a killed campaign goes on where it was.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clreduce_batch::{Batch, Case, CaseOutcome, CaseRecord, OpenError};
use clreduce_devices::WorkerOptions;
use clreduce_engine::{PassChoice, Reduction};
use clreduce_generator::Kernel;
use clreduce_interestingness::Cancel;
use clreduce_journal::Facts;
use clreduce_recipe::{Recipe, RecipeTest};
use clreduce_speculation::Pool;
use clreduce_testcase::{ContentHash, InvalidTestCase, TestCase};
use clreduce_triage::TriageCase;

use crate::CampaignError;
use crate::cure::{Cure, Cures, Search};
use crate::elsewhere::{MakeTest, NoTest, ReductionTest};
use crate::knowledge::KnownBug;
use crate::not_reduced::{NotReduced, Stop};
use crate::outcome::{Observed, Subject};
use crate::programs::Programs;
use crate::publish::{self, ARGUMENTS, BugFolder, WriteReport};
use crate::queues::Alarm;
use crate::rewrites::is_rewrite;
use crate::runner::Runner;
use crate::shared::{ReductionPart, Shared};
use crate::shrink;

/// Attempts to see the bug in the result.
const ATTEMPTS: u32 = 5;

/// Reduces bugs and writes them down.
pub(crate) struct BugReduction<'a> {
    pub runner: &'a Runner,
    /// The function that makes the tests of reductions on other machines, and the threads that wait for them.
    pub there: Option<(&'a MakeTest, &'a Arc<Pool>)>,
    pub programs: &'a Programs,
    pub shared: &'a Shared,
    pub batch: &'a Batch,
    /// The way in which workers are started.
    pub worker: WorkerOptions,
    pub report: &'a WriteReport,
    /// The folder of the campaign.
    pub directory: &'a Path,
}

/// The passes that reduce a text. Windows of tokens took half of all time for a fortieth of what was removed; who reports the bug can
/// reduce it further.
pub(crate) fn passes() -> PassChoice {
    PassChoice { only: Vec::new(), skip: vec!["token-windows".to_owned()] }
}

/// The end of a reduction.
pub(crate) enum Reduced {
    /// The bug is new.
    Bug(Box<ReducedBug>),
    /// It is this bug: the reduced program is the same, or the same constructs show it.
    Duplicate(String, Cures),
    /// It is probably the bug of an earlier alarm, which is reduced first, or of one that became known meanwhile.
    Again,
}

/// A bug that can be written down.
pub(crate) struct ReducedBug {
    /// The reduced program.
    program: Subject,
    recipe: Recipe,
    /// The features that cure it.
    pub cures: Cures,
}

impl BugReduction<'_> {
    /// The same with another runner.
    pub(crate) fn with<'b>(&'b self, runner: &'b Runner) -> BugReduction<'b> {
        let (there, worker) = (self.there, self.worker.clone());
        let Self { programs, shared, batch, report, directory, .. } = *self;
        BugReduction { runner, there, programs, shared, batch, worker, report, directory }
    }

    /// Reduces a program. `original` is the one that was found; `kernel` is the one of clreduce's generator to begin with. These
    /// `bugs` are known.
    pub(crate) fn reduce(
        &self,
        name: &str,
        alarm: &Alarm,
        (kernel, original): (Option<&Kernel>, &Subject),
        (observed, bugs): (&Observed, &[KnownBug]),
    ) -> Result<Reduced, Stop> {
        let configuration = alarm.configuration;
        let (small, cures) = match kernel {
            Some(kernel) => {
                let _turn =
                    self.shared.turn(ReductionPart::Program, alarm).ok_or(Stop::Cancelled)?;
                let small = self.shrink(name, configuration, kernel, observed)?;
                let outline = self.outline(&small.source).map(|hash| hash.to_string());
                if let Some(bug) = bugs.iter().find(|bug| bug.has_outline(outline.as_ref())) {
                    return Ok(Reduced::Duplicate(bug.name.clone(), Cures::default()));
                }
                let cures = self.cures(configuration, (&small, kernel), observed)?;
                (Subject::from(&small), Cures { outline, ..cures })
            }
            None => (original.clone(), Cures::default()),
        };
        if let Some((bug, cure)) = same_kind(&cures, bugs) {
            let telling = vec![cure.clone()];
            return Ok(Reduced::Duplicate(bug, Cures { telling, ..cures }));
        }
        if self.runner.matrix.kind.has_instructions()
            && let Some(bug) = bugs.iter().find(|bug| bug.has_same_instructions(&cures))
        {
            return Ok(Reduced::Duplicate(bug.name.clone(), cures));
        }
        if let Some((bug, cures)) = self.known_by_rewrite(configuration, &small, &cures, bugs)? {
            return Ok(Reduced::Duplicate(bug, cures));
        }
        let names: Vec<String> = cures.telling.iter().flat_map(Cure::names).cloned().collect();
        if self.shared.take_cures(alarm, &names) {
            return Ok(Reduced::Again);
        }
        let _turn = self.shared.turn(ReductionPart::Text, alarm).ok_or(Stop::Cancelled)?;
        let family = self.runner.matrix.family(configuration);
        let known = self.shared.with_knowledge(|known| known.bugs_of(family, observed));
        if known.len() > bugs.len() {
            return Ok(Reduced::Again);
        }
        self.reduce_as_text(name, configuration, (&small, cures), (observed, bugs))
    }

    /// Reduces the text of a program with these cures.
    fn reduce_as_text(
        &self,
        name: &str,
        configuration: usize,
        (small, cures): (&Subject, Cures),
        (observed, bugs): (&Observed, &[KnownBug]),
    ) -> Result<Reduced, Stop> {
        let folder = self.batch.folder_of(name);
        self.put_arguments(&folder, small)?;
        let found = self.recipe(configuration, small, observed, &folder)?;
        let small = Subject { source: found.source, ..small.clone() };
        let options = self.recipe_options();
        let path = folder.join("recipe.toml");
        let recipe = Recipe::parse(&path, found.text)?.options(options);
        if observed.class.is_wrong() && !self.runner.matrix.judges_text() {
            if let Some(bug) = self.duplicate_of(&small.source, bugs) {
                return Ok(Reduced::Duplicate(bug, cures));
            }
            return Ok(Reduced::Bug(Box::new(ReducedBug { program: small, recipe, cures })));
        }
        let text = self.reduce_text(name, &small, (&recipe, &path))?;
        let reduced = Subject { source: text, ..small.clone() };
        let both = (&small, &reduced);
        let cures = match observed.class.is_wrong() {
            true => self.cures_of_text(configuration, both, &found.witnesses, cures)?,
            false => cures,
        };
        if let Some((bug, cure)) = same_kind(&cures, bugs) {
            let telling = vec![cure.clone()];
            return Ok(Reduced::Duplicate(bug, Cures { telling, ..cures }));
        }
        if let Some(bug) = self.duplicate_of(&reduced.source, bugs) {
            return Ok(Reduced::Duplicate(bug, cures));
        }
        let expected = self.right_result(configuration, &reduced, &found.witnesses)?;
        let program = Subject { expected, ..reduced };
        Ok(Reduced::Bug(Box::new(ReducedBug { program, recipe, cures })))
    }

    /// Makes a kernel smaller as a program.
    fn shrink(
        &self,
        name: &str,
        configuration: usize,
        kernel: &Kernel,
        observed: &Observed,
    ) -> Result<Kernel, Stop> {
        let folder = self.batch.folder_of(name);
        let case = self.case(&kernel.source)?;
        let tell = |steps, bytes| self.shared.reducing(name, steps, bytes);
        let shrunk =
            shrink::shrink(self.runner, configuration, (kernel, &case), observed, &folder, &tell);
        match shrunk {
            Ok(small) => small.ok_or(Stop::Cancelled),
            Err(error) => Err(Stop::Campaign(error.into())),
        }
    }

    /// Looks for what cures a kernel and the one that it was made of.
    fn cures(
        &self,
        configuration: usize,
        (small, large): (&Kernel, &Kernel),
        observed: &Observed,
    ) -> Result<Cures, Stop> {
        let (runner, programs) = (self.runner, self.programs);
        let search = Search { runner, programs, configuration, small, large, observed };
        search.run().ok_or(Stop::Cancelled)
    }

    fn case(&self, source: &str) -> Result<TestCase, InvalidTestCase> {
        TestCase::single(self.runner.matrix.kind.file_name(), source.as_bytes())
    }

    /// Puts the description of the arguments beside the recipe.
    fn put_arguments(&self, folder: &Path, subject: &Subject) -> Result<(), Stop> {
        let Some(text) = &subject.arguments else { return Ok(()) };
        let path = folder.join(self.runner.matrix.kind.file_name()).with_extension(ARGUMENTS);
        let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text));
        written.map_err(|source| Stop::Campaign(CampaignError::Write { path, source }))
    }

    /// Reduces the text by the recipe.
    fn reduce_text(
        &self,
        name: &str,
        small: &Subject,
        recipe: (&Recipe, &Path),
    ) -> Result<String, Stop> {
        let case = self.case(&small.source)?;
        let is_over = CaseRecord::read(&self.batch.folder_of(name)).is_some();
        // A case that is over is not opened again.
        let test = if is_over { None } else { Some(self.test(name, recipe, &case)?) };
        let (test, facts) = test.map(|made| (made.test, made.facts)).unzip();
        let open = move || -> Result<Reduction<'static>, OpenError> {
            let test = test.ok_or("the record of the case has gone")?;
            Ok(Reduction::of(case).shared_test(test).passes(passes()))
        };
        let facts = facts.unwrap_or_default();
        let case = Case { name: name.to_owned(), facts, open: Box::new(open) };
        let bytes = small.source.len();
        let tell = |tests| self.shared.reducing(name, tests, bytes);
        let pool = self.there.map_or(&self.runner.pool, |(_, pool)| pool);
        let (record, _) = self.batch.reduce(case, pool, &tell);
        if self.runner.cancel.is_cancelled() || record.outcome == CaseOutcome::Interrupted {
            return Err(Stop::Cancelled);
        }
        let (outcome, reason) = (record.outcome, record.reason);
        if !outcome.is_reduced() {
            // What is not written down may be different the next time, as with a full disk.
            if CaseRecord::read(&self.batch.folder_of(name)).is_none() {
                let name = name.to_owned();
                return Err(Stop::Campaign(CampaignError::Stopped { name, reason }));
            }
            return Err(Stop::Failed(NotReduced::Outcome { outcome, reason }));
        }
        let file = Path::new("reduced").join(self.runner.matrix.kind.file_name());
        let path = self.batch.folder_of(name).join(file);
        std::fs::read_to_string(&path)
            .map_err(|source| Stop::Failed(NotReduced::Read { path, source }))
    }

    /// The test of a reduction, here or elsewhere.
    fn test(
        &self,
        name: &str,
        (recipe, path): (&Recipe, &Path),
        case: &TestCase,
    ) -> Result<ReductionTest, Stop> {
        let Some((make, _)) = self.there else {
            let test = Arc::new(self.calibrated(recipe, case)?);
            return Ok(ReductionTest { test, facts: Facts::new() });
        };
        make(recipe, path, case).map_err(|reason| match reason {
            NoTest::Cancelled => Stop::Cancelled,
            NoTest::NotShown(why) => Stop::Failed(NotReduced::Elsewhere(why)),
            NoTest::Invalid(why) => Stop::Failed(NotReduced::Invalid(why)),
            NoTest::Unusable(reason) => {
                Stop::Campaign(CampaignError::Stopped { name: name.to_owned(), reason })
            }
        })
    }

    /// The test for a program on this machine.
    fn calibrated(&self, recipe: &Recipe, case: &TestCase) -> Result<RecipeTest, Stop> {
        recipe.calibrate(case).map_err(|error| {
            if error.is_interruption() {
                Stop::Cancelled
            } else if error.rejects_original() {
                Stop::Failed(NotReduced::Invalid(error.what().to_owned()))
            } else {
                error.into()
            }
        })
    }

    /// The bug that has the same reduced program, but for names, layout, the names of types and the values of literals.
    fn duplicate_of(&self, text: &str, bugs: &[KnownBug]) -> Option<String> {
        let mine = self.outline(text)?;
        let kind = self.runner.matrix.kind;
        let is_same = |name: &&String| {
            let other = publish::read(self.directory, name, kind);
            other.and_then(|other| self.outline(&other.source)) == Some(mine)
        };
        bugs.iter().map(|bug| &bug.name).find(is_same).cloned()
    }

    fn outline(&self, source: &str) -> Option<ContentHash> {
        Some(TriageCase::new(&self.case(source).ok()?, "", None, []).outline())
    }

    /// Writes the folder of a bug.
    pub(crate) fn publish(
        &self,
        name: &str,
        bug: &ReducedBug,
        original: &Subject,
    ) -> Result<(), Stop> {
        let ReducedBug { program: kernel, recipe, .. } = bug;
        let case = self.case(&kernel.source)?;
        // Every stage runs on the result once more: only a valid program accuses a compiler.
        let cancel: &Cancel = &self.runner.cancel;
        let permit = self.runner.permit().ok_or(Stop::Cancelled)?;
        let mut test = self.calibrated(recipe, &case);
        for _ in 1..ATTEMPTS {
            if test.is_ok() || cancel.is_cancelled() {
                break;
            }
            test = self.calibrated(recipe, &case);
        }
        let test = test?;
        let kind = self.runner.matrix.kind;
        let drawn = self.runner.matrix.drawn.kept();
        let folder = BugFolder { kernel, original, recipe: recipe.text(), kind, drawn };
        let mut failure = None;
        let written = folder.write(self.directory, name, |paths| {
            Ok((self.report)(&test, &case, paths, cancel).unwrap_or_else(|reason| {
                failure = Some(reason);
                false
            }))
        });
        drop(permit);
        match (written.map_err(Stop::Campaign)?, failure) {
            (true, _) => {
                self.shared.reduced(name, true);
                Ok(())
            }
            (false, Some(reason)) => Err(reason.into()),
            (false, None) => Err(Stop::Cancelled),
        }
    }

    /// Takes the folder of a bug back, as an earlier alarm has shown another one meanwhile.
    pub(crate) fn withdraw(&self, name: &str) -> Result<(), CampaignError> {
        self.shared.reduced(name, false);
        removed(publish::folder_of(self.directory, name))
    }

    /// Removes what is needed only until an alarm is concluded.
    pub(crate) fn settle(&self, name: &str) -> Result<(), CampaignError> {
        removed(self.batch.folder_of(name).join(shrink::STATE))
    }

    /// Removes what a reduction has left that was in vain.
    pub(crate) fn forget(&self, name: &str) -> Result<(), CampaignError> {
        removed(self.batch.folder_of(name))
    }
}

fn removed(path: PathBuf) -> Result<(), CampaignError> {
    clreduce_files::remove_tree(&path).map_err(|source| CampaignError::Write { path, source })
}

/// The bug that a construct with siblings shows, or one of these, with the construct; so does a type or a list of initialisers. Of
/// other constructs, nothing speaks for one bug in two places.
fn same_kind<'a>(cures: &'a Cures, bugs: &[KnownBug]) -> Option<(String, &'a Cure)> {
    let says_enough = |cure: &&Cure| !cure.siblings.is_empty() || is_rewrite(&cure.construct);
    cures.telling.iter().filter(says_enough).find_map(|cure| {
        let is_it = |bug: &&KnownBug| cure.names().any(|name| bug.constructs.contains(name));
        Some((bugs.iter().find(is_it)?.name.clone(), cure))
    })
}
