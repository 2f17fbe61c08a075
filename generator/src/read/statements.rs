//! Statements and blocks.

use super::{Read, Reader, Target, types};
use crate::ir::{Block, CaseRange, StmtId, StmtKind, Switch, SwitchCase, Ty};
use crate::random::SeedKey;

impl Reader<'_> {
    /// Adds a statement to a block.
    pub(super) fn push(&mut self, kind: StmtKind, out: &mut Block) -> StmtId {
        let id = self.program.statement(kind, SeedKey::root(0));
        self.lines.stmts.push(self.tokens.line());
        out.push(id);
        id
    }

    /// Adds a block to a block.
    pub(super) fn push_block(&mut self, block: Block, out: &mut Block) {
        if !block.is_empty() {
            let always = self.literal(1, Ty::INT);
            self.push(StmtKind::If(always, block, Block::new()), out);
        }
    }

    /// Reads statements up to `}`, which is read too. The scope is the caller's.
    pub(super) fn statements(&mut self) -> Read<Block> {
        let mut out = Block::new();
        while !self.tokens.accept("}") {
            self.statement(&mut out)?;
        }
        Ok(out)
    }

    /// Reads the statement of a branch or a loop, in a scope of its own.
    pub(super) fn branch(&mut self) -> Read<Block> {
        self.scopes.enter();
        let result = if self.tokens.accept("{") {
            self.statements()
        } else if self.starts_declaration() {
            Err(self.tokens.outside("a declaration without a block"))
        } else {
            let mut out = Block::new();
            self.statement(&mut out).map(|()| out)
        };
        self.scopes.leave();
        result
    }

    /// True if a declaration is next, and no expression.
    pub(super) fn starts_declaration(&self) -> bool {
        types::is_type(self.tokens.peek()) && self.tokens.ahead(1) != "("
    }

    pub(super) fn statement(&mut self, out: &mut Block) -> Read<()> {
        self.nested(|reader| reader.one_statement(out))
    }

    fn one_statement(&mut self, out: &mut Block) -> Read<()> {
        self.tokens.accept_unroll()?;
        match self.tokens.peek() {
            ";" => self.tokens.expect(";"),
            "}" => Err(self.tokens.flaw("a statement is missing")),
            "{" => {
                let block = self.branch()?;
                self.push_block(block, out);
                Ok(())
            }
            "if" if self.is_section() => self.section(out),
            "if" => self.condition_statement(out),
            "for" => self.for_loop(out),
            "while" => self.while_loop(out),
            "do" => self.do_loop(out),
            "switch" => self.switch(out),
            "break" | "continue" => self.jump(out),
            _ if self.starts_declaration() => self.declaration(out),
            _ => {
                self.simple(out)?;
                if self.tokens.peek() == "}" {
                    return Err(self.tokens.flaw("a semicolon is missing"));
                }
                self.tokens.expect(";")
            }
        }
    }

    fn condition_statement(&mut self, out: &mut Block) -> Read<()> {
        self.tokens.next();
        let condition = self.condition()?;
        let then = self.branch()?;
        let other = if self.tokens.accept("else") { self.branch()? } else { Block::new() };
        self.push(StmtKind::If(condition, then, other), out);
        Ok(())
    }

    /// Reads `switch (...) { ... }`. Each case falls into the next one, unless a `break` is in it.
    fn switch(&mut self, out: &mut Block) -> Read<()> {
        self.tokens.next();
        let value = self.condition()?;
        self.tokens.expect("{")?;
        self.scopes.enter();
        self.targets.push(Target::Switch);
        let cases = self.cases();
        self.targets.pop();
        self.scopes.leave();
        self.push(StmtKind::Switch(Switch { value, cases: cases? }), out);
        Ok(())
    }

    fn cases(&mut self) -> Read<Vec<SwitchCase>> {
        let mut cases: Vec<SwitchCase> = Vec::new();
        while !self.tokens.accept("}") {
            let label = match self.tokens.peek() {
                "case" => {
                    self.tokens.next();
                    let number = self.constant_number()?;
                    let label = u8::try_from(number).ok();
                    let label = label.ok_or_else(|| self.tokens.outside("a label"))?;
                    Some(Some(CaseRange::one(label)))
                }
                "default" => {
                    self.tokens.next();
                    Some(None)
                }
                _ => None,
            };
            let Some(label) = label else {
                if self.starts_declaration() {
                    return Err(self.tokens.outside("a declaration among cases"));
                }
                let Some(case) = cases.last_mut() else { return Err(self.tokens.outside_here()) };
                let mut body = std::mem::take(&mut case.body);
                self.statement(&mut body)?;
                if let Some(case) = cases.last_mut() {
                    case.body = body;
                }
                continue;
            };
            self.tokens.expect(":")?;
            if self.tokens.peek() == "}" || cases.iter().any(|case| case.label == label) {
                return Err(self.tokens.outside_here());
            }
            cases.push(SwitchCase { label, body: Block::new(), falls: true });
        }
        Ok(cases)
    }
}
