//! The kernel: its parameters with their arguments, and its statements.

use super::scopes::NameMeaning;
use super::tokens::TokenReader;
use super::types::{DeclarationSpecifiers, ParsedDeclarator};
use super::{Argument, Launch, Read, Reader};
use crate::ir::{Block, ExprKind, ObjectType, Region, Sizes, StmtKind, Storage, Ty, VarId};

/// The bytes that a buffer can have.
const MOST_BYTES: usize = 1 << 17;

pub(super) fn sizes(tokens: &TokenReader<'_>, launch: &Launch) -> Read<Sizes> {
    let sizes = super::sizes(launch);
    sizes.ok_or_else(|| tokens.outside("a launch with so many work-items"))
}

impl<'a> Reader<'a> {
    /// Reads the kernel after its specifiers.
    pub(super) fn kernel(&mut self, of: &DeclarationSpecifiers) -> Read<()> {
        if of.group.is_some_and(|group| group != self.launch.local) {
            return Err(self.tokens.flaw("the kernel demands work-groups of another size"));
        }
        let is_plain = of.shape.is_none() && !of.is_const && of.region.is_none();
        let name = self.tokens.word()?;
        if !is_plain || name != self.launch.kernel {
            return Err(self.tokens.outside(&format!("the kernel `{name}`")));
        }
        self.declare_name(name)?;
        self.scopes.enter();
        self.is_kernel = true;
        let mut body = Block::new();
        self.tokens.expect("(")?;
        let launch = self.launch;
        for (index, argument) in launch.arguments.iter().enumerate() {
            if index > 0 {
                self.tokens.expect(",")?;
            }
            let of = self.specifiers()?;
            if of.has_extras() {
                return Err(self.tokens.outside("the specifiers of a parameter"));
            }
            let declared = self.declarator(&of)?;
            self.declare_name(declared.name)?;
            let id = self.argument(index, argument, &declared, &mut body)?;
            if declared.is_const {
                self.scopes.fix(id);
            }
        }
        self.tokens.expect(")")?;
        self.tokens.expect("{")?;
        while !matches!(self.tokens.peek(), "return" | "}") {
            self.statement(&mut body)?;
        }
        if self.tokens.accept("return") {
            self.tokens.expect(";")?;
        }
        self.tokens.expect("}")?;
        self.is_kernel = false;
        self.scopes.leave();
        self.program.body = body;
        Ok(())
    }

    /// Makes constants of the buffers that nothing writes to.
    pub(super) fn settle_buffers(&mut self) {
        let written = &self.written;
        let variables = &mut self.program.variables;
        self.buffers.retain(|(_, id)| {
            let space = &mut variables[id.0 as usize].space;
            let is_written = written.contains(id);
            if let (Storage::Argument(values), false) = (&mut *space, is_written) {
                *space = Storage::Constant(std::mem::take(values));
            }
            is_written
        });
    }

    fn argument(
        &mut self,
        index: usize,
        argument: &Argument,
        declared: &ParsedDeclarator<'a>,
        body: &mut Block,
    ) -> Read<VarId> {
        let name = declared.name;
        let refuse = || self.tokens.outside(&format!("the parameter `{name}` with its argument"));
        let id = match (&declared.shape, argument) {
            (ObjectType::Value(ty), Argument::Value(bytes)) if declared.region.is_none() => {
                let lanes =
                    decode(bytes, *ty).filter(|values| values.len() == usize::from(ty.lanes));
                let lanes = lanes.ok_or_else(refuse)?;
                let id = self.parameter(name, *ty, declared.is_const, body)?;
                let parts =
                    lanes.iter().map(|&lane| self.literal(ty.scalar.value(lane), ty.lane()));
                let parts: Vec<_> = parts.collect();
                let value = match parts[..] {
                    [only] => only,
                    _ => self.node(ExprKind::Vector(parts.into()), *ty),
                };
                // Before the copy into an object, if there is one.
                let mut first = Block::new();
                self.push(StmtKind::Declare(id, value), &mut first);
                body.splice(0..0, first);
                return Ok(id);
            }
            (ObjectType::Pointer(target, region), argument) => {
                let ObjectType::Value(ty) = **target else { return Err(refuse()) };
                let size = self.program.layout(target).0;
                let memory = memory(*region, argument, ty, size.into());
                let (space, length) = memory.ok_or_else(refuse)?;
                self.variable(name, ty, Some(length), space)
            }
            _ => return Err(refuse()),
        };
        if matches!(self.program.variable(id).space, Storage::Argument(_)) {
            self.buffers.push((index, id));
        }
        self.scopes.define(name, NameMeaning::Variable(id));
        Ok(id)
    }
}

/// The memory that a pointer points to, and the number of its elements, each of `size` bytes; `None` if it does not fit.
fn memory(region: Region, argument: &Argument, ty: Ty, size: u64) -> Option<(Storage, u32)> {
    match (region, argument) {
        (Region::Global | Region::Constant, Argument::Buffer(bytes)) => {
            let fits = bytes.len() <= MOST_BYTES;
            let values = decode(bytes, ty).filter(|values| fits && !values.is_empty())?;
            let count = values.len() / usize::from(ty.lanes);
            let space = match region {
                Region::Global => Storage::Argument(values.into()),
                _ => Storage::Constant(values.into()),
            };
            Some((space, count as u32))
        }
        (Region::Local, Argument::Local(bytes)) => {
            let count = u32::try_from(bytes / size).ok()?;
            (1..=MOST_BYTES as u32).contains(&count).then_some((Storage::Local, count))
        }
        _ => None,
    }
}

/// The lanes of whole elements, as stored bits. Vectors of three are not meant.
fn decode(bytes: &[u8], ty: Ty) -> Option<Vec<i64>> {
    let size = ty.scalar.bits() as usize / 8;
    let whole = bytes.chunks_exact(size * usize::from(ty.lanes));
    let numbers = whole.flat_map(|element| element.chunks_exact(size)).map(|bytes| {
        let mut all = [0; 8];
        all[..size].copy_from_slice(bytes);
        ty.scalar.wrap(i64::from_le_bytes(all).into())
    });
    (ty.lanes != 3).then(|| numbers.collect())
}
