//! Replaces what is inside classes of the standard library, such as `std::vector`, by a stand-in: short code that does the same.
//!
//! A class of a library rests on allocators, traits and iterators, and all of these on each other. What uses the class hardly ever
//! needs them, so that much goes at once. The stand-in has the members that the rest of the program may mention. Its own
//! members can go later, as those of any class.
//!
//! before:
//! ```cpp
//! namespace std {
//! template <class T, class U> class pair_base { template <class A> friend class pair; pair_base &operator=(const pair_base &) = delete; };
//! template <class T, class U> class pair : pair_base<T, U> {
//! public:
//!   T first; U second;
//!   template <class A = T, class B = U, enable_if_t<all<is_default<A>, is_default<B>>::value, bool> = true> pair() : first(), second() { }
//!   template <class A = T, class B = U, enable_if_t<all<is_copy<A>, is_copy<B>>::value, bool> = true> pair(const T &a, const U &b) : first(a), second(b) { }
//!   template <class A, class B, enable_if_t<all<is<T, A>, is<U, B>>::value, bool> = true> pair(A &&a, B &&b) : first(forward<A>(a)), second(forward<B>(b)) { }
//! };
//! }
//! int f(std::pair<int, long> p) { return p.first; }
//! ```
//! after:
//! ```cpp
//! namespace std {
//! template <class T, class U> class pair_base { template <class A> friend class pair; pair_base &operator=(const pair_base &) = delete; };
//! template <class T, class U> class pair {
//! public:
//!   T first;
//!   U second;
//!   constexpr pair() : first(), second() {}
//!   constexpr pair(const T &a, const U &b) : first(a), second(b) {}
//!   template <class A, class B> constexpr pair(A &&a, B &&b) : first((A &&)a), second((B &&)b) {}
//!   template <class A, class B> constexpr pair(const pair<A, B> &o) : first(o.first), second(o.second) {}
//! };
//! }
//! int f(std::pair<int, long> p) { return p.first; }
//! ```

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use clreduce_language::{
    Entities, Item, ItemId, ItemKind, NodeField, NodeId, NodeKind, SyntaxTree,
};
use clreduce_testcase::{Edit, Language, Patch, Token, TokenKind, count_tokens, tokens};

use crate::analysis::{Unit, outside_members, template_parameter_name};
use crate::budget::Budget;
use crate::edit::disjoint;
use crate::pass::{CPP, Pass, PassInfo, Proposal, Proposals};
use crate::snapshot::Snapshot;

/// The pass.
pub(crate) struct CppStandIns;

/// The stand-ins, by the names of classes. Each is a class template with the parameters `T0` and `T1`.
const LIBRARY: [(&[u8], &[u8]); 12] = [
    (b"basic_string", include_bytes!("library/basic_string.hpp")),
    (b"basic_string_view", include_bytes!("library/basic_string_view.hpp")),
    (b"function", include_bytes!("library/function.hpp")),
    (b"map", include_bytes!("library/map.hpp")),
    (b"numeric_limits", include_bytes!("library/numeric_limits.hpp")),
    (b"optional", include_bytes!("library/optional.hpp")),
    (b"pair", include_bytes!("library/pair.hpp")),
    (b"set", include_bytes!("library/set.hpp")),
    (b"unique_ptr", include_bytes!("library/unique_ptr.hpp")),
    (b"unordered_map", include_bytes!("library/unordered_map.hpp")),
    (b"unordered_set", include_bytes!("library/unordered_set.hpp")),
    (b"vector", include_bytes!("library/vector.hpp")),
];

/// Classes that get a stand-in: each stand-in is parsed.
const MOST_CLASSES: Budget = Budget::new("classes with a stand-in", 64);

/// The names of the parameters in stand-ins.
const PARAMETERS: [&[u8]; 2] = [b"T0", b"T1"];

impl Pass for CppStandIns {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "cpp-stand-ins",
            "Replace classes of the standard library by short ones that do the same",
            CPP,
        )
        // The members of a stand-in have names of its own.
        .renaming()
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        for unit in Unit::all(snapshot) {
            let entities = snapshot.entities(unit.file);
            let classes = entities.ids().filter_map(|id| Class::read(unit, entities, id));
            let classes: Vec<Class> = proposals.limited(&MOST_CLASSES, classes);
            if classes.is_empty() {
                continue;
            }
            let outside = outside_members(entities);
            let tokens = snapshot.tokens(unit.file);
            let all = words(unit, tokens.iter());
            for class in classes {
                let Some(entity) = entities.item(class.item).declares.first() else { continue };
                let outside = outside.get(entity).map_or(&[][..], Vec::as_slice);
                let others = entities
                    .declarations(*entity)
                    .iter()
                    .filter(|&&id| id != class.item && is_specialisation(unit, entities.item(id)));
                let others = outside.iter().chain(others);
                let others: Vec<Range<usize>> =
                    others.map(|&id| entities.range(unit.tree, id)).collect();
                let gone = || others.iter().chain([&class.inside]);
                let own = words(unit, tokens_in(tokens, gone()));
                let mentioned = |word: &[u8]| all.get(word) > own.get(word);
                let Some(text) = class.stand_in(&mentioned) else { continue };
                let had: usize = gone().map(|range| count_tokens(&unit.bytes[range.clone()])).sum();
                if count_tokens(&text) < had {
                    let mut edits = vec![Edit::replace(unit.file, class.inside.clone(), text)];
                    edits.extend(others.into_iter().map(|range| unit.delete(range)));
                    proposals.extend(Patch::new(disjoint(edits)).map(Proposal::new));
                }
            }
        }
    }
}

/// Returns whether an item is a member of a class that a stand-in has replaced, as far as its name and size tell. All that is left
/// of it is what the program uses.
pub(super) fn is_in_stand_in(unit: Unit<'_>, entities: &Entities, id: ItemId) -> bool {
    let class = entities.item(id).parent.and_then(|class| Parts::of(unit, entities.item(class)));
    class.is_some_and(|class| class.inside(unit).len() <= class.stand_in.len())
}

/// Returns whether an item is a specialisation of a class, such as `vector<bool>`: the stand-in does for all arguments.
fn is_specialisation(unit: Unit<'_>, item: &Item) -> bool {
    let name = unit.tree.field(item.inner, NodeField::Name);
    item.kind == ItemKind::Type
        && name.is_some_and(|name| unit.tree.kind(name) == NodeKind::TemplateType)
}

/// By word, how often some tokens have it.
fn words<'a>(unit: Unit<'a>, tokens: impl Iterator<Item = &'a Token>) -> HashMap<&'a [u8], usize> {
    let mut words: HashMap<&[u8], usize> = HashMap::new();
    for token in tokens.filter(|token| token.kind == TokenKind::Word) {
        *words.entry(&unit.bytes[token.range()]).or_default() += 1;
    }
    words
}

/// The tokens that begin in some ranges, each of them once.
fn tokens_in<'a>(
    tokens: &'a [Token],
    ranges: impl Iterator<Item = &'a Range<usize>>,
) -> impl Iterator<Item = &'a Token> {
    let mut ranges: Vec<&Range<usize>> = ranges.collect();
    ranges.sort_by_key(|range| range.start);
    let first = |at: usize| tokens.partition_point(|token| (token.start as usize) < at);
    let mut end = 0;
    ranges.into_iter().flat_map(move |range| {
        let part = first(range.start.max(end))..first(range.end.max(end));
        end = end.max(range.end);
        &tokens[part]
    })
}

/// A class that has a stand-in.
struct Class<'a> {
    item: ItemId,
    /// From the end of its name to its last brace.
    inside: Range<usize>,
    /// The names of the first parameters of the template.
    parameters: Vec<&'a [u8]>,
    /// True if it says `struct`, not `class`.
    is_struct: bool,
    /// True if its destructor is `constexpr`, as that of most classes is from C++20 on: then functions may need it of all members.
    is_constexpr: bool,
    stand_in: &'static [u8],
}

/// The parts of a class template that has the name of a stand-in.
struct Parts {
    name: NodeId,
    body: NodeId,
    stand_in: &'static [u8],
}

impl Parts {
    fn of(unit: Unit<'_>, item: &Item) -> Option<Self> {
        let tree = unit.tree;
        if item.kind != ItemKind::Type || !item.is_template {
            return None;
        }
        let name = tree.field(item.inner, NodeField::Name)?;
        let first = match tree.kind(name) {
            NodeKind::TypeIdentifier => name,
            // `function<R(A...)>` is all that there is of it.
            NodeKind::TemplateType => {
                tree.field(name, NodeField::Name).filter(|&name| unit.text(name) == b"function")?
            }
            _ => return None,
        };
        let (_, stand_in) = LIBRARY.iter().find(|(known, _)| *known == unit.text(first))?;
        Some(Self { name, body: tree.field(item.inner, NodeField::Body)?, stand_in })
    }

    /// From the end of the name to the last brace.
    fn inside(&self, unit: Unit<'_>) -> Range<usize> {
        unit.tree.range(self.name).end..unit.tree.range(self.body).end
    }
}

impl<'a> Class<'a> {
    fn read(unit: Unit<'a>, entities: &Entities, id: ItemId) -> Option<Self> {
        let tree = unit.tree;
        let item = entities.item(id);
        let parts = Parts::of(unit, item)?;
        // What the parser did not understand inside the class does no harm: it goes.
        let head =
            tree.field(item.node, NodeField::Parameters).filter(|&it| !tree.has_error(it))?;
        let names = tree.named_children(head).map_while(|id| template_parameter_name(unit, id));
        let body = unit.text(parts.body);
        let words: Vec<&[u8]> = tokens(body).map(|token| &body[token.range()]).collect();
        Some(Self {
            item: id,
            inside: parts.inside(unit),
            parameters: names.map(|id| unit.text(id)).collect(),
            is_struct: tree.kind(item.inner) == NodeKind::StructSpecifier,
            is_constexpr: words.windows(2).any(|pair| pair == [&b"constexpr"[..], b"~"]),
            stand_in: parts.stand_in,
        })
    }
}

impl Class<'_> {
    /// Writes the stand-in, with those members only that are mentioned, or have no name of their own.
    /// `None` if the class has too few parameters.
    fn stand_in(&self, mentioned: &impl Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
        let members = members(self.stand_in);
        let is_known = |words: &[&[u8]]| {
            let mut named = words.windows(3).filter(|words| words[..2] == [&b"std"[..], b"::"]);
            named.all(|words| mentioned(words[2]))
        };
        let mut wanted: HashSet<&[u8]> = HashSet::new();
        let mut kept: Vec<bool> = vec![false; members.len()];
        loop {
            let next = members.iter().zip(&kept).position(|(member, kept)| {
                !kept
                    && member
                        .name
                        .as_ref()
                        .is_none_or(|name| mentioned(name) || wanted.contains(&name[..]))
                    && is_known(&member.words)
            });
            let Some(next) = next else { break };
            kept[next] = true;
            wanted.extend(&members[next].words);
        }
        let mut text = if self.is_struct { b" {\n".to_vec() } else { b" {\npublic:\n".to_vec() };
        for (member, _) in members.iter().zip(kept).filter(|(_, kept)| *kept) {
            self.write(member, mentioned(b"std"), &mut text)?;
        }
        text.push(b'}');
        Some(text)
    }

    /// Writes a member with the names that the parameters have in the class. A program may be without a namespace `std`.
    fn write(&self, member: &Member, has_std: bool, text: &mut Vec<u8>) -> Option<()> {
        text.extend_from_slice(b"  ");
        let mut at = 0;
        let mut hidden = 0;
        for token in tokens(member.text) {
            let word = &member.text[token.range()];
            text.extend_from_slice(&member.text[at..token.range().start]);
            if self.is_constexpr && member.function == Some(token.range().start) {
                text.extend_from_slice(b"constexpr ");
            }
            at = token.range().end;
            if word == b"std" && !has_std {
                hidden = 2;
            }
            if hidden > 0 {
                hidden -= 1;
                continue;
            }
            match PARAMETERS.iter().position(|parameter| *parameter == word) {
                Some(index) => text.extend_from_slice(self.parameters.get(index)?),
                None => text.extend_from_slice(word),
            }
        }
        text.push(b'\n');
        Some(())
    }
}

/// A member of a stand-in.
struct Member {
    text: &'static [u8],
    /// `None` for data, constructors and operators.
    name: Option<Vec<u8>>,
    words: Vec<&'static [u8]>,
    /// Where it begins, behind the head of a template, if it is a function that is not `constexpr` yet.
    function: Option<usize>,
}

/// The members of a stand-in.
fn members(text: &'static [u8]) -> Vec<Member> {
    let tree = SyntaxTree::parse(text, Language::CPP);
    let entities = Entities::new(text, &tree);
    let class = entities.ids().next();
    let own = entities.ids().filter(|&id| class.is_some() && entities.item(id).parent == class);
    own.map(|id| {
        let item = entities.item(id);
        let range = entities.range(&tree, id);
        let start = range.start;
        let text = &text[range];
        let words: Vec<&[u8]> = tokens(text).map(|token| &text[token.range()]).collect();
        let is_function = item.kind == ItemKind::Function && !words.contains(&&b"constexpr"[..]);
        let name = item.declares.first().map(|&entity| entities.name(entity));
        let has_name =
            !item.comes_with_class && !name.is_some_and(|it| it.starts_with(b"operator"));
        Member {
            text: text.trim_ascii(),
            name: name.filter(|_| has_name).map(<[u8]>::to_vec),
            words,
            function: is_function.then(|| tree.range(item.inner).start - start),
        }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::reduce_with;

    #[test]
    fn members_are_constant_where_those_of_the_class_are() {
        let padding = "int more(int a, int b, int c) { return a + b + c; }".repeat(40);
        let source = |word: &str| {
            format!(
                "namespace std {{ template <class T> class unique_ptr {{ {word} ~unique_ptr(); T *get() const; {padding} }}; }}\nint f(std::unique_ptr<int> p) {{ return *p.get(); }}"
            )
        };
        let left = |word| reduce_with(&CppStandIns, &source(word), Language::CPP, |_| true);
        let constant = left("constexpr");
        for member in
            ["constexpr ~unique_ptr()", "constexpr T *get() const", "constexpr unique_ptr("]
        {
            assert!(constant.contains(member), "{member}: {constant}");
        }
        assert!(!left("inline").contains("constexpr"));
    }
}
