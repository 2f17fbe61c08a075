//! Checks that the files of a crate do not import each other in circles. A module and the files below it may know each
//! other; siblings may not, neither directly nor through others or the files below them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::workspace::{packages, relative};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, UseTree};

/// Re-exports that lead on to each other are followed so far.
const MOST_RE_EXPORTS: u32 = 8;

/// A module by the names from the root of its crate.
type ModulePath = Vec<String>;

/// The files of one crate: what each module re-exports, and which names each mentions.
#[derive(Default)]
struct CrateFiles {
    file_of: BTreeMap<ModulePath, PathBuf>,
    /// By module and name: the path that a `use` gives it.
    renamed: BTreeMap<(ModulePath, String), Vec<String>>,
    mentioned: BTreeMap<ModulePath, BTreeSet<Vec<String>>>,
}

/// Collects the paths of one module; modules inside the file count with it.
struct PathCollector<'a> {
    files: &'a mut CrateFiles,
    module: ModulePath,
}

impl CrateFiles {
    /// Reads the file of a module and of all modules below it.
    fn read(&mut self, module: ModulePath, file: &Path, is_root: bool) {
        let text =
            fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let parsed =
            syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.file_of.insert(module.clone(), file.to_owned());
        let beside = file.parent().expect("a file lies in a folder");
        let below = if is_root || file.ends_with("mod.rs") {
            beside.to_owned()
        } else {
            file.with_extension("")
        };
        self.read_below(&module, &parsed.items, file, &below);
        let mut collector = PathCollector { files: self, module };
        collector.visit_file(&parsed);
    }

    /// Reads the modules that a module declares, or holds between braces. Their files lie in the folder `below`.
    fn read_below(&mut self, module: &[String], items: &[Item], file: &Path, below: &Path) {
        for item in items {
            let Item::Mod(ItemMod { content, ident, attrs, .. }) = item else { continue };
            if is_for_tests(attrs) {
                continue;
            }
            let (child, folder) =
                ([module, &[ident.to_string()]].concat(), below.join(ident.to_string()));
            if let Some((_, items)) = content {
                self.file_of.insert(child.clone(), file.to_owned());
                self.read_below(&child, items, file, &folder);
                continue;
            }
            let flat = below.join(format!("{ident}.rs"));
            let usual = if flat.exists() { flat } else { folder.join("mod.rs") };
            let given = path_attribute(attrs).map(|given| file.with_file_name(given));
            self.read(child, &given.unwrap_or(usual), false);
        }
    }

    /// The module that a path leads to, through at most so many re-exports.
    fn target(&self, from: &[String], path: &[String], re_exports: u32) -> Option<ModulePath> {
        let (mut at, mut rest) = match path.first()?.as_str() {
            "crate" => (Vec::new(), &path[1..]),
            "self" => (from.to_vec(), &path[1..]),
            "super" => (from[..from.len().checked_sub(1)?].to_vec(), &path[1..]),
            name if self.file_of.contains_key(&[from, &[name.to_owned()]].concat()) => {
                (from.to_vec(), path)
            }
            _ => return None,
        };
        while let Some(name) = rest.first() {
            let child: ModulePath = at.iter().chain([name]).cloned().collect();
            if name == "super" {
                at.pop()?;
            } else if self.file_of.contains_key(&child) {
                at = child;
            } else {
                let named = self.renamed.get(&(at.clone(), name.clone()));
                return match (named, re_exports.checked_sub(1)) {
                    (Some(named), Some(left)) if at != from => {
                        self.target(&at, named, left).or(Some(at))
                    }
                    _ => Some(at),
                };
            }
            rest = &rest[1..];
        }
        Some(at)
    }

    /// Which module imports which of its siblings. What the modules below them import counts as theirs.
    fn arrows(&self) -> BTreeSet<(ModulePath, ModulePath)> {
        let mut arrows = BTreeSet::new();
        for (from, paths) in &self.mentioned {
            for to in paths.iter().filter_map(|path| self.target(from, path, MOST_RE_EXPORTS)) {
                let same = from.iter().zip(&to).take_while(|(from, to)| from == to).count();
                if same < from.len().min(to.len()) {
                    arrows.insert((from[..=same].to_vec(), to[..=same].to_vec()));
                }
            }
        }
        arrows
    }

    /// The arrows that lie on circles, or lead from one circle to another, one line each.
    fn circles(&self) -> Vec<String> {
        let mut arrows = self.arrows();
        loop {
            let starts: BTreeSet<ModulePath> =
                arrows.iter().map(|(from, _)| from.clone()).collect();
            let ends: BTreeSet<ModulePath> = arrows.iter().map(|(_, to)| to.clone()).collect();
            let before = arrows.len();
            arrows.retain(|(from, to)| ends.contains(from) && starts.contains(to));
            if arrows.len() == before {
                break;
            }
        }
        let name = |module: &ModulePath| relative(&self.file_of[module]);
        arrows.iter().map(|(from, to)| format!("{} -> {}", name(from), name(to))).collect()
    }
}

impl<'ast> Visit<'ast> for PathCollector<'_> {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let mut found = Vec::new();
        flatten(&item.tree, &mut Vec::new(), &mut found);
        for (name, path) in found {
            self.files.renamed.insert((self.module.clone(), name), path.clone());
            self.files.mentioned.entry(self.module.clone()).or_default().insert(path);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.files.mentioned.entry(self.module.clone()).or_default().insert(names);
        visit::visit_path(self, path);
    }
}

/// The names that a `use` makes, each with its whole path.
fn flatten(tree: &UseTree, before: &mut Vec<String>, found: &mut Vec<(String, Vec<String>)>) {
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            flatten(&path.tree, before, found);
            before.pop();
        }
        UseTree::Name(name) if name.ident == "self" => {
            found.push((before.last().cloned().unwrap_or_default(), before.clone()));
        }
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            found.push((name.clone(), [&before[..], &[name]].concat()));
        }
        UseTree::Rename(name) => {
            found
                .push((name.rename.to_string(), [&before[..], &[name.ident.to_string()]].concat()));
        }
        UseTree::Glob(_) => found.push((String::from("*"), before.clone())),
        UseTree::Group(group) => group.items.iter().for_each(|tree| flatten(tree, before, found)),
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"))
    })
}

/// The file that `#[path = "..."]` names.
fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    let attribute = attributes.iter().find(|attribute| attribute.path().is_ident("path"))?;
    let syn::Meta::NameValue(syn::MetaNameValue { value: syn::Expr::Lit(literal), .. }) =
        &attribute.meta
    else {
        return None;
    };
    match &literal.lit {
        syn::Lit::Str(path) => Some(path.value()),
        _ => None,
    }
}

#[test]
#[cfg_attr(windows, ignore = "asks cargo about the sources: done on Linux")]
fn files_of_a_crate_do_not_import_each_other_in_circles() {
    let (mut wrong, mut read) = (Vec::new(), 0);
    for package in packages() {
        for target in package["targets"].as_array().expect("targets") {
            let kind = target["kind"][0].as_str().expect("a kind");
            if !matches!(kind, "lib" | "bin" | "cdylib" | "staticlib") {
                continue;
            }
            let root = Path::new(target["src_path"].as_str().expect("a path"));
            let mut files = CrateFiles::default();
            files.read(Vec::new(), root, true);
            read += files.file_of.len();
            wrong.extend(files.circles());
        }
    }
    assert!(read > 200, "only {read} files were read");
    assert!(
        wrong.is_empty(),
        "these files import each other in circles; move what both need into a file of its own:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn a_circle_of_siblings_is_seen_also_through_a_re_export() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("lib.rs", "mod a; mod b; mod c; pub use b::B; pub struct Root;");
    write("a.rs", "use crate::B; pub struct A(B);");
    write("b.rs", "pub struct B; pub fn f(_: super::a::A) {}");
    write("c.rs", "use crate::Root; use super::a::A; pub struct C(A, Root);");
    let mut files = CrateFiles::default();
    files.read(Vec::new(), &folder.path().join("lib.rs"), true);
    let short = |line: &String| line.replace(&*relative(folder.path()), "").replace('/', "");
    let mut circles: Vec<String> = files.circles().iter().map(short).collect();
    circles.retain(|line| !line.contains("c.rs"));
    assert_eq!(circles, ["a.rs -> b.rs", "b.rs -> a.rs"]);
}

#[test]
fn a_circle_of_siblings_is_seen_also_through_a_child() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    fs::create_dir(folder.path().join("a")).unwrap();
    write("lib.rs", "mod a; mod b;");
    write("a.rs", "mod child; pub use child::Child;");
    write("a/child.rs", "use crate::b::B; pub struct Child(B);");
    write("b.rs", "pub struct B; pub fn f(_: crate::a::Child) {}");
    let mut files = CrateFiles::default();
    files.read(Vec::new(), &folder.path().join("lib.rs"), true);
    assert_eq!(files.circles().len(), 2, "{:?}", files.circles());
}
