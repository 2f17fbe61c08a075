//! Puts a part of one program into another: binds its free names, and writes the text of both.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use clreduce_generator::Stream;
use clreduce_language::{Base, NodeField, NodeId, NodeKind, Number, Scalar, SymbolId, Use};
use clreduce_testcase::{AddressSpace, Edit, Patch, TestCase};

use crate::donor::{Free, Snippet};
use crate::launch::{self, OWN_ELEMENTS};
use crate::program::{ParsedFunction, ParsedKernels};
use crate::shape::{is_loop, jumps_out, synchronises};
use crate::site::{Site, SiteKind};
use crate::variable::{SplicedVariable, variables_at};

/// The program with a part at a place; `None` if a name of the part cannot be bound there.
pub(crate) fn put(
    program: &ParsedKernels,
    site: Site,
    snippet: &Snippet,
    dimensions: usize,
    stream: &mut Stream,
) -> Option<Vec<u8>> {
    let mut binder = Binder {
        snippet,
        variables: variables_at(program, site.node),
        busy: counted(program, site.node),
        function: program.function_at(site.node)?,
        dimensions,
        words: BTreeMap::new(),
        declarations: Vec::new(),
        parameters: Vec::new(),
    };
    for free in &snippet.free {
        let word = binder.bind(free, stream)?;
        binder.words.insert(free.variable.symbol, word);
    }
    let text = snippet.text(&binder.words);
    let declarations = binder.declarations.concat();
    let mut edits = match site.kind {
        SiteKind::Expression => instead_of_value(program, site.node, &text, declarations)?,
        SiteKind::Statement | SiteKind::Block => {
            vec![beside_or_instead(program, site, &[&declarations[..], &text].concat(), stream)]
        }
    };
    if !binder.parameters.is_empty() {
        edits.push(more_parameters(program, binder.function, &binder.parameters)?);
    }
    let case = TestCase::single("program", &program.text[..]).ok()?;
    let whole = case.apply(&Patch::new(edits)?);
    Some([&snippet.library(program)?[..], b"\n", &whole.files()[0].bytes].concat())
}

/// Binds the free names of one part.
struct Binder<'a> {
    snippet: &'a Snippet<'a>,
    /// The variables at the place.
    variables: Vec<SplicedVariable<'a>>,
    /// The variables that loops around the place count.
    busy: BTreeSet<SymbolId>,
    /// The function around the place.
    function: ParsedFunction,
    /// The dimensions in which the kernel is launched.
    dimensions: usize,
    /// By free variable, what stands for it.
    words: BTreeMap<SymbolId, Vec<u8>>,
    /// Declarations before the part.
    declarations: Vec<Vec<u8>>,
    /// Parameters that the kernel gets.
    parameters: Vec<Vec<u8>>,
}

impl Binder<'_> {
    /// The text that stands for a free name.
    fn bind(&mut self, free: &Free, stream: &mut Stream) -> Option<Vec<u8>> {
        let variable = &free.variable;
        match (variable.of.base, variable.of.levels) {
            (Base::Number(number), 0) if variable.space == AddressSpace::Private => {
                Some(self.bind_value(free, number, stream))
            }
            (Base::Aggregate(_), 0) if variable.space == AddressSpace::Private => {
                let spelled = variable.spelled()?;
                let text = self.snippet.renamed(spelled, &BTreeMap::new());
                (!text.contains(&b'{')).then(|| self.declare(variable, &text, b"", b"{0}"))
            }
            (Base::Number(number), _)
                if variable.is_array && variable.space == AddressSpace::Private =>
            {
                self.bind_array(free, number, stream)
            }
            (Base::Number(number), 1) if !free.changes && variable.space != AddressSpace::Local => {
                self.bind_pointer(free, number, stream)
            }
            _ => None,
        }
    }

    fn bind_value(&mut self, free: &Free, number: Number, stream: &mut Stream) -> Vec<u8> {
        let variable = &free.variable;
        if let Some(initializer) = variable.closed_initializer()
            && variable.is_position()
        {
            let is_same = |one: &&SplicedVariable| {
                !free.changes
                    && one.of.number() == Some(number)
                    && one.closed_initializer() == Some(initializer)
            };
            return match self.variables.iter().find(is_same) {
                Some(one) => one.name().to_vec(),
                None => self.declare(variable, number.name().as_bytes(), b"", initializer),
            };
        }
        let fits = |one: &&SplicedVariable| {
            let may_change =
                !one.is_const && !one.is_position() && !self.busy.contains(&one.symbol);
            one.space == AddressSpace::Private
                && one.of.number() == Some(number)
                && (!free.changes || may_change)
                && (!free.is_index || one.is_position() && !free.changes)
        };
        let fitting: Vec<&SplicedVariable> = self.variables.iter().filter(fits).collect();
        if !fitting.is_empty() && stream.chance(85) {
            return stream.pick(&fitting).name().to_vec();
        }
        let literal = literal(number, stream);
        if free.changes || stream.chance(30) {
            return self.declare(variable, number.name().as_bytes(), b"", &literal);
        }
        literal
    }

    fn bind_array(&mut self, free: &Free, number: Number, stream: &mut Stream) -> Option<Vec<u8>> {
        let variable = &free.variable;
        let lengths = variable.lengths()?;
        let fits = |one: &&SplicedVariable| {
            one.is_array
                && one.space == AddressSpace::Private
                && one.number() == Some(number)
                && one.lengths() == Some(lengths)
                && (!one.is_const || variable.is_const)
        };
        let fitting: Vec<&SplicedVariable> = self.variables.iter().filter(fits).collect();
        if !fitting.is_empty() && stream.chance(50) {
            return Some(stream.pick(&fitting).name().to_vec());
        }
        Some(self.declare(variable, number.name().as_bytes(), lengths, b"{0}"))
    }

    fn bind_pointer(
        &mut self,
        free: &Free,
        number: Number,
        stream: &mut Stream,
    ) -> Option<Vec<u8>> {
        let variable = &free.variable;
        let fits = |one: &&SplicedVariable| {
            one.space == variable.space
                && one.of.levels == 1
                && one.number() == Some(number)
                && (!one.is_const || variable.is_const && !free.changes_elements)
                && (one.space != AddressSpace::Private || one.is_array)
                // Other work-items may write there at the same time, or read what is written here.
                && (one.space == AddressSpace::Private || !free.changes_elements && !one.is_written())
        };
        let fitting: Vec<&SplicedVariable> = self.variables.iter().filter(fits).collect();
        if !fitting.is_empty() && stream.chance(70) {
            return Some(stream.pick(&fitting).name().to_vec());
        }
        match variable.space {
            AddressSpace::Private => {
                let lengths = "[64]".to_owned();
                Some(self.declare(variable, number.name().as_bytes(), lengths.as_bytes(), b"{0}"))
            }
            AddressSpace::Global | AddressSpace::Constant if self.function.is_kernel => {
                self.add_parameter(free, number)
            }
            _ => fitting.first().map(|one| one.name().to_vec()),
        }
    }

    /// Gives the kernel a buffer for a free name. Returns the text that stands for the name.
    fn add_parameter(&mut self, free: &Free, number: Number) -> Option<Vec<u8>> {
        let variable = &free.variable;
        let name = self.snippet.fresh(variable.name());
        let is_const = variable.is_const && variable.space == AddressSpace::Global;
        let qualifiers = if is_const { "const " } else { "" };
        let mut text = format!("{} {qualifiers}{number} *", variable.space.qualifier());
        text.push_str(std::str::from_utf8(&name).ok()?);
        self.parameters.push(text.into_bytes());
        if !free.changes_elements {
            return Some(name);
        }
        // Each work-item has elements of its own.
        let own = format!(" + {OWN_ELEMENTS} * {})", launch::linear_id(self.dimensions));
        Some([b"(", &name[..], own.as_bytes()].concat())
    }

    /// Declares a variable for a free name. Returns its name.
    fn declare(
        &mut self,
        variable: &SplicedVariable,
        spelled: &[u8],
        lengths: &[u8],
        value: &[u8],
    ) -> Vec<u8> {
        let name = self.snippet.fresh(variable.name());
        let parts = [spelled, b" ", &name, lengths, b" = ", value, b"; "];
        self.declarations.push(parts.concat());
        name
    }
}

/// A value of a type.
fn literal(number: Number, stream: &mut Stream) -> Vec<u8> {
    let small = stream.pick(&[0, 1, 2, 3, 4, 5, 7, 8, 15]);
    let scalar = match number.scalar {
        Scalar::Int => small.to_string(),
        Scalar::Uint => format!("{small}u"),
        Scalar::Long => format!("{small}l"),
        Scalar::Ulong => format!("{small}ul"),
        Scalar::Float => format!("{small}.5f"),
        Scalar::Double => format!("{small}.5"),
        Scalar::Char | Scalar::Uchar | Scalar::Short | Scalar::Ushort | Scalar::Half => {
            format!("({}){small}", number.scalar.name())
        }
    };
    match number.lanes {
        1 if scalar.starts_with('(') => format!("({scalar})").into_bytes(),
        1 => scalar.into_bytes(),
        _ => format!("(({number})({scalar}))").into_bytes(),
    }
}

/// The variables in the heads of the loops around a place.
fn counted(program: &ParsedKernels, at: NodeId) -> BTreeSet<SymbolId> {
    let tree = program.tree();
    let loops = tree.ancestors(at).filter(|&id| is_loop(tree.kind(id)));
    let heads = loops.flat_map(|id| {
        tree.children(id).filter(|&child| tree.node(child).field != Some(NodeField::Body))
    });
    heads.flat_map(|head| program.names_in(head)).map(|(_, symbol)| symbol).collect()
}

/// The part in place of a value, and the declarations before the statement in which it stands.
fn instead_of_value(
    program: &ParsedKernels,
    node: NodeId,
    text: &[u8],
    declarations: Vec<u8>,
) -> Option<Vec<Edit>> {
    let tree = program.tree();
    let value = [b"(", text, b")"].concat();
    let mut edits = vec![Edit::replace(0, tree.range(node), value)];
    if !declarations.is_empty() {
        let in_block = |id: &NodeId| {
            tree.parent(*id).is_some_and(|around| tree.kind(around) == NodeKind::CompoundStatement)
        };
        let statement = tree.ancestors(node).find(in_block)?;
        let start = tree.range(statement).start;
        edits.push(Edit::replace(0, start..start, declarations));
    }
    Some(edits)
}

/// The part in place of a statement or block, or before it.
fn beside_or_instead(
    program: &ParsedKernels,
    site: Site,
    text: &[u8],
    stream: &mut Stream,
) -> Edit {
    let range = program.tree().range(site.node);
    let old = &program.text[range.clone()];
    let is_beside = site.kind == SiteKind::Statement && stream.chance(40);
    let stays = is_needed(program, site.node) || is_beside;
    let new = match stays {
        false => [b"{ ", text, b" }"].concat(),
        true => [b"{ { ", text, b" } ", old, b" }"].concat(),
    };
    Edit::replace(0, range, new)
}

/// Returns true if a statement gives a variable its first value, or work-items wait in it, or it leaves the function.
fn is_needed(program: &ParsedKernels, node: NodeId) -> bool {
    let (tree, symbols) = (program.tree(), program.symbols());
    let sets = program.names_in(node).any(|(name, id)| {
        let declared = symbols.get(id).declarations[0];
        let is_new = tree.parent(declared).is_some_and(|parent| {
            matches!(tree.kind(parent), NodeKind::Declaration | NodeKind::ArrayDeclarator)
        });
        let found = Use::at(tree, name);
        !program.is_within(declared, node) && is_new && (found.may_change() || found.whole.writes())
    });
    sets || synchronises(program, node) || jumps_out(program, node)
}

/// Adds parameters to a kernel that nothing else declares or calls.
fn more_parameters(
    program: &ParsedKernels,
    function: ParsedFunction,
    more: &[Vec<u8>],
) -> Option<Edit> {
    let (range, text) = with_parameters(program, function, more)?;
    Some(Edit::replace(0, range, text))
}

/// The list of parameters of a kernel that nothing else declares or calls, with more of them.
pub(crate) fn with_parameters(
    program: &ParsedKernels,
    function: ParsedFunction,
    more: &[Vec<u8>],
) -> Option<(Range<usize>, Vec<u8>)> {
    let (tree, symbols) = (program.tree(), program.symbols());
    let symbol = symbols.get(symbols.of(function.name)?);
    let list = tree.field(tree.parent(function.name)?, NodeField::Parameters)?;
    let present = tree.named_children(list).count();
    let is_alone = symbol.declarations.len() == 1 && symbol.uses.is_empty();
    // Some devices have room for no more than 1 KB of parameters.
    if !is_alone || present + more.len() > 24 {
        return None;
    }
    let text = program.bytes(list);
    let inner = text.get(1..text.len().checked_sub(1)?)?.trim_ascii();
    let kept = if matches!(inner, b"" | b"void") { Vec::new() } else { vec![inner.to_vec()] };
    let all = kept.into_iter().chain(more.iter().cloned()).collect::<Vec<_>>().join(&b", "[..]);
    Some((tree.range(list), [b"(", &all[..], b")"].concat()))
}
