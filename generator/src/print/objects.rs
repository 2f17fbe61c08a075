//! Objects in memory as text: types and declarations.

use super::Printer;
use super::expressions::{literal, number, write_address, write_path};
use super::kernel::uses;
use crate::ir::{Address, Initial, Path, Program, Region, Shape, VarId};

impl Printer<'_> {
    /// The structure and union types that a text names, or that these need.
    pub(super) fn records(&mut self, body: &str) {
        let mut texts: Vec<String> = Vec::new();
        for record in self.program.records.iter().rev() {
            if !uses(body, &record.name) && !texts.iter().any(|text| uses(text, &record.name)) {
                continue;
            }
            let mut text = format!("{} {{", keyword(record.is_union, &record.name));
            for (index, member) in record.members.iter().enumerate() {
                let name = format!("m{index}");
                text = format!("{text} {};", declarator(self.program, member, &name));
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
        let text = format!("{} = {value};", declarator(self.program, &shape, name));
        self.line(&text);
    }

    fn initial(&self, shape: &Shape, left: &mut std::slice::Iter<'_, Initial>) -> String {
        let parts: Vec<String> = match shape {
            Shape::Value(ty) => {
                let stored = match left.next() {
                    Some(Initial::Number(stored)) => *stored,
                    _ => 0,
                };
                return if ty.is_vector() {
                    literal(stored, *ty)
                } else {
                    number(stored, ty.scalar)
                };
            }
            Shape::Pointer(..) => {
                return match left.next() {
                    Some(Initial::Address(address)) => self.address(address),
                    _ => "0".to_owned(),
                };
            }
            Shape::Array(element, length) => {
                (0..*length).map(|_| self.initial(element, left)).collect()
            }
            Shape::Record(id) => {
                let record = self.program.record(*id);
                let count = if record.is_union { 1 } else { record.members.len() };
                record.members[..count].iter().map(|member| self.initial(member, left)).collect()
            }
        };
        format!("{{{}}}", parts.join(", "))
    }

    pub(super) fn path(&self, path: &Path) -> String {
        let mut out = String::new();
        write_path(self.program, path, &mut out);
        out
    }

    pub(super) fn address(&self, address: &Address) -> String {
        let mut out = String::new();
        write_address(self.program, address, &mut out);
        out
    }
}

fn keyword(is_union: bool, name: &str) -> String {
    format!("{} {name}", if is_union { "union" } else { "struct" })
}

/// A declaration without a value.
fn declarator(program: &Program, shape: &Shape, name: &str) -> String {
    match shape {
        Shape::Value(ty) => format!("{ty} {name}"),
        Shape::Record(id) => {
            let record = program.record(*id);
            format!("{} {name}", keyword(record.is_union, &record.name))
        }
        Shape::Array(element, length) => declarator(program, element, &format!("{name}[{length}]")),
        Shape::Pointer(target, region) => {
            let qualifier = match region {
                // In later versions of OpenCL C, these can point everywhere.
                Region::Private => "",
                Region::Local => "__local ",
                Region::Global => "__global ",
                Region::Constant => "__constant ",
            };
            let name = match **target {
                Shape::Array(..) => format!("(*{name})"),
                _ => format!("*{name}"),
            };
            format!("{qualifier}{}", declarator(program, target, &name))
        }
    }
}
