//! What the witnesses of a bug say in its report: the right results, and whether the bug shows where it did not show at first.

use clreduce_kernel::RunOutcome;
use clreduce_recipe::{BuiltWith, Evidence};
use clreduce_report::ReportBlock;
use clreduce_testcase::TestCase;

use super::command::for_others;
use super::tools::tool;

/// The configurations that do the right thing.
pub(super) fn comparison(
    suspected: &Evidence,
    witnesses: &[&Evidence],
    case: &TestCase,
) -> Option<ReportBlock> {
    // One may show the bug of the reduced program as well.
    let is_other = |one: &&&Evidence| one.result().is_none() || one.result() != suspected.result();
    let row = |one: &&Evidence| {
        let (_, version) = tool(&one.tool);
        let command = match &one.tool {
            BuiltWith::Commands { build, .. } => for_others(build, case),
            BuiltWith::Device { .. } => one.configuration.clone(),
        };
        let version = version.lines().next().unwrap_or_default().to_owned();
        let result = match one.outcomes[..] {
            [RunOutcome::Built] => "compiles".to_owned(),
            _ => one.result().unwrap_or_else(|| one.summary()),
        };
        vec![command, result, version]
    };
    let rows: Vec<Vec<String>> = witnesses.iter().filter(is_other).map(row).collect();
    let head = vec!["command", "result", "version"];
    (!rows.is_empty()).then_some(ReportBlock::Table { head, rows })
}

/// Says that configurations which were right with the original are wrong with what it was reduced to.
pub(super) fn drift(suspected: &Evidence, witnesses: &[&Evidence]) -> Option<String> {
    let is_wrong = |one: &&&Evidence| one.result().is_some() && one.result() == suspected.result();
    let wrong: Vec<&str> =
        witnesses.iter().filter(is_wrong).map(|one| one.configuration.as_str()).collect();
    (!wrong.is_empty()).then(|| {
        format!(
            "The same wrong result comes from {}, which had the right one for the original: the reduction has drifted to a bug that \
             shows there as well.",
            wrong.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use clreduce_kernel::{Output, Scalar};
    use clreduce_recipe::Role;

    use super::*;

    #[test]
    fn a_witness_with_the_wrong_result_stands_in_the_notes_and_not_under_what_should_happen() {
        let evidence = |configuration: &str, role, value: u8| Evidence {
            configuration: configuration.to_owned(),
            role,
            tool: BuiltWith::Commands { build: configuration.to_owned(), run: None },
            outcomes: vec![RunOutcome::Results(vec![vec![Output {
                kernel: "k".to_owned(),
                name: "a".to_owned(),
                scalar: Scalar::Uchar,
                bytes: vec![value],
            }]])],
            limit: Duration::from_secs(1),
        };
        let suspected = evidence("plain -O0", Role::Suspected, 1);
        let [host, optimised] =
            [("host", 2), ("plain", 1)].map(|(name, value)| evidence(name, Role::Witness, value));
        let case = TestCase::single("kernel.cl", &b""[..]).unwrap();
        let table = comparison(&suspected, &[&host, &optimised], &case);
        let Some(ReportBlock::Table { rows, .. }) = table else { panic!() };
        assert_eq!(rows.iter().map(|row| row[0].as_str()).collect::<Vec<_>>(), ["host"]);
        let drifted = drift(&suspected, &[&host, &optimised]).unwrap();
        assert!(drifted.contains("comes from plain, which had"), "{drifted}");
        assert_eq!(drift(&suspected, &[&host]), None);
    }
}
