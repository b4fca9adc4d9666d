//! The words a configuration may use, from the parts that own them.

use super::exit::CliError;
use crate::analyze::idle::{CustomPolicy, Policy, Preset};
use crate::app::{Keymap, ListSpec, ThemeName, list_of, lists};
use crate::config::vocabulary::ListWords;
use crate::config::{Config, Vocabulary};
use crate::domain::json::wrong_value;
use crate::source::aws::{config::profiles, regions};
use crate::source::catalogue;
use crate::tabs::gpus::picture::GpuField;
use crate::tabs::idle::picture::Field;
use crate::view::{FieldSpec, FieldTable, Filter, TableField};

/// Names and checks that the configuration accepts: presets, fields, filters, views.
pub fn vocabulary() -> Vocabulary {
    Vocabulary {
        presets: Preset::ALL.iter().map(|p| p.name().to_owned()).collect(),
        themes: ThemeName::ALL.iter().map(|t| t.name().to_owned()).collect(),
        regions: regions::ALL.iter().map(|code| (*code).to_owned()).collect(),
        families: catalogue::families().map(str::to_owned).collect(),
        profiles: Some(profiles),
        keys: Some(|keys| {
            let problems = Keymap::with_overrides(keys).1.into_iter();
            problems.map(|p| (p.action().to_owned(), p.to_string())).collect()
        }),
        filter: Some(|text| check_filter(Field::table(), text)),
        lists: lists().map(list_words).collect(),
        custom_preset: Some(|name, table| custom(name, table).map(|_| ())),
    }
}

/// Words that a saved view of a list may use.
fn list_words(list: &ListSpec) -> ListWords {
    let groups = list.grouping.map(|grouping| (grouping.names)()).unwrap_or_default();
    ListWords {
        name: list.name.to_owned(),
        fields: names((list.fields)()),
        groups: groups.into_iter().map(str::to_owned).collect(),
        filter: |list, text| match list_of(list) {
            Some(list) => check_filter((list.fields)(), text),
            None => Ok(()),
        },
    }
}

/// Names and aliases of the fields of a table.
fn names(table: &dyn FieldTable) -> Vec<String> {
    table.fields().iter().flat_map(FieldSpec::names).map(str::to_owned).collect()
}

fn check_filter(table: &'static dyn FieldTable, text: &str) -> Result<(), String> {
    Filter::parse(table, text).map(|_| ()).map_err(|e| e.to_string())
}

/// Checks a filter over GPUs. Fails with the parser's message.
pub fn gpu_filter(text: &str) -> Result<(), String> {
    check_filter(GpuField::table(), text)
}

/// The filter of a command that chooses rows to act on; `None` where none was given. Fails for an empty one,
/// since an unset variable of a script would choose everything.
pub fn strict_filter(
    table: &'static dyn FieldTable,
    typed: Option<&str>,
) -> Result<Option<Filter>, CliError> {
    let Some(text) = typed else { return Ok(None) };
    let usage = |what: String| CliError::Usage(format!("--filter: {what}"));
    let filter = Filter::parse_strict(table, text).map_err(|e| usage(e.to_string()))?;
    if filter.is_empty() {
        return Err(usage("it is empty; leave it out to choose without one".to_owned()));
    }
    Ok(Some(filter))
}

/// Fails where a filter was given to a command that acts on all rows of a file.
pub fn no_filter(typed: Option<&str>) -> Result<(), CliError> {
    match typed {
        None => Ok(()),
        Some(_) => Err(CliError::Usage(
            "--filter chooses nothing here: what the file names is taken as a whole; choose when \
             the plan is made (`burntop plan … --filter`)"
                .to_owned(),
        )),
    }
}

/// A preset of the configuration, or what is wrong with it.
fn custom(name: &str, table: &toml::Table) -> Result<Policy, String> {
    let figures: CustomPolicy = table
        .clone()
        .try_into()
        .map_err(|e: toml::de::Error| format!("preset `{name}`: {}", wrong_value(e.message())))?;
    figures.policy(name).map_err(|e| e.to_string())
}

/// The policy called `name`, built in or configured; `None` for an unknown name.
pub fn policy(config: &Config, name: &str) -> Option<Policy> {
    let built_in = Preset::from_name(name).map(Preset::policy);
    // What the configuration holds was checked when it was loaded.
    built_in.or_else(|| custom(name, config.custom_presets.get(name)?).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::load::Sources;
    use crate::config::template::TEMPLATE;
    use crate::config::{ConfigError, Env, FileConfig, load, validate};

    fn loaded(source: &str) -> Result<Config, ConfigError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.toml");
        std::fs::write(&path, source).unwrap();
        let env = Env::default();
        let flags = FileConfig::default();
        let sources = Sources { paths: None, file: Some(&path), env: &env, flags };
        load(&sources, &vocabulary()).map(|l| l.config)
    }

    #[test]
    fn what_is_acted_on_is_chosen_by_a_filter_that_says_something() {
        let strict = |typed| strict_filter(Field::table(), typed).map(|f| f.map(|f| f.to_string()));
        assert_eq!(strict(None).unwrap(), None);
        assert_eq!(strict(Some("env=dev")).unwrap().as_deref(), Some("environment=dev"));
        for (typed, says) in
            [("dev", "alone is a search"), ("", "it is empty"), ("  ", "it is empty")]
        {
            let error = strict(Some(typed)).unwrap_err();
            assert_eq!(error.exit(), crate::cli::Exit::Usage);
            assert!(error.to_string().starts_with("--filter: "), "{error}");
            assert!(error.to_string().contains(says), "{typed}: {error}");
        }
        // A file is approved and applied as a whole: a filter beside it would seem to narrow it.
        assert!(no_filter(None).is_ok());
        assert_eq!(no_filter(Some("env=dev")).unwrap_err().exit(), crate::cli::Exit::Usage);
    }

    #[test]
    fn presets_of_the_configuration_become_policies() {
        let config = loaded(
            "[idle]\npreset = 'nights'\n[idle.presets.nights]\nbase = 'cautious'\n\
             min_stretch_gpu_hours = 10\ngpu_percent = 3.0",
        )
        .unwrap();
        let nights = policy(&config, &config.preset).unwrap();
        assert_eq!((nights.name.as_str(), nights.min_stretch_hours(true)), ("nights", 10));
        assert_eq!(policy(&config, "mean-cpu"), Some(Preset::MeanCpu.policy()));
        assert_eq!(policy(&config, "nobody"), None);
    }

    #[test]
    fn figures_that_make_no_sense_name_the_line_and_the_preset() {
        let cases = [
            ("[idle]\npreset = 'cautios'", "c.toml:2: `idle.preset` is \"cautios\""),
            (
                "[idle.presets.nights]\ngpu_percent = 90.0",
                "c.toml:1: preset `nights`: gpu_percent = 90",
            ),
            (
                "[idle.presets.nights]\nhours = 3",
                "c.toml:1: preset `nights`: there is no key `hours`; known: ",
            ),
            (
                "[idle.presets.nights]\nbase = 'best'",
                "c.toml:1: preset `nights`: `best` is not possible; known: ",
            ),
        ];
        for (source, says) in cases {
            let error = loaded(source).unwrap_err().to_string();
            assert!(error.contains(says), "{source}: {error}");
        }
    }

    #[test]
    fn the_template_speaks_the_language_of_the_other_parts() {
        let on: Vec<&str> = TEMPLATE
            .lines()
            .map(|l| match l.strip_prefix('#') {
                Some(rest) if !rest.starts_with(' ') => rest,
                _ => l,
            })
            .collect();
        let file: FileConfig = toml::from_str(&on.join("\n")).unwrap();
        let words = vocabulary();
        assert!(!file.views.is_empty());
        for (name, view) in &file.views {
            assert_eq!(validate::view_problems(view, &words), [], "{name}");
        }
    }
}
