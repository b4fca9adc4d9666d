//! Every source against hostile text: nothing that steers a terminal becomes a value. Those of AWS
//! have a table of their own in `aws/hostile_tests.rs`.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;

use super::server::{Reply, Server};
use super::{Ask, GpuSource as _, exporter, prometheus};
use crate::domain::text::hostile::{TEXTS, said};
use crate::domain::text::is_unsafe;

/// Where the text of each part of this folder is shown to be clean: a file below it and a test in
/// that file.
const TESTED: &[(&str, &str, &str)] = &[
    (
        "access_logs",
        "access_logs/tests/bad.rs",
        "foreign_text_is_clean_wherever_it_becomes_a_value",
    ),
    ("athena", "aws/hostile_tests.rs", "athena_says_nothing_unclean"),
    ("aws", "aws/hostile_tests.rs", "every_file_has_its_readers_here"),
    ("bill", "bill/tests/bad.rs", "no_text_of_a_bill_is_unclean"),
    ("bill_exports", "bill_exports/manifest.rs", "no_error_of_a_manifest_is_unclean"),
    ("cloudwatch_gpu", "aws/hostile_tests.rs", "no_answer_of_aws_brings_unclean_text"),
    (
        "cost_explorer",
        "aws/cost_explorer.rs",
        "a_plan_is_asked_page_by_page_and_resources_that_are_not_switched_on_are_none",
    ),
    ("exporter", "hostile_tests.rs", "no_page_of_an_exporter_brings_unclean_text"),
    ("exposition", "hostile_tests.rs", "no_page_of_an_exporter_brings_unclean_text"),
    ("http", "hostile_tests.rs", "no_answer_that_is_none_brings_unclean_text"),
    ("inventory", "inventory/manifest.rs", "no_error_of_a_manifest_is_unclean"),
    ("jobs", "jobs/tests/hostile.rs", "foreign_text_is_clean_wherever_it_becomes_a_value"),
    ("localdir.rs", "localdir.rs", "names_of_files_are_told_clean"),
    ("nvml", "nvml/tests/mod.rs", "processes_have_users_and_programs"),
    ("prometheus", "hostile_tests.rs", "no_answer_of_prometheus_brings_unclean_text"),
    ("ssh", "ssh/rows.rs", "hostile_lines_are_told_clean"),
    ("vocabulary", "vocabulary/tests.rs", "labels_are_made_safe_where_they_come_in"),
];

/// Parts that take no foreign text in, and why.
const NOTHING: &[(&str, &str)] = &[
    ("budget.rs", "counts"),
    ("byte_lines.rs", "bytes, to be cleaned by those who read them"),
    ("catalogue.rs", "embedded lists"),
    ("causes.rs", "errors, whose words are cleaned where they are put together"),
    ("demo", "invented"),
    ("gpu.rs", "a trait"),
    ("hostile_tests.rs", "this test"),
    ("inspect.rs", "a trait"),
    ("inspect_storage.rs", "a trait"),
    ("inventory_s3.rs", "keys of objects, which stay as they are; `inventory` reads them"),
    ("jitter.rs", "chance"),
    ("ledger.rs", "what burntop spent; names by the cache"),
    ("listing.rs", "keys of objects, which stay as they are and are cleaned where they are shown"),
    ("listing_pages.rs", "as `listing.rs`"),
    ("memory.rs", "of tests"),
    ("mod.rs", "names the parts"),
    ("objects.rs", "as `listing.rs`"),
    ("pages.rs", "tokens, which are sent back as they are"),
    ("parquet_pages", "bytes, to be cleaned by those who read them; errors by numbers"),
    ("planner", "numbers"),
    ("program.rs", "of tests"),
    ("provider.rs", "a trait"),
    ("proxy.rs", "variables of the environment, of which no error repeats the text"),
    ("storage.rs", "a trait"),
    ("storage_prices.rs", "embedded lists"),
];

#[test]
fn every_source_is_tested_with_hostile_text() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/source");
    let known: BTreeSet<&str> =
        TESTED.iter().map(|t| t.0).chain(NOTHING.iter().map(|n| n.0)).collect();
    let mut there = BTreeSet::new();
    for entry in std::fs::read_dir(&root).unwrap().map(Result::unwrap) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let row = known.get(&*name).copied();
        assert!(row.is_some(), "{name} has no row: what does it read, and is its text clean?");
        there.extend(row);
    }
    assert_eq!(there, known, "a row of a source that is gone");
    for (part, file, test) in TESTED {
        let text = std::fs::read_to_string(root.join(file)).unwrap();
        assert!(text.contains(&format!("fn {test}()")), "{part}: {file} has no test {test}");
    }
}

fn all_said(place: &str, value: &impl Debug) {
    said(place, &format!("{value:?}"));
}

/// A label's value as the text format writes it.
fn label(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Labels by which sources tell who a GPU is and whose.
const LABELS: &[&str] = &[
    "UUID",
    "uuid",
    "modelName",
    "Hostname",
    "instance",
    "pci_bus_id",
    "namespace",
    "pod",
    "container",
    "exported_namespace",
    "exported_pod",
    "exported_container",
    "hpc_job",
    "user",
    "InstanceId",
    "GPU_I_PROFILE",
    "device",
    "node",
    "job",
    "DCGM_FI_DRIVER_VERSION",
];

mod hostile {
    use super::*;

    fn blends() -> impl Iterator<Item = String> {
        let long = "\u{1b}[2J".repeat(20_000);
        TEXTS.iter().map(|t| (*t).to_owned()).chain([long])
    }

    #[tokio::test]
    async fn no_page_of_an_exporter_brings_unclean_text() {
        let mut n = 0;
        let page = Arc::new(std::sync::Mutex::new(String::new()));
        let served = Arc::clone(&page);
        let server =
            Server::start(move |_, _| Reply::new(200, "text/plain", &*served.lock().unwrap()));
        for text in blends() {
            let labels: Vec<String> =
                LABELS.iter().map(|name| format!("{name}=\"{}\"", label(&text))).collect();
            let labels = labels.join(",");
            *page.lock().unwrap() = format!(
                "# HELP x {}\nDCGM_FI_DEV_GPU_UTIL{{gpu=\"0\",{labels}}} 50\n\
                 DCGM_FI_DEV_FB_USED{{gpu=\"0\",{labels}}} 5\n",
                label(&text)
            );
            let settings = exporter::Settings {
                name: text.clone(),
                targets: exporter::Targets {
                    listed: vec![server.url.clone()],
                    ..exporter::Targets::default()
                },
                timeout_ms: 30_000,
                ..exporter::Settings::default()
            };
            let source = exporter::Exporter::new(settings, Arc::default()).unwrap();
            let ask = Ask::all(Timestamp::UNIX_EPOCH, Arc::default());
            let sweep = source.sweep(&ask).await.unwrap();
            assert!(!sweep.samples.is_empty(), "{text:?}: {:?}", sweep.troubles);
            all_said("exporter", &sweep);
            n += LABELS.len();
        }
        assert!(n >= 700, "{n}");
        println!("hostile: pages of exporters: {n} inputs");
    }

    #[tokio::test]
    async fn no_answer_of_prometheus_brings_unclean_text() {
        let mut n = 0;
        let text = Arc::new(std::sync::Mutex::new((String::new(), false)));
        let served = Arc::clone(&text);
        let server = Server::start(move |_, seen| {
            let (text, fails) = served.lock().unwrap().clone();
            if fails {
                let error =
                    serde_json::json!({"status": "error", "errorType": text, "error": text});
                return Reply::new(422, "application/json", error.to_string());
            }
            if seen.path.contains("/label/__name__/values") {
                let names = ["DCGM_FI_DEV_GPU_UTIL", &text];
                return Reply::json(
                    serde_json::json!({"status": "success", "data": names}).to_string(),
                );
            }
            let mut metric = serde_json::json!({"gpu": "0"});
            for name in LABELS {
                metric[*name] = text.as_str().into();
            }
            let series = serde_json::json!({"metric": metric, "value": [1, "50"]});
            let warnings = [text.as_str()];
            Reply::json(
                serde_json::json!({"status": "success", "warnings": warnings,
                    "data": {"resultType": "vector", "result": [series]}})
                .to_string(),
            )
        });
        for blend in blends() {
            for fails in [false, true] {
                *text.lock().unwrap() = (blend.clone(), fails);
                let settings = prometheus::Settings {
                    proxy: false,
                    ..prometheus::Settings::new(&blend, &server.url)
                };
                let source = prometheus::Prometheus::new(settings).unwrap();
                let ask = Ask::all(Timestamp::from_second(60).unwrap(), Arc::default());
                let sweep = source.sweep(&ask).await;
                assert_eq!(sweep.is_err(), fails, "{blend:?}: {sweep:?}");
                all_said("prometheus", &sweep);
                all_said("prometheus", &source.metric_names().await);
                n += if fails { 2 } else { LABELS.len() };
            }
        }
        assert!(n >= 700, "{n}");
        println!("hostile: answers of Prometheus: {n} inputs");
    }

    #[tokio::test]
    async fn no_answer_that_is_none_brings_unclean_text() {
        let mut n = 0;
        for text in TEXTS {
            // What a header can hold of it.
            let header: String =
                text.chars().filter(|c| !matches!(c, '\r' | '\n' | '\0')).collect();
            let answers = [
                format!(
                    "HTTP/1.1 302 X\r\nLocation: http://h/{header}\r\nContent-Length: 0\r\n\r\n"
                ),
                format!("HTTP/1.1 302 {header}\r\nContent-Length: 0\r\n\r\n"),
                format!("HTTP/1.1 200 OK\r\nContent-Type: {header}\r\nContent-Length: 1\r\n\r\n<"),
                format!("HTTP/1.1 503 X\r\nContent-Length: {}\r\n\r\n{text}", text.len()),
                format!("{text}\r\n\r\n"),
            ];
            for raw in answers {
                let server = Server::start(move |_, _| Reply::Raw(raw.clone().into_bytes()));
                let settings = prometheus::Settings {
                    proxy: false,
                    ..prometheus::Settings::new("p", &server.url)
                };
                let source = prometheus::Prometheus::new(settings).unwrap();
                let error = source.build_info().await.unwrap_err();
                all_said("http", &error);
                let shown = format!("{error} {}", error.fix);
                assert!(!shown.contains(is_unsafe), "{shown:?}");
                n += 1;
            }
        }
        assert!(n >= 150, "{n}");
        println!("hostile: answers of servers: {n} inputs");
    }
}
