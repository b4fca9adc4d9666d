//! The list of alerts, as `burntop watch --once` prints it.

use std::sync::Arc;

use super::message::{AlertFacts, Severity};
use super::state::{Alert, Book, Phase};
use crate::view::table_field::{field_table, fields};
use crate::view::{TableField, Value, ViewContext};

/// Names of the phases.
const PHASES: [&str; 3] = ["pending", "firing", "resolved"];

/// Names of the severities.
const SEVERITIES: [&str; 3] = ["info", "warning", "critical"];

/// An alert of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct AlertItem {
    id: Arc<str>,
    /// Name of the rule.
    pub rule: String,
    /// Key of the thing.
    pub key: String,
    /// How it stands.
    pub of: Alert,
}

impl AlertItem {
    fn new(rule: &str, key: &str, of: Alert) -> Arc<Self> {
        let id = format!("{rule} {key}").into();
        Arc::new(Self { id, rule: rule.to_owned(), key: key.to_owned(), of })
    }

    fn facts(&self) -> &AlertFacts {
        &self.of.facts
    }
}

/// Alerts in the order of a list: what fires first, the most urgent and the dearest on top; then what is pending; then what
/// ended just now.
pub fn alert_rows(book: &Book, ended: Vec<Alert>) -> Arc<[Arc<AlertItem>]> {
    let mut rows: Vec<Arc<AlertItem>> =
        book.each().map(|(rule, key, alert)| AlertItem::new(rule, key, alert.clone())).collect();
    rows.extend(ended.into_iter().map(|alert| {
        let (rule, key) = (alert.facts.rule.clone(), alert.facts.key.clone());
        AlertItem::new(&rule, &key, Alert { phase: Phase::Resolved, ..alert })
    }));
    let rank = |phase| match phase {
        Phase::Firing => 0,
        Phase::Pending => 1,
        Phase::Resolved => 2,
    };
    rows.sort_by(|a, b| {
        let usd = |row: &AlertItem| row.facts().usd_per_day.unwrap_or(f64::NEG_INFINITY);
        rank(a.of.phase)
            .cmp(&rank(b.of.phase))
            .then(b.of.severity.cmp(&a.of.severity))
            .then(usd(b).total_cmp(&usd(a)))
            .then(a.id.cmp(&b.id))
    });
    rows.into()
}

field_table! {
    /// A field of an alert.
    pub enum AlertField => FIELDS {
        State choice(PHASES) "state" [] "STATE" 8 by('s')
            "pending = not for as long as the rule asks; firing; resolved = it ended just now.";
        Severity choice(SEVERITIES) "severity" [] "SEVERITY" 8 by('v') "How urgent the rule is.";
        Rule text "rule" [] "RULE" 16 wide by('r') "Name of the rule.";
        What text "what" [] "WHAT" 28 wide by('w') "What it is about.";
        Key text "key" [] "KEY" 20 wide by('k') "Its key, unique in the rule.";
        Team text "team" [] "TEAM" 8 wide by('t') "Whose it is, where that is known.";
        Since time "since" [] "SINCE" 16 by('i') "Since when it is so, as far as it was witnessed.";
        Usd number(Usd) "usd" ["$"] "SO FAR" 9 unit("$") by('o') "Dollars so far.";
        UsdPerDay number(Usd) "usd_per_day" [] "$/DAY" 9 unit("$/day") by('d') "Dollars a day.";
        Why text "why" [] "WHY" 30 wide by('y') "The evidence.";
        Command text "command" [] "COMMAND" 30 wide by('c') "A command to copy; nothing runs it.";
        Ask text "ask" [] "ASK" 14 wide by('a') "Who may be asked.";
    }
}

use AlertField as F;

impl TableField for AlertField {
    type Row = AlertItem;

    const NOUNS: [&'static str; 2] = ["alert", "alerts"];

    const SCREEN_COLUMNS: &'static [Self] =
        &[F::State, F::Severity, F::Rule, F::What, F::Team, F::Since, F::Usd, F::UsdPerDay, F::Why];
    const DROPPED_FIRST: &'static [Self] = &[F::Why, F::Team, F::Severity, F::Since, F::Usd];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a AlertItem, _: &ViewContext) -> Value<'a> {
        let facts = row.facts();
        match self {
            F::State => Value::text(row.of.phase.word()),
            F::Severity => Value::text(row.of.severity.word()),
            F::Rule => Value::text(&row.rule),
            F::What => Value::text(&facts.what),
            F::Key => Value::text(&row.key),
            F::Team => Value::maybe(facts.team.as_deref()),
            F::Since => Value::Time(row.of.since),
            F::Usd => Value::number(facts.usd),
            F::UsdPerDay => Value::number(facts.usd_per_day),
            F::Why => Value::made(facts.why.join("; ")),
            F::Command => Value::maybe(facts.command.as_deref()),
            F::Ask => Value::maybe(facts.ask.as_deref()),
        }
    }

    fn id(row: &AlertItem) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(row: &AlertItem) -> Option<f64> {
        row.facts().usd_per_day.map(|usd| usd / 24.0)
    }

    fn any_text(row: &AlertItem, mut holds: impl FnMut(&str) -> bool) -> bool {
        let facts = row.facts();
        holds(&row.rule)
            || holds(&row.key)
            || holds(&facts.what)
            || facts.why.iter().any(|why| holds(why))
    }
}

/// Number of alerts that stand so.
pub fn count(rows: &[Arc<AlertItem>], phase: Phase, least: Severity) -> usize {
    rows.iter().filter(|row| row.of.phase == phase && row.of.severity >= least).count()
}
