//! The parts of the run-time: compiled when first needed, and kept.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use clreduce_process::FORK_SERVER;
use clreduce_testcase::TestCase;

use crate::error::HostError;
use crate::flavour::Flavour;
use crate::toolchain::Toolchain;
use crate::{cache, symbols};

/// A part that is written in OpenCL C: its name and its text.
type Part = (&'static str, &'static str);

const COMMON: &str = include_str!("runtime/common.cl");
const RUNTIME: &str = concat!(
    include_str!("runtime/state.c"),
    include_str!("runtime/steps.c"),
    include_str!("runtime/sources.c"),
    include_str!("runtime/coverage.c"),
    include_str!("runtime/reaches.c"),
    include_str!("runtime/accesses.c"),
    include_str!("runtime/types.c"),
    include_str!("runtime/fences.c"),
    include_str!("runtime/together.c"),
    include_str!("runtime/exchanges.c"),
    include_str!("runtime/images.c"),
    include_str!("runtime/runtime.c"),
);
/// The parts that need OpenCL C 2.0.
const GENERIC: &str = "generic";
const ATOMICS: &str = "atomics";
const IMAGES: &str = "images";
/// The part whose functions depend on the device, unless the kernel says how large sub-groups are.
pub(crate) const SUB_GROUPS: &str = "sub_groups";
/// The part with what other parts have for larger numbers.
const HALF_FUNCTIONS: &str = "half_functions";
const PARTS: [Part; 15] = [
    ("work_items", include_str!("runtime/work_items.cl")),
    ("integers", include_str!("runtime/integers.cl")),
    ("conversions", include_str!("runtime/conversions.cl")),
    ("roundings", include_str!("runtime/roundings.cl")),
    ("memory", include_str!("runtime/memory.cl")),
    ("halves", include_str!("runtime/halves.cl")),
    (
        "collectives",
        concat!(include_str!("runtime/teams.cl"), include_str!("runtime/collectives.cl")),
    ),
    (SUB_GROUPS, concat!(include_str!("runtime/teams.cl"), include_str!("runtime/sub_groups.cl"))),
    (GENERIC, include_str!("runtime/generic.cl")),
    (ATOMICS, include_str!("runtime/atomics.cl")),
    ("copies", include_str!("runtime/copies.cl")),
    ("vectors", include_str!("runtime/vectors.cl")),
    (IMAGES, concat!(include_str!("runtime/halves.cl"), include_str!("runtime/images.cl"))),
    ("floats", include_str!("runtime/floats.cl")),
    (
        HALF_FUNCTIONS,
        concat!(
            include_str!("runtime/floats.cl"),
            include_str!("runtime/conversions.cl"),
            include_str!("runtime/memory.cl"),
            include_str!("runtime/half_functions.cl"),
        ),
    ),
];

/// The options with which a part is linked: the run-time loads it, and defines what is still missing. Last comes
/// arithmetic that the
/// compiler leaves to a library. A part calls its own functions, whatever else has such names.
const LINK: [&str; 7] = [
    "-target",
    "x86_64-linux-gnu",
    "-shared",
    "-nostdlib",
    "-Wl,-z,now",
    "-Wl,-Bsymbolic",
    "-lgcc",
];

/// The same for the linker, and a kernel with the parts that it needs.
pub(crate) const LINKER: [&str; 7] =
    ["-shared", "-Bsymbolic", "--eh-frame-hdr", "--hash-style=gnu", "-z", "now", "-o"];

/// The longest time that a part may take to compile, on a machine that is busy.
const PART_LIMIT: Duration = Duration::from_secs(300);

/// The program that runs kernels: launch, fibres, barriers.
pub(crate) fn host(toolchain: &Toolchain<'_>, flavour: Flavour) -> Result<PathBuf, HostError> {
    let watches = matches!(flavour, Flavour::Addresses | Flavour::Reaches);
    let undefined = if watches { &["-fsanitize=undefined"][..] } else { &[] };
    let fixed =
        ["-x", "c", "-std=gnu11", "-target", "x86_64-linux-gnu", "-O1", "-fno-omit-frame-pointer"];
    // What kernels may report with is in it even though its own code reports nothing.
    let link = ["-rdynamic", "runtime.c", "-Wl,--no-as-needed", "-ldl", "-lm"];
    let args = fixed.iter().chain(flavour.switches()).chain(undefined).chain(&link);
    cached(toolchain, "host", RUNTIME, "runtime.c", args.map(OsString::from).collect())
}

/// The library that makes clang a fork server.
pub(crate) fn fork_server(toolchain: &Toolchain<'_>) -> Result<PathBuf, HostError> {
    let args = ["-x", "c", "-std=gnu11", "-O1", "-fPIC", "-shared", "fork_server.c", "-ldl"];
    let args = args.map(OsString::from).into();
    cached(toolchain, "fork-server", FORK_SERVER, "fork_server.c", args)
}

/// A part in OpenCL C. Not optimised: that takes three times as long and is done for a small share of what
/// the kernel uses.
pub(crate) fn built_in(
    toolchain: &Toolchain<'_>,
    flavour: Flavour,
    (name, text): Part,
) -> Result<PathBuf, HostError> {
    let standard =
        if matches!(name, GENERIC | ATOMICS | IMAGES) { "-cl-std=CL2.0" } else { "-cl-std=CL1.2" };
    let fixed = ["-x", "cl", standard, "-O0", "-fPIC", "-fno-omit-frame-pointer", "part.cl"];
    let switches = flavour.switches().iter().chain(flavour.call_backs());
    let args = fixed.iter().chain(switches).chain(&LINK);
    let args = args.map(OsString::from);
    cached(toolchain, name, &format!("{COMMON}\n{text}"), "part.cl", args.collect())
}

/// The library with arithmetic, for the linker.
pub(crate) fn library(toolchain: &Toolchain<'_>, files: &TestCase) -> Result<PathBuf, HostError> {
    let key = (toolchain.clang.program(), toolchain.clang.version());
    let place = cache::place(toolchain, "library", &key);
    if !cache::is_sound(&place) {
        let args = ["-target", "x86_64-linux-gnu", "-print-libgcc-file-name"].map(OsString::from);
        let ran = toolchain.run_clang(args.into(), files);
        cache::put(&place, fs::read(ran.stdout.trim())?)?;
    }
    Ok(place)
}

/// Declarations as a file that clang compiles programs behind with these arguments: it has read them already, which takes ten times as long
/// as a small program. The file names the one with the text, so both stay.
pub(crate) fn precompiled(
    toolchain: &Toolchain<'_>,
    args: &[OsString],
    declarations: &[u8],
) -> Result<PathBuf, HostError> {
    let text = cache::place(toolchain, "declarations", &declarations);
    if !cache::is_sound(&text) {
        cache::put(&text, declarations.to_vec())?;
    }
    let mut args: Vec<OsString> = args.to_vec();
    let language = args.iter().position(|word| word == "-x").and_then(|at| args.get_mut(at + 1));
    language.into_iter().for_each(|word| word.push("-header"));
    // Another process may put the same text there again.
    args.extend(["-Xclang", "-fno-pch-timestamp"].map(OsString::from));
    args.push(text.into());
    built(toolchain, "precompiled", declarations, args, &TestCase::new(Vec::new())?)
}

fn cached(
    toolchain: &Toolchain<'_>,
    name: &str,
    text: &str,
    file: &str,
    args: Vec<OsString>,
) -> Result<PathBuf, HostError> {
    built(toolchain, name, text.as_bytes(), args, &TestCase::single(file, text.as_bytes())?)
}

/// Has clang compile files with these arguments. The result stays in the cache.
fn built(
    toolchain: &Toolchain<'_>,
    name: &str,
    key: &[u8],
    mut args: Vec<OsString>,
    files: &TestCase,
) -> Result<PathBuf, HostError> {
    let key = (key, &args, toolchain.clang.program(), toolchain.clang.version());
    let place = cache::place(toolchain, name, &key);
    if cache::is_sound(&place) {
        return Ok(place);
    }
    // The limit is meant for kernels; this is done once and kept.
    let limit = toolchain.tools.limits.time.map(|limit| limit.max(PART_LIMIT));
    let folder = toolchain.tools.folder()?;
    let tools = toolchain.tools.within(limit).with_writable(folder.path());
    let finished = folder.path().join(name);
    args.extend(["-w", "-o"].map(OsString::from));
    args.push(finished.clone().into());
    Toolchain { tools: &tools, ..*toolchain }.compile(args, files)?;
    cache::put(&place, fs::read(finished)?)?;
    Ok(place)
}

/// The parts in which the symbols would be.
pub(crate) fn of(undefined: &BTreeSet<String>) -> impl Iterator<Item = Part> {
    let names: BTreeSet<&str> = undefined.iter().filter_map(|symbol| part_of(symbol)).collect();
    PARTS.into_iter().filter(move |(name, _)| names.contains(name))
}

/// The part for a built-in, by its name and the types of its arguments.
fn part_of(symbol: &str) -> Option<&'static str> {
    let (name, types) = symbols::split_mangled(symbol)?;
    let begins = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
    let of_sub_group = begins(&["get_"]) && name.contains("sub_group");
    Some(if types.starts_with(|c: char| c.is_ascii_digit()) && types.contains("ocl_image") {
        IMAGES
    } else if of_sub_group || begins(&["sub_group_"]) {
        SUB_GROUPS
    } else if types.contains("U7_Atomic") || begins(&["atomic_work_item_", "work_group_barrier"]) {
        ATOMICS
    } else if begins(&["get_", "barrier", "mem_fence", "read_mem_", "write_mem_"]) {
        "work_items"
    } else if name.contains("_half") && begins(&["vload", "vstore"]) {
        "halves"
    } else if types.contains("Dh") || name.starts_with("convert_half") {
        HALF_FUNCTIONS
    } else if begins(&["vload", "vstore"]) && types.contains("CLgeneric") {
        GENERIC
    } else if begins(&["vload", "vstore", "atom"]) {
        "memory"
    } else if begins(&["work_group_"]) {
        "collectives"
    } else if begins(&["async_", "wait_group", "prefetch"]) {
        "copies"
    } else if begins(&["convert_"]) {
        let saturates = name.ends_with("_sat") && symbols::has_floating(types);
        if saturates || name.contains("_rt") { "roundings" } else { "conversions" }
    } else if begins(&["shuffle"]) {
        "vectors"
    } else if symbols::has_floating(types) || name == "nan" {
        "floats"
    } else {
        "integers"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_by_name_and_types() {
        assert_eq!(part_of("_Z13get_global_idj"), Some("work_items"));
        assert_eq!(part_of("_Z21work_group_reduce_addi"), Some("collectives"));
        assert_eq!(part_of("_Z17sub_group_shuffleij"), Some("sub_groups"));
        assert_eq!(part_of("_Z22get_sub_group_local_idv"), Some("sub_groups"));
        assert_eq!(part_of("_Z5clampDv4_iS_S_"), Some("integers"));
        assert_eq!(part_of("_Z5clampDv4_fff"), Some("floats"));
        assert_eq!(part_of("_Z3nanDv2_j"), Some("floats"));
        assert_eq!(part_of("_Z6vload4mPU8CLglobalKf"), Some("memory"));
        assert_eq!(part_of("_Z11vload_half4mPU8CLglobalKDh"), Some("halves"));
        assert_eq!(part_of("_Z6vload4mPU8CLglobalKDh"), Some("half_functions"));
        assert_eq!(part_of("_Z13convert_half4Dv4_f"), Some("half_functions"));
        assert_eq!(part_of("_Z15convert_int_satf"), Some("roundings"));
        assert_eq!(part_of("_Z15convert_int_satj"), Some("conversions"));
        assert_eq!(part_of("_Z11atomic_loadPU9CLgenericVU7_Atomici"), Some("atomics"));
        assert_eq!(part_of("_Z18work_group_barrierj"), Some("atomics"));
        assert_eq!(part_of("_Z7shuffleDv4_fDv4_j"), Some("vectors"));
        assert_eq!(part_of("_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_f"), Some("images"));
        assert_eq!(part_of("_Z15get_image_width14ocl_image2d_wo"), Some("images"));
        assert_eq!(part_of("printf"), None);
    }
}
