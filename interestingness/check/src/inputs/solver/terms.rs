//! Expressions of a kernel over its arguments, as terms of SMT-LIB.

use std::collections::{BTreeMap, BTreeSet};

use clreduce_host::HostKernel;
use clreduce_kernel::{KernelParameter, KernelSignature, Number, Scalar};
use clreduce_language::{
    NodeField, NodeId, NodeKind, SymbolId, SymbolKind, Symbols, SyntaxTree, Types, Use, declared_by,
};
use clreduce_testcase::Language;

use crate::coordinates::Coordinate;

/// The most variables of the kernel that are replaced by their initial values one inside another.
const MOST_DEPTH: u32 = 12;

/// A term: a bit vector.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub text: String,
    bits: usize,
    is_signed: bool,
}

impl Term {
    fn int(text: String) -> Self {
        Self { text, bits: 32, is_signed: true }
    }

    /// The term as a bit vector of `bits` bits.
    fn widened(&self, bits: usize) -> String {
        match bits.checked_sub(self.bits) {
            Some(0) => self.text.clone(),
            Some(more) if self.is_signed => format!("((_ sign_extend {more}) {})", self.text),
            Some(more) => format!("((_ zero_extend {more}) {})", self.text),
            None => format!("((_ extract {} 0) {})", bits - 1, self.text),
        }
    }

    fn converted(&self, bits: usize, is_signed: bool) -> Self {
        Self { text: self.widened(bits), bits, is_signed }
    }

    /// That it is not 0.
    pub(super) fn is_true(&self) -> String {
        format!("(not (= {} (_ bv0 {})))", self.text, self.bits)
    }
}

/// The program of a kernel, and what its terms need.
pub(super) struct Terms<'a> {
    source: &'a [u8],
    tree: SyntaxTree,
    symbols: Symbols,
    types: Types,
    kernel: &'a HostKernel,
    /// The variables of the terms: their types and, but for identifiers of work-items, the numbers of a launch that they are.
    pub variables: BTreeMap<String, (Number, Option<Coordinate>)>,
    /// What must hold for the terms to mean what the program does.
    pub conditions: BTreeSet<String>,
}

impl<'a> Terms<'a> {
    pub(super) fn of(kernel: &'a HostKernel) -> Self {
        let source = &*kernel.source;
        let tree = SyntaxTree::parse(source, Language::OPENCL);
        let symbols = Symbols::new(source, &tree);
        let types = Types::new(source, &tree, &symbols);
        let (variables, conditions) = (BTreeMap::new(), BTreeSet::new());
        Self { source, tree, symbols, types, kernel, variables, conditions }
    }

    pub(super) fn tree(&self) -> &SyntaxTree {
        &self.tree
    }

    pub(super) fn text(&self, id: NodeId) -> &'a str {
        std::str::from_utf8(&self.source[self.tree.range(id)]).unwrap_or("")
    }

    /// The term of an expression; `None` if it depends on something else than arguments and identifiers of work-items.
    pub(super) fn term(&mut self, id: NodeId) -> Option<Term> {
        self.term_within(id, MOST_DEPTH)
    }

    fn term_within(&mut self, id: NodeId, depth: u32) -> Option<Term> {
        match self.tree.kind(id) {
            NodeKind::ParenthesizedExpression => {
                let inner = self.tree.named_children(id).next()?;
                self.term_within(inner, depth)
            }
            NodeKind::NumberLiteral => self.literal(id),
            NodeKind::Identifier => self.name(id, depth),
            NodeKind::CallExpression => self.position(id),
            NodeKind::SubscriptExpression => self.element(id),
            NodeKind::CastExpression => {
                let value = self.tree.field(id, NodeField::Value)?;
                let (bits, is_signed) = integer(self.types.of(id).number()?)?;
                Some(self.term_within(value, depth)?.converted(bits, is_signed))
            }
            NodeKind::UnaryExpression => self.unary(id, depth),
            NodeKind::BinaryExpression => self.binary(id, depth),
            _ => None,
        }
    }

    fn literal(&self, id: NodeId) -> Option<Term> {
        let (bits, is_signed) = integer(self.types.of(id).number()?)?;
        let text = self.text(id).trim_end_matches(['u', 'U', 'l', 'L']);
        let value = match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
            Some(digits) => u64::from_str_radix(digits, 16).ok()?,
            None if text.len() > 1 && text.starts_with('0') => u64::from_str_radix(text, 8).ok()?,
            None => text.parse().ok()?,
        };
        Some(Term { text: format!("(_ bv{value} {bits})"), bits, is_signed })
    }

    fn name(&mut self, id: NodeId, depth: u32) -> Option<Term> {
        let symbol = self.symbols.of(id)?;
        if self.is_changed(symbol) {
            return None;
        }
        match self.symbols.get(symbol).kind {
            SymbolKind::Parameter => {
                let (argument, parameter) = self.parameter(symbol)?;
                let KernelParameter::Value(number) = parameter else { return None };
                let number = *number;
                self.variable(format!("a{argument}"), number, Coordinate::value(argument, number))
            }
            SymbolKind::Variable => {
                let declarator = self.tree.parent(self.symbols.get(symbol).declarations[0])?;
                let value = self.tree.field(declarator, NodeField::Value)?;
                let (bits, is_signed) = integer(self.types.of_symbol(symbol).number()?)?;
                let value = self.term_within(value, depth.checked_sub(1)?)?;
                Some(value.converted(bits, is_signed))
            }
            _ => None,
        }
    }

    /// Returns true if a name may have another value than at its beginning.
    fn is_changed(&self, symbol: SymbolId) -> bool {
        let symbol = self.symbols.get(symbol);
        symbol.opaque
            || symbol.declarations.len() != 1
            || symbol.uses.iter().any(|&name| {
                let found = Use::at(&self.tree, name);
                found.may_change() || found.whole.writes()
            })
    }

    /// The parameter of a kernel that a symbol names, with its number.
    fn parameter(&self, symbol: SymbolId) -> Option<(usize, &'a KernelParameter)> {
        let name = self.symbols.get(symbol).declarations[0];
        let mut around = self.tree.ancestors(name);
        let list = around.find(|&id| self.tree.kind(id) == NodeKind::ParameterList)?;
        let parameters = self.tree.named_children(list).collect::<Vec<_>>();
        let number =
            parameters.iter().position(|&id| id <= name && name < self.tree.node(id).after)?;
        let function = self.tree.field(self.tree.parent(list)?, NodeField::Declarator)?;
        let signature: &KernelSignature =
            self.kernel.kernels.iter().find(|one| one.name == self.text(function))?;
        let definition = declared_by(&self.tree, function)?;
        let is_definition = self.tree.kind(definition) == NodeKind::FunctionDefinition;
        is_definition.then_some((number, signature.parameters.get(number)?))
    }

    fn variable(&mut self, name: String, number: Number, is: Coordinate) -> Option<Term> {
        let (bits, is_signed) = integer(number)?;
        self.variables.insert(name.clone(), (number, Some(is)));
        Some(Term { text: name, bits, is_signed })
    }

    /// `get_global_id(0)` and the like: any below their bounds, which the launch tells.
    fn position(&mut self, id: NodeId) -> Option<Term> {
        let function = self.tree.field(id, NodeField::Function)?;
        let arguments = self.tree.field(id, NodeField::Arguments)?;
        let mut arguments = self.tree.named_children(arguments);
        let (dimension, None) = (arguments.next()?, arguments.next()) else { return None };
        let dimension: u8 = self.text(dimension).parse().ok().filter(|&one| one < 3)?;
        let function = self.text(function);
        matches!(
            function,
            "get_global_id"
                | "get_local_id"
                | "get_group_id"
                | "get_global_size"
                | "get_local_size"
                | "get_num_groups"
        )
        .then(|| {
            let name = format!("{function}_{dimension}");
            self.variables.insert(name.clone(), (Number::scalar(Scalar::Ulong), None));
            Term { text: name, bits: 64, is_signed: false }
        })
    }

    /// An element of a buffer: one of its own for a literal index, and any other is one that all are equal to.
    fn element(&mut self, id: NodeId) -> Option<Term> {
        let array = self.tree.field(id, NodeField::Argument)?;
        let symbol = self.symbols.of(array)?;
        if self.symbols.get(symbol).kind != SymbolKind::Parameter {
            return None;
        }
        let (argument, KernelParameter::Buffer { element, .. }) = self.parameter(symbol)? else {
            return None;
        };
        let index = self.tree.field(id, NodeField::Index).map_or("", |index| self.text(index));
        let index = index.trim_matches(['[', ']']).trim();
        match index.parse::<usize>() {
            Ok(index) => {
                let is = Coordinate::element(argument, index, *element);
                self.variable(format!("b{argument}_{index}"), *element, is)
            }
            Err(_) => {
                let is = Coordinate::everywhere(argument, *element);
                self.variable(format!("b{argument}"), *element, is)
            }
        }
    }

    fn unary(&mut self, id: NodeId, depth: u32) -> Option<Term> {
        let operator = self.text(self.tree.field(id, NodeField::Operator)?);
        let operand = self.tree.field(id, NodeField::Argument)?;
        let operand = self.term_within(operand, depth)?;
        if operator == "!" {
            return Some(truth(&format!("(not {})", operand.is_true())));
        }
        let operand = promoted(operand);
        let text = match operator {
            "-" => format!("(bvneg {})", operand.text),
            "~" => format!("(bvnot {})", operand.text),
            "+" => operand.text.clone(),
            _ => return None,
        };
        Some(Term { text, ..operand })
    }

    fn binary(&mut self, id: NodeId, depth: u32) -> Option<Term> {
        let operator = self.text(self.tree.field(id, NodeField::Operator)?);
        let left = self.tree.field(id, NodeField::Left)?;
        let right = self.tree.field(id, NodeField::Right)?;
        let (left, right) = (self.term_within(left, depth)?, self.term_within(right, depth)?);
        let logical = match operator {
            "&&" => Some("and"),
            "||" => Some("or"),
            _ => None,
        };
        if let Some(logical) = logical {
            return Some(truth(&format!("({logical} {} {})", left.is_true(), right.is_true())));
        }
        let (left, right) = (promoted(left), promoted(right));
        if matches!(operator, "<<" | ">>") {
            return Some(shifted(operator, &left, &right));
        }
        let bits = left.bits.max(right.bits);
        let is_unsigned = |one: &Term| !one.is_signed && one.bits == bits;
        let is_signed = !is_unsigned(&left) && !is_unsigned(&right);
        let [a, b] = [&left, &right].map(|one| one.widened(bits));
        let by_sign = |signed, unsigned| if is_signed { signed } else { unsigned };
        let name = match operator {
            "+" => "bvadd",
            "-" => "bvsub",
            "*" => "bvmul",
            "&" => "bvand",
            "|" => "bvor",
            "^" => "bvxor",
            "/" => by_sign("bvsdiv", "bvudiv"),
            "%" => by_sign("bvsrem", "bvurem"),
            "==" => return Some(truth(&format!("(= {a} {b})"))),
            "!=" => return Some(truth(&format!("(not (= {a} {b}))"))),
            "<" => return Some(truth(&format!("({} {a} {b})", by_sign("bvslt", "bvult")))),
            "<=" => return Some(truth(&format!("({} {a} {b})", by_sign("bvsle", "bvule")))),
            ">" => return Some(truth(&format!("({} {a} {b})", by_sign("bvsgt", "bvugt")))),
            ">=" => return Some(truth(&format!("({} {a} {b})", by_sign("bvsge", "bvuge")))),
            _ => return None,
        };
        if matches!(operator, "/" | "%") {
            self.conditions.insert(format!("(not (= {b} (_ bv0 {bits})))"));
        }
        // What overflows is undefined.
        if is_signed && matches!(operator, "+" | "-" | "*") {
            let wide = 2 * bits;
            let term = |text: &str| format!("((_ sign_extend {}) {text})", wide - bits);
            let narrow = term(&format!("({name} {a} {b})"));
            self.conditions.insert(format!("(= ({name} {} {}) {narrow})", term(&a), term(&b)));
        }
        Some(Term { text: format!("({name} {a} {b})"), bits, is_signed })
    }
}

/// Bits and signedness of a whole scalar.
pub(super) fn integer(number: Number) -> Option<(usize, bool)> {
    let is_signed = match number.scalar {
        Scalar::Half | Scalar::Float | Scalar::Double => return None,
        Scalar::Char | Scalar::Short | Scalar::Int | Scalar::Long => true,
        Scalar::Uchar | Scalar::Ushort | Scalar::Uint | Scalar::Ulong => false,
    };
    (number.lanes == 1).then_some((8 * number.bytes(), is_signed))
}

fn truth(holds: &str) -> Term {
    Term::int(format!("(ite {holds} (_ bv1 32) (_ bv0 32))"))
}

fn promoted(term: Term) -> Term {
    if term.bits < 32 { term.converted(32, true) } else { term }
}

/// In OpenCL C, the count wraps.
fn shifted(operator: &str, left: &Term, right: &Term) -> Term {
    let Term { text, bits, is_signed } = left;
    let name = match (operator, is_signed) {
        ("<<", _) => "bvshl",
        (_, true) => "bvashr",
        (_, false) => "bvlshr",
    };
    let count = format!("(bvand {} (_ bv{} {bits}))", right.widened(*bits), bits - 1);
    Term { text: format!("({name} {text} {count})"), ..left.clone() }
}
