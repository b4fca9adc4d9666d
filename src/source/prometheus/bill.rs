//! What queries of Amazon Managed Service for Prometheus cost.
//!
//! AWS bills query samples processed. Each answer says how many those were where it is asked to
//! (`stats=all`): "totalQueryableSamples: Total number of query samples processed. This is the
//! information to be used for billing" (Amazon Managed Service for Prometheus User Guide, "Get
//! statistics about your query usage for each query", read 2026-11-23). So a query is charged before it
//! is sent with what the same one processed last, and what it processed beyond that is booked after it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use serde::Deserialize;

use crate::domain::SourceError;
use crate::source::ledger::{BilledApi, Ledger, SAMPLES_PER_UNIT};

/// What a query is taken to process before any answer: an hour of 400 GPUs that are scraped each 15 s.
const FIRST: u64 = 100_000;

/// Queries whose samples are remembered; a sweep has some twenty, an hour and a page of a GPU as many.
const REMEMBERED: usize = 512;

/// Ledger, and the samples that each query processed last.
pub(super) struct Bill {
    ledger: Ledger,
    processed: Mutex<HashMap<String, u64>>,
}

impl Bill {
    /// Charges queries to `ledger`.
    pub(super) fn new(ledger: Ledger) -> Self {
        Self { ledger, processed: Mutex::default() }
    }

    /// Charges a query before it is sent; returns the units charged. Err when the ledger refuses.
    pub(super) async fn charge(&self, query: &str) -> Result<u64, SourceError> {
        let last = {
            let processed = self.processed.lock().unwrap_or_else(PoisonError::into_inner);
            processed.get(query).copied()
        };
        let units = units(last.unwrap_or(FIRST));
        let api = BilledApi::PrometheusQuery;
        let charged = self.ledger.charge(api, units, Timestamp::now()).await;
        charged.map(|()| units).map_err(|refused| refused.error(api.name()))
    }

    /// Books what the answer processed beyond what was charged. An answer that does not say leaves the
    /// charge as it is, and so does one that processed less.
    pub(super) async fn book_difference(&self, query: &str, charged: u64, answer: &[u8]) {
        let Some(samples) = processed(answer) else { return };
        {
            let mut processed = self.processed.lock().unwrap_or_else(PoisonError::into_inner);
            // Windows move on with the clock: what is not asked any more goes all at once.
            if processed.len() >= REMEMBERED && !processed.contains_key(query) {
                processed.clear();
            }
            processed.insert(query.to_owned(), samples);
        }
        let more = units(samples).saturating_sub(charged);
        if more > 0 {
            self.ledger.book(BilledApi::PrometheusQuery, more, Timestamp::now()).await;
        }
    }
}

/// Units of the ledger for so many samples; one at least.
fn units(samples: u64) -> u64 {
    samples.div_ceil(SAMPLES_PER_UNIT).max(1)
}

/// The samples that an answer says it processed.
fn processed(answer: &[u8]) -> Option<u64> {
    #[derive(Deserialize)]
    struct Told {
        data: Data,
    }
    #[derive(Deserialize)]
    struct Data {
        stats: Stats,
    }
    #[derive(Deserialize)]
    struct Stats {
        samples: Samples,
    }
    #[derive(Deserialize)]
    struct Samples {
        #[serde(rename = "totalQueryableSamples")]
        total: u64,
    }
    serde_json::from_slice::<Told>(answer).ok().map(|told| told.data.stats.samples.total)
}

#[cfg(test)]
mod tests {
    use crate::domain::ErrorKind;
    use proptest::prelude::*;

    use super::*;
    use crate::cache::{Cache, OpenOptions};
    use crate::source::ledger::micro_usd;

    fn bill(cap_usd: f64) -> Bill {
        let (cache, _) = Cache::open(OpenOptions::in_memory(), Timestamp::now());
        Bill::new(Ledger::new(cache, micro_usd(cap_usd)))
    }

    async fn spent(bill: &Bill) -> u64 {
        bill.ledger.today(Timestamp::now()).await.unwrap().micro_usd
    }

    fn answer(samples: u64) -> String {
        format!(
            r#"{{"status":"success","data":{{"resultType":"vector","result":[{{"metric":{{}},
            "value":[1,"1"]}}],"stats":{{"timings":{{"evalTotalTime":0.1}},"samples":{{
            "totalQueryableSamples":{samples},"totalQueryableSamplesPerStep":[[1,{samples}]]}}}}}}}}"#
        )
    }

    #[test]
    fn the_samples_are_read_where_the_answer_says_them() {
        assert_eq!(processed(answer(8).as_bytes()), Some(8));
        for silent in [
            r#"{"status":"success","data":{"resultType":"vector","result":[]}}"#,
            r#"{"status":"error","errorType":"bad_data","error":"x"}"#,
            r#"{"data":{"stats":{"samples":{"totalQueryableSamples":-1}}}}"#,
            "<html>",
        ] {
            assert_eq!(processed(silent.as_bytes()), None, "{silent}");
        }
    }

    #[test]
    fn a_day_of_a_large_fleet_costs_what_the_page_says() {
        let page = include_str!("../../../docs/gpus.md").replace('\n', " ");
        let samples = 8_000 * 15 * (24 * 3_600 / 15);
        let usd = BilledApi::PrometheusQuery.cost_micro_usd(units(samples)) as f64 / 1e6;
        let said = format!(
            "8,000 GPUs with fifteen signals, read each 15 s, are some {:.0}·10⁸ samples a day: ${usd:.2}.",
            samples as f64 / 1e8
        );
        assert!(page.contains(&said), "{said}");
    }

    #[tokio::test]
    async fn a_billion_samples_cost_ten_cents() {
        let bill = bill(1.0);
        let charged = bill.charge("up").await.unwrap();
        assert_eq!(spent(&bill).await, 10, "100,000 samples before anything is known");
        bill.book_difference("up", charged, answer(1_000_000_000).as_bytes()).await;
        assert_eq!(spent(&bill).await, micro_usd(0.10));
        // The same one again is charged with what it cost, and a quarter less is not given back.
        let charged = bill.charge("up").await.unwrap();
        assert_eq!(spent(&bill).await, micro_usd(0.20));
        bill.book_difference("up", charged, answer(750_000_000).as_bytes()).await;
        assert_eq!(spent(&bill).await, micro_usd(0.20));
        bill.charge("up").await.unwrap();
        assert_eq!(spent(&bill).await, micro_usd(0.275));
    }

    #[tokio::test]
    async fn at_the_cap_nothing_is_sent_and_what_was_spent_beyond_it_is_known() {
        let bill = bill(0.01);
        let charged = bill.charge("up").await.unwrap();
        bill.book_difference("up", charged, answer(1_000_000_000).as_bytes()).await;
        assert_eq!(spent(&bill).await, micro_usd(0.10), "spent is spent");
        let refused = bill.charge("down").await.unwrap_err();
        assert_eq!(refused.kind, ErrorKind::OwnCostCap);
    }

    #[tokio::test]
    async fn an_answer_that_does_not_say_keeps_its_charge() {
        let bill = bill(1.0);
        let charged = bill.charge("up").await.unwrap();
        bill.book_difference("up", charged, b"{}").await;
        assert_eq!(spent(&bill).await, 10);
    }

    proptest! {
        /// $0.10 per 10⁹ samples, to the next millionth of a dollar and never less.
        #[test]
        fn units_are_samples_rounded_up(samples in 0..1_000_000_000_000_u64) {
            let micro = BilledApi::PrometheusQuery.cost_micro_usd(units(samples));
            let exact = samples as f64 * 1e-4;
            prop_assert!(micro as f64 >= exact && micro as f64 <= exact + 1.0 + 1e-6);
        }
    }
}
