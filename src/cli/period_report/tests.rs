//! The report of the demo: its figures beside those of the other views, and its page.

use serde_json::Value as Json;

use crate::cli::args::Cli;
use crate::cli::{Asked, dispatch, fleet};
use crate::config::Env;
use clap::Parser;

const NOW: &str = "2026-03-14T15:09:00Z";

fn printed(words: &[&str], format: &str) -> String {
    let global = ["burntop", "--demo", "--no-cache", "--demo-size", "60", "--now", NOW];
    // The commands that show the fleet look at the locale of the process, the others at no environment.
    let words = [&global[..], words, &["--symbols", "ascii", "--format", format]].concat();
    let cli = Cli::try_parse_from(words).unwrap();
    let asked = Asked::of(&cli, Env::default(), None, None);
    let mut out = Vec::new();
    dispatch(cli.command, &asked, &mut out, fleet).unwrap();
    String::from_utf8(out).unwrap()
}

fn json(words: &[&str]) -> Json {
    serde_json::from_str(&printed(words, "json")).unwrap()
}

/// The rows of a section.
fn section<'a>(of: &'a Json, name: &str) -> Vec<&'a Json> {
    of["rows"].as_array().unwrap().iter().filter(|row| row["section"] == name).collect()
}

#[test]
fn figures_of_the_report_are_those_of_the_other_views() {
    let report = json(&["report", "weekly"]);
    assert_eq!(report["schema"], "burntop/report/1");
    let overview = json(&["overview"]);
    for name in ["finding", "ladder", "waterfall", "team", "score"] {
        let (own, other) = (section(&report, name), section(&overview, name));
        assert!(!own.is_empty(), "{name}");
        assert_eq!(own, other, "{name}");
    }
    let rows = |of: &Json| of["rows"].as_array().unwrap().clone();
    let without_section = |row: &Json| {
        let mut row = row.clone();
        row.as_object_mut().unwrap().remove("section");
        row
    };
    for (name, command) in [("anomaly", &["bill", "anomalies"][..]), ("forecast", &["budgets"][..])]
    {
        let own: Vec<Json> = section(&report, name).into_iter().map(without_section).collect();
        assert_eq!(own, rows(&json(command)), "{name}");
    }
    // The week that ended before is the trend's row of it.
    assert_eq!(report["period"]["name"], "2026-W10");
    let trend = json(&["trend", "--by", "week"]);
    let week = rows(&trend).into_iter().find(|row| row["period"] == "2026-W10").unwrap();
    let spend = section(&report, "spend");
    let told = |name: &str| spend.iter().find(|row| row["name"] == name).unwrap()["value"].clone();
    for name in ["burn_usd", "waste_usd", "usd_per_hour", "waste_usd_per_hour", "gpus"] {
        assert!(week[name].as_f64().unwrap() > 0.0, "{name}: {week}");
        assert_eq!(told(name), week[name], "{name}");
    }
    // Days and teams add up to it.
    for name in ["day", "team_period"] {
        let sum: f64 =
            section(&report, name).iter().filter_map(|row| row["burn_usd"].as_f64()).sum();
        let whole = week["burn_usd"].as_f64().unwrap();
        assert!((sum - whole).abs() < 0.01, "{name}: {sum} {whole}");
    }
}

#[test]
fn the_page_is_whole_and_asks_for_nothing() {
    let page = printed(&["report", "monthly"], "html");
    let elements = crate::report::html_for_tests::read(&page).unwrap();
    assert_eq!(crate::report::html_for_tests::references(&page), [""; 0]);
    let ids: Vec<&str> =
        elements.iter().filter(|e| e.tag == "section").filter_map(|e| e.get("id")).collect();
    let links: Vec<&str> = elements
        .iter()
        .filter_map(|e| e.get("href"))
        .map(|href| href.strip_prefix('#').unwrap())
        .collect();
    assert_eq!(links, ids);
    for id in ["period", "spend", "day", "trend", "saved", "team_period", "finding", "score"] {
        assert!(ids.contains(&id), "{id}: {ids:?}");
    }
    let charts = elements.iter().filter(|e| e.tag == "svg").count();
    assert_eq!(charts, 2);
    assert_eq!(page, printed(&["report", "monthly"], "html"), "the demo is deterministic");
}

#[test]
fn html_is_of_the_report_alone_and_a_report_is_of_everything() {
    let fails = |words: &[&str]| {
        let words = [&["burntop", "--demo", "--no-cache", "--now", NOW], words].concat();
        let cli = Cli::try_parse_from(words).unwrap();
        let asked = Asked::of(&cli, Env::default(), None, None);
        let ended = dispatch(cli.command, &asked, &mut Vec::new(), fleet);
        ended.unwrap_err().to_string()
    };
    let error = fails(&["idle", "--format", "html"]);
    assert!(error.contains("`burntop report`"), "{error}");
    let error = fails(&["report", "weekly", "--filter", "team=nlp"]);
    assert!(error.contains("a report is of everything"), "{error}");
}

#[test]
fn what_is_sent_has_spend_findings_and_forecast_in_lines() {
    let sent = printed(&["report", "weekly", "--send", "terminal"], "table");
    let (report, spend) = (printed(&["report", "weekly"], "csv"), "burn in the hours seen, this $");
    assert!(sent.starts_with("burntop, week 2026-W10: 2026-03-02 to 2026-03-08 (UTC)\n"), "{sent}");
    let line = sent.lines().find(|line| line.contains(spend)).unwrap();
    // The figure of the report, as people read it.
    let row = report.lines().find(|line| line.starts_with("spend,burn_usd,")).unwrap();
    let told = line.split(spend).nth(1).unwrap().split(", before").next().unwrap();
    let told: f64 = told.replace(',', "").parse().unwrap();
    let exact = row.split(',').find_map(|cell| cell.parse::<f64>().ok()).unwrap();
    assert!((told - exact).abs() < 0.006, "{told} of {exact}");
    for title in ["Top findings now", "Forecast: budgets by the newest bill"] {
        assert!(sent.contains(title), "{sent}");
    }
    assert!(sent.ends_with("terminal: sent\n"), "{sent}");
}
