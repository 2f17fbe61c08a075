//! Takes type traits out of a C++ program by their well-known names: conditions hold, `enable_if` is the type that it
//! enables, and a transformed type is the type itself.
//!
//! Libraries ask hundreds of questions about types that a bug hardly ever depends on. All traits of one name become what they
//! usually are, and what defines them is left without a use.
//!
//! before:
//! ```cpp
//! template <class T> struct A { template <class U, class = std::enable_if_t<is_same_v<T, U>>> std::decay_t<U> get(U); };
//! int f() { return std::is_void<int>::value; }
//! ```
//! after:
//! ```cpp
//! template <class T> struct A { template <class U, class = void> U get(U); };
//! int f() { return true; }
//! ```

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use clreduce_language::{NodeId, NodeKind};
use clreduce_testcase::{Edit, Patch, Token, TokenKind};

use crate::analysis::{Unit, with_semicolon};
use crate::pass::{CPP, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "cpp-traits",
    "Replace type traits of well-known names by what they usually are in C++",
    CPP,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let mut by_name: BTreeMap<(u32, &[u8]), Vec<Edit>> = BTreeMap::new();
        let file = TraitFile::new(snapshot, unit);
        for (at, token) in file.tokens.iter().enumerate() {
            let name = &unit.bytes[token.range()];
            let Some(found) = file.at(at, name) else { continue };
            for (list, edits) in found.replacements(unit) {
                by_name.entry((list, name)).or_default().extend(edits);
            }
        }
        let assertions = unit.tree.ids().filter(|&id| is_assertion(unit, id));
        let edits = assertions.map(|id| unit.delete(with_semicolon(unit.tree, id)));
        by_name.entry((0, b"static_assert")).or_default().extend(edits);
        for ((list, _), edits) in by_name.into_iter().filter(|(_, edits)| !edits.is_empty()) {
            proposals.extend(Patch::new(edits).map(|patch| Proposal::new(patch).in_list(list)));
        }
    }
}

fn is_assertion(unit: Unit<'_>, id: NodeId) -> bool {
    let parent = unit.tree.kind(unit.tree.node(id).parent);
    let is_in_list = matches!(
        parent,
        NodeKind::TranslationUnit
            | NodeKind::DeclarationList
            | NodeKind::FieldDeclarationList
            | NodeKind::CompoundStatement
    );
    unit.tree.kind(id) == NodeKind::StaticAssertDeclaration && is_in_list && unit.tree.is_sound(id)
}

/// The text that takes the place of a trait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stand {
    /// A condition: it holds.
    Holds,
    /// The first argument.
    First,
    /// The second argument; `void` where there is none.
    Enabled,
    /// The second argument, or the third.
    Either,
    /// `void`.
    Void,
}

/// A trait by its name: what stands for it, and the member that is asked for, if it is a class.
fn known(name: &[u8]) -> Option<(Stand, Option<&'static [u8]>)> {
    let start = name.iter().position(|&byte| byte != b'_')?;
    let core = name[start..].strip_suffix(b"_").unwrap_or(&name[start..]);
    if let Some(core) = core.strip_suffix(b"_v") {
        return is_condition(core).then_some((Stand::Holds, None));
    }
    if is_condition(core) {
        return Some((Stand::Holds, Some(b"value")));
    }
    if core == b"void_t" || core == b"Require" {
        return Some((Stand::Void, None));
    }
    let (core, member) = match core.strip_suffix(b"_t") {
        Some(core) => (core, None),
        None => (core, Some(b"type".as_slice())),
    };
    let stand = match core {
        b"enable_if" => Stand::Enabled,
        b"conditional" => Stand::Either,
        b"decay" | b"type_identity" | b"common_type" | b"make_signed" | b"make_unsigned" => {
            Stand::First
        }
        _ if core.starts_with(b"remove_") || core.starts_with(b"add_") => Stand::First,
        _ => return None,
    };
    Some((stand, member))
}

fn is_condition(core: &[u8]) -> bool {
    let is_combination =
        matches!(core, b"and" | b"or" | b"not" | b"conjunction" | b"disjunction" | b"negation");
    is_combination || core.starts_with(b"is_") || core.starts_with(b"has_")
}

/// The tokens of a file, and the lists of template arguments by where they begin.
struct TraitFile<'a> {
    unit: Unit<'a>,
    tokens: &'a [Token],
    arguments: HashMap<usize, NodeId>,
}

struct TraitUse {
    stand: Stand,
    /// With its scope, and the member that is asked for.
    range: Range<usize>,
    arguments: Vec<Range<usize>>,
}

impl<'a> TraitFile<'a> {
    fn new(snapshot: &'a Snapshot, unit: Unit<'a>) -> Self {
        let is_list = |id: &NodeId| unit.tree.kind(*id) == NodeKind::TemplateArgumentList;
        let lists = unit.tree.ids().filter(is_list).filter(|&id| unit.tree.is_sound(id));
        let arguments = lists.map(|id| (unit.tree.range(id).start, id)).collect();
        Self { unit, tokens: snapshot.tokens(unit.file), arguments }
    }

    fn text(&self, at: usize) -> &'a [u8] {
        self.tokens.get(at).map_or(b"", |token| &self.unit.bytes[token.range()])
    }

    /// The use of a trait whose name is a token.
    fn at(&self, at: usize, name: &[u8]) -> Option<TraitUse> {
        if self.tokens[at].kind != TokenKind::Word {
            return None;
        }
        let (stand, member) = known(name)?;
        let list = *self.arguments.get(&(self.tokens.get(at + 1)?.start as usize))?;
        let close = self.unit.tree.range(list).end;
        let mut next = self.tokens.partition_point(|token| (token.start as usize) < close);
        let mut end = close;
        if let Some(member) = member {
            if self.text(next) != b"::" || self.text(next + 1) != member {
                return None;
            }
            end = self.tokens[next + 1].end as usize;
            next += 2;
        }
        // `= ...` specialises it, and what follows `::` is a member of what it stands for.
        let follows = self.text(next);
        if follows == b"=" || (follows == b"::" && stand != Stand::First) {
            return None;
        }
        let start = self.tokens[self.first(at)?].start as usize;
        let arguments = self.unit.tree.named_children(list);
        let arguments = arguments.filter(|&id| self.unit.tree.kind(id) != NodeKind::Comment);
        let arguments = arguments.map(|id| self.unit.tree.range(id)).collect();
        Some(TraitUse { stand, range: start..end, arguments })
    }

    /// The first token of a name with its scopes and `typename`; `None` for a member of something that is no scope.
    fn first(&self, mut at: usize) -> Option<usize> {
        while at >= 2 && self.text(at - 1) == b"::" {
            if self.tokens[at - 2].kind == TokenKind::Word {
                at -= 2;
            } else if matches!(self.text(at - 2), b">" | b">>") {
                return None;
            } else {
                at -= 1;
                break;
            }
        }
        match at.checked_sub(1).map_or(b"".as_slice(), |before| self.text(before)) {
            b"typename" => Some(at - 1),
            b"." | b"->" | b"template" | b"struct" | b"class" | b"using" | b"::" => None,
            _ => Some(at),
        }
    }
}

impl TraitUse {
    /// The edits for each list of proposals.
    fn replacements(&self, unit: Unit<'_>) -> Vec<(u32, Vec<Edit>)> {
        let text = |text: &'static [u8]| vec![unit.replace(self.range.clone(), text)];
        let argument = |index: usize| {
            let kept = self.arguments.get(index)?;
            let around = [self.range.start..kept.start, kept.end..self.range.end];
            Some(around.into_iter().map(|range| unit.delete(range)).collect::<Vec<Edit>>())
        };
        let first = match self.stand {
            Stand::Holds => Some(text(b"true")),
            Stand::Void => Some(text(b"void")),
            Stand::First => argument(0),
            Stand::Enabled => argument(1).or_else(|| Some(text(b"void"))),
            Stand::Either => argument(1),
        };
        let second = match self.stand {
            Stand::Holds => Some(text(b"false")),
            // It takes the place of the other one, where that is there already.
            Stand::Either => self.arguments.get(2).map(|kept| {
                let kept = unit.bytes[kept.clone()].to_vec();
                vec![Edit::replace(unit.file, self.range.clone(), kept)]
            }),
            _ => None,
        };
        let lists = [(0, first), (1, second)];
        lists.into_iter().filter_map(|(list, edits)| Some((list, edits?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn declarations_of_traits_and_members_of_others_stay() {
        let same = "template <class T> struct is_small { static const bool value = true; };\n\
                    template <class T> constexpr bool is_small_v<T *> = is_small<T>::value2;\n\
                    template <class T> struct enable_if<true, T> { typedef T type; };\n\
                    int a = A<int>::is_small_v<int>, b = a.is_small_v<int>;\n";
        assert_reduces(&PASS, Language::CPP, same, &[], same);
    }

    #[test]
    fn an_argument_keeps_what_is_in_it() {
        let before = "typename std::conditional<is_void_v<T>, remove_cv_t<T> *, int>::type a;\n\
                      template <class T> std::enable_if_t<(x < 1) && __and_<A, B>::value, std::decay_t<T>> f();\n\
                      static_assert(!is_void_v<T>, \"\");\n";
        let after = "T * a;\ntemplate <class T> T f();\n";
        assert_reduces(&PASS, Language::CPP, before, &["* a"], after);
    }
}
