//! The fields of what workloads asked for and did not use.

use std::sync::Arc;

use crate::analyze::jobs::{RequestKind, RequestRow};
use crate::domain::jobs::JobSource;
use crate::view::reasons::request_fix;
use crate::view::table_field::{field_table, fields};
use crate::view::{TableField, Value, ViewContext};

/// A workload of a list that asks for more than it uses.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestItem {
    /// What to ask for instead: a line to be copied, or words.
    pub fix: String,
    /// The workload.
    pub of: RequestRow,
}

/// Rows of such workloads, in their order.
pub fn request_rows(of: Vec<RequestRow>) -> Arc<[Arc<RequestItem>]> {
    of.into_iter().map(|of| Arc::new(RequestItem { fix: request_fix(&of), of })).collect()
}

field_table! {
    /// A field of what a workload asked for and did not use.
    pub enum RequestField => FIELDS {
        Kind choice(RequestKind::WORDS) "resource" ["kind"] "RESOURCE" 8 key by('r')
            "What it asks too much of: gpus, time until the scheduler ends it, memory.";
        Workload text "workload" ["name"] "WORKLOAD" 18 key wide by('w') "Name of its jobs.";
        User text "user" [] "USER" 8 by('u') "User.";
        Team text "team" ["account"] "TEAM" 8 by('t') "Team of the attempt that ended last; of Slurm the account.";
        Source choice(JobSource::WORDS) "source" [] "SOURCE" 10 "Where it was read.";
        Cluster text "cluster" [] "CLUSTER" 10 "Cluster; none where none is named.";
        Namespace text "namespace" [] "NAMESPACE" 10 "Namespace of Kubernetes; none of other sources.";
        Attempts number(Count) "attempts" [] "ATTEMPTS" 8 by('m')
            "Attempts that asked for it, of those that ended in these days; of what serves on Kubernetes those that run too.";
        Running number(Count) "running" [] "RUNNING" 7 "Attempts of them that run still: what they held up to the last full hour counts.";
        Known number(Count) "known" [] "KNOWN" 5 by('k')
            "Attempts of them of which it is known what they used; of time those that completed.";
        Unknown number(Count) "unknown" [] "UNKNOWN" 7 by('n') "The other ones: what they asked for counts as used.";
        Asked number(Count) "asked" [] "ASKED" 7 apart by('a') "The most that an attempt asked for, over all nodes, in the unit of the row.";
        Used number(Count) "used_p95" ["used"] "USED P95" 8 apart by('d')
            "What 19 of 20 attempts used at most: GPUs that worked at all, time that completed ones took, peak of memory.";
        Proposed number(Count) "proposed" [] "PROPOSED" 8 apart by('p')
            "What would have been enough: of time and memory the most that was used and a fifth, rounded up.";
        Unit text "unit" [] "UNIT" 5 "Unit of these three: GPUs, hours, GiB.";
        Unused number(Count) "unused_gpu_hours" ["unused"] "UNUSED" 9 by('s')
            "GPU-hours of GPUs beyond what is proposed that did not work, of attempts of which that is known.";
        UsdPerMonth number(Usd) "usd_per_month" ["$", "usd"] "$/MONTH" 10 unit("$") by('o')
            "What these cost, scaled to a month; none where no price is known, and for time and memory.";
        Fix text "fix" ["mitigation"] "ASK FOR" 24 wide by('f') "What to ask for instead: the line of the script, where one says it.";
    }
}

use RequestField as F;

impl TableField for RequestField {
    type Row = RequestItem;

    const NOUNS: [&'static str; 2] = ["row", "rows"];

    const SCREEN_COLUMNS: &'static [Self] = &[
        F::Kind,
        F::Workload,
        F::User,
        F::Attempts,
        F::Unknown,
        F::Asked,
        F::Used,
        F::Proposed,
        F::Unit,
        F::UsdPerMonth,
        F::Fix,
    ];
    const DROPPED_FIRST: &'static [Self] =
        &[F::Attempts, F::Unknown, F::Fix, F::Used, F::User, F::Unit];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a RequestItem, _: &ViewContext) -> Value<'a> {
        let of = &row.of;
        // Beyond a millionth nothing of them means anything.
        let rounded = |value: f64| (value * 1e6).round() / 1e6;
        let number = |value: Option<f64>| Value::number(value.map(rounded));
        match self {
            F::Kind => Value::text(of.kind.word()),
            F::Workload => Value::text(&of.name),
            F::User => Value::maybe(of.user.as_deref()),
            F::Team => Value::maybe(of.team.as_deref()),
            F::Source => Value::text(of.source.word()),
            F::Cluster => Value::text(&of.cluster),
            F::Namespace => Value::maybe(of.namespace.as_deref()),
            F::Attempts => Value::Number(of.attempts.into()),
            F::Running => Value::Number(of.running.into()),
            F::Known => Value::Number(of.known.into()),
            F::Unknown => Value::Number(of.attempts.saturating_sub(of.known).into()),
            F::Asked => number(Some(of.asked)),
            F::Used => number(Some(of.used_p95)),
            F::Proposed => number(Some(of.proposed)),
            F::Unit => Value::text(of.kind.unit()),
            F::Unused => number(of.unused_gpu_hours),
            F::UsdPerMonth => number(of.usd_per_month),
            F::Fix => Value::text(&row.fix),
        }
    }

    fn id(row: &RequestItem) -> &Arc<str> {
        &row.of.id
    }

    fn usd_per_hour(_: &RequestItem) -> Option<f64> {
        None
    }

    fn any_text(row: &RequestItem, mut holds: impl FnMut(&str) -> bool) -> bool {
        let of = &row.of;
        holds(&of.name)
            || [&of.user, &of.team, &of.namespace].into_iter().flatten().any(|text| holds(text))
    }
}
