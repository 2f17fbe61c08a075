//! The program clang: the search for it, and the options with which it reads kernels.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use clreduce_process::query;
use clreduce_testcase::{Feature, Language};
use clreduce_tools::{CLANG, clangs, find_program};
use thiserror::Error;

use crate::cuda;

/// There is no clang.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "no usable clang was found (tried {tried}); install one ({}), or name one", CLANG.install()
)]
pub struct NoClang {
    /// The names that were tried.
    pub tried: String,
}

/// A clang and the options for the kernel.
#[derive(Clone, Debug)]
pub struct Clang {
    program: String,
    version: String,
    build_options: Vec<String>,
}

impl Clang {
    /// The one named, or the [best one](clangs) on the `PATH`.
    ///
    /// # Errors
    /// When none can be run.
    pub fn find(named: Option<&Path>, build_options: &[String]) -> Result<Self, NoClang> {
        let named = named.map(|path| {
            // Tools run in other directories.
            let has_folder = path.components().count() > 1;
            let path = if has_folder { std::path::absolute(path).ok() } else { None }
                .unwrap_or_else(|| path.to_owned());
            path.to_string_lossy().into_owned()
        });
        let candidates = match named {
            Some(name) => vec![name],
            None => clangs().into_iter().map(str::to_owned).collect(),
        };
        for program in &candidates {
            if let Some(version) = version_of(program) {
                let build_options = build_options.to_vec();
                return Ok(Self { program: program.clone(), version, build_options });
            }
        }
        Err(NoClang { tried: candidates.join(", ") })
    }

    /// The program to start.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }

    /// The text that it prints about its version; part of the key of what is cached.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The same one, with other options for the kernel.
    #[must_use]
    pub fn with(&self, build_options: &[String]) -> Self {
        Self { build_options: build_options.to_vec(), ..self.clone() }
    }

    /// The same one for C++ for OpenCL, unless the options for the kernel name a standard.
    #[must_use]
    pub fn for_opencl_cpp(&self) -> Self {
        if self.names_standard() { self.clone() } else { self.with_more(&["-cl-std=CLC++2021"]) }
    }

    fn names_standard(&self) -> bool {
        self.build_options.iter().any(|option| option.starts_with("-cl-std"))
    }

    /// The same one, with more options for the kernel.
    #[must_use]
    pub fn with_more(&self, options: &[&str]) -> Self {
        let more = options.iter().map(|&option| option.to_owned());
        Self {
            build_options: self.build_options.iter().cloned().chain(more).collect(),
            ..self.clone()
        }
    }

    /// Returns the folder of its libclang, if there is one.
    #[must_use]
    pub fn library_folder(&self) -> Option<PathBuf> {
        let text = told(&self.program, "-print-resource-dir")?;
        // `lib/clang/19` in the folder of this version.
        let folder = Path::new(text.trim()).parent()?.parent()?;
        folder.is_dir().then(|| folder.to_owned())
    }

    /// The first line of what it says of itself.
    #[must_use]
    pub fn version_line(&self) -> &str {
        self.version.lines().next().unwrap_or_default()
    }

    /// The number of its version before the first dot, if it says one.
    #[must_use]
    pub fn major(&self) -> Option<u32> {
        let (_, number) = self.version.split_once("clang version ")?;
        number.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    }

    /// Arguments with which the kernel is read as OpenCL C. Optimisation switches of a build mean nothing
    /// here.
    #[must_use]
    pub fn language(&self) -> Vec<OsString> {
        let standard = (!self.names_standard()).then_some("-cl-std=CL1.2");
        // Built-ins are what OpenCL says, not what a device of that name has.
        let fixed = ["-x", "cl", "-target", "x86_64-linux-gnu", "-fno-color-diagnostics"];
        // OpenCL C 3.0 leaves these functions to the device; clang has them on none where these are not defined.
        let is_third = self.build_options.iter().any(|option| option == "-cl-std=CL3.0");
        let of_devices =
            ["-D__opencl_c_work_group_collective_functions=1", "-Dcl_khr_subgroup_shuffle=1"];
        let of_devices = is_third.then_some(of_devices).into_iter().flatten();
        let fixed = fixed.into_iter().chain(standard).chain(of_devices).map(OsString::from);
        fixed.chain(self.build_options.iter().map(OsString::from)).collect()
    }

    /// Arguments with which a program with the declarations of CUDA is read.
    #[must_use]
    pub fn cuda(&self) -> Vec<OsString> {
        self.with_shared(&cuda::DIALECT)
    }

    /// The same for the code that the compiler of a device sees, for which `__CUDA_ARCH__` is defined.
    #[must_use]
    pub fn cuda_for_device(&self) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = cuda::DEVICE_DIALECT.map(OsString::from).into();
        let architecture = cuda::architecture(&self.build_options);
        arguments.push("-U__CUDA_ARCH__".into());
        arguments.push(format!("-D__CUDA_ARCH__={architecture}").into());
        arguments.extend(cuda::shared(&self.build_options).map(OsString::from));
        arguments
    }

    /// Arguments with which a kernel is read that is to run on the host.
    #[must_use]
    pub fn host(&self, language: Language) -> Vec<OsString> {
        match language.has(Feature::HostAndDevice) {
            true => self.with_shared(&cuda::HOST_DIALECT),
            false => self.language(),
        }
    }

    fn with_shared(&self, dialect: &[&str]) -> Vec<OsString> {
        let options = cuda::shared(&self.build_options).map(OsString::from);
        dialect.iter().map(OsString::from).chain(options).collect()
    }
}

fn version_of(program: &str) -> Option<String> {
    told(program, "--version").filter(|text| text.contains("clang version"))
}

/// The output of a clang that is asked about itself. Each stage of each recipe asks, and a clang needs about 25 ms to start.
/// So this process keeps the output, until the file of the clang changes.
fn told(program: &str, question: &'static str) -> Option<String> {
    static ANSWERS: Mutex<BTreeMap<(PathBuf, SystemTime, &str), String>> =
        Mutex::new(BTreeMap::new());
    let ask = || query(program.as_ref(), &[question]);
    let written = |file: &Path| file.metadata().and_then(|metadata| metadata.modified()).ok();
    let file = find_program(program).and_then(|file| Some((written(&file)?, file)));
    let Some((written, file)) = file else { return ask() };
    let key = (file, written, question);
    let answers = || ANSWERS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(answer) = answers().get(&key) {
        return Some(answer.clone());
    }
    let answer = ask()?;
    answers().insert(key, answer.clone());
    Some(answer)
}
