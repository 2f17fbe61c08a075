//! Ways to parts of objects that leave an array, go through a pointer that points to nothing, or lead to bytes without a
//! value.

use super::ProgramRepair;
use crate::ir::{Address, ExprId, Initial, ObjectType, Path, Root, Step, StmtKind, Ty, VarId};
use crate::random::SeedKey;

impl ProgramRepair<'_> {
    /// The path with every index in range; what a pointer points to instead of its neighbours.
    pub(super) fn cut_path(&mut self, path: &Path, key: SeedKey) -> Path {
        let root = match &path.root {
            Root::Variable(id) => Root::Variable(*id),
            Root::Pointer(pointer, _) => Root::Pointer(Box::new(self.cut_path(pointer, key)), None),
        };
        let mut cut = Path { root, steps: Vec::new() };
        let mut shape = self.program.shape_at(&cut);
        for step in &path.steps {
            let part = self.program.part(&shape, *step);
            cut.steps.push(match (*step, shape) {
                (Step::Index(at), ObjectType::Array(_, length)) => {
                    Step::Index(self.modulo(at, length, key))
                }
                (step, _) => step,
            });
            shape = part;
        }
        cut
    }

    /// The widest member that is narrower than what a path leads to, in the union that it leads through.
    pub(super) fn narrower(&self, path: &Path) -> Option<(Path, Ty)> {
        let size = |shape: &ObjectType| self.program.layout(shape).0;
        let limit = size(&self.program.shape_at(path));
        let (mut union, id) = (0..path.steps.len()).rev().find_map(|end| {
            let outer = Path { root: path.root.clone(), steps: path.steps[..end].to_vec() };
            match self.program.shape_at(&outer) {
                ObjectType::Record(id) if self.program.record(id).is_union => Some((outer, id)),
                _ => None,
            }
        })?;
        let members = (0..).zip(&self.program.record(id).members);
        let narrower = members.filter_map(|(number, member)| match member {
            ObjectType::Value(ty) if size(member) < limit => Some((number, *ty, size(member))),
            _ => None,
        });
        let (number, ty, _) = narrower.max_by_key(|(_, _, size)| *size)?;
        union.steps.push(Step::Member(number));
        Some((union, ty))
    }

    /// True if a statement adds the value to the result, which takes any type.
    pub(super) fn is_hashed(&self, id: ExprId) -> bool {
        let mut stmts = self.program.stmts.iter();
        stmts.any(|stmt| matches!(stmt.kind, StmtKind::Hash(value) if value == id))
    }

    /// An assignment to a pointer that does not move it.
    pub(super) fn point(&mut self, into: &Path, address: &Address, key: SeedKey) -> StmtKind {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::Features;
    use crate::interpret;
    use crate::ir::{
        ExprKind, Place, Program, Record, RecordId, ScalarType, Sizes, Storage, Variable,
    };
    use crate::profile::Profile;
    use crate::repair::repair;

    /// A write to a narrow member of a union takes the wider ones their value; the result still depends on it.
    #[test]
    fn the_member_that_has_a_value_is_added_to_the_result() {
        let run = |stored: i128| {
            let key = SeedKey::root(0);
            let mut program = Program::new(Sizes { global: [1; 3], local: [1; 3] });
            let types = [ScalarType::Char, ScalarType::Long, ScalarType::Short].map(Ty::scalar);
            let members = types.map(ObjectType::Value).to_vec();
            program.records.push(Record { name: "U0".into(), is_union: true, members });
            let space = Storage::Object(ObjectType::Record(RecordId(0)));
            let (name, ty) = ("s0".into(), Ty::INT);
            let object = program.declare(Variable { name, ty, length: None, space });
            let member = |number| Path { steps: vec![Step::Member(number)], ..Path::to(object) };
            let initials = Box::new([Initial::Number(1)]);
            let value = program.literal(stored, types[2], key);
            let hashed = program.add(ExprKind::Part(Box::new(member(1))), types[1], key);
            program.body = [
                StmtKind::DeclareObject(object, initials),
                StmtKind::Assign(Place::Part(member(2)), value),
                StmtKind::Hash(hashed),
            ]
            .map(|kind| program.statement(kind, key))
            .to_vec();
            let report = repair(&mut program, &Features::new(&Profile::default(), key));
            assert!(report.is_clean() && program.ty(hashed) == types[2]);
            report.results
        };
        let expected = interpret::mixed(interpret::FIRST, 300);
        assert_eq!(run(300), [expected]);
    }
}
