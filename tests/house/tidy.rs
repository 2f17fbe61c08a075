//! House rules that neither the compiler nor clippy know. Each complaint says what to do instead.
//!
//! That nothing which decides an order goes over a hash map is a rule of clippy: see `clippy.toml`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::workspace::{Source, crate_roots, packages, relative, root, sources};
use regex::Regex;
use serde_json::Value;

/// A file with more lines holds more than one idea.
const MOST_LINES: usize = 600;

/// The only places for `unsafe` code. Their module docs say why it is sound.
const UNSAFE: &[&str] = &[
    "capi/src/",
    "interestingness/compiler/src/api.rs",
    "interestingness/devices/src/cuda/",
    "interestingness/devices/src/opencl/",
    "interestingness/process/src/job.rs",
    "interestingness/remote/src/environment.rs",
    "src/cli/src/settings/grammar.rs",
];

/// The code that decides which variants are tried. It has to decide the same on every machine, each time.
const DECIDES: &[&str] = &[
    "generator/src/",
    "passes/src/",
    "src/candidates/",
    "src/reducer/",
    "src/speculation/src/confirmations.rs",
    "src/speculation/src/tally.rs",
    "src/speculation/src/running.rs",
    "src/speculation/src/scheduler.rs",
    "src/speculation/src/scheduler/",
    "src/speculation/src/search.rs",
    "src/speculation/src/tree.rs",
    "src/speculation/src/verdicts.rs",
    "testcase/language/src/",
    "testcase/src/",
];

/// The folders of everything that ends up in the library and the program, which [`product`] finds.
const PRODUCT: &[&str] = &["PRODUCT"];

/// The folders of the crates' own sources, except those that only tests use.
fn product() -> Vec<String> {
    let roots = packages()
        .into_iter()
        .filter(|package| package["name"] != "clreduce-interestingness-tests");
    let targets = roots.flat_map(|package| package["targets"].as_array().expect("targets").clone());
    let own = targets.filter(|target| {
        let kind = target["kind"][0].as_str().expect("a kind");
        matches!(kind, "lib" | "bin" | "cdylib" | "staticlib")
    });
    let folder = |target: Value| {
        let root = PathBuf::from(target["src_path"].as_str().expect("a path"));
        format!("{}/", relative(root.parent().expect("a file lies in a folder")))
    };
    own.map(folder).collect()
}

struct Ban {
    what: &'static str,
    within: &'static [&'static str],
    except: &'static [&'static str],
    instead: &'static str,
}

const BANS: [Ban; 13] = [
    Ban {
        what: r"\b(todo|unimplemented|dbg)!",
        within: &[""],
        except: &[],
        instead: "finish it, or return an error that says what is missing",
    },
    Ban {
        what: r"\be?print(ln)?!",
        within: PRODUCT,
        except: &["src/cli/"],
        instead: "tell an event; src/cli shows it",
    },
    Ban {
        what: r"\bprocess::(exit|abort)\b",
        // Not the worker processes of interestingness/: they are there to die.
        within: &["passes/src/", "src/", "testcase/language/src/", "testcase/src/"],
        // The second Ctrl-C ends the program at once.
        except: &["src/cli/src/terminal/interrupt.rs"],
        instead: "return an `ExitCode` to `main`, so that everything is cleaned up",
    },
    Ban {
        what: r"\b(Instant|SystemTime)\b",
        within: DECIDES,
        except: &[],
        instead: "count questions; time must not decide what is asked",
    },
    Ban {
        what: r"\bstd::(env|fs|io|net|process|thread|time)\b|\b(fs|io|process|thread)::\w",
        within: DECIDES,
        except: &[],
        instead: "take a snapshot or an answer as an argument: what decides the questions is pure",
    },
    Ban {
        what: r"\b(rayon|crossbeam|crossbeam_channel)::|\b(Mutex|RwLock|Condvar)\b",
        within: &[
            "passes/src/",
            "src/candidates/",
            "src/reducer/",
            "testcase/language/src/",
            "testcase/src/",
        ],
        except: &[],
        instead: "threads belong to src/speculation and src/cli",
    },
    Ban {
        // Behind a point, it is a type in the name of an instruction of PTX.
        what: r"(^|[^.\w])f(32|64)\b",
        within: DECIDES,
        except: &[],
        instead: "integers, in thousandths where need be: they are equal on every platform",
    },
    Ban {
        what: r"\b(rand|fastrand|getrandom)::|\bRandomState\b",
        within: DECIDES,
        except: &[],
        instead: "choose by content hash",
    },
    Ban {
        what: r"\bCommand::new\b",
        within: PRODUCT,
        except: &[
            "interestingness/process/src/",
            // What is measured is a child of its own, in a process that the supervisor of the test looks after.
            "src/cli/src/setup/measure.rs",
            // The user's editor has the terminal until the user ends it.
            "src/cli/src/terminal/screen/editor.rs",
        ],
        instead: "processes belong to clreduce-process, which kills and cleans up after them",
    },
    Ban {
        what: r"\.spawn\(\)",
        within: PRODUCT,
        except: &[
            "interestingness/process/src/launch.rs",
            // Called by it.
            "interestingness/process/src/job.rs",
        ],
        instead: "`Confinement::start` of clreduce-process, which applies a sandbox",
    },
    Ban {
        // The retry that Windows needs is in one place.
        what: r"\bfs::(rename|remove_dir_all)\b|\.persist(_noclobber)?\(",
        within: &["src/"],
        except: &["src/files/"],
        instead: "clreduce_files: it tries again while somebody else has the file open",
    },
    Ban {
        what: r"[!=]= Language::[A-Z]|contains\(&Language::[A-Z]|Language::[A-Z_]+ (=>|\|) ",
        within: PRODUCT,
        except: &[],
        instead: "`language.has(Feature::...)`: the file of each language says what programs in it have",
    },
    Ban {
        what: r"\btemp_dir\(\)",
        within: &["src/"],
        except: &[],
        instead: "`tempfile`, or the state folder: both are cleaned up",
    },
];

#[test]
fn banned_calls_are_not_made() {
    let (sources, product) = (sources(), product());
    let product: Vec<&str> = product.iter().map(String::as_str).collect();
    let mut wrong = Vec::new();
    for ban in &BANS {
        let what = Regex::new(ban.what).unwrap();
        let within = if ban.within == PRODUCT { &product[..] } else { ban.within };
        let files: Vec<&Source> = sources
            .iter()
            .filter(|source| within == [""] || source.is_in(within))
            .filter(|source| !source.is_in(ban.except))
            .collect();
        assert!(!files.is_empty(), "`{}` is looked for nowhere", ban.what);
        for place in within.iter().chain(ban.except) {
            assert!(root().join(place).exists(), "{place} is gone: take it out of this test");
        }
        for source in files {
            for (line, code) in source.code().filter(|(_, code)| what.is_match(code)) {
                let (path, code) = (&source.path, code.trim());
                wrong.push(format!("{path}:{line}: {code}\n    instead: {}", ban.instead));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_says_what_it_is_for_and_is_one_idea() {
    let mut wrong = Vec::new();
    for source in sources() {
        if !source.text.starts_with("//! ") {
            wrong.push(format!("{}: begin with `//!` and what the file is for", source.path));
        }
        let lines = source.text.lines().count();
        if lines > MOST_LINES {
            wrong.push(format!("{}: {lines} lines; look for a seam to split it at", source.path));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A misspelt kind in a string compiles and matches nothing; a misspelt variant does not compile.
#[test]
fn kinds_of_nodes_and_fields_are_variants_and_not_strings() {
    let list = fs::read_to_string(root().join("testcase/language/grammar/kinds.txt")).unwrap();
    let kinds = list.lines().filter_map(|line| line.strip_prefix("named "));
    // Words such as `comment` stand for much else in messages.
    let kinds: BTreeSet<&str> = kinds.filter(|kind| kind.contains('_')).collect();
    assert!(kinds.contains("call_expression"), "{kinds:?}");
    let texts = Regex::new(r#""([a-z_]+)""#).unwrap();
    let field = Regex::new(r#"\bfields?\(\w+, "|\bfield\b[^()]*== Some\(""#).unwrap();
    let mut wrong = Vec::new();
    let product = product();
    let product: Vec<&str> = product.iter().map(String::as_str).collect();
    for source in sources().iter().filter(|source| source.is_in(&product)) {
        for (line, code) in source.code() {
            let mut named = texts.captures_iter(code).map(|found| found.get(1).unwrap().as_str());
            if named.any(|text| kinds.contains(text)) || field.is_match(code) {
                let instead = "a variant of `NodeKind` or `NodeField`";
                wrong.push(format!(
                    "{}:{line}: {}\n    instead: {instead}",
                    source.path,
                    code.trim()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn unsafe_code_stays_where_it_is_justified() {
    let allows = Regex::new(r"\b(allow|expect)\(\s*unsafe_code").unwrap();
    let is_unsafe = Regex::new(r"\bunsafe\s*(\{|fn\b|impl\b|extern\b)").unwrap();
    let mut wrong = Vec::new();
    for source in sources() {
        for (line, code) in source.code() {
            if (allows.is_match(code) || is_unsafe.is_match(code)) && !source.is_in(UNSAFE) {
                let instead = "a crate that wraps it, or a place in UNSAFE of this test";
                wrong.push(format!("{}:{line}: instead: {instead}", source.path));
            }
        }
        let docs = source.text.lines().take_while(|line| line.starts_with("//!"));
        let says_why = docs.fold(String::new(), |docs, line| docs + line).contains("sound");
        if source.code().any(|(_, code)| allows.is_match(code)) && !says_why {
            wrong.push(format!("{}: the module docs do not say why it is sound", source.path));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[cfg_attr(windows, ignore = "asks cargo about the sources: done on Linux")]
fn every_file_is_part_of_a_crate() {
    let mut reached = BTreeSet::new();
    let mut pending: Vec<(PathBuf, bool)> =
        crate_roots().into_iter().map(|path| (path, true)).collect();
    while let Some((path, is_root)) = pending.pop() {
        if reached.insert(relative(&path)) {
            let text = fs::read_to_string(&path)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            pending.extend(modules(&path, &text, is_root).into_iter().map(|path| (path, false)));
        }
    }
    let dead: Vec<String> =
        sources().into_iter().map(|source| source.path).filter(|p| !reached.contains(p)).collect();
    assert!(dead.is_empty(), "no `mod` leads to {dead:?}: declare them or delete them");
}

/// The files that the modules declared in a file are in.
fn modules(file: &Path, text: &str, is_root: bool) -> Vec<PathBuf> {
    let attribute = Regex::new(r#"^#\[path = "([^"]+)"\]"#).unwrap();
    let declaration = Regex::new(r"^(    )?(?:pub(?:\([^)]*\))? )?mod (\w+);").unwrap();
    let inline = Regex::new(r"^(?:pub(?:\([^)]*\))? )?mod (\w+) \{").unwrap();
    let beside = file.parent().unwrap();
    let is_folder = is_root || file.ends_with("mod.rs");
    let below = if is_folder { beside.to_owned() } else { file.with_extension("") };
    let mut found = Vec::new();
    let mut given = None;
    // The module whose declarations are indented.
    let mut around = None;
    for line in text.lines() {
        if let Some(path) = attribute.captures(line) {
            given = Some(path[1].split('/').fold(beside.to_owned(), |at, part| {
                if part == ".." { at.parent().unwrap().to_owned() } else { at.join(part) }
            }));
        } else if let Some(name) = inline.captures(line) {
            around = Some(below.join(&name[1]));
        } else if let Some(name) = declaration.captures(line) {
            let folder = name.get(1).and(around.as_ref()).unwrap_or(&below);
            let flat = folder.join(format!("{}.rs", &name[2]));
            let usual = if flat.exists() { flat } else { folder.join(&name[2]).join("mod.rs") };
            found.push(given.take().unwrap_or(usual));
        } else if !line.starts_with("#[") {
            given = None;
        }
    }
    found
}

/// Text of others must not reach a terminal as it is.
#[test]
fn one_module_prints() {
    let raw = Regex::new(r"\bio::stdout\(\)|\be?print(ln)?!").unwrap();
    let mut wrong = Vec::new();
    for source in sources() {
        if source.is_in(&["src/cli/src/"]) && !source.is_in(&["src/cli/src/terminal/printing.rs"]) {
            for (line, _) in source.code().filter(|(_, code)| raw.is_match(code)) {
                wrong.push(format!("{}:{line}: instead: crate::printing", source.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
