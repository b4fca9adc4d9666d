//! A real Prometheus that scrapes 200 GPU nodes, read by the library's source.
//!
//! Without `prometheus` and `python3` installed these tests print `skipped: …`; with
//! `BURNTOP_CI=1` that is a failure.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use burntop::parts::domain::{ErrorKind, GpuKey, GpuSignal, Hour, Rung, Sweep};
use burntop::parts::source::prometheus::{Matchers, Prometheus as Source, Settings};
use burntop::parts::source::{Ask, GpuSource};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan as _};

use crate::ports::serve;
use crate::pty::LIMIT;
use crate::remote::installed;

/// Nodes scraped.
pub const NODES: usize = 200;
/// GPUs of each.
pub const GPUS: usize = 8;

/// A query with two series.
const TWO_SERIES: &str = r#"vector(1) or label_replace(vector(2), "a", "b", "", "")"#;

/// Hours of history that renamed nodes have.
pub const HISTORY_H: u32 = 26;

/// A node that its exporter and its Prometheus call otherwise.
pub struct Renamed<'a> {
    /// Which one.
    pub node: usize,
    /// `Hostname` of its exporter.
    pub host: &'a str,
    /// `instance` of its target.
    pub instance: &'a str,
}

/// A Prometheus of our own and the exporters it scrapes each two seconds; all end with the test.
pub struct Prometheus {
    /// `http://127.0.0.1:port`.
    pub url: String,
    /// Port of the exporters: `/metrics?node=N`.
    pub exporter: u16,
    server: Child,
    pages: Child,
    _home: tempfile::TempDir,
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        for child in [&mut self.server, &mut self.pages] {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Prometheus {
    /// Starts both; `None` where the programs are not installed. The targets have labels
    /// `namespace`, `pod` and `container` of their own, as in Kubernetes, and `honor_labels` stands
    /// at its default.
    pub fn start() -> Option<Self> {
        Self::with_history_of(&[])
    }

    /// As [`Prometheus::start`], with some nodes under other names, and of these a history of
    /// [`HISTORY_H`].
    pub fn with_history_of(nodes: &[Renamed<'_>]) -> Option<Self> {
        let program = installed("prometheus")?;
        let promtool = if nodes.is_empty() { None } else { Some(installed("promtool")?) };
        let python = installed("python3")?;
        let home = tempfile::tempdir().unwrap();
        let data = home.path().join("data");
        let samples = home.path().join("samples");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/emulators/gpu_exporter.py");
        let each = |of: fn(&Renamed<'_>) -> String| -> BTreeMap<String, String> {
            nodes.iter().map(|n| (n.node.to_string(), of(n))).collect()
        };
        let mut wanted = serde_json::json!({"names": each(|n| n.host.to_owned())});
        if promtool.is_some() {
            let instances = each(|n| n.instance.to_owned());
            wanted["history"] =
                serde_json::json!({"file": samples, "hours": HISTORY_H, "instances": instances});
        }
        let mut pages = Command::new(python)
            .arg(script)
            .arg(wanted.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        BufReader::new(pages.stdout.take().unwrap()).read_line(&mut port).unwrap();
        let exporter: u16 = port.trim().parse().unwrap();

        if let Some(promtool) = promtool {
            blocks(&promtool, &samples, &data);
        }
        let (server, url) = served(&program, home.path(), &configuration(exporter, nodes), &data);
        Some(Self { url, exporter, server, pages, _home: home })
    }

    /// Tells the exporters something: `/fail?node=7`.
    pub fn tell(&self, path: &str) {
        use std::io::{Read as _, Write as _};
        let mut stream = TcpStream::connect(("127.0.0.1", self.exporter)).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
        stream.read_to_end(&mut Vec::new()).unwrap();
    }
}

/// Has `promtool` make blocks of the samples of a file, in a folder of Prometheus.
pub(crate) fn blocks(promtool: &Path, samples: &Path, data: &Path) {
    let made = Command::new(promtool)
        .args(["tsdb", "create-blocks-from", "openmetrics", "--quiet"])
        .args([samples, data])
        .status();
    assert!(made.is_ok_and(|s| s.success()), "promtool makes blocks");
}

/// Starts a Prometheus with this configuration and folder; with its address.
pub(crate) fn served(
    program: &Path,
    home: &Path,
    configuration: &str,
    data: &Path,
) -> (Child, String) {
    let config = home.join("prometheus.yml");
    std::fs::write(&config, configuration).unwrap();
    let (server, port) = serve("Prometheus", |port| {
        Command::new(program)
            .arg(format!("--config.file={}", config.display()))
            .arg(format!("--storage.tsdb.path={}", data.display()))
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .arg("--log.level=error")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    });
    (server, format!("http://127.0.0.1:{port}"))
}

fn configuration(exporter: u16, renamed: &[Renamed<'_>]) -> String {
    let mut out = "global:\n  scrape_interval: 2s\n  scrape_timeout: 2s\n\
        scrape_configs:\n  - job_name: dcgm\n    static_configs:\n"
        .to_owned();
    for node in 0..NODES {
        // A port that tells targets apart; where they are read is set below.
        let own = renamed.iter().find(|r| r.node == node);
        let target =
            own.map_or_else(|| format!("gpu-node-{node:04}:9400"), |r| r.instance.to_owned());
        let _ = writeln!(
            out,
            "      - targets: ['{target}']\n        labels: {{namespace: gpu-operator, \
             pod: 'nvidia-dcgm-exporter-{node}', container: exporter, __param_node: '{node}'}}"
        );
    }
    let _ = write!(
        out,
        "    relabel_configs:\n      - {{source_labels: [__address__], target_label: instance}}\n\
         \x20     - {{target_label: __address__, replacement: '127.0.0.1:{exporter}'}}\n"
    );
    out
}

fn source(url: &str, matchers: &str) -> Source {
    let matchers = Matchers::parse(matchers).unwrap();
    Source::new(Settings { matchers, proxy: false, ..Settings::new("lab", url) }).unwrap()
}

async fn sweep(source: &Source, with_recent: bool) -> Result<Sweep, String> {
    let ask = Ask { with_recent, ..Ask::all(Timestamp::now(), Arc::default()) };
    source.sweep(&ask).await.map_err(|e| e.to_string())
}

/// Sweeps until what came is as it should be.
async fn until(source: &Source, what: impl Fn(&Sweep) -> bool) -> Sweep {
    let end = Instant::now() + LIMIT;
    loop {
        let seen = sweep(source, true).await;
        match seen {
            Ok(sweep) if what(&sweep) => return sweep,
            seen => {
                let seen = seen.map(|s| (s.samples.len(), s.troubles));
                assert!(Instant::now() < end, "waited in vain; last seen: {seen:?}");
            }
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_gpus_of_a_real_prometheus() {
    let Some(prometheus) = Prometheus::start() else { return };
    let lab = source(&prometheus.url, "");
    let full = until(&lab, |s| {
        s.samples.len() == NODES * GPUS
            && s.samples.iter().all(|g| g.recent.is_some_and(|r| r.samples >= 2))
            // The slow queries may have been asked before all nodes were scraped.
            && s.samples.iter().all(|g| {
                use GpuSignal::{MemTotal, MemUsed, Power, SmActive, Util};
                [MemTotal, MemUsed, Power, SmActive, Util]
                    .into_iter()
                    .all(|signal| g.signals.get(signal).is_some())
            })
    })
    .await;
    assert!(full.troubles.is_empty(), "{:?}", full.troubles);
    assert_eq!(full.asked, full.answered);
    let find = |sweep: &Sweep, node: &str, gpu: u16| {
        let is = |s: &&burntop::parts::domain::GpuSample| {
            s.identity.host.node.as_deref() == Some(node) && s.identity.index == Some(gpu)
        };
        sweep.samples.iter().find(is).unwrap().clone()
    };
    let busy = find(&full, "gpu-node-0003", 2);
    let signal = |s: GpuSignal| busy.signals.get(s);
    assert_eq!(signal(GpuSignal::SmActive), Some(0.6));
    assert_eq!(signal(GpuSignal::Util), Some(0.95));
    assert_eq!(signal(GpuSignal::Power), Some(520.0));
    assert_eq!(signal(GpuSignal::MemUsed), Some(60_000.0));
    assert_eq!(signal(GpuSignal::MemTotal), Some(81_559.0), "used, free and reserved");
    assert_eq!(&*busy.identity.model, "NVIDIA H100 80GB HBM3");
    assert_eq!(busy.identity.host.address.as_deref(), Some("gpu-node-0003:9400"));
    // The labels of the target displaced those of the series.
    assert_eq!(busy.owner.words().as_deref(), Some("team-3/llm-0-3"));
    let idle = find(&full, "gpu-node-0004", 0);
    assert_eq!(idle.signals.get(GpuSignal::SmActive), Some(0.0));
    assert!(idle.owner.is_nobody(), "the exporter's pod holds nothing: {:?}", idle.owner);
    assert!(idle.names_owners);
    assert!(idle.taken_at <= full.taken_at);
    let recent = busy.recent.unwrap();
    assert!((recent.max_activity - 0.6).abs() < 1e-6 && recent.max_power_w == Some(520.0));

    // A node that is gone vanishes; the others stay.
    prometheus.tell("/fail?node=7");
    let without = until(&lab, |s| s.samples.len() == (NODES - 1) * GPUS).await;
    assert!(
        without.samples.iter().all(|s| s.identity.host.node.as_deref() != Some("gpu-node-0007"))
    );
    prometheus.tell("/heal");

    // Matchers reach every query.
    let one = source(&prometheus.url, "instance='gpu-node-0003:9400'");
    let one_node = until(&one, |s| !s.samples.is_empty()).await;
    assert_eq!(one_node.samples.len(), GPUS);

    let hour = Hour::containing(Timestamp::now() - SignedDuration::from_hours(2));
    assert!(lab.hour(hour).await.unwrap().unwrap().is_empty(), "nothing was scraped then");

    let key = GpuKey { device: busy.identity.uuid.clone().unwrap(), gpu_instance: None };
    let now = Timestamp::now();
    let from = now - SignedDuration::from_secs(10);
    let history = lab.history(&key, from, now, 6).await.unwrap().unwrap();
    assert_eq!(history.step_s, 2);
    let power = history.traces.iter().find(|t| t.signal == Some(GpuSignal::Power)).expect("power");
    assert!(power.values.len() <= 6 && power.values.contains(&520.0), "{:?}", power.values);

    assert!(lab.build_info().await.unwrap().version.starts_with(|c: char| c.is_ascii_digit()));
    let wrong = source(&prometheus.url, "cluster='other'");
    let ask = Ask::all(Timestamp::now(), Arc::default());
    assert_eq!(wrong.sweep(&ask).await.unwrap_err().kind, ErrorKind::Unavailable);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_hour_of_now_and_the_rules_offered_for_it() {
    let Some(prometheus) = Prometheus::start() else { return };
    let lab = source(&prometheus.url, "instance=~'gpu-node-000.:9400'");
    until(&lab, |s| s.samples.len() == 10 * GPUS).await;
    // An hour that contains this moment ends in the future, where instant queries look back five
    // minutes; the windows of an hour reach here.
    let end = Instant::now() + LIMIT;
    let hours = loop {
        let hours = lab.hour(Hour::containing(Timestamp::now())).await.unwrap().unwrap();
        // Of those that seem to idle, a few seconds are not enough to say so; nor of the others
        // before an hour that has just begun was looked at.
        if hours.len() == 8 * GPUS {
            break hours;
        }
        let late = Instant::now() > end;
        assert!(!late, "{} and not one per GPU of the nodes that work", hours.len());
        tokio::time::sleep(Duration::from_millis(300)).await;
    };
    for hour in &hours {
        assert_eq!(hour.rung, Rung::A);
        assert!(hour.samples >= 1);
        let idle = ["gpu-node-0004", "gpu-node-0009"];
        let node = hour.identity.host.node.as_deref();
        assert!(hour.max >= 0.05 && !idle.contains(&node.unwrap()), "{hour:?}");
        assert!(hour.mean <= hour.max);
    }
    let rules = lab.recording_rules().await.unwrap();
    if let Some(promtool) = installed("promtool") {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("rules.yml");
        std::fs::write(&file, &rules).unwrap();
        let checked = Command::new(promtool).args(["check", "rules"]).arg(&file).output().unwrap();
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    }
}

/// Predictions of three days, one sample each hour at half past: 100 an hour on the first, 7 an hour on the second, at whose
/// noon the counter begins anew, and nothing on the third.
fn predictions(first: Date) -> String {
    let mut out = "# TYPE predictions counter\n".to_owned();
    let mut total = 0;
    for hour in 0..48_i64 {
        total = if hour == 36 { 0 } else { total };
        total += if hour < 24 { 100 } else { 7 };
        let begin = first.to_zoned(TimeZone::UTC).unwrap().timestamp().as_second();
        let _ = writeln!(out, "predictions_total {total} {}", begin + hour * 3600 + 1800);
    }
    out + "# EOF\n"
}

#[tokio::test]
async fn counts_of_days_are_those_of_the_samples() {
    let (Some(program), Some(promtool)) = (installed("prometheus"), installed("promtool")) else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let (samples, data) = (home.path().join("samples"), home.path().join("data"));
    let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
    let days = today - 3.days()..today;
    std::fs::write(&samples, predictions(days.start)).unwrap();
    blocks(&promtool, &samples, &data);
    let (mut server, url) = served(&program, home.path(), "{}", &data);
    let lab = source(&url, "");
    let end = Instant::now() + LIMIT;
    let mut told = lab.days("sum(increase(predictions_total[1d]))", &days).await;
    while told.is_err() && Instant::now() < end {
        tokio::time::sleep(Duration::from_millis(300)).await;
        told = lab.days("sum(increase(predictions_total[1d]))", &days).await;
    }
    let none = lab.days("sum(increase(others_total[1d]))", &days).await;
    let two = lab.days(TWO_SERIES, &days).await;
    let _ = server.kill();
    let _ = server.wait();
    let told = told.unwrap();
    assert_eq!(told.len(), 2, "{told:?}: the third day has no sample and is not known");
    for ((day, count), wanted) in told.iter().zip([2400.0, 168.0]) {
        assert!((count - wanted).abs() < 1e-6, "{count} and not {wanted} on {day}");
    }
    assert_eq!([told[0].0, told[1].0], [days.start, days.start + 1.day()]);
    assert!(none.unwrap().is_empty());
    assert!(two.is_err(), "{two:?}: several series are no count");
}
