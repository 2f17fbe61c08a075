//! The parts of a host program that are CUDA's: the driver's interface, with NVRTC or with code that ptxas has made.

use std::fmt::Write;

use super::{Lines, literal, sizes};
use crate::job::{Argument, KernelLaunch};

pub(super) const COMPILER: &str = "#include <nvrtc.h>\n";

pub(super) const BEGIN: &str = r#"#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int code, const char *what) {
    if (code) {
        fprintf(stderr, "%s: error %d\n", what, code);
        exit(2);
    }
}

static void print(const void *bytes, size_t count, size_t size);

static void show(CUdeviceptr buffer, void *bytes, size_t count, size_t size) {
    check(cuMemcpyDtoH(bytes, buffer, count * size), "result");
    print(bytes, count, size);
}

"#;

/// The beginning of `main`.
pub(super) const DEVICE: &str = r#"
int main(int argc, char **argv) {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    size_t size;
    check(cuInit(0), "driver");
    check(cuDeviceGet(&device, 0), "device");
    check(cuDevicePrimaryCtxRetain(&context, device), "context");
    check(cuCtxSetCurrent(context), "context");
"#;

/// Loads the code whose file is the argument of `main`.
pub(super) const LOAD: &str = r#"    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    check(!file, "the argument has to be a file with code");
    check(fseek(file, 0, SEEK_END), argv[1]);
    size = ftell(file);
    rewind(file);
    char *code = malloc(size + 1);
    check(fread(code, 1, size, file) != size, argv[1]);
    check(cuModuleLoadData(&module, code), "module");
"#;

/// Builds the program; further options of the compiler are the arguments of `main`.
pub(super) const BUILD: &str = r#"    nvrtcProgram program;
    int major, minor;
    check(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device), "device");
    check(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device), "device");
    check(nvrtcCreateProgram(&program, source, "kernel.cu", 0, NULL, NULL), "program");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check(nvrtcAddNameExpression(program, names[i]), names[i]);
    static char architecture[64];
    sprintf(architecture, "--gpu-architecture=sm_%d%d", major, minor);
    const char *options[64] = {OPTIONS};
    int count = 0;
    while (options[count])
        count++;
    for (int i = 1; i < argc && count < 62; i++)
        options[count++] = argv[i];
    int given = 0;
    for (int i = 0; i < count; i++)
        given |= !strncmp(options[i], "-arch", 5) || !strncmp(options[i], "--gpu-architecture", 18);
    if (!given)
        options[count++] = architecture;
    int compiled = nvrtcCompileProgram(program, count, options);
    if (compiled && !nvrtcGetProgramLogSize(program, &size)) {
        char *log = calloc(size + 1, 1);
        nvrtcGetProgramLog(program, log);
        fprintf(stderr, "%s\n", log);
    }
    check(compiled, "build");
    check(nvrtcGetCUBINSize(program, &size), "code");
    char *code = malloc(size);
    check(nvrtcGetCUBIN(program, code), "code");
    check(cuModuleLoadData(&module, code), "module");
"#;

/// The names of the kernels, which a compiler of C++ changes.
pub(super) fn names(launches: &[KernelLaunch]) -> String {
    let names: Vec<String> = launches.iter().map(|launch| literal(&launch.kernel)).collect();
    format!("static const char *names[] = {{{}}};\n", names.join(", "))
}

/// The definition of `OPTIONS`: each option as a string, with a comma behind it.
pub(super) fn options(options: &[String]) -> String {
    let mut text = "#define OPTIONS ".to_owned();
    for option in options {
        let _ = write!(text, "{}, ", literal(option));
    }
    text + "NULL\n"
}

/// Finds the kernel, whose name a compiler of C++ changes.
pub(super) fn kernel(lines: &mut Lines, launch: &KernelLaunch) {
    let name = literal(&launch.kernel);
    lines.add("CUfunction kernel;".to_owned());
    lines.add("const char *lowered;".to_owned());
    lines.add(format!("check(nvrtcGetLoweredName(program, {name}, &lowered), \"kernel\");"));
    lines.add("check(cuModuleGetFunction(&kernel, module, lowered), \"kernel\");".to_owned());
}

/// Finds the kernel, which has its own name.
pub(super) fn entry(lines: &mut Lines, launch: &KernelLaunch) {
    let name = literal(&launch.kernel);
    lines.add("CUfunction kernel;".to_owned());
    lines.add(format!("check(cuModuleGetFunction(&kernel, module, {name}), \"kernel\");"));
}

/// A buffer with the content of that number. Returns the beginning of a call that prints it.
pub(super) fn buffer(lines: &mut Lines, index: usize, bytes: u64) -> String {
    lines.add(format!("CUdeviceptr buffer{index};"));
    lines.add(format!("check(cuMemAlloc(&buffer{index}, {bytes}), \"buffer\");"));
    lines.add(format!("check(cuMemcpyHtoD(buffer{index}, content{index}, {bytes}), \"buffer\");"));
    "show(".to_owned()
}

/// `None` for a global size that the groups do not divide.
pub(super) fn launch(lines: &mut Lines, launch: &KernelLaunch) -> Option<()> {
    let arguments = launch.arguments.iter().enumerate().map(|(index, argument)| match argument {
        Argument::Value(_) => format!("value{index}"),
        _ => format!("&buffer{index}"),
    });
    let arguments: Vec<String> = arguments.chain(["NULL".to_owned()]).collect();
    lines.add(format!("void *arguments[] = {{{}}};", arguments.join(", ")));
    let (mut blocks, mut threads) = ([1; 3], [1; 3]);
    let local = launch.local.as_deref().unwrap_or_default();
    for (at, &global) in launch.global.iter().enumerate().take(3) {
        threads[at] = local.get(at).copied().unwrap_or(1);
        if !global.is_multiple_of(threads[at]) {
            return None;
        }
        blocks[at] = global / threads[at];
    }
    let (blocks, threads) = (sizes(&blocks), sizes(&threads));
    lines.add(format!(
        "check(cuLaunchKernel(kernel, {blocks}, {threads}, 0, NULL, arguments, NULL), \"launch\");"
    ));
    lines.add("check(cuCtxSynchronize(), \"execution\");".to_owned());
    Some(())
}
