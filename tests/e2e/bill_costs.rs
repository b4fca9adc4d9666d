//! What was billed is read from Cost Explorer where there is no export: once, for the price that was said.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::emulators::{emulators, python};
use crate::world::{World, cache_dir};

/// Answers in the order of a first look: other charges, use of three months, eleven older months by account, and three
/// pairs of three months. The emulator gives each new question the next one.
const ANSWERED: &str = r"
import datetime, json, sys, urllib.request
day = datetime.datetime.now(datetime.timezone.utc).date().replace(day=1)
months = []
for _ in range(14):
    months.append(day)
    day = (day - datetime.timedelta(days=1)).replace(day=1)
def period(day, key, amount):
    cost = {'Amount': amount, 'Unit': 'USD'}
    metrics = {'UnblendedCost': cost, 'AmortizedCost': cost, 'NetAmortizedCost': cost,
               'UsageQuantity': {'Amount': '24', 'Unit': 'Hrs'}}
    return {'TimePeriod': {'Start': str(day), 'End': str(day + datetime.timedelta(days=1))},
            'Total': {}, 'Estimated': day == months[0],
            'Groups': [{'Keys': ['Amazon SageMaker', key], 'Metrics': metrics}]}
lists = [[period(day, 'Credit', '-0.25') for day in months[2::-1]]]
lists += [[period(day, 'USE1-Train:ml.p4d.24xlarge', '100.1234567891')] for day in months[:3]]
lists += [[period(day, '111122223333', '50') for day in months[:2:-1]]]
for day in months[:3]:
    lists += [[period(day, key, '99.8734567891')] for key in ('111122223333', 'team$nlp', 'us-east-1')]
results = [{'ResultsByTime': rows, 'DimensionValueAttributes': []} for rows in lists]
url = sys.argv[1] + '/moto-api/static/ce/cost-and-usage-results'
body = json.dumps({'results': results}).encode()
urllib.request.urlopen(urllib.request.Request(url, body, {'Content-Type': 'application/json'}))
";

fn import(world: &World, home: &Path, more: &[&str]) -> Output {
    let args = ["bill", "import", "--cost-explorer", "--format", "json"];
    let mut command = world.command(home, &[&args[..], more].concat());
    command.env("AWS_ENDPOINT_URL_COST_EXPLORER", &emulators().moto).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn costs_are_asked_with_a_yes_alone_and_once() {
    let (home, world) = (tempfile::tempdir().unwrap(), World::fine());
    let unasked = import(&world, home.path(), &[]);
    assert_eq!(unasked.status.code(), Some(2), "{}", said(&unasked));
    assert!(said(&unasked).contains("14 requests, $0.14"), "{}", said(&unasked));

    let answered =
        Command::new(python()).args(["-c", ANSWERED, &emulators().moto]).output().unwrap();
    assert!(answered.status.success(), "{}", said(&answered));
    for unchanged in [false, true] {
        let output = import(&world, home.path(), &["--yes"]);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let rows = report["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 23, "{rows:?}");
        for row in rows {
            assert_eq!(row["unchanged"], unchanged, "{row}");
            assert_eq!(row["format"], "cost_explorer");
            assert_eq!(row["list_usd"], Value::Null, "{row}");
        }
        // Each pair has all of the money of a month.
        let recent = rows.iter().filter(|row| row["billed_usd"] != 50);
        let recent: Vec<f64> = recent.map(|row| row["billed_usd"].as_f64().unwrap()).collect();
        assert_eq!(recent, [99.873_456_789_1; 12]);
        assert_eq!(rows.iter().filter(|row| row["state"] == "open").count(), 4);
        assert_eq!(said(&output).contains("all is read"), unchanged, "{}", said(&output));
    }
    assert!(cache_dir(home.path()).join("bills.db").exists());
}
