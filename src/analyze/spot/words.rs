//! What kind of work a name or the value of a tag speaks of.

use super::rules::WorkKind;

/// Words by kind. One of four letters and more also fits the beginning of a longer one, so that
/// `train` means `training` and `trainer`; a shorter one must stand alone.
const WORDS: &[(WorkKind, &[&str])] = &[
    (
        WorkKind::Stateful,
        &[
            "database",
            "db",
            "postgres",
            "mysql",
            "mariadb",
            "redis",
            "mongo",
            "kafka",
            "elastic",
            "opensearch",
            "cassandra",
            "zookeeper",
            "etcd",
            "stateful",
            "nfs",
            "lustre",
            "bastion",
            "controller",
            "headnode",
            "gitlab",
            "jenkins",
            "license",
        ],
    ),
    (
        WorkKind::Interactive,
        &["notebook", "jupyter", "interactive", "workstation", "desktop", "workbench", "rstudio"],
    ),
    (
        WorkKind::Serving,
        &[
            "infer", "serving", "serve", "vllm", "triton", "tgi", "sglang", "endpoint", "api",
            "frontend", "online", "realtime",
        ],
    ),
    (WorkKind::Training, &["train", "pretrain", "finetun", "sft", "rlhf", "dpo"]),
    (WorkKind::Search, &["sweep", "hpo", "hyperparam", "optuna"]),
    (
        WorkKind::Batch,
        &["batch", "etl", "nightly", "backfill", "preprocess", "render", "transcode"],
    ),
];

/// What a text speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaks {
    /// Of nothing known.
    Nothing,
    /// Of this.
    Of(WorkKind),
    /// Of serving and of work that can be done again: neither is believed.
    Both,
}

/// True for a text that speaks of serving or of batches, and of no other work: what may run a model that is trained.
pub(in crate::analyze) fn may_infer(text: &str) -> bool {
    let found = kinds(text);
    let is_inference = |kind: &WorkKind| matches!(kind, WorkKind::Serving | WorkKind::Batch);
    !found.is_empty() && found.iter().all(is_inference)
}

/// The kinds of work that words of a text mean, as often as there are words.
fn kinds(text: &str) -> Vec<WorkKind> {
    let text =
        text.to_ascii_lowercase().replace("fine-tun", "finetun").replace("fine_tun", "finetun");
    let mut found: Vec<WorkKind> = Vec::new();
    for token in text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|t| !t.is_empty()) {
        let kinds = WORDS.iter().filter(|(_, words)| words.iter().any(|w| is(token, w)));
        found.extend(kinds.map(|(kind, _)| *kind));
    }
    found
}

/// Reads a text. What must not be interrupted goes before everything else that it names.
pub(super) fn read(text: &str) -> Speaks {
    let found = kinds(text);
    let has = |kind| found.contains(&kind);
    let first = [WorkKind::Stateful, WorkKind::Interactive].into_iter().find(|k| has(*k));
    let again =
        [WorkKind::Training, WorkKind::Search, WorkKind::Batch].into_iter().find(|k| has(*k));
    match (first, has(WorkKind::Serving), again) {
        (Some(kind), ..) | (None, false, Some(kind)) => Speaks::Of(kind),
        (None, true, None) => Speaks::Of(WorkKind::Serving),
        (None, true, Some(_)) => Speaks::Both,
        (None, false, None) => Speaks::Nothing,
    }
}

fn is(token: &str, word: &str) -> bool {
    token == word || (word.len() >= 4 && token.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole_or_beginnings() {
        for (text, kind) in [
            ("llm-7b-train-17", WorkKind::Training),
            ("Trainer", WorkKind::Training),
            ("fine-tuning", WorkKind::Training),
            ("asr_sweep_4", WorkKind::Search),
            ("lake-batch-3", WorkKind::Batch),
            ("ranker-serve-1", WorkKind::Serving),
            ("gateway-api-9", WorkKind::Serving),
            ("team-notebook", WorkKind::Interactive),
            ("features-db", WorkKind::Stateful),
            // What must not stop wins over what it is for.
            ("train-postgres", WorkKind::Stateful),
            ("train-jupyter", WorkKind::Interactive),
        ] {
            assert_eq!(read(text), Speaks::Of(kind), "{text}");
        }
        for text in ["", "worker-3", "apiary", "constrain", "dbt", "research", "exp-12"] {
            assert_eq!(read(text), Speaks::Nothing, "{text}");
        }
        assert_eq!(read("batch-inference"), Speaks::Both);
        assert_eq!(read("train-and-serve"), Speaks::Both);
        for (text, may) in [("batch-inference", true), ("train-and-serve", false), ("exp", false)] {
            assert_eq!(may_infer(text), may, "{text}");
        }
    }
}
