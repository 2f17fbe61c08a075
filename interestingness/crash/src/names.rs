//! Names of functions in stacks: mangled ones made readable, and readable ones without what differs between calls.

use cpp_demangle::Symbol;

use crate::pattern;

/// Demangles a name of C++ or Rust. Other names stay as they are.
pub(crate) fn readable(name: &str) -> String {
    if let Ok(rust) = rustc_demangle::try_demangle(name) {
        return format!("{rust:#}");
    }
    let cpp = name.starts_with("_Z").then(|| Symbol::new(name).ok()).flatten();
    cpp.and_then(|symbol| symbol.demangle().ok()).unwrap_or_else(|| name.to_owned())
}

/// A readable name without parameters, template arguments and return type, and without the marks of clones such as
/// `.part.0`.
pub(crate) fn bare(name: &str) -> String {
    let name = name.replace("(anonymous namespace)::", "").replace("{anonymous}::", "");
    let name =
        pattern!(r"(?: \[clone [^\]]*\]|\.(?:part|isra|constprop|cold|lto_priv|llvm)\b[.\d]*)+$")
            .replace(&name, "");
    // The sign of an operator is no bracket.
    let operator = pattern!(r"\boperator\s*(?:\(\)|[-+*/%^&|~!=<>,\[\]]+|(?:new|delete)(?:\[\])?)");
    let mut result = String::new();
    let (mut depth, mut at) = (0usize, 0);
    while let Some(character) = name[at..].chars().next() {
        if let Some(found) = operator.find_at(&name, at).filter(|found| found.start() == at) {
            if depth == 0 {
                result.push_str(&found.as_str().replace(' ', "\u{a0}"));
            }
            at = found.end();
            continue;
        }
        match character {
            '(' if depth == 0 => break,
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            // The text before was the return type, unless arguments of a template follow an operator.
            ' ' if depth == 0 && !name[at..].starts_with(" <") => result.clear(),
            ' ' => {}
            _ if depth == 0 => result.push(character),
            _ => {}
        }
        at += character.len_utf8();
    }
    result.replace('\u{a0}', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_name_has_neither_parameters_nor_return_type() {
        for (name, expected) in [
            ("f", "f"),
            ("llvm::APInt::setBits(unsigned int, unsigned int)", "llvm::APInt::setBits"),
            ("(anonymous namespace)::X::run(llvm::Function&)", "X::run"),
            ("void llvm::sort<int, (anonymous namespace)::Less>(int*)", "llvm::sort"),
            ("llvm::DenseMap<int, std::vector<int>>::grow(unsigned)", "llvm::DenseMap::grow"),
            ("bool operator<< <A>(A const&, A const&)", "operator<<"),
            ("std::ostream& llvm::operator<<(std::ostream&, int)", "llvm::operator<<"),
            ("F::operator()(int) const", "F::operator()"),
            ("operator new(unsigned long)", "operator new"),
            ("fold.part.0", "fold"),
            ("fold(tree*) [clone .isra.0] [clone .cold]", "fold"),
        ] {
            assert_eq!(bare(name), expected, "{name}");
        }
    }

    #[test]
    fn mangled_names_become_readable() {
        assert_eq!(
            readable("_ZN4llvm5APInt15setBitsSlowCaseEjj"),
            "llvm::APInt::setBitsSlowCase(unsigned int, unsigned int)"
        );
        assert_eq!(readable("_ZN4core3fmt5write17h0123456789abcdefE"), "core::fmt::write");
        assert_eq!(readable("_Zwrong"), "_Zwrong");
        assert_eq!(readable("fold_const"), "fold_const");
    }
}
