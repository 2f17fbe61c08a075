//! Large groups are tried before small ones, and what was refuted is not tried again as a part of something larger.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use clreduce::events::Event;
use clreduce::{PassChoice, Reduction};
use clreduce_testcase::TestCase;

/// The passes of the steps of a reduction, in their order, and what it ends with.
fn passes_of_steps(
    source: &str,
    passes: PassChoice,
    interesting: impl Fn(&str) -> bool + Send + Sync + 'static,
) -> (Vec<String>, String) {
    let mut passes_asked = Vec::new();
    let reduced = Reduction::of(TestCase::single("bug.c", source.as_bytes()).unwrap())
        .test(move |variant: &TestCase| {
            interesting(&String::from_utf8_lossy(&variant.files()[0].bytes))
        })
        .passes(passes)
        .jobs(NonZeroUsize::MIN)
        .on_event(|event| {
            if let Event::Judged { pass, .. } = event {
                passes_asked.push(pass.to_string());
            }
        })
        .run()
        .unwrap();
    (passes_asked, String::from_utf8_lossy(&reduced.case.files()[0].bytes).into_owned())
}

#[test]
fn small_needles_wait_until_what_is_large_is_gone() {
    let needles: String =
        (0..80).map(|at| format!("int needle{at}(void) {{ return {at}; }}\n")).collect();
    let statements: String = (0..800).map(|at| format!("x += {at};\n")).collect();
    let source = format!("{needles}int main(void) {{ int x = 0;\n{statements}return x; }}\n");
    let (asked, _) = passes_of_steps(&source, PassChoice::default(), |text| {
        text.matches("needle").count() == 80
    });
    let before = asked.iter().take_while(|pass| *pass == "unreachable").count();
    assert!((1..20).contains(&before), "{before}");
}

#[test]
fn what_contains_something_refused_is_not_tried_with_others() {
    // Each `used` can only go with its user, the needle; they stand among what can go.
    let variables: String = (0..64).map(|at| format!("int used{at}; int unused{at};\n")).collect();
    let sum: String = (0..64).map(|at| format!("used{at} + ")).collect();
    let source = format!(
        "{variables}int needle(void) {{ return {sum} 0; }}\nint main(void) {{ return 0; }}\n"
    );
    let passes = PassChoice { only: vec!["unreachable".to_owned()], ..PassChoice::default() };
    let (asked, left) = passes_of_steps(&source, passes, |text| text.contains("needle"));
    assert!(left.contains("used63") && !left.contains("unused"), "{left}");
    assert!(asked.len() < 20, "{}", asked.len());
}

#[test]
fn what_keeps_less_than_something_refused_is_not_asked() {
    let functions: String = (0..300)
        .map(|at| format!("int f{at}(void) {{ int x = {at}; x += {at}; return x; }}\n"))
        .collect();
    let source = format!("{functions}int main(void) {{ return 0; }}\n");
    let passes = PassChoice { only: vec!["unreachable".to_owned()], ..PassChoice::default() };
    let asked = Arc::new(Mutex::new(Vec::<(BTreeSet<String>, bool)>::new()));
    let record = Arc::clone(&asked);
    let (_, left) = passes_of_steps(&source, passes, move |text| {
        let kept = text.lines().filter_map(|line| Some(line.split_once("(void)")?.0.to_owned()));
        let kept: BTreeSet<String> = kept.collect();
        let interesting =
            [40, 90, 140, 190, 240].iter().all(|at| kept.contains(&format!("int f{at}")));
        record.lock().unwrap().push((kept, interesting));
        interesting
    });
    assert_eq!(left.matches("int f").count(), 5, "{left}");
    let asked = asked.lock().unwrap();
    // As long as groups are large.
    let asked = &asked[..24];
    for (at, (kept, _)) in asked.iter().enumerate() {
        let refused = asked[..at].iter().filter(|(_, interesting)| !interesting);
        assert_eq!(refused.filter(|(refused, _)| kept.is_subset(refused)).count(), 0, "step {at}");
    }
}
