//! Which passes run.

use clreduce_passes::{Row, TABLE};

/// A choice of passes by name. Without names, it is all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassChoice {
    /// Only these; empty is all.
    pub only: Vec<String>,
    /// All but these.
    pub skip: Vec<String>,
}

impl PassChoice {
    /// The chosen rows in the order of the table.
    #[must_use]
    pub fn rows(&self) -> Vec<&'static Row> {
        let chosen = |row: &&Row| {
            let is = |name: &String| name == row.pass.name;
            (self.only.is_empty() || self.only.iter().any(is)) && !self.skip.iter().any(is)
        };
        TABLE.iter().filter(chosen).collect()
    }

    /// The name of each pass and one sentence about it, in the order of the table.
    pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
        let is_first = |index: &usize| {
            let earlier = TABLE[..*index].iter().map(|row| row.pass.name);
            earlier.into_iter().all(|name| name != TABLE[*index].pass.name)
        };
        let passes = (0..TABLE.len()).filter(is_first).map(|index| TABLE[index].pass);
        passes.map(|pass| (pass.name, pass.about))
    }

    /// The first name that no pass has.
    #[must_use]
    pub fn unknown(&self) -> Option<&str> {
        let mut names = self.only.iter().chain(&self.skip);
        names.find(|name| clreduce_passes::find(name).is_none()).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_are_chosen_by_name() {
        let names: Vec<&str> = TABLE.iter().map(|row| row.pass.name).collect();
        let last = "format".to_owned();
        let chosen = |choice: PassChoice| -> Vec<&str> {
            choice.rows().iter().map(|row| row.pass.name).collect()
        };
        assert_eq!(chosen(PassChoice::default()), names);
        let only = PassChoice { only: vec![last.clone()], ..PassChoice::default() };
        assert_eq!(only.unknown(), None);
        let all_of_it: Vec<&str> = names.iter().copied().filter(|name| **name == last).collect();
        assert_eq!(chosen(only), all_of_it);
        assert!(!all_of_it.is_empty());
        let skip = PassChoice { skip: vec![last.clone()], ..PassChoice::default() };
        let others: Vec<&str> = names.iter().copied().filter(|name| **name != last).collect();
        assert_eq!(chosen(skip), others);
        let wrong = PassChoice { skip: vec!["statement".into()], ..PassChoice::default() };
        assert_eq!(wrong.unknown(), Some("statement"));
    }
}
