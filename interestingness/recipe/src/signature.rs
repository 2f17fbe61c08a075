//! Signatures of crashes and of compile errors: their messages without the parts that differ between programs, such as
//! addresses, paths, line numbers and names. Two crashes with the same signature are taken for the same bug.

use std::sync::LazyLock;

use regex::Regex;

/// A pattern that is compiled once.
macro_rules! pattern {
    ($text:expr) => {{
        static PATTERN: LazyLock<Regex> =
            LazyLock::new(|| Regex::new($text).expect("the pattern is a constant"));
        &*PATTERN
    }};
}

/// Returns the signature of a crash; empty where the output says nothing about it.
pub(crate) fn of_crash(output: &str) -> Vec<String> {
    // An assertion names the bug; where the stack is, depends on more.
    let named = output.lines().find_map(message);
    if let Some(named) = named {
        return vec![named];
    }
    let pass = output.lines().filter_map(pass).next_back();
    pass.into_iter().chain(top_of_stack(output)).collect()
}

/// Returns the signature of a compile error.
pub(crate) fn of_failure(output: &str) -> Vec<String> {
    let error = output.lines().find_map(|line| {
        let (_, message) = line.split_once("error: ").or_else(|| line.split_once("Error: "))?;
        Some(format!("error: {}", normalise(message)))
    });
    let first = || output.lines().map(str::trim).find(|line| !line.is_empty()).map(normalise);
    error.or_else(first).into_iter().collect()
}

/// Returns true if a compiler that ended with an ordinary status has crashed all the same: drivers of compilers catch
/// the crash of the compiler proper.
pub(crate) fn is_crash(output: &str) -> bool {
    const MARKS: [&str; 5] = [
        "PLEASE submit a bug report",
        "PLEASE ATTACH THE FOLLOWING FILES",
        "internal compiler error",
        "Stack dump:",
        "LLVM ERROR:",
    ];
    MARKS.iter().any(|mark| output.contains(mark))
}

/// Returns the message of a line that names the bug by itself.
fn message(line: &str) -> Option<String> {
    let assertion = pattern!(r"[Aa]ssertion [`']?(.+?)'? failed");
    let other = pattern!(
        "(?:LLVM ERROR|error: error in backend|internal compiler error|UNREACHABLE executed|\
         terminate called after throwing).*"
    );
    if let Some(found) = assertion.captures(line) {
        // Its text is the compiler's own: numbers in it mean something.
        return Some(format!("assertion {}", found[1].trim()));
    }
    other.find(line).map(|found| normalise(found.as_str()))
}

/// `2.  Running pass 'X' on function '@f'`, but for the program's arguments and places in the source.
fn pass(line: &str) -> Option<String> {
    let text = pattern!(r"^\s*[1-9]\d*\.\s+(.+)$").captures(line)?.get(1)?.as_str();
    let is_place = pattern!(r"^(<\w+>|[^\s:]+:\d+:\d+:?)\s").is_match(text);
    (!is_place).then(|| {
        let on = text.find(" on ").unwrap_or(text.len());
        normalise(&text[..on])
    })
}

/// The function that died: the first one with a name below those that report the crash.
fn top_of_stack(output: &str) -> Option<String> {
    let frames = [
        // #5 0x00007f42 llvm::APInt::f(unsigned) (/lib/libLLVM.so.1+0xd9)
        pattern!(r"^\s*#\d+\s+(?:0x)?[0-9a-f]+\s+(?:in\s+)?([A-Za-z_~].*?)\s+\(?/"),
        // /lib/libLLVM.so.1(_ZN4llvm5APInt+0x15)[0x7f42]
        pattern!(r"^\s*(?:#\d+\s+)?\S+\(([A-Za-z_]\w*)\+0x[0-9a-f]+\)\s*\[0x"),
        // 0x7f42 f(int) ../../src/gcc/f.c:12
        pattern!(r"^0x[0-9a-f]+ ([A-Za-z_~].*?)\s+\S+:\d+$"),
    ];
    const REPORTERS: [&str; 12] = [
        "PrintStackTrace",
        "RunSignalHandlers",
        "CleanupOnSignal",
        "SignalHandler",
        "CrashRecovery",
        "__restore_rt",
        "raise",
        "abort",
        "pthread_kill",
        "__assert_fail",
        "crash_signal",
        "killpg",
    ];
    let names = output.lines().filter_map(|line| {
        frames.iter().find_map(|frame| Some(frame.captures(line)?.get(1)?.as_str()))
    });
    let mut names = names.skip_while(|name| REPORTERS.iter().any(|own| name.contains(own)));
    // Its arguments' types belong to it, but take much room.
    let name = names.next()?;
    Some(format!("in {}", name.split('(').next().unwrap_or(name).trim()))
}

/// Replaces quoted text, numbers and paths.
fn normalise(text: &str) -> String {
    let variable = pattern!(
        r#"'[^']*'|"[^"]*"|`[^']*'|%[\w.]+|@[\w.]+|0x[0-9a-fA-F]+|\bt?\d+\b|(?:/[\w.+-]+){2,}"#
    );
    variable.replace_all(text.trim(), "…").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LLVM: &str = "PLEASE submit a bug report\nStack dump:\n0.\tProgram arguments: clang\n\
        1.\t<eof> parser at end of file\n2.\tOptimizer\n\
         #0 0x00007f42 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (/lib/libLLVM-14.so.1+0xea)\n\
         #1 0x00007f42 llvm::sys::CleanupOnSignal(unsigned long) (/lib/libLLVM-14.so.1+0xea)\n\
         #2 0x00007f42 (/lib/libc.so.6+0x3c050)\n\
         #3 0x00007f42 llvm::APInt::setBits(unsigned int, unsigned int) (/lib/libLLVM-14.so.1+0xd9)\n";

    #[test]
    fn the_pass_and_the_function_that_died() {
        assert_eq!(of_crash(LLVM), ["Optimizer", "in llvm::APInt::setBits"]);
        let old = "3.\tRunning pass 'X86 DAG->DAG' on function '@func_3'\n\
            /lib/libLLVM-14.so.1(_ZN4llvm3sys15PrintStackTraceERNS_11raw_ostreamEi+0x31)[0x7f60]\n\
            /lib/libLLVM-14.so.1(+0x23)[0x7f60]\n/lib/libLLVM-14.so.1(_ZN4llvm5APIntEjj+0x35)[0x7f60]\n";
        assert_eq!(of_crash(old), ["Running pass …", "in _ZN4llvm5APIntEjj"]);
        assert!(of_crash("Segmentation fault").is_empty());
        assert!(is_crash(LLVM) && !is_crash("a.c:1:1: error: expected ';'"));
    }

    #[test]
    fn what_names_the_bug_is_enough() {
        let assertion =
            "clang: /build/llvm/lib/X.cpp:312: void f(): Assertion `N < 4 && \"x\"' failed.\n";
        assert_eq!(of_crash(&format!("{assertion}{LLVM}")), ["assertion N < 4 && \"x\""]);
        let gcc = "a.c:3:1: internal compiler error: in expand_expr, at expr.cc:9301\n0x6f1 f()\n";
        assert_eq!(of_crash(gcc), ["internal compiler error: in expand_expr, at expr.cc:…"]);
        let backend = "fatal error: error in backend: Cannot select: t12: i32 '%x'";
        assert_eq!(of_crash(backend), ["error: error in backend: Cannot select: …: i32 …"]);
    }

    #[test]
    fn the_first_error_is_what_a_refusal_is_about() {
        let log = "CL_BUILD_PROGRAM_FAILURE\nk.cl:3:4: warning: unused\nk.cl:9:2: error: no member named 'x' in 'struct S7'\n";
        assert_eq!(of_failure(log), ["error: no member named … in …"]);
        assert_eq!(of_failure("CL_OUT_OF_RESOURCES"), ["CL_OUT_OF_RESOURCES"]);
    }
}
