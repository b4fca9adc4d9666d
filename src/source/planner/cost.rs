//! What the calls cost.

use super::Batch;
use crate::domain::HOURS_PER_MONTH;

/// `GetMetricData` in millionths of a dollar per metric requested: $0.01 per 1,000, no free tier
/// (CloudWatch price list, us-east-1).
pub const MICRO_USD_PER_METRIC: u64 = 10;

/// What a plan costs. Every query of every call counts as one metric requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Metrics requested, the unit of the bill.
    pub metrics: u64,
    /// API calls, the unit of throttling.
    pub calls: u64,
    /// Datapoints as CloudWatch counts them against its limit: queries × hours.
    pub points: u64,
    /// Millionths of a dollar.
    pub micro_usd: u64,
}

/// The cost of a list of calls.
pub fn estimate(batches: &[Batch]) -> Cost {
    batches.iter().fold(Cost::default(), |sum, batch| {
        let metrics = batch.queries.len() as u64;
        Cost {
            metrics: sum.metrics + metrics,
            calls: sum.calls + 1,
            points: sum.points + metrics * batch.range.len() as u64,
            micro_usd: sum.micro_usd + metrics * MICRO_USD_PER_METRIC,
        }
    })
}

/// Metrics that a judgement asks of every instance: mean CPU.
const PER_INSTANCE: f64 = 1.0;

/// Metrics per GPU: mean and maximum.
const PER_GPU: f64 = 2.0;

/// Further metrics of an instance that the first ones leave in doubt: CPU maximum, network in and
/// out, EBS reads and writes.
const PER_QUIET_INSTANCE: f64 = 5.0;

/// A fleet, as far as the number of metrics depends on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FleetShape {
    /// Running instances.
    pub instances: u64,
    /// GPUs that report through the CloudWatch agent, over all instances.
    pub gpus: u64,
    /// Share of instances that CPU and GPUs leave in doubt, 0–1.
    pub quiet_share: f64,
}

/// Dollars per month of 730 h for judging a fleet `judgements_per_day` times with the cascade of
/// the idle engine. An upper bound: a policy may need fewer signals, and the mean of a GPU that
/// did nothing is not asked.
pub fn monthly_cost(shape: FleetShape, judgements_per_day: f64) -> f64 {
    let instances = shape.instances as f64;
    let metrics = instances * PER_INSTANCE
        + shape.gpus as f64 * PER_GPU
        + instances * shape.quiet_share * PER_QUIET_INSTANCE;
    let usd = metrics * MICRO_USD_PER_METRIC as f64 / 1e6;
    usd * judgements_per_day * HOURS_PER_MONTH / 24.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const BIG: FleetShape = FleetShape { instances: 10_000, gpus: 8_000, quiet_share: 0.3 };

    #[test]
    fn ten_thousand_instances_judged_daily_cost_under_thirteen_dollars_a_month() {
        let usd = monthly_cost(BIG, 1.0);
        assert!(usd < 13.0, "{usd}");
        // 10,000 × CPU + 3,000 × 5 + 8,000 × 2 = 41,000 metrics a day at $0.01 per 1,000.
        assert!((usd - 0.41 * 730.0 / 24.0).abs() < 1e-9, "{usd}");
    }

    #[test]
    fn cost_grows_with_frequency_and_falls_with_certainty() {
        assert!((monthly_cost(BIG, 4.0) - 4.0 * monthly_cost(BIG, 1.0)).abs() < 1e-9);
        let busy = FleetShape { quiet_share: 0.0, ..BIG };
        assert!((monthly_cost(busy, 1.0) - 0.26 * 730.0 / 24.0).abs() < 1e-9);
    }
}
