//! Instructions for which work-items meet: barriers, fences, and functions of warps.

use clreduce_language::{PtxInstruction, PtxOperand};

use super::{Translator, Unknown};

impl<'a> Translator<'a> {
    /// An instruction for which work-items meet.
    pub(super) fn together(&self, own: &PtxInstruction<'a>) -> Result<Option<String>, Unknown> {
        match own.words[0] {
            "bar" | "barrier" | "membar" | "fence" => self.barrier(own),
            _ => self.function_of_warp(own),
        }
    }

    fn barrier(&self, own: &PtxInstruction<'a>) -> Result<Option<String>, Unknown> {
        let words: Vec<&str> =
            own.words.iter().copied().filter(|word| !matches!(*word, "cta" | "aligned")).collect();
        match (&words[..], &own.operands[..]) {
            (["membar" | "fence", ..], []) => Ok(Some("__threadfence();".to_owned())),
            (["bar", "warp", "sync"], [lanes]) => {
                Ok(Some(format!("__syncwarp({});", self.names.read(lanes)?)))
            }
            (["bar" | "barrier", "sync"], [first]) if is_zero(first) => {
                Ok(Some("__syncthreads();".to_owned()))
            }
            (["bar" | "barrier", "red", kind, _], [result, first, holds]) if is_zero(first) => {
                let function = match *kind {
                    "popc" => "count",
                    kind => kind,
                };
                let [result, holds] = [self.names.write(result)?, self.names.read(holds)?];
                Ok(Some(format!("{result} = __syncthreads_{function}({holds});")))
            }
            _ => Ok(None),
        }
    }

    fn function_of_warp(&self, own: &PtxInstruction<'a>) -> Result<Option<String>, Unknown> {
        match (&own.words[..], &own.operands[..]) {
            (["activemask", _], [result]) => {
                Ok(Some(format!("{} = __activemask();", self.names.write(result)?)))
            }
            (["elect", "sync"], [PtxOperand::Pair(leader, holds), lanes]) => {
                let lanes = self.names.read(lanes)?;
                let holds = self.names.write(&PtxOperand::Name(holds))?;
                let leader = match *leader {
                    "_" => String::new(),
                    leader => {
                        let leader = self.names.write(&PtxOperand::Name(leader))?;
                        format!(" {leader} = __builtin_ctz({lanes});")
                    }
                };
                Ok(Some(format!("__syncwarp({lanes}); {holds} = ptx::elected({lanes});{leader}")))
            }
            (["shfl", "sync", mode, "b32"], [_, _, _, PtxOperand::Number(segment), _]) => {
                self.shuffled(own, mode, segment)
            }
            (["vote", "sync", kind, _], [_, _, _]) => self.assigned(own, |values| {
                let (holds, lanes) = (&values[0], &values[1]);
                match *kind {
                    "uni" => {
                        format!("(__all_sync({lanes}, {holds}) || !__any_sync({lanes}, {holds}))")
                    }
                    kind => format!("__{kind}_sync({lanes}, {holds})"),
                }
            }),
            (["match", "any", "sync", _], [_, _, _]) => self
                .assigned(own, |values| format!("__match_any_sync({}, {})", values[1], values[0])),
            (["match", "all", "sync", _], [PtxOperand::Pair(result, holds), value, lanes]) => {
                let [result, holds] =
                    [result, holds].map(|own| self.names.write(&PtxOperand::Name(own)));
                let [value, lanes] = [self.names.read(value)?, self.names.read(lanes)?];
                let (result, holds) = (result?, holds?);
                Ok(Some(format!(
                    "{{ int all; {result} = __match_all_sync({lanes}, {value}, &all); {holds} = all; }}"
                )))
            }
            (["redux", "sync", kind, ty], [_, _, _]) => {
                let cast = if *ty == "s32" { "(int)" } else { "(unsigned)" };
                self.assigned(own, |values| {
                    format!("__reduce_{kind}_sync({}, {cast}{})", values[1], values[0])
                })
            }
            _ => Ok(None),
        }
    }

    /// A shuffle. Its last operand but one has the lanes of a segment, and the last lane of it.
    fn shuffled(
        &self,
        own: &PtxInstruction<'a>,
        mode: &str,
        segment: &str,
    ) -> Result<Option<String>, Unknown> {
        let segment = super::names::number(segment)?;
        let (function, last) = match mode {
            "idx" => ("", 31),
            "up" => ("_up", 0),
            "down" => ("_down", 31),
            "bfly" => ("_xor", 31),
            _ => return Ok(None),
        };
        let lanes = 32 - (segment >> 8 & 31);
        if segment & 255 != last || !lanes.is_power_of_two() {
            return Ok(None);
        }
        self.assigned(own, |values| {
            let [value, at, lanes_in] = [&values[0], &values[1], &values[3]];
            format!("__shfl{function}_sync({lanes_in}, {value}, (int){at}, {lanes})")
        })
    }
}

fn is_zero(operand: &PtxOperand<'_>) -> bool {
    matches!(operand, PtxOperand::Number(digits) if super::names::number(digits) == Ok(0))
}
