//! The alerts of `burntop watch --once`.

use serde_json::{Value as Json, json};

use super::{List, ListField};
use crate::domain::{Reading, SourceId};
use crate::view::{ViewContext, format};
use crate::watch::message::Severity;
use crate::watch::row::{AlertField, AlertItem, count};
use crate::watch::state::Phase;

/// Where the alerts of a list come from.
#[derive(Clone, Debug, Default)]
pub struct AlertsOf {
    /// Rules that were looked at.
    pub rules: usize,
    /// Lists that could not be read, with why: their alerts stay as they are.
    pub unread: Vec<(String, String)>,
    /// Lists of which a part could not, with why: none of their alerts ends.
    pub in_part: Vec<(String, String)>,
    /// Messages that were sent now.
    pub sent: usize,
    /// Messages that are still to be sent.
    pub queued: usize,
    /// Messages that were given up now.
    pub given_up: usize,
    /// Readings of all sources.
    pub readings: Vec<Reading>,
}

impl ListField for AlertField {
    type Of = AlertsOf;

    const VIEW: &'static str = "watch";

    const IDENTITY: &'static [Self] = &[Self::Rule, Self::Key];

    const SOURCES: &'static [SourceId] = &SourceId::ALL;

    fn basis(_: &AlertsOf) -> String {
        "dollars are those of the lists that the rules look at; since = as far back as it was witnessed; what is not \
         known ends no alert"
            .to_owned()
    }

    fn readings(of: &AlertsOf) -> &[Reading] {
        &of.readings
    }

    fn more(row: &AlertItem, _: &AlertsOf) -> Vec<(&'static str, Json)> {
        let facts = &row.of.facts;
        let is_told = row.of.told_at.is_some();
        vec![
            ("why", json!(facts.why)),
            ("usd_is_at_least", json!(facts.usd_is_at_least)),
            ("told_at", json!(row.of.told_at.map(|at| at.to_string()))),
            ("sent", json!(if is_told { row.of.sinks.as_slice() } else { &[] })),
        ]
    }

    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        let of = &list.of;
        let named = |lists: &[(String, String)]| -> Json {
            lists.iter().map(|(list, why)| json!({ "list": list, "why": why })).collect()
        };
        let deliveries = json!({ "sent": of.sent, "queued": of.queued, "given_up": of.given_up });
        vec![
            ("rules", json!(of.rules)),
            ("unread", named(&of.unread)),
            ("in_part", named(&of.in_part)),
            ("deliveries", deliveries),
        ]
    }

    fn notes(list: &List<Self>, _: &ViewContext) -> Vec<String> {
        let of = &list.of;
        let number = |phase| count(&list.rows, phase, Severity::Info);
        let mut notes = vec![format!(
            "{}: {} firing, {} pending, {} resolved now",
            format::plural(of.rules, "rule"),
            number(Phase::Firing),
            number(Phase::Pending),
            number(Phase::Resolved),
        )];
        for (list, why) in &of.unread {
            notes.push(format!(
                "! {list} could not be read, and its alerts stay as they are: {why}"
            ));
        }
        for (list, why) in &of.in_part {
            notes.push(format!(
                "! {list} could be read in part, and none of its alerts ends: {why}"
            ));
        }
        if of.sent + of.queued + of.given_up > 0 {
            notes.push(format!(
                "messages: {} sent, {} to be tried again, {} given up",
                of.sent, of.queued, of.given_up
            ));
        }
        notes
    }
}
