//! `burntop storage checkpoints`: runs, their steps, and what a retention policy would do.

use serde_json::{Value as Json, json};

use super::json::number;
use super::sheet::{Cell, Column, Sheet};
use super::{Notes, Report};
use crate::analyze::storage::checkpoints::{DELTA_SAVINGS, Policy, RunPlan, left_by_policy};
use crate::domain::storage::{Fate, Run, Step};
use crate::domain::text::clean;
use crate::domain::{Provenance, Reading};
use crate::tabs::storage::picture::{strip, words};
use crate::view::{Align, Value, ViewContext, format, reasons};

/// Cells of a strip in a table.
const STRIP: usize = 32;

/// Contents of `burntop storage checkpoints`.
#[derive(Clone, Copy, Debug)]
pub struct CheckpointsReport<'a> {
    /// Name of the bucket, or path of the directory.
    pub bucket: &'a str,
    /// Time of the list, ms since 1970.
    pub listed_ms: i64,
    /// Training runs, most bytes first.
    pub runs: &'a [Run],
    /// Plan of each run, in the order of `runs`; empty without a policy.
    pub plans: &'a [RunPlan],
    /// The retention policy.
    pub policy: &'a Policy,
    /// What becomes of deleted bytes.
    pub fate: Fate,
    /// AWS region of the prices.
    pub price_region: &'a str,
    /// Source of the prices.
    pub prices: &'a Provenance,
    /// Why the list is incomplete; `None` where it is complete.
    pub partial: Option<&'a str>,
    /// Notes of the reader, one sentence each.
    pub notes: &'a [String],
    /// Readings of the sources.
    pub readings: &'a [Reading],
}

impl Report for CheckpointsReport<'_> {
    fn view(&self) -> &'static str {
        "storage-checkpoints"
    }

    fn basis(&self) -> String {
        format!(
            "runs by keys alone; USD per month of 730 h at list price, GB as GiB, at the last volume \
             step the bucket reaches, {} {}; bytes freed by deleting objects, not versions",
            self.price_region,
            said(self.prices)
        )
    }

    fn readings(&self) -> &[Reading] {
        self.readings
    }

    fn beside(&self, _: &ViewContext) -> Vec<(&'static str, Json)> {
        vec![
            ("bucket", json!(clean(self.bucket))),
            ("policy", policy_json(self.policy)),
            ("runs", self.runs.iter().map(run_json).collect()),
            ("plan", self.plans.iter().map(plan_json).collect()),
            ("totals", Totals::of(self).json()),
            ("delta_savings", delta_json(self)),
            ("partial", json!(self.partial.map(clean))),
            ("notes", sentences(self).into_iter().map(Json::from).collect()),
        ]
    }

    fn records(&self, _: &ViewContext) -> Sheet {
        machine_sheet(self)
    }

    fn sheet(&self, ctx: &ViewContext) -> Sheet {
        people_sheet(self, ctx)
    }

    fn notes(&self, ctx: &ViewContext) -> Notes {
        Notes::Below(notes(self, ctx))
    }
}

fn said(prices: &Provenance) -> String {
    match prices {
        Provenance::Live { at } => format!("live of {at}"),
        Provenance::Embedded { date } => format!("embedded list of {date}"),
        Provenance::Demo => "of the demo".to_owned(),
        Provenance::Configured => "configured".to_owned(),
        Provenance::Bill { period } => format!("bill of {period}"),
    }
}

fn run_json(run: &Run) -> Json {
    json!({
        "prefix": clean(&run.prefix),
        "family": run.family.word(),
        "steps": run.steps.iter().map(step_json).collect::<Vec<_>>(),
        "bytes": run.bytes,
        "confidence": number(Some(run.confidence)),
        "active": run.active,
        "interval_s": run.interval_s,
        "pointers": run.pointers.iter().map(|p| clean(p)).collect::<Vec<_>>(),
        "pointed": run.pointed,
        "metric": run.metric.as_ref().map(|m| clean(&m.name)),
    })
}

fn step_json(step: &Step) -> Json {
    json!({
        "step": step.step,
        "bytes": step.bytes,
        "objects": step.objects,
        "complete": step.complete,
        "metric": number(step.metric),
    })
}

fn plan_json(plan: &RunPlan) -> Json {
    let blocked: Vec<Json> =
        plan.blocked.iter().map(|b| json!({ "step": b.step, "reason": b.reason.word() })).collect();
    json!({
        "prefix": clean(&plan.prefix),
        "keep": plan.keep,
        "drop": plan.drop,
        "bytes_freed": plan.bytes_freed,
        "usd_per_month": number(plan.usd_per_month),
        "blocked": blocked,
        "bytes_dropped": plan.bytes_dropped,
        "objects_dropped": plan.objects_dropped,
        "usd_per_month_dropped": number(plan.usd_per_month_dropped),
        "usd_per_month_now": number(plan.usd_per_month_now),
        "early_delete_usd": number(plan.early_delete_usd),
        "delete_requests": plan.delete_requests,
        "largest_gap": plan.largest_gap,
    })
}

fn policy_json(policy: &Policy) -> Json {
    json!({
        "keep_last": policy.keep_last,
        "every": policy.every,
        "best": policy.best,
        "keep_first": policy.keep_first,
        "min_age_s": policy.min_age_ms.map(|ms| ms / 1000),
        "pinned": policy.pinned.iter().map(|p| clean(p)).collect::<Vec<_>>(),
    })
}

/// Savings of storing differences instead of whole checkpoints: a range per mode.
fn delta_json(report: &CheckpointsReport<'_>) -> Json {
    let stays = staying(report);
    DELTA_SAVINGS
        .iter()
        .map(|d| {
            let (low, high) = stays.iter().map(|run| d.bytes(run)).fold((0, 0), add);
            json!({
                "mode": d.mode.word(),
                "share_low": d.low,
                "share_high": d.high,
                "bytes_low": low,
                "bytes_high": high,
                "source": d.source,
            })
        })
        .collect()
}

fn add(a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
    (a.0.saturating_add(b.0), a.1.saturating_add(b.1))
}

/// Sizes of the steps that stay, by run.
fn staying(report: &CheckpointsReport<'_>) -> Vec<Vec<u64>> {
    let dropped = |i: usize, step: &Step| {
        report.plans.get(i).is_some_and(|p| p.drop.binary_search(&step.step).is_ok())
    };
    let of = |(i, run): (usize, &Run)| {
        run.steps.iter().filter(|s| !dropped(i, s)).map(|s| s.bytes).collect()
    };
    report.runs.iter().enumerate().map(of).collect()
}

/// Sums over all runs.
struct Totals {
    runs: usize,
    steps: usize,
    bytes: u64,
    bytes_dropped: u64,
    /// Without the runs of which it is not known: what is certain.
    bytes_freed: u64,
    left_by_policy: Option<u64>,
    usd_now: Option<f64>,
    usd_dropped: Option<f64>,
    usd_freed: Option<f64>,
    early_delete_usd: Option<f64>,
}

impl Totals {
    fn of(report: &CheckpointsReport<'_>) -> Self {
        let sum = |of: fn(&RunPlan) -> Option<f64>| report.plans.iter().map(of).sum();
        let has_plan = !report.plans.is_empty();
        Self {
            runs: report.runs.len(),
            steps: report.runs.iter().map(|r| r.steps.len()).sum(),
            bytes: report.runs.iter().map(|r| r.bytes).fold(0, u64::saturating_add),
            bytes_dropped: report.plans.iter().map(|p| p.bytes_dropped).sum(),
            bytes_freed: report.plans.iter().filter_map(|p| p.bytes_freed).sum(),
            left_by_policy: has_plan.then(|| {
                let left = |run| left_by_policy(run, report.policy, report.listed_ms);
                report.runs.iter().map(left).sum()
            }),
            usd_now: sum(|p| p.usd_per_month_now),
            usd_dropped: sum(|p| p.usd_per_month_dropped),
            usd_freed: sum(|p| p.usd_per_month),
            early_delete_usd: sum(|p| p.early_delete_usd),
        }
    }

    fn json(&self) -> Json {
        json!({
            "runs": self.runs,
            "steps": self.steps,
            "bytes": self.bytes,
            "bytes_dropped": self.bytes_dropped,
            "bytes_left": self.bytes.saturating_sub(self.bytes_dropped),
            "bytes_left_by_policy_alone": self.left_by_policy,
            "bytes_freed_for_certain": self.bytes_freed,
            "usd_per_month": number(self.usd_freed),
            "usd_per_month_dropped": number(self.usd_dropped),
            "usd_per_month_now": number(self.usd_now),
            "early_delete_usd": number(self.early_delete_usd),
        })
    }
}

fn column(name: &'static str, header: &'static str, align: Align) -> Column {
    Column { name, header, align }
}

fn people_sheet(report: &CheckpointsReport<'_>, ctx: &ViewContext) -> Sheet {
    use Align::{Left, Right};
    let has_plan = !report.plans.is_empty();
    let mut columns = vec![
        column("prefix", "RUN", Left),
        column("family", "FAMILY", Left),
        column("strip", "STEPS, OLDEST FIRST", Left),
        column("steps", "STEPS", Right),
        column("bytes", "SIZE", Right),
        column("confidence", "SURE", Right),
        column("state", "STATE", Left),
    ];
    if has_plan {
        columns.extend([
            column("keep", "KEEP", Right),
            column("drop", "DROP", Right),
            column("blocked", "BLOCKED", Right),
            column("bytes_dropped", "DROPPED", Right),
            column("bytes_freed", "FREED", Right),
            column("usd_per_month", "$/MONTH", Right),
        ]);
    }
    let known = |value: Option<f64>, words: fn(f64) -> String| {
        Cell::text(ctx.symbols.or_unknown(value, words))
    };
    let count = |n: usize| Cell::text(n.to_string());
    let rows = report.runs.iter().enumerate().map(|(i, run)| {
        let plan = report.plans.get(i);
        let mut row = vec![
            Cell::text(clean(&run.prefix)),
            Cell::text(run.family.word()),
            Cell::text(strip::strip(run, plan, STRIP, ctx.symbols)),
            count(run.steps.len()),
            Cell::text(words::size(run.bytes as f64)),
            Cell::text(format::share(run.confidence, 0)),
            Cell::text(if run.active { "active" } else { "ended" }),
        ];
        if let Some(plan) = plan {
            row.extend([
                count(plan.keep.len()),
                count(plan.drop.len()),
                count(plan.blocked.len()),
                Cell::text(words::size(plan.bytes_dropped as f64)),
                known(plan.bytes_freed.map(|b| b as f64), words::size),
                known(plan.usd_per_month, format::usd),
            ]);
        }
        row
    });
    Sheet { rows: rows.collect(), columns }
}

fn machine_sheet(report: &CheckpointsReport<'_>) -> Sheet {
    let names = [
        "prefix",
        "family",
        "steps",
        "incomplete",
        "bytes",
        "confidence",
        "active",
        "keep",
        "drop",
        "blocked",
        "bytes_dropped",
        "bytes_freed",
        "usd_per_month",
        "usd_per_month_dropped",
        "early_delete_usd",
    ];
    let columns = names.into_iter().map(|name| column(name, name, Align::Left)).collect();
    let exported = |value: Value<'static>| Cell { shown: String::new(), value };
    let figure = |n: Option<f64>| exported(n.map_or(Value::Unknown, Value::Number));
    let rows = report.runs.iter().enumerate().map(|(i, run)| {
        let plan = report.plans.get(i);
        let of = |value: fn(&RunPlan) -> Option<f64>| figure(plan.and_then(value));
        vec![
            Cell::text(clean(&run.prefix)),
            Cell::text(run.family.word()),
            figure(Some(run.steps.len() as f64)),
            figure(Some(run.steps.iter().filter(|s| !s.complete).count() as f64)),
            figure(Some(run.bytes as f64)),
            figure(Some(run.confidence)),
            Cell::text(run.active.to_string()),
            of(|p| Some(p.keep.len() as f64)),
            of(|p| Some(p.drop.len() as f64)),
            of(|p| Some(p.blocked.len() as f64)),
            of(|p| Some(p.bytes_dropped as f64)),
            of(|p| p.bytes_freed.map(|b| b as f64)),
            of(|p| p.usd_per_month),
            of(|p| p.usd_per_month_dropped),
            of(|p| p.early_delete_usd),
        ]
    });
    Sheet { rows: rows.collect(), columns }
}

/// The lines below a table.
fn notes(report: &CheckpointsReport<'_>, ctx: &ViewContext) -> Vec<String> {
    let totals = Totals::of(report);
    let dot = ctx.symbols.separator();
    let size = |bytes: u64| words::size(bytes as f64);
    let mut out = vec![format!(
        "{} {dot} {} {dot} {} {dot} {}",
        format::plural(totals.runs, "run"),
        format::plural(totals.steps, "step"),
        size(totals.bytes),
        strip::legend(ctx.symbols, !report.plans.is_empty()),
    )];
    if !report.plans.is_empty() {
        let usd = |value: Option<f64>| ctx.symbols.or_unknown(value, format::usd);
        out.push(format!(
            "keep {}: {} to drop, {} stay ({} by the policy alone); {} freed for certain, {} a \
             month of {} a month; deleting early costs {}",
            report.policy.words(),
            size(totals.bytes_dropped),
            size(totals.bytes.saturating_sub(totals.bytes_dropped)),
            size(totals.left_by_policy.unwrap_or(totals.bytes)),
            size(totals.bytes_freed),
            usd(totals.usd_freed),
            usd(totals.usd_now),
            usd(totals.early_delete_usd),
        ));
    }
    out.extend(sentences(report));
    let stays = staying(report);
    for delta in DELTA_SAVINGS {
        let (low, high) = stays.iter().map(|run| delta.bytes(run)).fold((0, 0), add);
        out.push(format!(
            "saving differences, {}: {} to {} less ({} to {} of every step but the \
             first) {dot} {}",
            delta.mode.says(),
            size(low),
            size(high),
            format::share(delta.low, 0),
            format::share(delta.high, 0),
            delta.source,
        ));
    }
    out.push(report.basis());
    out
}

/// Sentences that explain the figures.
fn sentences(report: &CheckpointsReport<'_>) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(partial) = report.partial {
        out.push(format!("partial: {}", clean(partial)));
    }
    out.extend(report.notes.iter().map(|n| clean(n).into_owned()));
    if report.plans.is_empty() {
        if !report.runs.is_empty() {
            out.push(
                "no policy, so nothing is planned: --keep-last N, --every K, --best M, \
                 --keep-first, --min-age AGE, --pin PREFIX"
                    .to_owned(),
            );
        }
        return out;
    }
    out.extend(reasons::fate(report.fate).map(str::to_owned));
    let unranked = report.plans.iter().filter(|p| p.has_no_metric).count();
    if unranked > 0 {
        out.push(format!(
            "--best: {unranked} of {} runs have no metric in their keys, and none of their steps \
             is kept for being the best; name it with --pin",
            report.plans.len()
        ));
    }
    out.push(
        "incomplete uploads are in no list: add AbortIncompleteMultipartUpload after 7 days".into(),
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::storage::checkpoints::{Terms, plan};
    use crate::analyze::storage::price::Rates;
    use crate::domain::storage::{Family, Tier};
    use crate::report::{Format, write};
    use crate::view::Symbols;

    const LISTED_MS: i64 = 1_795_136_400_000;

    fn run() -> Run {
        let step = |step: u64| Step {
            step,
            prefix: format!("team\u{1b}[31m/r/checkpoint-{step}/"),
            bytes: 100 << 30,
            objects: 17,
            complete: step != 500,
            newest_ms: LISTED_MS - 90 * 86_400_000,
            tiers: vec![(Tier::Standard, 100 << 30)],
            metric: None,
            held: false,
        };
        Run {
            prefix: "team\u{1b}[31m/r/".into(),
            family: Family::HfTrainer,
            steps: (1..=5).map(|i| step(i * 100)).collect(),
            bytes: 500 << 30,
            confidence: 0.97,
            active: false,
            interval_s: Some(2700),
            pointers: vec!["team\u{1b}[31m/r/latest".into()],
            pointed: vec![300],
            metric: None,
        }
    }

    fn written(format: Format, fate: Fate) -> String {
        let run = run();
        let mut rates = Rates::unknown("us-east-1", Provenance::Demo);
        rates.usd_per_gib[Tier::Standard.index()] = Some(0.023);
        let policy = Policy { keep_last: 1, best: 1, ..Policy::default() };
        let plans = [plan(&run, &policy, &Terms { listed_ms: LISTED_MS, fate, rates: &rates })];
        let report = CheckpointsReport {
            bucket: "acme",
            listed_ms: LISTED_MS,
            runs: &[run],
            plans: &plans,
            policy: &policy,
            fate,
            price_region: "us-east-1",
            prices: &rates.provenance,
            partial: None,
            notes: &[],
            readings: &[],
        };
        let now = jiff::Timestamp::from_millisecond(LISTED_MS).unwrap();
        write(&report, format, &ViewContext { now, symbols: Symbols::Ascii, width: None })
    }

    #[test]
    fn every_format() {
        let fates = [Fate::Freed, Fate::Freed, Fate::Unknown, Fate::KeptAsFarAsKnown];
        for (format, fate) in Format::ALL.into_iter().zip(fates) {
            let name = format!("checkpoints_{}", format.name());
            insta::assert_snapshot!(name, written(format, fate));
        }
    }

    #[test]
    fn no_format_lets_a_control_character_through() {
        for format in Format::ALL {
            let text = written(format, Fate::Freed);
            assert!(!text.contains('\u{1b}'), "{format:?}");
        }
    }
}
