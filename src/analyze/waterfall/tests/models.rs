//! What models could be run cheaper for: beside the steps, on what they leave, in no sum.

use std::sync::Arc;

use super::fixture::{World, reserved};
use crate::domain::VerdictKind;
use crate::fleet::savings::{
    Fits, Measure, ModelBecause, ModelRow, ModelWork, ModelWorkload, Potential, Replicas,
    SpotBecause, SpotFit,
};

/// A workload with its two largest measures, of which the first counts.
fn workload(id: &str, instances: &[&str], usd: f64, up_to: f64) -> Vec<Arc<ModelRow>> {
    let workload = Arc::new(ModelWorkload {
        id: id.into(),
        name: id.into(),
        work: if instances.is_empty() { ModelWork::Script } else { ModelWork::Serving },
        because: ModelBecause::Hint(Arc::new(SpotBecause::Nothing)),
        scope: None,
        team: None,
        instance_type: None,
        instances: instances.iter().map(|id| Arc::from(*id)).collect(),
        replicas: Replicas::Unknown,
        usage: 0.1,
        usd_per_hour: usd,
        bound_by: None,
        capability: None,
        runtime: None,
        holding: None,
    });
    let row = |measure: Measure, is_largest| {
        Arc::new(ModelRow {
            id: format!("{id}/{}", measure.spec().word).into(),
            workload: workload.clone(),
            measure,
            up_to_usd_per_hour: Some(up_to),
            fits: Fits::Unknown,
            is_largest,
        })
    };
    vec![row(Measure::Batching, true), row(Measure::Int4, false)]
}

/// Four boxes of $20: one idles, one may be $12, one goes to Spot at $5, one stays. Each serves at $20 and could for $5.
fn world() -> World {
    let mut w = World::new(&[("p4d.24xlarge", 20.0), ("g5.48xlarge", 12.0)]);
    w.run("idle", "1", "p4d.24xlarge", VerdictKind::Idle);
    for id in ["wide", "spot", "stays"] {
        w.run(id, "1", "p4d.24xlarge", VerdictKind::Busy);
    }
    w.propose("wide", "g5.48xlarge");
    w.may_spot("spot", SpotFit::Yes, 5.0, 5.0);
    w.models = ["idle", "wide", "spot", "stays"]
        .into_iter()
        .flat_map(|id| workload(id, &[id], 20.0, 15.0))
        .chain(workload("script", &[], 3.0, 2.0))
        .collect();
    w
}

#[test]
fn it_is_of_what_the_steps_leave_and_each_workload_has_one_measure_in_it() {
    let found = world().waterfall();
    // Three quarters of what is left: 0 of the idle one, 12, 5 and 20.
    let want = 0.75 * (12.0 + 5.0 + 20.0);
    let Potential { up_to_usd_per_hour, workloads, scripts } = found.potential.unwrap();
    assert!((up_to_usd_per_hour - want).abs() < 1e-9, "{up_to_usd_per_hour}");
    assert_eq!((workloads, scripts), (3, 1), "nothing is left of the idle one");
}

#[test]
fn no_step_and_no_sum_has_it() {
    let with = world().waterfall();
    let mut without = world();
    without.models.clear();
    let without = without.waterfall();
    assert_eq!(without.potential, None);
    assert_eq!(with.steps, without.steps);
    assert_eq!(
        (with.before, with.after(), with.saves(), with.naive),
        (without.before, without.after(), without.saves(), without.naive)
    );
    // 80 now: 20 go, 8 by the smaller size, 15 by Spot.
    assert!((with.saves() - 43.0).abs() < 1e-9, "{}", with.saves());
}

#[test]
fn what_a_commitment_pays_for_is_not_left_to_be_saved() {
    let mut w = World::new(&[("p4d.24xlarge", 20.0)]);
    w.run("a", "1", "p4d.24xlarge", VerdictKind::Busy);
    w.run("b", "1", "p4d.24xlarge", VerdictKind::Busy);
    w.hold(reserved("ri", "1", "p4d.24xlarge", 1, 14.0));
    w.models = workload("both", &["a", "b"], 40.0, 30.0);
    // Of 40 at list price one box is paid for: three quarters of the other one.
    let found = w.waterfall().potential.unwrap();
    assert!((found.up_to_usd_per_hour - 15.0).abs() < 1e-9, "{found:?}");
}
