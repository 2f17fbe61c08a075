//! Operands: values, and places that can be assigned to. Conversions that C makes without being told.

use super::{Read, Reader};
use crate::ir::{
    Address, ExprId, ExprKind, ObjectType, Path, Program, Region, Root, Step, Swizzle, Ty, VarId,
};
use crate::random::SeedKey;

/// Something that stands in an expression.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    Value(ExprId),
    /// A private variable.
    Variable(VarId),
    /// Some lanes of a private variable.
    Lanes(VarId, Swizzle),
    /// An array as a whole.
    Array(VarId),
    Element(VarId, ExprId),
    /// A part of an object.
    Part(Path),
    /// An address, with the type and the address space of what lies there.
    Address(Address, ObjectType, Region),
}

impl Reader<'_> {
    /// Adds an expression.
    pub(super) fn node(&mut self, kind: ExprKind, ty: Ty) -> ExprId {
        let id = self.program.add(kind, ty, SeedKey::root(0));
        self.lines.exprs.push(self.tokens.line());
        id
    }

    pub(super) fn literal(&mut self, value: i128, ty: Ty) -> ExprId {
        self.node(ExprKind::Literal(ty.scalar.wrap(value)), ty)
    }

    pub(super) fn value(&mut self, operand: Operand) -> Read<ExprId> {
        let of = |variable: VarId| self.program.variable(variable).ty;
        let (kind, ty) = match operand {
            Operand::Value(id) => return Ok(id),
            Operand::Variable(variable) => (ExprKind::Variable(variable), of(variable)),
            Operand::Lanes(variable, swizzle) => {
                let ty = of(variable);
                let whole = self.node(ExprKind::Variable(variable), ty);
                let ty = Ty { lanes: swizzle.lanes().len() as u8, ..ty };
                (ExprKind::Swizzle(whole, swizzle), ty)
            }
            Operand::Element(variable, at) => (ExprKind::Element(variable, at), of(variable)),
            Operand::Part(path) => match self.program.shape_at(&path) {
                ObjectType::Value(ty) => (ExprKind::Part(Box::new(path)), ty),
                _ => return Err(self.tokens.outside("an object as a value")),
            },
            Operand::Array(_) | Operand::Address(..) => {
                return Err(self.tokens.outside("an address as a value"));
            }
        };
        Ok(self.node(kind, ty))
    }

    /// The value of an operand that is a scalar.
    pub(super) fn scalar(&mut self, operand: Operand) -> Read<ExprId> {
        let id = self.value(operand)?;
        if self.program.ty(id).is_vector() {
            return Err(self.tokens.outside("a vector in place of a scalar"));
        }
        Ok(id)
    }

    /// Converts a value as an assignment does: scalars to each other, and to all lanes of a vector.
    pub(super) fn coerce(&mut self, id: ExprId, ty: Ty) -> Read<ExprId> {
        let from = self.program.ty(id);
        match (from.is_vector(), ty.is_vector()) {
            _ if from == ty => Ok(id),
            (false, false) => Ok(self.node(ExprKind::Convert(id), ty)),
            (false, true) => {
                let lane = self.coerce(id, ty.lane())?;
                Ok(self.node(ExprKind::Vector(Box::new([lane])), ty))
            }
            _ => Err(self.tokens.flaw(&format!("a value of type `{from}` in place of `{ty}`"))),
        }
    }

    /// The address that an operand stands for, if it is a pointer, with what it points to.
    pub(super) fn pointer(&self, operand: &Operand) -> Option<(Address, ObjectType, Region)> {
        match operand {
            Operand::Part(path) => match self.program.shape_at(path) {
                ObjectType::Pointer(shape, region) => {
                    Some((Address::Value(path.clone()), *shape, region))
                }
                _ => None,
            },
            Operand::Address(address, shape, region) => {
                Some((address.clone(), shape.clone(), *region))
            }
            _ => None,
        }
    }

    /// The address for a pointer to such objects; 0 is that of nothing.
    pub(super) fn address(
        &mut self,
        operand: &Operand,
        target: &ObjectType,
        region: Region,
    ) -> Read<Address> {
        if self.is_null(operand) {
            return Ok(Address::Null);
        }
        match self.pointer(operand) {
            Some((address, shape, from)) if shape == *target && from == region => Ok(address),
            _ => Err(self.tokens.outside("a value for a pointer of another type")),
        }
    }

    pub(super) fn is_null(&self, operand: &Operand) -> bool {
        let Operand::Value(id) = operand else { return false };
        self.program.ty(*id) == Ty::INT
            && matches!(self.program.expr(*id).kind, ExprKind::Literal(0))
    }

    /// The address of an operand: `&x`.
    pub(super) fn address_of(&mut self, operand: Operand) -> Read<Operand> {
        let path = match operand {
            Operand::Part(path) => path,
            Operand::Element(variable, at) => {
                self.written.push(variable);
                Path { root: Root::Variable(variable), steps: vec![Step::Index(at)] }
            }
            _ => return Err(self.tokens.outside("the address of this")),
        };
        if passes_union(&self.program, &path) {
            return Err(self.tokens.outside("the address of a part of a union"));
        }
        if self.scopes.is_fixed(path.variable()) {
            return Err(self.tokens.outside("the address of a constant"));
        }
        let (shape, region) = (self.program.shape_at(&path), self.program.region_at(&path));
        Ok(Operand::Address(Address::Of(path), shape, region))
    }

    /// The target of a pointer: `*p`, or `p[i]`.
    pub(super) fn pointed_to(&mut self, operand: Operand, at: Option<ExprId>) -> Read<Operand> {
        let root = match (operand, at) {
            (Operand::Array(variable), at) => {
                let zero = || self.literal(0, Ty::INT);
                return Ok(Operand::Element(variable, at.unwrap_or_else(zero)));
            }
            (Operand::Part(path), at) => match (self.program.shape_at(&path), at) {
                (ObjectType::Pointer(..), at) => Root::Pointer(Box::new(path), at),
                (ObjectType::Array(..), Some(at)) => {
                    let mut path = path;
                    path.steps.push(Step::Index(at));
                    return Ok(Operand::Part(path));
                }
                _ => return Err(self.tokens.outside("what this points to")),
            },
            (Operand::Address(Address::Of(path), ..), None) => return Ok(Operand::Part(path)),
            (Operand::Address(Address::Moved(path, by), ..), None) => {
                Root::Pointer(Box::new(path), Some(by))
            }
            _ => return Err(self.tokens.outside("what this points to")),
        };
        Ok(Operand::Part(Path { root, steps: Vec::new() }))
    }
}

/// True if a path leads through a member of a union.
fn passes_union(program: &Program, path: &Path) -> bool {
    let mut shape = match &path.root {
        Root::Variable(variable) => program.shape(*variable),
        Root::Pointer(pointer, _) => match program.shape_at(pointer) {
            ObjectType::Pointer(shape, _) => *shape,
            other => other,
        },
    };
    path.steps.iter().any(|step| {
        let part = program.part(&shape, *step);
        let whole = std::mem::replace(&mut shape, part);
        matches!(whole, ObjectType::Record(id) if program.record(id).is_union)
    })
}
