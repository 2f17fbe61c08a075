//! Calls of collective functions.

use super::KernelPrinter;
use crate::ir::{Collective, Joint, WARP};

impl KernelPrinter<'_> {
    pub(super) fn collective(&mut self, collective: &Collective) {
        let (function, ty) = (collective.function, self.program.ty(collective.value));
        let into = &self.program.variable(collective.into).name;
        let value = self.text(collective.value);
        let at = collective.at.map(|at| self.text(at));
        let mut arguments = vec![value];
        let mut name = function.name().to_owned();
        if function.is_of_warp() {
            let mask = self.warp_mask();
            if collective.syncs {
                self.line(&format!("__syncwarp({mask});"));
            }
            // The types of comparisons are others in C++.
            arguments[0] = format!("({}){}", self.ty(ty), arguments[0]);
            arguments.insert(0, mask);
            if matches!(function, Joint::MatchAny | Joint::WarpReduce(_)) {
                name = name.trim_start_matches('_').replacen("_sync", "_of_warp", 1);
            }
        }
        match function {
            Joint::SubGroup(_) => arguments.extend(at),
            Joint::Broadcast => arguments.extend(self.coordinates(&at.unwrap_or_default())),
            Joint::Shuffle(_) => {
                arguments.extend(at);
                if u32::from(collective.width) < WARP {
                    arguments.push(collective.width.to_string());
                }
            }
            _ => {}
        }
        // OpenCL and CUDA say only whether the result of a vote is zero.
        let truth = if function.is_vote() { " != 0" } else { "" };
        let text = format!("{into} = {name}({}){truth};", arguments.join(", "));
        self.line(&text);
    }

    /// The lanes that the own warp has. The last warp of a group may have fewer than 32.
    fn warp_mask(&self) -> String {
        let group = self.program.sizes.group();
        let of = |lanes: u32| format!("{:#x}U", u32::MAX >> (WARP - lanes));
        match (group.is_multiple_of(WARP), group < WARP) {
            (true, _) => of(WARP),
            (_, true) => of(group),
            _ => format!("(lid < {} ? {} : {})", group / WARP * WARP, of(WARP), of(group % WARP)),
        }
    }

    /// The numbers of a work-item in the dimensions that the group has, from its number among all.
    fn coordinates(&self, at: &str) -> Vec<String> {
        let [x, y, z] = self.program.sizes.local;
        match (y, z) {
            (1, 1) => vec![at.to_owned()],
            (_, 1) => vec![format!("{at} % {x}"), format!("{at} / {x}")],
            _ => vec![
                format!("{at} % {x}"),
                format!("{at} / {x} % {y}"),
                format!("{at} / {}", x * y),
            ],
        }
    }
}
