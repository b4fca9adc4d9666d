//! Metrics of `burntop watch`: scraped by a real Prometheus, checked by promtool, read back, and held against the reports.
//!
//! Without `prometheus`, `promtool` and `systemd-analyze` installed these tests print `skipped: …`; with `BURNTOP_CI=1` that
//! is a failure.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use burntop::parts::source::exposition::Reader;
use serde_json::Value;

use crate::ports::serve;
use crate::pty::LIMIT;
use crate::remote::installed;

/// What of the demo is read: enough of it for several teams and types, little enough to be quick.
const DEMO: [&str; 3] = ["--demo", "--demo-size", "60"];

fn burntop(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_burntop"));
    command
        .args(args)
        .args(DEMO)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A file of the package.
fn asset(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Status and body of an answer.
fn get(port: u16, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    // HTTP/1.0, so that nobody answers in chunks.
    write!(stream, "GET {path} HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

/// Asks again and again until an answer is as it should be.
#[track_caller]
fn until<T: std::fmt::Debug>(ask: impl Fn() -> T, is: impl Fn(&T) -> bool) -> T {
    let end = Instant::now() + LIMIT;
    loop {
        let seen = ask();
        if is(&seen) {
            return seen;
        }
        assert!(Instant::now() < end, "waited in vain; last seen: {seen:?}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// A watch of the demo that serves metrics, its first round done.
fn watch(home: &Path) -> (Running, u16) {
    let (child, port) = serve("burntop watch", |port| {
        let address = format!("127.0.0.1:{port}");
        burntop(home, &["watch", "--listen", &address]).spawn().unwrap()
    });
    let running = Running(child);
    until(|| get(port, "/metrics"), |(_, page)| page.contains("burntop_burn_usd_per_hour{"));
    (running, port)
}

/// The page that one look writes.
fn page(home: &Path) -> (PathBuf, String) {
    let file = home.join("burntop.prom");
    let args = ["watch", "--once", "--textfile", file.to_str().unwrap()];
    let done = burntop(home, &args).status().unwrap();
    assert!(done.code().is_some_and(|code| code < 2 || code == 3), "{done}");
    let page = std::fs::read_to_string(&file).unwrap();
    (file, page)
}

/// Values of a family by one of its labels, read back by the parser of exporters.
fn read(page: &str, family: &str, label: &str) -> BTreeMap<String, f64> {
    let mut sums = BTreeMap::new();
    let tally = Reader::default().read_all(page.as_bytes(), |series| {
        if series.name == family {
            let value = series.labels.iter().find(|(name, _)| *name == label);
            let value = value.map_or("", |(_, value)| value).to_owned();
            *sums.entry(value).or_default() += series.value;
        }
    });
    assert_eq!(tally.errors, 0, "line {}", tally.first_error);
    sums
}

/// A report of the same demo.
fn report(home: &Path, command: &str) -> Vec<Value> {
    let args = [command, "--format", "json"];
    let output = burntop(home, &args).stdout(Stdio::piped()).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    report["rows"].as_array().unwrap().clone()
}

fn said(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// Runs promtool with something on its standard input.
#[track_caller]
fn promtool(program: &Path, args: &[&str], input: &str) {
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(input.as_bytes()).unwrap();
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "promtool {args:?}: {}", said(&output));
}

#[test]
fn the_page_is_one_that_prometheus_takes_and_others_may_read_its_file() {
    let home = tempfile::tempdir().unwrap();
    let (file, page) = page(home.path());
    let mode = std::fs::metadata(file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o644);
    for family in
        ["burntop_burn_usd_per_hour", "burntop_gpus", "burntop_source_up", "burntop_alerts"]
    {
        assert!(!read(&page, family, "").is_empty(), "{family} is missing:\n{page}");
    }
    let Some(program) = installed("promtool") else { return };
    promtool(&program, &["check", "metrics"], &page);
}

#[test]
fn the_figures_are_those_of_the_reports() {
    let home = tempfile::tempdir().unwrap();
    let (_, page) = page(home.path());
    let overview = report(home.path(), "overview");
    let of = |section: &str| {
        let rows = overview.iter().filter(move |row| row["section"] == section);
        let named = rows.map(|row| (row["name"].as_str().unwrap().to_owned(), row));
        named.collect::<Vec<_>>()
    };
    let is_cent = |a: f64, b: &Value| (a - b.as_f64().unwrap()).abs() < 0.005;
    let sum = |family: &str| read(&page, family, "").values().sum::<f64>();
    let fleet = of("fleet");
    let (_, all) = fleet.iter().find(|(name, _)| name != "net_of_commitments").unwrap();
    assert!(is_cent(sum("burntop_burn_usd_per_hour"), &all["usd_per_hour"]), "{all}");
    assert!(is_cent(sum("burntop_waste_usd_per_hour"), &all["waste_usd_per_hour"]), "{all}");
    assert_eq!(sum("burntop_instances"), all["instances"].as_f64().unwrap());
    assert_eq!(sum("burntop_unpriced_instances"), all["unpriced"].as_f64().unwrap());
    let teams = read(&page, "burntop_team_burn_usd_per_hour", "team");
    let known: Vec<_> =
        of("team").into_iter().filter(|(_, row)| row["usd_per_hour"].is_number()).collect();
    assert!(known.len() > 1 && teams.len() == known.len(), "{teams:?}\n{known:?}");
    for (team, row) in known {
        assert!(is_cent(teams[&team], &row["usd_per_hour"]), "{row}");
    }

    let states = read(&page, "burntop_gpus", "state");
    let dollars = read(&page, "burntop_gpu_usd_per_hour", "state");
    let mut printed: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for row in report(home.path(), "gpus") {
        let state = printed.entry(row["state"].as_str().unwrap().to_owned()).or_default();
        state.0 += row["gpus"].as_f64().unwrap();
        state.1 += row["usd_per_hour"].as_f64().unwrap_or(0.0);
    }
    assert!(printed.len() > 1, "{printed:?}");
    for (state, (gpus, usd)) in &printed {
        assert!((states[state] - gpus).abs() < 0.01, "{state}: {states:?}\n{printed:?}");
        let seen = dollars.get(state).copied().unwrap_or(0.0);
        assert!((seen - usd).abs() < 0.01, "{state}: {dollars:?}\n{printed:?}");
    }
}

#[test]
fn a_watch_answers_its_two_paths_and_says_that_it_is_well() {
    let home = tempfile::tempdir().unwrap();
    let (_watch, port) = watch(home.path());
    assert_eq!(get(port, "/healthz"), (200, "ok\n".to_owned()));
    assert_eq!(get(port, "/").0, 404);
    let page = get(port, "/metrics").1;
    assert!(read(&page, "burntop_watch_interval_seconds", "").values().all(|every| *every > 0.0));
    assert_eq!(read(&page, "burntop_build_info", "version").len(), 1);
}

/// Expressions of the dashboard and of the alert rules, as they are asked without Grafana.
fn expressions() -> Vec<String> {
    let text = std::fs::read_to_string(asset("assets/grafana/burntop.json")).unwrap();
    let dashboard: Value = serde_json::from_str(&text).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels.iter().filter_map(|panel| panel["targets"].as_array()).flatten();
    let of = |target: &Value| target["expr"].as_str().unwrap().to_owned();
    let all: Vec<String> = targets.map(of).collect();
    assert!(all.len() > 10, "{all:?}");
    let plain = |expr: String| expr.replace("$__rate_interval", "5m").replace("$instance", ".*");
    all.into_iter().map(plain).collect()
}

#[test]
fn a_real_prometheus_scrapes_the_watch_and_answers_every_expression_of_the_dashboard() {
    let Some(program) = installed("prometheus") else { return };
    let home = tempfile::tempdir().unwrap();
    let (_watch, port) = watch(home.path());
    let config = home.path().join("prometheus.yml");
    let rules = asset("assets/prometheus/burntop.rules.yml");
    let text = format!(
        "global: {{scrape_interval: 1s, evaluation_interval: 1s}}\nrule_files: ['{}']\n\
         scrape_configs:\n  - job_name: burntop\n    static_configs: [{{targets: ['127.0.0.1:{port}']}}]\n",
        rules.display()
    );
    std::fs::write(&config, text).unwrap();
    let (server, prometheus) = serve("Prometheus", |port| {
        Command::new(&program)
            .arg(format!("--config.file={}", config.display()))
            .arg(format!("--storage.tsdb.path={}", home.path().join("data").display()))
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .arg("--log.level=error")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    });
    let _server = Running(server);
    let ask = |expr: &str| -> (u16, Value) {
        let query: String = url::form_urlencoded::byte_serialize(expr.as_bytes()).collect();
        let (status, body) = get(prometheus, &format!("/api/v1/query?query={query}"));
        (status, serde_json::from_str(&body).unwrap_or_default())
    };
    let value = |answer: &Value| -> Option<f64> {
        answer["data"]["result"][0]["value"][1].as_str()?.parse().ok()
    };
    let burn = "sum(burntop_burn_usd_per_hour)";
    let (_, scraped) = until(|| ask(burn), |(_, answer)| value(answer).is_some());
    let page = get(port, "/metrics").1;
    let served: f64 = read(&page, "burntop_burn_usd_per_hour", "").values().sum();
    assert!((value(&scraped).unwrap() - served).abs() < 0.005, "{scraped}, served {served}");
    let (_, folded) = ask("sum(burntop_team_burn_usd_per_hour)");
    assert!((value(&folded).unwrap() - served).abs() < 0.005, "{folded}, served {served}");
    for expr in expressions() {
        let (status, answer) = ask(&expr);
        assert_eq!((status, &answer["status"]), (200, &Value::from("success")), "{expr}: {answer}");
    }
    let healths = || {
        let (_, body) = get(prometheus, "/api/v1/rules");
        let rules: Value = serde_json::from_str(&body).unwrap_or_default();
        let rules = rules["data"]["groups"][0]["rules"].as_array().cloned().unwrap_or_default();
        rules.iter().map(|rule| rule["health"].to_string()).collect::<Vec<_>>()
    };
    until(healths, |all| all.len() >= 8 && all.iter().all(|health| health == "\"ok\""));
}

/// What the alert rules make of series over the hours; `RULES` is their file, `FIRING` asks which of them fire.
const CASES: &str = r#"
rule_files: [RULES]
evaluation_interval: 1m
tests:
  # Nobody is there.
  - interval: 1m
    promql_expr_test:
      - {expr: FIRING, eval_time: 10m}
      - {expr: FIRING, eval_time: 20m, exp_samples: [{labels: '{alertname="BurntopAbsent"}', value: 1}]}
  # All is well, and goes on to be.
  - interval: 1m
    input_series:
      - {series: burntop_watch_last_round_timestamp_seconds, values: '0+60x500'}
      - {series: burntop_watch_interval_seconds, values: '300x500'}
      - {series: burntop_source_up, values: '1x500'}
      - {series: 'burntop_waste_usd_per_hour{reason="idle"}', values: '9x500'}
      - {series: burntop_burn_usd_per_hour, values: '10x500'}
      - {series: burntop_budget_used_ratio, values: '0.8x500'}
      - {series: 'burntop_deliveries_total{result="dead"}', values: '7x500'}
      - {series: 'burntop_deliveries_total{result="failed"}', values: '0+1x500'}
      - {series: burntop_own_cost_usd_today, values: '0.8x500'}
      - {series: burntop_own_cost_cap_usd, values: '1x500'}
      - {series: burntop_own_cost_unknown, values: '0x500'}
    promql_expr_test:
      - {expr: FIRING, eval_time: 480m}
  # Each goes wrong in its way.
  - interval: 1m
    input_series:
      - {series: 'burntop_watch_last_round_timestamp_seconds{instance="a"}', values: '0x500'}
      - {series: 'burntop_watch_interval_seconds{instance="a"}', values: '300x500'}
      - {series: burntop_source_up, values: '0x500'}
      - {series: 'burntop_waste_usd_per_hour{reason="idle"}', values: '30x500'}
      - {series: 'burntop_waste_usd_per_hour{reason="partly_idle"}', values: '1x500'}
      - {series: burntop_burn_usd_per_hour, values: '100x500'}
      - {series: 'burntop_budget_used_ratio{budget="near"}', values: '0.81x500'}
      - {series: 'burntop_budget_used_ratio{budget="spent"}', values: '0.96x500'}
      - {series: 'burntop_deliveries_total{result="dead"}', values: '7x460 8x40'}
      - {series: burntop_own_cost_unknown, values: '1x500'}
    promql_expr_test:
      - {expr: FIRING, eval_time: 14m, exp_samples: [{labels: '{alertname="BurntopOwnCostNearCap"}', value: 1}]}
      - expr: FIRING
        eval_time: 480m
        exp_samples:
          - {labels: '{alertname="BurntopStuck"}', value: 1}
          - {labels: '{alertname="BurntopSourceDark"}', value: 1}
          - {labels: '{alertname="BurntopWasteShareHigh"}', value: 1}
          - {labels: '{alertname="BurntopBudgetNearLimit"}', value: 1}
          - {labels: '{alertname="BurntopBudgetSpent"}', value: 1}
          - {labels: '{alertname="BurntopDeadLetters"}', value: 1}
          - {labels: '{alertname="BurntopOwnCostNearCap"}', value: 1}
  # A look now and then: nobody says how often.
  - interval: 1m
    input_series:
      - {series: burntop_watch_last_round_timestamp_seconds, values: '0x500'}
    promql_expr_test:
      - {expr: FIRING, eval_time: 119m}
      - {expr: FIRING, eval_time: 130m, exp_samples: [{labels: '{alertname="BurntopStuck"}', value: 1}]}
"#;

#[test]
fn each_alert_rule_fires_when_its_time_has_come_and_none_while_all_is_well() {
    let Some(program) = installed("promtool") else { return };
    let rules = asset("assets/prometheus/burntop.rules.yml");
    promtool(&program, &["check", "rules", rules.to_str().unwrap()], "");
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("cases.yml");
    let firing = "'count by (alertname) (ALERTS{alertstate=\"firing\"})'";
    let cases = CASES.replace("RULES", rules.to_str().unwrap()).replace("FIRING", firing);
    let text = std::fs::read_to_string(&rules).unwrap();
    for alert in text.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")) {
        assert!(cases.contains(&format!("\"{alert}\"")), "no case has {alert} fire");
    }
    std::fs::write(&file, cases).unwrap();
    promtool(&program, &["test", "rules", file.to_str().unwrap()], "");
}

#[test]
fn the_units_are_ones_that_systemd_takes() {
    let Some(program) = installed("systemd-analyze") else { return };
    let home = tempfile::tempdir().unwrap();
    let mut units = Vec::new();
    for entry in std::fs::read_dir(asset("assets/systemd")).unwrap().map(Result::unwrap) {
        // It looks for the program as well.
        let text = std::fs::read_to_string(entry.path()).unwrap();
        let text = text.replace("/usr/local/bin/burntop", env!("CARGO_BIN_EXE_burntop"));
        let unit = home.path().join(entry.file_name());
        std::fs::write(&unit, text).unwrap();
        units.push(unit);
    }
    assert_eq!(units.len(), 3, "{units:?}");
    let output = Command::new(program).arg("verify").args(&units).output().unwrap();
    assert!(output.status.success() && said(&output).trim().is_empty(), "{}", said(&output));
}
