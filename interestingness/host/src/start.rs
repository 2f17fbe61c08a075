//! The call of a kernel by the host run-time: the function that makes it, and its arguments.

use std::ffi::OsString;
use std::fmt::Write as _;

use clreduce_kernel::{
    Argument, Image, KernelLaunch, KernelParameter, KernelSignature, Number, Output, Scalar,
};
use clreduce_testcase::{InvalidTestCase, TestCase};
use thiserror::Error;

use crate::subject::{HostKernel, sizes};

/// A launch that does not fit its kernel.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StartError {
    /// The program has no kernel of this name.
    #[error("there is no kernel `{0}`")]
    NoKernel(String),
    /// The numbers of parameters and arguments differ.
    #[error("`{kernel}` takes {found} arguments, and there are {given}")]
    Arguments {
        /// The kernel.
        kernel: String,
        /// Parameters.
        found: usize,
        /// Arguments.
        given: usize,
    },
    /// A value for a parameter that is something else.
    #[error("no value can be passed as {0}")]
    Value(String),
    /// CUDA declares local memory in the kernel, and has no samplers of OpenCL.
    #[error("CUDA has no {0}")]
    NotInCuda(&'static str),
    /// The buffers cannot be a file.
    #[error(transparent)]
    Contents(#[from] InvalidTestCase),
}

/// The file with what all buffers of a launch hold to begin with and with its values, one after the other.
const CONTENTS: &str = "contents";

/// The function, in the kernel's own language, that calls it for the launch with this number. The kernels are
/// declared once more under other names, with pointers to nothing in particular: so it does not matter what
/// exactly the description of an argument says that a pointer points to.
pub(crate) fn function(
    subject: &HostKernel,
    launches: &[KernelLaunch],
) -> Result<String, StartError> {
    if subject.is_cuda() {
        return function_in_cuda(launches);
    }
    let mut text = String::from(
        "\n#line 1 \"start\"\n__global void *clreduce_global(unsigned);\n__local void *clreduce_local(unsigned);\n\
         void clreduce_value(unsigned, __private void *);\n\
         __global void *clreduce_image(unsigned);\n__global void *clreduce_sampler(unsigned);\n",
    );
    let mut cases = String::new();
    for (number, launch) in launches.iter().enumerate() {
        let prototype = subject.kernels.iter().find(|kernel| kernel.name == launch.kernel);
        let prototype = prototype.ok_or_else(|| StartError::NoKernel(launch.kernel.clone()))?;
        let call = call(prototype, launch)?;
        let kernel = &launch.kernel;
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(
            text,
            "__kernel void clreduce_kernel_{number}({}) __asm__(\"{kernel}\");",
            call.types.join(", ")
        );
        let _ = writeln!(
            cases,
            "    case {number}: {{ {}clreduce_kernel_{number}({}); break; }}",
            call.variables,
            call.values.join(", ")
        );
    }
    let _ = writeln!(
        text,
        "void clreduce_start(unsigned launch)\n{{\n    switch (launch) {{\n{cases}    }}\n}}"
    );
    Ok(text)
}

/// In CUDA: arguments that become whatever a kernel takes.
const CUDA: &str = r#"
#line 1 "start"
struct clreduce_buffer {
    void *place;
    template <class T> operator T *() const { return static_cast<T *>(place); }
};
extern "C" void clreduce_value(unsigned, void *);
template <unsigned N> struct clreduce_bytes {
    unsigned char bytes[N];
    explicit clreduce_bytes(unsigned index) { clreduce_value(index, bytes); }
    template <class T> operator T() const { return __builtin_bit_cast(T, bytes); }
};
"#;

/// The same in C++.
fn function_in_cuda(launches: &[KernelLaunch]) -> Result<String, StartError> {
    let mut cases = String::new();
    for (number, launch) in launches.iter().enumerate() {
        let value = |(index, argument): (usize, &Argument)| match argument {
            Argument::Buffer { .. } => Ok(format!("clreduce_buffer{{clreduce_global({index})}}")),
            Argument::Value(bytes) => Ok(format!("clreduce_bytes<{}>{{{index}}}", bytes.len())),
            Argument::Local(_) => Err(StartError::NotInCuda("arguments in local memory")),
            Argument::Sampler(_) => Err(StartError::NotInCuda("samplers")),
        };
        let values = launch.arguments.iter().enumerate().map(value);
        let values = values.collect::<Result<Vec<String>, _>>()?.join(", ");
        let _ = writeln!(cases, "    case {number}: {}({values}); break;", launch.kernel);
    }
    Ok(format!(
        "{CUDA}extern \"C\" void clreduce_start(unsigned launch)\n{{\n    switch (launch) {{\n{cases}    }}\n}}\n"
    ))
}

#[derive(Default)]
struct Call {
    types: Vec<String>,
    variables: String,
    values: Vec<String>,
}

fn call(prototype: &KernelSignature, launch: &KernelLaunch) -> Result<Call, StartError> {
    let (found, given) = (prototype.parameters.len(), launch.arguments.len());
    if found != given {
        let kernel = launch.kernel.clone();
        return Err(StartError::Arguments { kernel, found, given });
    }
    let mut call = Call::default();
    for (index, argument) in launch.arguments.iter().enumerate() {
        match (argument, &prototype.parameters[index]) {
            (Argument::Buffer { image, .. }, _) => {
                let of = if image.is_some() { "image" } else { "global" };
                call.types.push("__global void *".to_owned());
                call.values.push(format!("clreduce_{of}({index})"));
            }
            (Argument::Sampler(_), _) => {
                call.types.push("__global void *".to_owned());
                call.values.push(format!("clreduce_sampler({index})"));
            }
            (Argument::Local(_), _) => {
                call.types.push("__local void *".to_owned());
                call.values.push(format!("clreduce_local({index})"));
            }
            (Argument::Value(bytes), parameter) => {
                let kind = kind_of_value(parameter, bytes.len())
                    .ok_or_else(|| StartError::Value(format!("{parameter:?}")))?;
                let _ =
                    write!(call.variables, "{kind} v{index}; clreduce_value({index}, &v{index}); ");
                call.types.push(kind);
                call.values.push(format!("v{index}"));
            }
        }
    }
    Ok(call)
}

/// The type of a parameter that takes a value of `bytes` bytes.
fn kind_of_value(parameter: &KernelParameter, bytes: usize) -> Option<String> {
    match parameter {
        KernelParameter::Value(element) if bytes == element.bytes() => Some(element.to_string()),
        KernelParameter::Object { kind, layout } if bytes == layout.bytes => Some(kind.clone()),
        _ => None,
    }
}

/// The words that tell the run-time about a launch of one of these kernels. `results` asks for what the kernel writes.
pub(crate) fn words(
    number: usize,
    launch: &KernelLaunch,
    kernels: &[KernelSignature],
    results: bool,
) -> Vec<OsString> {
    let prototype = kernels.iter().find(|kernel| kernel.name == launch.kernel);
    let parameter = |index: usize| prototype.and_then(|kernel| kernel.parameters.get(index));
    // In memory, a vector of three has padding behind it, which a kernel need not write.
    let has_padding = |index, lanes| match parameter(index) {
        Some(KernelParameter::Objects { layout, .. }) => layout.has_padding(),
        _ => lanes == 3,
    };
    let mut words = vec![number.to_string(), launch.global.len().to_string()];
    words.extend(sizes(launch).as_flattened().iter().map(u64::to_string));
    words.extend(launch.arguments.iter().enumerate().map(|(index, argument)| match argument {
        Argument::Buffer { element, elements, output, .. } => {
            let bytes = elements.saturating_mul(element.bytes() as u64);
            let whole = if has_padding(index, element.lanes) { "" } else { "c" };
            let result = if results && *output { "o" } else { "" };
            format!("g:{bytes}:-{whole}{result}")
        }
        Argument::Local(bytes) => format!("l:{bytes}:-"),
        Argument::Value(bytes) => format!("v:{}:-", bytes.len()),
        Argument::Sampler(_) => format!("v:{}:-", size_of::<u32>()),
    }));
    words.extend(launch.arguments.iter().enumerate().filter_map(|(index, argument)| {
        let Argument::Buffer { element, elements, image: Some(image), .. } = argument else {
            return None;
        };
        Some(image_word(index, *image, *element, *elements))
    }));
    words.into_iter().map(OsString::from).collect()
}

/// The word that describes the buffer with this number as an image.
fn image_word(index: usize, image: Image, pixel: Number, elements: u64) -> String {
    let scalar = match pixel.scalar {
        Scalar::Char => 'c',
        Scalar::Uchar => 'C',
        Scalar::Short => 's',
        Scalar::Ushort => 'S',
        Scalar::Uint => 'I',
        Scalar::Half => 'h',
        Scalar::Float => 'f',
        _ => 'i',
    };
    let [width, rows, slices] = image.size(elements);
    let (normalized, layers) = (u8::from(image.normalized), u8::from(image.kind.has_layers()));
    let (lanes, coordinates) = (pixel.lanes, image.kind.coordinates());
    format!(
        "i:{index}:{width}:{rows}:{slices}:{lanes}:{scalar}:{normalized}:{coordinates}:{layers}"
    )
}

/// Returns the file with the contents of all buffers and with all values, for the run-time's directory.
pub(crate) fn contents(launch: &KernelLaunch) -> Result<TestCase, StartError> {
    let mut bytes = Vec::new();
    for argument in &launch.arguments {
        match argument {
            Argument::Buffer { element, elements, fill, .. } => {
                bytes.extend(fill.content(*element, *elements));
            }
            Argument::Value(value) => bytes.extend(value),
            Argument::Sampler(sampler) => bytes.extend(sampler.bits().to_ne_bytes()),
            Argument::Local(_) => {}
        }
    }
    Ok(TestCase::single(CONTENTS, bytes)?)
}

/// Returns the buffers that the run-time has printed, as in `clreduce-output: 0 00ff…`: the number of an argument, and what
/// is in it.
pub(crate) fn outputs(launch: &KernelLaunch, printed: &str) -> Vec<Output> {
    let line = |line: &str| {
        let (number, digits) = line.strip_prefix("clreduce-output: ")?.split_once(' ')?;
        let argument = launch.arguments.get(number.parse::<usize>().ok()?)?;
        let Argument::Buffer { name, element, .. } = argument else { return None };
        let bytes = digits
            .as_bytes()
            .chunks_exact(2)
            .map(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        Some(Output::of_buffer(&launch.kernel, name, *element, bytes.collect::<Option<_>>()?))
    };
    printed.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_launch_is_a_case() {
        let source = b"kernel void k(global int *p, local float2 *l, short n) {}";
        let subject = HostKernel::new(&source[..]).unwrap();
        let launches = subject.launches.clone().unwrap();
        let text = function(&subject, &launches).unwrap();
        assert!(
            text.contains(
                "clreduce_kernel_1(__global void *, __local void *, short) __asm__(\"k\");"
            )
        );
        assert!(text.contains("short v2; clreduce_value(2, &v2);"), "{text}");
        assert!(text.contains("clreduce_kernel_0(clreduce_global(0), clreduce_local(1), v2)"));
        let words = words(1, &launches[1], &subject.kernels, true).join(" ".as_ref());
        assert_eq!(words, "1 1 2048 1 1 32 1 1 g:8192:-co l:256:- v:2:-");
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        let subject = HostKernel::new(&b"kernel void k(global int *p, int n) {}"[..]).unwrap();
        let mut launches = subject.launches.clone().unwrap();
        launches[0].arguments.pop();
        assert!(
            function(&subject, &launches).unwrap_err().to_string().contains("takes 2 arguments")
        );
        launches[0].arguments.push(Argument::Value(vec![0; 3]));
        assert!(function(&subject, &launches).is_err());
    }
}
