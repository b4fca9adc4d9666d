//! `[spot]`: which work may run on Spot, and what is assumed of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gpus::WorkloadSection;
use super::validate::unusable_name;
use crate::analyze::spot::{Assumptions, Pattern, SpotFit, SpotRule, SpotRules};
use crate::domain::text;

/// Which work may run on Spot, and what is assumed of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SpotSection {
    /// Instances that stay on demand where only a part of a group may move.
    #[schemars(range(min = 0, max = 10_000))]
    pub base_instances: Option<u32>,
    /// Percent of those above the base that stay on demand as well.
    #[schemars(range(min = 0, max = 100))]
    pub on_demand_percent: Option<u32>,
    /// Minutes that writing a checkpoint takes.
    #[schemars(range(min = 0.0, max = 1440.0))]
    pub checkpoint_minutes: Option<f64>,
    /// Minutes until work goes on after an interruption.
    #[schemars(range(min = 0.0, max = 1440.0))]
    pub restart_minutes: Option<f64>,
    /// Hours that a batch job runs; an interruption loses half of it.
    #[schemars(range(min = 0.0, max = 720.0))]
    pub job_hours: Option<f64>,
    /// Percent of the time in which there is Spot; the rest runs on demand.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub availability_percent: Option<f64>,
    /// Interruptions a day where more than 20% a month are taken back, and where no figure is
    /// published.
    #[schemars(range(min = 0.0, max = 48.0))]
    pub interruptions_per_day: Option<f64>,
    /// Rules; the first that fits decides.
    pub rules: Option<Vec<SpotRuleSection>>,
}

/// How what a rule speaks of fits.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum FitChoice {
    /// It bears interruptions.
    Yes,
    /// A part of it does, above a base on demand.
    Partial,
    /// It does not.
    #[default]
    No,
}

impl FitChoice {
    fn fit(self) -> SpotFit {
        match self {
            Self::Yes => SpotFit::Yes,
            Self::Partial => SpotFit::Partial,
            Self::No => SpotFit::No,
        }
    }
}

/// A rule: what it speaks of, and how that fits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpotRuleSection {
    /// A tag, `key=value`; a `*` in the value stands for any part.
    pub tag: Option<String>,
    /// A name; a `*` stands for any part.
    pub name: Option<String>,
    /// How it fits.
    pub fit: FitChoice,
    /// Why, shown as the reason.
    pub why: Option<String>,
    /// Minutes that writing a checkpoint takes.
    #[schemars(range(min = 0.0, max = 1440.0))]
    pub checkpoint_minutes: Option<f64>,
    /// Minutes until work goes on after an interruption.
    #[schemars(range(min = 0.0, max = 1440.0))]
    pub restart_minutes: Option<f64>,
    /// Percent of the time in which there is Spot.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub availability_percent: Option<f64>,
}

/// `[spot]`, checked, with every figure filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct SpotConfig {
    section: SpotSection,
}

impl Default for SpotConfig {
    fn default() -> Self {
        Self::of(SpotSection::default())
    }
}

impl SpotSection {
    /// This layer over `under`.
    pub(super) fn over(self, under: Self) -> Self {
        Self {
            base_instances: self.base_instances.or(under.base_instances),
            on_demand_percent: self.on_demand_percent.or(under.on_demand_percent),
            checkpoint_minutes: self.checkpoint_minutes.or(under.checkpoint_minutes),
            restart_minutes: self.restart_minutes.or(under.restart_minutes),
            job_hours: self.job_hours.or(under.job_hours),
            availability_percent: self.availability_percent.or(under.availability_percent),
            interruptions_per_day: self.interruptions_per_day.or(under.interruptions_per_day),
            rules: self.rules.or(under.rules),
        }
    }
}

impl SpotConfig {
    /// From checked values. What is not set has burntop's own figures.
    pub(super) fn of(said: SpotSection) -> Self {
        let default = SpotRules::default();
        let assume = &default.assume;
        let section = SpotSection {
            base_instances: said.base_instances.or(Some(default.base_instances)),
            on_demand_percent: said.on_demand_percent.or(Some(default.on_demand_percent)),
            checkpoint_minutes: said.checkpoint_minutes.or(Some(minutes(assume.checkpoint_hours))),
            restart_minutes: said.restart_minutes.or(Some(minutes(assume.restart_hours))),
            job_hours: said.job_hours.or(Some(assume.job_hours)),
            availability_percent: said.availability_percent.or(Some(percent(assume.availability))),
            interruptions_per_day: said
                .interruptions_per_day
                .or(Some(assume.above_20_per_hour * 24.0)),
            rules: said.rules.or(Some(Vec::new())),
        };
        Self { section }
    }

    /// Back to the form of the file.
    pub(super) fn section(&self) -> SpotSection {
        self.section.clone()
    }

    /// What is judged by. Which tags say what kind of work runs is told by `[gpus.workload]`.
    pub fn rules(&self, workload: &WorkloadSection) -> SpotRules {
        let said = &self.section;
        let default = SpotRules::default();
        let assume = default.assume;
        SpotRules {
            own: said.rules.iter().flatten().map(rule).collect(),
            workload_tags: workload.tags.clone().unwrap_or(default.workload_tags),
            assume: Assumptions {
                checkpoint_hours: hours(said.checkpoint_minutes).unwrap_or(assume.checkpoint_hours),
                restart_hours: hours(said.restart_minutes).unwrap_or(assume.restart_hours),
                job_hours: said.job_hours.unwrap_or(assume.job_hours),
                availability: share(said.availability_percent).unwrap_or(assume.availability),
                above_20_per_hour: said
                    .interruptions_per_day
                    .map_or(assume.above_20_per_hour, |n| n / 24.0),
            },
            base_instances: said.base_instances.unwrap_or(default.base_instances),
            on_demand_percent: said.on_demand_percent.unwrap_or(default.on_demand_percent),
        }
    }
}

fn rule(section: &SpotRuleSection) -> SpotRule {
    let tag = section.tag.as_deref().and_then(|tag| tag.split_once('='));
    SpotRule {
        tag: tag.map(|(key, value)| (key.trim().to_owned(), Pattern::new(value.trim()))),
        name: section.name.as_deref().map(Pattern::new),
        fit: section.fit.fit(),
        why: section.why.as_deref().map(Into::into),
        checkpoint_hours: hours(section.checkpoint_minutes),
        restart_hours: hours(section.restart_minutes),
        availability: share(section.availability_percent),
    }
}

fn hours(minutes: Option<f64>) -> Option<f64> {
    minutes.map(|m| m / 60.0)
}

fn share(percent: Option<f64>) -> Option<f64> {
    percent.map(|p| p / 100.0)
}

/// Rounded to what anybody would write.
fn minutes(hours: f64) -> f64 {
    (hours * 60.0 * 1e6).round() / 1e6
}

fn percent(share: f64) -> f64 {
    (share * 100.0 * 1e6).round() / 1e6
}

/// What is wrong with the section: the key below `spot.` and the reason.
pub(super) fn problems(section: &SpotSection) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let odd = |value: &str| unusable_name(value).is_some();
    for (i, rule) in section.rules.iter().flatten().enumerate() {
        let mut bad = |key: &str, why: String| out.push((format!("rules[{i}]{key}"), why));
        if rule.tag.is_none() && rule.name.is_none() {
            bad("", "it speaks of nothing; set `tag` or `name`".into());
        }
        if let Some(tag) = &rule.tag {
            let parts = tag.split_once('=');
            if parts.is_none_or(|(key, value)| odd(key) || odd(value)) {
                let tag = text::clean(tag);
                bad(".tag", format!("\"{tag}\" is no rule; accepted: `key=value`"));
            }
        }
        for (key, value) in [(".name", &rule.name), (".why", &rule.why)] {
            if value.as_deref().is_some_and(odd) {
                bad(key, "it is empty or contains control characters".into());
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(text: &str) -> SpotSection {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn what_cannot_be_is_named_by_its_key() {
        for (text, key) in [
            ("[[rules]]\nfit='yes'", "rules[0]"),
            ("[[rules]]\nname='a'\nfit='no'\n[[rules]]\ntag='a'\nfit='yes'", "rules[1].tag"),
            ("[[rules]]\ntag='a= '\nfit='yes'", "rules[0].tag"),
            ("[[rules]]\nname=' '\nfit='yes'", "rules[0].name"),
            ("[[rules]]\nname='a'\nfit='yes'\nwhy=\"\\u001b[2J\"", "rules[0].why"),
        ] {
            let found = problems(&section(text));
            assert_eq!(found.iter().map(|(k, _)| k.as_str()).collect::<Vec<_>>(), [key], "{text}");
        }
        let fine = "[[rules]]\ntag='workload=sim-*'\nname='*'\nfit='partial'\nwhy='so'";
        assert_eq!(problems(&section(fine)), []);
        assert!(toml::from_str::<SpotSection>("[[rules]]\nname='a'\nfit='unknown'").is_err());
    }

    #[test]
    fn rules_are_what_the_file_says() {
        let config = SpotConfig::of(section(
            "base_instances = 1\navailability_percent = 90.0\ninterruptions_per_day = 12.0\n\
             checkpoint_minutes = 30.0\n\
             [[rules]]\ntag = 'Workload = Sim-*'\nfit = 'yes'\nrestart_minutes = 3.0\n\
             [[rules]]\nname = 'web-*'\nfit = 'partial'\nwhy = 'stateless'",
        ));
        let tags =
            WorkloadSection { tags: Some(vec!["kind".into()]), ..WorkloadSection::default() };
        let rules = config.rules(&tags);
        assert_eq!(rules.workload_tags, ["kind"]);
        assert_eq!((rules.base_instances, rules.on_demand_percent), (1, 30));
        assert_eq!((rules.assume.availability, rules.assume.above_20_per_hour), (0.9, 0.5));
        assert_eq!((rules.assume.checkpoint_hours, rules.assume.restart_hours), (0.5, 0.25));
        let [sim, web] = rules.own.as_slice() else { panic!("{:?}", rules.own) };
        assert_eq!(sim.tag, Some(("Workload".to_owned(), Pattern::new("sim-*"))));
        assert_eq!((sim.fit, sim.restart_hours), (SpotFit::Yes, Some(0.05)));
        assert_eq!((web.fit, web.why.as_deref()), (SpotFit::Partial, Some("stateless")));
    }

    #[test]
    fn without_a_section_the_defaults_hold_and_are_spelled_out() {
        let none = SpotConfig::of(SpotSection::default());
        assert_eq!(none.rules(&WorkloadSection::default()), SpotRules::default());
        let spelled = none.section();
        assert_eq!(spelled.checkpoint_minutes, Some(5.0));
        assert_eq!(spelled.availability_percent, Some(70.0));
        assert_eq!(spelled.interruptions_per_day, Some(1.0));
        let upper = section("job_hours = 2.0\n[[rules]]\nname='a'\nfit='no'");
        let lower = section("job_hours = 9.0\nbase_instances = 4\n[[rules]]\nname='b'\nfit='yes'");
        let merged = SpotConfig::of(upper.over(lower)).section();
        assert_eq!((merged.job_hours, merged.base_instances), (Some(2.0), Some(4)));
        assert_eq!(merged.rules.unwrap().len(), 1, "rules are replaced as a whole");
        // What is printed reads back as the same.
        let again = SpotConfig::of(SpotConfig::of(spelled.clone()).section()).section();
        assert_eq!(again, spelled);
    }
}
