//! Which boxes are looked at, and what cannot be told.

use super::*;
use crate::fleet::savings::GpuRuntime;

#[test]
fn one_of_eight_busy_is_no_mean_of_twelve_percent() {
    // The mean over eight GPUs is 12.5%: what counts is that seven do nothing.
    let seen = Seen { instance_type: "p4d.24xlarge", gpu_gib: Some(20.0), ..g5() };
    let proposal = World::of([seen]).one();
    // One GPU as fast as an A100 (312 TFLOPS, 1,555 GB/s), 144 GiB.
    assert_eq!(to(&proposal), "g7e.8xlarge");
    // First, since a list shows one sentence.
    assert_eq!(*proposal.says[0], Note::GpusWork { working: 1, of: 8, idle_hours: Some(168) });
    assert!((proposal.gross_usd_per_hour.unwrap() - (21.957_642 - 5.26824)).abs() < 1e-9);
}

#[test]
fn memory_taken_in_advance_says_nothing() {
    // 41 of 44.7 GiB on an L40S that does 12%: less memory would do, or not.
    let seen = Seen {
        instance_type: "g6e.12xlarge",
        kind: VerdictKind::Underused,
        working: 4,
        gpu_peak: 20.0,
        gpu_gib: Some(41.0),
        activity: 0.12,
        ..g5()
    };
    let proposal = World::of([seen.clone()]).one();
    assert_eq!(to(&proposal), "– pre_allocated");
    let reserved = Note::GpuMemoryReserved { mib: 41 * 1024, of_mib: 45_776, runtime: None };
    assert!(proposal.says.iter().any(|note| **note == reserved), "{:?}", proposal.says);
    assert!(noted!(proposal, Note::AskRuntime(None)), "{:?}", proposal.says);
    let Note::FitsIfMemory { memory_mib, to: smaller } = &*proposal.says[0] else {
        panic!("{:?}", proposal.says)
    };
    assert_eq!((*memory_mib, &*smaller.name), (22_888, "g6.24xlarge"));
    assert!((smaller.usd_per_hour.0 - 6.6752).abs() < 1e-9);
    assert_eq!(proposal.gross_usd_per_hour, None);
    // Where other constraints bar every other type too, the question stays: copies that need less
    // than they take could share fewer GPUs.
    let peaks = World::of([Seen { gpu_peak: 100.0, ..seen.clone() }]).one();
    assert_eq!(to(&peaks), "– pre_allocated");
    assert!(matches!(*peaks.says[0], Note::Nearest { .. }), "{:?}", peaks.says);
    // A name in the processes is enough, whatever is taken.
    let vllm = Seen { gpu_gib: Some(20.0), process: Some("VLLM::EngineCore"), ..seen.clone() };
    let proposal = World::of([vllm]).one();
    assert_eq!(to(&proposal), "– pre_allocated");
    assert!(noted!(proposal, Note::AskRuntime(Some(GpuRuntime::Vllm))));
    // The same memory at work is use: it needs no runtime to explain it.
    let training = Seen { activity: 0.9, ..seen.clone() };
    assert_eq!(to(&World::of([training]).one()), "– nothing_smaller");
    // And what was seen to be small is small.
    let small = Seen { gpu_gib: Some(10.0), ..seen.clone() };
    assert_eq!(to(&World::of([small]).one()), "g6.24xlarge");
    // No telemetry of memory: the same question, another reason.
    let blind = Seen { gpu_gib: None, ..seen };
    assert_eq!(to(&World::of([blind]).one()), "– no_gpu_memory");
}

#[test]
fn taken_in_advance_does_not_forbid_what_keeps_the_memory() {
    let seen = Seen { gpu_gib: Some(20.5), activity: 0.1, ..g5() };
    let proposal = World::of([seen]).one();
    assert_eq!(to(&proposal), "g5.4xlarge", "the same GPU, fewer of them");
    assert_eq!(proposal.need.gpu_memory_mib, None);
}

#[test]
fn others_are_left_alone() {
    let is_none = |seen: Seen| assert_eq!(World::of([seen]).proposals(), vec![]);
    for kind in [VerdictKind::Idle, VerdictKind::Unknown, VerdictKind::TooNew, VerdictKind::Exempt]
    {
        is_none(Seen { kind, ..g5() });
    }
    for lifecycle in [Lifecycle::Spot, Lifecycle::CapacityBlock, Lifecycle::Scheduled] {
        is_none(Seen { lifecycle, ..g5() });
    }
    // A day is not enough.
    is_none(Seen { hours: 29, ..g5() });
    assert_eq!(World::of([Seen { hours: 30, ..g5() }]).to(), "g5.4xlarge");
}

#[test]
fn a_busy_box_is_looked_at_where_telemetry_shows_little_use() {
    // One A10G with 64 vCPUs, of which 5% are busy; its GPU is.
    let busy = Seen { instance_type: "g5.16xlarge", kind: VerdictKind::Busy, ..g5() };
    let world = World::of([busy.clone()]).change("g5.4xlarge", |s| s.memory_mib = 262_144);
    assert_eq!(world.to(), "g5.4xlarge");
    let none = |seen: Seen| {
        let world = World::of([seen]).change("g5.4xlarge", |s| s.memory_mib = 262_144);
        assert_eq!(world.proposals(), vec![]);
    };
    none(Seen { gpu_gib: None, ..busy.clone() });
    none(Seen { gpu_gib: Some(12.0), ..busy.clone() });
    // Used as it should be: nothing is said.
    assert_eq!(World::of([busy]).proposals(), vec![]);
}

#[test]
fn accelerators_without_telemetry_cannot_be_told() {
    let trn = Seen { instance_type: "trn1.32xlarge", kind: VerdictKind::Underused, ..g5() };
    assert_eq!(World::of([trn]).to(), "– accelerator");
}

#[test]
fn partial_boxes_of_a_team_are_counted_together() {
    let seen = |id, working| Seen { id, instance_type: "p5.48xlarge", working, ..g5() };
    let all = World::of([seen("i-1", 3), seen("i-2", 4), seen("i-3", 6)]).proposals();
    // 6 + nothing, 4 + 3: two boxes.
    for proposal in &all {
        assert!(noted!(proposal, Note::Consolidate { boxes: 3, gpus: 13, enough: 2, .. }));
    }
    // 6, 5 and 5 fit nowhere together, though 16 GPUs would fill two boxes.
    let all = World::of([seen("i-1", 6), seen("i-2", 5), seen("i-3", 5)]).proposals();
    assert!(!all.iter().any(|p| noted!(p, Note::Consolidate { .. })));
}

#[test]
fn the_order_is_by_dollars_then_what_cannot_be_told() {
    let seen = |id, instance_type, working| Seen { id, instance_type, working, ..g5() };
    let all = World::of([
        seen("i-1", "g5.12xlarge", 2),
        seen("i-2", "g5.12xlarge", 1),
        seen("i-3", "p4d.24xlarge", 1),
    ])
    .proposals();
    let ids: Vec<&str> = all.iter().map(|p| &*p.id).collect();
    assert_eq!(ids, ["i-3", "i-2", "i-1"]);
}

#[test]
fn candidates_are_what_something_may_become() {
    let types = catalogue_book().types;
    let candidates = |name: &str| super::super::candidate_types([&Arc::from(name)], &types);
    // General-purpose x86 of its generation or later with 384 GiB to 1.5 TiB.
    let of_m7i = candidates("m7i.24xlarge");
    let names: Vec<&str> = of_m7i.iter().map(|n| &**n).collect();
    let want = [
        "c7i.48xlarge",
        "m7i.24xlarge",
        "m7i.48xlarge",
        "r7i.12xlarge",
        "r7i.16xlarge",
        "r7i.24xlarge",
        "r7i.48xlarge",
    ];
    assert_eq!(names, want);
    let of_p4d = candidates("p4d.24xlarge");
    assert!(of_p4d.contains("g6.xlarge") && of_p4d.contains("p5.4xlarge"));
    assert!(!of_p4d.contains("g5g.xlarge") && !of_p4d.contains("g4dn.metal"));
    assert!(!of_p4d.contains("m7i.large") && !of_p4d.contains("trn1.2xlarge"));
    // Nothing is proposed for what cannot be told.
    assert_eq!(candidates("trn1.32xlarge").len(), 1);
    assert_eq!(candidates("zz1.large").len(), 1);
}

#[test]
fn a_rate_of_work_is_conserved() {
    // Three tenths of 16 vCPUs are 4.8 busy ones: 8 of them run at 60%, 6 at the 80% that is allowed.
    let proposal = World::of([cpu("m7i.4xlarge", 30.0)]).one();
    assert!((proposal.need.vcpus.unwrap() * 0.8 - 4.8).abs() < 1e-9);
    assert_eq!(to(&proposal), "r7i.2xlarge");
    // At 41% eight vCPUs would run at 82%.
    let proposal = World::of([cpu("m7i.4xlarge", 41.0)]).one();
    assert_eq!(to(&proposal), "– nothing_smaller");
}
