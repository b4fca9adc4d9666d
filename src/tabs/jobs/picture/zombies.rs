//! The fields of GPUs that cost and do nothing for a job.

use std::borrow::Cow;
use std::sync::Arc;

use crate::analyze::jobs::{Zombie, ZombieKind};
use crate::view::reasons::{zombie, zombie_fix};
use crate::view::table_field::{field_table, fields};
use crate::view::{Origin, TableField, Value, ViewContext};

/// Rows of such GPUs, in their order.
pub fn zombie_rows(of: Vec<Zombie>) -> Arc<[Arc<Zombie>]> {
    of.into_iter().map(Arc::new).collect()
}

field_table! {
    /// A field of a GPU that costs and does nothing for a job.
    pub enum ZombieField => FIELDS {
        Node text "node" ["host"] "NODE" 18 key wide by('n') "Name of the node, as the scheduler has it.";
        Gpu number(Count) "gpu" ["gpu_index", "index"] "GPU" 3 key smallest_first by('g') "Index of the GPU on it.";
        InstanceId text "instance_id" ["instance"] "INSTANCE" 19 "Id of its instance; none of a GPU of no instance.";
        Kind choice(ZombieKind::WORDS) "kind" [] "KIND" 19 by('k')
            "no_job: held, and by no living job; idle: in a job that runs; idle_beside_working: while others of the job work.";
        What text "what" [] "WHAT" 24 wide "The kind, in words.";
        Holder text "holder" ["job"] "HOLDER" 16 wide by('h') "The job; a process or an owner where no job has it.";
        User text "user" [] "USER" 10 by('u') "User.";
        Since time "since" [] "SINCE" 16 by('s')
            "Since when it idles in the job: its idle spell by telemetry (GPUs tab), or the job's start where that is later; without a job, the end of the last one on the node.";
        UsdPerHour number(UsdPerHour) "usd_per_hour" ["rate"] "$/h" 7 by('r') "Price of the GPU.";
        Usd number(Usd) "usd" ["$", "wasted"] "COST" 10 unit("$") by('c') "Dollars since then.";
        Fix text "fix" ["mitigation"] "WHAT HELPS" 30 wide "What helps.";
    }
}

use ZombieField as F;

impl TableField for ZombieField {
    type Row = Zombie;

    const NOUNS: [&'static str; 2] = ["GPU", "GPUs"];

    const SCREEN_COLUMNS: &'static [Self] =
        &[F::Node, F::Gpu, F::Kind, F::Holder, F::User, F::Since, F::UsdPerHour, F::Usd];
    const DROPPED_FIRST: &'static [Self] = &[F::UsdPerHour, F::User, F::Since];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a Zombie, _: &ViewContext) -> Value<'a> {
        match self {
            F::Node => Value::text(&row.node),
            F::Gpu => Value::number(row.gpu.map(f64::from)),
            F::InstanceId => Value::maybe(row.instance_id.as_deref()),
            F::Kind => Value::text(row.kind.word()),
            F::What => Value::text(zombie(row.kind)),
            F::Holder => Value::maybe(row.holder.as_deref()),
            F::User => Value::maybe(row.user.as_deref()),
            F::Since => Value::time(row.since),
            F::UsdPerHour => Value::number(row.usd_per_hour),
            F::Usd => Value::number(row.usd),
            F::Fix => Value::text(zombie_fix(row.kind)),
        }
    }

    fn id(row: &Zombie) -> &Arc<str> {
        &row.id
    }

    fn origin(row: &Zombie) -> Origin<'_> {
        Origin { scope: row.scope.as_ref().map(Cow::Borrowed), told: &[] }
    }

    fn usd_per_hour(row: &Zombie) -> Option<f64> {
        row.usd_per_hour
    }

    fn any_text(row: &Zombie, mut holds: impl FnMut(&str) -> bool) -> bool {
        let texts = [&row.holder, &row.user];
        holds(&row.node) || texts.into_iter().flatten().any(|text| holds(text))
    }
}
