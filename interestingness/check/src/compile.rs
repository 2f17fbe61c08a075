//! The stage that compiles a kernel, for the errors of clang and for its warnings of undefined and non-portable code.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::sync::atomic::{AtomicU32, Ordering};

use clreduce_compiler::{CompileOptions, CompileWorkers, Diagnostic, NoClang, Severity};
use clreduce_host::{FILE, HostKernel};
use clreduce_process::{Cancel, End, ToolRunner};
use clreduce_testcase::Feature;

use crate::expanded::expanded;
use crate::finding::{Certainty, FailureKind, Finding, FindingKind, StageFailure};
use crate::mixed_arguments::mixed_arguments;
use crate::recursion::recursion;
use crate::stage::{CheckStage, Question, StageInfo, StageReport, StageSetup};

const TOOL: &str = "clang";

/// The name of clang where it reads the code that only the compiler of a device sees.
pub(crate) const TOOL_FOR_DEVICE: &str = "clang for the device";

pub(crate) const STAGE: StageInfo = StageInfo {
    name: "compile",
    needs: &[Feature::CheckedKernels],
    executes: false,
    takes_images: true,
    exact: &[],
    required: true,
    memory_bytes: 1 << 30,
    limit_factor: 10,
    tool: None,
    make: |setup| Ok(Box::new(Compile::new(setup)?)),
};

/// The kinds of findings by the flag of the warning. A warning about a path that need not be taken is a suspicion.
/// Comparisons of pointers to different types and empty declarations (`int;`) are left out: programs of CLsmith are full
/// of them, and all compilers agree on their meaning. Accesses without order (`unsequenced`) are certain even where they may
/// never happen, because no stage that runs the kernel sees them: such a kernel is rejected on sight.
const WARNINGS: [(&str, FindingKind, Certainty); 23] = {
    use Certainty::{Certain, Suspected};
    use FindingKind::{Lifetime, NonPortable, Uninitialised};
    [
        ("gnu-empty-struct", NonPortable, Certain),
        ("gnu-empty-initializer", NonPortable, Certain),
        ("int-conversion", NonPortable, Certain),
        ("int-to-pointer-cast", NonPortable, Certain),
        ("pointer-to-int-cast", NonPortable, Certain),
        ("pointer-integer-compare", NonPortable, Certain),
        ("incompatible-pointer-types", NonPortable, Certain),
        ("incompatible-pointer-types-discards-qualifiers", NonPortable, Certain),
        ("gnu-conditional-omitted-operand", NonPortable, Certain),
        ("return-type", NonPortable, Certain),
        ("zero-length-array", NonPortable, Certain),
        ("excess-initializers", NonPortable, Certain),
        ("implicit-int", NonPortable, Certain),
        ("implicit-function-declaration", NonPortable, Certain),
        ("duplicate-decl-specifier", NonPortable, Certain),
        ("unsequenced", NonPortable, Certain),
        ("return-stack-address", Lifetime, Certain),
        ("uninitialized", Uninitialised, Certain),
        ("uninitialized-const-reference", Uninitialised, Certain),
        ("uninitialized-const-pointer", Uninitialised, Suspected),
        ("sometimes-uninitialized", Uninitialised, Suspected),
        ("conditional-uninitialized", Uninitialised, Suspected),
        ("self-assign-field", NonPortable, Suspected),
    ]
};

/// The only flag that an older clang does not know, and the first version that does. An older one compares its name with those
/// of all its flags, to suggest a similar one, which takes about 2 ms in each run.
const NEWEST_WARNING: (&str, u32) = ("uninitialized-const-pointer", 21);

/// The start of a warning of non-portable code that has no flag.
const NO_SEMICOLON: &str = "expected ';' at end of declaration list";

struct Compile {
    program: String,
    tools: ToolRunner,
    opencl: LanguageReader,
    cuda: LanguageReader,
    /// Reads CUDA as the compiler of a device does.
    device: LanguageReader,
    /// The number of kernels so far.
    seen: AtomicU32,
}

/// Reads the kernels of one language.
struct LanguageReader {
    arguments: Vec<String>,
    /// The workers for every kernel but the first. For one kernel they are not worth it: a worker starts as slowly as clang.
    workers: Option<CompileWorkers>,
}

impl Compile {
    fn new(setup: StageSetup) -> Result<Self, NoClang> {
        let clang = setup.clang()?;
        let worker = setup.compile_workers();
        let tools = setup.tools;
        let library = worker.as_ref().and_then(|_| clang.library_folder());
        let reader = |language: Vec<OsString>| {
            let arguments = arguments(language, clang.major());
            let workers = worker.clone().map(|worker| {
                let (library, file) = (library.clone(), FILE.to_owned());
                let arguments = arguments.clone();
                CompileWorkers::new(CompileOptions { worker, library, file, arguments })
            });
            LanguageReader { arguments, workers }
        };
        let (opencl, cuda) = (reader(clang.language()), reader(clang.cuda()));
        let device = reader(clang.cuda_for_device());
        let program = clang.program().to_owned();
        Ok(Self { program, tools, opencl, cuda, device, seen: AtomicU32::new(0) })
    }

    /// Returns clang's diagnostics.
    fn diagnose(
        &self,
        reader: &LanguageReader,
        subject: &HostKernel,
        is_first: bool,
        cancel: &Cancel,
    ) -> Result<Vec<Diagnostic>, StageFailure> {
        let workers = reader.workers.as_ref().filter(|_| !is_first);
        let known = workers.and_then(|workers| workers.diagnose(subject.parts(), cancel));
        let known = known.filter(|diagnostics| !lacks_files(diagnostics));
        known.map_or_else(|| self.start_clang(reader, subject, cancel), Ok)
    }

    /// Adds to the report the findings of clang in the code that only the compiler of a device sees.
    fn look_at_code_for_device(
        &self,
        subject: &HostKernel,
        is_first: bool,
        cancel: &Cancel,
        report: &mut StageReport,
    ) {
        let diagnostics = self.diagnose(&self.device, subject, is_first, cancel);
        let diagnostics = diagnostics.and_then(|all| match not_accepted(&all, " for the device") {
            Some(failure) => Err(failure),
            None => Ok(all),
        });
        match diagnostics {
            Ok(diagnostics) => {
                let is_known = |found: &Finding| {
                    let known = |one: &Finding| {
                        (one.kind, one.line, &one.message)
                            == (found.kind, found.line, &found.message)
                    };
                    report.findings.iter().any(known)
                };
                let found: BTreeSet<Finding> = diagnostics.iter().filter_map(finding).collect();
                let new: Vec<Finding> =
                    found.into_iter().filter(|found| !is_known(found)).collect();
                report.findings.extend(
                    new.into_iter().map(|found| Finding { tool: TOOL_FOR_DEVICE, ..found }),
                );
            }
            Err(failure) => {
                report.checked.remove(&FindingKind::NonPortable);
                report.failures.push(StageFailure { tool: TOOL_FOR_DEVICE, ..failure });
            }
        }
    }

    /// Returns the findings in a preprocessed kernel that OpenCL C forbids and clang accepts.
    fn more_than_clang(&self, subject: &HostKernel, cancel: &Cancel) -> Vec<Finding> {
        let arguments = self.opencl.arguments.iter().map(OsString::from).collect();
        let text = expanded(&self.program, arguments, &self.tools, subject, cancel);
        let all = |text: Cow<'_, [u8]>| {
            recursion(&text).into_iter().chain(mixed_arguments(&text)).collect()
        };
        text.map(all).unwrap_or_default()
    }

    /// Returns clang's diagnostics, from a process of its own.
    fn start_clang(
        &self,
        reader: &LanguageReader,
        subject: &HostKernel,
        cancel: &Cancel,
    ) -> Result<Vec<Diagnostic>, StageFailure> {
        let mut args: Vec<OsString> = reader.arguments.iter().map(OsString::from).collect();
        args.push("-fsyntax-only".into());
        args.push(FILE.into());
        let ran = self.tools.run(&self.program, args, &subject.files, cancel);
        let diagnostics: Vec<_> = ran.stderr.lines().filter_map(Diagnostic::read).collect();
        let rejected = diagnostics.iter().any(|diagnostic| diagnostic.severity > Severity::Warning);
        match ran.end {
            End::Exited(0) => Ok(diagnostics),
            // A crash of the compiler may come with errors; then it is still a crash.
            End::Exited(1) if rejected => Ok(diagnostics),
            _ => Err(StageFailure::of_run(TOOL, &self.program, &ran)),
        }
    }
}

/// Returns true if a header is missing. libclang may be of another version than clang and lack its own headers, so clang has to
/// say whether the program lacks one.
fn lacks_files(diagnostics: &[Diagnostic]) -> bool {
    let lacks_file = |one: &Diagnostic| {
        one.severity == Severity::Fatal && one.message.ends_with("file not found")
    };
    diagnostics.iter().any(lacks_file)
}

/// The arguments with which a clang reads and warns, by its version.
fn arguments(language: Vec<OsString>, major: Option<u32>) -> Vec<String> {
    let (newest, first) = NEWEST_WARNING;
    let is_known = |flag: &str| flag != newest || major.is_none_or(|major| major >= first);
    let mut arguments: Vec<String> =
        language.into_iter().map(|word| word.to_string_lossy().into_owned()).collect();
    arguments.extend(["-fno-caret-diagnostics", "-Wno-unknown-warning-option"].map(Into::into));
    let flags = WARNINGS.iter().map(|&(flag, ..)| flag).filter(|flag| is_known(flag));
    arguments.extend(flags.map(|flag| format!("-W{flag}")));
    arguments
}

impl CheckStage for Compile {
    fn looks_for(&self) -> BTreeSet<FindingKind> {
        [FindingKind::Rejected, FindingKind::NonPortable].into()
    }

    fn run(&self, subject: &HostKernel, _question: Question<'_>, cancel: &Cancel) -> StageReport {
        let is_first = self.seen.fetch_add(1, Ordering::Relaxed) == 0;
        let is_cuda = subject.language.has(Feature::HostAndDevice);
        let reader = if is_cuda { &self.cuda } else { &self.opencl };
        let diagnostics = match self.diagnose(reader, subject, is_first, cancel) {
            Ok(diagnostics) => diagnostics,
            Err(failure) => return StageReport::failed(failure),
        };
        // An error is no finding in CUDA: the program may use a declaration of CUDA's that clreduce does not supply.
        if let Some(failure) = not_accepted(&diagnostics, "").filter(|_| is_cuda) {
            return StageReport::failed(failure);
        }
        let mut findings: BTreeSet<Finding> = diagnostics.iter().filter_map(finding).collect();
        if !is_cuda {
            findings.extend(self.more_than_clang(subject, cancel));
        }
        let mut report = StageReport {
            findings: findings.into_iter().collect(),
            checked: self.looks_for(),
            ..StageReport::default()
        };
        if subject.has_code_for_device() {
            self.look_at_code_for_device(subject, is_first, cancel, &mut report);
        }
        report
    }
}

/// The failure of the stage if clang reports an error in a CUDA program. `for_whom` stands behind the line in the message.
fn not_accepted(diagnostics: &[Diagnostic], for_whom: &str) -> Option<StageFailure> {
    let error = diagnostics.iter().find(|one| one.severity > Severity::Warning)?;
    let Diagnostic { line, message, .. } = error;
    let message = format!("clang without CUDA does not accept line {line}{for_whom}: {message}");
    Some(StageFailure { tool: TOOL, kind: FailureKind::Unsupported, message })
}

/// Returns the finding that a diagnostic of clang stands for, if any.
fn finding(diagnostic: &Diagnostic) -> Option<Finding> {
    let Diagnostic { severity, message, flag, .. } = diagnostic;
    let flag = flag.as_deref().unwrap_or_default();
    let listed = || {
        let (_, kind, certainty) = WARNINGS.iter().find(|(name, ..)| *name == flag)?;
        Some((*kind, *certainty))
    };
    let (kind, certainty) = match severity {
        // Newer versions of clang report some of these warnings as errors.
        Severity::Error | Severity::Fatal => {
            listed().unwrap_or((FindingKind::Rejected, Certainty::Certain))
        }
        Severity::Warning if message.starts_with(NO_SEMICOLON) => {
            (FindingKind::NonPortable, Certainty::Certain)
        }
        Severity::Warning => listed()?,
    };
    let line = (diagnostic.file == FILE).then_some(diagnostic.line);
    let flag = if flag.is_empty() { String::new() } else { format!(" [-W{flag}]") };
    Some(Finding { kind, line, tool: TOOL, certainty, message: format!("{message}{flag}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_libclang_without_its_headers_is_not_believed() {
        let read = |line| vec![Diagnostic::read(line).unwrap()];
        assert!(lacks_files(&read(
            "<built-in>:1:10: fatal error: 'opencl-c-base.h' file not found"
        )));
        assert!(!lacks_files(&read("kernel.cl:12:1: error: unknown type name 'y'")));
    }

    #[test]
    fn reads_diagnostics() {
        let read = |line| {
            let found = finding(&Diagnostic::read(line)?)?;
            Some((found.kind, found.line, found.certainty))
        };
        let suspected = Some((FindingKind::Uninitialised, Some(3), Certainty::Suspected));
        assert_eq!(
            read(
                "kernel.cl:3:7: warning: variable 'x' may be uninitialized [-Wconditional-uninitialized]"
            ),
            suspected
        );
        let rejected = Some((FindingKind::Rejected, Some(12), Certainty::Certain));
        assert_eq!(read("kernel.cl:12:1: error: unknown type name 'y'"), rejected);
        assert_eq!(read("kernel.cl:1:1: warning: unused variable 'x' [-Wunused-variable]"), None);
        assert_eq!(read("kernel.cl:1:1: note: initialize it"), None);
    }
}
