//! Sums checked against calculation by hand.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::domain::NetUnknown;
use crate::view::fixture::{ctx, fleet, index};

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn parts_add_up_to_the_burn() {
    let fleet = fleet();
    let o = overview(&fleet, &ctx());
    let part = |kind: PartKind| *o.parts.iter().find(|p| p.kind == kind).unwrap();
    // Spot p5 20.79 + g6 0.8048 + 3 of 8 GPUs of 55.04.
    assert!(close(part(PartKind::Busy).usd_per_hour, 20.79 + 0.8048 + 55.04 * 3.0 / 8.0));
    assert!(close(part(PartKind::PartlyIdle).usd_per_hour, 55.04 * 5.0 / 8.0));
    assert!(close(part(PartKind::Idle).usd_per_hour, 21.957_642));
    assert_eq!((part(PartKind::Idle).instances, part(PartKind::Idle).unpriced), (2, 1));
    assert!(close(part(PartKind::Unknown).usd_per_hour, 16.288));
    assert_eq!((part(PartKind::Unjudged).instances, part(PartKind::Unjudged).unpriced), (1, 1));
    let sum: f64 = o.parts.iter().map(|p| p.usd_per_hour).sum();
    assert_eq!(sum.to_bits(), o.burn.to_bits());
    assert!(close(o.burn, fleet.totals.burn));
    assert!(close(o.waste, 21.957_642 + 34.4));
    assert!(close(o.waste, fleet.totals.waste));
    assert!(close(o.burn_per_month(), o.burn * 730.0));
    assert_eq!((o.instances, o.running, o.unpriced, o.unpriced_waste), (11, 10, 2, 1));
}

#[test]
fn findings_are_the_costliest_first() {
    let fleet = fleet();
    let o = overview(&fleet, &ctx());
    let ids: Vec<String> = o.findings.iter().map(|f| f.of.id()).collect();
    assert_eq!(ids, ["i-0b2part", "i-0a1idle"], "the idle one without a price cannot be ranked");
    let row = &fleet.rows[index(&fleet, "i-0b2part")];
    assert_eq!(o.findings[0].of, FindingOf::Instance(row.instance.id.clone()));
    assert_eq!(o.findings[0].usd_per_hour, row.waste_usd_per_hour().unwrap());
    assert_eq!(o.findings[0].what, format!("◐ 5/8 idle {}", row.instance.instance_type));
    assert_eq!(o.findings[0].team, row.team);
}

#[test]
fn groups_cover_the_whole_burn() {
    let o = overview(&fleet(), &ctx());
    for groups in [&o.teams, &o.places] {
        assert!(close(groups.iter().map(|g| g.burn).sum(), o.burn));
        assert!(close(groups.iter().map(|g| g.waste).sum(), o.waste));
        assert_eq!(groups.iter().map(|g| g.instances).sum::<u32>(), o.running);
        assert!(groups.windows(2).all(|p| p[0].burn >= p[1].burn));
    }
    assert_eq!(o.teams[0].name.as_deref(), Some("vision"));
    let of = |name: &str| o.teams.iter().find(|g| g.name.as_deref() == Some(name)).unwrap();
    assert_eq!(of("serving").known_waste(), Some(0.0), "busy: known to waste nothing");
    assert_eq!((of("core").unpriced, of("core").waste_unknown), (1, 1));
    let untagged = o.teams.iter().find(|g| g.name.is_none()).unwrap();
    assert!(close(untagged.burn, 16.288));
    assert_eq!(untagged.known_waste(), None, "its one instance has an unknown verdict");
    let unjudged = o.parts.iter().find(|p| p.kind == PartKind::Unjudged).unwrap();
    assert_eq!(unjudged.known(), None, "its one instance has no price");
    let places: Vec<_> = o.places.iter().filter_map(|g| g.name.as_deref()).collect();
    assert_eq!(places, ["111122223333/us-east-1", "444455556666/eu-west-1"]);
}

#[test]
fn the_scorecard_counts_only_what_is_known() {
    let o = overview(&fleet(), &ctx());
    let score = |m: Metric| o.scores.iter().find(|s| s.metric == m).unwrap();
    // Boxes with a GPU mean: p4d 0.2 ×8, p5 38.4 ×8, spot p5 91 ×8, g6 0 and 72.5.
    let mean = (0.2 * 8.0 + 38.4 * 8.0 + 91.0 * 8.0 + 0.0 + 72.5) / 26.0 / 100.0;
    let gpu = score(Metric::GpuUtilisation);
    assert!((gpu.share.unwrap() - mean).abs() < 1e-6, "{gpu:?}");
    assert_eq!(gpu.rests_on, "26 of 43 GPUs seen");
    assert_eq!(gpu.grade, Some(Band::Average));
    // Idle: p4d 8, p5 5, licensed g6 1; judged besides: spot p5 8, g6 1, the p5's other 3.
    let idle = score(Metric::IdleGpuHours);
    assert!(close(idle.share.unwrap(), 14.0 / 26.0), "{idle:?}");
    assert_eq!(idle.grade, Some(Band::Poor));
    let spot = score(Metric::SpotCoverage);
    assert!(close(spot.share.unwrap(), 8.0 / 43.0), "{spot:?}");
    assert_eq!(spot.grade, Some(Band::Poor), "18.6% of a target of 60%");
    let tags = score(Metric::TagCompliance);
    assert!(close(tags.share.unwrap(), 0.2), "p4d and the Spot p5 of ten: {tags:?}");
    assert_eq!(tags.grade, Some(Band::Poor));
}

#[test]
fn what_rests_on_verdicts_is_kept_once_all_gpus_have_one() {
    use crate::domain::KeptShare::{GpuUse, IdleGpus, Spot, Tagged};
    use crate::fleet::FleetShares;
    let fleet = fleet();
    let running = || fleet.rows.iter().filter(|r| r.instance.state.is_billed()).map(|r| &**r);
    let has_gpus = |r: &&Row| r.spec.as_ref().is_some_and(|s| s.accelerator.is_some());
    let kept = |rows: &[&Row]| FleetShares::of(rows.iter().copied()).kept();
    let near = |share: Option<f32>, want: f64| (f64::from(share.unwrap()) - want).abs() < 1e-6;
    let judged: Vec<&Row> = running().filter(|r| !has_gpus(r) || r.verdict.is_some()).collect();
    let all = kept(&judged);
    let mean = (0.2 * 8.0 + 38.4 * 8.0 + 91.0 * 8.0 + 0.0 + 72.5) / 26.0 / 100.0;
    assert!(
        near(all[GpuUse as usize], mean) && near(all[IdleGpus as usize], 14.0 / 26.0),
        "{all:?}"
    );
    let mut one = judged.iter().copied().find(has_gpus).unwrap().clone();
    one.verdict = None;
    let mut partly = judged.clone();
    partly.push(&one);
    let some = kept(&partly);
    assert_eq!((some[GpuUse as usize], some[IdleGpus as usize]), (None, None));
    let everything: Vec<&Row> = running().collect();
    let of = kept(&everything);
    assert!(near(of[Spot as usize], 8.0 / 43.0) && near(of[Tagged as usize], 0.2), "{of:?}");
    assert_eq!(kept(&[]), [None; 4]);
}

#[test]
fn bands_begin_where_the_tables_say() {
    let band = |m: Metric, percent: f64| m.grade(percent / 100.0).unwrap().word();
    let cases = [
        (Metric::GpuUtilisation, [19.9, 20.0, 40.0, 64.9, 65.0, 84.9, 85.0]),
        (Metric::IdleGpuHours, [50.1, 50.0, 30.0, 10.1, 10.0, 5.0, 4.9]),
    ];
    for (metric, values) in cases {
        let words = values.map(|v| band(metric, v));
        assert_eq!(words, ["Poor", "Average", "Average", "Average", "Good", "Good", "Elite"]);
    }
    let rising = [
        (Metric::SpotCoverage, [19.9, 20.0, 60.0, 60.1, 79.9, 80.0]),
        (Metric::CommitmentUtilisation, [79.9, 80.0, 89.9, 90.0, 94.9, 95.0]),
        (Metric::CommitmentCoverage, [59.9, 60.0, 69.9, 70.0, 79.9, 80.0]),
        (Metric::StorageEfficiency, [49.9, 50.0, 79.9, 80.0, 94.9, 95.0]),
        (Metric::TagCompliance, [49.9, 50.0, 79.9, 80.0, 89.9, 90.0]),
    ];
    for (metric, values) in rising {
        let words = values.map(|v| band(metric, v));
        assert_eq!(words, ["Poor", "Average", "Average", "Good", "Good", "Elite"], "{metric:?}");
    }
}

#[test]
fn blind_boxes_are_counted_with_their_dollars() {
    let o = overview(&fleet(), &ctx());
    assert_eq!(o.blind, Blind { instances: 1, usd_per_hour: 16.288, unpriced: 0 });
    assert_eq!(
        o.blind.sentence().as_deref(),
        Some("GPU telemetry missing on 1 instance ($16.29/h burns unseen)")
    );
    assert_eq!(Blind::default().sentence(), None);
}

#[test]
fn an_empty_fleet_knows_nothing() {
    let o = overview(&Fleet::default(), &ctx());
    assert_eq!((o.burn.to_bits(), o.waste_share), (0, None));
    assert!(o.findings.is_empty() && o.teams.is_empty());
    assert!(o.scores.iter().all(|s| s.share.is_none() && s.grade.is_none()));
    assert_eq!(o.blind.sentence(), None);
}

proptest! {
    /// Whatever the prices and the split, the parts are the burn and the waste is within it.
    #[test]
    fn parts_add_up_for_any_price(prices in prop::collection::vec(0.0f64..500.0, 11), idle in 0u32..=8) {
        let mut fleet = fleet();
        for (row, usd) in fleet.rows.iter_mut().zip(prices) {
            let row = Arc::make_mut(row);
            if let Some(rate) = &mut row.rate {
                rate.usd_per_hour = usd;
            }
            if let Some(v) = row.verdict.as_mut().filter(|v| v.kind == VerdictKind::Partial) {
                Arc::make_mut(v).idle_gpus = Some(idle);
            }
        }
        let o = overview(&fleet, &ctx());
        let total: f64 = fleet.rows.iter().filter_map(|r| r.usd_per_hour()).sum();
        prop_assert!((o.burn - total).abs() < 1e-9 * total.max(1.0));
        let sum: f64 = o.parts.iter().map(|p| p.usd_per_hour).sum();
        prop_assert_eq!(sum.to_bits(), o.burn.to_bits());
        prop_assert!(o.waste <= o.burn * (1.0 + 1e-12) && o.parts.iter().all(|p| p.usd_per_hour >= 0.0));
    }
}

#[test]
fn commitments_make_a_net_of_the_burn() {
    use crate::domain::{InstanceState, Lifecycle};
    use crate::fleet::{Cover, Net};
    let mut fleet = fleet();
    assert_eq!(overview(&fleet, &ctx()).net, None, "no commitment was read");
    let mut want = 0.0;
    for (i, row) in fleet.rows.iter_mut().enumerate() {
        let row = Arc::make_mut(row);
        if row.instance.state != InstanceState::Running {
            continue;
        }
        if row.instance.lifecycle != Lifecycle::OnDemand || row.rate.is_none() {
            // Its own rate, or nothing where that is not known.
            want += row.usd_per_hour().unwrap_or(0.0);
            continue;
        }
        let effective_usd_per_hour = i as f64 + 0.5;
        want += effective_usd_per_hour;
        let effective_usd_per_hour = Some(effective_usd_per_hour);
        let cover = Cover { effective_usd_per_hour, ..Cover::default() };
        row.net = Some(Arc::new(Net::Known(cover)));
    }
    let o = overview(&fleet, &ctx());
    let net = o.net.unwrap();
    assert!(close(net.usd_per_hour, want));
    assert_eq!(net.unpriced, o.unpriced);
    // One that is not known makes the sum no sum.
    let known = fleet.rows.iter().position(|r| r.net.is_some()).unwrap();
    Arc::make_mut(&mut fleet.rows[known]).net = Some(Arc::new(Net::Unknown(NetUnknown::NotRead)));
    assert_eq!(overview(&fleet, &ctx()).net, None);
}

#[test]
fn savings_bring_their_scores_and_what_is_unused() {
    let savings = crate::tabs::savings::picture::fixture::savings();
    let o = overview(&fleet(), &ctx()).with_savings(&savings);
    let order: Vec<Metric> = o.scores.iter().map(|s| s.metric).collect();
    use Metric::{
        CommitmentCoverage, CommitmentUtilisation, GpuUtilisation, IdleGpuHours, SpotCoverage,
        TagCompliance,
    };
    assert_eq!(
        order,
        [
            GpuUtilisation,
            IdleGpuHours,
            SpotCoverage,
            CommitmentUtilisation,
            CommitmentCoverage,
            TagCompliance
        ]
    );
    let score = |m: Metric| o.scores.iter().find(|s| s.metric == m).unwrap().share;
    assert_eq!(score(CommitmentUtilisation), savings.sums.utilisation);
    assert_eq!(score(CommitmentCoverage), savings.sums.coverage);
    let saved = o.saved.as_ref().unwrap();
    assert_eq!(saved.unused(), savings.sums.unused_usd_per_hour);
    // $55.04 of the $82.04 are room, which is beside what is paid.
    let of = saved.unused_of(ctx().symbols);
    assert_eq!(
        of.as_deref(),
        Some("of $89.00/h paid + $55.04/h for reserved capacity that is empty (room)")
    );
    let idle = savings
        .resources
        .iter()
        .filter(|r| r.verdict.as_ref().is_some_and(|v| v.kind == VerdictKind::Idle));
    let (mut count, mut usd) = (0, 0.0);
    for row in idle {
        count += 1;
        usd += row.waste_usd_per_hour.unwrap_or(0.0);
    }
    assert!(count > 0 && usd > 0.0);
    let all = &saved.resources;
    assert_eq!(all.iter().map(|of| of.count).sum::<u32>(), count);
    assert!(close(all.iter().map(|of| of.usd_per_hour).sum(), usd));
    // 102.78 would be claimed of what saves 50.
    let naive = "a naive sum would have claimed $102.78/h, $75,026/month";
    assert_eq!(saved.naive().as_deref(), Some(naive));
    // What the utilisation leaves out is said; coverage has nothing to leave out.
    let mut partly = savings.clone();
    (partly.sums.utilisation_of, partly.sums.left_out) = (3, 2);
    let scored = o.clone().with_savings(&partly);
    let rests_on = |m: Metric| &*scored.scores.iter().find(|s| s.metric == m).unwrap().rests_on;
    let paid = savings.commitments.iter().filter(|row| row.is_paid()).count();
    let said = format!("{paid} in force, 2 left out, 168 hours");
    assert_eq!(rests_on(CommitmentUtilisation), said);
    assert_eq!(rests_on(CommitmentCoverage), format!("{paid} in force, 168 hours"));
    // Again with other figures: they take the place of the old ones.
    assert_eq!(o.clone().with_savings(&savings), o);
    // Where commitments could not be read, nothing is said of them.
    let mut unread = savings.clone();
    unread.waterfall.net_unknown = Some(NetUnknown::NotRead);
    let o = overview(&fleet(), &ctx()).with_savings(&unread);
    assert_eq!(o.saved.as_ref().unwrap().unused(), None);
    let blank = o.scores.iter().find(|s| s.metric == CommitmentUtilisation).unwrap();
    assert_eq!((blank.share, blank.grade, &*blank.rests_on), (None, None, "commitments not read"));
}

#[test]
fn storage_is_efficient_as_far_as_nothing_of_it_could_be_saved() {
    use crate::fleet::StorageFleet;
    use crate::fleet::storage::Sum;
    let o = overview(&fleet(), &ctx());
    assert_eq!(o.clone().with_storage(&StorageFleet::default()), o, "nothing known of it");
    let mut storage = crate::tabs::storage::picture::fixture::fleet();
    storage.totals.buckets = Sum { count: 1, usd_per_month: 60.0, unpriced: 0 };
    storage.totals.volumes = Sum { count: 1, usd_per_month: 30.0, unpriced: 0 };
    storage.totals.snapshots = Sum { count: 1, usd_per_month: 10.0, unpriced: 0 };
    storage.totals.savings = 15.0;
    storage.totals.priced_findings = 2;
    storage.totals.unpriced_findings = 3;
    let mut dark = storage.clone();
    (dark.totals.priced_findings, dark.totals.savings) = (0, 0.0);
    let unknown = o.clone().with_storage(&dark);
    let score = unknown.scores.iter().find(|s| s.metric == Metric::StorageEfficiency).unwrap();
    assert_eq!((score.share, score.grade), (None, None), "nobody knows what could be saved");
    let o = o.with_storage(&storage);
    let score = o.scores.iter().find(|s| s.metric == Metric::StorageEfficiency).unwrap();
    assert!(close(score.share.unwrap(), 0.85));
    assert_eq!(score.grade, Some(Band::Good));
}
