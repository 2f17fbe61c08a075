//! The files that a command reads and replaces.

pub(crate) mod keep;
pub(crate) mod load;
pub(crate) mod report_file;
pub(crate) mod target;
