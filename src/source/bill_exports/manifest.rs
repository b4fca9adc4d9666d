//! The manifest of a delivery, as Data Exports and legacy Cost and Usage Reports write it.

use jiff::civil::Date;
use serde::Deserialize;
use serde_json::Value;

use crate::domain::bill::Month;
use crate::domain::text::clean;

/// Largest manifest that is read, bytes: some hundred per file, and a name per column.
pub(super) const MANIFEST_AT_MOST: u64 = 32 << 20;

/// Ending of the names of manifests.
pub(super) const ENDING: &str = "-Manifest.json";

/// What a manifest says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Manifest {
    /// Keys of the files in their bucket.
    pub keys: Vec<String>,
    /// Billing period; `None` where the manifest does not say it.
    pub period: Option<Month>,
    /// Name of the report; `None` where the manifest does not say it.
    pub name: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire {
    /// Legacy reports.
    report_keys: Option<Vec<Value>>,
    report_name: Option<String>,
    /// Data Exports.
    data_files: Option<Vec<Value>>,
    billing_period: Option<Value>,
}

impl Manifest {
    /// Reads a manifest. Err, a sentence without its subject, when it is none.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let wire: Wire =
            serde_json::from_slice(bytes).map_err(|e| crate::domain::json::why_no_json(&e))?;
        let Some(files) = wire.data_files.or(wire.report_keys) else {
            return Err("it has neither dataFiles nor reportKeys".into());
        };
        let keys = files.iter().map(|file| key(file).ok_or_else(|| no_key(file)));
        Ok(Self {
            keys: keys.collect::<Result<_, _>>()?,
            period: wire.billing_period.as_ref().and_then(period),
            name: wire.report_name,
        })
    }
}

fn no_key(file: &Value) -> String {
    format!("{} is no name of a file", clean(&file.to_string()))
}

/// Key of a file, named by itself, as `s3://bucket/key`, or in an object; `None` for anything else, and for what would
/// lead out of a folder.
fn key(file: &Value) -> Option<String> {
    let text = match file {
        Value::String(text) => text,
        Value::Object(fields) => {
            ["key", "path", "s3Uri", "uri"].iter().find_map(|name| fields.get(*name)?.as_str())?
        }
        _ => return None,
    };
    let key = match text.strip_prefix("s3://") {
        Some(rest) => rest.split_once('/')?.1,
        None => text.trim_start_matches('/'),
    };
    let plain = |part: &str| !part.is_empty() && part != "." && part != "..";
    (key.split('/').all(plain) && !key.contains('\0')).then(|| key.to_owned())
}

/// `2026-10`, `20261001T000000.000Z`, or the start in an object.
fn period(value: &Value) -> Option<Month> {
    match value {
        Value::String(text) => month(text),
        Value::Object(fields) => month(fields.get("start")?.as_str()?),
        _ => None,
    }
}

/// Month of a text that begins with `YYYY-MM` or `YYYYMMDD`.
pub(super) fn month(text: &str) -> Option<Month> {
    if let Some(month) = text.get(..7).and_then(|text| text.parse().ok()) {
        return Some(month);
    }
    let digits = text.get(..8).filter(|t| t.bytes().all(|b| b.is_ascii_digit()))?;
    let date =
        Date::new(digits[..4].parse().ok()?, digits[4..6].parse().ok()?, digits[6..].parse().ok()?);
    date.ok().map(Month::of)
}

/// Period of a folder's name: `BILLING_PERIOD=2026-10` or `20261001-20261101`; `None` for other names.
pub(super) fn period_of_folder(name: &str) -> Option<Month> {
    if let Some((key, value)) = name.split_once('=') {
        return key.eq_ignore_ascii_case("billing_period").then(|| month(value)).flatten();
    }
    let (from, to) = name.split_once('-')?;
    let month_of = |text: &str| (text.len() == 8).then(|| month(text)).flatten();
    month_of(from).filter(|from| month_of(to) == Some(from.plus(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_manifests_name_their_files_and_period() {
        let export = br#"{"dataFiles": ["s3://b/p/e/data/BILLING_PERIOD=2026-10/e-1.parquet"],
                          "billingPeriod": "2026-10"}"#;
        let manifest = Manifest::parse(export).unwrap();
        assert_eq!(manifest.keys, ["p/e/data/BILLING_PERIOD=2026-10/e-1.parquet"]);
        assert_eq!(manifest.period.unwrap().to_string(), "2026-10");
        let report = br#"{"reportKeys": ["/p/r/20261001-20261101/a/r-1.csv.gz"], "reportName": "r",
                          "billingPeriod": {"start": "20261001T000000.000Z", "end": "x"}}"#;
        let manifest = Manifest::parse(report).unwrap();
        assert_eq!(manifest.keys, ["p/r/20261001-20261101/a/r-1.csv.gz"]);
        assert_eq!(manifest.period.unwrap().to_string(), "2026-10");
        assert_eq!(manifest.name.as_deref(), Some("r"));
    }

    #[test]
    fn no_error_of_a_manifest_is_unclean() {
        for text in [
            "\u{1b}[2J",
            "{\"dataFiles\": [\"../\\u001b[2J\\u202e\"]}",
            "{\"dataFiles\": [], \"billingPeriod\": \"\\u001b[2J\"}",
        ] {
            let error = Manifest::parse(text.as_bytes()).err().unwrap_or_default();
            assert_eq!(clean(&error), error);
        }
    }

    #[test]
    fn what_is_no_manifest_is_refused() {
        for text in [
            "",
            "{}",
            "[]",
            r#"{"dataFiles": [5]}"#,
            r#"{"dataFiles": ["../../etc/passwd"]}"#,
            r#"{"dataFiles": ["s3://bucket"]}"#,
            r#"{"dataFiles": ["a//b"]}"#,
            r#"{"dataFiles": "a"}"#,
        ] {
            assert!(Manifest::parse(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn folders_tell_their_period() {
        for (name, period) in [
            ("BILLING_PERIOD=2026-10", Some("2026-10")),
            ("billing_period=2026-10", Some("2026-10")),
            ("20261001-20261101", Some("2026-10")),
            ("20261201-20270101", Some("2026-12")),
            ("20261001-20261201", None),
            ("year=2026", None),
            ("2026-10", None),
            ("data", None),
            ("é0261001-20261101", None),
        ] {
            let found = period_of_folder(name).map(|month| month.to_string());
            assert_eq!(found.as_deref(), period, "{name}");
        }
    }
}
