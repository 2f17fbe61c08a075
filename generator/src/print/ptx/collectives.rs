//! Functions of warps: every lane takes part.

use super::{PtxPrinter, bits, number};
use crate::ir::{Atomic, Collective, Joint, ScalarType, Shuffle, WARP};

impl PtxPrinter<'_> {
    pub(super) fn collective(&mut self, collective: &Collective) {
        let function = collective.function;
        let scalar = self.program.ty(collective.value).scalar;
        let value = self.value(collective.value);
        let value = self.in_register(value, scalar);
        let at = collective.at.map(|at| self.value_as(at, ScalarType::Int)).unwrap_or_default();
        let mask = self.warp_mask();
        if collective.syncs {
            self.emit(&format!("bar.warp.sync {mask}"));
        }
        let result = match function {
            Joint::Shuffle(shuffle) => {
                self.shuffled((shuffle, collective.width), (&value, scalar), &at, &mask)
            }
            Joint::MatchAny => {
                self.compute(&format!("match.any.sync.{}", bits(scalar)), 32, &[&value, &mask])
            }
            Joint::WarpReduce(reduction) => {
                let (name, ty) = match reduction {
                    Atomic::Min => ("min", number(scalar)),
                    Atomic::Max => ("max", number(scalar)),
                    Atomic::And => ("and", bits(scalar)),
                    Atomic::Or => ("or", bits(scalar)),
                    Atomic::Xor => ("xor", bits(scalar)),
                    _ => ("add", number(scalar)),
                };
                self.compute(&format!("redux.sync.{name}.{ty}"), 32, &[&value, &mask])
            }
            _ => {
                let holds = self.compute("setp.ne.u32", 1, &[&value, "0"]);
                if function == Joint::Ballot {
                    self.compute("vote.sync.ballot.b32", 32, &[&holds, &mask])
                } else {
                    let name = if function == Joint::WarpAll { "all" } else { "any" };
                    let vote = self.compute(&format!("vote.sync.{name}.pred"), 1, &[&holds, &mask]);
                    self.compute("selp.s32", 32, &["1", "0", &vote])
                }
            }
        };
        self.assign(collective.into, &result);
    }

    /// A number of 64 bits goes in two halves.
    fn shuffled(
        &mut self,
        (shuffle, width): (Shuffle, u8),
        (value, scalar): (&str, ScalarType),
        at: &str,
        mask: &str,
    ) -> String {
        let (name, last) = match shuffle {
            Shuffle::To => ("idx", 31),
            Shuffle::Up => ("up", 0),
            Shuffle::Down => ("down", 31),
            Shuffle::Xor => ("bfly", 31),
        };
        // The lanes of a segment, and the last one.
        let segment = ((WARP - u32::from(width)) << 8 | last).to_string();
        let name = format!("shfl.sync.{name}.b32");
        let one = |printer: &mut Self, value: &str| {
            printer.compute(&name, 32, &[value, at, &segment, mask])
        };
        if scalar.bits() == 32 {
            return one(self, value);
        }
        let halves = self.split(value);
        let halves = halves.map(|half| one(self, &half));
        self.joined(halves)
    }

    /// The lanes that the own warp has. The last warp of a group may have fewer than 32.
    fn warp_mask(&mut self) -> String {
        let group = self.program.sizes.group();
        let of = |lanes: u32| format!("{:#x}", u32::MAX >> (WARP - lanes));
        if group.is_multiple_of(WARP) {
            return of(WARP);
        }
        let (whole, rest) = (group / WARP * WARP, of(group % WARP));
        if whole == 0 {
            return rest;
        }
        let is_whole = self.compute("setp.lt.u32", 1, &["%lid", &whole.to_string()]);
        self.compute("selp.b32", 32, &[&of(WARP), &rest, &is_whole])
    }
}
