//! The names that a compiler defines, or looks up although nothing in the program mentions them.

/// Returns whether a name that begins with two underscores belongs to the compiler. The names of a library do not: once its headers
/// are pasted in, the program declares them.
pub(crate) fn is_built_in(name: &[u8]) -> bool {
    let text = std::str::from_utf8(name).unwrap_or("");
    PREFIXES.iter().any(|prefix| text.starts_with(prefix)) || NAMES.split(' ').any(|it| it == text)
}

const PREFIXES: [&str; 6] =
    ["__builtin_", "__sync_", "__atomic_", "__cxa_", "__sanitizer_", "__asan_"];

/// Values in every function, lists of arguments, and what type information, exceptions and `dynamic_cast` need.
const NAMES: &str = "__func__ __FUNCTION__ __PRETTY_FUNCTION__ __va_list __va_list_tag __gnuc_va_list __cxxabiv1 \
    __dynamic_cast __fundamental_type_info __array_type_info __function_type_info __enum_type_info __class_type_info \
    __si_class_type_info __vmi_class_type_info __pbase_type_info __pointer_type_info __pointer_to_member_type_info \
    __gxx_personality_v0 __make_integer_seq __type_pack_element __dso_handle __tls_get_addr";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_libraries_are_not_built_in() {
        assert!(is_built_in(b"__builtin_memcpy") && is_built_in(b"__class_type_info"));
        assert!(!is_built_in(b"__gnu_cxx") && !is_built_in(b"__n") && !is_built_in(b"x"));
    }
}
