//! The options with which clang reads CUDA where CUDA is not installed.

/// The dialect for a program that only the compiler looks at.
pub(super) const DIALECT: [&str; 8] = [
    "-x",
    "cuda",
    "--cuda-host-only",
    "-nocudainc",
    "-nocudalib",
    "-Xclang",
    "-fcuda-allow-variadic-functions",
    "-fno-color-diagnostics",
];

/// The dialect for a program that is to run on the host: a bare kernel is C++ there.
pub(super) const HOST_DIALECT: [&str; 7] = [
    "-x",
    "c++",
    "-std=c++17",
    "-target",
    "x86_64-linux-gnu",
    "-DCLREDUCE_HOST",
    "-fno-color-diagnostics",
];

/// Of the options of a build, those that say which program it is. nvcc, NVRTC and clang share these.
pub(super) fn shared(options: &[String]) -> impl Iterator<Item = &String> {
    let mut is_operand = false;
    options.iter().filter(move |option| {
        let is_name = ["-D", "-U", "-I", "-include"].contains(&option.as_str());
        let is_shared =
            ["-D", "-U", "-I", "-std=", "-include"].iter().any(|name| option.starts_with(name));
        std::mem::replace(&mut is_operand, is_name) || is_shared
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_other_compilers_are_left_to_them() {
        let options =
            ["-G", "-DBUG", "-arch=sm_90", "-I", "dir", "-w", "-std=c++17", "--use_fast_math"];
        let options = options.map(str::to_owned);
        let kept: Vec<&str> = shared(&options).map(String::as_str).collect();
        assert_eq!(kept, ["-DBUG", "-I", "dir", "-std=c++17"]);
    }
}
