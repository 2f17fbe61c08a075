//! Calls: functions of the program, built-in functions, the numbers of work-items.

use super::builtins::{SIZE, conversion};
use super::operands::Operand;
use super::scopes::NameMeaning;
use super::{Read, Reader};
use crate::ir::{Builtin, ExprId, ExprKind, FunctionId, Ty, WorkItemId};

impl Reader<'_> {
    /// Reads the arguments of a call, and returns its value.
    pub(super) fn call(&mut self, name: &str) -> Read<ExprId> {
        match self.scopes.find(name) {
            Some(NameMeaning::Function(id, false)) => return self.invoke(id),
            Some(_) => return Err(self.tokens.outside(&format!("the call of `{name}`"))),
            None => {}
        }
        if name.starts_with("get_") {
            return self.item(name);
        }
        if let Some(lanes) = name.strip_prefix("vload") {
            return self.vector_load(lanes);
        }
        let arguments = self.arguments()?;
        if let Some(to) = conversion(name) {
            return self.converted(to, &arguments);
        }
        match Builtin::ALL.iter().find(|function| function.name() == name) {
            Some(function) => self.builtin(*function, arguments),
            None => Err(self.tokens.outside(&format!("the function `{name}`"))),
        }
    }

    /// Reads values in parentheses.
    pub(super) fn arguments(&mut self) -> Read<Vec<ExprId>> {
        const MOST: usize = 3;
        self.tokens.expect("(")?;
        let mut found = vec![self.read_value()?];
        while self.tokens.accept(",") {
            found.push(self.read_value()?);
        }
        self.tokens.expect(")")?;
        if found.len() > MOST {
            return Err(self.tokens.outside("a function with many parameters"));
        }
        Ok(found)
    }

    /// Reads the arguments of a function of the program.
    pub(super) fn invoke(&mut self, id: FunctionId) -> Read<ExprId> {
        self.tokens.expect("(")?;
        let parameters = self.program.function(id).parameters.clone();
        let mut arguments = Vec::new();
        for (index, parameter) in parameters.iter().enumerate() {
            if index > 0 {
                self.tokens.expect(",")?;
            }
            let value = self.read_value()?;
            let to = self.program.variable(*parameter).ty;
            arguments.push(self.coerce(value, to)?);
        }
        self.tokens.expect(")")?;
        let ty = self.program.ty(self.program.function(id).value);
        Ok(self.node(ExprKind::Invoke(id, arguments.into()), ty))
    }

    /// A number of a work-item, or a size of the launch.
    fn item(&mut self, name: &str) -> Read<ExprId> {
        self.tokens.expect("(")?;
        let dimension = self.constant_number()?;
        self.tokens.expect(")")?;
        let Some(d) = u8::try_from(dimension).ok().filter(|d| *d < 3) else {
            return Err(self.tokens.outside("the number of a dimension"));
        };
        let (sizes, index) = (self.program.sizes, usize::from(d));
        let number = match name {
            "get_global_id" => return Ok(self.node(ExprKind::Item(WorkItemId::Global(d)), SIZE)),
            "get_local_id" => return Ok(self.node(ExprKind::Item(WorkItemId::Local(d)), SIZE)),
            "get_group_id" => return Ok(self.node(ExprKind::Item(WorkItemId::Group(d)), SIZE)),
            "get_global_size" => sizes.global[index],
            "get_local_size" => sizes.local[index],
            "get_num_groups" => sizes.groups()[index],
            "get_global_offset" => 0,
            _ => return Err(self.tokens.outside(&format!("the function `{name}`"))),
        };
        Ok(self.literal(number.into(), SIZE))
    }

    /// `vloadN(i, p)`.
    fn vector_load(&mut self, lanes: &str) -> Read<ExprId> {
        let lanes = Ty::LANES.into_iter().find(|count| count.to_string() == lanes);
        self.tokens.expect("(")?;
        let at = self.expression()?;
        let at = self.scalar(at)?;
        self.tokens.expect(",")?;
        let array = self.expression()?;
        self.tokens.expect(")")?;
        let (Some(lanes), Operand::Array(array)) = (lanes, array) else {
            return Err(self.tokens.outside("`vload` from this"));
        };
        let ty = self.program.variable(array).ty;
        if ty.is_vector() {
            return Err(self.tokens.outside("`vload` from vectors"));
        }
        Ok(self.node(ExprKind::Load(array, at), Ty { lanes, ..ty }))
    }
}
