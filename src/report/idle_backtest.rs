//! `burntop idle --backtest`: each preset tried on the kept past.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::page::{Fact, Page};
use super::sheet::{Cell, Column, Sheet};
use super::{Notes, Report, filtered, json, troubles_of};
use crate::analyze::idle::backtest::{Backtest, HELD_HOURS, Outcome, RESTART_HOURS, Spell, Sums};
use crate::domain::{Reading, SourceId};
use crate::fleet::Row;
use crate::view::{Align, Value, ViewContext, format, reasons};

/// Days of which the table of the chosen preset's verdicts tells.
const DAYS: [u32; 7] = [1, 7, 14, 30, 60, 90, 180];
/// Instances that woke up and are named in a cell; files name all.
const NAMED: usize = 3;

/// Contents of `burntop idle --backtest`.
#[derive(Clone, Debug)]
pub struct IdleBacktestReport {
    /// The back-test, of the instances that are shown.
    pub backtest: Backtest,
    /// Name of the preset in force: its verdicts are told day by day.
    pub preset: String,
    /// Filter over the instances, as typed; empty without one.
    pub filter: String,
    /// Readings of all sources.
    pub readings: Vec<Reading>,
}

impl IdleBacktestReport {
    fn page(&self, ctx: &ViewContext) -> Page<'_> {
        let all: Vec<Sums> =
            (0..self.backtest.policies.len()).map(|at| self.backtest.sums(at)).collect();
        let policies = || self.backtest.policies.iter().zip(&all).enumerate();
        let rows = policies().map(|(at, (name, sums))| self.row(at, name, sums)).collect();
        let cells = policies().map(|(at, (name, sums))| self.cells(at, name, sums, ctx)).collect();
        let columns = COLUMNS
            .iter()
            .map(|(name, header, align)| Column { name, header, align: *align })
            .collect();
        let mut notes = self.by_day();
        notes.extend(self.windows());
        notes.extend(policies().filter(|(_, (_, s))| s.oldest_judged.is_none()).map(
            |(_, (name, _))| {
                format!("{name}: too little history: at no moment were enough hours kept")
            },
        ));
        notes.extend(self.left_out(&all));
        notes.push(format!("basis: {}", self.basis()));
        notes.extend(troubles_of(self.rests_on()));
        Page {
            view: self.view(),
            basis: self.basis(),
            readings: &self.readings,
            rows,
            facts: self.facts(ctx),
            sheet: Some(Sheet { columns, rows: cells }),
            notes,
            ..Page::default()
        }
    }

    /// What is kept, and what more would cost: before any figure that rests on it.
    fn facts(&self, ctx: &ViewContext) -> Vec<Fact> {
        let test = &self.backtest;
        let first = test.first_hour();
        let kept = first.map_or_else(
            || ctx.symbols.unknown().to_owned(),
            |hour| {
                let since = hour.start();
                let span = format::span(test.now.duration_since(since).as_secs());
                format!("{span}, since {} UTC", since.strftime("%Y-%m-%d %H:%M"))
            },
        );
        let back = format!(
            "{}, each judged by at most {} before it",
            format::plural(test.days as usize, "day"),
            format::plural(test.window_days as usize, "day"),
        );
        let mut facts = vec![
            Fact::new("history", "history kept", Cell::text(kept)),
            Fact::new("looked_back", "looked back", Cell::text(back)),
        ];
        if test.can_fetch {
            let usd = test.missing_micro_usd as f64 / 1e6;
            let rest = match test.missing_metrics {
                0 => "nothing is missing".to_owned(),
                n => format!(
                    "at most {} metrics, {} of CloudWatch's; --fetch reads them",
                    format::grouped(n as f64, 0),
                    format::usd_spent(usd),
                ),
            };
            facts.push(Fact::new("missing", "hours not kept", Cell::text(rest)));
        }
        facts
    }

    /// The verdicts of the preset in force, some days ago.
    fn by_day(&self) -> Vec<String> {
        let Some(at) = self.backtest.policies.iter().position(|name| *name == self.preset) else {
            return Vec::new();
        };
        let days = DAYS.into_iter().filter(|days| *days <= self.backtest.days);
        let said = |days| reasons::looked_so(&self.backtest.day(at, days)?);
        days.filter_map(said).map(|text| format!("{}: {text}", self.preset)).collect()
    }

    /// How many days before each moment each preset looks at.
    fn windows(&self) -> Option<String> {
        let each = self.backtest.policies.iter().zip(&self.backtest.policy_days);
        let said: Vec<String> = each.map(|(name, days)| format!("{name} {days}d")).collect();
        (!said.is_empty()).then(|| format!("hours before each moment: {}", said.join(", ")))
    }

    /// Who is not among those judged, and what the dollars leave out.
    fn left_out(&self, all: &[Sums]) -> Vec<String> {
        let test = &self.backtest;
        let mut notes = Vec::new();
        if test.gone > 0 {
            notes.push(format!(
                "left out: {} that the inventory no longer names (terminated, mostly); their hours \
                 are kept, their types and prices are not",
                format::plural(test.gone, "instance"),
            ));
        }
        let earlier = test.earlier_lives();
        if earlier > 0 {
            notes.push(format!(
                "left out: the hours of {} before its last start: some of these may have been idle \
                 then, and woke up by being started",
                format::plural(earlier, "instance"),
            ));
        }
        let unpriced = all.iter().map(|sums| sums.unpriced).max().unwrap_or(0);
        if unpriced > 0 {
            let unpriced = format::plural(unpriced as usize, "spell");
            notes.push(format!("the dollars leave out up to {unpriced} without a price"));
        }
        notes
    }

    fn row(&self, at: usize, name: &str, sums: &Sums) -> Json {
        let spells = &sums.spells;
        let known = sums.oldest_judged.is_some();
        let count = |n: u32| if known { json!(n) } else { Json::Null };
        let usd = |usd: f64| json::number(dollars(sums, usd));
        let days = (1..=self.backtest.days).filter_map(|days| self.backtest.day(at, days));
        json!({
            "preset": name,
            "window_days": self.backtest.policy_days.get(at),
            "judged": sums.judged,
            "oldest_judged_days_ago": sums.oldest_judged,
            "called_idle": count(spells.called),
            "held": count(sums.held),
            "held_of": count(sums.held_of),
            "precision": json::number(sums.precision()),
            "idle_until_now": count(spells.idle),
            "idle_until_ended": count(spells.ended),
            "woke_up": count(spells.woke),
            "unseen": count(spells.unseen),
            "saved_usd": usd(sums.saved_usd),
            "restart_usd": usd(sums.restart_usd),
            "woke_usd_per_hour": usd(sums.woke_usd_per_hour),
            "unpriced": count(sums.unpriced),
            "spells": self.backtest.spells(at).map(spell).collect::<Vec<_>>(),
            "days": days.map(|day| json!({
                "days_ago": day.days_ago,
                "called_idle": day.called,
                "idle_until_now": day.idle,
                "idle_until_ended": day.ended,
                "woke_up": day.woke,
                "unseen": day.unseen,
            })).collect::<Vec<_>>(),
        })
    }

    fn cells(&self, at: usize, name: &str, sums: &Sums, ctx: &ViewContext) -> Vec<Cell> {
        let number = |value: Option<f64>, words: fn(f64) -> String| Cell {
            shown: ctx.symbols.or_unknown(value, words),
            value: value.map_or(Value::Unknown, Value::Number),
        };
        let known = sums.oldest_judged.is_some();
        let count = |n: u32| number(known.then_some(f64::from(n)), format::count);
        let usd = |usd: f64| number(dollars(sums, usd), format::usd_total);
        let precision = sums.precision().map(|share| share * 100.0);
        let spells = &sums.spells;
        vec![
            Cell::text(name),
            count(spells.called),
            Cell {
                value: sums.precision().map_or(Value::Unknown, Value::Number),
                ..number(precision, |p| format::percent(p, 0))
            },
            count(spells.idle),
            count(spells.ended),
            count(spells.woke),
            count(spells.unseen),
            usd(sums.saved_usd),
            usd(sums.restart_usd),
            self.names(at),
        ]
    }

    /// Who woke up, the soonest first: some by name for people, all by id for machines.
    fn names(&self, at: usize) -> Cell {
        let wakes = self.backtest.wakes(at);
        let all = wakes.iter().map(|(row, after)| format!("{}:{after}h", row.instance.id));
        let value = Value::made(all.collect::<Vec<_>>().join(" "));
        let named = wakes.iter().take(NAMED).map(|(row, after)| {
            format!("{} {}", name_of(row), format::span(i64::from(*after) * 3600))
        });
        let mut shown = named.collect::<Vec<_>>().join(", ");
        if wakes.len() > NAMED {
            shown.push_str(&format!(" and {} more", wakes.len() - NAMED));
        }
        Cell { shown, value }
    }
}

/// Dollars of priced spells; 0 where there is no spell, `None` where none has a price or nothing was judged.
fn dollars(sums: &Sums, usd: f64) -> Option<f64> {
    let is_known = sums.is_priced() || sums.spells.called == 0;
    (sums.oldest_judged.is_some() && is_known).then_some(usd)
}

/// Name, or the id where it has none.
fn name_of(row: &Row) -> &str {
    if row.instance.name.is_empty() { &row.instance.id } else { &row.instance.name }
}

fn spell((row, spell): (&Arc<Row>, &Spell)) -> Json {
    let (outcome, after_hours) = match spell.outcome {
        Outcome::Idle => ("idle_until_now", None),
        Outcome::Ended => ("idle_until_ended", None),
        Outcome::Woke { after_hours } => ("woke_up", Some(after_hours)),
        Outcome::Unseen => ("unseen", None),
    };
    json!({
        "instance_id": row.instance.id,
        "name": row.instance.name,
        "account": row.instance.scope.account,
        "region": row.instance.scope.region,
        "instance_type": row.instance.instance_type,
        "called_idle_at": spell.called_at.start().to_string(),
        "outcome": outcome,
        "after_hours": after_hours,
        "held": spell.held,
        "idle_hours": spell.idle_hours,
        "usd_per_hour": json::number(row.rate.as_ref().map(|rate| rate.usd_per_hour)),
    })
}

const COLUMNS: [(&str, &str, Align); 10] = [
    ("preset", "PRESET", Align::Left),
    ("called_idle", "CALLED IDLE", Align::Right),
    ("precision", "24H IDLE", Align::Right),
    ("idle_until_now", "STILL IDLE", Align::Right),
    ("idle_until_ended", "ENDED", Align::Right),
    ("woke_up", "WOKE UP", Align::Right),
    ("unseen", "NOT SEEN", Align::Right),
    ("saved_usd", "STOPS SAVE", Align::Right),
    ("restart_usd", "RESTARTS COST", Align::Right),
    ("wake_ups", "WOKE UP, AFTER", Align::Left),
];

impl Report for IdleBacktestReport {
    fn view(&self) -> &'static str {
        "idle-backtest"
    }

    fn basis(&self) -> String {
        format!(
            "each preset judges once a day back, by the hours before that moment alone; an instance \
             counts once from its first call until the preset sees use; use afterwards is what reaches \
             a limit of preset cautious in an hour (network: in a day), for all presets alike; {HELD_HOURS}h \
             idle: of those that can be told, the share without use for {HELD_HOURS} hours or until stopped; \
             stops save: USD at today's price of each for its idle hours that were seen, volumes aside; \
             restarts cost: {RESTART_HOURS} h of that price for each that woke up, an assumption; work that \
             waited, lost instance stores and capacity that is not to be had again are not priced; tags as \
             of today{}",
            filtered(&self.filter)
        )
    }

    fn readings(&self) -> &[Reading] {
        &self.readings
    }

    fn sources(&self) -> Option<&'static [SourceId]> {
        Some(super::sources::INSTANCES)
    }

    fn rows(&self, ctx: &ViewContext, most: usize) -> Vec<Json> {
        self.page(ctx).rows(ctx, most)
    }

    fn beside(&self, _: &ViewContext) -> Vec<(&'static str, Json)> {
        let test = &self.backtest;
        vec![
            ("days", json!(test.days)),
            ("window_days", json!(test.window_days)),
            ("history_from", json!(test.first_hour().map(|hour| hour.start().to_string()))),
            ("held_hours", json!(HELD_HOURS)),
            ("restart_hours", json!(RESTART_HOURS)),
            ("instances", json!(test.of.len())),
            ("gone", json!(test.gone)),
            ("earlier_lives", json!(test.earlier_lives())),
            ("missing_metrics", json!(test.can_fetch.then_some(test.missing_metrics))),
            (
                "missing_usd",
                json::number(test.can_fetch.then_some(test.missing_micro_usd as f64 / 1e6)),
            ),
        ]
    }

    fn records(&self, ctx: &ViewContext) -> Sheet {
        self.page(ctx).records(ctx)
    }

    fn notes(&self, ctx: &ViewContext) -> Notes {
        self.page(ctx).notes(ctx)
    }

    fn text(&self, ctx: &ViewContext) -> String {
        self.page(ctx).text(ctx)
    }

    fn markdown(&self, ctx: &ViewContext) -> String {
        self.page(ctx).markdown(ctx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::idle::backtest::{Replayed, Track};
    use crate::domain::Hour;
    use crate::report::{Format, write};
    use crate::view::fixture::{ctx, fleet};

    /// Two policies over two instances: the first called both idle five days ago, and one woke up after 30 hours; the
    /// second had too few hours.
    fn report(can_fetch: bool) -> IdleBacktestReport {
        let now = ctx().now;
        let called_at = Hour::containing(now).plus(-120);
        let spell =
            |outcome, held, idle_hours| Spell { called_at, outcome, held: Some(held), idle_hours };
        let of = |spell: Spell| Replayed {
            tracks: vec![
                Track {
                    judged: 5,
                    oldest_judged: Some(5),
                    called: vec![(5, spell.outcome)],
                    spells: vec![spell],
                },
                Track::default(),
            ],
            first_hour: Some(called_at.plus(-168)),
            had_earlier_life: false,
        };
        let fleet = fleet();
        let priced = |name: &str| {
            let found = fleet
                .rows
                .iter()
                .find(|row| &*row.instance.instance_type == name && row.rate.is_some());
            found.unwrap().clone()
        };
        let backtest = Backtest {
            policies: vec!["cautious".into(), "aws-trusted-advisor".into()],
            policy_days: vec![7, 14],
            now,
            days: 5,
            window_days: 7,
            of: vec![
                (priced("p4d.24xlarge"), of(spell(Outcome::Idle, true, 120))),
                (priced("c7i.24xlarge"), of(spell(Outcome::Woke { after_hours: 30 }, true, 30))),
            ],
            gone: 2,
            missing_metrics: 1_200,
            missing_micro_usd: 12_000,
            can_fetch,
        };
        let readings = fleet.readings;
        IdleBacktestReport { backtest, preset: "cautious".into(), filter: String::new(), readings }
    }

    #[test]
    fn what_more_history_costs_stands_before_the_table() {
        let text = write(&report(true), Format::Table, &ctx());
        let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
        assert!(at("at most 1,200 metrics, $0.01 of CloudWatch's") < at("PRESET"), "{text}");
        assert!(at("history kept") < at("PRESET"));
        assert!(!write(&report(false), Format::Table, &ctx()).contains("CloudWatch's"));
    }

    #[test]
    fn a_preset_without_enough_hours_has_no_figures() {
        let text = write(&report(true), Format::Table, &ctx());
        let line = text.lines().find(|line| line.starts_with("aws-trusted-advisor ")).unwrap();
        assert_eq!(line.split_whitespace().skip(1).collect::<Vec<_>>(), ["–"; 8]);
        assert!(text.contains("aws-trusted-advisor: too little history"), "{text}");
        let json: Json = serde_json::from_str(&write(&report(true), Format::Json, &ctx())).unwrap();
        let row = &json["rows"][1];
        assert_eq!(row["called_idle"], Json::Null);
        assert_eq!((&row["saved_usd"], &row["precision"]), (&Json::Null, &Json::Null));
    }

    #[test]
    fn dollars_and_names_are_those_of_the_spells() {
        let text = write(&report(true), Format::Table, &ctx());
        let line = text.lines().find(|line| line.starts_with("cautious ")).unwrap();
        // 120 h at $21.957642 and 30 h at $4.284; half an hour of the latter.
        assert!(
            line.contains("$2,763") && line.contains("100%") && line.contains("1d6h"),
            "{line}"
        );
        let json: Json = serde_json::from_str(&write(&report(true), Format::Json, &ctx())).unwrap();
        let row = &json["rows"][0];
        assert_eq!((&row["saved_usd"], &row["restart_usd"]), (&json!(2763.43704), &json!(2.142)));
        assert_eq!((&row["window_days"], &json["rows"][1]["window_days"]), (&json!(7), &json!(14)));
        assert!(
            text.contains("hours before each moment: cautious 7d, aws-trusted-advisor 14d"),
            "{text}"
        );
        assert!(
            text.contains("left out: 2 instances that the inventory no longer names"),
            "{text}"
        );
        let csv = write(&report(true), Format::Csv, &ctx());
        assert!(csv.contains(":30h"), "{csv}");
        let md = write(&report(true), Format::Md, &ctx());
        assert!(md.contains("| cautious | 2 | 100% | 1 |"), "{md}");
    }
}
