use serde_json::Value as Json;

use super::*;
use crate::analyze::storage::lifecycle::lint::{LintContext, lint};
use crate::analyze::storage::lifecycle::simulate::{Assumptions, SimulationFold};
use crate::analyze::storage::lifecycle::{MergeInput, merge, parse};
use crate::analyze::storage::price::fixture::virginia;
use crate::analyze::storage::{Fold, ListInfo};
use crate::domain::Tags;
use crate::domain::storage::{
    Lifecycle, ObjectBatch, ObjectColumns, ObjectFlags, Tier, Versioning,
};
use crate::report::{Format, write};
use crate::view::Symbols;

const POLICY: &str = r#"{"Rules": [
  {"ID": "data", "Status": "Enabled", "Filter": {"Prefix": "data/"},
   "Transitions": [{"Days": 90, "StorageClass": "GLACIER_IR"}]},
  {"ID": "exp\u001b[2J", "Status": "Enabled", "Filter": {"Prefix": "experiments/"},
   "Expiration": {"Days": 180}}]}"#;

fn view() -> ViewContext {
    ViewContext {
        now: "2026-11-21T00:00:00Z".parse().unwrap(),
        symbols: Symbols::Unicode,
        width: None,
    }
}

fn policy() -> Lifecycle {
    parse(POLICY.as_bytes()).unwrap().lifecycle
}

fn simulated() -> Simulated {
    let listed_ms = 20_463 * 86_400_000;
    let columns = ObjectColumns::default();
    let info = ListInfo { bucket: "b".into(), listed_ms, columns };
    let mut batch = ObjectBatch::default();
    for (key, age) in [("data/a", 100), ("data/b", 10), ("experiments/best", 200), ("other", 9)] {
        batch.keys.push(key.as_bytes());
        batch.sizes.push(1 << 40);
        batch.modified_ms.push(listed_ms - age * 86_400_000);
        batch.tiers.push(Tier::Standard);
        batch.flags.push(ObjectFlags::default());
    }
    let mut fold = SimulationFold::new(&policy(), &info, Assumptions::default());
    fold.take(&batch);
    fold.finish(Some(&virginia()))
}

fn simulation_of(simulated: &Simulated, prices: &S3Prices, format: Format) -> String {
    let report = SimulationReport {
        simulated,
        losses: Some(&[]),
        refused: 0,
        prices: Some(prices),
        bucket: "b",
        partial: None,
    };
    write(&report, format, &view())
}

#[test]
fn findings_have_the_fields_of_the_contract_and_clean_text() {
    let lifecycle = policy();
    let findings = lint(&lifecycle, &[], &LintContext::default());
    let report =
        LintReport { findings: &findings, rules: 2, prices: None, partial: Some("half of it") };
    let text = write(&report, Format::Json, &view());
    assert!(!text.contains('\u{1b}'));
    let json: Json = serde_json::from_str(&text).unwrap();
    assert_eq!(json["schema"], "burntop/storage-lint/1");
    let danger =
        json["findings"].as_array().unwrap().iter().find(|f| f["code"] == "LC108").unwrap();
    assert_eq!(danger["severity"], "error");
    assert_eq!(danger["rule"], "exp\u{fffd}[2J");
    assert_eq!(danger["usd_per_month"], Json::Null);
    assert_eq!(json["partial"], "half of it");
    for format in Format::ALL {
        assert!(!write(&report, format, &view()).contains('\u{1b}'));
    }
}

#[test]
fn a_simulation_in_words_and_in_json() {
    let (simulated, prices) = (simulated(), virginia());
    let text = simulation_of(&simulated, &prices, Format::Table);
    for part in ["moves to glacier_ir", "deletes for good", "fees, once", "$ saved so far"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let json: Json =
        serde_json::from_str(&simulation_of(&simulated, &prices, Format::Json)).unwrap();
    assert_eq!(json["rows"][1]["deleted"]["objects"], 1);
    assert_eq!(json["months"].as_array().unwrap().len(), 12);
    // 4 TiB of Standard for the first month of 730 h.
    assert_eq!(json["months"][0]["stay_usd"], 94.208);
}

#[test]
fn a_plan_says_what_it_would_change_and_what_it_never_puts() {
    let wanted = policy();
    let tags = Tags::default();
    let verdict = merge(&MergeInput {
        bucket: "b",
        is_directory: false,
        current: None,
        unknown_fields: &[],
        versioning: Some(Versioning::Off),
        tags: Some(&tags),
        wanted: &wanted,
    });
    let report =
        PlanReport { verdict: &verdict, bucket: "b", blocked: &[], files: &[], simulation: None };
    let text = write(&report, Format::Table, &view());
    assert!(text.contains("never put, written to a file: experiments/ [burntop:delete="), "{text}");
    assert!(text.contains("nothing was changed in S3"), "{text}");
    let json: Json = serde_json::from_str(&write(&report, Format::Json, &view())).unwrap();
    assert_eq!(json["rows"][0]["change"], "added");
    assert_eq!(json["rows"].as_array().unwrap().len(), 1);
    assert_eq!(json["quarantined"], 1);
    assert_eq!(json["blocked"], Json::Array(Vec::new()));
    assert_eq!(json["before_sha256"].as_str().unwrap().len(), 64);
}
