//! Options of compilers at random: the word `random` among the options of a configuration stands for some that each program draws by
//! its seed. None of them changes what a valid program means.

use std::fmt;

use clreduce_generator::SeedKey;

/// The word that stands for them.
pub(crate) const RANDOM: &str = "random";
/// The most options that a program draws.
const MOST: u64 = 8;

/// GCC's options, from version 10 on.
const GCC: [&str; 56] = [
    "-fno-inline",
    "-fno-early-inlining",
    "-fipa-pta",
    "-fno-ipa-cp",
    "-fipa-cp-clone",
    "-fno-ipa-sra",
    "-fno-ipa-icf",
    "-funroll-loops",
    "-funroll-all-loops",
    "-fpeel-loops",
    "-fsplit-loops",
    "-funswitch-loops",
    "-fversion-loops-for-strides",
    "-floop-interchange",
    "-floop-unroll-and-jam",
    "-ftree-loop-distribution",
    "-ftree-loop-vectorize",
    "-ftree-slp-vectorize",
    "-fvect-cost-model=unlimited",
    "-fno-ivopts",
    "-fno-tree-loop-im",
    "-fno-tree-vrp",
    "-fno-tree-dominator-opts",
    "-fno-tree-pre",
    "-fno-tree-fre",
    "-fno-tree-ccp",
    "-fno-tree-bit-ccp",
    "-fno-tree-dce",
    "-fno-tree-dse",
    "-fno-tree-sra",
    "-fno-tree-ter",
    "-fno-tree-forwprop",
    "-fno-tree-copy-prop",
    "-fno-tree-coalesce-vars",
    "-fno-tree-switch-conversion",
    "-fno-tree-reassoc",
    "-fno-ssa-phiopt",
    "-fno-store-merging",
    "-fno-code-hoisting",
    "-fno-gcse",
    "-fgcse-las",
    "-fno-thread-jumps",
    "-fno-jump-tables",
    "-fno-if-conversion",
    "-fno-split-wide-types",
    "-fno-forward-propagate",
    "-fno-guess-branch-probability",
    "-fschedule-insns",
    "-fmodulo-sched",
    "-fselective-scheduling2",
    "-frename-registers",
    "-fweb",
    "-ftracer",
    "-fno-omit-frame-pointer",
    "-fno-strict-aliasing",
    "-fwrapv",
];
/// Clang's options, from version 13 on.
const CLANG: [&str; 14] = [
    "-fno-inline-functions",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-funroll-loops",
    "-fno-unroll-loops",
    "-fno-jump-tables",
    "-fno-builtin",
    "-fno-math-errno",
    "-fno-strict-aliasing",
    "-fwrapv",
    "-fno-omit-frame-pointer",
    "-fstack-protector-all",
    "-fPIC",
    "-ffunction-sections",
];
/// Options of both on x86, which run on every such processor.
const X86: [&str; 6] = [
    "-mtune=atom",
    "-mtune=haswell",
    "-mtune=silvermont",
    "-mtune=znver2",
    "-mno-red-zone",
    "-mstackrealign",
];

/// The compilers that take the same options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Gcc,
    Clang,
}

impl Family {
    /// That of a compiler which says this about its version.
    fn of(version: &str) -> Self {
        if version.contains("clang") { Self::Clang } else { Self::Gcc }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Gcc => "gcc",
            Self::Clang => "clang",
        }
    }

    /// The options that a seed draws, each once.
    fn draw(self, seed: u64) -> Vec<&'static str> {
        let own: &[&str] = if self == Self::Gcc { &GCC } else { &CLANG };
        let of_processor: &[&str] = if cfg!(target_arch = "x86_64") { &X86 } else { &[] };
        let mut all = [own, of_processor].concat();
        let mut stream = SeedKey::root(seed).named("options").named(self.name()).stream();
        stream.shuffle(&mut all);
        all.truncate(1 + stream.below(MOST) as usize);
        all
    }
}

/// What the word stands for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Drawn {
    /// Nothing is drawn yet.
    #[default]
    Nothing,
    /// What each compiler draws by this seed.
    Seed(u64),
    /// What is left of it for a bug: options of the compilers of one family.
    Kept(KeptOptions),
}

/// The options that a bug of a compiler needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptOptions {
    family: Family,
    options: Vec<String>,
}

impl Drawn {
    /// These options alone, for compilers of the family of this version.
    pub(crate) fn only(version: &str, options: Vec<String>) -> Self {
        Self::Kept(KeptOptions { family: Family::of(version), options })
    }

    /// The options of a configuration with those that are drawn, for a compiler with this version.
    pub(crate) fn put_into(&self, own: &str, version: &str) -> String {
        let drawn = self.options(version);
        let words = own.split_whitespace().map(|word| match word {
            RANDOM => drawn.join(" "),
            word => word.to_owned(),
        });
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// What is left for a bug, if something was drawn.
    pub(crate) fn kept(&self) -> Option<&KeptOptions> {
        match self {
            Self::Kept(kept) => Some(kept),
            Self::Nothing | Self::Seed(_) => None,
        }
    }

    /// The options of a compiler with this version.
    pub(crate) fn options(&self, version: &str) -> Vec<String> {
        let family = Family::of(version);
        match self {
            Self::Seed(seed) => family.draw(*seed).into_iter().map(str::to_owned).collect(),
            Self::Kept(kept) if kept.family == family => kept.options.clone(),
            Self::Nothing | Self::Kept(_) => Vec::new(),
        }
    }
}

/// As in the folder of a bug.
impl fmt::Display for KeptOptions {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{} {}", self.family.name(), self.options.join(" "))
    }
}

impl KeptOptions {
    /// Reads what the folder of a bug has.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let name = words.next()?;
        let family = [Family::Gcc, Family::Clang].into_iter().find(|one| one.name() == name)?;
        Some(Self { family, options: words.map(str::to_owned).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_draws_the_same_options_again_and_another_one_others() {
        let gcc = "gcc-12 (Debian 12.2.0-14) 12.2.0";
        let clang = "Debian clang version 19.1.7";
        let drawn = |seed, version| Drawn::Seed(seed).put_into("-O2 random", version);
        assert_eq!(drawn(7, gcc), drawn(7, gcc));
        let all: Vec<String> = (0..40).map(|seed| drawn(seed, gcc)).collect();
        assert!(all.iter().all(|one| one.starts_with("-O2 -") && !one.contains(RANDOM)), "{all:?}");
        assert!(all.iter().any(|one| one != &all[0]));
        let every = (0..2000).map(|seed| drawn(seed, gcc)).collect::<Vec<_>>().join(" ");
        assert!(GCC.iter().all(|option| every.contains(option)));
        let of_clang: Vec<String> = drawn(7, clang).split(' ').map(str::to_owned).collect();
        let known = |word: &String| CLANG.contains(&&**word) || X86.contains(&&**word);
        assert!(of_clang[1..].iter().all(known), "{of_clang:?}");
    }

    #[test]
    fn what_a_bug_needs_is_for_compilers_of_its_family_alone() {
        let text = "gcc -fweb -ftracer\n";
        let kept = KeptOptions::read(text).expect("a family and options");
        assert_eq!(kept.to_string(), text);
        let drawn = Drawn::Kept(kept);
        assert_eq!(drawn.put_into("-O2 random -g", "gcc 12"), "-O2 -fweb -ftracer -g");
        assert_eq!(drawn.put_into("-O2 random -g", "clang version 19"), "-O2 -g");
        assert_eq!(Drawn::Nothing.put_into("-O2 random", "gcc 12"), "-O2");
        assert_eq!(KeptOptions::read(""), None);
    }
}
