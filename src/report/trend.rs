//! What was burnt and saved by day, week or month.

use serde_json::{Value as Json, json};

use super::{List, ListField};
use crate::analyze::trend::{PeriodKind, Saved, Standing, TrendKey, TrendRow};
use crate::domain::{Reading, SourceId};
use crate::tabs::overview::picture::TrendField;
use crate::view::{TableField, ViewContext, format};

/// What the rows of a trend come from.
#[derive(Clone, Debug, Default)]
pub struct TrendOf {
    /// Length of the periods.
    pub kind: PeriodKind,
    /// What rows are told apart by besides.
    pub key: TrendKey,
    /// Accounts that were looked at.
    pub accounts: usize,
    /// What was stopped, terminated or deleted, and what became of it; `None` where the audit log could not be read.
    pub saved: Option<Vec<Saved>>,
    /// Why not, with what helps; empty where it could.
    pub no_log: String,
    /// Readings of the inventory that was asked what became of it; empty where nothing was to be asked.
    pub readings: Vec<Reading>,
    /// True of the demo, whose past is invented.
    pub is_demo: bool,
}

impl TrendOf {
    /// How many actions stand so.
    fn count(&self, standing: Standing) -> usize {
        self.saved.iter().flatten().filter(|saved| saved.standing == standing).count()
    }

    /// What the dollars mean, one sentence.
    pub(super) fn basis(&self) -> String {
        let demo = if self.is_demo {
            "; the past of the demo is invented: what runs there ran since its launch, and what is stopped was stopped in it"
        } else {
            ""
        };
        format!("{BASIS}{demo}")
    }

    /// What savings rest on, one sentence.
    pub(super) fn saved_note(&self) -> String {
        if self.saved.is_none() {
            return format!("! saved: not known: {}", self.no_log);
        }
        let actions = |standing| format::plural(self.count(standing), "action");
        let part = |standing, what: &str| {
            (self.count(standing) > 0).then(|| format!(", {} {what}", actions(standing)))
        };
        format!(
            "saved: {} that stayed so by the inventory{}{}",
            actions(Standing::Stayed),
            part(Standing::Undone, "undone since").unwrap_or_default(),
            part(Standing::Unknown, "of which the inventory does not tell").unwrap_or_default(),
        )
    }
}

/// What the dollars of the roll-ups mean, one sentence.
const BASIS: &str = "USD at each instance's rate then (list, or the Spot price), before commitments, in the \
     hours that burntop looked, all accounts that are kept; other hours are in no sum; UTC, weeks from Monday; saved = \
     list price × hours since what was stopped, terminated or deleted and is so by the newest inventory";

impl ListField for TrendField {
    type Of = TrendOf;

    const VIEW: &'static str = "trend";

    const IDENTITY: &'static [Self] = &[Self::Period, Self::Day, Self::Key];

    const SOURCES: &'static [SourceId] = &[SourceId::Ec2];

    fn is_of(self, of: &TrendOf) -> bool {
        match self {
            Self::Key => of.key != TrendKey::All,
            // The log has no teams.
            Self::Saved => of.key != TrendKey::Team,
            _ => true,
        }
    }

    fn columns_of(of: &TrendOf) -> Option<Vec<Self>> {
        let mut columns = Self::SCREEN_COLUMNS.to_vec();
        columns.insert(1, Self::Key);
        Some(columns.into_iter().filter(|field| field.is_of(of)).collect())
    }

    fn basis(of: &TrendOf) -> String {
        of.basis()
    }

    fn readings(of: &TrendOf) -> &[Reading] {
        &of.readings
    }

    fn heading(self, of: &TrendOf) -> &'static str {
        match (self, of.key) {
            (Self::Key, TrendKey::Account) => "ACCOUNT",
            (Self::Key, TrendKey::Team) => "TEAM",
            _ => self.spec().header,
        }
    }

    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        let of = &list.of;
        let key = Some(of.key.word()).filter(|word| !word.is_empty());
        let by: Vec<&str> = std::iter::once(of.kind.word()).chain(key).collect();
        let count = |standing| of.saved.is_some().then(|| of.count(standing));
        let actions = json!({
            "stayed": count(Standing::Stayed),
            "undone": count(Standing::Undone),
            "unknown": count(Standing::Unknown),
        });
        vec![("by", json!(by)), ("accounts", json!(of.accounts)), ("actions", actions)]
    }

    fn notes(list: &List<Self>, _: &ViewContext) -> Vec<String> {
        if list.rows.is_empty() && list.filter.is_empty() {
            return vec![
                "nothing is kept yet: what burns is written down while the cockpit is open or `burntop watch` runs"
                    .to_owned(),
            ];
        }
        let known = |of: fn(&TrendRow) -> Option<f64>| -> String {
            let all: Vec<f64> = list.each().filter_map(|item| of(&item.of)).collect();
            if all.is_empty() { "not known".to_owned() } else { format::usd(all.iter().sum()) }
        };
        let mut notes = vec![format!(
            "total: burn {}, of it waste {}, in the hours that were looked at",
            known(TrendRow::usd),
            known(TrendRow::waste_usd),
        )];
        let unseen = list.each().filter(|item| !item.of.is_seen()).count();
        if unseen > 0 {
            notes.push(format!(
                "! nobody looked in {}: what burnt then is not known",
                format::counted(unseen, "row", "rows"),
            ));
        }
        if list.of.key != TrendKey::Team {
            notes.push(list.of.saved_note());
        }
        notes
    }
}
