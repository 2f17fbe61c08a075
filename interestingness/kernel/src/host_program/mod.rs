//! A program in C that runs a kernel: whoever gets a bug report needs a compiler and the libraries of OpenCL or CUDA, and nothing else.

use std::fmt::Write;

use crate::job::{Argument, Fill, KernelLaunch, KernelRun};
use crate::{Number, Scalar};

mod cuda;
mod images;
mod opencl;

/// The most bytes of a buffer that are written out.
const MOST_BYTES: usize = 4096;

/// The interface that a host program uses.
#[derive(Clone, Copy, Debug)]
pub enum HostInterface<'a> {
    /// OpenCL, on a platform with this name.
    OpenCl {
        /// A part of the platform's name.
        platform: &'a str,
    },
    /// CUDA's driver, with NVRTC as the compiler.
    Cuda,
    /// CUDA's driver, with code that ptxas has made of PTX. The program does not contain the kernel.
    Ptx,
}

use HostInterface::{Cuda, OpenCl, Ptx};

/// Statements of `main`, each in a line.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn add(&mut self, statement: String) {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(self.0, "        {statement}");
    }
}

const PRINT: &str = r#"
static void print(const void *bytes, size_t count, size_t size) {
    for (size_t i = 0; i < count; i++) {
        unsigned long long number = 0;
        memcpy(&number, (const char *)bytes + i * size, size);
        if (number)
            printf("%#llx,", number);
        else
            printf("0,");
    }
    printf("\n");
}
"#;

/// The program for a kernel. It prints what `clreduce run` prints. `None` where the interface has no such launch, and for arguments that
/// are too large to be written out.
#[must_use]
pub fn host_program(run: &KernelRun, interface: HostInterface<'_>) -> Option<String> {
    let mut text = match interface {
        OpenCl { platform } => {
            let (platform, options) = (literal(platform), literal(&run.options));
            let names = format!("#define PLATFORM {platform}\n#define OPTIONS {options}\n");
            opencl::BEGIN.to_owned() + &names + &source(run)? + PRINT + opencl::MAIN
        }
        Cuda => {
            let options = cuda::options(&shlex::split(&run.options)?);
            let begin = cuda::COMPILER.to_owned() + cuda::BEGIN + &options;
            let begin = begin + &cuda::names(&run.launches) + &source(run)?;
            begin + PRINT + cuda::DEVICE + cuda::BUILD
        }
        Ptx => cuda::BEGIN.to_owned() + PRINT + cuda::DEVICE + cuda::LOAD,
    };
    for launch in &run.launches {
        text += &launched(launch, interface)?;
    }
    text += "    return 0;\n}\n";
    Some(text)
}

/// The definition of the program's text.
fn source(run: &KernelRun) -> Option<String> {
    let source = std::str::from_utf8(&run.source).ok()?;
    let mut text = "static const char *source =".to_owned();
    for line in source.split_inclusive('\n') {
        let _ = write!(text, "\n    {}", literal(line));
    }
    Some(text + ";\n")
}

/// A launch, with its arguments and results.
fn launched(launch: &KernelLaunch, interface: HostInterface<'_>) -> Option<String> {
    let (mut lines, mut shown) = (Lines::default(), Lines::default());
    match interface {
        OpenCl { .. } => opencl::kernel(&mut lines, launch),
        Cuda => cuda::kernel(&mut lines, launch),
        Ptx => cuda::entry(&mut lines, launch),
    }
    for (index, argument) in launch.arguments.iter().enumerate() {
        match argument {
            Argument::Local(bytes) => match interface {
                OpenCl { .. } => opencl::local(&mut lines, index, *bytes),
                Cuda | Ptx => return None,
            },
            Argument::Value(bytes) => {
                let bytes = listed(bytes);
                lines.add(format!("static unsigned char value{index}[] = {{{bytes}}};"));
                if let OpenCl { .. } = interface {
                    opencl::value(&mut lines, index);
                }
            }
            Argument::Sampler(sampler) => match interface {
                OpenCl { .. } => images::sampler(&mut lines, index, *sampler),
                Cuda | Ptx => return None,
            },
            Argument::Buffer { output, .. } => {
                let show = buffer(&mut lines, index, argument, interface)?;
                if *output {
                    shown.add(show);
                }
            }
        }
    }
    match interface {
        OpenCl { .. } => opencl::launch(&mut lines, launch),
        Cuda | Ptx => cuda::launch(&mut lines, launch)?,
    }
    Some(format!("    {{\n{}{}    }}\n", lines.0, shown.0))
}

/// A buffer or an image with its content. Returns the statement that prints it.
fn buffer(
    lines: &mut Lines,
    index: usize,
    argument: &Argument,
    interface: HostInterface<'_>,
) -> Option<String> {
    let Argument::Buffer { element, elements, fill, image, .. } = argument else { return None };
    let (size, lanes) = (element.scalar.bytes(), lanes_of(*element));
    let count = elements.checked_mul(lanes)?;
    let bytes = count.checked_mul(size as u64)?;
    let content = content(index, *element, (*elements, count), fill)?;
    content.into_iter().for_each(|line| lines.add(line));
    let show = match (interface, image) {
        (OpenCl { .. }, Some(image)) => images::image(lines, index, *image, *element, *elements)?,
        (Cuda | Ptx, Some(_)) => return None,
        (OpenCl { .. }, None) => opencl::buffer(lines, index, bytes),
        (Cuda | Ptx, None) => cuda::buffer(lines, index, bytes),
    };
    Some(format!("{show}buffer{index}, content{index}, {count}, {size});"))
}

fn sizes(sizes: &[u64]) -> String {
    sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

/// The statements that make the first content of a buffer.
fn content(
    index: usize,
    element: Number,
    (elements, count): (u64, u64),
    fill: &Fill,
) -> Option<Vec<String>> {
    match fill {
        Fill::Steps { first, step } if element.scalar != Scalar::Half => {
            let ty = in_c(element.scalar);
            let lanes = lanes_of(element);
            let at = if lanes == 1 { "i".to_owned() } else { format!("(i / {lanes})") };
            Some(vec![
                format!("{ty} *content{index} = malloc({count} * sizeof *content{index});"),
                format!(
                    "for (size_t i = 0; i < {count}; i++) content{index}[i] = ({ty})({first} + (double){at} * {step});"
                ),
            ])
        }
        _ => {
            let bytes = fill.content(element, elements);
            let fits = bytes.len() <= MOST_BYTES;
            fits.then(|| {
                vec![format!("static unsigned char content{index}[] = {{{}}};", listed(&bytes))]
            })
        }
    }
}

fn in_c(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Char => "signed char",
        Scalar::Uchar => "unsigned char",
        Scalar::Short => "short",
        Scalar::Ushort | Scalar::Half => "unsigned short",
        Scalar::Int => "int",
        Scalar::Uint => "unsigned",
        Scalar::Long => "long long",
        Scalar::Ulong => "unsigned long long",
        Scalar::Float => "float",
        Scalar::Double => "double",
    }
}

/// The numbers in the memory of an element: one of three lanes has the size of four.
fn lanes_of(element: Number) -> u64 {
    (element.bytes() / element.scalar.bytes()) as u64
}

fn listed(bytes: &[u8]) -> String {
    bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")
}

/// A string in C.
fn literal(text: &str) -> String {
    let mut literal = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' | '\\' => literal.extend(['\\', c]),
            '\n' => literal += "\\n",
            '\t' => literal += "\\t",
            // Two of them in a row may begin a trigraph.
            '?' => literal += "\\?",
            c => literal.push(c),
        }
    }
    literal + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_buffers_are_those_of_c() {
        assert_eq!(literal("a \"b\\\"?\n"), r#""a \"b\\\"\?\n""#);
        let buffer = |fill, elements| Argument::Buffer {
            name: "a".to_owned(),
            element: Number::built_in("short3").unwrap(),
            elements,
            fill,
            output: true,
            image: None,
        };
        let run = |argument| KernelRun {
            source: b"kernel void k(global short3 *a) {}\n".to_vec(),
            options: "-w".to_owned(),
            launches: vec![KernelLaunch {
                kernel: "k".to_owned(),
                global: vec![2],
                local: None,
                arguments: vec![argument],
                fixed: Vec::new(),
            }],
            repeat: 1,
        };
        let steps = buffer(Fill::Steps { first: 1.0, step: 2.0 }, 2);
        let text = host_program(&run(steps), OpenCl { platform: "P" }).unwrap();
        for part in [
            "#define PLATFORM \"P\"",
            "malloc(8 * sizeof *content0)",
            "(short)(1 + (double)(i / 4) * 2)",
            "show(queue, NULL, buffer0, content0, 8, 2);",
            "1, NULL, global, NULL, 0",
        ] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
        let large = run(buffer(Fill::Values(vec![1.0]), 1 << 20));
        assert!(host_program(&large, OpenCl { platform: "P" }).is_none());
    }
}
