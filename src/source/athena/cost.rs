//! What a query costs, said before it runs.

/// Bytes in a unit of the bill: a query is billed by the megabyte, rounded up.
const UNIT: u64 = 1_000_000;

/// Units that a query is billed for at least: 10 MB (Amazon Athena pricing, "SQL queries").
const LEAST: u64 = 10;

/// Price of scanned data, USD per TB (Amazon Athena pricing, us-east-1, "SQL queries"). Decimal TB, the dearer reading.
pub const USD_PER_TB: f64 = 5.0;

/// Billed megabytes of `queries` that each read all of `bytes`: the most possible, because of Parquet only the named
/// columns are read.
pub fn units(bytes: u64, queries: u64) -> u64 {
    bytes.div_ceil(UNIT).max(LEAST).saturating_mul(queries)
}

/// Price of billed megabytes, USD.
pub fn usd(units: u64) -> f64 {
    units as f64 * UNIT as f64 / 1e12 * USD_PER_TB
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_costs_five_dollars_a_terabyte_and_ten_megabytes_at_least() {
        assert_eq!(units(0, 1), 10);
        assert_eq!(units(10_000_001, 1), 11);
        assert_eq!(units(1_000_000_000_000, 2), 2_000_000);
        assert!((usd(2_000_000) - 10.0).abs() < 1e-12);
        assert!((usd(units(1, 1)) - 0.00005).abs() < 1e-12);
    }
}
