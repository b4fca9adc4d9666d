//! The command that ends an attempt, to be copied: burntop runs none of them. And what it would take with it.

use std::borrow::Cow;

use jiff::Timestamp;

use super::shell::word;
use crate::analyze::jobs::{Costed, Salvage, tells_of_now};
use crate::domain::SourceId;
use crate::domain::bill::Usd;
use crate::domain::jobs::{Attempt, GpuTime, JobSource, JobState};
use crate::tabs::jobs::picture::{JobRow, JobsPicture};
use crate::view::format;

/// A command that ends an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopCommand {
    /// The command, a line for a POSIX shell.
    pub line: String,
    /// What must be known before it is run, in sentences; empty for nothing.
    pub note: String,
}

/// True for an attempt that can be stopped: one that runs or waits.
pub fn can_be_stopped(of: &Attempt) -> bool {
    matches!(of.state, JobState::Running | JobState::Queued)
}

/// The command that ends the attempt of a row. `None` for one that neither runs nor waits, or of which no source told of late, for a
/// source without such a command, and where a name that it needs is not known or cannot stand in a command.
pub fn stop_command(jobs: &JobsPicture, row: &JobRow, now: Timestamp) -> Option<StopCommand> {
    let of = &row.of.attempt;
    is_told_now(jobs, of, now).then(|| command(of, is_only_cluster(jobs, of))).flatten()
}

/// True where a source told of the attempt of late: of what is older, or was imported, another job may have the id or the name by now.
fn is_told_now(jobs: &JobsPicture, of: &Attempt, now: Timestamp) -> bool {
    if of.id.source == JobSource::Demo {
        return true;
    }
    let is_of_now = |at: Timestamp| tells_of_now(at, now);
    let kind = of.id.source.source();
    let is_read = jobs.readings.iter().any(|reading| {
        let is_of_kind = Some(reading.source) == kind && reading.failed().is_none();
        is_of_kind && reading.taken_at.is_some_and(is_of_now)
    });
    let is_seen = match of.state {
        JobState::Queued => of.seen_until.is_none_or(is_of_now),
        _ => of.seen_until.is_some_and(is_of_now),
    };
    is_read && is_seen
}

/// True where no other cluster of Slurm is known than that of the attempt: the programs of Slurm ask it by themselves.
fn is_only_cluster(jobs: &JobsPicture, of: &Attempt) -> bool {
    let sources = jobs.readings.iter().filter(|reading| reading.source == SourceId::Slurm).count();
    let mut nodes = jobs.nodes.iter().map(|row| &row.of);
    let is_other =
        nodes.any(|of_node| of_node.source == JobSource::Slurm && of_node.cluster != of.id.cluster);
    sources < 2 && !is_other
}

fn command(of: &Attempt, is_only_cluster: bool) -> Option<StopCommand> {
    if !can_be_stopped(of) {
        return None;
    }
    match of.id.source {
        JobSource::Slurm => scancel(of, !is_only_cluster),
        JobSource::SageMaker => sagemaker(of),
        JobSource::Kubernetes => kubectl(of),
        JobSource::Ray => ray(of),
        JobSource::Batch => batch(of),
        // With its cluster always: the same id may be one of a real job.
        JobSource::Demo if !of.id.cluster.is_empty() => {
            let command = scancel(of, true)?;
            Some(StopCommand {
                note: "The demo invents its jobs: there is none to end.".into(),
                ..command
            })
        }
        JobSource::Demo | JobSource::File | JobSource::MlFlow => None,
    }
}

/// True for the id of a job of Slurm.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn scancel(of: &Attempt, with_cluster: bool) -> Option<StopCommand> {
    let cluster = match &*of.id.cluster {
        // One of several, and nobody knows which.
        "" if with_cluster => return None,
        "" => None,
        // Several clusters, and all of them, to the programs of Slurm.
        name if name == "all" || name.contains(',') => return None,
        name => Some(word(name)?).filter(|_| with_cluster),
    };
    let cluster = cluster.map(|name| format!("-M {name} ")).unwrap_or_default();
    // Of an array some task has the array's own id for its raw one, and that ends all of them; so a task is named by its place.
    let (id, waits) = match (&of.parts_of, of.job.split_once('_')) {
        (Some(whole), _) => (whole.to_string(), false),
        (None, Some((array, rest))) if is_number(array) => match rest.starts_with('[') {
            true => (array.to_owned(), true),
            false => (is_number(rest).then(|| of.job.to_string())?, false),
        },
        (None, _) => (of.id.raw.to_string(), false),
    };
    // A number, or the task of an array: `8_3`.
    let (array, task) = id.split_once('_').unwrap_or((&id, "0"));
    if !is_number(array) || !is_number(task) {
        return None;
    }
    Some(match waits {
        true => StopCommand {
            line: format!("scancel {cluster}--state=PENDING {id}"),
            note: "It takes back the tasks of the array that wait, and leaves those that run."
                .into(),
        },
        false => StopCommand { line: format!("scancel {cluster}{id}"), note: String::new() },
    })
}

/// What jobs of SageMaker that are no training are called by: `processing/NAME`.
const PROCESSING: &str = "processing/";

fn sagemaker(of: &Attempt) -> Option<StopCommand> {
    let raw = &*of.id.raw;
    let (what, name) = match raw.strip_prefix(PROCESSING) {
        Some(name) => ("processing", name),
        None => ("training", raw),
    };
    let name = for_aws(name)?;
    of_aws(of, &format!("sagemaker stop-{what}-job --{what}-job-name {name}"))
}

/// What waits is cancelled by it as well; of parts side by side the whole job ends.
fn batch(of: &Attempt) -> Option<StopCommand> {
    let id = for_aws(of.parts_of.as_ref().unwrap_or(&of.id.raw))?;
    of_aws(of, &format!("batch terminate-job --job-id {id} --reason 'not needed any more'"))
}

/// A value for the AWS CLI, which reads a file for one with such a beginning.
fn for_aws(value: &str) -> Option<Cow<'_, str>> {
    Some(value).filter(|value| !value.contains("://")).and_then(word)
}

/// A command of the AWS CLI in the region of an attempt, whose cluster is `ACCOUNT:REGION`.
fn of_aws(of: &Attempt, command: &str) -> Option<StopCommand> {
    let (account, place) = of.id.cluster.split_once(':').unwrap_or(("", &*of.id.cluster));
    let region = word(of.region.as_deref().unwrap_or(place))?;
    let note = match account {
        "" => String::new(),
        account => format!("It takes credentials of account {account}."),
    };
    Some(StopCommand { line: format!("aws {command} --region {region}"), note })
}

/// By what owns the pod, else by `NAMESPACE/NAME`, the id of a pod, or of the job whose pods are attempts or parts.
fn kubectl(of: &Attempt) -> Option<StopCommand> {
    let id = of.parts_of.as_ref().unwrap_or(&of.job);
    let (namespace, name) = id.split_once('/')?;
    if name.contains('/') {
        return None;
    }
    let at = match &*of.id.cluster {
        "" => String::new(),
        cluster => format!(" It takes a context of the cluster {cluster}."),
    };
    if let Some((kind, owner)) = of.owner.as_deref().and_then(|owner| owner.split_once('/')) {
        let is_kind = |byte: u8| byte.is_ascii_alphanumeric() || b".-".contains(&byte);
        let kind = Some(kind).filter(|kind| kind.bytes().all(is_kind)).and_then(word)?;
        let owner = word(owner)?;
        return Some(StopCommand {
            line: format!("kubectl delete {kind} {owner} -n {}", word(namespace)?),
            note: format!("It deletes {owner} with all of its pods.{at}"),
        });
    }
    let is_of_owner = of.name.as_deref().is_some_and(|owner| owner != name);
    // Of what owns it nobody tells the kind. A pod that serves has the name of its owner beside its own.
    let (kind, note) = if of.parts_of.is_some() {
        (
            "job",
            "Where its pods belong to another kind (JobSet, PyTorchJob, RayCluster), write that in place of job.",
        )
    } else if is_of_owner {
        ("pod", "What owns the pod may start another one.")
    } else {
        (
            "job,pod",
            "It deletes the Job of this name with its pods, and a pod of this name, whichever there are.",
        )
    };
    let line = format!("kubectl delete {kind} {} -n {}", word(name)?, word(namespace)?);
    Some(StopCommand { line, note: format!("{note}{at}") })
}

fn ray(of: &Attempt) -> Option<StopCommand> {
    let id = &*of.id.raw;
    // A driver that nobody submitted has an id of Ray alone, by which it cannot be stopped.
    if id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let note = match &*of.id.cluster {
        "" => String::new(),
        cluster => format!("RAY_API_SERVER_ADDRESS names the dashboard of the cluster {cluster}."),
    };
    Some(StopCommand { line: format!("ray job stop {}", word(id)?), note })
}

/// GPU-hours and dollars as text; `None` where neither is known.
pub(super) fn amount(gpu_time: Option<GpuTime>, usd: Option<Usd>) -> Option<String> {
    let hours = gpu_time.map(|time| format!("{} GPU-hours", format::grouped(time.hours(), 2)));
    let usd = usd.map(|usd| format::usd_spent(usd.to_f64()));
    let all: Vec<String> = hours.into_iter().chain(usd).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// What would come to nothing if the attempt were stopped as it was last seen; `None` for one that neither runs nor waits.
pub(super) fn would_lose(of: &Costed) -> Option<String> {
    let at = &of.attempt;
    match at.state {
        JobState::Queued => return Some("nothing: it holds nothing yet".to_owned()),
        JobState::Running => {}
        _ => return None,
    }
    let Some((saved, since_ms, all_ms)) = last_saved(of) else {
        let so_far = amount(of.held.gpu_time, of.held.usd);
        let so_far = so_far.map(|held| format!(" ({held} so far)")).unwrap_or_default();
        return Some(format!("all of it, at most: no checkpoint is known{so_far}"));
    };
    let lost = of.held.part(since_ms, all_ms);
    let lost = amount(lost.gpu_time, lost.usd).unwrap_or_else(|| "the work".to_owned());
    let step = of.saved_step.map(|step| format!(" (step {})", format::grouped(step as f64, 0)));
    let step = step.unwrap_or_default();
    Some(format!("{lost} since the checkpoint of {} UTC{step}", saved.strftime("%Y-%m-%d %H:%M")))
}

/// When the last complete checkpoint was written, and how much of the time held came after it, of how much: both in milliseconds.
/// `None` where none is known.
fn last_saved(of: &Costed) -> Option<(Timestamp, u64, u64)> {
    let at = &of.attempt;
    let (start, until) = (at.started_at?, at.ended_at.or(at.seen_until)?);
    // A name that lies in a prefix is a guess: it is no reason to stop anything.
    let found = of.saved_at.filter(|_| of.salvage != Salvage::Guessed);
    let saved = found.or(at.saved_at).filter(|saved| *saved <= until)?;
    let all = u64::try_from(at.held_ms()?).ok().filter(|ms| *ms > 0)?;
    // One from before its start is what it went on from.
    let since = until.as_millisecond().saturating_sub(saved.max(start).as_millisecond());
    Some((saved, u64::try_from(since).ok()?.min(all), all))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::analyze::jobs::{READ_EVERY, TaxKey};
    use crate::domain::jobs::AttemptId;
    use crate::tabs::jobs::state::fixture;

    fn attempt(source: JobSource, cluster: &str, raw: &str, job: &str) -> Attempt {
        let id =
            AttemptId { source, cluster: cluster.into(), raw: raw.into(), key: Arc::default() };
        Attempt::new(id, job.into(), JobState::Running, "RUNNING".into())
    }

    fn line(of: &Attempt) -> Option<String> {
        command(of, true).map(|command| command.line)
    }

    /// Names that mean something to a shell, each as it stands in a command; `None` for one that may not stand in any.
    const NAMES: [(&str, Option<&str>); 8] = [
        ("train-7b", Some("train-7b")),
        ("a b", Some("'a b'")),
        ("a'b", Some(r"'a'\''b'")),
        ("$(x)", Some("'$(x)'")),
        ("a;reboot", Some("'a;reboot'")),
        ("a\nb", None),
        ("--all", None),
        ("", None),
    ];

    #[test]
    fn slurm_is_asked_by_the_raw_id_by_the_task_of_an_array_and_by_the_whole_of_parts() {
        let slurm = |raw, job| attempt(JobSource::Slurm, "prod", raw, job);
        assert_eq!(line(&slurm("12345", "12345")).unwrap(), "scancel 12345");
        // The last task of an array has the id of the array: that would end them all.
        assert_eq!(line(&slurm("8", "8_3")).unwrap(), "scancel 8_3");
        let part = Attempt { parts_of: Some("11".into()), ..slurm("12", "11") };
        assert_eq!(line(&part).unwrap(), "scancel 11");
        let waits = Attempt { state: JobState::Queued, ..slurm("8", "8_[4-9%2]") };
        assert_eq!(line(&waits).unwrap(), "scancel --state=PENDING 8");
        for (raw, job) in [
            ("x", "x"),
            ("1 2", "1 2"),
            ("8", "8_x"),
            ("", ""),
            ("-u", "-u"),
            ("1_;reboot", "x"),
            ("1_2_3", "x"),
        ] {
            assert_eq!(line(&slurm(raw, job)), None, "{raw:?} {job:?}");
        }
        let hostile = Attempt { parts_of: Some("12_$(reboot)".into()), ..slurm("12", "12") };
        assert_eq!(line(&hostile), None);
    }

    #[test]
    fn slurm_is_told_the_cluster_where_there_are_several() {
        let of = |cluster: &str| attempt(JobSource::Slurm, cluster, "7", "7");
        let with = |cluster: &str| command(&of(cluster), false).map(|command| command.line);
        assert_eq!(with("prod").unwrap(), "scancel -M prod 7");
        assert_eq!(line(&of("")).unwrap(), "scancel 7", "where it is the only one");
        for several in ["", "all", "a,b", "a\nb", "-x"] {
            assert_eq!(with(several), None, "{several:?}");
        }
        let jobs = |read| JobsPicture::of(read, TaxKey::State);
        let now = "2026-11-28T12:00:00Z".parse().unwrap();
        assert!(is_only_cluster(&jobs(fixture::read(now)), &of("prod")));
        assert!(!is_only_cluster(&jobs(fixture::read(now)), &of("lab")));
        let mut two = fixture::read(now);
        two.readings = [two.readings[0].clone(), two.readings[0].clone()].into();
        assert!(!is_only_cluster(&jobs(two), &of("prod")));
    }

    #[test]
    fn of_what_no_source_told_of_late_there_is_no_command() {
        let now: Timestamp = "2026-11-28T12:00:00Z".parse().unwrap();
        let jobs = JobsPicture::of(fixture::read(now), TaxKey::State);
        let rows = || jobs.attempts.iter().map(|row| &row.of.attempt);
        let runs = rows().find(|of| of.state == JobState::Running).unwrap();
        assert!(is_told_now(&jobs, runs, now));
        let later = now + READ_EVERY * 3;
        assert!(!is_told_now(&jobs, runs, later), "the reading is old");
        let mut imported = runs.clone();
        imported.seen_until = Some(now - READ_EVERY * 3);
        assert!(!is_told_now(&jobs, &imported, now));
        imported.seen_until = None;
        assert!(!is_told_now(&jobs, &imported, now));
        imported.state = JobState::Queued;
        assert!(is_told_now(&jobs, &imported, now));
        imported.id.source = JobSource::Ray;
        assert!(!is_told_now(&jobs, &imported, now), "no source of this kind was read");
    }

    #[test]
    fn sagemaker_stops_a_job_by_its_kind_in_its_region() {
        for (name, word) in NAMES {
            let of = |raw: &str| {
                let place = "123456789012:eu-west-1";
                attempt(JobSource::SageMaker, place, raw, raw)
            };
            let training = word.map(|word| {
                format!(
                    "aws sagemaker stop-training-job --training-job-name {word} --region eu-west-1"
                )
            });
            assert_eq!(line(&of(name)), training);
            let processing = training.map(|line| line.replace("training", "processing"));
            // `train-7b` has none of that word.
            assert_eq!(line(&of(&format!("processing/{name}"))), processing);
        }
        let file = attempt(JobSource::SageMaker, "1:eu-west-1", "file:///etc/passwd", "x");
        assert_eq!(line(&file), None, "the AWS CLI would read it");
        assert_eq!(line(&attempt(JobSource::SageMaker, "", "x", "x")), None, "no region is known");
    }

    #[test]
    fn batch_terminates_a_job_by_its_id_a_child_alone_and_a_node_with_all_of_its_job() {
        let of = |raw: &str| attempt(JobSource::Batch, "123456789012:eu-west-1", raw, raw);
        let end = "--reason 'not needed any more' --region eu-west-1";
        for (name, word) in NAMES {
            let line_of = |word: &str| format!("aws batch terminate-job --job-id {word} {end}");
            assert_eq!(line(&of(name)), word.map(line_of));
        }
        let child = line(&of("0a-1b:3")).unwrap();
        assert_eq!(child, format!("aws batch terminate-job --job-id 0a-1b:3 {end}"));
        let node = Attempt { parts_of: Some("0a-1b".into()), ..of("0a-1b#2") };
        let whole = line(&node).unwrap();
        assert_eq!(whole, format!("aws batch terminate-job --job-id 0a-1b {end}"));
        assert_eq!(line(&of("file:///etc/passwd")), None, "the AWS CLI would read it");
    }

    #[test]
    fn kubernetes_deletes_the_pod_the_job_or_whichever_of_them_has_the_name() {
        for (name, word) in NAMES {
            let mut of = attempt(JobSource::Kubernetes, "prod", "uid", &format!("ml/{name}"));
            of.name = Some(name.into());
            let either = |word: &str| format!("kubectl delete job,pod {word} -n ml");
            assert_eq!(line(&of), word.map(either));
            let served = Attempt { name: Some("web".into()), ..of.clone() };
            let pod = |word: &str| format!("kubectl delete pod {word} -n ml");
            assert_eq!(line(&served), word.map(pod));
            let parts = Attempt { parts_of: Some(of.job.clone()), ..of.clone() };
            let job = |word: &str| format!("kubectl delete job {word} -n ml");
            assert_eq!(line(&parts), word.map(job));
            let odd = Attempt { job: format!("{name}/x").into(), name: Some("x".into()), ..of };
            let in_it = |word: &str| format!("kubectl delete job,pod x -n {word}");
            assert_eq!(line(&odd), word.map(in_it));
        }
        for job in ["x", "ml/a/b"] {
            assert_eq!(line(&attempt(JobSource::Kubernetes, "prod", "uid", job)), None, "{job}");
        }
    }

    #[test]
    fn kubernetes_deletes_what_owns_the_pod_where_that_is_told() {
        let mut of = attempt(JobSource::Kubernetes, "prod", "uid", "ml/llm/worker-1");
        (of.parts_of, of.owner) =
            (Some("ml/llm".into()), Some("pytorchjob.kubeflow.org/llm".into()));
        let found = command(&of, true).unwrap();
        assert_eq!(found.line, "kubectl delete pytorchjob.kubeflow.org llm -n ml");
        assert!(found.note.contains("all of its pods") && found.note.contains("cluster prod"));
        for (name, word) in NAMES {
            of.owner = Some(format!("job.batch/{name}").into());
            let want = word.map(|word| format!("kubectl delete job.batch {word} -n ml"));
            assert_eq!(line(&of), want, "{name:?}");
        }
        for kind in ["", "job,pod", "--all", "a b", "$(x)"] {
            of.owner = Some(format!("{kind}/llm").into());
            assert_eq!(line(&of), None, "{kind:?}");
        }
    }

    #[test]
    fn ray_stops_what_was_submitted() {
        for (name, word) in NAMES {
            let of = attempt(JobSource::Ray, "ray", name, name);
            assert_eq!(line(&of), word.map(|word| format!("ray job stop {word}")));
        }
        assert_eq!(line(&attempt(JobSource::Ray, "ray", "02000000", "02000000")), None);
    }

    #[test]
    fn what_is_over_or_has_no_command_has_none() {
        for source in JobSource::ALL {
            let mut of = attempt(source, "prod", "7", "ml/7");
            of.region = Some("eu-west-1".into());
            let has_none = matches!(source, JobSource::File | JobSource::MlFlow);
            assert_eq!(line(&of).is_none(), has_none, "{source:?}");
            for state in JobState::ALL {
                of.state = state;
                let is_alive = matches!(state, JobState::Running | JobState::Queued);
                assert_eq!(line(&of).is_some(), is_alive && !has_none, "{source:?} {state:?}");
            }
        }
    }

    #[test]
    fn the_demo_names_its_cluster_so_that_no_real_job_is_meant() {
        let of = |cluster: &str| attempt(JobSource::Demo, cluster, "9005", "9005");
        assert_eq!(line(&of("research")).unwrap(), "scancel -M research 9005");
        assert_eq!(line(&of("")), None);
    }

    fn costed(state: JobState) -> Costed {
        let now = "2026-11-28T12:00:00Z".parse().unwrap();
        let rows = fixture::read(now).costs.rows;
        rows.into_iter().find(|row| row.attempt.state == state).unwrap()
    }

    #[test]
    fn what_came_after_the_last_checkpoint_would_be_lost_and_all_of_it_without_one() {
        let mut of = costed(JobState::Running);
        // Five hours of 8 GPUs at $55.04 a node and hour, by hand.
        let all = "all of it, at most: no checkpoint is known (40.00 GPU-hours, $275.20 so far)";
        assert_eq!(would_lose(&of).as_deref(), Some(all));
        // Half an hour before it was last seen.
        of.attempt.saved_at = Some("2026-11-28T11:30:00Z".parse().unwrap());
        of.saved_step = Some(1_200);
        let some =
            "4.00 GPU-hours, $27.52 since the checkpoint of 2026-11-28 11:30 UTC (step 1,200)";
        assert_eq!(would_lose(&of).as_deref(), Some(some));
        // One that another attempt wrote: nothing of this one is in it.
        of.attempt.saved_at = Some("2026-11-27T00:00:00Z".parse().unwrap());
        assert!(would_lose(&of).unwrap().starts_with("40.00 GPU-hours, $275.20 since"));
        // One that is a guess is none.
        let mut guessed = costed(JobState::Running);
        (guessed.saved_at, guessed.salvage) =
            (Some("2026-11-28T11:30:00Z".parse().unwrap()), Salvage::Guessed);
        assert_eq!(would_lose(&guessed).as_deref(), Some(all));
        // One from the future tells nothing.
        of.attempt.saved_at = Some("2026-11-29T00:00:00Z".parse().unwrap());
        assert_eq!(would_lose(&of).as_deref(), Some(all));
    }

    #[test]
    fn what_waits_loses_nothing_and_what_is_over_is_not_asked() {
        let mut of = costed(JobState::Running);
        of.attempt.state = JobState::Queued;
        assert_eq!(would_lose(&of).as_deref(), Some("nothing: it holds nothing yet"));
        assert_eq!(would_lose(&costed(JobState::Failed)), None);
    }

    #[test]
    fn what_is_not_known_is_not_named_as_nothing() {
        let mut of = costed(JobState::Running);
        of.held.usd = None;
        assert!(would_lose(&of).unwrap().ends_with("(40.00 GPU-hours so far)"));
        of.held.gpu_time = None;
        assert!(would_lose(&of).unwrap().ends_with("no checkpoint is known"));
    }
}
