//! Planning without a screen, on the real binary: figures that can be checked by hand, and each
//! kind of bad input with its code and its message.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

/// A folder with files, in which burntop runs: no credentials, no configuration.
struct Workdir {
    dir: tempfile::TempDir,
}

impl Workdir {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn run(&self, args: &str) -> Output {
        self.run_all(&args.split_whitespace().collect::<Vec<_>>())
    }

    fn run_all(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_burntop"))
            .arg("whatif")
            .args(args)
            .current_dir(self.dir.path())
            .env_clear()
            .env("HOME", self.dir.path())
            // Whoever would be asked is nobody.
            .env("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
            .output()
            .expect("burntop starts")
    }

    /// A command that must end well, as JSON.
    fn json(&self, args: &str) -> Value {
        let output = self.run(&format!("{args} --format json"));
        assert_eq!(output.status.code(), Some(0), "{args}\n{}", said(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// A command that must be refused as wrong usage: what it says.
    fn refused(&self, args: &str) -> String {
        let output = self.run(args);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(2), "{args}\n{said}");
        assert!(output.stdout.is_empty(), "{args}");
        said
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn near(value: &Value, want: f64) {
    let value = value.as_f64().unwrap_or(f64::NAN);
    assert!((value - want).abs() <= 1e-6 * want.abs().max(1.0), "{value} is not {want}");
}

/// Hours from the first of January on, with these units.
fn hourly(header: &str, units: impl IntoIterator<Item = String>) -> String {
    let start: jiff::Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    let mut text = format!("{header}\n");
    for (hour, units) in units.into_iter().enumerate() {
        let at = start + jiff::SignedDuration::from_hours(hour as i64);
        writeln!(text, "{at},{units}").unwrap();
    }
    text
}

/// 1, 2, …, 100 units: with r/p = 0.6 the best commitment is 40, by hand.
fn ramp(workdir: &Workdir) {
    workdir.file("ramp.csv", &hourly("time,gpus", (1..=100).map(|n: i32| n.to_string())));
}

/// Twelve weeks between 20 and 79 units.
fn weeks(workdir: &Workdir) {
    let units = (0..12 * 168).map(|h| (20 + (h * 7 + h / 168 * 13) % 60).to_string());
    workdir.file("weeks.csv", &hourly("time,gpus", units));
}

#[test]
fn reserve_of_the_past_is_the_sum_that_a_pencil_makes() {
    let workdir = Workdir::new();
    ramp(&workdir);
    let base = "reserve --demand ramp.csv --on-demand 3 --reserved 1.8 --paths 0";
    let report = workdir.json(base);
    assert_eq!(report["schema"], "burntop/whatif-reserve/1");
    near(&report["optimum"]["commit"], 40.0);
    // 1.8 × 40 × 100 + 3 × (1 + … + 60), against 3 × (1 + … + 100).
    near(&report["optimum"]["cost_usd"], 12_690.0);
    near(&report["optimum"]["on_demand_usd"], 15_150.0);
    near(&report["optimum"]["esr"], 1.0 - 12_690.0 / 15_150.0);
    near(&report["optimum"]["coverage"], 1.0 - 1_830.0 / 5_050.0);
    near(&report["optimum"]["utilisation"], 3_220.0 / 4_000.0);
    let valued = workdir.json(&format!("{base} --commit 90"));
    near(&valued["optimum"]["commit"], 40.0);
    near(&valued["valuation"]["commit"], 90.0);
    // 1.8 × 90 × 100 + 3 × (1 + … + 10): dearer than on demand.
    for name in ["mean_usd", "p5_usd", "p50_usd", "p95_usd"] {
        near(&valued["valuation"][name], 16_365.0);
    }
    near(&valued["valuation"]["prob_above_on_demand"], 1.0);
    near(&valued["valuation"]["worst5_savings_usd"], 15_150.0 - 16_365.0);
}

#[test]
fn reserve_over_futures_is_the_same_with_the_same_seed() {
    let workdir = Workdir::new();
    weeks(&workdir);
    let base = "reserve --demand weeks.csv --on-demand 10 --reserved 6 --paths 500 --drift 0.01";
    let [one, same, other] =
        ["--seed 1", "--seed 1", "--seed 2"].map(|seed| workdir.json(&format!("{base} {seed}")));
    assert_eq!(one["valuation"], same["valuation"]);
    assert_ne!(one["valuation"]["mean_usd"], other["valuation"]["mean_usd"]);
    let value = |name: &str| one["valuation"][name].as_f64().unwrap();
    assert!(value("p5_usd") <= value("p50_usd") && value("p50_usd") <= value("p95_usd"));
    assert!(value("mean_usd") < value("on_demand_usd"));
    assert!(value("safe_months") > 7.0 && value("safe_months") < 12.0);
    // The optimum is not dearer than its neighbours over the same futures.
    let best = one["optimum"]["commit"].as_f64().unwrap();
    let cost = one["optimum"]["cost_usd"].as_f64().unwrap();
    for units in [best - 3.0, best - 1.0, best + 1.0, best + 3.0] {
        let beside = workdir.json(&format!("{base} --seed 1 --commit {units}"));
        assert!(beside["valuation"]["mean_usd"].as_f64().unwrap() >= cost, "{units}");
    }
}

#[test]
fn optimum_is_the_cheapest_of_each_unit() {
    let workdir = Workdir::new();
    ramp(&workdir);
    workdir.file("t.toml", "on_demand = 3.0\n[[tier]]\nname = '1y'\nrate = 1.8\nterm = '1y'\n");
    let report = workdir.json("optimum --demand ramp.csv --tiers t.toml");
    assert_eq!(report["schema"], "burntop/whatif-optimum/1");
    // 8,760 h: 1 … 100 once, its last four days (5 … 100) 90 times, 5 … 24 once. Above 43 units are
    // 57 × 91 h, the first level that at most 60% of the hours exceed.
    assert_eq!(report["tiers"][0]["name"], "1y");
    near(&report["tiers"][0]["units"], 43.0);
    let cost = 1.8 * 43.0 * 8760.0 + 3.0 * 91.0 * 1653.0;
    let on_demand = 3.0 * (5050.0 + 90.0 * 5040.0 + 290.0);
    near(&report["cost_usd"], cost);
    near(&report["on_demand_usd"], on_demand);
    near(&report["esr"], 1.0 - cost / on_demand);
    assert_eq!(report["period"]["extrapolated"], "demand of 100 h repeated to 1 year");
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/tiers.example.toml");
    workdir.json(&format!("optimum --demand ramp.csv --tiers {example}"));
}

/// A term longer than the demand is paid to its end, and said to rest on repeated demand.
#[test]
fn optimum_charges_whole_terms_and_names_what_is_extrapolated() {
    let workdir = Workdir::new();
    weeks(&workdir);
    let tiers = |term: &str| {
        let text = format!("on_demand = 3.0\n[[tier]]\nname = 'c'\nrate = 1.4\nterm = '{term}'\n");
        workdir.file("t.toml", &text);
        workdir.json("optimum --demand weeks.csv --tiers t.toml")
    };
    let (once, twice, three) = (tiers("12w"), tiers("24w"), tiers("3y"));
    assert!(once["period"]["extrapolated"].is_null(), "{once}");
    assert_eq!(once["period"]["hours"], 2016);
    for name in ["cost_usd", "on_demand_usd"] {
        near(&twice[name], 2.0 * once[name].as_f64().unwrap());
    }
    near(&twice["esr"], once["esr"].as_f64().unwrap());
    assert_eq!(twice["period"]["extrapolated"], "demand of 12 weeks repeated to 24 weeks");
    // The whole bill of three years, not that of twelve weeks.
    let committed = &three["tiers"][0];
    near(&committed["cost_usd"], 1.4 * 26_280.0 * committed["units"].as_f64().unwrap());
    assert!(
        three["warnings"][0]
            .as_str()
            .unwrap()
            .starts_with("demand of 12 weeks repeated to 3 years:")
    );
    let text = workdir.run("optimum --demand weeks.csv --tiers t.toml");
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("demand of 12 weeks repeated to 3 years"), "{text}");
    // A period of the shorter term would be cut: refused, with the reason.
    let text = "on_demand = 3.0\n[[tier]]\nname = 'a'\nrate = 1.4\nterm = '1y'\n[[tier]]\nname = \
                'b'\nrate = 1.5\nterm = '5w'\n";
    workdir.file("t.toml", text);
    let said = workdir.refused("optimum --demand weeks.csv --tiers t.toml");
    assert!(said.contains("a term must divide the next longer one"), "{said}");
}

#[test]
fn backtest_names_ours_and_the_others_and_foresight_is_cheapest() {
    let workdir = Workdir::new();
    weeks(&workdir);
    let report = workdir.json(
        "backtest --demand weeks.csv --column gpus --on-demand 10 --reserved 6.3 --term-weeks 4 \
         --every-weeks 1",
    );
    assert_eq!(report["schema"], "burntop/whatif-backtest/1");
    let policies = report["policies"].as_array().unwrap();
    let names: Vec<&str> = policies.iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"burntop") && names.len() >= 7, "{names:?}");
    for policy in policies {
        assert!(policy["cost_above_foresight"].as_f64().unwrap() >= -1e-12, "{policy}");
    }
}

#[test]
fn a_scenario_compared_with_itself_differs_by_exactly_nothing() {
    let workdir = Workdir::new();
    weeks(&workdir);
    let scenario = "name = 'a'\n[future]\npaths = 300\n[[family]]\nname = 'gpus'\non_demand = \
                    10.0\ndrift = 0.01\n[[family.offer]]\nname = 'ri'\nkind = \
                    'standard_ri'\nweeks = 52\npayment = 'no-upfront'\nrate = \
                    6.0\n[[family.buy]]\noffer = 'ri'\nunits = 30.0\n";
    workdir.file("a.toml", scenario);
    workdir.file("b.toml", &scenario.replace("30.0", "31.0").replace("'a'", "'b'"));
    let report = workdir.json("compare a.toml a.toml b.toml --demand weeks.csv");
    let difference = |row: usize| &report["rows"][row]["difference"];
    assert!(difference(0).is_null());
    for name in ["mean_usd", "error_usd", "cheaper"] {
        assert_eq!(difference(1)[name], 0, "{name}");
    }
    assert_ne!(difference(2)["mean_usd"], 0);
    let memo = workdir.run("memo --demand weeks.csv --scenario a.toml");
    assert_eq!(memo.status.code(), Some(0), "{}", said(&memo));
    let memo = String::from_utf8(memo.stdout).unwrap();
    for part in [
        "# a\n",
        "**Answer.** ",
        "seed 1",
        "## What it rests on",
        "## Risks, and what is not known",
    ] {
        assert!(memo.contains(part), "{part}\n{memo}");
    }
}

/// Each family by itself is its part of all of them, in dollars that can be worked out by hand.
#[test]
fn what_one_family_costs_is_its_part_of_all() {
    let workdir = Workdir::new();
    let hours = (0..4 * 168).map(|_| "4,9".to_owned());
    workdir.file("two.csv", &hourly("time,a,b", hours));
    let family = |name: &str, on_demand: f64, rate: f64, units: f64| {
        format!(
            "[[family]]\nname = '{name}'\non_demand = {on_demand:.1}\n[[family.offer]]\nname = 'ri'\nkind = \
             'standard_ri'\nweeks = 52\npayment = 'no-upfront'\nrate = {rate:.1}\n[[family.buy]]\noffer = \
             'ri'\nunits = {units:.1}\n"
        )
    };
    let (a, b) = (family("a", 10.0, 6.0, 3.0), family("b", 3.0, 2.0, 5.0));
    workdir.file("plan.toml", &format!("[future]\npaths = 200\n{a}{b}"));
    let memo = |of: &str| workdir.json(&format!("memo --demand two.csv --scenario plan.toml{of}"));
    let mean = |memo: &Value| memo["rows"][0]["answer"]["valuation"]["mean_usd"].clone();
    let close = |memo: &Value, want: f64| {
        let value = mean(memo).as_f64().unwrap();
        assert!((value / want - 1.0).abs() < 1e-4, "{value} is not {want}");
    };
    // 52 weeks of 168 h: 3 at $6 and the fourth at $10; 5 at $2 and four more at $3.
    let [of_a, of_b] = [28.0, 22.0].map(|usd_per_hour: f64| usd_per_hour * 8_736.0);
    let [all, a, b] = ["", " --family a", " --family b"].map(memo);
    close(&all, of_a + of_b);
    close(&a, of_a);
    close(&b, of_b);
    // What is advised of one is what is advised of it among all.
    let bought = |memo: &Value| memo["rows"][0]["answer"]["buy"].as_array().unwrap().clone();
    assert_eq!([bought(&a), bought(&b)].concat(), bought(&all));
    assert_eq!(bought(&a)[0]["units"], 4);
    assert_eq!(a["rows"][0]["scenario"]["only"], "a");
    let text = String::from_utf8(
        workdir.run("memo --demand two.csv --scenario plan.toml --family a").stdout,
    );
    let text = text.unwrap();
    assert!(
        text.contains("Recommended: buy 4 a ri now for $24.00/h (the scenario buys 3)"),
        "{text}"
    );
    assert!(!text.contains("families"), "{text}");
    let said = workdir.refused("memo --demand two.csv --scenario plan.toml --family c");
    assert!(said.contains("there is no family c; there are: a, b"), "{said}");
    // Two scenarios are compared in what the one family costs.
    let (four, none) = (family("a", 10.0, 6.0, 4.0), family("b", 3.0, 2.0, 0.0));
    workdir.file("more.toml", &format!("[future]\npaths = 200\n{four}{none}"));
    let rows = workdir.json("compare --demand two.csv plan.toml more.toml --family a");
    let difference = rows["rows"][1]["difference"]["mean_usd"].as_f64().unwrap();
    // The fourth at $6 instead of $10; what is bought of the other is not looked at.
    assert!((difference + 4.0 * 8_736.0).abs() < 10.0, "{difference}");
}

#[test]
fn the_simulators_say_their_arithmetic() {
    let workdir = Workdir::new();
    let report = workdir.json(
        "gpu-savings monthly_usd=200000 utilisation=30% target=70% spot_share=60% \
         spot_discount=70% spot_overhead=0",
    );
    assert_eq!(report["schema"], "burntop/whatif-gpu-savings/1");
    // (1 − 4/7) × (1 − 0.42) is left.
    let share = report["rows"].as_array().unwrap().iter().find(|r| r["name"] == "saved_share");
    near(&share.unwrap()["number"], 1.0 - 3.0 / 7.0 * 0.58);
    for kind in [
        "gpu-savings",
        "rightsize",
        "autoscale",
        "failed-runs",
        "spot-mix",
        "storage",
        "network",
        "tco",
        "unit-cost",
        "programme",
    ] {
        let listed = workdir.json(&format!("{kind} --list"));
        assert_eq!(listed["schema"], format!("burntop/whatif-{kind}/1"));
        let said = workdir.refused(&format!("{kind} nonsense=1"));
        assert!(said.contains("there is no input `nonsense`"), "{said}");
    }
    assert!(workdir.refused("gpu-savings").contains("is not given"));
}

/// Files and what is said about them: one bad input each.
#[test]
fn bad_files_are_refused_with_their_line_and_column() {
    let workdir = Workdir::new();
    let head = "time,gpus\n2026-01-01T00:00:00Z,5\n";
    for (text, want) in [
        (String::new(), "d.csv:1:1: the file is empty"),
        (format!("{head}2026-01-01T01:00:00Z,-1\n"), "d.csv:3:22: gpus: -1 is negative"),
        (format!("{head}2026-01-01T01:00:00Z,NaN\n"), "d.csv:3:22: gpus: `NaN` is no number"),
        (format!("{head}2026-01-01T01:00:00Z,many\n"), "d.csv:3:22: gpus: `many` is no number"),
        (format!("{head}tomorrow,1\n"), "d.csv:3:1: `tomorrow` is no time"),
        (format!("{head}2026-01-01T01:00:00Z\n"), "d.csv:3:1: 1 fields; the header has 2"),
        (format!("{head}2026-01-01T00:00:00Z,6\n"), "d.csv:3:1: gpus: 6 at 2026-01-01T00:00:00Z"),
        (format!("{head}2226-01-01T00:00:00Z,6\n"), "look for a mistyped year"),
        ("time,gpus\n2026-01-01,5\n2026-01-02,5\n".to_owned(), "a day without an hour"),
        ("time,a,b\n2026-01-01T00:00:00Z,1,2\n".to_owned(), "pick one with --column: a, b"),
    ] {
        workdir.file("d.csv", &text);
        let said = workdir.refused("reserve --demand d.csv --on-demand 3 --reserved 2 --paths 0");
        assert!(said.contains(want), "{text}\n{said}");
    }
    // A file that is not there cannot be read, as little as a directory.
    for (file, says) in [("gone.csv", "there is no file gone.csv"), (".", "it is no regular file")]
    {
        let output = workdir.run(&format!("reserve --demand {file} --on-demand 3 --reserved 2"));
        assert_eq!(output.status.code(), Some(4), "{}", said(&output));
        assert!(said(&output).contains(says), "{}", said(&output));
    }
    std::fs::write(workdir.dir.path().join("d.csv"), b"time,a\n2026-01-01 00:00,\xff\n").unwrap();
    let said = workdir.refused("reserve --demand d.csv --on-demand 3 --reserved 2");
    assert!(said.contains("d.csv:2: not UTF-8"), "{said}");
}

/// What is odd and can be valued: said, with exit code 0.
#[test]
fn odd_files_are_valued_and_the_oddity_is_said() {
    let workdir = Workdir::new();
    let mixed = "time,gpus\n2026-01-01T00:00:00Z,5\n2026-01-01T01:00:00Z;6,5\n";
    let gaps = "time,gpus\n2026-01-01T00:00:00Z,5\n2026-01-01T05:00:00Z,6\n";
    let double = "time,gpus\n2026-01-01T00:00:00Z,5\n2026-01-01T00:00:00Z,5\n";
    let one = "time,gpus\n2026-01-01T00:00:00Z,5\n";
    let zero = "time,gpus\n2026-01-01T00:00:00Z,0\n2026-01-01T01:00:00Z,0\n";
    let autumn = "time,gpus\n2026-10-25 02:00,5\n2026-10-25 02:00,6\n";
    for (text, more, want) in [
        (mixed, "", "another separator"),
        (gaps, "", "4 hours have no row (66.7%)"),
        (double, "", "1 time is said again"),
        (one, "", "there is no whole week"),
        (zero, "", "the demand is 0 in every known hour"),
        (autumn, "--zone Europe/Berlin", "show twice"),
    ] {
        workdir.file("d.csv", text);
        let args = format!("reserve --demand d.csv --on-demand 3 --reserved 2 {more}");
        let report = workdir.json(&args).to_string();
        assert!(report.contains(want), "{text}\n{report}");
    }
    ramp(&workdir);
    let dear = workdir.json("reserve --demand ramp.csv --on-demand 2 --reserved 3 --paths 0");
    near(&dear["optimum"]["commit"], 0.0);
    assert!(dear["warnings"][0].as_str().unwrap().contains("is not below the on-demand price"));
}

#[test]
fn ten_years_and_two_hundred_columns_are_fine() {
    let workdir = Workdir::new();
    workdir.file("long.csv", &hourly("time,gpus", (0..87_600).map(|h| (h % 24).to_string())));
    let report = workdir.json("reserve --demand long.csv --on-demand 3 --reserved 1.8 --paths 0");
    assert_eq!(report["demand"]["hours"], 87_600);
    let names: Vec<String> = (0..200).map(|n| format!("f{n}")).collect();
    let row: Vec<String> = (0..200).map(|n| n.to_string()).collect();
    let header = format!("time,{}", names.join(","));
    workdir.file("wide.csv", &hourly(&header, (0..48).map(|_| row.join(","))));
    let report = workdir
        .json("reserve --demand wide.csv --column f7 --on-demand 3 --reserved 1.8 --paths 0");
    near(&report["optimum"]["commit"], 7.0);
}

#[test]
fn wrong_prices_terms_and_scenarios_are_refused() {
    let workdir = Workdir::new();
    ramp(&workdir);
    for (args, want) in [
        ("--on-demand 0 --reserved 1", "--on-demand: 0 is no price"),
        ("--on-demand nan --reserved 1", "--on-demand: NaN is no price"),
        ("--on-demand 3 --reserved inf", "--reserved: inf is no price"),
        ("--on-demand 3 --reserved 2 --term 2y", "1y, 3y or a number of weeks"),
        ("--on-demand 3 --reserved 2 --commit -1", "--commit"),
        ("--on-demand 3 --reserved 2 --paths 50001", "--paths"),
        ("--on-demand 3 --reserved 2 --paths 100", "no whole week"),
        ("--on-demand 3", "--reserved"),
        ("--on-demand 3 --reserved 2 --zone Mars/Olympus", "there is no zone Mars/Olympus"),
    ] {
        let said = workdir.refused(&format!("reserve --demand ramp.csv {args}"));
        assert!(said.contains(want), "{args}\n{said}");
    }
    let later = "schema = 'burntop/scenario/2'\n";
    let path = workdir.file("s.toml", later);
    let said = workdir.refused("reserve --demand ramp.csv --scenario s.toml");
    assert!(said.contains("s.toml:1: made by a later burntop"), "{said}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), later);
    for (text, want) in [
        ("[future]\nweeks = 0\n", "s.toml:2:9: weeks: 0 is not possible"),
        ("what = 1\n", "s.toml:1:1: there is no key `what`; known: "),
        ("name = [\n", "s.toml:"),
        (
            "[[family]]\nname = 'gpus'\non_demand = 55.04\n[[family.offer]]\nname = 'sp'\nkind = \
             'instance_plan'\nweeks = 52\npayment = 'no-upfront'\n[[family.buy]]\noffer = \
             'sp'\nunits = 1.0\n",
            "the rate of `sp` for gpus is not known",
        ),
    ] {
        workdir.file("s.toml", text);
        let said = workdir.refused("reserve --demand ramp.csv --scenario s.toml");
        assert!(said.contains(want), "{text}\n{said}");
    }
    workdir.file("t.toml", "on_demand = -1.0\n");
    let said = workdir.refused("optimum --demand ramp.csv --tiers t.toml");
    assert!(said.contains("t.toml:1:13: on_demand: -1 is no price"), "{said}");
}

/// Whoever plans with the demo has its history as the demand.
#[test]
fn the_demo_has_a_past_to_plan_for() {
    let workdir = Workdir::new();
    let said = workdir.refused("reserve --demo --on-demand 3 --reserved 2 --paths 0");
    assert!(said.contains("several families; pick one with --family"), "{said}");
}
