//! First values of arrays and objects.

use super::{Read, Reader};
use crate::ir::{
    Address, Block, ExprId, Initial, ObjectType, Place, Step, StmtKind, Storage, Ty, VarId,
};

/// Values that are no constants, with the parts that get them.
pub(super) type Later = Vec<(Vec<Step>, ExprId)>;

impl Reader<'_> {
    /// Reads the elements of an array, and declares it.
    pub(super) fn array(
        &mut self,
        name: &str,
        ty: Ty,
        length: u32,
        out: &mut Block,
    ) -> Read<VarId> {
        let elements = self.elements(ty, length)?;
        let length = if length == 0 { elements.len() as u32 } else { length };
        let id = self.variable(name, ty, Some(length), Storage::Private);
        let mut values = Vec::new();
        let mut later = Vec::new();
        for (number, element) in (0..).zip(elements) {
            let lanes = self.constant(element);
            if lanes.is_none() {
                later.push((number, element));
            }
            values.extend(lanes.unwrap_or_else(|| vec![0; usize::from(ty.lanes)]));
        }
        self.push(StmtKind::DeclareArray(id, values.into()), out);
        for (number, element) in later {
            let at = self.literal(number, Ty::INT);
            self.push(StmtKind::Assign(Place::Element(id, at), element), out);
        }
        Ok(id)
    }

    /// Reads the elements of an array of constants, as stored bits.
    pub(super) fn constant_elements(&mut self, ty: Ty, length: u32) -> Read<Vec<i64>> {
        let elements = self.elements(ty, length)?;
        let count = if length == 0 { elements.len() } else { length as usize };
        let mut values = Vec::new();
        for element in elements {
            let Some(lanes) = self.constant(element) else {
                return Err(self.tokens.outside("an element that is no constant"));
            };
            values.extend(lanes);
        }
        values.resize(count * usize::from(ty.lanes), 0);
        Ok(values)
    }

    /// Reads values in braces: at least one, and no more than the array has elements.
    fn elements(&mut self, ty: Ty, length: u32) -> Read<Vec<ExprId>> {
        self.tokens.expect("{")?;
        let mut found = Vec::new();
        while !self.tokens.accept("}") {
            if length > 0 && found.len() == length as usize {
                return Err(self.tokens.outside("an element that the array does not have"));
            }
            let value = self.read_value()?;
            found.push(self.coerce(value, ty)?);
            if self.tokens.peek() != "}" {
                self.tokens.expect(",")?;
            }
        }
        if found.is_empty() {
            return Err(self.tokens.outside("an array without elements"));
        }
        Ok(found)
    }

    /// Reads the first values of an object, in braces.
    pub(super) fn initials(&mut self, shape: &ObjectType) -> Read<(Vec<Initial>, Later)> {
        let (mut found, mut later) = (Vec::new(), Vec::new());
        self.initial(shape, &mut Vec::new(), &mut found, &mut later)?;
        Ok((found, later))
    }

    fn initial(
        &mut self,
        shape: &ObjectType,
        path: &mut Vec<Step>,
        found: &mut Vec<Initial>,
        later: &mut Later,
    ) -> Read<()> {
        match shape {
            ObjectType::Value(ty) => {
                let value = self.read_value()?;
                let value = self.coerce(value, *ty)?;
                let lanes = self.constant(value);
                let same = lanes.filter(|lanes| lanes.iter().all(|lane| *lane == lanes[0]));
                if same.is_none() {
                    later.push((path.clone(), value));
                }
                found.push(Initial::Number(same.map_or(0, |lanes| lanes[0])));
                Ok(())
            }
            ObjectType::Bits(..) => Err(self.tokens.outside("a bit-field")),
            ObjectType::Pointer(target, region) => {
                let operand = self.expression()?;
                let address = self.address(&operand, target, *region)?;
                found.push(Initial::Address(address));
                Ok(())
            }
            ObjectType::Array(element, length) => {
                let mut parts = Vec::new();
                for index in 0..*length {
                    let at = self.literal(index.into(), Ty::INT);
                    parts.push((Step::Index(at), (**element).clone()));
                }
                self.initial_parts(&parts, path, found, later)
            }
            ObjectType::Record(id) => {
                let record = self.program.record(*id);
                let count = if record.is_union { 1 } else { record.members.len() };
                let members = record.members[..count].iter().cloned();
                let parts: Vec<_> = (0..).map(Step::Member).zip(members).collect();
                self.initial_parts(&parts, path, found, later)
            }
        }
    }

    /// Reads the first values of parts; those that are missing are 0.
    fn initial_parts(
        &mut self,
        parts: &[(Step, ObjectType)],
        path: &mut Vec<Step>,
        found: &mut Vec<Initial>,
        later: &mut Later,
    ) -> Read<()> {
        self.tokens.expect("{")?;
        let mut is_open = self.tokens.peek() != "}";
        if !is_open {
            return Err(self.tokens.outside("an initialiser without values"));
        }
        for (step, shape) in parts {
            if !is_open {
                self.zeros(shape, found);
                continue;
            }
            path.push(*step);
            let result = self.nested(|reader| reader.initial(shape, path, found, later));
            path.pop();
            result?;
            is_open = self.tokens.accept(",") && self.tokens.peek() != "}";
        }
        self.tokens.expect("}")
    }

    fn zeros(&self, shape: &ObjectType, found: &mut Vec<Initial>) {
        let mut leaves = Vec::new();
        self.program.leaves(shape, 0, &mut leaves);
        found.extend(leaves.into_iter().map(|(_, leaf)| match leaf {
            ObjectType::Pointer(..) => Initial::Address(Address::Null),
            _ => Initial::Number(0),
        }));
    }
}
