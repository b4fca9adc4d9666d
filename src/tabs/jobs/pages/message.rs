//! The message to the user of an attempt.

use jiff::{SignedDuration, Timestamp};

use super::stop::{amount, can_be_stopped, stop_command, would_lose};
use super::timeline::worked;
use crate::analyze::jobs::{Zombie, ZombieKind};
use crate::domain::jobs::{Attempt, Gpus, JobState};
use crate::domain::text::clean_to;
use crate::tabs::jobs::picture::{JobRow, JobsPicture};
use crate::view::{ViewContext, format, reasons};

/// GPUs that are named.
const GPUS: usize = 4;

/// Longest words of a source that are repeated, characters.
const WORDS_AT_MOST: usize = 300;

/// Longest line, characters: longer than any command.
const LINE_AT_MOST: usize = 8_192;

/// The message to the user of an attempt, plain text in a few lines: which job, how it stands and since when, evidence, dollars, what
/// to do, and for one that runs or waits the command. What is not known is left out.
pub fn message(jobs: &JobsPicture, row: &JobRow, ctx: &ViewContext) -> String {
    let at = &row.of.attempt;
    let to = match &at.user {
        Some(user) => format!("To {user} (user of the job, as read from {}):", at.id.source.word()),
        None => "To whoever runs this job:".to_owned(),
    };
    let lines = [vec![to], about(jobs, row, ctx)].concat();
    written(&lines)
}

/// What the message says of an attempt below whom it is for, a line each.
pub(super) fn about(jobs: &JobsPicture, row: &JobRow, ctx: &ViewContext) -> Vec<String> {
    let mut lines = vec![format!("{} {}.", job(row), standing(&row.of.attempt, ctx.now))];
    let evidence = evidence(jobs, row);
    if !evidence.is_empty() {
        lines.push(format!("Evidence: {}.", evidence.join("; ").trim_end_matches('.')));
    }
    lines.extend(costs(row));
    lines.extend(request(jobs, row, ctx.now));
    lines
}

/// Lines as one text, each clean.
pub(super) fn written(lines: &[String]) -> String {
    let lines: Vec<_> = lines.iter().map(|line| clean_to(line, LINE_AT_MOST)).collect();
    lines.join("\n")
}

/// `Job 101 (pretrain), attempt 2, of the cluster prod`.
fn job(row: &JobRow) -> String {
    let at = &row.of.attempt;
    let name = at.name.as_deref().map(|name| format!(" ({name})")).unwrap_or_default();
    let number = match row.of.number {
        0 | 1 => String::new(),
        number => format!(", attempt {number},"),
    };
    let cluster = match &*at.id.cluster {
        "" => String::new(),
        cluster => format!(" of the cluster {cluster}"),
    };
    format!("Job {}{name}{number}{cluster}", at.job)
}

fn minute(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

fn span(ms: i64) -> String {
    format::span_words(SignedDuration::from_millis(ms))
}

/// `8 H100 GPUs`; `None` where their number is not known.
fn gpus(count: Option<Gpus>, model: Option<&str>) -> Option<String> {
    let count = count.map(Gpus::to_f64)?;
    let model = model.map(|model| format!("{model} ")).unwrap_or_default();
    let noun = format::noun(if count == 1.0 { 1 } else { 2 }, "GPU");
    Some(format!("{} {model}{noun}", format::count(count)))
}

/// How it stands, on how many GPUs, for how long and since when.
fn standing(at: &Attempt, now: Timestamp) -> String {
    let how = match at.state {
        JobState::Running => "runs",
        JobState::Queued => return waiting(at, now),
        JobState::Doubtful => "runs by the books alone",
        JobState::Unknown => "is in a state that is not known",
        JobState::Completed => "ended well",
        JobState::CompletedStepFailed => "ended well, but a step of it failed",
        JobState::Failed => "failed",
        JobState::OutOfMemory => "ran out of memory",
        JobState::TimedOut => "ran into its time limit",
        JobState::Cancelled => "was cancelled",
        JobState::Preempted => "was preempted",
        JobState::NodeFault => "lost its node",
    };
    let held = at.held_ms().filter(|ms| *ms > 0);
    let on = gpus(at.gpus, at.gpu_model.as_deref()).map(|gpus| format!(" on {gpus}"));
    let on = on.unwrap_or_default();
    match at.ended_at {
        Some(ended) => {
            let after = held.map(|ms| format!(" after {}", span(ms))).unwrap_or_default();
            format!("{how}{on}{after}, at {}", minute(ended))
        }
        None => {
            let length = held.map(|ms| format!(", for {}", span(ms))).unwrap_or_default();
            let since = at.started_at.map(|at| format!(", since {}", minute(at)));
            format!("{how}{on}{length}{}", since.unwrap_or_default())
        }
    }
}

fn waiting(at: &Attempt, now: Timestamp) -> String {
    let asked = gpus(at.asked_gpus.or(at.gpus), at.gpu_model.as_deref());
    let asked = asked.map(|gpus| format!(" for {gpus}")).unwrap_or_default();
    let since = at.submitted_at.map(|at| {
        let waited = format::span_words(now.duration_since(at));
        format!(", for {waited}, since {}", minute(at))
    });
    format!("waits{asked}{}", since.unwrap_or_default())
}

/// What its GPUs do, and what ended it; empty where nobody tells.
fn evidence(jobs: &JobsPicture, row: &JobRow) -> Vec<String> {
    let at = &row.of.attempt;
    let mut all: Vec<String> = idle_gpus(jobs, at).into_iter().collect();
    all.extend(worked(&row.of).map(|worked| format!("its {worked}")));
    if let Some(class) = row.of.class {
        let code = row.code.as_deref().map(|code| format!(" ({})", code.replace('_', " ")));
        let class = class.word().replace('_', " ");
        all.push(format!("the cause is {class}{}", code.unwrap_or_default()));
        all.extend(row.evidence.clone());
    }
    let words = |words: &str| clean_to(words, WORDS_AT_MOST).into_owned();
    let source = at.id.source.word();
    all.extend(at.reason.as_deref().map(|why| format!("in the words of {source}: {}", words(why))));
    if at.state == JobState::Queued {
        let why = at.wait_reason.as_deref();
        all.extend(why.map(|why| format!("{source} says why: {}", words(why))));
    }
    all
}

/// GPUs of an attempt that runs which do nothing for it, in a few words; `None` without one.
fn idle_gpus(jobs: &JobsPicture, at: &Attempt) -> Option<String> {
    if at.state != JobState::Running {
        return None;
    }
    let idle: Vec<&Zombie> =
        jobs.zombies.iter().map(|of| &**of).filter(|of| is_held_by(of, at)).collect();
    let first = idle.first()?;
    // What is the same of all of them is said.
    let kind = match idle.iter().all(|of| of.kind == first.kind) {
        true => first.kind,
        false => ZombieKind::Idle,
    };
    let mut names: Vec<String> = idle.iter().take(GPUS).map(|of| name(of)).collect();
    if idle.len() > GPUS {
        names.push(format!("{} more", idle.len() - GPUS));
    }
    let since = idle.iter().filter_map(|of| of.since).min();
    let since = since.map(|at| match idle.len() {
        1 => format!(", since {}", minute(at)),
        _ => format!(", the first of them since {}", minute(at)),
    });
    let known: Vec<f64> = idle.iter().filter_map(|of| of.usd).collect();
    let usd = (!known.is_empty()).then(|| {
        let usd = format::usd_spent(known.iter().sum());
        format!(", {} so far", format::at_least(usd, known.len() < idle.len()))
    });
    Some(format!(
        "{} {} ({}){}{}",
        format::counted(idle.len(), "GPU is", "GPUs are"),
        reasons::zombie(kind),
        names.join(", "),
        since.unwrap_or_default(),
        usd.unwrap_or_default()
    ))
}

/// `GPU 7 of node-2`.
fn name(of: &Zombie) -> String {
    match of.gpu {
        Some(gpu) => format!("GPU {gpu} of {}", of.node),
        None => format!("a GPU of {}", of.node),
    }
}

/// True for a GPU on a node of the attempt which its job holds, or a part of it.
fn is_held_by(of: &Zombie, at: &Attempt) -> bool {
    let is_part = |holder: &str| {
        let rest = at.parts_of.as_deref().and_then(|whole| holder.strip_prefix(whole));
        rest.is_some_and(|rest| rest.starts_with(['/', '+']))
    };
    let is_its = |holder: &str| *holder == *at.job || *holder == *at.id.raw || is_part(holder);
    of.kind != ZombieKind::NoJob
        && of.holder.as_deref().is_some_and(is_its)
        && at.nodes.contains(&of.node)
}

/// What it cost, and what of that came to nothing; `None` where nothing is known of it.
fn costs(row: &JobRow) -> Option<String> {
    let of = &row.of;
    if of.attempt.state == JobState::Queued {
        return Some("It holds nothing yet.".to_owned());
    }
    let so_far = if of.attempt.state.is_over() { "" } else { " so far" };
    let hours = amount(of.held.gpu_time, None);
    let mut line = match (of.held.usd, hours) {
        (Some(usd), hours) => {
            let hours = hours.map(|hours| format!(" for {hours}")).unwrap_or_default();
            format!("It cost {}{hours}{so_far}", format::usd_spent(usd.to_f64()))
        }
        (None, Some(hours)) => format!("It held {hours}{so_far}; its price is not known"),
        (None, None) => return None,
    };
    let is_lost = of.lost.gpu_time.is_some_and(|time| !time.is_zero());
    if let Some(lost) = amount(of.lost.gpu_time, of.lost.usd).filter(|_| is_lost) {
        let at_most = if of.lost_is_upper_bound { "at most " } else { "" };
        line = format!("{line}; {at_most}{lost} of it came to nothing");
    }
    Some(format!("{line}."))
}

/// What the user is asked to do, a line each; empty for what ended well.
fn request(jobs: &JobsPicture, row: &JobRow, now: Timestamp) -> Vec<String> {
    let at = &row.of.attempt;
    if !can_be_stopped(at) {
        let fix = row.of.class.map(|class| format!("What helps: {}.", reasons::cause_fix(class)));
        let look = match at.state {
            JobState::Doubtful => Some("Please look whether it still runs."),
            state if state.is_lost() => Some("Please look at it before it runs again."),
            _ => None,
        };
        return fix.into_iter().chain(look.map(str::to_owned)).collect();
    }
    let command = stop_command(jobs, row, now);
    let with = command.as_ref().map(|command| format!(" with: {}", command.line));
    let with = with.unwrap_or_else(|| ".".to_owned());
    let note = command.map(|command| command.note).filter(|note| !note.is_empty());
    let (lost, please) = match at.state {
        JobState::Queued => (None, "take it back"),
        _ => (would_lose(&row.of).map(|lost| format!("A stop would lose {lost}.")), "stop it"),
    };
    let please = format!("If you still need it, say so; else please {please}{with}");
    lost.into_iter().chain([please]).chain(note).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::analyze::jobs::TaxKey;
    use crate::domain::jobs::GpuTime;
    use crate::domain::text::{clean, hostile, is_unsafe};
    use crate::tabs::jobs::picture::JobsRead;
    use crate::tabs::jobs::state::fixture;
    use crate::view::Symbols;

    fn now() -> Timestamp {
        "2026-11-28T12:00:00Z".parse().unwrap()
    }

    /// The message on the only attempt of a job that has one, after a change of what was read.
    fn said(job: &str, change: impl FnOnce(&mut JobsRead)) -> String {
        let mut read = fixture::read(now());
        change(&mut read);
        let jobs = JobsPicture::of(read, TaxKey::State);
        let row: &Arc<JobRow> =
            jobs.attempts.iter().find(|row| *row.of.attempt.job == *job).unwrap();
        let ctx = ViewContext { now: now(), symbols: Symbols::Unicode, width: None };
        message(&jobs, row, &ctx)
    }

    fn row<'a>(read: &'a mut JobsRead, job: &str) -> &'a mut crate::analyze::jobs::Costed {
        read.costs.rows.iter_mut().find(|row| *row.attempt.job == *job).unwrap()
    }

    #[test]
    fn of_what_runs_it_has_the_evidence_the_dollars_what_a_stop_loses_and_the_command() {
        let text = said("105", |_| {});
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "To ines (user of the job, as read from slurm):",
                "Job 105 (pretrain) of the cluster prod runs on 8 H100 GPUs, for 5 h, since 2026-11-28 07:00 UTC.",
                "Evidence: 1 GPU is idle beside GPUs of its job that work (GPU 7 of node-2), since 2026-11-28 08:00 UTC, $27.52 so far.",
                "It cost $275.20 for 40.00 GPU-hours so far.",
                "A stop would lose all of it, at most: no checkpoint is known (40.00 GPU-hours, $275.20 so far).",
                "If you still need it, say so; else please stop it with: scancel 105",
            ]
        );
    }

    #[test]
    fn telemetry_and_several_idle_gpus_are_evidence_and_gpus_of_others_are_none() {
        let text = said("105", |read| {
            row(read, "105").used = Some(Gpus::whole(8).held_for(2 * 3_600_000));
            for (gpu, holder, node) in
                [(6, "105", "node-2"), (5, "999", "node-2"), (4, "105", "node-9")]
            {
                let mut zombie = read.zombies[0].clone();
                (zombie.gpu, zombie.usd) = (Some(gpu), None);
                (zombie.holder, zombie.node) = (Some(holder.into()), node.into());
                read.zombies.push(zombie);
            }
        });
        assert!(
            text.contains(
                "2 GPUs are idle beside GPUs of its job that work (GPU 7 of node-2, GPU 6 of node-2), \
                 the first of them since 2026-11-28 08:00 UTC, at least $27.52 so far; \
                 its GPUs worked 40% of the time they were held (16.00 of 40.00 GPU-hours)."
            ),
            "{text}"
        );
    }

    #[test]
    fn of_what_failed_it_has_the_cause_and_what_was_lost_and_no_command() {
        let text = said("102", |_| {});
        assert!(text.starts_with("To wei (user of the job, as read from slurm):\n"), "{text}");
        assert!(
            text.contains("failed on 8 H100 GPUs after 1 h, at 2026-11-27 17:00 UTC."),
            "{text}"
        );
        assert!(text.contains("the cause is code (exit 1)"), "{text}");
        assert!(
            text.contains(
                "in the words of slurm: ModuleNotFoundError: No module named 'flash_attn'."
            ),
            "{text}"
        );
        // An hour of 8 GPUs on a node at $55.04 an hour.
        assert!(
            text.contains(
                "It cost $55.04 for 8.00 GPU-hours; at most 8.00 GPU-hours, $55.04 of it came to nothing."
            ),
            "{text}"
        );
        assert!(text.ends_with("Please look at it before it runs again."), "{text}");
        assert!(!text.contains("scancel") && !text.contains("so far"), "{text}");
    }

    #[test]
    fn of_what_waits_it_has_what_it_asks_for_and_the_command() {
        let text = said("105", |read| {
            let of = row(read, "105");
            of.attempt.state = JobState::Queued;
            (of.attempt.started_at, of.attempt.seen_until) = (None, None);
            of.attempt.asked_gpus = Some(Gpus::whole(1));
            of.attempt.wait_reason = Some("AssocGrpGRES".into());
            of.attempt.user = None;
        });
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "To whoever runs this job:",
                "Job 105 (pretrain) of the cluster prod waits for 1 H100 GPU, for 7 h, since 2026-11-28 05:00 UTC.",
                "Evidence: slurm says why: AssocGrpGRES.",
                "It holds nothing yet.",
                "If you still need it, say so; else please take it back with: scancel 105",
            ]
        );
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        let text = said("103", |_| {});
        assert!(!text.contains('$') && text.contains("price is not known"), "{text}");
        let text = said("105", |read| {
            let of = row(read, "105");
            (of.held.gpu_time, of.held.usd, of.attempt.gpus) = (None, None, None);
            read.zombies.clear();
        });
        assert!(!text.contains("Evidence") && !text.contains('$'), "{text}");
        assert!(text.contains("prod runs, for 5 h"), "{text}");
        let text = said("105", |read| {
            row(read, "105").held.gpu_time = Some(GpuTime::ZERO);
        });
        assert!(!text.contains("came to nothing"), "{text}");
    }

    #[test]
    fn no_foreign_text_steers_the_terminal_or_adds_a_line() {
        let usual = said("105", |_| {}).lines().count();
        for hostile in hostile::TEXTS {
            let text = said("105", |read| {
                let of = &mut row(read, "105").attempt;
                let foreign: Arc<str> = clean(hostile).into();
                (of.user, of.name) = (Some(foreign.clone()), Some(foreign.clone()));
                of.reason = Some(foreign);
            });
            assert_eq!(text.lines().count(), usual, "{text}");
            assert!(text.chars().all(|c| c == '\n' || !is_unsafe(c)), "{text:?}");
        }
        let long = said("102", |read| {
            row(read, "102").attempt.reason = Some("x".repeat(100_000).into());
        });
        assert!(long.lines().all(|line| line.chars().count() <= LINE_AT_MOST + 1), "{long}");
    }
}
