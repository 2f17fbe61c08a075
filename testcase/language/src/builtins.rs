//! The built-in functions of OpenCL C and CUDA: how the types of their results follow from those of their
//! arguments.

use crate::numbers::{Number, Scalar};

/// The rule by which a built-in's result follows from its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Lane by lane: as many lanes as the arguments that are vectors, and the scalar of the first.
    Elementwise,
    /// Lane by lane, with the lanes as wide but of whole numbers: `isequal`, `abs_diff`.
    Mask,
    /// Lane by lane, with the lanes twice as wide: `upsample`.
    Widened,
    /// One number from all lanes: `dot`, `any`.
    Folded,
    /// The type that the name says: `convert_int4_sat`.
    Converted(Number),
    /// The type that the name says, with lanes that have nothing to do with the argument's: `as_int4`.
    Reinterpreted(Number),
    /// A vector with this number of lanes from memory, `vload4`.
    Loaded(u8),
    /// A vector with this number of lanes to memory, `vstore4`.
    Stored(u8),
    /// The position of a work-item or the size of a range.
    WorkItem,
    /// A barrier or fence.
    Fence,
    /// An atomic operation on what its first argument points to.
    Atomic,
}

/// The names of the elementwise functions of OpenCL C 1.2 that CLsmith and people use.
const ELEMENTWISE: [&str; 66] = [
    "abs",
    "acos",
    "add_sat",
    "asin",
    "atan",
    "atan2",
    "cbrt",
    "ceil",
    "clamp",
    "clz",
    "copysign",
    "cos",
    "degrees",
    "exp",
    "exp10",
    "exp2",
    "fabs",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "hadd",
    "hypot",
    "log",
    "log10",
    "log2",
    "mad",
    "mad24",
    "mad_hi",
    "mad_sat",
    "max",
    "min",
    "mix",
    "mul24",
    "mul_hi",
    "native_cos",
    "native_divide",
    "native_exp",
    "native_log",
    "native_recip",
    "native_rsqrt",
    "native_sin",
    "native_sqrt",
    "popcount",
    "pow",
    "pown",
    "powr",
    "radians",
    "remainder",
    "rhadd",
    "rint",
    "rotate",
    "round",
    "rsqrt",
    "select",
    "sign",
    "sin",
    "smoothstep",
    "sqrt",
    "step",
    "sub_sat",
    "tan",
    "trunc",
    "bitselect",
];
const MASKS: [&str; 10] = [
    "abs_diff",
    "isequal",
    "isgreater",
    "isgreaterequal",
    "isinf",
    "isless",
    "islessequal",
    "isnan",
    "isnotequal",
    "signbit",
];
const FOLDED: [&str; 5] = ["all", "any", "distance", "dot", "length"];
const FENCES: [&str; 10] = [
    "__syncthreads",
    "__syncwarp",
    "__threadfence",
    "__threadfence_block",
    "__threadfence_system",
    "barrier",
    "mem_fence",
    "read_mem_fence",
    "work_group_barrier",
    "write_mem_fence",
];
const WORK_ITEM: [&str; 13] = [
    "get_enqueued_local_size",
    "get_global_id",
    "get_global_linear_id",
    "get_global_offset",
    "get_global_size",
    "get_group_id",
    "get_local_id",
    "get_local_linear_id",
    "get_local_size",
    "get_num_groups",
    "get_sub_group_id",
    "get_sub_group_local_id",
    "get_work_dim",
];

impl Shape {
    /// Returns the rule for the built-in with this name; `None` for other names.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        let named = |names: &[&str]| names.contains(&name);
        if named(&ELEMENTWISE) {
            return Some(Self::Elementwise);
        }
        if named(&MASKS) {
            return Some(Self::Mask);
        }
        if name == "upsample" {
            return Some(Self::Widened);
        }
        if named(&FOLDED) {
            return Some(Self::Folded);
        }
        if named(&FENCES) {
            return Some(Self::Fence);
        }
        if named(&WORK_ITEM) {
            return Some(Self::WorkItem);
        }
        if name.starts_with("atomic_") || name.starts_with("atom_") || is_cuda_atomic(name) {
            return Some(Self::Atomic);
        }
        let number = |rest: &str| Number::named(rest.split('_').next().unwrap_or(rest));
        if let Some(rest) = name.strip_prefix("convert_") {
            return number(rest).map(Self::Converted);
        }
        if let Some(rest) = name.strip_prefix("as_") {
            return number(rest).map(Self::Reinterpreted);
        }
        let lanes = |rest: &str| rest.parse().ok().filter(|lanes| [2, 3, 4, 8, 16].contains(lanes));
        if let Some(rest) = name.strip_prefix("vload") {
            return lanes(rest).map(Self::Loaded);
        }
        let rest = name.strip_prefix("vstore")?;
        lanes(rest).map(Self::Stored)
    }

    /// The number that a call yields; `None` where it yields none or it is not known.
    #[must_use]
    pub fn result(self, arguments: &[Option<Number>]) -> Option<Number> {
        let first = arguments.iter().flatten().next().copied();
        let lanes = arguments.iter().flatten().map(|number| number.lanes).max().unwrap_or(1);
        match self {
            Self::Elementwise => first.map(|first| Number { lanes, ..first }),
            Self::Mask => first.map(|first| Number { scalar: first.scalar.mask(), lanes }),
            Self::Widened => first.map(|first| Number { scalar: first.scalar.widened(), lanes }),
            Self::Folded => first.map(|first| Number { lanes: 1, ..first }),
            Self::Converted(number) | Self::Reinterpreted(number) => Some(number),
            Self::WorkItem => Some(Number::scalar(Scalar::Ulong)),
            Self::Atomic => Some(Number::scalar(Scalar::Int)),
            Self::Loaded(_) | Self::Stored(_) | Self::Fence => None,
        }
    }
}

fn is_cuda_atomic(name: &str) -> bool {
    name.strip_prefix("atomic")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_follow_from_arguments() {
        let int = |lanes| Some(Number { scalar: Scalar::Int, lanes });
        let result = |name: &str, arguments: &[Option<Number>]| {
            Shape::of(name).and_then(|shape| shape.result(arguments))
        };
        assert_eq!(result("clamp", &[int(4), int(1), int(1)]), int(4));
        assert_eq!(result("convert_int8_sat_rte", &[int(4)]), int(8));
        assert_eq!(result("as_int2", &[None]), int(2));
        assert_eq!(result("dot", &[int(3), int(3)]), int(1));
        assert_eq!(Shape::of("vload3"), Some(Shape::Loaded(3)));
        assert_eq!(Shape::of("vload5"), None);
        assert_eq!(Shape::of("atomicAdd"), Some(Shape::Atomic));
        assert_eq!(Shape::of("atomics"), None);
    }
}
