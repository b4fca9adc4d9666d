//! The demo keeps its promises at every hour, size and seed. Here: reading it the way the
//! collector does.

mod acting;
mod api;
mod fleet;
mod gpus;
mod jobs;
mod planted;
mod sizes;
mod verdicts;

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::{DemoOptions, providers};
use crate::domain::{HourRange, Instance, Signal, TypeSpec};
use crate::source::catalogue;
use crate::source::provider::{GpuMetric, MetricKey, MetricQuery, Provider, Statistic};

/// 2026-11-20T14:25:30Z, a Friday.
const NOW: i64 = 1_795_184_730;

fn demo(seed: u64, size: Option<usize>, now: i64) -> Vec<Arc<dyn Provider>> {
    let now = Timestamp::from_second(now).unwrap();
    providers(&DemoOptions::new(seed, size, Arc::new(move || now)))
}

struct Seen {
    provider: Arc<dyn Provider>,
    instance: Instance,
    gpu: Vec<GpuMetric>,
}

/// Everything of a demo, read page by page as the collector would.
async fn read(providers: &[Arc<dyn Provider>]) -> Vec<Seen> {
    let mut all = Vec::new();
    for provider in providers {
        let account = provider.identity().await.unwrap().account;
        for region in provider.regions().await.unwrap() {
            let mut gpu: Vec<GpuMetric> = Vec::new();
            let mut token = None;
            loop {
                let page = provider.gpu_metrics(&region, token).await.unwrap();
                assert!(page.items.len() <= 500);
                token = page.next().map(str::to_owned);
                gpu.extend(page.items);
                if token.is_none() {
                    break;
                }
            }
            let mut of_box: HashMap<Arc<str>, Vec<GpuMetric>> = HashMap::new();
            for metric in gpu {
                let key = metric.instance.clone().or(metric.host.clone()).unwrap();
                of_box.entry(key).or_default().push(metric);
            }
            loop {
                let page = provider.instances(&account, &region, token).await.unwrap();
                assert!(page.items.len() <= 1_000);
                token = page.next().map(str::to_owned);
                for instance in page.items {
                    assert_eq!(
                        (&instance.scope.account, &instance.scope.region),
                        (&account, &region)
                    );
                    let gpu = of_box
                        .remove(&instance.id)
                        .or_else(|| of_box.remove(&instance.private_dns))
                        .unwrap_or_default();
                    all.push(Seen { provider: provider.clone(), instance, gpu });
                }
                if token.is_none() {
                    break;
                }
            }
            assert!(of_box.is_empty(), "GPU series without an instance");
        }
    }
    all
}

fn query(seen: &Seen, signal: Signal) -> Option<MetricQuery> {
    let ec2 = |metric, statistic| Some((MetricKey::Ec2 { metric }, statistic));
    let agent = |index, statistic| {
        let metric = seen.gpu.iter().find(|m| m.index == index)?;
        Some((MetricKey::AgentGpu { dimensions: metric.dimensions.clone() }, statistic))
    };
    let (key, statistic) = match signal {
        Signal::CpuMean => ec2("CPUUtilization", Statistic::Average),
        Signal::CpuMax => ec2("CPUUtilization", Statistic::Maximum),
        Signal::NetworkIn => ec2("NetworkIn", Statistic::Sum),
        Signal::NetworkOut => ec2("NetworkOut", Statistic::Sum),
        Signal::EbsReadOps => ec2("EBSReadOps", Statistic::Sum),
        Signal::EbsWriteOps => ec2("EBSWriteOps", Statistic::Sum),
        Signal::GpuMean(i) => agent(i, Statistic::Average),
        Signal::GpuMax(i) => agent(i, Statistic::Maximum),
        Signal::Resource(_) => None,
    }?;
    Some(MetricQuery { instance: seen.instance.id.clone(), signal, key, statistic })
}

async fn points(seen: &Seen, signal: Signal, range: HourRange) -> Vec<(Timestamp, f64)> {
    let Some(query) = query(seen, signal) else { return Vec::new() };
    let region = &seen.instance.scope.region;
    let mut results = seen.provider.metric_data(region, &[query], range).await.unwrap();
    assert!(results.len() == 1 && results[0].complete);
    results.remove(0).points
}

fn window(now: i64, hours: u32) -> HourRange {
    HourRange::last_closed(Timestamp::from_second(now).unwrap(), hours)
}

fn named<'a>(all: &'a [Seen], name: &str) -> &'a Seen {
    let mut found = all.iter().filter(|s| &*s.instance.name == name);
    let first = found.next().unwrap_or_else(|| panic!("no instance is called {name}"));
    assert!(found.next().is_none(), "two instances are called {name}");
    first
}

fn spec(seen: &Seen) -> &'static TypeSpec {
    catalogue::type_spec(&seen.instance.instance_type).unwrap()
}

fn all_signals(seen: &Seen) -> Vec<Signal> {
    use Signal::{
        CpuMax, CpuMean, EbsReadOps, EbsWriteOps, GpuMax, GpuMean, NetworkIn, NetworkOut,
    };
    let mut signals = vec![CpuMean, CpuMax, NetworkIn, NetworkOut, EbsReadOps, EbsWriteOps];
    for i in 0..spec(seen).devices() as u16 {
        signals.extend([GpuMean(i), GpuMax(i)]);
    }
    signals
}
