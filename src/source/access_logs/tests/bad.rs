//! Lines and files that are wrong, broken, or mean harm: they are named, and the rest counts.

use proptest::prelude::*;

use super::*;
use crate::domain::text::hostile;

#[test]
fn a_bad_line_costs_itself_alone_and_is_named() {
    let bad = [
        "no log at all".to_owned(),
        OWNER.to_owned(),
        get(1, "a").replace("Feb", "Fev"),
        get(1, "a").replace("200 - 100", "200 - many"),
        get(1, "a").replace("100 100 7", "100 99999999999999999999 7"),
        get(1, "a").replace("HTTP/1.1\" 200", "HTTP/1.1 200").replace('"', ""),
        get(1, "a").split(" 200").next().unwrap().to_owned(),
        "x".repeat(LINE_AT_MOST + 1),
    ];
    for line in &bad {
        let text = format!("{}{}\n{}", get(0, "a"), line.trim_end(), get(2, "b"));
        let (events, reads) = read_text(text, ReadsBy::All);
        assert_eq!((events.len(), reads.lines), (2, 3), "{line:.80}: {:?}", reads.failed);
        assert_eq!((reads.failed_count, reads.failed[0].line), (1, 2), "{line:.80}");
        assert_eq!(&*reads.failed[0].file, "test.log");
    }
    let many = format!("{}{}", get(0, "a"), "bad\n".repeat(FAILED_AT_MOST + 5));
    let (_, reads) = read_text(many, ReadsBy::All);
    assert_eq!(
        (reads.failed.len(), reads.failed_count),
        (FAILED_AT_MOST, FAILED_AT_MOST as u64 + 5)
    );
}

#[test]
fn a_packed_file_that_is_cut_counts_as_far_as_it_goes() {
    let home = tempfile::tempdir().unwrap();
    let mut rng = fastrand::Rng::with_seed(1);
    let keys = (0..5_000).map(|i| get(i % 60, &format!("{:x}", rng.u64(..))));
    let whole = packed(&keys.collect::<String>());
    std::fs::write(home.path().join("a.gz"), &whole[..whole.len() / 2]).unwrap();
    std::fs::write(home.path().join("b.gz"), &whole[..12]).unwrap();
    std::fs::write(home.path().join("c"), get(0, "c")).unwrap();
    let (events, reads) = read_folder(home.path());
    assert!((1_000..5_000).contains(&events.len()), "{}", events.len());
    let lines: Vec<u64> = reads
        .broken
        .iter()
        .map(|(_, error)| match error {
            FileError::Cut { line, .. } => *line,
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(lines, [events.len() as u64 - 1, 0]);
    assert!(reads.broken[0].0.ends_with("a.gz"));
    assert_eq!((reads.files, reads.failed_count), (3, 0));
}

#[test]
fn a_document_that_is_cut_counts_as_far_as_it_goes() {
    let (events, reads) =
        read_text("{\"Records\":[{\"eventName\":\"GetBucketAcl\"},{\"eventNa", ReadsBy::All);
    assert_eq!((events.len(), reads.lines, reads.left_out.requests), (0, 1, 1));
    assert!(matches!(reads.broken[0].1, FileError::Cut { line: 1, .. }));
    let (_, reads) =
        read_text("{\"a\":1}\n[1]\n{\"eventName\":7}\n{\"eventName\":\"x\"\n", ReadsBy::All);
    assert_eq!(reads.failed.iter().map(|failed| failed.line).collect::<Vec<_>>(), [1, 2, 3, 4]);
}

#[test]
fn files_that_are_no_logs_are_named() {
    for text in ["hello", "<html></html>", "a,b,c\n1,2,3\n", "PAR1"] {
        let (events, reads) = read_text(text, ReadsBy::All);
        assert_eq!((events.len(), reads.files), (0, 0));
        assert_eq!(reads.broken[0].1, FileError::Format, "{text}");
    }
    let reads = read(Log::Paths(vec!["/nowhere.log".into()]), ReadsBy::All, &mut |_| {});
    assert!(
        matches!(&reads.broken[0].1, FileError::Unreadable(why) if why.contains("check the name"))
    );
}

#[test]
fn links_in_folders_are_not_followed() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("logs");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(home.path().join("secret"), get(0, "a")).unwrap();
    std::os::unix::fs::symlink(home.path().join("secret"), folder.join("link")).unwrap();
    std::os::unix::fs::symlink(home.path(), folder.join("up")).unwrap();
    assert_eq!(read_folder(&folder).0, []);
}

#[test]
fn foreign_text_is_clean_wherever_it_becomes_a_value() {
    for text in hostile::TEXTS {
        let word = text.replace([' ', '\n'], "_");
        let lines = [
            line(
                "06/Feb/2026:00:00:00 +0000",
                &word,
                "REST.GET.OBJECT",
                &format!("{word}/x"),
                "200 - 1 1",
            ),
            line(&word, "10.0.0.1", "REST.GET.OBJECT", "a", "200 - 1 1"),
            line(
                "06/Feb/2026:00:00:00 +0000",
                "10.0.0.1",
                "REST.GET.OBJECT",
                "a",
                &format!("200 - {word} 1"),
            ),
        ];
        let texts = [
            get(0, "a") + &lines.concat(),
            format!("{{\"eventName\":\"{text}\"}}\n{text}\n"),
            text.to_string(),
        ];
        for by in [ReadsBy::Prefix { depth: 2 }, ReadsBy::Reader] {
            for text in &texts {
                let mut reads = read_text(text.clone(), by).1;
                let log = Log::Text(files::name(std::path::Path::new(text)), text.clone());
                reads
                    .groups
                    .extend(read(log, by, &mut |_| {}).broken.into_iter().map(|(name, _)| name));
                hostile::said("access logs", &format!("{:?}", reads.groups));
                for failed in &reads.failed {
                    hostile::said("access logs", &failed.why.to_string());
                }
                for (_, error) in &reads.broken {
                    hostile::said("access logs", &error.to_string());
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn no_line_makes_it_fail_and_every_line_counts_once(
        lines in prop::collection::vec("[ -~]{0,60}|[^\n]{0,20}", 0..20),
        cut in 0usize..400,
    ) {
        let start = get(0, "a");
        let cut_line: String = start.trim_end().chars().take(cut).collect();
        let text = format!("{start}{}\n{cut_line}", lines.join("\n"));
        let (events, reads) = read_text(text, ReadsBy::Prefix { depth: 1 });
        let left_out = reads.left_out;
        let others = left_out.unsuccessful + left_out.heads + left_out.requests + left_out.flows;
        prop_assert_eq!(events.len() as u64 + others + reads.failed_count, reads.lines);
        prop_assert_eq!(reads.broken_count, 0);
        prop_assert!(!events.is_empty());
    }

    #[test]
    fn no_bytes_make_it_fail(bytes in prop::collection::vec(any::<u8>(), 0..300), packs in any::<bool>()) {
        let home = tempfile::tempdir().unwrap();
        let mut text = bytes;
        if packs {
            text.splice(0..0, [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
        }
        std::fs::write(home.path().join("x"), &text).unwrap();
        read_folder(home.path());
    }

    #[test]
    fn what_is_written_is_read_back(
        reads in prop::collection::vec((0i64..100_000, 0u64..1 << 44, 0u64..1 << 44, "[a-z]{1,3}(/[a-z]{1,3}){0,2}"), 1..50),
    ) {
        let zone = jiff::tz::Offset::constant(-7).to_time_zone();
        let text: String = reads.iter().map(|(second, bytes, size, key)| {
            let at = jiff::Timestamp::from_second(SECOND + second).unwrap().to_zoned(zone.clone());
            let at = at.strftime("%d/%b/%Y:%H:%M:%S %z").to_string();
            line(&at, "10.0.0.1", "REST.GET.OBJECT", key, &format!("206 - {bytes} {size}"))
        }).collect();
        let (events, log) = read_text(text, ReadsBy::All);
        prop_assert_eq!(log.failed_count, 0);
        let mut wanted: Vec<_> = reads.iter().map(|(s, b, z, _)| ((SECOND + s) * 1_000, *b, Some(*z))).collect();
        wanted.sort_by_key(|read| read.0);
        let found: Vec<_> = events.iter().map(|e| (e.at, e.bytes, e.size)).collect();
        prop_assert_eq!(found, wanted);
    }
}

const SECOND: i64 = 1_770_336_000;
