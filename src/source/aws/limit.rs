//! The rate limiter: how fast burntop may ask. AWS gives each account one token bucket per region
//! and API, shared with everything else that runs there (autoscalers, deployments, dashboards),
//! so burntop stays at half of the published rates or less and never becomes the reason why
//! somebody else is throttled.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Instant;

use jiff::Timestamp;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::domain::HourRange;

/// Operations that AWS throttles together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Api {
    /// EC2 `Describe*`.
    Ec2,
    /// EC2 calls that change something, each operation with its own limit.
    Ec2Actions,
    /// Auto Scaling `Describe*`.
    AutoScaling,
    /// Elastic Load Balancing `Describe*`.
    LoadBalancing,
    /// CloudWatch `GetMetricData`.
    MetricData,
    /// CloudWatch `ListMetrics`.
    MetricList,
    /// Athena: queries and their results.
    Athena,
    /// Price List Query API.
    Pricing,
    /// Savings Plans `Describe*`.
    SavingsPlans,
    /// STS `GetCallerIdentity`.
    Sts,
    /// S3: configuration of buckets.
    S3Config,
    /// S3: lists and objects.
    S3Data,
    /// A service that is called in one place, which sets its pace.
    Own {
        /// Name of the service, which identifies its rate limits.
        service: &'static str,
        /// Calls per second in the long run.
        per_second: u32,
        /// Calls allowed at once after a pause.
        burst: u32,
        /// Calls allowed without an answer yet.
        in_flight: usize,
    },
}

/// How fast one API may be asked in one account and region.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pace {
    /// Calls per second in the long run.
    per_second: f64,
    /// Calls at once after a pause.
    burst: f64,
    /// Calls without an answer yet.
    in_flight: usize,
    /// `GetMetricData` datapoints per second, where the API has such a limit.
    points_per_second: Option<f64>,
}

impl Api {
    /// The published limits: EC2 `Describe*` 100 calls and 20/s (EC2 API throttling guide);
    /// `GetMetricData` 50/s and 180,000 datapoints/s for the newest hours, `ListMetrics` 25/s
    /// (CloudWatch quotas); EC2 actions 50 calls and 5/s (the same guide, "mutating actions");
    /// S3 5,500 lists and reads per second and prefix ("Best practices design patterns"), of which
    /// burntop needs a hundredth; STS 600/s in each account and region (IAM and STS quotas). The
    /// others publish none.
    fn pace(self) -> Pace {
        let (per_second, burst, in_flight, points_per_second) = match self {
            Self::Ec2 => (10.0, 20.0, 5, None),
            Self::Ec2Actions => (2.5, 10.0, 2, None),
            Self::AutoScaling => (5.0, 10.0, 2, None),
            Self::LoadBalancing => (5.0, 10.0, 4, None),
            Self::MetricData => (20.0, 20.0, 5, Some(90_000.0)),
            Self::MetricList => (10.0, 10.0, 2, None),
            Self::Pricing => (10.0, 20.0, 8, None),
            Self::SavingsPlans => (5.0, 10.0, 2, None),
            // DML quotas begin at 20 a second (Athena service quotas).
            Self::Athena => (10.0, 20.0, 4, None),
            Self::Own { per_second, burst, in_flight, .. } => {
                (per_second.into(), burst.into(), in_flight, None)
            }
            // Several ask at the start who we are, and what waits for a slot behind a hanging call
            // waits twice as long.
            Self::Sts => (5.0, 5.0, 8, None),
            Self::S3Config => (20.0, 40.0, 8, None),
            Self::S3Data => (50.0, 50.0, 8, None),
        };
        Pace { per_second, burst, in_flight, points_per_second }
    }
}

/// A token bucket that lends: who takes more than there is waits until the debt is paid, so
/// waiting calls go in the order in which they came.
#[derive(Debug)]
struct TokenBucket {
    per_second: f64,
    burst: f64,
    tokens: f64,
    at: Instant,
}

impl TokenBucket {
    fn new(per_second: f64, burst: f64, now: Instant) -> Self {
        Self { per_second, burst, tokens: burst, at: now }
    }

    /// Takes `n` tokens and returns the seconds to wait before using them.
    fn take(&mut self, n: f64, now: Instant) -> f64 {
        let elapsed = now.saturating_duration_since(self.at).as_secs_f64();
        self.tokens = elapsed.mul_add(self.per_second, self.tokens).min(self.burst);
        self.at = self.at.max(now);
        self.tokens -= n;
        (-self.tokens / self.per_second).max(0.0)
    }
}

/// Weight of a `GetMetricData` request against the limit for the newest hours: one per datapoint when it asks for the
/// last three hours only, less when it starts earlier (CloudWatch quotas: 180,000 datapoints/s if the start is at most
/// three hours ago, else 396,000).
pub fn metric_points(queries: usize, range: HourRange, now: Timestamp) -> u64 {
    let points = (queries * range.len()) as u64;
    let recent = now.as_second() - range.from.start().as_second() <= 3 * 3600;
    if recent { points } else { points * 180 / 396 }
}

#[derive(Debug)]
struct Gate {
    slots: Arc<Semaphore>,
    calls: Mutex<TokenBucket>,
    points: Option<Mutex<TokenBucket>>,
}

impl Gate {
    fn new(api: Api, now: Instant) -> Self {
        let pace = api.pace();
        Self {
            slots: Arc::new(Semaphore::new(pace.in_flight)),
            calls: Mutex::new(TokenBucket::new(pace.per_second, pace.burst, now)),
            // A second's worth at once: the largest call (100,800 points) fits with little wait.
            points: pace.points_per_second.map(|p| Mutex::new(TokenBucket::new(p, p, now))),
        }
    }
}

/// Permission for one call; dropping it frees the slot.
#[derive(Debug)]
pub struct Permit {
    _slot: Option<OwnedSemaphorePermit>,
}

/// Account, region and API that share a token bucket at AWS.
type Scope = (Arc<str>, Arc<str>, Api);

/// Rate limiter: one gate per account, region and API, created on first use.
#[derive(Debug, Default)]
pub struct Limiter {
    gates: Mutex<HashMap<Scope, Arc<Gate>>>,
}

impl Limiter {
    /// Rate limiter of the process: profiles of the same account share its limits.
    pub fn shared() -> &'static Self {
        static SHARED: LazyLock<Limiter> = LazyLock::new(Limiter::default);
        &SHARED
    }

    /// Waits until a call to `api` for `points` datapoints is allowed.
    pub async fn enter(
        &self,
        account: &Arc<str>,
        region: &Arc<str>,
        api: Api,
        points: u64,
    ) -> Permit {
        let gate = {
            let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
            let key = (Arc::clone(account), Arc::clone(region), api);
            Arc::clone(gates.entry(key).or_insert_with(|| Arc::new(Gate::new(api, Instant::now()))))
        };
        // The semaphore is never closed; without a slot the token buckets still hold the pace.
        let slot = Arc::clone(&gate.slots).acquire_owned().await.ok();
        let take = |bucket: &Mutex<TokenBucket>, n: f64| {
            bucket.lock().unwrap_or_else(PoisonError::into_inner).take(n, Instant::now())
        };
        let mut wait = take(&gate.calls, 1.0);
        if let Some(bucket) = &gate.points {
            wait = wait.max(take(bucket, points as f64));
        }
        if wait > 0.0 {
            tokio::time::sleep(std::time::Duration::from_secs_f64(wait)).await;
        }
        Permit { _slot: slot }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::domain::Hour;

    #[test]
    fn a_bucket_lends_its_burst_then_holds_the_rate() {
        let start = Instant::now();
        let mut bucket = TokenBucket::new(10.0, 20.0, start);
        let waits: Vec<f64> = (0..40).map(|_| bucket.take(1.0, start)).collect();
        assert!(waits[..20].iter().all(|w| *w == 0.0));
        assert!((waits[20] - 0.1).abs() < 1e-9 && (waits[39] - 2.0).abs() < 1e-9, "{waits:?}");
        // After the debt is paid and the bucket refilled, a burst is free again, but no more.
        let later = start + Duration::from_mins(1);
        assert_eq!((0..20).filter(|_| bucket.take(1.0, later) == 0.0).count(), 20);
        assert!(bucket.take(1.0, later) > 0.0);
    }

    #[test]
    fn no_second_sees_more_calls_than_burst_and_rate() {
        let start = Instant::now();
        let mut bucket = TokenBucket::new(20.0, 20.0, start);
        let mut times: Vec<f64> = (0..500).map(|_| bucket.take(1.0, start)).collect();
        times.sort_by(f64::total_cmp);
        for window in 0..24 {
            let from = f64::from(window);
            let calls = times.iter().filter(|t| (from..from + 1.0).contains(*t)).count();
            assert!(calls <= 41, "{calls} calls in second {window}");
        }
    }

    #[test]
    fn old_hours_weigh_less_than_the_newest() {
        let now = Hour(1_000).start();
        let range = |from| HourRange { from: Hour(from), to: Hour(1_000) };
        assert_eq!(metric_points(10, range(997), now), 30);
        assert_eq!(metric_points(500, range(832), now), 500 * 168 * 180 / 396);
    }

    #[test]
    fn burntop_takes_at_most_half_of_what_aws_allows() {
        let data = Api::MetricData.pace();
        assert!(data.per_second <= 25.0 && data.points_per_second.unwrap() <= 90_000.0);
        assert!(Api::Ec2Actions.pace().per_second <= 2.5 && Api::Ec2Actions.pace().burst <= 25.0);
        assert!(Api::Ec2.pace().per_second <= 10.0 && Api::MetricList.pace().per_second <= 12.5);
    }

    #[tokio::test]
    async fn slots_bound_the_calls_in_flight_per_scope_and_not_across_scopes() {
        let limiter = Limiter::default();
        let (account, region): (Arc<str>, Arc<str>) = ("1".into(), "us-east-1".into());
        let other: Arc<str> = "eu-west-1".into();
        let mut held = Vec::new();
        for _ in 0..Api::MetricData.pace().in_flight {
            held.push(limiter.enter(&account, &region, Api::MetricData, 1).await);
        }
        let mut sixth = Box::pin(limiter.enter(&account, &region, Api::MetricData, 1));
        tokio::select! {
            biased;
            _ = &mut sixth => panic!("more calls in flight than slots"),
            () = std::future::ready(()) => {}
        }
        // Another region and another API are not held up.
        let _elsewhere = limiter.enter(&account, &other, Api::MetricData, 1).await;
        let _inventory = limiter.enter(&account, &region, Api::Ec2, 0).await;
        drop(held.pop());
        let _sixth = sixth.await;
    }
}
