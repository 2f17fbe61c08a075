//! Objects in memory as text: types and declarations.

use super::KernelPrinter;
use super::cuda;
use super::expressions::{literal, number};
use super::kernel::uses;
use crate::ir::{Initial, ObjectType, Region, Ty, VarId};

impl KernelPrinter<'_> {
    /// The structure and union types that texts name, or that these need.
    pub(super) fn records(&mut self, bodies: &[&str]) {
        let mut texts: Vec<String> = Vec::new();
        for record in self.program.records.iter().rev() {
            let is_named = |text: &&str| uses(text, &record.name);
            if !bodies.iter().any(is_named) && !texts.iter().any(|text| uses(text, &record.name)) {
                continue;
            }
            let mut text = format!("{} {{", keyword(record.is_union, &record.name));
            for (index, member) in record.members.iter().enumerate() {
                let name = format!("m{index}");
                text = format!("{text} {};", self.declarator(member, &name));
            }
            texts.push(text + " };");
        }
        for text in texts.iter().rev() {
            self.line(text);
        }
    }

    pub(super) fn object(&mut self, id: VarId, initials: &[Initial]) {
        let shape = self.program.shape(id);
        let name = &self.program.variable(id).name;
        let value = self.initial(&shape, &mut initials.iter());
        let text = format!("{} = {value};", self.declarator(&shape, name));
        self.line(&text);
    }

    /// A first value; the narrow scalars need no cast.
    fn constant(&self, stored: i64, ty: Ty) -> String {
        match (self.is_cuda(), ty.is_vector()) {
            (false, true) => literal(stored, ty),
            (false, false) => number(stored, ty.scalar),
            (true, true) if self.is_c() => cuda::literal::<true>(stored, ty),
            (true, true) => cuda::literal::<false>(stored, ty),
            (true, false) => cuda::number(stored, ty.scalar),
        }
    }

    fn initial(&self, shape: &ObjectType, left: &mut std::slice::Iter<'_, Initial>) -> String {
        let parts: Vec<String> = match shape {
            ObjectType::Value(_) | ObjectType::Bits(..) => {
                let ty = shape.value().unwrap_or(Ty::INT);
                let stored = match left.next() {
                    Some(Initial::Number(stored)) => *stored,
                    _ => 0,
                };
                return self.constant(stored, ty);
            }
            ObjectType::Pointer(..) => {
                return match left.next() {
                    Some(Initial::Address(address)) => self.address(address),
                    _ => "0".to_owned(),
                };
            }
            ObjectType::Array(element, length) => {
                (0..*length).map(|_| self.initial(element, left)).collect()
            }
            ObjectType::Record(id) => {
                let record = self.program.record(*id);
                let count = if record.is_union { 1 } else { record.members.len() };
                record.members[..count].iter().map(|member| self.initial(member, left)).collect()
            }
        };
        format!("{{{}}}", parts.join(", "))
    }

    /// A declaration without a value.
    pub(super) fn declarator(&self, shape: &ObjectType, name: &str) -> String {
        match shape {
            ObjectType::Value(ty) => format!("{} {name}", self.ty(*ty)),
            ObjectType::Bits(scalar, bits) => {
                format!("{} {name} : {bits}", self.ty(Ty::scalar(*scalar)))
            }
            ObjectType::Record(id) => {
                let record = self.program.record(*id);
                format!("{} {name}", keyword(record.is_union, &record.name))
            }
            ObjectType::Array(element, length) => {
                self.declarator(element, &format!("{name}[{length}]"))
            }
            ObjectType::Pointer(target, region) => {
                let qualifier = match region {
                    _ if self.is_cuda() => "",
                    // In later versions of OpenCL C, these can point everywhere.
                    Region::Private => "",
                    Region::Local => "__local ",
                    Region::Global => "__global ",
                    Region::Constant => "__constant ",
                };
                let name = match **target {
                    ObjectType::Array(..) => format!("(*{name})"),
                    _ => format!("*{name}"),
                };
                format!("{qualifier}{}", self.declarator(target, &name))
            }
        }
    }
}

fn keyword(is_union: bool, name: &str) -> String {
    format!("{} {name}", if is_union { "union" } else { "struct" })
}
