//! The stack of a crash, in the forms in which compilers and sanitizers print it.

use std::collections::BTreeSet;

use regex::{Captures, Regex};

use crate::names::{bare, readable};
use crate::pattern;

/// A line of a stack.
struct Frame {
    /// Readable name of the function; `None` where the library has no symbol for it.
    function: Option<String>,
    /// Its address, if the line says.
    address: String,
    /// The library or source file, if the line says.
    place: String,
    /// Number of the frame, if the line says.
    number: Option<usize>,
}

/// The named functions on the stack of the first crash in an output, the innermost first, with demangled names.
/// Functions that only report the crash are left out, and those with which the C library starts a program or a thread.
#[must_use]
pub fn stack(output: &str) -> Vec<String> {
    let frames = frames(output).into_iter().skip_while(Frame::reports_the_crash);
    let inner = frames.filter(|frame| !frame.starts_the_program());
    inner.filter_map(|frame| frame.function).collect()
}

/// The functions that call each other without end on the stack of the first crash: their names without parameters, in the
/// order of the alphabet, since which of them is on top differs between programs. Empty where they have no names; `None` if
/// the stack shows no endless recursion.
pub(crate) fn repeated(output: &str) -> Option<Vec<String>> {
    let frames = frames(output);
    // A recursion that is only deep ends in the function that began it.
    // Only a deep stack shows whether its functions repeat.
    if frames.len() < 40 || frames.iter().any(Frame::starts_the_program) {
        return None;
    }
    let name = |frame: &Frame| frame.function.as_deref().map_or(frame.address.clone(), bare);
    let names: Vec<String> = frames.iter().map(name).collect();
    let (upper, lower) = names.split_at(names.len() / 2);
    let count = |name: &String| lower.iter().filter(|other| *other == name).count();
    let most = lower.iter().map(count).max().unwrap_or_default();
    let is_new = |name: &&String| !upper.contains(name);
    let different: BTreeSet<&String> = lower.iter().collect();
    if lower.iter().any(|name| is_new(&name)) || different.len() * 4 > lower.len() {
        return None;
    }
    // A function that is called on some of the ways round says nothing.
    let often = different.into_iter().filter(|name| count(name) * 2 > most);
    let named = often.filter(|name| !name.starts_with("0x"));
    Some(named.take(3).cloned().collect())
}

/// The frames of the first crash, the innermost first.
fn frames(output: &str) -> Vec<Frame> {
    // gcc prints the place of a function on a line of its own.
    let output = output.replace("\n\t", " ");
    let mut last = None;
    let frames = output.lines().filter_map(frame).take_while(|frame| {
        // A second stack starts with a smaller number.
        let continues = frame.number.is_none() || frame.number > last;
        last = frame.number;
        continues
    });
    frames.collect()
}

fn frame(line: &str) -> Option<Frame> {
    let forms: [&Regex; 5] = [
        // #1  0x7f42 in f (x=1) at a.c:3, or `#0  f ()`: from a debugger
        pattern!(
            r"^#(?<number>\d+)\s+(?:0x[0-9a-f]+ in )?(?<name>[A-Za-z_~(].*?) \((?:\w+=.*)?\)(?: (?:at|from) (?<place>\S+))?$"
        ),
        // #5 0x00007f42 llvm::f(unsigned) (/lib/libLLVM.so.1+0xd9), or a source file instead of a library
        pattern!(
            r"^\s*#(?<number>\d+)\s+0x[0-9a-f]+(?:\s+in)?(?:\s+(?<name>[^\s(/].*?|\(anon.*?))?\s+\(?(?<place>[^\s()]*[/.:][^\s()]*)\)?(?:\s+\(BuildId: \w+\))?$"
        ),
        // 5  libLLVM.so.19.1  0x00007f42 llvm::f(unsigned) + 92
        pattern!(
            r"^\s*(?<number>\d+)\s+(?<place>\S+)\s+0x[0-9a-f]{8,}(?:\s+(?<name>.+?)(?:\s\+\s\d+)?)?$"
        ),
        // /lib/libLLVM.so.1(_ZN4llvm1fEj+0x15)[0x7f42], after `#5` or not
        pattern!(
            r"^\s*(?:#(?<number>\d+)\s+)?(?<place>\S+?)\((?<name>[A-Za-z_][\w.$]*)?\+0x[0-9a-f]+\)\s*\[0x"
        ),
        // 0x7f42 f(int) ../../src/gcc/f.c:12
        pattern!(r"^0x[0-9a-f]+ (?<name>[A-Za-z_~(?].*?)\s+(?<place>\S+:\d+)$"),
    ];
    let found = forms.iter().find_map(|form| form.captures(line))?;
    let text = |found: &Captures<'_>, name| found.name(name).map(|text| text.as_str().to_owned());
    let address = pattern!(r"0x[0-9a-f]+").find_iter(line).last();
    Some(Frame {
        function: text(&found, "name").filter(|name| name != "???").map(|name| readable(&name)),
        address: address.map(|address| address.as_str().to_owned()).unwrap_or_default(),
        place: text(&found, "place").unwrap_or_default(),
        number: text(&found, "number").and_then(|number| number.parse().ok()),
    })
}

impl Frame {
    /// Returns true if it belongs to what happens after the crash, such as the handler of a signal, or to the C library, where
    /// `abort` and `memcpy` are.
    fn reports_the_crash(&self) -> bool {
        const FUNCTIONS: &str = "PrintStackTrace PrintStackTraceSignalHandler RunSignalHandlers CleanupOnSignal \
            SignalHandler SignalHandlerTerminate CrashRecoverySignalHandler HandleCrash HandleExit Exit \
            report_fatal_error reportFatalInternalError reportFatalUsageError llvm_unreachable_internal \
            LLVMErrorHandler crash_signal internal_error fancy_abort internal_error_no_backtrace \
            __restore_rt raise gsignal abort kill killpg pthread_kill __pthread_kill_implementation \
            __pthread_kill_internal __assert_fail __assert_fail_base __assert terminate __terminate __cxa_throw \
            __verbose_terminate_handler rust_begin_unwind panic_fmt panic_display";
        const LIBRARIES: [&str; 4] = ["libc.so", "libpthread", "libstdc++.so", "libgcc_s"];
        let file = self.place.rsplit('/').next().unwrap_or_default();
        let Some(function) = &self.function else { return true };
        let own = bare(function);
        let own = own.rsplit("::").next().unwrap_or_default();
        LIBRARIES.iter().any(|library| file.starts_with(library))
            || FUNCTIONS.split_whitespace().any(|name| name == own)
            || ["__asan", "__ubsan", "__sanitizer", "__interceptor"]
                .iter()
                .any(|start| function.starts_with(start))
    }

    /// Returns true if it belongs to the start of a program or of a thread by the C library.
    fn starts_the_program(&self) -> bool {
        const FUNCTIONS: &str = "_start __libc_start_main __libc_start_main_impl __libc_start_call_main \
            start_thread clone __clone clone3 __clone3 thread_start __GI___clone __GI___clone3";
        let name = self.function.as_deref().unwrap_or_default();
        let name = name.split(['@', '(']).next().unwrap_or_default();
        FUNCTIONS.split_whitespace().any(|own| own == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_stack_is_read() {
        for (output, expected) in [
            (
                " #0 0x0000561 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) /src/Signals.inc:723:13\n \
                 #1 0x0000562 SignalHandler(int) Signals.cpp:0:0\n \
                 #2 0x0000563 (/lib/libc.so.6+0x3c050)\n \
                 #3 0x0000564 llvm::APInt::f(unsigned int) (/lib/libLLVM-14.so.1+0xd9)\n \
                 #4 0x0000565 (anonymous namespace)::G::h() /src/G.cpp:3:5\n",
                &["llvm::APInt::f(unsigned int)", "(anonymous namespace)::G::h()"][..],
            ),
            (
                "0  libLLVM.so.19.1 0x00007f72536b73c6 llvm::sys::RunSignalHandlers() + 80\n\
                 1  libc.so.6       0x00007f725225a050\n\
                 2  clang-19        0x0000559f2b5f0bf9 cc1_main(char const*, void*) + 5881\n\
                 3  clang-19        0x0000559f2b5edb85\n",
                &["cc1_main(char const*, void*)"],
            ),
            (
                "/lib/libLLVM-14.so.1(_ZN4llvm3sys17RunSignalHandlersEv+0xee)[0x7f]\n\
                 clang-14(+0x23)[0x7f]\nclang-14(_Z8cc1_mainN4llvm8ArrayRefIPKcEES2_Pv+0x973)[0x41]\n",
                &["cc1_main(llvm::ArrayRef<char const*>, char const*, void*)"],
            ),
            (
                "0x1ac9c2f internal_error(char const*, ...)\n\t???:0\n\
                 0x69b6ca fancy_abort(char const*, int, char const*)\n\t???:0\n\
                 0x7bc2d1 expand_expr_real_1(tree_node*, rtx_def*)\n\t../../src/gcc/expr.cc:9301\n",
                &["expand_expr_real_1(tree_node*, rtx_def*)"],
            ),
            (
                "    #0 0x4f1 in __interceptor_strlen (/a.out+0x4f1)\n    #1 0x51 in main /tmp/a.c:3:5\n\
                 freed by:\n    #0 0x4f1 in free (/a.out+0x4f1)\n",
                &["main"],
            ),
            (
                "#0  raise (sig=6) at raise.c:51\n#1  0x00007f in Fold::run (this=0x0) at fold.cpp:7\n",
                &["Fold::run"],
            ),
        ] {
            assert_eq!(stack(output), expected, "{output}");
        }
        assert!(
            stack("0.\tProgram arguments: clang\n1.\tOptimizer\na.c:1:2: error: x\n").is_empty()
        );
    }

    /// gcc of Debian has no names, and the C library has.
    #[test]
    fn what_starts_the_program_is_no_part_of_the_crash() {
        let output = "0x55d1 ???\n\t???:0\n0x7f3 ???\n\t./signal/../sysdeps/unix/sysv/linux/x86_64/libc_sigaction.c:0\n\
            0x7f4 __libc_start_call_main\n\t../sysdeps/nptl/libc_start_call_main.h:58\n\
            0x7f5 __libc_start_main_impl\n\t../csu/libc-start.c:381\n";
        assert!(stack(output).is_empty());
        let thread = "/lib/a.so(_Z3runv+0x1)[0x3]\n/lib/libc.so.6(+0x8)[0x4]\n/lib/libc.so.6(__clone+0x5)[0x5]\n";
        assert_eq!(stack(thread), ["run()"]);
    }

    #[test]
    fn an_endless_recursion_repeats_itself_and_a_deep_one_ends() {
        let frames = |from: usize, count: usize, end: &str| -> String {
            let name = |at: usize| ["_Z1cv", "_Z1av", "_Z1bi"][at % 3];
            let line = |at| format!("/lib/a.so({}+0x{at})[0x7f{:02x}]\n", name(at), at % 3);
            (from..from + count).map(line).collect::<String>() + end
        };
        let handler = "/lib/a.so(_ZN4llvm3sys17RunSignalHandlersEv+0xee)[0x7f]\n/lib/libc.so.6(+0x3c050)[0x8f]\n";
        for from in 0..3 {
            let output = format!("{handler}{}", frames(from, 240, ""));
            assert_eq!(repeated(&output).unwrap(), ["a", "b", "c"]);
            let nameless = output.replace("_Z1av", "").replace("_Z1bi", "").replace("_Z1cv", "");
            assert!(repeated(&nameless).unwrap().is_empty());
        }
        assert!(
            repeated(&frames(0, 240, "/lib/libc.so.6(__libc_start_main+0x1)[0x1]\n")).is_none()
        );
        assert!(repeated(&frames(0, 20, "")).is_none());
        let different: String =
            (0..240).map(|at| format!("/lib/a.so(f{at}+0x1)[0x{at}]\n")).collect();
        assert!(repeated(&different).is_none());
    }

    /// Only what runs after the crash is left out, not a function of the compiler with such a name.
    #[test]
    fn names_are_compared_as_a_whole() {
        let output = " #0 0x1 abort (/lib/libc.so.6+0x1)\n #1 0x2 llvm::raiseLoop(int) (/lib/libLLVM.so+0x2)\n";
        assert_eq!(stack(output), ["llvm::raiseLoop(int)"]);
    }
}
