//! Removes arguments of a kernel together with what feeds them: the flags of the launch comment, or the
//! tables of an `.args.toml` beside the kernel.
//!
//! before:
//! ```cl
//! // --atomics 7 ---inter_thread_comm ---fuzzed -g 2,1 -l 1,1
//! kernel void entry(global ulong *r, global uint *a, global uint *s, global long *c) { r[0] = c[0] + a[0]; }
//! ```
//! after:
//! ```cl
//! // ---inter_thread_comm -g 2,1 -l 1,1
//! kernel void entry(global ulong *r, global long *c) { r[0] = c[0] + 0; }
//! ```

use std::ops::Range;

use clreduce_language::{NodeField, NodeKind, is_kernel};
use clreduce_testcase::{Edit, Feature, Launch, Patch};

use crate::analysis::Unit;
use crate::edit::without;
use crate::pass::{LaunchEdits, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot, SymbolKind};

pub(crate) const PASS: Pass = Pass::new(
    "kernel-arguments",
    "Remove arguments of kernels with the flags or tables that feed them",
    &[Feature::Symbols, Feature::Kernels],
    propose,
)
.editing_launch(LaunchEdits::Arguments);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let tables = Tables::beside(snapshot, unit.file);
        for kernel in kernels(unit) {
            let parameters = parameters(unit, kernel);
            match (&tables, Launch::find(unit.bytes)) {
                (Some(tables), _) => {
                    proposals.extend(fed_by_tables(snapshot, unit, &parameters, tables));
                }
                (None, Some(launch)) => {
                    proposals.extend(fed_by_flags(snapshot, unit, &parameters, &launch));
                }
                (None, None) => {}
            }
        }
    }
}

/// The kernels that a file defines.
fn kernels(unit: Unit<'_>) -> impl Iterator<Item = NodeId> {
    let tree = unit.tree;
    tree.children(NodeId(0)).filter(move |&node| {
        tree.kind(node) == NodeKind::FunctionDefinition
            && is_kernel(tree, unit.bytes, node)
            && !tree.node(node).damaged
    })
}

fn parameters(unit: Unit<'_>, kernel: NodeId) -> Vec<NodeId> {
    let tree = unit.tree;
    let list = tree.field(kernel, NodeField::Declarator).and_then(|declarator| {
        tree.subtree(declarator).find(|&node| tree.kind(node) == NodeKind::ParameterList)
    });
    let named = list.into_iter().flat_map(|list| tree.named_children(list));
    named.filter(|&node| tree.kind(node) == NodeKind::ParameterDeclaration).collect()
}

/// The edits that remove a parameter with what uses it.
fn removal(snapshot: &Snapshot, unit: Unit<'_>, parameter: NodeId) -> Option<Vec<Edit>> {
    let (tree, symbols) = (unit.tree, snapshot.symbols(unit.file));
    let mut edits = vec![Edit::delete_element(unit.file, tree.range(parameter))];
    for node in tree.subtree(parameter) {
        let Some(symbol) = symbols.of(node).map(|id| symbols.get(id)) else { continue };
        if symbol.kind == SymbolKind::Parameter && symbol.declarations.contains(&node) {
            if symbol.opaque {
                return None;
            }
            edits.extend(symbol.uses.iter().map(|&name| without(snapshot, unit.file, name)));
        }
    }
    Some(edits)
}

/// CLsmith's flags, in the order of the arguments that they feed, and how many.
const FLAGS: [(&str, usize); 5] = [
    ("--atomics", 2),
    ("---atomic_reductions", 1),
    ("---emi", 1),
    ("---fake_divergence", 1),
    ("---inter_thread_comm", 1),
];

/// A flag in a launch comment with the numbers behind it.
struct Flag<'a> {
    text: &'a str,
    range: Range<usize>,
}

/// The flags of a launch comment, without the sizes.
fn flags<'a>(bytes: &'a [u8], launch: &Launch) -> Vec<Flag<'a>> {
    let mut flags: Vec<Flag<'a>> = Vec::new();
    let comment = std::str::from_utf8(&bytes[launch.comment.clone()]).unwrap_or("");
    let mut sizes = false;
    for word in comment.split_ascii_whitespace().skip(1) {
        let start = launch.comment.start + (word.as_ptr() as usize - comment.as_ptr() as usize);
        let range = start..start + word.len();
        if matches!(word, "-g" | "-l") {
            sizes = true;
        } else if word.starts_with('-') {
            sizes = false;
            flags.push(Flag { text: word, range });
        } else if let Some(last) = flags.last_mut()
            && !sizes
        {
            last.range.end = range.end;
        }
    }
    flags
}

/// Every flag with its parameters; together, and each alone.
fn fed_by_flags(
    snapshot: &Snapshot,
    unit: Unit<'_>,
    parameters: &[NodeId],
    launch: &Launch,
) -> Vec<Proposal> {
    let flags = flags(unit.bytes, launch);
    let count =
        |text: &str| FLAGS.iter().find(|(name, _)| *name == text).map_or(0, |(_, count)| *count);
    let fed: usize = flags.iter().map(|flag| count(flag.text)).sum();
    // The first one is for the result. Where the counts do not fit, the flags mean something else here.
    let fits = parameters.len() == fed + 1;
    let mut patches = Vec::new();
    let mut rest = parameters.get(1..).unwrap_or_default();
    let order = |flag: &&Flag<'_>| FLAGS.iter().position(|(name, _)| *name == flag.text);
    let mut sorted: Vec<&Flag<'_>> = flags.iter().collect();
    sorted.sort_by_key(|flag| order(flag).unwrap_or(FLAGS.len()));
    for flag in sorted {
        // With the blank behind it: the sizes follow.
        let blank = usize::from(unit.bytes.get(flag.range.end) == Some(&b' '));
        let range = flag.range.start..flag.range.end + blank;
        let mut edits = Some(vec![Edit::delete(unit.file, range)]);
        if fits {
            let (mine, others) = rest.split_at(count(flag.text));
            rest = others;
            for &parameter in mine {
                let removal = removal(snapshot, unit, parameter);
                edits = edits.zip(removal).map(|(edits, removal)| [edits, removal].concat());
            }
        }
        patches.extend(edits.and_then(Patch::new));
    }
    let mut proposals: Vec<Proposal> = patches.into_iter().map(Proposal::new).collect();
    if !fits {
        let alone = parameters.iter().skip(1).filter_map(|&node| removal(snapshot, unit, node));
        let alone = alone.filter_map(Patch::new);
        proposals.extend(alone.map(|patch| Proposal::new(patch).in_list(1)));
    }
    proposals
}

/// The description of a kernel's arguments: a table for each.
struct Tables {
    file: usize,
    ranges: Vec<Range<usize>>,
}

impl Tables {
    /// The tables of the one launch that `k.args.toml` or `k.cl.args.toml` beside `k.cl` describes.
    fn beside(snapshot: &Snapshot, kernel: usize) -> Option<Self> {
        let path = &snapshot.case().files()[kernel].path;
        let wanted = [path.strip_suffix(".cl")?, path].map(|name| format!("{name}.args.toml"));
        let mut files = snapshot.case().files().iter();
        let file = files.position(|file| wanted.iter().any(|wanted| *file.path == **wanted))?;
        let text = std::str::from_utf8(snapshot.bytes(file)).ok()?;
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            match line.trim() {
                "[[launch]]" => return None, // which of several is meant is not known
                "[[argument]]" => ranges.push(at..at),
                _ => {}
            }
            at += line.len();
            if let Some(last) = ranges.last_mut() {
                last.end = at;
            }
        }
        Some(Self { file, ranges })
    }
}

fn fed_by_tables(
    snapshot: &Snapshot,
    unit: Unit<'_>,
    parameters: &[NodeId],
    tables: &Tables,
) -> Vec<Proposal> {
    if parameters.len() != tables.ranges.len() {
        return Vec::new();
    }
    let arguments = parameters.iter().zip(&tables.ranges);
    let patches = arguments.filter_map(|(&parameter, table)| {
        let mut edits = removal(snapshot, unit, parameter)?;
        edits.push(Edit::delete(tables.file, table.clone()));
        Patch::new(edits)
    });
    patches.map(Proposal::new).collect()
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::reduce_with;
    use clreduce_testcase::{SourceFile, TestCase};

    const KERNEL: &str =
        "__kernel void entry(__global ulong *r, __global int *e, __global long *c)";

    fn reduce(source: &str, keep: &str) -> String {
        reduce_with(&PASS, source, Language::OPENCL, |text| text.contains(keep))
    }

    #[test]
    fn flags_go_with_their_parameters() {
        let source =
            format!("// ---emi ---inter_thread_comm -g 1 -l 1\n{KERNEL} {{ r[0] = e[1]; }}");
        let kept = reduce(&source, "long *c");
        assert!(kept.starts_with("// ---inter_thread_comm -g 1 -l 1\n"), "{kept}");
        assert!(
            kept.contains("entry(__global ulong *r,  __global long *c) { r[0] = 0; }"),
            "{kept}"
        );
        assert!(
            reduce(&source, "").starts_with("// -g 1 -l 1\n__kernel void entry(__global ulong *r)")
        );
    }

    #[test]
    fn flags_that_feed_nothing_go_alone() {
        let source = "// --emi_p -g 1 -l 1\n__kernel void entry(__global ulong *r) { }";
        assert!(reduce(source, "").starts_with("// -g 1 -l 1"));
    }

    #[test]
    fn tables_go_with_their_parameters() {
        let file = |path: &str, text: &str| SourceFile {
            path: path.into(),
            bytes: text.as_bytes().to_vec().into(),
        };
        let toml = "kernel = \"k\"\n[[argument]]\nvalue = \"int\"\nis = 1\n\n[[argument]]\nlocal = \"int\"\n";
        let case = TestCase::new(vec![
            file("k.cl", "kernel void k(int n, local int *p) { *p = n; }"),
            file("k.args.toml", toml),
        ]);
        let case = case.unwrap();
        let proposals = Proposals::of(&PASS, &Snapshot::new(case.clone(), Language::OPENCL)).list;
        let variant = case.apply(&proposals[0].patch);
        let text = |at: usize| String::from_utf8_lossy(&variant.files()[at].bytes).into_owned();
        assert_eq!(text(0), "kernel = \"k\"\n[[argument]]\nlocal = \"int\"\n");
        assert_eq!(text(1), "kernel void k( local int *p) { *p = 0; }");
    }
}
