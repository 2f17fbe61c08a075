//! The folders of NVIDIA's toolkit: where its libraries lie, and the headers that a kernel includes.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A header that every toolkit has.
const HEADER: &str = "cooperative_groups.h";

/// The folders of toolkits that may be there, in the order in which they are asked.
pub(super) fn toolkits() -> Vec<PathBuf> {
    let variable = |name: &str| env::var_os(name).filter(|value: &OsString| !value.is_empty());
    let mut toolkits: Vec<PathBuf> =
        ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(variable).map(PathBuf::from).collect();
    let nvcc = crate::nvcc::nvcc().and_then(|path| path.canonicalize().ok());
    toolkits.extend(nvcc.as_deref().and_then(Path::parent).and_then(Path::parent).map(Into::into));
    toolkits.push("/usr/local/cuda".into());
    toolkits
}

/// The compiler's options for the headers of a toolkit, where a program includes any: NVRTC has none of its own.
pub(super) fn header_options(source: &[u8]) -> Vec<String> {
    if !String::from_utf8_lossy(source).lines().any(is_include) {
        return Vec::new();
    }
    folder_of_headers(&toolkits()).map(options_of).unwrap_or_default()
}

fn is_include(line: &str) -> bool {
    let rest = line.trim_start().strip_prefix('#');
    rest.is_some_and(|rest| rest.trim_start().starts_with("include"))
}

fn folder_of_headers(toolkits: &[PathBuf]) -> Option<PathBuf> {
    let own = toolkits.iter().flat_map(|toolkit| {
        ["include", "targets/x86_64-linux/include", "targets/sbsa-linux/include"]
            .map(|folder| toolkit.join(folder))
    });
    own.into_iter().find(|folder| folder.join(HEADER).is_file())
}

fn options_of(folder: PathBuf) -> Vec<String> {
    // The headers of `cuda::std` have a folder of their own since CUDA 13.
    let folders = [folder.join("cccl"), folder];
    let there = folders.into_iter().filter(|folder| folder.is_dir());
    there.map(|folder| format!("--include-path={}", folder.display())).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn headers_of_a_toolkit_are_found_where_a_program_includes_any() {
        assert!(is_include("  # include <cooperative_groups.h>") && !is_include("// include"));
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("toolkit/include");
        fs::create_dir_all(folder.join("cccl")).unwrap();
        let toolkits = ["empty", "toolkit"].map(|name| root.path().join(name));
        assert_eq!(folder_of_headers(&toolkits), None);
        fs::write(folder.join(HEADER), "").unwrap();
        let found = folder_of_headers(&toolkits).unwrap();
        assert_eq!(found, folder);
        let options = options_of(found);
        assert_eq!(options[1], format!("--include-path={}", folder.display()));
        assert_eq!(options.len(), 2);
        assert!(header_options(b"int a;\n").is_empty());
    }
}
