//! What engineers and tools cost that keep the infrastructure running, and what automation would return of it.

use std::sync::Arc;

use crate::domain::bill::Usd;

/// What engineers spend time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Activity {
    /// Getting machines, clusters and access ready.
    Provisioning,
    /// What breaks.
    Incidents,
    /// Tools that are built and kept running.
    Tooling,
    /// Keeping the bill small.
    CostWork,
    /// Making things faster.
    Performance,
    /// Hours of the whole that no activity is said to take.
    Rest,
}

impl Activity {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 6] = [
        Self::Provisioning,
        Self::Incidents,
        Self::Tooling,
        Self::CostWork,
        Self::Performance,
        Self::Rest,
    ];

    /// Their words, in the order of [`Self::ALL`].
    pub const WORDS: [&'static str; 6] =
        ["provisioning", "incidents", "tooling", "cost_work", "performance", "rest"];

    /// Word in JSON, CSV and the configuration.
    pub const fn word(self) -> &'static str {
        Self::WORDS[self as usize]
    }

    /// Share of the time that the published example gives it, percent.
    pub const fn published_percent(self) -> u64 {
        match self {
            Self::Provisioning => 25,
            Self::Incidents | Self::Tooling | Self::Performance => 20,
            Self::CostWork => 15,
            Self::Rest => 0,
        }
    }
}

/// Parts of an hour that a month's hours are counted in: thousandths of engineers, 1/100,000 of their hours a week, and the
/// twelve of 52/12 weeks a month.
const PARTS: u64 = 1_000 * 100_000 * 12;

/// Parts of a whole that shares are counted in.
const WHOLE: u64 = 1_000_000;

/// Hours a month, exact for decimals as they are typed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct MonthHours(u64);

impl MonthHours {
    /// Hours a month of `engineers`, each with `per_week` hours: 52/12 weeks. Counted to a thousandth of an engineer and to
    /// 1/100,000 hour.
    pub fn of_week(engineers: f64, per_week: f64) -> Self {
        let parts = in_parts(engineers, 1e3).saturating_mul(in_parts(per_week, 1e5));
        Self(parts.saturating_mul(52))
    }

    /// Hours a month, to a thousandth.
    pub fn of_month(hours: f64) -> Self {
        Self(in_parts(hours, 1e3).saturating_mul(PARTS / 1_000))
    }

    /// A share of them, 0–1, to a millionth.
    #[must_use]
    pub fn part(self, share: f64) -> Self {
        let by = u128::from(in_parts(share, WHOLE as f64));
        let part = u128::from(self.0) * by / u128::from(WHOLE);
        Self(u64::try_from(part).unwrap_or(u64::MAX))
    }

    /// `percent` of them.
    #[must_use]
    pub const fn percent(self, percent: u64) -> Self {
        Self(self.0 / 100 * percent + self.0 % 100 * percent / 100)
    }

    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// What is left without the other; `None` where that is more.
    pub fn without(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }

    /// The nearest binary number.
    pub fn to_f64(self) -> f64 {
        self.0 as f64 / PARTS as f64
    }

    /// What they cost, to ten decimal places.
    pub const fn cost(self, usd_per_hour: Usd) -> Usd {
        usd_per_hour.prorated(self.0, PARTS)
    }
}

/// A quantity in whole parts; nothing for what is negative or no number.
fn in_parts(quantity: f64, parts: f64) -> u64 {
    // A cast of a binary number saturates, and makes 0 of what is none.
    (quantity * parts).round() as u64
}

/// A tool that is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: Arc<str>,
    /// Licence, US dollars a month; `None` where not said.
    pub licence: Option<Usd>,
    /// Hours a month that it takes to keep it running; `None` where not said.
    pub hours: Option<MonthHours>,
}

/// Time and tools of a month.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct People {
    /// Loaded cost of an hour; `None` where not said.
    pub usd_per_hour: Option<Usd>,
    /// Number of engineers; `None` where not said.
    pub engineers: Option<f64>,
    /// Hours a month by activity, those of tools among them under tooling.
    pub hours: Vec<(Activity, MonthHours)>,
    /// True where they are divided by the published example.
    pub is_published: bool,
    /// Tools that are kept.
    pub tools: Vec<Tool>,
    /// Share of the hours of an activity that automation would return, 0–1.
    pub returned: Vec<(Activity, f64)>,
    /// What the automation would cost once; `None` where not said.
    pub automation_once: Option<Usd>,
    /// What the automation would cost a month; `None` where not said.
    pub automation_monthly: Option<Usd>,
}

/// What a row is of.
#[derive(Clone, Debug, PartialEq)]
pub enum Effort {
    /// An activity, without the hours of tools.
    Activity(Activity),
    /// A tool: its hours and its licence.
    Tool(Arc<str>),
}

/// An activity or a tool with what it takes a month.
#[derive(Clone, Debug, PartialEq)]
pub struct EffortRow {
    /// What it is.
    pub of: Effort,
    /// Hours; `None` where not said.
    pub hours: Option<MonthHours>,
    /// What the hours cost; `None` where hours or their price are not said.
    pub people: Option<Usd>,
    /// The licence of a tool; `None` where not said, and of an activity.
    pub licence: Option<Usd>,
    /// Hours that automation would return; `None` where not said.
    pub returned: Option<MonthHours>,
    /// What they cost.
    pub returned_usd: Option<Usd>,
}

impl EffortRow {
    /// What it costs a month, as far as it is known; `None` where nothing is.
    pub fn usd(&self) -> Option<Usd> {
        [self.people, self.licence].into_iter().flatten().reduce(|a, b| a + b)
    }

    /// True where hours or licence, or the price of the hours, are not said.
    pub const fn is_partly_known(&self) -> bool {
        let is_tool = matches!(self.of, Effort::Tool(_));
        self.people.is_none() || is_tool && self.licence.is_none()
    }
}

/// When an automation has paid for itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PayBack {
    /// What it returns or what it costs is not known.
    Unknown,
    /// Never: it returns no more than it costs a month.
    Never,
    /// After so many months.
    After(f64),
}

/// Rows with their sums.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Efforts {
    /// Activities, then tools.
    pub rows: Vec<EffortRow>,
    /// What all hours cost.
    pub people: Usd,
    /// All licences.
    pub licences: Usd,
    /// What automation would return a month; `None` where no share is said, or no price of an hour.
    pub returned: Option<Usd>,
    /// What it would cost once; `None` where not said.
    pub once: Option<Usd>,
    /// What it would cost a month; `None` where not said.
    pub monthly: Option<Usd>,
}

impl Efforts {
    /// What all rows cost.
    pub fn usd(&self) -> Usd {
        self.people + self.licences
    }

    /// When the automation has paid for itself.
    pub fn pay_back(&self) -> PayBack {
        let (Some(returned), Some(once)) = (self.returned, self.once) else {
            return PayBack::Unknown;
        };
        let net = returned - self.monthly.unwrap_or_default();
        if net.is_zero() || net.is_negative() {
            return PayBack::Never;
        }
        PayBack::After(once.to_f64() / net.to_f64())
    }
}

/// What each activity and each tool takes a month. Hours of tools are taken from those of tooling, where any are said; more
/// than these the configuration does not let pass.
pub fn efforts(of: &People) -> Efforts {
    let tools: MonthHours =
        of.tools.iter().filter_map(|tool| tool.hours).fold(MonthHours::default(), MonthHours::plus);
    let cost = |hours: Option<MonthHours>| Some(hours?.cost(of.usd_per_hour?));
    let mut rows = Vec::new();
    for &(activity, all) in &of.hours {
        let own = if activity == Activity::Tooling { all.without(tools) } else { Some(all) };
        let hours = Some(own.unwrap_or_default());
        let share = of.returned.iter().find(|(of, _)| *of == activity).map(|(_, share)| *share);
        let returned = hours.zip(share).map(|(hours, share)| hours.part(share));
        rows.push(EffortRow {
            of: Effort::Activity(activity),
            hours,
            people: cost(hours),
            licence: None,
            returned,
            returned_usd: cost(returned),
        });
    }
    rows.extend(of.tools.iter().map(|tool| EffortRow {
        of: Effort::Tool(tool.name.clone()),
        hours: tool.hours,
        people: cost(tool.hours),
        licence: tool.licence,
        returned: None,
        returned_usd: None,
    }));
    Efforts {
        people: rows.iter().filter_map(|row| row.people).sum(),
        licences: rows.iter().filter_map(|row| row.licence).sum(),
        returned: rows.iter().filter_map(|row| row.returned_usd).reduce(|a, b| a + b),
        once: of.automation_once,
        monthly: of.automation_monthly,
        rows,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn published(engineers: f64, per_week: f64) -> Vec<(Activity, MonthHours)> {
        let all = MonthHours::of_week(engineers, per_week);
        Activity::ALL[..5].iter().map(|of| (*of, all.percent(of.published_percent()))).collect()
    }

    fn tool(name: &str, licence: i64, hours: f64) -> Tool {
        Tool {
            name: name.into(),
            licence: Some(Usd::whole(licence)),
            hours: Some(MonthHours::of_month(hours)),
        }
    }

    #[test]
    fn the_published_example_is_the_whole() {
        let all: u64 = Activity::ALL.iter().map(|of| of.published_percent()).sum();
        assert_eq!(all, 100);
    }

    #[test]
    fn three_engineers_with_twelve_hours_are_156_hours_a_month() {
        let of = People {
            usd_per_hour: Some(Usd::whole(100)),
            engineers: Some(3.0),
            hours: published(3.0, 12.0),
            tools: vec![tool("prometheus", 0, 10.0), tool("grafana", 500, 5.2)],
            returned: vec![(Activity::Incidents, 0.5), (Activity::Tooling, 0.25)],
            automation_once: Some(Usd::whole(19_600)),
            ..People::default()
        };
        let found = efforts(&of);
        // 3 × 12 × 52 ÷ 12 = 156 h: 39, 31.2, 31.2 − 15.2, 23.4, 31.2, and the two tools.
        let hours: Vec<f64> = found.rows.iter().map(|row| row.hours.unwrap().to_f64()).collect();
        assert_eq!(hours, [39.0, 31.2, 16.0, 23.4, 31.2, 10.0, 5.2]);
        assert_eq!(found.people, Usd::whole(15_600));
        assert_eq!((found.licences, found.usd()), (Usd::whole(500), Usd::whole(16_100)));
        // Half of 31.2 h and a quarter of 16 h.
        assert_eq!(found.returned, Some(Usd::whole(1_960)));
        assert_eq!(found.pay_back(), PayBack::After(10.0));
        let dear = People { automation_monthly: Some(Usd::whole(1_960)), ..of };
        assert_eq!(efforts(&dear).pay_back(), PayBack::Never);
    }

    #[test]
    fn what_is_not_said_is_not_nothing() {
        let of = People {
            engineers: Some(1.0),
            hours: published(1.0, 10.0),
            tools: vec![Tool { name: "x".into(), licence: None, hours: None }],
            automation_once: Some(Usd::whole(1)),
            ..People::default()
        };
        let found = efforts(&of);
        assert!(found.rows.iter().all(|row| row.usd().is_none() && row.is_partly_known()));
        assert!(found.rows.iter().all(|row| row.returned.is_none()));
        assert_eq!(found.rows[5].hours, None);
        assert_eq!(found.pay_back(), PayBack::Unknown);
    }

    proptest! {
        #[test]
        fn rows_are_all_hours_and_cost_what_they_cost(
            engineers in 1_u32..50_000, week in 1_u32..16_800, rate in 1_i64..500,
            tools in proptest::collection::vec(0_u32..2_000, 0..4),
        ) {
            let (engineers, week) = (f64::from(engineers) / 1000.0, f64::from(week) / 100.0);
            let of = People {
                usd_per_hour: Some(Usd::whole(rate)),
                engineers: Some(engineers),
                hours: published(engineers, week),
                tools: tools.iter().map(|h| tool("t", 7, f64::from(*h) / 1000.0)).collect(),
                ..People::default()
            };
            let all = engineers * week * 52.0 / 12.0;
            let kept: f64 = tools.iter().map(|h| f64::from(*h) / 1000.0).sum();
            prop_assume!(kept <= all * 0.2);
            let found = efforts(&of);
            let sum: f64 = found.rows.iter().map(|row| row.hours.unwrap().to_f64()).sum();
            prop_assert!((sum - all).abs() < 1e-6 * all.max(1.0), "{sum} {all}");
            let usd = found.people.to_f64();
            prop_assert!((usd - all * rate as f64).abs() < 1e-5 * (all * rate as f64).max(1.0));
            let rows: Usd = found.rows.iter().filter_map(EffortRow::usd).sum();
            prop_assert_eq!(rows, found.usd());
        }
    }
}
