//! Random ways to parts of objects: through members, elements and pointers.

use super::Maker;
use crate::ir::{ObjectType, Path, Region, Root, Step, Ty};
use crate::random::{SeedKey, Stream};

/// The goal that a way leads to.
#[derive(Clone, Copy)]
pub(super) enum Goal<'a> {
    /// A scalar or a vector.
    Value,
    /// A scalar or a vector that can be written.
    WritableValue,
    /// A structure or a union that can be written.
    Record,
    /// A pointer.
    Pointer,
    /// Something of a type; in unions, nothing has an address that could be taken.
    Exactly(&'a ObjectType),
    /// Anything whose address can be taken.
    Addressable,
}

/// A way under construction.
pub(super) struct Walk {
    pub path: Path,
    pub shape: ObjectType,
    pub region: Region,
    in_union: bool,
}

impl Maker<'_> {
    /// A random way to something, if one is found soon.
    pub(super) fn some_way(
        &mut self,
        goal: Goal<'_>,
        stream: &mut Stream,
        key: SeedKey,
    ) -> Option<Walk> {
        let tries = if matches!(goal, Goal::Exactly(_)) { 8 } else { 3 };
        (0..tries).find_map(|number| self.way(goal, stream, key.child(number)))
    }

    fn way(&mut self, goal: Goal<'_>, stream: &mut Stream, key: SeedKey) -> Option<Walk> {
        let takes_address = matches!(goal, Goal::Exactly(_) | Goal::Addressable);
        let arrays = if takes_address { self.arrays.len() } else { 0 };
        let at = stream.below((self.objects.len() + arrays) as u64) as usize;
        let root = self.objects.iter().chain(&self.arrays).nth(at).copied()?;
        let mut walk = Walk {
            path: Path::to(root),
            shape: self.program.shape(root),
            region: self.program.region(root),
            in_union: false,
        };
        for number in 0..8_u64 {
            if self.arrives(goal, &walk, stream) {
                return Some(walk);
            }
            let step = match &walk.shape {
                ObjectType::Value(_) | ObjectType::Bits(..) => return None,
                ObjectType::Pointer(target, region) => {
                    let (target, region) = ((**target).clone(), *region);
                    let index = matches!(target, ObjectType::Value(_)) && stream.chance(10);
                    let by = stream.within(-1, 2);
                    let by = index.then(|| self.program.literal(by.into(), Ty::INT, key));
                    let root = Root::Pointer(Box::new(walk.path), by);
                    let path = Path { root, steps: Vec::new() };
                    walk = Walk { path, shape: target, region, in_union: false };
                    continue;
                }
                ObjectType::Array(_, length) => {
                    Step::Index(self.index(*length, stream, key.child(number)))
                }
                ObjectType::Record(id) => {
                    let record = self.program.record(*id);
                    walk.in_union |= record.is_union;
                    Step::Member(stream.below(record.members.len() as u64) as u8)
                }
            };
            walk.shape = self.program.part(&walk.shape, step);
            walk.path.steps.push(step);
        }
        None
    }

    fn arrives(&self, goal: Goal<'_>, walk: &Walk, stream: &mut Stream) -> bool {
        let is_value = walk.shape.value().is_some();
        let is_writable = walk.region == Region::Private;
        match goal {
            Goal::Value => is_value,
            Goal::WritableValue => is_value && is_writable,
            Goal::Record => {
                matches!(walk.shape, ObjectType::Record(_)) && is_writable && stream.chance(70)
            }
            Goal::Pointer => matches!(walk.shape, ObjectType::Pointer(..)),
            Goal::Exactly(shape) => walk.shape == *shape && is_writable && !walk.in_union,
            Goal::Addressable => {
                let stops = match walk.shape {
                    ObjectType::Value(_) => true,
                    ObjectType::Record(_) => stream.chance(50),
                    ObjectType::Array(..) | ObjectType::Bits(..) => false,
                    ObjectType::Pointer(..) => stream.chance(25),
                };
                stops && !walk.in_union
            }
        }
    }
}
