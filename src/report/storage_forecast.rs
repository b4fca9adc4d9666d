//! `burntop storage forecast`: where the size of each bucket is heading.

use serde_json::{Value as Json, json};

use super::sheet::{Cell, Column, Sheet};
use super::{Notes, Report, json};
use crate::analyze::storage::forecast::{Expected, Forecast};
use crate::domain::text::clean;
use crate::domain::{Reading, Scope};
use crate::view::{Align, Value, ViewContext, format};

/// Cost of a number of bytes, USD per month of 730 h; `None` where not known.
pub type Cost<'a> = dyn Fn(f64) -> Option<f64> + 'a;

/// Forecast of one bucket.
pub struct ForecastRow<'a> {
    /// Account and region.
    pub scope: &'a Scope,
    /// Name of the bucket.
    pub bucket: &'a str,
    /// The forecast, or one sentence why there is none.
    pub forecast: Result<&'a Forecast, String>,
    /// Cost of its bytes in today's mix of tiers.
    pub cost: &'a Cost<'a>,
}

/// Contents of `burntop storage forecast`.
#[derive(Clone, Copy)]
pub struct ForecastReport<'a> {
    /// Buckets, in order.
    pub rows: &'a [ForecastRow<'a>],
    /// Source of the prices.
    pub prices: &'a str,
    /// Readings of the sources.
    pub readings: &'a [Reading],
}

/// Months that columns show.
const SHOWN: [u16; 3] = [3, 6, 12];

impl Report for ForecastReport<'_> {
    fn view(&self) -> &'static str {
        "storage-forecast"
    }

    fn basis(&self) -> String {
        format!(
            "daily BucketSizeBytes of all storage types, at most half a year, from the last single \
             level shift on; robust slope over whole weeks; P10 and P90 hold four of five futures \
             that are like the past; USD per month of 730 h in today's mix of tiers ({})",
            clean(self.prices),
        )
    }

    fn readings(&self) -> &[Reading] {
        self.readings
    }

    fn rows(&self, _: &ViewContext, most: usize) -> Vec<Json> {
        self.rows.iter().take(most).map(row).collect()
    }

    fn records(&self, ctx: &ViewContext) -> Sheet {
        sheet(*self, ctx)
    }

    fn notes(&self, _: &ViewContext) -> Notes {
        Notes::Below(notes(*self))
    }
}

/// Bytes: parts of one are no more than arithmetic.
fn whole(bytes: f64) -> Json {
    json::number(Some(bytes.round()))
}

fn row(row: &ForecastRow<'_>) -> Json {
    let usd = |bytes: f64| json::number((row.cost)(bytes));
    let curve = |f: &Forecast| -> Vec<Json> {
        f.curve
            .iter()
            .map(|e| {
                json!({
                    "month": e.month,
                    "bytes_p10": whole(e.low),
                    "bytes": whole(e.mid),
                    "bytes_p90": whole(e.high),
                    "usd_per_month_p10": usd(e.low),
                    "usd_per_month": usd(e.mid),
                    "usd_per_month_p90": usd(e.high),
                })
            })
            .collect()
    };
    let f = row.forecast.as_ref().ok();
    json!({
        "scope": row.scope.to_string(),
        "bucket": clean(row.bucket),
        "as_of": f.map(|f| f.at.to_string()),
        "bytes": f.map_or(Json::Null, |f| whole(f.now)),
        "usd_per_month": f.map_or(Json::Null, |f| usd(f.now)),
        "growth_bytes_per_month": f.map_or(Json::Null, |f| whole(f.per_month)),
        "growth": f.map(|f| f.growth.word()),
        "trend_days": f.map(|f| f.days),
        "restarted": f.and_then(|f| f.shift).map(|(on, bytes)| {
            json!({ "on": on.to_string(), "bytes": whole(bytes) })
        }),
        "curve": f.map(|f| curve(f)),
        "unknown": row.forecast.as_ref().err().map(|e| clean(e)),
    })
}

fn sheet(report: ForecastReport<'_>, ctx: &ViewContext) -> Sheet {
    const NAMES: [[&str; 3]; 3] = [
        ["bytes_3m", "bytes_3m_p10", "bytes_3m_p90"],
        ["bytes_6m", "bytes_6m_p10", "bytes_6m_p90"],
        ["bytes_12m", "bytes_12m_p10", "bytes_12m_p90"],
    ];
    const HEADERS: [[&str; 3]; 3] =
        [["3 MONTHS", "P10", "P90"], ["6 MONTHS", "P10", "P90"], ["12 MONTHS", "P10", "P90"]];
    let mut columns = vec![
        ("bucket", "BUCKET", Align::Left),
        ("bytes", "NOW", Align::Right),
        ("growth_bytes_per_month", "PER MONTH", Align::Right),
    ];
    for (names, headers) in NAMES.iter().zip(HEADERS) {
        columns.extend(names.iter().zip(headers).map(|(n, h)| (*n, h, Align::Right)));
    }
    columns.push(("usd_per_month", "$/MONTH", Align::Right));
    columns.push(("usd_per_month_12m", "$/MONTH IN 12", Align::Right));
    columns.push(("growth", "GROWTH", Align::Left));
    let columns = columns.into_iter().map(|(name, header, align)| Column { name, header, align });
    let known = |v: Option<f64>, words: fn(f64) -> String| Cell {
        shown: ctx.symbols.or_unknown(v, words),
        value: v.map_or(Value::Unknown, Value::Number),
    };
    let cells = |row: &ForecastRow<'_>| {
        let f = row.forecast.as_ref().ok();
        let at = |month: u16| f.and_then(|f| f.curve.iter().find(|e| e.month == month));
        let mut out = vec![
            Cell::text(clean(row.bucket)),
            known(f.map(|f| f.now.round()), format::bytes_binary),
            known(f.map(|f| f.per_month.round()), signed),
        ];
        for month in SHOWN {
            let of = |part: fn(&Expected) -> f64| at(month).map(part).map(f64::round);
            out.extend(
                [of(|e| e.mid), of(|e| e.low), of(|e| e.high)]
                    .map(|v| known(v, format::bytes_binary)),
            );
        }
        out.push(known(f.and_then(|f| (row.cost)(f.now)), format::usd_total));
        out.push(known(at(12).and_then(|e| (row.cost)(e.mid)), format::usd_total));
        out.push(match &row.forecast {
            Ok(f) => Cell::text(f.growth.word()),
            Err(why) => Cell::text(clean(why)),
        });
        out
    };
    Sheet { columns: columns.collect(), rows: report.rows.iter().map(cells).collect() }
}

/// Bytes with their sign.
fn signed(bytes: f64) -> String {
    if bytes < 0.0 {
        format::bytes_binary(bytes)
    } else {
        format!("+{}", format::bytes_binary(bytes))
    }
}

fn notes(report: ForecastReport<'_>) -> Vec<String> {
    let mut out = Vec::new();
    for row in report.rows {
        let Ok(Some((on, bytes))) = row.forecast.as_ref().map(|f| f.shift) else { continue };
        out.push(format!(
            "{}: changed by {} on {on}; the trend begins after it",
            clean(row.bucket),
            signed(bytes),
        ));
    }
    out.push(report.basis());
    out.extend(super::troubles_of(report.readings));
    out
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;
    use jiff::civil::Date;

    use super::*;
    use crate::analyze::storage::forecast::forecast;
    use crate::domain::storage::GIB;
    use crate::report::{Format, write};
    use crate::view::fixture;

    #[test]
    fn every_format_says_the_same() {
        let start = Date::constant(2026, 1, 1);
        let day = |i: i64| start.checked_add(i.days()).unwrap();
        let grows: Vec<_> = (0..100).map(|i| (day(i), (1024.0 + 10.0 * i as f64) * GIB)).collect();
        let shrunk: Vec<_> = (0..100)
            .map(|i| (day(i), if i < 50 { 900.0 } else { 100.0 - 0.1 * i as f64 } * GIB))
            .collect();
        let today = day(100);
        let (grows, shrunk) =
            (forecast(&grows, 12, today).unwrap(), forecast(&shrunk, 6, today).unwrap());
        let why = forecast(&[], 12, today).unwrap_err().to_string();
        let scope = Scope::new("111122223333", "us-east-1");
        let priced = |bytes: f64| Some(bytes / GIB * 0.023);
        let rows = [
            ForecastRow { scope: &scope, bucket: "acme-ml", forecast: Ok(&grows), cost: &priced },
            ForecastRow { scope: &scope, bucket: "old", forecast: Ok(&shrunk), cost: &|_| None },
            ForecastRow { scope: &scope, bucket: "=new", forecast: Err(why), cost: &priced },
        ];
        let report = ForecastReport { rows: &rows, prices: "us-east-1", readings: &[] };
        let ctx = fixture::ctx();
        let all: Vec<String> = Format::ALL.iter().map(|f| write(&report, *f, &ctx)).collect();
        insta::assert_snapshot!(all.join("\n=====\n"));
    }
}
