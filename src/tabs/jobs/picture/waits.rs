//! The fields of queue waits.

use std::sync::Arc;

use crate::analyze::jobs::{WaitKey, WaitKind, WaitRow};
use crate::domain::jobs::JobSource;
use crate::view::table_field::{field_table, fields};
use crate::view::{TableField, Value, ViewContext};

/// Waits of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitItem {
    /// Hour, cluster and key; unique among the rows of a list.
    pub id: Arc<str>,
    /// The waits.
    pub of: WaitRow,
    /// What the list is summed by.
    pub by: WaitKey,
    /// What an hour of a user is worth, USD; `None` where nobody says.
    pub user_usd_per_hour: Option<f64>,
}

/// Rows of waits by a key, in their order; with what an hour of a user who waits is worth, USD.
pub fn wait_rows(
    of: Vec<WaitRow>,
    by: WaitKey,
    user_usd_per_hour: Option<f64>,
) -> Arc<[Arc<WaitItem>]> {
    let row = |of: WaitRow| {
        // A blank before what is there: none is not the empty text.
        let text =
            |text: &Option<Arc<str>>| text.as_ref().map_or(String::new(), |t| format!(" {t}"));
        let hour = of.hour.map_or(String::new(), |hour| hour.to_string());
        let source = of.source.map_or("", JobSource::word);
        let id = format!("{hour} {source}{}/{}", text(&of.cluster), text(&of.key)).into();
        Arc::new(WaitItem { id, of, by, user_usd_per_hour })
    };
    of.into_iter().map(row).collect()
}

field_table! {
    /// A field of queue waits.
    pub enum WaitField => FIELDS {
        Hour time "hour" [] "HOUR" 16 by('h') "Beginning of the hour, UTC; none by another key.";
        Source choice(JobSource::WORDS) "source" [] "SOURCE" 10 "Where the cluster was read; none by user or team.";
        Cluster text "cluster" [] "CLUSTER" 10 key wide "Cluster; none by user or team.";
        Key text "key" ["queue", "user", "team"] "WHICH" 16 key wide by('k')
            "Queue, user or team, as --by says; in its column also the hour or the cluster.";
        Attempts number(Count) "attempts" [] "ATTEMPTS" 8 by('t') "Attempts that waited for GPUs.";
        Users number(Count) "users" [] "USERS" 5 by('u') "Users that waited.";
        WaitingGpus number(Count) "waiting_gpus" ["waiting"] "WAITING" 8 by('w')
            "GPUs that were waited for, mean of the hour; none by another key.";
        IdleGpus number(Count) "idle_gpus" ["idle"] "IDLE" 8 by('i')
            "GPUs of the cluster that nobody held, mean of the hour as far as it is known; none by another key.";
        Waited number(Count) "waited_gpu_hours" ["waited"] "GPU-HOURS" 9 by('g') "GPU-hours that were waited for.";
        Limit number(Count) "limit_gpu_hours" ["limit"] "LIMIT" 8 by('l')
            "Of them those of jobs that a limit kept waiting, by the scheduler's own word: quota, QOS, licences.";
        Room number(Count) "room_gpu_hours" ["room"] "ROOM" 8 by('r')
            "While as many GPUs stood idle, on as many nodes as were asked for.";
        Fragmented number(Count) "fragmented_gpu_hours" ["fragmented"] "FRAGMENTED" 10 by('f')
            "While as many stood idle, on too many nodes.";
        Shortage number(Count) "shortage_gpu_hours" ["shortage"] "SHORTAGE" 8 by('s') "While fewer stood idle.";
        Unknown number(Count) "unknown_gpu_hours" ["unknown"] "UNKNOWN" 8 "While nobody knows what stood idle.";
        Beside number(Count) "idle_beside_gpu_hours" ["beside"] "IDLE BESIDE" 11
            "GPU-hours that stood idle through an hour in which they were waited for, each once.";
        Usd number(Usd) "usd" ["$"] "IDLE COST" 10 unit("$") by('c') "What these cost; none where that is not known.";
        UserHours number(Count) "user_hours" [] "USER-HOURS" 10 "Hours in which a user waited, for one job or several.";
        UserUsd number(Usd) "user_usd" [] "USERS COST" 10 unit("$")
            "User-hours × --user-usd-per-hour: at most this, for who waits may do something else.";
        UnknownGpus number(Count) "unknown_gpu_attempts" [] "NO GPUS" 7
            "Attempts of which nobody knows how many GPUs they wait for: they are in no GPU-hours.";
    }
}

use WaitField as F;

impl TableField for WaitField {
    type Row = WaitItem;

    const NOUNS: [&'static str; 2] = ["row", "rows"];

    const SCREEN_COLUMNS: &'static [Self] = &[
        F::Key,
        F::Cluster,
        F::Attempts,
        F::WaitingGpus,
        F::IdleGpus,
        F::Waited,
        F::Limit,
        F::Room,
        F::Fragmented,
        F::Shortage,
        F::Unknown,
        F::Usd,
    ];
    const DROPPED_FIRST: &'static [Self] =
        &[F::Attempts, F::Waited, F::WaitingGpus, F::Unknown, F::Fragmented];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a WaitItem, _: &ViewContext) -> Value<'a> {
        let of = &row.of;
        // Sums of parts of hours: beyond a millionth nothing of them means anything.
        let rounded = |value: f64| (value * 1e6).round() / 1e6;
        let number = |value: Option<f64>| Value::number(value.map(rounded));
        let kind = |kind: WaitKind| number(Some(of.of_kind(kind)));
        let mean = |sum: f64, hours: f64| (hours > 0.0).then(|| sum / hours);
        match self {
            F::Hour => Value::time(of.hour),
            F::Source => Value::maybe(of.source.map(JobSource::word)),
            F::Cluster => Value::maybe(of.cluster.as_deref()),
            F::Key => Value::maybe(of.key.as_deref()),
            F::Attempts => Value::Number(of.attempts.into()),
            F::Users => Value::Number(of.users.into()),
            F::WaitingGpus => number(mean(of.waited(), of.hours)),
            F::IdleGpus => number(of.idle_gpu_hours.and_then(|sum| mean(sum, of.told_hours))),
            F::Waited => number(Some(of.waited())),
            F::Limit => kind(WaitKind::Limit),
            F::Room => kind(WaitKind::Room),
            F::Fragmented => kind(WaitKind::Fragmented),
            F::Shortage => kind(WaitKind::Shortage),
            F::Unknown => kind(WaitKind::Unknown),
            F::Beside => number(of.beside_gpu_hours),
            F::Usd => number(of.usd),
            F::UserHours => number(Some(of.user_hours)),
            F::UserUsd => number(row.user_usd_per_hour.map(|usd| usd * of.user_hours)),
            F::UnknownGpus => Value::Number(of.unknown_gpu_attempts.into()),
        }
    }

    fn cell(self, row: &WaitItem, ctx: &ViewContext) -> String {
        let shown = match (self, row.by) {
            (F::Key, WaitKey::Hour) => F::Hour,
            (F::Key, WaitKey::Cluster) => F::Cluster,
            _ => self,
        };
        shown.value(row, ctx).shown(shown.spec().kind, ctx)
    }

    fn id(row: &WaitItem) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(_: &WaitItem) -> Option<f64> {
        None
    }

    fn any_text(row: &WaitItem, mut holds: impl FnMut(&str) -> bool) -> bool {
        [&row.of.cluster, &row.of.key].into_iter().flatten().any(|text| holds(text))
    }
}
