//! Whatever a pass over structures proposes, the program stays valid C99, and the members that remain
//! keep their values: on random programs that print all of them, compiled and run.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::process::Command;

use clreduce_passes::{Pass, Proposals, Snapshot, TABLE};
use clreduce_testcase::{Language, Patch, TestCase};
use proptest::prelude::*;

const PASSES: [&str; 1] = ["remove-fields"];

/// Numbers from a seed, so that a failing program can be shrunk and kept as one number.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }
}

/// The type of a member, as far as initialising and printing it needs.
#[derive(Clone)]
enum Kind {
    Scalar(&'static str),
    /// A vector of two numbers.
    Vector,
    Array(Box<Kind>),
    Struct(&'static str, Vec<(String, Kind)>),
    Union(Vec<(String, Kind)>),
}

/// The declaration of something of that type.
fn declared(kind: &Kind, name: &str) -> String {
    match kind {
        Kind::Scalar("bits") => format!("unsigned {name} : 7"),
        Kind::Scalar(text) => format!("{text} {name}"),
        Kind::Vector => format!("V {name}"),
        Kind::Array(inside) => declared(inside, &format!("{name}[2]")),
        Kind::Struct("", fields) => format!("struct {{ {}}} {name}", body(fields)),
        Kind::Struct(tag, _) => format!("{tag} {name}"),
        Kind::Union(fields) => format!("union {{ {}}} {name}", body(fields)),
    }
}

fn body(fields: &[(String, Kind)]) -> String {
    fields.iter().map(|(name, kind)| format!("{}; ", declared(kind, name))).collect()
}

fn fields(random: &mut Random, prefix: &str, inner: &[Kind]) -> Vec<(String, Kind)> {
    let scalars = ["int", "short", "char", "long long", "volatile int", "const unsigned", "bits"];
    let count = 1 + random.below(4);
    let mut field = |index| {
        let chosen = random.below(scalars.len() as u64 + inner.len() as u64) as usize;
        let kind = match scalars.get(chosen) {
            Some(text) => Kind::Scalar(text),
            None => inner[chosen - scalars.len()].clone(),
        };
        let is_bits = matches!(kind, Kind::Scalar("bits"));
        let in_array = !is_bits && random.one_in(4);
        (format!("{prefix}{index}"), if in_array { Kind::Array(Box::new(kind)) } else { kind })
    };
    (0..count).map(&mut field).collect()
}

fn initialiser(random: &mut Random, kind: &Kind) -> String {
    let comma = |random: &mut Random| if random.one_in(4) { "," } else { "" };
    match kind {
        Kind::Scalar(_) => (1 + random.below(100)).to_string(),
        Kind::Vector => "{ 7, 8 }".to_owned(),
        Kind::Array(inside) => {
            let first = initialiser(random, inside);
            let second = initialiser(random, inside);
            let list = match random.below(3) {
                0 => first,
                1 => format!("{first}, {second}"),
                _ => format!("[1] = {second}"),
            };
            format!("{{ {list}{} }}", comma(random))
        }
        Kind::Union(fields) => {
            let (name, kind) = &fields[random.below(fields.len() as u64) as usize];
            match random.one_in(2) {
                true => format!("{{ .{name} = {} }}", initialiser(random, kind)),
                false => format!("{{ {} }}", initialiser(random, &fields[0].1)),
            }
        }
        Kind::Struct(_, fields) => {
            let mut elements = Vec::new();
            let (designates, given) = (random.below(4), 1 + random.below(fields.len() as u64));
            for (name, kind) in &fields[..given as usize] {
                let value = initialiser(random, kind);
                // The braces of an inner structure may be left out.
                let bare =
                    matches!(kind, Kind::Struct(..)) && random.one_in(6) && !value.contains('.');
                let value = if bare { value.replace(['{', '}'], " ") } else { value };
                let named = designates == 0 || (designates == 1 && random.one_in(2));
                elements.push(if named { format!(".{name} = {value}") } else { value });
            }
            if designates == 0 && random.one_in(2) {
                elements.reverse();
            }
            format!("{{ {}{} }}", elements.join(", "), comma(random))
        }
    }
}

/// All values in something, as expressions.
fn leaves(path: &str, kind: &Kind, into: &mut Vec<String>) {
    match kind {
        Kind::Scalar(_) => into.push(path.to_owned()),
        Kind::Vector => into.push(format!("{path}[1]")),
        Kind::Array(inside) => {
            leaves(&format!("{path}[0]"), inside, into);
            leaves(&format!("{path}[1]"), inside, into);
        }
        Kind::Struct(_, fields) | Kind::Union(fields) => {
            for (name, kind) in fields {
                leaves(&format!("{path}.{name}"), kind, into);
            }
        }
    }
}

fn program(seed: u64) -> String {
    let random = &mut Random(seed);
    let union = Kind::Union(fields(random, "u", &[]));
    let untagged = Kind::Struct("", fields(random, "n", &[]));
    let inner = Kind::Struct("struct A", fields(random, "a", &[Kind::Vector]));
    let outer = fields(random, "b", &[inner.clone(), inner.clone(), union, untagged]);
    let outer = Kind::Struct("B", outer);
    let (Kind::Struct(_, a), Kind::Struct(_, b)) = (&inner, &outer) else { unreachable!() };
    let mut text = format!(
        "int printf(const char *, ...);\ntypedef int V __attribute__((vector_size(8)));\n\
         struct A;\nstruct A *p;\nstruct A {{ {}}};\ntypedef struct {{ {}}} B;\n",
        body(a),
        body(b)
    );
    let pair = Kind::Array(Box::new(outer.clone()));
    text += &format!("{} = {};\n", declared(&outer, "x"), initialiser(random, &outer));
    text += &format!("static {} = {};\n", declared(&pair, "y"), initialiser(random, &pair));
    text += &format!("{};\nint main(void) {{\n", declared(&inner, "w"));
    text += &format!("{} = (B) {};\n", declared(&outer, "z"), initialiser(random, &outer));
    let mut paths = Vec::new();
    for (name, kind) in [("x", &outer), ("y", &pair), ("w", &inner), ("z", &outer)] {
        leaves(name, kind, &mut paths);
    }
    // Not all members are accessed.
    for path in paths.iter().filter(|_| !random.one_in(3)) {
        text += &format!("printf(\"{path} %lld\\n\", (long long)({path}));\n");
    }
    text + "return 0; }\n"
}

/// The output of a program, by label; or the reason why it has none.
fn printed(folder: &Path, source: &str) -> Result<BTreeMap<String, String>, String> {
    std::fs::write(folder.join("a.c"), source).unwrap();
    let options = ["-std=c99", "-pedantic-errors", "-Werror=excess-initializers", "-w", "-o", "a"];
    let clang = ["clang", "clang-19", "clang-16", "clang-14"];
    let compile =
        |name: &&str| Command::new(name).args(options).arg("a.c").current_dir(folder).output();
    let done = clang.iter().find_map(|name| compile(name).ok()).expect("clang is needed");
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned());
    }
    let run = Command::new(folder.join("a")).output().unwrap();
    let text = String::from_utf8(run.stdout).unwrap();
    let line = |line: &str| line.split_once(' ').map(|(label, value)| (label.into(), value.into()));
    Ok(text.lines().filter_map(line).collect())
}

/// The labels of what is still accessed: where a member was removed, `0` is printed.
fn remaining(source: &str) -> Vec<String> {
    let line = |line: &str| {
        let (label, rest) = line.strip_prefix("printf(\"")?.split_once(' ')?;
        let value = rest.split_once("(long long)(")?.1.strip_suffix("));")?;
        (value.trim() != "0").then(|| label.to_owned())
    };
    source.lines().filter_map(line).collect()
}

fn check(seed: u64) {
    let source = program(seed);
    let folder = tempfile::tempdir().unwrap();
    // Braces left out in an odd place: no program to begin with.
    let Ok(before) = printed(folder.path(), &source) else { return };
    let rows = TABLE.iter().filter(|row| PASSES.contains(&row.pass.name));
    std::thread::scope(|scope| {
        for row in rows {
            scope.spawn(|| check_pass(row.pass, &source, &before, seed));
        }
    });
}

fn check_pass(pass: &Pass, source: &str, before: &BTreeMap<String, String>, seed: u64) {
    let folder = tempfile::tempdir().unwrap();
    let case = TestCase::single("a.c", source.as_bytes()).unwrap();
    let mut tried = HashSet::new();
    for patch in patches(pass, &case) {
        let variant = case.apply(&patch);
        let text = String::from_utf8(variant.files()[0].bytes.to_vec()).unwrap();
        if !tried.insert(text.clone()) {
            continue;
        }
        let name = pass.name;
        let after = printed(folder.path(), &text)
            .unwrap_or_else(|error| panic!("{name} on seed {seed}: {error}\n{source}\n{text}"));
        for label in remaining(&text) {
            assert_eq!(after[&label], before[&label], "{label}, {name}: {source}\n{text}");
        }
    }
}

/// A few proposals alone, and all together that do not overlap.
fn patches(pass: &Pass, case: &TestCase) -> Vec<Patch> {
    let proposals = Proposals::of(pass, &Snapshot::new(case.clone(), Language::C)).list;
    let mut all = Patch::default();
    for proposal in &proposals {
        all = all.union(&proposal.patch).unwrap_or(all);
    }
    let each = proposals.iter().step_by(proposals.len() / 4 + 1);
    let mut patches: Vec<Patch> = each.map(|proposal| proposal.patch.clone()).collect();
    patches.push(all);
    patches
}

/// Few by default, since each compiles a dozen programs; `PROPTEST_CASES` asks for more.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    #[cfg_attr(windows, ignore = "needs clang")]
    fn remaining_members_keep_their_values(seed in any::<u64>()) {
        check(seed);
    }
}

#[test]
#[cfg_attr(windows, ignore = "needs clang")]
fn the_programs_are_programs() {
    let folder = tempfile::tempdir().unwrap();
    let good = (0..10).filter(|&seed| printed(folder.path(), &program(seed)).is_ok()).count();
    assert!(good >= 7, "only {good} of 10 compile");
}
