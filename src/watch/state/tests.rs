use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp, ToSpan as _};
use proptest::prelude::*;

use super::{AlertRow, Book, Look, Phase, Sent};
use crate::domain::Scope;
use crate::watch::matches::{Matches, Thing};
use crate::watch::message::{AlertFacts, MessageKind};
use crate::watch::rules::Rules;
use crate::watch::rules::tests::read;

/// What a rule sees: these keys, with what they know of their start; whether the absence of others is known.
struct Seen {
    things: Vec<Thing>,
    is_known: bool,
}

impl Matches for Seen {
    fn found(&self) -> &[Thing] {
        &self.things
    }

    fn facts(&self, thing: &Thing) -> AlertFacts {
        AlertFacts {
            rule: "r".into(),
            key: thing.key.to_string(),
            what: format!("thing {}", thing.key),
            team: thing.team.clone(),
            usd_per_day: Some(24.0),
            adds_up: true,
            ..AlertFacts::default()
        }
    }

    fn rows(&self, _: &Thing, _: &[AlertRow]) -> Vec<AlertRow> {
        Vec::new()
    }

    fn has_ended(&self, _: &str, _: Option<&Scope>, _: &[AlertRow]) -> bool {
        self.is_known
    }
}

fn thing(key: &str, since: Option<Timestamp>) -> Thing {
    Thing { key: Arc::from(key), since, team: None, place: None, rows: vec![0] }
}

fn seen(keys: &[&str]) -> Seen {
    Seen { things: keys.iter().map(|key| thing(key, None)).collect(), is_known: true }
}

fn rules(rule: &str, more: &str) -> Rules {
    let text = format!(
        "sinks_by_default = ['out']\n{more}\n[[sinks]]\nname = 'out'\ntype = 'stdout'\n\
         [[rules]]\nname = 'r'\nwhen = 'gpus'\n{rule}"
    );
    read(&text).unwrap()
}

fn at(minutes: i64) -> Timestamp {
    let begin: Timestamp = "2026-11-27T18:00:00Z".parse().unwrap();
    begin.checked_add(minutes.minutes()).unwrap()
}

/// One look, and everything that is due sent at once.
struct Run {
    rules: Rules,
    book: Book,
    sent: Vec<Sent>,
    /// Kind and what of each message, in their order.
    told: Vec<(MessageKind, String)>,
}

impl Run {
    fn new(rules: Rules) -> Self {
        Self { rules, book: Book::default(), sent: Vec::new(), told: Vec::new() }
    }

    fn look(&mut self, minutes: i64, seen: &Seen) {
        self.look_as(minutes, Some(seen));
    }

    fn look_as(&mut self, minutes: i64, seen: Option<&Seen>) {
        let now = at(minutes);
        let matches = seen.map(|seen| seen as &dyn Matches);
        let rule = &self.rules.rules[0];
        self.book.step(now, &self.rules, &[Look { rule, matches }]);
        for (sink, key) in self.book.due(now) {
            let message = &self.book.delivery(&sink, &key).unwrap().message;
            let about = message.alerts.first().map(|facts| facts.key.clone());
            self.told.push((message.kind, about.unwrap_or_default()));
            self.sent.push(self.book.delivered(&sink, &key, now).unwrap());
        }
    }

    fn kinds(&self) -> Vec<MessageKind> {
        self.told.iter().map(|(kind, _)| *kind).collect()
    }
}

use MessageKind::{Firing, Resolved, Summary, Update};

#[test]
fn an_alert_fires_once_after_its_time_and_ends_once() {
    let mut run = Run::new(rules("for = '2h'", ""));
    for minutes in (0..=300).step_by(5) {
        run.look(minutes, &seen(if minutes < 200 { &["a"] } else { &[] }));
        let expected: &[MessageKind] = match minutes {
            0..=119 => &[],
            120..=199 => &[Firing],
            _ => &[Firing, Resolved],
        };
        assert_eq!(run.kinds(), expected, "{minutes}");
    }
    assert_eq!(run.book.each().count(), 0);
}

#[test]
fn time_counts_from_the_start_that_was_witnessed_so_a_first_look_can_fire() {
    let mut run = Run::new(rules("for = '2h'", ""));
    let since = |minutes| Seen { things: vec![thing("a", Some(at(minutes)))], is_known: true };
    run.look(0, &since(-119));
    assert_eq!(run.kinds(), []);
    run.look(1, &since(-119));
    assert_eq!(run.kinds(), [Firing]);
    assert_eq!(run.book.alerts["r"]["a"].since, at(-119));
    // A start that is told later is no younger alert.
    run.look(2, &since(-5));
    assert_eq!(run.book.alerts["r"]["a"].since, at(-119));
}

#[test]
fn what_comes_and_goes_within_keep_firing_is_one_alert() {
    let mut run = Run::new(rules("keep_firing = '30m'\nrepeat = 'never'", ""));
    // A week of minutes: there for 20, gone for 10.
    for minutes in 0..7 * 24 * 60 {
        run.look(minutes, &seen(if minutes % 30 < 20 { &["a"] } else { &[] }));
    }
    assert_eq!(run.kinds(), [Firing]);
    let end = 7 * 24 * 60;
    for minutes in end..end + 40 {
        run.look(minutes, &seen(&[]));
    }
    assert_eq!(run.kinds(), [Firing, Resolved]);
}

#[test]
fn what_is_not_known_ends_nothing_and_what_was_not_read_changes_nothing() {
    let mut run = Run::new(rules("", ""));
    run.look(0, &seen(&["a", "b"]));
    run.look(5, &Seen { things: Vec::new(), is_known: false });
    run.look_as(10, None);
    assert_eq!(run.kinds(), [Firing, Firing]);
    assert_eq!(run.book.each().count(), 2);
    run.look(15, &seen(&["b"]));
    assert_eq!(run.told[2..], [(Resolved, "a".to_owned())]);
}

#[test]
fn an_alert_that_goes_on_is_repeated_and_one_on_its_way_out_is_not() {
    let mut run = Run::new(rules("repeat = '6h'\nkeep_firing = '1d'", ""));
    for hours in 0..=13 {
        run.look(hours * 60, &seen(&["a"]));
    }
    assert_eq!(run.kinds(), [Firing, Update, Update]);
    for hours in 14..=37 {
        run.look(hours * 60, &seen(&[]));
    }
    assert_eq!(run.kinds(), [Firing, Update, Update]);
    run.look(38 * 60, &seen(&[]));
    assert_eq!(run.kinds(), [Firing, Update, Update, Resolved]);
    let keys: BTreeSet<&str> = run.sent.iter().map(|sent| sent.key.as_str()).collect();
    assert_eq!(keys.len(), 4, "each message has a key of its own");
}

#[test]
fn the_end_of_what_happened_is_not_told_where_the_rule_says_so() {
    let mut run = Run::new(rules("tell_end = false\nrepeat = 'never'", ""));
    run.look(0, &seen(&["a"]));
    run.look(5, &seen(&[]));
    assert_eq!(run.kinds(), [Firing]);
    assert_eq!(run.book.each().count(), 0);
    // What happens again is another alert, and that its rule is gone is not told either.
    run.look(10, &seen(&["a"]));
    assert_eq!(run.kinds(), [Firing, Firing]);
    run.book.step(at(15), &run.rules, &[]);
    assert_eq!((run.book.due(at(15)).len(), run.book.each().count()), (0, 0));
}

#[test]
fn five_thousand_alerts_at_once_are_one_message_and_so_is_their_end() {
    let mut run = Run::new(rules("", ""));
    let keys: Vec<String> = (0..5_000).map(|n| format!("i-{n:05}")).collect();
    let all: Vec<&str> = keys.iter().map(String::as_str).collect();
    run.look(0, &seen(&all));
    assert_eq!(run.kinds(), [Summary]);
    assert_eq!(run.sent[0].about.len(), 5_000);
    run.look(5, &seen(&all));
    // Twenty are few enough to be told apart.
    run.look(10, &seen(&all[20..]));
    assert_eq!(run.kinds()[1..], [Resolved; 20]);
    run.look(15, &seen(&[]));
    assert_eq!(run.kinds()[21..], [Summary]);
    assert_eq!(run.sent[21].about.len(), 4_980);
}

#[test]
fn a_summary_says_how_many_and_how_much() {
    let mut book = Book::default();
    let rules = rules("", "summary_above = 2");
    let seen = seen(&["a", "b", "c"]);
    let look = Look { rule: &rules.rules[0], matches: Some(&seen) };
    book.step(at(0), &rules, &[look]);
    let message = &book.outbox[0].message;
    assert_eq!(message.title, "3 alerts: 3 firing");
    assert_eq!(message.lines[0], "r: 3 alerts, $72.00/day");
    assert_eq!((message.alerts.len(), message.more), (3, 0));
}

#[test]
fn nothing_is_sent_in_a_silence_and_what_is_still_so_is_sent_after_it() {
    let silence = "[[silences]]\nstarts = '2026-11-27T18:00:00Z'\nends = '2026-11-27T20:00:00Z'";
    let mut run = Run::new(rules("", silence));
    run.look(0, &seen(&["a", "b"]));
    run.look(60, &seen(&["b"]));
    assert_eq!(run.kinds(), []);
    // Of `a` nobody ever hears.
    run.look(120, &seen(&["b"]));
    assert_eq!(run.told, [(Firing, "b".to_owned())]);
    // An end in a silence is told after it, unless it is so again by then.
    let mut run = Run::new(rules("", &silence.replace("18:00", "19:00")));
    run.look(0, &seen(&["a", "b"]));
    run.look(70, &seen(&[]));
    run.look(80, &seen(&["b"]));
    assert_eq!(run.kinds(), [Firing, Firing]);
    run.look(120, &seen(&["b"]));
    assert_eq!(run.told[2..], [(Resolved, "a".to_owned())]);
}

#[test]
fn a_clock_that_goes_back_sends_nothing_twice_and_stops_nothing() {
    let mut run = Run::new(rules("for = '1h'\nrepeat = '1d'", ""));
    run.look(1_000_000, &seen(&["a"]));
    run.look(1_000_060, &seen(&["a"]));
    assert_eq!(run.kinds(), [Firing]);
    // Two years back.
    run.look(0, &seen(&["a", "b"]));
    assert_eq!(run.kinds(), [Firing]);
    run.look(60, &seen(&["a", "b"]));
    assert_eq!(run.told[1..], [(Firing, "b".to_owned())]);
    run.look(24 * 60, &seen(&["a", "b"]));
    assert_eq!(run.told[2..], [(Update, "a".to_owned())]);
    run.look(25 * 60, &seen(&[]));
    assert_eq!(run.kinds()[3..], [Resolved, Resolved]);
}

#[test]
fn who_was_told_is_told_that_the_rule_is_gone() {
    let mut run = Run::new(rules("", ""));
    run.look(0, &seen(&["a"]));
    let others = read(&crate::watch::rules::tests::one("name = 'other'\nwhen = 'idle'")).unwrap();
    let (rule, seen) = (&others.rules[0], seen(&[]));
    run.book.step(at(5), &others, &[Look { rule, matches: Some(&seen) }]);
    let message = &run.book.outbox[0].message;
    assert_eq!(message.kind, Resolved);
    assert!(message.lines.iter().any(|line| line.contains("not in the rules file")), "{message:?}");
    assert_eq!(run.book.each().count(), 0);
}

#[test]
fn what_was_sent_stands_in_for_a_state_that_is_lost() {
    let mut run = Run::new(rules("keep_firing = '10m'", ""));
    run.look(0, &seen(&["a", "b", "c"]));
    run.look(20, &seen(&["b", "c"]));
    run.look(30, &seen(&["b", "c"]));
    assert_eq!(run.kinds(), [Firing, Firing, Firing, Resolved]);
    run.book = Book::of_sent(&run.sent);
    assert_eq!(run.book.each().map(|(_, key, _)| key).collect::<Vec<_>>(), ["b", "c"]);
    // Nothing is told again, and an end is the end of what was told.
    run.look(35, &seen(&["b", "c"]));
    assert_eq!(run.told.len(), 4);
    run.look(40, &seen(&["c"]));
    run.look(50, &seen(&["c"]));
    assert_eq!(run.told[4..], [(Resolved, "b".to_owned())]);
    let threads = |key: &str| -> BTreeSet<String> {
        let about = run.sent.iter().flat_map(|sent| &sent.about);
        about.filter(|of| of.key == key).map(|of| of.thread.clone()).collect()
    };
    assert_eq!(threads("b").len(), 1);
}

/// Firing and ending of one key by its history: `holds` of each look with its minute. By the words of the rule and not by
/// states: an alert fires at the first look at which it has held for `wait` without a gap, and ends at the first at which it
/// has not held for `keep` since its last.
fn expected(history: &[(i64, bool)], wait: i64, keep: i64) -> Vec<MessageKind> {
    let mut out = Vec::new();
    for at in 0..history.len() {
        let (now, holds) = history[at];
        let is_firing = out.len() % 2 == 1;
        let same = history[..=at].iter().rev().take_while(|(_, held)| *held == holds);
        let began = same.last().unwrap().0;
        if !is_firing && holds && now - began >= wait {
            out.push(Firing);
        } else if is_firing && !holds && now - began >= keep {
            out.push(Resolved);
        }
    }
    out
}

/// Where a round is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kill {
    /// Nowhere.
    No,
    /// Before the state is written down.
    BeforeSave,
    /// After that, before anything is sent.
    BeforeSend,
    /// After so many messages have been sent, before the last of them was noted.
    AfterSend(usize),
    /// After so many messages were noted, before the state was written down again.
    AfterNote(usize),
}

fn kill() -> impl Strategy<Value = Kill> {
    prop_oneof![
        4 => Just(Kill::No),
        1 => Just(Kill::BeforeSave),
        1 => Just(Kill::BeforeSend),
        1 => (0..3_usize).prop_map(Kill::AfterSend),
        1 => (0..3_usize).prop_map(Kill::AfterNote),
    ]
}

/// The state as it lies on disk.
fn disk(book: &Book) -> Book {
    serde_json::from_str(&serde_json::to_string(book).unwrap()).unwrap()
}

proptest! {
    /// Whatever comes, goes and is killed: each alert is told once by its keys, its end once, and in this order; what is
    /// told twice has the same key; nothing is lost.
    #[test]
    fn kills_between_any_two_steps_lose_nothing_and_repeat_nothing_but_by_key(
        rounds in prop::collection::vec((1..40_i64, any::<[bool; 4]>(), kill()), 1..60),
        wait in 0..60_i64,
        keep in 0..60_i64,
    ) {
        let rules = rules(&format!("for = '{wait}m'\nkeep_firing = '{keep}m'\nrepeat = 'never'")
            .replace("'0m'", "'0'"), "summary_above = 1000");
        let names = ["a", "b", "c", "d"];
        let mut saved = Book::default();
        let mut noted: Vec<Sent> = Vec::new();
        let mut arrived: Vec<(String, MessageKind, String)> = Vec::new();
        let mut history: BTreeMap<&str, Vec<(i64, bool)>> = BTreeMap::new();
        let mut now = 0;
        // In the end everything is gone for long enough, and nobody is killed.
        let end = [(1, [false; 4], Kill::No), (60, [false; 4], Kill::No), (60, [false; 4], Kill::No)];
        for (minutes, holds, kill) in rounds.into_iter().chain(end) {
            now += minutes;
            let mut book = disk(&saved);
            book.without(&noted);
            let there: Vec<&str> =
                names.iter().zip(holds).filter(|(_, holds)| *holds).map(|(name, _)| *name).collect();
            let seen = seen(&there);
            book.step(at(now), &rules, &[Look { rule: &rules.rules[0], matches: Some(&seen) }]);
            if kill == Kill::BeforeSave {
                continue;
            }
            saved = disk(&book);
            for (name, holds) in names.iter().zip(holds) {
                history.entry(name).or_default().push((now, holds));
            }
            if kill == Kill::BeforeSend {
                continue;
            }
            for (nth, (sink, key)) in book.due(at(now)).into_iter().enumerate() {
                let message = book.delivery(&sink, &key).unwrap().message.clone();
                arrived.push((message.alerts[0].key.clone(), message.kind, key.clone()));
                if kill == Kill::AfterSend(nth) {
                    break;
                }
                noted.push(book.delivered(&sink, &key, at(now)).unwrap());
                if kill == Kill::AfterNote(nth) {
                    break;
                }
                saved = disk(&book);
            }
        }
        for name in names {
            let mut keys: BTreeSet<&str> = BTreeSet::new();
            let told: Vec<MessageKind> = arrived
                .iter()
                .filter(|(of, _, key)| of == name && keys.insert(key))
                .map(|(_, kind, _)| *kind)
                .collect();
            prop_assert_eq!(&told, &expected(&history[name], wait, keep), "{}: {:?}", name, history[name]);
        }
        prop_assert_eq!(saved.outbox.len(), 0);
    }
}

#[test]
fn a_message_that_fails_is_tried_again_and_then_given_up() {
    let mut book = Book::default();
    let rules = rules("", "");
    let seen = seen(&["a"]);
    book.step(at(0), &rules, &[Look { rule: &rules.rules[0], matches: Some(&seen) }]);
    let (sink, key) = book.due(at(0)).remove(0);
    assert_eq!(book.failed(&sink, &key, Some(at(10))), None);
    assert_eq!(book.due(at(9)), []);
    assert_eq!(book.next_delivery(), Some(at(10)));
    assert_eq!(book.outbox[0].tries, 1);
    let given_up = book.failed(&sink, &key, None).unwrap();
    assert_eq!(given_up.message.key, key);
    assert_eq!((book.next_delivery(), book.alerts["r"]["a"].phase), (None, Phase::Firing));
}

#[test]
fn spans_are_of_the_clock_and_not_of_rounds() {
    let mut run = Run::new(rules("for = '1h'", ""));
    run.look(0, &seen(&["a"]));
    // One look a day.
    run.look(24 * 60, &seen(&["a"]));
    assert_eq!(run.kinds(), [Firing]);
    assert_eq!(run.rules.rules[0].holds_for, SignedDuration::from_hours(1));
}
