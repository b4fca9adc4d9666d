//! What CloudWatch calls our signals.

use std::sync::Arc;

use crate::domain::{BlockDevice, Instance, Signal};
use crate::source::provider::{GpuDimensions, MetricKey, MetricQuery, Statistic};

/// The query for one signal of one instance; `None` for a GPU signal without discovered
/// dimensions, because a guessed dimension set silently returns an empty series.
///
/// Network and EBS metrics are totals per period, so an hour is their `Sum`; `CPUUtilization` and
/// the agent's GPU utilisation are percentages, so an hour is their `Average` or `Maximum`.
pub fn signal_query(
    instance: &Arc<str>,
    signal: Signal,
    gpu: Option<&GpuDimensions>,
) -> Option<MetricQuery> {
    let (metric, statistic) = match signal {
        Signal::CpuMean => ("CPUUtilization", Statistic::Average),
        Signal::CpuMax => ("CPUUtilization", Statistic::Maximum),
        Signal::NetworkIn => ("NetworkIn", Statistic::Sum),
        Signal::NetworkOut => ("NetworkOut", Statistic::Sum),
        Signal::EbsReadOps => ("EBSReadOps", Statistic::Sum),
        Signal::EbsWriteOps => ("EBSWriteOps", Statistic::Sum),
        Signal::GpuMean(_) | Signal::GpuMax(_) => {
            let statistic = match signal {
                Signal::GpuMax(_) => Statistic::Maximum,
                _ => Statistic::Average,
            };
            let key = MetricKey::AgentGpu { dimensions: gpu?.clone() };
            return Some(MetricQuery { instance: Arc::clone(instance), signal, key, statistic });
        }
        // Asked for by the resource, see `Provider::resource_hours`.
        Signal::Resource(_) => return None,
    };
    let key = MetricKey::Ec2 { metric };
    Some(MetricQuery { instance: Arc::clone(instance), signal, key, statistic })
}

/// Queries for the EBS operations of an instance from its volumes, for types without them in `AWS/EC2`
/// ([`crate::domain::TypeSpec::reports_ebs`]): totals of each volume, to be added up. Empty for any other signal.
pub fn volume_queries(instance: &Instance, signal: Signal) -> Vec<MetricQuery> {
    let metric = match signal {
        Signal::EbsReadOps => "VolumeReadOps",
        Signal::EbsWriteOps => "VolumeWriteOps",
        _ => return Vec::new(),
    };
    let of_volume = |device: &BlockDevice| MetricQuery {
        instance: Arc::clone(&instance.id),
        signal,
        key: MetricKey::Volume { metric, volume: device.volume_id.clone() },
        statistic: Statistic::Sum,
    };
    instance.block_devices.iter().map(of_volume).collect()
}

/// The signal that is another statistic of the same metric, which costs nothing in the same request; `None` without
/// one.
pub fn other_statistic(signal: Signal) -> Option<Signal> {
    match signal {
        Signal::CpuMean => Some(Signal::CpuMax),
        Signal::CpuMax => Some(Signal::CpuMean),
        Signal::GpuMean(gpu) => Some(Signal::GpuMax(gpu)),
        Signal::GpuMax(gpu) => Some(Signal::GpuMean(gpu)),
        Signal::NetworkIn
        | Signal::NetworkOut
        | Signal::EbsReadOps
        | Signal::EbsWriteOps
        | Signal::Resource(_) => None,
    }
}

/// Number of metrics billed for these signals of one instance in one request.
pub fn billed_signals(signals: &[Signal]) -> u64 {
    let repeats = |i: usize| signals[..i].iter().any(|s| other_statistic(*s) == Some(signals[i]));
    (0..signals.len()).filter(|i| !repeats(*i)).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signal_has_cloudwatchs_name_and_statistic() {
        let id: Arc<str> = "i-1".into();
        for (signal, metric, statistic) in [
            (Signal::CpuMean, "CPUUtilization", Statistic::Average),
            (Signal::CpuMax, "CPUUtilization", Statistic::Maximum),
            (Signal::NetworkIn, "NetworkIn", Statistic::Sum),
            (Signal::NetworkOut, "NetworkOut", Statistic::Sum),
            (Signal::EbsReadOps, "EBSReadOps", Statistic::Sum),
            (Signal::EbsWriteOps, "EBSWriteOps", Statistic::Sum),
        ] {
            let query = signal_query(&id, signal, None).unwrap();
            assert_eq!(query.key, MetricKey::Ec2 { metric });
            assert_eq!((query.signal, query.statistic), (signal, statistic));
        }
    }

    #[test]
    fn statistics_of_one_metric_find_each_other_and_are_one_metric() {
        let id: Arc<str> = "i-1".into();
        let dims = GpuDimensions(vec![("InstanceId".into(), "i-1".into())]);
        let key = |signal| signal_query(&id, signal, Some(&dims)).unwrap().key;
        let all = [
            Signal::CpuMean,
            Signal::CpuMax,
            Signal::NetworkIn,
            Signal::NetworkOut,
            Signal::EbsReadOps,
            Signal::EbsWriteOps,
            Signal::GpuMean(7),
            Signal::GpuMax(7),
        ];
        for signal in all {
            let same: Vec<_> =
                all.into_iter().filter(|s| *s != signal && key(*s) == key(signal)).collect();
            assert_eq!(other_statistic(signal).into_iter().collect::<Vec<_>>(), same, "{signal:?}");
        }
        assert_eq!(billed_signals(&all), 6);
        assert_eq!(billed_signals(&[Signal::GpuMax(0), Signal::GpuMax(1), Signal::GpuMean(1)]), 2);
        assert_eq!(billed_signals(&[]), 0);
    }

    #[test]
    fn gpu_signals_use_the_discovered_dimensions_or_nothing() {
        let id: Arc<str> = "i-1".into();
        let dims = GpuDimensions(vec![("InstanceId".into(), "i-1".into())]);
        assert_eq!(signal_query(&id, Signal::GpuMax(3), None), None);
        let query = signal_query(&id, Signal::GpuMax(3), Some(&dims)).unwrap();
        assert_eq!(query.statistic, Statistic::Maximum);
        assert_eq!(query.key, MetricKey::AgentGpu { dimensions: dims.clone() });
        let mean = signal_query(&id, Signal::GpuMean(3), Some(&dims)).unwrap();
        assert_eq!(mean.statistic, Statistic::Average);
    }
}
