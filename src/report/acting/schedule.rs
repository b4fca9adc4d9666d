//! Off-hours that were proposed.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::{left, right};
use crate::analyze::schedule::{
    Advice, CRON_ZONE, Change, Proposal, Shift, cron_lines, eventbridge,
};
use crate::domain::Reading;
use crate::fleet::Row;
use crate::report::json::number;
use crate::report::page::Page;
use crate::report::sheet::{Cell, Sheet};
use crate::report::{Format, write};
use crate::view::{Value, ViewContext, format, reasons};

const BASIS: &str = "hours of the week that were seen and never in use; USD per month of 730 h = \
                     hours off per week x 730/168 x the rate (list price; Spot excluded), gross: \
                     disks and addresses go on billing, and so does a commitment that covers it";

/// Which lines to copy are printed below a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Snippet {
    /// None.
    #[default]
    None,
    /// Lines of a crontab.
    Cron,
    /// Expressions of `EventBridge` Scheduler.
    EventBridge,
}

/// Proposals.
#[derive(Clone, Debug)]
pub struct ScheduleReport<'a> {
    /// Each instance and what is said of it.
    pub rows: &'a [(Arc<Row>, Advice)],
    /// The zone whose clocks are meant, by its name in the database of zones.
    pub zone: &'a str,
    /// The changes of its clocks that are ahead, the next one first.
    pub changes: &'a [Change],
    /// Fewest weeks that were asked for.
    pub weeks: u16,
    /// Lines to copy.
    pub snippet: Snippet,
    /// Readings of the sources of the fleet.
    pub readings: &'a [Reading],
}

/// Writes proposals; tables leave out the instances without one and count why.
pub fn schedule(report: &ScheduleReport<'_>, format: Format, ctx: &ViewContext) -> String {
    let mut off: Vec<(&Row, &Proposal)> = report
        .rows
        .iter()
        .filter_map(|(row, advice)| match advice {
            Advice::Off(p) => Some((&**row, p)),
            Advice::None(_) => None,
        })
        .collect();
    // The largest saving first; what is not known comes last.
    off.sort_by(|a, b| {
        let usd = |p: &Proposal| p.usd_per_month.unwrap_or(-1.0);
        usd(b.1).total_cmp(&usd(a.1))
    });
    let rows = report.rows.iter().map(|(row, advice)| json_row(row, advice, report.zone));
    let page = Page {
        view: "schedule",
        basis: BASIS.to_owned(),
        readings: report.readings,
        rows: rows.collect(),
        more: vec![("zone", json!(report.zone)), ("weeks", json!(report.weeks))],
        sheet: Some(sheet(&off, ctx)),
        notes: notes(report, &off, ctx).into_iter().chain(lines(report, &off)).collect(),
        ..Page::default()
    };
    write(&page, format, ctx)
}

fn sheet(off: &[(&Row, &Proposal)], ctx: &ViewContext) -> Sheet {
    let columns = vec![
        right("usd_per_month", "$/MONTH"),
        right("hours_per_week", "H/WEEK"),
        right("weeks", "WEEKS SEEN"),
        left("instance_id", "ID"),
        left("name", "NAME"),
        left("instance_type", "TYPE"),
        left("off", "OFF"),
        left("not_looked_at", "NOT LOOKED AT"),
    ];
    let unknown = ctx.symbols.unknown();
    let cells = |(row, p): &(&Row, &Proposal)| {
        let none = p.not_looked_at.is_empty();
        vec![
            Cell {
                shown: p.usd_per_month.map_or_else(|| unknown.to_owned(), format::usd_total),
                value: p.usd_per_month.map_or(Value::Unknown, Value::Number),
            },
            count(p.hours_per_week),
            count(usize::from(p.weeks)),
            Cell::text(&*row.instance.id),
            Cell::text(&*row.instance.name),
            Cell::text(&*row.instance.instance_type),
            Cell::text(p.shifts.iter().map(clock).collect::<Vec<_>>().join("; ")),
            Cell::text(if none { unknown.to_owned() } else { p.not_looked_at.join(" ") }),
        ]
    };
    Sheet { columns, rows: off.iter().map(cells).collect() }
}

fn count(n: usize) -> Cell {
    Cell { shown: n.to_string(), value: Value::Number(n as f64) }
}

/// `Mon Tue Wed Thu 18:00 +14 h`.
fn clock(shift: &Shift) -> String {
    const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    let days: Vec<&str> = shift.days.iter().filter_map(|d| DAYS.get(*d)).copied().collect();
    format!("{} {:02}:00 +{} h", days.join(" "), shift.from, shift.hours)
}

fn notes(report: &ScheduleReport<'_>, off: &[(&Row, &Proposal)], ctx: &ViewContext) -> Vec<String> {
    let dot = ctx.symbols.separator();
    let usd: f64 = off.iter().filter_map(|(_, p)| p.usd_per_month).sum();
    let unpriced = off.iter().filter(|(_, p)| p.usd_per_month.is_none()).count();
    let left_out = if unpriced > 0 {
        format!(" ({unpriced} without a price left out)")
    } else {
        String::new()
    };
    let mut notes = vec![format!(
        "{} of {} instances {dot} {} per month of 730 h, gross{left_out} {dot} clocks of {} {dot} \
         seen in {} at least",
        off.len(),
        report.rows.len(),
        format::usd_total(usd),
        report.zone,
        format::plural(usize::from(report.weeks), "week")
    )];
    let mut without: BTreeMap<String, usize> = BTreeMap::new();
    for (_, advice) in report.rows {
        if let Advice::None(why) = advice {
            *without.entry(reasons::obstacle(why)).or_default() += 1;
        }
    }
    notes.extend(without.iter().map(|(why, n)| format!("{n} without: {why}")));
    if !off.is_empty() {
        notes.extend(report.changes.iter().take(2).map(|c| changed(report.zone, c)));
        notes.push(
            "a proposal about the past: ask the owner. A start may find no capacity, and a stop by \
             cron passes none of burntop's guards."
                .to_owned(),
        );
    }
    notes
}

/// Effect of a change of the clocks on a window.
fn changed(zone: &str, change: &Change) -> String {
    let (from, to) = (change.from, change.to);
    let (day, from) = (from.date(), from.time().strftime("%H:%M"));
    let does = if to > change.from { "shorter" } else { "longer" };
    format!(
        "clocks of {zone} go from {from} to {} on {day}: a window over it is {does} by that",
        to.strftime("%H:%M")
    )
}

fn lines(report: &ScheduleReport<'_>, off: &[(&Row, &Proposal)]) -> Vec<String> {
    let mut out = Vec::new();
    if off.is_empty() {
        return out;
    }
    match report.snippet {
        Snippet::None => return out,
        Snippet::Cron => {
            out.extend([CRON_ZONE.to_owned(), format!("CRON_TZ={}", report.zone)]);
        }
        Snippet::EventBridge => {
            out.push(format!("ScheduleExpressionTimezone: {}", report.zone));
        }
    }
    for (row, p) in off {
        let i = &*row.instance;
        for shift in &p.shifts {
            if report.snippet == Snippet::Cron {
                out.extend(cron_lines(shift, report.zone, &i.scope.region, &[&i.id]));
            } else {
                let [stop, start] = eventbridge(shift);
                out.push(format!("{stop}  ec2:stopInstances {} {}", i.scope.region, i.id));
                out.push(format!("{start}  ec2:startInstances {} {}", i.scope.region, i.id));
            }
        }
    }
    out
}

fn json_row(row: &Row, advice: &Advice, zone: &str) -> Json {
    let i = &*row.instance;
    let (proposal, why) = match advice {
        Advice::Off(p) => (Some(p), None),
        Advice::None(why) => (None, Some(why)),
    };
    let shift = |s: &Shift| {
        let [cron_stop, cron_start] = cron_lines(s, zone, &i.scope.region, &[&i.id]);
        let [stop, start] = eventbridge(s);
        json!({
            "days": s.days,
            "from_hour": s.from,
            "to_hour": s.to(),
            "hours": s.hours,
            "cron": [cron_stop, cron_start],
            "eventbridge": [stop, start],
        })
    };
    json!({
        "account": i.scope.account,
        "region": i.scope.region,
        "instance_id": i.id,
        "name": i.name,
        "instance_type": i.instance_type,
        "off": proposal.map(|p| p.shifts.iter().map(shift).collect::<Vec<_>>()),
        "hours_per_week": proposal.map(|p| p.hours_per_week),
        "weeks": proposal.map(|p| p.weeks),
        "usd_per_month": number(proposal.and_then(|p| p.usd_per_month)),
        "not_looked_at": proposal.map(|p| &p.not_looked_at),
        "reason": why.map(reasons::obstacle),
        "detail": why.map(reasons::obstacle_detail),
    })
}
