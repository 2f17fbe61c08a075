//! Accesses to arrays that are out of range, race, or read what was not written.

use super::ProgramRepair;
use crate::interpret::Faults;
use crate::ir::{
    Binary, Buffer, ExprId, ExprKind, Place, ScalarType, StmtKind, Storage, Ty, VarId, WorkItemId,
};
use crate::random::SeedKey;

impl ProgramRepair<'_> {
    /// Changes a read.
    pub(super) fn read(&mut self, id: ExprId, faults: Faults) {
        let expr = self.program.expr(id);
        let (ty, key, again) = (expr.ty, expr.key.named("repair"), expr.repairs > 1);
        let one = || ExprKind::Literal(ty.scalar.wrap(1));
        let kind = match expr.kind.clone() {
            _ if faults.has(Faults::ORDER) => one(),
            ExprKind::Element(array, at) if !again && faults.has(Faults::RANGE) => {
                ExprKind::Element(array, self.cut(array, at, 1, key))
            }
            ExprKind::Load(array, at) if !again && faults.has(Faults::RANGE) => {
                ExprKind::Load(array, self.cut(array, at, ty.lanes, key))
            }
            ExprKind::Part(path) if !again && faults.has(Faults::RANGE) => {
                ExprKind::Part(Box::new(self.cut_path(&path, key)))
            }
            ExprKind::Part(path) if faults.has(Faults::UNSET) && self.is_hashed(id) => {
                match self.narrower(&path) {
                    Some((path, ty)) => {
                        self.program.exprs[id.0 as usize].ty = ty;
                        ExprKind::Part(Box::new(path))
                    }
                    None => one(),
                }
            }
            ExprKind::Element(array, _) if !again && faults.has(Faults::RACE) => {
                match self.own(array, key) {
                    Some(at) => ExprKind::Element(array, at),
                    None => one(),
                }
            }
            _ => one(),
        };
        self.program.exprs[id.0 as usize].kind = kind;
    }

    /// Changes an assignment.
    pub(super) fn write(
        &mut self,
        place: Place,
        value: ExprId,
        faults: Faults,
        (key, rung): (SeedKey, u8),
    ) -> StmtKind {
        let place = match place {
            Place::Element(array, at) if rung == 0 && faults.has(Faults::RANGE) => {
                Place::Element(array, self.cut(array, at, 1, key))
            }
            Place::Store(array, at) if rung == 0 && faults.has(Faults::RANGE) => {
                let lanes = self.program.ty(value).lanes;
                Place::Store(array, self.cut(array, at, lanes, key))
            }
            Place::Part(path) if rung == 0 && faults.has(Faults::RANGE) => {
                Place::Part(self.cut_path(&path, key))
            }
            Place::Element(array, _) if rung == 0 => match self.own(array, key) {
                Some(at) => Place::Element(array, at),
                None => return StmtKind::Nothing,
            },
            _ => return StmtKind::Nothing,
        };
        StmtKind::Assign(place, value)
    }

    /// The index modulo the number of elements.
    fn cut(&mut self, array: VarId, at: ExprId, lanes: u8, key: SeedKey) -> ExprId {
        self.modulo(at, self.program.elements(array) / u32::from(lanes), key)
    }

    /// The index modulo a length.
    pub(super) fn modulo(&mut self, at: ExprId, length: u32, key: SeedKey) -> ExprId {
        let uint = Ty::scalar(ScalarType::Uint);
        let at = self.program.convert(at, uint, key);
        let length = self.program.literal(length.max(1).into(), uint, key);
        self.program.binary(Binary::Remainder, at, length, key)
    }

    /// The index of the element that only this work-item uses.
    fn own(&mut self, array: VarId, key: SeedKey) -> Option<ExprId> {
        let item = match self.program.variable(array).space {
            Storage::Local if self.program.elements(array) >= self.program.sizes.group() => {
                WorkItemId::LinearLocal
            }
            Storage::Global(Buffer::Communication) => WorkItemId::LinearGlobal,
            _ => return None,
        };
        Some(self.program.add(ExprKind::Item(item), Ty::INT, key))
    }
}
