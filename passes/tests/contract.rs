//! Every pass keeps its contract on the corpus, on random bytes, on random tokens, on damaged
//! programs, and on files that are very long or very deep.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use clreduce_passes::harness::{check_chosen, check_each};
use clreduce_passes::{Pass, Proposals, Snapshot, TABLE};
use clreduce_testcase::{Language, TestCase, tokens};
use proptest::prelude::*;

fn check_all(bytes: &[u8], language: Language) {
    check_each(&passes(language), bytes, language);
}

/// Every pass that knows a language, once.
fn passes(language: Language) -> Vec<&'static Pass> {
    let mut seen = HashSet::new();
    let rows = TABLE.iter().filter(|row| row.applies_to(language));
    rows.filter(|row| seen.insert(row.pass.name)).map(|row| row.pass).collect()
}

fn corpus() -> Vec<(String, Vec<u8>)> {
    files(Path::new("corpus"))
}

/// The files of a folder, with their names, in order.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn corpus_in_every_language() {
    for (name, bytes) in corpus() {
        for language in Language::ALL {
            eprintln!("{name} as {language:?}");
            check_all(&bytes, language);
        }
    }
}

/// The inputs that fuzzing found, and those that lead it into every pass.
#[test]
fn inputs_of_the_fuzzer() {
    let inputs = files(Path::new("../fuzz/seeds"));
    assert!(inputs.len() > TABLE.len(), "the seeds of the fuzzer are not there");
    for (name, bytes) in inputs {
        eprintln!("{name}");
        check_chosen(&bytes);
        // The first byte chose another pass when the table was shorter.
        for language in
            [Language::C, Language::OPENCL, Language::CUDA, Language::CPP, Language::OPENCL_CPP]
        {
            check_all(&bytes[1..], language);
        }
    }
}

/// The stack on which passes get deep and long programs: about a hundred bytes for each level of the deepest.
const STACK_BYTES: usize = 256 << 10;

/// Passes must at least end on these, and not overflow the stack; to accept everything would take long.
fn propose_all(bytes: Vec<u8>, language: Language) {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    let thread = thread.spawn(move || propose_each(bytes, language)).unwrap();
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

fn propose_each(bytes: Vec<u8>, language: Language) {
    let snapshot = Snapshot::new(TestCase::single("input", bytes).unwrap(), language);
    for pass in passes(language) {
        let proposals = Proposals::of(pass, &snapshot).list;
        let edits: usize = proposals.iter().map(|proposal| proposal.patch.edits().len()).sum();
        let size = snapshot.bytes(0).len();
        assert!(edits <= 8 * size + 1000, "{}: {edits} edits for {size} bytes", pass.name);
    }
}

#[test]
fn deep_nesting() {
    let nests: [(&str, &str); 17] = [
        ("({int a=1;a;", ";})"),
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("f(", ")"),
        ("-", ""),
        ("a+", ""),
        ("a,", ""),
        ("a?b:", ""),
        ("(int)", ""),
        ("if(a)", ""),
        ("if(a);else ", ""),
        ("while(a){", "}"),
        ("switch(a){case 1:", "}"),
        ("l:", ""),
        ("for(;;)", ""),
        ("\n#if 1\n", "\n#endif\n"),
    ];
    for (open, close) in nests {
        for (before, after) in [("int f(int a, int b) { ", "; }"), ("", ""), ("int x = ", ";")] {
            eprintln!("{before}{open}");
            // Deep enough for the stack of a pass that recurses. `scaling.rs` counts the work.
            let (open, close) = (open.repeat(2_500), close.repeat(2_500));
            propose_all(format!("{before}{open}a{close}{after}").into_bytes(), Language::C);
        }
    }
}

#[test]
fn long_lines() {
    // Of programs, more elements than the stack has room for; of text, what the contract promises.
    let (many, million, ten_millions) = (256 << 10, 1 << 20, 10 << 20);
    for (pattern, size, language) in [
        ("x = 1; ", many, Language::C),
        ("int f(void) { return 1; } ", many, Language::OPENCL),
        ("{1, 2}, ", many, Language::CUDA),
        ("/* ", million, Language::TEXT),
        ("\\\"", million, Language::TEXT),
        ("\0", million, Language::TEXT),
        ("word ", ten_millions, Language::TEXT),
        ("\n", ten_millions, Language::TEXT),
    ] {
        eprintln!("{pattern}");
        propose_all(pattern.repeat(size / pattern.len()).into_bytes(), language);
    }
}

fn language() -> impl Strategy<Value = Language> {
    proptest::sample::select(Language::ALL.to_vec())
}

fn soup() -> impl Strategy<Value = Vec<u8>> {
    const TOKENS: &str = "int char struct S T typedef static const unsigned if ( ) else while for do \
        switch case default : return break continue goto l a b f g x y main __kernel __global entry \
        { } [ ] ; , . -> = + - * / % & | ^ ~ ! < > << >> == && || ++ -- += ? ... 0 1 0x1fUL 2.5f \
        'c' \"s\" # ## \\ @ __attribute__ sizeof enum union asm <<< >>> :: template auto \
        int4 long8 (int2)( .xy .s01 .hi convert_int4 as_int4 clamp vload4 vstore4 barrier atomic_add \
        get_global_id threadIdx image2d_t __local dim3 __shared__ cudaFree typename \
        class namespace using friend operator public virtual ~ T std [&] \
        <<<1,1>>> __device__ __host__ __launch_bounds__(1,2,3) __align__(8) __attribute__((global))";
    const LINES: [&str; 9] = [
        "\n#if a\n",
        "\n#else\n",
        "\n#endif\n",
        "\n#define f(a) a+f\n",
        "\n#define a 1\n",
        "\n# 1 \"x.h\"\n",
        "\n#include \"x.h\"\n",
        " /* c */ ",
        " // c\n",
    ];
    let words: Vec<&str> = TOKENS.split_whitespace().chain(LINES).collect();
    proptest::collection::vec(proptest::sample::select(words), 0..80)
        .prop_map(|words| words.join(" ").into_bytes())
}

/// A program of the corpus from which runs of tokens are missing or stand twice.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let change = (any::<prop::sample::Index>(), 1..6_usize, any::<bool>());
    let program = proptest::sample::select(corpus()).prop_map(|(_, bytes)| bytes);
    (program, proptest::collection::vec(change, 1..6)).prop_map(|(mut bytes, changes)| {
        for (at, length, double) in changes {
            let tokens: Vec<_> = tokens(&bytes).collect();
            if tokens.is_empty() {
                break;
            }
            let first = at.index(tokens.len());
            let last = (first + length).min(tokens.len()) - 1;
            let span = tokens[first].start as usize..tokens[last].end as usize;
            if double {
                let copy = bytes[span.clone()].to_vec();
                bytes.splice(span.start..span.start, copy);
            } else {
                bytes.drain(span);
            }
        }
        bytes
    })
}

/// Few by default, since each runs every pass; `PROPTEST_CASES` asks for more.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(48)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn random_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200), language in language()) {
        check_all(&bytes, language);
    }

    #[test]
    fn random_tokens(bytes in soup(), language in language()) {
        check_all(&bytes, language);
    }

    #[test]
    fn damaged_programs(bytes in damaged(), language in language()) {
        check_all(&bytes, language);
    }
}
