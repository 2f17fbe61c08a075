//! Products of tiles: who has which element, and who has to come.

use super::kernel::Kernel;
use crate::interpret::{FIRST, Faults, Report, mixed, run};
use crate::ir::{Binary, ExprId, Mma, ScalarType, StmtKind, Tile, Ty, VarId};

/// A number that one lane of a warp has; the other lanes have 0.
type OfLane = (i64, usize, i64);

fn word(kernel: &mut Kernel, number: usize, (lane, place, bits): OfLane) -> ExprId {
    let bits = if number == place { bits } else { 0 };
    let (lid, lane, bits) = (kernel.lid(), kernel.number(lane), kernel.number(bits));
    let is_there = kernel.binary(Binary::Equal, lid, lane);
    let value = kernel.binary(Binary::Multiply, is_there, bits);
    kernel.program.convert(value, Ty::scalar(ScalarType::Uint), Kernel::key())
}

/// A product of tiles that have one element each; what it is added to is 7 in all places.
fn product(group: u32, tile: Tile, signed: [bool; 2], a: OfLane, b: OfLane) -> Report {
    let mut kernel = Kernel::new(1, group);
    let [first, second, count] = tile.words();
    let sums: Box<[VarId]> = (0..count).map(|_| kernel.declare(7)).collect();
    let a = (0..first).map(|number| word(&mut kernel, number, a)).collect();
    let b = (0..second).map(|number| word(&mut kernel, number, b)).collect();
    kernel.push(StmtKind::Mma(Mma { tile, signed, a, b, sums: sums.clone() }));
    for sum in sums {
        let value = kernel.read(sum);
        kernel.hash(value);
    }
    kernel.program.body.clone_from(&kernel.made);
    run(&kernel.program)
}

/// The places are those of the manual of PTX: of a lane, a quarter is the group, and the rest the number in it.
#[test]
fn elements_belong_to_the_lanes_that_the_manual_names() {
    for (tile, signed, a, b, (lane, place, sum)) in [
        // a1 of lane 5 is element 2 of row 1, b1 of lane 12 that of column 3; c1 of lane 5 is their place.
        (Tile::M8N8K16, [true; 2], (4, 0, 0x300), (12, 0, 0xFF00), (5, 1, -3)),
        (Tile::M8N8K16, [false; 2], (4, 0, 0xFF00), (12, 0, 0xFF00), (5, 1, 65_025)),
        // a6 of lane 5 is element 6 of row 9, b2 of lane 13 that of column 3.
        (Tile::M16N8K32, [true; 2], (5, 1, 0x2_0000), (13, 0, 0xFF_0000), (5, 3, -2)),
        (Tile::M16N8K32, [true, false], (5, 1, 0xFE_0000), (13, 0, 0xFF_0000), (5, 3, -510)),
        // a9 of lane 31 is element 29 of row 7, b5 of lane 3 that of column 0.
        (Tile::M16N8K32, [false, true], (31, 2, 0xFF00), (3, 1, 0x8000), (28, 0, -32_640)),
    ] {
        let report = product(32, tile, signed, a, b);
        assert!(report.is_clean());
        for (item, result) in report.results.into_iter().enumerate() {
            let sums = (0..tile.words()[2])
                .map(|number| if (item, number) == (lane, place) { 7 + sum } else { 7 });
            let expected = sums.fold(FIRST, |hash, sum: i64| mixed(hash, sum as u64));
            assert_eq!(result, expected, "{tile:?} {signed:?} {a:?} {b:?}: lane {item}");
        }
    }
}

#[test]
fn warps_are_whole() {
    for (group, is_valid) in [(16, false), (32, true), (48, false), (64, true)] {
        let report = product(group, Tile::M8N8K16, [true; 2], (0, 0, 1), (0, 0, 1));
        assert_eq!(report.is_clean(), is_valid, "{group}");
        let faults = report.stmts.iter().any(|faults| faults.has(Faults::DIVERGENCE));
        assert_eq!(faults, !is_valid, "{group}");
    }
}
