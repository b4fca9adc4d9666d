//! The fields of what a bill charges out of the ordinary.

use std::sync::Arc;

use crate::analyze::bill::anomalies::{Anomaly, AnomalyKind, AnomalySettings};
use crate::analyze::bill::{BillKey, Only};
use crate::view::table_field::{field_table, fields};
use crate::view::{TableField, Value, ViewContext};

/// An anomaly of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct AnomalyRow {
    /// First day, kind and key; unique among the rows of a list.
    pub id: Arc<str>,
    /// What it is of, in words.
    pub key: String,
    /// Key of the tag that series are told apart by; `None` without one.
    pub tag_key: Option<Arc<str>>,
    /// The resource that explains most of it, and how many more there are; empty without any.
    pub resources: String,
    /// The anomaly.
    pub of: Anomaly,
}

/// Rows of anomalies, in their order.
pub fn anomaly_rows(of: Vec<Anomaly>, settings: &AnomalySettings) -> Arc<[Arc<AnomalyRow>]> {
    let row = |of: Anomaly| {
        let key = key(&of);
        let resources = match &of.resources[..] {
            [] => String::new(),
            [(one, _)] => one.to_string(),
            [(first, _), others @ ..] => format!("{first} +{}", others.len()),
        };
        Arc::new(AnomalyRow {
            id: format!("{} {} {key}", of.since, of.kind.word()).into(),
            key,
            tag_key: settings.tag.clone(),
            resources,
            of,
        })
    };
    of.into_iter().map(row).collect()
}

impl AnomalyRow {
    /// What a drill into it is only of: all that its key names.
    pub fn only(&self) -> Vec<Only> {
        let key = &self.of.key;
        let tag = self.tag_key.clone().map(BillKey::Tag).zip(key.tag.clone());
        let named = [
            (BillKey::Service, &key.service),
            (BillKey::UsageType, &key.usage_type),
            (BillKey::Account, &key.account),
        ];
        let named = named.into_iter().filter_map(|(key, value)| Some((key, value.clone()?)));
        named.chain(tag).map(|(key, value)| Only { key, value: Some(value) }).collect()
    }
}

/// What an anomaly is of, the most general value first.
fn key(of: &Anomaly) -> String {
    let key = &of.key;
    let values = [&key.service, &key.usage_type, &key.account, &key.tag];
    let values: Vec<&str> = values.into_iter().flatten().map(|value| &**value).collect();
    if values.is_empty() { "the whole bill".into() } else { values.join(" / ") }
}

field_table! {
    /// A field of an anomaly.
    pub enum AnomalyField => FIELDS {
        Since text "since" ["day", "date"] "SINCE" 10 by('s') "First unusual day, UTC.";
        Until text "until" [] "UNTIL" 10 by('u') "Last unusual day; none while it goes on.";
        Kind choice(AnomalyKind::WORDS) "kind" [] "KIND" 5 by('k')
            "How it differs: spike, drop, or drift from week to week.";
        Key text "key" [] "WHAT" 24 key wide
            "The service, usage type, account and tag that explain 80% of it or more.";
        Service text "service" [] "SERVICE" 24 wide "Name of the service; none where it is of all.";
        Account text "account" [] "ACCOUNT" 12 "Account that used it; none where it is of all.";
        UsageType text "usage_type" ["usage"] "USAGE TYPE" 24 wide "Usage type; none where it is of all.";
        Tag text "tag" [] "TAG" 16 wide "Value of the tag; none where it is of all.";
        Expected number(Usd) "expected_usd" ["expected"] "EXPECTED" 12 unit("$") by('e')
            "Effective cost that would be usual over these days, rounded to a cent.";
        Actual number(Usd) "actual_usd" ["actual"] "ACTUAL" 12 unit("$") by('a') "Effective cost of these days.";
        Difference number(Usd) "difference_usd" ["difference", "$"] "CHANGE" 12 apart unit("$") by('c')
            "Actual less expected cost.";
        Score number(Count) "score" [] "SCORE" 6 by('o')
            "Distance from what is usual, in standard deviations; of several days the largest.";
        Resources text "resources" ["resource"] "RESOURCES" 22 wide by('r')
            "Resources that explain it, largest first.";
    }
}

use AnomalyField as F;

impl TableField for AnomalyField {
    type Row = AnomalyRow;

    const NOUNS: [&'static str; 2] = ["anomaly", "anomalies"];

    const SCREEN_COLUMNS: &'static [Self] =
        &[F::Since, F::Kind, F::Key, F::Expected, F::Actual, F::Difference, F::Score, F::Resources];
    const DROPPED_FIRST: &'static [Self] = &[F::Resources, F::Score, F::Expected];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a AnomalyRow, _: &ViewContext) -> Value<'a> {
        let (of, key) = (&row.of, &row.of.key);
        match self {
            F::Since => Value::made(of.since.to_string()),
            F::Until => Value::made(of.until.map(|day| day.to_string()).unwrap_or_default()),
            F::Kind => Value::text(of.kind.word()),
            F::Key => Value::text(&row.key),
            F::Service => Value::maybe(key.service.as_deref()),
            F::Account => Value::maybe(key.account.as_deref()),
            F::UsageType => Value::maybe(key.usage_type.as_deref()),
            F::Tag => Value::maybe(key.tag.as_deref()),
            F::Expected => Value::Usd(of.expected),
            F::Actual => Value::Usd(of.actual),
            F::Difference => Value::Usd(of.difference()),
            F::Score => Value::number(Some(of.score)),
            F::Resources => Value::text(&row.resources),
        }
    }

    fn id(row: &AnomalyRow) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(_: &AnomalyRow) -> Option<f64> {
        None
    }

    fn tag<'a>(row: &'a AnomalyRow, key: &str) -> Option<&'a str> {
        row.tag_key.as_deref().filter(|of| of.eq_ignore_ascii_case(key))?;
        row.of.key.tag.as_deref()
    }

    fn any_text(row: &AnomalyRow, mut holds: impl FnMut(&str) -> bool) -> bool {
        holds(&row.key) || row.of.resources.iter().any(|(resource, _)| holds(resource))
    }
}
