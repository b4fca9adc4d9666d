use std::net::TcpListener;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::SignedDuration;

use super::*;
use crate::domain::{GpuSignal, Instance, Tags, sample};
use crate::source::GpuHost;
use crate::source::server::{Mode, Reply, Server};

/// An exporter that keeps its connections. With a `gate`, answers come when as many requests as it
/// wants are there.
fn keeping(body: String, gate: Option<Barrier>) -> Server {
    Server::start_as(Mode::Keep, move |_, _| {
        if let Some(gate) = &gate {
            gate.wait();
        }
        Reply::new(200, "text/plain", &body)
    })
}

fn page(uuid: &str, util: u32) -> String {
    format!("DCGM_FI_DEV_GPU_UTIL{{gpu=\"0\",UUID=\"GPU-{uuid}\",Hostname=\"n-{uuid}\"}} {util}\n")
}

fn settings(listed: impl IntoIterator<Item = String>) -> Settings {
    Settings {
        targets: Targets { listed: listed.into_iter().collect(), ..Targets::default() },
        // Nothing but silence takes so long, however busy the machine.
        timeout_ms: 30_000,
        ..Settings::default()
    }
}

fn exporter(settings: Settings) -> Exporter {
    Exporter::new(settings, Arc::default()).unwrap()
}

fn at(seconds: i64) -> Ask {
    Ask::all(Timestamp::UNIX_EPOCH + SignedDuration::from_secs(seconds), Arc::default())
}

async fn trouble_of(url: String) -> (ErrorKind, String) {
    let sweep = exporter(settings([url])).sweep(&at(0)).await.unwrap();
    assert_eq!((sweep.samples.len(), sweep.asked, sweep.answered), (0, 1, 0));
    let [trouble] = &sweep.troubles[..] else { unreachable!("{sweep:?}") };
    assert!(!trouble.error.fix.is_empty(), "{trouble:?}");
    (trouble.error.kind, trouble.error.message.clone())
}

#[tokio::test]
async fn hosts_are_read_and_connections_used_again() {
    let one = keeping(page("a", 40), None);
    let two = keeping(page("b", 90), None);
    let source = exporter(Settings {
        every_s: 1,
        ..settings([one.address().to_owned(), two.address().to_owned()])
    });
    for round in 0..3 {
        let sweep = source.sweep(&at(round)).await.unwrap();
        assert_eq!((sweep.asked, sweep.answered, sweep.partial), (2, 2, false));
        assert_eq!(sweep.troubles, []);
        let mut seen: Vec<_> = sweep
            .samples
            .iter()
            .map(|s| (s.identity.uuid.clone().unwrap(), s.signals.get(GpuSignal::Util).unwrap()))
            .collect();
        seen.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!(seen, [("GPU-a".into(), 0.4), ("GPU-b".into(), 0.9)]);
        let address = sweep.samples[0].identity.host.address.as_deref().unwrap();
        assert!(address == one.address() || address == two.address());
    }
    for server in [&one, &two] {
        assert_eq!(server.requests(), 3);
        assert_eq!(server.connections(), 1, "the connection is kept");
    }
}

#[tokio::test]
async fn no_more_than_the_bound_are_asked_at_once() {
    // The server answers only when four requests are there: fewer would hang, more would show.
    let gate = Barrier::new(4);
    let server = keeping(page("a", 1), Some(gate));
    let targets = (0..16).map(|i| format!("http://{}/{i}", server.address()));
    let source = exporter(Settings { in_flight: 4, ..settings(targets) });
    let sweep = source.sweep(&at(0)).await.unwrap();
    assert_eq!((sweep.answered, sweep.troubles.len()), (16, 0), "{:?}", sweep.troubles);
    assert_eq!(server.peak(), 4);
}

#[tokio::test]
async fn each_dead_host_has_its_reason_and_the_others_are_there() {
    let good = keeping(page("a", 1), None);
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let silent = Server::start(|_, _| Reply::Silence);
    let login = Server::start(|_, _| Reply::new(200, "text/html", "<html>login</html>"));
    let hosts = [good.address().to_owned(), closed.clone(), silent.url.clone(), login.url.clone()];
    let source = exporter(Settings { timeout_ms: 2_000, ..settings(hosts) });
    let sweep = source.sweep(&at(0)).await.unwrap();
    assert_eq!((sweep.samples.len(), sweep.asked, sweep.answered), (1, 4, 1));
    let kind = |url: &str| {
        let host = url.trim_start_matches("http://");
        sweep.troubles.iter().find(|t| &*t.host == host).unwrap().error.kind
    };
    assert_eq!(kind(&closed), ErrorKind::Network);
    assert_eq!(kind(&silent.url), ErrorKind::Timeout);
    assert_eq!(kind(&login.url), ErrorKind::Malformed);
}

#[tokio::test]
async fn answers_that_are_no_page_of_gpus() {
    for (reply, kind, words) in [
        (Reply::new(503, "text/plain", "busy"), ErrorKind::Throttled, "503"),
        (Reply::new(404, "text/plain", ""), ErrorKind::Unavailable, "404"),
        (Reply::new(200, "text/plain", "<!DOCTYPE html><p>"), ErrorKind::Malformed, "web page"),
        (Reply::new(200, "text/plain", ""), ErrorKind::Unavailable, "empty"),
        (Reply::new(200, "text/plain", "node_load1 0.3\n"), ErrorKind::Unavailable, "none of GPUs"),
        (Reply::new(200, "text/plain", "{\"a\": 1}\n"), ErrorKind::Malformed, "line 1"),
        // More was promised than came: what is missing may be the busy GPUs.
        (
            Reply::Raw(
                format!("HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n{}", page("a", 1)).into(),
            ),
            ErrorKind::Network,
            "broke",
        ),
        (Reply::Raw(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec()), ErrorKind::Malformed, "unreadable"),
    ] {
        let reply = Mutex::new(Some(reply));
        let server =
            Server::start(move |_, _| reply.lock().unwrap().take().unwrap_or(Reply::Silence));
        let (got, message) = trouble_of(server.url.clone()).await;
        assert_eq!(got, kind, "{message}");
        assert!(message.contains(words), "{message}");
    }
}

#[tokio::test]
async fn a_page_that_never_ends_ends_in_time_and_size() {
    // A byte now and then: each arrives in time, the page does not.
    let server = Server::start(|_, _| Reply::Drip(b"HTTP/1.1 200 OK\r\n\r\n", b'#'));
    let source = exporter(Settings { timeout_ms: 200, ..settings([server.url.clone()]) });
    let sweep = source.sweep(&at(0)).await.unwrap();
    assert_eq!(sweep.troubles[0].error.kind, ErrorKind::Timeout, "{:?}", sweep.troubles);
    let endless = "#".repeat(MAX_PAGE + 1);
    let server = Server::start(move |_, _| Reply::new(200, "text/plain", &endless));
    let (kind, message) = trouble_of(server.url.clone()).await;
    assert_eq!((kind, message.contains("larger than 4 MiB")), (ErrorKind::Malformed, true));
}

#[tokio::test]
async fn a_megabyte_of_label_is_cut_and_a_bad_line_passed_over() {
    let body = format!(
        "nonsense\nDCGM_FI_DEV_GPU_UTIL{{UUID=\"GPU-a\",modelName=\"{}\"}} 1\n",
        "M".repeat(1 << 20)
    );
    let server = Server::start(move |_, _| Reply::new(200, "text/plain", &body));
    let sweep = exporter(settings([server.url.clone()])).sweep(&at(0)).await.unwrap();
    assert_eq!(sweep.samples[0].identity.model.chars().count(), text::MAX_CHARS + 1);
}

#[tokio::test]
async fn a_host_that_fails_is_left_alone_and_comes_back() {
    let asked = Arc::new(AtomicUsize::new(0));
    let works = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let (count, up) = (Arc::clone(&asked), Arc::clone(&works));
    let server = Server::start(move |_, _| {
        count.fetch_add(1, Ordering::SeqCst);
        let status = if up.load(Ordering::SeqCst) { 200 } else { 500 };
        Reply::new(status, "text/plain", page("a", 1))
    });
    // An interval of one second, so that rounds are not spread far.
    let source = exporter(Settings { every_s: 1, ..settings([server.url.clone()]) });
    let mut rounds = Vec::new();
    for round in 0..16 {
        let before = asked.load(Ordering::SeqCst);
        let sweep = source.sweep(&at(round)).await.unwrap();
        assert_eq!((sweep.troubles.len(), sweep.asked, sweep.answered), (1, 1, 0), "round {round}");
        if asked.load(Ordering::SeqCst) > before {
            rounds.push(round);
        }
    }
    assert_eq!(rounds, [0, 1, 3, 7, 15]);
    works.store(true, Ordering::SeqCst);
    assert_eq!(source.sweep(&at(40)).await.unwrap().answered, 1);
    works.store(false, Ordering::SeqCst);
    assert_eq!(source.sweep(&at(41)).await.unwrap().answered, 0);
    works.store(true, Ordering::SeqCst);
    assert_eq!(source.sweep(&at(42)).await.unwrap().answered, 1, "the pause begins anew");
}

fn instance(id: &str, ip: &str, role: &str) -> GpuHost {
    let instance = Instance {
        id: id.into(),
        instance_type: "p5.48xlarge".into(),
        ebs_root: false,
        tags: Tags::from_raw([("role", role)]),
        private_dns: format!("ip-{}.ec2.internal", ip.replace('.', "-")).into(),
        private_ip: (!ip.is_empty()).then(|| ip.into()),
        ..sample::instance()
    };
    GpuHost { instance: Arc::new(instance), spec: None }
}

#[tokio::test]
async fn instances_are_read_at_their_private_address() {
    let server = keeping(page("a", 1), None);
    let port = server.port();
    let hosts: Arc<[GpuHost]> = Arc::new([
        instance("i-1", "127.0.0.1", "trainer"),
        instance("i-2", "127.0.0.2", "web"),
        instance("i-3", "", "trainer"),
    ]);
    let tagged = Ec2Hosts::Tagged("role".into(), "trainer".into());
    let mut settings = Settings { port, ..settings([]) };
    settings.targets.ec2 = Some(tagged);
    let source = exporter(settings.clone());
    let ask = Ask::all(Timestamp::UNIX_EPOCH, hosts.clone());
    let sweep = source.sweep(&ask).await.unwrap();
    assert_eq!((sweep.asked, sweep.answered), (1, 1));
    assert_eq!(sweep.samples[0].identity.host.instance_id.as_deref(), Some("i-1"));
    // An instance that is gone is asked no more, and is no trouble.
    let sweep = source.sweep(&Ask::all(Timestamp::UNIX_EPOCH, Arc::default())).await.unwrap();
    assert_eq!((sweep.asked, sweep.samples.len(), sweep.troubles.len()), (0, 0, 0));
    let urls = |which| -> Vec<_> {
        targets::of_instances(which, &hosts, &settings).map(|t| t.shown.to_string()).collect()
    };
    assert_eq!(urls(&Ec2Hosts::All), [format!("127.0.0.1:{port}"), format!("127.0.0.2:{port}")]);
}

#[tokio::test]
async fn only_what_is_looked_at_is_read_each_second() {
    let one = keeping(page("a", 1), None);
    let two = keeping(page("b", 1), None);
    let source = exporter(settings([one.address().to_owned(), two.address().to_owned()]));
    assert_eq!(source.focus_every(), Some(Duration::from_secs(1)));
    source.sweep(&at(0)).await.unwrap();
    let focus = |name: &str| Ask { focus: Arc::new([name.into()]), ..at(1) };
    // By the name that its page told, and by its address.
    for name in ["n-b", two.address()] {
        let sweep = source.sweep(&focus(name)).await.unwrap();
        assert!(sweep.partial);
        assert_eq!((sweep.asked, sweep.samples.len()), (1, 1));
        assert_eq!(sweep.samples[0].identity.uuid.as_deref(), Some("GPU-b"));
    }
    assert_eq!(source.sweep(&focus("elsewhere")).await.unwrap().asked, 0);
    assert_eq!(one.requests(), 1);
    // An instance that is known by its id is found by its address.
    let hosts: Arc<[GpuHost]> = Arc::new([instance("i-9", "127.0.0.1", "x")]);
    let sweep = source.sweep(&Ask { hosts, ..focus("i-9") }).await.unwrap();
    assert_eq!(sweep.asked, 2, "both listen at that address");
}

#[tokio::test]
async fn one_host_that_names_owners_speaks_for_those_of_its_kind() {
    let held = "DCGM_FI_DEV_GPU_UTIL{UUID=\"GPU-a\",namespace=\"x\",pod=\"y\"} 1\n".to_owned();
    let held = keeping(held, None);
    let free = keeping(page("b", 0), None);
    let other = "nvidia_smi_utilization_gpu_ratio{uuid=\"c\"} 0\n".to_owned();
    let other = keeping(other, None);
    let hosts = [&held, &free, &other].map(|s| s.address().to_owned());
    let sweep = exporter(settings(hosts)).sweep(&at(0)).await.unwrap();
    let named = |uuid: &str| {
        let is = |s: &&crate::domain::GpuSample| s.identity.uuid.as_deref() == Some(uuid);
        sweep.samples.iter().find(is).unwrap().names_owners
    };
    assert_eq!((named("GPU-a"), named("GPU-b"), named("GPU-c")), (true, true, false));
}

#[tokio::test]
async fn a_file_of_targets_is_read_anew_when_it_changes() {
    let server = keeping(page("a", 1), None);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("targets");
    let mut settings = settings([]);
    settings.targets.file = Some(path.clone());
    let source = exporter(settings);
    let sweep = source.sweep(&at(0)).await.unwrap();
    assert_eq!((sweep.answered, sweep.troubles.len()), (0, 1), "it is not there yet");
    assert!(sweep.troubles[0].error.message.contains("targets"), "{:?}", sweep.troubles);
    std::fs::write(&path, format!("{} # one\n", server.address())).unwrap();
    let sweep = source.sweep(&at(0)).await.unwrap();
    assert_eq!((sweep.answered, sweep.troubles.len()), (1, 0));
    std::fs::write(&path, "# none left\n").unwrap();
    assert_eq!(source.sweep(&at(0)).await.unwrap().asked, 0);
}

#[test]
fn hosts_are_spread_evenly_and_each_keeps_its_place() {
    let spread = Duration::from_secs(5);
    let mut seconds = [0; 5];
    for i in 0..500 {
        let target = Target::parse(&format!("10.0.{}.{}", i / 250, i % 250), &Settings::default());
        let target = target.unwrap();
        assert_eq!(target.phase(spread), target.phase(spread));
        assert_eq!(target.phase(Duration::ZERO), Duration::ZERO);
        seconds[target.phase(spread).as_secs() as usize] += 1;
    }
    assert!(seconds.iter().all(|n| (70..=130).contains(n)), "{seconds:?}");
}

#[test]
fn a_target_that_is_none_is_refused_without_its_password() {
    for bad in ["http://user:hunter2@host:9400/metrics", "user:hunter2@host", "ftp://host", "a b"] {
        let error = Exporter::new(settings([bad.to_owned()]), Arc::default()).unwrap_err();
        assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    }
}

/// Pages, and lists of them, that are larger than a host.
mod hostile {
    use super::*;
    use crate::source::exposition::Reader;
    use crate::source::vocabulary::{Gather, Page};

    /// What the labels of all hosts may take here, and what may be taken for a moment besides.
    const BUDGET: (usize, u64) = (4 << 20, 16 << 20);

    fn floods() -> Vec<(&'static str, String)> {
        const BYTES: usize = MAX_PAGE / 8;
        let many = |line: &dyn Fn(usize) -> String| {
            let mut page = String::new();
            for i in 0.. {
                if page.len() > BYTES {
                    break;
                }
                page.push_str(&line(i));
            }
            page
        };
        let util = |labels: &str| format!("DCGM_FI_DEV_GPU_UTIL{{{labels}}} 1\n");
        vec![
            ("devices", many(&|i| util(&format!("UUID=\"GPU-{i:x}f\"")))),
            ("indexes", many(&|i| util(&format!("gpu=\"{i}\",Hostname=\"h{i}\"")))),
            ("slices", many(&|i| util(&format!("UUID=\"GPU-1f\",GPU_I_ID=\"{i}\"")))),
            ("pods of a device", many(&|i| util(&format!("UUID=\"GPU-1f\",pod=\"{i}\"")))),
            (
                "long pods",
                many(&|i| util(&format!("UUID=\"GPU-1f\",pod=\"{i}{}\"", "p".repeat(5_000)))),
            ),
            (
                "processes",
                many(&|i| {
                    format!(
                        "all_smi_process_memory_used_bytes{{uuid=\"GPU-1f\",pid=\"{i}\",process_name=\"x\"}} 1\n"
                    )
                }),
            ),
            ("labels", util(&format!("{}UUID=\"GPU-1f\"", "l=\"\",".repeat(BYTES / 5)))),
            ("a label", util(&format!("UUID=\"GPU-1f\",pod=\"{}\"", "x".repeat(BYTES)))),
            ("escapes", util(&format!("UUID=\"GPU-1f\",pod=\"{}\"", "\\n".repeat(BYTES / 2)))),
            ("an open quote", format!("DCGM_FI_DEV_GPU_UTIL{{UUID=\"{}", "x".repeat(BYTES))),
            ("a name", format!("{} 1\n", "n".repeat(BYTES))),
            ("names", many(&|i| format!("n{i} 1\n"))),
            ("no metrics", "\u{0}".repeat(BYTES)),
            ("lines", "\n".repeat(BYTES)),
            ("comments", "#\n".repeat(BYTES / 2)),
            (
                "cores",
                many(&|i| {
                    format!(
                        "neuroncore_utilization_ratio{{neuroncore=\"{}\",instance_name=\"{i}\"}} 1\n",
                        i % 65_536
                    )
                }),
            ),
        ]
    }

    #[test]
    fn no_page_takes_more_than_its_host_may() {
        let vocabulary = Arc::<Vocabulary>::default();
        let mut inputs = 0;
        for (what, text) in floods() {
            let mut samples = 0;
            let measured = allocation_counter::measure(|| {
                let page = Page { address: "a:1".into(), instance_id: None };
                let budget = Arc::new(Budget::new(BUDGET.0));
                let mut gather =
                    Gather::of_page(Arc::clone(&vocabulary), page, MAX_DEVICES).within(budget);
                let mut reader = Reader::default();
                for _ in 0..2 {
                    let take = |metric, series: crate::source::exposition::Series<'_>| {
                        gather.take(&metric, series.labels.iter(), series.value);
                    };
                    reader.read(text.as_bytes(), |name| vocabulary.get(name), take);
                    samples = gather.finish(Timestamp::UNIX_EPOCH).samples.len();
                }
            });
            assert!(samples <= MAX_DEVICES, "{what}: {samples}");
            assert!(measured.bytes_max <= BUDGET.1, "{what}: {}", measured.bytes_max);
            inputs += 1;
        }
        assert_eq!(inputs, 16);
        println!("hostile: exporter pages: {inputs} inputs");
    }

    #[tokio::test]
    async fn what_is_left_out_of_a_page_is_said_and_its_gpus_are_no_samples() {
        // More GPUs than a host may have.
        let many: String = (0..MAX_DEVICES + 9).map(|i| page(&format!("{i:x}f"), 0)).collect();
        // One GPU with more sets of labels than are kept: what is left would pass for all of it.
        let pods: String = (0..3_000)
            .map(|i| format!("DCGM_FI_DEV_GPU_UTIL{{UUID=\"GPU-1f\",pod=\"{i}\"}} 0\n"))
            .collect();
        let both = format!("{}{pods}", page("2f", 50));
        for (text, samples, words) in [(many, MAX_DEVICES, "9 series"), (both, 1, "1976 series")] {
            let server = Server::start(move |_, _| Reply::new(200, "text/plain", &text));
            let sweep = exporter(settings([server.url.clone()])).sweep(&at(0)).await.unwrap();
            assert_eq!((sweep.samples.len(), sweep.asked, sweep.answered), (samples, 1, 0));
            let error = &sweep.troubles[0].error;
            assert!(error.message.contains(words) && error.fix.contains("unknown"), "{error:?}");
        }
        let server = Server::start(|_, _| Reply::new(200, "text/plain", vec![b'#'; MAX_PAGE + 1]));
        let (kind, message) = trouble_of(server.url.clone()).await;
        assert_eq!(kind, ErrorKind::Malformed);
        assert!(message.contains("larger than 4 MiB"), "{message}");
        println!("hostile: exporter limits: 3 inputs");
    }

    #[tokio::test]
    async fn a_list_of_targets_is_whole_or_what_is_missing_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("targets");
        let lines =
            |n: usize| (0..n).map(|i| format!("10.{}.{}.{}\n", i >> 16, i >> 8 & 255, i & 255));
        let json = |n: usize| {
            let all: Vec<String> = lines(n).map(|l| format!("\"{}\"", l.trim())).collect();
            format!("[{{\"targets\":[{}]}}]", all.join(","))
        };
        let large = format!("10.0.0.1\n{}10.0.0.2\n", "#\n".repeat(3 << 20));
        let mut inputs = 0;
        for (text, words) in [
            (lines(MAX_HOSTS + 7).collect::<String>(), "7 targets left out"),
            (json(MAX_HOSTS + 7), "7 targets left out"),
            (large, "larger than 4 MiB"),
            ("[".repeat(100_000), "no address"),
        ] {
            std::fs::write(&path, text).unwrap();
            let targets = Targets { file: Some(path.clone()), ..Targets::default() };
            let source = exporter(Settings { targets, ..settings([]) });
            let (targets, troubles) = source.targets(&at(0));
            assert!(targets.len() <= MAX_HOSTS);
            let said: Vec<_> = troubles.iter().map(|t| t.error.message.clone()).collect();
            assert!(said.iter().any(|m| m.contains(words)), "{words}: {said:?}");
            inputs += 1;
        }
        assert_eq!(inputs, 4);
        println!("hostile: targets: {inputs} inputs");
    }
}
