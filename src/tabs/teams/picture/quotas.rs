//! The fields of quotas.

use std::sync::Arc;

use crate::analyze::teams::{Limited, QuotaState};
use crate::domain::bill::words;
use crate::view::table_field::{field_table, fields};
use crate::view::{TableField, Value, ViewContext, format};
use serde::{Deserialize, Serialize};

words! {
    /// How a quota stands.
    QuotaStanding {
        /// More runs than is allowed.
        Over = "over",
        /// More would run than is allowed with what is asked for.
        WouldExceed = "would_exceed",
        /// No more than is allowed, as far as is known; something is not.
        Unknown = "unknown",
        /// No more than is allowed.
        Fits = "fits",
    }
}

/// A quota of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct QuotaItem {
    /// Which quota it is; unique among the rows of a list.
    pub id: Arc<str>,
    /// How it stands.
    pub of: QuotaState,
}

impl QuotaItem {
    /// How the quota stands.
    pub fn standing(&self) -> QuotaStanding {
        if self.of.over().is_some() {
            QuotaStanding::Over
        } else if self.of.over_then().is_some() {
            QuotaStanding::WouldExceed
        } else if self.of.unknown > 0 {
            QuotaStanding::Unknown
        } else {
            QuotaStanding::Fits
        }
    }
}

/// Rows of quotas, in their order.
pub fn quota_rows(of: Vec<QuotaState>) -> Arc<[Arc<QuotaItem>]> {
    let row = |of: QuotaState| {
        let quota = &of.quota;
        let what = quota.instance_type.as_deref().unwrap_or_default();
        let id = format!("{} {} {what}", quota.team, quota.of.word());
        Arc::new(QuotaItem { id: id.into(), of })
    };
    of.into_iter().map(row).collect()
}

field_table! {
    /// A field of a quota.
    pub enum QuotaField => FIELDS {
        Team text "team" [] "TEAM" 12 key wide by('t') "The team.";
        Of choice(Limited::WORDS) "of" [] "OF" 12 key by('o') "What is limited.";
        Type text "type" [] "TYPE" 14 key by('y') "Instance type, of instances.";
        State choice(QuotaStanding::WORDS) "state" [] "STATE" 12 by('s')
            "over = more runs than is allowed; would_exceed = with what is asked for; unknown = of some instance it is not known how much it counts.";
        Limit number(Count) "limit" [] "LIMIT" 9 by('l') "How much the team may run at once.";
        Used number(Count) "used" [] "USED" 9 by('u') "How much runs; a lower bound where something is not known.";
        Asked number(Count) "asked" [] "ASKED" 9 by('a') "How much is asked for beside it.";
        Over number(Count) "over" [] "OVER" 9 by('v')
            "How much more runs than is allowed, or would run with what is asked for; none where it is not more.";
        Since time "since" [] "OVER SINCE" 16 by('i')
            "At the latest since when it is over, by the launches of what runs; what has ended may have been over before.";
        Unknown number(Count) "unknown" [] "UNKNOWN" 7
            "Instances of which it is not known how much they count: without a price, or of an unknown type.";
    }
}

use QuotaField as F;

impl TableField for QuotaField {
    type Row = QuotaItem;

    const NOUNS: [&'static str; 2] = ["quota", "quotas"];

    const SCREEN_COLUMNS: &'static [Self] =
        &[F::Team, F::Of, F::Type, F::State, F::Limit, F::Used, F::Over, F::Since];
    const DROPPED_FIRST: &'static [Self] = &[F::Since, F::Over];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a QuotaItem, _: &ViewContext) -> Value<'a> {
        let of = &row.of;
        let rounded = |number: f64| Value::number(Some((number * 1e6).round() / 1e6));
        match self {
            F::Team => Value::text(&of.quota.team),
            F::Of => Value::text(of.quota.of.word()),
            F::Type => Value::maybe(of.quota.instance_type.as_deref()),
            F::State => Value::text(row.standing().word()),
            F::Limit => rounded(of.quota.limit),
            F::Used => rounded(of.used),
            F::Asked => rounded(of.asked),
            F::Over => of.over_then().map_or(Value::Unknown, rounded),
            F::Since => Value::time(of.over_since),
            F::Unknown => Value::Number(of.unknown as f64),
        }
    }

    fn cell(self, row: &QuotaItem, ctx: &ViewContext) -> String {
        let is_usd = row.of.quota.of == Limited::UsdPerHour;
        match (self, self.value(row, ctx)) {
            (F::Limit | F::Used | F::Asked | F::Over, Value::Number(number)) if is_usd => {
                format::usd_per_hour(number)
            }
            (F::Limit | F::Used | F::Asked | F::Over, Value::Number(number)) => {
                format::trimmed(number, 3)
            }
            (_, value) => value.shown(self.spec().kind, ctx),
        }
    }

    fn id(row: &QuotaItem) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(_: &QuotaItem) -> Option<f64> {
        None
    }

    fn any_text(row: &QuotaItem, mut holds: impl FnMut(&str) -> bool) -> bool {
        holds(&row.id)
    }
}
