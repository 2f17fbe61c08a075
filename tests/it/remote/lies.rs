//! Lies of a worker about its answer. Where the form is right, so is everything but the verdict: who believes one gets another
//! result.

use std::sync::atomic::Ordering;

use bazel_remote_apis::build::bazel::remote::execution::v2 as api;

use super::{State, digest_of, every, hash_of, lock};

/// The number of ways to lie.
const LIES: u64 = 12;
/// More bytes than an answer may have.
const HUGE: usize = 16 << 20;

impl State {
    /// Puts the answer into the result of an action, or a lie.
    pub(super) fn put_answer(&self, result: &mut api::ActionResult, number: u64, bytes: Vec<u8>) {
        let is_lie = every(&self.faults.lies, number);
        // Never at equal distances: a reduction that repeats a round of tests would meet them at the same place each time.
        let spread = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        // The first actions ask for tools and for the original: one that is rejected is not reduced.
        let is_false =
            number > 8 && every(&self.faults.false_verdicts, spread) && is_about_variant(&bytes);
        let bytes = if is_false { self.inverted(&bytes) } else { bytes };
        let bytes = if self.faults.not_shown.load(Ordering::Relaxed) {
            not_shown(&bytes).unwrap_or(bytes)
        } else {
            bytes
        };
        let earlier = std::mem::replace(&mut *lock(&self.last_answer), bytes.clone());
        let mut file = api::OutputFile {
            path: "answer.json".to_owned(),
            digest: Some(digest_of(&bytes)),
            contents: if number.is_multiple_of(2) { bytes.clone() } else { Vec::new() },
            ..Default::default()
        };
        lock(&self.blobs).insert(hash_of(&bytes), bytes.clone());
        if is_lie {
            let lie = self.lies.fetch_add(1, Ordering::Relaxed);
            self.lie(&mut file, result, lie, (&bytes, earlier));
        }
        if !file.path.is_empty() {
            result.output_files.push(file);
        }
    }

    /// Puts something else in place of each answer about tools that is remembered: nothing can be judged there, for this reason.
    pub fn forge_tools(&self, reason: &str) -> usize {
        let mut forged = 0;
        for result in lock(&self.results).values_mut() {
            let Some(file) = result.output_files.first_mut() else { continue };
            let bytes = self.blob(file.digest.as_ref()).unwrap();
            let mut answer: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
            if answer["says"].get("Tools").is_none() {
                continue;
            }
            answer["says"] = serde_json::json!({ "Unfit": reason });
            file.contents = serde_json::to_vec(&answer).unwrap();
            file.digest = Some(digest_of(&file.contents));
            forged += 1;
        }
        forged
    }

    /// An answer with the contrary of its verdict, if it has one.
    fn inverted(&self, answer: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(answer);
        let (yes, no) = ("\"verdict\":\"Interesting\"", "\"verdict\":\"Uninteresting\"");
        let other = if text.contains(yes) { text.replace(yes, no) } else { text.replace(no, yes) };
        self.inversions.fetch_add(u64::from(other != text), Ordering::Relaxed);
        other.into_bytes()
    }

    /// Makes something else of the answer.
    fn lie(
        &self,
        file: &mut api::OutputFile,
        result: &mut api::ActionResult,
        number: u64,
        (truth, earlier): (&[u8], Vec<u8>),
    ) {
        let inverted = self.inverted(truth);
        let huge = [inverted.clone(), vec![b' '; HUGE]].concat();
        let bytes = match number % LIES {
            0 => Vec::new(),
            1 => b"{\"verdict\":\"Interesting\"}".to_vec(),
            2 => vec![b'['; 1 << 20],
            // The right form, about another variant.
            3 => earlier,
            4 => huge,
            _ => inverted,
        };
        let digest = digest_of(&bytes);
        lock(&self.blobs).insert(digest.hash.clone(), bytes.clone());
        match number % LIES {
            // Not the bytes that the digest names.
            5 => (file.contents, file.digest) = (bytes, Some(digest_of(b"something else"))),
            6 => (file.contents, file.digest) = (bytes, None),
            7 => (file.path, file.digest) = ("../answer.json".to_owned(), Some(digest)),
            8 => (file.path, file.digest) = ("x/../answer.json".to_owned(), Some(digest)),
            9 => (file.digest, result.exit_code) = (Some(digest), 1),
            10 => {
                let link = api::OutputSymlink {
                    path: "answer.json".to_owned(),
                    target: "/etc/passwd".to_owned(),
                    ..Default::default()
                };
                file.path.clear();
                result.output_symlinks.push(link);
            }
            11 => file.digest = Some(api::Digest { size_bytes: i64::MAX, ..digest }),
            _ => (file.contents, file.digest) = (Vec::new(), Some(digest)),
        }
    }
}

/// The answer of a machine that does not show the bug, in place of a calibration.
fn not_shown(answer: &[u8]) -> Option<Vec<u8>> {
    let mut answer: serde_json::Value = serde_json::from_slice(answer).ok()?;
    answer["says"].get("Calibrated")?;
    answer["says"] = serde_json::json!({ "NotShown": "all results are right" });
    serde_json::to_vec(&answer).ok()
}

/// Returns true for the answer about a variant, false for one about the machine or the original: where answers about these
/// differ, the reduction stops at once, as it should.
fn is_about_variant(answer: &[u8]) -> bool {
    String::from_utf8_lossy(answer).contains("\"Judged\":")
}
