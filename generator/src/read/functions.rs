//! The declarations of a file: types, tables of constants, functions.

use super::operands::Operand;
use super::scopes::NameMeaning;
use super::types::DeclarationSpecifiers;
use super::{Outside, Read, Reader, RecordNames, Refusal};
use crate::ir::{
    Block, ExprId, ExprKind, Function, FunctionId, ObjectType, Path, Record, RecordId, Region,
    Storage, Ty, VarId,
};

/// An expression that is nested deeper is outside: the interpreter descends into it.
const DEEPEST: u16 = 200;

impl<'a> Reader<'a> {
    /// Reads everything.
    pub(super) fn file(&mut self) -> Read<()> {
        let mut has_kernel = false;
        while !self.tokens.is_at_end() {
            let is_record = matches!(self.tokens.peek(), "struct" | "union");
            if is_record && self.tokens.ahead(2) == "{" {
                self.record()?;
                continue;
            }
            let of = self.specifiers()?;
            if of.is_volatile {
                return Err(self.tokens.outside("`volatile`"));
            }
            if of.is_kernel {
                if std::mem::replace(&mut has_kernel, true) {
                    return Err(self.tokens.outside("a second kernel"));
                }
                self.kernel(&of)?;
            } else if of.region == Some(Region::Constant) {
                self.tables(&of)?;
            } else {
                self.function(&of)?;
            }
        }
        if has_kernel { Ok(()) } else { Err(self.tokens.outside("a text without a kernel")) }
    }

    /// Reads a structure or union type.
    fn record(&mut self) -> Read<()> {
        let is_union = self.tokens.next() == "union";
        let tag = self.tokens.word()?;
        if self.records.iter().any(|record| record.tag == tag) {
            return Err(self.tokens.outside("a type that is declared twice"));
        }
        self.tokens.expect("{")?;
        let (mut names, mut members): (Vec<&'a str>, Vec<ObjectType>) = Default::default();
        while !self.tokens.accept("}") {
            let of = self.specifiers()?;
            let is_plain = !of.has_extras() && !of.is_const && !of.is_volatile;
            loop {
                let declared = self.declarator(&of)?;
                let is_new = !names.contains(&declared.name);
                let is_open = matches!(declared.shape, ObjectType::Array(_, 0));
                if !is_plain || !is_new || is_open || declared.region.is_some() || declared.is_const
                {
                    return Err(self.tokens.outside("a member"));
                }
                names.push(declared.name);
                members.push(declared.shape);
                if !self.tokens.accept(",") {
                    break;
                }
            }
            self.tokens.expect(";")?;
        }
        self.tokens.expect(";")?;
        const MOST: usize = 64;
        if members.is_empty() || members.len() > MOST || self.records.len() >= MOST {
            return Err(self.tokens.outside("the number of members or types"));
        }
        let id = RecordId(self.program.records.len() as u32);
        self.program.records.push(Record { name: tag.to_owned(), is_union, members });
        self.records.push(RecordNames { tag, id, members: names });
        Ok(())
    }

    /// Reads tables of constants.
    fn tables(&mut self, of: &DeclarationSpecifiers) -> Read<()> {
        if of.has_extras() {
            return Err(self.tokens.outside("the specifiers of a constant"));
        }
        loop {
            let declared = self.declarator(of)?;
            let (name, region) = (declared.name, declared.region);
            if is_reserved(name) {
                return Err(self.tokens.outside(&format!("the constant `{name}`")));
            }
            self.declare_name(name)?;
            self.tokens.expect("=")?;
            let (ty, length, values) = match declared.shape {
                ObjectType::Value(ty) => {
                    let value = self.read_value()?;
                    let value = self.coerce(value, ty)?;
                    let lanes = self.constant(value);
                    (ty, None, lanes.ok_or_else(|| self.tokens.outside("this constant"))?)
                }
                ObjectType::Array(element, length) => {
                    let ObjectType::Value(ty) = *element else {
                        return Err(self.tokens.outside("a constant object"));
                    };
                    let values = self.constant_elements(ty, length)?;
                    let count = values.len() / usize::from(ty.lanes);
                    (ty, Some(count as u32), values)
                }
                _ => return Err(self.tokens.outside("a constant object")),
            };
            if region != Some(Region::Constant) {
                return Err(self.tokens.outside("the address space of a constant"));
            }
            let id = self.variable(name, ty, length, Storage::Constant(values.into()));
            self.scopes.define(name, NameMeaning::Variable(id));
            if !self.tokens.accept(",") {
                break;
            }
        }
        self.tokens.expect(";")
    }

    /// Reads a function that computes a value.
    fn function(&mut self, of: &DeclarationSpecifiers) -> Read<()> {
        if of.is_const || of.region.is_some() || of.group.is_some() {
            return Err(self.tokens.outside("the specifiers of a function"));
        }
        let result = match &of.shape {
            None => None,
            Some(ObjectType::Value(ty)) => Some(*ty),
            Some(_) => return Err(self.tokens.outside("a function that returns an object")),
        };
        let name = self.tokens.word()?;
        if is_reserved(name) || self.program.functions.len() >= 64 {
            return Err(self.tokens.outside(&format!("the function `{name}`")));
        }
        self.declare_name(name)?;
        self.scopes.enter();
        let first = self.program.exprs.len();
        let mut body = Block::new();
        let parameters = self.parameters(&mut body)?;
        self.tokens.expect("{")?;
        let value = self.function_body(result, &mut body)?;
        self.scopes.leave();
        let id = FunctionId(self.program.functions.len() as u32);
        self.functions.push(first..self.program.exprs.len());
        self.program.functions.push(Function {
            name: name.to_owned(),
            parameters: parameters.into(),
            body,
            value,
            object: None,
            is_apart: of.is_apart,
        });
        self.scopes.define(name, NameMeaning::Function(id, result.is_none()));
        Ok(())
    }

    fn parameters(&mut self, body: &mut Block) -> Read<Vec<VarId>> {
        self.tokens.expect("(")?;
        let mut found = Vec::new();
        if self.tokens.peek() == "void" && self.tokens.ahead(1) == ")" {
            self.tokens.next();
        }
        while !self.tokens.accept(")") {
            if !found.is_empty() {
                self.tokens.expect(",")?;
            }
            let of = self.specifiers()?;
            let is_plain = !of.has_extras() && !of.is_volatile && of.region.is_none();
            let declared = self.declarator(&of)?;
            let ty = match declared.shape {
                ObjectType::Value(ty) if is_plain => ty,
                _ => return Err(self.tokens.outside("a parameter")),
            };
            self.declare_name(declared.name)?;
            let id = self.parameter(declared.name, ty, declared.is_const, body)?;
            found.push(id);
        }
        Ok(found)
    }

    /// Declares a parameter. One that has an address is copied into an object first.
    pub(super) fn parameter(
        &mut self,
        name: &'a str,
        ty: Ty,
        is_const: bool,
        body: &mut Block,
    ) -> Read<VarId> {
        let id = self.variable(name, ty, None, Storage::Private);
        let mut named = id;
        if self.addressed.contains(&name) {
            named = self.object(name, &ObjectType::Value(ty), false, body)?;
            self.assign(Operand::Part(Path::to(named)), Operand::Variable(id), body)?;
        }
        if is_const {
            self.scopes.fix(named);
        }
        self.scopes.define(name, NameMeaning::Variable(named));
        Ok(id)
    }

    /// Reads the statements of a function and the value that it returns at its end.
    fn function_body(&mut self, result: Option<Ty>, body: &mut Block) -> Read<ExprId> {
        while !matches!(self.tokens.peek(), "return" | "}") {
            self.statement(body)?;
        }
        let value = match result {
            Some(ty) => {
                if self.tokens.peek() == "}" {
                    return Err(self.tokens.flaw("the function returns no value"));
                }
                self.tokens.expect("return")?;
                let value = self.read_value()?;
                let value = self.coerce(value, ty)?;
                self.tokens.expect(";")?;
                self.check_value(value, body)?;
                value
            }
            None => {
                if self.tokens.accept("return") {
                    self.tokens.expect(";")?;
                }
                self.literal(0, Ty::INT)
            }
        };
        self.tokens.expect("}")?;
        Ok(value)
    }

    /// The value is computed when the lives of what the body declares have ended: no pointer may lead there.
    fn check_value(&self, value: ExprId, body: &Block) -> Read<()> {
        let mut pending = vec![value];
        while let Some(id) = pending.pop() {
            let kind = &self.program.expr(id).kind;
            let is_pointer = match kind {
                ExprKind::Part(path) => super::atomics::follows_pointer(path),
                ExprKind::SameAddress(_) => true,
                _ => false,
            };
            if is_pointer && self.program.declares_objects(body) {
                return Err(self.tokens.outside("a pointer in a returned value"));
            }
            pending.extend(kind.operands());
        }
        Ok(())
    }

    /// Refuses two reads of something `volatile` in one statement: their order is not certain.
    pub(super) fn check_reads(&self) -> Read<()> {
        let is_twice = |(variable, count): (VarId, usize)| {
            count > 1 && self.program.volatile.contains(&variable)
        };
        match self.program.most_reads().into_iter().any(is_twice) {
            true => Err(self.tokens.outside("two reads of what is `volatile`")),
            false => Ok(()),
        }
    }

    /// Refuses what the interpreter has no room for: expressions that are nested deep, also by calls, and much memory.
    pub(super) fn check_size(&self) -> Read<()> {
        let mut depths: Vec<u16> = Vec::with_capacity(self.program.exprs.len());
        for (index, expr) in self.program.exprs.iter().enumerate() {
            let deepest = |ids: &[u16]| ids.iter().copied().max().unwrap_or(0);
            let of = |id: ExprId| depths.get(id.0 as usize).copied().unwrap_or(DEEPEST);
            let operands: Vec<u16> = expr.kind.operands().into_iter().map(of).collect();
            let called = match &expr.kind {
                ExprKind::Invoke(id, _) => deepest(&depths[self.functions[id.0 as usize].clone()]),
                _ => 0,
            };
            let depth = 1 + deepest(&operands).max(called);
            if depth >= DEEPEST {
                let line = self.lines.exprs[index];
                let construct = "deep nesting".to_owned();
                return Err(Refusal::Outside(Outside { line, construct }));
            }
            depths.push(depth);
        }
        let width = u64::from(self.program.sizes.group());
        let bytes = (0..self.program.variables.len() as u32)
            .map(VarId)
            .map(|id| width * u64::from(self.program.layout(&self.program.shape(id)).0));
        if bytes.sum::<u64>() > (1 << 24) {
            return Err(self.tokens.outside("large variables"));
        }
        Ok(())
    }
}

/// True if OpenCL C gives a name a meaning of its own.
pub(super) fn is_reserved(name: &str) -> bool {
    let starts =
        ["get_", "vload", "vstore", "convert_", "as_", "atomic_", "atom_", "barrier", "CLK_"];
    crate::ir::Builtin::ALL.iter().any(|function| function.name() == name)
        || starts.iter().any(|start| name.starts_with(start))
}
