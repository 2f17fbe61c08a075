//! Output for people in a terminal: messages, tables, progress, the screen, and Ctrl-C.

pub(crate) mod clock;
pub(crate) mod diff;
pub(crate) mod interrupt;
pub(crate) mod printing;
pub(crate) mod progress;
pub(crate) mod quoting;
pub(crate) mod screen;
pub(crate) mod statistics;
pub(crate) mod table;
pub(crate) mod units;
