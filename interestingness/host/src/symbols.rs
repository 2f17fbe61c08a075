//! Names and lines behind the addresses of a program.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use addr2line::Loader;
use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};

use crate::FILE;
use crate::cuda::SHARED;

/// The facts that clreduce needs from the object of a kernel.
pub(crate) struct OfKernel {
    /// The symbols that others must define.
    pub undefined: BTreeSet<String>,
    /// Variables in local memory: `kernel.name`, and in CUDA those of a section.
    pub local: BTreeSet<String>,
}

/// Reads the object of a kernel.
pub(crate) fn of_kernel(bytes: &[u8]) -> Result<OfKernel, object::Error> {
    let file = object::File::parse(bytes)?;
    let mut kernel = OfKernel { undefined: BTreeSet::new(), local: BTreeSet::new() };
    for symbol in file.symbols() {
        // AddressSanitizer describes each variable by one of its own.
        let Some(name) = symbol.name().ok().filter(|name| !name.starts_with("__asan_")) else {
            continue;
        };
        if symbol.is_undefined() && !name.is_empty() {
            kernel.undefined.insert(name.to_owned());
        } else if symbol.kind() == SymbolKind::Data {
            let section =
                symbol.section_index().and_then(|index| file.section_by_index(index).ok());
            let is_shared = |section: &object::Section<'_, '_>| section.name() == Ok(SHARED);
            if section.as_ref().is_some_and(is_shared) {
                kernel.local.insert(name.to_owned());
            }
            // Constants are elsewhere, and OpenCL has no other variables with a function in their name.
            let kind = section.filter(|_| name.contains('.')).map(|section| section.kind());
            if matches!(kind, Some(SectionKind::UninitializedData | SectionKind::Data)) {
                kernel.local.insert(name.to_owned());
            }
        }
    }
    Ok(kernel)
}

/// Returns the addresses of variables in a program, relative to its start, and their sizes in bytes.
pub(crate) fn addresses(
    program: &[u8],
    names: &BTreeSet<String>,
) -> Result<Vec<(u64, u64)>, object::Error> {
    let file = object::File::parse(program)?;
    let base = file.relative_address_base();
    let symbols = file.symbols().filter(|symbol| {
        symbol.kind() == SymbolKind::Data && symbol.name().is_ok_and(|name| names.contains(name))
    });
    Ok(symbols.map(|symbol| (symbol.address() - base, symbol.size())).collect())
}

/// Returns the symbols that a part of the run-time defines; none where it cannot be read.
pub(crate) fn exported(part: &Path) -> BTreeSet<String> {
    let bytes = std::fs::read(part).unwrap_or_default();
    let Ok(file) = object::File::parse(&*bytes) else { return BTreeSet::new() };
    let symbols = file.dynamic_symbols().filter(|symbol| !symbol.is_undefined());
    symbols.filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect()
}

/// Name and argument types of an overloaded function.
pub(crate) fn split_mangled(symbol: &str) -> Option<(&str, &str)> {
    let rest = symbol.strip_prefix("_Z")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit())?;
    let length: usize = rest[..digits].parse().ok()?;
    rest[digits..].split_at_checked(length)
}

/// Returns whether a mangled list of types has a `float` or a `double` in it.
pub(crate) fn has_floating(types: &str) -> bool {
    // `Dv4_f` is a vector; the digits and the underscore tell it from the letters that are types.
    types.replace("Dv", "").contains(['f', 'd'])
}

/// An address in one of a program's two files, relative to where that lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeAddress {
    /// In the kernel.
    Kernel(u64),
    /// In the run-time that is the same for all kernels.
    Host(u64),
}

impl CodeAddress {
    /// Reads the address of something in the kernel, as in `0x12`.
    #[must_use]
    pub fn in_kernel(text: &str) -> Option<Self> {
        u64::from_str_radix(text.strip_prefix("0x")?, 16).ok().map(Self::Kernel)
    }
}

/// The lines of a kernel and the functions of the run-time.
pub struct ProgramSymbols {
    kernel: Option<Loader>,
    host: PathBuf,
    host_loader: OnceCell<Option<Loader>>,
}

impl ProgramSymbols {
    /// Of a kernel with line tables; without them, no line is known.
    #[must_use]
    pub fn of(kernel: &Path, host: &Path) -> Self {
        let (host, host_loader) = (host.to_owned(), OnceCell::new());
        Self { kernel: Loader::new(kernel).ok(), host, host_loader }
    }

    /// The function that an address is in.
    #[must_use]
    pub fn function(&self, place: CodeAddress) -> Option<&str> {
        match place {
            CodeAddress::Kernel(address) => self.kernel.as_ref()?.find_symbol(address),
            CodeAddress::Host(address) => {
                let loader = self.host_loader.get_or_init(|| Loader::new(&self.host).ok());
                let loader = loader.as_ref()?;
                loader.find_symbol(address + loader.relative_address_base())
            }
        }
    }

    /// The line of the kernel that the innermost of these calls is in. Addresses are where a call returns to.
    pub fn line(&self, calls: impl IntoIterator<Item = CodeAddress>) -> Option<u32> {
        let loader = self.kernel.as_ref()?;
        calls.into_iter().find_map(|place| {
            let CodeAddress::Kernel(address) = place else { return None };
            let location = loader.find_location(address.saturating_sub(1)).ok()??;
            let of_kernel = location.file.is_some_and(|file| Path::new(file).ends_with(FILE));
            location.line.filter(|&line| of_kernel && line > 0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_source() {
        assert_eq!(split_mangled("_Z6mul_hiDv4_iS_"), Some(("mul_hi", "Dv4_iS_")));
        assert_eq!(split_mangled("_Z99x"), None);
    }

    #[test]
    fn vectors_of_integers_are_not_floating() {
        assert!(!has_floating("Dv4_iS_"));
        assert!(has_floating("Dv4_ff") && has_floating("d"));
    }
}
