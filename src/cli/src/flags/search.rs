//! The search for the flags that a bug needs: which can go, and which a weaker flag can replace.

use std::collections::HashMap;

use clreduce_recipe::FlagChanges;

/// Flags with weaker ones that can replace them, the weakest first. What a bug needs of `-march=native` depends on the machine.
const LESS: [(&str, &[&str]); 5] = [
    ("-O2", &["-O1"]),
    ("-O3", &["-O1", "-O2"]),
    ("-Ofast", &["-O1", "-O2", "-O3"]),
    ("-O4", &["-O1", "-O2", "-O3"]),
    ("-march=native", &["-march=x86-64-v2", "-march=x86-64-v3", "-march=x86-64-v4"]),
];

/// The flags of a command, as they were and as they are now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Flags {
    /// The original flags, each with its present text; `None` if it is removed.
    flags: Vec<(String, Option<String>)>,
}

impl Flags {
    /// All flags as they are.
    pub(super) fn new(flags: Vec<String>) -> Self {
        Self { flags: flags.into_iter().map(|flag| (flag.clone(), Some(flag))).collect() }
    }

    /// The present texts of the flags that are left.
    pub(super) fn left(&self) -> Vec<String> {
        self.flags.iter().filter_map(|(_, now)| now.clone()).collect()
    }

    /// The changes that lead here.
    pub(super) fn changes(&self) -> FlagChanges {
        let changed = self.flags.iter().filter(|(flag, now)| now.as_ref() != Some(flag));
        changed.cloned().collect()
    }

    /// The places of flags that are there.
    fn places(&self) -> Vec<usize> {
        (0..self.flags.len()).filter(|at| self.flags[*at].1.is_some()).collect()
    }

    fn with(&self, at: &[usize], other: Option<&str>) -> Self {
        let mut flags = self.flags.clone();
        for at in at {
            flags[*at].1 = other.map(str::to_owned);
        }
        Self { flags }
    }
}

/// Finds flags of which none can go, and tries each combination at most once. The same verdicts lead to the same flags.
///
/// # Errors
/// When a test could not be run.
pub(super) fn reduce<E>(
    flags: Vec<String>,
    mut test: impl FnMut(&Flags) -> Result<bool, E>,
) -> Result<Flags, E> {
    let mut best = Flags::new(flags);
    let mut known: HashMap<Vec<String>, bool> = HashMap::new();
    let mut ask = |flags: &Flags| {
        let key = flags.left();
        if let Some(verdict) = known.get(&key) {
            return Ok(*verdict);
        }
        let verdict = test(flags)?;
        known.insert(key, verdict);
        Ok(verdict)
    };
    loop {
        let before = best.clone();
        // The last flags first: they overrule others.
        let mut groups = vec![best.places()];
        while let Some(group) = groups.pop() {
            if group.is_empty() {
                continue;
            }
            let without = best.with(&group, None);
            if ask(&without)? {
                best = without;
            } else if group.len() > 1 {
                let (first, second) = group.split_at(group.len() / 2);
                groups.extend([first.to_vec(), second.to_vec()]);
            }
        }
        if best == before {
            break;
        }
    }
    for at in best.places() {
        let now = best.flags[at].1.clone().unwrap_or_default();
        let less = LESS.iter().find(|(flag, _)| *flag == now).map_or(&[][..], |(_, less)| less);
        for other in less {
            let with = best.with(&[at], Some(other));
            if ask(&with)? {
                best = with;
                break;
            }
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reduced(flags: &str, mut needs: impl FnMut(&[String]) -> bool) -> (String, usize) {
        let flags = flags.split(' ').map(str::to_owned).collect();
        let mut tests = 0;
        let done = reduce(flags, |flags| {
            tests += 1;
            Ok::<_, ()>(needs(&flags.left()))
        });
        (done.unwrap().left().join(" "), tests)
    }

    #[test]
    fn flags_that_matter_stay_and_levels_sink() {
        let flags = "-O3 -g -std=c++20 -Wall -fno-strict-aliasing -march=native -I/x -I/y";
        let has = |flags: &[String], flag: &str| flags.iter().any(|own| own == flag);
        let none = reduced(flags, |_| true);
        assert_eq!(none, (String::new(), 1));
        let all = reduced(flags, |left| left.len() == 8 && has(left, "-O3"));
        assert_eq!(all.0, flags.replace("native", "x86-64-v2"));
        let some = |left: &[String]| {
            let level = has(left, "-O3") || has(left, "-O2");
            level
                && has(left, "-std=c++20")
                && has(left, "-march=x86-64-v3") | has(left, "-march=native")
        };
        let (left, tests) = reduced(flags, some);
        assert_eq!(left, "-O2 -std=c++20 -march=x86-64-v3");
        assert!(tests <= 25, "{tests}");
    }

    /// A flag that can go only after another one goes in the next round.
    #[test]
    fn what_another_flag_holds_goes_after_it() {
        let needs = |left: &[String]| {
            let has = |flag: &str| left.iter().any(|own| own == flag);
            has("-a") && (has("-b") || !has("-c"))
        };
        assert_eq!(reduced("-a -b -c", needs).0, "-a");
        assert_eq!(reduced("-c -b -a", needs).0, "-a");
    }

    #[test]
    fn changes_name_what_is_gone_and_what_is_another() {
        let flags = Flags::new(vec!["-O3".to_owned(), "-g".to_owned(), "-m32".to_owned()]);
        let flags = flags.with(&[1], None).with(&[0], Some("-O1"));
        let changes = FlagChanges::from([
            ("-O3".to_owned(), Some("-O1".to_owned())),
            ("-g".to_owned(), None),
        ]);
        assert_eq!(flags.changes(), changes);
    }
}
