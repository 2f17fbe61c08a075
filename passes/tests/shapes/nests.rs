//! Programs of the C family that are very deep.

use clreduce_testcase::Language;

use super::{Shape, nest, shape, two, wide};

pub(super) fn nests() -> Vec<Shape> {
    const C: Language = Language::C;
    vec![
        shape("namespaces", Language::CPP, |parts| {
            format!(
                "{}int x;{} int main() {{ return x; }}",
                "namespace n { int f() { return g(); } ".repeat(parts),
                "}".repeat(parts)
            )
        }),
        shape("classes", Language::CPP, |parts| {
            format!(
                "{}int x;{} int main() {{ A a; }}",
                "struct A { int f() { return g(); } ".repeat(parts),
                "};".repeat(parts)
            )
        }),
        shape("template arguments", Language::CPP, |parts| {
            format!(
                "template <class T> struct A; void f({}int{} a) {{ g(a); }}",
                "A<".repeat(parts),
                " >".repeat(parts)
            )
        }),
        shape("qualified names", Language::CPP, |parts| {
            format!("struct A {{ int x; }}; int main() {{ return {}x; }}", "A::".repeat(parts))
        }),
        shape("lambda expressions", Language::CPP, |parts| {
            format!(
                "void f() {{ {}g();{} }}",
                "[&a, b](int c) { ".repeat(parts),
                "}(1);".repeat(parts)
            )
        }),
        shape("handlers", Language::CPP, |parts| {
            format!(
                "void f() {{ {}g();{} }}",
                "try { ".repeat(parts),
                "} catch (...) { }".repeat(parts)
            )
        }),
        shape("classes in arguments", Language::CPP, |parts| {
            format!(
                "template <class T> struct A {{ }}; {}int{} a;",
                "A<".repeat(parts),
                ">".repeat(parts)
            )
        }),
        shape("conjunctions", Language::CPP, |parts| {
            format!("template <class T> concept C = true{};", " && C<T>".repeat(parts))
        }),
        nest("parentheses", "(", "a", ");"),
        nest("balanced parentheses", "(", "a", ")"),
        nest("blocks", "{", "a;", "}"),
        nest("blocks with declarations", "{ int x; x = a; ", "a;", "}"),
        nest("blocks with own names", "{ int a = 1; ", "a;", "a; }"),
        nest("statement expressions", "({ int a = 1; a;", "a;", "; })"),
        nest("calls in arguments", "f(", "a", ")"),
        nest("unary minus", "- ", "a;", ""),
        nest("negations", "!", "a;", ""),
        nest("dereferences", "*", "a;", ""),
        nest("casts", "(int)", "a;", ""),
        nest("subscripts", "a[", "b", "]"),
        nest("ifs", "if (a) ", "b;", ""),
        nest("ifs with else", "if (a) { ", "b;", "} else c;"),
        nest("else-if chain", "if (a) b; else ", "c;", ""),
        nest("while loops", "while (a) { ", "b;", " }"),
        nest("while loops with breaks", "while (a) { if (b) break; ", "b;", " }"),
        nest("for loops", "for (int i = 0; i < a; i++) ", "b;", ""),
        nest("switches", "switch (a) { case 1: ", "b; break;", "}"),
        nest("labels", "l: ", "a;", ""),
        nest("conditional chain", "a ? b : ", "c;", ""),
        nest("conditional nest", "a ? ", "b", " : c"),
        nest("sum", "a + ", "b;", ""),
        nest("sum to the right", "a + (", "b", ")"),
        nest("comma chain", "a, ", "b;", ""),
        nest("assignments", "a = ", "b;", ""),
        nest("members", "", "a", ".x"),
        nest("conditionals", "\n#if a\n", "b;", "\n#endif\n"),
        wide("pointer levels", "int ", "*", "p; int f(void) { return 1; }"),
        wide("array dimensions", "int a", "[2]", "; int f(void) { return a[1][1] != 0; }"),
        two(
            Language::C,
            "structures in structures",
            ["", "struct S@ { int a; ", "int b;", " } m@;", " int f(void) { return 0; }"],
        ),
        two(C, "initialisers in initialisers", ["int a[] = ", "{ ", "1", " }", ";"]),
        two(
            Language::C,
            "address of dereference",
            ["int a; void f(void) { ", "*&", "a", "", "; }"],
        ),
    ]
}
