//! A demand of a bill: the instance-hours that AWS itself counted.
//!
//! Read are CSV exports of the Cost and Usage Report (legacy and 2.0) and of FOCUS with `x_UsageType`
//! (AWS's 1.0) or `SkuMeter` (1.2, which dropped that column). Running hours are line items whose usage type is
//! `BoxUsage`, `SpotUsage` or `DedicatedUsage` of a type (after a region prefix such as `USW2-`),
//! whether on demand, reserved or covered by a Savings Plan; fees, negations and unused reservations
//! run nothing. A bill is complete: an hour between its first and last without a line had none.

use std::collections::BTreeMap;
use std::io::Read;

use jiff::Timestamp;

use super::demand::csv::MAX_HOURS;
use super::demand::{Demand, DemandOrigin, Family};
use super::history::FAMILIES_AT_MOST;
use crate::domain::bill::running_type;
use crate::domain::records::{RecordError, Records};
use crate::domain::text::clean;

/// Why no demand could be read from a bill.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BillError {
    /// A required column is missing; holds its name.
    #[error("the bill has no column {0}; export it with this column, as CUR 2.0 or FOCUS have it")]
    Column(String),
    /// A line that cannot be parsed.
    #[error("line {line}: {what}")]
    Line {
        /// Line number, from 1.
        line: u64,
        /// What is wrong with it; clean text.
        what: String,
    },
    /// A line covers more than a day, so its hours are not known.
    #[error(
        "line {line} is of {hours} hours: a monthly export says nothing of hours; export it hourly, or daily"
    )]
    TooCoarse {
        /// Line number, from 1.
        line: u64,
        /// Hours that it covers.
        hours: i64,
    },
    /// The lines span more years than a demand may have.
    #[error(
        "line {line} is more than {} years from another one: one of the two dates is mistyped; a \
         demand has {} years at most",
        MAX_HOURS / 8_766,
        MAX_HOURS / 8_766
    )]
    TooWide {
        /// Number of the first line outside, from 1.
        line: u64,
    },
    /// More hours × types than the limit.
    #[error(
        "up to line {line} there are more than {CELLS_AT_MOST} hours of instance types, the most \
         that are read: export fewer months, or fewer accounts"
    )]
    TooMuch {
        /// Number of the line that exceeded it, from 1.
        line: u64,
    },
    /// A record that the CSV reader refused.
    #[error("{what}")]
    Record {
        /// Which record, why, and what to do; clean text.
        what: String,
    },
    /// No line is about a running instance.
    #[error("the bill has no instance-hours in it")]
    Nothing,
}

impl From<RecordError> for BillError {
    fn from(error: RecordError) -> Self {
        let advice = match error {
            RecordError::Unreadable { .. } => "; copy or export the file again",
            _ => "",
        };
        Self::Record { what: format!("{}{advice}", clean(&error.to_string())) }
    }
}

/// Bytes of a bill that are read at a time.
const BUFFER: usize = 1 << 16;

/// Most hours of instance types that are held: those of 450 types in a year.
const CELLS_AT_MOST: usize = 4_000_000;

/// The longest name of an instance type, bytes; `metal-48xl` and its like have 25.
const TYPE_AT_MOST: usize = 64;

/// The columns that are needed, by their names in the three forms.
const START: [&str; 3] =
    ["lineItem/UsageStartDate", "line_item_usage_start_date", "ChargePeriodStart"];
const END: [&str; 3] = ["lineItem/UsageEndDate", "line_item_usage_end_date", "ChargePeriodEnd"];
const KIND: [&str; 3] = ["lineItem/LineItemType", "line_item_line_item_type", "ChargeCategory"];
const USAGE_TYPE: [&str; 4] =
    ["lineItem/UsageType", "line_item_usage_type", "x_UsageType", "SkuMeter"];
const AMOUNT: [&str; 3] = ["lineItem/UsageAmount", "line_item_usage_amount", "ConsumedQuantity"];

/// Kinds of lines that are running instances.
const RUNNING: [&str; 3] = ["Usage", "DiscountedUsage", "SavingsPlanCoveredUsage"];

/// The longest line that still says something of hours: a day, with an hour for summer time.
const LONGEST_HOURS: i64 = 25;

/// True when a file whose first line is this is a bill.
pub fn is_bill(header: &str) -> bool {
    let has = |names: &[&str]| {
        header.split([',', ';', '\t']).any(|cell| names.contains(&cell.trim().trim_matches('"')))
    };
    has(&START) && has(&KIND)
}

/// Reads the demand of a bill. `name` is the path for messages; families are ranked by mean units × `price`, as
/// in [`super::history::History::demand`]. Fails when a column is missing, a line cannot be parsed, a limit is
/// exceeded or no instance ran.
pub fn demand(
    bill: impl Read,
    name: &str,
    price: &dyn Fn(&str) -> Option<f64>,
) -> Result<Demand, BillError> {
    let mut records = Records::new(bill, BUFFER);
    let header = records.read()?;
    let column = |names: &[&str]| {
        let at = |name: &&str| header?.iter().position(|cell| cell == name.as_bytes());
        names.iter().find_map(at).ok_or_else(|| BillError::Column(names.join(" or ")))
    };
    let columns =
        [column(&KIND)?, column(&USAGE_TYPE)?, column(&START)?, column(&END)?, column(&AMOUNT)?];
    let mut sums: BTreeMap<String, BTreeMap<i64, f64>> = BTreeMap::new();
    let (mut longest, mut kept) = (0, 0);
    let mut span: Option<(i64, i64)> = None;
    while let Some(record) = records.read()? {
        let line = record.line;
        let cell = |i: usize| std::str::from_utf8(record.get(i).unwrap_or(b"")).unwrap_or("");
        let [kind, usage_type, start, end, amount] = columns.map(cell);
        let Some((_, instance_type)) = running_type(usage_type).filter(|_| RUNNING.contains(&kind))
        else {
            continue;
        };
        let wrong = |what: &str, text: &str| BillError::Line {
            line,
            what: format!("\"{}\" is no {what}", clean(text)),
        };
        let moment = |text: &str| hour_of(text).ok_or_else(|| wrong("moment", text));
        let (from, to) = (moment(start)?, moment(end)?);
        let units: f64 = amount.trim().parse().map_err(|_| wrong("number of hours", amount))?;
        if !units.is_finite() || units < 0.0 {
            return Err(wrong("number of hours", amount));
        }
        let hours = to - from;
        if !(1..=LONGEST_HOURS).contains(&hours) {
            return Err(BillError::TooCoarse { line, hours });
        }
        longest = longest.max(hours);
        let (first, last) = span.map_or((from, to), |(a, b)| (a.min(from), b.max(to)));
        if last - first > MAX_HOURS as i64 {
            return Err(BillError::TooWide { line });
        }
        span = Some((first, last));
        if instance_type.len() > TYPE_AT_MOST {
            return Err(wrong(
                "instance type",
                &instance_type[..instance_type.floor_char_boundary(TYPE_AT_MOST)],
            ));
        }
        let family = sums.entry(clean(instance_type).into_owned()).or_default();
        let before = family.len();
        for hour in from..to {
            *family.entry(hour).or_default() += units / hours as f64;
        }
        kept += family.len() - before;
        if kept > CELLS_AT_MOST {
            return Err(BillError::TooMuch { line });
        }
    }
    made(sums, longest, name, price)
}

/// The hour of the epoch in which a moment lies: RFC 3339, or with a space and without an offset, as
/// FOCUS and some tools write UTC.
fn hour_of(text: &str) -> Option<i64> {
    let text = text.trim();
    let utc = || {
        let civil: jiff::civil::DateTime =
            text.strip_suffix(" UTC").unwrap_or(text).parse().ok()?;
        civil.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|z| z.timestamp())
    };
    let moment = text.parse::<Timestamp>().ok().or_else(utc)?;
    Some(moment.as_second().div_euclid(3_600))
}

fn made(
    sums: BTreeMap<String, BTreeMap<i64, f64>>,
    longest: i64,
    name: &str,
    price: &dyn Fn(&str) -> Option<f64>,
) -> Result<Demand, BillError> {
    let hours = || sums.values().flat_map(BTreeMap::keys);
    let (Some(first), Some(last)) = (hours().min().copied(), hours().max().copied()) else {
        return Err(BillError::Nothing);
    };
    let start = Timestamp::from_second(first * 3_600).map_err(|_| BillError::Nothing)?;
    let length = (last - first + 1) as usize;
    // Those that stay are known before the hours of any are written out.
    let mut ranked: Vec<(f64, String, BTreeMap<i64, f64>)> = sums
        .into_iter()
        .map(|(name, units)| {
            let mean = units.values().sum::<f64>() / length as f64;
            (mean * price(&name).unwrap_or(0.0), name, units)
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let left_out = ranked.len().saturating_sub(FAMILIES_AT_MOST);
    let families = ranked
        .into_iter()
        .take(FAMILIES_AT_MOST)
        .map(|(_, name, units)| {
            let mut hours = vec![0.0; length];
            for (hour, units) in units {
                hours[(hour - first) as usize] = units;
            }
            Family { name, hours }
        })
        .collect();
    let mut notes = Vec::new();
    if longest > 1 {
        notes.push(
            "The bill is by the day: within a day every hour has the day's mean, so that peaks and \
             quiet hours are not seen and commitments look better than they are."
                .to_owned(),
        );
    }
    if left_out > 0 {
        notes.push(format!("{left_out} types that cost less are left out."));
    }
    Ok(Demand { origin: DemandOrigin::Bill(clean(name).into_owned()), start, families, notes })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUR: &str = "identity/LineItemId,lineItem/LineItemType,lineItem/UsageStartDate,\
        lineItem/UsageEndDate,lineItem/UsageType,lineItem/UsageAmount\n";

    fn read(rows: &str) -> Result<Demand, BillError> {
        let price = |name: &str| (name == "p4d.24xlarge").then_some(20.0);
        demand(format!("{CUR}{rows}").as_bytes(), "bill.csv", &price)
    }

    fn row(kind: &str, usage: &str, from: &str, to: &str, amount: &str) -> String {
        format!("x,{kind},2026-10-{from}:00:00Z,2026-10-{to}:00:00Z,{usage},{amount}\n")
    }

    #[test]
    fn running_hours_add_up_however_they_are_paid() {
        let rows = [
            row("Usage", "USW2-BoxUsage:p4d.24xlarge", "01T00", "01T01", "2"),
            row("SavingsPlanCoveredUsage", "BoxUsage:p4d.24xlarge", "01T00", "01T01", "0.5"),
            row("SavingsPlanNegation", "BoxUsage:p4d.24xlarge", "01T00", "01T01", "9"),
            row("DiscountedUsage", "BoxUsage:m5.large", "01T02", "01T03", "1"),
            row("Usage", "SpotUsage:p4d.24xlarge", "01T02", "01T03", "3"),
            row("RIFee", "HeavyUsage:p4d.24xlarge", "01T02", "01T03", "744"),
            row("Usage", "UnusedBox:p4d.24xlarge", "01T02", "01T03", "9"),
            row("Usage", "EBS:VolumeUsage.gp3", "01T02", "01T03", "9"),
            row("Usage", "DataTransfer-Out-Bytes", "01T02", "01T03", "9"),
        ];
        let made = read(&rows.concat()).unwrap();
        assert_eq!(made.start, "2026-10-01T00:00:00Z".parse().unwrap());
        let told: Vec<_> = made.families.iter().map(|f| (&*f.name, f.hours.clone())).collect();
        assert_eq!(
            told,
            [("p4d.24xlarge", vec![2.5, 0.0, 3.0]), ("m5.large", vec![0.0, 0.0, 1.0])]
        );
        assert!(made.notes.is_empty());
    }

    #[test]
    fn days_are_spread_and_months_refused() {
        let day = row("Usage", "BoxUsage:m5.large", "01T00", "02T00", "36");
        let made = read(&day).unwrap();
        assert_eq!(made.families[0].hours, [1.5; 24]);
        assert!(made.notes[0].contains("by the day"), "{:?}", made.notes);
        let month = row("Usage", "BoxUsage:m5.large", "01T00", "31T00", "720");
        assert_eq!(read(&month), Err(BillError::TooCoarse { line: 2, hours: 720 }));
    }

    #[test]
    fn what_cannot_be_is_said_with_its_line() {
        let good = row("Usage", "BoxUsage:m5.large", "01T00", "01T01", "1");
        for bad in ["-1", "NaN", "inf", "much"] {
            let bad = row("Usage", "BoxUsage:m5.large", "01T00", "01T01", bad);
            let error = read(&format!("{good}{bad}")).unwrap_err().to_string();
            assert!(error.starts_with("line 3: "), "{error}");
        }
        let backwards = row("Usage", "BoxUsage:m5.large", "02T00", "01T01", "1");
        assert!(matches!(read(&backwards), Err(BillError::TooCoarse { line: 2, .. })));
        assert!(read("x,Usage,yesterday,2026-10-01T01:00:00Z,BoxUsage:m5.large,1\n").is_err());
        assert_eq!(read(""), Err(BillError::Nothing));
        let error = demand("ChargePeriodStart,ChargeCategory\n".as_bytes(), "f", &|_| None);
        assert!(error.unwrap_err().to_string().contains("x_UsageType"));
    }

    #[test]
    fn the_other_forms_are_read_and_a_demand_is_no_bill() {
        assert!(is_bill(CUR));
        assert!(is_bill("\"ChargeCategory\",\"ChargePeriodStart\",x"));
        assert!(!is_bill("time,p4d.24xlarge,p5.48xlarge"));
        let focus = "ChargeCategory,ChargePeriodStart,ChargePeriodEnd,x_UsageType,ConsumedQuantity\n\
            Usage,2026-10-01 00:00:00,2026-10-01 01:00:00 UTC,BoxUsage:m5.large,4\n";
        for form in [focus.to_owned(), focus.replace("x_UsageType", "SkuMeter")] {
            let made = demand(form.as_bytes(), "f", &|_| None).unwrap();
            assert_eq!(made.families[0].hours, [4.0]);
        }
    }

    /// An invented month in the form of AWS's own exports; the sums were made by Python's csv module.
    #[test]
    fn a_month_of_an_ml_account() {
        let file = &include_bytes!("../../tests/data/whatif/bill-cur1.csv.gz")[..];
        let made = demand(flate2::read::GzDecoder::new(file), "bill", &|_| None).unwrap();
        assert_eq!((made.start, made.hours()), ("2026-10-01T00:00:00Z".parse().unwrap(), 744));
        let sum = |name: &str| made.family(name).unwrap().known().sum::<f64>();
        for (name, hours) in
            [("g6e.12xlarge", 6_288.0), ("p5.48xlarge", 5_928.0), ("p4d.24xlarge", 5_640.0)]
        {
            assert!((sum(name) - hours).abs() < 1e-6, "{name}: {}", sum(name));
        }
        // 5 October: 264 h of p5 in 24 hours.
        assert!((made.family("p5.48xlarge").unwrap().hours[4 * 24 + 7] - 11.0).abs() < 1e-9);
    }

    /// Bills that are larger inside than any bill.
    mod hostile {
        use std::io::{Cursor, Write as _};

        use super::*;

        /// `first`, then 4 GiB of `unit`, in a few megabytes of gzip.
        fn packed(first: &str, unit: &str) -> impl Read + use<> {
            let member = |text: &[u8]| {
                let mut out = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
                out.write_all(text).unwrap();
                out.finish().unwrap()
            };
            let mut bytes = member(first.as_bytes());
            let more = member(unit.repeat((1 << 20) / unit.len()).as_bytes());
            for _ in 0..4_096 {
                bytes.extend_from_slice(&more);
            }
            flate2::read::MultiGzDecoder::new(Cursor::new(bytes))
        }

        #[test]
        fn no_bill_takes_more_than_its_limits() {
            const BUDGET: u64 = 4 << 20;
            let good = row("Usage", "BoxUsage:m5.large", "01T00", "01T01", "1");
            let head = format!("{CUR}{good}");
            let dated = |from: &str, to: &str| {
                format!("{head}x,Usage,{from}T00:00:00Z,{to}T01:00:00Z,BoxUsage:m5.large,1\n")
            };
            let types =
                row("Usage", &format!("BoxUsage:{}.x", "m".repeat(1_000)), "01T00", "01T01", "1");
            let one = |text: String| -> Box<dyn Read> { Box::new(Cursor::new(text)) };
            let many = |first: &str, unit: &str| -> Box<dyn Read> { Box::new(packed(first, unit)) };
            let cases: Vec<(Box<dyn Read>, &str)> = vec![
                (many("", "x"), "longer than 1 MiB"),
                (many("\"", "x\n"), "longer than 1 MiB"),
                (many("", "x,"), "more than 4096 fields"),
                (many(CUR, "x"), "begins in line 2 is longer than 1 MiB"),
                (many(&head, "x"), "begins in line 3 is longer than 1 MiB"),
                (many(&format!("{head}\""), "a,b\n"), "line 3 is longer than 1 MiB"),
                (many(&head, ","), "line 3 has more than 4096 fields"),
                (many(&format!("{head}\"a\""), ",\"\""), "line 3 has more than 4096 fields"),
                (one(dated("0001-01-01", "0001-01-01")), "line 3 is more than 20 years"),
                (one(dated("9999-12-30", "9999-12-30")), "line 3 is more than 20 years"),
                (one(dated("2046-11-01", "2046-11-01")), "line 3 is more than 20 years"),
                (one(format!("{CUR}{types}")), "is no instance type"),
            ];
            let inputs = cases.len();
            for (bill, words) in cases {
                let mut error = None;
                let measured = allocation_counter::measure(|| {
                    error = demand(bill, "bill", &|_| None).err();
                });
                let error = error.unwrap().to_string();
                assert!(error.contains(words), "{words}: {error}");
                assert!(measured.bytes_max <= BUDGET, "{words}: {}", measured.bytes_max);
            }
            assert_eq!(inputs, 12);
            println!("hostile: bills: {inputs} inputs");
        }

        #[test]
        fn more_hours_of_types_than_are_held_are_refused() {
            // Types that nobody has, a day each: 24 hours a line.
            let lines = (0..).map(|i| {
                let usage = format!("BoxUsage:t{i}.x");
                row("Usage", &usage, "01T00", "02T00", "1")
            });
            let text: String =
                std::iter::once(CUR.to_owned()).chain(lines.take(CELLS_AT_MOST / 24 + 2)).collect();
            let mut error = None;
            let measured = allocation_counter::measure(|| {
                error = demand(text.as_bytes(), "bill", &|_| None).err();
            });
            assert_eq!(error, Some(BillError::TooMuch { line: CELLS_AT_MOST as u64 / 24 + 2 }));
            assert!(measured.bytes_max <= 200 << 20, "{}", measured.bytes_max);
            println!("hostile: bills of many types: 1 inputs");
        }
    }
}
