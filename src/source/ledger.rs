//! What burntop itself costs: every billed call is charged to a ledger *before* it is made, per
//! UTC day, shared by all processes, and refused once the day's cap would be passed.
//!
//! Money is counted in whole millionths of a dollar; no float is ever summed. A call that fails
//! stays charged: whether AWS billed it cannot be known, and the cap must hold either way.

use jiff::Timestamp;

use crate::cache::{Cache, LedgerCharge, LedgerTrouble, Reserved};
pub use crate::domain::own_cost::usd_of_micro;
use crate::domain::own_cost::{ApiCost, MICRO, OwnCost, SpendingUnknown};
use crate::domain::{ErrorKind, SourceError, format, text};

/// An API that AWS bills per use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BilledApi {
    /// CloudWatch `GetMetricData`; a unit is a metric requested, up to [`STATISTICS_PER_METRIC`]
    /// statistics of it included.
    GetMetricData,
    /// CloudWatch `ListMetrics`; a unit is a request (a page).
    ListMetrics,
    /// Any Cost Explorer API; a unit is a request (a page).
    CostExplorer,
    /// Lists of S3 (objects, versions, uploads, parts, buckets); a unit is a request (a page).
    S3List,
    /// Reads of S3 (an object, a piece of one, a setting of a bucket); a unit is a request.
    S3Get,
    /// Queries of Athena; a unit is a megabyte that may be scanned.
    Athena,
    /// Queries of Amazon Managed Service for Prometheus; a unit is [`SAMPLES_PER_UNIT`] samples
    /// processed.
    PrometheusQuery,
}

/// Query samples processed in a unit of [`BilledApi::PrometheusQuery`]: what a millionth of a dollar buys.
pub const SAMPLES_PER_UNIT: u64 = 10_000;

/// Statistics of one metric that one `GetMetricData` request bills as one metric: "You can request up to five
/// statistics for the same metric in a single `GetMetricData` API request. Additional statistics are billed as an
/// additional metric." (Amazon CloudWatch pricing, APIs; as quoted in `prometheus/cloudwatch_exporter#482`, read
/// 2026-11-23.)
pub const STATISTICS_PER_METRIC: usize = 5;

impl BilledApi {
    /// All billed APIs, in the order of the own-cost screen.
    pub const ALL: [Self; 7] = [
        Self::GetMetricData,
        Self::ListMetrics,
        Self::CostExplorer,
        Self::S3List,
        Self::S3Get,
        Self::Athena,
        Self::PrometheusQuery,
    ];

    /// Name in the ledger and on screen, as IAM writes it. Never changes, because old ledgers stay readable.
    pub fn name(self) -> &'static str {
        match self {
            Self::GetMetricData => "cloudwatch:GetMetricData",
            Self::ListMetrics => "cloudwatch:ListMetrics",
            Self::CostExplorer => "ce:*",
            Self::S3List => "s3:List*",
            Self::S3Get => "s3:Get*",
            Self::Athena => "athena:StartQueryExecution",
            Self::PrometheusQuery => "aps:QueryMetrics",
        }
    }

    /// The API with this [`BilledApi::name`]; `None` for any other text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|api| api.name() == name)
    }

    /// Noun of the billed unit: `metrics`, `requests`.
    pub fn unit(self) -> &'static str {
        match self {
            Self::GetMetricData => "metrics",
            Self::ListMetrics | Self::CostExplorer | Self::S3List | Self::S3Get => "requests",
            Self::Athena => "megabytes",
            Self::PrometheusQuery => "ten thousands of samples",
        }
    }

    /// Price of a unit in millionths of a dollar, us-east-1. The free tier of `ListMetrics` (a million requests a
    /// month, shared with everything in the account) is ignored.
    pub fn micro_usd_per_unit(self) -> u64 {
        match self {
            // $0.01 per 1,000.
            Self::GetMetricData | Self::ListMetrics => 10,
            // $0.01 each.
            Self::CostExplorer => 10_000,
            // $0.005 per 1,000.
            Self::S3List => 5,
            // $0.0004 per 1,000, which is 0.4: rounded up, for the ledger counts whole ones.
            Self::S3Get => 1,
            // $5 per TB.
            Self::Athena => 5,
            // $0.10 per 10⁹ query samples processed. The free tier (200·10⁹ a month, shared with
            // everything else in the account) is not counted on.
            Self::PrometheusQuery => 1,
        }
    }

    /// Cost of `units` in millionths of a dollar.
    pub fn cost_micro_usd(self, units: u64) -> u64 {
        self.micro_usd_per_unit().saturating_mul(units)
    }
}

/// Millionths from the dollars of the configuration, to the nearest. What is negative or not a
/// number is nothing.
pub fn micro_usd(usd: f64) -> u64 {
    // The cast saturates at both ends and turns NaN into 0.
    (usd * MICRO as f64).round() as u64
}

/// Dollars to the millionth.
fn exact(micro_usd: u64) -> String {
    format::usd_fine(usd_of_micro(micro_usd), 6)
}

/// Why a billed call must not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChargeRefused {
    /// The day's cap would be passed.
    #[error(
        "{} would cost {} and today's own cost is {} of {}; raise \
         `own_cost.cap_usd_per_day` in the configuration or wait for midnight UTC",
        .api.name(), exact(*.charge_micro_usd), exact(*.spent_micro_usd),
        format::usd(usd_of_micro(*.cap_micro_usd))
    )]
    CapReached {
        /// API of the call.
        api: BilledApi,
        /// Cost of the call, millionths of a dollar.
        charge_micro_usd: u64,
        /// Amount spent by all processes on this UTC day, millionths of a dollar.
        spent_micro_usd: u64,
        /// Cap of the day, millionths of a dollar.
        cap_micro_usd: u64,
    },
    /// The amount spent is unknown, which counts as the whole cap.
    #[error("{} was not called: {trouble}", .api.name())]
    Unknown {
        /// API of the call.
        api: BilledApi,
        /// Why the amount is unknown.
        trouble: LedgerTrouble,
    },
    /// The ledger is closed, so nothing can be counted.
    #[error("{} was not called: the own-cost ledger is closed; restart burntop", .api.name())]
    Closed {
        /// API of the call.
        api: BilledApi,
    },
}

impl ChargeRefused {
    /// Advice for the user, one sentence.
    pub fn fix(&self) -> &'static str {
        match self {
            Self::CapReached { .. } => {
                "raise `own_cost.cap_usd_per_day` in the configuration, or wait for midnight UTC"
            }
            Self::Unknown { trouble, .. } => trouble.fix(),
            Self::Closed { .. } => "restart burntop",
        }
    }

    /// The refusal as an error of `call`, named as by IAM or [`BilledApi::name`].
    pub fn error(&self, call: &str) -> SourceError {
        SourceError::new(ErrorKind::OwnCostCap, call, &self.to_string(), self.fix())
    }
}

/// The ledger with this process's cap.
#[derive(Clone, Debug)]
pub struct Ledger {
    cache: Cache,
    cap_micro_usd: u64,
}

impl Ledger {
    /// Ledger beside `cache`; charges of this process are refused when the day's total of all processes would exceed
    /// `cap_micro_usd`.
    pub fn new(cache: Cache, cap_micro_usd: u64) -> Self {
        Self { cache, cap_micro_usd }
    }

    /// Cap of the day, millionths of a dollar.
    pub fn cap_micro_usd(&self) -> u64 {
        self.cap_micro_usd
    }

    /// Charges one call of `units` billed units before it is made. Atomic across processes: two simultaneous charges
    /// cannot exceed the cap together. Err when the cap would be exceeded, the amount spent is unknown, or the ledger
    /// is closed: the call must not be made.
    pub async fn charge(
        &self,
        api: BilledApi,
        units: u64,
        now: Timestamp,
    ) -> Result<(), ChargeRefused> {
        let (charge_micro_usd, cap_micro_usd) = (api.cost_micro_usd(units), self.cap_micro_usd);
        let charge = LedgerCharge {
            at: now,
            api: api.name(),
            units,
            micro_usd: charge_micro_usd,
            cap_micro_usd,
        };
        match self.cache.ledger_reserve(charge).await {
            Some(Reserved::Granted) => Ok(()),
            Some(Reserved::Refused { spent_micro_usd }) => Err(ChargeRefused::CapReached {
                api,
                charge_micro_usd,
                spent_micro_usd,
                cap_micro_usd,
            }),
            Some(Reserved::Unknown(trouble)) => Err(ChargeRefused::Unknown { api, trouble }),
            None => Err(ChargeRefused::Closed { api }),
        }
    }

    /// Books cost of a call beyond its charge, even above the cap: it was spent, and less is left for later calls.
    pub async fn book(&self, api: BilledApi, units: u64, now: Timestamp) {
        let charge = LedgerCharge {
            at: now,
            api: api.name(),
            units,
            micro_usd: api.cost_micro_usd(units),
            cap_micro_usd: u64::MAX,
        };
        self.cache.ledger_reserve(charge).await;
    }

    /// Own cost of the UTC day that contains `now`; `None` when the ledger is closed.
    pub async fn today(&self, now: Timestamp) -> Option<OwnCost> {
        let day = self.cache.ledger_day(now).await?;
        let apis: Vec<ApiCost> = day
            .entries
            .into_iter()
            .map(|e| ApiCost {
                name: e.api,
                calls: e.calls,
                units: e.units,
                micro_usd: e.micro_usd,
            })
            .collect();
        Some(OwnCost {
            day: day.day,
            micro_usd: apis.iter().fold(0, |sum, a| sum.saturating_add(a.micro_usd)),
            cap_micro_usd: self.cap_micro_usd,
            apis,
            shared: day.shared,
            trouble: day.trouble.map(|trouble| SpendingUnknown {
                why: text::clean(&trouble.to_string()).into_owned(),
                fix: trouble.fix(),
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cache::OpenOptions;

    fn now() -> Timestamp {
        "2026-07-15T12:30:00Z".parse().unwrap()
    }

    fn ledger(cap_usd: f64) -> Ledger {
        let (cache, notices) = Cache::open(OpenOptions::in_memory(), now());
        assert_eq!(notices, []);
        Ledger::new(cache, micro_usd(cap_usd))
    }

    #[test]
    fn prices_are_those_of_the_price_pages() {
        // $0.01 per 1,000 metrics, $0.01 per 1,000 requests, $0.01 per request.
        for (api, units, dollars) in [
            (BilledApi::GetMetricData, 1_000, 0.01),
            (BilledApi::GetMetricData, 30_000, 0.30),
            (BilledApi::ListMetrics, 1_000, 0.01),
            (BilledApi::CostExplorer, 1, 0.01),
            (BilledApi::CostExplorer, 3, 0.03),
            // $0.005 per 1,000 lists; 100 million objects are 100,000 pages.
            (BilledApi::S3List, 100_000, 0.50),
            // 10⁹ samples.
            (BilledApi::PrometheusQuery, 1_000_000_000 / SAMPLES_PER_UNIT, 0.10),
        ] {
            assert_eq!(api.cost_micro_usd(units), micro_usd(dollars), "{api:?}");
        }
        assert_eq!(BilledApi::CostExplorer.cost_micro_usd(u64::MAX), u64::MAX, "saturates");
    }

    #[test]
    fn names_lead_back() {
        for api in BilledApi::ALL {
            assert_eq!(BilledApi::from_name(api.name()), Some(api));
        }
        assert_eq!(BilledApi::from_name("s3:ListBucket"), None);
    }

    #[test]
    fn dollars_of_the_configuration_become_millionths() {
        for (dollars, micro) in [
            (1.0, 1_000_000),
            (0.29, 290_000),
            (0.1 + 0.2, 300_000),
            (0.000_001, 1),
            (0.000_000_4, 0),
            (0.0, 0),
            (-5.0, 0),
            (f64::NAN, 0),
            (f64::INFINITY, u64::MAX),
        ] {
            assert_eq!(micro_usd(dollars), micro, "{dollars}");
        }
    }

    proptest! {
        #[test]
        fn whole_millionths_survive_the_way_through_dollars(n in 0..1_000_000_000_000_u64) {
            prop_assert_eq!(micro_usd(usd_of_micro(n)), n);
        }
    }

    #[tokio::test]
    async fn own_cost_is_by_api_and_exact() {
        let ledger = ledger(1.0);
        let today = ledger.today(now()).await.unwrap();
        assert_eq!((today.micro_usd, today.apis.len()), (0, 0));
        for _ in 0..3 {
            ledger.charge(BilledApi::GetMetricData, 500, now()).await.unwrap();
        }
        ledger.charge(BilledApi::CostExplorer, 1, now()).await.unwrap();
        let today = ledger.today(now()).await.unwrap();
        assert_eq!(today.day.to_string(), "2026-07-15");
        assert_eq!(today.micro_usd, 25_000, "1,500 metrics and one request: $0.025");
        assert_eq!(today.remaining_micro_usd(), 975_000);
        let rows: Vec<_> =
            today.apis.iter().map(|a| (&*a.name, a.calls, a.units, a.micro_usd)).collect();
        assert_eq!(rows, [("ce:*", 1, 1, 10_000), ("cloudwatch:GetMetricData", 3, 1_500, 15_000)]);
    }

    #[tokio::test]
    async fn at_the_cap_it_says_so() {
        let ledger = ledger(0.01);
        ledger.charge(BilledApi::GetMetricData, 600, now()).await.unwrap();
        let refused = ledger.charge(BilledApi::GetMetricData, 500, now()).await.unwrap_err();
        assert_eq!(
            refused.to_string(),
            "cloudwatch:GetMetricData would cost $0.005000 and today's own cost is $0.006000 of \
             $0.01; raise `own_cost.cap_usd_per_day` in the configuration or wait for midnight UTC"
        );
        ledger.charge(BilledApi::GetMetricData, 400, now()).await.unwrap();
        assert_eq!(ledger.today(now()).await.unwrap().remaining_micro_usd(), 0);
    }

    #[tokio::test]
    async fn what_cannot_be_counted_is_not_called() {
        let (cache, _) = Cache::open(OpenOptions::in_memory(), now());
        let ledger = Ledger::new(cache.clone(), 1_000_000);
        cache.close().await;
        let refused = ledger.charge(BilledApi::ListMetrics, 1, now()).await.unwrap_err();
        assert_eq!(refused, ChargeRefused::Closed { api: BilledApi::ListMetrics });
        assert_eq!(ledger.today(now()).await, None);
    }

    #[tokio::test]
    async fn what_nobody_knows_counts_as_the_whole_cap_and_says_how_it_is_mended() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("cache.db");
        std::fs::write(dir.path().join("ledger.db"), "not a database").unwrap();
        let (cache, _) = Cache::open(OpenOptions::new(path), now());
        let ledger = Ledger::new(cache.clone(), micro_usd(1.0));
        let today = ledger.today(now()).await.unwrap();
        assert_eq!((today.micro_usd, today.remaining_micro_usd()), (0, 0));
        let refused = ledger.charge(BilledApi::ListMetrics, 1, now()).await.unwrap_err();
        assert!(matches!(refused, ChargeRefused::Unknown { .. }), "{refused}");
        let said = refused.to_string();
        assert!(said.contains("ledger.db.broken-") && said.contains("is not known"), "{said}");
        assert!(refused.fix().contains("delete or move away"), "{}", refused.fix());
        cache.close().await;
    }
}
