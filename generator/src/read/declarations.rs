//! Declarations of variables in functions.

use super::operands::Operand;
use super::scopes::Symbol;
use super::types::Declarator;
use super::{Read, Reader};
use crate::ir::{Block, Path, Region, Shape, Space, StmtKind, Type, VarId, Variable};

impl<'a> Reader<'a> {
    /// Reads a declaration with its semicolon.
    pub(super) fn declaration(&mut self, out: &mut Block) -> Read<()> {
        let of = self.specifiers()?;
        if of.has_extras() || of.is_volatile {
            return Err(self.tokens.outside("the specifiers of a variable"));
        }
        loop {
            let declared = self.declarator(&of)?;
            match declared.region {
                None | Some(Region::Private) => self.private(declared, out)?,
                Some(Region::Local) => self.local(&declared)?,
                Some(_) => return Err(self.tokens.outside("the address space of a variable")),
            }
            if !self.tokens.accept(",") {
                break;
            }
        }
        self.tokens.expect(";")
    }

    /// Declares a name that nothing can refer to yet.
    pub(super) fn declare_name(&mut self, name: &'a str) -> Read<()> {
        if self.scopes.declare(name, Symbol::Unusable) {
            Ok(())
        } else {
            Err(self.tokens.outside(&format!("`{name}`, which is declared twice")))
        }
    }

    pub(super) fn variable(
        &mut self,
        name: &str,
        ty: Type,
        length: Option<u32>,
        space: Space,
    ) -> VarId {
        self.program.declare(Variable { name: name.to_owned(), ty, length, space })
    }

    /// A variable in local memory.
    fn local(&mut self, declared: &Declarator<'a>) -> Read<()> {
        let (ty, length) = match &declared.shape {
            Shape::Value(ty) => (*ty, None),
            Shape::Array(element, length) if *length > 0 => match **element {
                Shape::Value(ty) => (ty, Some(*length)),
                _ => return Err(self.tokens.outside("an object in local memory")),
            },
            _ => return Err(self.tokens.outside("an object in local memory")),
        };
        let is_outermost = self.is_kernel && self.scopes.depth() == 1;
        if !is_outermost || declared.is_const || self.tokens.peek() == "=" {
            return Err(self.tokens.outside("this declaration in local memory"));
        }
        self.declare_name(declared.name)?;
        let id = self.variable(declared.name, ty, length, Space::Local);
        self.scopes.define(declared.name, Symbol::Variable(id));
        Ok(())
    }

    fn private(&mut self, declared: Declarator<'a>, out: &mut Block) -> Read<()> {
        let Declarator { name, shape, is_const, .. } = declared;
        self.declare_name(name)?;
        let has_value = self.tokens.accept("=");
        let is_addressed = self.addressed.contains(&name);
        let id = match &shape {
            Shape::Value(ty) if has_value && !is_addressed => {
                let value = self.read_value()?;
                let value = self.coerce(value, *ty)?;
                let id = self.variable(name, *ty, None, Space::Private);
                self.push(StmtKind::Declare(id, value), out);
                id
            }
            Shape::Array(element, length) if has_value && matches!(**element, Shape::Value(_)) => {
                let Shape::Value(ty) = **element else { return Err(self.tokens.outside_here()) };
                self.array(name, ty, *length, out)?
            }
            _ => self.object(name, &shape, has_value, out)?,
        };
        if is_const {
            self.scopes.fix(id);
        }
        self.scopes.define(name, Symbol::Variable(id));
        Ok(())
    }

    /// An object of its own: whatever has an address, or no first value.
    pub(super) fn object(
        &mut self,
        name: &str,
        shape: &Shape,
        has_value: bool,
        out: &mut Block,
    ) -> Read<VarId> {
        if is_open(shape) {
            return Err(self.tokens.outside("an array without a length"));
        }
        let space = Space::Object(shape.clone());
        let is_braced = self.tokens.peek() == "{";
        if !has_value || !is_braced {
            let from = if has_value { Some(self.expression()?) } else { None };
            let id = self.variable(name, Type::INT, None, space);
            self.push(StmtKind::DeclareObject(id, Box::default()), out);
            if let Some(from) = from {
                self.assign(Operand::Part(Path::to(id)), from, out)?;
            }
            return Ok(id);
        }
        let (initials, rest) = self.initials(shape)?;
        let id = self.variable(name, Type::INT, None, space);
        self.push(StmtKind::DeclareObject(id, initials.into()), out);
        for (steps, value) in rest {
            let mut path = Path::to(id);
            path.steps = steps;
            self.assign(Operand::Part(path), Operand::Value(value), out)?;
        }
        Ok(id)
    }
}

/// True if the number of elements is to follow from an initialiser.
fn is_open(shape: &Shape) -> bool {
    matches!(shape, Shape::Array(_, 0))
}
