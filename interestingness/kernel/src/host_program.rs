//! A program in C that runs a kernel of OpenCL: whoever gets a bug report needs a compiler and an OpenCL loader, and nothing else.

use std::fmt::Write;

use crate::job::{Argument, Fill, KernelLaunch, KernelRun};
use crate::{Number, Scalar};

/// The most bytes of a buffer that are written out.
const MOST_BYTES: usize = 4096;

const BEGIN: &str = r#"#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(cl_int code, const char *what) {
    if (code != CL_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", what, (int)code);
        exit(2);
    }
}

static cl_device_id find(const char *name) {
    cl_platform_id platforms[16];
    cl_device_id device;
    cl_uint count = 0;
    char own[256];
    check(clGetPlatformIDs(16, platforms, &count), "platforms");
    for (cl_uint i = 0; i < count && i < 16; i++) {
        check(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof own, own, NULL), "platform");
        if (strstr(own, name) && !clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL))
            return device;
    }
    fprintf(stderr, "no platform is called %s\n", name);
    exit(2);
}

static void show(cl_command_queue queue, cl_mem buffer, void *bytes, size_t count, size_t size) {
    check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, count * size, bytes, 0, NULL, NULL), "result");
    for (size_t i = 0; i < count; i++) {
        cl_ulong number = 0;
        memcpy(&number, (char *)bytes + i * size, size);
        if (number)
            printf("%#llx,", (unsigned long long)number);
        else
            printf("0,");
    }
    printf("\n");
}

"#;

const MAIN: &str = r#"
int main(int argc, char **argv) {
    cl_int code;
    cl_device_id device = find(argc > 1 ? argv[1] : PLATFORM);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    check(code, "queue");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    check(code, "program");
    code = clBuildProgram(program, 1, &device, OPTIONS, NULL, NULL);
    if (code != CL_SUCCESS) {
        static char log[1 << 16];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    check(code, "build");
"#;

/// The program for a kernel on a platform with this name. It prints what `clreduce run` prints. `None` for arguments that are
/// too large to be written out.
#[must_use]
pub fn opencl_host(run: &KernelRun, platform: &str) -> Option<String> {
    let source = String::from_utf8(run.source.clone()).ok()?;
    let mut text = BEGIN.to_owned();
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(text, "#define PLATFORM {}", literal(platform));
    let _ = writeln!(text, "#define OPTIONS {}", literal(&run.options));
    text += "static const char *source =";
    for line in source.split_inclusive('\n') {
        let _ = write!(text, "\n    {}", literal(line));
    }
    text += ";\n";
    text += MAIN;
    for launch in &run.launches {
        text += &launched(launch)?;
    }
    text += "    return 0;\n}\n";
    Some(text)
}

/// A launch, with its arguments and results.
fn launched(launch: &KernelLaunch) -> Option<String> {
    let (mut text, mut shown) = ("    {\n".to_owned(), String::new());
    let mut line = |indented: String| {
        let _ = writeln!(text, "        {indented}");
    };
    let kernel = literal(&launch.kernel);
    line(format!("cl_kernel kernel = clCreateKernel(program, {kernel}, &code);"));
    line("check(code, \"kernel\");".to_owned());
    for (index, argument) in launch.arguments.iter().enumerate() {
        match argument {
            Argument::Local(bytes) => {
                line(format!(
                    "check(clSetKernelArg(kernel, {index}, {bytes}, NULL), \"argument\");"
                ));
            }
            Argument::Value(bytes) => {
                line(format!("static unsigned char value{index}[] = {{{}}};", listed(bytes)));
                line(format!(
                    "check(clSetKernelArg(kernel, {index}, {}, value{index}), \"argument\");",
                    bytes.len()
                ));
            }
            Argument::Buffer { element, elements, fill, output, .. } => {
                let (size, lanes) = (element.scalar.bytes(), lanes_of(*element));
                let count = elements.checked_mul(lanes)?;
                content(index, *element, (*elements, count), fill)?.into_iter().for_each(&mut line);
                line(format!(
                    "cl_mem buffer{index} = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, {}, content{index}, &code);",
                    count.checked_mul(size as u64)?
                ));
                line("check(code, \"buffer\");".to_owned());
                line(format!(
                    "check(clSetKernelArg(kernel, {index}, sizeof buffer{index}, &buffer{index}), \"argument\");"
                ));
                if *output {
                    let _ = writeln!(
                        shown,
                        "        show(queue, buffer{index}, content{index}, {count}, {size});"
                    );
                }
            }
        }
    }
    let sizes = |sizes: &[u64]| sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    line(format!("size_t global[] = {{{}}};", sizes(&launch.global)));
    let local =
        launch.local.as_ref().map(|local| format!("size_t local[] = {{{}}};", sizes(local)));
    let name = if local.is_some() { "local" } else { "NULL" };
    local.into_iter().for_each(&mut line);
    line(format!(
        "check(clEnqueueNDRangeKernel(queue, kernel, {}, NULL, global, {name}, 0, NULL, NULL), \"launch\");",
        launch.global.len()
    ));
    line("check(clFinish(queue), \"execution\");".to_owned());
    Some(text + &shown + "    }\n")
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
            let ty = format!("cl_{}", element.scalar.name());
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
        let text = opencl_host(&run(steps), "P").unwrap();
        for part in [
            "#define PLATFORM \"P\"",
            "malloc(8 * sizeof *content0)",
            "(cl_short)(1 + (double)(i / 4) * 2)",
            "show(queue, buffer0, content0, 8, 2);",
            "1, NULL, global, NULL, 0",
        ] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
        assert!(opencl_host(&run(buffer(Fill::Values(vec![1.0]), 1 << 20)), "P").is_none());
    }
}
