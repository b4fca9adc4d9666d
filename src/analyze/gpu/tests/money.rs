//! Dollars: every GPU's share, and nothing lost.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;

use super::fixtures::*;
use crate::domain::{AcceleratorKind, GpuReason, GpuSignal as S, GpuState as G, SourceId};
use crate::fleet::Row;

fn typed(model: &str, devices: u32, equivalents: f64) -> Row {
    let mut row = instance(1);
    row.spec = Some(Arc::new(spec(AcceleratorKind::NvidiaGpu, model, devices, equivalents)));
    row
}

#[test]
fn a_fraction_of_a_gpu_is_the_whole_price_of_its_type() {
    let mut fixture = WatchFixture::of(vec![typed("L4", 1, 0.125)]);
    let picture =
        fixture.see(0, &[sweep(SourceId::Exporter, 0, vec![gpu(0, 0, &[(S::Util, 0.5)])])]);
    let row = &picture.rows[0];
    assert!((row.equivalents - 0.125).abs() < 1e-12);
    assert!((row.usd_per_hour.unwrap() - 80.0).abs() < 1e-12);
    // USD 640 per GPU and hour × 0.125.
    assert!((picture.totals.burn() - 80.0).abs() < 1e-12);
}

#[test]
fn slices_are_shown_and_what_is_left_is_not_lost() {
    let mut fixture = WatchFixture::of(vec![typed("H100", 1, 1.0)]);
    let whole = gpu(0, 0, &[(S::Power, 434.0), (S::PowerLimit, 700.0)]);
    let busy = slice(gpu(0, 0, &[(S::GrEngine, 0.9)]), 1, "3g.40gb");
    let quiet = slice(gpu(0, 0, &[(S::GrEngine, 0.0)]), 2, "1g.10gb");
    for samples in [vec![whole, busy.clone(), quiet.clone()], vec![busy, quiet]] {
        let picture = fixture.see(0, &[sweep(SourceId::Exporter, 0, samples)]);
        let mut got: Vec<(String, G, i64)> = picture
            .rows
            .iter()
            .map(|r| {
                let sevenths = r.usd_per_hour.unwrap() * 7.0 / 80.0;
                (r.id.to_string(), r.verdict.state, sevenths.round() as i64)
            })
            .collect();
        got.sort();
        let want =
            [("GPU-0", G::Unknown, 3), ("GPU-0/gi1", G::Busy, 3), ("GPU-0/gi2", G::Unknown, 1)];
        assert_eq!(got, want.map(|(id, state, n)| (id.to_owned(), state, n)));
        assert!((picture.totals.burn() - 80.0).abs() < 1e-9);
        let rest = picture.rows.iter().find(|r| &*r.id == "GPU-0").unwrap();
        assert_eq!(rest.verdict.reason, GpuReason::Rest { slices: 3, of: 7 });
        assert!(picture.blind.is_empty(), "one device, told");
    }
}

#[test]
fn a_slice_is_idle_when_its_whole_gpu_is_at_rest() {
    let watch = |watts: f64| {
        let mut fixture = WatchFixture::of(vec![typed("H100", 1, 1.0)]);
        let mut last = Vec::new();
        for at in (0..=300).step_by(30) {
            let whole = gpu(0, at, &[(S::Power, watts), (S::PowerLimit, 700.0)]);
            let part = slice(gpu(0, at, &[(S::GrEngine, 0.0), (S::MemUsed, 20.0)]), 1, "7g.80gb");
            let picture = fixture.see(at, &[sweep(SourceId::Exporter, at, vec![whole, part])]);
            last = picture.rows;
        }
        assert_eq!(last.len(), 1, "nothing is left of it");
        last[0].verdict.state
    };
    assert_eq!(watch(71.0), G::UnallocatedIdle);
    assert_eq!(watch(434.0), G::Unknown, "another slice may draw it, or this one");
}

#[test]
fn teams_come_from_tags_then_from_namespaces() {
    let look = |fixture: &mut WatchFixture| {
        let sample = owned(gpu(0, 0, &[(S::Util, 0.5)]), "NLP-prod", "x");
        fixture.see(0, &[sweep(SourceId::Exporter, 0, vec![sample])]).rows[0].team.clone()
    };
    let mut fixture = WatchFixture::new();
    assert_eq!(look(&mut fixture), None);
    fixture.rules.namespace_is_team = true;
    assert_eq!(look(&mut fixture).as_deref(), Some("NLP-prod"));
    let rule = |namespace: &str| crate::analyze::gpu::TeamRule {
        namespace: namespace.into(),
        team: "language".into(),
    };
    fixture.rules.teams = vec![rule("vision"), rule("nlp-*")];
    assert_eq!(look(&mut fixture).as_deref(), Some("language"));
    let mut tagged = instance(1);
    tagged.team = Some("tagged".into());
    fixture.fleet = fleet(vec![tagged]);
    fixture.fleet.version = 2;
    assert_eq!(look(&mut fixture).as_deref(), Some("tagged"));
}

proptest! {
    /// Whatever is told of a node, its rows add up to no more than its price, and to exactly its
    /// price where every device is told.
    #[test]
    fn the_gpus_of_a_node_add_up_to_its_price(
        devices in 1_u32..9,
        layouts in vec((any::<bool>(), vec(1_u32..5, 0..7)), 1..9),
    ) {
        let mut samples = Vec::new();
        for (index, (whole, slices)) in layouts.iter().enumerate() {
            let index = index as u16;
            if *whole || slices.is_empty() {
                samples.push(gpu(index, 0, &[(S::Power, 100.0)]));
            }
            for (gi, width) in slices.iter().enumerate() {
                let sample = gpu(index, 0, &[(S::GrEngine, 0.5)]);
                samples.push(slice(sample, gi as u32, &format!("{width}g.10gb")));
            }
        }
        let mut fixture = WatchFixture::of(vec![typed("H100", devices, f64::from(devices))]);
        let picture = fixture.see(0, &[sweep(SourceId::Exporter, 0, samples)]);
        let told = layouts.len() as f64;
        let want = 80.0 * (told / f64::from(devices)).min(1.0);
        prop_assert!((picture.totals.burn() - want).abs() < 1e-9, "{} {want}", picture.totals.burn());
        let unseen: f64 = picture.blind.iter().filter_map(|b| b.usd_per_hour).sum();
        prop_assert!((picture.totals.burn() + unseen - 80.0).abs() < 1e-9);
    }
}
