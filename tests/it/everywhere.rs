//! One large test case, with a test in the language of each system's shell: it ends the same everywhere, byte for
//! byte, and whatever the number of jobs.
//!
//! `BLESS=1 cargo test --test everywhere` records what it ends as, on any system; the others then have to agree.

use std::fs;
use std::path::Path;

use crate::support::{Bench, SCRIPT, SCRIPT_NAME};

/// The texts that a variant must have to be interesting. Some can only stay together with what is around them.
const WANTED: [&str; 7] = [
    "needle(",
    "return (a + b) / 0;",
    "int y[4] = {1, 2, 3, b};",
    "struct s3 {",
    "g3.m1 = x",
    "for (int i = 0; i < 5; i++)",
    "s += f40(s, ",
];

const BYTES: usize = 100_000;
const STRUCTURES: u64 = 8;

/// Numbers that look random and are the same everywhere.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % limit
    }
}

/// Functions that call earlier ones, with the needle in the middle. Lines end as Windows has them.
fn program() -> String {
    let mut dice = Dice(6);
    let mut text = String::new();
    for number in 0..STRUCTURES {
        let members: String =
            (0..3 + dice.below(6)).map(|member| format!("    int m{member};\n")).collect();
        text += &format!("struct s{number} {{\n{members}}};\n\nstruct s{number} g{number};\n\n");
    }
    let mut count = 0;
    while text.len() < BYTES {
        if count == 60 {
            text += "int needle(int a, int b) {\n    return (a + b) / 0;\n}\n\n";
        }
        text += &function(&mut dice, count);
        count += 1;
    }
    text += "int main(void) {\n    int s = 1;\n";
    for called in [40, count - 2, count - 1] {
        text += &format!("    s += f{called}(s, {});\n", dice.below(100));
    }
    text += "    s += needle(s, 3);\n    return s;\n}\n";
    text.replace('\n', "\r\n")
}

fn function(dice: &mut Dice, number: u64) -> String {
    let mut text =
        format!("int f{number}(int a, int b) {{\n    int x = a;\n    int y[4] = {{1, 2, 3, b}};\n");
    for _ in 0..3 + dice.below(9) {
        let operator = ["+", "-", "*", "^", "&", "|"][dice.below(6) as usize];
        let (kind, value) = (dice.below(5), 1 + dice.below(999));
        let member = format!("g{}.m{}", dice.below(STRUCTURES), dice.below(3));
        let (place, times) = (dice.below(4), 2 + dice.below(7));
        text += "    ";
        text += &match kind {
            0 => format!("x = x {operator} {value};"),
            1 => format!("{member} = x {operator} y[{place}];"),
            2 => format!("for (int i = 0; i < {times}; i++) {{ y[i & 3] += x {operator} i; }}"),
            3 if number > 0 => {
                let called = dice.below(number);
                format!("if ({member} > {value}) {{ x += f{called}(x, b {operator} 3); }}")
            }
            _ => format!("if (x < b) {{ x ^= {member}; }} else {{ x -= {value}; }}"),
        };
        text.push('\n');
    }
    text + "    return x + y[a & 3];\n}\n\n"
}

fn test() -> String {
    if cfg!(windows) {
        let find = |text| format!("find \"{text}\" bug.c >nul\r\nif errorlevel 1 exit /b 1\r\n");
        format!("@echo off\r\n{}", WANTED.map(find).concat())
    } else {
        let grep = |text| format!("grep -qF '{text}' bug.c || exit 1\n");
        format!("#!/bin/sh\n{}", WANTED.map(grep).concat())
    }
}

#[test]
fn a_large_case_ends_the_same_on_every_system() {
    let runs = ["1", "2"].map(|jobs| {
        let bench = Bench::new();
        bench.write("bug.c", program());
        bench.script(SCRIPT_NAME, &test());
        bench.reduce(&["bug.c", "--test", SCRIPT, "-j", jobs, "--events", "e.jsonl"]);
        bench.assert_nothing_left();
        (bench.read("bug.c"), bench.keys("e.jsonl"))
    });
    assert_eq!(runs[0], runs[1]);
    let (result, _) = &runs[0];
    assert!(WANTED.iter().all(|text| result.contains(text)), "{result}");
    assert!(result.len() < 1000, "{result}");

    let record = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/everywhere/reduced.c");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&record, result).unwrap();
    }
    let recorded = fs::read_to_string(record).unwrap();
    assert_eq!(*result, recorded, "it ends otherwise: BLESS=1 cargo test --test everywhere");
}
