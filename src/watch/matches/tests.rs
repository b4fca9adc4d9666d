use std::sync::Arc;

use super::*;
use crate::domain::{ErrorKind, Scope, SourceError, SourceState, VerdictKind};
use crate::fleet::{Fleet, Row};
use crate::tabs::idle::picture::Field;
use crate::view::TableField as _;
use crate::view::fixture::{ago, ctx, fleet};
use crate::watch::rules::Rules;
use crate::watch::rules::tests::{one, read};
use crate::watch::view::view;

const SOURCES: &[SourceId] = &[SourceId::Ec2, SourceId::CloudWatch];

fn rules(rule: &str) -> Rules {
    read(&one(&format!("name = 'r'\n{rule}"))).unwrap()
}

fn pictured(rows: &[Arc<Row>]) -> Pictured {
    Pictured::new(view("idle").unwrap(), Field::shared(&rows.into()), SOURCES, &ctx())
}

/// What a rule sees of these instances.
fn sees<T>(rule: &str, fleet: &Fleet, then: impl FnOnce(&MatchingRows<'_>) -> T) -> T {
    let (rules, of) = (rules(rule), pictured(&fleet.rows));
    then(&MatchingRows::of(&rules.rules[0], &of, &fleet.readings))
}

#[test]
fn an_alert_says_what_whose_since_when_how_much_and_why() {
    sees("when = 'idle verdict=idle and team=nlp'", &fleet(), |matches| {
        let [thing] = matches.found() else { panic!("{:?}", matches.found()) };
        assert_eq!((&*thing.key, thing.team.as_deref()), ("i-0a1idle", Some("nlp")));
        assert_eq!(thing.since, Some(ago(84)));
        let place = thing.place.as_ref().map(ToString::to_string);
        assert_eq!(place.as_deref(), Some("111122223333/us-east-1"));
        let facts = matches.facts(thing);
        assert_eq!(facts.what, "p4d.24xlarge i-0a1idle train-7b-old");
        // 21.957642 an hour: 84 hours, and a day.
        assert!((facts.usd.unwrap() - 1_844.441_928).abs() < 0.01, "{facts:?}");
        assert!((facts.usd_per_day.unwrap() - 526.983_408).abs() < 1e-6, "{facts:?}");
        assert_eq!(facts.why[0], "all 8 GPUs under 5% for 3d12h");
        assert!(facts.why[1].starts_with("verdict idle, gpu "), "{:?}", facts.why);
        let command = "burntop plan idle --filter instance_id=i-0a1idle --out plan.json";
        assert_eq!(facts.command.unwrap().replace('\'', ""), command);
    });
}

#[test]
fn what_is_not_known_is_not_0() {
    // Of another platform the price is not known.
    sees("when = 'idle name=render'", &fleet(), |matches| {
        let facts = matches.facts(&matches.found()[0]);
        assert_eq!((facts.usd, facts.usd_per_day), (None, None), "{facts:?}");
    });
    // And no threshold of dollars is met by it.
    sees("when = 'idle verdict=idle'\nmin_usd_per_day = 0.0", &fleet(), |matches| {
        let keys: Vec<&str> = matches.found().iter().map(|thing| &*thing.key).collect();
        assert_eq!(keys, ["i-0a1idle"]);
    });
}

#[test]
fn a_group_is_one_thing_with_the_sum_of_its_rows() {
    let all = "when = 'idle verdict=idle or verdict=partial'";
    sees(&format!("{all}\ngroup = 'team'"), &fleet(), |matches| {
        let keys: Vec<&str> = matches.found().iter().map(|thing| &*thing.key).collect();
        assert_eq!(keys, ["nlp", "vision"]);
        let vision = &matches.found()[1];
        // The earliest of both.
        assert_eq!((vision.since, vision.team.as_deref()), (Some(ago(48)), Some("vision")));
        let facts = matches.facts(vision);
        assert_eq!(facts.what, "2 instances of team vision");
        // 5 of 8 GPUs of 55.04 an hour; the other one has no price.
        assert!((facts.usd_per_day.unwrap() - 825.6).abs() < 1e-6, "{facts:?}");
        assert_eq!(facts.why.len(), 2);
    });
    sees(&format!("{all}\ngroup = 'rule'\nmin_rows = 3"), &fleet(), |matches| {
        let [thing] = matches.found() else { panic!("{:?}", matches.found()) };
        // When there were three for the first time, nobody saw.
        assert_eq!((&*thing.key, thing.since), ("all", None));
    });
    sees(&format!("{all}\ngroup = 'rule'\nmin_rows = 4"), &fleet(), |matches| {
        assert_eq!(matches.found(), []);
    });
    sees(&format!("{all}\ngroup = 'team'\nmin_usd_per_day = 600.0"), &fleet(), |matches| {
        let keys: Vec<&str> = matches.found().iter().map(|thing| &*thing.key).collect();
        assert_eq!(keys, ["vision"]);
    });
}

#[test]
fn an_end_is_believed_only_of_what_is_known() {
    let failed = |account: &str, region: &str| Reading {
        source: SourceId::Ec2,
        scope: Scope::new(account, region),
        taken_at: None,
        coverage: 0.0,
        state: SourceState::Failed(Arc::new(SourceError::new(ErrorKind::Network, "x", "no", ""))),
    };
    let place = Scope::new("111122223333", "us-east-1");
    let place = Some(&place);
    sees("when = 'idle verdict=idle'", &fleet(), |matches| {
        // It works now.
        assert!(matches.has_ended("i-1e1busy", None, &[]));
        // Nobody knows what it does: no telemetry, and no price either.
        assert!(!matches.has_ended("i-0c3unkn", place, &[]));
        // It is gone, and the list of its region was read; that of another was not.
        assert!(matches.has_ended("i-none", place, &[]));
        let other = Scope::new("111122223333", "eu-west-1");
        assert!(!matches.has_ended("i-none", Some(&other), &[]), "CloudWatch failed");
    });
    for (account, region, ended) in [
        ("111122223333", "us-east-1", false),
        ("111122223333", "-", false),
        ("111122223333", "us-west-2", true),
        ("444455556666", "-", true),
    ] {
        let fleet = Fleet { readings: vec![failed(account, region)], ..fleet() };
        sees("when = 'idle verdict=idle'", &fleet, |matches| {
            assert_eq!(matches.has_ended("i-none", place, &[]), ended, "{account}/{region}");
        });
        sees("when = 'idle verdict=idle'\ngroup = 'team'", &fleet, |matches| {
            assert!(!matches.has_ended("nlp", None, &[]), "a part of a group may be there");
        });
    }
}

#[test]
fn nothing_ends_of_a_list_that_was_read_in_part_and_of_what_is_undecided() {
    let rules = rules("when = 'idle verdict=idle'");
    let ends = |of: &Pictured, key: &str| {
        MatchingRows::of(&rules.rules[0], of, &[]).has_ended(key, None, &[])
    };
    let fleet = fleet();
    assert!(ends(&pictured(&fleet.rows), "i-none"));
    let known = Known { undecided: ["i-none".into()].into(), ..Known::default() };
    let undecided = pictured(&fleet.rows).knowing(known);
    assert!(!ends(&undecided, "i-none"));
    assert!(ends(&undecided, "i-other"));
    let part = pictured(&fleet.rows).in_part(true);
    assert!(!ends(&part, "i-none") && !ends(&part, "i-1e1busy"));
}

#[test]
fn a_group_ends_when_all_of_its_rows_are_known_to_be_so_no_more() {
    let all = fleet();
    // Team vision has two of them; one works afterwards, one falls silent.
    let rule = "when = 'idle verdict=idle or verdict=partial'\ngroup = 'team'";
    let team = |matches: &MatchingRows<'_>| -> Option<Thing> {
        matches.found().iter().find(|thing| &*thing.key == "vision").cloned()
    };
    let mut rows = Vec::new();
    sees(rule, &all, |matches| {
        rows = matches.rows(&team(matches).unwrap(), &[]);
        assert_eq!(rows.len(), 2, "{rows:?}");
    });
    let becomes = |kinds: [Option<VerdictKind>; 2]| {
        let mut fleet = fleet();
        for (id, kind) in rows.iter().zip(kinds) {
            let at = fleet.rows.iter().position(|row| row.instance.id == id.key).unwrap();
            let row = Arc::make_mut(&mut fleet.rows[at]);
            match (kind, &mut row.verdict) {
                (Some(kind), Some(verdict)) => Arc::make_mut(verdict).kind = kind,
                _ => row.verdict = None,
            }
        }
        fleet.readings.clear();
        fleet
    };
    let busy = Some(VerdictKind::Busy);
    let unknown = Some(VerdictKind::Unknown);
    sees(rule, &becomes([busy, busy]), |matches| {
        assert_eq!(team(matches), None);
        assert!(matches.has_ended("vision", None, &rows));
    });
    for silent in [[busy, unknown], [unknown, busy], [busy, None]] {
        sees(rule, &becomes(silent), |matches| {
            assert_eq!(team(matches), None);
            assert!(!matches.has_ended("vision", None, &rows), "{silent:?}");
        });
    }
    // What fell silent is remembered before what is found.
    sees(rule, &becomes([Some(VerdictKind::Idle), unknown]), |matches| {
        let thing = team(matches).unwrap();
        assert_eq!(thing.rows.len(), 1);
        assert_eq!(matches.rows(&thing, &rows), [rows[1].clone(), rows[0].clone()]);
    });
    sees(rule, &becomes([Some(VerdictKind::Idle), busy]), |matches| {
        assert_eq!(matches.rows(&team(matches).unwrap(), &rows), rows[..1]);
    });
    // Too few for the rule, whatever the silent one does.
    let three = format!("{rule}\nmin_rows = 3");
    sees(&three, &becomes([Some(VerdictKind::Idle), unknown]), |matches| {
        assert!(matches.has_ended("vision", None, &rows));
    });
    let two = format!("{rule}\nmin_rows = 2");
    sees(&two, &becomes([Some(VerdictKind::Idle), unknown]), |matches| {
        assert_eq!(team(matches), None);
        assert!(!matches.has_ended("vision", None, &rows), "it may be two still");
    });
}

#[test]
fn a_price_that_is_not_known_any_more_ends_nothing_where_dollars_decide() {
    let all = fleet();
    let mut unpriced = fleet();
    for row in &mut unpriced.rows {
        Arc::make_mut(row).rate = None;
    }
    unpriced.readings.clear();
    for (group, key) in [("row", "i-0a1idle"), ("team", "nlp")] {
        let rule = |usd: f64| {
            format!("when = 'idle verdict=idle'\ngroup = '{group}'\nmin_usd_per_day = {usd:.1}")
        };
        let mut rows = Vec::new();
        sees(&rule(100.0), &all, |matches| {
            let thing = matches.found().iter().find(|thing| &*thing.key == key).unwrap();
            rows = matches.rows(thing, &[]);
        });
        sees(&rule(100.0), &unpriced, |matches| {
            assert_eq!(matches.found(), []);
            assert!(!matches.has_ended(key, None, &rows), "{group}");
        });
        // It costs less than that: this is known.
        let known = Fleet { readings: Vec::new(), ..fleet() };
        sees(&rule(1e6), &known, |matches| {
            assert!(matches.has_ended(key, None, &rows), "{group}");
        });
    }
}

#[test]
fn of_a_gpu_that_nobody_tells_of_the_end_is_known_when_its_instance_is_gone() {
    let rules = rules("when = 'gpus state=held_idle'");
    let rows: Arc<[Arc<crate::fleet::GpuRow>]> = Arc::default();
    let list = |known: Known| {
        let rows = crate::tabs::gpus::picture::GpuField::shared(&rows);
        Pictured::new(view("gpus").unwrap(), rows, &[SourceId::Ec2, SourceId::Prometheus], &ctx())
            .knowing(known)
    };
    let failed = |source, scope: Scope| Reading {
        source,
        scope,
        taken_at: None,
        coverage: 0.0,
        state: SourceState::Failed(Arc::new(SourceError::new(ErrorKind::Network, "x", "no", ""))),
    };
    let place = Scope::new("111122223333", "us-east-1");
    let ends = |of: &Pictured, on: Option<&str>, readings: &[Reading]| {
        let row = AlertRow { key: "gpu-1".into(), on: on.map(Arc::from), is_priced: false };
        let matches = MatchingRows::of(&rules.rules[0], of, readings);
        matches.has_ended("gpu-1", Some(&place), &[row])
    };
    let dark = [failed(SourceId::Prometheus, Scope::new("prom", ""))];
    let region = [failed(SourceId::Ec2, place.clone())];
    let silent = Known { silent: Arc::new(["i-1".into()].into()), ..Known::default() };
    // It runs, and nobody tells of its GPUs; another one does not.
    assert!(!ends(&list(silent.clone()), Some("i-1"), &[]));
    assert!(ends(&list(silent.clone()), Some("i-2"), &dark));
    assert!(!ends(&list(silent), Some("i-2"), &region));
    // Of a host that is no instance only its telemetry tells.
    assert!(ends(&list(Known::default()), None, &[]));
    assert!(!ends(&list(Known::default()), None, &dark));
    // It was looked at.
    let decided = Known { decided: ["gpu-1".into()].into(), ..Known::default() };
    assert!(ends(&list(decided), Some("i-1"), &dark));
}

#[test]
fn a_run_that_failed_is_known_to_be_one_and_a_doubtful_one_is_not() {
    use crate::tabs::jobs::picture::{JobField, job_rows};
    use crate::tabs::jobs::state::fixture;
    let read = fixture::read(ctx().now);
    let list = Pictured::new(
        view("jobs").unwrap(),
        JobField::shared(&job_rows(read.costs.rows)),
        &[],
        &ctx(),
    );
    let key = |state: &str| {
        let rules = rules(&format!("when = 'jobs state={state}'"));
        let matches = MatchingRows::of(&rules.rules[0], &list, &[]);
        matches.found().first().map(|thing| thing.key.to_string())
    };
    let running = rules("when = 'jobs state=running'");
    let matches = MatchingRows::of(&running.rules[0], &list, &[]);
    assert!(matches.has_ended(&key("failed").expect("a failed run"), None, &[]));
    // One of unknown outcome that is known to have ended runs no more; one that is not may run.
    let mut read = fixture::read(ctx().now);
    let mut ends = |ended_at| {
        let of = &mut read.costs.rows[0].attempt;
        (of.state, of.ended_at) = (crate::domain::jobs::JobState::Unknown, ended_at);
        let rows = job_rows(read.costs.rows.clone());
        let key = rows.last().unwrap().id.clone();
        let list = Pictured::new(view("jobs").unwrap(), JobField::shared(&rows), &[], &ctx());
        MatchingRows::of(&running.rules[0], &list, &[]).has_ended(&key, None, &[])
    };
    assert!(ends(Some(ctx().now)));
    assert!(!ends(None));
    let sources = view("sources").unwrap();
    assert!(sources.unknown.contains(&"failed"));
    assert!(!view("jobs").unwrap().unknown.contains(&"failed"));
    assert!(view("jobs").unwrap().unknown.contains(&"doubtful"));
}

#[test]
fn hostile_names_steer_no_terminal_and_no_shell() {
    sees("when = 'idle verdict=underused'", &fleet(), |matches| {
        let facts = matches.facts(&matches.found()[0]);
        let texts = [&facts.what, &facts.why.join(" "), facts.team.as_ref().unwrap()];
        for text in texts {
            assert!(!text.chars().any(crate::domain::text::is_unsafe), "{text:?}");
        }
    });
    let mut fleet = fleet();
    let row = fleet.rows.iter_mut().find(|row| &*row.instance.id == "i-0a1idle").unwrap();
    let row = Arc::make_mut(row);
    Arc::make_mut(&mut row.instance).id = "i'; rm -rf ~ #".into();
    sees("when = 'idle verdict=idle and team=nlp'", &fleet, |matches| {
        let command = matches.facts(&matches.found()[0]).command.unwrap();
        let words = shlex(&command);
        assert_eq!(words[..4], ["burntop", "plan", "idle", "--filter"]);
        assert_eq!(words[5..], ["--out", "plan.json"]);
        assert!(words[4].contains("rm -rf ~"), "{words:?}");
    });
}

/// The words that a POSIX shell makes of a line of plain and single-quoted parts.
fn shlex(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => quoted = !quoted,
            '\\' if !quoted => word.extend(chars.next()),
            ' ' if !quoted => words.push(std::mem::take(&mut word)),
            c => word.push(c),
        }
    }
    words.push(word);
    words
}

#[test]
fn several_rules_over_one_list_see_each_what_they_mean() {
    let fleet = fleet();
    let of = pictured(&fleet.rows);
    let kinds = [
        ("idle", VerdictKind::Idle),
        ("busy", VerdictKind::Busy),
        ("partial", VerdictKind::Partial),
    ];
    for (word, kind) in kinds {
        let rules = rules(&format!("when = 'idle verdict={word}'"));
        let matches = MatchingRows::of(&rules.rules[0], &of, &fleet.readings);
        let is_so = |row: &&Arc<Row>| row.verdict.as_ref().is_some_and(|of| of.kind == kind);
        let expected = fleet.rows.iter().filter(is_so);
        let expected: Vec<&str> = expected.map(|row| &*row.instance.id).collect();
        let found: Vec<&str> = matches.found().iter().map(|thing| &*thing.key).collect();
        assert_eq!(found, expected);
    }
}
