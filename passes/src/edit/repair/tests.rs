//! Tests of repairs: what stays of a refused group, by what compilers said about it.

use clreduce_testcase::{Language, TestCase};

use super::*;

const SOURCE: &str = "struct A { int a; };\nnamespace n { struct B { B(A); A b; int g(); }; struct C { }; int h(C); }\n\
                      int f(A) { return 1; } struct D { friend int operator==(D, int) { return 2; } };\nint main() {\n  n::B b(A());\n  return b.g() + f(A());\n}\n";

/// What is left of the source where all of these parts are removed, but for those that are to blame.
fn left(gone: &[(&str, &'static str)], complaints: &[(u32, &[&str])]) -> Option<String> {
    left_after(0, gone, complaints)
}

/// The same, where `times` earlier variants had these errors.
fn left_after(
    times: u32,
    gone: &[(&str, &'static str)],
    complaints: &[(u32, &[&str])],
) -> Option<String> {
    let case = TestCase::single("a.cc", SOURCE.as_bytes()).unwrap();
    let edit = |&(part, text): &(&str, &'static str)| {
        let start = SOURCE.find(part).unwrap();
        Patch::single(Edit::replace(0, start..start + part.len(), text.as_bytes()))
    };
    let proposals: Vec<Patch> = gone.iter().map(edit).collect();
    let all = |patches: Vec<&Patch>| {
        Patch::new(patches.iter().flat_map(|patch| patch.edits()).cloned().collect()).unwrap()
    };
    let complaint = |&(line, names): &(u32, &[&str])| Complaint {
        file: "a.cc".to_owned(),
        line,
        column: 0,
        names: names.iter().map(|name| (*name).to_owned()).collect(),
    };
    let complaints: Vec<Complaint> = complaints.iter().map(complaint).collect();
    let proposals: Vec<&Patch> = proposals.iter().collect();
    let (refused, accepted) = (all(proposals.clone()), Patch::default());
    let heard = complaints.iter().map(|it| (it.names.clone(), times)).collect();
    let refusal = RefusedGroup {
        proposals: &proposals,
        parts: &Patch::default(),
        refused: &refused,
        accepted: &accepted,
        complaints: &complaints,
        heard: &heard,
    };
    let snapshot = Snapshot::new(case.clone(), Language::CPP);
    let Repaired { blamed, parts, .. } = refusal.repaired(&snapshot)?;
    let left = (0..).zip(&proposals).filter(|(index, _)| !blamed.contains(index));
    let left = left.map(|(_, patch)| *patch).chain([&parts]).collect();
    let left = case.apply(&all(left));
    let text = String::from_utf8(left.files()[0].bytes.to_vec()).unwrap().replace('\n', " ");
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn what_an_error_names_stays_with_what_it_needs_for_certain() {
    let gone =
        ["struct A { int a; };", "struct B { B(A); A b; int g(); };", "struct C { };", "int h(C);"];
    let gone = gone.map(|part| (part, ""));
    let text = left(&gone, &[(4, &["B", "n"])]).unwrap();
    let expected = "struct A { int a; }; namespace n { struct B { B(A); A b; }; } int f(A)";
    assert!(text.starts_with(expected), "{text}");
    let text = left(&gone, &[(4, &["n::B", "g"]), (4, &["h"])]).unwrap();
    assert!(text.contains("int g(); }; struct C { }; int h(C); }"), "{text}");
}

#[test]
fn of_a_namespace_only_that_stays_which_is_missed() {
    let start = SOURCE.find("namespace").unwrap();
    let end = start + SOURCE[start..].find(" }\n").unwrap() + 2;
    let gone = [(&SOURCE[start..end], ""), ("struct A { int a; };", "")];
    let text = left(&gone, &[(5, &["n::B"])]).unwrap();
    let expected =
        "struct A { int a; }; namespace n { struct B { B(A); A b; }; } int f(A) { return 1; }";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn what_is_left_of_a_name_is_completed() {
    let gone = [("{ return 1; }", ";"), ("B(A);", ""), ("A b;", "")];
    let text = left(&gone, &[(6, &["f"])]).unwrap();
    assert!(text.contains("int f(A) { return 1; }") && !text.contains("B(A);"), "{text}");
    let text = left(&[("{ return 1; }", ";"), ("B(A);", "")], &[(5, &["n::B"])]).unwrap();
    assert!(text.contains("B(A);") && text.contains("int f(A) ;"), "{text}");
}

#[test]
fn an_operator_may_stand_for_another() {
    let gone = ["friend int operator==(D, int) { return 2; }", "struct C { };"];
    let gone = gone.map(|part| (part, ""));
    let text = left(&gone, &[(4, &["operator!=", "D"])]).unwrap();
    assert!(text.contains("operator==(D, int)") && !text.contains("struct C"), "{text}");
}

#[test]
fn an_error_without_names_is_about_its_place() {
    let text = left(&[("int g();", ""), ("struct C { };", "")], &[(6, &[])]).unwrap();
    assert!(text.contains("int g();") && !text.contains("struct C"), "{text}");
    let text = left(&[("B(A);", ""), ("struct C { };", "")], &[(6, &["unknown"])]).unwrap();
    assert!(text.contains("B(A);") && !text.contains("struct C"), "{text}");
}

#[test]
fn other_errors_change_nothing() {
    let gone = [("struct C { };", ""), ("int h(C);", "")];
    assert_eq!(left(&gone, &[]), None);
    assert_eq!(left(&gone, &[(6, &["unknown"]), (99, &[]), (1, &["n"])]), None);
}

#[test]
fn an_error_that_stays_brings_back_all_that_it_leads_to() {
    let gone = [("int a; }", "}"), ("int h(C);", ""), ("B(A);", "")];
    let text = left_after(1, &gone, &[(5, &["n::B"])]).unwrap();
    assert!(text.contains("B(A);") && !text.contains("int a;"), "{text}");
    let text = left_after(2, &gone, &[(5, &["n::B"])]).unwrap();
    assert!(text.contains("B(A);") && text.contains("int a;") && !text.contains("h(C)"), "{text}");
}
