//! A stage of a compiler alone: its command, and the program as the stage gets it.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clreduce_process::quoted;
use clreduce_tools::{find_program, install_of};
use thiserror::Error;

use super::super::program::ProgramFiles;
use super::passes;
use super::{CompilerBugError, ComponentSearch, FoundComponent, KnownCompiler};
use crate::component::{CompilerStage, Component};
use crate::naming::unversioned;

/// The form of a program that is reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageChoice {
    /// The source.
    Source,
    /// LLVM's intermediate representation.
    Ir,
    /// Assembly.
    Asm,
}

/// A form that there is not.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no stage; write source, ir or asm")]
pub struct StageChoiceError(String);

impl FromStr for StageChoice {
    type Err = StageChoiceError;

    fn from_str(text: &str) -> Result<Self, StageChoiceError> {
        match text {
            "source" => Ok(Self::Source),
            "ir" => Ok(Self::Ir),
            "asm" => Ok(Self::Asm),
            _ => Err(StageChoiceError(text.to_owned())),
        }
    }
}

/// The program as a stage gets it.
pub(in super::super) struct StageProgram {
    pub choice: StageChoice,
    /// The name of its file.
    pub name: String,
    pub text: String,
    /// The words of the command.
    pub words: Vec<String>,
}

impl ComponentSearch<'_, '_> {
    /// Looks for a command for the optimiser alone that crashes, with one pass on the IR before it or with all passes.
    pub(super) fn alone(
        &mut self,
        component: Component,
        before: Option<&str>,
        start: &str,
    ) -> Result<FoundComponent, CompilerBugError> {
        let Some(opt) = self.tool("opt") else { return Ok(FoundComponent::of(component)) };
        let files = self.ir(before.unwrap_or(start))?;
        let options = self.own_llvm_options();
        let own = self.own_pipeline();
        let all = format!("default<O{}>", self.level());
        let mut pipelines = Vec::new();
        if let (Some(class), Some(_)) = (&component.pass, before) {
            let listed = match &own {
                Some(own) if !own.contains("default<") => own.clone(),
                _ => self.listed(&opt, &all, &files)?,
            };
            pipelines.extend(passes::names_of(class, &listed).into_iter().take(5));
        }
        let is_opt = self.form.command.compiler() == opt;
        if !is_opt {
            pipelines.push(all);
        }
        for passes in pipelines.into_iter().filter(|passes| own.as_ref() != Some(passes)) {
            let words = [vec![opt.clone(), format!("-passes={passes}")], options.clone()].concat();
            if let Some(words) = self.shown_by_command(words, &files)? {
                return Ok(self.with_program(component, StageChoice::Ir, &files, words));
            }
        }
        if is_opt {
            return Ok(FoundComponent::of(component));
        }
        self.own_command_on(component, start)
    }

    /// The pipeline that a command of opt names.
    fn own_pipeline(&self) -> Option<String> {
        let mut words = self.form.command.plain_words();
        words.find_map(|word| Some(pipeline_in(word)?.to_owned()))
    }

    /// The passes of a pipeline with their options, as opt prints them; empty where it cannot.
    fn listed(
        &mut self,
        opt: &str,
        pipeline: &str,
        files: &ProgramFiles,
    ) -> Result<String, CompilerBugError> {
        let passes = quoted(pipeline.as_ref());
        let line =
            format!("{opt} -passes={passes} -print-pipeline-passes -disable-output {{file}}");
        let listed = self.run("the passes with their options", &line, files)?;
        Ok(listed.map(|ran| ran.stdout).unwrap_or_default())
    }

    /// Looks for a command for the back end alone that crashes.
    pub(super) fn machine_code(
        &mut self,
        component: Component,
        optimised: &str,
        start: &str,
    ) -> Result<FoundComponent, CompilerBugError> {
        let Some(llc) = self.tool("llc") else { return Ok(FoundComponent::of(component)) };
        let files = self.ir(optimised)?;
        let level = self.level().replace(['s', 'z'], "2");
        let plain = [vec![llc, format!("-O{level}")], self.own_llvm_options()].concat();
        let object = ["-relocation-model=pic", "-filetype=obj"].map(str::to_owned);
        for words in [plain.clone(), [plain, object.to_vec()].concat()] {
            if let Some(words) = self.shown_by_command(words, &files)? {
                return Ok(self.with_program(component, StageChoice::Ir, &files, words));
            }
        }
        self.own_command_on(component, start)
    }

    /// Looks whether the assembler alone crashes.
    pub(super) fn assembler(&mut self, assembly: &str) -> Result<FoundComponent, CompilerBugError> {
        let component = Component::of_stage(CompilerStage::Assembler);
        let files = ProgramFiles::single(&self.name("s"), assembly.as_bytes())?;
        let words = [self.own_words(), vec!["-c".to_owned()]].concat();
        match self.shown_by_command(words, &files)? {
            Some(words) => Ok(self.with_program(component, StageChoice::Asm, &files, words)),
            None => Ok(FoundComponent::of(component)),
        }
    }

    /// Looks whether the compiler itself crashes on IR.
    fn own_command_on(
        &mut self,
        component: Component,
        start: &str,
    ) -> Result<FoundComponent, CompilerBugError> {
        let files = self.ir(start)?;
        let level = self.form.command.optimisation().map(str::to_owned);
        let words = [self.own_words(), level.into_iter().collect(), vec!["-c".to_owned()]].concat();
        if self.form.command.is_driver()
            && let Some(words) = self.shown_by_command(words, &files)?
        {
            return Ok(self.with_program(component, StageChoice::Ir, &files, words));
        }
        self.search.note(format!(
            "the {} alone does not show the bug, so the program is reduced as it is",
            component.stage.name()
        ));
        Ok(FoundComponent::of(component))
    }

    /// The words of the command if it shows the bug with the program as its last word.
    fn shown_by_command(
        &mut self,
        mut words: Vec<String>,
        files: &ProgramFiles,
    ) -> Result<Option<Vec<String>>, CompilerBugError> {
        let line: Vec<String> = words.iter().map(|word| quoted(word.as_ref())).collect();
        let line = format!("{} {{file}} -o output", line.join(" "));
        let Some(ran) = self.run(&words[..words.len().min(2)].join(" "), &line, files)? else {
            return Ok(None);
        };
        words.push(files.main.clone());
        Ok(self.shows(&ran).then_some(words))
    }

    fn with_program(
        &self,
        mut component: Component,
        choice: StageChoice,
        files: &ProgramFiles,
        words: Vec<String>,
    ) -> FoundComponent {
        component.command = Some(words.join(" "));
        let text = String::from_utf8_lossy(files.source()).into_owned();
        let alone = StageProgram { choice, name: files.main.clone(), text, words };
        FoundComponent { component, alone: Some(alone) }
    }

    fn ir(&self, text: &str) -> Result<ProgramFiles, CompilerBugError> {
        Ok(ProgramFiles::single(&self.name("ll"), text.as_bytes())?)
    }

    /// The name of the program with another ending.
    fn name(&self, ending: &str) -> String {
        let own = Path::new(&self.search.compilation.name);
        let name = own.with_extension(ending);
        if name == own {
            let stem = own.file_stem().unwrap_or_default().to_string_lossy();
            return format!("{stem}-before.{ending}");
        }
        name.to_string_lossy().into_owned()
    }

    fn level(&self) -> String {
        let level = self.form.command.optimisation().unwrap_or("-O0").trim_start_matches("-O");
        let known = [("", "1"), ("g", "1"), ("fast", "3"), ("4", "3")];
        let known = known.iter().find(|(own, _)| *own == level);
        known.map_or(level, |(_, level)| level).to_owned()
    }

    /// The options of LLVM that the command has.
    fn own_llvm_options(&self) -> Vec<String> {
        match KnownCompiler::of(self.form.command.compiler()) {
            Some(KnownCompiler::Clang) => self.form.command.values_of("-mllvm"),
            _ => {
                let words = self.form.command.plain_words();
                let other = words
                    .filter(|word| pipeline_in(word).is_none() && !word.starts_with("-verify"));
                other.map(str::to_owned).collect()
            }
        }
    }

    /// The compiler with the options that matter behind its front end.
    fn own_words(&self) -> Vec<String> {
        let mut words = vec![self.form.command.compiler().to_owned()];
        words.extend(self.search.quiet());
        words.extend(self.form.command.machine());
        words.extend(
            self.own_llvm_options().into_iter().flat_map(|word| ["-mllvm".to_owned(), word]),
        );
        words
    }

    /// The tool of LLVM with the version of the compiler, if it is there. Otherwise, a note says what to install.
    fn tool(&mut self, stem: &str) -> Option<String> {
        let compiler = self.form.command.compiler().to_owned();
        let path = Path::new(&compiler);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let own = unversioned(&name);
        if own == stem {
            return Some(compiler);
        }
        let wanted = format!("{stem}{}", &name[own.len()..]);
        let beside = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let named = beside.map_or_else(|| PathBuf::from(&wanted), |folder| folder.join(&wanted));
        let named = named.to_string_lossy().into_owned();
        let real = find_program(&compiler).and_then(|found| found.canonicalize().ok());
        let of_real = real.map(|real| real.with_file_name(stem).to_string_lossy().into_owned());
        // A name without a version may be that of another one.
        let same = |tool: &String| {
            wanted != stem || beside.is_some() || real_folder(tool) == real_folder(&compiler)
        };
        let found = [Some(named).filter(same), of_real].into_iter().flatten();
        let found = found.into_iter().find(|tool| find_program(tool).is_some());
        if found.is_none() {
            let install =
                install_of(&wanted).map(|how| format!("; install it: {how}")).unwrap_or_default();
            self.search
                .note(format!("there is no `{wanted}`, so the stage is not tried alone{install}"));
        }
        found
    }
}

/// The pipeline in an option of opt.
fn pipeline_in(word: &str) -> Option<&str> {
    word.trim_start_matches('-').strip_prefix("passes=").filter(|_| word.starts_with('-'))
}

/// The folder in which a program really lies.
fn real_folder(program: &str) -> Option<PathBuf> {
    let path = find_program(program)?.canonicalize().ok()?;
    path.parent().map(Path::to_owned)
}
