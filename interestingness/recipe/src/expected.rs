//! The stage `expected`: the reference interpreter of clreduce-generator judges a kernel, where it can read it. It says
//! whether the kernel is valid, and knows the right result, in milliseconds and without any tool.
//!
//! The interpreter is not the only judge. Where a verdict is confirmed, as that on the result of a reduction is, the variant
//! goes through the other stages as well.

use clreduce_generator::read::{self, InterpreterVerdict, Launch};
use clreduce_kernel::{Argument, KernelLaunch, Output, ProgramKind};

use crate::configuration::VariantProgram;

/// The name of the stage.
pub(crate) const EXPECTED: &str = "expected";

/// The result of the interpreter for a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// The program is valid, and this is its only right result.
    Right(Vec<Output>),
    /// The program is not valid.
    Invalid(String),
    /// The interpreter cannot judge the program.
    Outside(String),
}

/// Judges a program that is built with these options.
pub(crate) fn judge(program: &VariantProgram<'_>, build_options: &[String]) -> Expected {
    let is_harmless =
        |word: &String| ["-w", "-O", "-cl-"].iter().any(|start| word.starts_with(start));
    let own = program.options.split_whitespace().map(str::to_owned);
    if let Some(word) = build_options.iter().cloned().chain(own).find(|word| !is_harmless(word)) {
        return Expected::Outside(format!("the option `{word}` may change the program"));
    }
    let launches = match &program.plan {
        Ok(plan) if !plan.launches.is_empty() => &plan.launches,
        _ => return Expected::Outside("its launches are not known".to_owned()),
    };
    if program.kind() != ProgramKind::OpenCl {
        return Expected::Outside("it is not in OpenCL C".to_owned());
    }
    let mut outputs = Vec::new();
    for launch in launches {
        let Some(read) = launch_of(launch) else {
            return Expected::Outside("the size of its work-groups is not known".to_owned());
        };
        match read::judge(program.source(), &read) {
            InterpreterVerdict::Valid(contents) => outputs.extend(launch.outputs(contents)),
            InterpreterVerdict::Invalid(reason) => return Expected::Invalid(reason),
            InterpreterVerdict::Outside(outside) => return Expected::Outside(outside.to_string()),
        }
    }
    Expected::Right(outputs)
}

/// A launch as the interpreter takes it; `None` where the driver chooses the size of groups.
fn launch_of(launch: &KernelLaunch) -> Option<Launch> {
    let padded = |sizes: &[u64]| [0, 1, 2].map(|at| sizes.get(at).copied().unwrap_or(1));
    let local = match &launch.local {
        Some(local) => padded(local),
        None if launch.global.iter().all(|&size| size == 1) => [1; 3],
        None => return None,
    };
    let argument = |argument: &Argument| match argument {
        Argument::Buffer { element, elements, fill, .. } => {
            read::Argument::Buffer(fill.content(*element, *elements))
        }
        Argument::Value(bytes) => read::Argument::Value(bytes.clone()),
        Argument::Local(bytes) => read::Argument::Local(*bytes),
        Argument::Sampler(sampler) => read::Argument::Value(sampler.bits().to_ne_bytes().into()),
    };
    Some(Launch {
        kernel: launch.kernel.clone(),
        global: padded(&launch.global),
        local,
        arguments: launch.arguments.iter().map(argument).collect(),
    })
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::TestCase;

    use super::*;

    fn judged(source: &str, options: &[&str]) -> Expected {
        let case = TestCase::single("k.cl", source.as_bytes()).unwrap();
        let program = VariantProgram::new(&case, None, None, "").unwrap();
        let options: Vec<String> = options.iter().map(|word| (*word).to_owned()).collect();
        judge(&program, &options)
    }

    #[test]
    fn results_come_in_the_buffers_of_the_launch() {
        let source = "// -g 2,1,1 -l 1,1,1\n\
            __kernel void entry(__global ulong *result) { result[get_global_id(0)] = 7; }";
        let Expected::Right(outputs) = judged(source, &["-w", "-cl-std=CL1.2"]) else { panic!() };
        assert_eq!(outputs.len(), 1);
        assert_eq!((outputs[0].name.as_str(), outputs[0].show().as_str()), ("result", "0x7,0x7,"));
        assert!(
            matches!(judged(source, &["-DN=1"]), Expected::Outside(why) if why.contains("-DN"))
        );

        let own = "kernel void k(global int *a, int n) { a[get_global_id(0)] += n; }";
        let Expected::Right(outputs) = judged(own, &[]) else { panic!() };
        let starts: Vec<_> =
            outputs.iter().map(|output| (output.bytes.len(), output.bytes[0])).collect();
        assert_eq!(starts, [(4, 2), (8192, 1)], "n is the number of work-items: 1, and 2048");
    }

    #[test]
    fn reasons_name_the_line() {
        let race = "// -g 2,1,1 -l 2,1,1\n__kernel void entry(__global ulong *r) {\n  r[0] = 1;\n}";
        assert!(matches!(judged(race, &[]), Expected::Invalid(why) if why.starts_with("line 3: ")));
        let float = "// -g 1 -l 1\n__kernel void entry(__global ulong *r) {\n  float f;\n}";
        assert!(matches!(judged(float, &[]), Expected::Outside(why) if why.contains("`float`")));
    }
}
