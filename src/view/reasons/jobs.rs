//! Words of what ended jobs, of what was lost again and again, of what was asked for in vain, and of what helps.

use crate::analyze::jobs::{CauseClass, Evidence, RepeatKind, RequestKind, RequestRow, ZombieKind};
use crate::domain::format::{gib, plural, span};
use crate::domain::gpu::xid;
use crate::domain::jobs::{JobSource, NodeEventKind};

/// What helps against causes of a class.
pub fn cause_fix(class: CauseClass) -> &'static str {
    match class {
        CauseClass::Hardware => "drain the node and test its GPUs; checkpoint more often",
        CauseClass::OutOfMemory => {
            "smaller batches or activation checkpointing; ask for more memory"
        }
        CauseClass::DataPipeline => {
            "check the data before the run; skip bad records, restart loaders"
        }
        CauseClass::Numerical => {
            "lower the learning rate, clip gradients, go back to a checkpoint on NaN"
        }
        CauseClass::Storage => "free or enlarge the volume; retry reads and writes",
        CauseClass::Network => "check EFA and NCCL settings; retry on other nodes",
        CauseClass::Scheduler => "a longer limit, or a checkpoint before it",
        CauseClass::Code => "try it on one GPU for minutes before all of them",
        CauseClass::Preempted => "checkpoint on the notice; requeue by itself",
        CauseClass::Unknown => "keep the last lines of the log with the job",
    }
}

/// What helps against a GPU that does nothing for a job.
pub fn zombie_fix(kind: ZombieKind) -> &'static str {
    match kind {
        ZombieKind::NoJob => "end the process on the node, or ask its user to",
        ZombieKind::Idle => "ask its user; the page of the job has the command that ends it",
        ZombieKind::IdleBesideWorking => {
            "ask its user to ask for fewer GPUs: the list Requests has how many"
        }
    }
}

/// What happened to a node of an attempt about when it failed, and how long before its end.
pub fn evidence_words(of: &Evidence) -> String {
    let Evidence { event, node, before_ms } = of;
    let when = match (before_ms + before_ms.signum() * 500) / 1000 {
        0 => "at its end".to_owned(),
        seconds if seconds > 0 => format!("{} before its end", span(seconds)),
        seconds => format!("{} after its end", span(-seconds)),
    };
    let what = match event.kind {
        NodeEventKind::Xid(code) => {
            let meaning = xid(code.into()).map(|of| format!(" ({})", of.meaning));
            let on = match event.gpu {
                Some(gpu) => format!("GPU {gpu} of {node}"),
                None => node.to_string(),
            };
            format!("XID {code} on {on}{}", meaning.unwrap_or_default())
        }
        NodeEventKind::SpotInterruption => format!("EC2 took the Spot capacity of {node} back"),
        NodeEventKind::Unhealthy => format!("the hardware of {node} was found unwell"),
        NodeEventKind::Down => format!("{node} went down"),
        NodeEventKind::Drained => format!("{node} was drained"),
    };
    match &event.words {
        Some(words) => format!("{what}, {when}: {words}"),
        None => format!("{what}, {when}"),
    }
}

/// What helps against what was lost again and again.
pub fn repeat_fix(kind: RepeatKind) -> &'static str {
    match kind {
        RepeatKind::SameNode => "leave the node out of retries until it is tested",
        RepeatKind::SameScript => "stop retrying after the second failure; try it small first",
        RepeatKind::LastHour => "a checkpoint each hour; a limit with room",
        RepeatKind::Sweep => "stop members below the median at half of their time",
    }
}

/// What a kind of loss is called.
pub fn repeat(kind: RepeatKind) -> &'static str {
    match kind {
        RepeatKind::SameNode => "retried on the node on which it failed",
        RepeatKind::SameScript => "failed again and again",
        RepeatKind::LastHour => "failed in the last hour",
        RepeatKind::Sweep => "sweep without early stopping (a quarter of it)",
    }
}

/// What a GPU that costs and does nothing for a job is called.
pub fn zombie(kind: ZombieKind) -> &'static str {
    match kind {
        ZombieKind::NoJob => "held by no living job",
        ZombieKind::Idle => "idle in a job that runs",
        ZombieKind::IdleBesideWorking => "idle beside GPUs of its job that work",
    }
}

/// Bytes in a gibibyte.
const GIB: f64 = 1_073_741_824.0;

/// What to ask for instead: the line of the script or manifest, to be copied, where one says it; else words.
pub fn request_fix(of: &RequestRow) -> String {
    let is_slurm = matches!(of.source, JobSource::Slurm | JobSource::Demo);
    match of.kind {
        RequestKind::Gpus => fewer_gpus(of, is_slurm),
        // A gap before the next large job is enough for what is known to end before it.
        RequestKind::Time if is_slurm => {
            format!("#SBATCH --time={} # it can start in gaps (backfill)", clock(of.proposed))
        }
        // Nothing is put into gaps there: a limit ends what hangs.
        RequestKind::Time if let Some(key) = limit_key(of.source) => {
            let seconds = (of.proposed * 3_600.0).round();
            format!("{key}: {seconds} # what hangs ends then")
        }
        RequestKind::Time => {
            let limit = span((of.proposed * 3_600.0).round() as i64);
            format!("a time limit of {limit}: it can start in gaps (backfill)")
        }
        RequestKind::Memory => match of.nodes.filter(|nodes| is_slurm && *nodes > 0) {
            Some(nodes) => format!("#SBATCH --mem={}G", whole(of.proposed).div_ceil(nodes)),
            None => format!("{} of memory over all nodes", gib(of.proposed * GIB)),
        },
    }
}

fn fewer_gpus(of: &RequestRow, is_slurm: bool) -> String {
    let gpus = whole(of.proposed);
    if of.source == JobSource::Kubernetes && of.nodes == Some(1) {
        return of_pod(of, gpus);
    }
    match (of.source, of.nodes) {
        (JobSource::SageMaker, _) if gpus == 0 => "an instance type without GPUs".to_owned(),
        (JobSource::SageMaker, Some(1)) => {
            format!("a smaller instance type: {} would do", plural(gpus as usize, "GPU"))
        }
        (_, _) if gpus == 0 && is_slurm => {
            "a node without GPUs: leave --gres and --gpus out".to_owned()
        }
        (_, _) if gpus == 0 => "a node without GPUs".to_owned(),
        (JobSource::Batch, Some(1)) => format!("resourceRequirements of type GPU: {gpus}"),
        (_, Some(1)) if is_slurm => format!("#SBATCH --gres=gpu:{gpus}"),
        (_, Some(nodes)) if is_slurm && nodes > 0 => {
            // As few nodes as hold them, each as full as the others.
            let of_node = whole(of.asked.ceil()).div_ceil(nodes).max(1);
            let fewest = gpus.div_ceil(of_node);
            let each = gpus.div_ceil(fewest);
            // Nodes alike can ask for no less where the number does not divide.
            match f64::from(fewest * each) < of.asked {
                true => format!("#SBATCH --nodes={fewest} --gres=gpu:{each}"),
                false => format!("{} over all nodes", plural(gpus as usize, "GPU")),
            }
        }
        (_, _) => format!("{} over all nodes", plural(gpus as usize, "GPU")),
    }
}

/// What asks for other GPUs of a pod: a command, where what owns it has a template that one changes, else the lines of its container.
fn of_pod(of: &RequestRow, gpus: u32) -> String {
    let owner = of.owner.as_deref().and_then(|owner| owner.split_once('/'));
    let kind = owner.and_then(|(kind, _)| kind.split('.').next());
    let kind = kind.filter(|kind| ["deployment", "statefulset"].contains(kind));
    // Names that mean something else to a shell are none of Kubernetes.
    let is_plain = |text: &&str| {
        let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-.".contains(&byte);
        text.bytes().all(is_of_name) && !text.is_empty() && !text.starts_with('-')
    };
    let name = owner.map(|(_, name)| name).filter(is_plain);
    let namespace = of.namespace.as_deref().filter(is_plain);
    if let (Some(kind), Some(name), Some(namespace)) = (kind, name, namespace) {
        let gpu = format!("nvidia.com/gpu={gpus}");
        return format!(
            "kubectl set resources {kind}/{name} -n {namespace} --limits={gpu} --requests={gpu} # or what the pod calls its GPUs; of several \
             containers name one by -c"
        );
    }
    if gpus == 0 {
        return "a node without GPUs".to_owned();
    }
    let gpu = format!("{{nvidia.com/gpu: {gpus}}}");
    format!("resources: {{limits: {gpu}, requests: {gpu}}} # or what the pod calls its GPUs")
}

/// Where a limit stands of what starts no job sooner for a shorter one, in seconds; `None` of other sources.
const fn limit_key(source: JobSource) -> Option<&'static str> {
    match source {
        JobSource::SageMaker => Some("StoppingCondition.MaxRuntimeInSeconds"),
        JobSource::Kubernetes => Some("activeDeadlineSeconds"),
        JobSource::Batch => Some("timeout.attemptDurationSeconds"),
        _ => None,
    }
}

/// A whole number that is proposed: GPUs or GiB.
fn whole(number: f64) -> u32 {
    number.round() as u32
}

/// Hours as Slurm takes a limit: `02:15:00`.
fn clock(hours: f64) -> String {
    let seconds = (hours * 3_600.0).round() as u64;
    format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(
        source: JobSource,
        kind: RequestKind,
        nodes: Option<u32>,
        figures: (f64, f64),
    ) -> RequestRow {
        RequestRow {
            id: "id".into(),
            kind,
            source,
            cluster: "c".into(),
            user: None,
            namespace: None,
            name: "train".into(),
            owner: None,
            team: None,
            attempts: 3,
            running: 0,
            known: 3,
            unpriced: 0,
            nodes,
            asked: figures.0,
            used_p95: 0.0,
            proposed: figures.1,
            unused_gpu_hours: None,
            usd_per_month: None,
        }
    }

    #[test]
    fn what_serves_is_asked_for_less_by_a_command() {
        let fix = |owner: &str, namespace: &str, gpus| {
            let of = row(JobSource::Kubernetes, RequestKind::Gpus, Some(1), (8.0, gpus));
            request_fix(&RequestRow {
                owner: Some(owner.into()),
                namespace: Some(namespace.into()),
                ..of
            })
        };
        let command = "kubectl set resources deployment/api -n ml --limits=nvidia.com/gpu=1 --requests=nvidia.com/gpu=1 # ";
        assert!(fix("deployment.apps/api", "ml", 1.0).starts_with(command));
        let none = fix("statefulset.apps/web", "ml", 0.0);
        assert!(
            none.starts_with(
                "kubectl set resources statefulset/web -n ml --limits=nvidia.com/gpu=0 "
            )
        );
        let stanza = "resources: {limits: {nvidia.com/gpu: 1}, ";
        for (owner, namespace) in [
            ("pytorchjob.kubeflow.org/llm", "ml"),
            ("deployment.apps/$(reboot)", "ml"),
            ("deployment.apps/--all", "ml"),
            ("deployment.apps/api", "ml;reboot"),
            ("deployment", ""),
        ] {
            assert!(fix(owner, namespace, 1.0).starts_with(stanza), "{owner}");
        }
    }

    #[test]
    fn what_to_ask_for_is_a_line_where_one_says_it() {
        use JobSource as S;
        use RequestKind as K;
        let fix = |source, kind, nodes, figures| request_fix(&row(source, kind, nodes, figures));
        for (source, kind, nodes, figures, want) in [
            (S::Slurm, K::Gpus, Some(1), (8.0, 1.0), "#SBATCH --gres=gpu:1"),
            (S::Slurm, K::Gpus, Some(4), (32.0, 5.0), "#SBATCH --nodes=1 --gres=gpu:5"),
            (S::Slurm, K::Gpus, Some(4), (32.0, 12.0), "#SBATCH --nodes=2 --gres=gpu:6"),
            (S::Slurm, K::Gpus, None, (32.0, 12.0), "12 GPUs over all nodes"),
            (S::Slurm, K::Gpus, Some(4), (32.0, 31.0), "31 GPUs over all nodes"),
            (
                S::Slurm,
                K::Gpus,
                Some(1),
                (8.0, 0.0),
                "a node without GPUs: leave --gres and --gpus out",
            ),
            (
                S::Kubernetes,
                K::Gpus,
                Some(1),
                (8.0, 1.0),
                "resources: {limits: {nvidia.com/gpu: 1}, requests: {nvidia.com/gpu: 1}} # or what the pod calls its GPUs",
            ),
            (S::Kubernetes, K::Gpus, Some(2), (8.0, 1.0), "1 GPU over all nodes"),
            (S::SageMaker, K::Gpus, Some(1), (8.0, 1.0), "a smaller instance type: 1 GPU would do"),
            (S::Batch, K::Gpus, Some(1), (8.0, 1.0), "resourceRequirements of type GPU: 1"),
            (
                S::Batch,
                K::Time,
                Some(1),
                (48.0, 2.25),
                "timeout.attemptDurationSeconds: 8100 # what hangs ends then",
            ),
            (
                S::SageMaker,
                K::Time,
                Some(1),
                (48.0, 1.5),
                "StoppingCondition.MaxRuntimeInSeconds: 5400 # what hangs ends then",
            ),
            (
                S::Kubernetes,
                K::Time,
                Some(1),
                (24.0, 2.0),
                "activeDeadlineSeconds: 7200 # what hangs ends then",
            ),
            (S::File, K::Gpus, Some(1), (8.0, 0.0), "a node without GPUs"),
            (
                S::Slurm,
                K::Time,
                None,
                (48.0, 2.25),
                "#SBATCH --time=02:15:00 # it can start in gaps (backfill)",
            ),
            (
                S::Slurm,
                K::Time,
                None,
                (480.0, 125.5),
                "#SBATCH --time=125:30:00 # it can start in gaps (backfill)",
            ),
            (S::Slurm, K::Memory, Some(3), (300.0, 99.0), "#SBATCH --mem=33G"),
            (S::Slurm, K::Memory, None, (300.0, 99.0), "99 GiB of memory over all nodes"),
            (S::File, K::Memory, Some(3), (300.0, 99.0), "99 GiB of memory over all nodes"),
        ] {
            assert_eq!(fix(source, kind, nodes, figures), want);
        }
        let words = fix(S::File, K::Time, None, (48.0, 1.5));
        assert!(words.starts_with("a time limit of 1h30m: it can start"), "{words}");
    }
}
