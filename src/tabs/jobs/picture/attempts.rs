//! The fields of an attempt.

use std::sync::Arc;

use jiff::Timestamp;

use crate::analyze::jobs::{CauseClass, CauseFrom, Costed, PriceFrom, Salvage, TypeFrom, UsedFrom};
use crate::domain::bill::Usd;
use crate::domain::jobs::{AttemptId, Cause, GpuTime, Gpus, JobSource, JobState};
use crate::view::reasons::{cause_fix, evidence_words};
use crate::view::table_field::{field_table, fields};
use crate::view::{TableField, Value, ViewContext};

/// An attempt of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct JobRow {
    /// Its identity: source, cluster, raw id and key, which stay when the job is shown by another id or number; of parts that ran
    /// side by side, whose first may be another one later, job and number. Unique among the rows of a list.
    pub id: Arc<str>,
    /// Class of the cause; `None` where nothing failed.
    pub cause: Option<String>,
    /// What the source tells of the end: code, signal, limit; `None` where it tells nothing.
    pub code: Option<String>,
    /// What happened to one of its nodes about when it failed, in words; `None` where nothing is known to have.
    pub evidence: Option<String>,
    /// Names of the nodes, one after the other; empty without any.
    pub nodes: String,
    /// The attempt with its costs.
    pub of: Costed,
}

/// Rows of attempts, the newest first.
pub fn job_rows(of: Vec<Costed>) -> Arc<[Arc<JobRow>]> {
    let row = |of: Costed| {
        let attempt = &of.attempt;
        let AttemptId { source, cluster, raw, key } = &attempt.id;
        let source = source.word();
        let id = match attempt.parts_of {
            Some(_) => format!("{source} {cluster} {} #{}", attempt.job, of.number),
            None => format!("{source} {cluster} {raw} {key}"),
        };
        let nodes = match &attempt.nodes[..] {
            [] => String::new(),
            [one] => one.to_string(),
            [first, others @ ..] => format!("{first} +{}", others.len()),
        };
        Arc::new(JobRow {
            id: id.into(),
            cause: of.class.map(|class| class.word().to_owned()),
            code: attempt.cause.map(Cause::word),
            evidence: of.evidence.as_ref().map(evidence_words),
            nodes,
            of,
        })
    };
    of.into_iter().rev().map(row).collect()
}

field_table! {
    /// A field of an attempt of a job.
    pub enum JobField => FIELDS {
        Source choice(JobSource::WORDS) "source" [] "SOURCE" 10 "Where it was read.";
        Cluster text "cluster" [] "CLUSTER" 10 "Cluster; none where none is named.";
        Job text "job_id" ["id", "job"] "JOB" 8 key by('j') "Id of the job, as its source shows it.";
        Attempt number(Count) "attempt" [] "TRY" 3 "Number of the attempt among those of its job.";
        Parts number(Count) "parts" [] "PARTS" 5 "Number of parts that ran side by side, as one row.";
        Name text "name" [] "NAME" 14 key wide by('n') "Name of the job.";
        User text "user" [] "USER" 8 by('u') "User.";
        Team text "team" ["account"] "TEAM" 8 by('t') "Team; of Slurm the account.";
        Project text "project" [] "PROJECT" 10 by('p') "Project.";
        State choice(JobState::WORDS) "state" ["status"] "STATE" 13 by('s') "How it stands or ended.";
        StateSource text "state_source" [] "SOURCE'S WORD" 14 "The source's own word for the state.";
        Cause choice(CauseClass::WORDS) "cause" [] "CAUSE" 13 by('c') "Class of what ended it; none where nothing failed.";
        CauseFrom choice(CauseFrom::WORDS) "cause_from" [] "CAUSE BY" 9
            "What tells the cause: state, exit, reason; xid, spot, node = what happened to a node then. None = nobody.";
        Evidence text "evidence" [] "WHAT HAPPENED" 30 wide
            "What happened to one of its nodes about when it failed, and how long before its end.";
        Code text "exit" ["code"] "EXIT" 12 "Code, signal or limit that ended it, as the source tells.";
        Fix text "fix" ["mitigation"] "WHAT HELPS" 30 wide "What helps against causes of this class.";
        Reason text "reason" [] "REASON" 16 wide "The source's own words on the cause.";
        Submitted time "submitted_at" ["submitted"] "SUBMITTED" 16 by('m') "When it was submitted, or queued again.";
        Started time "started_at" ["started"] "STARTED" 16 by('r') "When it got its nodes.";
        Ended time "ended_at" ["ended"] "ENDED" 16 by('d') "When it gave its nodes back.";
        Since time "state_since" ["since"] "SINCE" 16
            "Since when it is in its state: its end; of one that runs its start, of one that waits when it was submitted.";
        EndedAgo number(Seconds) "ended_ago_s" ["ended_ago"] "ENDED AGO" 9 smallest_first
            "Time since it gave its nodes back; none while it has not.";
        Nodes text "nodes" ["node"] "NODES" 12 wide "Names of its nodes.";
        Gpus number(Count) "gpus" [] "GPUS" 5 by('g') "GPUs held, over all nodes.";
        Model text "gpu_model" ["model"] "MODEL" 8 "Model of the GPUs.";
        InstanceType text "instance_type" ["type"] "TYPE" 13 "Instance type of the nodes.";
        GpuHours number(Count) "gpu_hours" ["hours"] "GPU-HOURS" 9 by('h')
            "GPUs × hours from start to end, suspension included.";
        GpuHoursUsed number(Count) "gpu_hours_used" [] "USED" 9
            "GPU-hours in which its GPUs worked; none where neither kept telemetry nor jobstats covers all of them.";
        UsedFrom choice(UsedFrom::WORDS) "gpu_hours_used_from" [] "USED BY" 9
            "What tells these: telemetry that is kept, or jobstats, by which its site measured it until it ended.";
        Usd number(Usd) "usd" ["$"] "COST" 11 unit("$") by('o')
            "Hours × share of the node × its price; none without a known instance type.";
        PriceFrom choice(PriceFrom::WORDS) "price_from" [] "PRICE" 7 "Kind of price: list, spot, bill, private.";
        TypeFrom choice(TypeFrom::WORDS) "type_from" [] "TYPE BY" 9
            "What tells the instance type: attempt, scheduler, hyperpod, fleet; rule = by queue, an estimate.";
        Scaled text "scaled" [] "SCALED" 6
            "True where attempts asked for more of a node than it has: each pays its part of one node.";
        LostHours number(Count) "lost_gpu_hours" ["lost"] "LOST" 9 by('l') "GPU-hours that came to nothing.";
        LostUsd number(Usd) "lost_usd" [] "LOST COST" 11 unit("$") "Dollars that came to nothing.";
        UpperBound text "lost_is_upper_bound" [] "AT MOST" 7
            "True where a checkpoint that is not known may have saved some of it.";
        UsdPerPrediction number(Usd) "usd_per_prediction" [] "PER PREDICTION" 14 unit("$")
            "Dollars per prediction; none without predictions.";
        Salvage choice(Salvage::WORDS) "salvage" ["saved"] "SAVED" 9
            "What is known of its checkpoints: unknown, told, found, guessed by its name, confirmed or refuted by the next attempt.";
        SavedAt time "saved_at" [] "SAVED AT" 16 "When its last complete checkpoint was written.";
        SavedStep number(Count) "saved_step" ["step"] "STEP" 8 "Step of that checkpoint.";
        DeltaLow number(Bytes) "delta_saves_bytes" [] "DELTA" 8
            "Bytes that differences instead of whole checkpoints would save at least, over all kinds of training.";
        DeltaHigh number(Bytes) "delta_saves_bytes_most" [] "DELTA AT MOST" 13 "And at most.";
        Checkpoint text "checkpoint" [] "CHECKPOINT" 20 wide "Where its checkpoints are.";
        Tracker text "tracker" ["experiment"] "TRACKER" 14 "Experiment, or run of a tracker.";
    }
}

use JobField as F;

/// GPU time as a value in hours.
pub(super) fn hours(time: Option<GpuTime>) -> Value<'static> {
    Value::number(time.map(GpuTime::hours))
}

/// Dollars that may be unknown.
pub(super) fn usd(amount: Option<Usd>) -> Value<'static> {
    amount.map_or(Value::Unknown, Value::Usd)
}

impl TableField for JobField {
    type Row = JobRow;

    const NOUNS: [&'static str; 2] = ["attempt", "attempts"];

    const SCREEN_COLUMNS: &'static [Self] = &[
        F::Job,
        F::Attempt,
        F::Name,
        F::User,
        F::State,
        F::Cause,
        F::Started,
        F::Gpus,
        F::GpuHours,
        F::Usd,
        F::LostHours,
    ];
    const DROPPED_FIRST: &'static [Self] =
        &[F::Cause, F::Started, F::Attempt, F::LostHours, F::Gpus, F::User];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a JobRow, ctx: &ViewContext) -> Value<'a> {
        let (of, at) = (&row.of, &row.of.attempt);
        match self {
            F::Source => Value::text(at.id.source.word()),
            F::Cluster => Value::text(&at.id.cluster),
            F::Job => Value::text(&at.job),
            F::Attempt => Value::Number(of.number.into()),
            F::Parts => Value::Number(of.parts.into()),
            F::Name => Value::maybe(at.name.as_deref()),
            F::User => Value::maybe(at.user.as_deref()),
            F::Team => Value::maybe(at.team.as_deref()),
            F::Project => Value::maybe(at.project.as_deref()),
            F::State => Value::text(at.state.word()),
            F::StateSource => Value::text(&at.state_source),
            F::Cause => Value::maybe(row.cause.as_deref()),
            F::CauseFrom => Value::maybe(of.cause_from.map(CauseFrom::word)),
            F::Evidence => Value::maybe(row.evidence.as_deref()),
            F::Code => Value::maybe(row.code.as_deref()),
            F::Fix => Value::maybe(of.class.map(cause_fix)),
            F::Reason => Value::maybe(at.reason.as_deref()),
            F::Submitted => Value::time(at.submitted_at),
            F::Started => Value::time(at.started_at),
            F::Ended => Value::time(at.ended_at),
            F::Since => {
                let began = match at.state {
                    JobState::Queued => at.submitted_at,
                    JobState::Running => at.started_at,
                    _ => None,
                };
                Value::time(at.ended_at.or(began))
            }
            F::EndedAgo => {
                let ago = |at: Timestamp| ctx.now.duration_since(at).as_secs_f64().max(0.0);
                Value::number(at.ended_at.map(ago))
            }
            F::Nodes => Value::text(&row.nodes),
            F::Gpus => Value::number(at.gpus.map(Gpus::to_f64)),
            F::Model => Value::maybe(at.gpu_model.as_deref()),
            F::InstanceType => Value::maybe(at.instance_type.as_deref()),
            F::GpuHours => hours(of.held.gpu_time),
            F::GpuHoursUsed => hours(of.worked().map(|(time, _)| time)),
            F::UsedFrom => Value::maybe(of.worked().map(|(_, from)| from.word())),
            F::Usd => usd(of.held.usd),
            F::PriceFrom => Value::maybe(of.price_from.map(PriceFrom::word)),
            F::TypeFrom => Value::maybe(of.type_from.map(TypeFrom::word)),
            F::Scaled => Value::text(if of.is_scaled { "true" } else { "false" }),
            F::LostHours => hours(of.lost.gpu_time),
            F::LostUsd => usd(of.lost.usd),
            F::UpperBound => Value::text(if of.lost_is_upper_bound { "true" } else { "false" }),
            // Nothing per nothing is unknown, not $0.
            F::UsdPerPrediction => {
                let each = at.predictions.filter(|n| *n > 0).zip(of.held.usd);
                usd(each.map(|(n, usd)| usd.prorated(1, n)))
            }
            F::Salvage => Value::text(of.salvage.word()),
            F::SavedAt => Value::time(of.saved_at),
            F::SavedStep => Value::number(of.saved_step.map(|step| step as f64)),
            F::DeltaLow => Value::number(of.delta_bytes.map(|(low, _)| low as f64)),
            F::DeltaHigh => Value::number(of.delta_bytes.map(|(_, high)| high as f64)),
            F::Checkpoint => Value::maybe(at.checkpoint.as_deref()),
            F::Tracker => Value::maybe(at.tracker.as_deref()),
        }
    }

    fn id(row: &JobRow) -> &Arc<str> {
        &row.id
    }

    /// What one that runs cost an hour so far; nothing for one that holds nothing now.
    fn usd_per_hour(row: &JobRow) -> Option<f64> {
        let of = &row.of.attempt;
        match of.state {
            JobState::Running => {
                let ms = of.held_ms().filter(|ms| *ms > 0)?;
                Some(row.of.held.usd?.to_f64() / (ms as f64 / 3.6e6))
            }
            JobState::Doubtful | JobState::Unknown => None,
            _ => Some(0.0),
        }
    }

    fn any_text(row: &JobRow, mut holds: impl FnMut(&str) -> bool) -> bool {
        let at = &row.of.attempt;
        let texts = [&at.name, &at.user, &at.team, &at.project, &at.tracker];
        holds(&at.job)
            || texts.into_iter().flatten().any(|text| holds(text))
            || at.nodes.iter().any(|node| holds(node))
    }
}
