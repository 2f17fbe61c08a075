//! Puts the body of a member function or of an operator in the place of a call of it.
//!
//! `a.f(1)` becomes what `f` returns, or what it does if the call is a statement, with `a` in the place of `this` and arguments in
//! the place of parameters. A member that is the only one of its name goes with its last call. Which function an operator calls
//! depends on types, so that each of its uses is tried alone, and the function goes with it.
//!
//! before:
//! ```cpp
//! struct A { int x; int get(int y) { return x + y; } void set() { this->x = 2; } };
//! int f() { A a; a.set(); return a.get(3); }
//! ```
//! after:
//! ```cpp
//! struct A { int x; };
//! int f() { A a; { a.x = 2; } return (a.x + 3); }
//! ```

mod call;
mod function;

use std::collections::HashMap;

use clreduce_language::{EntityId, ItemId, NodeField, NodeId, NodeKind};
use clreduce_testcase::{Edit, Patch};

use self::call::CallSite;
use self::function::InlinedFunction;
use crate::analysis::{Spelling, Unit};
use crate::budget::Budget;
use crate::edit::disjoint;
use crate::pass::{CPP, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "cpp-inline-members",
    "Put bodies of member functions and operators in place of calls",
    CPP,
    propose,
)
.growing();

/// Calls that a body is put in the place of.
const MOST_CALLS: Budget = Budget::new("calls of one member", 8);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let (entities, symbols) = (snapshot.entities(unit.file), snapshot.symbols(unit.file));
        let spelling = Spelling { unit, entities, symbols };
        let calls = CallSites::read(spelling);
        for id in entities.ids() {
            let Some(function) = InlinedFunction::read(spelling, id) else { continue };
            let name = entities.name(function.entity);
            if let Some(operator) = name.strip_prefix(b"operator") {
                let uses = calls.operators.get(operator).map_or(&[][..], Vec::as_slice);
                let uses = uses.iter().filter(|&&at| !function.holds(unit, at)).copied();
                for at in proposals.limited(&MOST_CALLS, uses) {
                    let edit = CallSite::of_operator(unit, at).and_then(|it| function.at(&it));
                    let patch = edit.and_then(|edit| whole(&spelling, id, vec![edit]));
                    proposals.extend(patch.map(|patch| patch.in_list(1)));
                }
            } else if let Some(names) = calls.members.get(&function.entity)
                && proposals.allow(&MOST_CALLS, names.len())
            {
                let edits = names.iter().map(|&name| {
                    let call = CallSite::of_member(unit, name)?;
                    function.at(&call).filter(|_| !function.holds(unit, name))
                });
                let edits: Option<Vec<Edit>> = edits.collect();
                proposals.extend(edits.and_then(|edits| whole(&spelling, id, edits)));
            }
        }
    }
}

/// The proposal that puts a function in the place of all its calls.
fn whole(spelling: &Spelling<'_>, id: ItemId, mut edits: Vec<Edit>) -> Option<Proposal> {
    let (unit, entities) = (spelling.unit, spelling.entities);
    edits.push(unit.delete(entities.range(unit.tree, id)));
    let count = edits.len();
    let edits = disjoint(edits);
    // A call in an argument of another one.
    let is_plain = edits.len() == count;
    Patch::new(edits).filter(|_| is_plain).map(Proposal::new)
}

/// The places that may call a member or an operator.
struct CallSites<'a> {
    /// By member, of which there is one of the name, all names that lead to it.
    members: HashMap<EntityId, Vec<NodeId>>,
    /// By operator, the expressions that may call it.
    operators: HashMap<&'a [u8], Vec<NodeId>>,
}

impl<'a> CallSites<'a> {
    fn read(spelling: Spelling<'a>) -> Self {
        let (unit, tree) = (spelling.unit, spelling.unit.tree);
        let mut calls = Self { members: HashMap::new(), operators: HashMap::new() };
        for (id, kind) in unit.sound() {
            let member = match kind {
                NodeKind::FieldIdentifier => spelling.member(id),
                // Inside of its class, it is called by its name alone.
                NodeKind::Identifier if spelling.symbols.of(id).is_none() => spelling.member(id),
                NodeKind::BinaryExpression | NodeKind::PointerExpression => {
                    let operator = tree.field(id, NodeField::Operator);
                    let text = operator.map(|operator| unit.text(operator));
                    calls.operators.entry(text.unwrap_or_default()).or_default().push(id);
                    None
                }
                NodeKind::SubscriptExpression => {
                    calls.operators.entry(b"[]").or_default().push(id);
                    None
                }
                _ => None,
            };
            let is_declared = tree.node(id).field == Some(NodeField::Declarator);
            if let Some(member) = member.filter(|_| !is_declared) {
                calls.members.entry(member).or_default().push(id);
            }
        }
        calls
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, keep: &[&str], after: &str) {
        assert_reduces(&PASS, Language::CPP, before, keep, after);
    }

    #[test]
    fn the_object_stands_for_this() {
        check(
            "struct B { int c; }; struct A { B b; int f(A a) { g(*this, this); return b.c + this->b.c + a.b.c; } }; int h(A *a, A x) { return a->f(x); }",
            &["int h("],
            "struct B { int c; }; struct A { B b; int f(A a) { g(*this, this); return b.c + this->b.c + a.b.c; } }; int h(A *a, A x) { return a->f(x); }",
        );
        check(
            "struct B { int c; }; struct A { B b; int f(A a) { return b.c + this->b.c + a.b.c + k(*this, this); } }; int h(A *a, A x) { return a->f(x); }",
            &[],
            "struct B { int c; }; struct A { B b; }; int h(A *a, A x) { return (a->b.c + a->b.c + x.b.c + k(*a, a)); }",
        );
    }

    #[test]
    fn what_a_template_is_for_a_call_may_not_matter() {
        check(
            "struct A { int x; template <class F> int each(F f) { return f(x); } template <class T> T as() { return T(x); } };
             int f(A &a) { return a.each([](int x) { return x; }) + a.as<int>(); }",
            &[],
            "struct A { int x; template <class T> T as() { return T(x); } };
             int f(A &a) { return ([](int x) { return x; })(a.x) + a.as<int>(); }",
        );
    }

    #[test]
    fn what_is_more_than_a_call_stays() {
        for source in [
            "struct A { int f() { return 1; } }; auto p = &A::f; int x = A().f();",
            "struct A { virtual int f() { return 1; } }; int x = A().f();",
            "struct A { int f(); }; int x = A().f();",
            "struct A { int f() { return f(); } }; int x = A().f();",
            "struct A { int f(int x) { return x; } }; int y = A().f(A().f(1));",
            "struct A { int f() { if (1) return 2; return 1; } }; int x = A().f();",
        ] {
            check(source, &[], source);
        }
    }

    #[test]
    fn operators_may_be_members_or_not() {
        check(
            "struct A { int x; int operator+(int y) { return y; } friend int operator*(A a, A b) { return b.x; } int &operator[](int i) { return x; }
             void operator<<(A a) { a.x = 1; } int operator*() { return 1; } };
             int f(A first, A b, A c) { b << c; c * b; return g(b + 1, first * c, b[2], *b); }",
            &["c * b"],
            "struct A { int x; };
             int f(A first, A b, A c) { { c.x = 1; } c * b; return g(1, c.x, b.x, 1); }",
        );
    }
}
