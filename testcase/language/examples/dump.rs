//! dump
use clreduce_language::SyntaxTree;
use clreduce_testcase::Language;
fn main() {
    let bytes = std::fs::read(std::env::args().nth(1).unwrap()).unwrap();
    let tree = SyntaxTree::parse(&bytes, Language::Cpp);
    for id in tree.ids() {
        let n = tree.node(id);
        if !n.named { continue; }
        let t = String::from_utf8_lossy(&bytes[n.range()]).into_owned();
        println!("{}{}{} {:.60}", " ".repeat(n.depth as usize), n.field.map_or(String::new(), |f| format!("{}: ", f.name())), n.kind.name(), t.replace('\n', " "));
    }
}
