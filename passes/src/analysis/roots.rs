//! The items of C++ that are needed whether or not anything mentions them.
//!
//! A variable of a header may be among them: `static std::ios_base::Init init;` of `<iostream>` does its work in its constructor, before
//! `main` begins.

use clreduce_language::{Entities, Item, ItemId, ItemKind, NodeField, NodeKind, is_kernel};
use clreduce_testcase::tokens;

use super::main_file::main_file;
use super::unit::Unit;

/// The items of the file that was compiled, as long as line markers tell it from the headers that it includes; then those that
/// the compiler makes code for by itself. In both cases, objects with a constructor that runs before `main`.
pub(crate) fn roots(unit: Unit<'_>, entities: &Entities) -> Vec<ItemId> {
    let main = main_file(unit.bytes);
    // Where line markers tell, the main file decides.
    let mut program = CompiledFile { unit, entities, has_kernels: false };
    if main.is_empty() {
        program.has_kernels = entities.ids().any(|id| program.is_kernel(id));
    }
    let is_root = |&id: &ItemId| {
        let item = entities.item(id);
        let start = unit.tree.range(item.node).start;
        let next = main.partition_point(|range| range.end <= start);
        match item.kind {
            ItemKind::Namespace | ItemKind::Linkage => false,
            _ if program.is_constructed(id) => true,
            _ if main.is_empty() => program.is_made_into_code(id),
            _ => main.get(next).is_some_and(|range| range.start <= start),
        }
    };
    entities.ids().filter(is_root).collect()
}

struct CompiledFile<'a> {
    unit: Unit<'a>,
    entities: &'a Entities,
    /// True if the program has kernels: then other functions of a device run only if something calls them.
    has_kernels: bool,
}

impl<'a> CompiledFile<'a> {
    /// The words before the declarator.
    fn head(&self, item: &Item) -> Vec<&'a [u8]> {
        let tree = self.unit.tree;
        let declarator = tree.field(item.inner, NodeField::Declarator);
        let end = declarator.map_or(tree.range(item.inner).end, |node| tree.range(node).start);
        let head = &self.unit.bytes[tree.range(item.node).start..end];
        tokens(head).map(|token| &head[token.range()]).collect()
    }

    fn is_kernel(&self, id: ItemId) -> bool {
        let item = self.entities.item(id);
        item.kind == ItemKind::Function
            && !item.is_template
            && self.entities.body(self.unit.bytes, self.unit.tree, id).is_some()
            && is_kernel(self.unit.tree, self.unit.bytes, item.inner)
    }

    /// Returns whether the compiler makes code for an item, whether or not anything uses it.
    fn is_made_into_code(&self, id: ItemId) -> bool {
        let (unit, entities) = (self.unit, self.entities);
        let item = entities.item(id);
        let head = || self.head(item);
        let has_none_of = |words: &[&[u8]]| !head().iter().any(|word| words.contains(word));
        match item.kind {
            ItemKind::Instantiation { is_extern } => !is_extern,
            _ if item.is_member || item.is_template => false,
            ItemKind::Function => {
                entities.body(unit.bytes, unit.tree, id).is_some()
                    && self.is_surely_a_function(item)
                    && (self.is_kernel(id)
                        || !(self.has_kernels && is_of_device(&head()))
                            && has_none_of(NOT_FOR_ITSELF)
                            && !self.is_inline_in_class(item))
            }
            ItemKind::Variable => {
                has_none_of(&[b"extern", b"inline", b"constexpr", b"const", b"static"])
            }
            _ => false,
        }
    }

    /// Returns whether the parser did not take something else for a function: all but `main` and members have a type.
    fn is_surely_a_function(&self, item: &Item) -> bool {
        let name = item.declares.first().map(|&entity| self.entities.name(entity));
        item.is_outside
            || name == Some(b"main")
            || self.unit.tree.field(item.inner, NodeField::Type).is_some()
    }

    /// Returns whether an item defines a member that its class declares `inline`.
    fn is_inline_in_class(&self, item: &Item) -> bool {
        let declared = item.declares.iter().flat_map(|&it| self.entities.declarations(it));
        let inside = declared.map(|&id| self.entities.item(id)).filter(|other| other.is_member);
        item.is_outside
            && inside.map(|other| self.head(other)).any(|head| {
                head.iter().any(|word| NOT_FOR_ITSELF.contains(word) && *word != b"static")
            })
    }

    /// Returns whether an item is an object that may have a constructor, which runs before the program begins.
    fn is_constructed(&self, id: ItemId) -> bool {
        let (tree, item) = (self.unit.tree, self.entities.item(id));
        if item.kind != ItemKind::Variable || item.is_member || item.is_template {
            return false;
        }
        let kind_of = |field| tree.field(item.inner, field).map(|node| tree.kind(node));
        let is_of_class = kind_of(NodeField::Type).is_some_and(|kind| {
            !matches!(
                kind,
                NodeKind::PrimitiveType | NodeKind::SizedTypeSpecifier | NodeKind::EnumSpecifier
            )
        });
        let known_before: [&[u8]; 4] = [b"extern", b"inline", b"constexpr", b"const"];
        is_of_class
            && kind_of(NodeField::Declarator) == Some(NodeKind::Identifier)
            && !self.head(item).iter().any(|word| known_before.contains(word))
    }
}

/// Words of functions that no code is made for unless something uses them.
const NOT_FOR_ITSELF: &[&[u8]] = &[
    b"inline",
    b"__inline",
    b"__inline__",
    b"__forceinline__",
    b"constexpr",
    b"consteval",
    b"static",
];

/// Returns whether a function runs on a device alone, by the words before its declarator. A preprocessor makes
/// `__attribute__((device))` of `__device__`.
fn is_of_device(head: &[&[u8]]) -> bool {
    let has = |word: &[u8], attribute: &[u8]| {
        head.contains(&word) || head.windows(3).any(|it| *it == [b"(", attribute, b")"])
    };
    has(b"__device__", b"device") && !has(b"__host__", b"host")
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::{Language, TestCase};

    use super::*;
    use crate::Snapshot;

    fn names_of_roots(source: &str) -> String {
        let case = TestCase::single("a.cu", source.as_bytes()).unwrap();
        let snapshot = Snapshot::new(case, Language::CUDA);
        let unit = Unit::all(&snapshot).next().unwrap();
        let entities = snapshot.entities(0);
        let declared = |id| entities.item(id).declares.iter().map(|&it| entities.name(it));
        let names = roots(unit, entities).into_iter().flat_map(declared);
        names.map(String::from_utf8_lossy).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn kernels_run_and_functions_of_the_device_are_called() {
        let device = "__device__ int d() { return 1; } __host__ __device__ int b() { return 2; }\n\
            template <class T> __global__ void t(T) { }\n";
        assert_eq!(names_of_roots(device), "d b");
        let kernel =
            "static __global__ void k() { d(); }\nint main() { t<<<1, 1>>>(1); k<<<1, 1>>>(); }";
        assert_eq!(names_of_roots(&format!("{device}{kernel}")), "b k main");
        let kernel = "extern \"C\" { __attribute__((global)) inline void k() { d(); } }\n\
            __attribute__((device)) int e() { return 1; }";
        assert_eq!(names_of_roots(&format!("{device}{kernel}")), "b k");
    }

    #[test]
    fn members_that_are_inline_in_their_class_are_called_and_what_has_no_type_is_no_function() {
        let source = "struct A { A(); inline int f(); int g(); };\nA::A() { }\nint A::f() { return 1; }\n\
            int A::g() { return 2; }\nodd(B) { }\nmain() { return A().f(); }";
        assert_eq!(names_of_roots(source), "A g main");
    }
}
