//! The host code of a kernel that checks itself: it launches the kernel, prints the results, and compares them.

use std::fmt::Write;

use crate::ir::{Buffer, Program};

const FUNCTIONS: &str = r#"
static void check(cudaError_t error) {
    if (error != cudaSuccess) {
        fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
        exit(2);
    }
}
template <class T> static T *buffer(int count, T first, T step) {
    T *host = (T *)malloc(count * sizeof(T)), *device;
    for (int i = 0; i < count; i++)
        host[i] = first + i * step;
    check(cudaMalloc(&device, count * sizeof(T)));
    check(cudaMemcpy(device, host, count * sizeof(T), cudaMemcpyHostToDevice));
    free(host);
    return device;
}
"#;

/// The functions of the host.
pub(super) fn text(program: &Program, parameters: &[(String, &str)], expected: &[u64]) -> String {
    let words: Vec<_> = expected.iter().map(|word| format!("{word:#x}ULL")).collect();
    let count = expected.len();
    let mut text = format!("static const uint64 expected[] = {{{}}};", words.join(", "));
    text += FUNCTIONS;
    text += "int main() {\n";
    for (ty, name) in parameters {
        let (elements, first, step) = content(program, name);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    {ty} *{name} = buffer<{ty}>({elements}, {first}, {step});");
    }
    let groups = program.sizes.groups().map(|size| size.to_string()).join(", ");
    let local = program.sizes.local.map(|size| size.to_string()).join(", ");
    let arguments: Vec<_> = parameters.iter().map(|(_, name)| *name).collect();
    let arguments = arguments.join(", ");
    let _ = write!(
        text,
        r#"    entry<<<dim3({groups}), dim3({local})>>>({arguments});
    check(cudaGetLastError());
    static uint64 found[{count}];
    check(cudaMemcpy(found, result, sizeof found, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < {count}; i++) {{
        printf(found[i] ? "%#llx," : "0,", found[i]);
        if (found[i] != expected[i]) {{
            fprintf(stderr, "work-item %d: %#llx instead of %#llx\n", i, found[i], expected[i]);
            wrong = 1;
        }}
    }}
    printf("\n");
    return wrong;
}}
"#
    );
    text
}

/// The number of elements of a buffer, the first, and the step to the next, as the launch comment means them.
pub(super) fn content(program: &Program, name: &str) -> (u32, i32, i32) {
    let items = program.sizes.items();
    let groups: u32 = program.sizes.groups().iter().product();
    match name {
        "result" => (items, 0, 0),
        "g_atomic_reduction" => (groups, 0, 0),
        "emi_input" => (Buffer::EMI, Buffer::EMI as i32, -1),
        "sequence_input" => (program.sizes.global.into_iter().max().unwrap_or(1), 10, 1),
        "g_comm_values" => (items, 1, 0),
        _ => (groups * program.sections(), 0, 0),
    }
}
