//! Each list in each format, with exact figures.

use std::sync::Arc;

use serde_json::Value as Json;

use super::SavedOf;
use crate::fleet::Savings;
use crate::report::{Format, List, ListField, write};
use crate::tabs::savings::picture::fixture::{denied, savings, savings_of};
use crate::tabs::savings::picture::{
    CommitmentField, ModelField, ProposalField, ResourceField, SpotField, resource_items,
};
use crate::view::fixture::{ascii, ctx};
use crate::view::{TableField, ViewContext};

fn of<F: ListField<Of = SavedOf>>(
    savings: &Savings,
    rows: &[Arc<F::Row>],
    format: Format,
    ctx: &ViewContext,
) -> String {
    let of = SavedOf { savings: Arc::new(savings.clone()), readings: savings.readings.clone() };
    write(&List::<F>::of(rows.to_vec(), None, of), format, ctx)
}

fn every(savings: &Savings, format: Format, ctx: &ViewContext) -> [(&'static str, String); 5] {
    let items = resource_items(savings);
    [
        ("commitments", of::<CommitmentField>(savings, &savings.commitments, format, ctx)),
        ("rightsize", of::<ProposalField>(savings, &savings.proposals, format, ctx)),
        ("spot", of::<SpotField>(savings, &savings.spot, format, ctx)),
        ("resources", of::<ResourceField>(savings, &items, format, ctx)),
        ("models", of::<ModelField>(savings, &savings.models, format, ctx)),
    ]
}

#[test]
fn each_list_in_each_format() {
    let savings = savings();
    for format in Format::ALL {
        for (view, text) in every(&savings, format, &ctx()) {
            insta::assert_snapshot!(format!("{view}@{}", format.name()), text);
        }
    }
    for (view, text) in every(&savings, Format::Table, &ascii()) {
        insta::assert_snapshot!(format!("{view}@ascii"), text);
    }
    for (view, text) in every(&denied(), Format::Table, &ctx()) {
        insta::assert_snapshot!(format!("{view}@denied"), text);
    }
}

fn json(view: &str, savings: &Savings) -> Json {
    let all = every(savings, Format::Json, &ctx());
    let (_, text) = all.iter().find(|(name, _)| *name == view).unwrap();
    serde_json::from_str(text).unwrap()
}

#[test]
fn json_has_the_envelope_of_the_contract_and_every_field() {
    fn fields<F: TableField>(document: &Json) {
        for row in document["rows"].as_array().unwrap() {
            for field in F::all() {
                assert!(row.get(field.spec().name).is_some(), "{}", field.spec().name);
            }
        }
    }
    let savings = savings();
    for view in ["commitments", "rightsize", "spot", "resources", "models"] {
        let document = json(view, &savings);
        assert_eq!(document["schema"], format!("burntop/{view}/1"));
        assert_eq!(document["generated_at"], "2026-03-14T15:09:26Z");
        for part in ["rows", "readings", "errors", "net_unknown"] {
            assert!(document[part].is_array(), "{view}: {part}");
        }
        assert!(document["basis"].as_str().unwrap().contains("730 h"));
    }
    fields::<CommitmentField>(&json("commitments", &savings));
    fields::<ProposalField>(&json("rightsize", &savings));
    fields::<SpotField>(&json("spot", &savings));
    fields::<ResourceField>(&json("resources", &savings));
    fields::<ModelField>(&json("models", &savings));
}

#[test]
fn no_sum_has_a_measure_on_a_model() {
    let document = json("models", &savings());
    // Of two workloads the largest counts; nowhere are their bounds added up.
    let totals = document["totals"].as_object().unwrap();
    assert_eq!((&totals["workloads"], &totals["measures"]), (&2.into(), &6.into()));
    assert!(totals.keys().all(|name| !name.contains("usd")), "{totals:?}");
    assert_eq!(document["all"]["potential_up_to_usd_per_hour"], Json::Null, "not known is no 0");
    assert_eq!(
        (&document["all"]["unmeasured"], &document["all"]["unnamed"]),
        (&1.into(), &2.into())
    );
    let rows = document["rows"].as_array().unwrap();
    assert_eq!(rows[2]["up_to_usd_per_hour"], Json::Null);
    assert_eq!(rows[0]["instance_ids"].as_array().unwrap().len(), 2);
    assert_eq!(rows[0]["usage"], 0.125);
}

#[test]
fn what_the_utilisation_leaves_out_is_said() {
    let partly = savings_of(|s| (s.sums.utilisation_of, s.sums.left_out) = (3, 2));
    let sums = &json("commitments", &partly)["sums"];
    assert_eq!((&sums["utilisation_of"], &sums["utilisation_left_out"]), (&3.into(), &2.into()));
    let [(_, text), ..] = every(&partly, Format::Table, &ctx());
    let said =
        "utilisation by dollars 84% of 3, 2 left out: price or use not known · 168 hours looked at";
    assert!(text.contains(said), "{text}");
    // Room is in force and paid for by nobody: the count of the scorecard is without it.
    assert!(text.contains(" in force, 1 of them room that is billed as usage: paid "), "{text}");
}

#[test]
fn a_lower_bound_is_no_figure() {
    let idle = |at_least| {
        savings_of(|s| {
            for row in s.resources.iter_mut().map(Arc::make_mut) {
                if let Some(verdict) = row.verdict.as_mut() {
                    Arc::make_mut(verdict).idle_since_at_least = at_least;
                }
            }
        })
    };
    let cells = |savings: &Savings, ctx: &ViewContext| -> Vec<String> {
        let items = resource_items(savings);
        items.iter().map(|item| ResourceField::Wasted.cell(item, ctx)).collect()
    };
    let (exact, bounds) = (cells(&idle(false), &ctx()), cells(&idle(true), &ctx()));
    assert!(exact.iter().any(|cell| cell != "–"), "{exact:?}");
    for (exact, bound) in exact.iter().zip(&bounds) {
        let want = if exact == "–" { exact.clone() } else { format!("≥{exact}") };
        assert_eq!(*bound, want);
    }
    assert!(cells(&idle(true), &ascii()).iter().any(|cell| cell.starts_with('>')));
}

#[test]
fn commitments_in_figures() {
    let document = json("commitments", &savings());
    let rows = document["rows"].as_array().unwrap();
    let ri = &rows[1];
    assert_eq!(ri["id"], "11111111-ri");
    assert_eq!(ri["kind"], "reserved_instances");
    assert_eq!(ri["usd_per_hour"], 54);
    assert_eq!(ri["unused_usd_per_hour"], 27);
    assert_eq!(ri["utilisation"], 0.75, "a ratio");
    assert_eq!(ri["effective_usd_per_hour"], 18);
    assert_eq!(ri["on_demand_usd_per_hour"], 21.957_642);
    assert_eq!(ri["saves_usd_per_hour"], 11.872_926);
    assert_eq!(ri["left"], 200 * 86_400);
    assert_eq!(ri["count"], 4);
    assert_eq!(ri["findings"].as_array().unwrap().len(), 2);
    // Capacity has no end, plans no count; what nobody could read is null, never 0.
    assert_eq!(rows[0]["left"], Json::Null);
    assert_eq!(rows[0]["available"], 1);
    assert_eq!(rows[2]["count"], Json::Null);
    assert_eq!(rows[3]["utilisation"], Json::Null);
    assert_eq!(rows[3]["unused_usd_per_hour"], Json::Null);
    assert_eq!(rows[3]["rates_known"], true);
    assert_eq!(rows[4]["state"], "pending");
    // In force: 55.04 + 27 + 0 unused, of one it is not known; 54 + 30 + 5 paid, as the sums say. Not
    // the room, which is usage that others of them pay for, nor what is queued.
    assert_eq!(document["totals"]["unused_usd_per_hour"], 82.04);
    assert_eq!(document["totals"]["unused_unknown"], 1);
    assert_eq!(document["totals"]["in_force"], 4);
    assert_eq!(document["totals"]["usd_per_hour"], 89);
    assert_eq!(document["sums"]["coverage"], 0.61);
    assert_eq!(document["sums"]["committed_usd_per_hour"], 89);
}

#[test]
fn gross_and_net_of_proposals_and_spot_in_figures() {
    let document = json("rightsize", &savings());
    let rows = document["rows"].as_array().unwrap();
    let money = |row: &Json| (row["gross_usd_per_hour"].clone(), row["net_usd_per_hour"].clone());
    assert_eq!(money(&rows[0]), (4.666.into(), 4.666.into()));
    assert_eq!(money(&rows[1]), (16.468.into(), 0.into()));
    assert_eq!(money(&rows[2]), (0.8.into(), Json::Null));
    assert_eq!(money(&rows[3]), (Json::Null, Json::Null));
    assert_eq!(rows[1]["worthless_until"], "2026-09-30T15:09:26Z");
    assert_eq!(rows[0]["need_gpu_memory"], 11_264_i64 * 1_048_576);
    assert_eq!(rows[0]["need_memory"], Json::Null);
    assert_eq!(rows[0]["says"].as_array().unwrap().len(), 2);
    assert_eq!(rows[3]["verdict"], "pre_allocated");
    let totals = &document["totals"];
    // 4.666 + 16.468 + 0.8; net of the third is not known.
    assert_eq!(totals["gross_usd_per_hour"], 21.934);
    assert_eq!(totals["net_usd_per_hour_each_alone"], 4.666);
    assert_eq!(
        (&totals["proposals"], &totals["net_unknown"], &totals["worthless"]),
        (&3.into(), &1.into(), &1.into())
    );

    let document = json("spot", &savings());
    let rows = document["rows"].as_array().unwrap();
    assert_eq!(money(&rows[0]), (14.757_642.into(), 13.857_642.into()));
    assert_eq!(rows[0]["interruption"], "5-10%");
    assert_eq!(rows[0]["checkpoint_every"], 5_400);
    assert_eq!(rows[0]["efficiency"], 0.93);
    assert_eq!(rows[0]["zones"][0]["mean_usd_per_hour"], 7.92);
    assert_eq!(rows[1]["net_usd_per_hour"], -0.1, "a loss is told");
    assert_eq!(rows[3]["workload"], Json::Null);
    // What does not fit counts for nothing: 14.757642 + 0.606, 13.857642 − 0.1.
    assert_eq!(document["totals"]["gross_usd_per_hour"], 15.363_642);
    assert_eq!(document["totals"]["net_usd_per_hour_each_alone"], 13.757_642);
}

#[test]
fn resources_in_figures() {
    let document = json("resources", &savings());
    let rows = document["rows"].as_array().unwrap();
    assert_eq!(rows[0]["kind"], "endpoint");
    assert_eq!(rows[0]["pattern"], "never_used");
    assert_eq!(rows[0]["wasted_usd"], 254.52);
    assert_eq!(rows[0]["idle_since"], "2026-03-07T15:09:26Z");
    assert_eq!(rows[0]["signals"][0]["got"], 168);
    assert_eq!(rows[0]["tags"]["team"], "vision");
    assert_eq!(rows[5]["usd_per_hour"], Json::Null, "no price is no 0");
    assert_eq!(rows[5]["coverage"], 0.25);
    // 1.515 + 0.5 + 0.045 + 0.02 + 0.005.
    assert_eq!(document["totals"]["waste_usd_per_hour"], 2.085);
    assert_eq!(document["totals"]["net_usd_per_hour"], 2.085);
    assert_eq!(
        (&document["totals"]["idle"], &document["totals"]["resources"]),
        (&5.into(), &7.into())
    );
    // Where plans could not be read, what SageMaker bills has no net: 0.045 + 0.02 + 0.005.
    let document = json("resources", &denied());
    assert_eq!(document["totals"]["net_usd_per_hour"], 0.07);
    assert_eq!(document["totals"]["net_unknown"], 2);
}

#[test]
fn without_the_permission_net_is_null_and_the_reason_is_named() {
    let document = json("rightsize", &denied());
    for row in document["rows"].as_array().unwrap() {
        assert_eq!(row["net_usd_per_hour"], Json::Null);
    }
    assert_eq!(document["totals"]["net_usd_per_hour_each_alone"], Json::Null);
    assert_eq!(document["net_unknown"][0]["source"], "savings_plans");
    assert!(document["errors"][0]["message"].as_str().unwrap().contains("DescribeSavingsPlans"));
}

#[test]
fn csv_guards_formulas_and_leaves_unknown_empty() {
    let savings = savings();
    let [_, _, [_, (_, text), ..], _] = Format::ALL.map(|format| every(&savings, format, &ctx()));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    assert_eq!(header, ProposalField::ALL.map(|f| f.spec().name));
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let cell = |row: usize, f: ProposalField| rows[row][f as usize].to_owned();
    assert_eq!(cell(2, ProposalField::Name), "'=cmd|'x'!A1");
    assert_eq!(cell(2, ProposalField::Net), "");
    assert_eq!(cell(1, ProposalField::Net), "0");
}
