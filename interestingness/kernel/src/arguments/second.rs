//! Second inputs: other contents for the buffers that clreduce fills by itself. A result that is another one only for the
//! first inputs may be due to the program, as where it divides by what happens to be 0 (DeepSmith, ISSTA 2018).

use clreduce_language::kernel_signatures;
use clreduce_testcase::{Language, Launch};

use super::Plan;
use crate::job::{Argument, Fill};

/// The launches with other contents of buffers; `None` where the program itself says what is in them, or nothing is.
pub(crate) fn second(source: &[u8], language: Language, plan: &Plan) -> Option<Plan> {
    let is_described = Launch::find(source).is_some()
        && kernel_signatures(source, language).iter().any(|kernel| kernel.name == "entry");
    if is_described {
        return None;
    }
    let mut plan = plan.clone();
    let arguments = plan.launches.iter_mut().flat_map(|launch| &mut launch.arguments);
    let mut has_changed = false;
    for argument in arguments {
        if let Argument::Buffer { elements, fill, .. } = argument {
            *fill = other(*elements);
            has_changed = true;
        }
    }
    has_changed.then_some(plan)
}

/// The numbers from n down to 1: what was a valid index, or no 0, stays so. A single element is 2.
fn other(elements: u64) -> Fill {
    match elements {
        1 => Fill::all(2.0),
        _ => Fill::Steps { first: elements as f64, step: -1.0 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProgramKind;

    fn second_of(source: &str) -> Option<Plan> {
        ProgramKind::OpenCl.second_plan(source.as_bytes(), None)
    }

    #[test]
    fn buffers_have_the_same_numbers_in_another_order() {
        let plan = second_of("kernel void k(global int *a, int n) {}").unwrap();
        let fill = |launch: usize| match &plan.launches[launch].arguments[0] {
            Argument::Buffer { element, elements, fill, .. } => fill.content(*element, *elements),
            other => panic!("{other:?}"),
        };
        assert_eq!(fill(0), 2_i32.to_ne_bytes());
        assert_eq!(fill(1)[..8], [2048_i32, 2047].map(i32::to_ne_bytes).concat());
        assert_eq!(fill(1)[8188..], 1_i32.to_ne_bytes());
    }

    #[test]
    fn inputs_that_the_program_describes_are_its_own() {
        let comment = "// -g 4 -l 2\nkernel void entry(global ulong *r) {}";
        assert_eq!(second_of(comment), None);
        assert_eq!(second_of("kernel void k(int n) {}"), None);
        let described = "[[launch]]\nkernel = \"k\"\nglobal = [1]\n";
        let kernel = b"kernel void k(global int *a) {}";
        assert_eq!(ProgramKind::OpenCl.second_plan(kernel, Some(described)), None);
    }
}
