//! The declarations before a program in C: types, and the instances of functions that it uses. They are made of the parts of
//! `c.h`.

use std::collections::{BTreeMap, BTreeSet};

use super::names::{name, number};
use super::prelude::{FIRST_AFTER_TYPES, MARK, PARTS};
use crate::ir::{ScalarType, Ty};

/// The parts of the declarations.
const TEMPLATES: &str = include_str!("c.h");

/// The declarations before a text: types, and instances of functions, as far as it needs them.
pub(super) fn text(text: &str) -> String {
    let templates: Vec<Template> = TEMPLATES.split(MARK).skip(1).filter_map(template).collect();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut definitions: BTreeMap<(usize, String), String> = BTreeMap::new();
    let mut pending = vec![text.to_owned()];
    while let Some(text) = pending.pop() {
        for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
            if !seen.insert(word.to_owned()) {
                continue;
            }
            if let Some((place, definition)) = definition(&templates, word) {
                pending.push(definition.clone());
                definitions.insert((place, word.to_owned()), definition);
            }
        }
    }
    let vectors: Vec<Ty> = types_of_vectors().filter(|ty| seen.contains(&name(*ty))).collect();
    seen.extend(vectors.iter().map(|ty| name(ty.lane())));
    let types = PARTS.split_once(FIRST_AFTER_TYPES).map_or("", |(types, _)| types);
    let types = types.split(MARK).skip(1).filter_map(|part| part.split_once('\n'));
    let needed = types.filter(|(name, _)| seen.contains(*name));
    let mut all: String = needed.map(|(_, declaration)| declaration).collect();
    for ty in vectors {
        let (lane, name, bytes) = (name(ty.lane()), name(ty), ty.bits() / 8);
        all += &format!("typedef {lane} {name} __attribute__((vector_size({bytes})));\n");
    }
    definitions.values().fold(all, |all, definition| all + definition)
}

fn types_of_vectors() -> impl Iterator<Item = Ty> {
    let scalars = ScalarType::ALL.into_iter().chain(ScalarType::FLOATS);
    scalars.flat_map(|scalar| Ty::LANES.map(|lanes| Ty { scalar, lanes }))
}

/// A part of the declarations.
struct Template<'a> {
    name: &'a str,
    /// The number of types in the names of its instances.
    types: usize,
    for_vectors: bool,
    text: &'a str,
}

fn template(part: &str) -> Option<Template<'_>> {
    let (head, text) = part.split_once('\n')?;
    let mut words = head.split(' ');
    let (name, rest) = (words.next()?, words.collect::<Vec<_>>());
    let for_vectors = rest.last() == Some(&"vectors");
    Some(Template { name, types: rest.len() - usize::from(for_vectors), for_vectors, text })
}

/// The definition of a function of a name, and its place among others.
fn definition(templates: &[Template<'_>], word: &str) -> Option<(usize, String)> {
    if let Some(text) = of_lanes(word) {
        return Some((0, text));
    }
    let found = |for_vectors: bool| {
        templates.iter().enumerate().find_map(|(at, template)| {
            let types = types(word.strip_prefix(template.name)?)?;
            let fits = types.len() == template.types && template.for_vectors == for_vectors;
            fits.then_some((2 * at, template, types))
        })
    };
    let of_vectors = found(true).filter(|(_, _, types)| types.iter().any(|ty| ty.is_vector()));
    if let Some((place, template, types)) = of_vectors {
        return Some((place + 1, filled(template.text, &types)));
    }
    let (place, template, types) = found(false)?;
    Some(match types.iter().any(|ty| ty.is_vector()) {
        true => (place + 1, lane_by_lane(template, &types)),
        false => (place, filled(template.text, &types)),
    })
}

/// The types at the end of a name.
fn types(end: &str) -> Option<Vec<Ty>> {
    let mut parts = end.split('_');
    (parts.next()?.is_empty()).then(|| parts.map(ty_of).collect())?
}

fn ty_of(text: &str) -> Option<Ty> {
    let (scalar, lanes) = text.split_once('x').unwrap_or((text, "1"));
    let lanes = lanes.parse().ok().filter(|lanes| *lanes == 1 || Ty::LANES.contains(lanes))?;
    let mut scalars = ScalarType::ALL.into_iter().chain(ScalarType::FLOATS);
    let scalar = scalars.find(|known| name(Ty::scalar(*known)) == scalar)?;
    Some(Ty { scalar, lanes })
}

/// A template with types in the places of its letters.
fn filled(text: &str, types: &[Ty]) -> String {
    let of = |at: usize| types.get(at).map(|ty| name(*ty)).unwrap_or_default();
    let Some(ty) = types.first().copied() else { return text.to_owned() };
    let (scalar, bits) = (ty.scalar, ty.scalar.bits());
    let half = |is_signed: bool| {
        let mut all = ScalarType::ALL.into_iter();
        let half = all.find(|one| one.bits() * 2 == bits && one.is_signed() == is_signed);
        half.map(|half| name(ty.of(half))).unwrap_or_default()
    };
    let signed = |is_signed: bool| name(ty.of(scalar.with_sign(is_signed)));
    let product = match (bits, scalar.is_signed()) {
        (64, true) => "__int128",
        (64, false) => "unsigned __int128",
        (_, true) => "int64",
        (_, false) => "uint64",
    };
    let [least, greatest] =
        [scalar.least(), scalar.greatest()].map(|value| number(value as i64, scalar));
    let replacements = [
        ("$T", of(0)),
        ("$V", of(1)),
        ("$X", of(2)),
        ("$U", signed(false)),
        ("$S", signed(true)),
        ("$E", name(ty.lane())),
        ("$H", half(scalar.is_signed())),
        ("$K", half(false)),
        ("$W", product.to_owned()),
        ("$B", bits.to_string()),
        ("$L", least),
        ("$M", greatest),
        ("$N", ty.lanes.to_string()),
        ("$P", types.get(1).map_or(1, |ty| ty.lanes).to_string()),
        ("$F", if scalar == ScalarType::Float { "f" } else { "" }.to_owned()),
    ];
    replacements.iter().fold(text.to_owned(), |text, (letter, with)| text.replace(letter, with))
}

/// A function on vectors that calls the one on scalars for each lane.
fn lane_by_lane(template: &Template<'_>, types: &[Ty]) -> String {
    let lanes: Vec<Ty> = types.iter().map(|ty| ty.lane()).collect();
    let signature = template.text.split(" {").next().unwrap_or_default();
    let [whole, one] = [types, &lanes].map(|types| filled(signature, types));
    let words = |text: &str| text.split([' ', '(']).map(str::to_owned).collect::<Vec<_>>();
    let (whole_words, one_words) = (words(&whole), words(&one));
    let parameters = whole.split(['(', ')']).nth(1).unwrap_or_default().split(", ");
    let arguments: Vec<_> =
        parameters.filter_map(|one| Some(format!("{}[i]", one.split(' ').next_back()?))).collect();
    format!(
        "{whole} {{ {result} r = {{0}}; for (int32 i = 0; i < {count}; i++) r[i] = {one}({arguments}); return r; }}\n",
        result = whole_words[1],
        count = types.first().map_or(1, |ty| ty.lanes),
        one = one_words[2],
        arguments = arguments.join(", "),
    )
}

/// The definition of a function whose name says lanes, or how many there are.
fn of_lanes(word: &str) -> Option<String> {
    let mut parts = word.split('_');
    let function = parts.next().filter(|name| ["splat", "join", "pick"].contains(name))?;
    let ty = ty_of(parts.next()?)?;
    let (into, lane) = (name(ty), name(ty.lane()));
    let from = if function == "pick" { Some(ty_of(parts.next()?)?) } else { None };
    let lanes: Vec<u8> = parts.map(str::parse).collect::<Result<_, _>>().ok()?;
    let listed = |parts: Vec<String>| parts.join(", ");
    Some(match from {
        None if function == "splat" => {
            let all = listed(vec!["x".to_owned(); usize::from(ty.lanes)]);
            format!("static {into} {word}({lane} x) {{ return ({into}){{{all}}}; }}\n")
        }
        None => {
            let parameters = (0..).zip(&lanes).map(|(at, lanes)| {
                let ty = Ty { lanes: *lanes, ..ty };
                format!("{} p{at}", name(ty))
            });
            let values = (0..).zip(&lanes).flat_map(|(at, lanes)| match lanes {
                1 => vec![format!("p{at}")],
                _ => (0..*lanes).map(|lane| format!("p{at}[{lane}]")).collect(),
            });
            let (parameters, values) = (listed(parameters.collect()), listed(values.collect()));
            format!("static {into} {word}({parameters}) {{ return ({into}){{{values}}}; }}\n")
        }
        Some(from) => {
            let numbers = listed(lanes.iter().map(u8::to_string).collect());
            let values = listed(lanes.iter().map(|lane| format!("v[{lane}]")).collect());
            // gcc 11 has no such built-in function.
            format!(
                "static {into} {word}({} v) {{\n#if __has_builtin(__builtin_shufflevector)\n    return __builtin_shufflevector(v, v, {numbers});\n#else\n    return ({into}){{{values}}};\n#endif\n}}\n",
                name(from)
            )
        }
    })
}
