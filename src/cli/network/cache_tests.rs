//! `burntop network cache` from logs to reports.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Parser;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value as Json;

use crate::cli::exit::{CliError, Exit};
use crate::cli::{Asked, Cli, dispatch, fleet};
use crate::config::Env;

const GIB: u64 = 1 << 30;

/// What a command line prints at 80 columns.
fn run(words: &[&str]) -> Result<(Exit, String), CliError> {
    let global = ["burntop", "--no-cache", "--now", "2026-03-14T15:09:00Z"];
    let cli = Cli::try_parse_from([&global[..], words].concat()).unwrap();
    let asked = Asked::of(&cli, Env::default(), None, Some(80));
    let mut out = Vec::new();
    let exit = dispatch(cli.command, &asked, &mut out, fleet)?;
    Ok((exit, String::from_utf8(out).unwrap()))
}

fn json(words: &[&str]) -> Json {
    let (_, text) = run(&[words, &["--format", "json"]].concat()).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// A line of a server access log.
fn line(day: u32, reader: &str, key: &str, bytes: u64) -> String {
    format!(
        "owner corpus [{day:02}/Feb/2026:12:00:00 +0000] {reader} - ID REST.GET.OBJECT {key} \"GET /corpus/{key} HTTP/1.1\" 200 - \
         {bytes} {bytes} 7\n"
    )
}

/// Ten objects of a GiB, read one after the other on each of three days by two readers in turn.
fn log() -> String {
    let reads = (0..30).map(|i| {
        let reader = if i / 10 % 2 == 0 { "10.0.0.1" } else { "10.0.0.2" };
        line(1 + i / 10, reader, &format!("train/{}", i % 10), GIB)
    });
    reads.collect()
}

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, bytes: &[u8]) -> String {
        let path: PathBuf = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    }
}

fn near(found: &Json, wanted: f64) {
    let found = found.as_f64().unwrap();
    assert!((found - wanted).abs() < 1e-6 * wanted.abs().max(1.0), "{found} is not {wanted}");
}

#[test]
fn a_log_becomes_a_curve_and_dollars() {
    let place = Place::new();
    let file = place.file("access.log", log().as_bytes());
    let of = |more: &[&str]| json(&[&["network", "cache", "--log", &file], more].concat());
    let all = of(&["--path", "nat"]);
    assert_eq!(all["schema"], "burntop/network-cache/1");
    let [row] = &all["rows"].as_array().unwrap()[..] else { panic!("{all}") };
    assert_eq!((&row["requests"], &row["pattern"]), (&30.into(), &"loop".into()));
    assert_eq!(
        (&row["distinct_bytes"], &row["read_bytes"]),
        (&(10 * GIB).into(), &(30 * GIB).into())
    );
    // The next power of two that holds ten.
    assert_eq!(row["cache_bytes"], 16 * GIB);
    near(&row["hit_bytes_ratio"], 0.666_667);
    let hits = |cache: u64| {
        let curve = row["curve"].as_array().unwrap();
        curve.iter().find(|point| point["cache_bytes"] == cache).unwrap()["hit_bytes_ratio"].clone()
    };
    assert_eq!(hits(8 * GIB), 0.0);
    near(&hits(16 * GIB), 20.0 / 30.0);
    // Two days, which are 48 of the 730 hours of a month.
    near(&row["saved_usd_per_month"], 20.0 * 730.0 / 48.0 * 0.045);
    near(&row["gp3_usd_per_month"], 16.0 * 0.08);
    near(&row["lustre_usd_per_month"], 1_200.0 * 0.14);
    assert_eq!(of(&[])["rows"][0]["saved_usd_per_month"], Json::Null);
    near(&of(&["--usd-per-gb", "0.01"])["rows"][0]["saved_usd_per_month"], 0.2 * 730.0 / 48.0);
    let requests = of(&["--path", "requests"]);
    near(&requests["rows"][0]["saved_usd_per_month"], 20.0 * 730.0 / 48.0 * 0.0004 / 1_000.0);
    // A region of which no price is embedded.
    let other = of(&["--path", "requests", "--price-region", "mars-north-1"]);
    assert_eq!(other["rows"][0]["saved_usd_per_month"], Json::Null);
    assert_eq!(other["rows"][0]["gp3_usd_per_month"], Json::Null);
    // Of a file system the price of us-east-1 stands in, which is said.
    near(&other["rows"][0]["lustre_usd_per_month"], 1_200.0 * 0.14);
    let basis = other["basis"].as_str().unwrap();
    assert!(basis.ends_with("of FSx for Lustre an estimate at that of us-east-1"), "{basis}");
    let yuan = of(&["--price-region", "cn-north-1"]);
    assert_eq!(yuan["rows"][0]["lustre_usd_per_month"], Json::Null, "another currency");
    let chosen = of(&["--cache", "9GiB"]);
    assert_eq!(chosen["rows"][0]["cache_bytes"], 9 * GIB);
    assert_eq!(chosen["rows"][0]["hit_bytes_ratio"], 0.0);
    near(&chosen["rows"][0]["pinned_bytes_ratio"], 0.6);
    let (_, text) = run(&["network", "cache", "--log", &file, "--cache", "9GiB"]).unwrap();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("a loop over 10 GiB, larger than the cache"), "{text}");
    assert!(words.contains("9 GiB of it fixed on disk has 60% of the reads"), "{text}");
}

#[test]
fn the_file_system_to_copy_is_the_one_that_is_priced() {
    let place = Place::new();
    let file = place.file("access.log", log().as_bytes());
    let words = ["network", "cache", "--log", &file, "--cache", "1200.5GiB"];
    near(&json(&words)["rows"][0]["lustre_usd_per_month"], 2_400.0 * 0.14);
    let (_, text) = run(&words).unwrap();
    assert!(text.contains("--storage-capacity 2400 "), "{text}");
}

#[test]
fn caches_of_many_prefixes_are_larger_than_any_number_of_bytes() {
    let place = Place::new();
    let reads = (0..50).map(|i| line(1 + i / 25, "10.0.0.1", &format!("set-{}/a", i % 25), GIB));
    let file = place.file("access.log", reads.collect::<String>().as_bytes());
    let words = ["network", "cache", "--log", &file, "--by", "prefix", "--cache", "900PB"];
    let (_, text) = run(&words).unwrap();
    // 25 × 900 × 10^15 ÷ 2^60 is 19.5, and 2^64 bytes are 16 EiB.
    assert!(text.contains("caches of 20 EiB in all"), "{text}");
}

#[test]
fn readers_have_caches_of_their_own_of_one_size() {
    let place = Place::new();
    let file = place.file("access.log", log().as_bytes());
    let found =
        json(&["network", "cache", "--log", &file, "--by", "reader", "--path", "inter_region"]);
    let rows = found["rows"].as_array().unwrap();
    assert_eq!((&rows[0]["reader"], &rows[1]["reader"]), (&"10.0.0.1".into(), &"10.0.0.2".into()));
    assert!(rows.iter().all(|row| row["cache_bytes"] == 16 * GIB && row["prefix"].is_null()));
    // The first reads all twice, the other once.
    near(&rows[0]["hit_bytes_ratio"], 0.5);
    assert_eq!(rows[1]["hit_bytes_ratio"], 0.0);
    near(&found["total"]["hit_bytes_ratio"], 10.0 / 30.0);
    near(&found["total"]["gp3_usd_per_month"], 2.0 * 16.0 * 0.08);
    let (_, text) =
        run(&["network", "cache", "--log", &file, "--by", "reader", "--path", "nat"]).unwrap();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("16 GiB on each of 2 readers removes 33% of"), "{text}");
    assert!(words.contains("--max-cache-size 16384"), "{text}");
}

#[test]
fn packed_and_split_logs_are_one() {
    let place = Place::new();
    let (text, folder) = (log(), place.0.path().join("logs"));
    std::fs::create_dir(&folder).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let pack = |lines: &[&str], path: &Path| {
        let mut packer = GzEncoder::new(std::fs::File::create(path).unwrap(), Compression::fast());
        packer.write_all(lines.join("\n").as_bytes()).unwrap();
        packer.finish().unwrap();
    };
    pack(&lines[..12], &folder.join("2026-02-01.gz"));
    pack(&lines[12..], &folder.join("2026-02-02.gz"));
    let whole = place.file("access.log", text.as_bytes());
    let found = json(&["network", "cache", "--log", &folder.display().to_string()]);
    assert_eq!(found["log"]["files"], 2);
    assert_eq!(found["rows"], json(&["network", "cache", "--log", &whole])["rows"]);
}

#[test]
fn exit_codes_tell_how_much_was_read() {
    let place = Place::new();
    let unread = |words: &[&str]| match run(words) {
        Err(CliError::Failed { exit, message }) => (exit, message),
        other => panic!("{other:?}"),
    };
    let file = place.file("some.log", format!("{}no line\n", log()).as_bytes());
    let (exit, text) = run(&["network", "cache", "--log", &file, "--format", "json"]).unwrap();
    let found: Json = serde_json::from_str(&text).unwrap();
    assert_eq!(exit, Exit::Partial);
    assert_eq!(found["log"]["failed_lines"][0]["line"], 31);
    let (exit, text) = run(&["network", "cache", "--log", &file, "/nowhere.log"]).unwrap();
    assert_eq!(exit, Exit::Partial);
    assert!(text.contains("/nowhere.log"), "{text}");
    for (log, says) in [
        ("none of the formats\n".to_owned(), "none of these"),
        (log().replace("REST.GET.OBJECT", "REST.HEAD.OBJECT"), "no successful read"),
        (String::new(), "0 lines"),
    ] {
        let file = place.file("bad.log", log.as_bytes());
        let (exit, message) = unread(&["network", "cache", "--log", &file]);
        assert_eq!(exit, Exit::Unreadable);
        assert!(message.contains(says), "{message}");
    }
    for words in [
        &["network", "cache"][..],
        &["--demo", "network", "cache", "--log", &file],
        &["--fail-on", "findings", "network", "cache", "--log", &file],
        &["network", "cache", "--log", &file, "--filter", "path=nat"],
    ] {
        assert!(matches!(run(words), Err(CliError::Usage(_))), "{words:?}");
    }
}

#[test]
fn the_demo_has_a_set_that_no_cache_holds_and_one_that_fits() {
    let found = json(&["--demo", "network", "cache", "--by", "prefix"]);
    let row = |prefix: &str| {
        let rows = found["rows"].as_array().unwrap();
        rows.iter().find(|row| row["prefix"] == format!("acme-datasets/{prefix}/")).unwrap()
    };
    let pretrain = row("pretrain");
    assert_eq!((&pretrain["pattern"], &pretrain["cache_bytes"]), (&"loop".into(), &Json::Null));
    assert_eq!(pretrain["hit_bytes_ratio"], 0.0);
    assert_eq!(pretrain["saved_usd_per_month"], 0.0);
    assert_eq!(pretrain["distinct_bytes"], 2_000 * 200 * GIB);
    let imagenet = row("imagenet");
    assert_eq!(
        (&imagenet["pattern"], &imagenet["cache_bytes"]),
        (&"shuffled".into(), &(2_048 * GIB).into())
    );
    near(&imagenet["hit_bytes_ratio"], 0.916_667);
    assert_eq!(row("features")["pattern"], "random");
    assert_eq!(row("clicks")["pattern"], "once");
    assert_eq!(found["log"]["failed_count"], 0);
    let (exit, text) = run(&["--demo", "network", "cache", "--by", "prefix"]).unwrap();
    assert_eq!(exit, Exit::Ok);
    insta::assert_snapshot!(text);
}

#[test]
fn every_format_says_the_same() {
    let place = Place::new();
    let file = place.file("access.log", log().as_bytes());
    let all = ["table", "csv", "json", "md"].map(|format| {
        let words = ["network", "cache", "--log", &file, "--path", "nat", "--format", format];
        run(&words).unwrap().1
    });
    insta::assert_snapshot!(all.join("\n"));
}
