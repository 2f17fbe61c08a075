//! `clreduce report` and `clreduce bisect`: a reduced program and its test become a bug report, and a table of the
//! versions of a compiler that have the bug.

mod bisect;
mod candidate;
mod command;
mod host;
mod kernel;
mod machine_code;
mod report;
mod subject;
mod text;
mod tools;
mod versions;
mod witnesses;

pub(crate) use bisect::{BisectArgs, bisect};
pub(crate) use report::{BugOfReduction, BugReportFile, ReportArgs, report, write_beside};
