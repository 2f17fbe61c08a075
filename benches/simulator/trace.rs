//! Recorded and made-up conversations.

use std::collections::BTreeMap;

/// One consumed answer that a test was needed for.
#[derive(Clone, Debug)]
pub struct Entry {
    pub pass: &'static str,
    /// How likely the reducer thought it, in thousandths, where that was recorded.
    pub chance: Option<u16>,
    pub interesting: bool,
    /// Bytes of the test case that the question was about.
    pub bytes: usize,
}

/// A conversation.
#[derive(Clone, Debug)]
pub struct Trace {
    pub entries: Vec<Entry>,
}

impl Trace {
    pub fn new(entries: Vec<Entry>) -> Self {
        Self { entries }
    }

    /// Reads an `--events` file. Answers that were known are left out: they take no time.
    pub fn from_events(text: &str) -> Result<Self, String> {
        let mut names: BTreeMap<String, &'static str> = BTreeMap::new();
        let mut seen = std::collections::HashSet::new();
        let mut entries = Vec::new();
        let mut bytes = 0;
        for (number, line) in text.lines().enumerate() {
            let event: serde_json::Value = serde_json::from_str(line)
                .map_err(|error| format!("line {}: {error}", number + 1))?;
            if let Some(now) = event["bytes"].as_u64() {
                bytes = now as usize;
            }
            let repeated = event["key"].as_str().is_some_and(|key| !seen.insert(key.to_owned()));
            if event["event"] != "judged" || repeated {
                continue;
            }
            let name = event["pass"].as_str().unwrap_or("unknown");
            let pass = *names.entry(name.to_owned()).or_insert_with(|| name.to_owned().leak());
            let chance = event["chance"].as_u64().and_then(|chance| u16::try_from(chance).ok());
            let interesting = event["interesting"] == true;
            entries.push(Entry { pass, chance, interesting, bytes });
        }
        Ok(Self { entries })
    }

    /// A conversation of passes with rates of success between 1 and 60 per cent. `streaks`: how much
    /// more likely an answer is to be that of the question before, in per cent.
    pub fn random(seed: u64, questions: usize, streaks: u64) -> Self {
        const NAMES: [&str; 12] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
        const RATES: [u64; 8] = [1, 3, 5, 10, 20, 30, 45, 60];
        let mut random = Random(seed);
        let mut entries = Vec::with_capacity(questions);
        let mut pass = 0;
        while entries.len() < questions {
            let rate = RATES[(random.next() % 8) as usize];
            let mut interesting = false;
            for _ in 0..40 + random.next() % 300 {
                if random.next() % 100 >= streaks {
                    interesting = random.next() % 100 < rate;
                }
                entries.push(Entry {
                    pass: NAMES[pass % NAMES.len()],
                    chance: None,
                    interesting,
                    bytes: usize::MAX,
                });
            }
            pass += 1;
        }
        entries.truncate(questions);
        Self { entries }
    }

    /// By pass: the share of interesting answers.
    pub fn rates(&self) -> BTreeMap<&'static str, f64> {
        let mut counts: BTreeMap<&'static str, (u32, u32)> = BTreeMap::new();
        for entry in &self.entries {
            let (asked, yes) = counts.entry(entry.pass).or_default();
            *asked += 1;
            *yes += u32::from(entry.interesting);
        }
        let rate = |(asked, yes)| f64::from(yes) / f64::from(asked);
        counts.into_iter().map(|(pass, counts)| (pass, rate(counts))).collect()
    }
}

/// A linear congruential generator, mixed: the same numbers everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut x = self.0;
        x ^= x >> 33;
        x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
        x ^ (x >> 33)
    }
}
