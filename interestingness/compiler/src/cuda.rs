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

/// The dialect for the code that the compiler of a device sees. clang need not know the architecture itself.
pub(super) const DEVICE_DIALECT: [&str; 9] = [
    "-x",
    "cuda",
    "--cuda-device-only",
    "--cuda-gpu-arch=sm_70",
    "-nocudainc",
    "-nocudalib",
    "-Xclang",
    "-fcuda-allow-variadic-functions",
    "-fno-color-diagnostics",
];

/// The value of `__CUDA_ARCH__` for the architecture that the options of a build name, as in `-arch=sm_90`; without one,
/// that of a device of today.
pub(super) fn architecture(options: &[String]) -> u32 {
    const NAMES: [&str; 3] = ["-arch", "--gpu-architecture", "--cuda-gpu-arch"];
    let mut named = None;
    let mut words = options.iter().map(String::as_str).peekable();
    while let Some(word) = words.next() {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        if NAMES.contains(&name) {
            let value = if value.is_empty() { words.peek().copied().unwrap_or("") } else { value };
            let digits = value.trim_start_matches("sm_").trim_start_matches("compute_");
            let digits = digits.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            named = digits.parse::<u32>().ok().filter(|&number| number < 1000).or(named);
        }
    }
    named.map_or(900, |number| number * 10)
}

/// The dialect for a program that is to run on the host: a bare kernel is C++ there. Devices have no run-time type
/// information, and no exceptions.
pub(super) const HOST_DIALECT: [&str; 9] = [
    "-x",
    "c++",
    "-std=c++17",
    "-target",
    "x86_64-linux-gnu",
    "-DCLREDUCE_HOST",
    "-fno-rtti",
    "-fno-exceptions",
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
    fn the_architecture_is_that_of_the_build() {
        let of = |options: &[&str]| {
            architecture(&options.iter().map(|&option| option.to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(of(&["-G"]), 900);
        assert_eq!(of(&["-arch=sm_75", "-G"]), 750);
        assert_eq!(of(&["--gpu-architecture", "compute_120a"]), 1200);
        assert_eq!(of(&["-arch=native"]), 900);
    }

    #[test]
    fn options_of_other_compilers_are_left_to_them() {
        let options =
            ["-G", "-DBUG", "-arch=sm_90", "-I", "dir", "-w", "-std=c++17", "--use_fast_math"];
        let options = options.map(str::to_owned);
        let kept: Vec<&str> = shared(&options).map(String::as_str).collect();
        assert_eq!(kept, ["-DBUG", "-I", "dir", "-std=c++17"]);
    }
}
