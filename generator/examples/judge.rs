//! Says what the interpreter knows about kernels with a launch comment of CLsmith: `judge FILE...` prints a line for each,
//! with the words of the first buffer as `clreduce run` prints them where a kernel is valid.

use clreduce_generator::read::{InterpreterVerdict, judge};

#[path = "../tests/support/launch.rs"]
mod launch;

fn main() {
    for path in std::env::args().skip(1) {
        let source = std::fs::read_to_string(&path).expect("a kernel");
        match judge(source.as_bytes(), &launch::launch(&source)) {
            InterpreterVerdict::Valid(contents) => {
                let result = contents[0].as_ref().expect("the first argument is a buffer");
                let words = result.chunks_exact(8).map(|bytes| {
                    match u64::from_le_bytes(bytes.try_into().expect("eight bytes")) {
                        0 => "0,".to_owned(),
                        word => format!("{word:#x},"),
                    }
                });
                println!("{path}: valid: {}", words.collect::<String>());
            }
            InterpreterVerdict::Invalid(reason) => println!("{path}: invalid: {reason}"),
            InterpreterVerdict::Outside(outside) => println!("{path}: outside: {outside}"),
        }
    }
}
