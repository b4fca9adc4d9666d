//! `burntop storage tiers`: what each storage class would cost, month by month.

use serde_json::{Value as Json, json};

use super::sheet::{Cell, Column, Sheet};
use super::{Notes, Report, json, markdown, text};
use crate::domain::storage::S3Prices;
use crate::domain::text::clean;
use crate::domain::{Provenance, Reading};
use crate::tabs::storage::picture::tiers::{TierOption, TiersModel, name};
use crate::tabs::storage::picture::words;
use crate::view::{Align, Value, ViewContext, format};

/// Cells of the chart below the table.
const CHART: (usize, usize) = (60, 14);
/// Room for the axis of dollars beside it.
const AXIS: usize = 16;

/// Contents of `burntop storage tiers`.
#[derive(Clone, Copy, Debug)]
pub struct TiersReport<'a> {
    /// Cost of all storage classes, month by month.
    pub model: &'a TiersModel,
    /// Prices of the region.
    pub prices: &'a S3Prices,
    /// What is compared, as a phrase: a bucket and prefix, or sizes given by the user.
    pub subject: &'a str,
    /// Readings of the sources.
    pub readings: &'a [Reading],
}

/// CSV has a row per option and month; the other formats one per option.
impl Report for TiersReport<'_> {
    fn view(&self) -> &'static str {
        "storage-tiers"
    }

    fn basis(&self) -> String {
        format!(
            "USD at list price of {} ({}), before private discounts; a GB is a GiB, a month 730 h, \
             and S3's 30 and 90 days are 1 and 3 months; volume steps of the list alone; storage, \
             overheads, monitoring, reads at standard speed, and fees of moving",
            clean(&self.prices.region),
            whose(&self.prices.provenance),
        )
    }

    fn readings(&self) -> &[Reading] {
        self.readings
    }

    fn beside(&self, _: &ViewContext) -> Vec<(&'static str, Json)> {
        beside(*self)
    }

    fn records(&self, ctx: &ViewContext) -> Sheet {
        by_month(self.model, ctx)
    }

    fn sheet(&self, ctx: &ViewContext) -> Sheet {
        by_option(self.model, ctx)
    }

    fn notes(&self, _: &ViewContext) -> Notes {
        Notes::Below(notes(*self))
    }

    fn text(&self, ctx: &ViewContext) -> String {
        let mut out = text::table(&self.sheet(ctx), ctx.width);
        let room = ctx.width.map_or(CHART.0, |room| usize::from(room).saturating_sub(AXIS));
        let chart = self.model.chart().text(CHART.0.min(room), CHART.1, ctx.symbols);
        if !chart.is_empty() {
            out.push_str("\nsaved against staying, USD\n");
        }
        for line in chart {
            out.push_str(&line);
            out.push('\n');
        }
        format!("{out}\n{}", self.notes(ctx).text())
    }

    fn markdown(&self, ctx: &ViewContext) -> String {
        let mut out = markdown::table(&self.sheet(ctx));
        let chart = self.model.chart().text(CHART.0, CHART.1, ctx.symbols);
        if !chart.is_empty() {
            out.push_str("\nSaved against staying, USD:\n\n```\n");
            out.push_str(&chart.join("\n"));
            out.push_str("\n```\n");
        }
        out + &self.notes(ctx).markdown()
    }
}

fn beside(report: TiersReport<'_>) -> Vec<(&'static str, Json)> {
    let m = report.model;
    let notes: Vec<Json> = report
        .prices
        .notes
        .iter()
        .map(|n| {
            json!({
                "price": n.price, "source": whose(&n.provenance), "confirmed": n.is_confirmed,
                "says": clean(&n.says),
            })
        })
        .collect();
    let best: Vec<Json> = m
        .best
        .iter()
        .map(|b| {
            json!({
                "horizon_months": b.horizon_months,
                "class": b.target.word(),
                "instant_class": b.instant.word(),
            })
        })
        .collect();
    vec![
        ("subject", json!(clean(report.subject))),
        ("objects", json::number(Some(m.objects))),
        ("bytes", json::number(Some(m.bytes))),
        ("unpriced_bytes", json::number(Some(m.unpriced_bytes))),
        (
            "access",
            json!({
                "reads_per_month": json::number(Some(m.access.reads_per_month)),
                "share_read": json::number(Some(m.access.share_read)),
                "gets_per_month": json::number(m.access.gets_per_month),
            }),
        ),
        (
            "prices",
            json!({
                "region": clean(&report.prices.region),
                "source": whose(&report.prices.provenance),
                "notes": notes,
            }),
        ),
        ("options", m.options.iter().map(option).collect()),
        ("best", Json::Array(best)),
    ]
}

fn option(option: &TierOption) -> Json {
    let number = |n: Option<f64>| json::number(n);
    let series = |all: &Option<Vec<f64>>| -> Json {
        let list = |v: &Vec<f64>| v.iter().map(|n| number(Some(*n))).collect();
        all.as_ref().map_or(Json::Null, list)
    };
    let c = &option.curve;
    let fees = c.monthly.is_some().then_some(c.fees);
    json!({
        "class": c.target.word(),
        "monthly": series(&c.monthly),
        "cumulative": series(&option.cumulative),
        "saved": series(&option.saved),
        "fees_usd": number(fees.map(|f| f.total())),
        "transition_usd": number(fees.map(|f| f.transition)),
        "early_delete_usd": number(fees.map(|f| f.early_delete)),
        "copy_usd": number(fees.map(|f| f.copy)),
        "valley_usd": number(option.valley_usd),
        "valley_month": option.valley_month,
        "payback_month": option.payback_month,
        "year_usd": number(option.year_usd),
        "break_even_reads_per_month": number(option.break_even_reads),
        "objects_moved": number(Some(c.moved.0)),
        "bytes_moved": number(Some(c.moved.1)),
        "bytes_copied": number(Some(c.copied_bytes)),
        "bytes_too_small": number(Some(c.small_bytes)),
        "bytes_waiting": number(Some(c.waiting_bytes)),
        "bytes_of_unknown_age": number(Some(c.unknown_age_bytes)),
        "notes": option.notes,
    })
}

const fn column(name: &'static str, header: &'static str, align: Align) -> Column {
    Column { name, header, align }
}

fn usd_cell(usd: Option<f64>, ctx: &ViewContext) -> Cell {
    Cell {
        shown: ctx.symbols.or_unknown(usd, words::usd),
        value: usd.map_or(Value::Unknown, Value::Number),
    }
}

fn by_option(model: &TiersModel, ctx: &ViewContext) -> Sheet {
    let columns = vec![
        column("class", "OPTION", Align::Left),
        column("first_month_usd", "MONTH 1", Align::Right),
        column("last_month_usd", "LAST MONTH", Align::Right),
        column("fees_usd", "FEES", Align::Right),
        column("valley_usd", "VALLEY", Align::Right),
        column("payback_month", "PAYS BACK", Align::Right),
        column("year_usd", "SAVED IN A YEAR", Align::Right),
        column("break_even_reads_per_month", "DEARER FROM", Align::Right),
        column("notes", "NOTE", Align::Left),
    ];
    let rows = model
        .options
        .iter()
        .map(|o| {
            let known = o.curve.monthly.is_some();
            let stays = o.curve.target == crate::analyze::storage::tiers::Target::Stay;
            let here = |usd: Option<f64>| usd.filter(|_| !stays);
            let first = o.curve.monthly.as_ref().and_then(|m| m.first().copied());
            let month = o.payback_month.map(f64::from);
            let reads = o.break_even_reads;
            vec![
                Cell::text(name(o.curve.target)),
                usd_cell(first, ctx),
                usd_cell(o.last_month(), ctx),
                usd_cell(here(known.then(|| o.curve.fees.total())), ctx),
                usd_cell(here(o.valley_usd), ctx),
                Cell {
                    shown: ctx.symbols.or_unknown(month, |m| format!("month {m:.0}")),
                    value: month.map_or(Value::Unknown, Value::Number),
                },
                usd_cell(here(o.year_usd), ctx),
                Cell {
                    shown: ctx.symbols.or_unknown(reads, |r| format!("{r:.2} reads/month")),
                    value: reads.map_or(Value::Unknown, Value::Number),
                },
                Cell::text(o.notes.join("; ")),
            ]
        })
        .collect();
    Sheet { columns, rows }
}

fn by_month(model: &TiersModel, ctx: &ViewContext) -> Sheet {
    let columns = vec![
        column("class", "OPTION", Align::Left),
        column("month", "MONTH", Align::Right),
        column("usd", "$/MONTH", Align::Right),
        column("cumulative_usd", "SPENT", Align::Right),
        column("saved_usd", "SAVED", Align::Right),
    ];
    let mut rows = Vec::new();
    for o in &model.options {
        for month in 0..usize::from(model.months) {
            let at = |all: &Option<Vec<f64>>| all.as_ref().and_then(|v| v.get(month).copied());
            let number = month as f64 + 1.0;
            rows.push(vec![
                Cell::text(o.curve.target.word()),
                Cell { shown: format::count(number), value: Value::Number(number) },
                usd_cell(at(&o.curve.monthly), ctx),
                usd_cell(at(&o.cumulative), ctx),
                usd_cell(at(&o.saved), ctx),
            ]);
        }
    }
    Sheet { columns, rows }
}

fn notes(report: TiersReport<'_>) -> Vec<String> {
    let m = report.model;
    let mut out = vec![format!(
        "{}: {} in {} objects, read {} times a month{}",
        clean(report.subject),
        words::size(m.bytes),
        format::grouped(m.objects, 0),
        plain(m.access.mean_reads()),
        match m.access.gets_per_month {
            Some(gets) => format!(", {} GET requests", format::grouped(gets, 0)),
            None => String::new(),
        }
    )];
    for b in &m.best {
        let also = if b.target == b.instant {
            String::new()
        } else {
            format!("; without giving anything up {}", name(b.instant))
        };
        let months = format::plural(usize::from(b.horizon_months), "month");
        out.push(format!("best over {months}: {}{also}", name(b.target)));
    }
    if m.unpriced_bytes > 0.0 {
        out.push(format!("! {} have no known price", words::size(m.unpriced_bytes)));
    }
    let doubtful: Vec<&str> =
        report.prices.notes.iter().filter(|n| !n.is_confirmed).map(|n| n.price.as_str()).collect();
    if !doubtful.is_empty() {
        out.push(format!("! not confirmed by a price list: {}", clean(&doubtful.join(", "))));
    }
    out.push(format!("basis: {}", report.basis()));
    out.extend(super::troubles_of(report.readings));
    out
}

/// A few digits, as many as say something.
fn plain(number: f64) -> String {
    if number >= 0.1 || number <= 0.0 { format!("{number:.2}") } else { format!("{number:.4}") }
}

pub(super) fn whose(provenance: &Provenance) -> String {
    match provenance {
        Provenance::Live { at } => format!("price list read {at}"),
        Provenance::Embedded { date } => format!("embedded list of {date}"),
        Provenance::Demo => "demo".to_owned(),
        Provenance::Configured => "configured".to_owned(),
        Provenance::Bill { period } => format!("bill of {period}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::storage::price::Volumes;
    use crate::analyze::storage::price::fixture::virginia;
    use crate::analyze::storage::tiers::{Access, Cohort, Question};
    use crate::domain::storage::{GIB, Tier};
    use crate::report::{Format, write};
    use crate::view::fixture;

    fn written(format: Format, prices: &S3Prices, tier: Tier) -> String {
        let cohorts = [Cohort {
            tier,
            objects: 53_819_565.0,
            bytes: 533_627.0 * GIB,
            is_small: false,
            age_days: None,
        }];
        let model = TiersModel::of(&Question {
            cohorts: &cohorts,
            prices,
            others: &Volumes::default(),
            access: Access::every(0.038),
            moves_small: false,
            months: 6,
        });
        let report = TiersReport { model: &model, prices, subject: "cache\u{202e}", readings: &[] };
        write(&report, format, &fixture::ascii())
    }

    #[test]
    fn all_formats() {
        let prices = virginia();
        for format in Format::ALL {
            let name = format!("storage_tiers_{}", format.name());
            insta::assert_snapshot!(name, written(format, &prices, Tier::StandardIa));
        }
    }

    #[test]
    fn what_is_not_known_is_null() {
        let text = written(Format::Json, &virginia(), Tier::Unknown);
        let json: Json = serde_json::from_str(&text).unwrap();
        assert_eq!(json["schema"], "burntop/storage-tiers/1");
        assert_eq!(json["best"], json!([]));
        for o in json["options"].as_array().unwrap() {
            for key in ["monthly", "cumulative", "fees_usd", "valley_usd", "year_usd"] {
                assert!(o[key].is_null(), "{key} of {}", o["class"]);
            }
        }
        assert!(json["unpriced_bytes"].as_f64().unwrap() > 1e14);
        assert!(!text.contains('\u{202e}'));
    }
}
