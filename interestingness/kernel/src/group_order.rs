//! Other orders of groups, on devices that choose the order themselves: the kernel takes the number of another group for
//! its own. A device that runs group 0 first then runs what is another group to the kernel.

use crate::program::ProgramKind;

/// Multipliers of the numbers of groups. As they are primes, and greater than the number of groups of a launch, they take each
/// number to one of its own.
const MULTIPLIERS: [u32; 10] = [
    1_073_741_827,
    1_073_741_831,
    1_073_741_833,
    1_073_741_839,
    1_073_741_843,
    1_073_741_857,
    1_073_741_891,
    1_073_741_909,
    1_073_741_939,
    1_073_741_953,
];

/// The number of orders of [`in_group_order`].
pub const GROUP_ORDERS: u32 = MULTIPLIERS.len() as u32;

/// The program whose groups have other numbers in each dimension, in one of the orders 1 to [`GROUP_ORDERS`]. Lines keep their numbers.
///
/// `None` for an order that does not exist, for whole programs, whose headers use these numbers too, and for PTX.
#[must_use]
pub fn in_group_order(source: &[u8], kind: ProgramKind, order: u32) -> Option<Vec<u8>> {
    let multiplier = MULTIPLIERS.get(order.checked_sub(1)? as usize)?;
    let permuted = |group: &str, groups: &str| {
        format!(
            "(((unsigned long{}){group} * {multiplier}u + {order}u) % {groups})",
            match kind {
                ProgramKind::OpenCl => "",
                _ => " long",
            }
        )
    };
    let start = match kind {
        ProgramKind::OpenCl => opencl(&permuted("get_group_id(d)", "get_num_groups(d)")),
        ProgramKind::CudaKernels => cuda(permuted),
        ProgramKind::CudaProgram | ProgramKind::Ptx => return None,
    };
    Some([start.as_bytes(), b"#line 1\n", source].concat())
}

fn opencl(permuted: &str) -> String {
    format!(
        "size_t group_in_order_(uint d) {{ return {permuted}; }}\n\
         size_t item_in_order_(uint d) {{ return group_in_order_(d) * get_local_size(d) + get_local_id(d); }}\n\
         #define get_group_id(d) group_in_order_(d)\n\
         #define get_global_id(d) (item_in_order_(d) + get_global_offset(d))\n\
         #define get_global_linear_id() ((item_in_order_(2) * get_global_size(1) + item_in_order_(1)) * \
         get_global_size(0) + item_in_order_(0))\n"
    )
}

fn cuda(permuted: impl Fn(&str, &str) -> String) -> String {
    let [x, y, z] = ["x", "y", "z"]
        .map(|axis| permuted(&format!("blockIdx.{axis}"), &format!("gridDim.{axis}")));
    format!(
        "static __device__ uint3 block_in_order_() {{ uint3 b; b.x = {x}; b.y = {y}; b.z = {z}; return b; }}\n\
         #undef blockIdx\n\
         #define blockIdx block_in_order_()\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_order_takes_each_group_once() {
        for groups in (1..200_u64).chain([65_535, 1 << 20]) {
            for (multiplier, order) in MULTIPLIERS.into_iter().zip(1..) {
                let mut seen = vec![false; groups as usize];
                for group in 0..groups {
                    let other = (group * u64::from(multiplier) + order) % groups;
                    assert!(!std::mem::replace(&mut seen[other as usize], true));
                }
            }
        }
    }

    #[test]
    fn lines_keep_their_numbers_and_whole_programs_have_no_other_order() {
        let source = b"kernel void k(global int *a) { a[get_global_id(0)] = 1; }";
        let text = in_group_order(source, ProgramKind::OpenCl, GROUP_ORDERS).unwrap();
        assert!(text.ends_with(&[&b"\n#line 1\n"[..], source].concat()));
        assert_eq!(in_group_order(source, ProgramKind::OpenCl, GROUP_ORDERS + 1), None);
        assert_eq!(in_group_order(source, ProgramKind::OpenCl, 0), None);
        assert_eq!(in_group_order(b"int main() {}", ProgramKind::CudaProgram, 1), None);
    }
}
