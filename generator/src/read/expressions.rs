//! Expressions. They have no side effects: assignments are statements.

use super::functions::is_reserved;
use super::operands::Operand;
use super::operators::operator;
use super::scopes::NameMeaning;
use super::{Read, Reader, types};
use crate::ir::{ExprId, ExprKind, ObjectType, Path, Step, Storage, Swizzle, Ty, Unary, VarId};

impl Reader<'_> {
    /// Reads an expression without commas and assignments.
    pub(super) fn expression(&mut self) -> Read<Operand> {
        self.nested(|reader| {
            let condition = reader.binary(0)?;
            if !reader.tokens.accept("?") {
                return Ok(condition);
            }
            let condition = reader.value(condition)?;
            let first = reader.expression()?;
            let first = reader.value(first)?;
            reader.tokens.expect(":")?;
            let second = reader.expression()?;
            let second = reader.value(second)?;
            reader.choice(condition, first, second).map(Operand::Value)
        })
    }

    pub(super) fn read_value(&mut self) -> Read<ExprId> {
        let operand = self.expression()?;
        self.value(operand)
    }

    /// Reads a condition in parentheses.
    pub(super) fn condition(&mut self) -> Read<ExprId> {
        self.tokens.expect("(")?;
        let operand = self.expression()?;
        let id = self.scalar(operand)?;
        self.tokens.expect(")")?;
        Ok(id)
    }

    /// Reads something that lies one level deeper.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= 100 {
            return Err(self.tokens.outside("deep nesting"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Reads operators that bind at least this tightly.
    pub(super) fn binary(&mut self, least: u8) -> Read<Operand> {
        let mut left = self.unary()?;
        while let Some((operator, precedence)) = operator(self.tokens.peek()) {
            if precedence < least {
                break;
            }
            self.tokens.next();
            let right = self.nested(|reader| reader.binary(precedence + 1))?;
            left = self.combine(operator, left, right)?;
        }
        Ok(left)
    }

    pub(super) fn unary(&mut self) -> Read<Operand> {
        self.nested(Self::prefixed)
    }

    fn prefixed(&mut self) -> Read<Operand> {
        let operator = match self.tokens.peek() {
            "-" => Unary::Minus,
            "~" => Unary::Complement,
            "!" => Unary::Not,
            "+" => {
                self.tokens.next();
                let operand = self.unary()?;
                let id = self.scalar(operand)?;
                let ty = Ty::scalar(self.program.ty(id).scalar.promoted());
                return self.coerce(id, ty).map(Operand::Value);
            }
            "&" => {
                self.tokens.next();
                let operand = self.unary()?;
                return self.address_of(operand);
            }
            "*" => {
                self.tokens.next();
                let operand = self.unary()?;
                return self.pointed_to(operand, None);
            }
            "(" if types::is_type(self.tokens.ahead(1)) => return self.cast(),
            _ => return self.postfix(),
        };
        self.tokens.next();
        let operand = self.unary()?;
        let id = self.value(operand)?;
        Ok(Operand::Value(self.unary_operator(operator, id)))
    }

    /// Reads a cast, or a vector of its parts.
    fn cast(&mut self) -> Read<Operand> {
        self.tokens.expect("(")?;
        let ty = self.cast_type()?;
        self.tokens.expect(")")?;
        if !ty.is_vector() {
            let operand = self.unary()?;
            let id = self.scalar(operand)?;
            return self.coerce(id, ty).map(Operand::Value);
        }
        // A reduction removes needless parentheses.
        if self.tokens.peek() != "(" {
            let operand = self.unary()?;
            let id = self.value(operand)?;
            return self.coerce(id, ty).map(Operand::Value);
        }
        self.tokens.expect("(")?;
        let mut parts = Vec::new();
        loop {
            let part = self.expression()?;
            // clang takes the address itself for a number, which no device has to have.
            if matches!(part, Operand::Array(_) | Operand::Address(..)) {
                return Err(self.tokens.flaw("an address in a vector"));
            }
            parts.push(self.value(part)?);
            if !self.tokens.accept(",") {
                break;
            }
        }
        self.tokens.expect(")")?;
        // Compilers may take what follows as a part of the operand, or of the whole.
        if matches!(self.tokens.peek(), "." | "[" | "->" | "(" | "++" | "--") {
            return Err(self.tokens.outside_here());
        }
        if let [only] = parts[..] {
            return self.coerce(only, ty).map(Operand::Value);
        }
        let mut lanes = 0;
        for part in &mut parts {
            let of = self.program.ty(*part);
            lanes += u32::from(of.lanes);
            if !of.is_vector() {
                *part = self.coerce(*part, ty.lane())?;
            } else if of.scalar != ty.scalar {
                return Err(self.tokens.outside(&format!("a `{of}` in a `{ty}`")));
            }
        }
        if lanes != u32::from(ty.lanes) {
            return Err(self.tokens.outside(&format!("a `{ty}` of {lanes} lanes")));
        }
        Ok(Operand::Value(self.node(ExprKind::Vector(parts.into()), ty)))
    }

    fn postfix(&mut self) -> Read<Operand> {
        let mut operand = self.primary()?;
        loop {
            operand = match self.tokens.peek() {
                "[" => {
                    self.tokens.next();
                    let at = self.expression()?;
                    let at = self.scalar(at)?;
                    self.tokens.expect("]")?;
                    self.pointed_to(operand, Some(at))?
                }
                "." => {
                    self.tokens.next();
                    self.member(operand)?
                }
                "->" => {
                    self.tokens.next();
                    let object = self.pointed_to(operand, None)?;
                    self.member(object)?
                }
                _ => return Ok(operand),
            };
        }
    }

    fn primary(&mut self) -> Read<Operand> {
        if self.tokens.is_number() {
            return self.number().map(Operand::Value);
        }
        if self.tokens.accept("(") {
            let operand = self.expression()?;
            self.tokens.expect(")")?;
            return Ok(operand);
        }
        let name = self.tokens.word()?;
        if self.tokens.peek() == "(" {
            return self.call(name).map(Operand::Value);
        }
        match self.scopes.find(name) {
            Some(NameMeaning::Variable(variable)) => Ok(self.named(variable)),
            None if types::named(name).is_none() && !is_reserved(name) => {
                Err(self.tokens.flaw(&format!("the name `{name}` is not declared")))
            }
            _ => Err(self.tokens.outside(&format!("the name `{name}`"))),
        }
    }

    /// A variable as an operand.
    pub(super) fn named(&mut self, id: VarId) -> Operand {
        let variable = self.program.variable(id);
        match (&variable.space, variable.length) {
            (Storage::Object(_), _) => Operand::Part(Path::to(id)),
            (_, Some(_)) => Operand::Array(id),
            (Storage::Private, None) => Operand::Variable(id),
            (_, None) => {
                let zero = self.literal(0, Ty::INT);
                Operand::Element(id, zero)
            }
        }
    }

    /// A member of a structure or union, or some lanes of a vector. The name is next.
    fn member(&mut self, of: Operand) -> Read<Operand> {
        // Lanes can have the names of no variables, such as `s0`.
        let name = self.tokens.word()?;
        if let Operand::Part(path) = &of
            && let ObjectType::Record(id) = self.program.shape_at(path)
        {
            let record = self.records.iter().find(|record| record.id == id);
            let place = record.and_then(|one| one.members.iter().position(|own| *own == name));
            let Some(place) = place.and_then(|place| u8::try_from(place).ok()) else {
                return Err(self.tokens.flaw(&format!("there is no member `{name}`")));
            };
            let mut path = path.clone();
            path.steps.push(Step::Member(place));
            return Ok(Operand::Part(path));
        }
        let ty = match &of {
            Operand::Variable(variable) => self.program.variable(*variable).ty,
            _ => {
                let id = self.value(of.clone())?;
                return self.lanes(id, name).map(Operand::Value);
            }
        };
        let swizzle = self.swizzle(name, ty)?;
        match of {
            Operand::Variable(variable) => Ok(Operand::Lanes(variable, swizzle)),
            _ => Err(self.tokens.outside_here()),
        }
    }

    fn lanes(&mut self, of: ExprId, name: &str) -> Read<ExprId> {
        let ty = self.program.ty(of);
        let swizzle = self.swizzle(name, ty)?;
        let lanes = swizzle.lanes().len() as u8;
        Ok(self.node(ExprKind::Swizzle(of, swizzle), Ty { lanes, ..ty }))
    }

    /// The lanes with this name.
    fn swizzle(&mut self, name: &str, ty: Ty) -> Read<Swizzle> {
        let lanes = lanes_named(name, ty.lanes);
        let lanes = lanes.filter(|lanes| matches!(lanes.len(), 1 | 2 | 3 | 4 | 8 | 16));
        match lanes {
            Some(lanes) if ty.is_vector() => Ok(Swizzle::new(&lanes)),
            _ => Err(self.tokens.outside(&format!("`.{name}` of a `{ty}`"))),
        }
    }
}

/// The numbers of the lanes that a name selects of a vector with `lanes` lanes.
fn lanes_named(name: &str, of: u8) -> Option<Vec<u8>> {
    let half = of / 2;
    let halves =
        |lane: fn(u8, u8) -> u8| (of != 3).then(|| (0..half).map(|at| lane(at, half)).collect());
    match name {
        "lo" => return halves(|at, _| at),
        "hi" => return halves(|at, half| at + half),
        "even" => return halves(|at, _| 2 * at),
        "odd" => return halves(|at, _| 2 * at + 1),
        _ => {}
    }
    let lane = |c: char| match name.starts_with('s') {
        true => c.to_digit(16).map(|digit| digit as u8),
        false if of <= 4 => "xyzw".find(c).map(|place| place as u8),
        false => None,
    };
    let letters = name.strip_prefix('s').unwrap_or(name);
    letters.chars().map(|c| lane(c).filter(|lane| *lane < of)).collect()
}
