use std::fs;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (dir, from, to): (&str, u64, u64) =
        (&args[1], args[2].parse().unwrap(), args[3].parse().unwrap());
    let mode = clreduce_generator::Mode::ALL.into_iter().find(|m| m.name() == args[4]).unwrap();
    let profile = clreduce_generator::Profile {
        target: clreduce_generator::Target::Ptx,
        mode,
        ..Default::default()
    };
    for seed in from..to {
        let kernel = clreduce_generator::generate(seed, &profile).unwrap();
        if !kernel.report.is_clean() {
            println!("{seed} not clean");
        }
        fs::write(format!("{dir}/{}-{seed}.ptx", mode.name()), &kernel.source).unwrap();
        fs::write(format!("{dir}/{}-{seed}.ptx.expected", mode.name()), kernel.expected_text())
            .unwrap();
    }
}
