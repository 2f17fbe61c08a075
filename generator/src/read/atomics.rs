//! Barriers, atomic updates, and sections that one work-item enters.

use super::operands::Operand;
use super::{Read, Reader};
use crate::ir::{
    Atomic, Block, ExprId, ExprKind, Foreign, Path, Root, ScalarType, StmtKind, Storage, Ticket,
    Ty, Update, VarId,
};

impl Reader<'_> {
    /// Reads `barrier(...)`.
    pub(super) fn barrier(&mut self, out: &mut Block) -> Read<()> {
        if !self.is_kernel {
            return Err(self.tokens.outside("a barrier in a function"));
        }
        self.tokens.next();
        self.tokens.expect("(")?;
        let (mut local, mut global) = (false, false);
        if !self.tokens.accept("0") {
            loop {
                match self.tokens.next() {
                    "CLK_LOCAL_MEM_FENCE" => local = true,
                    "CLK_GLOBAL_MEM_FENCE" => global = true,
                    _ => return Err(self.tokens.outside("the flags of a barrier")),
                }
                if !self.tokens.accept("|") {
                    break;
                }
            }
        }
        self.tokens.expect(")")?;
        let kind = match (local, global) {
            (true, true) => StmtKind::Barrier,
            _ => StmtKind::Foreign(Foreign::Fence { local, global }),
        };
        self.push(kind, out);
        Ok(())
    }

    /// Reads an atomic function whose result is not used, if it is one.
    pub(super) fn atomic(&mut self, out: &mut Block) -> Read<bool> {
        let name = self.tokens.peek();
        let by_one = match name {
            "atomic_inc" => Some(Atomic::Add),
            "atomic_dec" => Some(Atomic::Sub),
            _ => None,
        };
        let with_operand = Atomic::ALL.into_iter().find(|function| function.name() == name);
        let Some(function) = by_one.or(with_operand) else { return Ok(false) };
        self.tokens.next();
        self.tokens.expect("(")?;
        let (array, at) = self.shared_element()?;
        let ty = self.program.variable(array).ty;
        let value = if by_one.is_some() {
            self.literal(1, ty)
        } else {
            self.tokens.expect(",")?;
            let value = self.expression()?;
            let value = self.scalar(value)?;
            self.coerce(value, ty)?
        };
        self.tokens.expect(")")?;
        let update = Update { function, array, at, value };
        self.push(StmtKind::Foreign(Foreign::Update(update)), out);
        Ok(true)
    }

    /// Reads the address of a number that work-items share.
    fn shared_element(&mut self) -> Read<(VarId, ExprId)> {
        self.tokens.expect("&")?;
        let found = match self.unary()? {
            Operand::Element(array, at) => Some((array, at)),
            _ => None,
        };
        let fits = |array: VarId| {
            let variable = self.program.variable(array);
            let is_shared = matches!(variable.space, Storage::Local | Storage::Argument(_));
            let is_number =
                [ScalarType::Int, ScalarType::Uint].map(Ty::scalar).contains(&variable.ty);
            is_shared && is_number && !self.scopes.is_fixed(array)
        };
        let found = found.filter(|(array, _)| fits(*array));
        let found = found.ok_or_else(|| self.tokens.outside("an atomic function on this"))?;
        self.written.push(found.0);
        Ok(found)
    }

    /// True if an `if` that is next begins an atomic section.
    pub(super) fn is_section(&self) -> bool {
        self.tokens.ahead(1) == "("
            && self.tokens.ahead(2) == "atomic_inc"
            && self.scopes.find("atomic_inc").is_none()
    }

    /// Reads `if (atomic_inc(&a[i]) == K) ...`.
    pub(super) fn section(&mut self, out: &mut Block) -> Read<()> {
        for text in ["if", "(", "atomic_inc", "("] {
            self.tokens.expect(text)?;
        }
        let (array, at) = self.shared_element()?;
        self.tokens.expect(")")?;
        self.tokens.expect("==")?;
        let arrival = self.constant_number()?;
        self.tokens.expect(")")?;
        let arrival = i32::try_from(arrival).ok().filter(|arrival| *arrival >= 0);
        let Some(arrival) = arrival else {
            return Err(self.tokens.outside("the condition of an atomic section"));
        };
        let mut body = self.branch()?;
        if self.tokens.peek() == "else" {
            return Err(self.tokens.outside("the other branch of an atomic section"));
        }
        let last = body.last().map(|id| &self.program.stmt(*id).kind);
        let update = match last {
            Some(StmtKind::Foreign(Foreign::Update(update))) => Some(update.clone()),
            _ => None,
        };
        if let Some(update) = &update {
            body.pop();
            if [update.at, update.value].into_iter().any(|id| self.leads_through_pointer(id)) {
                // The update is executed when the lives of what the body declares have ended.
                return Err(self.tokens.outside("a pointer at the end of an atomic section"));
            }
        }
        let ticket = Ticket { array, at, arrival: arrival.into(), body, update };
        self.push(StmtKind::Foreign(Foreign::Ticket(ticket)), out);
        Ok(())
    }

    fn leads_through_pointer(&self, id: ExprId) -> bool {
        let kind = &self.program.expr(id).kind;
        let is_pointer = matches!(kind, ExprKind::SameAddress(_))
            || matches!(kind, ExprKind::Part(path) if follows_pointer(path));
        is_pointer || kind.operands().into_iter().any(|operand| self.leads_through_pointer(operand))
    }
}

/// True if a path begins at what a pointer points to.
pub(super) fn follows_pointer(path: &Path) -> bool {
    matches!(path.root, Root::Pointer(..))
}
