//! `burntop teams`, `budgets` and `quotas` on the demo, and what they refuse.

use clap::Parser;
use serde_json::Value as Json;

use crate::cli::exit::{CliError, Exit};
use crate::cli::{Asked, Cli, dispatch, fleet};
use crate::config::{Env, Paths};
use crate::domain::format;

/// A directory with a configuration.
struct Place(tempfile::TempDir);

impl Place {
    fn new(config: &str) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        std::fs::create_dir(place.0.path().join("config")).unwrap();
        std::fs::write(place.0.path().join("config/config.toml"), config).unwrap();
        place
    }

    /// What a command line prints of the demo at 80 columns.
    fn run(&self, now: &str, words: &[&str]) -> Result<(Exit, String), CliError> {
        let global = ["burntop", "--demo", "--demo-size", "60", "--no-cache", "--now", now];
        let cli = Cli::try_parse_from([&global[..], words].concat()).unwrap();
        let at = |name: &str| self.0.path().join(name);
        let paths =
            Paths { config_dir: at("config"), cache_dir: at("cache"), state_dir: at("state") };
        let asked = Asked::of(&cli, Env::default(), Some(paths), Some(80));
        let mut out = Vec::new();
        let exit = dispatch(cli.command, &asked, &mut out, fleet)?;
        Ok((exit, String::from_utf8(out).unwrap()))
    }

    fn json(&self, now: &str, words: &[&str]) -> (Exit, Json) {
        let (exit, text) = self.run(now, &[words, &["--format", "json"]].concat()).unwrap();
        (exit, serde_json::from_str(&text).unwrap())
    }
}

const NOW: &str = "2026-11-24T09:00:00Z";

fn rows(document: &Json) -> &Vec<Json> {
    document["rows"].as_array().unwrap()
}

/// Digits of a decimal behind the point, as a whole number of 10⁻¹⁸.
fn exact(text: &str) -> i128 {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{}{part:0<18}", whole.trim_start_matches('-'));
    let number: i128 = digits.parse().unwrap();
    if whole.starts_with('-') { -number } else { number }
}

#[test]
fn dollars_by_each_dimension_are_those_of_the_bill() {
    let place = Place::new("");
    // As text: a number of JSON with all its digits is no binary number.
    let of = |words: &[&str], field: &str| -> Vec<i128> {
        let (_, csv) =
            place.run(NOW, &[words, &["--columns", field, "--format", "csv"]].concat()).unwrap();
        csv.lines().skip(1).map(|line| exact(line.split(',').next().unwrap())).collect()
    };
    let bill: i128 = of(&["bill"], "effective_usd").iter().sum();
    for by in ["team", "project", "env", "cost_center", "user"] {
        assert_eq!(of(&["teams", "--by", by], "usd").iter().sum::<i128>(), bill, "{by}");
    }
    let (exit, found) = place.json(NOW, &["teams"]);
    assert_eq!((exit, &found["schema"]), (Exit::Ok, &Json::from("burntop/teams/1")));
    let team = |name: &str| rows(&found).iter().find(|row| row["key"] == name).unwrap().clone();
    assert!(team("nlp")["shared_usd"].as_f64().unwrap() > 0.0);
    assert!(
        team("nlp")["budget_usd"].as_f64().unwrap() < team("nlp")["direct_usd"].as_f64().unwrap()
    );
    assert!(team("nlp")["gpu_hours"].as_f64().unwrap() > 0.0);
    assert!(rows(&found).iter().any(|row| row["untagged"] == "untaggable" && row["key"].is_null()));
    assert_eq!(found["remarks"], serde_json::json!([]));
}

#[test]
fn one_team_of_the_demo_is_over_its_budget_on_the_19th_whenever_one_looks() {
    let place = Place::new("");
    for (now, day) in [
        ("2026-11-12T09:00:00Z", "2026-11-19"),
        (NOW, "2026-11-19"),
        ("2026-02-28T23:30:00Z", "2026-02-19"),
    ] {
        let (exit, found) = place.json(now, &["budgets"]);
        let nlp = rows(&found).iter().find(|row| row["name"] == "nlp").unwrap().clone();
        assert_eq!((exit, &nlp["exceeds_on"]), (Exit::Ok, &Json::from(day)), "{now}");
        let is_past = now > day;
        assert_eq!(nlp["state"] == "over", is_past, "{nlp}");
        assert!(nlp["exceeds_probability"].as_f64().unwrap() >= 0.5);
        assert_eq!(nlp["forecast_usd"]["p50"], nlp["forecast_p50_usd"]);
        let vision = rows(&found).iter().find(|row| row["name"] == "vision").unwrap().clone();
        assert_eq!(vision["exceeds_on"], Json::Null);
    }
    let (exit, _) = place.run(NOW, &["budgets", "--fail-on", "findings"]).unwrap();
    assert_eq!(exit, Exit::Findings);
    let (exit, _) =
        place.run(NOW, &["budgets", "--fail-on", "findings", "--filter", "name=vision"]).unwrap();
    assert_eq!(exit, Exit::Ok);
}

#[test]
fn a_quota_of_the_demo_is_broken_and_what_is_asked_for_is_held_against_quotas_and_budgets() {
    let place = Place::new("");
    let (exit, found) = place.json(NOW, &["quotas"]);
    assert_eq!(found["schema"], "burntop/quotas/1");
    let nlp = &rows(&found)[0];
    assert_eq!(
        (&nlp["team"], &nlp["state"], nlp["over"].as_f64()),
        (&"nlp".into(), &"over".into(), Some(8.0))
    );
    assert!(nlp["since"].is_string() && exit != Exit::Findings);
    let (exit, found) =
        place.json(NOW, &["quotas", "--what-if", "team=Speech,type=p5.48xlarge,count=2"]);
    let answer = &found["what_if"];
    assert_eq!(
        (exit, &answer["fits"], &answer["team"]),
        (Exit::Findings, &false.into(), &"speech".into())
    );
    assert!(answer["exceeds"][0].as_str().unwrap().ends_with("by 8 GPUs"), "{answer}");
    let (exit, text) =
        place.run(NOW, &["quotas", "--what-if", "team=vision,type=g6.xlarge,count=1"]).unwrap();
    assert!(text.contains("1 × g6.xlarge for vision: fits"), "{text}");
    assert_ne!(exit, Exit::Findings);
    let (exit, found) =
        place.json(NOW, &["quotas", "--what-if", "team=nlp,type=p5.48xlarge,count=2"]);
    let exceeds = found["what_if"]["exceeds"].to_string();
    assert_eq!(exit, Exit::Findings);
    assert!(exceeds.contains("its budget nlp of") && exceeds.contains("on the 19th"), "{exceeds}");
    for words in ["team=ghost,type=p5.48xlarge", "team=nlp,type=p9.huge"] {
        assert!(
            matches!(place.run(NOW, &["quotas", "--what-if", words]), Err(CliError::Usage(_))),
            "{words}"
        );
    }
}

#[test]
fn resources_without_tags_come_with_commands_and_texts_to_copy() {
    let place = Place::new("[teams]\nrequired_tags = ['team', 'cost_center']\n");
    let (_, found) = place.json(NOW, &["teams", "tags", "--limit", "5"]);
    assert_eq!(found["schema"], "burntop/teams-tags/1");
    assert_eq!(rows(&found).len(), 5);
    let share = found["total"]["compliance"].as_f64().unwrap();
    assert!((0.1..0.99).contains(&share), "{share}");
    let (_, commands) = place.run(NOW, &["teams", "tags", "--print", "commands"]).unwrap();
    assert!(
        commands.lines().any(|line| line.starts_with("aws ec2 create-tags --resources i-")),
        "{commands}"
    );
    let (_, policy) = place.run(NOW, &["teams", "tags", "--print", "tag-policy"]).unwrap();
    let policy: Json = serde_json::from_str(&policy).unwrap();
    assert_eq!(policy["tags"]["cost-center"]["tag_key"]["@@assign"], "cost-center");
    let (_, template) = place.run(NOW, &["teams", "tags", "--print", "launch-template"]).unwrap();
    let template: Json = serde_json::from_str(&template).unwrap();
    assert_eq!(template["TagSpecifications"][0]["Tags"][0]["Key"], "team");
}

#[test]
fn rules_budgets_and_quotas_of_the_configuration_go_before_the_demo() {
    let place = Place::new(
        "[teams]\nnames = ['NLP', 'vision']\n[teams.aliases]\nspeech = 'nlp'\n\
         [[budgets]]\nname = 'storage'\nfilter = 'category=storage'\nusd = 1.5\n\
         [[quotas]]\nteam = 'nlp'\ngpus = 100000\n",
    );
    let (_, found) = place.json(NOW, &["teams"]);
    assert!(rows(&found).iter().any(|row| row["key"] == "NLP"));
    assert!(rows(&found).iter().all(|row| row["key"] != "speech"));
    let remarks = found["remarks"].to_string();
    assert!(remarks.contains("recsys") && remarks.contains("is none of `names`"), "{remarks}");
    let (_, found) = place.json(NOW, &["budgets"]);
    assert_eq!((rows(&found).len(), &rows(&found)[0]["state"]), (1, &"over".into()));
    let (_, found) = place.json(NOW, &["quotas"]);
    assert_eq!((rows(&found).len(), &rows(&found)[0]["state"]), (1, &"fits".into()));
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    for (config, said) in [
        ("[teams]\nnmaes = []\n", "config.toml:2: unknown key `nmaes`"),
        ("[teams.aliases]\na = 'b'\nb = 'a'\n", "config.toml:2: `teams.aliases.a`"),
        (
            "[[teams.map]]\nteam = 'a'\nname = '*'\n[[teams.map]]\nteam = 'b'\nname = 'x'\n",
            "config.toml:4: `teams.map[1]`",
        ),
        (
            "[[budgets]]\nname = 'a'\nusd = 1\nfilter = 'teem=x'\n",
            "config.toml:4: `budgets[0].filter`",
        ),
        (
            "[[budgets]]\nname = 'a'\nusd = 1\n[[budgets]]\nname = 'b'\nusd = 1\n",
            "`budgets[1].filter`",
        ),
        ("[[units]]\nname = 'a'\n", "config.toml:1: `units[0]`"),
        ("[[units]]\nname = 'a'\nprometheus = 'x'\n", "config.toml:3: `units[0].prometheus`"),
        (
            "[[gpus.prometheus]]\nname = 'p'\nurl = 'http://p'\n[[gpus.prometheus]]\nname = 'q'\n\
             url = 'http://q'\n[[units]]\nname = 'a'\nprometheus = 'x'\n",
            "config.toml:9: `units[0].prometheus`: several servers",
        ),
        (
            "[[units]]\nname = 'a'\n[units.cloudwatch]\nnamespace = 'S'\nmetric = 'M'\n\
             region = 'us-east-1'\nstatistic = 'p99'\n",
            "config.toml:7: `units[0].cloudwatch.statistic`",
        ),
        (
            "[teams]\nnames = ['a']\n[[quotas]]\nteam = 'b'\ngpus = 1\n",
            "config.toml:4: `quotas[0].team`",
        ),
    ] {
        let error = Place::new(config).run(NOW, &["budgets"]).unwrap_err().to_string();
        assert!(error.contains(said), "{config}: {error}");
    }
    let place = Place::new("");
    let error = place.run(NOW, &["budgets", "--period", "2031-01"]).unwrap_err().to_string();
    assert!(error.contains("no bill of 2031-01"), "{error}");
}

#[test]
fn a_policy_waits_for_the_level_of_its_budget_and_does_nothing_where_it_is_not_known() {
    let place = Place::new("");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/policy.example.toml");
    let run = |level: &str| place.run(NOW, &["policy", "run", file, "--when-budget", level]);
    let (exit, text) = run("vision:100%").unwrap();
    assert_eq!((exit, text.as_str()), (Exit::Ok, ""));
    let (_, text) = run("nlp:95%").unwrap();
    assert!(text.contains("stop") || text.contains("mark"), "{text}");
    let error = run("ghost:95%").unwrap_err();
    assert!(
        matches!(&error, CliError::Usage(text) if text.contains("nothing was done")),
        "{error}"
    );
}

#[test]
fn a_unit_cost_of_the_demo_rises_by_volume_and_a_file_of_counts_is_read() {
    let place = Place::new("");
    let (exit, found) = place.json(NOW, &["units"]);
    assert_eq!((exit, &found["schema"]), (Exit::Ok, &"burntop/units/1".into()));
    let row = &rows(&found)[0];
    let number = |value: &Json| value.as_f64().unwrap();
    let (spend, volume) = (number(&row["change"]["spend"]), number(&row["change"]["volume"]));
    assert!(number(&row["trend"]) > 0.2 && volume > 4.0 * spend.abs(), "{row}");
    let moved = number(&row["usd_per_unit"]) - number(&row["usd_per_unit_before"]);
    assert!((spend + volume - moved).abs() < 2e-6);
    // 15% more runs bear the same dollars: 13% less each.
    let run = &rows(&found)[1];
    assert_eq!((rows(&found).len(), &run["name"]), (7, &"training run".into()));
    assert!((-0.2..-0.06).contains(&number(&run["trend"])), "{run}");
    let (exit, _) = place.run(NOW, &["units", "--fail-on", "findings"]).unwrap();
    assert_eq!(exit, Exit::Findings);
    let file = place.0.path().join("counts.csv");
    std::fs::write(&file, "date,count\n2026-11-01,1000\n2026-11-02,0\n").unwrap();
    let config = format!(
        "[[units]]\nname = 'run'\nfilter = 'category=training'\ncsv = '{}'\n",
        file.display()
    );
    let place = Place::new(&config);
    let (exit, found) = place.json(NOW, &["units"]);
    assert_eq!((exit, rows(&found)[0]["count"].as_f64()), (Exit::Ok, Some(1000.0)));
    assert_eq!(
        (rows(&found)[0]["days"].as_f64(), &rows(&found)[0]["change"]),
        (Some(2.0), &Json::Null)
    );
    std::fs::write(&file, "date,count\nyesterday,1\n").unwrap();
    let (exit, found) = place.json(NOW, &["units"]);
    assert_eq!((exit, &rows(&found)[0]["usd_per_unit"]), (Exit::Partial, &Json::Null));
}

/// Dollars and runs of attempts on GPUs that ended in these days, as the rows of `jobs` tell them: those that completed, all.
fn run_sums(jobs: &Json, days: [&str; 2], team: Option<&str>) -> [(f64, f64); 2] {
    let mut sums = [(0.0, 0.0); 2];
    let begun =
        |row: &Json| row["started_at"].as_str().or(row["submitted_at"].as_str()).map(str::to_owned);
    // The day on which the first one began is not whole.
    let first = rows(jobs).iter().filter_map(begun).min().unwrap();
    for row in rows(jobs) {
        let ended = row["ended_at"].as_str().unwrap_or_default();
        let is_in = !ended.is_empty()
            && (days[0]..days[1]).contains(&&ended[..10])
            && ended[..10] > first[..10];
        let has_gpus = row["gpus"].as_f64().is_some_and(|gpus| gpus > 0.0);
        let is_theirs = team.is_none_or(|team| row["team"] == team);
        if !(is_in && has_gpus && is_theirs) {
            continue;
        }
        // A run whose price is not known is a run.
        let usd = row["usd"].as_f64().unwrap_or(0.0);
        sums[1].0 += usd;
        if row["state"] == "completed" {
            sums[0].0 += usd;
            sums.iter_mut().for_each(|sum| sum.1 += 1.0);
        }
    }
    sums
}

#[test]
fn what_a_run_costs_are_the_dollars_of_its_jobs_by_those_that_completed() {
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-6 * b.abs().max(1.0), "{a} {b}");
    let place = Place::new("");
    let (_, jobs) = place.json(NOW, &["jobs"]);
    let (_, found) = place.json(NOW, &["units"]);
    let of = |found: &Json, name: &str| {
        rows(found).iter().find(|row| row["name"] == name).unwrap().clone()
    };
    // The day of now goes on, and lies in no sum.
    let days = ["2026-11-01", &NOW[..10]];
    let sums = run_sums(&jobs, days, None);
    for (name, from, (usd, runs)) in
        [("GPU run", "completed_jobs", sums[0]), ("GPU run with failed ones", "jobs", sums[1])]
    {
        let row = of(&found, name);
        assert!(runs > 10.0 && row["from"] == from, "{row}");
        near(row["count"].as_f64().unwrap(), runs);
        near(row["usd"].as_f64().unwrap(), usd);
        near(row["usd_per_unit"].as_f64().unwrap(), usd / runs);
        // The demo's jobs are of three weeks: there is no month before. Of the one that left its box nobody knows the price.
        assert_eq!(row["usd_per_unit_before"], Json::Null);
        assert_eq!(
            (&row["bound"], row["unpriced_attempts"].as_f64()),
            (&"at_least".into(), Some(1.0))
        );
    }
    assert!(sums[1].0 > sums[0].0, "what failed is paid as well");
    let place = Place::new("[[units]]\nname = 'nlp run'\njobs = 'team=nlp'\ntarget_usd = 0.01\n");
    let (_, found) = place.json(NOW, &["units"]);
    let (usd, runs) = run_sums(&jobs, days, Some("nlp"))[1];
    let row = of(&found, "nlp run");
    near(row["usd_per_unit"].as_f64().unwrap(), usd / runs);
    assert_eq!((rows(&found).len(), &row["filter"]), (1, &"team=nlp".into()));
    let (exit, _) = place.run(NOW, &["units", "--fail-on", "findings"]).unwrap();
    assert_eq!(exit, Exit::Findings);
    let (_, overview) = place.json(NOW, &["overview"]);
    let is_it = |row: &&Json| row["section"] == "score" && row["name"] == "nlp run";
    let note = rows(&overview).iter().find(is_it).unwrap()["note"].to_string();
    assert!(note.contains(": missed"), "{note}");
}

#[test]
fn runs_of_any_end_useful_hours_and_predictions_of_the_demo_cost_what_its_attempts_tell() {
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-6 * b.abs().max(1.0), "{a} {b}");
    let place = Place::new("");
    let (_, jobs) = place.json(NOW, &["jobs"]);
    let (_, found) = place.json(NOW, &["units"]);
    let of = |name: &str| rows(&found).iter().find(|row| row["name"] == name).unwrap();
    let text = |row: &Json, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let begun = |row: &Json| [text(row, "started_at"), text(row, "submitted_at")].concat();
    let mut in_order: Vec<&Json> = rows(&jobs).iter().collect();
    in_order.sort_by_key(|row| begun(row));
    let is_in = |row: &Json| {
        let ended = text(row, "ended_at");
        ended.as_str() >= "2026-11-01" && ended.as_str() < &NOW[..10]
    };
    let first = begun(in_order[0]);
    let (mut runs, mut usd, mut useful, mut left_out) = (0.0, 0.0, 0.0, 0.0);
    for (at, row) in in_order.iter().enumerate() {
        let has_gpus = row["gpus"].as_f64().is_some_and(|gpus| gpus > 0.0);
        if !is_in(row) || !has_gpus || text(row, "ended_at")[..10] <= first[..10] {
            continue;
        }
        let is_retried = in_order[at + 1..]
            .iter()
            .any(|later| ["cluster", "job_id"].iter().all(|key| later[key] == row[key]));
        runs += f64::from(row["state"] == "completed" || !is_retried);
        match row["usd"].as_f64() {
            None => left_out += 1.0,
            Some(paid) => {
                usd += paid;
                useful += row["gpu_hours"].as_f64().unwrap();
                useful -= row["lost_gpu_hours"].as_f64().unwrap();
            }
        }
    }
    let row = of("GPU run of any end");
    near(row["count"].as_f64().unwrap(), runs);
    near(row["usd_per_unit"].as_f64().unwrap(), usd / runs);
    let row = of("useful GPU-hour");
    near(row["count"].as_f64().unwrap(), useful);
    near(row["usd_per_unit"].as_f64().unwrap(), usd / useful);
    assert_eq!(
        (&row["bound"], row["attempts_left_out"].as_f64()),
        (&"at_most".into(), Some(left_out))
    );
    // Three runs of 6 h and one of 5½ that failed, on nodes of $55.04 an hour, for three million.
    let row = of("thousand predictions of jobs");
    near(row["count"].as_f64().unwrap(), 3e6);
    near(row["usd"].as_f64().unwrap(), 23.5 * 55.04);
    near(row["usd_per_unit"].as_f64().unwrap(), 23.5 * 55.04 / 3e3);
    assert_eq!((&row["bound"], &row["counted"]), (&"exact".into(), &"predictions".into()));
    // No telemetry is kept of the demo's jobs.
    assert!(rows(&found).iter().all(|row| row["name"] != "GPU-hour at work"));
    // Those of teams are all of them.
    let (_, teams) = place.json(NOW, &["units", "--by", "team"]);
    let of_teams = rows(&teams).iter();
    let of_teams = of_teams.filter(|row| text(row, "name").starts_with("GPU run of any end: "));
    let parts: Vec<&Json> = of_teams.collect();
    assert!(parts.len() > 3, "{}", parts.len());
    let sum = |key: &str| parts.iter().map(|row| row[key].as_f64().unwrap_or(0.0)).sum::<f64>();
    near(sum("count"), runs);
    near(sum("usd"), usd);
    assert!(rows(&teams).iter().all(|row| row["from"] != "bill"));
}

#[test]
fn the_scorecard_has_the_unit_costs_that_nobody_has_to_be_asked_for() {
    let note = |place: &Place, words: &[&str], name: &str| {
        let (_, found) = place.json(NOW, words);
        let is_it = |row: &&Json| row["section"] == "score" && row["name"] == name;
        rows(&found).iter().find(is_it).map(|row| row["note"].as_str().unwrap().to_owned())
    };
    let usd = |row: &Json, key: &str| format::usd_rate(row[key].as_f64().unwrap());
    let place = Place::new("");
    let (_, found) = place.json(NOW, &["units"]);
    let of = |name: &str| rows(&found).iter().find(|row| row["name"] == name).unwrap();
    let days = |row: &Json| row["days"].as_f64().unwrap();
    let row = of("thousand predictions");
    let want = format!(
        "{} each; 2026-11, {} days; target ≤$0.45: missed; rising, {} before",
        usd(row, "usd_per_unit"),
        days(row),
        usd(row, "usd_per_unit_before")
    );
    assert_eq!(note(&place, &["overview"], "thousand predictions"), Some(want));
    let row = of("training run");
    let want = format!(
        "{} each; 2026-11, {} days; target falling: met; falling, {} before",
        usd(row, "usd_per_unit"),
        days(row),
        usd(row, "usd_per_unit_before")
    );
    assert_eq!(note(&place, &["overview"], "training run"), Some(want));
    let some = ["overview", "--filter", "state=running"];
    assert_eq!(note(&place, &some, "training run"), None, "the bill is that of everything");

    let file = place.0.path().join("counts.csv");
    std::fs::write(&file, "date,count\n2026-11-01,1000\n2026-11-02,0\n").unwrap();
    let place = Place::new(&format!(
        "[[gpus.prometheus]]\nname = 'p'\nurl = 'http://127.0.0.1:9'\n\
         [[units]]\nname = 'run'\nfilter = 'category=training'\ncsv = '{}'\n\
         [[units]]\nname = 'token'\nprometheus = 'sum(x)'\n\
         [[units]]\nname = 'third'\nprometheus = 'sum(y)'\n",
        file.display()
    ));
    let (_, found) = place.json(NOW, &["units"]);
    let want = format!("{} each; 2026-11, 2 days", usd(&rows(&found)[0], "usd_per_unit"));
    assert_eq!(note(&place, &["overview"], "run"), Some(want));
    let asked = Some("asked by `burntop units`".to_owned());
    assert_eq!(note(&place, &["overview"], "token"), asked);
    assert_eq!(note(&place, &["overview"], "third"), None, "the first two alone");
    std::fs::write(&file, "date,count\nyesterday,1\n").unwrap();
    let broken = Some("counts cannot be read".to_owned());
    assert_eq!(note(&place, &["overview"], "run"), broken);
}

#[test]
fn people_of_the_demo_stand_beside_the_bill_and_fill_the_calculator() {
    let place = Place::new("");
    let (exit, found) = place.json(NOW, &["people"]);
    assert_eq!((exit, &found["schema"]), (Exit::Ok, &"burntop/people/1".into()));
    let number = |value: &Json| value.as_f64().unwrap();
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-4 * b.abs().max(1.0), "{a} {b}");
    // 4 × 16 × 52 ÷ 12 h; the hours of the tools are a part of tooling.
    let hours: f64 = rows(&found).iter().map(|row| number(&row["hours_per_month"])).sum();
    near(hours, 64.0 * 52.0 / 12.0);
    let people = 64.0 * 52.0 / 12.0 * 110.0;
    let (total, automation) = (&found["total"], &found["automation"]);
    near(number(&total["people_usd"]), people);
    near(number(&total["licence_usd"]), 2_150.0);
    let (_, bill) = place.json(NOW, &["teams"]);
    near(number(&total["bill_usd"]), number(&bill["total"]["usd"]));
    near(number(&total["usd"]), number(&total["bill_usd"]) + people + 2_150.0);
    near(number(&total["people_share"]), people / number(&total["usd"]));
    // Half of a quarter, a fifth of a fifth, three fifths of 15 %.
    let returned = people * (0.125 + 0.04 + 0.09);
    near(number(&automation["returned_usd"]), returned);
    near(number(&automation["pay_back_months"]), 90_000.0 / (returned - 2_500.0));
    assert_eq!(automation["never_pays_back"], false);
    let (_, text) = place.run(NOW, &["people"]).unwrap();
    assert!(text.contains("published example") && text.contains("pays back in"), "{text}");
    let (_, command) = place.run(NOW, &["people", "--print", "tco"]).unwrap();
    let words: Vec<&str> = command.split_whitespace().skip(1).collect();
    assert_eq!(words[..2], ["whatif", "tco"]);
    let (exit, sheet) = place.run(NOW, &words).unwrap();
    assert!(exit == Exit::Ok && sheet.contains("people"), "{sheet}");
}

#[test]
fn people_of_the_configuration_go_before_the_demo_and_what_cannot_be_has_its_line() {
    let place = Place::new(
        "[people]\nengineers = 1\nhours_per_week = 12\nautomation_usd = 100\n\
         [[people.tools]]\nname = 'a'\nusd_per_month = 9.95\n",
    );
    let (_, found) = place.json(NOW, &["people"]);
    assert_eq!((&found["total"]["people_usd"], rows(&found).len()), (&0.into(), 6));
    assert_eq!(rows(&found)[0]["people_usd"], Json::Null);
    assert_eq!(found["total"]["is_lower_bound"], true);
    assert_eq!(found["automation"]["never_pays_back"], Json::Null);
    for (config, said) in [
        ("[people]\nengineers = -1\n", "config.toml:2"),
        ("[people]\nenginers = 1\n", "config.toml:2: unknown key `enginers`"),
        ("[people.hours]\nmeetings = 3\n", "config.toml:2: unknown key `meetings`"),
        ("[people]\nengineers = 1\n", "config.toml:2: `people.engineers`"),
        (
            "[[people.tools]]\nname = 'a'\nusd_per_month = 1\n[[people.tools]]\nname = 'A'\nusd_per_month = 1\n",
            "config.toml:5: `people.tools[1].name`",
        ),
    ] {
        let error = Place::new(config).run(NOW, &["people"]).unwrap_err().to_string();
        assert!(error.contains(said), "{config}: {error}");
    }
}

#[test]
fn the_demo_asks_nobody_for_counts_or_budgets_and_says_so() {
    let place = Place::new(
        "[[gpus.prometheus]]\nname = 'p'\nurl = 'http://127.0.0.1:9'\n\
         [[units]]\nname = 'run'\nfilter = 'category=training'\nprometheus = 'sum(x)'\n",
    );
    let (exit, found) = place.json(NOW, &["units"]);
    let row = &rows(&found)[0];
    assert_eq!((exit, &row["usd_per_unit"], &row["days"]), (Exit::Partial, &Json::Null, &0.into()));
    let error = place.run(NOW, &["budgets", "--aws"]).unwrap_err();
    assert!(matches!(&error, CliError::Usage(text) if text.contains("demo")), "{error}");
    // What AWS says is of the current period.
    let both = ["burntop", "budgets", "--aws", "--period", "2026-10"];
    assert!(Cli::try_parse_from(both).is_err());
}
