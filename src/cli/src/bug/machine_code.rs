//! The machine code that ptxas makes of a kernel, for reports: with the options that show the bug, and with those of a witness.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use clreduce_devices::architecture;
use clreduce_interestingness::Cancel;
use clreduce_process::{End, Limits, ToolRunner};
use clreduce_recipe::{BuiltWith, Evidence, Role};
use clreduce_report::{ReportBlock, Section};
use clreduce_testcase::TestCase;
use clreduce_tools::{NVDISASM, PTXAS};

/// The longest time for either program.
const LIMIT: Duration = Duration::from_secs(60);

/// Both codes; `None` for another compiler, one that makes no code, or without nvdisasm.
pub(super) fn section(evidence: &[Evidence], case: &TestCase) -> Option<Section> {
    let of = |role| evidence.iter().filter(move |one| one.role == role);
    let wrong = of(Role::Suspected).find_map(|one| code(one, case))?;
    let right = of(Role::Witness).find_map(|one| code(one, case));
    let blocks = std::iter::once(wrong).chain(right).flat_map(|(options, text)| {
        let title = ReportBlock::Text(format!("ptxas {options}:"));
        [title, ReportBlock::Verbatim { language: "", text }]
    });
    Some(Section { heading: "Machine code", blocks: blocks.collect() })
}

/// The options and the code of a configuration of the ptxas that the system has.
fn code(evidence: &Evidence, case: &TestCase) -> Option<(String, String)> {
    let BuiltWith::Device { facts, label: None, options, .. } = &evidence.tool else { return None };
    let [file] = case.files() else { return None };
    if facts.platform != "ptxas" {
        return None;
    }
    let (ptxas, nvdisasm) = (PTXAS.find()?, NVDISASM.find()?);
    let limits = Limits { time: Some(LIMIT), ..Limits::default() };
    let folder = tempfile::tempdir().ok()?;
    let tools = ToolRunner::local(folder.path().to_owned(), None, limits);
    let cubin = folder.path().join("kernel.cubin").into_os_string();
    let options = options.trim();
    let mut args: Vec<OsString> = shlex::split(options)?.into_iter().map(Into::into).collect();
    args.extend(
        ["-arch".to_owned(), architecture(facts), file.path.to_string(), "-o".to_owned()]
            .map(Into::into),
    );
    args.push(cubin.clone());
    let ran = |program: &Path, args, case: &TestCase| {
        let ran = tools.run(&program.to_string_lossy(), args, case, &Cancel::new());
        (ran.end == End::Exited(0)).then_some(ran.stdout)
    };
    ran(&ptxas, args, case)?;
    let text = ran(&nvdisasm, vec!["-c".into(), cubin], case)?;
    Some((options.to_owned(), instructions(&text)))
}

/// Labels and instructions, without the directives before them, the offsets, and what fills the rest of a line of the cache.
fn instructions(text: &str) -> String {
    let mut shown = String::new();
    for line in text.lines().map(str::trim) {
        let instruction = line.strip_prefix("/*").and_then(|rest| rest.split_once("*/"));
        match instruction {
            Some((_, instruction)) if instruction.trim() != "NOP;" => {
                shown.push_str("    ");
                shown.push_str(instruction.trim());
                shown.push('\n');
            }
            None if line.ends_with(':') && !line.starts_with(".text") => {
                shown.push_str(line);
                shown.push('\n');
            }
            _ => {}
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use clreduce_devices::DeviceFacts;

    use super::*;

    #[test]
    #[ignore = "needs ptxas and nvdisasm"]
    fn both_codes_are_shown() {
        let evidence = [(Role::Witness, "-O0"), (Role::Suspected, "-O3")].map(|(role, options)| {
            let facts = DeviceFacts {
                platform: "ptxas".to_owned(),
                platform_version: "ptxas 13.0.88".to_owned(),
                name: "NVIDIA H200".to_owned(),
                vendor: "NVIDIA Corporation".to_owned(),
                driver: "CUDA 13.0".to_owned(),
                version: "compute capability 9.0".to_owned(),
                kind: "gpu".to_owned(),
                compute_units: 132,
                max_work_group: 1024,
                memory_bytes: 1 << 37,
            };
            let (facts, options) = (Box::new(facts), options.to_owned());
            Evidence {
                configuration: format!("ptxas {options}"),
                role,
                tool: BuiltWith::Device { facts, label: None, options, launches: Vec::new() },
                outcomes: Vec::new(),
                limit: LIMIT,
            }
        });
        let text = ".version 7.6\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %d;\n.reg .b32 %r;\n\
                    ld.param.u64 %d, [p];\nmov.u32 %r, %tid.x;\nbrev.b32 %r, %r;\nst.global.u32 [%d], %r;\n}\n";
        let section =
            section(&evidence, &TestCase::single("kernel.ptx", text.as_bytes()).unwrap()).unwrap();
        let [_, optimised, _, plain] = &section.blocks[..] else { panic!("{:?}", section.blocks) };
        let lines = [optimised, plain].map(|block| match block {
            ReportBlock::Verbatim { text, .. } if text.contains("BREV") => text.lines().count(),
            other => panic!("{other:?}"),
        });
        assert!(lines[0] < lines[1], "{section:?}");
    }

    #[test]
    fn instructions_are_shown_without_what_surrounds_them() {
        let text = "\t.target\tsm_90\n.text.k:\n        .size           k,(.L_x_1 - k)\nk:\n        /*0000*/                   S2R R3, SR_TID.X ;\n.L_x_0:\n        \
                    /*0010*/              @P0  BRA `(.L_x_0);\n        /*0020*/                   NOP;\n";
        assert_eq!(
            instructions(text),
            "k:\n    S2R R3, SR_TID.X ;\n.L_x_0:\n    @P0  BRA `(.L_x_0);\n"
        );
    }
}
