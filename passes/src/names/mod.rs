//! Passes that know what names mean: functions, variables, types, and what uses them.
