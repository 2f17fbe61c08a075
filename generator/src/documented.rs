//! The table of notes/generator-constructs.md has a row for everything that kernels are made of.

use std::collections::BTreeSet;

use crate::avoid::names;
use crate::ir::{ExprKind, Foreign, Jump, StmtKind};
use crate::profile::{Mode, Profile, Target};

const PAGE: &str = include_str!("../../notes/generator-constructs.md");
/// The page with a table of the names that only CUDA has.
const CUDA: &str = include_str!("../../docs/generator-cuda.md");
/// The head of the table of reasons.
const HEAD: &str = "| construct | names for `--avoid` | why its result is certain |";

/// The cells of the rows of a table, from its head on.
fn table<'a>(page: &'a str, head: &str) -> Vec<Vec<&'a str>> {
    let (_, rows) = page.split_once(head).expect("the head of the table");
    let rows = rows.lines().skip(2).take_while(|line| line.starts_with('|'));
    // An escaped bar is a part of its cell.
    let cells = |row: &'a str| {
        let mut cells = vec![row.trim_matches('|')];
        while let Some(last) = cells.pop() {
            let bars = last.match_indices('|').map(|(at, _)| at);
            match bars.into_iter().find(|at| !last[..*at].ends_with('\\')) {
                Some(at) => cells.extend([last[..at].trim(), &last[at + 1..]]),
                None => {
                    cells.push(last.trim());
                    break;
                }
            }
        }
        cells
    };
    rows.map(cells).collect()
}

/// The words in code of a cell.
fn words(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2).flat_map(str::split_whitespace)
}

/// The beginning of the row for a statement, for those that `--avoid` has no name for.
fn row_of_statement(kind: &StmtKind) -> &'static str {
    match kind {
        StmtKind::Nothing => "literals and variables",
        StmtKind::Declare(..) | StmtKind::Assign(..) => "literals and variables",
        StmtKind::DeclareArray(..) => "arrays",
        StmtKind::DeclareObject(..) | StmtKind::Copy(..) => "structures",
        StmtKind::Point(..) => "pointers",
        StmtKind::Hash(..) => "the result",
        StmtKind::Merged(..) => "comma, assignment and increment",
        StmtKind::Call(..) => "procedures",
        StmtKind::Labelled(..) | StmtKind::Jump(Jump::Goto(_), _) => "`goto`",
        StmtKind::If(..) | StmtKind::Jump(..) => "`break`, `continue`, branches",
        StmtKind::Switch(..) => "`switch`",
        StmtKind::For(..) => "`for`, `while`, `do`",
        StmtKind::Barrier => "barriers",
        StmtKind::Reduce(..) => "atomic reductions",
        StmtKind::Gather(..) => "compare and exchange",
        StmtKind::GroupCopy(..) => "copies by a whole group",
        StmtKind::Mma(..) => "tensor cores",
        StmtKind::Collective(..) => "collective functions",
        StmtKind::Section(..) => "atomic sections",
        StmtKind::Foreign(Foreign::Update(..)) => "atomic reductions",
        StmtKind::Foreign(Foreign::Ticket(..)) => "atomic sections",
        StmtKind::Foreign(Foreign::Fence { .. }) => "barriers",
    }
}

/// The beginning of the row for an expression.
fn row_of_expression(kind: &ExprKind) -> &'static str {
    match kind {
        ExprKind::Literal(..) | ExprKind::Variable(..) => "literals and variables",
        ExprKind::Vector(..) | ExprKind::Swizzle(..) => "vectors of expressions",
        ExprKind::Element(..) | ExprKind::Load(..) => "arrays",
        ExprKind::Unary(..) | ExprKind::Binary(..) => "`+ - *`",
        ExprKind::Conditional(..) => "`&& \\|\\| ?:`",
        ExprKind::Convert(..) | ExprKind::Saturate(..) => "conversions",
        ExprKind::Reinterpret(..) => "`as_T`",
        ExprKind::Call(..) => "other built-in functions",
        ExprKind::Invoke(..) => "functions",
        ExprKind::Item(..) => "`get_global_id`",
        ExprKind::Part(..) => "structures",
        ExprKind::SameAddress(..) => "`p == q`",
    }
}

#[test]
fn each_name_has_a_row_and_each_row_names_what_there_is() {
    let mut rows = table(PAGE, HEAD);
    assert!(rows.iter().all(|row| row.len() == 3 && !row[2].is_empty()), "a row without a reason");
    rows.extend(table(CUDA, "| | names |"));
    let documented: BTreeSet<&str> = rows.iter().flat_map(|row| words(row[1])).collect();
    let known = BTreeSet::from_iter(names());
    let missing: Vec<_> = known.difference(&documented).collect();
    assert!(missing.is_empty(), "notes/generator-constructs.md has no row for {missing:?}");
    let stale: Vec<_> = documented.difference(&known).collect();
    assert!(stale.is_empty(), "notes/generator-constructs.md names {stale:?}, which nothing is");
}

#[test]
fn each_statement_and_expression_has_a_row() {
    let rows = table(PAGE, HEAD);
    let mut seen = BTreeSet::new();
    for (seed, target) in (0..24).zip([Target::OpenCl12, Target::Cuda].into_iter().cycle()) {
        let mode = [Mode::All, Mode::Free][seed as usize / 2 % 2];
        let kernel = crate::generate(seed, &Profile { mode, target, ..Profile::default() });
        let program = kernel.expect("a profile that fits").program;
        let statements = program.statements();
        seen.extend(statements.iter().map(|id| row_of_statement(&program.stmt(*id).kind)));
        let mut pending = program.roots();
        while let Some(id) = pending.pop() {
            let kind = &program.expr(id).kind;
            seen.insert(row_of_expression(kind));
            pending.extend(kind.operands());
        }
    }
    for begin in &seen {
        let has_row = rows.iter().any(|row| row[0].starts_with(begin));
        assert!(has_row, "notes/generator-constructs.md has no row that begins with {begin}");
    }
    assert!(seen.len() > 18, "{seen:?}");
}
