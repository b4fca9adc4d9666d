use std::fs;

use jiff::Timestamp;

use super::*;
use crate::watch::message::{AlertFacts, Message, MessageKind, Severity};
use crate::watch::state::{Alert, Delivery, Phase, SentAlert};

fn now() -> Timestamp {
    "2026-11-29T00:00:00Z".parse().unwrap()
}

fn about(kind: MessageKind) -> SentAlert {
    SentAlert {
        rule: "r".into(),
        key: "a".into(),
        thread: "t".into(),
        kind,
        severity: Severity::Warning,
        what: "thing a".into(),
        team: None,
        since: now(),
        place: None,
    }
}

fn sent(kind: MessageKind, at: Timestamp) -> Sent {
    Sent { at, sink: "out".into(), key: format!("{kind:?}"), about: vec![about(kind)] }
}

fn book() -> Book {
    let mut book = Book { at: Some(now()), ..Book::default() };
    let alert = Alert {
        rows: Vec::new(),
        tells_end: true,
        phase: Phase::Firing,
        since: now(),
        gone_since: None,
        told_at: Some(now()),
        updates: 0,
        thread: "t".into(),
        severity: Severity::Warning,
        sinks: vec!["out".into()],
        place: None,
        facts: AlertFacts { what: "thing a".into(), ..AlertFacts::default() },
    };
    book.alerts.entry("r".into()).or_default().insert("a".into(), alert);
    let message = Message {
        key: "Firing".into(),
        thread: "t".into(),
        kind: MessageKind::Firing,
        severity: Severity::Warning,
        at: now(),
        title: "firing: r: thing a".into(),
        lines: vec!["for 3d".into()],
        alerts: vec![AlertFacts::default()],
        more: 0,
        html: None,
    };
    let about = vec![about(MessageKind::Firing)];
    book.outbox.push(Delivery { sink: "out".into(), message, about, tries: 2, next: now() });
    book
}

fn open(dir: &Path) -> (Store, Found) {
    Store::open(Some(dir.join("watch")), now()).unwrap()
}

#[test]
fn what_is_saved_is_found_and_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let (store, found) = open(dir.path());
    assert_eq!(found.book, Book::default());
    store.save(&book()).unwrap();
    store.note(&sent(MessageKind::Resolved, now())).unwrap();
    drop(store);
    let (_store, found) = open(dir.path());
    assert_eq!((found.book, found.notices), (book(), Vec::<String>::new()));
    for name in ["state.json", "sent.jsonl", "lock"] {
        let mode = fs::metadata(dir.path().join("watch").join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn what_arrived_just_before_a_kill_is_not_sent_again() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    store.save(&book()).unwrap();
    store.note(&sent(MessageKind::Firing, now())).unwrap();
    drop(store);
    let (_store, found) = open(dir.path());
    assert_eq!(found.book.outbox, []);
    assert_eq!(found.book.each().count(), 1);
}

#[test]
fn a_damaged_state_is_set_aside_and_what_was_sent_stands_in_for_it() {
    for damage in [&b"{"[..], b"", b"\xff\xfe", b"burntop/watch-state/1 00\n{}\n"] {
        let dir = tempfile::tempdir().unwrap();
        let (store, _) = open(dir.path());
        store.save(&book()).unwrap();
        store.note(&sent(MessageKind::Firing, now())).unwrap();
        drop(store);
        let path = dir.path().join("watch/state.json");
        let mut bytes = fs::read(&path).unwrap();
        if damage == b"" {
            // One digit of a time is another.
            let at = bytes.windows(4).rposition(|four| four == b"2026").unwrap();
            bytes[at + 3] = b'5';
        } else {
            bytes = damage.to_vec();
        }
        fs::write(&path, &bytes).unwrap();
        let (_store, found) = open(dir.path());
        assert_eq!(found.notices.len(), 1, "{:?}", found.notices);
        assert!(found.notices[0].contains("set aside as "), "{:?}", found.notices);
        let aside = dir.path().join("watch/state.json.damaged-20261129T000000");
        assert_eq!(fs::read(aside).unwrap(), bytes);
        let alerts: Vec<_> = found.book.each().collect();
        assert_eq!(
            (alerts[0].1, alerts[0].2.phase, alerts[0].2.told_at),
            ("a", Phase::Firing, Some(now()))
        );
    }
}

#[test]
fn a_line_that_a_kill_cut_is_said_and_the_next_one_is_whole() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    store.note(&sent(MessageKind::Firing, now())).unwrap();
    drop(store);
    let path = dir.path().join("watch/sent.jsonl");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, [&whole[..], &whole[..20]].concat()).unwrap();
    let (store, found) = open(dir.path());
    assert!(found.notices[0].starts_with("1 line of "), "{:?}", found.notices);
    store.note(&sent(MessageKind::Resolved, now())).unwrap();
    drop(store);
    let (_store, found) = open(dir.path());
    // Its end is known, so that it is over.
    assert_eq!(found.book.each().count(), 0);
}

#[test]
fn the_log_is_shortened_to_what_goes_on_and_the_last_day() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    store.save(&book()).unwrap();
    let long_ago: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    store.note(&sent(MessageKind::Firing, long_ago)).unwrap();
    let other = |at| {
        let mut sent = sent(MessageKind::Resolved, at);
        sent.about[0].thread = "other".into();
        sent.about[0].what = "x".repeat(2_000);
        sent
    };
    for _ in 0..600 {
        store.note(&other(long_ago)).unwrap();
    }
    store.note(&other(now())).unwrap();
    drop(store);
    drop(open(dir.path()));
    let text = fs::read_to_string(dir.path().join("watch/sent.jsonl")).unwrap();
    assert_eq!(text.lines().count(), 2, "the one that goes on, and the one of today");
}

#[test]
fn two_watches_do_not_share_a_state() {
    let dir = tempfile::tempdir().unwrap();
    let _first = open(dir.path());
    let error = Store::open(Some(dir.path().join("watch")), now()).unwrap_err();
    assert_eq!(error.exit(), Exit::ActionFailed);
    assert!(error.to_string().contains("another watch may keep"), "{error}");
}
