//! How much the GPUs of scripts did whose names speak of inference.

use super::*;
use crate::domain::jobs::JobUsage;

/// An attempt on eight GPUs, of which its site measured this mean activity, per mille.
fn run(job: &str, name: &str, span: (i64, i64), per_mille: Option<u16>) -> Attempt {
    let usage = |gpu_activity_per_mille| JobUsage {
        gpus: 8,
        gpus_working: 8,
        gpu_activity_per_mille,
        memory_peak_mib: None,
    };
    let mut of = attempt(job, JobState::Completed, 8, span);
    (of.name, of.team) = (Some(text(name)), Some(text("nlp")));
    of.usage = per_mille.map(|mean| Box::new(usage(mean)));
    of
}

#[test]
fn use_of_a_script_is_weighted_by_the_time_and_what_nobody_measured_is_not_known() {
    let all = [
        run("1", "batch-embed", (0, 60), Some(100)),
        run("2", "batch-embed", (100, 280), Some(300)),
        run("3", "train-7b", (0, 60), Some(10)),
        run("4", "serve-eval", (0, 60), None),
    ];
    let rows = cost(&all);
    let found = avoidable(&rows, &[], at(24 * 60).unwrap()).scripts;
    let [embed, serve] = &found[..] else { panic!("{found:?}") };
    assert_eq!((&*embed.name, &*serve.name), ("batch-embed", "serve-eval"), "none that trains");
    // One hour at 10%, three at 30%.
    assert!((embed.usage.unwrap() - (1.0 * 0.1 + 3.0 * 0.3) / 4.0).abs() < 1e-12, "{embed:?}");
    // Four hours at $55.04, of a day.
    assert!((embed.usd_per_hour.unwrap() - 4.0 * 55.04 / 24.0).abs() < 1e-9, "{embed:?}");
    assert_eq!(embed.instance_type.as_deref(), Some("p5.48xlarge"));
    assert_eq!((serve.usage, serve.team.as_deref()), (None, Some("nlp")));
    // Of what ended 30 days ago nothing is said.
    assert!(avoidable(&rows, &[], at(32 * 24 * 60).unwrap()).scripts.is_empty());
}
