//! GPU telemetry: consistent with the hourly telemetry, physical, deterministic, and what is planted
//! is there.

use std::collections::{HashMap, HashSet};

use jiff::SignedDuration;

use super::*;
use crate::domain::{
    GpuKey, GpuSample, GpuSignal, GpuSignals, Hour, HourTable, InstanceState, RecentWindow, Rung,
    SourceId, Sweep,
};
use crate::source::demo::{DEFAULT_SEED, Lever, accounts, gpu_cases, gpu_sources, traps};
use crate::source::{Ask, GpuSource};

fn at(now: i64) -> Timestamp {
    Timestamp::from_second(now).unwrap()
}

pub(super) fn sources(size: Option<usize>, now: i64) -> Vec<Arc<dyn GpuSource>> {
    let now = at(now);
    gpu_sources(&DemoOptions::new(DEFAULT_SEED, size, Arc::new(move || now)))
}

pub(super) async fn sweep(source: &Arc<dyn GpuSource>, now: i64) -> Sweep {
    source.sweep(&Ask::all(at(now), Arc::default())).await.unwrap()
}

/// The samples of each instance, by whatever name the source knows its host.
pub(super) fn by_instance<'a>(
    sweep: &'a Sweep,
    all: &[Seen],
) -> HashMap<Arc<str>, Vec<&'a GpuSample>> {
    let mut names: HashMap<String, Arc<str>> = HashMap::new();
    for seen in all {
        let i = &seen.instance;
        names.insert(i.id.to_string(), i.id.clone());
        names.insert(i.private_dns.to_string(), i.id.clone());
        names.insert(i.private_ip.as_ref().unwrap().to_string(), i.id.clone());
    }
    let mut out: HashMap<Arc<str>, Vec<&GpuSample>> = HashMap::new();
    for sample in &sweep.samples {
        let host = &sample.identity.host;
        let name = host.instance_id.as_deref().unwrap_or_else(|| host.shown());
        out.entry(names[name].clone()).or_default().push(sample);
    }
    out
}

fn key(sample: &GpuSample) -> GpuKey {
    sample.identity.key_on(sample.identity.host.shown())
}

#[tokio::test]
async fn who_is_told_of_and_who_is_not() {
    let all = read(&demo(DEFAULT_SEED, None, NOW)).await;
    let first = sweep(&sources(None, NOW)[0], NOW).await;
    assert_eq!((first.source, first.partial), (SourceId::Prometheus, false));
    let told = by_instance(&first, &all);
    let keys: HashSet<GpuKey> = first.samples.iter().map(key).collect();
    assert_eq!(keys.len(), first.samples.len(), "two GPUs share a key");
    for name in ["notebook-17", "trn-finetune", "render-amd", "agent-died-day-1", "agent-patchy"] {
        assert!(!told.contains_key(&named(&all, name).instance.id), "{name}");
    }
    let mut rungs = HashSet::new();
    let (mut split, mut neuron, mut missing) = (0, 0, 0);
    for seen in &all {
        let i = &seen.instance;
        let Some(samples) = told.get(&i.id) else {
            missing += u32::from(spec(seen).devices() > 0 && i.state == InstanceState::Running);
            continue;
        };
        assert_eq!(i.state, InstanceState::Running, "{}", i.name);
        let indices: HashSet<u16> = samples.iter().filter_map(|s| s.identity.index).collect();
        assert_eq!(indices.len() as u32, spec(seen).devices(), "{}", i.name);
        split += u32::from(samples[0].identity.mig.is_some());
        for sample in samples {
            let has = |signal| sample.signals.get(signal).is_some();
            neuron += u32::from(has(GpuSignal::NeuronCore));
            rungs.insert(if has(GpuSignal::SmActive) {
                Rung::A
            } else if has(GpuSignal::GrEngine) {
                Rung::B
            } else if has(GpuSignal::Util) {
                Rung::C
            } else if has(GpuSignal::Power) {
                Rung::D
            } else {
                Rung::E
            });
        }
    }
    assert!(split > 0 && neuron > 0, "{split} partitioned boxes, {neuron} Neuron devices");
    assert!((6..40).contains(&missing), "{missing} boxes without telemetry");
    assert!([Rung::A, Rung::B, Rung::C].iter().all(|r| rungs.contains(r)), "{rungs:?}");
    let owned = |f: fn(&GpuSample) -> bool| first.samples.iter().any(f);
    assert!(owned(|s| s.owner.pod.is_some()) && owned(|s| s.owner.job.is_some()));
    assert!(owned(|s| s.names_owners && s.owner.is_nobody()));
    assert!(owned(|s| s.processes.as_ref().is_some_and(|p| !p.is_empty())));
    assert!(owned(|s| s.throttle.is_some_and(crate::domain::Throttle::is_idle)));
}

#[tokio::test]
async fn closed_hours_are_those_of_cloudwatch() {
    let all = read(&demo(DEFAULT_SEED, None, NOW)).await;
    let source = &sources(None, NOW)[0];
    for back in [1, 30, 100] {
        let hour = Hour::containing(at(NOW)).plus(-back);
        let hours = source.hour(hour).await.unwrap().unwrap();
        let as_samples = Sweep {
            samples: hours
                .iter()
                .map(|h| GpuSample::new(h.identity.clone(), hour.start(), GpuSignals::default()))
                .collect(),
            ..sweep(source, NOW).await
        };
        let told = by_instance(&as_samples, &all);
        let mut compared = 0;
        for seen in &all {
            let Some(samples) = told.get(&seen.instance.id) else { continue };
            for index in 0..spec(seen).devices() as u16 {
                let range = HourRange { from: hour, to: hour.plus(1) };
                let mean = points(seen, Signal::GpuMean(index), range).await;
                let max = points(seen, Signal::GpuMax(index), range).await;
                let of_gpu = samples.iter().filter(|s| s.identity.index == Some(index));
                let got: Vec<_> = of_gpu
                    .map(|s| hours.iter().find(|h| h.identity == s.identity).unwrap())
                    .collect();
                let highest = |f: fn(&crate::domain::GpuHour) -> f32| {
                    got.iter().map(|h| f(h)).fold(f32::NAN, f32::max)
                };
                assert_eq!(Some(highest(|h| h.mean)), Some((mean[0].1 / 100.0) as f32));
                assert_eq!(Some(highest(|h| h.max)), Some((max[0].1 / 100.0) as f32));
                compared += 1;
            }
        }
        assert!(compared > 600, "{compared} GPUs");
    }
    let open = source.hour(Hour::containing(at(NOW))).await.unwrap().unwrap();
    assert!(open.is_empty(), "the hour that runs is not closed");
}

#[tokio::test]
async fn live_values_move_within_their_hour_and_are_physical() {
    use GpuSignal::{Dram, GrEngine, MemTotal, MemUsed, Power, PowerLimit, SmActive, Tensor, Util};
    let (source, later) = (&sources(None, NOW)[0], NOW + 15);
    let (a, b) = (sweep(source, NOW).await, sweep(source, later).await);
    assert_eq!(a, sweep(&sources(None, NOW)[0], NOW).await, "one clock, one answer");
    assert_eq!(a.samples.len(), b.samples.len());
    let moved = a.samples.iter().zip(&b.samples).filter(|(x, y)| x.signals != y.signals).count();
    assert!(moved * 2 > a.samples.len(), "{moved} of {} moved", a.samples.len());
    // Seen an hour later, the hour is closed.
    let hour = Hour::containing(at(NOW));
    let hours = sources(None, NOW + 3_600)[0].hour(hour).await.unwrap().unwrap();
    let hours: HashMap<_, _> = hours.iter().map(|h| (h.identity.clone(), h.max)).collect();
    let mut compared = 0;
    for sample in &a.samples {
        let get = |signal| sample.signals.get(signal);
        if let (Some(used), Some(total)) = (get(MemUsed), get(MemTotal)) {
            assert!(used <= total);
        }
        if let (Some(power), Some(limit)) = (get(Power), get(PowerLimit)) {
            assert!(power <= limit && power > 5.0, "{sample:?}");
        }
        let RecentWindow { samples, max_activity, .. } = match &sample.recent {
            Some(recent) => *recent,
            None => continue,
        };
        assert!(samples == 15 && (0.0..=1.0).contains(&max_activity));
        let Some(max) = hours.get(&sample.identity) else { continue };
        let best = [SmActive, GrEngine, Tensor, Dram].map(|s| get(s).unwrap_or(0.0));
        let best = best.into_iter().fold(0.0, f32::max);
        if *max > 0.05 && get(Util).is_some_and(|u| u < 0.995) {
            assert!(best <= max + 0.01, "{best} passes {max}: {sample:?}");
            compared += 1;
        }
    }
    assert!(compared > 300, "{compared}");
}

#[tokio::test]
async fn what_is_planted_in_gpus_is_there_at_any_hour() {
    use GpuSignal::{Dram, Enc, MemUsed, Power, PowerLimit, SmActive, Tensor, Util, Xid};
    for now in (0..12).map(|n| NOW + n * 41 * 3_600) {
        let all = read(&demo(DEFAULT_SEED, Some(traps().len()), now)).await;
        let sources = sources(Some(traps().len()), now);
        let (first, second) = (sweep(&sources[0], now).await, sweep(&sources[1], now).await);
        let (told, also) = (by_instance(&first, &all), by_instance(&second, &all));
        let of = |name: &str| told[&named(&all, name).instance.id].clone();
        let get = |s: &GpuSample, signal| s.signals.get(signal).unwrap();

        let phantom = of("reserved-idle")[0];
        assert_eq!(phantom.signals.get(Util), Some(1.0));
        assert!((64.0..68.0).contains(&get(phantom, Power)));
        assert_eq!(phantom.signals.get(PowerLimit), Some(350.0));
        assert_eq!(of("reserved-idle")[1].signals.get(Util), Some(0.0));
        let encoder = of("tiny-batches")[3];
        assert_eq!((get(encoder, Util), get(encoder, Enc)), (0.09, 0.65));
        for held in of("h200-waiting") {
            assert_eq!((get(held, MemUsed), get(held, SmActive).max(0.0)), (71_680.0, 0.0));
            assert!(held.names_owners && !held.owner.is_nobody());
        }
        for free in of("train-7b-old") {
            assert!(get(free, MemUsed) < 500.0 && free.names_owners && free.owner.is_nobody());
        }
        for hung in of("block-reserved") {
            let share = get(hung, Power) / get(hung, PowerLimit);
            assert!(share < 0.3, "{share}");
            let (util, tensor) = (hung.signals.get(Util), hung.signals.get(Tensor));
            assert_eq!((util, tensor), (Some(1.0), Some(0.0)));
        }
        let at_work: Vec<_> = of("eval-sweep").into_iter().filter(|s| get(s, Util) > 0.5).collect();
        assert_eq!(at_work.len(), 3);
        assert!(at_work.iter().all(|s| (0.15..0.25).contains(&get(s, SmActive))));
        let decoding = of("marked-busy")[0];
        assert!(get(decoding, Dram) > 0.68 && get(decoding, Tensor) < 0.05);
        assert_eq!(of("baseline-protected")[3].signals.get(Xid), Some(79.0));
        assert_eq!(of("pretrain-70b")[2].signals.get(Xid), Some(31.0));
        assert!(get(of("pretrain-70b")[2], SmActive) > 0.8);
        for silent in of("agent-hung") {
            assert_eq!(at(now).duration_since(silent.taken_at), SignedDuration::from_mins(30));
        }
        for poor in of("broken-exporter") {
            assert!(poor.signals.get(Util).is_none_or(|util| util < 0.01));
            assert_eq!((poor.signals.get(Power), poor.throttle), (None, None));
        }
        assert!(of("resumed-run").iter().all(|s| s.signals.iter().any(|(_, v)| v > 0.5)));
        let theirs = &also[&named(&all, "pretrain-70b").instance.id];
        for (here, there) in of("pretrain-70b").into_iter().zip(theirs) {
            assert_eq!(key(here), key(there));
            let apart = (get(here, Util) - get(there, Util)).abs();
            assert_eq!(apart > 0.5, here.identity.index == Some(6), "{apart}");
        }
        // About everything else the two agree.
        assert_eq!(second.samples.len(), 8 + 1 + 1);
        let agreeing = &also[&named(&all, "last-target").instance.id][0];
        assert_eq!(of("last-target")[0].signals, agreeing.signals);
        // No closed hour of what woke up, or of what sends nonsense, says anything new.
        let closed = sources[0].hour(Hour::containing(at(now)).plus(-1)).await.unwrap().unwrap();
        let woken = &of("resumed-run")[0].identity;
        assert!(closed.iter().find(|h| h.identity == *woken).unwrap().max <= 0.01);
        let garbled = &of("broken-exporter")[0].identity;
        assert!(closed.iter().all(|h| h.identity != *garbled));
    }
}

#[tokio::test]
async fn slices_of_a_split_gpu_have_states_of_their_own() {
    let first = sweep(&sources(None, NOW)[0], NOW).await;
    let mut of_gpu: HashMap<Arc<str>, Vec<&GpuSample>> = HashMap::new();
    for sample in first.samples.iter().filter(|s| s.identity.mig.is_some()) {
        of_gpu.entry(sample.identity.uuid.clone().unwrap()).or_default().push(sample);
    }
    let mut busy = 0;
    for slices in of_gpu.values() {
        let compute: u32 =
            slices.iter().map(|s| s.identity.mig.as_ref().unwrap().slices().unwrap()).sum();
        assert_eq!((slices.len(), compute), (3, 7), "3g + 2g + 2g");
        assert!(slices.iter().all(|s| s.signals.get(GpuSignal::Util).is_none()), "N/A under MIG");
        let works = |s: &&&GpuSample| s.signals.get(GpuSignal::SmActive).is_some_and(|v| v > 0.5);
        let working = slices.iter().filter(works).count();
        assert!(working <= 1);
        busy += working;
    }
    assert!(busy > 0, "{} GPUs are split and none works", of_gpu.len());
}

#[tokio::test]
async fn focus_narrows_and_what_stops_vanishes() {
    let now = at(NOW);
    let options = DemoOptions::new(DEFAULT_SEED, Some(traps().len()), Arc::new(move || now));
    let source = gpu_sources(&options).remove(0);
    let account = &accounts(&options)[0];
    let page = account.provider.instances(&account.id, &"us-east-1".into(), None).await.unwrap();
    let target = page.items.iter().find(|i| &*i.name == "train-7b-old").unwrap();
    let ask = Ask { focus: Arc::from([target.id.clone()]), ..Ask::all(now, Arc::default()) };
    let close = source.sweep(&ask).await.unwrap();
    assert_eq!((close.samples.len(), close.partial), (8, true));
    account.controls.pull(&target.scope, &Lever::Stop, std::slice::from_ref(&target.id)).unwrap();
    assert!(source.sweep(&ask).await.unwrap().samples.is_empty());
}

#[tokio::test]
async fn the_past_of_a_gpu_leads_to_its_present() {
    let source = &sources(None, NOW)[0];
    let first = sweep(source, NOW).await;
    for sample in first.samples.iter().step_by(97) {
        if sample.taken_at != at(NOW) {
            continue;
        }
        let from = at(NOW - 86_400);
        let past = source.history(&key(sample), from, at(NOW), 288).await.unwrap().unwrap();
        assert_eq!((past.from, past.step_s), (Some(from), 300));
        for trace in &past.traces {
            assert_eq!(trace.values.len(), 288);
            let signal = trace.signal.unwrap();
            assert!(
                trace.values.iter().all(|v| v.is_nan() || signal.observe(f64::from(*v)).is_some())
            );
        }
        let told = past.traces.iter().filter_map(|t| t.signal);
        assert!(sample.signals.iter().all(|(s, _)| told.clone().any(|t| t == s)), "{sample:?}");
    }
    let nobody = GpuKey { device: "GPU-0".into(), gpu_instance: None };
    let none = source.history(&nobody, at(NOW - 60), at(NOW), 10).await.unwrap().unwrap();
    assert!(none.traces.is_empty());
}

#[tokio::test]
async fn an_estate_has_thousands() {
    let first = sweep(&sources(Some(10_000), NOW)[0], NOW).await;
    assert!(first.samples.len() > 7_000, "{}", first.samples.len());
    let keys: HashSet<GpuKey> = first.samples.iter().map(key).collect();
    assert_eq!(keys.len(), first.samples.len());
}

/// A quarter of an hour and more of watching, a look a minute.
#[tokio::test]
async fn planted_gpus_get_their_state() {
    use crate::analyze::gpu::{GpuRules, Watch, WatchInput};
    let all = read(&demo(DEFAULT_SEED, None, NOW)).await;
    let sources = sources(None, NOW);
    let intervals = sources.iter().map(|s| ((s.source(), s.origin().clone()), s.every())).collect();
    let (rules, fleet, hours) =
        (GpuRules::default(), crate::fleet::Fleet::default(), HourTable::default());
    let mut watch = Watch::default();
    let mut picture = crate::fleet::GpuFleet::default();
    let mut first = None;
    for minute in 0..20 {
        let now = NOW + minute * 60;
        let ask = Ask { with_recent: minute == 0, ..Ask::all(at(now), Arc::default()) };
        let mut sweeps = Vec::new();
        for source in &sources {
            sweeps.push(Arc::new(source.sweep(&ask).await.unwrap()));
        }
        picture = watch.picture(WatchInput {
            version: minute as u64,
            now: at(now),
            sweeps: &sweeps,
            intervals: &intervals,
            fleet: &fleet,
            rules: &rules,
            hours: &hours,
            starts: None,
        });
        first = first.or_else(|| Some(sweeps[0].clone()));
    }
    let states: HashMap<GpuKey, _> =
        picture.rows.iter().map(|r| (r.key.clone(), (r.verdict.clone(), r.clone()))).collect();
    let first = first.unwrap();
    let told = by_instance(&first, &all);
    for case in gpu_cases() {
        let Some(name) = case.on else { continue };
        let samples = &told[&named(&all, name).instance.id];
        let of_case = samples.iter().filter(|s| {
            let index = s.identity.index.unwrap();
            let at_work = s.signals.get(GpuSignal::Util).is_some_and(|u| u > 0.5);
            match case.gpus {
                "all" => true,
                "the 3 at work" => at_work,
                number => number == index.to_string(),
            }
        });
        let mut seen = 0;
        for sample in of_case {
            let (verdict, _) = &states[&key(sample)];
            assert_eq!(verdict.state, case.state, "{name}: {:?}", verdict.reason);
            seen += 1;
        }
        assert!(seen > 0, "{name}");
    }
    let disputed = told[&named(&all, "pretrain-70b").instance.id][6];
    assert!(!states[&key(disputed)].1.disagreement.is_empty());
    // Slices: one at work, the others with one witness; all idle where their GPU is.
    let mut of_slices: HashMap<crate::domain::GpuState, u32> = HashMap::new();
    for row in picture.rows.iter().filter(|r| r.sample.identity.mig.is_some()) {
        *of_slices.entry(row.verdict.state).or_default() += 1;
    }
    for state in [crate::domain::GpuState::Busy, crate::domain::GpuState::Unknown] {
        assert!(of_slices.contains_key(&state), "{of_slices:?}");
    }
    let by_state = picture.totals.by_state.map(|s| s.count);
    assert!(by_state.iter().all(|n| *n > 0), "a state that nobody has: {by_state:?}");
}
