//! Commands that find out what is installed, and make and explain tests.

pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod init;
pub(crate) mod languages;
pub(crate) mod measure;
