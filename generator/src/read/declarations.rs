//! Declarations of variables in functions.

use super::operands::Operand;
use super::scopes::NameMeaning;
use super::types::ParsedDeclarator;
use super::{Read, Reader};
use crate::ir::{Block, ObjectType, Path, Region, StmtKind, Storage, Ty, VarId, Variable};

impl<'a> Reader<'a> {
    /// Reads a declaration with its semicolon.
    pub(super) fn declaration(&mut self, out: &mut Block) -> Read<()> {
        let of = self.specifiers()?;
        if of.has_extras() {
            return Err(self.tokens.outside("the specifiers of a variable"));
        }
        loop {
            let declared = self.declarator(&of)?;
            match declared.region {
                None | Some(Region::Private) => {
                    let id = self.private(declared, out)?;
                    self.qualify(id, of.is_volatile)?;
                }
                Some(_) if of.is_volatile => {
                    return Err(self.tokens.outside("shared memory that is `volatile`"));
                }
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
        if self.scopes.declare(name, NameMeaning::Unusable) {
            Ok(())
        } else {
            Err(self.tokens.outside(&format!("`{name}`, which is declared twice")))
        }
    }

    pub(super) fn variable(
        &mut self,
        name: &str,
        ty: Ty,
        length: Option<u32>,
        space: Storage,
    ) -> VarId {
        self.program.declare(Variable { name: name.to_owned(), ty, length, space })
    }

    /// A variable in local memory.
    fn local(&mut self, declared: &ParsedDeclarator<'a>) -> Read<()> {
        let (ty, length) = match &declared.shape {
            ObjectType::Value(ty) => (*ty, None),
            ObjectType::Array(element, length) if *length > 0 => match **element {
                ObjectType::Value(ty) => (ty, Some(*length)),
                _ => return Err(self.tokens.outside("an object in local memory")),
            },
            _ => return Err(self.tokens.outside("an object in local memory")),
        };
        let is_outermost = self.is_kernel && self.scopes.depth() == 1;
        if !is_outermost || declared.is_const || self.tokens.peek() == "=" {
            return Err(self.tokens.outside("this declaration in local memory"));
        }
        self.declare_name(declared.name)?;
        let id = self.variable(declared.name, ty, length, Storage::Local);
        self.scopes.define(declared.name, NameMeaning::Variable(id));
        Ok(())
    }

    fn private(&mut self, declared: ParsedDeclarator<'a>, out: &mut Block) -> Read<VarId> {
        let ParsedDeclarator { name, shape, is_const, .. } = declared;
        self.declare_name(name)?;
        let has_value = self.tokens.accept("=");
        let is_addressed = self.addressed.contains(&name);
        let id = match &shape {
            ObjectType::Value(ty) if has_value && !is_addressed => {
                let value = self.read_value()?;
                let value = self.coerce(value, *ty)?;
                let id = self.variable(name, *ty, None, Storage::Private);
                self.push(StmtKind::Declare(id, value), out);
                id
            }
            ObjectType::Array(element, length)
                if has_value && matches!(**element, ObjectType::Value(_)) =>
            {
                let ObjectType::Value(ty) = **element else {
                    return Err(self.tokens.outside_here());
                };
                self.array(name, ty, *length, out)?
            }
            _ => self.object(name, &shape, has_value, out)?,
        };
        if is_const {
            self.scopes.fix(id);
        }
        self.scopes.define(name, NameMeaning::Variable(id));
        Ok(id)
    }

    fn qualify(&mut self, id: VarId, is_volatile: bool) -> Read<()> {
        let is_value = self.program.variable(id).space == Storage::Private;
        match (is_volatile, is_value) {
            (true, true) => drop(self.program.volatile.insert(id)),
            (true, false) => return Err(self.tokens.outside("an object that is `volatile`")),
            (false, _) => {}
        }
        Ok(())
    }

    /// An object of its own: whatever has an address, or no first value.
    pub(super) fn object(
        &mut self,
        name: &str,
        shape: &ObjectType,
        has_value: bool,
        out: &mut Block,
    ) -> Read<VarId> {
        if is_open(shape) {
            return Err(self.tokens.outside("an array without a length"));
        }
        let space = Storage::Object(shape.clone());
        let is_braced = self.tokens.peek() == "{";
        if !has_value || !is_braced {
            let from = if has_value { Some(self.expression()?) } else { None };
            let id = self.variable(name, Ty::INT, None, space);
            self.push(StmtKind::DeclareObject(id, Box::default()), out);
            if let Some(from) = from {
                self.assign(Operand::Part(Path::to(id)), from, out)?;
            }
            return Ok(id);
        }
        let (initials, rest) = self.initials(shape)?;
        let id = self.variable(name, Ty::INT, None, space);
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
fn is_open(shape: &ObjectType) -> bool {
    matches!(shape, ObjectType::Array(_, 0))
}
