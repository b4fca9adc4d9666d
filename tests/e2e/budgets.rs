//! Budgets of AWS Budgets, through the real client.

use serde_json::{Value, json};

use crate::world::{DEAD, World};

#[test]
fn budgets_of_aws_are_listed_as_aws_says_them_and_one_of_use_is_left_out_and_said() {
    let home = tempfile::tempdir().unwrap();
    let output = World::fine().run(home.path(), &["budgets", "--aws", "--format", "json"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    assert!(error.contains("budget-use is left out: it counts no costs"), "{error}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 3, "{report:#}");
    for (name, state, spent, forecast, length) in [
        ("budget-over", "over", 1200.5, 1500.0, "monthly"),
        ("budget-will", "will_exceed", 900.0, 1000.01, "monthly"),
        ("budget-quarter", "fine", 10.0, 20.0, "quarterly"),
    ] {
        let row = rows.iter().find(|row| row["name"] == name).unwrap();
        let known = ["source", "state", "length", "filter"].map(|key| row[key].clone());
        let wanted = ["aws", state, length, "Service=Amazon SageMaker"].map(|text| json!(text));
        assert_eq!(known, wanted, "{row:#}");
        let figures = ["limit_usd", "spent_usd", "forecast_p50_usd"].map(|key| row[key].as_f64());
        assert_eq!(figures, [Some(1000.0), Some(spent), Some(forecast)], "{row:#}");
        for unknown in ["forecast_p10_usd", "forecast_p90_usd", "exceeds_on", "level"] {
            assert_eq!(row[unknown], Value::Null, "{unknown}: {row:#}");
        }
    }
    let findings = ["budgets", "--aws", "--fail-on", "findings"];
    assert_eq!(World::fine().run(home.path(), &findings).status.code(), Some(1));
}

#[test]
fn an_account_whose_budgets_cannot_be_read_is_said_and_the_code_is_3() {
    let home = tempfile::tempdir().unwrap();
    let world = World::fine();
    let mut command = world.command(home.path(), &["budgets", "--aws"]);
    let output = command.env("AWS_ENDPOINT_URL_BUDGETS", DEAD).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{error}");
    assert!(error.contains("budgets:ViewBudget"), "{error}");
    // Without --aws nobody is asked.
    let output = world.run(home.path(), &["budgets"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("no budget is configured"), "{error}");
}
