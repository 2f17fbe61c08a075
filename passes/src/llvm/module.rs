//! The functions, blocks and instructions of a module of LLVM IR, read by lines. Whoever writes LLVM IR writes an instruction a
//! line, and both spellings of pointers look the same to this reader.

use std::collections::HashMap;
use std::ops::Range;

use clreduce_testcase::steps;

use crate::analysis::{line_ranges, name_texts, names};

/// A function with a body.
pub(crate) struct IrFunction {
    /// All its lines.
    pub range: Range<usize>,
    /// The line with `define`.
    pub head: Range<usize>,
    /// The blocks, the entry first.
    pub blocks: Vec<IrBlock>,
}

pub(crate) struct IrBlock {
    /// The line of its label; empty for an entry without one.
    pub label: Range<usize>,
    /// Its name, without a sigil; empty for an entry without one.
    pub name: Range<usize>,
    /// The instructions, the terminator last.
    pub instructions: Vec<IrInstruction>,
    /// From its label to the end of its last instruction.
    pub range: Range<usize>,
}

pub(crate) struct IrInstruction {
    /// Its line, or its lines.
    pub range: Range<usize>,
    /// The name of its result, with the sigil.
    pub result: Option<Range<usize>>,
}

impl IrInstruction {
    pub(crate) fn is_phi(&self, bytes: &[u8]) -> bool {
        self.operation(bytes).starts_with(b"phi ")
    }

    /// The text of the instruction without its result: `add i32 %a, 1` of `%b = add i32 %a, 1`.
    pub(crate) fn operation<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        let text = &bytes[self.range.clone()];
        let text = match text.iter().position(|&byte| byte == b'=') {
            Some(at) if self.result.is_some() => &text[at + 1..],
            _ => text,
        };
        text.trim_ascii_start()
    }
}

/// The functions of a module that have a body.
pub(crate) fn functions(bytes: &[u8]) -> Vec<IrFunction> {
    let mut functions: Vec<IrFunction> = Vec::new();
    let mut open: Option<IrFunction> = None;
    // The operation goes on in the next line.
    let mut goes_on = false;
    for line in line_ranges(bytes) {
        steps(1);
        let text = bytes[line.clone()].trim_ascii();
        let Some(function) = &mut open else {
            if text.starts_with(b"define ") && text.ends_with(b"{") {
                let entry = line.end..line.end;
                let blocks = vec![IrBlock::new(entry.clone(), entry)];
                open = Some(IrFunction { range: line.clone(), head: line, blocks });
            }
            continue;
        };
        function.range.end = line.end;
        if text.starts_with(b"}") {
            functions.extend(open.take());
            continue;
        }
        if text.is_empty() || text.starts_with(b";") {
            continue;
        }
        if let Some(name) = label(bytes, &line) {
            let entry = function.blocks.first().filter(|entry| entry.instructions.is_empty());
            if entry.is_some_and(|_| function.blocks.len() == 1) {
                function.blocks.clear();
            }
            function.blocks.push(IrBlock::new(line, name));
            goes_on = false;
            continue;
        }
        let Some(block) = function.blocks.last_mut() else { continue };
        block.range.end = line.end;
        let continues = goes_on || is_continuation(text);
        match block.instructions.last_mut().filter(|_| continues) {
            Some(last) => {
                last.range.end = line.end;
                goes_on = goes_on && !text.contains(&b']');
            }
            None => {
                goes_on = text.starts_with(b"switch ") && !text.contains(&b']');
                let result = result(bytes, &line);
                block.instructions.push(IrInstruction { range: line, result });
            }
        }
    }
    functions
}

impl IrBlock {
    fn new(label: Range<usize>, name: Range<usize>) -> Self {
        Self { range: label.clone(), label, name, instructions: Vec::new() }
    }
}

/// Returns true for a range inside an instruction or the head of a function that is no element of a list with its comma: a type
/// without its value, say, which the grammar lets go and LLVM does not.
/// `lines` are the lines of the file.
pub(crate) fn is_half_of_an_operand(
    bytes: &[u8],
    lines: &[Range<usize>],
    range: &Range<usize>,
) -> bool {
    let behind = lines.partition_point(|line| line.start <= range.start);
    let line_start = behind.checked_sub(1).map_or(0, |at| lines[at].start);
    let ends_line = matches!(bytes.get(range.end), None | Some(b'\n'));
    let is_whole = bytes[line_start..range.start].iter().all(u8::is_ascii_whitespace) && ends_line;
    let line = &bytes[line_start..];
    let is_typed =
        line.starts_with(b" ") || line.starts_with(b"define ") || line.starts_with(b"declare ");
    is_typed && !is_whole && !bytes[range.clone()].contains(&b',')
}

/// The name of the label that a line is.
fn label(bytes: &[u8], line: &Range<usize>) -> Option<Range<usize>> {
    let text = &bytes[line.clone()];
    let is_in_name =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'$');
    let length = text.iter().take_while(|byte| is_in_name(byte)).count();
    let is_label = length > 0 && text.get(length) == Some(&b':');
    is_label.then(|| line.start..line.start + length)
}

/// Lines of `invoke`, `callbr` and `landingpad` behind the first.
fn is_continuation(text: &[u8]) -> bool {
    let first = text.split(|byte| byte.is_ascii_whitespace()).next();
    matches!(first, Some(b"to" | b"cleanup" | b"catch" | b"filter"))
}

/// The name of the result of the instruction that a line is.
pub(crate) fn result(bytes: &[u8], line: &Range<usize>) -> Option<Range<usize>> {
    let text = &bytes[line.clone()];
    let indent = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let name = names(&text[indent..]).next()?;
    let is_result = name.start == 0
        && text[indent] == b'%'
        && text[indent + name.end..].trim_ascii_start().starts_with(b"=");
    let start = line.start + indent;
    is_result.then(|| start..start + name.end)
}

/// By name with its sigil, the places in a range where it stands.
pub(crate) fn uses<'a>(
    bytes: &'a [u8],
    range: &Range<usize>,
) -> HashMap<&'a [u8], Vec<Range<usize>>> {
    let mut uses: HashMap<&[u8], Vec<Range<usize>>> = HashMap::new();
    for name in names(&bytes[range.clone()]) {
        let place = range.start + name.start..range.start + name.end;
        uses.entry(&bytes[place.clone()]).or_default().push(place);
    }
    uses
}

/// The names of the blocks that an operation may go on with.
pub(crate) fn targets(operation: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut before: &[u8] = b"";
    name_texts(operation).filter_map(move |name| {
        let is_target = before == b"label" && name.starts_with(b"%");
        before = name;
        is_target.then(|| &name[1..])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_instructions_are_found() {
        let text = b"@g = global i32 1\ndefine void @f(i32 %a) #0 {\n  %x = add i32 %a, 1\n  switch i32 %x, label %d [\n    i32 0, label %e\n  ]\n\nd: ; preds = %0\n  br label %e\n\ne:\n  ret void\n}\n";
        let functions = functions(text);
        let [function] = &functions[..] else { panic!("one function") };
        let shape: Vec<(usize, &[u8])> = function
            .blocks
            .iter()
            .map(|block| (block.instructions.len(), &text[block.name.clone()]))
            .collect();
        assert_eq!(shape, [(2, &b""[..]), (1, b"d"), (1, b"e")]);
        let switch = &function.blocks[0].instructions[1];
        assert_eq!(targets(switch.operation(text)).collect::<Vec<_>>(), [b"d", b"e"]);
        assert_eq!(function.range.end, text.len());
    }
}
