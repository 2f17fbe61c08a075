//! Rejects recipes that cannot work, whatever tools are installed.

use clreduce_check::StageName;
use toml::Spanned;

use super::{ConfigurationTable, Document, Preset, SCHEMA, StageTable};
use crate::error::Problem;
use crate::expected::EXPECTED;

/// Checks a whole recipe.
///
/// # Errors
/// The first problem, with its place in the text and what to write instead.
pub(super) fn document(recipe: &Document) -> Result<(), Problem> {
    let preset = *recipe.preset.get_ref();
    let at_preset = |problem: Problem| problem.at(recipe.preset.span().start);
    if let Some(schema) = recipe.schema.as_ref().filter(|schema| *schema.get_ref() != SCHEMA) {
        let number = schema.get_ref();
        return Err(Problem::new(
            format!("the recipe has the format {number}, and this version of clreduce reads {SCHEMA}"),
            format!("install the version of clreduce that it was written for, or write `schema = {SCHEMA}`"),
        )
        .at(schema.span().start));
    }
    configurations(recipe)?;
    for table in recipe.stages.iter().flatten() {
        stage(table.get_ref()).map_err(|problem| problem.at(table.span().start))?;
    }
    let alone = recipe.configurations.len() == 1;
    match preset {
        Preset::WrongCode if alone && recipe.outcome.reference.is_none() => {
            Err(at_preset(Problem::new(
                "the correct result is not known: there is only one configuration",
                "add another [[configuration]], or `reference` in [outcome]",
            )))
        }
        Preset::Hang if alone && recipe.configurations[0].get_ref().timeout.is_none() => {
            Err(at_preset(Problem::new(
                "it is not known how long is too long: there is only one configuration",
                "add `timeout` to it, or a second [[configuration]] that finishes",
            )))
        }
        Preset::Emi if recipe.variants.len() < 2 => Err(at_preset(Problem::new(
            "the preset `emi` needs two or more variants",
            "add [[variant]] tables, each with `options` or a `file`",
        ))),
        Preset::Emi => Ok(()),
        _ if !recipe.variants.is_empty() => Err(at_preset(Problem::new(
            "only the preset `emi` compares variants",
            "remove [[variant]], or write preset = \"emi\"",
        ))),
        _ => outcome_class(recipe, preset),
    }
}

/// Rejects a recipe without configurations, two of one name, and more than one that is accused.
fn configurations(recipe: &Document) -> Result<(), Problem> {
    if recipe.configurations.is_empty() {
        return Err(Problem::new(
            "the recipe has no configuration",
            "add [[configuration]] with `device = \"pocl\"` or `build = \"clang -O1 -c {file}\"`",
        ));
    }
    let mut names = Vec::new();
    for table in &recipe.configurations {
        configuration(recipe, table.get_ref()).map_err(|problem| problem.at(table.span().start))?;
        let name = table.get_ref().name();
        if names.contains(&name) {
            return Err(Problem::new(
                format!("there are two configurations `{name}`"),
                "give one of them another `name`",
            )
            .at(table.span().start));
        }
        names.push(name);
    }
    let accused = recipe.configurations.iter().filter(|table| table.get_ref().accused);
    if let Some(second) = accused.clone().nth(1) {
        return Err(Problem::new(
            "two configurations have `accused = true`",
            "write one recipe for each bug",
        )
        .at(second.span().start));
    }
    Ok(())
}

/// Rejects a class of outcome that the preset does not have.
fn outcome_class(recipe: &Document, preset: Preset) -> Result<(), Problem> {
    let Some(class) = &recipe.outcome.class else { return Ok(()) };
    if preset.classes().contains(class.get_ref()) {
        return Ok(());
    }
    let names: Vec<&str> = preset.classes().iter().map(|class| class.name()).collect();
    Err(Problem::new(
        format!(
            "the outcome `{}` is no bug of the preset `{}`",
            class.get_ref().name(),
            preset.name()
        ),
        format!("write one of: {}", names.join(", ")),
    )
    .at(class.span().start))
}

fn configuration(recipe: &Document, table: &ConfigurationTable) -> Result<(), Problem> {
    let name = table.name();
    match (&table.device, &table.build, &table.run) {
        (Some(_), None, None) | (None, Some(_), _) => {}
        _ => {
            return Err(Problem::new(
                format!(
                    "the configuration `{name}` has neither a device nor commands, or has both"
                ),
                "write either `device`, or `build` and perhaps `run`",
            ));
        }
    }
    let simulated = |device: &Spanned<String>| {
        let device = device.get_ref().to_lowercase();
        device.len() > 2 && "oclgrind".contains(&device)
    };
    let has_accused = recipe.configurations.iter().any(|table| table.get_ref().accused);
    if table.device.as_ref().is_some_and(simulated) && has_accused && !table.accused {
        return Err(Problem::new(
            "Oclgrind has bugs that no device shares: it can have `accused = true`, but it is no witness",
            "remove this configuration",
        ));
    }
    if table.build.is_some() && !table.options.get_ref().is_empty() {
        return Err(Problem::new(
            "`options` is for configurations with a device",
            "write them into the command `build`",
        ));
    }
    Ok(())
}

fn stage(table: &StageTable) -> Result<(), Problem> {
    if table.check.is_some() == table.command.is_some() {
        let names = StageName::ALL.iter().map(|stage| stage.name());
        let checks: Vec<&str> = std::iter::once(EXPECTED).chain(names).collect();
        return Err(Problem::new(
            "the stage has neither `check` nor `command`, or has both",
            format!("write either `check`, one of {}, or `command`", checks.join(", ")),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::RecipeError;

    fn error(text: &str) -> String {
        let problem = Document::parse(text).unwrap_err();
        RecipeError::new("r.toml".as_ref(), text, problem).to_string()
    }

    #[test]
    fn errors_name_the_line_and_the_remedy() {
        let two = "preset = \"wrong-code\"\n[[configuration]]\ndevice = \"a\"\n[[configuration]]\n";
        let one = "[[configuration]]\ndevice = \"a\"\n";
        let cases: &[(String, &[&str])] = &[
            ("preset = \"crsh\"".into(), &["line 1", "crsh", "`crash`"]),
            ("preset =".into(), &["line 1"]),
            (
                format!("schema = 2\npreset = \"crash\"\n{one}"),
                &["line 1", "format 2", "`schema = 1`"],
            ),
            ("preset = \"crash\"".into(), &["no configuration", "[[configuration]]"]),
            (format!("preset = \"crash\"\n{one}devise = 1\n"), &["line 4", "devise", "`device`"]),
            (format!("{two}device = \"a\"\n"), &["line 4", "two configurations `a`"]),
            (format!("preset = \"wrong-code\"\n{one}"), &["line 1", "one configuration"]),
            (format!("preset = \"hang\"\n{one}"), &["line 1", "`timeout`"]),
            (format!("preset = \"emi\"\n{one}"), &["line 1", "[[variant]]"]),
            (format!("{two}build = \"c\"\noptions = \"-w\"\n"), &["line 4", "`build`"]),
            (format!("{two}run = \"x\"\n"), &["line 4", "either `device`"]),
            (
                format!(
                    "{two}accused = true\ndevice = \"x\"\n[[configuration]]\ndevice = \"oclgrind\""
                ),
                &["line 7", "no witness"],
            ),
            (format!("preset = \"crash\"\n{one}timeout = \"2 years\"\n"), &["line 4", "500ms"]),
            (
                format!("preset = \"crash\"\n{one}[outcome]\nclass = \"result\"\n"),
                &["line 5", "build_crash, run_crash"],
            ),
            (
                format!("preset = \"crash\"\n{one}[[stage]]\ncheck = \"simulation\"\n"),
                &["line 5", "simulate"],
            ),
            (
                format!("preset = \"crash\"\n{one}[outcome]\nconfirm = \"3 of 2\"\n"),
                &["line 5", "2 of 3"],
            ),
        ];
        for (text, parts) in cases {
            let error = error(text);
            for part in *parts {
                assert!(error.contains(part), "{part:?} is not in {error}\n{text}");
            }
        }
    }
}
