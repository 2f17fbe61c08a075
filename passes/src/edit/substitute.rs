//! The text of a part of a template once arguments stand for its parameters.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use clreduce_language::{NodeField, NodeId, NodeKind};
use clreduce_testcase::tokens;

use crate::analysis::{TemplateHead, Unit, is_name, template_parameter_name};

/// What stands for a parameter.
#[derive(Clone, Debug)]
pub(crate) enum TemplateArgument {
    One(Vec<u8>),
    /// What a pack expands to.
    Pack(Vec<u8>),
}

/// The arguments by the names of the parameters.
pub(crate) type Arguments<'a> = HashMap<&'a [u8], TemplateArgument>;

/// The text of `range`, which lies in `node`, with arguments in the place of parameters; see [`substitutions`].
pub(crate) fn substituted(
    unit: Unit<'_>,
    node: NodeId,
    range: Range<usize>,
    arguments: &Arguments<'_>,
    other: &dyn Fn(NodeId) -> Option<Vec<u8>>,
) -> Option<Vec<u8>> {
    let mut text = Vec::with_capacity(range.len());
    let mut at = range.start;
    for (place, new) in substitutions(unit, node, range.clone(), arguments, other)? {
        text.extend_from_slice(&unit.bytes[at..place.start]);
        text.extend_from_slice(&new);
        at = place.end;
    }
    text.extend_from_slice(&unit.bytes[at..range.end]);
    Some(text)
}

/// What is written in the place of parameters in `range`, which lies in `node`, in order. `other` may give another text for names
/// that are no parameters. `None` if a pack is used in another way than `Ts...`.
pub(crate) fn substitutions(
    unit: Unit<'_>,
    node: NodeId,
    range: Range<usize>,
    arguments: &Arguments<'_>,
    other: &dyn Fn(NodeId) -> Option<Vec<u8>>,
) -> Option<Vec<(Range<usize>, Vec<u8>)>> {
    let tree = unit.tree;
    let mut found = Vec::new();
    let mut at = range.start;
    for id in tree.subtree(node).filter(|&id| is_name(tree.kind(id))) {
        let mut place = tree.range(id);
        if place.start < at || place.end > range.end {
            continue;
        }
        let field = tree.node(id).field;
        let is_qualified = field == Some(NodeField::Name)
            && tree.kind(tree.node(id).parent) == NodeKind::QualifiedIdentifier;
        let new = match arguments.get(unit.text(id)).filter(|_| !is_qualified) {
            Some(TemplateArgument::One(argument)) => Some(argument.clone()),
            Some(TemplateArgument::Pack(argument)) => {
                place = expansion(unit, id, argument.is_empty())?;
                Some(argument.clone())
            }
            None if is_qualified => None,
            None => other(id),
        };
        if let Some(new) = new {
            at = place.end;
            found.push((place, new));
        }
    }
    Some(found)
}

/// The arguments for the parameters of a specialisation by which a list of arguments fits it, and the number of arguments that it
/// names itself. Only a parameter that stands once in an argument is understood.
pub(crate) fn fitted<'a>(
    unit: Unit<'a>,
    head: &TemplateHead,
    special: NodeId,
    given: &[NodeId],
) -> Option<(usize, Arguments<'a>)> {
    let tree = unit.tree;
    let names = head.parameters.iter();
    let names: HashSet<&[u8]> = names
        .filter_map(|&parameter| Some(unit.text(template_parameter_name(unit, parameter)?)))
        .collect();
    let mut found = Arguments::new();
    let mut rank = 1;
    let special: Vec<NodeId> = tree.named_children(special).collect();
    if special.len() != given.len() {
        return None;
    }
    for (special, &given) in special.into_iter().zip(given) {
        let words = |node: NodeId| -> Vec<&'a [u8]> {
            let text = unit.text(node);
            tokens(text).map(|token| &text[token.range()]).collect()
        };
        let (own, given_words) = (words(special), words(given));
        let Some(at) = own.iter().position(|word| names.contains(word)) else {
            rank += usize::from(own == given_words);
            (own == given_words).then_some(())?;
            continue;
        };
        let behind = own.len() - at - 1;
        let fits = given_words.len() >= own.len()
            && given_words[..at] == own[..at]
            && given_words[given_words.len() - behind..] == own[at + 1..]
            && !own[at + 1..].iter().any(|word| names.contains(word));
        let value =
            fits.then(|| given_words[at..given_words.len() - behind].join(b" ".as_slice()))?;
        if found.insert(own[at], TemplateArgument::One(value)).is_some() {
            return None;
        }
    }
    Some((rank, found))
}

/// The place of `Ts...` for a name `Ts`. Nothing can stand there only if it is not one of several elements.
fn expansion(unit: Unit<'_>, name: NodeId, is_empty: bool) -> Option<Range<usize>> {
    let tree = unit.tree;
    let is_expansion = |&at: &NodeId| tree.kind(at) == NodeKind::ParameterPackExpansion;
    let expansion = tree.ancestors(name).take(3).find(is_expansion)?;
    let pattern = unit.text(expansion).strip_suffix(b"...")?.trim_ascii_end();
    let is_alone = tree.named_children(tree.node(expansion).parent).take(2).count() == 1;
    (pattern == unit.text(name) && (is_alone || !is_empty)).then(|| tree.range(expansion))
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use crate::cpp::inline_names;
    use crate::harness::reduce_with;

    /// `int` is shorter than what stands behind the parameter.
    #[test]
    fn a_short_argument_fits_no_long_pattern() {
        let source = "template <class T> struct R { typedef int t; };\n\
                      template <class T> struct R<T *const *> { typedef T t; };\nR<int>::t x;\n";
        let left = reduce_with(&inline_names::PASS, source, Language::CPP, |_| true);
        assert!(left.contains("int x;"), "{left}");
    }
}
