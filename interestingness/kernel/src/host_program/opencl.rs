//! The parts of a host program that are OpenCL's.

use super::{Lines, literal, sizes};
use crate::job::KernelLaunch;

pub(super) const BEGIN: &str = r#"#define CL_TARGET_OPENCL_VERSION 120
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

static void print(const void *bytes, size_t count, size_t size);

/* Width, height and depth are those of an image; a buffer has none. */
static void show(cl_command_queue queue, const size_t *image, cl_mem memory, void *bytes, size_t count, size_t size) {
    static const size_t origin[3];
    if (image)
        check(clEnqueueReadImage(queue, memory, CL_TRUE, origin, image, 0, 0, bytes, 0, NULL, NULL), "result");
    else
        check(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, count * size, bytes, 0, NULL, NULL), "result");
    print(bytes, count, size);
}

"#;

pub(super) const MAIN: &str = r#"
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

pub(super) fn kernel(lines: &mut Lines, launch: &KernelLaunch) {
    let kernel = literal(&launch.kernel);
    lines.add(format!("cl_kernel kernel = clCreateKernel(program, {kernel}, &code);"));
    lines.add("check(code, \"kernel\");".to_owned());
}

/// The argument at `index`: some bytes of local memory.
pub(super) fn local(lines: &mut Lines, index: usize, bytes: u64) {
    lines.add(format!("check(clSetKernelArg(kernel, {index}, {bytes}, NULL), \"argument\");"));
}

/// The argument at `index`: the variable `value` of that number.
pub(super) fn value(lines: &mut Lines, index: usize) {
    let value = format!("value{index}");
    lines.add(format!(
        "check(clSetKernelArg(kernel, {index}, sizeof {value}, {value}), \"argument\");"
    ));
}

/// The argument at `index`: a buffer with the content of that number.
/// Returns the beginning of a call that prints it.
pub(super) fn buffer(lines: &mut Lines, index: usize, bytes: u64) -> String {
    lines.add(format!(
        "cl_mem buffer{index} = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, {bytes}, content{index}, &code);"
    ));
    lines.add("check(code, \"buffer\");".to_owned());
    lines.add(format!(
        "check(clSetKernelArg(kernel, {index}, sizeof buffer{index}, &buffer{index}), \"argument\");"
    ));
    "show(queue, NULL, ".to_owned()
}

pub(super) fn launch(lines: &mut Lines, launch: &KernelLaunch) {
    lines.add(format!("size_t global[] = {{{}}};", sizes(&launch.global)));
    if let Some(local) = &launch.local {
        lines.add(format!("size_t local[] = {{{}}};", sizes(local)));
    }
    let local = if launch.local.is_some() { "local" } else { "NULL" };
    lines.add(format!(
        "check(clEnqueueNDRangeKernel(queue, kernel, {}, NULL, global, {local}, 0, NULL, NULL), \"launch\");",
        launch.global.len()
    ));
    lines.add("check(clFinish(queue), \"execution\");".to_owned());
}
