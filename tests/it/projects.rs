//! `clreduce init` on files of projects: commands of a build system, headers in several folders, and real compilers.

#![cfg(target_os = "linux")]

use crate::support::{Bench, assert_mentions, stderr, stdout};

/// g++ 12 dies of these together, if destructors may be `constexpr`.
const PART: &str = "\
#ifndef SHAPES_PART_HPP
#define SHAPES_PART_HPP
#include <cstddef>
#include \"../config.h\"
namespace shapes {
struct base {
    struct part {
        int a, b, c;
        constexpr part() : a(), b(), c() {}
    };
    struct checked : part {
        constexpr ~checked();
    };
    checked member;
    std::size_t size() const { return SIZE; }
};
}
#endif
";
const SHAPES: &str = "\
#pragma once
#include \"detail/part.hpp\"
#include <shapes/detail/part.hpp>
namespace shapes {
class derived : base {};
inline int twice(int x) { return UNUSED(x) * 2; }
}
";
const CONFIG: &str = "#pragma once\n#define SIZE 4\n#define UNUSED(x) ((x) + 1)\n";
const LOCAL: &str = "#pragma once\n#include <shapes/shapes.hpp>\nstruct other { other(); };\n";
const SOURCE: &str = "\
#include <shapes/shapes.hpp>
#include <cstdlib>
#include \"local.hpp\"
struct item {
    shapes::derived part{};
};
struct whole {
    item items[1]{};
    other last;
};
int used(int x) { return shapes::twice(std::abs(x)); }
void make() { whole{}; }
";

const MESSAGE: &str = "internal compiler error: in gimplify_var_or_parm_decl";

/// A project with its database, in which one file has two commands.
fn project() -> Bench {
    let bench = Bench::new();
    bench.write("p/include/shapes/detail/part.hpp", PART);
    bench.write("p/include/shapes/shapes.hpp", SHAPES);
    bench.write("p/include/shapes/config.h", CONFIG);
    bench.write("p/include/never.hpp", "#error never\n");
    bench.write("p/src/local.hpp", LOCAL);
    bench.write("p/src/bug.cpp", SOURCE);
    bench.write("p/src/two.cpp", "int two;\n");
    let root = bench.path("p");
    let flags = "-DNDEBUG -I../include -I. -O2 -g -std=c++20 -Wall -MD -MF x.d";
    let line = format!("ccache g++-12 {flags} -o bug.cpp.o -c ../src/bug.cpp");
    let two = |more: &str| {
        serde_json::json!({
            "directory": root.join("src"),
            "file": root.join("src/two.cpp"),
            "arguments": ["g++-12", more, "-c", "two.cpp"],
        })
    };
    let database = serde_json::json!([
        { "directory": root.join("build"), "file": "../src/bug.cpp", "command": line },
        two("-O1"),
        two("-O2"),
    ]);
    bench.write("p/build/compile_commands.json", database.to_string());
    bench
}

const DATABASE: &str = "p/build/compile_commands.json";

#[test]
fn a_file_of_a_project_becomes_one_file_with_line_markers() {
    let bench = project();
    let found = stdout(&bench.run(&["init", DATABASE, "p/src/bug.cpp"]).code(0));
    assert_mentions(&found, &["in gimplify_var_or_parm_decl", "clreduce bug.ii --test bug.toml"]);
    let recipe = bench.read("bug.toml");
    assert!(!recipe.contains("-I") && !recipe.contains("-MD"), "{recipe}");
    let program = bench.read("bug.ii");
    assert_mentions(&program, &["src/bug.cpp\"", "shapes/detail/part.hpp\" 1"]);
    // The source is known by its line markers: all that it does not need goes in the first step.
    let args =
        ["bug.ii", "--test", "bug.toml", "--passes", "cpp-unreachable", "--summary", "s.json"];
    bench.run(&args).code(0);
    let summary = bench.json("s.json");
    let left = summary["tokens"].as_f64().unwrap() / summary["original_tokens"].as_f64().unwrap();
    assert!(left < 0.2, "{summary}");
    assert!(bench.read("bug.ii").contains("make()"));
    bench.assert_nothing_left();
}

#[test]
fn includes_are_kept_on_request_and_the_headers_pasted() {
    let bench = project();
    let args = ["init", "--keep-includes", DATABASE, "p/src/bug.cpp"];
    let found = stdout(&bench.run(&args).code(0));
    let next = "clreduce bug --test bug.toml --reduce-flags";
    assert_mentions(&found, &["bug (5 files), bug.toml", next]);
    let recipe = bench.read("bug.toml");
    let build = "g++-12 -DNDEBUG -Iinclude -O2 -g -std=c++20 -Wall -o output -c src/bug.cpp";
    assert_mentions(&recipe, &[build, "accused = true"]);
    assert_eq!(bench.read("bug/include/shapes/detail/part.hpp"), PART);
    assert_mentions(&stderr(&bench.run(&args).code(1)), &["bug.toml", "already exists"]);

    let next: Vec<&str> = next.split(' ').skip(1).collect();
    let done = stdout(&bench.run(&next).code(0));
    assert_mentions(&done, &["flags:    -std=c++20 (1 of "]);
    let result = bench.read("bug/src/bug.cpp");
    assert!(result.len() < 400 && !result.contains('#'), "{result}");
    assert!(!bench.path("bug/include").exists() && !bench.path("bug/src/local.hpp").exists());
    let line = "g++-12 -std=c++20 -o output -c src/bug.cpp";
    assert_mentions(&bench.read("bug.report.md"), &[line, MESSAGE, "-Iinclude"]);
    assert_eq!(bench.read("p/src/bug.cpp"), SOURCE);
    bench.assert_nothing_left();
}

#[test]
fn what_preprocessing_hides_is_reduced_with_its_headers() {
    let bench = Bench::new();
    bench.write(
        "p/inc/table.h",
        "#pragma once\n#define ROWS 3\nstatic inline int rows(void) { return ROWS; }\n",
    );
    bench.write("p/src/x.c", "#include <stddef.h>\n#include \"table.h\"\n#define LIMIT ROWS\nsize_t unused;\nint f(void) { return rows(); }\n");
    let command = ["gcc", "-Ip/inc", "-O1", "-Wunused-macros", "-c", "p/src/x.c"];
    let message = "macro .LIMIT. is not used";
    let found = bench.run(&[&["init", "--message", message, "--"], &command[..]].concat()).code(0);
    assert_mentions(&stdout(&found), &["x (2 files), x.toml", "clreduce x --test x.toml"]);
    assert_mentions(&stderr(&found), &["the bug is gone when the program is preprocessed"]);
    assert_mentions(&bench.read("x.toml"), &["gcc -Iinc -O1", "-Werror=unused-macros src/x.c"]);
    bench.run(&["x", "--test", "x.toml"]).code(0);
    assert_eq!(bench.read("x/src/x.c").trim(), "#define LIMIT");
    assert!(!bench.path("x/inc").exists());
    bench.assert_nothing_left();
}

#[test]
fn commands_that_are_missing_or_several_are_listed() {
    let bench = project();
    let several = stderr(&bench.run(&["init", DATABASE, "p/src/two.cpp"]).code(2));
    assert_mentions(
        &several,
        &["several commands for `p/src/two.cpp`", "1: g++-12 -O1", "--entry 1"],
    );
    let one = bench.run(&["init", "--entry", "2", DATABASE, "p/src/two.cpp"]).code(1);
    assert_mentions(&stderr(&one), &["nothing is wrong with `g++-12 -O2"]);
    let missing = stderr(&bench.run(&["init", DATABASE, "src/two.cpp"]).code(2));
    assert_mentions(&missing, &["no command for `src/two.cpp`; it has these:", "p/src/two.cpp"]);
    let no_file = stderr(&bench.run(&["init", DATABASE]).code(2));
    assert_mentions(
        &no_file,
        &["name the file", "clreduce init p/build/compile_commands.json src"],
    );
    bench.write("c.json", format!("[{{\"directory\": \"{}\", \"file\": \"p/src/two.cpp\", \"command\": \"no-such-g++ -c p/src/two.cpp\"}}]", bench.path("").display()));
    let gone = stderr(&bench.run(&["init", "c.json", "p/src/two.cpp"]).code(1));
    assert_mentions(&gone, &["cannot run `no-such-g++", "exit code 127"]);
    assert!(!bench.names().iter().any(|name| name.ends_with(".toml") || name.ends_with(".ii")));
}
