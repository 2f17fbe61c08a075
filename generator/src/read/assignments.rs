//! Assignments, and expressions as statements.

use super::operands::Operand;
use super::operators::compound;
use super::scopes::NameMeaning;
use super::{Read, Reader};
use crate::ir::{
    Binary, Block, ExprId, ObjectType, Path, Place, Region, Root, StmtKind, Storage, Ty, VarId,
    Variable,
};

impl Reader<'_> {
    /// Reads an assignment, a call or another expression, without the semicolon.
    pub(super) fn simple(&mut self, out: &mut Block) -> Read<()> {
        if matches!(self.tokens.peek(), "++" | "--") {
            let operator = step_of(self.tokens.next());
            let target = self.unary()?;
            return self.step(operator, target, out);
        }
        if self.tokens.ahead(1) == "(" && self.effect(out)? {
            return Ok(());
        }
        let target = self.expression()?;
        let text = self.tokens.peek();
        if matches!(text, "++" | "--") {
            self.tokens.next();
            return self.step(step_of(text), target, out);
        }
        if text == "=" {
            self.tokens.next();
            let from = self.expression()?;
            return self.assign(target, from, out);
        }
        if let Some(operator) = compound(text) {
            self.tokens.next();
            let by = self.expression()?;
            let result = self.combine(operator, target.clone(), by)?;
            return self.assign(target, result, out);
        }
        let id = self.value(target)?;
        self.evaluate(id, out);
        Ok(())
    }

    /// Reads a call with an effect, if it is one.
    fn effect(&mut self, out: &mut Block) -> Read<bool> {
        let name = self.tokens.peek();
        match self.scopes.find(name) {
            Some(NameMeaning::Function(id, true)) => {
                self.tokens.next();
                let id = self.invoke(id)?;
                self.evaluate(id, out);
                return Ok(true);
            }
            Some(_) => return Ok(false),
            None => {}
        }
        if name == "barrier" {
            self.barrier(out)?;
        } else if let Some(lanes) = name.strip_prefix("vstore") {
            self.tokens.next();
            self.vector_store(lanes, out)?;
        } else {
            return self.atomic(out);
        }
        Ok(true)
    }

    /// Executes an expression for its faults alone.
    fn evaluate(&mut self, id: ExprId, out: &mut Block) {
        let ty = self.program.ty(id);
        let kept = self.hidden(ty);
        self.push(StmtKind::Declare(kept, id), out);
    }

    /// A private variable that the text does not have.
    pub(super) fn hidden(&mut self, ty: Ty) -> VarId {
        let name = format!("hidden{}", self.program.variables.len());
        self.program.declare(Variable { name, ty, length: None, space: Storage::Private })
    }

    /// `x++` and the like.
    fn step(&mut self, operator: Binary, target: Operand, out: &mut Block) -> Read<()> {
        // The 1 has the type of the lanes of a vector.
        let ty = match &target {
            Operand::Variable(id) | Operand::Element(id, _) => self.program.variable(*id).ty,
            Operand::Part(path) => match self.program.shape_at(path) {
                ObjectType::Value(ty) => ty,
                _ => Ty::INT,
            },
            Operand::Lanes(id, swizzle) if swizzle.lanes().len() == 1 => {
                self.program.variable(*id).ty.lane()
            }
            _ => return Err(self.tokens.outside("`++` or `--` on this")),
        };
        let one = self.literal(1, if ty.is_vector() { ty.lane() } else { Ty::INT });
        let result = self.combine(operator, target.clone(), Operand::Value(one))?;
        self.assign(target, result, out)
    }

    pub(super) fn assign(&mut self, target: Operand, from: Operand, out: &mut Block) -> Read<()> {
        let kind = match target {
            Operand::Variable(id) if !self.scopes.is_fixed(id) => {
                let ty = self.program.variable(id).ty;
                self.assigned(Place::Variable(id), ty, from)?
            }
            Operand::Lanes(id, swizzle) if !self.scopes.is_fixed(id) => {
                let lanes = swizzle.lanes();
                if lanes.iter().enumerate().any(|(at, lane)| lanes[..at].contains(lane)) {
                    return Err(self.tokens.outside("an assignment to a lane twice"));
                }
                let scalar = self.program.variable(id).ty.scalar;
                let ty = Ty { scalar, lanes: lanes.len() as u8 };
                self.assigned(Place::Lanes(id, swizzle), ty, from)?
            }
            Operand::Element(id, at) if self.is_changeable(id) => {
                let ty = self.program.variable(id).ty;
                self.written.push(id);
                self.assigned(Place::Element(id, at), ty, from)?
            }
            Operand::Part(path) if self.is_changeable_at(&path) => self.assigned_at(path, from)?,
            _ => return Err(self.tokens.outside("an assignment to this")),
        };
        self.push(kind, out);
        Ok(())
    }

    fn assigned(&mut self, place: Place, ty: Ty, from: Operand) -> Read<StmtKind> {
        let id = self.value(from)?;
        let id = self.coerce(id, ty)?;
        Ok(StmtKind::Assign(place, id))
    }

    fn assigned_at(&mut self, path: Path, from: Operand) -> Read<StmtKind> {
        match self.program.shape_at(&path) {
            ObjectType::Value(ty) => self.assigned(Place::Part(path), ty, from),
            ObjectType::Pointer(target, region) => {
                let address = self.address(&from, &target, region)?;
                Ok(StmtKind::Point(path, address))
            }
            ObjectType::Record(id) => match from {
                Operand::Part(other) if self.program.shape_at(&other) == ObjectType::Record(id) => {
                    Ok(StmtKind::Copy(path, other))
                }
                _ => Err(self.tokens.outside("an assignment of a structure")),
            },
            ObjectType::Array(..) | ObjectType::Bits(..) => {
                Err(self.tokens.outside("an assignment of an array"))
            }
        }
    }

    fn is_changeable(&self, id: VarId) -> bool {
        !matches!(self.program.variable(id).space, Storage::Constant(_))
            && !self.scopes.is_fixed(id)
    }

    fn is_changeable_at(&self, path: &Path) -> bool {
        let is_fixed = matches!(&path.root, Root::Variable(id) if !self.is_changeable(*id));
        !is_fixed && self.program.region_at(path) != Region::Constant
    }

    /// `vstoreN(v, i, p)`.
    fn vector_store(&mut self, lanes: &str, out: &mut Block) -> Read<()> {
        self.tokens.expect("(")?;
        let value = self.read_value()?;
        self.tokens.expect(",")?;
        let at = self.expression()?;
        let at = self.scalar(at)?;
        self.tokens.expect(",")?;
        let array = self.expression()?;
        self.tokens.expect(")")?;
        let ty = self.program.ty(value);
        match array {
            Operand::Array(id)
                if self.is_changeable(id)
                    && self.program.variable(id).ty == ty.lane()
                    && ty.is_vector()
                    && ty.lanes.to_string() == lanes =>
            {
                self.written.push(id);
                self.push(StmtKind::Assign(Place::Store(id, at), value), out);
                Ok(())
            }
            _ => Err(self.tokens.outside("`vstore` to this")),
        }
    }
}

fn step_of(text: &str) -> Binary {
    if text == "++" { Binary::Add } else { Binary::Subtract }
}
