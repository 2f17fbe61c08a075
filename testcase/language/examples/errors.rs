//! Counts what the parser does not understand of programs: error nodes, and the bytes in them.
//!
//! ```sh
//! cargo run -p clreduce-language --example errors -- programs/*.ii
//! ```

use clreduce_language::SyntaxTree;
use clreduce_testcase::TestCase;

fn main() {
    println!("| file | language | bytes | nodes | errors | bytes in errors |");
    println!("|---|---|---:|---:|---:|---:|");
    let shows = std::env::var_os("SHOW").is_some();
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let case = TestCase::single(&path, bytes.as_slice());
        let case = case.or_else(|_| TestCase::single("input.ii", bytes.as_slice()));
        let language = case.expect("a plain path").language();
        let tree = SyntaxTree::parse(&bytes, language);
        let (mut errors, mut lost) = (0, 0);
        for id in tree.ids().filter(|&id| tree.node(id).error) {
            errors += 1;
            let is_outermost = !tree.ancestors(id).any(|around| tree.node(around).error);
            if is_outermost {
                lost += tree.range(id).len();
                if shows {
                    let text = String::from_utf8_lossy(&bytes[tree.range(id)]).into_owned();
                    let text: Vec<&str> = text.split_whitespace().collect();
                    eprintln!("{:?}: {:.200}", tree.range(id), text.join(" "));
                }
            }
        }
        let size = bytes.len();
        println!("| {path} | {language} | {size} | {} | {errors} | {lost} |", tree.len());
    }
}
