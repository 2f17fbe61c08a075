//! Ways to parts of objects that leave an array, or go through a pointer that points to nothing.

use super::Repair;
use crate::ir::{Address, Initial, Path, Root, Shape, Step, StmtKind, VarId};
use crate::random::Key;

impl Repair<'_> {
    /// The path with every index in range; what a pointer points to instead of its neighbours.
    pub(super) fn cut_path(&mut self, path: &Path, key: Key) -> Path {
        let root = match &path.root {
            Root::Variable(id) => Root::Variable(*id),
            Root::Pointer(pointer, _) => Root::Pointer(Box::new(self.cut_path(pointer, key)), None),
        };
        let mut cut = Path { root, steps: Vec::new() };
        let mut shape = self.program.shape_at(&cut);
        for step in &path.steps {
            let part = self.program.part(&shape, *step);
            cut.steps.push(match (*step, shape) {
                (Step::Index(at), Shape::Array(_, length)) => {
                    Step::Index(self.modulo(at, length, key))
                }
                (step, _) => step,
            });
            shape = part;
        }
        cut
    }

    /// An assignment to a pointer that does not move it.
    pub(super) fn point(&mut self, into: &Path, address: &Address, key: Key) -> StmtKind {
        let address = match address {
            Address::Null => Address::Null,
            Address::Of(path) => Address::Of(self.cut_path(path, key)),
            Address::Value(path) | Address::Moved(path, _) => {
                Address::Value(self.cut_path(path, key))
            }
        };
        StmtKind::Point(self.cut_path(into, key), address)
    }
}

/// A declaration whose pointers are null.
pub(crate) fn without_addresses(id: VarId, initials: &[Initial]) -> StmtKind {
    let initials = initials.iter().map(|initial| match initial {
        Initial::Number(number) => Initial::Number(*number),
        Initial::Address(_) => Initial::Address(Address::Null),
    });
    StmtKind::DeclareObject(id, initials.collect())
}
