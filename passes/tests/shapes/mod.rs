//! Families of programs that are very deep or very wide, on which the work of passes is measured.

mod languages;

use clreduce_testcase::Language;

/// A family of programs, one for each number of parts.
pub struct Shape {
    pub name: &'static str,
    pub language: Language,
    /// The program with so many parts.
    pub program: Box<dyn Fn(usize) -> String + Sync>,
}

/// A nest: `open` and `close` as often as there are parts, around `middle`, in a function.
fn nest(
    name: &'static str,
    open: &'static str,
    middle: &'static str,
    close: &'static str,
) -> Shape {
    shape(name, Language::C, move |parts| {
        let (open, close) = (open.repeat(parts), close.repeat(parts));
        format!("int a, b, f(int); void g(void) {{ int c; {open}{middle}{close} }}")
    })
}

/// As many copies of `part` as there are parts, with `@` replaced by the number of each.
fn wide(
    name: &'static str,
    before: &'static str,
    part: &'static str,
    after: &'static str,
) -> Shape {
    wide_in(Language::C, name, before, part, after)
}

fn wide_in(
    language: Language,
    name: &'static str,
    before: &'static str,
    part: &'static str,
    after: &'static str,
) -> Shape {
    shape(name, language, move |parts| {
        let copies = copies(part, parts);
        format!("{before}{copies}{after}")
    })
}

fn copies(part: &str, parts: usize) -> String {
    (0..parts).map(|index| part.replace('@', &index.to_string())).collect()
}

fn shape(
    name: &'static str,
    language: Language,
    program: impl Fn(usize) -> String + Sync + 'static,
) -> Shape {
    Shape { name, language, program: Box::new(program) }
}

/// Programs that are `first` of all parts, then `second` of all parts.
fn two(language: Language, name: &'static str, texts: [&'static str; 5]) -> Shape {
    shape(name, language, move |parts| {
        let [before, first, between, second, after] = texts;
        format!("{before}{}{between}{}{after}", copies(first, parts), copies(second, parts))
    })
}

/// Programs that are very deep.
pub fn nests() -> Vec<Shape> {
    languages::nests().into_iter().chain(nests_of_the_c_family()).collect()
}

fn nests_of_the_c_family() -> Vec<Shape> {
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

/// Programs that are very wide.
pub fn wide_shapes() -> Vec<Shape> {
    languages::wide().into_iter().chain(wide_shapes_of_the_c_family()).collect()
}

fn wide_shapes_of_the_c_family() -> Vec<Shape> {
    const C: Language = Language::C;
    const CPP: Language = Language::CPP;
    const CUDA: Language = Language::CUDA;
    const OPENCL: Language = Language::OPENCL;
    vec![
        wide_in(
            CPP,
            "classes",
            "",
            "namespace n { struct A@ { A@(); int f() { return g@(); } int a; }; int g@(); } ",
            "int main() { n::A0 a; }",
        ),
        wide_in(
            CPP,
            "members",
            "struct A { ",
            "int f@() { return f@() + a; } ",
            "int a; }; int main() { A a; a.f1(); }",
        ),
        wide_in(
            CPP,
            "overloads and specialisations",
            "template <int I> struct A { };",
            "template <> struct A<@> { }; int f(A<@> a) { return f(a); } ",
            "int main() { f(A<1>()); }",
        ),
        wide_in(
            CPP,
            "members defined outside",
            "struct A { int f(); }; ",
            "template <> int A::f<@>() { return f(); } ",
            "int main() { }",
        ),
        wide_in(
            CPP,
            "using directives",
            "",
            "namespace n@ { int x@; } using namespace n@; ",
            "int main() { return x1; }",
        ),
        wide_in(
            CPP,
            "uses of a class",
            "namespace n { class A { public: A(int); int f(); }; } int n::A::f() { return 1; } ",
            "n::A f@(const n::A &a) { return n::A(@); } ",
            "",
        ),
        wide_in(CPP, "enumerations in C++", "", "enum class E@ : int { a@ }; E@ e@ = E@::a@; ", ""),
        wide_in(
            CPP,
            "constraints",
            "template <class T> concept C = requires(T t) { ",
            "{ t.f@() } noexcept -> D<int>; typename T::t@; requires D<T>; ",
            "};",
        ),
        wide_in(
            CPP,
            "constrained functions",
            "template <class T> concept C = true; ",
            "template <C T> requires C<T> auto f@(T t, C auto u) -> int { return @; } ",
            "",
        ),
        wide_in(
            CPP,
            "lambda expressions in a function",
            "void f() { ",
            "auto l@ = [&a, b = @](int c) mutable -> int { return c; }; [] { g(@); }(); ",
            "}",
        ),
        wide_in(CPP, "captures", "void f() { [a", ", &b@", "] { g(); }(); }"),
        wide_in(
            CPP,
            "initialisers of a constructor",
            "struct A { A() : a(0)",
            ", a@(@)",
            " { } };",
        ),
        wide_in(
            CPP,
            "overridden functions",
            "class A { public: ",
            "virtual int f@(const int &a) const noexcept = 0; private: ",
            "};",
        ),
        wide_in(
            CPP,
            "loops over ranges",
            "void f() { ",
            "for (auto &[a, b] : v@) { if (int c = a; c) break; } try { g(a.f(std::move(b))); } catch (int) { } catch (...) { } ",
            "}",
        ),
        wide("statements", "int a, b; void f(void) { ", "a = b + @; ", "}"),
        wide("sum of calls", "int f(int x) { return x; } int g(void) { return 0", " + f(@)", "; }"),
        two(
            C,
            "sums of calls of many functions",
            ["", "int f@(int x) { return x * x; } ", "int g(void) { return 0", " + f@(@)", "; }"],
        ),
        wide("sum of variables", "int a; int g(void) { return 0", " + a", "; }"),
        two(
            C,
            "many globals, one sum",
            ["int a", ", a@", "; int g(void) { return 0", " + a@", "; }"],
        ),
        wide("parameters", "void f(int z", ", int a@", ") { }"),
        two(
            C,
            "parameters and arguments",
            ["void f(int z", ", int a@", ") { } void g(void) { f(1", ", @", "); }"],
        ),
        two(C, "parameters and uses", ["int f(int z", ", int a@", ") { return 0", " + a@", "; }"]),
        two(
            C,
            "parameters and calls",
            ["void f(int z", ", int a@", ") { } void g(void) { ", "f(@); ", "}"],
        ),
        two(
            C,
            "parameters and symbols",
            ["", "int v@; ", "void f(int z", ", int a@", ") { } void g(void) { f(1); }"],
        ),
        two(
            C,
            "parameters and prototypes",
            ["void f(int z", ", long a@", "); void f(int z", ", long a@", ") { }"],
        ),
        wide("prototypes", "void f(int x) { } ", "void f(int x); ", ""),
        wide("declarations without definition", "", "int f@(int a, int b); ", ""),
        wide("functions", "", "int f@(int a) { return a + @; } ", ""),
        two(
            C,
            "functions that are called",
            ["", "int f@(int a) { return a; } ", "void g(void) { ", "f@(@); ", "}"],
        ),
        wide(
            "functions in a chain",
            "int f(int x) { return x; } ",
            "int f@(int x) { return f(x); } ",
            "",
        ),
        wide("calls", "int f(int a) { return a; } void g(void) { ", "f(@); ", "}"),
        wide(
            "calls in values",
            "int f(int a) { return a; } void g(void) { int x; ",
            "x = f(@); ",
            "}",
        ),
        two(
            C,
            "body of a function that is called",
            ["void f(int p) { int a; ", "a = p; ", "} void g(void) { f(1); ", "", "}"],
        ),
        wide("calls of what nobody declares", "void g(void) { ", "h(@, 1); ", "}"),
        wide("globals", "", "int a@ = @; ", ""),
        wide("globals in one declaration", "int a", ", a@ = @", ";"),
        wide("locals", "void f(void) { ", "int a@ = @; ", "}"),
        two(C, "locals and uses", ["void f(void) { ", "int a@ = @; ", "", "a@ = a@ + 1; ", "}"]),
        wide("locals in one declaration", "void f(void) { int a", ", a@ = @", "; }"),
        wide("locals of blocks", "void f(void) { ", "{ int a = @; a++; } ", "}"),
        wide("assignments of one variable", "void f(void) { int a; ", "a = @; ", "}"),
        wide("reads of one variable", "int g; void f(void) { int a = 1; ", "g = a; ", "}"),
        wide("cases", "int f(int a) { switch (a) { ", "case @: a++; ", "} return a; }"),
        wide(
            "cases with breaks",
            "int f(int a) { switch (a) { ",
            "case @: a++; break; ",
            "} return a; }",
        ),
        wide("loops", "void f(int a) { ", "for (int i = 0; i < @; i++) a++; ", "}"),
        wide("jumps in a loop", "void f(int a) { while (a) { ", "if (a == @) break; ", "} }"),
        wide("jumps to one label", "void f(int a) { ", "if (a) goto l; ", "l: ; }"),
        two(C, "jumps and labels", ["void f(int a) { ", "if (a) goto l@; ", "", "l@: a++; ", "}"]),
        wide("returns", "int f(int a) { ", "if (a) return @; ", "return 0; }"),
        wide("branches", "void f(int a) { ", "if (a) a++; else a--; ", "}"),
        wide("members of a structure", "struct S { ", "int a@; ", "} s;"),
        two(C, "members and initialisers", ["struct S { ", "int a@; ", "} s = { 0", ", @", " };"]),
        two(
            C,
            "members and designators",
            ["struct S { ", "int a@; ", "} s = { ", ".a@ = @, ", " };"],
        ),
        two(
            C,
            "members and accesses",
            ["struct S { ", "int a@; ", "}; void f(struct S *s) { ", "s->a@ = @; ", "}"],
        ),
        wide(
            "accesses of one member",
            "struct S { int a, b; }; void f(struct S *s) { ",
            "s->a = @; ",
            "}",
        ),
        wide("structures", "", "struct S@ { int a, b; } s@; ", ""),
        two(
            C,
            "structures and accesses",
            ["", "struct S@ { int a, b; } s@; ", "void f(void) { ", "s@.a = s@.b; ", "}"],
        ),
        wide(
            "objects of one structure",
            "struct S { int a, b; }; ",
            "struct S s@ = { 1, 2 }; ",
            "",
        ),
        wide("array of structures", "struct S { int a, b; } s[] = { ", "{ @, 1 }, ", "};"),
        two(
            C,
            "nested structures",
            [
                "struct I { int x, y; }; struct S { ",
                "struct I a@; ",
                "}; void f(struct S *s) { ",
                "s->a@.x = @; ",
                "}",
            ],
        ),
        wide("initialisers", "int a[] = { ", "@, ", "};"),
        wide("designated initialisers", "int a[] = { ", "[@] = @, ", "};"),
        wide("accesses of an array", "int a[9]; void f(void) { ", "a[@] = a[1]; ", "}"),
        wide("array variables", "void f(void) { ", "int a@[2][3]; a@[1][1] = 1; ", "}"),
        wide("pointer variables", "void f(int x) { ", "int *p@ = &x; *p@ = 1; ", "}"),
        wide("enumerators", "enum E { ", "a@, ", "};"),
        two(
            C,
            "enumerators and uses",
            ["enum E { ", "a@ = @, ", "}; void f(int x) { ", "x = a@; ", "}"],
        ),
        wide("enumerations", "", "enum E@ { a@ } e@; ", ""),
        wide("type names", "typedef int T; ", "typedef T T@; ", ""),
        two(C, "type names and uses", ["", "typedef unsigned long T@; ", "", "T@ a@; ", ""]),
        wide("uses of one type name", "typedef unsigned long T; ", "T a@; ", ""),
        wide("types in a chain", "typedef int T; typedef T ", "T0; typedef T0 ", "T9;"),
        wide("casts of many values", "void f(long a) { ", "a = (int)a; ", "}"),
        wide("macros", "", "#define M@ @\n", "int a;"),
        two(C, "macros and uses", ["", "#define M@ @\n", "void f(int a) {\n", "a = M@;\n", "}\n"]),
        wide("uses of one macro", "#define M(x) x + 1\nvoid f(int a) {\n", "a = M(@);\n", "}\n"),
        wide("conditionals", "", "#if A@\nint a@;\n#else\nint b@;\n#endif\n", ""),
        wide("includes", "", "#include <x@.h>\n", "int a;"),
        wide("line markers", "", "# @ \"x.h\"\nint a@;\n", ""),
        wide("comments", "", "/* @ */ int a@; // @\n", ""),
        wide("strings", "char *a = ", "\"b@\" ", ";"),
        wide("literals", "long a[] = { ", "0x@fUL, ", "};"),
        wide("attributes", "int a ", "__attribute__((aligned(@))) ", ";"),
        wide("specifiers", "", "static const volatile unsigned long int a@; ", ""),
        wide("function pointers", "", "void (*f@)(int a, int b); ", ""),
        wide("broken lines", "void f( {\n", "int a@ = (@;\n", "}\n"),
        wide("unbalanced brackets", "", "( [ ", ""),
        wide("old-style parameters", "int f(a) ", "int a@; ", "{ }"),
        wide("compound assignments", "void f(int a) { ", "a = a + @; ", "}"),
        wide("inline assembly", "void f(int a) { ", "asm(\"nop\" : \"=r\"(a)); ", "}"),
        wide_in(
            OPENCL,
            "vector variables",
            "void f(void) { ",
            "int4 v@ = (int4)(@); v@.x = 1; ",
            "}",
        ),
        wide_in(OPENCL, "one vector", "void f(int4 v) { ", "v = v + (int4)(1, 2, 3, @); ", "}"),
        wide_in(
            OPENCL,
            "vectors that flow",
            "void f(int4 v) { int4 a = v; ",
            "int4 a@ = a; a@.xy = v.zw; ",
            "}",
        ),
        wide_in(
            OPENCL,
            "vector literals",
            "void f(int4 v) { v = v",
            " + (int4)(1, 2, 3, @)",
            "; }",
        ),
        wide_in(OPENCL, "components", "void f(int4 v) { v", ".xyzw", "; }"),
        wide_in(
            OPENCL,
            "vectors in calls",
            "int4 g(int4 x) { return x; } void f(int4 v) { ",
            "v = g(v); ",
            "}",
        ),
        wide_in(
            OPENCL,
            "built-ins",
            "void f(int4 v) { ",
            "v = clamp(v, 1, @) + convert_int4(v); ",
            "}",
        ),
        wide_in(
            OPENCL,
            "work-items",
            "// -g 4,1,1 -l 2,1,1\n__kernel void entry(__global int *r) { ",
            "r[get_global_id(0)] = get_local_id(1) + @; ",
            "}",
        ),
        wide_in(
            OPENCL,
            "barriers",
            "// -g 4,1,1 -l 2,1,1\n__kernel void entry(__local int *l) { ",
            "l[@] = 1; barrier(CLK_LOCAL_MEM_FENCE); ",
            "}",
        ),
        wide_in(
            OPENCL,
            "atomics",
            "__kernel void entry(__global int *l) { ",
            "atomic_add(&l[@], 1); ",
            "}",
        ),
        wide_in(
            OPENCL,
            "stores of results",
            "__kernel void entry(__global ulong *result, int a) { ",
            "result[@] = a; ",
            "}",
        ),
        wide_in(OPENCL, "kernels", "", "__kernel void entry@(__global int *r) { r[0] = @; } ", ""),
        two(
            OPENCL,
            "arguments of a kernel",
            [
                "// -g 1 -l 1",
                " --arg @",
                "\n__kernel void entry(__global int *r",
                ", __global int *a@",
                ") { r[0] = 1; }",
            ],
        ),
        wide_in(
            OPENCL,
            "address spaces",
            "",
            "__kernel void k@(__global int *a, __local int *b) { __private int c; c = *b; } ",
            "",
        ),
        wide_in(
            OPENCL,
            "constants",
            "",
            "__constant int a@[] = { @, 2 }; ",
            "int f(void) { return a1[0]; }",
        ),
        wide_in(
            OPENCL,
            "images",
            "__kernel void k(",
            "read_only image2d_t i@, ",
            "sampler_t s) { }",
        ),
        wide_in(
            OPENCL,
            "reads of images",
            "__kernel void k(read_only image2d_t i, sampler_t s, __global float4 *r) { ",
            "r[@] = read_imagef(i, s, (int2)(@, 1)); ",
            "}",
        ),
        wide_in(
            OPENCL,
            "guarded blocks",
            "__kernel void entry(__global int *emi_input, __global int *r) { ",
            "if (emi_input[@] < emi_input[1]) { r[0] = @; } ",
            "}",
        ),
        wide_in(
            CUDA,
            "templates",
            "",
            "template <typename T> T f@(T a) { return a; } ",
            "int g() { return f1<int>(1); }",
        ),
        wide_in(
            CUDA,
            "calls of a template",
            "template <typename T> T f(T a) { return a; } void g() { ",
            "f<int>(@); ",
            "}",
        ),
        wide_in(
            CUDA,
            "attributes of functions",
            "struct A { static const int n = 1; }; ",
            "template <class T> __attribute__((global)) void __attribute__((launch_bounds(A::n))) k@(T *p) { k@<<<1, 1>>>(p); } ",
            "",
        ),
        wide_in(
            CUDA,
            "lambda expressions of a device",
            "void f(int *p) { ",
            "g([=] __host__ __device__ (int x) { return x + p[@]; }); ",
            "}",
        ),
        wide_in(
            CUDA,
            "launches",
            "__global__ void k(int *p) { } int main() { int *p; ",
            "k<<<dim3(@, 2), 32>>>(p); ",
            "}",
        ),
        wide_in(
            CUDA,
            "copies",
            "__global__ void k(int *p) { } int main() { int *p, h; ",
            "cudaMalloc(&p, @); cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost); cudaFree(p); ",
            "}",
        ),
        wide_in(
            CUDA,
            "device functions",
            "",
            "__device__ __forceinline__ int f@(int a) { __shared__ int s; __syncthreads(); return s + threadIdx.x; } ",
            "__global__ void k(int *p) { *p = f1(1); }",
        ),
    ]
}
