//! Parts that are never executed: any value of the right type will do for their free names, and any place.

use std::collections::BTreeMap;

use clreduce_generator::Stream;
use clreduce_testcase::AddressSpace;

use crate::donor::Snippet;
use crate::program::ParsedKernels;
use crate::site::Site;
use crate::variable::{SplicedVariable, variables_at};

/// What the free names of a part become that is never executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FreeNames {
    /// Variables of the kernel, where there are some of the same type.
    OfTheKernel,
    /// Variables that the part declares itself.
    TheirOwn,
}

/// A part as a block for a place where it is never executed; `None` if a name of the part cannot be bound there. `buffer` names
/// a buffer in global memory. A part of the same program may use what that declares.
pub(crate) fn dead_part(
    program: &ParsedKernels,
    site: Site,
    snippet: &Snippet,
    (names, is_own): (FreeNames, bool),
    buffer: &str,
    stream: &mut Stream,
) -> Option<Vec<u8>> {
    // A variable of the kernel may have the name of a built-in function.
    let means_another = |name| program.symbols().lookup(program.tree(), name, site.node).is_some();
    if snippet.built_in_names().any(means_another) {
        return None;
    }
    let variables = match names {
        FreeNames::OfTheKernel => variables_at(program, site.node),
        FreeNames::TheirOwn => Vec::new(),
    };
    let (mut words, mut declarations) = (BTreeMap::new(), Vec::new());
    for free in &snippet.free {
        let variable = &free.variable;
        let fits = |one: &&SplicedVariable| {
            one.of == variable.of
                && one.space == variable.space
                && one.is_array == variable.is_array
                && (!one.is_array || one.lengths().is_some() && one.lengths() == variable.lengths())
                && (!one.is_const || !free.changes && !free.changes_elements)
        };
        let fitting: Vec<&SplicedVariable> = variables.iter().filter(fits).collect();
        if !fitting.is_empty() {
            words.insert(variable.symbol, stream.pick(&fitting).name().to_vec());
            continue;
        }
        let name = snippet.fresh(variable.name());
        let declaration = own_variable(variable, &name, is_own, buffer)?;
        declarations.extend(declaration);
        words.insert(variable.symbol, name);
    }
    let kept: BTreeMap<_, _> = match is_own {
        true => snippet.outer_names().map(|(id, name)| (id, name.to_vec())).collect(),
        false => BTreeMap::new(),
    };
    let text = snippet.text(&words.into_iter().chain(kept).collect());
    Some([b"{ ", &declarations[..], &text, b" }"].concat())
}

/// The declaration of a variable that stands for a free name of a part that is never executed.
fn own_variable(
    variable: &SplicedVariable,
    name: &[u8],
    is_own: bool,
    buffer: &str,
) -> Option<Vec<u8>> {
    let kind = match (variable.number(), variable.spelled()) {
        (Some(number), _) => number.to_string().into_bytes(),
        // A structure.
        (None, Some(spelled)) if is_own && variable.of.levels == 0 => {
            let text = variable.text_of(spelled);
            return (!text.contains(&b'{')).then(|| [text, b" ", name, b" = {0}; "].concat());
        }
        _ => return None,
    };
    let space = variable.space;
    match (variable.of.levels, variable.is_array) {
        (0, _) => Some([&kind[..], b" ", name, b" = 0; "].concat()),
        (_, true) if space == AddressSpace::Private => {
            Some([&kind[..], b" ", name, variable.lengths()?, b" = {0}; "].concat())
        }
        (1, false) if space == AddressSpace::Private => {
            let array = [&kind[..], b" ", name, b"_of[64] = {0}; "].concat();
            Some([&array[..], &kind, b" *", name, b" = ", name, b"_of; "].concat())
        }
        (1, false) if space == AddressSpace::Global => {
            let pointer = [b"__global ", &kind[..], b" *"].concat();
            let value = [b" = (", &pointer[..], b")", buffer.as_bytes(), b"; "].concat();
            Some([&pointer[..], name, &value].concat())
        }
        _ => None,
    }
}
