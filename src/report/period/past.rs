//! What was burnt and saved in the period, beside the one before it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::section::{Part, figure, left, right};
use super::{PeriodReport, TrendOf};
use crate::act::plan::OutcomeKind;
use crate::analyze::trend::{
    Period, PeriodKind, Saved, Standing, TrendKey, TrendRow, of_period, teams_of_period, trend,
};
use crate::report::html::{Bar, Chart};
use crate::report::sheet::Cell;
use crate::report::{List, acting::Run};
use crate::tabs::overview::picture::{TrendField, trend_rows};
use crate::view::{Value, ViewContext, format};

/// Periods of the chart that goes further back.
const PERIODS: usize = 12;
/// Most days of a month.
const DAYS: usize = 31;
/// Teams that are named.
const TEAMS: usize = 20;
/// Columns of the periods.
const COLUMNS: [TrendField; 7] = [
    TrendField::Period,
    TrendField::Burn,
    TrendField::Waste,
    TrendField::WasteShare,
    TrendField::Rate,
    TrendField::Saved,
    TrendField::Coverage,
];

/// What one line of the spend tells of a period.
type Get = fn(&TrendRow) -> Option<f64>;
/// A line of the spend: name, label, what, how it is written.
type Line = (&'static str, &'static str, Get, fn(f64) -> String);

/// The lines of the spend.
const SPEND: [Line; 7] = [
    ("burn_usd", "burn in the hours seen", TrendRow::usd, format::usd),
    ("waste_usd", "of it waste", TrendRow::waste_usd, format::usd),
    ("waste_share", "waste by burn", TrendRow::waste_share, share),
    ("usd_per_hour", "burn, mean rate", TrendRow::usd_per_hour, format::usd_per_hour),
    ("waste_usd_per_hour", "waste, mean rate", TrendRow::waste_usd_per_hour, format::usd_per_hour),
    ("gpus", "GPUs, mean", TrendRow::gpus, gpus),
    ("saved_usd", "saved, verified", |row| row.saved_usd, format::usd),
];

fn share(share: f64) -> String {
    format::share(share, 1)
}

fn gpus(gpus: f64) -> String {
    format::grouped(gpus, 1)
}

/// What came to a figure, as a share of it before; `None` where either is not known, or before was nothing.
fn change(now: Option<f64>, before: Option<f64>) -> Option<f64> {
    let before = before.filter(|before| *before > 0.0)?;
    now.map(|now| (now - before) / before)
}

fn changed(share: f64) -> String {
    let sign = if share > 0.0 { "+" } else { "" };
    format!("{sign}{}", format::share(share, 1))
}

impl PeriodReport {
    /// The period and the one before it.
    fn both(&self, ctx: &ViewContext) -> [TrendRow; 2] {
        let saved = self.done.saved.as_deref();
        [self.period, self.period.before()]
            .map(|period| of_period(&self.days, period, saved, ctx.now))
    }

    /// Which hours the figures are of.
    pub(super) fn coverage(&self, ctx: &ViewContext) -> Part {
        let columns = vec![
            left("name", "NAME"),
            left("period", "PERIOD"),
            left("from", "FROM"),
            left("to", "TO"),
            right("seen_hours", "SEEN"),
            right("hours", "HOURS"),
            right("coverage", "COVERED"),
        ];
        let both = self.both(ctx);
        let cells = |(name, row): (&str, &TrendRow)| {
            vec![
                Cell::text(name),
                Cell::text(row.period.name()),
                Cell::text(row.period.first_day().to_string()),
                Cell::text(row.period.last_day().to_string()),
                figure(Some(row.seen_hours), ctx, |hours| format::grouped(hours, 1)),
                figure(Some(row.hours), ctx, |hours| format::grouped(hours, 1)),
                figure(row.coverage(), ctx, share),
            ]
        };
        let rows = ["this", "before"].into_iter().zip(&both).map(cells).collect();
        let mut part = Part::named("period", "Period and coverage").table(columns, rows);
        for row in both.iter().filter(|row| !row.is_seen()) {
            let name = row.period.name();
            part = part.saying(&format!("! nobody looked in {name}: what burnt then is not known"));
        }
        part
    }

    /// The figures of the period.
    pub(super) fn spend(&self, ctx: &ViewContext) -> Part {
        let columns = vec![
            left("name", "WHAT"),
            right("value", "THIS"),
            right("before", "BEFORE"),
            right("change", "CHANGE"),
        ];
        let [this, before] = self.both(ctx);
        let cells = |(name, label, get, shown): Line| {
            let (now, then) = (get(&this), get(&before));
            vec![
                Cell { shown: label.to_owned(), value: Value::Text(name.into()) },
                figure(now, ctx, shown),
                figure(then, ctx, shown),
                figure(change(now, then), ctx, changed),
            ]
        };
        let rows = SPEND.into_iter().map(cells).collect();
        let part = Part::named("spend", "Spend and waste").table(columns, rows);
        match (this.coverage(), before.coverage()) {
            (Some(a), Some(b)) if (a - b).abs() >= 0.05 => part.saying(
                "the two were not looked at for the same share of their hours: compare the mean rates, not the sums",
            ),
            _ => part,
        }
    }

    fn trend_part(
        &self,
        part: Part,
        kind: PeriodKind,
        is_shown: impl Fn(Period) -> bool,
        ctx: &ViewContext,
    ) -> Part {
        let saved = self.done.saved.as_deref();
        let mut rows = trend(&self.days, kind, TrendKey::All, saved, ctx.now);
        rows.retain(|row| is_shown(row.period));
        let rows: Vec<TrendRow> = rows.split_off(rows.len().saturating_sub(DAYS));
        let bar = |row: &TrendRow| Bar {
            name: row.period.name(),
            usd: row.usd(),
            waste_usd: row.waste_usd(),
        };
        let title = part.title.to_owned();
        let chart = Chart { title, bars: rows.iter().map(bar).collect() };
        let of = TrendOf { kind, ..self.done.clone() };
        let columns = COLUMNS.to_vec();
        let list =
            List { columns, is_exact: true, ..List::of(trend_rows(rows).to_vec(), None, of) };
        let part = part.list(&list, ctx);
        Part { chart: Some(chart), notes: Vec::new(), ..part }
    }

    /// Each day of the period.
    pub(super) fn by_day(&self, ctx: &ViewContext) -> Part {
        let part = Part::named("day", "By day: burn, and of it waste, USD in the hours seen");
        self.trend_part(part, PeriodKind::Day, |day| self.period.has(day.from), ctx)
    }

    /// The period and those before it.
    pub(super) fn periods(&self, ctx: &ViewContext) -> Part {
        let part = Part::named("trend", "Trend: burn, and of it waste, USD in the hours seen");
        let kind = self.period.kind;
        let mut first = self.period;
        for _ in 1..PERIODS {
            first = first.before();
        }
        let is_shown = |of: Period| first.from <= of.from && of.from <= self.period.from;
        self.trend_part(part, kind, is_shown, ctx)
    }

    /// What saved something in the period, or was undone.
    pub(super) fn saved(&self, ctx: &ViewContext) -> Part {
        let part = Part::named("saved", "Saved in the period, verified by the inventory");
        let columns = vec![
            left("at", "SINCE"),
            left("id", "ID"),
            left("name", "NAME"),
            left("action", "WHAT"),
            left("standing", "NOW"),
            right("saved_usd", "SAVED"),
            right("net_saved_usd", "NET"),
        ];
        let cells = |saved: &Saved| {
            let deed = &saved.deed;
            let is_told = saved.standing == Standing::Stayed;
            let told = |usd: Option<f64>| usd.filter(|_| is_told);
            vec![
                Cell { shown: format!("{:.0}", deed.at), value: Value::Time(deed.at) },
                Cell::text(&*deed.id),
                Cell::text(&*deed.name),
                Cell::text(deed.kind.word()),
                Cell::text(saved.standing.word()),
                figure(told(saved.usd(self.period)), ctx, format::usd),
                figure(told(saved.net_usd(self.period)), ctx, format::usd),
            ]
        };
        let all = self.done.saved.iter().flatten();
        let rows = all.filter(|saved| saved.deed.at < self.period.ends()).map(cells).collect();
        part.table(columns, rows).saying(&self.done.saved_note())
    }

    /// What each team burnt.
    pub(super) fn teams(&self, ctx: &ViewContext) -> Part {
        let columns = vec![
            left("name", "TEAM"),
            right("burn_usd", "BURN"),
            right("waste_usd", "WASTE"),
            right("usd_per_hour", "MEAN $/h"),
            right("before_usd_per_hour", "BEFORE $/h"),
            right("change", "CHANGE"),
        ];
        let before: BTreeMap<Option<Arc<str>>, TrendRow> =
            teams_of_period(&self.days, self.period.before(), ctx.now)
                .into_iter()
                .map(|row| (row.key.clone(), row))
                .collect();
        let now = teams_of_period(&self.days, self.period, ctx.now);
        let cells = |row: &TrendRow| {
            let (rate, then) =
                (row.usd_per_hour(), before.get(&row.key).and_then(TrendRow::usd_per_hour));
            vec![
                Cell::text(row.key.as_deref().unwrap_or("(untagged)")),
                figure(row.usd(), ctx, format::usd),
                figure(row.waste_usd(), ctx, format::usd),
                figure(rate, ctx, |usd| format::grouped(usd, 2)),
                figure(then, ctx, |usd| format::grouped(usd, 2)),
                figure(change(rate, then), ctx, changed),
            ]
        };
        let rows = now.iter().take(TEAMS).map(cells).collect();
        let part = Part::named("team_period", "Teams in the period").table(columns, rows);
        match now.len().saturating_sub(TEAMS) {
            0 => part,
            more => part.saying(&format!("{} more burnt less", format::plural(more, "team"))),
        }
    }

    /// What was done in the period.
    pub(super) fn actions(&self, ctx: &ViewContext) -> Part {
        let part = Part::named("action", "Actions of the period, by the audit log");
        if self.done.saved.is_none() {
            return part.saying(&format!("! not known: {}", self.done.no_log));
        }
        let columns = vec![
            left("at", "WHEN"),
            left("run", "RUN"),
            left("verb", "WHAT"),
            right("rows", "ROWS"),
            right("done", "DONE"),
            right("refused", "REFUSED"),
            right("failed", "FAILED"),
            left("by", "BY"),
        ];
        let count =
            |n: usize| Cell { shown: format::count(n as f64), value: Value::Number(n as f64) };
        let cells = |run: &Run| {
            vec![
                Cell { shown: format!("{:.0}", run.at), value: Value::Time(run.at) },
                Cell::text(run.id.as_str()),
                Cell::text(run.what().unwrap_or_else(|| ctx.symbols.unknown())),
                count(run.size()),
                count(run.count(OutcomeKind::Done)),
                count(run.count(OutcomeKind::Refused)),
                count(run.count(OutcomeKind::Failed)),
                Cell::text(run.who()),
            ]
        };
        let is_of = |run: &&Run| self.period.begins() <= run.at && run.at < self.period.ends();
        let rows: Vec<Vec<Cell>> = self.runs.iter().filter(is_of).map(cells).collect();
        let is_empty = rows.is_empty();
        let part = part.table(columns, rows);
        if is_empty { part.saying("nothing was done") } else { part }
    }
}
