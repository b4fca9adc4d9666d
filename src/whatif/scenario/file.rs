//! A scenario as a TOML file, and back.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use toml::de::{DeTable, DeValue};

use super::check::{problems, warnings};
use super::{SCENARIO_SCHEMA, Scenario};
use crate::domain::json::{no_toml, wrong_value};
use crate::domain::text::clean;

/// A scenario read from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadScenario {
    /// The scenario.
    pub scenario: Scenario,
    /// Values that are odd but usable, one sentence each.
    pub warnings: Vec<String>,
}

/// Why a scenario cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScenarioError {
    /// Written by a later version, whose fields may be unknown here.
    #[error(
        "{name}:{line}: made by a later burntop ({schema}; this one reads {SCENARIO_SCHEMA}): \
         nothing was changed; update burntop to open it"
    )]
    Later {
        /// Path of the file, as given.
        name: String,
        /// Line of the version, from 1.
        line: usize,
        /// The version in the file.
        schema: String,
    },
    /// Values that cannot be used.
    #[error("{}", lines(.name, .problems))]
    Invalid {
        /// Path of the file, as given.
        name: String,
        /// All problems, in the order of the lines.
        problems: Vec<FileProblem>,
    },
    /// The scenario cannot be written as TOML; holds the reason.
    #[error("the scenario cannot be written: {0}")]
    Unwritable(String),
}

/// A problem at one place of the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileProblem {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong and what would be right; clean text.
    pub message: String,
}

fn lines(name: &str, problems: &[FileProblem]) -> String {
    let mut out = Vec::with_capacity(problems.len());
    for FileProblem { line, column, message } in problems {
        out.push(format!("{name}:{line}:{column}: {message}"));
    }
    out.join("\n")
}

/// The version alone, whatever else a file says.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Head {
    schema: Option<toml::Spanned<String>>,
}

/// Reads a scenario from TOML text; `name` is the path for messages. Fails for a later version, and with all
/// problems found.
pub fn read(text: &str, name: &str) -> Result<ReadScenario, ScenarioError> {
    let name = clean(name).into_owned();
    let invalid = |mut problems: Vec<FileProblem>| {
        problems.sort();
        Err(ScenarioError::Invalid { name: name.clone(), problems })
    };
    let problem = |span: Option<Range<usize>>, message: &str| {
        let (line, column) = place(text, span.map_or(0, |span| span.start));
        FileProblem { line, column, message: clean(&wrong_value(message)).into_owned() }
    };
    let (document, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        return invalid(errors.iter().map(|e| problem(e.span(), &no_toml(e.message()))).collect());
    }
    let head: Head = toml::from_str(text).unwrap_or_default();
    if let Some(schema) = head.schema.filter(|schema| schema.get_ref() != SCENARIO_SCHEMA) {
        let said = clean(schema.get_ref()).into_owned();
        let Some(version) = said.strip_prefix("burntop/scenario/") else {
            let message = format!("`{said}` is no scenario; one begins with {SCENARIO_SCHEMA}");
            return invalid(vec![problem(Some(schema.span()), &message)]);
        };
        if version.parse::<u32>().is_ok_and(|version| version > 1) {
            let (line, _) = place(text, schema.span().start);
            return Err(ScenarioError::Later { name, line, schema: said });
        }
        let message = format!("`{said}` is no version that there is; this is {SCENARIO_SCHEMA}");
        return invalid(vec![problem(Some(schema.span()), &message)]);
    }
    let scenario: Scenario = match toml::from_str(text) {
        Ok(scenario) => scenario,
        Err(error) => return invalid(vec![problem(error.span(), error.message())]),
    };
    let mut spans = HashMap::new();
    collect(document.get_ref(), "", &mut spans);
    let found = problems(&scenario);
    if found.is_empty() {
        let warnings = warnings(&scenario);
        return Ok(ReadScenario { scenario, warnings });
    }
    let placed = found.into_iter().map(|p| {
        let name = p.path.rsplit('.').next().unwrap_or(&p.path).to_owned();
        problem(span_of(&spans, &p.path), &format!("{name}: {}", p.message))
    });
    invalid(placed.collect())
}

/// The scenario as TOML text that [`read`] accepts. Fails where it cannot be written as TOML.
pub fn write(scenario: &Scenario) -> Result<String, ScenarioError> {
    let found = problems(scenario);
    if let Some(problem) = found.first() {
        let message = format!("{}: {}", problem.path, problem.message);
        return Err(ScenarioError::Unwritable(message));
    }
    toml::to_string(scenario)
        .map_err(|e| ScenarioError::Unwritable(clean(&e.to_string()).into_owned()))
}

/// File name for a scenario's name, without folder: letters, digits, `-`, `_` and `.` stay, everything else
/// becomes `-`.
pub fn file_name(name: &str) -> String {
    let mut out = String::new();
    for c in name.trim().chars().take(80) {
        let plain = c.is_alphanumeric() || matches!(c, '_' | '.');
        match plain {
            true => out.extend(c.to_lowercase()),
            false if out.ends_with('-') => {}
            false => out.push('-'),
        }
    }
    let out = out.trim_matches(['-', '.']);
    format!("{}.toml", if out.is_empty() { "scenario" } else { out })
}

/// Where each value stands, by its path.
fn collect(table: &DeTable<'_>, path: &str, spans: &mut HashMap<String, Range<usize>>) {
    for (key, value) in table {
        let key = key.get_ref();
        let path = if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
        value_spans(value, path, spans);
    }
}

fn value_spans(
    value: &toml::Spanned<DeValue<'_>>,
    path: String,
    spans: &mut HashMap<String, Range<usize>>,
) {
    spans.insert(path.clone(), value.span());
    match value.get_ref() {
        DeValue::Table(table) => collect(table, &path, spans),
        DeValue::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                value_spans(item, format!("{path}[{at}]"), spans);
            }
        }
        _ => {}
    }
}

/// Where a path stands; of one that is not there, what it would stand in.
fn span_of(spans: &HashMap<String, Range<usize>>, path: &str) -> Option<Range<usize>> {
    let mut path = path;
    loop {
        if let Some(span) = spans.get(path) {
            return Some(span.clone());
        }
        path = &path[..path.rfind(['.', '['])?];
    }
}

/// Line and column, from 1, of a byte.
pub(in crate::whatif) fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

impl fmt::Display for FileProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::*;
    use super::*;

    const WHOLE: &str = include_str!("testdata.toml");

    fn wrong(text: &str) -> String {
        read(text, "s.toml").unwrap_err().to_string()
    }

    #[test]
    fn a_whole_file_is_read_and_written_back() {
        let ReadScenario { scenario, warnings } = read(WHOLE, "s.toml").unwrap();
        assert_eq!(warnings, Vec::<String>::new());
        assert_eq!(scenario.families[0].steps.len(), 3);
        assert_eq!(scenario.families[0].steps[0].kind, StepKind::Launch { units: 40.0 });
        assert_eq!(scenario.families[1].spot.map(|s| s.interval_hours), Some(None));
        assert_eq!(scenario.compute_plans[0].rates[0].rate, 16.5);
        let text = write(&scenario).unwrap();
        assert_eq!(read(&text, "s.toml").unwrap().scenario, scenario);
    }

    #[test]
    fn an_empty_file_is_the_default() {
        assert_eq!(read("", "s.toml").unwrap().scenario, Scenario::default());
    }

    #[test]
    fn a_later_version_is_left_alone() {
        let text = "schema = 'burntop/scenario/2'\nwhatever = { is = 'new' }\n";
        assert_eq!(
            wrong(text),
            "s.toml:1: made by a later burntop (burntop/scenario/2; this one reads \
             burntop/scenario/1): nothing was changed; update burntop to open it"
        );
        assert!(wrong("schema = 'burntop/plan/1'").starts_with("s.toml:1:10: `burntop/plan/1` is"));
        assert!(wrong("schema = 'burntop/scenario/x'").contains("is no version that there is"));
    }

    #[test]
    fn wrong_values_name_line_and_column() {
        for (text, want) in [
            ("name = [", "s.toml:1:9:"),
            ("a = 1", "s.toml:1:1: there is no key `a`; known: "),
            ("[future]\nweeks = 0", "s.toml:2:9: weeks: 0 is not possible"),
            ("[future]\ncaution = nan", "s.toml:2:11: caution: NaN is not possible"),
            ("[future]\npaths = 'many'", "s.toml:2:9: string \"many\" stands where u32 is wanted"),
            ("[[family]]\nname = 'a'\ndrift = inf", "s.toml:3:9: drift: inf is not possible"),
            ("[[family]]\n", "s.toml:1:1: name: a name is needed"),
            ("[[family]]\nname = 'a'\n[[family]]\nname = 'a'", "s.toml:4:8: name: a second one"),
            (
                "[[family]]\nname = 'a'\n[[family.step]]\nweek = 1\nkind = 'launch'",
                "s.toml:3:1: a step of kind `launch` needs `units`",
            ),
            (
                "[[family]]\nname = 'a'\nstep = [{ week = 1, kind = 'scale', factor = 1, to = 'b' }]",
                "s.toml:3:8: a step of kind `scale` has no `to`",
            ),
            (
                "[[family]]\nname='a'\nstep = [{week=1, kind='move', share=1, to='b', ratio=1}]",
                "s.toml:3:43: to: there is no other family `b`",
            ),
            (
                "[[family]]\nname = 'a'\n[[family.buy]]\noffer = 'x'\nunits = 1",
                "s.toml:4:9: offer: there is no offer `x`",
            ),
            (
                "[[compute_plan]]\nname = 'c'\nusd_per_hour = 1\nweeks = 52\nrate = []",
                "s.toml:1:1: compute_plan[0]: a Compute Savings Plan needs a rate",
            ),
            ("note = \"two\\nlines\"", "s.toml:1:8: note: holds line ends"),
        ] {
            let said = wrong(text);
            assert!(said.starts_with(want), "{text}\n{said}");
        }
    }

    #[test]
    fn everything_wrong_is_told_at_once_in_order() {
        let said = wrong("[future]\nweeks = 0\nwacc = 7\n[[family]]\nname = 'a'\ngrowth = -2");
        let lines: Vec<&str> = said.lines().map(|line| &line[..8]).collect();
        assert_eq!(lines, ["s.toml:2", "s.toml:3", "s.toml:6"]);
    }

    /// P5 and P6 have no public Savings Plan rates: bought without one they are an error.
    #[test]
    fn the_rate_of_a_savings_plan_is_never_invented() {
        let text = "[[family]]\nname = 'p5.48xlarge'\non_demand = 55.04\n[[family.offer]]\nname = \
                    'sp'\nkind = 'instance_plan'\nweeks = 52\npayment = 'no-upfront'\n";
        assert!(read(text, "s.toml").is_ok());
        let said = wrong(&format!("{text}[[family.buy]]\noffer = 'sp'\nunits = 2\n"));
        assert!(said.starts_with("s.toml:10:9: offer: the rate of `sp`"), "{said}");
        assert!(said.contains("AWS publishes no Savings Plan rates of P5 and P6"), "{said}");
    }

    #[test]
    fn a_rate_above_on_demand_is_a_warning() {
        let text = "[[family]]\nname = 'a'\non_demand = 1\n[[family.offer]]\nname = 'ri'\nkind = \
                    'standard_ri'\nweeks = 52\npayment = 'no-upfront'\nrate = 1.2\n";
        let read = read(text, "s.toml").unwrap();
        assert_eq!(read.warnings.len(), 1);
        assert!(read.warnings[0].contains("it can never pay"));
    }

    #[test]
    fn file_names_are_harmless() {
        for (name, want) in [
            ("Q3 plan", "q3-plan.toml"),
            ("../../etc/passwd", "etc-passwd.toml"),
            ("", "scenario.toml"),
            ("...", "scenario.toml"),
            ("a//b\0c", "a-b-c.toml"),
            ("Größe 2", "größe-2.toml"),
        ] {
            assert_eq!(file_name(name), want);
        }
    }

    proptest! {
        #[test]
        fn any_text_ends_well(text in "[\\[\\]a-z_.=\"' \n0-9{},#-]{0,200}") {
            if let Err(error) = read(&text, "s.toml") {
                prop_assert!(error.to_string().starts_with("s.toml:"));
            }
        }

        #[test]
        fn what_is_written_is_read(
            weeks in 1_u16..157,
            seed in 0..=i64::MAX as u64,
            growth in -0.99..100.0_f64,
            price in proptest::option::of(1e-6..1e6_f64),
            name in "[a-z0-9 .äö\"'\\\\]{1,20}",
            step in prop_oneof![
                (-1e6..1e6_f64).prop_map(|units| StepKind::Launch { units }),
                (0.0..9.0_f64).prop_map(|factor| StepKind::Scale { factor }),
            ],
        ) {
            let scenario = Scenario {
                name: name.clone(),
                future: Future { weeks, seed, ..Future::default() },
                families: vec![FamilyInputs {
                    name,
                    on_demand: price,
                    growth,
                    steps: vec![Step { week: 3, kind: step }],
                    ..FamilyInputs::default()
                }],
                ..Scenario::default()
            };
            let text = write(&scenario).unwrap();
            prop_assert_eq!(read(&text, "s.toml").unwrap().scenario, scenario);
        }
    }
}
