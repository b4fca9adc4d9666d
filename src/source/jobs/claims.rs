//! What trackers have in common: the job of a scheduler that their labels name, and states that are claims.

use std::sync::Arc;

use jiff::SignedDuration;

use crate::domain::jobs::JobRef;
use crate::domain::text::clean_to;

/// A run that says it runs and gave no sign for longer is in doubt: a killed one says so for ever.
pub(super) const SILENT: SignedDuration = SignedDuration::from_hours(24);

/// Longest label that is taken for an id, characters.
const ID_AT_MOST: usize = 256;

/// Names of the labels by which a run says in which job it is, by scheduler; the first that is there counts. Programs copy them
/// from the environment that the scheduler gives them. Ray comes last: it runs inside of the others.
const LABELS: [(&str, &[&str]); 5] = [
    ("sagemaker", &["sm_training_job", "sm_training_job_name", "training_job_name"]),
    ("slurm", &["slurm_job_id", "slurm_jobid"]),
    (
        "kubernetes",
        &[
            "kubernetes_pod_uid",
            "pod_uid",
            "kubernetes_pod",
            "kubernetes_pod_name",
            "k8s_pod_name",
            "pod_name",
            "kubernetes_job",
            "kubernetes_job_name",
            "k8s_job_name",
        ],
    ),
    // After the pod, which is what is read of a job on EKS.
    ("batch", &["aws_batch_job_id"]),
    ("ray", &["ray_submission_id", "ray_job_submission_id"]),
];

/// Label with the name of a cluster of Slurm.
const SLURM_CLUSTER: &str = "slurm_cluster_name";

/// The job that labels (name, value) speak of; `None` where they speak of none.
pub(super) fn in_job<'a>(
    labels: impl Iterator<Item = (&'a str, &'a str)> + Clone,
) -> Option<JobRef> {
    let value = |name: &str| {
        let mut found = labels.clone().filter(|(label, _)| plain(label) == name);
        let (_, value) = found.find(|(_, value)| !value.trim().is_empty())?;
        Some(Arc::<str>::from(clean_to(value.trim(), ID_AT_MOST)))
    };
    LABELS.into_iter().find_map(|(scheduler, names)| {
        let id = names.iter().find_map(|name| value(name))?;
        let is_slurm = scheduler == "slurm";
        if is_slurm && !id.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let cluster = is_slurm.then(|| value(SLURM_CLUSTER)).flatten();
        Some(JobRef { scheduler: scheduler.into(), cluster, id })
    })
}

/// The name of a label without case, `.` and `-` as `_`.
fn plain(label: &str) -> String {
    let letters = label.chars().take(64).map(|c| match c {
        '.' | '-' => '_',
        c => c.to_ascii_lowercase(),
    });
    letters.collect()
}

/// A tracker's word for a state, with what it is.
pub(super) fn claimed(word: &str) -> Arc<str> {
    format!("{} (claimed)", clean_to(word, 64)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(labels: &[(&str, &str)]) -> Option<(String, String)> {
        in_job(labels.iter().copied()).map(|job| (job.scheduler.to_string(), job.id.to_string()))
    }

    #[test]
    fn labels_name_the_job_of_the_scheduler() {
        let some = |scheduler: &str, id: &str| Some((scheduler.to_owned(), id.to_owned()));
        assert_eq!(of(&[("mlflow.user", "alice"), ("SLURM_JOB_ID", "100")]), some("slurm", "100"));
        assert_eq!(of(&[("slurm.job-id", " 7 ")]), some("slurm", "7"));
        assert_eq!(of(&[("SM_TRAINING_JOB", "bert-1")]), some("sagemaker", "bert-1"));
        assert_eq!(of(&[("AWS_BATCH_JOB_ID", "0a-1b:3")]), some("batch", "0a-1b:3"));
        let on_eks = [("AWS_BATCH_JOB_ID", "0a-1b"), ("POD_UID", "7f1")];
        assert_eq!(of(&on_eks), some("kubernetes", "7f1"));
        assert_eq!(of(&[("KUBERNETES_POD_NAME", "a-0")]), some("kubernetes", "a-0"));
        // Which pod of that name is told by the id.
        assert_eq!(of(&[("POD_NAME", "a-0"), ("POD_UID", "7f1")]), some("kubernetes", "7f1"));
        // Ray inside of Slurm: Slurm has the nodes.
        let both = [("RAY_SUBMISSION_ID", "ok-2"), ("SLURM_JOB_ID", "8")];
        assert_eq!(of(&both), some("slurm", "8"));
        assert_eq!(of(&both[..1]), some("ray", "ok-2"));
        for none in [("SLURM_JOB_ID", ""), ("SLURM_JOB_ID", "8; rm"), ("job", "8")] {
            assert_eq!(of(&[none]), None, "{none:?}");
        }
    }

    #[test]
    fn a_cluster_of_slurm_is_taken_where_it_is_named() {
        let labels = [("SLURM_CLUSTER_NAME", "prod"), ("SLURM_JOB_ID", "8")];
        let job = in_job(labels.into_iter()).unwrap();
        assert_eq!(job.cluster.as_deref(), Some("prod"));
    }

    #[test]
    fn hostile_labels_are_clean() {
        let job = in_job([("POD_NAME", "a\u{1b}[2J\u{202e}")].into_iter()).unwrap();
        assert!(!job.id.chars().any(crate::domain::text::is_unsafe));
        assert_eq!(&*claimed("FINISHED"), "FINISHED (claimed)");
    }
}
