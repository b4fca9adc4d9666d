//! What was burnt by day, week or month, as far as it was looked at, and what was verifiably saved.

mod period;
mod saved;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use crate::domain::{BurnDay, Burnt, ByTeam, Hour, add_to_team};
pub use period::{Period, PeriodKind};
pub use saved::{Deed, DeedKind, Inventory, Saved, Standing, saved_usd, verified};

/// What the rows of a trend are told apart by, besides the period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TrendKey {
    /// Nothing: a row per period.
    #[default]
    All,
    /// The account.
    Account,
    /// The team.
    Team,
}

impl TrendKey {
    /// Name on the command line and in JSON; empty for none.
    pub const fn word(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Account => "account",
            Self::Team => "team",
        }
    }
}

/// What was burnt in a period.
#[derive(Clone, Debug, PartialEq)]
pub struct TrendRow {
    /// The period.
    pub period: Period,
    /// Account or team; `None` for everything, and for instances without a team.
    pub key: Option<Arc<str>>,
    /// Sums over the hours that were looked at.
    pub burnt: Burnt,
    /// Hours that an account was looked at, mean of the accounts; 0 where nobody looked.
    pub seen_hours: f64,
    /// Hours of the period until now.
    pub hours: f64,
    /// Mean rates while it was looked at, per hour, each account by its own time; `None` where an account was not.
    pub mean: Option<Burnt>,
    /// What was saved in the period at list price, USD, verified; `None` where that is not known.
    pub saved_usd: Option<f64>,
}

/// Instance-hours that are none but for rounding.
const NONE: f64 = 1e-9;

/// Dollars of sums; `None` where nothing has a price.
fn usd(of: &Burnt) -> Option<f64> {
    let is_priced = of.instances <= NONE || of.instances - of.unpriced > NONE;
    is_priced.then_some(of.usd)
}

/// Waste of sums, USD; `None` where nothing was judged.
fn waste_usd(of: &Burnt) -> Option<f64> {
    let is_judged = of.instances <= NONE || of.instances - of.unpriced - of.unjudged > NONE;
    is_judged.then_some(of.waste_usd)
}

impl TrendRow {
    /// True where it was looked at.
    pub fn is_seen(&self) -> bool {
        self.seen_hours > 0.0
    }

    /// Share of its hours until now that were looked at, 0–1; `None` of a period that has none yet.
    pub fn coverage(&self) -> Option<f64> {
        (self.hours > 0.0).then(|| (self.seen_hours / self.hours).clamp(0.0, 1.0))
    }

    /// What was burnt while it was looked at, USD; `None` where nobody looked, and where nothing had a price.
    pub fn usd(&self) -> Option<f64> {
        self.is_seen().then(|| usd(&self.burnt)).flatten()
    }

    /// What of it was waste, USD; `None` where nobody looked, and where nothing was judged.
    pub fn waste_usd(&self) -> Option<f64> {
        self.is_seen().then(|| waste_usd(&self.burnt)).flatten()
    }

    /// Waste ÷ burn, 0–1; `None` where either is not known, or nothing burnt.
    pub fn waste_share(&self) -> Option<f64> {
        let usd = self.usd().filter(|usd| *usd > 0.0)?;
        self.waste_usd().map(|waste| waste / usd)
    }

    /// Mean burn while it was looked at, USD/h.
    pub fn usd_per_hour(&self) -> Option<f64> {
        self.mean.as_ref().and_then(usd)
    }

    /// Mean waste while it was looked at, USD/h.
    pub fn waste_usd_per_hour(&self) -> Option<f64> {
        self.mean.as_ref().and_then(waste_usd)
    }

    /// GPU equivalents that ran in the mean while it was looked at.
    pub fn gpus(&self) -> Option<f64> {
        self.mean.as_ref().map(|mean| mean.gpus)
    }
}

/// What one account burnt in a period, and how long it was looked at, hours.
#[derive(Default)]
struct OfAccount {
    hours: f64,
    teams: ByTeam,
}

impl OfAccount {
    fn all(&self) -> Burnt {
        let mut sum = Burnt::default();
        self.teams.iter().for_each(|(_, team)| sum.add(team, 1.0));
        sum
    }
}

/// The accounts of some days that were looked at.
pub fn accounts(days: &[BurnDay]) -> BTreeSet<Arc<str>> {
    days.iter().filter(|day| day.seen.for_ms > 0).map(|day| day.account.clone()).collect()
}

/// Rows of all periods from the first day that is kept until now, oldest first; periods that nobody looked at have a
/// row with nothing known (none by team). `saved` is what was done and what became of it; `None` where that is not known.
pub fn trend(
    days: &[BurnDay],
    kind: PeriodKind,
    key: TrendKey,
    saved: Option<&[Saved]>,
    now: Timestamp,
) -> Vec<TrendRow> {
    let today = Hour::containing(now).day();
    let first = days.iter().filter(|day| day.seen.for_ms > 0).map(|day| day.day).min();
    let Some(first) = first.filter(|first| *first <= today) else { return Vec::new() };
    let all = accounts(days);
    let mut rows = Vec::new();
    let mut period = Period::containing(kind, first);
    while period.from <= today {
        rows.extend(rows_of(days, &all, period, key, saved, now));
        period = period.after();
    }
    rows
}

/// The row of one period over all accounts.
pub fn of_period(
    days: &[BurnDay],
    period: Period,
    saved: Option<&[Saved]>,
    now: Timestamp,
) -> TrendRow {
    let mut rows = rows_of(days, &accounts(days), period, TrendKey::All, saved, now);
    rows.pop().unwrap_or_else(|| row(period, None, &[], saved_usd(&[], period), now))
}

/// The rows of one period by team, the costliest first.
pub fn teams_of_period(days: &[BurnDay], period: Period, now: Timestamp) -> Vec<TrendRow> {
    let mut rows = rows_of(days, &accounts(days), period, TrendKey::Team, None, now);
    rows.sort_by(|a, b| b.burnt.usd.total_cmp(&a.burnt.usd).then_with(|| a.key.cmp(&b.key)));
    rows
}

fn rows_of(
    days: &[BurnDay],
    accounts: &BTreeSet<Arc<str>>,
    period: Period,
    key: TrendKey,
    saved: Option<&[Saved]>,
    now: Timestamp,
) -> Vec<TrendRow> {
    let mut of: BTreeMap<&Arc<str>, OfAccount> =
        accounts.iter().map(|account| (account, OfAccount::default())).collect();
    for day in days.iter().filter(|day| period.has(day.day)) {
        let Some(sum) = of.get_mut(&day.account) else { continue };
        sum.hours += day.seen_hours();
        for (team, burnt) in &day.seen.teams {
            add_to_team(&mut sum.teams, team.as_ref(), burnt, 1.0);
        }
    }
    match key {
        TrendKey::All => {
            let parts: Vec<(f64, Burnt)> = of.values().map(|sum| (sum.hours, sum.all())).collect();
            vec![row(period, None, &parts, saved.and_then(|saved| saved_usd(saved, period)), now)]
        }
        TrendKey::Account => of
            .iter()
            .map(|(account, sum)| {
                let own = saved.map(|saved| {
                    let is_own = |saved: &&Saved| saved.deed.account == **account;
                    saved.iter().filter(is_own).cloned().collect::<Vec<_>>()
                });
                let own = own.and_then(|own| saved_usd(&own, period));
                row(period, Some((*account).clone()), &[(sum.hours, sum.all())], own, now)
            })
            .collect(),
        TrendKey::Team => {
            let teams: BTreeSet<Option<Arc<str>>> = of
                .values()
                .flat_map(|sum| sum.teams.iter().map(|(team, _)| team.clone()))
                .collect();
            let of_team = |team: Option<Arc<str>>| {
                let burnt = |sum: &OfAccount| {
                    let own = sum.teams.iter().find(|(known, _)| *known == team);
                    (sum.hours, own.map(|(_, burnt)| *burnt).unwrap_or_default())
                };
                let parts: Vec<(f64, Burnt)> = of.values().map(burnt).collect();
                row(period, team.clone(), &parts, None, now)
            };
            teams.into_iter().map(of_team).collect()
        }
    }
}

/// A row of what accounts burnt, each with the hours that it was looked at.
fn row(
    period: Period,
    key: Option<Arc<str>>,
    parts: &[(f64, Burnt)],
    saved_usd: Option<f64>,
    now: Timestamp,
) -> TrendRow {
    let (mut burnt, mut mean, mut hours) = (Burnt::default(), Burnt::default(), 0.0);
    for (seen, of) in parts {
        burnt.add(of, 1.0);
        hours += seen;
        if *seen > 0.0 {
            mean.add(of, 1.0 / seen);
        }
    }
    let is_whole = !parts.is_empty() && parts.iter().all(|(seen, _)| *seen > 0.0);
    TrendRow {
        period,
        key,
        burnt,
        seen_hours: if parts.is_empty() { 0.0 } else { hours / parts.len() as f64 },
        hours: period.hours_of(period.begins(), now),
        mean: is_whole.then_some(mean),
        saved_usd,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::BurnStep;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn burnt(usd: f64, waste_usd: f64) -> Burnt {
        Burnt { usd, waste_usd, gpus: 8.0, instances: 1.0, ..Burnt::default() }
    }

    /// A day on which an account was looked at from midnight on, with the rates of its teams.
    fn day(account: &str, date: &str, hours: i64, teams: &[(&str, Burnt)]) -> BurnDay {
        let from = at(&format!("{date}T00:00:00Z"));
        let rates: ByTeam = teams
            .iter()
            .map(|(team, burnt)| ((!team.is_empty()).then(|| Arc::from(*team)), *burnt))
            .collect();
        let mut day = BurnDay::new(Hour::containing(from).day(), account.into());
        day.add(&BurnStep {
            account: account.into(),
            from_ms: from.as_millisecond(),
            to_ms: from.as_millisecond() + hours * 3_600_000,
            rates: rates.into(),
        });
        day
    }

    fn is(value: Option<f64>, wanted: f64) -> bool {
        value.is_some_and(|value| (value - wanted).abs() < 1e-9)
    }

    #[test]
    fn only_hours_that_were_looked_at_are_in_a_sum_and_coverage_says_how_many() {
        // Ten hours of $3/h and six of $5/h: $60 of 16 hours; of 48 hours that is a third.
        let days = [
            day("1", "2026-11-23", 10, &[("a", burnt(3.0, 1.0))]),
            day("1", "2026-11-24", 6, &[("a", burnt(5.0, 1.0))]),
        ];
        let now = at("2026-11-25T00:00:00Z");
        let rows = trend(&days, PeriodKind::Week, TrendKey::All, Some(&[]), now);
        assert_eq!(rows.len(), 1);
        let week = &rows[0];
        assert!(is(week.usd(), 60.0) && is(week.waste_usd(), 16.0), "{week:?}");
        assert!(is(week.waste_share(), 16.0 / 60.0));
        assert!(is(week.coverage(), 16.0 / 48.0) && is(week.usd_per_hour(), 3.75), "{week:?}");
        assert!(is(week.gpus(), 8.0) && is(week.saved_usd, 0.0));
        let rows = trend(&days, PeriodKind::Day, TrendKey::All, None, now);
        let usd: Vec<Option<f64>> = rows.iter().map(TrendRow::usd).collect();
        assert_eq!(usd, [Some(30.0), Some(30.0), None], "the day that begins was not looked at");
        assert_eq!((rows[2].coverage(), rows[0].saved_usd), (None, None));
    }

    #[test]
    fn a_period_that_nobody_looked_at_is_unknown_and_not_nothing() {
        let days = [
            day("1", "2026-09-30", 24, &[("a", burnt(2.0, 0.0))]),
            day("1", "2026-11-01", 24, &[("a", burnt(2.0, 0.0))]),
        ];
        let now = at("2026-11-02T00:00:00Z");
        let rows = trend(&days, PeriodKind::Month, TrendKey::All, None, now);
        let shown: Vec<_> =
            rows.iter().map(|r| (r.period.name(), r.usd(), r.waste_usd())).collect();
        assert_eq!(
            shown,
            [
                ("2026-09".to_owned(), Some(48.0), Some(0.0)),
                ("2026-10".to_owned(), None, None),
                ("2026-11".to_owned(), Some(48.0), Some(0.0)),
            ]
        );
        assert!(is(rows[1].coverage(), 0.0) && rows[1].usd_per_hour().is_none());
        assert!(trend(&[], PeriodKind::Day, TrendKey::All, None, now).is_empty());
    }

    #[test]
    fn a_mean_needs_all_accounts_and_a_sum_without_any_price_is_unknown() {
        let unpriced = Burnt { instances: 2.0, unpriced: 2.0, gpus: 1.0, ..Burnt::default() };
        let unjudged = Burnt { usd: 4.0, instances: 1.0, unjudged: 1.0, ..Burnt::default() };
        let days = [
            day("1", "2026-11-23", 24, &[("a", burnt(3.0, 1.0))]),
            day("2", "2026-11-23", 12, &[("b", unpriced)]),
            day("1", "2026-11-24", 24, &[("a", unjudged)]),
        ];
        let now = at("2026-11-25T00:00:00Z");
        let rows = trend(&days, PeriodKind::Day, TrendKey::All, None, now);
        // 24 and 12 hours of two accounts are 18 in the mean.
        assert!(is(rows[0].coverage(), 0.75) && is(rows[0].usd_per_hour(), 3.0), "{:?}", rows[0]);
        assert!(is(rows[0].gpus(), 9.0));
        assert!(rows[1].usd_per_hour().is_none() && is(rows[1].usd(), 96.0), "{:?}", rows[1]);
        assert_eq!(rows[1].waste_usd(), None, "nothing was judged");
        let of = trend(&days, PeriodKind::Day, TrendKey::Account, None, now);
        let keys: Vec<_> = of.iter().map(|row| (row.key.as_deref().unwrap(), row.usd())).collect();
        assert_eq!(keys[..4], [("1", Some(72.0)), ("2", None), ("1", Some(96.0)), ("2", None)]);
    }

    #[test]
    fn teams_add_up_to_everything() {
        let days = [
            day("1", "2026-11-23", 24, &[("a", burnt(3.0, 1.0)), ("", burnt(1.0, 1.0))]),
            day("2", "2026-11-24", 12, &[("a", burnt(2.0, 0.5)), ("b", burnt(9.0, 0.0))]),
        ];
        let now = at("2026-11-30T00:00:00Z");
        let week = Period::last_whole(PeriodKind::Week, now);
        let teams = teams_of_period(&days, week, now);
        let shown: Vec<_> = teams.iter().map(|t| (t.key.as_deref(), t.usd().unwrap())).collect();
        // b: 12 × 9; a: 24 × 3 + 12 × 2; without: 24 × 1.
        assert_eq!(shown, [(Some("b"), 108.0), (Some("a"), 96.0), (None, 24.0)]);
        let sum: f64 = shown.iter().map(|(_, usd)| usd).sum();
        assert!(is(of_period(&days, week, None, now).usd(), sum));
        assert!(of_period(&[], week, None, now).usd().is_none());
    }
}
