//! Puts 0 in the place of a register that an instruction of PTX reads, so that what computed its value can go.
//!
//! before:
//! ```ptx
//! mov.u32 %r1, %tid.x;
//! add.u32 %r2, %r1, %r3;
//! ```
//! after:
//! ```ptx
//! mov.u32 %r1, 0;
//! add.u32 %r2, 0, %r3;
//! ```

use clreduce_testcase::Edit;

use crate::Snapshot;
use crate::analysis::Tokens;
use crate::pass::{INSTRUCTIONS, Pass, Proposal, Proposals};

pub(crate) const PASS: Pass = Pass::new(
    "registers",
    "Put 0 in the place of registers that instructions of PTX read",
    INSTRUCTIONS,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Tokens::all(snapshot) {
        let mut place = StatementPlace::default();
        for (index, token) in unit.tokens.iter().enumerate() {
            let text = unit.text(index);
            if place.reads(text) && text.len() > 1 && text.starts_with(b"%") {
                let edit = Edit::replace(unit.file, token.range(), b"0".as_slice());
                proposals.push(Proposal::edit(edit));
            }
        }
    }
}

/// A place in a statement.
#[derive(Default)]
struct StatementPlace {
    /// True behind the first token.
    is_within: bool,
    /// The statement is a directive, such as `.reg`.
    is_directive: bool,
    /// The number of commas so far: the first operand is written.
    commas: usize,
    /// The number of brackets that are open. A register in them is an address, for which 0 is no use.
    open: usize,
}

impl StatementPlace {
    /// Goes on to the next token, and returns true if an instruction reads it.
    fn reads(&mut self, token: &[u8]) -> bool {
        match token {
            b";" | b":" => {
                *self = Self::default();
                return false;
            }
            b"," => self.commas += 1,
            b"[" => self.open += 1,
            b"]" => self.open = self.open.saturating_sub(1),
            _ if !self.is_within => self.is_directive = token.starts_with(b"."),
            _ => {}
        }
        self.is_within |= !matches!(token, b"{" | b"}");
        !self.is_directive && self.commas > 0 && self.open == 0
    }
}
