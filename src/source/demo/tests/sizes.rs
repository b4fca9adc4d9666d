//! Right-sizing on the demo, with the signals that the collector would fetch and one look at the
//! GPUs.

use std::collections::HashMap;

use super::gpus::{by_instance, sources, sweep};
use super::*;
use crate::analyze::idle::{Preset, Subject, judge, next_signals};
use crate::analyze::rightsize::proposals;
use crate::analyze::savings::{SavingsInput, SavingsRules};
use crate::domain::{
    Activity, GpuKey, GpuReason, GpuState, GpuVerdict, Hour, HourlySeries, Rung, SavingsFacts,
    SeriesSet, TagKeys, Verdict,
};
use crate::fleet::savings::{Proposal, SizeNote, SizeVerdict};
use crate::fleet::{Book, GpuFleet, GpuNode, GpuRow, JoinInput, PriceBook, join};
use crate::source::demo::DEFAULT_SEED;
use crate::source::provider::PriceWanted;

/// The verdict by the signals that can change it, as the collector asks for them.
async fn cascaded(seen: &Seen, now: i64) -> Verdict {
    let policy = Preset::Cautious.policy();
    let range = window(now, policy.window_hours());
    let now = Timestamp::from_second(now).unwrap();
    let mut set = SeriesSet::default();
    loop {
        let subject = Subject {
            instance: &seen.instance,
            spec: Some(spec(seen)),
            series: &set,
            now,
            before: None,
        };
        let wanted = next_signals(&subject, &policy);
        if wanted.is_empty() {
            return judge(&subject, &policy);
        }
        for signal in wanted {
            let mut series = HourlySeries::empty(range);
            for (at, value) in points(seen, signal, range).await {
                series.set(Hour::containing(at), signal.observe(value));
            }
            set.insert(signal, series);
        }
    }
}

async fn sizes() -> Vec<Arc<Proposal>> {
    let now = Timestamp::from_second(NOW).unwrap();
    let providers = demo(DEFAULT_SEED, None, NOW);
    let all = read(&providers).await;
    let mut verdicts = HashMap::new();
    for seen in all.iter().filter(|s| s.instance.state.is_billed()) {
        verdicts.insert(seen.instance.id.clone(), Arc::new(cascaded(seen, NOW).await));
    }
    let instances: Vec<Arc<Instance>> = all.iter().map(|s| Arc::new(s.instance.clone())).collect();
    let mut prices = PriceBook::default();
    for seen in &all {
        let wanted = PriceWanted {
            region: seen.instance.scope.region.clone(),
            instance_type: seen.instance.instance_type.clone(),
            platform: seen.instance.platform,
            tenancy: seen.instance.tenancy,
        };
        prices.extend(&seen.provider.list_prices(&[wanted]).await.unwrap());
    }
    let types = catalogue::type_specs().iter().map(|s| (s.name.clone(), Arc::new(s.clone())));
    let book = Arc::new(Book { prices, types: types.collect(), ..Book::default() });
    let tag_keys = TagKeys::default();
    let fleet = join(JoinInput {
        version: 1,
        now,
        instances: &instances,
        book: &book,
        verdicts: &verdicts,
        tag_keys: &tag_keys,
        readings: vec![],
    });
    let sweep = sweep(&sources(None, NOW)[0], NOW).await;
    let told = by_instance(&sweep, &all);
    let mut gpus = GpuFleet::default();
    for row in &fleet.rows {
        let node = Arc::new(GpuNode { name: row.instance.id.clone(), instance: Some(row.clone()) });
        for sample in told.get(&row.instance.id).into_iter().flatten() {
            let key = GpuKey { device: row.instance.id.clone(), gpu_instance: None };
            let effective = sample.signals.busiest().unwrap_or(0.0);
            gpus.rows.push(Arc::new(GpuRow {
                id: key.device.clone(),
                key,
                node: node.clone(),
                model: "".into(),
                sample: (*sample).clone(),
                verdict: Arc::new(GpuVerdict {
                    state: GpuState::Busy,
                    activity: Some(Activity {
                        effective,
                        busiest: effective,
                        rung: Rung::A,
                        tensor_bound: None,
                    }),
                    rung: Rung::A,
                    idle_since: None,
                    idle_since_at_least: false,
                    samples: 1,
                    witnesses: vec![],
                    reason: GpuReason::Nothing,
                    advice: None,
                    workload: Default::default(),
                }),
                team: None,
                equivalents: 1.0,
                usd_per_hour: None,
                waste_usd_per_hour: None,
                wasted_usd: None,
                told: vec![],
                disagreement: "".into(),
                trail: crate::fleet::gpu::Trail::default(),
            }));
        }
    }
    proposals(&SavingsInput {
        version: 1,
        now,
        fleet: &fleet,
        gpus: &gpus,
        storage: None,
        facts: &SavingsFacts::default(),
        rules: &SavingsRules::default(),
        tag_keys: &tag_keys,
        before: None,
    })
}

fn verdict(proposal: &Proposal) -> String {
    match &proposal.verdict {
        SizeVerdict::Smaller { to, .. } => to.to_string(),
        SizeVerdict::Cannot(why) => why.word().to_owned(),
    }
}

#[tokio::test]
async fn the_demo_has_sizes_to_change_and_some_of_which_it_cannot_be_told() {
    let all = sizes().await;
    let named = |name: &str| all.iter().find(|p| &*p.name == name).unwrap();
    let says = |name: &str| named(name).says.iter().map(|note| &**note);
    // One busy core of 96, and 384 GiB that nobody measured.
    assert_eq!(verdict(named("etl-one-core")), "r7i.12xlarge");
    // Three of eight H100: what has fewer of them has one.
    assert_eq!(verdict(named("eval-sweep")), "nothing_smaller");
    let apart = says("eval-sweep").find_map(|note| match note {
        SizeNote::Apart { gpus, to, usd_per_hour, .. } => Some((*gpus, &**to, usd_per_hour.0)),
        _ => None,
    });
    let (gpus, to, usd) = apart.unwrap();
    assert_eq!((gpus, to), (3, "p5.4xlarge"));
    assert!((usd - 20.64).abs() < 0.005, "{usd}");
    // A server that holds its memory and does a tenth of what it could.
    assert_eq!(verdict(named("tiny-batches")), "pre_allocated");
    assert!(says("tiny-batches").any(|note| matches!(note, SizeNote::AskRuntime(_))));
    let smaller = |p: &&Arc<Proposal>| matches!(p.verdict, SizeVerdict::Smaller { .. });
    let gpus = all.iter().filter(smaller).filter(|p| p.need.gpus.is_some()).count();
    let hosts = all.iter().filter(smaller).filter(|p| p.need.gpus.is_none()).count();
    assert!(gpus >= 1 && hosts >= 3, "{gpus} with GPUs, {hosts} without");
}
