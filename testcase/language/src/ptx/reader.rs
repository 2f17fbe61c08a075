//! From the text of a module to its statements.

use super::operands::{operands, ptx_number};
use super::words::PtxTokens;
use super::{PtxFunction, PtxInstruction, PtxStatement, PtxStatementKind, PtxVariable};

/// Reads the statements of a module, in order.
#[must_use]
pub fn ptx_statements(source: &[u8]) -> Vec<PtxStatement<'_>> {
    let mut words = PtxTokens::of(source);
    let mut all = Vec::new();
    while let Some(line) = words.line() {
        let kinds = statement(&mut words);
        all.extend(kinds.into_iter().map(|kind| PtxStatement { line, kind }));
    }
    all
}

fn statement<'a>(words: &mut PtxTokens<'a>) -> Vec<PtxStatementKind<'a>> {
    let start = words.position();
    let Some(first) = words.peek() else { return Vec::new() };
    let read = match first {
        "{" | "}" | ";" => {
            words.skip();
            return match first {
                "{" => vec![PtxStatementKind::Open],
                "}" => vec![PtxStatementKind::Close],
                _ => Vec::new(),
            };
        }
        _ if first.starts_with('.') => directive(words, false),
        _ => label(words).or_else(|| instruction(words)).map(|kind| vec![kind]),
    };
    read.unwrap_or_else(|| {
        words.go_to(start + 1);
        words.end_statement();
        vec![PtxStatementKind::Unknown(first)]
    })
}

fn label<'a>(words: &mut PtxTokens<'a>) -> Option<PtxStatementKind<'a>> {
    let name = words.next()?;
    if words.takes(":") {
        return Some(PtxStatementKind::Label(name));
    }
    words.back();
    None
}

fn instruction<'a>(words: &mut PtxTokens<'a>) -> Option<PtxStatementKind<'a>> {
    let mut name = words.next()?;
    let mut guard = None;
    if let Some(predicate) = name.strip_prefix('@') {
        guard = Some(match predicate {
            "" => {
                let holds = !words.takes("!");
                (words.next()?, holds)
            }
            _ => (predicate, true),
        });
        name = words.next()?;
    }
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return None;
    }
    let operands = operands(words, ";")?;
    let words = name.split('.').collect();
    Some(PtxStatementKind::Instruction(PtxInstruction { guard, words, operands }))
}

/// Reads a directive. `None` if it is not understood.
fn directive<'a>(words: &mut PtxTokens<'a>, is_extern: bool) -> Option<Vec<PtxStatementKind<'a>>> {
    match words.peek()? {
        ".version" | ".target" | ".address_size" | ".file" | ".loc" => {
            words.end_line();
            Some(Vec::new())
        }
        ".pragma" => {
            words.end_statement();
            Some(Vec::new())
        }
        ".visible" | ".weak" | ".common" => {
            words.skip();
            directive(words, is_extern)
        }
        ".extern" => {
            words.skip();
            directive(words, true)
        }
        ".reg" => registers(words).map(|kind| vec![kind]),
        ".entry" | ".func" => {
            let function = function(words)?;
            Some(vec![PtxStatementKind::Function(function)])
        }
        ".branchtargets" => {
            words.skip();
            let mut targets = vec![words.next()?];
            while words.takes(",") {
                targets.push(words.next()?);
            }
            words.takes(";").then(|| vec![PtxStatementKind::Targets(targets)])
        }
        ".shared" | ".const" | ".global" | ".local" | ".param" => {
            let mut all = vec![PtxStatementKind::Variable(variable(words, is_extern)?)];
            while words.takes(",") {
                let Some(PtxStatementKind::Variable(first)) = all.first() else { return None };
                let next = PtxVariable { values: Vec::new(), ..first.clone() };
                all.push(PtxStatementKind::Variable(declarator(words, next)?));
            }
            words.takes(";").then_some(all)
        }
        _ => None,
    }
}

fn registers<'a>(words: &mut PtxTokens<'a>) -> Option<PtxStatementKind<'a>> {
    words.skip();
    let ty = words.next()?.strip_prefix('.')?;
    let mut names = Vec::new();
    loop {
        let name = words.next()?;
        if words.takes("<") {
            let count = usize::try_from(ptx_number(words.next()?)?).ok()?;
            // A module cannot have more registers than bytes.
            let count = count.min(words.count().saturating_mul(64));
            names.extend((0..count).map(|index| format!("{name}{index}")));
            words.takes(">").then_some(())?;
        } else {
            names.push(name.to_owned());
        }
        match words.next()? {
            "," => {}
            ";" => return Some(PtxStatementKind::Registers { ty, names }),
            _ => return None,
        }
    }
}

fn function<'a>(words: &mut PtxTokens<'a>) -> Option<PtxFunction<'a>> {
    let is_kernel = words.next()? == ".entry";
    let results = if words.peek() == Some("(") { parameters(words)? } else { Vec::new() };
    let name = words.next()?;
    let parameters = if words.peek() == Some("(") { parameters(words)? } else { Vec::new() };
    let mut required_local = None;
    loop {
        match words.peek()? {
            "{" => break,
            ";" => {
                words.skip();
                let has_body = false;
                return Some(PtxFunction {
                    is_kernel,
                    name,
                    results,
                    parameters,
                    required_local,
                    has_body,
                });
            }
            ".reqntid" => {
                words.skip();
                let mut sizes = vec![size(words)?];
                while words.takes(",") {
                    sizes.push(size(words)?);
                }
                required_local = Some(sizes);
            }
            _ => words.skip(),
        }
    }
    Some(PtxFunction { is_kernel, name, results, parameters, required_local, has_body: true })
}

fn size(words: &mut PtxTokens<'_>) -> Option<u64> {
    ptx_number(words.next()?).filter(|&size| size > 0)
}

fn parameters<'a>(words: &mut PtxTokens<'a>) -> Option<Vec<PtxVariable<'a>>> {
    words.skip();
    let mut all = Vec::new();
    while !words.takes(")") {
        all.push(variable(words, false)?);
        words.takes(",");
    }
    Some(all)
}

/// Reads a variable from its state space on, without what follows its first declarator.
fn variable<'a>(words: &mut PtxTokens<'a>, is_extern: bool) -> Option<PtxVariable<'a>> {
    let space = words.next()?.strip_prefix('.')?;
    let (mut align, mut ty) = (None, None);
    while let Some(word) = words.peek()?.strip_prefix('.') {
        words.skip();
        match word {
            "align" => align = Some(size(words)?),
            // Words for the compiler about the pointer in a parameter.
            "ptr" | "global" | "shared" | "const" | "local" => {}
            _ => ty = Some(word),
        }
    }
    let name = words.peek()?;
    let values = Vec::new();
    let head = PtxVariable { space, is_extern, align, ty: ty?, name, elements: None, values };
    declarator(words, head)
}

/// Reads a name, its size and its values.
fn declarator<'a>(words: &mut PtxTokens<'a>, head: PtxVariable<'a>) -> Option<PtxVariable<'a>> {
    let mut variable = PtxVariable { name: words.next()?, elements: None, ..head };
    while words.takes("[") {
        let count = if words.peek() == Some("]") { 0 } else { size(words)? };
        variable.elements = Some(variable.elements.unwrap_or(1).checked_mul(count)?);
        words.takes("]").then_some(())?;
    }
    if words.takes("=") {
        variable.values = if words.takes("{") {
            operands(words, "}")?
        } else {
            let single = operands(words, ";")?;
            words.back();
            single
        };
    }
    Some(variable)
}

#[cfg(test)]
mod tests {
    use super::super::PtxOperand;
    use super::*;

    #[test]
    fn statements_are_read() {
        let text = b".version 7.6\n.visible .entry k(.param .u64 .ptr .global .align 4 p)\n.reqntid 8, 1, 1\n{\n\
            .reg .b32 %r<3>, %x;\nL1: @!%q1 bra L1; mad.lo.u32 %r1, %r2, -8, 0x1f;\n\
            ld.global.v2.u32 {%r1, _}, [%d1+-4];\n}\n";
        let all = ptx_statements(text);
        let PtxStatementKind::Function(kernel) = &all[0].kind else { panic!("{all:?}") };
        assert_eq!((kernel.name, &kernel.required_local), ("k", &Some(vec![8, 1, 1])));
        assert_eq!((kernel.parameters[0].ty, kernel.parameters[0].align), ("u64", Some(4)));
        let PtxStatementKind::Registers { names, .. } = &all[2].kind else { panic!("{all:?}") };
        assert_eq!(names[..], ["%r0", "%r1", "%r2", "%x"]);
        assert_eq!(all[3].kind, PtxStatementKind::Label("L1"));
        let PtxStatementKind::Instruction(branch) = &all[4].kind else { panic!("{all:?}") };
        assert_eq!(branch.guard, Some(("%q1", false)));
        let PtxStatementKind::Instruction(load) = &all[6].kind else { panic!("{all:?}") };
        assert_eq!(load.words, ["ld", "global", "v2", "u32"]);
        let (base, offset, in_memory) = (Some("%d1"), -4, true);
        assert_eq!(load.operands[1], PtxOperand::Address { base, offset, in_memory });
        assert_eq!((all[6].line, all.len()), (7, 8));
    }

    #[test]
    fn what_is_not_understood_is_said() {
        let all = ptx_statements(b".tex .u32 t;\nfoo bar baz;\nret;");
        let kinds: Vec<_> = all.into_iter().map(|one| one.kind).collect();
        assert_eq!(kinds[..2], [".tex", "foo"].map(PtxStatementKind::Unknown));
        assert!(matches!(kinds[2], PtxStatementKind::Instruction(_)));
    }
}
