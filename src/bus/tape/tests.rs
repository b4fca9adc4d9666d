//! A tape gives back what was recorded, however it ended.

use std::io::Write;

use jiff::Timestamp;

use super::*;
use crate::domain::{
    ErrorKind, GpuIdentity, GpuSample, GpuSignal, GpuSignals, InstanceReason, ResourceKind, Scope,
    SourceError, SourceId, Sweep, Throttle, Unchecked, Verdict,
};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_795_000_000 + second).unwrap()
}

fn sweep(second: i64) -> Entry {
    let mut signals = GpuSignals::default();
    signals.set(GpuSignal::Util, 0.25);
    signals.set(GpuSignal::Power, 70.5);
    let sample = GpuSample {
        throttle: Some(Throttle(1)),
        names_owners: true,
        ..GpuSample::new(
            GpuIdentity { index: Some(3), model: "H100".into(), ..GpuIdentity::default() }.into(),
            at(second),
            signals,
        )
    };
    let sweep = Sweep {
        source: SourceId::Exporter,
        origin: "nodes".into(),
        taken_at: at(second),
        samples: vec![sample],
        asked: 1,
        answered: 1,
        troubles: Vec::new(),
        partial: false,
    };
    Entry { at: at(second), said: Said::Sweep { sweep: sweep.into() } }
}

fn failure(second: i64) -> Entry {
    let error = SourceError::new(ErrorKind::Denied, "ec2:DescribeInstances", "no", "ask");
    let (source, scope) = (SourceId::Ec2, Scope::new("123456789012", "us-east-1"));
    let outcome = SourceSaid::Bad(error.into());
    Entry { at: at(second), said: Said::Source { source, scope, outcome } }
}

/// NaN is never equal to itself; what is written tells more.
fn words(entries: impl IntoIterator<Item = Entry>) -> Vec<String> {
    entries.into_iter().map(|e| format!("{e:?}")).collect()
}

#[test]
fn what_was_recorded_comes_back_and_a_second_recording_is_appended() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.tape");
    let mut said = Vec::new();
    for run in 0..2 {
        let recorder = Recorder::open(&path).unwrap();
        for i in 0..50 {
            let entry = if i % 7 == 0 { failure(run * 100 + i) } else { sweep(run * 100 + i) };
            recorder.record(entry.clone());
            said.push(entry);
        }
        assert_eq!(recorder.lost(), 0);
    }
    assert_eq!(words(read(&path).unwrap()), words(said));
}

#[test]
fn a_torn_tape_gives_what_is_whole() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.tape");
    for i in 0..2 {
        Recorder::open(&path).unwrap().record(sweep(i));
    }
    let whole = std::fs::read(&path).unwrap();
    let one = std::fs::metadata(&path).unwrap().len() as usize / 2;
    for cut in [one + 1, one + 12, whole.len() - 9, whole.len() - 1] {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let got = words(read(&path).unwrap());
        assert!(!got.is_empty() && got.len() <= 2, "{cut}: {got:?}");
        assert_eq!(got[0], words([sweep(0)])[0]);
    }
    let mut noise = whole.clone();
    noise.truncate(one);
    noise.extend_from_slice(b"this was no gzip at all, whoever wrote it");
    std::fs::write(&path, noise).unwrap();
    assert_eq!(words(read(&path).unwrap()), words([sweep(0)]));
}

#[test]
fn what_is_no_tape_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x");
    assert!(matches!(read(&path).err(), Some(TapeError::Open { .. })));
    std::fs::write(&path, "").unwrap();
    assert!(matches!(read(&path).err(), Some(TapeError::NoTape { .. })));
    std::fs::write(&path, "plain text\n").unwrap();
    assert!(matches!(read(&path).err(), Some(TapeError::NoTape { .. })));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(b"{\"hello\":1}\n").unwrap();
    std::fs::write(&path, gzip.finish().unwrap()).unwrap();
    assert!(matches!(read(&path).err(), Some(TapeError::NoTape { .. })));
}

#[test]
fn entries_of_a_newer_version_are_skipped() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.tape");
    Recorder::open(&path).unwrap().record(sweep(0));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(b"{\"at\":\"2027-01-01T00:00:00Z\",\"kind\":\"smell\",\"of\":1}\n").unwrap();
    let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(&gzip.finish().unwrap()).unwrap();
    Recorder::open(&path).unwrap().record(sweep(2));
    assert_eq!(words(read(&path).unwrap()), words([sweep(0), sweep(2)]));
}

/// As burntop wrote it when a verdict's reason was its sentence.
const OLD_VERDICT: &str = r#"{"at":"2026-11-20T10:00:00Z","kind":"verdicts","items":[["i-1",{"kind":"idle","idle_since":null,"idle_since_at_least":false,"idle_gpus":null,"devices":8,"coverage":1.0,"gpu_percent":0.0,"cpu_percent":3.2,"network_bytes_per_day":2100000.0,"signals":[],"not_checked":["memory"],"reason":"Nothing ran for 7 d."}]]}"#;

#[test]
fn verdicts_of_an_older_tape_are_played_with_their_words() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.tape");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(format!("{OLD_VERDICT}\n").as_bytes()).unwrap();
    std::fs::write(&path, gzip.finish().unwrap()).unwrap();
    // What is recorded today stands behind it and comes back with its values.
    let reason = InstanceReason::UnknownType("p9.48xlarge".into());
    let old = read(&path).unwrap().next().unwrap();
    let Said::Verdicts { items } = &old.said else { panic!("{old:?}") };
    let (id, verdict) = &items[0];
    assert_eq!(verdict.reason, "Nothing ran for 7 d.".into());
    assert_eq!(*verdict.not_checked, ["memory".into()]);
    let not_checked = [Unchecked::Memory, Unchecked::Criterion(ResourceKind::Endpoint)].into();
    let now = Verdict { reason: reason.into(), not_checked, ..Verdict::clone(verdict) };
    let items = vec![(id.clone(), now.into())];
    let new = Entry { at: at(1), said: Said::Verdicts { items } };
    Recorder::open(&path).unwrap().record(new.clone());
    assert_eq!(read(&path).unwrap().collect::<Vec<_>>(), [old, new]);
}

#[tokio::test]
async fn a_tape_is_played_in_order_by_its_own_clock() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.tape");
    let recorder = Recorder::open(&path).unwrap();
    for i in 0..100 {
        recorder.record(sweep(i * 60));
    }
    drop(recorder);
    for hurry in [true, false] {
        let tape = Tape::open(path.clone(), 1e6).unwrap();
        if hurry {
            tape.hurry();
        }
        assert_eq!(tape.clock().now(), at(0));
        let mut said = tape.play();
        let mut played = 0;
        while let Some(next) = said.recv().await {
            let Said::Sweep { sweep } = next.said else { panic!("{next:?}") };
            tape.clock().reached(next.at);
            assert_eq!(sweep.taken_at, at(played * 60));
            assert!(tape.clock().now() >= at(played * 60) || !hurry);
            played += 1;
        }
        assert_eq!(played, 100);
    }
    assert!(Tape::open(dir.path().join("none"), 1.0).is_err());
}

mod hostile {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use serde_json::{Value, json};

    use super::*;
    use crate::domain::text::hostile::{TEXTS, said};

    #[test]
    fn a_recording_is_appended_to_a_whole_tape_and_to_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        Recorder::open(&at("whole")).unwrap().record(sweep(0));
        let whole = std::fs::read(at("whole")).unwrap();
        let gzip = |text: &[u8]| {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            gzip.write_all(text).unwrap();
            gzip.finish().unwrap()
        };
        let mut inputs = 0;
        let mut refused = |name: String, content: &[u8]| {
            let path = at(&name);
            std::fs::write(&path, content).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
            let error = Recorder::open(&path).unwrap_err();
            assert!(matches!(error, RecordError::NoTape(_)), "{name}: {error}");
            assert!(error.to_string().contains("name a new file"), "{error}");
            assert_eq!(std::fs::read(&path).unwrap(), content, "{name}");
            let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o644, "{name}: it is none of ours to change");
            inputs += 1;
        };
        refused("text".into(), b"export AWS_PROFILE=prod\n");
        refused("json".into(), b"{\"kind\": 1}\n");
        refused("gzip".into(), &gzip(b"{\"hello\": 1}\n"));
        refused("empty gzip".into(), &gzip(b""));
        refused("noise".into(), &[0x5a; 4096]);
        refused("noise after".into(), &[&whole[..], b"noise"].concat());
        for cut in (1..whole.len()).step_by(9) {
            refused(format!("cut {cut}"), &whole[..cut]);
        }
        for thing in ["link", "dangling", "pipe", "directory", "device"] {
            let path = at(&format!("a {thing}"));
            match thing {
                "link" => symlink(at("whole"), &path).unwrap(),
                "dangling" => symlink(at("nowhere"), &path).unwrap(),
                "pipe" => {
                    let mode = rustix::fs::Mode::from_raw_mode(0o600);
                    let kind = rustix::fs::FileType::Fifo;
                    rustix::fs::mknodat(rustix::fs::CWD, &path, kind, mode, 0).unwrap();
                }
                "directory" => std::fs::create_dir(&path).unwrap(),
                _ => symlink("/dev/full", &path).unwrap(),
            }
            let error = Recorder::open(&path).unwrap_err();
            assert!(matches!(error, RecordError::Open { .. }), "{thing}: {error}");
            inputs += 1;
        }
        assert_eq!(std::fs::read(at("whole")).unwrap(), whole, "not through a link");
        assert!(!at("nowhere").exists());
        std::fs::write(at("empty"), "").unwrap();
        Recorder::open(&at("empty")).unwrap().record(sweep(1));
        assert_eq!(words(read(&at("empty")).unwrap()), words([sweep(1)]));
        println!("hostile: files to record to: {inputs} inputs");
        assert!(inputs >= 30, "{inputs}");
    }

    #[test]
    fn a_full_disk_is_said_and_never_hidden() {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let recorder = Recorder::to(std::path::Path::new("a.tape"), full).unwrap();
        let recording = recorder.recording();
        assert_eq!(recording.trouble(), None);
        recorder.record(sweep(0));
        drop(recorder);
        let trouble = recording.outcome().unwrap();
        assert!(trouble.contains("a.tape") && trouble.contains("free space"), "{trouble}");
        assert_eq!(recording.trouble(), Some(trouble));
        println!("hostile: full disks: 1 inputs");
    }

    #[test]
    fn what_is_whole_has_no_trouble() {
        let dir = tempfile::tempdir().unwrap();
        let recorder = Recorder::open(&dir.path().join("a.tape")).unwrap();
        let recording = recorder.recording();
        recorder.record(sweep(0));
        drop(recorder);
        assert_eq!(recording.outcome(), None);
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(text).unwrap();
        gzip.finish().unwrap()
    }

    #[test]
    fn an_entry_beyond_the_limits_ends_the_tape_and_every_source_has_failed() {
        /// The longest line, its buffer twice as long while it grows, and unpacking.
        const BUDGET: u64 = 200 << 20;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.tape");
        let head = "{\"at\":\"2027-01-01T00:00:00Z\",\"kind\":\"smell\",\"of\":";
        let flood = |first: &str, unit: &str, members: usize| {
            let member = gzip(unit.repeat((1 << 20) / unit.len()).as_bytes());
            [gzip(format!("{head}{first}").as_bytes()), member.repeat(members)].concat()
        };
        // Of 4 GiB, and of more values than there may be.
        let bombs = [flood("\"", "x", 4_096), flood("[", "0,", 9), flood("", ":", 5)];
        let inputs = bombs.len();
        for bomb in bombs {
            let recorder = Recorder::open(&path).unwrap();
            recorder.record(failure(0));
            recorder.record(sweep(1));
            drop(recorder);
            let mut tape = std::fs::read(&path).unwrap();
            tape.extend(bomb);
            tape.extend(gzip(b"\n"));
            std::fs::remove_file(&path).unwrap();
            // Nothing is recorded behind such an entry any more; an older burntop did.
            Recorder::open(&path).unwrap().record(sweep(2));
            tape.extend(std::fs::read(&path).unwrap());
            std::fs::write(&path, tape).unwrap();
            let mut said = vec![];
            let measured = allocation_counter::measure(|| said.extend(read(&path).unwrap()));
            assert!(measured.bytes_max <= BUDGET, "{}", measured.bytes_max);
            assert_eq!(words(said[..2].to_vec()), words([failure(0), sweep(1)]));
            let [
                Said::Source { source, outcome: SourceSaid::Bad(error), .. },
                Said::Sweep { sweep },
            ] = [&said[2].said, &said[3].said]
            else {
                panic!("{said:?}")
            };
            assert_eq!((*source, said.len(), said[2].at), (SourceId::Ec2, 4, at(1)));
            assert!(error.message.contains("the most that is read"), "{error:?}");
            assert_eq!((sweep.asked, sweep.answered, sweep.partial), (1, 0, true));
            assert_eq!(&*sweep.origin, "nodes");
            std::fs::remove_file(&path).unwrap();
        }
        println!("hostile: tapes: {inputs} inputs");
        assert_eq!(inputs, 3);
    }

    #[test]
    fn what_is_nested_without_end_is_skipped_or_no_tape() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.tape");
        let mut inputs = 0;
        for unit in ["[", "{\"a\":", "[[0],", "\"", "\\", "\u{0}"] {
            for before in [false, true] {
                let bomb = gzip(format!("{}\n", unit.repeat(100_000)).as_bytes());
                let _ = std::fs::remove_file(&path);
                if before {
                    Recorder::open(&path).unwrap().record(sweep(0));
                }
                let tape = [std::fs::read(&path).unwrap_or_default(), bomb].concat();
                std::fs::write(&path, tape).unwrap();
                assert_eq!(read(&path).map(Iterator::count).ok(), before.then_some(1), "{unit}");
                inputs += 1;
            }
        }
        assert_eq!(inputs, 12);
        println!("hostile: nested tapes: {inputs} inputs");
    }

    /// An entry of each kind.
    fn entries() -> Vec<Value> {
        let instance = crate::view::fixture::instance("i-1", "p4d.24xlarge", &[("team", "nlp")]);
        let scope = Scope::new("123456789012", "us-east-1");
        let verdict = crate::domain::VerdictKind::Idle;
        let verdict = crate::view::fixture::verdict(verdict, 8, Some(0.0), "quiet");
        let spec = crate::view::fixture::spec("p4d.24xlarge", 96, 8, "A100", 8_000);
        let said = [
            Said::Instances { scope, items: vec![instance.into()] },
            Said::Account { account: "123456789012".into(), label: "prod".into() },
            Said::Verdicts { items: vec![("i-1".into(), verdict.into())] },
            Said::Types { items: vec![spec.into()] },
        ];
        let mut all: Vec<Entry> = said.into_iter().map(|said| Entry { at: at(1), said }).collect();
        all.extend([sweep(2), failure(3)]);
        all.iter().map(|e| serde_json::to_value(e).unwrap()).collect()
    }

    fn texts(value: &Value, at: &str, out: &mut Vec<String>) {
        match value {
            Value::String(_) => out.push(at.to_owned()),
            Value::Array(all) => {
                all.iter().enumerate().for_each(|(i, v)| texts(v, &format!("{at}/{i}"), out));
            }
            Value::Object(map) => {
                map.iter().for_each(|(k, v)| texts(v, &format!("{at}/{k}"), out));
            }
            _ => {}
        }
    }

    #[test]
    fn no_tape_brings_unclean_text_and_no_identifier_that_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.tape");
        let (mut n, mut lines) = (0, Vec::new());
        for entry in entries() {
            let mut places = Vec::new();
            texts(&entry, "", &mut places);
            for place in places {
                for text in TEXTS {
                    let mut bad = entry.clone();
                    *bad.pointer_mut(&place).unwrap() = json!(text);
                    serde_json::to_writer(&mut lines, &bad).unwrap();
                    lines.push(b'\n');
                    n += 1;
                }
            }
            // Names of fields as well.
            let mut bad = entry.clone();
            for text in TEXTS {
                bad[*text] = json!(text);
            }
            serde_json::to_writer(&mut lines, &bad).unwrap();
            lines.extend(b"\n{\"at\":\"\xff\xfe\"}\n");
        }
        let first = serde_json::to_vec(&sweep(0)).unwrap();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&[first, b"\n".to_vec(), lines].concat()).unwrap();
        std::fs::write(&path, gzip.finish().unwrap()).unwrap();
        let mut replaced = 0;
        for entry in read(&path).unwrap() {
            let debug = format!("{entry:?}");
            said("tape", &debug);
            replaced += usize::from(debug.contains('\u{FFFD}'));
            if let Said::Instances { items, .. } = &entry.said {
                assert!(items.iter().all(|i| crate::domain::text::is_id(&i.id)), "{debug}");
            }
        }
        assert!(replaced >= 500, "{replaced} of {n} came through, clean");
        assert!(n >= 1_500, "{n}");
        println!("hostile: texts of tapes: {n} inputs");
    }
}
