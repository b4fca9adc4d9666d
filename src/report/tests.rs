//! Each format of each report on the fixture fleet.

use std::sync::Arc;

use super::{
    Format, Gpus, GroupedGpus, Instances, List, ListField, OverviewReport, json_lines, write,
};
use crate::domain::NetUnknown;
use crate::fleet::savings::Potential;
use crate::fleet::{Fleet, GpuFleet, Savings};
use crate::tabs::gpus::picture::{GpuField, GpuGrouping, GroupField, fixture as gpu_fixture};
use crate::tabs::idle::picture::Field;
use crate::view::fixture::{ascii, ctx, fleet};
use crate::view::{Filter, Sort, TableField, ViewContext, table};

/// The rows of a list that a filter chooses.
fn list<F: ListField>(rows: &[Arc<F::Row>], filter: Option<&str>, of: F::Of) -> List<F> {
    let chosen = filter.map(|text| Filter::parse(F::table(), text).unwrap());
    let chosen = table::select(&F::rows(rows), chosen.as_ref(), Sort::default(), &ctx());
    List::of(chosen.into_iter().map(|i| rows[i as usize].clone()).collect(), None, of)
}

fn instances(fleet: Fleet, filter: Option<&str>) -> List<Field> {
    let of = Instances { fleet: Arc::new(fleet), preset: "cautious".to_owned() };
    list(&of.fleet.clone().rows, filter, of)
}

fn idle(format: Format, ctx: &ViewContext) -> String {
    write(&instances(fleet(), None), format, ctx)
}

fn overview_of(fleet: Fleet, gpus: GpuFleet, savings: Option<Savings>) -> OverviewReport {
    OverviewReport {
        fleet: Arc::new(fleet),
        gpus: Arc::new(gpus),
        storage: None,
        savings: savings.map(Arc::new),
        past: None,
        preset: "cautious".to_owned(),
        filter: String::new(),
        findings: crate::report::FindingOptions::default(),
    }
}

fn overview(format: Format) -> String {
    write(&overview_of(fleet(), GpuFleet::default(), None), format, &ctx())
}

/// The golden files of a view but for JSON, which has fewer rows there.
fn golden(view: &str, of: impl Fn(Format) -> String) {
    for format in Format::ALL.into_iter().filter(|f| *f != Format::Json) {
        let name = match format {
            Format::Table => "a_table",
            Format::Md => "markdown",
            other => other.name(),
        };
        insta::assert_snapshot!(format!("{view}_as_{name}"), of(format));
    }
}

#[test]
fn idle_for_people_and_spreadsheets() {
    golden("idle", |format| idle(format, &ctx()));
}

#[test]
fn idle_as_an_ascii_table() {
    insta::assert_snapshot!(idle(Format::Table, &ascii()));
}

#[test]
fn idle_as_json() {
    let few = "verdict=partial or id=i-0c3unkn or id=i-1d0late";
    let list = List { filter: "…".to_owned(), ..instances(fleet(), Some(few)) };
    insta::assert_snapshot!(write(&list, Format::Json, &ctx()));
}

#[test]
fn overview_for_people_and_spreadsheets() {
    golden("overview", overview);
}

#[test]
fn overview_as_json() {
    let text = overview(Format::Json);
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["schema"], "burntop/overview/1");
    insta::assert_snapshot!(serde_json::to_string_pretty(&document["rows"]).unwrap());
}

#[test]
fn json_rows_have_the_fields_of_the_contract() {
    let document: serde_json::Value = serde_json::from_str(&idle(Format::Json, &ctx())).unwrap();
    assert_eq!(document["schema"], "burntop/idle/1");
    assert_eq!(document["generated_at"], "2026-03-14T15:09:26Z");
    let rows = document["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 11);
    for row in rows {
        for name in [
            "account",
            "region",
            "instance_id",
            "name",
            "instance_type",
            "gpus",
            "lifecycle",
            "state",
            "tags",
            "team",
            "environment",
            "verdict",
            "idle_since",
            "idle_since_at_least",
            "idle_gpus",
            "coverage",
            "signals",
            "usd_per_hour",
            "price_basis",
            "wasted_usd",
            "reason",
            "az",
            "owner",
            "project",
            "cost_center",
            "vcpus",
            "gpu_model",
            "not_checked",
        ] {
            assert!(row.get(name).is_some(), "{name} is missing in {row}");
        }
        assert!(row["tags"].is_object() && row["signals"].is_array());
        // Whatever can be filtered by, or is in CSV.
        for field in Field::ALL {
            assert!(row.get(field.spec().name).is_some(), "{field:?} is missing in {row}");
        }
    }
    let by_id = |id: &str| rows.iter().find(|r| r["instance_id"] == id).unwrap();
    assert_eq!(by_id("i-0a1idle")["idle_since"], "2026-03-11T03:09:26Z");
    assert_eq!(by_id("i-0a1idle")["gpu"], 0.002);
    assert_eq!(by_id("i-0d4spot")["lifecycle"], "spot");
    assert_eq!(by_id("i-0e5cpu")["lifecycle"], "on_demand");
    assert_eq!(by_id("i-1a7new")["verdict"], "too_new");
    assert!(by_id("i-0f6lic")["usd_per_hour"].is_null());
    assert!(by_id("i-0f6lic")["wasted_usd"].is_null());
    assert!(by_id("i-1d0late")["verdict"].is_null() && by_id("i-1d0late")["gpus"].is_null());
    assert_eq!(by_id("i-1c9stop")["usd_per_hour"], 0.0);
    let error = &document["errors"][0];
    assert_eq!(error["scope"], "111122223333/eu-west-1");
    assert_eq!(error["fix"], "allow cloudwatch:GetMetricData");
    assert_eq!(document["readings"][1]["age_s"], 108_000);
    assert!(document["readings"][2]["taken_at"].is_null());
}

#[test]
fn csv_reads_back_with_every_field_of_the_table() {
    let [_, _, text, _] = Format::ALL.map(|format| idle(format, &ctx()));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    assert_eq!(header, Field::ALL.map(|f| f.spec().name));
    let name = header.iter().position(|h| h == "name").unwrap();
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(records.len(), 11);
    assert!(records.iter().any(|r| &r[name] == "'=HYPERLINK(\"http://x\",\"a|b\")"));
    for record in &records {
        for (cell, field) in record.iter().zip(Field::ALL) {
            if matches!(field.spec().kind, crate::query::Kind::Number(_))
                && field != Field::IdleSince
            {
                assert!(cell.is_empty() || cell.parse::<f64>().is_ok(), "{}: {cell}", header[name]);
            }
        }
    }
}

#[test]
fn no_report_carries_a_control_character() {
    for format in Format::ALL {
        for text in [idle(format, &ctx()), overview(format)] {
            let unsafe_char =
                text.chars().find(|c| *c != '\n' && crate::domain::text::is_unsafe(*c));
            assert_eq!(unsafe_char, None, "{}", format.name());
        }
    }
}

#[test]
fn a_copied_row_is_one_line_of_json() {
    let text = json_lines(&instances(fleet(), Some("id=i-0a1idle")), usize::MAX, &ctx());
    assert!(!text.contains('\n'));
    let row: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(row["signals"].as_array().unwrap().len(), 9);
}

#[test]
fn formats_have_names() {
    for format in Format::ALL {
        assert_eq!(Format::from_name(&format.name().to_uppercase()), Some(format));
    }
    assert_eq!(Format::from_name("xml"), None);
}

#[test]
fn what_is_not_known_is_no_zero() {
    let mut fleet = fleet();
    let bare = |row: &Arc<crate::fleet::Row>| {
        let row = crate::fleet::Row { verdict: None, wasted_usd: None, ..(**row).clone() };
        Arc::new(row)
    };
    fleet.rows = fleet.rows.iter().map(bare).collect();
    fleet.totals = crate::fleet::Totals::of(fleet.rows.iter().map(|r| &**r));
    let text = write(&overview_of(fleet.clone(), GpuFleet::default(), None), Format::Json, &ctx());
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rows = document["rows"].as_array().unwrap();
    let sums = rows.iter().find(|row| row["section"] == "fleet").unwrap();
    let waste = rows.iter().find(|row| row["name"] == "waste").unwrap();
    assert!(waste["usd_per_hour"].is_null(), "{waste}");
    assert!(sums["usd_per_hour"].as_f64().unwrap() > 0.0);
    for field in ["waste_usd_per_hour", "wasted_usd", "share"] {
        assert!(sums[field].is_null(), "{field}: {sums}");
    }
    let table = write(&instances(fleet, None), Format::Table, &ctx());
    assert!(table.contains("waste – · wasted since idle –"), "{table}");
}

fn gpus(format: Format, ctx: &ViewContext, by: Option<GpuGrouping>) -> String {
    let list = gpu_list(fleet(), None);
    match by {
        Some(by) => {
            let of = GroupedGpus { list, by };
            write(&List::<GroupField>::of(of.groups(), None, of), format, ctx)
        }
        None => write(&list, format, ctx),
    }
}

fn gpu_list(fleet: Fleet, filter: Option<&str>) -> List<GpuField> {
    let of = Gpus { gpus: Arc::new(gpu_fixture::gpus()), fleet: Arc::new(fleet) };
    list(&of.gpus.clone().rows, filter, of)
}

#[test]
fn gpus_for_people_and_spreadsheets() {
    golden("gpus", |format| gpus(format, &ctx(), None));
}

#[test]
fn gpus_as_an_ascii_table() {
    insta::assert_snapshot!(gpus(Format::Table, &ascii(), None));
}

#[test]
fn gpus_as_json() {
    let few = "(node=gpu-node-1 and gpu_index>=5) or node=lab-07";
    let list = gpu_list(Fleet::default(), Some(few));
    insta::assert_snapshot!(write(&list, Format::Json, &ctx()));
}

#[test]
fn gpus_by_team_in_every_format() {
    let all = Format::ALL.map(|f| gpus(f, &ctx(), Some(GpuGrouping::Team))).join("\n");
    insta::assert_snapshot!(all);
}

#[test]
fn rows_of_gpus_have_the_fields_of_the_contract() {
    let document: serde_json::Value =
        serde_json::from_str(&gpus(Format::Json, &ctx(), None)).unwrap();
    assert_eq!(document["schema"], "burntop/gpus/1");
    assert_eq!(document["blind"][0]["missing"], 8);
    let rows = document["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 22);
    for row in rows {
        for name in [
            "account",
            "region",
            "instance_id",
            "node",
            "gpu_index",
            "uuid",
            "model",
            "mig",
            "state",
            "rung",
            "util",
            "sm_active",
            "tensor_active",
            "dram_active",
            "enc",
            "dec",
            "mem_used",
            "mem_total",
            "power_w",
            "power_limit_w",
            "temp_c",
            "xid",
            "owner",
            "team",
            "usd_per_hour",
            "idle_since",
            "wasted_usd",
            "age_s",
            "sources",
        ] {
            assert!(row.get(name).is_some(), "{name} is missing in {row}");
        }
        for field in GpuField::ALL {
            assert!(row.get(field.spec().name).is_some(), "{field:?} is missing in {row}");
        }
        for name in ["namespace", "pod", "job", "user"] {
            assert!(row["owner"].get(name).is_some(), "owner.{name} is missing");
        }
        assert!(!row["sources"].as_array().unwrap().is_empty());
        for ratio in ["util", "sm_active", "effective"] {
            assert!(row[ratio].as_f64().is_none_or(|r| (0.0..=1.0).contains(&r)), "{row}");
        }
    }
    let text = gpus(Format::Json, &ctx(), Some(GpuGrouping::Node));
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["schema"], "burntop/gpu_groups/1");
    let sum: f64 = document["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["wasted_usd"].as_f64().unwrap_or(0.0))
        .sum();
    // 5 × 24 h × 6.88 and 8 × 84 h × 2.744705.
    assert!((sum - (825.6 + 84.0 * 21.957_642)).abs() < 1e-3, "{sum}");
    let lab = document["rows"].as_array().unwrap().iter().find(|r| r["group"] == "lab-07").unwrap();
    assert!(lab["usd_per_hour"].is_null() && lab["wasted_usd"].is_null(), "{lab}");
}

#[test]
fn csv_of_gpus_reads_back_and_guards_formulas() {
    let [_, _, text, _] = Format::ALL.map(|format| gpus(format, &ctx(), None));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    assert_eq!(header, GpuField::ALL.map(|f| f.spec().name));
    let pod = header.iter().position(|h| h == "pod").unwrap();
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(records.len(), 22);
    assert!(records.iter().any(|r| &r[pod] == "'=HYPER|link"));
}

#[test]
fn the_overview_takes_in_what_gpus_tell() {
    let gpus = gpu_fixture::gpus();
    let text = write(&overview_of(fleet(), gpus, None), Format::Table, &ctx());
    insta::assert_snapshot!(text);
}

#[test]
fn the_overview_says_what_could_be_saved() {
    let savings = crate::tabs::savings::picture::fixture::savings();
    let of = |savings: &Savings, format| {
        let report = overview_of(fleet(), GpuFleet::default(), Some(savings.clone()));
        write(&report, format, &ctx())
    };
    insta::assert_snapshot!(of(&savings, Format::Table));
    let text = of(&savings, Format::Json);
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rows = document["rows"].as_array().unwrap();
    let part = |section: &str| rows.iter().filter(|r| r["section"] == section).collect::<Vec<_>>();
    let falls = part("waterfall");
    let usd = |row: &serde_json::Value, name: &str| row[name].as_f64().unwrap();
    // Before, six steps, after; what the steps save is what lies between, to the cent.
    assert_eq!(falls.len(), 8);
    let steps = &falls[1..7];
    let sum: f64 = steps.iter().map(|r| usd(r, "saves_usd_per_hour")).sum();
    assert!((usd(falls[0], "usd_per_hour") - usd(falls[7], "usd_per_hour") - sum).abs() < 1e-6);
    assert!((usd(falls[7], "saves_usd_per_hour") - sum).abs() < 1e-6);
    assert!((usd(steps[0], "saves_usd_per_month") - 7300.0).abs() < 1e-3, "10 $/h");
    assert!((usd(falls[7], "gross_usd_per_hour") - 102.775).abs() < 1e-6);
    assert!(part("sequence").len() > 3);
    assert!(part("score").iter().any(|r| r["name"] == "commitment_utilisation"));
    // What models could be run cheaper for stands beside all of it, and changes nothing.
    let mut potential = savings.clone();
    let found = Potential { up_to_usd_per_hour: 12.5, workloads: 2, scripts: 1 };
    potential.waterfall.potential = Some(found);
    let beside: serde_json::Value = serde_json::from_str(&of(&potential, Format::Json)).unwrap();
    assert_eq!(beside["potential"]["up_to_usd_per_hour"], 12.5);
    let section = |of: &serde_json::Value, section: &str| -> Vec<serde_json::Value> {
        let rows = of["rows"].as_array().unwrap().iter();
        rows.filter(|row| row["section"] == section).cloned().collect()
    };
    assert_eq!(section(&beside, "waterfall"), section(&document, "waterfall"));
    let task = section(&beside, "sequence").into_iter().find(|row| row["name"] == "models");
    let task = task.unwrap();
    assert!(task["saves_usd_per_hour"].is_null());
    assert_eq!(task["note"], "up to $12.50/h, in no sum: measure first; burntop models");
    let text = of(&potential, Format::Table);
    assert!(text.contains("Potential, in no figure above: 2 models at low use"), "{text}");
    // What is not known is not passed off as known.
    let mut unread = savings.clone();
    unread.waterfall.net_unknown = Some(NetUnknown::Fixture("denied"));
    let text = of(&unread, Format::Table);
    assert!(text.contains("at list price: denied"), "{text}");
    assert!(!text.contains("net of commitments"), "{text}");
}
