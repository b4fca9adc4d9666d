//! What is known of the burn before now, for machines.

use serde_json::{Value as Json, json};

use super::json;
use crate::domain::{BurnPast, Moved, Since, SinceWhat};

/// Days and changes. USD at each instance's rate then (list, or the Spot price); hours that nobody looked at are in no
/// sum.
pub(super) fn json(past: &BurnPast) -> Json {
    let known = |value: f64| json::number(Some(value));
    let days = past.days.iter().map(|day| {
        json!({
            "date": day.date().map(|date| date.to_string()),
            "seen_hours": known(day.seen_hours),
            "usd_per_hour": json::number(day.usd_per_hour),
            "usd": known(day.burnt.usd),
            "waste_usd": known(day.burnt.waste_usd),
            "gpu_hours": known(day.burnt.gpus),
            "instance_hours": known(day.burnt.instances),
            "unpriced_instance_hours": known(day.burnt.unpriced),
            "unjudged_instance_hours": known(day.burnt.unjudged),
        })
    });
    json!({
        "days": days.collect::<Vec<_>>(),
        "since": past.since.iter().map(since).collect::<Vec<_>>(),
    })
}

fn since(since: &Since) -> Json {
    let pair = |[then, now]: [Option<f64>; 2]| json!({ "then": json::number(then), "now": json::number(now) });
    json!({
        "what": match since.what {
            SinceWhat::Yesterday => "yesterday",
            SinceWhat::LastRun => "last_run",
        },
        "at": since.at.to_string(),
        "usd_per_hour": pair(since.burn),
        "waste_usd_per_hour": pair(since.waste),
        "new": moved(&since.new),
        "gone": moved(&since.gone),
        "woke_up": moved(&since.woke),
        "fell_idle": moved(&since.idled),
    })
}

fn moved(moved: &Moved) -> Json {
    let priced = moved.unpriced < moved.instances || moved.instances == 0;
    json!({
        "instances": moved.instances,
        "usd_per_hour": json::number(priced.then_some(moved.usd_per_hour)),
        "unpriced": moved.unpriced,
        "names": moved.names,
    })
}
