//! Loads, stores and addresses.

use super::{PtxPrinter, exactly};
use crate::ir::{ExprId, ExprKind, ScalarType, Storage, VarId};
use crate::random::{SeedKey, Stream};

/// The space that a table of constants lies in: its values draw one.
pub(super) fn table_space(values: &[i64]) -> &'static str {
    if values.iter().fold(0, |sum, value| sum ^ value) & 1 == 0 { ".const" } else { ".global" }
}

/// An element of an array: the state space and the address.
pub(super) struct MemoryPlace {
    space: &'static str,
    address: String,
}

impl PtxPrinter<'_> {
    /// The value of an element, in a register for its type.
    pub(super) fn load(&mut self, array: VarId, at: ExprId, key: SeedKey) -> String {
        let scalar = self.program.variable(array).ty.scalar;
        let place = self.element(array, at, key);
        let into = self.fresh(scalar.bits());
        let is_table = matches!(self.program.variable(array).space, Storage::Constant(_));
        let is_same = matches!(self.program.expr(at).kind, ExprKind::Literal(_));
        let load = match place.space {
            // Nothing writes to it, so other loads do as well: `ldu` where all lanes read the same.
            ".global" if is_table => match key.named("load").stream().below(3) {
                0 => "ld.global".to_owned(),
                _ if is_same => "ldu.global".to_owned(),
                _ => "ld.global.nc".to_owned(),
            },
            space => format!("ld{space}"),
        };
        self.emit(&format!("{load}.{} {into}, [{}]", exactly(scalar), place.address));
        into
    }

    pub(super) fn store(&mut self, place: &MemoryPlace, value: &str, scalar: ScalarType) {
        let (space, ty) = (place.space, exactly(scalar));
        self.emit(&format!("st{space}.{ty} [{}], {value}", place.address));
    }

    /// The place of an element. Its index is in the range.
    pub(super) fn element(&mut self, array: VarId, at: ExprId, key: SeedKey) -> MemoryPlace {
        let program = self.program;
        let variable = program.variable(array);
        let bytes = variable.ty.scalar.bits() / 8;
        let (space, base) = self.base(array);
        let mut draws = key.named("place").stream();
        if let ExprKind::Literal(stored) = program.expr(at).kind
            && draws.chance(70)
        {
            let offset = stored * i64::from(bytes);
            return MemoryPlace { space, address: format!("{base}+{offset}") };
        }
        let scalar = program.ty(at).scalar;
        let index = self.value(at);
        let base = match base.starts_with('%') {
            true => base,
            false => self.compute("mov.u64", 64, &[&base]),
        };
        let address = self.offset(&base, &index, (scalar, bytes), &mut draws);
        // The same address in the generic space.
        if draws.chance(12) {
            let generic = self.compute(&format!("cvta{space}.u64"), 64, &[&address]);
            return MemoryPlace { space: "", address: generic };
        }
        MemoryPlace { space, address }
    }

    /// The state space of an array, and its address or its name.
    fn base(&mut self, array: VarId) -> (&'static str, String) {
        let variable = self.program.variable(array);
        let name = variable.name.clone();
        match variable.space {
            Storage::Constant(ref values) => (table_space(values), name),
            Storage::Local => (".shared", name),
            Storage::Global(_) | Storage::Argument(_) => (".global", format!("%{name}")),
            Storage::Private | Storage::Object(_) => {
                self.arrays.insert(array);
                (".local", name)
            }
        }
    }

    /// An address plus an index times a number of bytes.
    fn offset(
        &mut self,
        base: &str,
        index: &str,
        (scalar, bytes): (ScalarType, u32),
        draws: &mut Stream,
    ) -> String {
        let shift = bytes.ilog2().to_string();
        let bytes = bytes.to_string();
        match draws.below(3) {
            0 => {
                let index = self.converted(index.to_owned(), (scalar, ScalarType::Int));
                self.compute("mad.wide.s32", 64, &[&index, &bytes, base])
            }
            1 => {
                let index = self.converted(index.to_owned(), (scalar, ScalarType::Uint));
                let offset = self.compute("mul.wide.u32", 64, &[&index, &bytes]);
                self.compute("add.s64", 64, &[base, &offset])
            }
            _ => {
                let index = self.converted(index.to_owned(), (scalar, ScalarType::Long));
                let offset = self.compute("shl.b64", 64, &[&index, &shift]);
                self.compute("add.u64", 64, &[&offset, base])
            }
        }
    }
}
