//! Arguments from the launch comment of CLsmith's kernels. The kernel `entry` takes them in the order of this table,
//! each argument only where the comment has its flag:
//!
//! | flag | argument | content |
//! |---|---|---|
//! | always | `ulong` for each work-item | 0; the result |
//! | `--atomics N` | `uint`, N for each work-group, twice | 0 |
//! | `---atomic_reductions` | `int` for each work-group | 0 |
//! | `---emi` | 1024 `int` | 1024, 1023, … |
//! | `---fake_divergence` | `int`, as many as the largest global dimension | 10, 11, … |
//! | `---inter_thread_comm` | `long` for each work-item | 1 |

use clreduce_language::Scalar;
use clreduce_testcase::Launch;

use super::PlanError;
use crate::job::{Argument, Fill, KernelLaunch};

/// Returns the launch of `entry` that a comment describes. Flags that are not in the table say how the kernel was
/// generated; they are ignored.
pub(crate) fn launch(comment: &[u8], sizes: &Launch) -> Result<KernelLaunch, PlanError> {
    let text = String::from_utf8_lossy(comment);
    let mut words = text.split_ascii_whitespace();
    let (mut atomics, mut reductions, mut emi) = (None, false, false);
    let (mut divergence, mut communication) = (false, false);
    while let Some(word) = words.next() {
        match word {
            "--atomics" => {
                let count = words.next().and_then(|count| count.parse::<u64>().ok());
                let count = count.filter(|&count| count > 0);
                atomics = Some(count.ok_or(PlanError::AtomicsWithoutCount)?);
            }
            "---atomic_reductions" => reductions = true,
            "---emi" => emi = true,
            "---fake_divergence" => divergence = true,
            "---inter_thread_comm" => communication = true,
            _ => {}
        }
    }
    let items = sizes.work_items();
    let groups = sizes.global.iter().zip(&sizes.local).map(|(all, group)| (all / group).max(1));
    let groups = groups.fold(1, u64::saturating_mul);
    let largest = sizes.global.iter().copied().max().unwrap_or(1);

    let mut arguments = vec![buffer("result", Scalar::Ulong, items, Fill::all(0.0), true)];
    let mut add = |name, scalar, elements, first, step| {
        arguments.push(buffer(name, scalar, elements, Fill::Steps { first, step }, false));
    };
    if let Some(count) = atomics {
        let elements = count.saturating_mul(groups);
        add("atomic counters", Scalar::Uint, elements, 0.0, 0.0);
        add("special values", Scalar::Uint, elements, 0.0, 0.0);
    }
    if reductions {
        add("atomic reductions", Scalar::Int, groups, 0.0, 0.0);
    }
    if emi {
        add("emi", Scalar::Int, 1024, 1024.0, -1.0);
    }
    if divergence {
        add("fake divergence", Scalar::Int, largest, 10.0, 1.0);
    }
    if communication {
        add("inter-thread communication", Scalar::Long, items, 1.0, 0.0);
    }
    Ok(KernelLaunch {
        kernel: "entry".to_owned(),
        global: sizes.global.clone(),
        local: Some(sizes.local.clone()),
        arguments,
        fixed: Vec::new(),
    })
}

fn buffer(name: &str, scalar: Scalar, elements: u64, fill: Fill, output: bool) -> Argument {
    Argument::Buffer {
        name: name.to_owned(),
        element: scalar.into(),
        elements,
        fill,
        output,
        image: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(comment: &str) -> Result<KernelLaunch, PlanError> {
        launch(comment.as_bytes(), &Launch::find(comment.as_bytes()).unwrap())
    }

    #[test]
    fn every_flag_in_its_place() {
        let launch = of("// ---inter_thread_comm --atomics 5 ---emi ---fake_divergence \
             ---atomic_reductions ---group_divergence -g 6,4,2 -l 3,2,1")
        .unwrap();
        let shown: Vec<_> = launch
            .arguments
            .iter()
            .map(|argument| match argument {
                Argument::Buffer { element, elements, fill, output, .. } => {
                    let start = fill.content(*element, (*elements).min(2));
                    (element.to_string(), *elements, start[0], start[element.bytes()], *output)
                }
                other => panic!("{other:?}"),
            })
            .collect();
        let argument =
            |name: &str, elements, first, second| (name.to_owned(), elements, first, second, false);
        assert_eq!(shown[0], ("ulong".to_owned(), 48, 0, 0, true));
        assert_eq!(
            shown[1..],
            [
                argument("uint", 40, 0, 0),
                argument("uint", 40, 0, 0),
                argument("int", 8, 0, 0),
                argument("int", 1024, 0, 0xff),
                argument("int", 6, 10, 11),
                argument("long", 48, 1, 1),
            ]
        );
        assert_eq!((launch.global, launch.local), (vec![6, 4, 2], Some(vec![3, 2, 1])));
    }

    #[test]
    fn the_number_of_atomics_is_needed() {
        assert!(of("// --atomics -g 1 -l 1").is_err());
        assert!(of("// --atomics 0 -g 1 -l 1").is_err());
        assert_eq!(of("// -g 1 -l 1").unwrap().arguments.len(), 1);
    }
}
