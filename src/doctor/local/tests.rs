use super::super::Status;
use super::*;
use crate::config::{FileConfig, Problem};
use crate::config::{Place, Vocabulary, env::Env};
use crate::domain::own_cost::SpendingUnknown;
use crate::files::Cause;

fn loaded(notices: usize) -> Loaded {
    let env = Env::default();
    let sources = crate::config::load::Sources {
        paths: None,
        file: None,
        env: &env,
        flags: FileConfig::default(),
    };
    let mut loaded = crate::config::load(&sources, &Vocabulary::default()).unwrap();
    for i in 0..notices {
        let place = Place::File { path: "c.toml".into(), line: i + 1 };
        loaded.notices.push(Problem { place, message: "unknown key".into() });
    }
    loaded
}

#[test]
fn configuration() {
    assert_eq!(config(Ok(&loaded(0))).status, Status::Ok);
    let odd = config(Ok(&loaded(3)));
    assert_eq!(odd.status, Status::Warn);
    assert_eq!(odd.message, "c.toml:1: unknown key (and 2 more)");
    let broken = ConfigError::Invalid(vec![
        Problem { place: Place::Env("BURNTOP_MOUSE"), message: "a".into() },
        Problem { place: Place::Flag("--region"), message: "b\u{1b}".into() },
    ]);
    let check = config(Err(&broken));
    assert_eq!(check.status, Status::Fail);
    assert_eq!(check.message, "BURNTOP_MOUSE: a; --region: b\u{fffd}");
}

fn facts(size: (u16, u16)) -> TerminalFacts {
    TerminalFacts {
        is_terminal: true,
        size: Some(size),
        term: Some("xterm-256color".into()),
        colors: "256 colours",
        unicode: true,
    }
}

#[test]
fn terminals() {
    let full = terminal(&facts((80, 24)));
    assert_eq!(
        (full.status, full.message.as_str()),
        (Status::Ok, "80×24, TERM=xterm-256color, 256 colours, Unicode")
    );
    let cases = [
        (facts((79, 24)), "small, columns are left out"),
        (facts((20, 3)), "small, columns are left out"),
        (facts((19, 24)), "too small to draw anything"),
        (facts((80, 2)), "too small to draw anything"),
        (facts((0, 0)), "does not tell its size"),
        (TerminalFacts { size: None, ..facts((0, 0)) }, "does not tell its size"),
        (TerminalFacts { term: Some("dumb".into()), ..facts((80, 24)) }, "TERM=dumb"),
        (TerminalFacts { term: None, ..facts((80, 24)) }, "TERM=unset"),
        (TerminalFacts { unicode: false, ..facts((80, 24)) }, "ASCII"),
    ];
    for (facts, text) in cases {
        let check = terminal(&facts);
        assert_eq!(check.status, Status::Warn, "{facts:?}");
        assert!(check.message.contains(text) && check.fix.is_some(), "{check:?}");
    }
    let none = TerminalFacts { is_terminal: false, ..facts((80, 24)) };
    assert_eq!(terminal(&none).status, Status::Skip);
}

fn stats() -> CacheStats {
    CacheStats {
        path: "/c/burntop.db".into(),
        file_bytes: 2_000_000,
        wal_bytes: 0,
        series: 0,
        chunks: 0,
        oldest_day: None,
        newest_day: None,
        facts: Vec::new(),
        dropped: 0,
        memory_only: false,
    }
}

#[test]
fn caches() {
    let open = |notices| CacheFacts::Open { stats: stats(), notices, max_bytes: 512_000_000 };
    let fine = cache(&open(Vec::new()));
    assert_eq!(fine.status, Status::Ok);
    assert_eq!(fine.message, "/c/burntop.db: writable, whole, 2 MB of 512 MB");
    let notice = CacheNotice::InMemory {
        file: "/c/burntop.db".into(),
        why: "disk full".into(),
        cause: Cause::Full,
    };
    let odd = cache(&open(vec![notice.clone()]));
    assert_eq!((odd.status, odd.message), (Status::Warn, notice.message()));
    assert_eq!(odd.fix.as_deref(), Some(notice.fix()));
    assert_eq!(cache(&CacheFacts::Off).status, Status::Skip);
    assert_eq!(cache(&CacheFacts::Stuck("/c".into())).status, Status::Fail);
    assert_eq!(cache(&CacheFacts::NoPlace("no home".into())).status, Status::Warn);
}

#[test]
fn own_costs() {
    let cost = |micro_usd, trouble| OwnCost {
        day: jiff::civil::date(2026, 3, 1),
        micro_usd,
        cap_micro_usd: 1_000_000,
        apis: Vec::new(),
        shared: true,
        trouble,
    };
    let fine = own_cost(Some(&cost(30_000, None)));
    assert_eq!(
        (fine.status, fine.message.as_str()),
        (Status::Ok, "$0.03 of $1.00 spent today (UTC)")
    );
    assert_eq!(own_cost(Some(&cost(1_000_000, None))).status, Status::Warn);
    let alone = OwnCost { shared: false, ..cost(0, None) };
    assert_eq!(own_cost(Some(&alone)).status, Status::Warn);
    let trouble = crate::cache::LedgerTrouble::Aside("/c/ledger.db.broken-7".into());
    let trouble = SpendingUnknown { why: trouble.to_string(), fix: trouble.fix() };
    let unknown = cost(0, Some(trouble));
    assert_eq!(unknown.remaining_micro_usd(), 0);
    let unknown = own_cost(Some(&unknown));
    assert_eq!(unknown.status, Status::Fail);
    assert!(unknown.message.contains("ledger.db.broken-7"), "{}", unknown.message);
    assert!(unknown.fix.unwrap().contains("delete or move away"));
    assert_eq!(own_cost(None).status, Status::Skip);
}
