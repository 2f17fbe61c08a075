//! The part of clang, opt or llc that crashes.

use clreduce_process::ToolRun;

use super::super::program::ProgramFiles;
use super::passes::{self, BisectedPass};
use super::{CompilerBugError, ComponentSearch, FoundComponent, KnownCompiler, printed};
use crate::component::{CompilerStage, Component};
use crate::shown::crash_of;

/// Lists the runs of passes.
const LIST: &str = "-opt-bisect-limit=-1";

impl ComponentSearch<'_, '_> {
    /// Finds the part of a compiler of LLVM that crashes.
    pub(super) fn of_llvm(
        &mut self,
        compiler: KnownCompiler,
    ) -> Result<Option<FoundComponent>, CompilerBugError> {
        if compiler == KnownCompiler::Llc {
            return Ok(Some(FoundComponent::of(self.back_end_as_printed())));
        }
        let reads_only = self.form.command.mode() == Some("-fsyntax-only");
        let start = match compiler {
            _ if reads_only => return Ok(Some(front_end())),
            KnownCompiler::Clang => {
                let more = self.front_end_alone();
                let Some(ran) = self.emit("the front end alone", &more)? else { return Ok(None) };
                match (self.shows(&ran), printed(&ran)) {
                    (true, _) => return Ok(Some(front_end())),
                    (false, Some(ir)) => ir.to_owned(),
                    (false, None) => {
                        return Ok(self.not_found("it makes no IR without its optimiser", &ran));
                    }
                }
            }
            _ => String::from_utf8_lossy(self.form.files.source()).into_owned(),
        };
        let more = self.llvm_options(&[LIST]);
        let Some(all) = self.emit("the optimiser, pass by pass", &more)? else { return Ok(None) };
        if self.shows(&all) {
            return self.optimiser(&start, &all).map(Some);
        }
        match printed(&all) {
            Some(optimised) if compiler == KnownCompiler::Clang => {
                let optimised = optimised.to_owned();
                self.back_end(&start, &optimised).map(Some)
            }
            _ => {
                Ok(self.not_found("it does not crash in the same way with -opt-bisect-limit", &all))
            }
        }
    }

    /// Runs the command where it prints IR.
    fn emit(&mut self, what: &str, more: &[String]) -> Result<Option<ToolRun>, CompilerBugError> {
        let own = ["-emit-llvm", "-o", "-"];
        let is_opt = KnownCompiler::of(self.form.command.compiler()) == Some(KnownCompiler::Opt);
        let own = if is_opt { &own[1..] } else { &own[..] };
        let more: Vec<&str> = own.iter().copied().chain(more.iter().map(String::as_str)).collect();
        self.run_own(what, "-S", &more)
    }

    fn front_end_alone(&self) -> Vec<String> {
        let only = "-disable-llvm-passes".to_owned();
        match self.form.command.is_driver() {
            true => vec!["-Xclang".to_owned(), only],
            false => vec![only],
        }
    }

    /// Options of LLVM, as the compiler takes them.
    pub(super) fn llvm_options(&self, options: &[&str]) -> Vec<String> {
        let is_clang =
            KnownCompiler::of(self.form.command.compiler()) == Some(KnownCompiler::Clang);
        let words = |option: &&str| {
            let before = is_clang.then(|| "-mllvm".to_owned());
            before.into_iter().chain([(*option).to_owned()])
        };
        options.iter().flat_map(words).collect()
    }

    /// Notes why nothing was found.
    pub(super) fn not_found(&mut self, why: &str, ran: &ToolRun) -> Option<FoundComponent> {
        let trouble = ran.trouble();
        self.search
            .note(format!("which part of the compiler is wrong is not known: {why} ({trouble})"));
        None
    }

    /// The pass of the optimiser that crashes, with the IR before it.
    fn optimiser(
        &mut self,
        start: &str,
        all: &ToolRun,
    ) -> Result<FoundComponent, CompilerBugError> {
        let runs = passes::runs(&all.stderr);
        let mut component = Component::of_stage(CompilerStage::Optimiser);
        let Some((pass, before)) = self.first_wrong(&runs)? else {
            // Passes that nothing can switch off are not counted, and IR may not even be read.
            if self.reads_wrongly(start)? {
                return Ok(front_end());
            }
            component.pass = self.pass_as_printed();
            return self.alone(component, None, start);
        };
        component.pass = Some(pass.pass.clone());
        component.function.clone_from(&pass.function);
        self.alone(component, Some(&before), start)
    }

    /// Returns true if opt crashes on the program as it is without any pass.
    fn reads_wrongly(&mut self, ir: &str) -> Result<bool, CompilerBugError> {
        let compiler = self.form.command.compiler();
        if KnownCompiler::of(compiler) != Some(KnownCompiler::Opt) {
            return Ok(false);
        }
        let line = format!("{compiler} -passes=no-op-module -o /dev/null {{file}}");
        let files = ProgramFiles::single(&self.search.compilation.name, ir.as_bytes())?;
        Ok(self.run("reading alone", &line, &files)?.is_some_and(|ran| self.shows(&ran)))
    }

    /// The run of a pass without which the compiler does not crash, and the IR before it: the last one, unless the crash comes
    /// later, as that of a verifier does.
    fn first_wrong<'r>(
        &mut self,
        runs: &'r [BisectedPass],
    ) -> Result<Option<(&'r BisectedPass, String)>, CompilerBugError> {
        let Some(last) = runs.last() else { return Ok(None) };
        let (mut wrong, mut limit) = (last, last.number - 1);
        let mut right: Option<(u64, String)> = None;
        loop {
            let option = format!("-opt-bisect-limit={limit}");
            let more = self.llvm_options(&[&option]);
            let what = format!("without the passes from {}, {}", limit + 1, wrong.pass);
            let Some(ran) = self.emit(&what, &more)? else { return Ok(None) };
            match printed(&ran) {
                _ if self.shows(&ran) => match runs.iter().find(|run| run.number == limit) {
                    Some(run) => wrong = run,
                    None => return Ok(None),
                },
                Some(ir) => right = Some((limit, ir.to_owned())),
                None => return Ok(None),
            }
            let least = right.as_ref().map_or(0, |(limit, _)| *limit);
            match right.take_if(|(limit, _)| *limit + 1 == wrong.number) {
                Some((_, ir)) => return Ok(Some((wrong, ir))),
                None => limit = least + (wrong.number - least) / 2,
            }
        }
    }

    /// The part behind the optimiser: the back end, or the assembler.
    fn back_end(
        &mut self,
        start: &str,
        optimised: &str,
    ) -> Result<FoundComponent, CompilerBugError> {
        let component = self.back_end_as_printed();
        let may_be_later =
            component.pass.as_ref().is_none_or(|pass| pass.contains("Assembly Printer"));
        if may_be_later && self.form.command.mode() != Some("-S") {
            let ran = self.run_own("assembly", "-S", &["-o", "-"])?;
            if let Some(assembly) = ran.as_ref().and_then(|ran| printed(ran)) {
                return self.assembler(assembly);
            }
        }
        self.machine_code(component, optimised, start)
    }

    /// The back end, with the pass and the function that the stack of the crash names.
    fn back_end_as_printed(&self) -> Component {
        let output =
            crash_of(&self.accused.outcome).map(|crash| &*crash.output).unwrap_or_default();
        let mut functions = output.lines().filter_map(|line| {
            let (_, name) = line.split_once("' on function '@")?;
            Some(name.trim_end().trim_end_matches('\'').to_owned())
        });
        let function = functions.next_back();
        let pass = self.pass_as_printed();
        Component { pass, function, ..Component::of_stage(CompilerStage::BackEnd) }
    }

    /// The pass that the stack of the crash names.
    fn pass_as_printed(&self) -> Option<String> {
        let output = &crash_of(&self.accused.outcome)?.output;
        let pass = clreduce_crash::pass(output)?;
        pass.strip_prefix("pass ").map(str::to_owned)
    }
}

fn front_end() -> FoundComponent {
    FoundComponent::of(Component::of_stage(CompilerStage::FrontEnd))
}
