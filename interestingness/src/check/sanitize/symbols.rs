//! Names and lines behind the addresses of a program.

use std::collections::BTreeSet;
use std::path::Path;

use addr2line::Loader;
use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};

use crate::check::subject::FILE;

/// What the object of a kernel says.
pub(super) struct OfKernel {
    /// What others must define.
    pub undefined: BTreeSet<String>,
    /// Variables in local memory: `kernel.name`.
    pub local: BTreeSet<String>,
}

/// Reads the object of a kernel.
pub(super) fn of_kernel(bytes: &[u8]) -> Result<OfKernel, object::Error> {
    let file = object::File::parse(bytes)?;
    let mut kernel = OfKernel { undefined: BTreeSet::new(), local: BTreeSet::new() };
    for symbol in file.symbols() {
        let Ok(name) = symbol.name() else { continue };
        if symbol.is_undefined() && !name.is_empty() {
            kernel.undefined.insert(name.to_owned());
        } else if symbol.kind() == SymbolKind::Data && name.contains('.') {
            // Constants are elsewhere, and a program has no other variables with a function in their name.
            let section =
                symbol.section_index().and_then(|index| file.section_by_index(index).ok());
            let kind = section.map(|section| section.kind());
            if matches!(kind, Some(SectionKind::UninitializedData | SectionKind::Data)) {
                kernel.local.insert(name.to_owned());
            }
        }
    }
    Ok(kernel)
}

/// Where in a program the variables lie, relative to its start, and their sizes in bytes.
pub(super) fn addresses(
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

/// The names of the undefined symbols that a linker complains of, as people know them.
pub(super) fn unresolved(complaints: &str, undefined: &BTreeSet<String>) -> Vec<String> {
    let missing = undefined.iter().filter(|symbol| {
        let lines = complaints.lines().filter(|line| line.contains("undefined"));
        lines.into_iter().any(|line| {
            let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            words.any(|word| word == symbol.as_str())
                // Linkers undo the mangling.
                || split_mangled(symbol).is_some_and(|(name, _)| line.contains(&format!("`{name}(")))
        })
    });
    let names =
        missing.map(|symbol| split_mangled(symbol).map_or(symbol.as_str(), |(name, _)| name));
    names.collect::<BTreeSet<_>>().into_iter().map(str::to_owned).collect()
}

/// Name and argument types of an overloaded function.
pub(super) fn split_mangled(symbol: &str) -> Option<(&str, &str)> {
    let rest = symbol.strip_prefix("_Z")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit())?;
    let length: usize = rest[..digits].parse().ok()?;
    rest[digits..].split_at_checked(length)
}

/// Whether a mangled list of types has a `float` or a `double` in it.
pub(super) fn has_floating(types: &str) -> bool {
    // `Dv4_f` is a vector; the digits and the underscore tell it from the letters that are types.
    types.replace("Dv", "").contains(['f', 'd'])
}

/// The lines of a program.
pub(super) struct Symbols {
    loader: Option<Loader>,
}

impl Symbols {
    /// Of a program with line tables; without them, no line is known.
    pub fn of(program: &Path) -> Self {
        Self { loader: Loader::new(program).ok() }
    }

    /// The function that an address is in.
    pub fn function(&self, address: u64) -> Option<&str> {
        self.loader.as_ref()?.find_symbol(address)
    }

    /// The line of the kernel that the innermost of these calls is in. Addresses are where a call returns to.
    pub fn line(&self, calls: impl IntoIterator<Item = u64>) -> Option<u32> {
        let loader = self.loader.as_ref()?;
        calls.into_iter().find_map(|address| {
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
        let undefined = ["_Z7shuffleDv4_iDv4_j", "_Z3maxii"].map(str::to_owned).into();
        let linker = "kernel.cl:(.text+0x1f): undefined reference to `shuffle(int __vector(4), unsigned int)'";
        assert_eq!(unresolved(linker, &undefined), ["shuffle"]);
        let linker = "ld: error: undefined symbol: _Z3maxii";
        assert_eq!(unresolved(linker, &undefined), ["max"]);
    }

    #[test]
    fn vectors_of_integers_are_not_floating() {
        assert!(!has_floating("Dv4_iS_"));
        assert!(has_floating("Dv4_ff") && has_floating("d"));
    }
}
