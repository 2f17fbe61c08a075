//! Programs in languages outside the C family.

use clreduce_testcase::Language;

use super::{Shape, shape, wide_in};

/// Programs that are very deep.
pub(super) fn nests() -> Vec<Shape> {
    vec![
        shape("lists in JSON", Language::JSON, |parts| {
            format!("{}1{}", "[2, ".repeat(parts), "]".repeat(parts))
        }),
        shape("operations in Python", Language::PYTHON, |parts| {
            format!("x = {}1{}\n", "(a + ".repeat(parts), ")".repeat(parts))
        }),
        shape("sums in JavaScript", Language::JAVASCRIPT, |parts| {
            format!("f(a{});\n", " + b".repeat(parts))
        }),
    ]
}

/// Programs that are very wide.
pub(super) fn wide() -> Vec<Shape> {
    vec![
        wide_in(
            Language::JSON,
            "members in JSON",
            "{",
            "\"a@\": [@, { \"b\": null }], ",
            "\"c\": 1 }",
        ),
        wide_in(
            Language::PYTHON,
            "functions in Python",
            "",
            "def f@(a, b=1):\n    if a > b:\n        return g@(a)\n\n",
            "f0(1)\n",
        ),
        wide_in(
            Language::RUST,
            "functions in Rust",
            "",
            "pub fn f@(a: u8) -> u8 { let b = a + @; if b > 1 { g@(b) } else { b } }\n",
            "",
        ),
        wide_in(
            Language::LLVM,
            "functions in LLVM IR",
            "source_filename = \"a\"\n@g = global i32 1\n",
            "define internal i32 @f@(i32 %0) {\n  %2 = alloca i32\n  store i32 %0, ptr %2\n  %3 = load i32, ptr %2\n  ret i32 %3\n}\n",
            "define i32 @main() {\n  %1 = call i32 @f0(i32 1)\n  ret i32 %1\n}\n",
        ),
        wide_in(
            Language::LLVM,
            "blocks in LLVM IR",
            "define i32 @f(i32 %a, i1 %c) {\nb:\n  %p = alloca i32\n  br label %b0\n",
            "b@:\n  %x@ = add nsw i32 %a, @, !dbg !1\n  store i32 %x@, ptr %p, align 4\n  br i1 %c, label %b@, label %end\n",
            "end:\n  %y = load i32, ptr %p\n  ret i32 %y\n}\n!1 = !{}\n",
        ),
        wide_in(
            Language::SPIRV,
            "lines with names",
            "",
            "%x@ = OpIAdd %int %a %x1\nOpStore %p %x@\n",
            "OpReturn\n",
        ),
    ]
}
