//! Right-sizing on the demo, with the signals that the collector would fetch and one look at the
//! GPUs.

use std::collections::HashMap;

use super::gpus::{by_instance, sources, sweep};
use super::*;
use crate::analyze::idle::{Preset, Subject, judge, next_signals};
use crate::analyze::models::models;
use crate::analyze::rightsize::proposals;
use crate::analyze::savings::{SavingsInput, SavingsRules};
use crate::analyze::spot;
use crate::domain::{
    Activity, GpuKey, GpuReason, GpuState, GpuVerdict, Hour, HourlySeries, Rung, SavingsFacts,
    SeriesSet, TagKeys, Verdict,
};
use crate::fleet::savings::{
    Fits, Measure, ModelBecause, ModelRow, ModelWork, Proposal, SizeNote, SizeVerdict,
};
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

async fn sizes() -> (Vec<Arc<Proposal>>, Vec<Arc<ModelRow>>) {
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
    let input = SavingsInput {
        version: 1,
        now,
        fleet: &fleet,
        gpus: &gpus,
        storage: None,
        facts: &SavingsFacts::default(),
        rules: &SavingsRules::default(),
        tag_keys: &tag_keys,
        before: None,
    };
    let proposals = proposals(&input);
    let (models, _) = models(&input, &proposals, &spot::rows(&input));
    (proposals, models)
}

fn verdict(proposal: &Proposal) -> String {
    match &proposal.verdict {
        SizeVerdict::Smaller { to, .. } => to.to_string(),
        SizeVerdict::Cannot(why) => why.word().to_owned(),
    }
}

#[tokio::test]
async fn the_demo_has_sizes_to_change_and_some_of_which_it_cannot_be_told() {
    let (all, models) = sizes().await;
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
    // The same at C an hour: 12% of the time, where half would do, is 1 − 12 ÷ 50 of it. That it runs batches says its name alone.
    let tiny = |measure: Measure| {
        let is_it =
            |row: &&Arc<ModelRow>| &*row.workload.name == "tiny-batches" && row.measure == measure;
        let row = models.iter().find(is_it).unwrap();
        (row.up_to_usd_per_hour.map(|usd| usd / row.workload.usd_per_hour), row)
    };
    let (share, row) = tiny(Measure::Batching);
    assert!((share.unwrap() - 0.76).abs() < 0.005, "{share:?}");
    assert_eq!((row.workload.work, row.fits), (ModelWork::Batch, Fits::Unknown));
    assert!(matches!(row.workload.because, ModelBecause::Hint(_)));
    let (share, row) = tiny(Measure::CompiledRuntime);
    assert!((share.unwrap() - 5.0 / 6.0).abs() < 1e-9 && row.is_largest, "{share:?}");
    // Its L40S compute in FP8, 1 − 1 ÷ 1.6; what INT8 saves nobody says.
    assert_eq!((tiny(Measure::Fp8).1.fits, tiny(Measure::Int8).0), (Fits::Yes, None));
    assert!((tiny(Measure::Fp8).0.unwrap() - 0.375).abs() < 1e-9);
    // Neither what idles, nor trains, nor is used as it should be.
    for other in ["serve-spare", "pretrain-70b", "eval-sweep", "train-7b-old"] {
        assert!(models.iter().all(|row| &*row.workload.name != other), "{other}");
    }
    let smaller = |p: &&Arc<Proposal>| matches!(p.verdict, SizeVerdict::Smaller { .. });
    let gpus = all.iter().filter(smaller).filter(|p| p.need.gpus.is_some()).count();
    let hosts = all.iter().filter(smaller).filter(|p| p.need.gpus.is_none()).count();
    assert!(gpus >= 1 && hosts >= 3, "{gpus} with GPUs, {hosts} without");
}
