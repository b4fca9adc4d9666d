//! Small jobs that could share GPUs by MIG, and those of which that cannot be said.

use super::*;
use crate::fleet::savings::{CheaperType, MigShare};

/// Three of eight H100 work on a job each: a fifth of their speed, 8 of 80 GiB.
fn p5() -> Seen {
    Seen {
        instance_type: "p5.48xlarge",
        working: 3,
        cpu_mean: Some(1.0),
        gpu_gib: Some(8.0),
        activity: 0.2,
        jobs: &["a", "b", "c"],
        ..g5()
    }
}

fn mig(seen: Seen) -> Option<MigShare> {
    World::of([seen]).one().mig.clone()
}

#[test]
fn small_jobs_apart_fit_into_fewer_gpus() {
    // 0.2 ÷ 0.8 of the compute is two slices of seven, 8 ÷ 0.7 GiB less than two of eight: three of them fill a GPU.
    assert_eq!(
        mig(p5()),
        Some(MigShare::Fits { gpus: 1, to: None }),
        "what else works keeps 768 GiB"
    );
    // Where the smaller type holds the memory of the host, it is proposed, without NVLink.
    let large = World::of([p5()]).change("p5.4xlarge", |spec| spec.memory_mib = 1 << 20);
    let Some(MigShare::Fits { gpus: 1, to: Some(CheaperType { instance_type, .. }) }) =
        large.one().mig.clone()
    else {
        panic!("{:?}", large.one().mig)
    };
    assert_eq!(&*instance_type, "p5.4xlarge");
    // Three slices of seven each, with half of the memory: two to a GPU.
    let half = Seen { activity: 0.3, ..p5() };
    assert_eq!(mig(half), Some(MigShare::Fits { gpus: 2, to: None }));
}

#[test]
fn jobs_that_are_large_or_on_several_gpus_keep_them() {
    assert_eq!(mig(Seen { activity: 0.9, ..p5() }), None);
    assert_eq!(mig(Seen { gpu_gib: Some(50.0), ..p5() }), None);
    assert_eq!(
        mig(Seen { jobs: &["a", "a", "a"], ..p5() }),
        None,
        "slices cannot talk to each other"
    );
    // One job on two GPUs keeps both; the other alone frees nothing.
    assert_eq!(mig(Seen { jobs: &["a", "a", "b"], ..p5() }), None);
}

#[test]
fn what_is_not_told_of_jobs_is_not_guessed() {
    let dark = Some(MigShare::CannotTell);
    assert_eq!(mig(Seen { jobs: &[], ..p5() }), dark, "whose they are");
    assert_eq!(mig(Seen { jobs: &["a", "b"], ..p5() }), dark, "whose the third is");
    assert_eq!(mig(Seen { gpu_gib: None, ..p5() }), dark, "no telemetry");
    assert_eq!(mig(Seen { process: Some("vllm serve"), ..p5() }), dark, "memory taken in advance");
    // A10G cannot be partitioned; one GPU is not shared; a box that is not partly idle is not asked.
    assert_eq!(mig(Seen { instance_type: "g5.48xlarge", ..p5() }), None);
    assert_eq!(mig(Seen { working: 1, ..p5() }), None);
    assert_eq!(mig(Seen { kind: VerdictKind::Underused, ..p5() }), None);
}
