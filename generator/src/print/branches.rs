//! Branches, cases and jumps as text.

use super::KernelPrinter;
use super::statements::label;
use crate::ir::{Jump, StmtId, Switch};

impl KernelPrinter<'_> {
    pub(super) fn branches(&mut self, condition: &str, then: &[StmtId], other: &[StmtId]) {
        self.line(&format!("if ({condition}) {{"));
        self.nested(then);
        if !other.is_empty() {
            self.line("} else {");
            self.nested(other);
        }
        self.line("}");
    }

    pub(super) fn jump(&mut self, condition: &str, jump: Jump) {
        let words = match jump {
            Jump::Break => "break".to_owned(),
            Jump::Continue => "continue".to_owned(),
            Jump::Goto(block) => format!("goto {}", label(block)),
        };
        self.line(&format!("if ({condition}) {words};"));
    }

    pub(super) fn switch(&mut self, value: &str, switch: &Switch) {
        self.line(&format!("switch ({value}) {{"));
        for case in &switch.cases {
            let label = match case.label {
                Some(label) if label.is_wide() => {
                    format!("case {} ... {}: {{", label.first, label.last)
                }
                Some(label) => format!("case {}: {{", label.first),
                None => "default: {".to_owned(),
            };
            self.line(&label);
            self.nested(&case.body);
            self.line(if case.falls { "}" } else { "} break;" });
        }
        self.line("}");
    }
}
