//! A job: an action with all its blobs, and its answer.

use std::time::Duration;

use bazel_remote_apis::build::bazel::remote::execution::v2::{
    Action, Command, Platform, command::EnvironmentVariable, platform::Property,
};

use crate::answer::{AskedAbout, Says};
use crate::digest::{Blob, BlobDigest};
use crate::fingerprint::Fingerprint;
use crate::options::KeyValue;
use crate::tree::Folder;

/// Name of the program in the files of an action.
pub(crate) const PROGRAM: &str = "clreduce";
/// Name of the file with the order.
pub(crate) const ORDER: &str = "order.json";
/// Name of the file that the action writes.
pub(crate) const ANSWER: &str = "answer.json";
/// Names of the folders with the files of the test, the original and the variant.
pub(crate) const TEST: &str = "test";
pub(crate) const ORIGINAL: &str = "original";
pub(crate) const VARIANT: &str = "variant";
/// The argument with which the program judges.
pub(crate) const JUDGE: &str = "--internal-judge";

/// The search path of the programs of an action. Services set no other.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// An action that is to be answered.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) action: BlobDigest,
    /// Everything that the service must have, the action as well.
    pub(crate) blobs: Vec<Blob>,
    /// The time after which the service ends it.
    pub(crate) limit: Duration,
    pub(crate) circumstance: Circumstance,
    pub(crate) question: AskedAbout,
    /// The tools that the machine must have.
    pub(crate) expect: Option<Fingerprint>,
}

/// The use of the answers that the service remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CacheUse {
    /// A remembered answer is as good as a new one, and a new one is remembered.
    Use,
    /// A new answer is wanted, to be remembered in place of the old one.
    Refresh,
    /// A new answer is wanted, which is not to be used later.
    Avoid,
}

/// The answer of an action, and the machine that it came from.
#[derive(Clone, Debug)]
pub(crate) struct WorkerAnswer {
    pub(crate) says: Says,
    /// The name that the service has for the machine; it may be empty.
    pub(crate) worker: String,
    pub(crate) was_cached: bool,
}

/// The circumstance of a question.
#[derive(Clone, Debug)]
pub(crate) struct Circumstance {
    /// Distinguishes actions that are otherwise the same.
    pub(crate) salt: String,
    pub(crate) memory: CacheUse,
    /// The answer may turn out not to be needed.
    pub(crate) is_guess: bool,
}

impl Circumstance {
    pub(crate) fn new(memory: CacheUse) -> Self {
        Self { salt: String::new(), memory, is_guess: false }
    }
}

impl Job {
    /// The job that starts the program in a folder with these files.
    #[expect(deprecated, reason = "older services know no other fields")]
    pub(crate) fn new(
        files: &Folder,
        properties: &[KeyValue],
        limit: Duration,
        circumstance: Circumstance,
        question: AskedAbout,
        expect: Option<Fingerprint>,
    ) -> Self {
        let mut blobs = Vec::new();
        let root = files.blobs(&mut blobs);
        let property =
            |pair: &KeyValue| Property { name: pair.key.clone(), value: pair.value.clone() };
        let properties = properties.iter().map(property).collect::<Vec<_>>();
        let platform = (!properties.is_empty()).then_some(Platform { properties });
        let variable = |(name, value): (&str, &str)| EnvironmentVariable {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        let command = Blob::message(&Command {
            arguments: vec![format!("./{PROGRAM}"), JUDGE.to_owned()],
            environment_variables: vec![variable(("PATH", PATH))],
            // Services of version 2.0 know the first, later ones the second.
            output_files: vec![ANSWER.to_owned()],
            output_paths: vec![ANSWER.to_owned()],
            platform: platform.clone(),
            ..Default::default()
        });
        let seconds = i64::try_from(limit.as_secs()).unwrap_or(i64::MAX);
        let action = Blob::message(&Action {
            command_digest: Some(command.digest.to_proto()),
            input_root_digest: Some(root.to_proto()),
            timeout: Some(duration(seconds)),
            do_not_cache: circumstance.memory == CacheUse::Avoid,
            salt: circumstance.salt.clone().into_bytes(),
            platform,
        });
        let digest = action.digest;
        blobs.extend([command, action]);
        Self { action: digest, blobs, limit, circumstance, question, expect }
    }
}

fn duration(seconds: i64) -> bazel_remote_apis::google::protobuf::Duration {
    bazel_remote_apis::google::protobuf::Duration { seconds, nanos: 0 }
}
