use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::domain::{GpuSignal, Rung, Secret};
use crate::source::server::{Reply, Request, Server};

const DCGM: &[&str] = &[
    "DCGM_FI_PROF_SM_ACTIVE",
    "DCGM_FI_DEV_GPU_UTIL",
    "DCGM_FI_DEV_POWER_USAGE",
    "DCGM_FI_DEV_FB_USED",
    "DCGM_FI_DEV_GPU_TEMP",
];

fn source(url: &str, change: impl FnOnce(&mut Settings)) -> Prometheus {
    let mut settings = Settings { proxy: false, ..Settings::new("prod", url) };
    change(&mut settings);
    Prometheus::new(settings).unwrap()
}

fn names(of: &[&str]) -> Reply {
    Reply::json(serde_json::json!({"status": "success", "data": of}).to_string())
}

fn ask() -> Ask {
    Ask { with_recent: false, ..Ask::all(Timestamp::now(), [].into()) }
}

/// A GPU as the server has it: node, index, and the value of each metric.
fn vector(rows: &[(&str, u32, f64)], extra: &str) -> Reply {
    let now = Timestamp::now().as_second();
    let series: Vec<_> = rows
        .iter()
        .map(|(node, gpu, value)| {
            format!(
                r#"{{"metric":{{"UUID":"GPU-{node}-{gpu}","gpu":"{gpu}","Hostname":"{node}",
                "instance":"{node}:9400","modelName":"NVIDIA H100 80GB HBM3"{extra}}},
                "value":[{now},"{value}"]}}"#
            )
        })
        .collect();
    Reply::json(format!(
        r#"{{"status":"success","data":{{"resultType":"vector","result":[{}]}}}}"#,
        series.join(",")
    ))
}

const EMPTY: &str = r#"{"status":"success","data":{"resultType":"vector","result":[]}}"#;

/// A server with two GPUs.
fn two(seen: &Request) -> Reply {
    if seen.path.contains("/label/__name__/values") {
        return names(DCGM);
    }
    let query = seen.field("query").unwrap_or_default();
    let both = |a: f64, b: f64| vector(&[("n1", 0, a), ("n1", 1, b)], "");
    match &query {
        q if q.starts_with("time()") => both(7.0, 250.0),
        q if q.contains("max_over_time(DCGM_FI_PROF_SM_ACTIVE") => both(0.9, 0.1),
        q if q.contains("max_over_time(DCGM_FI_DEV_POWER") => both(650.0, 72.0),
        q if q.contains("min_over_time(timestamp(") => both(885.5, 45.5),
        q if q.contains("avg_over_time") => both(0.5, 0.01),
        q if q.contains("[10m]") => both(20.0, 20.0),
        q if q.contains("count_over_time") => both(120.0, 40.0),
        q if q.contains("SM_ACTIVE") => vector(
            &[("n1", 0, 0.7), ("n1", 1, 0.0)],
            r#","exported_namespace":"team-a","exported_pod":"train-0","namespace":"gpu-operator"
            ,"pod":"nvidia-dcgm-exporter-abcde""#,
        ),
        q if q.contains("GPU_UTIL") => both(100.0, 0.0),
        q if q.contains("POWER") => both(600.0, 71.0),
        q if q.contains("FB_USED") => both(60_000.0, 0.0),
        q if q.contains("GPU_TEMP") => both(61.0, f64::NAN),
        _ => Reply::json(EMPTY),
    }
}

#[tokio::test]
async fn a_sweep_has_who_whose_and_what() {
    let server = Server::start(|_, seen| two(seen));
    let prom = source(&server.url, |_| {});
    let sweep = prom.sweep(&Ask { with_recent: true, ..ask() }).await.unwrap();
    assert!(sweep.troubles.is_empty(), "{:?}", sweep.troubles);
    assert_eq!((sweep.asked, sweep.answered, sweep.partial), (5, 5, false));
    let [a, b] = &sweep.samples[..] else { panic!("{:?}", sweep.samples) };
    assert_eq!(&*a.identity.model, "NVIDIA H100 80GB HBM3");
    assert_eq!(a.identity.host.node.as_deref(), Some("n1"));
    assert_eq!(a.owner.words().as_deref(), Some("team-a/train-0"));
    let get = |s: GpuSignal| a.signals.get(s);
    assert_eq!(get(GpuSignal::SmActive), Some(0.7));
    assert_eq!(get(GpuSignal::Util), Some(1.0));
    assert_eq!(get(GpuSignal::Power), Some(600.0));
    assert_eq!(get(GpuSignal::MemUsed), Some(60_000.0));
    assert_eq!(get(GpuSignal::Temp), Some(61.0));
    assert_eq!(b.signals.get(GpuSignal::Temp), None, "NaN is unknown");
    let age = |s: &crate::domain::GpuSample| sweep.taken_at.duration_since(s.taken_at).as_secs();
    assert_eq!((age(a), age(b)), (7, 250), "the age of the scrape, not of the question");
    let recent = a.recent.unwrap();
    assert_eq!((recent.seconds, recent.samples), (600, 120));
    assert_eq!(b.recent.unwrap().seconds, 45, "no longer than the series is there");
    assert_eq!((recent.max_activity, recent.max_power_w), (0.9, Some(650.0)));

    // The next sweep asks for less and forgets nothing.
    let before = server.seen().len();
    let second = prom.sweep(&ask()).await.unwrap();
    let asked: Vec<_> = server.seen()[before..].iter().filter_map(|s| s.field("query")).collect();
    assert_eq!(asked.len(), 3, "{asked:#?}");
    assert_eq!(asked.iter().filter(|q| q.contains("exported_pod")).count(), 1);
    let a2 = &second.samples[0];
    assert_eq!(a2.signals.get(GpuSignal::Temp), Some(61.0), "from the slow beat");
    assert_eq!(a2.signals.get(GpuSignal::Util), Some(1.0));
    assert!(Arc::ptr_eq(&a.identity, &a2.identity), "identities are shared");
    assert!(second.taken_at.duration_since(second.samples[1].taken_at).as_secs() >= 250);
}

#[tokio::test]
async fn all_queries_are_posted_with_a_limit_and_the_matchers() {
    let server = Server::start(|_, seen| two(seen));
    let prom = source(&server.url, |s| {
        s.matchers = Matchers::parse("cluster='a'").unwrap();
        s.timeout_s = 7;
        s.tenant = Some("team-a".into());
        s.flavour = Flavour::Thanos;
        s.auth = Auth::Bearer(Secret::new("s3cr3t"));
    });
    prom.sweep(&ask()).await.unwrap();
    for seen in server.seen() {
        assert_eq!(seen.header("x-scope-orgid"), Some("team-a"));
        assert_eq!(seen.header("authorization"), Some("Bearer s3cr3t"));
        if seen.head.starts_with("POST /api/v1/query ") {
            assert_eq!(seen.field("timeout").as_deref(), Some("7s"));
            assert_eq!(seen.field("dedup").as_deref(), Some("true"));
            assert_eq!(seen.field("partial_response").as_deref(), Some("true"));
            assert!(seen.field("query").unwrap().contains(r#"cluster="a""#));
        } else {
            assert!(seen.path.contains("cluster%3D%22a%22"), "{}", seen.path);
        }
    }
}

#[tokio::test]
async fn a_gpu_that_the_best_signal_does_not_know_is_read_by_the_next() {
    let server = Server::start(|_, seen| {
        let query = seen.field("query").unwrap_or_default();
        match &query {
            q if q.contains("SM_ACTIVE") => vector(&[("n1", 0, 0.7)], ""),
            q if q.contains("GPU_UTIL") => vector(&[("n1", 0, 90.0), ("n2", 0, 30.0)], ""),
            _ => two(seen),
        }
    });
    let prom = source(&server.url, |_| {});
    prom.sweep(&ask()).await.unwrap();
    let before = server.seen().len();
    prom.sweep(&ask()).await.unwrap();
    let asked = server.seen().split_off(before);
    let util = asked.iter().filter_map(|s| s.field("query")).find(|q| q.contains("GPU_UTIL"));
    assert!(util.unwrap().contains("exported_pod"), "its owner is asked for as well");
}

/// What a server that answers every query with `reply` makes of a sweep.
async fn fails(reply: impl Fn() -> Reply + Send + Sync + 'static) -> SourceError {
    let server = Server::start(move |_, seen| {
        if seen.path.contains("/label/__name__/values") { names(DCGM) } else { reply() }
    });
    source(&server.url, |s| s.timeout_s = 1).sweep(&ask()).await.unwrap_err()
}

#[tokio::test]
async fn each_bad_day_is_a_clear_state() {
    let html = "<!DOCTYPE html><html>log in</html>";
    let points = include_str!("../../../tests/data/gpu/prometheus/err_too_many_points.json");
    let parse = include_str!("../../../tests/data/gpu/prometheus/err_parse.json");
    let slow = r#"{"status":"error","errorType":"timeout","error":"query timed out"}"#;
    let tenant = "no org id";
    let lying = b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"status\":".to_vec();
    let cut = EMPTY[..20].to_owned();
    let cases: Vec<(Reply, ErrorKind, &str)> = vec![
        (Reply::new(200, "text/html", html), ErrorKind::Malformed, "web page"),
        (Reply::new(503, "text/html", html), ErrorKind::Throttled, "slow down"),
        (Reply::new(503, "application/json", slow), ErrorKind::Timeout, "timed out"),
        (Reply::new(422, "application/json", points), ErrorKind::Refused, "11,000 points"),
        (Reply::new(400, "application/json", parse), ErrorKind::Refused, "parse error"),
        (Reply::new(401, "text/plain", tenant), ErrorKind::Denied, "401"),
        (Reply::Raw(lying), ErrorKind::Network, "middle"),
        (Reply::json(cut), ErrorKind::Malformed, "unreadable"),
        (Reply::json(parse), ErrorKind::Refused, "parse error"),
    ];
    for (reply, kind, words) in cases {
        let error = fails(move || reply.clone()).await;
        assert_eq!(error.kind, kind, "{error}");
        assert!(error.message.contains(words), "{error}");
        assert!(error.message.starts_with("prod: "), "{error}");
        assert!(!error.fix.is_empty());
    }
}

#[tokio::test]
async fn a_slow_server_is_left_alone_for_a_while() {
    let calls = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&calls);
    let server = Server::start(move |_, seen| {
        if seen.path.contains("/label/__name__/values") {
            return names(DCGM);
        }
        count.fetch_add(1, Ordering::Relaxed);
        Reply::new(503, "text/plain", "overloaded")
    });
    let prom = source(&server.url, |s| s.every_s = 3600);
    assert_eq!(prom.sweep(&ask()).await.unwrap_err().kind, ErrorKind::Throttled);
    let asked = calls.load(Ordering::Relaxed);
    assert!(asked <= 2, "two in flight at most, then nothing: {asked}");
    let error = prom.sweep(&ask()).await.unwrap_err();
    assert!(error.message.contains("server slow, asked again in"), "{error}");
    assert_eq!(calls.load(Ordering::Relaxed), asked, "not asked again");
}

#[tokio::test]
async fn a_query_that_fails_leaves_the_others() {
    let server = Server::start(|_, seen| {
        let power = seen.field("query").is_some_and(|q| q.contains("POWER"));
        if power { Reply::new(500, "text/plain", "x") } else { two(seen) }
    });
    let sweep = source(&server.url, |_| {}).sweep(&ask()).await.unwrap();
    assert_eq!((sweep.asked, sweep.answered, sweep.samples.len()), (5, 4, 2));
    assert_eq!(&*sweep.troubles[0].host, "power");
    assert_eq!(sweep.samples[0].signals.get(GpuSignal::Power), None, "unknown, not 0");
}

#[tokio::test]
async fn what_a_partial_answer_lacks_is_not_gone() {
    let server = Server::start(|_, seen| {
        if !seen.mentions("SM_ACTIVE") {
            return two(seen);
        }
        Reply::json(EMPTY.replacen('{', r#"{"warnings":["store b: unavailable"],"#, 1))
    });
    let sweep = source(&server.url, |_| {}).sweep(&ask()).await.unwrap();
    assert!(sweep.partial);
    assert!(sweep.troubles[0].error.message.contains("store b"), "{:?}", sweep.troubles);
}

#[tokio::test]
async fn duplicates_are_one_gpu_and_long_labels_are_bounded() {
    let server = Server::start(|_, seen| {
        if seen.mentions("SM_ACTIVE") && !seen.mentions("timestamp") {
            let long = format!(r#","exported_pod":"{}""#, "x".repeat(1 << 20));
            // The same GPU by two jobs.
            return vector(&[("n1", 0, 0.2), ("n1", 0, 0.6)], &long);
        }
        two(seen)
    });
    let sweep = source(&server.url, |_| {}).sweep(&ask()).await.unwrap();
    assert_eq!(sweep.samples.len(), 2);
    assert_eq!(sweep.samples[0].signals.get(GpuSignal::SmActive), Some(0.6));
}

#[tokio::test]
async fn a_site_without_gpu_metrics_is_told_so() {
    let server = Server::start(|_, _| names(&["up"]));
    let error = source(&server.url, |_| {}).sweep(&ask()).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unavailable);
    assert!(error.message.contains("no metrics of GPUs"), "{error}");
}

#[tokio::test]
async fn names_are_found_by_asking_where_they_are_not_listed() {
    let server = Server::start(|_, seen| {
        if seen.path.contains("/label/") {
            return Reply::new(404, "text/plain", "no such path");
        }
        let query = seen.field("query").unwrap();
        assert!(query.starts_with("max by (__name__) ("), "{query}");
        let some = if query.contains("DCGM_FI_DEV_GPU_UTIL|") {
            r#"{"metric":{"__name__":"DCGM_FI_DEV_GPU_UTIL"},"value":[1,"1"]}"#
        } else {
            ""
        };
        Reply::json(EMPTY.replace("[]", &format!("[{some}]")))
    });
    let prom = source(&server.url, |_| {});
    assert_eq!(prom.metric_names().await.unwrap(), ["DCGM_FI_DEV_GPU_UTIL"]);
    assert!(prom.recording_rules().await.unwrap().contains("record: gpu:util:avg1h"));
}

#[tokio::test]
async fn a_closed_hour_is_asked_for_at_its_end() {
    let server = Server::start(|_, seen| two(seen));
    let prom = source(&server.url, |_| {});
    let hour = Hour(490_000);
    let hours = prom.hour(hour).await.unwrap().unwrap();
    let [a, b] = &hours[..] else { panic!("{hours:?}") };
    assert_eq!((a.mean, a.max, a.samples, a.rung), (0.5, 0.9, 120, Rung::A));
    assert_eq!((b.mean, b.max, b.samples), (0.01, 0.1, 40));
    let end = hour.end().as_second().to_string();
    for seen in server.seen().iter().filter(|s| s.method() == "POST") {
        assert_eq!(seen.field("time"), Some(end.clone()));
        let query = seen.field("query").unwrap();
        assert!(query.contains("[1h]") || query.contains("[10m]"), "{query}");
    }
}

#[tokio::test]
async fn an_hour_that_was_watched_in_part_is_no_idle_hour() {
    let server = Server::start(|_, seen| {
        let query = seen.field("query").unwrap_or_default();
        let both = |a: f64, b: f64| vector(&[("n1", 0, a), ("n1", 1, b)], "");
        match &query {
            q if q.contains("_over_time(DCGM_FI_DEV_ENC") => both(0.0, 0.0),
            q if q.contains("max_over_time(DCGM_FI_PROF") => both(0.01, 0.01),
            q if q.contains("[10m]") => both(40.0, 40.0),
            q if q.contains("count_over_time") => both(239.0, 120.0),
            _ => two(seen),
        }
    });
    let hours = source(&server.url, |_| {}).hour(Hour(490_000)).await.unwrap().unwrap();
    let told: Vec<_> = hours.iter().map(|h| h.identity.index).collect();
    assert_eq!(told, [Some(0)], "half of the hour of the other one is missing");
}

#[tokio::test]
async fn an_encoder_at_work_is_in_the_hours_of_every_rung() {
    let server = Server::start(|_, seen| {
        if seen.path.contains("/label/") {
            return names(&["DCGM_FI_PROF_SM_ACTIVE", "DCGM_FI_DEV_ENC_UTIL"]);
        }
        let query = seen.field("query").unwrap();
        let one = |v: f64| vector(&[("n1", 0, v)], "");
        match &query {
            q if q.contains("ENC_UTIL") => one(69.0),
            q if q.contains("count_over_time") => one(240.0),
            _ => one(0.02),
        }
    });
    let hours = source(&server.url, |_| {}).hour(Hour(490_000)).await.unwrap().unwrap();
    assert_eq!((hours[0].rung, hours[0].max), (Rung::A, 0.69));
}

#[tokio::test]
async fn what_was_carried_over_is_no_witness() {
    let server = Server::start(|_, seen| {
        if seen.path.contains("/label/") {
            return names(&[
                "DCGM_FI_PROF_SM_ACTIVE",
                "DCGM_FI_DEV_GPU_UTIL",
                "DCGM_FI_DEV_POWER_USAGE",
                "DCGM_FI_DEV_CLOCKS_EVENT_REASONS",
            ]);
        }
        let query = seen.field("query").unwrap();
        let one = |v: f64| vector(&[("n1", 0, v)], "");
        match &query {
            q if q.starts_with("time()") => one(5.0),
            q if q.contains("REASONS") => one(1.0),
            q if q.contains("POWER") => one(70.0),
            _ => one(0.0),
        }
    });
    let prom = source(&server.url, |_| {});
    let first = prom.sweep(&ask()).await.unwrap();
    let before = server.seen().len();
    let second = prom.sweep(&ask()).await.unwrap();
    let asked = server.seen().split_off(before);
    let bit = asked.iter().filter_map(|s| s.field("query")).any(|q| q.contains("REASONS"));
    assert!(bit, "the idle bit is asked for each time");
    assert_eq!(
        second.samples[0].taken_at, first.samples[0].taken_at,
        "the same to the last digit: the same measurement"
    );
}

#[tokio::test]
async fn recorded_hours_are_used_where_they_exist() {
    let server = Server::start(|_, seen| {
        if seen.path.contains("/label/") {
            return names(&["DCGM_FI_DEV_GPU_UTIL", "gpu:util:avg1h", "gpu:util:max1h"]);
        }
        let query = seen.field("query").unwrap();
        match &query {
            q if q.contains("(gpu:util:avg1h)") => vector(&[("n1", 0, 0.25)], ""),
            q if q.contains("(gpu:util:max1h)") => vector(&[("n1", 0, 0.75)], ""),
            // No rule for counts: the raw series.
            q if q.contains("count_over_time(DCGM_FI_DEV_GPU_UTIL[1h])") => {
                vector(&[("n1", 0, 60.0)], "")
            }
            q if q.contains("count_over_time(DCGM_FI_DEV_GPU_UTIL[10m])") => {
                vector(&[("n1", 0, 10.0)], "")
            }
            q => panic!("{q}"),
        }
    });
    let hours = source(&server.url, |_| {}).hour(Hour(490_000)).await.unwrap().unwrap();
    assert_eq!((hours[0].mean, hours[0].max, hours[0].samples), (0.25, 0.75, 60));
    assert_eq!(hours[0].rung, Rung::C);
}

#[tokio::test]
async fn the_past_of_one_gpu_is_evenly_spaced_with_gaps() {
    let server = Server::start(|_, seen| {
        if seen.path.contains("/label/") {
            return names(DCGM);
        }
        assert!(seen.path.contains("query_range"));
        Reply::json(
            r#"{"status":"success","data":{"resultType":"matrix","result":[
            {"metric":{"__name__":"DCGM_FI_DEV_GPU_UTIL"},"values":[[1000,"50"],[1060,"NaN"],[1120,"100"]]},
            {"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE"},"values":[[1060,"300"]]}]}}"#,
        )
    });
    let key = GpuKey { device: "GPU-6085db41".into(), gpu_instance: None };
    let at = |s| Timestamp::from_second(s).unwrap();
    let prom = source(&server.url, |_| {});
    let history = prom.history(&key, at(1000), at(1180), 4).await.unwrap().unwrap();
    assert_eq!((history.from, history.step_s), (Some(at(1000)), 60));
    let of = |signal| {
        let trace = history.traces.iter().find(|t| t.signal == Some(signal)).unwrap();
        trace.values.iter().map(|v| (!v.is_nan()).then_some(*v)).collect::<Vec<_>>()
    };
    assert_eq!(of(GpuSignal::Util), [Some(0.5), None, Some(1.0), None]);
    assert_eq!(of(GpuSignal::Power), [None, Some(300.0), None, None]);
    let query = server.seen().last().unwrap().field("query").unwrap();
    assert!(query.contains(r#"UUID=~"(GPU-)?6085db41",GPU_I_ID="""#), "{query}");
}

#[tokio::test]
async fn amazon_gets_signed_requests() {
    let server = Server::start(|_, seen| two(seen));
    let credentials = aws_credential_types::Credentials::new(
        "AKIDEXAMPLE",
        "s3cr3t",
        Some("tok3n".into()),
        None,
        "test",
    );
    let prom = source(&format!("{}/workspaces/ws-1", server.url), |s| {
        s.flavour = Flavour::Amazon {
            region: "eu-west-1".into(),
            credentials: SharedCredentialsProvider::new(credentials),
        };
    });
    prom.sweep(&ask()).await.unwrap();
    for seen in server.seen() {
        assert!(seen.path.starts_with("/workspaces/ws-1/api/v1/"), "{}", seen.path);
        let auth = seen.header("authorization").unwrap();
        assert!(auth.starts_with("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/"), "{auth}");
        assert!(auth.contains("/eu-west-1/aps/aws4_request, SignedHeaders="), "{auth}");
        let signed = auth.split("SignedHeaders=").nth(1).unwrap().split(',').next().unwrap();
        for name in signed.split(';') {
            assert!(seen.header(name).is_some(), "{name} is signed and not sent");
        }
        assert_eq!(seen.header("x-amz-security-token"), Some("tok3n"));
        assert!(!format!("{seen:?}").contains("s3cr3t"));
    }
    assert!(!format!("{:?}", prom.settings).contains("s3cr3t"));
}

#[tokio::test]
async fn queries_of_amazons_are_charged_by_the_samples_that_they_processed() {
    use crate::cache::{Cache, OpenOptions};
    use crate::source::ledger::{Ledger, micro_usd};

    let with_stats = |seen: &Request| {
        let Reply::Whole(.., body) = two(seen) else { unreachable!("it answers") };
        let text = String::from_utf8(body).unwrap();
        let stats = r#""stats":{"samples":{"totalQueryableSamples":20000000}},"result""#;
        Reply::json(text.replace(r#""result""#, stats))
    };
    let server = Server::start(move |_, seen| with_stats(seen));
    let ledger = |cap| {
        let (cache, _) = Cache::open(OpenOptions::in_memory(), Timestamp::now());
        Ledger::new(cache, micro_usd(cap))
    };
    let amazon = |s: &mut Settings| {
        let keys =
            aws_credential_types::Credentials::new("AKIDEXAMPLE", "s3cr3t", None, None, "test");
        s.flavour = Flavour::Amazon {
            region: "eu-west-1".into(),
            credentials: SharedCredentialsProvider::new(keys),
        };
    };
    let kept = ledger(1.0);
    let prom = source(&server.url, |s| {
        amazon(s);
        s.ledger = Some(kept.clone());
    });
    let sweep = prom.sweep(&ask()).await.unwrap();
    let today = kept.today(Timestamp::now()).await.unwrap();
    let queries = server.seen().iter().filter(|s| s.field("query").is_some()).count() as u64;
    assert!(queries > 3 && u64::from(sweep.answered) <= queries, "{queries}");
    assert!(
        server
            .seen()
            .iter()
            .all(|s| s.field("query").is_none() || s.field("stats").as_deref() == Some("all"))
    );
    // 20 million samples each, $0.10 per 10⁹: 2,000 millionths of a dollar.
    let [cost] = today.apis.as_slice() else { panic!("{today:?}") };
    assert_eq!((cost.name.as_str(), cost.micro_usd), ("aps:QueryMetrics", 2_000 * queries));
    // Without anything left nothing is asked.
    let prom = source(&server.url, |s| {
        amazon(s);
        s.ledger = Some(ledger(0.0));
    });
    let before = server.seen().iter().filter(|s| s.field("query").is_some()).count();
    let refused = prom.sweep(&ask()).await.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::OwnCostCap);
    let after = server.seen().iter().filter(|s| s.field("query").is_some()).count();
    assert_eq!(before, after);
    // A Prometheus of one's own costs nothing, and is not asked what it processed.
    let own = ledger(0.0);
    let prom = source(&server.url, |s| s.ledger = Some(own.clone()));
    prom.sweep(&ask()).await.unwrap();
    assert!(server.seen().last().unwrap().field("stats").is_none());
    assert_eq!(own.today(Timestamp::now()).await.unwrap().micro_usd, 0);
}

/// Answers that are larger than a fleet.
mod hostile {
    use super::*;
    use crate::domain::gpu::IDLE_BELOW;
    use crate::source::budget::Budget;
    use crate::source::vocabulary::DEVICES_AT_MOST;

    /// What may be kept of labels here, and what may be taken for a moment besides.
    const BUDGET: (usize, u64) = (8 << 20, 24 << 20);

    /// One series as a server writes it.
    fn series(gpu: usize, more: &str, value: f64) -> String {
        format!(
            r#"{{"metric":{{"UUID":"GPU-{gpu:08x}","gpu":"{}","Hostname":"n{}"{more}}},"value":[1790000000,"{value}"]}}"#,
            gpu % 8,
            gpu / 8
        )
    }

    fn answer(series: impl Iterator<Item = String>) -> String {
        let all: Vec<String> = series.collect();
        format!(
            r#"{{"status":"success","data":{{"resultType":"vector","result":[{}]}}}}"#,
            all.join(",")
        )
    }

    #[tokio::test]
    async fn gpus_beyond_the_limit_are_left_out_whole_and_said() {
        const MORE: usize = 500;
        let server = Server::start(|_, seen| {
            if seen.path.contains("/label/__name__/values") {
                return names(&["DCGM_FI_PROF_SM_ACTIVE", "DCGM_FI_DEV_POWER_USAGE"]);
            }
            let query = seen.field("query").unwrap_or_default();
            // The second answer has them in another order.
            let gpus = 0..DEVICES_AT_MOST + MORE;
            Reply::json(match &query {
                q if q.starts_with("time()") => EMPTY.to_owned(),
                q if q.contains("SM_ACTIVE") => answer(gpus.map(|g| series(g, "", 0.0))),
                _ => answer(gpus.rev().map(|g| series(g, "", 70.0))),
            })
        });
        let prom = source(&server.url, |s| s.timeout_s = 600);
        let sweep = prom.sweep(&ask()).await.unwrap();
        assert_eq!(sweep.samples.len(), DEVICES_AT_MOST);
        // Those that are in have everything that was said of them.
        assert!(sweep.samples.iter().all(|s| s.signals.get(GpuSignal::Power).is_some()));
        assert!(sweep.partial, "GPUs that are left out are not gone");
        let said = &sweep.troubles[0].error;
        assert!(said.message.contains(&format!("{} series left out", 2 * MORE)), "{said:?}");
        assert!(said.message.contains("32000 GPUs") && said.fix.contains("matchers"), "{said:?}");
        println!("hostile: prometheus devices: 1 inputs");
    }

    #[tokio::test]
    async fn an_engine_that_nobody_answered_for_leaves_no_gpu_idle() {
        let of = |encoder: &'static str| async move {
            let server = Server::start(move |_, seen| {
                if seen.path.contains("/label/__name__/values") {
                    return names(&["DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_ENC_UTIL"]);
                }
                let query = seen.field("query").unwrap_or_default();
                match &query {
                    q if q.starts_with("time()") => Reply::json(EMPTY),
                    q if q.contains("GPU_UTIL") => vector(&[("n1", 0, 0.0), ("n1", 1, 90.0)], ""),
                    q if q.contains("ENC_UTIL") => Reply::new(422, "application/json", encoder),
                    _ => Reply::json(EMPTY),
                }
            });
            source(&server.url, |_| {}).sweep(&ask()).await.unwrap()
        };
        let error = r#"{"status":"error","errorType":"execution","error":"too many samples"}"#;
        let sweep = of(error).await;
        let told: Vec<_> = sweep.samples.iter().map(|s| s.signals.get(GpuSignal::Util)).collect();
        assert_eq!(told, [None, Some(0.9)], "use is use, rest is not known");
        assert!(told.iter().flatten().all(|busy| *busy >= IDLE_BELOW));
        assert_eq!(&*sweep.troubles[0].host, "enc and dec");
    }

    /// Answers of up to the longest that is read, each with something in them that could grow.
    fn floods() -> Vec<(&'static str, String)> {
        const BYTES: usize = 2 << 20;
        let fill = |unit: &str| unit.repeat(BYTES / unit.len());
        let success = |inner: &str| format!(r#"{{"status":"success",{inner}}}"#);
        let one = |metric: &str, value: &str| {
            success(&format!(
                r#""data":{{"result":[{{"metric":{{{metric}"UUID":"GPU-1","gpu":"0"}},{value}}}]}}"#
            ))
        };
        let value = r#""value":[1,"0"]"#;
        let many = |more: fn(usize) -> String| {
            let mut all = Vec::new();
            let mut bytes = 0;
            for i in 0.. {
                let one = more(i);
                bytes += one.len();
                all.push(one);
                if bytes > BYTES {
                    break;
                }
            }
            answer(all.into_iter())
        };
        vec![
            ("labels of a series", one(&fill(r#""l":"","#), value)),
            ("labels that differ", one(&fill(r#""exported_pod":"x","#), value)),
            ("a long label", one(&format!(r#""exported_pod":"{}","#, "x".repeat(BYTES)), value)),
            ("a long escape", one(&format!(r#""pod":"{}","#, fill("\\u0041")), value)),
            ("points", one("", &format!(r#""values":[{}[1,"0"]]"#, fill(r#"[1,"0"],"#)))),
            ("parts of a point", one("", &format!(r#""value":[1,"0"{}]"#, fill(",0")))),
            ("warnings", success(&format!(r#""warnings":[{}""]"#, fill(r#""","#)))),
            ("infos", success(&format!(r#""infos":[{}""]"#, fill(r#""","#)))),
            ("depth", success(&format!(r#""data":{}"#, "[".repeat(BYTES)))),
            (
                "depth beside",
                success(&format!(r#""x":{}{}"#, "[".repeat(BYTES / 2), "]".repeat(BYTES / 2))),
            ),
            ("depth of objects", success(&format!(r#""data":{}"#, fill(r#"{"a":"#)))),
            ("sets of one device", many(|i| series(1, &format!(r#","exported_pod":"p{i}""#), 0.0))),
            ("devices", many(|i| series(i, "", 0.0))),
            (
                "devices with long names",
                many(|i| series(i, &format!(r#","modelName":"{}{i}""#, "m".repeat(4_000)), 0.0)),
            ),
            ("nameless", many(|i| format!(r#"{{"metric":{{"a":"{i}"}},"value":[1,"0"]}}"#))),
            (
                "cores",
                many(|i| {
                    format!(
                        r#"{{"metric":{{"neuroncore":"{}","instance":"h{i}","neuron_device_count":"65535","neuroncore_per_device_count":"1"}},"value":[1,"0"]}}"#,
                        i % 60_000
                    )
                }),
            ),
            (
                "half",
                format!(
                    "{}{{",
                    answer((0..5_000).map(|i| series(i, "", 0.0))).trim_end_matches("]}}")
                ),
            ),
            (
                "numbers",
                success(&format!(
                    r#""data":{{"result":[{{"metric":{{}},"value":[{},"0"]}}]}}"#,
                    "9".repeat(BYTES)
                )),
            ),
        ]
    }

    #[test]
    fn whatever_an_answer_holds_it_is_read_within_its_budget() {
        let metric = sweep::carrier(GpuSignal::SmActive);
        let mut inputs = 0;
        for (what, body) in floods() {
            let measured = allocation_counter::measure(|| {
                let mut gather =
                    Gather::new(Arc::default()).within(Arc::new(Budget::new(BUDGET.0)));
                let read = json::read(body.as_bytes(), &mut |labels, points| {
                    let pairs = labels.iter().map(|(n, v)| (&**n, &**v));
                    gather.take(&metric, pairs, points.last().map_or(0.0, |p| p.1));
                });
                drop(read);
                let gathered = gather.finish(Timestamp::UNIX_EPOCH);
                assert!(gathered.samples.len() <= DEVICES_AT_MOST);
            });
            assert!(measured.bytes_max <= BUDGET.1, "{what}: {}", measured.bytes_max);
            inputs += 1;
        }
        assert_eq!(inputs, 18);
        println!("hostile: prometheus answers: {inputs} inputs");
    }
}
