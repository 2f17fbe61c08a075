//! Collective functions of work-groups in OpenCL C 2.0 and 3.0, and functions of sub-groups: what the check says of kernels with them.
#![cfg(target_os = "linux")]

use clreduce_check::{CheckOptions, CheckReport, HostKernel, KernelCheck, StageName, Validity};
use clreduce_interestingness::Cancel;

/// A kernel with twelve work-items in two dimensions, and a body that says in `wrong` whether a result is wrong.
fn report(standard: &str, body: &str) -> CheckReport {
    report_of("8,3,1 -l 4,3,1", standard, "", body)
}

/// The same with other sizes, and with an attribute of the kernel.
fn report_of(sizes: &str, standard: &str, attribute: &str, body: &str) -> CheckReport {
    let source = format!(
        "// -g {sizes}\n\
         {attribute} __kernel void entry(__global ulong *result) {{\n\
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

const SIZE_32: &str = "__attribute__((intel_reqd_sub_group_size(32)))";

/// Two sub-groups in each group: 0 to 31, and 32 to 63.
#[test]
fn sub_groups_of_a_known_size_have_the_results_of_the_specification() {
    let body = "
        int first = id / 32 * 32, lane = id % 32;
        wrong |= sub_group_reduce_add(id) != (first ? 1520 : 496) || sub_group_reduce_min(id - 3L) != first - 3;
        wrong |= sub_group_reduce_max((uint)-id) != (first ? -32u : UINT_MAX) || sub_group_reduce_max((ulong)id) != first + 31;
        wrong |= sub_group_scan_inclusive_add(lane) != lane * (lane + 1) / 2;
        wrong |= sub_group_scan_exclusive_add((long)lane) != lane * (lane - 1) / 2;
        wrong |= sub_group_scan_exclusive_min(5 - id) != (lane ? 6 - id : INT_MAX);
        wrong |= sub_group_scan_exclusive_max((uint)id) != (lane ? id - 1 : 0);
        wrong |= sub_group_scan_inclusive_max(-id) != -first;
        wrong |= sub_group_broadcast(id, 7) != first + 7 || sub_group_broadcast((ulong)id, 31) != first + 31;
        wrong |= !sub_group_all(id < 32) != !!first || (sub_group_any(id == 40) != 0) != !!first;
        wrong |= sub_group_shuffle(id, 31 - lane) != first + 31 - lane || sub_group_shuffle_xor((long)id, 5) != (id ^ 5);
        wrong |= get_sub_group_size() != 32 || get_max_sub_group_size() != 32 || get_num_sub_groups() != 2;
        wrong |= get_sub_group_id() != id / 32 || get_sub_group_local_id() != lane;
        if (id < 32) wrong |= sub_group_reduce_add(1) != 32;";
    for sizes in ["128,1,1 -l 64,1,1", "32,2,1 -l 32,2,1"] {
        let report = report_of(sizes, "CL3.0", SIZE_32, body);
        assert_eq!(report.validity, Validity::Valid, "{sizes}: {report:?}");
        let other = body.replace(" 1520 ", " 1521 ");
        let report = report_of(sizes, "CL3.0", SIZE_32, &other);
        assert_eq!(report.validity, Validity::Invalid, "{sizes}: {report:?}");
    }
}

#[test]
fn sub_groups_that_do_not_meet_are_invalid_and_unknown_ones_unresolved() {
    const ROW: &str = "64,1,1 -l 64,1,1";
    const OF_16: &str = "__attribute__((intel_reqd_sub_group_size(16)))";
    let some = "if (id < 5) sub_group_reduce_add(id);";
    let any = "wrong = !sub_group_any(1);";
    for (sizes, attribute, body, validity, word) in [
        (ROW, SIZE_32, some, Validity::Invalid, ""),
        (ROW, SIZE_32, "if (id < 5) return; sub_group_all(id);", Validity::Invalid, ""),
        (ROW, SIZE_32, "if (id == 40) sub_group_any(id); else barrier(0);", Validity::Invalid, ""),
        // OpenCL lets some shuffle, and leaves what they get from the others undefined.
        (ROW, SIZE_32, "if (id < 5) sub_group_shuffle(id, 0);", Validity::Unresolved, "shuffle"),
        (ROW, SIZE_32, "sub_group_shuffle(id, id);", Validity::Unresolved, "shuffle"),
        (ROW, SIZE_32, "sub_group_broadcast(id, id % 2);", Validity::Unresolved, "broadcast"),
        (ROW, SIZE_32, any, Validity::Valid, ""),
        // The size depends on the device, or who is in which sub-group.
        (ROW, "", any, Validity::Unresolved, "depend on the device"),
        (ROW, "", "wrong = get_sub_group_size() != 32;", Validity::Unresolved, "depend on"),
        (ROW, OF_16, any, Validity::Unresolved, "depend on the device"),
        ("8,8,1 -l 8,8,1", SIZE_32, any, Validity::Unresolved, "depend on the device"),
        ("48,1,1 -l 48,1,1", SIZE_32, any, Validity::Unresolved, "depend on the device"),
        ("48,1,1 -l 48,1,1", "", "wrong = 0;", Validity::Valid, ""),
    ] {
        let report = report_of(sizes, "CL3.0", attribute, body);
        assert_eq!(report.validity, validity, "{sizes} {attribute} {body}: {report:?}");
        match validity {
            Validity::Invalid => assert_eq!(report.findings[0].kind.name(), "divergence", "{body}"),
            _ => assert!(format!("{:?}", report.failures).contains(word), "{body}: {report:?}"),
        }
    }
}

/// Work-items write the results of votes, and read those of the other sub-group.
#[test]
fn functions_of_sub_groups_order_no_accesses_to_memory() {
    for (between, validity) in [
        ("barrier(CLK_LOCAL_MEM_FENCE);", Validity::Valid),
        ("", Validity::Invalid),
        ("sub_group_all(id);", Validity::Invalid),
    ] {
        let body = format!(
            "__local int own[64];\n own[id] = sub_group_any(id) != 0;\n {between}\n wrong = own[63 - id] == 7;"
        );
        let report = report_of("64,1,1 -l 64,1,1", "CL3.0", SIZE_32, &body);
        assert_eq!(report.validity, validity, "{between}: {report:?}");
        if validity == Validity::Invalid {
            assert_eq!(report.findings[0].kind.name(), "data-race", "{between}: {report:?}");
        }
    }
}

/// OpenCL says that the result of a vote is not zero, and devices differ in what it is then.
#[test]
fn only_whether_a_vote_is_zero_may_be_used() {
    let group = |body: &str| report("CL2.0", body);
    let sub_group = |body: &str| report_of("64,1,1 -l 64,1,1", "CL3.0", SIZE_32, body);
    for (report, validity) in [
        (group("wrong = work_group_any(id) ? 0 : 1;"), Validity::Valid),
        (group("wrong = (work_group_any(id) == 0) + !work_group_all(1);"), Validity::Valid),
        (group("wrong = work_group_any(id) != 1;"), Validity::Invalid),
        (group("wrong = work_group_all(id) != 0;"), Validity::Valid),
        (sub_group("if (!sub_group_any(1)) wrong = 1;"), Validity::Valid),
        (sub_group("wrong = (sub_group_any(id) != 0) != 1;"), Validity::Valid),
        (sub_group("wrong = (sub_group_all(id) != 0) != (id > 31);"), Validity::Valid),
        (sub_group("wrong = sub_group_any(id) & 4;"), Validity::Invalid),
    ] {
        assert_eq!(report.validity, validity, "{report:?}");
        if validity == Validity::Invalid {
            assert_eq!(report.findings[0].kind.name(), "non-portable", "{report:?}");
        }
    }
}

#[test]
fn barriers_of_sub_groups_order_the_memory_that_they_name() {
    let sized = |barrier: &str| {
        let body =
            format!("local int t[64]; t[id] = id; {barrier}; wrong = t[id ^ 1] != (id ^ 1);");
        report_of("64,1,1 -l 64,1,1", "CL3.0", SIZE_32, &body)
    };
    for barrier in [
        "sub_group_barrier(CLK_LOCAL_MEM_FENCE)",
        "sub_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_sub_group)",
    ] {
        let report = sized(barrier);
        assert_eq!(report.validity, Validity::Valid, "{barrier}: {report:?}");
    }
    let report = sized("sub_group_barrier(CLK_GLOBAL_MEM_FENCE)");
    assert_eq!(report.findings[0].kind.name(), "data-race", "{report:?}");
    let some = "if (id < 5) sub_group_barrier(CLK_LOCAL_MEM_FENCE);";
    let report = report_of("64,1,1 -l 64,1,1", "CL3.0", SIZE_32, some);
    assert_eq!(report.findings[0].kind.name(), "divergence", "{report:?}");
}
