//! No line of a report is wider than the terminal, whichever subcommand prints it.

use clap::CommandFactory;

use super::list_options::LISTS;
use super::*;
use crate::view::room::columns;

/// Subcommands that print no table of a fleet, or that act.
const OTHERS: [&str; 10] = [
    "approve",
    "apply",
    "audit",
    "policy",
    "doctor",
    "iam-policy",
    "cache",
    "config",
    "completions",
    "man",
];

/// Instances of a small demo, whose lists have rows of every kind.
const SMALL: &str = "20";

/// Paths of all subcommands that have none below them, and of lists that have.
fn leaves(command: &clap::Command, path: &[String], into: &mut Vec<(Vec<String>, bool)>) {
    for sub in command.get_subcommands() {
        let path = [path, &[sub.get_name().to_owned()]].concat();
        let is_list = sub.get_arguments().any(|arg| arg.get_id() == "columns");
        if is_list || !sub.has_subcommands() {
            into.push((path.clone(), is_list));
        }
        leaves(sub, &path, into);
    }
}

/// What a command line prints of a demo of `size` instances at a width; `None` where it wants more words than these.
fn printed(words: &[&str], size: &str, width: Option<u16>) -> Option<Result<String, CliError>> {
    let global = ["burntop", "--demo", "--no-cache", "--now", "2026-03-14T15:09:00Z"];
    let cli = Cli::try_parse_from([&global[..], &["--demo-size", size], words].concat()).ok()?;
    let asked = Asked::of(&cli, Env::default(), None, width);
    let mut out = Vec::new();
    let ended = dispatch(cli.command, &asked, &mut out, fleet);
    Some(ended.map(|_| String::from_utf8(out).unwrap()))
}

#[test]
fn every_subcommand_with_the_options_of_a_list_is_in_the_table_of_lists() {
    let mut all = Vec::new();
    leaves(&Cli::command(), &[], &mut all);
    let lists: Vec<Vec<String>> =
        all.into_iter().filter(|(_, is_list)| *is_list).map(|(path, _)| path).collect();
    let table: Vec<Vec<String>> = LISTS
        .iter()
        .map(|(path, _)| path.iter().map(|word| (*word).to_owned()).collect())
        .collect();
    assert_eq!(lists, table);
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let mut all = Vec::new();
    leaves(&Cli::command(), &[], &mut all);
    // The memo is Markdown, whose lines its reader wraps.
    all.retain(|(path, _)| !OTHERS.contains(&&*path[0]) && path[path.len() - 1] != "memo");
    // Below the watch there are rules, messages and a schema.
    all.retain(|(path, _)| path[0] != "watch" || path.len() == 1);
    all.push((["gpus", "--group", "team"].map(str::to_owned).to_vec(), true));
    // It goes on for ever otherwise; and messages, which are to be copied, are as long as they are.
    let dir = tempfile::tempdir().unwrap();
    let (rules, sent) = (dir.path().join("rules.toml"), dir.path().join("sent.jsonl"));
    let to_file = format!("type = \"file\"\npath = \"{}\"", sent.display());
    std::fs::write(&rules, crate::watch::TEMPLATE.replace("type = \"stdout\"", &to_file)).unwrap();
    let once = ["--once", "--rules", rules.to_str().unwrap()].map(str::to_owned);
    let watch = all.iter_mut().find(|(path, _)| *path == ["watch"]).unwrap();
    watch.0.extend(once);
    let mut checked = 0;
    for (path, is_list) in &all {
        let words: Vec<&str> = path.iter().map(String::as_str).collect();
        for width in [40, 80, 120, 200] {
            // Making the fleet anew is what each run costs: the planted instances are in the smallest one too.
            let Some(printed) = printed(&words, SMALL, Some(width)) else { continue };
            let text = match printed {
                Ok(text) => text,
                Err(error) if *is_list => panic!("{path:?}: {error}"),
                Err(_) => continue,
            };
            let wide: Vec<&str> =
                text.lines().filter(|line| columns(line) > usize::from(width)).collect();
            assert!(wide.is_empty(), "{path:?} at {width}:\n{}", wide.join("\n"));
            checked += 1;
        }
    }
    assert!(checked > 4 * (LISTS.len() + 5), "{checked}");
    assert!(sent.exists(), "the watch has looked");
}

#[test]
fn columns_order_and_number_are_chosen_on_the_command_line() {
    let idle = |words: &[&str]| printed(&[&["idle"], words].concat(), "80", Some(80)).unwrap();
    let text = idle(&["--columns", "name,$,team", "--sort=-$,name", "--limit", "3"]).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let heads: Vec<&str> = lines[0].split_whitespace().collect();
    assert_eq!(heads, ["NAME", "$/h", "TEAM"]);
    let left_out = " instances left out by --limit; sums are of all";
    assert!(lines[4].ends_with(left_out), "{text}");
    let csv = idle(&["--format", "csv", "--sort=-$", "--columns", "$", "--limit", "20"]).unwrap();
    let rates: Vec<f64> = csv
        .lines()
        .skip(1)
        .map(|line| line.split(',').next().unwrap().parse().unwrap_or(-1.0))
        .collect();
    assert_eq!(rates.len(), 20);
    assert!(rates.is_sorted_by(|a, b| a >= b), "{rates:?}");
    let json = idle(&["--format", "json", "--limit", "2"]).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["rows"].as_array().unwrap().len(), 2);
    assert!(json["rows_left_out"].as_u64().unwrap() > 50, "{json}");
    let error = idle(&["--columns", "naem"]).unwrap_err();
    assert_eq!(error.exit(), Exit::Usage);
    assert!(
        error.to_string().starts_with(
            "--columns: there is no field of instances \"naem\"; did you mean `name`?"
        ),
        "{error}"
    );
    assert!(idle(&["--sort", "nmae"]).unwrap_err().to_string().starts_with("--sort: "));
}

#[test]
fn the_findings_of_the_overview_are_a_list_like_others() {
    let overview =
        |words: &[&str]| printed(&[&["overview"], words].concat(), "80", Some(100)).unwrap();
    let rows = |words: &[&str]| -> Vec<serde_json::Value> {
        let text = overview(&[words, &["--format", "json"]].concat()).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let all = json["rows"].as_array().unwrap().iter();
        all.filter(|row| row["section"] == "finding").cloned().collect()
    };
    assert_eq!(rows(&[]).len(), 5);
    let many = rows(&["--limit", "12"]);
    assert_eq!((many.len(), &many[..5]), (12, &rows(&[])[..]));
    // Sorted before they are cut.
    let wasted: Vec<f64> = rows(&["--sort=-wasted", "--limit", "9"])
        .iter()
        .map(|row| row["wasted_usd"].as_f64().unwrap_or(0.0))
        .collect();
    let most = rows(&["--limit", "1000"])
        .iter()
        .filter_map(|row| row["wasted_usd"].as_f64())
        .fold(0.0, f64::max);
    assert_eq!((wasted.len(), wasted[0]), (9, most));
    assert!(wasted.is_sorted_by(|a, b| a >= b), "{wasted:?}");
    let text = overview(&["--columns", "team,$", "--limit", "3"]).unwrap();
    let at = text.find("Costliest findings").unwrap();
    let lines: Vec<&str> = text[at..].lines().skip(1).take(5).collect();
    assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), ["TEAM", "WASTE/h"]);
    assert_eq!(lines[4], "", "{lines:?}");
    assert!(text.contains(" findings left out by --limit"), "{text}");
    let error = overview(&["--columns", "vcpus"]).unwrap_err();
    assert!(error.to_string().starts_with("--columns: there is no field of findings"), "{error}");
    // Its filter is of instances all the same.
    assert!(overview(&["--filter", "vcpus>4", "--limit", "2"]).is_ok());
}

/// What is counted is GPUs, however they are printed.
#[test]
fn groups_of_gpus_are_a_list_like_others_and_gpus_are_counted() {
    let gpus = |words: &[&str]| printed(&[&["gpus"], words].concat(), "80", Some(100)).unwrap();
    let text = gpus(&["--group", "team", "--columns", "team", "--limit", "2"]).unwrap_err();
    assert!(text.to_string().starts_with("--columns: there is no field of groups"), "{text}");
    let text = gpus(&["--group", "team", "--columns", "group,gpus", "--limit", "2"]).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), ["TEAM", "GPUS"]);
    assert!(lines[3].ends_with(" groups left out by --limit; sums are of all"), "{text}");
    let csv = gpus(&["--group", "node", "--format", "csv", "--sort=-$"]).unwrap();
    let rates: Vec<f64> = csv
        .lines()
        .skip(1)
        .map(|line| line.split(',').next().unwrap().parse().unwrap_or(-1.0))
        .collect();
    assert!(rates.len() > 10 && rates.is_sorted_by(|a, b| a >= b), "{rates:?}");
    let ended = |words: &[&str]| {
        let global = ["burntop", "--demo", "--no-cache", "--now", "2026-03-14T15:09:00Z"];
        let words = [&global[..], &["--demo-size", "80", "gpus"], words].concat();
        let cli = Cli::try_parse_from(words).unwrap();
        let asked = Asked::of(&cli, Env::default(), None, None);
        dispatch(cli.command, &asked, &mut Vec::new(), fleet).unwrap()
    };
    let json = gpus(&["--format", "json", "--filter", "state=idle"]).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let idle = json["rows"].as_array().unwrap().len();
    let groups = gpus(&["--group", "state", "--format", "csv", "--filter", "state=idle"]).unwrap();
    assert!(idle > groups.lines().count(), "more GPUs than groups");
    for group in [&[][..], &["--group", "state"], &["--group", "team", "--limit", "1"]] {
        let fewer = format!("idle>{}", idle - 1);
        assert_eq!(ended(&[group, &["--fail-on", &fewer]].concat()), Exit::Findings);
        let all = format!("idle>{idle}");
        assert_ne!(ended(&[group, &["--fail-on", &all]].concat()), Exit::Findings);
    }
}
