//! Gives nodes the text before them that the parser did not get to see.

use crate::kind::NodeKind;
use crate::node::SyntaxNode;
use crate::spellings::is_digraph;

/// A bracket that is written with two characters is both of them.
pub(crate) fn take_in_digraphs(nodes: &mut [SyntaxNode], bytes: &[u8], seen: &[u8]) {
    for node in nodes.iter_mut().filter(|node| !node.named && node.end == node.start + 1) {
        let start = node.start as usize;
        let mut starts = [start, start.saturating_sub(1)].into_iter();
        if let Some(first) = starts.find(|&at| is_digraph(bytes, seen, at)) {
            (node.start, node.end) = (first as u32, first as u32 + 2);
        }
    }
}

/// Declarations begin at the qualifiers that the grammar did not get to see: whoever removes a kernel
/// removes its `__kernel` too.
pub(crate) fn take_in_masked_words(nodes: &mut [SyntaxNode], bytes: &[u8], seen: &[u8]) {
    if let Some(root) = nodes.first_mut() {
        (root.start, root.end) = (0, bytes.len() as u32);
    }
    for node in nodes.iter_mut().skip(1) {
        let declares = matches!(
            node.kind,
            NodeKind::Declaration
                | NodeKind::FunctionDefinition
                | NodeKind::ParameterDeclaration
                | NodeKind::FieldDeclaration
                | NodeKind::TypeDefinition
                | NodeKind::TypeDescriptor
                | NodeKind::TemplateDeclaration
                | NodeKind::AliasDeclaration
                | NodeKind::UsingDeclaration
                | NodeKind::FriendDeclaration
                | NodeKind::StaticAssertDeclaration
                | NodeKind::NamespaceDefinition
        );
        if declares {
            let start = node.start as usize;
            let blanks =
                seen[..start].iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
            node.start -= masked_before(&bytes[start - blanks..start]) as u32;
        }
    }
}

/// The bytes at the end of a hidden text that belong to the declaration behind it. A line marker is no part of what it stands
/// before, unless words of the declaration stand before it in the same file: macros of headers have such markers inside.
fn masked_before(hidden: &[u8]) -> usize {
    let (mut masked, mut end) = (0, hidden.len());
    loop {
        let start = hidden[..end].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let line = &hidden[start..end];
        let text = line.trim_ascii_start();
        if is_marker(text) {
            let mut flags =
                text.rsplit(|&byte| byte == b'"').next().unwrap_or(b"").split(|it| *it == b' ');
            if flags.any(|flag| matches!(flag.trim_ascii(), b"1" | b"2")) {
                return masked;
            }
        } else if !text.is_empty() {
            masked = hidden.len() - (end - text.len());
        }
        if start == 0 {
            return masked;
        }
        end = start - 1;
    }
}

/// Returns whether a line is a line marker: `# 1 "x.h"`, or `#line 1 "x.h"`.
fn is_marker(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"#") else { return false };
    let rest = rest.trim_ascii_start();
    rest.first().is_some_and(u8::is_ascii_digit) || rest.starts_with(b"line")
}
