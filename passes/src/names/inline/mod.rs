//! Puts a function's body in place of all its calls and removes the function, or in place of one of several.
//!
//! A function that only returns an expression can stand anywhere. Any other must end in its only
//! `return` or have none. Its body stands where the call is a statement, an assigned value, an initialiser or a
//! returned value, or before the statement with the call; where the call may not happen at all, or more than once, it becomes
//! a statement expression. A parameter that the body never changes is replaced by its argument; the others become
//! variables of the block.
//!
//! before:
//! ```c
//! int sq(int x) { return x * x; } void set(int v) { g = v; h(); } int f(void) { set(3); return sq(2); }
//! ```
//! after:
//! ```c
//! int f(void) { { g = 3; h(); } return (2 * 2); }
//! ```

mod body;

use clreduce_language::NodeId;
use clreduce_testcase::{Edit, Patch};

use crate::analysis::{CallPlaces, Function, calls, functions, token_count};
use crate::budget::Budget;
use crate::edit::remove_declaration;
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;
use body::{Arguments, InlinedBody};

pub(crate) const PASS: Pass =
    Pass::new("inline", "Put function bodies in place of calls", PARSED, propose).growing();

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    let functions = functions(snapshot, proposals);
    let places: Vec<CallPlaces<'_>> =
        (0..snapshot.file_count()).map(|file| CallPlaces::new(snapshot.tree(file))).collect();
    for (list, arguments) in [Arguments::Substituted, Arguments::Stored].into_iter().enumerate() {
        for function in &functions {
            let places = &places[function.file];
            let edits = inline(snapshot, function, places, arguments, proposals);
            let patch = edits.and_then(Patch::new);
            proposals.extend(patch.map(|patch| Proposal::new(patch).in_list(list as u32)));
        }
    }
    for function in &functions {
        let single = at_one_call(snapshot, function, &places[function.file], proposals);
        proposals.extend(single.into_iter().map(|patch| Proposal::new(patch).in_list(2)));
    }
}

/// Calls of a function that is put in place of all of them.
const MOST_CALLS: Budget = Budget::new("calls of one function", 8);
/// Calls of a function whose body is hardly longer than a call: at most [`SHORT`] tokens.
const MOST_CALLS_OF_SHORT: Budget = Budget::new("calls of one short function", 64);
const SHORT: usize = 10;

fn inline(
    snapshot: &Snapshot,
    function: &Function,
    places: &CallPlaces<'_>,
    arguments: Arguments,
    proposals: &mut Proposals,
) -> Option<Vec<Edit>> {
    let file = function.file;
    let (tree, symbols) = (snapshot.tree(file), snapshot.symbols(file));
    let calls = inlinable_calls(snapshot, function, proposals)?;
    let body = InlinedBody::read(snapshot, function, places, arguments)?;
    let mut edits = Vec::new();
    for declaring in &symbols.get(function.symbol).declarations {
        edits.push(remove_declaration(tree, file, *declaring)?);
    }
    for call in calls {
        edits.extend(body.at_call(call)?);
    }
    Some(edits)
}

/// Patches that put a function in place of one call each and leave it for the others.
fn at_one_call(
    snapshot: &Snapshot,
    function: &Function,
    places: &CallPlaces<'_>,
    proposals: &mut Proposals,
) -> Vec<Patch> {
    let calls = inlinable_calls(snapshot, function, proposals).filter(|calls| calls.len() > 1);
    let Some(calls) = calls.filter(|calls| proposals.allow(&MOST_CALLS, calls.len())) else {
        return Vec::new();
    };
    let Some(body) = InlinedBody::read(snapshot, function, places, Arguments::Substituted) else {
        return Vec::new();
    };
    calls.into_iter().filter_map(|call| Patch::new(body.at_call(call)?)).collect()
}

/// The calls of a function whose name stands in calls only. `None` if there are too many, or if one stands in the function
/// itself or in an argument of another.
fn inlinable_calls(
    snapshot: &Snapshot,
    function: &Function,
    proposals: &mut Proposals,
) -> Option<Vec<NodeId>> {
    let (tree, symbols) = (snapshot.tree(function.file), snapshot.symbols(function.file));
    let symbol = symbols.get(function.symbol);
    // What is called often is worth it only where little takes the place of each call.
    let is_short = token_count(snapshot, function.file, function.body) <= SHORT;
    let most_calls = if is_short { &MOST_CALLS_OF_SHORT } else { &MOST_CALLS };
    if symbol.opaque || symbol.uses.is_empty() || !proposals.allow(most_calls, symbol.uses.len()) {
        return None;
    }
    let calls = calls(snapshot, function.file, function.symbol)?;
    let nested =
        |call: &NodeId| calls.iter().any(|outer| outer < call && *call < tree.node(*outer).after);
    let recursive =
        |call: &NodeId| function.definition < *call && *call < tree.node(function.definition).after;
    let is_entangled = calls.iter().any(|call| nested(call) || recursive(call));
    (!is_entangled).then_some(calls)
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::reduce_with;

    fn reduce(source: &str) -> String {
        reduce_with(&PASS, source, Language::C, |_| true).trim().to_string()
    }

    #[test]
    fn expressions_stand_anywhere() {
        assert_eq!(
            reduce(
                "int sq(int x, int y) { return x * y; }\nint f(void) { return 1 + sq(2 + 3, g); }"
            ),
            "int f(void) { return 1 + ((2 + 3) * g); }"
        );
    }

    #[test]
    fn statements_become_blocks() {
        assert_eq!(
            reduce("void set(int v, int n) { g = v; n--; }\nint f(void) { set(3, 4); }"),
            "int f(void) { { int n = 4; g = 3; n--;  } }"
        );
        assert_eq!(
            reduce("int get(void) { g = 1; return g; }\nint f(void) { int x = get(); y = x; }"),
            "int f(void) { int x;{ g = 1; x = g; } y = x; }"
        );
    }

    #[test]
    fn a_short_one_in_place_of_many_calls() {
        let calls = "add(&s, x); ".repeat(20);
        let source = format!("void add(long *a, long b) {{ *a += b; }}\nvoid f(void) {{ {calls}}}");
        let inlined = reduce(&source);
        assert_eq!(inlined.matches("*(&s) += x;").count(), 20, "{inlined}");
        let longer = source.replace("*a += b;", "*a += b; *a *= b; *a -= b;");
        assert_eq!(reduce(&longer), longer.trim());
    }

    #[test]
    fn what_may_not_happen_is_an_expression() {
        let define = "int get(int *p) { ++*p; return *p; }\n";
        let inlined = |uses: &str| reduce(&format!("{define}void f(void) {{ {uses} }}"));
        assert_eq!(inlined("a && get(&b);"), "void f(void) { a && ({ ++*(&b); *(&b); }); }");
        assert_eq!(inlined("while (get(c)) ;"), "void f(void) { while (({ ++*c; *c; })) ; }");
        let chosen = inlined("x = a ? get(c) : 0;");
        assert_eq!(chosen, "void f(void) { x = a ? ({ ++*c; *c; }) : 0; }");
    }

    #[test]
    fn a_body_may_stand_before_the_statement() {
        assert_eq!(
            reduce("int *get(int x) { g = x; return &g; }\nint f(void) { if (h(*get(3))) k(); }"),
            "int f(void) { { int * get; { g = 3; get = &g; } if (h(*get)) k(); } }"
        );
    }

    #[test]
    fn one_call_of_several() {
        let source = "int get(void) { return x; }\nint f(void) { return get() + get() + get(); }";
        assert_eq!(
            reduce_with(&PASS, source, Language::C, |text| text.contains("get() +")),
            "int get(void) { return x; }\nint f(void) { return x + get() + x; }"
        );
    }

    #[test]
    fn leaves_early_returns_and_recursion() {
        let source = "int f(int x) { if (x) return 1; return f(0); }\nint g(void) { return f(1); }";
        assert_eq!(reduce(source), source);
    }
}
