//! `burntop rightsize --guide`: which instance a model needs, and why.

use serde_json::{Map, Value as Json, json};

use super::sheet::{Cell, Column, Sheet};
use super::{Notes, Report, json};
use crate::analyze::rightsize::guide::{Guide, GuideAsk, GuideCandidate, INPUTS};
use crate::domain::Reading;
use crate::view::{Align, Value, ViewContext, format, reasons};

/// Contents of `burntop rightsize --guide`.
pub struct GuideReport<'a> {
    /// The model and its requirements.
    pub ask: &'a GuideAsk,
    /// AWS region of the prices.
    pub region: &'a str,
    /// Memory need and recommended instance types.
    pub guide: &'a Guide,
    /// Readings of the sources.
    pub readings: &'a [Reading],
}

impl Report for GuideReport<'_> {
    fn view(&self) -> &'static str {
        "rightsize-guide"
    }

    fn basis(&self) -> String {
        format!(
            "on-demand list prices for Linux in {}, USD per hour; a GiB is 2^30 bytes; speed as \
             computed from the peak of the GPU, not measured",
            self.region
        )
    }

    fn readings(&self) -> &[Reading] {
        self.readings
    }

    fn rows(&self, _: &ViewContext, most: usize) -> Vec<Json> {
        self.guide.candidates.iter().take(most).map(candidate).collect()
    }

    fn beside(&self, _: &ViewContext) -> Vec<(&'static str, Json)> {
        more(self)
    }

    fn records(&self, ctx: &ViewContext) -> Sheet {
        sheet(self, ctx)
    }

    fn notes(&self, _: &ViewContext) -> Notes {
        Notes::Below(notes(self))
    }
}

/// Members of the JSON beside the candidates.
fn more(report: &GuideReport<'_>) -> Vec<(&'static str, Json)> {
    let ask = report.ask;
    let mut asked: Map<String, Json> = INPUTS
        .iter()
        .map(|spec| (spec.name.to_owned(), json::number(ask.value(spec.input))))
        .collect();
    asked.insert("task".to_owned(), json!(ask.task.word()));
    asked.insert("precision".to_owned(), json!(ask.precision.word()));
    asked.insert("region".to_owned(), json!(report.region));
    let memory = report.guide.memory.parts.iter().map(|part| {
        json!({
            "part": reasons::memory_part(*part),
            "bytes": json::number(Some(part.bytes())),
            "shared": part.is_shared(),
            "how": reasons::memory_how(*part),
            "source": reasons::memory_source(*part),
        })
    });
    let rejected = report.guide.rejected.iter().map(|no| {
        json!({
            "instance_type": &*no.instance_type,
            "usd_per_hour": json::number(Some(no.usd_per_hour)),
            "why": reasons::guide_fail(&no.fail),
        })
    });
    vec![
        ("asked", Json::Object(asked)),
        ("memory_bytes", json::number(Some(report.guide.memory.total()))),
        ("memory", memory.collect()),
        ("rejected", rejected.collect()),
        ("warnings", report.guide.warnings.iter().map(reasons::guide_warning).collect()),
    ]
}

fn candidate(c: &GuideCandidate) -> Json {
    json!({
        "instance_type": &*c.instance_type,
        "boxes": c.boxes,
        "gpus": c.gpus,
        "gpu_model": &*c.gpu_model,
        "gpus_per_copy": c.gpus_per_copy,
        "usd_per_hour": json::number(Some(c.usd_per_hour)),
        "total_usd_per_hour": json::number(Some(c.total_usd_per_hour)),
        "times_cheapest": json::number(Some(c.times_cheapest)),
        "memory_share": json::number(Some(c.memory_share)),
        "ms_per_token": json::number(c.ms_per_token),
        "ms_first_token": json::number(c.ms_first_token),
        "tokens_per_s": json::number(c.tokens_per_s),
        "usd_per_million_tokens": json::number(c.usd_per_million_tokens),
        "hours": json::number(c.hours),
        "run_usd": json::number(c.run_usd),
        "zones": c.zones.as_ref().map(|z| z.iter().map(|az| &**az).collect::<Vec<_>>()),
        "says": c.says.iter().map(|n| reasons::guide_note(*n)).collect::<Vec<_>>(),
    })
}

/// A column of the table: field, heading, alignment.
type Head = (&'static str, &'static str, Align);

const COLUMNS: [Head; 9] = [
    ("total_usd_per_hour", "$/h", Align::Right),
    ("instance_type", "TYPE", Align::Left),
    ("boxes", "BOXES", Align::Right),
    ("gpus", "GPUS", Align::Right),
    ("gpu_model", "MODEL", Align::Left),
    ("memory_share", "MEM", Align::Right),
    ("ms_per_token", "ms/TOKEN", Align::Right),
    ("usd_per_million_tokens", "$/M TOKENS", Align::Right),
    ("run_usd", "RUN", Align::Right),
];

fn sheet(report: &GuideReport<'_>, ctx: &ViewContext) -> Sheet {
    let heads = COLUMNS.map(|(name, header, align)| Column { name, header, align });
    let number = |value: Option<f64>, words: fn(f64) -> String| Cell {
        shown: ctx.symbols.or_unknown(value, words),
        value: value.filter(|v| v.is_finite()).map_or(Value::Unknown, Value::Number),
    };
    let row = |c: &GuideCandidate| {
        vec![
            number(Some(c.total_usd_per_hour), |v| format::grouped(v, 2)),
            Cell::text(c.instance_type.to_string()),
            number(Some(f64::from(c.boxes)), format::count),
            number(Some(f64::from(c.gpus)), format::count),
            Cell::text(c.gpu_model.to_string()),
            number(Some(c.memory_share), |v| format::share(v, 0)),
            number(c.ms_per_token, |v| format::grouped(v, 1)),
            number(c.usd_per_million_tokens, format::usd),
            number(c.run_usd, format::usd_total),
        ]
    };
    Sheet { columns: heads.into(), rows: report.guide.candidates.iter().map(row).collect() }
}

fn notes(report: &GuideReport<'_>) -> Vec<String> {
    let (ask, guide) = (report.ask, report.guide);
    let mut asked = vec![format!("{}, {}", ask.task.label(), ask.precision.word())];
    for spec in &INPUTS {
        if let Some(value) = ask.given(spec.input) {
            asked.push(format!("{} {}", spec.label, spec.unit.show(value)));
        }
    }
    let mut out = vec![
        format!("asked: {}", asked.join(", ")),
        format!("it needs {} of GPU memory:", format::bytes_binary(guide.memory.total())),
    ];
    for part in &guide.memory.parts {
        let each = if part.is_shared() { "" } else { " per GPU" };
        out.push(format!(
            "  {} {}{each}: {} ({})",
            reasons::memory_part(*part),
            format::bytes_binary(part.bytes()),
            reasons::memory_how(*part),
            reasons::memory_source(*part)
        ));
    }
    match guide.candidates.first() {
        Some(best) => {
            out.push(format!("best: {} x {}", best.boxes, best.instance_type));
            out.extend(best.says.iter().map(|n| format!("  {}", reasons::guide_note(*n))));
        }
        None => out.push("no type that is priced here does it".to_owned()),
    }
    for no in guide.rejected.iter().take(5) {
        out.push(format!("not {}: {}", no.instance_type, reasons::guide_fail(&no.fail)));
    }
    out.extend(guide.warnings.iter().map(reasons::guide_warning));
    out.push(format!("basis: {}", report.basis()));
    out
}
