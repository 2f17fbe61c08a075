//! Test programs that cannot be run are explained before anything is run.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use clreduce_interestingness::{CommandError, TestCommand};

fn script(directory: &Path, content: &str, mode: u32) -> PathBuf {
    let path = directory.join("test.sh");
    fs::write(&path, content).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    path
}

fn parse(content: &str, mode: u32) -> Result<TestCommand, CommandError> {
    let directory = tempfile::tempdir().unwrap();
    TestCommand::parse(script(directory.path(), content, mode).to_str().unwrap())
}

#[test]
fn sound_scripts_are_programs() {
    let sound =
        ["#!/bin/sh\nexit 0\n", "#! /usr/bin/env sh\n", "#!/usr/bin/env -S sh -e\n", "exit 0\r\n"];
    for content in sound {
        let parsed = parse(content, 0o755);
        assert!(
            matches!(&parsed, Ok(TestCommand::Program { path, .. }) if path.is_absolute()),
            "{parsed:?}"
        );
    }
}

#[test]
fn each_fault_says_what_to_do() {
    let faults = [
        ("#!/bin/sh\n", 0o644, "chmod +x"),
        ("#!/bin/sh\r\nexit 0\r\n", 0o755, "sed -i 's/\\r$//'"),
        ("#!/usr/bin/env sh\r\n", 0o755, "sed -i 's/\\r$//'"),
        ("#!/no/such/shell -e\n", 0o755, "the interpreter `/no/such/shell` of"),
        ("#!/usr/bin/env no-such-shell\n", 0o755, "the interpreter `no-such-shell` of"),
    ];
    for (content, mode, advice) in faults {
        let error = parse(content, mode).unwrap_err().to_string();
        assert!(error.contains(advice), "{error}");
        let is_interpreter = advice.starts_with("the interpreter");
        assert_eq!(error.contains("does not exist; install it"), is_interpreter, "{error}");
    }
    let directory = tempfile::tempdir().unwrap();
    let error = TestCommand::parse(directory.path().to_str().unwrap()).unwrap_err();
    assert!(matches!(error, CommandError::Directory { .. }), "{error}");
    let missing = directory.path().join("gone.sh");
    let error = TestCommand::parse(missing.to_str().unwrap()).unwrap_err();
    assert!(error.to_string().contains("does not exist"), "{error}");
}
