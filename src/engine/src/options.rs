//! The options of a reduction. [`Options`] is the only place where an option is spelt: the command line parses it, a
//! program that embeds clreduce sets it, and the journal and the record of a batch store it.

use std::num::NonZeroUsize;
use std::time::Duration;

use clreduce_interestingness::{Limits, OutputPattern};
use clreduce_journal::Facts;
use clreduce_reducer::{OwnPasses, PassChoice, Protected, ReducerPlan};
use clreduce_testcase::{Feature, Language};
use serde::{Deserialize, Serialize};

use crate::pattern::TextPattern;
use crate::rate::{AskedNumber, AskedRate};
use crate::sandbox::SandboxOptions;

/// Headings of groups of options in the help.
#[cfg(feature = "clap")]
mod heading {
    pub(super) const TEST: &str = "Test";
    pub(super) const LIMITS: &str = "Limits";
    pub(super) const PASSES: &str = "Passes";
    pub(super) const COMPARE: &str = "For measurements";
}
#[cfg(feature = "clap")]
use heading::{COMPARE, LIMITS, PASSES, TEST};

/// Options of a reduction. [`Default`] is what `clreduce` does without options.
///
/// The documentation of a field is its help on the command line. A new field is a fact by itself: a journal or a batch
/// that was begun with another value is not continued. Only [`FREE`] and [`LIMITS_OF_A_RUN`] name exceptions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct Options {
    /// Treat a variant as interesting if standard output matches REGEX; the exit status is ignored
    #[cfg_attr(feature = "clap", arg(long, value_name = "REGEX", help_heading = TEST))]
    pub interesting_stdout: Option<TextPattern>,

    /// Treat a variant as interesting if standard error matches REGEX; the exit status is ignored
    ///
    /// With this option, the command line of a compiler can be the test. If both patterns are given, both must match.
    #[cfg_attr(feature = "clap", arg(long, value_name = "REGEX", help_heading = TEST))]
    pub interesting_stderr: Option<TextPattern>,

    /// Reduce a bug that comes and goes: a variant is interesting if it shows the bug often enough
    ///
    /// The original is measured, and the test runs on each variant as often as the decision needs. RATE, as in 0.2 or 20%, is
    /// the least share of runs; without it, it is a third of what the original has for certain. Each run finds another number in
    /// CLREDUCE_RUN.
    #[cfg_attr(feature = "clap", arg(long, value_name = "RATE", num_args = 0..=1, require_equals = true,
        default_missing_value = "original", help_heading = TEST))]
    pub flaky: Option<AskedRate>,

    /// Reduce a program of which the test measures something: its last line of standard output is a number, and NUMBER is the least
    /// for which a variant is interesting
    ///
    /// As in 3 or 0.5, or <=3 for the most. Without NUMBER, it is half of what the original has. A test with another exit status than
    /// 0 refuses the variant. Where a number is near the bound, several runs decide. `clreduce measure` measures times and memory.
    #[cfg_attr(feature = "clap", arg(long, value_name = "NUMBER", num_args = 0..=1, require_equals = true,
        default_missing_value = "original", conflicts_with = "flaky", help_heading = TEST))]
    pub measure: Option<AskedNumber>,

    /// Run N tests at the same time; the result is the same for every N [default: physical cores]
    #[cfg_attr(feature = "clap", arg(long, short = 'j', alias = "n",
        short_alias = 'n', value_name = "N", value_parser = parse::count, help_heading = LIMITS))]
    pub jobs: Option<NonZeroUsize>,

    /// Stop a test after TIME, in seconds or as in 500ms, 90s, 2m
    /// [default: ten times what the original takes, later what the reduced program takes; 2s to 300s]
    #[cfg_attr(feature = "clap", arg(long, value_name = "TIME", value_parser = parse::duration,
        help_heading = LIMITS))]
    pub timeout: Option<Duration>,

    /// Stop the reduction after TIME and keep the best version so far; the result depends on the speed of the machine
    #[cfg_attr(feature = "clap", arg(long, value_name = "TIME", value_parser = parse::duration,
        help_heading = LIMITS))]
    pub time_limit: Option<Duration>,

    /// Stop the reduction after N steps and keep the best version so far; a step is one verdict on one variant
    #[cfg_attr(feature = "clap", arg(long, value_name = "N",
        help_heading = LIMITS))]
    pub max_steps: Option<u64>,

    /// Limit the memory of one test and all its processes, as in 500M or 2G
    #[cfg_attr(feature = "clap", arg(long, value_name = "SIZE", value_parser = parse::bytes,
        help_heading = LIMITS))]
    pub memory_limit: Option<u64>,

    /// Language of the program [default: auto]
    // The full path keeps clap from taking the option apart: `auto` is a value as well.
    #[cfg_attr(feature = "clap", arg(long, value_name = "LANG", value_parser = parse::languages(),
        default_value = "auto", hide_default_value = true, help_heading = PASSES))]
    #[serde(with = "language_name")]
    pub lang: std::option::Option<Language>,

    /// Run only these passes
    #[cfg_attr(feature = "clap", arg(long, value_name = "PASS", value_delimiter = ',',
        value_parser = parse::passes(), hide_possible_values = true, help_heading = PASSES))]
    pub passes: Vec<String>,

    /// Skip this pass; can be given several times
    #[cfg_attr(feature = "clap", arg(long, value_name = "PASS", value_delimiter = ',',
        value_parser = parse::passes(), hide_possible_values = true, help_heading = PASSES))]
    pub skip_pass: Vec<String>,

    /// Do not rename anything
    #[cfg_attr(feature = "clap", arg(long, help_heading = PASSES))]
    pub keep_names: bool,

    /// Do not edit text that matches REGEX; can be given several times
    #[cfg_attr(feature = "clap", arg(long, value_name = "REGEX", help_heading = PASSES))]
    pub protect: Vec<TextPattern>,

    /// Let libclang filter out variants that fail to compile, even in C; for OpenCL C this is the default
    #[cfg_attr(feature = "clap", arg(long, conflicts_with = "no_compile_filter", help_heading = COMPARE))]
    pub compile_filter: bool,

    /// Do not let libclang filter out variants that fail to compile
    #[cfg_attr(feature = "clap", arg(long, help_heading = COMPARE))]
    pub no_compile_filter: bool,

    /// The sandbox of the tests. The journal stores it, and [`CommandOptions`] apply it.
    ///
    /// [`CommandOptions`]: clreduce_interestingness::CommandOptions
    #[cfg_attr(feature = "clap", command(flatten))]
    #[serde(flatten)]
    pub sandbox: SandboxOptions,
}

/// The option that changes the time a reduction takes, and nothing else.
const FREE: &str = "jobs";

/// The fact that tells which passes may run.
const CHOICE: &str = "the choice of passes";

/// Options that end a run early. The same reduction goes on from there under another limit.
const LIMITS_OF_A_RUN: [&str; 2] = ["time-limit", "max-steps"];

impl Options {
    /// The passes that may run.
    #[must_use]
    pub fn pass_choice(&self) -> PassChoice {
        PassChoice { only: self.passes.clone(), skip: self.skip_pass.clone() }
    }

    /// The pattern that the output of a test must match, if the exit status does not decide.
    #[must_use]
    pub fn output_pattern(&self) -> Option<OutputPattern> {
        let regex = |pattern: &Option<TextPattern>| pattern.as_ref().map(|p| p.regex().clone());
        let stdout = regex(&self.interesting_stdout);
        let stderr = regex(&self.interesting_stderr);
        (stdout.is_some() || stderr.is_some()).then_some(OutputPattern { stdout, stderr })
    }

    /// The limits of one test.
    #[must_use]
    pub fn test_limits(&self) -> Limits {
        Limits { memory_bytes: self.memory_limit, ..Limits::default() }
    }

    /// Returns true if a compile filter is wanted for a program in this language.
    ///
    /// It is on for OpenCL C, where it saves a sixth of the tests. It is off for C, where it saves hardly any
    /// (`notes/measurements/compile-filter.md`).
    #[must_use]
    pub fn wants_compile_filter(&self, language: Language) -> bool {
        !self.no_compile_filter
            && (self.compile_filter
                || language.has_all(&[Feature::OpenClWords, Feature::CheckedKernels]))
    }

    /// The reducer's settings. `language` is used where the options leave it open.
    pub(crate) fn plan(&self, language: Language) -> ReducerPlan {
        let text = self.protect.iter().map(|pattern| pattern.regex().clone()).collect();
        ReducerPlan {
            language: self.lang.unwrap_or(language),
            passes: self.pass_choice(),
            protected: Protected { names: self.keep_names, text },
            own: OwnPasses::default(),
        }
    }

    /// Facts that verdicts depend on, and with them what is tried: a journal is continued only under the same ones.
    #[must_use]
    pub fn facts(&self) -> Facts {
        let mut facts = self.result_facts();
        facts.retain(|name, _| !LIMITS_OF_A_RUN.contains(&name.trim_start_matches("--")));
        facts
    }

    /// Facts that results depend on: all of [`facts`](Self::facts), and the limits of a run. A batch is continued only
    /// under the same ones, since it leaves finished cases as they are.
    ///
    /// # Panics
    /// Never: options are strings, numbers and lists of them.
    #[must_use]
    pub fn result_facts(&self) -> Facts {
        let options = serde_json::to_value(self).expect("options can be written as JSON");
        let serde_json::Value::Object(options) = options else { unreachable!("a struct") };
        let facts = options.into_iter().filter(|(name, _)| name != FREE);
        let mut facts: Facts =
            facts.map(|(name, value)| (format!("--{name}"), value.to_string())).collect();
        // Two ways to choose the same passes are one fact, and a build with other passes is another.
        for name in ["--passes", "--skip-pass"] {
            facts.remove(name);
        }
        let rows = self.pass_choice().rows();
        let names: Vec<_> = rows.iter().map(|row| row.pass.name).collect();
        facts.insert(CHOICE.to_owned(), names.join(","));
        facts
    }

    /// The options that have these facts; what is no fact has its default. `None` where no options have them.
    #[must_use]
    pub fn of_facts(facts: &Facts) -> Option<Self> {
        let named = facts.iter().filter_map(|(name, value)| {
            Some((name.strip_prefix("--")?.to_owned(), serde_json::from_str(value).ok()?))
        });
        let mut options: Self =
            serde_json::from_value(serde_json::Value::Object(named.collect())).ok()?;
        options.passes = facts.get(CHOICE)?.split(',').map(str::to_owned).collect();
        let has_them = options.facts().iter().all(|(name, fact)| facts.get(name) == Some(fact));
        has_them.then_some(options)
    }
}

/// A language is stored by its name.
mod language_name {
    use clreduce_testcase::Language;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(
        language: &Option<Language>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        language.map(|language| language.name()).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Language>, D::Error> {
        let name = Option::<String>::deserialize(deserializer)?;
        // Without the grammar that the user had, the program is text.
        Ok(name.map(|name| name.parse().unwrap_or(Language::TEXT)))
    }
}

/// Parsers of values on the command line.
#[cfg(feature = "clap")]
mod parse {
    use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
    use clreduce_reducer::PassChoice;
    use clreduce_testcase::Language;

    pub(super) use clreduce_interestingness::units::{
        parse_bytes as bytes, parse_count as count, parse_duration as duration,
    };

    /// The names of the passes: a wrong one gets a suggestion, and completions know them.
    pub(super) fn passes() -> PossibleValuesParser {
        let value = |(name, about)| PossibleValue::new(name).help(about);
        PossibleValuesParser::new(PassChoice::names().map(value))
    }

    /// The names of the languages, and `auto`.
    pub(super) fn languages() -> impl TypedValueParser<Value = Option<Language>> {
        let names = Language::ALL.iter().map(|language| PossibleValue::new(language.name()));
        PossibleValuesParser::new([PossibleValue::new("auto")].into_iter().chain(names))
            .map(|name| name.parse().ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::SandboxLevel;

    /// Options of which none has its default value.
    fn all_set() -> Options {
        Options {
            interesting_stdout: Some("a".parse().unwrap()),
            interesting_stderr: Some("b".parse().unwrap()),
            flaky: Some("0.25".parse().unwrap()),
            measure: Some("<=2.5".parse().unwrap()),
            jobs: NonZeroUsize::new(3),
            timeout: Some(Duration::from_millis(1500)),
            time_limit: Some(Duration::from_secs(60)),
            max_steps: Some(5),
            memory_limit: Some(1 << 30),
            lang: Some(Language::OPENCL),
            passes: vec!["lines".to_owned()],
            skip_pass: vec!["statements".to_owned()],
            keep_names: true,
            protect: vec!["c+".parse().unwrap()],
            compile_filter: true,
            no_compile_filter: true,
            sandbox: SandboxOptions {
                sandbox: SandboxLevel::Strict,
                writable: vec!["a".to_owned()],
                readable: vec!["b".to_owned()],
                network: true,
                keep_env: vec!["c".to_owned()],
                gpu: true,
            },
        }
    }

    #[test]
    fn options_survive_the_way_through_json() {
        for options in [Options::default(), all_set()] {
            let text = serde_json::to_string(&options).unwrap();
            assert_eq!(serde_json::from_str::<Options>(&text).unwrap(), options, "{text}");
        }
    }

    /// An option that is added later is a fact without anybody thinking of it.
    #[test]
    fn every_option_but_those_about_speed_is_a_fact() {
        let object = |options: &Options| match serde_json::to_value(options).unwrap() {
            serde_json::Value::Object(object) => object,
            other => panic!("{other}"),
        };
        let (default, other) = (object(&Options::default()), object(&all_set()));
        for (name, value) in other {
            let mut changed = default.clone();
            assert_ne!(changed.insert(name.clone(), value.clone()), Some(value), "{name}");
            let changed: Options = serde_json::from_value(changed.into()).unwrap();
            let is_free = name == FREE;
            let is_limit = LIMITS_OF_A_RUN.contains(&&*name);
            let same_result = changed.result_facts() == Options::default().result_facts();
            let same_verdicts = changed.facts() == Options::default().facts();
            assert_eq!((same_result, same_verdicts), (is_free, is_free || is_limit), "{name}");
        }
    }

    #[test]
    fn options_are_found_again_from_their_facts() {
        for options in [Options::default(), all_set()] {
            let mut facts = options.facts();
            facts.insert("the test".to_owned(), "./test.sh".to_owned());
            let found = Options::of_facts(&facts).unwrap();
            assert_eq!(found.facts(), options.facts());
            assert_eq!(found.protect, options.protect);
        }
        let mut of_another_build = Options::default().facts();
        of_another_build.insert(CHOICE.to_owned(), "lines,none".to_owned());
        assert_eq!(Options::of_facts(&of_another_build), None);
    }

    #[test]
    fn two_ways_to_choose_the_same_passes_are_one_fact() {
        let names: Vec<&str> = PassChoice::names().map(|(name, _)| name).collect();
        let all_but_first = names[1..].iter().map(|name| (*name).to_owned()).collect();
        let only = Options { passes: all_but_first, ..Options::default() };
        let skip = Options { skip_pass: vec![names[0].to_owned()], ..Options::default() };
        assert_eq!(only.facts(), skip.facts());
    }

    #[test]
    fn the_language_decides_about_a_compile_filter_where_the_user_does_not() {
        let default = Options::default();
        assert!(default.wants_compile_filter(Language::OPENCL));
        assert!(!default.wants_compile_filter(Language::C));
        let on = Options { compile_filter: true, ..Options::default() };
        assert!(on.wants_compile_filter(Language::C));
        let off = Options { no_compile_filter: true, ..Options::default() };
        assert!(!off.wants_compile_filter(Language::OPENCL));
    }
}
