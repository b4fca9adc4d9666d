//! A small fleet of GPUs with traps, for tests of views, reports and screens: every state, every
//! rung, slices, a host without an instance, prices that are not known, two sources that disagree.

use std::sync::Arc;

use jiff::SignedDuration;

use crate::domain::gpu::Witness;
use crate::domain::{
    Activity, GpuAdvice, GpuAdviceKind, GpuHistory, GpuIdentity, GpuOwner, GpuProcess, GpuReason,
    GpuSample, GpuSignal, GpuSignals, GpuState, GpuTrace, GpuVerdict, HostNames, Mig, Observation,
    Rung, SourceId, Throttle, Workload,
};
use crate::fleet::{Blind, BlindCause, Fleet, GpuFleet, GpuNode, GpuRow, GpuTotals, Row, Told};
use crate::view::fixture::{ago, fleet as instances, index, now};

/// A host; `instance` is one of the instances of the other fixture.
pub(crate) fn node(name: &str, instance: Option<&Arc<Row>>) -> Arc<GpuNode> {
    Arc::new(GpuNode { name: name.into(), instance: instance.cloned() })
}

/// GPU `i` of a host with these signals, read half a minute ago; state and money as for a busy GPU
/// of its host. Change what a test is about.
pub(crate) fn gpu(
    node: &Arc<GpuNode>,
    i: u16,
    model: &str,
    signals: &[(GpuSignal, f64)],
) -> GpuRow {
    let mut known = GpuSignals::default();
    for (signal, value) in signals {
        assert!(known.set(*signal, *value), "{signal:?} {value}");
    }
    let instance_id = node.instance.as_ref().map(|r| r.instance.id.clone());
    let identity = GpuIdentity {
        uuid: Some(format!("GPU-{}-{i}", node.name).into()),
        mig: None,
        index: Some(i),
        model: model.into(),
        pci_bus_id: format!("00000000:{i:02X}:00.0").into(),
        host: HostNames { instance_id, node: Some(node.name.clone()), address: None },
    };
    let key = identity.key_on(&node.name);
    let effective = known.get(GpuSignal::SmActive).or(known.get(GpuSignal::Util));
    let rung = match (known.get(GpuSignal::SmActive), known.get(GpuSignal::Util)) {
        (Some(_), _) => Rung::A,
        (None, Some(_)) => Rung::C,
        (None, None) => Rung::E,
    };
    let activity = effective.map(|effective| Activity {
        effective,
        busiest: effective,
        rung,
        tensor_bound: None,
    });
    let instance = node.instance.as_deref();
    let usd = instance.and_then(|r| Some(r.usd_per_hour()? / r.gpus()?));
    GpuRow {
        id: key.to_string().into(),
        key,
        node: node.clone(),
        model: model.into(),
        sample: GpuSample {
            names_owners: true,
            ..GpuSample::new(Arc::new(identity), now() - SignedDuration::from_secs(30), known)
        },
        verdict: Arc::new(GpuVerdict {
            state: GpuState::Busy,
            activity,
            rung,
            idle_since: None,
            idle_since_at_least: false,
            samples: 12,
            witnesses: Vec::new(),
            reason: GpuReason::Fixture("works"),
            advice: None,
            workload: Workload::Unknown,
        }),
        team: instance.and_then(|r| r.team.clone()),
        equivalents: 1.0,
        usd_per_hour: usd,
        waste_usd_per_hour: usd.map(|_| 0.0),
        wasted_usd: None,
        told: vec![Told {
            source: SourceId::Prometheus,
            origin: "main".into(),
            taken_at: now() - SignedDuration::from_secs(30),
        }],
        disagreement: "".into(),
        trail: crate::fleet::gpu::Trail::default(),
    }
}

/// `row` judged otherwise: idle and stalled GPUs waste all of their price.
pub(crate) fn judged(row: GpuRow, state: GpuState, idle_hours: Option<i64>) -> GpuRow {
    let reason = match state {
        GpuState::Unhealthy => "XID 79: GPU has fallen off the bus",
        GpuState::Stalled => "utilisation 100% at 11% of its power, no tensor activity",
        GpuState::HeldIdle => "held by a pod, nothing runs",
        GpuState::UnallocatedIdle => "nobody holds it, nothing runs",
        GpuState::Inefficient => "effective use under 50%",
        GpuState::Unknown => "no evidence",
        GpuState::Stale => "last seen 20 min ago",
        GpuState::Busy => "works",
    };
    let wastes = state.is_idle() || state == GpuState::Stalled;
    let waste = match state {
        GpuState::Unknown | GpuState::Stale | GpuState::Unhealthy => None,
        _ => row.usd_per_hour.map(|usd| if wastes { usd } else { 0.0 }),
    };
    let idle_since = idle_hours.map(ago);
    let seen = |said, for_idle| Witness { seen: Observation::Fixture(said), for_idle };
    let witnesses = if state.is_idle() {
        vec![
            seen("effective use 0%", true),
            seen("power 70 W, idle floor of the model 70 W", true),
            seen("61 GiB of memory held", false),
        ]
    } else {
        Vec::new()
    };
    GpuRow {
        verdict: Arc::new(GpuVerdict {
            state,
            idle_since,
            reason: GpuReason::Fixture(reason),
            witnesses,
            ..(*row.verdict).clone()
        }),
        waste_usd_per_hour: waste,
        wasted_usd: idle_hours.and_then(|h| Some(row.usd_per_hour? * h as f64)),
        ..row
    }
}

fn owned(row: GpuRow, owner: GpuOwner) -> GpuRow {
    let sample = GpuSample { owner: Arc::new(owner), ..row.sample };
    GpuRow { sample, ..row }
}

fn slice(row: GpuRow, gpu_instance: u32, profile: &str, equivalents: f64) -> GpuRow {
    let mig = Some(Mig { gpu_instance, profile: profile.into() });
    let identity = GpuIdentity { mig, ..(*row.sample.identity).clone() };
    let key = identity.key_on(&row.node.name);
    let id = key.to_string().into();
    let sample = GpuSample { identity: Arc::new(identity), ..row.sample };
    GpuRow { key, id, sample, equivalents, ..row }
}

fn advised(row: GpuRow, advice: &'static str, workload: Workload) -> GpuRow {
    let kind = GpuAdviceKind::Fixture(advice);
    let advice = (!advice.is_empty()).then_some(GpuAdvice { kind, usd_per_month: None });
    let verdict = GpuVerdict { advice, workload, ..(*row.verdict).clone() };
    GpuRow { verdict: Arc::new(verdict), ..row }
}

/// The instances behind the GPUs.
pub(crate) fn hosts() -> Fleet {
    instances()
}

/// Every kind of GPU, 22 in all on five hosts.
pub(crate) fn gpus() -> GpuFleet {
    use GpuSignal::{
        Dram, MemTotal, MemUsed, Power, PowerLimit, SmActive, Temp, Tensor, Util, Xid,
    };
    let fleet = hosts();
    let instance = |id: &str| &fleet.rows[index(&fleet, id)];
    let (p5, p4d) = (instance("i-0b2part"), instance("i-0a1idle"));
    let pod = |namespace: &str, pod: &str| GpuOwner {
        namespace: Some(namespace.into()),
        pod: Some(pod.into()),
        ..GpuOwner::default()
    };
    let mut rows = Vec::new();

    // Five of eight held idle for a day; one busy, one inefficient, one stalled.
    let sweep = node("gpu-node-1", Some(p5));
    let memory = [(MemTotal, 81_559.0), (PowerLimit, 700.0)];
    for i in 0..5 {
        let mut signals =
            vec![(Util, 0.0), (SmActive, 0.0), (MemUsed, 62_000.0), (Power, 70.0), (Temp, 31.0)];
        signals.extend(memory);
        let row = judged(gpu(&sweep, i, "H100", &signals), GpuState::HeldIdle, Some(24));
        let row = advised(
            row,
            "The pod holds 61 GiB and computes nothing: end it or move it to a smaller type.",
            Workload::Training,
        );
        rows.push(owned(row, pod("vision", "eval-sweep-0")));
    }
    let mut signals = vec![(Util, 1.0), (SmActive, 0.87), (Tensor, 0.41), (Dram, 0.52)];
    signals.extend([(MemUsed, 70_200.0), (Power, 655.0), (Temp, 67.0)]);
    signals.extend(memory);
    let row = advised(gpu(&sweep, 5, "H100", &signals), "", Workload::Training);
    rows.push(owned(row, pod("vision", "=HYPER|link")));
    let mut signals = vec![(Util, 1.0), (SmActive, 0.31), (MemUsed, 70_200.0), (Power, 320.0)];
    signals.extend(memory);
    let row = judged(gpu(&sweep, 6, "H100", &signals), GpuState::Inefficient, None);
    let mut row = advised(row, "Larger batches, or a smaller type.", Workload::Training);
    row.disagreement = "utilisation: prom 100%, nvml 34%".into();
    row.told.push(Told {
        source: SourceId::Nvml,
        origin: "gpu-node-1".into(),
        taken_at: now() - SignedDuration::from_secs(1),
    });
    rows.push(owned(row, pod("vision", "train-2")));
    let mut signals = vec![(Util, 1.0), (SmActive, 0.99), (Tensor, 0.0), (Power, 128.0)];
    signals.extend(memory);
    let row = judged(gpu(&sweep, 7, "H100", &signals), GpuState::Stalled, None);
    rows.push(owned(
        row,
        GpuOwner { job: Some("4711".into()), user: Some("ada".into()), ..GpuOwner::default() },
    ));

    // Nobody holds any of eight.
    let old = node("gpu-node-2", Some(p4d));
    for i in 0..8 {
        let signals = [(Util, 0.0), (MemUsed, 4.0), (MemTotal, 40_960.0), (Power, 54.0)];
        let mut row = judged(gpu(&old, i, "A100", &signals), GpuState::UnallocatedIdle, Some(84));
        row.verdict = Arc::new(GpuVerdict { idle_since_at_least: true, ..(*row.verdict).clone() });
        row.sample.throttle = Some(Throttle(Throttle::GPU_IDLE));
        row.sample.processes = Some(Arc::from([]));
        rows.push(row);
    }

    // One busy by utilisation alone, with processes.
    let serve = node("serve-a", Some(instance("i-1e1busy")));
    let signals = [(Util, 0.88), (MemUsed, 20_000.0), (MemTotal, 23_034.0), (Power, 61.0)];
    let mut row = advised(gpu(&serve, 0, "L4", &signals), "", Workload::Inference);
    row.sample.processes = Some(Arc::from([GpuProcess {
        pid: 4242,
        user: Some("serving".into()),
        command: "python3 -m serve".into(),
        mem_mib: Some(19_800.0),
        sm: None,
    }]));
    rows.push(owned(row, GpuOwner { user: Some("serving".into()), ..GpuOwner::default() }));

    // Two GPUs of a Spot instance: one fell off the bus, one is not heard of any more.
    let spot = node("gpu-node-3", Some(instance("i-0d4spot")));
    let row = judged(gpu(&spot, 0, "H100", &[(Xid, 79.0)]), GpuState::Unhealthy, None);
    rows.push(advised(row, "Drain the node and have the GPU replaced.", Workload::Unknown));
    let mut row = judged(gpu(&spot, 1, "H100", &[(Util, 0.9)]), GpuState::Stale, None);
    row.sample.taken_at = now() - SignedDuration::from_secs(1_200);
    row.verdict = Arc::new(GpuVerdict { activity: None, ..(*row.verdict).clone() });
    rows.push(row);

    // Slices of a GPU on a host that belongs to no account: no price.
    let lab = node("lab-07", None);
    let mut add = |i, gi, profile, share, state, signals: &[(GpuSignal, f64)]| {
        let mut row = slice(gpu(&lab, i, "H100", signals), gi, profile, share);
        row.team = Some("lab".into());
        let hours = (state == GpuState::HeldIdle).then_some(2);
        rows.push(judged(row, state, hours));
    };
    add(0, 2, "3g.40gb", 3.0 / 7.0, GpuState::HeldIdle, &[(SmActive, 0.01)]);
    add(0, 7, "1g.10gb", 1.0 / 7.0, GpuState::Unknown, &[]);
    add(0, 9, "1g.10gb", 1.0 / 7.0, GpuState::Busy, &[(SmActive, 0.7)]);

    let blind = vec![
        Blind {
            instance: instance("i-0c3unkn").clone(),
            missing: 8,
            devices: 8,
            usd_per_hour: Some(16.288),
            cause: BlindCause::Fixture(
                "start dcgm-exporter on the node, or add it to [gpus.exporters]",
            ),
        },
        Blind {
            instance: instance("i-0d4spot").clone(),
            missing: 6,
            devices: 8,
            usd_per_hour: Some(20.79 * 0.75),
            cause: BlindCause::Fixture(
                "start dcgm-exporter on the node, or add it to [gpus.exporters]",
            ),
        },
        Blind {
            instance: instance("i-0f6lic").clone(),
            missing: 1,
            devices: 1,
            usd_per_hour: None,
            cause: BlindCause::Fixture(
                "the agent sends no GPU metric: add nvidia_gpu to its configuration",
            ),
        },
    ];
    picture(rows, blind)
}

/// A fleet of these rows, in the order of a picture: costliest waste, worst state, costliest, id.
pub(crate) fn picture(mut rows: Vec<GpuRow>, blind: Vec<Blind>) -> GpuFleet {
    let usd = |v: Option<f64>| v.unwrap_or(0.0);
    rows.sort_by(|a, b| {
        usd(b.waste_usd_per_hour)
            .total_cmp(&usd(a.waste_usd_per_hour))
            .then(a.verdict.state.cmp(&b.verdict.state))
            .then(usd(b.usd_per_hour).total_cmp(&usd(a.usd_per_hour)))
            .then_with(|| a.id.cmp(&b.id))
    });
    let totals = GpuTotals::of(rows.iter());
    let rows = rows.into_iter().map(Arc::new).collect();
    GpuFleet { version: 1, as_of: Some(now()), rows, blind, totals }
}

/// The index of GPU `i` of the host `node`.
pub(crate) fn at(fleet: &GpuFleet, node: &str, i: u16) -> u32 {
    let is = |r: &Arc<GpuRow>| &*r.node.name == node && r.sample.identity.index == Some(i);
    fleet.rows.iter().position(is).unwrap() as u32
}

/// A day of one GPU by the quarter hour, busy for 18 hours and idle since, with an hour's gap.
pub(crate) fn history() -> GpuHistory {
    let values = |busy: f32, idle: f32| {
        (0..96)
            .map(|i| match i {
                20..24 => f32::NAN,
                _ if i < 72 => busy,
                _ => idle,
            })
            .collect()
    };
    GpuHistory {
        from: Some(ago(24)),
        step_s: 900,
        traces: vec![
            GpuTrace { signal: Some(GpuSignal::SmActive), values: values(0.82, 0.0) },
            GpuTrace { signal: Some(GpuSignal::Power), values: values(640.0, 70.0) },
        ],
    }
}

/// `nodes` hosts of `per_node` GPUs each in `teams` teams, in every state, priced from cents to
/// dollars: for maps and sums at scale. The same numbers give the same fleet.
pub(crate) fn many(nodes: u32, per_node: u16, teams: u32) -> GpuFleet {
    let mut rows = Vec::new();
    let teams: Vec<Arc<str>> = (0..teams).map(|t| format!("team-{t:02}").into()).collect();
    for n in 0..nodes {
        let host = node(&format!("node-{n:05}"), None);
        let team = teams.get(n as usize % (teams.len() + 1)).cloned();
        for i in 0..per_node {
            let at = (n.wrapping_mul(7) + u32::from(i).wrapping_mul(3)) as usize;
            let state = GpuState::ALL[at % 8];
            let mut row =
                gpu(&host, i, "H100", &[(GpuSignal::SmActive, (at % 101) as f64 / 100.0)]);
            row.team = team.clone();
            row.usd_per_hour = (!at.is_multiple_of(11)).then_some(0.125 * (1 + at % 64) as f64);
            rows.push(judged(row, state, state.is_idle().then_some(1 + (at % 50) as i64)));
        }
    }
    picture(rows, Vec::new())
}
