//! The fields of settings of an autoscaler that were replayed over node groups.

use std::sync::Arc;

use super::attempts::usd;
use crate::analyze::jobs::{BootFrom, ScalingRow};
use crate::domain::jobs::JobSource;
use crate::view::reasons::{scaling_after, scaling_fix};
use crate::view::table_field::{field_table, fields};
use crate::view::{TableField, Value, ViewContext};

const YES: [&str; 2] = ["no", "yes"];

/// Rows of settings that were replayed, in their order.
pub fn scaling_rows(of: Vec<ScalingRow>) -> Arc<[Arc<ScalingRow>]> {
    of.into_iter().map(Arc::new).collect()
}

field_table! {
    /// A field of a setting that was replayed over a node group.
    pub enum ScalingField => FIELDS {
        Cluster text "cluster" [] "CLUSTER" 12 by('c') "Cluster; none where none is named.";
        Queue text "queue" ["partition", "node_pool"] "QUEUE" 12 key wide by('q')
            "Queue whose jobs held the nodes longest; none where nothing ran on them, and where jobs name none.";
        InstanceType text "instance_type" ["type"] "TYPE" 14 by('t') "Instance type of the nodes.";
        Source choice(JobSource::WORDS) "source" [] "SOURCE" 10 "Where the nodes were read.";
        After text "scale_down_after" ["after"] "AFTER" 6 key
            "For how long a node stays up that nobody holds: 1m to 1h, never: it stays.";
        Delay number(Count) "delay_minutes" ["delay"] "MINUTES" 7 apart smallest_first by('u') "The same in minutes; none for never.";
        Kept number(Count) "min_nodes" ["min"] "MIN" 4 key apart smallest_first by('i')
            "Nodes that stay up whatever happens: 0, 1, 2, and as many as were never fewer.";
        Fits choice(YES) "fits" ["recommended"] "BEST" 4 by('f')
            "yes: the setting that saves most of its group while at most one job in twenty more than so far waits for a node to boot.";
        SavesUsd number(Usd) "saves_usd_per_month" ["$", "saves"] "SAVES" 10 apart by('s')
            "Dollars a month that it saves, boots paid, at the mean price of the group; below 0 where it costs more.";
        SavesHours number(Count) "saves_node_hours" [] "NODE-H" 10 apart by('n')
            "Node-hours that were empty and would not have been up, less those of boots.";
        MoreStarts number(Count) "more_starts" [] "MORE STARTS" 11 apart by('o')
            "Nodes that would have come up beyond those that did; -1: one start less.";
        Delayed number(Count) "delayed_jobs" ["delayed"] "DELAYED" 7 apart by('d') "Jobs that would have waited for a node to boot.";
        DelayedNow number(Count) "delayed_jobs_now" [] "SO FAR" 6 apart
            "Jobs that did wait until a node had come up for them, as far as submission and boot are known.";
        Jobs number(Count) "jobs" [] "JOBS" 6 apart by('j') "Jobs that began on the nodes of the group.";
        Wait number(Count) "wait_hours" ["wait"] "WAIT H" 8 apart by('w') "Hours for which these would have waited, over all jobs.";
        Hours number(Count) "hours" [] "HOURS" 6 apart "Hours that were replayed.";
        Nodes number(Count) "nodes" [] "NODES" 5 apart
            "Instances that were up at some time of it; of a name that is used again each counts.";
        Static number(Count) "static_nodes" ["static"] "STATIC" 6 apart "Instances that were up all the time.";
        Fewest number(Count) "fewest_nodes" [] "FEWEST" 6 apart "Fewest nodes that were up at once.";
        Most number(Count) "most_nodes" [] "MOST" 5 apart "Most nodes that were up at once.";
        Up number(Count) "up_hours" ["up"] "UP H" 9 apart "Node-hours for which nodes were up.";
        Busy number(Count) "busy_hours" ["busy"] "BUSY H" 9 apart "Node-hours of them in which somebody held any of the node.";
        Empty number(Count) "empty_hours" ["empty"] "EMPTY H" 9 apart by('m') "Node-hours of them in which nobody did.";
        EmptyUsd number(Usd) "empty_usd" [] "EMPTY USD" 11 unit("$") apart by('e') "What these cost, of hours with a known price.";
        Stretches number(Count) "empty_stretches" ["stretches"] "STRETCHES" 9 apart "Stretches in which a node was up and nobody held it.";
        EmptyP50 number(Count) "empty_minutes_p50" [] "P50 MIN" 9 apart "Median of their lengths, minutes.";
        EmptyP95 number(Count) "empty_minutes_p95" [] "P95 MIN" 9 apart "Length that 19 of 20 of them have at most, minutes.";
        ScaleDown number(Count) "scale_down_minutes" ["idle_tail"] "GONE AFTER" 10 apart
            "Median time from the end of the last job on a node to when the node went away, minutes: the delay that is set now; none where no \
             node went away.";
        Starts number(Count) "node_starts" [] "STARTS" 6 apart "Instances that came up.";
        Boot number(Count) "boot_minutes" ["boot"] "BOOT MIN" 8 apart "Minutes that a node boots.";
        BootBy choice(BootFrom::WORDS) "boot_from" [] "BOOT BY" 8
            "What tells it: given by --boot-minutes; observed, the median of nodes that came up for a job that waited; assumed, five minutes.";
        Unpriced number(Count) "unpriced_node_hours" ["unpriced"] "NO PRICE" 8 apart "Node-hours whose price is not known: they are in no dollars.";
        Fix text "fix" ["mitigation"] "WHAT SETS IT" 30 wide "What sets it; the page of the row has the lines.";
    }
}

use ScalingField as F;

impl TableField for ScalingField {
    type Row = ScalingRow;

    const NOUNS: [&'static str; 2] = ["row", "rows"];

    const SCREEN_COLUMNS: &'static [Self] = &[
        F::Queue,
        F::InstanceType,
        F::After,
        F::Kept,
        F::Fits,
        F::SavesUsd,
        F::MoreStarts,
        F::Delayed,
        F::Jobs,
        F::EmptyUsd,
    ];
    const DROPPED_FIRST: &'static [Self] =
        &[F::EmptyUsd, F::Jobs, F::MoreStarts, F::InstanceType, F::Delayed];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a ScalingRow, _: &ViewContext) -> Value<'a> {
        let of = &row.group;
        let count = |number: u32| Value::Number(number.into());
        // Beyond a millionth nothing of them means anything.
        let rounded = |value: f64| Value::number(Some((value * 1e6).round() / 1e6));
        let hours = |ms: u64| rounded(ms as f64 / 3.6e6);
        let minutes = |ms: Option<i64>| match ms {
            Some(ms) => rounded(ms as f64 / 60_000.0),
            None => Value::Unknown,
        };
        match self {
            F::Cluster => Value::text(&of.cluster),
            F::Queue => Value::maybe(of.queue.as_deref()),
            F::InstanceType => Value::maybe(of.instance_type.as_deref()),
            F::Source => Value::text(of.source.word()),
            F::After => Value::made(scaling_after(row.delay_minutes)),
            F::Delay => row.delay_minutes.map_or(Value::Unknown, count),
            F::Kept => count(row.kept_nodes),
            F::Fits => Value::text(YES[usize::from(row.fits)]),
            F::SavesUsd => usd(row.saves_usd_per_month()),
            F::SavesHours => rounded(row.saved_ms as f64 / 3.6e6),
            F::MoreStarts => Value::number(Some(row.more_starts as f64)),
            F::Delayed => count(row.delayed),
            F::DelayedNow => count(of.delayed),
            F::Jobs => count(of.jobs),
            F::Wait => hours(row.wait_ms().unsigned_abs()),
            F::Hours => hours(of.span_ms.unsigned_abs()),
            F::Nodes => count(of.nodes),
            F::Static => count(of.static_nodes),
            F::Fewest => count(of.up_at_once.0),
            F::Most => count(of.up_at_once.1),
            F::Up => hours(of.up_ms),
            F::Busy => hours(of.held_ms),
            F::Empty => hours(of.empty_ms()),
            F::EmptyUsd => usd(of.is_priced().then_some(of.empty_usd)),
            F::Stretches => count(of.stretches),
            F::EmptyP50 => minutes(of.stretch_ms.map(|(median, _)| median)),
            F::EmptyP95 => minutes(of.stretch_ms.map(|(_, p95)| p95)),
            F::ScaleDown => minutes(of.scale_down_ms),
            F::Starts => count(of.starts),
            F::Boot => minutes(Some(of.boot_ms)),
            F::BootBy => Value::text(of.boot_from.word()),
            F::Unpriced => hours(of.up_ms.saturating_sub(of.priced_ms)),
            F::Fix => Value::text(scaling_fix(of.source)),
        }
    }

    fn id(row: &ScalingRow) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(_: &ScalingRow) -> Option<f64> {
        None
    }

    fn any_text(row: &ScalingRow, mut holds: impl FnMut(&str) -> bool) -> bool {
        let of = &row.group;
        holds(&of.cluster)
            || [&of.queue, &of.instance_type].into_iter().flatten().any(|text| holds(text))
    }
}
