//! An answer of Cost Explorer: as it comes, and checked.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::Deserialize;

use super::query::CostQuery;
use crate::domain::bill::{Month, Sums, Usd};
use crate::domain::text::clean;

/// One page of an answer; what is missing or null in it is nothing.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct CostPage {
    results_by_time: Option<Vec<Period>>,
    dimension_value_attributes: Option<Vec<Attributes>>,
    /// Token of the next page; `None` or empty on the last one.
    pub next_page_token: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Period {
    time_period: Interval,
    groups: Option<Vec<Group>>,
    estimated: Option<bool>,
}

/// Some days.
#[derive(Debug, Deserialize, serde::Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Interval {
    /// First day.
    pub start: Date,
    /// Day after the last one.
    pub end: Date,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Group {
    keys: Vec<String>,
    metrics: BTreeMap<String, Amount>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Amount {
    amount: String,
    unit: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Attributes {
    value: String,
    attributes: Option<BTreeMap<String, String>>,
}

/// Metrics that are asked for: billed, effective, net of private discounts, quantity.
pub const METRICS: [&str; 4] =
    ["UnblendedCost", "AmortizedCost", "NetAmortizedCost", "UsageQuantity"];

/// Why an answer is of no use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadAnswer {
    /// A number that is none, or beyond what a bill has.
    #[error("{metric} is {text:?}, which is no amount")]
    Amount {
        /// Metric.
        metric: &'static str,
        /// What stands in its place, cleaned.
        text: String,
    },
    /// Another currency than US dollars.
    #[error("costs come in {0}, and only USD can be read")]
    Currency(String),
    /// A group without both keys.
    #[error("a group came with {0} keys, and 2 were asked for")]
    Keys(usize),
    /// A period that was not asked for.
    #[error("costs came for {0}, which was not asked for")]
    Day(Date),
}

/// Sums of a group in a period.
#[derive(Clone, Debug)]
pub struct CostRow {
    /// First day of the period.
    pub date: Date,
    /// Values of the two keys, not cleaned.
    pub keys: [String; 2],
    /// Unit of the quantity; empty where it has several.
    pub unit: String,
    /// Sums, of one line.
    pub sums: Sums,
}

/// All pages of an answer.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// True where its periods are days, false for months.
    pub by_day: bool,
    /// Rows that are not nothing.
    pub rows: Vec<CostRow>,
    /// Names of accounts by their ids.
    pub account_names: BTreeMap<String, String>,
    /// Months of which a part is an estimate, which its invoice may change.
    pub estimated: Vec<Month>,
}

impl Answer {
    /// An answer without pages.
    pub fn to(query: &CostQuery) -> Self {
        Self { by_day: query.by_day, ..Self::default() }
    }

    /// Adds a page of the answer to `query`.
    ///
    /// # Errors
    /// An amount that is none or in another currency, a period that was not asked for.
    pub fn add(&mut self, query: &CostQuery, page: CostPage) -> Result<(), BadAnswer> {
        for period in page.results_by_time.unwrap_or_default() {
            let date = period.time_period.start;
            if date < query.from || date >= query.to {
                return Err(BadAnswer::Day(date));
            }
            let month = Month::of(date);
            if period.estimated == Some(true) && !self.estimated.contains(&month) {
                self.estimated.push(month);
            }
            for group in period.groups.unwrap_or_default() {
                self.rows.extend(row(date, group)?);
            }
        }
        for mut named in page.dimension_value_attributes.unwrap_or_default() {
            let name = named.attributes.as_mut().and_then(|all| all.remove("description"));
            self.account_names.extend(name.map(|name| (named.value, name)));
        }
        Ok(())
    }
}

/// A group as a row; `None` for one that is nothing.
fn row(date: Date, group: Group) -> Result<Option<CostRow>, BadAnswer> {
    let keys = <[String; 2]>::try_from(group.keys).map_err(|keys| BadAnswer::Keys(keys.len()))?;
    let [billed, effective, net, quantity] =
        METRICS.map(|metric| (metric, group.metrics.get(metric)));
    let usd = |(metric, amount): (&'static str, Option<&Amount>)| {
        let Some(amount) = amount else { return Ok(None) };
        let usd = Usd::parse(amount.amount.as_bytes()).ok_or_else(|| BadAnswer::Amount {
            metric,
            text: clean(&amount.amount).into_owned(),
        })?;
        match amount.unit.as_deref() {
            // Nothing has no currency.
            Some(unit) if unit != "USD" && !usd.is_zero() => {
                Err(BadAnswer::Currency(clean(unit).into_owned()))
            }
            _ => Ok(Some(usd)),
        }
    };
    let missing = |metric| BadAnswer::Amount { metric, text: String::new() };
    let (billed, effective, net) = (
        usd(billed)?.ok_or_else(|| missing(billed.0))?,
        usd(effective)?.ok_or_else(|| missing(effective.0))?,
        usd(net)?,
    );
    let (number, unit) = quantity.1.map_or((Some(0.0), ""), |quantity| {
        let number = quantity.amount.parse::<f64>().ok().filter(|n| n.is_finite());
        (number, quantity.unit.as_deref().unwrap_or_default())
    });
    let sums = Sums {
        billed,
        effective,
        list: Usd::ZERO,
        net: net.unwrap_or(effective),
        quantity: number.ok_or_else(|| BadAnswer::Amount {
            metric: quantity.0,
            text: quantity.1.map_or(String::new(), |q| clean(&q.amount).into_owned()),
        })?,
        lines: 1,
        without_list: 0,
    };
    let is_nothing = [sums.billed, sums.effective, sums.net].iter().all(|usd| usd.is_zero());
    let unit = if unit == "N/A" { String::new() } else { unit.to_owned() };
    Ok((!is_nothing || sums.quantity != 0.0).then_some(CostRow { date, keys, unit, sums }))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::query::{Filter, GroupBy};
    use super::*;

    fn query() -> CostQuery {
        CostQuery {
            from: "2026-10-01".parse().unwrap(),
            to: "2026-11-01".parse().unwrap(),
            by_day: true,
            groups: [GroupBy::SERVICE, GroupBy::USAGE_TYPE],
            filter: Filter::All,
            with_resources: false,
        }
    }

    fn page(start: &str, metrics: &Value) -> CostPage {
        let json = json!({
            "GroupDefinitions": [{"Type": "DIMENSION", "Key": "SERVICE"}],
            "ResultsByTime": [{
                "TimePeriod": {"Start": start, "End": "2026-10-02"}, "Total": {}, "Estimated": true,
                "Groups": [{"Keys": ["Amazon FSx", "USE1-x"], "Metrics": metrics}],
            }],
            "DimensionValueAttributes": [
                {"Value": "111122223333", "Attributes": {"description": "data"}},
                {"Value": "x", "Attributes": {}},
            ],
            "NextPageToken": null,
        });
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn amounts_are_exact_and_what_is_not_told_is_not_invented() {
        let mut answer = Answer::to(&query());
        let metrics = json!({
            "UnblendedCost": {"Amount": "0.1234567890123", "Unit": "USD"},
            "AmortizedCost": {"Amount": "-2E-7", "Unit": "USD"},
            "UsageQuantity": {"Amount": "3.5", "Unit": "N/A"},
        });
        answer.add(&query(), page("2026-10-01", &metrics)).unwrap();
        let [row] = answer.rows.as_slice() else { panic!("{answer:?}") };
        assert_eq!(row.sums.billed.to_string(), "0.1234567890123");
        assert_eq!(row.sums.effective.to_string(), "-0.0000002");
        assert_eq!((row.sums.net, row.sums.quantity, &*row.unit), (row.sums.effective, 3.5, ""));
        assert_eq!(answer.estimated, [Month::of(row.date)]);
        assert_eq!(answer.account_names.len(), 1);
    }

    #[test]
    fn an_answer_that_makes_sums_wrong_is_refused() {
        let add = |start: &str, metrics: Value| {
            Answer::to(&query()).add(&query(), page(start, &metrics)).map_err(|e| e.to_string())
        };
        let cost = |amount: &str, unit: &str| json!({"Amount": amount, "Unit": unit});
        let both = |amount: &str, unit: &str| json!({"UnblendedCost": cost(amount, unit), "AmortizedCost": cost(amount, unit)});
        assert_eq!(add("2026-10-01", both("0", "N/A")), Ok(()));
        for (start, metrics, why) in [
            ("2026-10-01", both("1", "CNY"), "costs come in CNY"),
            ("2026-10-01", both("1,5", "USD"), "UnblendedCost is \"1,5\""),
            ("2026-10-01", json!({"UnblendedCost": cost("1", "USD")}), "AmortizedCost is \"\""),
            ("2026-11-01", both("1", "USD"), "2026-11-01, which was not asked for"),
        ] {
            let error = add(start, metrics).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
