//! A resolved recipe: the devices and tools that a recipe names are found, and fit into memory.

mod finder;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use clreduce_check::{CheckOptions, FindingKind, StageName};
use clreduce_kernel::{ProgramKind, read_description};
use clreduce_process::{Cancel, Limits, ToolRunner};
use clreduce_testcase::{Feature, Language, TestCase};
use clreduce_tools::Tool;
use toml::Spanned;

use crate::admission::{Admission, Need};
use crate::component::Component;
use crate::configuration::{DevicePool, Means, RecipeConfiguration, VariantProgram};
use crate::error::Problem;
use crate::expected::EXPECTED;
use crate::format::{
    CheckName, ConfigurationTable, Document, Preset, RequiredRuns, StageTable, VariantTable,
};
use crate::pin::Demands;
use crate::shown::ShownOutcomes;
use crate::stages::{RecipeStage, StageKind};
use crate::{RecipeOptions, machine};
use finder::Finder;

/// The memory of a configuration where the recipe does not say, in bytes.
pub(crate) const USUAL_MEMORY: u64 = 1 << 30;

/// A recipe with its devices and tools.
pub(crate) struct ResolvedRecipe {
    pub preset: Preset,
    pub demands: Demands,
    pub confirm: RequiredRuns,
    pub stages: Vec<RecipeStage>,
    pub configurations: Vec<RecipeConfiguration>,
    pub accused: Option<usize>,
    pub pools: Vec<DevicePool>,
    pub admission: Admission,
    pub bench: ToolRunner,
    pub check: CheckOptions,
    pub allow_unchecked: BTreeSet<FindingKind>,
    pub component: Option<Component>,
    variants: Vec<VariantTable>,
    arguments: Option<String>,
}

impl ResolvedRecipe {
    /// Finds the devices and tools of a recipe.
    pub(crate) fn find(
        document: &Document,
        folder: &Path,
        case: &TestCase,
        options: &RecipeOptions,
    ) -> Result<Self, Problem> {
        let check = check_options(document, options)?;
        let arguments = arguments(document, folder)?;
        let runs = ProgramKind::of_case(case);
        let mut finder = Finder { options, runs, found: None, pools: Vec::new() };
        let mut configurations = Vec::new();
        for table in &document.configurations {
            configurations.push(finder.configuration(document, table)?);
        }
        let uses_gpus = finder.pools.iter().any(|pool| pool.device.facts.kind != "cpu");
        let confinement = options.confinement.clone();
        let confinement = if uses_gpus { confinement.with_gpus() } else { confinement };
        let (temporary, worker) = (options.temporary.clone(), options.worker.clone());
        let bench = ToolRunner::confined(temporary, worker, Limits::default(), confinement);
        let kit = Self {
            preset: *document.preset.get_ref(),
            demands: Demands {
                class: document.outcome.class.as_ref().map(|class| *class.get_ref()),
                message: document.outcome.message.as_ref().map(|pattern| pattern.0.clone()),
                reference: document.outcome.reference.clone(),
            },
            confirm: document.outcome.confirm.unwrap_or(RequiredRuns::ONCE),
            stages: stages(document, case)?,
            accused: document.configurations.iter().position(|table| table.get_ref().accused),
            admission: Admission::new(
                document.memory.map_or_else(machine::memory, |size| size.0),
                finder.jobs(document),
            ),
            configurations,
            pools: finder.pools,
            bench,
            check,
            allow_unchecked: document.allow_unchecked.iter().copied().collect(),
            component: document.component.clone(),
            variants: document.variants.clone(),
            arguments,
        };
        kit.check_memory(document)?;
        Ok(kit)
    }

    /// Returns the programs that are compared; `None` where one of their files is missing.
    pub(crate) fn programs<'a>(&'a self, case: &'a TestCase) -> Option<Vec<VariantProgram<'a>>> {
        let arguments = self.arguments.as_deref();
        if self.variants.is_empty() {
            return VariantProgram::new(case, None, arguments, "").map(|program| vec![program]);
        }
        let program = |variant: &'a VariantTable| {
            VariantProgram::new(case, variant.file.as_deref(), arguments, &variant.options)
        };
        self.variants.iter().map(program).collect()
    }

    /// Runs all programs on a configuration.
    pub(crate) fn run_on<'a>(
        &self,
        configuration: &'a RecipeConfiguration,
        programs: &[VariantProgram<'_>],
        limit: Duration,
        cancel: &Cancel,
    ) -> ShownOutcomes<'a> {
        let need = Need { memory: configuration.memory, device: configuration.device() };
        let mut time = Duration::ZERO;
        let outcomes = programs.iter().map_while(|program| {
            let _held = self.admission.admit(need, cancel)?;
            let ended = configuration.run(program, &self.pools, &self.bench, limit, cancel);
            time = time.max(ended.time);
            Some(ended.outcome)
        });
        let outcomes = outcomes.collect();
        let simulated = configuration.is_simulated();
        ShownOutcomes { name: &configuration.name, accused: false, simulated, outcomes, time }
    }

    /// Returns true if something runs the program, and does not only build it.
    pub(crate) fn runs_programs(&self) -> bool {
        let is_built =
            |one: &RecipeConfiguration| matches!(one.means, Means::Commands { run: None, .. });
        self.preset.runs() && !self.configurations.iter().all(is_built)
    }

    fn check_memory(&self, document: &Document) -> Result<(), Problem> {
        let total = document.memory.map_or_else(machine::memory, |size| size.0);
        let needs = self.stages.iter().map(|stage| (&stage.name, stage.memory));
        let needs = needs.chain(self.configurations.iter().map(|one| (&one.name, one.memory)));
        match needs.max_by_key(|(_, memory)| *memory) {
            Some((name, memory)) if memory > total => Err(Problem::new(
                format!(
                    "`{name}` needs {} MiB of memory, but the recipe may use only {} MiB",
                    memory >> 20,
                    total >> 20
                ),
                "lower its `memory`, or raise that of the recipe",
            )),
            _ => Ok(()),
        }
    }
}

fn check_options(document: &Document, options: &RecipeOptions) -> Result<CheckOptions, Problem> {
    let split = |options: &str| {
        shlex::split(options).ok_or_else(|| {
            Problem::new("`options` ends within a quoted word", "close the quotation mark")
        })
    };
    let mut words = split(document.options.get_ref())?;
    // The checks read the program as the build of the suspected configuration does.
    let tables = &document.configurations;
    let only = tables.first().filter(|_| tables.len() == 1);
    if let Some(accused) = tables.iter().find(|table| table.get_ref().accused).or(only) {
        let accused = accused.get_ref();
        let build = accused.build.as_ref().map(|line| shlex::split(line.get_ref()));
        let options = build.flatten().unwrap_or(split(accused.options.get_ref())?);
        words.extend(options_of_language(&options));
    }
    Ok(CheckOptions {
        build_options: words,
        worker: options.worker.clone(),
        compile_worker: options.worker.clone(),
        temporary: options.temporary.clone(),
        confinement: options.confinement.clone(),
        ..CheckOptions::default()
    })
}

/// Reads the file that describes the arguments of the kernel, if the recipe names one.
fn arguments(document: &Document, folder: &Path) -> Result<Option<String>, Problem> {
    let text = document.arguments.as_ref().map(|path| {
        let file = folder.join(path.get_ref());
        read_description(&file).map_err(|error| {
            Problem::new(
                format!("cannot read `{}`: {error}", file.display()),
                "name a file beside the recipe that describes the kernel's arguments",
            )
            .at(path.span().start)
        })
    });
    text.transpose()
}

/// The options of a build that say what the program is: macros, headers, and the language of a kernel.
fn options_of_language(words: &[String]) -> Vec<String> {
    const WITH_VALUE: [&str; 6] = ["-isystem", "-iquote", "-include", "-D", "-U", "-I"];
    let mut found = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut starts = WITH_VALUE.iter().chain(&["-cl-std=", "-cl-ext="]);
        if !starts.any(|start| word.starts_with(start)) {
            continue;
        }
        found.push(word.clone());
        if WITH_VALUE.contains(&word.as_str()) {
            found.extend(words.next().cloned());
        }
    }
    found
}

/// Returns the stages that a recipe names, or that its preset implies.
fn stages(document: &Document, case: &TestCase) -> Result<Vec<RecipeStage>, Problem> {
    let language = case.language();
    let runs = ProgramKind::of_case(case);
    let is_cuda = language.has(Feature::HostAndDevice);
    let reads = |name: StageName| match runs {
        // Whole programs launch themselves, and the checks do not know a CUDA program by another name.
        ProgramKind::CudaProgram if is_cuda => name.reads(language) && !name.info().executes,
        ProgramKind::OpenCl if is_cuda => false,
        _ => name.reads(language),
    };
    let Some(tables) = &document.stages else {
        let preset = *document.preset.get_ref();
        let class = document.outcome.class.as_ref().map(|class| *class.get_ref());
        // Where commands only build the program, it need not be one that clang takes, and nothing runs it.
        let builds = |table: &ConfigurationTable| table.build.is_some() && table.run.is_none();
        let is_built = document.configurations.iter().all(|table| builds(table.get_ref()));
        let is_needed = |name: &StageName| reads(*name) && !(is_built && name.info().executes);
        let checks = preset.checks(class).iter().copied().filter(is_needed).map(usual);
        let checks =
            checks.map(|stage| RecipeStage { required: stage.required && !is_built, ..stage });
        let interpreter = is_interpreted(preset, language).then(interpreter);
        return Ok(interpreter.into_iter().chain(checks).collect());
    };
    let interpreted = is_interpreted(*document.preset.get_ref(), language);
    tables.iter().map(|table| stage(table, interpreted, &reads)).collect()
}

/// Returns true if the interpreter can judge variants: it knows right results of kernels in OpenCL C.
fn is_interpreted(preset: Preset, language: Language) -> bool {
    preset == Preset::WrongCode
        && language.has_all(&[Feature::OpenClWords, Feature::CheckedKernels])
}

fn interpreter() -> RecipeStage {
    let does = StageKind::Expected;
    RecipeStage { name: EXPECTED.to_owned(), does, required: false, ..usual(StageName::Compile) }
}

fn usual(name: StageName) -> RecipeStage {
    let does = StageKind::Check(name);
    RecipeStage {
        name: name.name().to_owned(),
        memory: RecipeStage::usual_memory(&does),
        does,
        required: name.info().required,
        timeout: None,
        confirm: RequiredRuns::ONCE,
        at: None,
    }
}

fn stage(
    table: &Spanned<StageTable>,
    interpreted: bool,
    reads: &dyn Fn(StageName) -> bool,
) -> Result<RecipeStage, Problem> {
    let start = table.span().start;
    let table = table.get_ref();
    let mut stage = match (&table.check, &table.command) {
        (Some(CheckName::Expected), _) if interpreted => interpreter(),
        (Some(CheckName::Expected), _) => {
            return Err(Problem::new(
                "the check `expected` is for wrong results of OpenCL kernels",
                "remove the stage",
            )
            .at(start));
        }
        (Some(CheckName::Stage(check)), _) if reads(*check) && missing(*check).is_some() => {
            let tool = missing(*check);
            let what =
                format!("the program `{}` is not installed", tool.map_or("", |tool| tool.name));
            let install = tool.map(Tool::install).unwrap_or_default();
            let help = format!("install it ({install}), or remove the stage");
            return Err(Problem::new(what, help).at(start));
        }
        (Some(CheckName::Stage(check)), _) if reads(*check) => usual(*check),
        (Some(CheckName::Stage(check)), _) => {
            return Err(Problem::new(
                format!("the check `{}` is for {}", check.name(), readers(*check)),
                "use `command`, with a compiler and its sanitizers for example",
            )
            .at(start));
        }
        (None, command) => {
            let line = command.as_ref().map(|line| line.get_ref().clone()).unwrap_or_default();
            if let Some(command) = command {
                machine::require_program(command)?;
            }
            let does = StageKind::Command(line.clone());
            RecipeStage { name: line, does, required: true, ..usual(StageName::Compile) }
        }
    };
    if let Some(name) = &table.name {
        stage.name.clone_from(name);
    }
    stage.required = table.required.unwrap_or(stage.required);
    stage.timeout = table.timeout.map(|time| time.0);
    stage.memory = table.memory.map_or(RecipeStage::usual_memory(&stage.does), |size| size.0);
    stage.confirm = table.confirm.unwrap_or(RequiredRuns::ONCE);
    stage.at = Some(start);
    Ok(stage)
}

/// The tool that a check lacks.
fn missing(check: StageName) -> Option<&'static Tool> {
    check.info().tool.filter(|tool| tool.find().is_none())
}

/// Names the languages of a check for people.
fn readers(check: StageName) -> &'static str {
    if check.info().needs.contains(&Feature::OpenClWords) {
        "OpenCL kernels"
    } else {
        "kernels in OpenCL and CUDA"
    }
}
