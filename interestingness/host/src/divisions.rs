//! Division of vectors of integers.
//!
//! Before: `%3 = sdiv <4 x i32> %1, %2`
//! After: `%3 = call <4 x i32> @clreduce.sdiv.v4i32(<4 x i32> %1, <4 x i32> %2)`
//!
//! A processor stops at the first lane that divides by zero. In OpenCL only the value of that lane is undefined,
//! and `(y == 0) ? x : x / y` never uses it. So each lane is divided alone, and one that cannot be gets a value
//! that MemorySanitizer follows.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::operands::split_operand;

/// One of the functions that are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Division<'a> {
    operation: &'a str,
    lanes: u32,
    bits: u32,
}

/// Replaces the divisions in a module. `memory` asks for functions that MemorySanitizer instruments.
pub(crate) fn replace(module: &str, memory: bool) -> String {
    let mut needed = BTreeSet::new();
    let mut text = String::with_capacity(module.len() + module.len() / 8);
    for line in module.lines() {
        match rewrite(line) {
            Some((division, line)) => {
                needed.insert(division);
                text.push_str(&line);
            }
            None => text.push_str(line),
        }
        text.push('\n');
    }
    for division in &needed {
        text.push_str(&division.definition(memory));
    }
    let signed_too = |division: &Division| {
        if division.is_signed() { vec!["quotient", "overflow"] } else { vec!["quotient"] }
    };
    let helpers: BTreeSet<(&str, u32)> =
        needed.iter().flat_map(|d| signed_too(d).into_iter().map(|why| (why, d.bits))).collect();
    for (why, bits) in helpers {
        let name = format!("@clreduce_undefined_{why}_i{bits}(");
        // The program has one already where sums of lanes are watched.
        if !module.lines().any(|line| line.starts_with("declare ") && line.contains(&name)) {
            // Writing to a string cannot fail, here and below.
            let _ = writeln!(text, "declare i{bits} {name})");
        }
    }
    text
}

/// The division in a line, and the line that calls it.
fn rewrite(line: &str) -> Option<(Division<'_>, String)> {
    let (result, rest) = line.trim_start().split_once(" = ")?;
    let (operation, rest) = rest.split_once(' ')?;
    if !matches!(operation, "sdiv" | "udiv" | "srem" | "urem") {
        return None;
    }
    let (vector, rest) = rest.strip_prefix('<')?.split_once("> ")?;
    let (lanes, element) = vector.split_once(" x i")?;
    let division = Division { operation, lanes: lanes.parse().ok()?, bits: element.parse().ok()? };
    let (left, rest) = split_operand(rest);
    let (right, rest) = split_operand(rest.strip_prefix(',')?.trim_start());
    let (name, kind) = (division.name(), division.vector());
    Some((
        division,
        format!("  {result} = call {kind} @{name}({kind} {left}, {kind} {right}){rest}"),
    ))
}

impl Division<'_> {
    fn name(self) -> String {
        format!("clreduce.{}.v{}i{}", self.operation, self.lanes, self.bits)
    }

    fn vector(self) -> String {
        format!("<{} x i{}>", self.lanes, self.bits)
    }

    fn is_signed(self) -> bool {
        self.operation.starts_with('s')
    }

    fn definition(self, memory: bool) -> String {
        let (vector, bits) = (self.vector(), self.bits);
        let attribute = if memory { " sanitize_memory" } else { "" };
        let mut text = format!(
            "define internal {vector} @{}({vector} %a, {vector} %b) noinline optnone nounwind uwtable{attribute} \
             \"frame-pointer\"=\"all\" {{\n  br label %lane0\n",
            self.name()
        );
        for lane in 0..self.lanes {
            text.push_str(&self.lane(lane));
        }
        let last = self.lanes;
        let _ = writeln!(text, "lane{last}:\n  ret {vector} %r{last}\n}}");
        debug_assert!(bits > 0 && last > 0);
        text
    }

    /// The instructions for one lane: `%rN` is the vector before it.
    fn lane(self, lane: u32) -> String {
        let (vector, bits, operation) = (self.vector(), self.bits, self.operation);
        let next = lane + 1;
        let before = if lane == 0 { "undef".to_owned() } else { format!("%r{lane}") };
        let least = i64::MIN >> (64 - bits.clamp(1, 64));
        let mut text = format!(
            "lane{lane}:\n  %a{lane} = extractelement {vector} %a, i32 {lane}\n  \
             %b{lane} = extractelement {vector} %b, i32 {lane}\n  %z{lane} = icmp eq i{bits} %b{lane}, 0\n  \
             br i1 %z{lane}, label %zero{lane}, label %some{lane}\n\
             zero{lane}:\n  %u{lane} = call i{bits} @clreduce_undefined_quotient_i{bits}()\n  br label %done{lane}\n\
             some{lane}:\n"
        );
        let mut phi = format!("[ %u{lane}, %zero{lane} ], [ %q{lane}, %safe{lane} ]");
        if self.is_signed() {
            let _ = write!(
                text,
                "  %m{lane} = icmp eq i{bits} %a{lane}, {least}\n  %n{lane} = icmp eq i{bits} %b{lane}, -1\n  \
                 %o{lane} = and i1 %m{lane}, %n{lane}\n  br i1 %o{lane}, label %over{lane}, label %safe{lane}\n\
                 over{lane}:\n  %v{lane} = call i{bits} @clreduce_undefined_overflow_i{bits}()\n  br label %done{lane}\n"
            );
            let _ = write!(phi, ", [ %v{lane}, %over{lane} ]");
        } else {
            let _ = writeln!(text, "  br label %safe{lane}");
        }
        let _ = write!(
            text,
            "safe{lane}:\n  %q{lane} = {operation} i{bits} %a{lane}, %b{lane}\n  br label %done{lane}\n\
             done{lane}:\n  %p{lane} = phi i{bits} {phi}\n  \
             %r{next} = insertelement {vector} {before}, i{bits} %p{lane}, i32 {lane}\n  br label %lane{next}\n"
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_divisions_of_vectors_change() {
        let module = "  %3 = sdiv <2 x i8> %1, <i8 1, i8 2>, !dbg !4\n  %4 = sdiv i32 %1, %2\n";
        let text = replace(module, true);
        assert!(text.starts_with(
            "  %3 = call <2 x i8> @clreduce.sdiv.v2i8(<2 x i8> %1, <2 x i8> <i8 1, i8 2>), !dbg !4\n  %4 = sdiv i32"
        ));
        assert!(text.contains("icmp eq i8 %a1, -128") && text.contains("sanitize_memory"));
        assert!(text.contains("declare i8 @clreduce_undefined_overflow_i8()"));
        assert_eq!(replace("  %4 = udiv i32 %1, %2\n", true), "  %4 = udiv i32 %1, %2\n");
    }
}
