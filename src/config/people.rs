//! `[people]`: time that the infrastructure takes, tools that are kept, and what automation would return.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::validate::unusable_name;
use crate::analyze::teams::{Activity, MonthHours, People, Tool};
use crate::domain::bill::Usd;
use crate::domain::text;

/// Engineering time and tools. A misspelt key is an error: it decides what is cheaper.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PeopleSection {
    /// Engineers who spend time on the infrastructure.
    #[schemars(range(min = 0.0, max = 10_000.0))]
    pub engineers: Option<f64>,
    /// What an hour of them costs, all in, US dollars.
    #[schemars(range(min = 0.0, max = 100_000.0))]
    pub usd_per_hour: Option<f64>,
    /// Hours a week that each of them spends on it.
    #[schemars(range(min = 0.0, max = 168.0))]
    pub hours_per_week: Option<f64>,
    /// What automation would cost once, US dollars.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0))]
    pub automation_usd: Option<f64>,
    /// What automation would cost a month, US dollars.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0))]
    pub automation_usd_per_month: Option<f64>,
    /// Hours a week of each engineer by activity; without it the published example.
    pub hours: HoursSection,
    /// Share of the hours of an activity that automation would return, 0 to 1.
    pub automation: AutomationSection,
    /// Tools that are kept.
    pub tools: Option<Vec<ToolSection>>,
}

/// Hours a week of each engineer by activity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HoursSection {
    /// Getting machines, clusters and access ready.
    #[schemars(range(min = 0.0, max = 168.0))]
    pub provisioning: Option<f64>,
    /// What breaks.
    #[schemars(range(min = 0.0, max = 168.0))]
    pub incidents: Option<f64>,
    /// Tools that are built and kept running; those of `[[people.tools]]` are among them.
    #[schemars(range(min = 0.0, max = 168.0))]
    pub tooling: Option<f64>,
    /// Keeping the bill small.
    #[schemars(range(min = 0.0, max = 168.0))]
    pub cost_work: Option<f64>,
    /// Making things faster.
    #[schemars(range(min = 0.0, max = 168.0))]
    pub performance: Option<f64>,
}

/// Share of the hours of an activity that automation would return, 0 to 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AutomationSection {
    /// Of provisioning.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub provisioning: Option<f64>,
    /// Of incidents.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub incidents: Option<f64>,
    /// Of tooling, without the hours of `[[people.tools]]`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub tooling: Option<f64>,
    /// Of cost work.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub cost_work: Option<f64>,
    /// Of performance work.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub performance: Option<f64>,
}

/// A tool that is kept. A misspelt key is an error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolSection {
    /// Its name.
    pub name: String,
    /// Its licence, US dollars a month.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0))]
    pub usd_per_month: Option<f64>,
    /// Hours a month, of all engineers, that keep it running.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub hours_per_month: Option<f64>,
}

/// Activities that can be named, with their hours or shares.
type ByActivity = Vec<(Activity, f64)>;

fn named(of: [Option<f64>; 5]) -> ByActivity {
    let each = Activity::ALL.into_iter().zip(of);
    each.filter_map(|(activity, value)| Some((activity, value?))).collect()
}

impl HoursSection {
    fn over(self, under: Self) -> Self {
        Self {
            provisioning: self.provisioning.or(under.provisioning),
            incidents: self.incidents.or(under.incidents),
            tooling: self.tooling.or(under.tooling),
            cost_work: self.cost_work.or(under.cost_work),
            performance: self.performance.or(under.performance),
        }
    }

    fn named(&self) -> ByActivity {
        let of = self;
        named([of.provisioning, of.incidents, of.tooling, of.cost_work, of.performance])
    }
}

impl AutomationSection {
    fn over(self, under: Self) -> Self {
        Self {
            provisioning: self.provisioning.or(under.provisioning),
            incidents: self.incidents.or(under.incidents),
            tooling: self.tooling.or(under.tooling),
            cost_work: self.cost_work.or(under.cost_work),
            performance: self.performance.or(under.performance),
        }
    }

    fn named(&self) -> ByActivity {
        let of = self;
        named([of.provisioning, of.incidents, of.tooling, of.cost_work, of.performance])
    }
}

impl PeopleSection {
    /// This layer over `under`.
    pub(super) fn over(self, under: Self) -> Self {
        Self {
            engineers: self.engineers.or(under.engineers),
            usd_per_hour: self.usd_per_hour.or(under.usd_per_hour),
            hours_per_week: self.hours_per_week.or(under.hours_per_week),
            automation_usd: self.automation_usd.or(under.automation_usd),
            automation_usd_per_month: self
                .automation_usd_per_month
                .or(under.automation_usd_per_month),
            hours: self.hours.over(under.hours),
            automation: self.automation.over(under.automation),
            tools: self.tools.or(under.tools),
        }
    }

    /// Hours of an engineer in a week: those that are said as a whole, else the sum of those by activity.
    fn week(&self) -> Option<f64> {
        let by_activity = self.hours.named();
        let sum = (!by_activity.is_empty()).then(|| by_activity.iter().map(|(_, h)| h).sum());
        self.hours_per_week.or(sum)
    }

    /// Hours a month by activity; empty where engineers or hours are not said.
    fn by_activity(&self) -> Vec<(Activity, MonthHours)> {
        let (Some(engineers), Some(week)) = (self.engineers, self.week()) else { return vec![] };
        let all = MonthHours::of_week(engineers, week);
        let own = self.hours.named();
        if own.is_empty() {
            let of = |activity: &Activity| (*activity, all.percent(activity.published_percent()));
            return Activity::ALL.iter().take(5).map(of).collect();
        }
        let of = |(activity, hours)| (activity, MonthHours::of_week(engineers, hours));
        let mut hours: Vec<(Activity, MonthHours)> = own.into_iter().map(of).collect();
        let said = hours.iter().fold(MonthHours::default(), |sum, (_, hours)| sum.plus(*hours));
        let rest = all.without(said).filter(|rest| *rest > MonthHours::default());
        hours.extend(rest.map(|rest| (Activity::Rest, rest)));
        hours
    }
}

/// `[people]`, checked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PeopleConfig(PeopleSection);

impl PeopleConfig {
    /// From checked values.
    pub(super) const fn of(section: PeopleSection) -> Self {
        Self(section)
    }

    /// Back to the form of the file.
    pub(super) fn section(&self) -> PeopleSection {
        self.0.clone()
    }

    /// True where it says neither time nor tools.
    pub fn is_empty(&self) -> bool {
        self.0 == PeopleSection::default()
    }

    /// Time and tools of a month.
    pub fn people(&self) -> People {
        let of = &self.0;
        let usd = |amount: Option<f64>| amount.and_then(Usd::from_f64);
        let hours = of.by_activity();
        let tool = |tool: &ToolSection| Tool {
            name: text::clean(tool.name.trim()).as_ref().into(),
            licence: usd(tool.usd_per_month),
            hours: tool.hours_per_month.map(MonthHours::of_month),
        };
        People {
            usd_per_hour: usd(of.usd_per_hour),
            engineers: of.engineers,
            is_published: !hours.is_empty() && of.hours.named().is_empty(),
            hours,
            tools: of.tools.iter().flatten().map(tool).collect(),
            returned: of.automation.named(),
            automation_once: usd(of.automation_usd),
            automation_monthly: usd(of.automation_usd_per_month),
        }
    }
}

/// What is wrong with `[people]`: the key below `people.` and the reason.
pub(super) fn problems(section: &PeopleSection) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut bad = |key: String, why: String| out.push((key, why));
    let own = section.hours.named();
    let said: f64 = own.iter().map(|(_, hours)| hours).sum();
    let whole = section.hours_per_week.unwrap_or(168.0);
    if said > whole + 1e-9 {
        let (said, whole) = (text_of(said), text_of(whole));
        let why = match section.hours_per_week {
            Some(_) => format!(
                "its activities take {said} h a week, more than the {whole} h of `hours_per_week`"
            ),
            None => format!("its activities take {said} h, more than a week has ({whole} h)"),
        };
        bad("hours".into(), why);
    }
    let has_hours = section.hours_per_week.is_some() || !own.is_empty();
    if section.engineers.is_some() && !has_hours {
        bad(
            "engineers".into(),
            "say how long they work on it as well: `hours_per_week`, or `[people.hours]`".into(),
        );
    }
    if section.engineers.is_none() && has_hours {
        let key = if own.is_empty() { "hours_per_week" } else { "hours" };
        bad(key.into(), "hours are of each engineer: say how many `engineers` there are".into());
    }
    let by_activity = section.by_activity();
    for (activity, _) in section.automation.named() {
        if by_activity.iter().all(|(of, _)| *of != activity) {
            bad(
                format!("automation.{}", activity.word()),
                "there are no hours of it that could be returned".into(),
            );
        }
    }
    let mut names = BTreeSet::new();
    let mut kept = MonthHours::default();
    for (i, tool) in section.tools.iter().flatten().enumerate() {
        if unusable_name(&tool.name).is_some() {
            bad(
                format!("tools[{i}].name"),
                "it is empty or contains control characters".to_owned(),
            );
        } else if !names.insert(tool.name.trim().to_lowercase()) {
            bad(
                format!("tools[{i}].name"),
                format!("two tools are named `{}`", text::clean(&tool.name)),
            );
        }
        if tool.usd_per_month.is_none() && tool.hours_per_month.is_none() {
            bad(
                format!("tools[{i}]"),
                "it takes nothing; say usd_per_month or hours_per_month".into(),
            );
        }
        kept = kept.plus(tool.hours_per_month.map(MonthHours::of_month).unwrap_or_default());
        let tooling = by_activity.iter().find(|(of, _)| *of == Activity::Tooling);
        let room = tooling.map(|(_, hours)| *hours).unwrap_or_default();
        let is_new = tool.hours_per_month.is_some_and(|hours| hours > 0.0);
        if !by_activity.is_empty() && is_new && kept > room {
            let (kept, room) = (text_of(kept.to_f64()), text_of(room.to_f64()));
            bad(
                format!("tools[{i}].hours_per_month"),
                format!(
                    "tools up to this one take {kept} h a month, more than all tooling, which is {room} h: hours of tools \
                     are among those of tooling"
                ),
            );
        }
    }
    out
}

fn text_of(hours: f64) -> String {
    crate::domain::format::count(hours)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::teams::efforts;

    fn section(text: &str) -> PeopleSection {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn what_cannot_be_is_named_by_its_key() {
        for (text, key) in [
            ("engineers = 2", "engineers"),
            ("hours_per_week = 2", "hours_per_week"),
            ("[hours]\ntooling = 2", "hours"),
            ("engineers = 1\nhours_per_week = 9\n[hours]\ntooling = 5\nincidents = 5", "hours"),
            ("engineers = 1\n[hours]\ntooling = 100\nincidents = 100", "hours"),
            (
                "engineers = 1\n[hours]\ntooling = 1\n[automation]\nincidents = 0.5",
                "automation.incidents",
            ),
            ("[[tools]]\nname = 'a'", "tools[0]"),
            ("[[tools]]\nname = ''\nusd_per_month = 1", "tools[0].name"),
            (
                "[[tools]]\nname = 'a'\nusd_per_month = 1\n[[tools]]\nname = 'A'\nusd_per_month = 1",
                "tools[1].name",
            ),
            // 1 × 12 h × 52 ÷ 12 = 52 h, a fifth of it is 10.4 h.
            (
                "engineers = 1\nhours_per_week = 12\n[[tools]]\nname = 'a'\nhours_per_month = 10.4\n\
                 [[tools]]\nname = 'b'\nhours_per_month = 0.1",
                "tools[1].hours_per_month",
            ),
        ] {
            let found = problems(&section(text));
            let keys: Vec<&str> = found.iter().map(|(key, _)| key.as_str()).collect();
            assert_eq!(keys.join(" "), key, "{text}");
        }
        for text in
            ["[hours]\nmeetings = 1", "[automation]\nrest = 1", "[[tools]]\nname = 'a'\nusd = 1"]
        {
            assert!(toml::from_str::<PeopleSection>(text).is_err(), "{text}");
        }
        // Tools alone are of nobody's time.
        assert_eq!(problems(&section("[[tools]]\nname = 'a'\nhours_per_month = 90")), []);
    }

    #[test]
    fn own_hours_go_before_the_example_and_what_is_left_is_the_rest() {
        let text = "engineers = 2\nusd_per_hour = 90.5\nhours_per_week = 18\n[hours]\nincidents = 6\ntooling = 3\n\
                    [automation]\nincidents = 0.5\n[[tools]]\nname = 'a'\nhours_per_month = 6";
        let of = section(text);
        assert_eq!(problems(&of), []);
        let config = PeopleConfig::of(of);
        let people = config.people();
        assert!(!people.is_published);
        let found = efforts(&people);
        let hours: Vec<f64> = found.rows.iter().map(|row| row.hours.unwrap().to_f64()).collect();
        // 2 × 6 × 52 ÷ 12; 2 × 3 × 52 ÷ 12 − 6; 2 × 9 × 52 ÷ 12.
        assert_eq!(hours, [52.0, 20.0, 78.0, 6.0]);
        assert_eq!(found.people.to_string(), "14118");
        assert_eq!(found.returned.map(|usd| usd.to_string()).as_deref(), Some("2353"));
        assert_eq!(PeopleConfig::of(config.section()), config);
        let under = section("engineers = 9\nautomation_usd = 5");
        let both = section("engineers = 2").over(under);
        assert_eq!((both.engineers, both.automation_usd), (Some(2.0), Some(5.0)));
    }
}
