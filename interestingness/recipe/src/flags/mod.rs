//! The flags of compilers in command lines and recipes: which ones there are, and the same command with fewer of them.
//!
//! Only text is looked at. A flag is a word that begins with `-`, with the word behind it if that is its value. What says
//! what is made, such as `-c` or `-o file`, is no flag here: without it, the command is another one.

mod line;

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;

use crate::Recipe;
use crate::compilation::has_value_behind;
use crate::format::ConfigurationTable;
use crate::suspect::{compiler_of, is_compiler};
use crate::toml_text::in_toml;
use line::{ShellWord, words};

/// The changes of flags: to another flag, or to `None` for one that goes.
pub type FlagChanges = BTreeMap<String, Option<String>>;

/// Flags with their places in a text.
type Places = Vec<(Range<usize>, String)>;

/// Words that stay, as they say what the command makes.
const MADE: [&str; 9] = ["-", "-c", "-S", "-E", "-fsyntax-only", "-emit-obj", "-cc1", "-###", "--"];
/// The option for the output.
const OUTPUT: [&str; 2] = ["-o", "--output"];

/// The flags of the compilers that a line for the shell calls, each once.
#[must_use]
pub fn flags_of_line(line: &str) -> Vec<String> {
    each_once(places_in_line(line))
}

/// The flags in a text that consists of flags.
#[must_use]
pub fn flags_of_list(text: &str) -> Vec<String> {
    each_once(places_in_list(text))
}

/// The number of compilers that a line for the shell calls.
#[must_use]
pub fn compilers_called(line: &str) -> usize {
    calls(&words(line), line).len()
}

/// A line for the shell with other flags for its compilers. All else stays as it is written.
#[must_use]
pub fn line_with_flags(line: &str, changes: &FlagChanges) -> String {
    changed(line, places_in_line(line), changes)
}

fn each_once(places: Places) -> Vec<String> {
    let mut flags = Vec::new();
    for (_, flag) in places {
        if !flags.contains(&flag) {
            flags.push(flag);
        }
    }
    flags
}

/// The index of the word that is the compiler, for each command that calls one. If none is known, the first program of
/// the line is meant.
fn calls(words: &[ShellWord], line: &str) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let is_first = found.last().is_none_or(|last| words[*last].command != word.command);
        if is_first && is_compiler(&word.text) {
            found.push(at);
        }
    }
    if found.is_empty() {
        let program = compiler_of(line);
        found.extend(words.iter().position(|word| Some(&*word.text) == program));
    }
    found
}

fn places_in_line(line: &str) -> Places {
    let words = words(line);
    let arguments = calls(&words, line).into_iter().flat_map(|call| {
        let command = words[call].command;
        let behind = words[call + 1..].iter().take_while(move |word| word.command == command);
        flags_among(&behind.collect::<Vec<_>>(), line)
    });
    arguments.collect()
}

fn places_in_list(text: &str) -> Places {
    flags_among(&words(text).iter().collect::<Vec<_>>(), text)
}

fn flags_among(words: &[&ShellWord], line: &str) -> Places {
    let mut found = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = &*word.text;
        if OUTPUT.contains(&text) {
            rest.next();
        }
        let makes = MADE.contains(&text) || text.starts_with("-o") || text.starts_with("--output");
        if !text.starts_with('-') || makes {
            continue;
        }
        let value = has_value_behind(text).then(|| rest.next()).flatten();
        let own = |word: &ShellWord| line[word.place.clone()].to_owned();
        let end = value.map_or(word.place.end, |value| value.place.end);
        let flag = value.map_or(own(word), |value| format!("{} {}", own(word), own(value)));
        found.push((word.place.start..end, flag));
    }
    found
}

/// Applies changes to a text, from the end.
fn changed(text: &str, places: Places, changes: &FlagChanges) -> String {
    let mut text = text.to_owned();
    for (place, flag) in places.into_iter().rev() {
        match changes.get(&flag) {
            Some(Some(other)) => text.replace_range(place, other),
            Some(None) => {
                // With the blanks in front of it, or else behind it.
                let start = text[..place.start].trim_end().len();
                let rest = text[place.end..].len();
                let behind = rest - text[place.end..].trim_start().len();
                let end = if start == 0 { place.end + behind } else { place.end };
                text.replace_range(start..end, "");
            }
            None => {}
        }
    }
    text
}

impl Recipe {
    /// The flags of a configuration: those of the compiler in its `build`, or its `options` and those of the recipe for a
    /// device.
    #[must_use]
    pub fn flags(&self, configuration: &str) -> Vec<String> {
        let mut tables = self.document.configurations.iter().map(Spanned::get_ref);
        let Some(table) = tables.find(|table| table.name() == configuration) else {
            return Vec::new();
        };
        let build = table.build.iter().flat_map(|build| flags_of_line(build.get_ref()));
        let is_device = table.device.is_some();
        let options = [&self.document.options, &table.options].into_iter().filter(|_| is_device);
        let options = options.flat_map(|options| flags_of_list(options.get_ref()));
        let mut flags = Vec::new();
        for flag in build.chain(options) {
            if !flags.contains(&flag) {
                flags.push(flag);
            }
        }
        flags
    }

    /// The same recipe with other flags, in all configurations that have them; stages stay. With an earlier calibration,
    /// [`resume`](Self::resume) makes it a test of the same outcome.
    #[must_use]
    pub fn with_flags(&self, changes: &FlagChanges) -> Self {
        let mut other = self.clone();
        let document = &mut other.document;
        change(&mut document.options, places_in_list, changes);
        for table in &mut document.configurations {
            let table = table.get_mut();
            // The calibration knows a name that was made of flags.
            let name = table.name();
            let at = table.name.as_ref().map_or(0..0, Spanned::span);
            table.name = Some(Spanned::new(at, name));
            change(&mut table.options, places_in_list, changes);
            if let Some(build) = &mut table.build {
                change(build, places_in_line, changes);
            }
        }
        other
    }

    /// The text of the recipe with other flags, for a file. Names of configurations lose the flags that are gone.
    #[must_use]
    pub fn text_with_flags(&self, changes: &FlagChanges) -> String {
        let document = &self.document;
        let mut places = Places::new();
        let mut note = |old: &Spanned<String>, new: String| {
            if new != *old.get_ref() {
                places.push((old.span(), in_toml(&new)));
            }
        };
        let list = |text: &str| changed(text, places_in_list(text), changes);
        note(&document.options, list(document.options.get_ref()));
        let tables = || document.configurations.iter().map(Spanned::get_ref);
        let names: Vec<String> = tables().map(|table| name_with(table, changes)).collect();
        for (at, table) in tables().enumerate() {
            note(&table.options, list(table.options.get_ref()));
            if let Some(build) = &table.build {
                note(build, line_with_flags(build.get_ref(), changes));
            }
            // Two configurations do not have one name.
            let is_unique = names.iter().filter(|name| **name == names[at]).count() == 1;
            if let Some(name) = table.name.as_ref().filter(|_| is_unique) {
                note(name, names[at].clone());
            }
        }
        places.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
        let mut text = self.text.clone();
        for (place, new) in places {
            text.replace_range(place, &new);
        }
        text
    }
}

fn name_with(table: &ConfigurationTable, changes: &FlagChanges) -> String {
    let name = table.name();
    changed(&name, places_in_list(&name), changes)
}

fn change(text: &mut Spanned<String>, places: fn(&str) -> Places, changes: &FlagChanges) {
    let new = changed(text.get_ref(), places(text.get_ref()), changes);
    *text.get_mut() = new;
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "ulimit -t 9; LC_ALL=C g++-12 -O3 -g -I '/a b' -D X=1 -std=c++20 -Xclang -fx -c {file} -o out 2>&1 | grep -q error";

    fn without(flags: &[&str]) -> FlagChanges {
        flags.iter().map(|flag| ((*flag).to_owned(), None)).collect()
    }

    #[test]
    fn flags_have_their_values_and_what_is_made_is_no_flag() {
        assert_eq!(
            flags_of_line(LINE),
            ["-O3", "-g", "-I '/a b'", "-D X=1", "-std=c++20", "-Xclang -fx"]
        );
        assert_eq!(compilers_called(LINE), 1);
        assert_eq!(compilers_called("gcc -E a.c | clang-14 -xc - && echo"), 2);
        assert_eq!(flags_of_line("mycc -O3 x && grep -q x"), ["-O3"]);
        assert_eq!(flags_of_list(" -O3  -I x -O3"), ["-O3", "-I x"]);
        assert!(flags_of_line("").is_empty() && flags_of_line("true").is_empty());
    }

    #[test]
    fn a_line_loses_flags_and_nothing_else() {
        let mut changes = without(&["-g", "-I '/a b'", "-D X=1", "-std=c++20", "-t 9"]);
        changes.insert("-O3".to_owned(), Some("-O1".to_owned()));
        assert_eq!(
            line_with_flags(LINE, &changes),
            "ulimit -t 9; LC_ALL=C g++-12 -O1 -Xclang -fx -c {file} -o out 2>&1 | grep -q error"
        );
    }

    #[test]
    fn a_recipe_keeps_its_text_but_for_flags() {
        let text = "# why\npreset = \"crash\"\n[[configuration]] # one\nname = \"g++ -O3 -flto\"\n\
                    build = 'g++ -O3 -g -flto -c {file}'\naccused = true\n[[configuration]]\nname = \"g++ -O0\"\n\
                    build = \"g++ -O0 -g -c {file} -o \\\"x\\\"\"\n[[stage]]\ncommand = \"g++ -g -c {file}\"\n";
        let recipe = Recipe::parse("a.toml".as_ref(), text).unwrap();
        assert_eq!(recipe.flags("g++ -O3 -flto"), ["-O3", "-g", "-flto"]);
        let changes = without(&["-g", "-flto"]);
        let written = recipe.text_with_flags(&changes);
        let expected = "# why\npreset = \"crash\"\n[[configuration]] # one\nname = \"g++ -O3\"\n\
                        build = \"g++ -O3 -c {file}\"\naccused = true\n[[configuration]]\nname = \"g++ -O0\"\n\
                        build = 'g++ -O0 -c {file} -o \"x\"'\n[[stage]]\ncommand = \"g++ -g -c {file}\"\n";
        assert_eq!(written, expected);
        Recipe::parse("a.toml".as_ref(), written).unwrap();
        // The calibration of the old one fits.
        let other = recipe.with_flags(&changes);
        assert_eq!(other.flags("g++ -O3 -flto"), ["-O3"]);
        // Two names that would be the same stay.
        let changes = without(&["-O3", "-flto", "-O0"]);
        assert!(recipe.text_with_flags(&changes).contains("name = \"g++ -O3 -flto\""));
    }
}
