//! A pass is three files: its own, `passes/src/lib.rs` with its module and row, and its fixture. Where one
//! of them is forgotten, these tests say which file to open and which line to write.

use std::fs;
use std::path::{Path, PathBuf};

use clreduce_passes::TABLE;

/// The file that declares and lists passes.
const LIST: &str = "passes/src/lib.rs";

#[test]
fn every_pass_has_its_three_files() {
    let missing = Inventory::of_crate().missing();
    assert!(missing.is_empty(), "{}", missing.join("\n\n"));
}

#[test]
fn a_forgotten_row_is_named() {
    let mut inventory = Inventory::of_crate();
    inventory.rows.retain(|name| *name != "unwrap");
    let line = "    row(&syntax::unwrap::PASS, Phase::Fine, GROUPS),";
    expect(&inventory, &[LIST, "TABLE", line]);
}

#[test]
fn a_forgotten_module_is_named() {
    let mut inventory = Inventory::of_crate();
    inventory.list = inventory.list.replace("    pub(crate) mod unwrap;\n", "");
    inventory.rows.retain(|name| *name != "unwrap");
    expect(
        &inventory,
        &[LIST, "`mod syntax`", "    pub(crate) mod unwrap;", "    row(&syntax::unwrap"],
    );
}

#[test]
fn a_forgotten_fixture_is_named() {
    let mut inventory = Inventory::of_crate();
    inventory.fixtures.retain(|file| file != "atomics.cl");
    expect(&inventory, &["passes/fixtures/atomics.cl", "atomic_", "passes/src/gpu/atomics.rs"]);
}

#[test]
fn a_forgotten_pass_is_named() {
    let mut inventory = Inventory::of_crate();
    inventory.files.retain(|file| file.name != "unwrap");
    inventory.rows.retain(|name| *name != "unwrap");
    let line = "Pass::new(\"unwrap\", ";
    expect(&inventory, &["passes/fixtures/unwrap.c", "passes/src/syntax/unwrap.rs", line]);
}

/// Checks that exactly one thing is missing, and that the message says all of this.
fn expect(inventory: &Inventory, parts: &[&str]) {
    let missing = inventory.missing();
    let [message] = &missing[..] else { panic!("not one message: {missing:#?}") };
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in: {message}");
    }
}

/// Everything that the crate has of passes.
struct Inventory {
    /// The files that implement a pass.
    files: Vec<PassFile>,
    /// The text of the file that declares and lists passes.
    list: String,
    /// The names of the passes in the table.
    rows: Vec<&'static str>,
    /// The files or folders of fixtures.
    fixtures: Vec<String>,
}

/// A file that implements a pass.
struct PassFile {
    folder: String,
    module: String,
    /// The name of the pass.
    name: String,
    /// The program in the header, with the ending of a file in its language.
    example: (String, String),
}

impl PassFile {
    fn path(&self) -> String {
        format!("passes/src/{}/{}.rs", self.folder, self.module)
    }
}

impl Inventory {
    fn of_crate() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut files = Vec::new();
        for folder in entries(&root.join("src")).iter().filter(|path| path.is_dir()) {
            for path in &entries(folder) {
                let stem = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
                // A long pass is a folder.
                let file = if path.is_dir() { path.join("mod.rs") } else { path.clone() };
                let text = fs::read_to_string(file).unwrap();
                files.extend(pass_file(&text, stem(folder), stem(path)));
            }
        }
        let fixtures = entries(&root.join("fixtures"));
        Self {
            files,
            list: fs::read_to_string(root.join("src/lib.rs")).unwrap(),
            rows: TABLE.iter().map(|row| row.pass.name).collect(),
            fixtures: fixtures
                .iter()
                .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
                .collect(),
        }
    }

    /// The missing parts: for each pass one message with the file and the lines to write.
    fn missing(&self) -> Vec<String> {
        let mut missing = Vec::new();
        for file in &self.files {
            let PassFile { folder, module, name, .. } = file;
            let mut lines = Vec::new();
            if !self.declares(folder, module) {
                lines.push(format!("in `mod {folder}`:\n    pub(crate) mod {module};"));
            }
            if !self.rows.contains(&&**name) {
                let row = format!("row(&{folder}::{module}::PASS, Phase::Fine, GROUPS),");
                lines.push(format!(
                    "in `TABLE`, with the phase and policy that suit it:\n    {row}"
                ));
            }
            if !lines.is_empty() {
                let (path, lines) = (file.path(), lines.join("\n"));
                missing.push(format!(
                    "{path}: no row runs the pass {name}. Write into {LIST}\n{lines}"
                ));
            }
            if !self.fixtures.iter().any(|fixture| stem(fixture) == name) {
                let (program, ending) = &file.example;
                missing.push(format!(
                    "passes/fixtures/{name}.{ending} is missing: a program that the pass {name} makes \
                     smaller. Write one, for instance the example of {}:\n{program}",
                    file.path(),
                ));
            }
        }
        let is_pass = |name: &str| self.files.iter().any(|file| file.name == name);
        for fixture in self.fixtures.iter().filter(|fixture| !is_pass(stem(fixture))) {
            let name = stem(fixture);
            let module = name.replace('-', "_");
            missing.push(format!(
                "passes/fixtures/{fixture} is the fixture of no pass. Delete it, or write the pass, for \
                 instance into passes/src/syntax/{module}.rs, with\n        \
                 Pass::new(\"{name}\", \"What it does\", PARSED, propose)"
            ));
        }
        missing
    }

    fn declares(&self, folder: &str, module: &str) -> bool {
        let block = self.list.split_once(&format!("mod {folder} {{\n"));
        let block =
            block.and_then(|(_, rest)| rest.split_once("\n}")).map_or("", |(block, _)| block);
        block.lines().any(|line| line.ends_with(&format!("mod {module};")))
    }
}

/// The pass that a file implements, if it does.
fn pass_file(text: &str, folder: String, module: String) -> Option<PassFile> {
    let (_, rest) = text.split_once("Pass::new(")?;
    let name = rest.split('"').nth(1)?;
    let header = text.lines().map_while(|line| line.strip_prefix("//!"));
    let mut example = header.skip_while(|line| line.trim() != "before:").skip(1);
    let ending = example.next().map_or("c", |fence| fence.trim().trim_start_matches('`'));
    let program: Vec<&str> = example
        .take_while(|line| !line.contains("```"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    Some(PassFile {
        name: name.to_owned(),
        example: (program.join("\n"), ending.to_owned()),
        folder,
        module,
    })
}

/// The name of a fixture: that of its file without the ending.
fn stem(fixture: &str) -> &str {
    fixture.split_once('.').map_or(fixture, |(stem, _)| stem)
}

/// The entries of a folder, in order.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}
