//! Collective functions of work-groups in OpenCL C 2.0 and 3.0: what the check says of kernels with them.
#![cfg(target_os = "linux")]

use clreduce_check::{CheckOptions, CheckReport, HostKernel, KernelCheck, StageName, Validity};
use clreduce_interestingness::Cancel;

/// A kernel with twelve work-items in two dimensions, and a body that says in `wrong` whether a result is wrong.
fn report(standard: &str, body: &str) -> CheckReport {
    let source = format!(
        "// -g 8,3,1 -l 4,3,1\n\
         __kernel void entry(__global ulong *result) {{\n\
         int id = (int)get_local_linear_id(), wrong = 0;\n{body}\n\
         result[get_global_linear_id()] = 1 / !wrong;\n}}\n"
    );
    let cache = tempfile::tempdir().unwrap();
    let options = CheckOptions {
        cache: cache.path().to_owned(),
        build_options: vec![format!("-cl-std={standard}")],
        stages: [StageName::Compile, StageName::Sanitize].into(),
        ..CheckOptions::default()
    };
    let subject = HostKernel::new(source.into_bytes()).unwrap();
    KernelCheck::new(&options).unwrap().run(&subject, &Cancel::new())
}

#[test]
fn values_are_those_of_the_specification() {
    let body = "
        wrong |= work_group_reduce_add(id) != 66 || work_group_reduce_min(id - 3L) != -3;
        wrong |= work_group_reduce_max((uint)-id) != UINT_MAX || work_group_reduce_max((ulong)id) != 11;
        wrong |= work_group_scan_inclusive_add(id) != id * (id + 1) / 2;
        wrong |= work_group_scan_exclusive_add((long)id) != id * (id - 1) / 2;
        wrong |= work_group_scan_exclusive_min(5 - id) != (id ? 6 - id : INT_MAX);
        wrong |= work_group_scan_exclusive_max((uint)id) != (id ? id - 1 : 0);
        wrong |= work_group_scan_inclusive_max(-id) != 0;
        wrong |= work_group_broadcast(id, 3, 1) != 7 || work_group_broadcast(id, 2, 2, 0) != 10;
        wrong |= !work_group_all(id < 12) || work_group_all(id < 11) || !work_group_any(id == 5) || work_group_any(id > 11);
        int pair[] = {1, 2};
        wrong |= vload2(0, pair).y != 2;";
    for standard in ["CL2.0", "CL3.0"] {
        let report = report(standard, body);
        assert_eq!(report.validity, Validity::Valid, "{standard}: {report:?}");
        let report = self::report(standard, &body.replace("!= 66", "!= 67"));
        assert_eq!(report.validity, Validity::Invalid, "{standard}: {report:?}");
    }
}

#[test]
fn who_does_not_come_is_found_and_what_is_undefined_is_unresolved() {
    for (body, validity) in [
        ("if (id < 5) work_group_reduce_add(id);", Validity::Invalid),
        ("if (id < 5) work_group_any(id); else work_group_any(id);", Validity::Invalid),
        ("if (id < 5) work_group_all(id); else barrier(0);", Validity::Invalid),
        ("if (id < 12) work_group_all(id);", Validity::Valid),
        ("work_group_broadcast(id, id % 4, 0);", Validity::Unresolved),
        ("work_group_broadcast(id, 4, 0);", Validity::Unresolved),
    ] {
        let report = report("CL2.0", body);
        assert_eq!(report.validity, validity, "{body}: {report:?}");
        if validity == Validity::Invalid {
            assert_eq!(report.findings[0].kind.name(), "divergence", "{body}");
        }
    }
}
