//! Tests of the whole program and of the library, a module for each subject. One binary: they link once.

#![allow(missing_docs, reason = "a test says what it is by its name")]

mod support;

mod accusations;
mod arguments;
mod bad_input;
mod batch;
mod bug_report;
mod check;
mod clcpp;
mod clues;
#[cfg(unix)]
mod comes_and_goes;
mod compile_filter;
mod complaints;
mod component;
mod corpus;
mod cuda;
mod determinism;
mod devices;
#[cfg(target_os = "linux")]
mod documents;
mod edits;
mod embedding;
mod emi;
mod escapes;
mod everywhere;
mod first_hour;
mod flags;
mod flaky;
mod fuzz;
mod fuzz_c;
mod fuzz_causes;
mod fuzz_driver;
mod fuzz_emi;
mod fuzz_overlap;
mod fuzz_planted;
mod fuzz_ptx;
mod fuzz_random;
mod fuzz_votes;
mod generate;
mod group_orders;
mod in_place;
mod init;
mod init_pins;
mod inputs;
mod interrupts;
mod languages;
mod large_first;
mod manual;
#[cfg(target_os = "linux")]
mod measures;
mod mutants;
mod ndrange;
mod nesting;
mod not_run;
mod options;
mod own_grammar;
mod pass_command;
mod past;
mod preference;
mod projects;
mod ptx;
mod real;
mod recipes;
mod recipes_of_kernels;
mod remote;
mod report_page;
mod resume;
mod sandbox;
mod speculation_bound;
mod terminal;
mod time_limits;
mod trust;
mod windows;
mod zoo;
