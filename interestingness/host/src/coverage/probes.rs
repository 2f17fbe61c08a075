//! Probes: calls of the run-time that are put into the source of a kernel, to see what its work-items come to.
//!
//! Only the written source is looked at: what a macro hides has no probes, and a function that the parser does not
//! understand has none either. One that no kernel calls has a single probe.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use clreduce_language::{NodeField, NodeId, NodeKind, Symbols, SyntaxTree, Types};
use clreduce_testcase::{Feature, Language};

use super::called::uncalled;
use super::gaps;
use crate::for_compiler::is_for_the_compiler;

/// The most conditions of one decision; further ones have no probes.
const MOST_CONDITIONS: usize = 16;

/// A place where the run-time counts.
pub(super) type Place = u32;

/// The subject of a probe. Of two places, the first counts evaluations that were false.
#[derive(Clone, Debug)]
pub(super) enum Probe {
    /// The decision of an `if`, a loop or `?:`, or a logical operator elsewhere.
    Decision { first: Place, conditions: Vec<ConditionProbe>, vectors: Option<u32>, arms: Vec<Arm> },
    /// A `case` or `default`.
    Case(Place),
    /// A loop with its number, and the place that counts how often its condition is false.
    Loop { number: u32, can_be_skipped: bool, ends_at: Option<Place> },
    /// A barrier.
    Barrier(Place),
    /// Text that runs from its beginning, unless it never runs.
    Section(Place),
}

/// One of several conditions of a decision.
#[derive(Clone, Debug)]
pub(super) struct ConditionProbe {
    pub range: Range<usize>,
    pub first: Place,
}

/// An operand of `?:`, which runs only if the decision has this value.
#[derive(Clone, Debug)]
pub(super) struct Arm {
    pub range: Range<usize>,
    pub value: bool,
}

/// A kernel with probes.
#[derive(Debug, Default)]
pub(super) struct ProbedSource {
    /// The changed text.
    pub text: Vec<u8>,
    /// The probes with what they look at.
    pub probes: Vec<(Range<usize>, Probe)>,
    pub places: u32,
    pub loops: u32,
    pub decisions: u32,
    /// The functions that have none, because the parser does not understand them.
    pub left_out: usize,
}

/// The functions of the run-time. They stand on a line of their own, as the program may begin with a directive.
const DECLARATIONS: &str = "void clreduce_reaches(unsigned); int clreduce_sees(unsigned, int); \
    int clreduce_considers(unsigned, unsigned, unsigned, int); int clreduce_decides(unsigned, unsigned, int); \
    void clreduce_loop_begins(unsigned); void clreduce_loop_goes_on(unsigned); void clreduce_loop_ends(unsigned); \
    void clreduce_comes_to_barrier(unsigned);";

impl ProbedSource {
    /// Puts probes into a program.
    pub(super) fn of(source: &[u8], language: Language) -> Self {
        Self::made_of(source, language, false)
    }

    /// The same places, and the run-time is told which numbers conditions compare.
    pub(super) fn with_gaps(source: &[u8], language: Language) -> Self {
        Self::made_of(source, language, language.has(Feature::OpenClWords))
    }

    /// The conditions that are no combinations of others, by the places that count how often they are false.
    pub(super) fn conditions(&self) -> BTreeMap<Place, Range<usize>> {
        let of_probe = |(range, probe): &(Range<usize>, Probe)| match probe {
            Probe::Decision { first, conditions, .. } if conditions.is_empty() => {
                vec![(*first, range.clone())]
            }
            Probe::Decision { conditions, .. } => {
                conditions.iter().map(|one| (one.first, one.range.clone())).collect()
            }
            _ => Vec::new(),
        };
        self.probes.iter().flat_map(of_probe).collect()
    }

    fn made_of(source: &[u8], language: Language, tells_gaps: bool) -> Self {
        let tree = SyntaxTree::parse(source, language);
        let symbols = Symbols::new(source, &tree);
        let types = Types::new(source, &tree, &symbols);
        let mut prober = Prober {
            source,
            tree: &tree,
            types: &types,
            language,
            tells_gaps,
            uncalled: uncalled(source, &tree, language),
            insertions: Vec::new(),
            made: Self::default(),
        };
        let loops = tree.ids().filter(|&id| is_loop(tree.kind(id))).count();
        prober.made.places = 3 * u32::try_from(loops).unwrap_or(u32::MAX / 3);
        let mut next = NodeId(0);
        while (next.0 as usize) < tree.len() {
            next = prober.visit(next);
        }
        let Prober { mut insertions, mut made, .. } = prober;
        let declarations = match language.has(Feature::Classes) {
            true => format!("extern \"C\" {{ {DECLARATIONS} }}\n"),
            false => format!("{DECLARATIONS}\n"),
        };
        insertions.sort_by_key(|insertion| insertion.order);
        made.text = declarations.into_bytes();
        if tells_gaps {
            made.text.extend(gaps::declarations(source).into_bytes());
        }
        let mut done = 0;
        for insertion in insertions {
            made.text.extend(&source[done..insertion.order.0]);
            made.text.extend(insertion.text.as_bytes());
            done = insertion.order.0;
        }
        made.text.extend(&source[done..]);
        made
    }
}

fn is_loop(kind: NodeKind) -> bool {
    use NodeKind::{DoStatement, ForRangeLoop, ForStatement, WhileStatement};
    matches!(kind, DoStatement | ForRangeLoop | ForStatement | WhileStatement)
}

/// Text put in at an offset. At the same offset, what ends comes before what begins, and what was put around last ends
/// first.
struct Insertion {
    order: (usize, bool, i64),
    text: String,
}

struct Prober<'a> {
    source: &'a [u8],
    tree: &'a SyntaxTree,
    types: &'a Types,
    language: Language,
    tells_gaps: bool,
    uncalled: BTreeSet<NodeId>,
    insertions: Vec<Insertion>,
    made: ProbedSource,
}

impl Prober<'_> {
    fn text(&self, id: NodeId) -> &[u8] {
        &self.source[self.tree.range(id)]
    }

    fn place(&mut self, places: u32) -> Place {
        self.made.places += places;
        self.made.places - places
    }

    fn add(&mut self, range: Range<usize>, probe: Probe) {
        self.made.probes.push((range, probe));
    }

    fn put(&mut self, at: usize, text: String) {
        let number = self.insertions.len() as i64;
        self.insertions.push(Insertion { order: (at, true, number), text });
    }

    fn wrap(&mut self, id: NodeId, before: String, after: &str) {
        let range = self.tree.range(id);
        self.put(range.start, before);
        let number = self.insertions.len() as i64;
        let text = after.to_owned();
        self.insertions.push(Insertion { order: (range.end, false, -number), text });
    }

    /// Looks at a node. Returns the next one to look at.
    fn visit(&mut self, id: NodeId) -> NodeId {
        let (tree, node) = (self.tree, *self.tree.node(id));
        let below = NodeId(id.0 + 1);
        match node.kind {
            NodeKind::FunctionDefinition => {
                // `constexpr` functions may be needed while compiling.
                let head = tree.field(id, NodeField::Body).filter(|_| tree.is_sound(id));
                let Some(body) = head.filter(|&body| {
                    let head = &self.source[node.start as usize..tree.node(body).start as usize];
                    tree.kind(body) == NodeKind::CompoundStatement
                        && !head.windows(9).any(|word| word == b"constexpr" || word == b"consteval")
                }) else {
                    self.made.left_out += 1;
                    return node.after;
                };
                let place = self.place(1);
                self.add(node.range(), Probe::Section(place));
                let after_brace = tree.node(body).start as usize + 1;
                self.put(after_brace, format!(" clreduce_reaches({place});"));
                // The text before the body is evaluated while compiling, if at all.
                if self.uncalled.contains(&id) { node.after } else { body }
            }
            _ if !self.is_in_function(id) => below,
            kind if is_for_the_compiler(kind) => node.after,
            NodeKind::Declaration if self.is_constant(id) => node.after,
            NodeKind::IfStatement => {
                self.visit_if(id);
                below
            }
            kind if is_loop(kind) => {
                self.visit_loop(id);
                below
            }
            NodeKind::ConditionalExpression => {
                self.visit_choice(id);
                below
            }
            NodeKind::BinaryExpression if self.is_logical(id) => {
                self.visit_logical(id);
                below
            }
            NodeKind::CallExpression => {
                self.visit_call(id);
                below
            }
            NodeKind::CompoundStatement => {
                self.visit_block(id);
                below
            }
            NodeKind::CaseStatement => {
                self.visit_case(id);
                self.visit_block(id);
                // Its value is a constant.
                tree.children(id)
                    .find(|&child| tree.kind(child) == NodeKind::Colon)
                    .map_or(below, |colon| tree.node(colon).after)
            }
            _ => below,
        }
    }

    fn is_in_function(&self, id: NodeId) -> bool {
        self.tree.node(id).depth > 1
            && self
                .tree
                .ancestors(id)
                .any(|outer| self.tree.kind(outer) == NodeKind::FunctionDefinition)
    }

    /// A variable whose value the compiler must know.
    fn is_constant(&self, id: NodeId) -> bool {
        let words: Vec<&[u8]> =
            self.text(id).split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').collect();
        let constant: [&[u8]; 6] =
            [b"static", b"constexpr", b"constant", b"__constant", b"__constant__", b"__shared__"];
        words.iter().any(|word| constant.contains(word))
    }

    fn visit_if(&mut self, id: NodeId) {
        let tree = self.tree;
        let is_constant = tree.children(id).any(|child| self.text(child) == b"constexpr");
        if !is_constant {
            self.condition_of(id);
        }
        let then = tree.field(id, NodeField::Consequence);
        let otherwise =
            tree.field(id, NodeField::Alternative).and_then(|clause| match tree.kind(clause) {
                NodeKind::ElseClause => tree.named_children(clause).last(),
                _ => Some(clause),
            });
        for branch in [then, otherwise].into_iter().flatten() {
            let place = self.place(1);
            self.add(tree.range(branch), Probe::Section(place));
            self.wrap(branch, format!("{{ clreduce_reaches({place}); "), " }");
        }
    }

    fn visit_loop(&mut self, id: NodeId) {
        let tree = self.tree;
        let kind = tree.kind(id);
        let Some(body) = tree.field(id, NodeField::Body) else { return };
        if self.is_annotated(id) {
            self.condition_of(id);
            return;
        }
        let number = self.made.loops;
        self.made.loops += 1;
        let ends_at = self.condition_of(id);
        let place = self.place(1);
        self.add(
            tree.range(id),
            Probe::Loop { number, can_be_skipped: kind != NodeKind::DoStatement, ends_at },
        );
        self.add(tree.range(body), Probe::Section(place));
        let (begins, ends) = ("clreduce_loop_begins", "clreduce_loop_ends");
        self.wrap(id, format!("{{ {begins}({number}); "), &format!(" {ends}({number}); }}"));
        let before = format!("{{ clreduce_loop_goes_on({number}); clreduce_reaches({place}); ");
        self.wrap(body, before, " }");
    }

    /// A pragma or an attribute must stand right before its loop.
    fn is_annotated(&self, id: NodeId) -> bool {
        let before = self.source[..self.tree.node(id).start as usize].trim_ascii_end();
        let line = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        let has_attribute = self
            .tree
            .parent(id)
            .is_some_and(|parent| self.tree.kind(parent) == NodeKind::AttributedStatement);
        let line = &before[line..];
        has_attribute
            || line.trim_ascii_start().starts_with(b"#pragma")
            || line.ends_with(b"))") && line.windows(13).any(|word| word == b"__attribute__")
    }

    /// Puts a probe around the condition of a statement. Returns the place that counts how often it is false.
    fn condition_of(&mut self, statement: NodeId) -> Option<Place> {
        let tree = self.tree;
        let field = tree.field(statement, NodeField::Condition)?;
        let condition = match tree.kind(field) {
            NodeKind::ConditionClause => tree.field(field, NodeField::Value)?,
            NodeKind::ParenthesizedExpression => tree.named_children(field).next()?,
            _ => field,
        };
        // A declaration cannot be wrapped.
        let is_expression = !matches!(
            tree.kind(condition),
            NodeKind::Declaration | NodeKind::InitStatement | NodeKind::CommaExpression
        );
        is_expression.then(|| self.decision(condition, Vec::new()))
    }

    fn visit_choice(&mut self, id: NodeId) {
        let tree = self.tree;
        let Some(condition) = tree.field(id, NodeField::Condition) else { return };
        if !self.is_scalar(condition) {
            return;
        }
        let arm =
            |field, value| tree.field(id, field).map(|arm| Arm { range: tree.range(arm), value });
        let arms = [arm(NodeField::Consequence, true), arm(NodeField::Alternative, false)];
        self.decision(condition, arms.into_iter().flatten().collect());
    }

    /// Logical operators that are not part of another decision.
    fn visit_logical(&mut self, id: NodeId) {
        if !self.is_part_of_decision(id) && self.leaves(id).iter().all(|&leaf| self.is_scalar(leaf))
        {
            self.decision(id, Vec::new());
        }
    }

    /// Returns whether only brackets and negations stand between logical operators and others, or the statement that they
    /// decide.
    fn is_part_of_decision(&self, id: NodeId) -> bool {
        let tree = self.tree;
        let mut node = id;
        while let Some(parent) = tree.parent(node) {
            let is_bracket = tree.kind(parent) == NodeKind::ParenthesizedExpression;
            if tree.node(node).field == Some(NodeField::Condition)
                || tree.kind(parent) == NodeKind::ConditionClause
                || self.is_logical(parent)
            {
                return true;
            }
            if !is_bracket && !self.is_negation(parent) {
                return false;
            }
            node = parent;
        }
        false
    }

    fn is_logical(&self, id: NodeId) -> bool {
        self.tree.kind(id) == NodeKind::BinaryExpression
            && self
                .tree
                .field(id, NodeField::Operator)
                .is_some_and(|operator| matches!(self.text(operator), b"&&" | b"||"))
    }

    fn is_negation(&self, id: NodeId) -> bool {
        self.tree.kind(id) == NodeKind::UnaryExpression && self.text(id).starts_with(b"!")
    }

    /// In OpenCL C, operators on vectors work lane by lane.
    fn is_scalar(&self, id: NodeId) -> bool {
        let of = self.types.of(id);
        !self.language.has(Feature::Vectors)
            || of.levels > 0
            || of.number().is_some_and(|number| number.lanes == 1)
    }

    /// The conditions that logical operators connect.
    fn leaves(&self, id: NodeId) -> Vec<NodeId> {
        let tree = self.tree;
        let (mut leaves, mut open) = (Vec::new(), vec![id]);
        while let Some(node) = open.pop() {
            let inner = match tree.kind(node) {
                NodeKind::ParenthesizedExpression => tree.named_children(node).next(),
                _ if self.is_negation(node) => tree.field(node, NodeField::Argument),
                _ => None,
            };
            // Brackets and negations count only around logical operators.
            let bare = std::iter::successors(inner, |&inner| match tree.kind(inner) {
                NodeKind::ParenthesizedExpression => tree.named_children(inner).next(),
                _ if self.is_negation(inner) => tree.field(inner, NodeField::Argument),
                _ => None,
            });
            let target = std::iter::once(node).chain(bare).find(|&inner| self.is_logical(inner));
            match target {
                Some(logical) => {
                    let sides = [NodeField::Right, NodeField::Left];
                    open.extend(sides.into_iter().filter_map(|side| tree.field(logical, side)));
                }
                None => leaves.push(node),
            }
        }
        leaves
    }

    fn decision(&mut self, id: NodeId, arms: Vec<Arm>) -> Place {
        let leaves = self.leaves(id);
        let first = self.place(2);
        if !(2..=MOST_CONDITIONS).contains(&leaves.len()) {
            self.add(
                self.tree.range(id),
                Probe::Decision { first, conditions: Vec::new(), vectors: None, arms },
            );
            self.wrap(id, format!("(clreduce_sees({first}, ("), ") ? 1 : 0))");
            self.tell_gap(id, first);
            return first;
        }
        let vectors = self.made.decisions;
        self.made.decisions += 1;
        self.wrap(id, format!("(clreduce_decides({first}, {vectors}, ("), ") ? 1 : 0))");
        let mut conditions = Vec::new();
        for (number, leaf) in leaves.into_iter().enumerate() {
            let first = self.place(2);
            self.wrap(
                leaf,
                format!("(clreduce_considers({first}, {vectors}, {number}, ("),
                ") ? 1 : 0))",
            );
            self.tell_gap(leaf, first);
            conditions.push(ConditionProbe { range: self.tree.range(leaf), first });
        }
        let probe = Probe::Decision { first, conditions, vectors: Some(vectors), arms };
        self.add(self.tree.range(id), probe);
        first
    }

    /// Tells the run-time the numbers that a condition compares.
    fn tell_gap(&mut self, condition: NodeId, first: Place) {
        if !self.tells_gaps {
            return;
        }
        for (operand, side) in gaps::operands(self.source, self.tree, self.types, condition) {
            self.wrap(operand, format!("clreduce_operand({first}, {side}, ("), "))");
        }
    }

    fn visit_call(&mut self, id: NodeId) {
        let Some(function) = self.tree.field(id, NodeField::Function) else { return };
        let is_barrier =
            matches!(self.text(function), b"barrier" | b"work_group_barrier" | b"__syncthreads");
        if is_barrier {
            let place = self.place(1);
            self.add(self.tree.range(id), Probe::Barrier(place));
            self.wrap(id, format!("(clreduce_comes_to_barrier({place}), "), ")");
        }
    }

    fn visit_case(&mut self, id: NodeId) {
        let tree = self.tree;
        let colon = tree.children(id).find(|&child| tree.kind(child) == NodeKind::Colon);
        let Some(colon) = colon else { return };
        let after = tree.node(colon).end as usize;
        let place = self.place(1);
        self.add(tree.range(id), Probe::Case(place));
        self.put(after, format!(" clreduce_reaches({place});"));
    }

    /// Probes between the statements of a block, behind each that may jump away.
    fn visit_block(&mut self, id: NodeId) {
        let tree = self.tree;
        let is_block = tree.kind(id) == NodeKind::CompoundStatement;
        let end = tree.node(id).end as usize - usize::from(is_block);
        let children: Vec<NodeId> = tree.named_children(id).collect();
        // A jump to a label does not pass the probe before it.
        let has_label = |&child: &NodeId| {
            tree.kind(child) == NodeKind::CaseStatement
                || tree.subtree(child).any(|inner| tree.kind(inner) == NodeKind::LabeledStatement)
        };
        let mut may_have_left = false;
        for (index, &child) in children.iter().enumerate() {
            let kind = tree.kind(child);
            let takes_probe = !matches!(kind, NodeKind::CaseStatement | NodeKind::LabeledStatement)
                && !kind.is_preproc_conditional()
                && kind != NodeKind::PreprocCall
                && !self.is_annotated(child);
            if may_have_left && takes_probe && !has_label(&child) {
                let place = self.place(1);
                let start = tree.node(child).start as usize;
                let label = children[index + 1..].iter().find(|later| has_label(later));
                let end = label.map_or(end, |&label| tree.node(label).start as usize);
                self.add(start..end, Probe::Section(place));
                self.put(start, format!("clreduce_reaches({place}); "));
            }
            may_have_left = tree.subtree(child).any(|inner| {
                let kind = tree.kind(inner);
                is_loop(kind)
                    || matches!(
                        kind,
                        NodeKind::ReturnStatement
                            | NodeKind::BreakStatement
                            | NodeKind::ContinueStatement
                            | NodeKind::GotoStatement
                    )
            });
        }
    }
}
