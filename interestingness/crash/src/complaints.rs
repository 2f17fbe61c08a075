//! The errors that compilers and linkers report in a program, with the names in their messages. The notes of clang that say what a constraint
//! or a constant expression fails at are errors as well: the error before them names the one who asked.

use clreduce_testcase::Complaint;

use crate::names::bare;
use crate::pattern;

/// More complaints about one variant say nothing new.
const MOST_COMPLAINTS: usize = 256;

/// Reads the errors in what a test printed, or wrote into files. A crash of the compiler does not count as an error.
#[must_use]
pub fn complaints(outputs: &[String]) -> Vec<Complaint> {
    let mut found: Vec<Complaint> = Vec::new();
    for line in outputs.iter().flat_map(|output| output.lines()) {
        if found.len() < MOST_COMPLAINTS
            && let Some(complaint) = complaint(line)
            && !found.contains(&complaint)
        {
            found.push(complaint);
        }
    }
    found
}

/// The error that a line reports.
fn complaint(line: &str) -> Option<Complaint> {
    if let Some((_, quoted)) = line.split_once("undefined reference to ") {
        let names = name(quoted.trim_matches(['`', '\'', '‘', '’'])).into_iter().collect();
        return Some(Complaint { file: String::new(), line: 0, column: 0, names });
    }
    let said = line.find("error: ").or_else(|| line.find("note: "))?;
    let message = said_in(&line[said..])?;
    // nvcc writes `a.cu(12): error: `, and names in double quotes.
    let parts = pattern!(
        r"^\s*([^\s:'<>][^:'<>\n]*?)(?::(\d+):(?:(\d+):)?|\((\d+)\):) (?:fatal |catastrophic )?$"
    )
    .captures(&line[..said])?;
    let column = parts.get(3).map_or(Some(0), |column| column.as_str().parse().ok())?;
    let place = parts.get(2).or_else(|| parts.get(4))?;
    // The name that it suggests instead is there.
    let message = message.split("did you mean").next().unwrap_or_default();
    let mut names: Vec<String> = Vec::new();
    let quotes = match parts.get(4) {
        Some(_) => pattern!(r#""([^"]+)""#),
        None => pattern!(r"['‘`]([^'’`]+)['’]"),
    };
    for quoted in quotes.captures_iter(message) {
        let quoted = &quoted[1];
        let sign = quoted.chars().all(|it| it.is_ascii_punctuation());
        let is_operator = message.contains("overloaded") || message.contains("operator");
        let found = match sign && is_operator {
            true => Some(format!("operator{quoted}")),
            false => name(quoted),
        };
        if let Some(name) = found
            && names.len() < 8
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    Some(Complaint { file: parts[1].to_owned(), line: place.as_str().parse().ok()?, column, names })
}

/// The message of an error or of such a note, without `error: ` or `note: `.
fn said_in(line: &str) -> Option<&str> {
    if let Some(message) = line.strip_prefix("error: ") {
        return Some(message);
    }
    let note = line.strip_prefix("note: ")?;
    let is_constant =
        note.starts_with("undefined ") && note.contains("cannot be used in a constant expression");
    let invalid = note.starts_with("because ").then(|| note.split_once("' would be invalid: "));
    invalid.flatten().map(|(_, message)| message).or(is_constant.then_some(note))
}

/// The name in a part of a message: `struct std::hash<int>`, `int n::f(T) [with T = int]`, `A&`.
fn name(quoted: &str) -> Option<String> {
    let readable = quoted.split(" [with").next().unwrap_or_default();
    // Nothing mentions a conversion by its name: the class says which one it is.
    let conversion = pattern!(r"::operator (?:new|delete|co_await)?").find(readable);
    let conversion = conversion.filter(|found| found.as_str().ends_with(' '));
    let name = bare(conversion.map_or(readable, |found| &readable[..found.start()]));
    let name = match name.contains("operator") {
        true => &name,
        false => name.trim_end_matches(|it: char| !it.is_alphanumeric() && it != '_'),
    };
    // Longer names are types with too many arguments to be of use.
    (!name.is_empty() && name.len() <= 256).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(line: &str) -> Vec<String> {
        let found = complaints(&[line.to_owned()]);
        found.into_iter().flat_map(|complaint| complaint.names).collect()
    }

    #[test]
    fn messages_name_what_they_miss() {
        for (message, expected) in [
            ("'f' was not declared in this scope; did you mean 'g'?", &["f"][..]),
            ("'A' is not a member of 'std'", &["A", "std"]),
            (
                "'class std::vector<int, std::allocator<int> >' has no member named 'at'",
                &["std::vector", "at"],
            ),
            ("no matching function for call to 'n::f(int&, const A<B>&)'", &["n::f"]),
            ("implicit instantiation of undefined template 'std::hash<int>'", &["std::hash"]),
            (
                "no match for 'operator==' (operand types are 'A' and 'const B&')",
                &["operator==", "A", "B"],
            ),
            ("‘constexpr T n::f(T) [with T = int]’ called in a constant expression", &["n::f"]),
            (
                "'constexpr n::A<T>::operator type() const [with T = int]' used before its definition",
                &["n::A"],
            ),
            ("no viable overloaded '-='", &["operator-="]),
            ("expected ';' before '}' token", &[]),
        ] {
            for place in ["a.cc:1:2: error: ", "/usr/include/c++/12/a:1: fatal error: "] {
                assert_eq!(names(&format!("{place}{message}")), expected, "{message}");
            }
        }
    }

    #[test]
    fn linkers_name_what_is_not_defined() {
        let line =
            "/usr/bin/ld: a.cc:(.text+0xe): undefined reference to `n::A<int>::f(char const*)'";
        assert_eq!(names(line), ["n::A::f"]);
    }

    #[test]
    fn notes_of_clang_say_what_a_constraint_fails_at() {
        for (note, expected) in [
            ("because '*__i' would be invalid: no member named 'g' in 'A'", &["g", "A"][..]),
            ("undefined function 'f' cannot be used in a constant expression", &["f"]),
            ("undefined constructor 'A' cannot be used in a constant expression", &["A"]),
        ] {
            assert_eq!(names(&format!("a.cc:1:2: note: {note}")), expected, "{note}");
        }
        assert!(
            complaints(&["a.cc:1:2: note: because 'A' does not satisfy 'B'".into()]).is_empty()
        );
    }

    #[test]
    fn those_of_nvcc_are_read() {
        for (message, expected) in [
            (r#"identifier "f" is undefined"#, &["f"][..]),
            (r#"class "std::vector<int>" has no member "at""#, &["std::vector", "at"]),
            (r#"namespace "std" has no member "A""#, &["std", "A"]),
            (r#"no operator "==" matches these operands"#, &["operator=="]),
            (r#"incomplete type "n::A<int>" (aka "n::A<int>") is not allowed"#, &["n::A"]),
            (r#"expected a ";""#, &[]),
        ] {
            let found =
                complaints(&[format!("a/b.cu(12): error: {message}\n      f();\n      ^\n")]);
            let names = expected.iter().map(|&name| name.to_owned()).collect();
            let complaint = Complaint { file: "a/b.cu".to_owned(), line: 12, column: 0, names };
            assert_eq!(found, [complaint], "{message}");
        }
    }

    #[test]
    fn other_lines_are_no_complaints() {
        let output = "a.cc:1:1: warning: 'x' is odd\na.cc:2:1: internal compiler error: in f\nerror: 'x'\n\
                      a.cc:3:1: note: 'y'\na.cc: In function 'int f()':\na.cc:4:7: error: x\na.cc:4:7: error: x\n"
            .to_owned();
        let complaint =
            Complaint { file: "a.cc".to_owned(), line: 4, column: 7, names: Vec::new() };
        assert_eq!(complaints(&[output]), [complaint]);
        let many: String = (0..1000).map(|line| format!("a.cc:{line}: error: x\n")).collect();
        assert_eq!(complaints(&[many]).len(), MOST_COMPLAINTS);
    }
}
