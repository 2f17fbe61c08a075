//! A reduction that must go uphill first: a function inlined at four calls is more code, until its
//! copies have been simplified.

use clreduce::Reduction;
use clreduce::events::Event;
use clreduce_testcase::{Size, TestCase};

const SOURCE: &str = "void f(int x, int y) { if (x) a(y); if (!x) b(y); }
int main(void) { f(1, 1); f(0, 2); f(1, 3); f(0, 4); return 0; }
";

/// Interesting as it is, or with the calls that it comes to; nothing in between.
fn calls_the_same(variant: &TestCase) -> bool {
    let dense = |text: &str| text.split_whitespace().collect::<String>();
    let text = dense(&String::from_utf8_lossy(&variant.files()[0].bytes));
    let all = |parts: &[&str]| parts.iter().all(|part| text.contains(part));
    all(&[&dense(SOURCE)]) || all(&["a(1)", "b(2)", "a(3)", "b(4)"])
}

#[test]
fn inlining_may_grow_the_program_before_it_shrinks() {
    let case = TestCase::single("bug.c", SOURCE.as_bytes()).unwrap();
    let original = Size::of(&case);
    let mut sizes = vec![original];
    let reduced = Reduction::of(case)
        .test(calls_the_same)
        .on_event(|event| {
            if let Event::Committed { size, .. } = event {
                sizes.push(*size);
            }
        })
        .run()
        .unwrap();
    let text = String::from_utf8_lossy(&reduced.case.files()[0].bytes).into_owned();
    assert!(!text.contains("f("), "{text}");
    assert!(reduced.size.tokens < original.tokens / 2, "{text}");
    // Never uphill in what is committed.
    assert!(sizes.windows(2).all(|pair| pair[1] <= pair[0]), "{sizes:?}");
}
