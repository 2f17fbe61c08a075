//! A kernel with 9,288 work-items whose bug needs two. The reduction goes down to two work-items in its first four tests; a
//! simulator finds the bug in each variant.

#![cfg(target_os = "linux")]

use std::fmt::Write as _;

use crate::support::Bench;

/// A kernel whose 9,288 work-items all write to one place. Thirty functions compute the values.
fn kernel() -> String {
    let mut text = "// -g 36,258,1 -l 2,3,1\n".to_owned();
    for index in 0..30 {
        let (before, add) = (index - 1, index * 7);
        let inner = if index == 0 { "x".to_owned() } else { format!("f{before}(x)") };
        let _ =
            writeln!(text, "uint f{index}(uint x) {{ uint y = {inner}; return y * 3 + {add}; }}");
    }
    text + "__kernel void entry(__global ulong *result) {\n\
            uint id = get_global_id(1) * get_global_size(0) + get_global_id(0);\n\
            ulong sum = 0;\n\
            for (int i = 0; i < 3; i++) sum += f29(id + i);\n\
            result[id] = sum;\n\
            result[0] = id;\n}\n"
}

#[test]
fn two_work_items_from_the_beginning() {
    let bench = Bench::new();
    bench.write("kernel.cl", kernel());
    let clreduce = env!("CARGO_BIN_EXE_clreduce");
    let test = format!(
        "#!/bin/sh\ngrep -q 'void entry' kernel.cl &&\n\
         {clreduce} check kernel.cl --only simulate --json | grep -q '\"kind\":\"data-race\"'\n"
    );
    bench.script("test.sh", &test);
    bench.reduce(&["kernel.cl", "--test", "./test.sh", "--events", "e", "--summary", "s", "-j2"]);

    let events = bench.events("e");
    let at_two = events
        .iter()
        .position(|event| event["event"] == "committed" && event["work_items"] == 2)
        .expect("reduced to two work-items");
    let before = events[..at_two].iter().filter(|event| event["event"] == "judged");
    assert!(before.count() <= 4, "{:#?}", &events[..at_two]);
    let later = events[at_two..].iter().filter_map(|event| event["work_items"].as_u64());
    assert_eq!(later.max(), Some(2));

    let left = bench.read("kernel.cl");
    assert!(left.starts_with("// -g 2 -l "), "{left}");
    assert!(left.len() < 150, "{left}");
}
