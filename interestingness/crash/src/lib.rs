//! Crashes of compilers, recognised in what the compiler printed: the message, the compiler pass that ran, the stack,
//! and a signature of them.
//!
//! A *signature* contains nothing that differs between programs with the same bug: no addresses, paths, line numbers
//! and names. Recipes pin it, and batches group their cases by it, so there is one recogniser for both.

mod alike;
mod clues;
mod complaints;
mod names;
mod stack;

pub use alike::is_alike;
pub use clues::clues;
pub use complaints::complaints;
pub use stack::stack;

/// A pattern that is compiled once.
macro_rules! pattern {
    ($text:expr) => {{
        static PATTERN: std::sync::LazyLock<regex::Regex> = std::sync::LazyLock::new(|| {
            regex::Regex::new($text).expect("the pattern is a constant")
        });
        &*PATTERN
    }};
}
pub(crate) use pattern;

/// The signature of a crash: its message if that names the bug, or else everything of message, compiler pass and
/// function that there is. Empty if the output says nothing about a crash.
#[must_use]
pub fn signature(output: &str) -> Vec<String> {
    let message = output.lines().find_map(message);
    if let Some(Message { text, names_the_bug: true }) = message {
        return vec![text];
    }
    parts(output)
}

/// Message, compiler pass and function of a crash, as far as the output names them. Where it names neither pass nor
/// function, what the compiler read.
#[must_use]
pub fn parts(output: &str) -> Vec<String> {
    let message = output.lines().find_map(message).map(|message| message.text);
    let pass = pass(output);
    let place = match stack::repeated(output) {
        Some(names) if names.is_empty() => Some(ENDLESS.to_owned()),
        Some(names) => Some(format!("{ENDLESS} in {}", names.join(", "))),
        None => function(output).map(|function| format!("in {function}")),
    };
    let is_vague = pass.is_none() && place.as_deref().is_none_or(|place| place == ENDLESS);
    let construct = if is_vague { construct(output) } else { None };
    let said: Vec<String> = message.into_iter().chain(pass).chain(construct).chain(place).collect();
    if said.is_empty() { of_driver(output).into_iter().collect() } else { said }
}

/// The message of a compiler driver about the part that crashed, if that part printed no message of its own.
fn of_driver(output: &str) -> Option<String> {
    let found = pattern!(
        r"unable to execute command: [\w ]+|\w+ frontend command failed (?:due to signal|with exit code \d+)|'\w+' died due to signal \d+"
    )
    .find(output)?;
    Some(found.as_str().to_owned())
}

/// A stack with the same functions over and over.
const ENDLESS: &str = "endless recursion";

/// The name of the function that crashed. The functions in which a compiler starts are in every stack.
fn function(output: &str) -> Option<String> {
    const STARTS: [&str; 8] = [
        "main",
        "cc1_main",
        "cc1as_main",
        "clang_main",
        "ExecuteCC1Tool",
        "toplev::main",
        "do_compile",
        "compile_file",
    ];
    let names = stack(output).into_iter().map(|function| names::bare(&function));
    names.into_iter().find(|name| !name.is_empty()).filter(|name| !STARTS.contains(&&**name))
}

/// Returns true if an output tells of a crash with all these parts, and they are enough to recognise it. A bug that reads
/// memory that was not written ends with a signal now and with a message then, in the same pass and function.
#[must_use]
pub fn has_parts(output: &str, wanted: &[String]) -> bool {
    let found = parts(output);
    wanted.len() >= ENOUGH_PARTS && wanted.iter().all(|part| found.contains(part))
}

/// The parts that two crashes have in common which are taken for the same.
pub const ENOUGH_PARTS: usize = 2;

/// The signature of a failed build: its first error, or else the first line.
#[must_use]
pub fn of_failure(output: &str) -> Option<String> {
    let error = output.lines().find_map(first_error).map(|text| format!("error: {}", steady(text)));
    let first = || output.lines().map(str::trim).find(|line| !line.is_empty()).map(steady);
    error.or_else(first)
}

/// The text of an error in a line, without place and program.
#[must_use]
pub fn first_error(line: &str) -> Option<&str> {
    let text = line.split_once("error: ").or_else(|| line.split_once("Error: "))?.1;
    Some(text.trim())
}

/// The errors that a compiler reports in the program besides its crash, each once, without place and names.
#[must_use]
pub fn errors(output: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in output.lines() {
        let of_program =
            pattern!(r"^[^\s:<>][^:]*:\d+:(?:\d+:)? (?:fatal )?error: (.+)$").captures(line);
        if let Some(error) = of_program.map(|parts| steady(&parts[1]))
            && !found.contains(&error)
        {
            found.push(error);
        }
    }
    found
}

/// Returns true if a compiler that ended with an ordinary status has crashed all the same: drivers of compilers catch the
/// crash of the compiler proper.
#[must_use]
pub fn is_crash(output: &str) -> bool {
    const MARKS: [&str; 7] = [
        "PLEASE submit a bug report",
        "PLEASE ATTACH THE FOLLOWING FILES",
        "internal compiler error",
        "Stack dump:",
        "LLVM ERROR:",
        "error: error in backend",
        "died due to signal",
    ];
    MARKS.iter().any(|mark| output.contains(mark))
}

/// The line of the output that says what happened, as the compiler printed it.
#[must_use]
pub fn message_line(output: &str) -> Option<&str> {
    output.lines().find(|line| message(line).is_some()).map(str::trim)
}

/// A line of output that tells of a crash.
struct Message {
    text: String,
    /// True if another bug has another message. A segmentation fault can have any cause.
    names_the_bug: bool,
}

fn message(line: &str) -> Option<Message> {
    let named = |text| Some(Message { text, names_the_bug: true });
    if let Some(found) = pattern!(r"[Aa]ssertion [`']?(.+?)'? failed").captures(line) {
        // Its text is the compiler's own: numbers in it mean something.
        return named(format!("assertion {}", found[1].trim()));
    }
    if let Some(found) = pattern!(r"(?:Address|Memory|Thread|Leak)Sanitizer: [\w-]+").find(line) {
        return named(found.as_str().to_owned());
    }
    let found = pattern!(
        r"(?:LLVM ERROR|error: error in backend|internal compiler error|UNREACHABLE executed|runtime error: |terminate called after throwing|thread '[^']*' .*panicked at).*"
    )
    .find(line)?;
    let is_vague = pattern!(
        "UNREACHABLE|terminate called|panicked|Segmentation fault|Illegal instruction|Aborted|Bus error|\
         Floating point exception|Killed"
    );
    let names_the_bug = !is_vague.is_match(found.as_str());
    Some(Message { text: steady(found.as_str()), names_the_bug })
}

/// The compiler pass that ran, from the dump of LLVM (`2. Running pass 'X' on function '@f'`, the innermost counts)
/// or of gcc (`during GIMPLE pass: vrp`).
#[must_use]
pub fn pass(output: &str) -> Option<String> {
    let of_gcc = |line: &str| {
        let found = pattern!(r"^during (?:GIMPLE|RTL|IPA) pass: (\w+)").captures(line)?;
        Some(format!("pass {}", &found[1]))
    };
    output.lines().filter_map(|line| of_gcc(line).or_else(|| of_llvm(line))).next_back()
}

fn of_llvm(line: &str) -> Option<String> {
    let text = pattern!(r"^\s*[1-9]\d*\.\s+(.+)$").captures(line)?.get(1)?.as_str();
    // Its options differ between levels of optimisation.
    if let Some(found) = pattern!(r#"^Running pass ['"]([^'"<(]+)"#).captures(text) {
        return Some(format!("pass {}", found[1].trim()));
    }
    // The rest are places in the program, and phases such as `Optimizer`.
    let is_place = PLACE.is_match(text);
    (!is_place).then(|| steady(&text[..text.find(" on ").unwrap_or(text.len())]))
}

/// The place in the program with which LLVM says what it read.
static PLACE: std::sync::LazyLock<regex::Regex> = std::sync::LazyLock::new(|| {
    regex::Regex::new(r"^(<[\w ]+>|[^\s:]+:\d+:\d+:?)\s").expect("the pattern is a constant")
});

/// The part of the program that a compiler was at when it crashed, as it names it: `parsing function body 'f'` of clang, `In
/// function ‘f’` of gcc.
#[must_use]
pub fn subject(output: &str) -> Option<&str> {
    let read = output.lines().filter_map(|line| {
        let text = pattern!(r"^\s*[1-9]\d*\.\s+(.+)$").captures(line)?.get(1)?.as_str();
        Some(text[PLACE.find(text)?.end()..].trim())
    });
    let read: Vec<&str> = read.collect();
    // Blocks around a statement come and go.
    let tells = |text: &&&str| {
        !["current parser token", "in compound statement"].iter().any(|own| text.starts_with(own))
    };
    let of_clang = read.iter().rev().find(tells).or(read.first()).copied();
    let of_gcc = || {
        let lines = output.lines().take_while(|line| !line.contains("internal compiler error"));
        let named = |line| pattern!(r"^[^\s:]+: ((?:In|At) \w.*):$").captures(line)?.get(1);
        lines.filter_map(named).last().map(|found| found.as_str())
    };
    of_clang.or_else(of_gcc)
}

/// The same without its name, which a reduction may change.
fn construct(output: &str) -> Option<String> {
    let named = subject(output)?.split(['\'', '"', '(', '‘']).next();
    named.map(|text| text.trim().to_owned())
}

/// Replaces quoted text, numbers and names, and takes paths off file names. What the language or the compiler itself calls
/// so stays: another intrinsic or another sign is another bug.
fn steady(text: &str) -> String {
    let folders = pattern!(r"(?:[\w.+~-]*/)+([\w.+-]+)").replace_all(text.trim(), "$1");
    let variable =
        pattern!(r#"'[^']*'|"[^"]*"|`[^']*'|‘[^’]*’|%[\w.]+|@[\w.]+|0x[0-9a-fA-F]+|\bt?\d+\b"#);
    let replace = |found: &regex::Captures<'_>| {
        let quoted = found[0].trim_matches(['\'', '"', '`', '‘', '’']);
        match quoted.strip_prefix(['%', '@']).unwrap_or(quoted) {
            name if name.starts_with("llvm.") => found[0].to_owned(),
            _ if quoted.len() < found[0].len() && is_of_the_language(quoted) => {
                format!("'{quoted}'")
            }
            _ => "…".to_owned(),
        }
    };
    variable.replace_all(&folders, replace).into_owned()
}

/// Returns true for a sign, a keyword that no other can stand for, or a function of the compiler.
fn is_of_the_language(word: &str) -> bool {
    const KEYWORDS: &str = "alignas alignof asm auto break case catch class co_await co_return co_yield concept const \
        consteval constexpr constinit continue decltype default delete do else enum explicit extern for friend goto if \
        inline mutable namespace new noexcept nullptr operator override private protected public register requires \
        restrict return sizeof static static_assert struct switch template this thread_local throw try typedef typeid \
        typename typeof union using virtual volatile while";
    word.starts_with("__builtin_")
        || KEYWORDS.split_whitespace().any(|own| own == word)
        || !word.is_empty() && word.chars().all(|sign| sign.is_ascii_punctuation() && sign != '_')
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
    fn a_crash_without_a_message_is_known_by_pass_and_function() {
        assert_eq!(signature(LLVM), ["Optimizer", "in llvm::APInt::setBits"]);
        let old = "3.\tRunning pass 'X86 DAG->DAG' on function '@func_3'\n\
            /lib/libLLVM-14.so.1(_ZN4llvm3sys15PrintStackTraceERNS_11raw_ostreamEi+0x31)[0x7f60]\n\
            /lib/libLLVM-14.so.1(+0x23)[0x7f60]\n\
            /lib/libLLVM-14.so.1(_ZN4llvm5APInt15setBitsSlowCaseEjj+0x35)[0x7f60]\n";
        assert_eq!(signature(old), ["pass X86 DAG->DAG", "in llvm::APInt::setBitsSlowCase"]);
        let new = "3.\tRunning pass \"function<eager-inv>(instcombine<no-verify-fixpoint>)\" on module \"a.c\"\n\
            4.\tRunning pass \"instcombine<max-iterations=1>\" on function \"f\"\n\
            Stack dump without symbol names (...)\n\
            0  libLLVM.so.19.1      0x00007f72536b73c6 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) + 54\n\
            3  libc.so.6            0x00007f725225a050\n\
            4  libclang-cpp.so.19.1 0x00007f725b020eb9\n\
            5  libLLVM.so.19.1      0x00007f725b01a3fc (anonymous namespace)::Fold::run(llvm::Value*) + 92\n";
        assert_eq!(signature(new), ["pass instcombine", "in Fold::run"]);
        assert!(signature("Segmentation fault").is_empty());
        assert!(is_crash(LLVM) && !is_crash("a.c:1:1: error: expected ';'"));
    }

    #[test]
    fn a_message_that_names_the_bug_is_enough() {
        let assertion =
            "clang: /build/llvm/lib/X.cpp:312: void f(): Assertion `N < 4 && \"x\"' failed.\n";
        assert_eq!(signature(&format!("{assertion}{LLVM}")), ["assertion N < 4 && \"x\""]);
        assert_eq!(message_line(&format!("x\n{assertion}")), Some(assertion.trim()));
        let gcc = "a.c:3:1: internal compiler error: in expand_expr, at expr.cc:9301\n0x6f1 f()\n";
        assert_eq!(signature(gcc), ["internal compiler error: in expand_expr, at expr.cc:…"]);
        let backend = "fatal error: error in backend: Cannot select: t12: i32 '%x'";
        assert_eq!(signature(backend), ["error: error in backend: Cannot select: …: i32 …"]);
    }

    #[test]
    fn a_vague_message_needs_pass_and_function() {
        let gcc = "during GIMPLE pass: vrp\na.c: In function ‘f’:\n\
            a.c:3:1: internal compiler error: Segmentation fault\n\
            0x15 crash_signal\n\t../../src/gcc/toplev.cc:322\n\
            0x7f3 ???\n\t./signal/../sysdeps/unix/sysv/linux/x86_64/libc_sigaction.c:0\n\
            0x16 irange::set(tree_node*, tree_node*)\n\t../../src/gcc/value-range.cc:9\n";
        let expected =
            ["internal compiler error: Segmentation fault", "pass vrp", "in irange::set"];
        assert_eq!(signature(gcc), expected);
        let unreachable = "UNREACHABLE executed at /build/llvm/lib/CodeGen/X.cpp:312!\n";
        assert_eq!(
            signature(&format!("{unreachable}{LLVM}")),
            ["UNREACHABLE executed at X.cpp:…!", "Optimizer", "in llvm::APInt::setBits"]
        );
    }

    #[test]
    fn without_a_function_it_is_known_by_what_was_read() {
        let nameless = "Stack dump without symbol names\n0  libLLVM.so 0x00007fbea92b73c6\n1  clang 0x00007fbea92b7a8b\n\
            2  clang 0x00007fbea92b7a8c cc1_main(int) + 4\n3  libc.so.6 0x00007fbea92b7a8d __libc_start_main + 4\n";
        for (read, expected) in [
            (
                "1.\tx.c:7:3: current parser token ';'\n2.\tx.c:6:12: parsing function body 'g'\n\
                 3.\tx.c:6:12: in compound statement ('{}')\n",
                &["parsing function body"][..],
            ),
            ("1.\tx.c:7:3: current parser token ';'\n", &["current parser token"]),
            ("1.\t<eof> parser at end of file\n", &["parser at end of file"]),
            ("1.\t<eof> parser at end of file\n2.\tCode generation\n", &["Code generation"]),
            (
                "clang: error: clang frontend command failed with exit code 139 (use -v)\n",
                &["clang frontend command failed with exit code 139"],
            ),
        ] {
            let output = format!("PLEASE submit a bug report\n{read}{nameless}");
            assert_eq!(signature(&output), expected, "{output}");
        }
        let endless = format!("1.\tx.c:7:3: current parser token ';'\n{}", deep(200));
        assert_eq!(signature(&endless), ["current parser token", "endless recursion"]);
        let gcc = "a.cc: In function ‘h’:\na.cc:2:1: warning: x\na.cc: In substitution of ‘template<class T> f()’:\n\
            a.cc:3:1: internal compiler error: Segmentation fault\n0x15 ???\n\t???:0\n";
        let expected = ["internal compiler error: Segmentation fault", "In substitution of"];
        assert_eq!(signature(gcc), expected);
        assert_eq!(subject(gcc), Some("In substitution of ‘template<class T> f()’"));
    }

    /// A number of frames of one function without a name.
    fn deep(count: usize) -> String {
        let frame = |at| format!("{at} libclang-cpp.so.19.1 0x00007fbeb1719533\n");
        (5..5 + count).map(frame).collect()
    }

    #[test]
    fn names_of_the_language_stay_in_a_message() {
        for (text, expected) in [
            ("expected ‘;’ before 'x'", "expected ';' before …"),
            ("'constexpr' of `y'", "'constexpr' of …"),
            (
                "Cannot select: intrinsic %llvm.x86.rdtsc, %7",
                "Cannot select: intrinsic %llvm.x86.rdtsc, …",
            ),
            ("no '__builtin_clz'", "no '__builtin_clz'"),
        ] {
            assert_eq!(steady(text), expected);
        }
    }

    #[test]
    fn a_failed_build_is_known_by_its_first_error() {
        let log = "CL_BUILD_PROGRAM_FAILURE\nk.cl:3:4: warning: unused\nk.cl:9:2: error: no member named 'x' in 'struct S7'\n";
        assert_eq!(of_failure(log).as_deref(), Some("error: no member named … in …"));
        assert_eq!(of_failure("CL_OUT_OF_RESOURCES").as_deref(), Some("CL_OUT_OF_RESOURCES"));
        assert_eq!(of_failure("\n"), None);
    }

    #[test]
    fn errors_of_the_program_are_told_from_the_crash() {
        let output = "a.c:3:1: error: unknown type name 'x'\na.c:9:1: error: unknown type name 'y'\n\
            a.c:4: fatal error: too many\nfatal error: error in backend: x\n\
            a.c:3:1: internal compiler error: in f, at x.cc:1\nclang: error: clang frontend command failed\n\
            <unknown>:0: error: x\n";
        assert_eq!(errors(output), ["unknown type name …", "too many"]);
    }
}
