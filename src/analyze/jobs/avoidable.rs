//! What failed attempts took that need not have been: what was lost again and again, by node.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::costed::Costed;
use super::repeats::failed_again;
use super::script_use::scripts;
use crate::domain::jobs::{AvoidableLoss, AvoidableRuns, JobNode};

/// Days that are looked back.
const AVOIDABLE_DAYS: u32 = 30;

/// What attempts that failed again and again lost in the last 30 days before `now`, by node. An attempt counts once,
/// with what no checkpoint saved of it; several nodes have equal parts of it. Beside it how much scripts of inference used.
pub fn avoidable(rows: &[Costed], nodes: &[JobNode], now: Timestamp) -> AvoidableRuns {
    let since = SignedDuration::from_hours(24 * i64::from(AVOIDABLE_DAYS));
    let scripts = scripts(rows, AVOIDABLE_DAYS, now);
    let mut found = AvoidableRuns { days: AVOIDABLE_DAYS, losses: Vec::new(), scripts };
    let mut attempt = 0;
    for row in failed_again(rows).into_iter().map(|place| &rows[place]) {
        let (Some(ended_at), Some(lost)) = (row.attempt.ended_at, row.lost.gpu_time) else {
            continue;
        };
        if lost.is_zero() || ended_at > now || now.duration_since(ended_at) > since {
            continue;
        }
        let names = &row.attempt.nodes;
        let loss = |host: Option<Arc<str>>, gpu_time| AvoidableLoss {
            attempt,
            host,
            ended_at,
            gpu_time,
            is_upper_bound: row.lost_is_upper_bound,
        };
        if names.is_empty() {
            found.losses.push(loss(None, lost));
        }
        for (name, part) in names.iter().zip(lost.split(names.len())) {
            found.losses.push(loss(Some(host(row, name, nodes)), part));
        }
        attempt += 1;
    }
    found
}

/// The instance that was behind the name of a node when an attempt ended, as far as its scheduler knew it.
fn host(row: &Costed, name: &Arc<str>, nodes: &[JobNode]) -> Arc<str> {
    let of = &row.attempt;
    let then = of.ended_at.or(of.started_at);
    let node = nodes.iter().find(|node| {
        node.source == of.id.source
            && node.cluster == of.id.cluster
            && node.name == *name
            && then.is_some_and(|then| node.seen_from <= then)
            && of.started_at.is_some_and(|start| start <= node.seen_until)
    });
    let told = node.and_then(|node| node.instance_id.as_ref().or(node.private_ip.as_ref()));
    told.unwrap_or(name).clone()
}
