//! The way into a bill: by which keys, of which month, and only of what.

use std::sync::Arc;

use crate::analyze::bill::{BillKey, Only};
use crate::domain::bill::Month;
use crate::tabs::bill::lists::BillList;
use crate::tabs::bill::picture::{BillQuestion, BillView};

/// Keys by which a row is broken down further, best first.
const BELOW: [BillKey; 6] = [
    BillKey::Service,
    BillKey::UsageType,
    BillKey::Resource,
    BillKey::Account,
    BillKey::Region,
    BillKey::Day,
];

/// One level: what the rows are, and what they are only of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Level {
    /// Keys of the rows; one or two.
    pub(crate) keys: Vec<BillKey>,
    /// What was gone into; empty for the whole bill.
    pub(crate) only: Vec<Only>,
    /// Id of the row that was gone into from here; `None` on the last level.
    row: Option<Arc<str>>,
}

/// Where in the bill the tab is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Way {
    /// Levels above, the first one first.
    above: Vec<Level>,
    /// The level on screen.
    pub(crate) here: Level,
    /// Month; `None` for the newest one.
    pub(crate) period: Option<Month>,
    /// List on screen.
    pub(crate) look: BillList,
}

impl Default for Way {
    fn default() -> Self {
        let here = Level { keys: vec![BillKey::Service], only: Vec::new(), row: None };
        Self { above: Vec::new(), here, period: None, look: BillList::Breakdown }
    }
}

impl Way {
    /// What is asked of the bills to show it.
    pub(crate) fn question(&self) -> BillQuestion {
        let Level { keys, only, .. } = self.here.clone();
        let view = self.look.view();
        // All but costs is known of whole bills.
        let only = if view == BillView::Costs { only } else { Vec::new() };
        let keys = match view {
            BillView::Costs | BillView::Changes => keys,
            BillView::Anomalies | BillView::LiveBurn => vec![BillKey::UsageType],
        };
        BillQuestion { period: self.period, view, keys, only }
    }

    /// Goes into a row; false where nothing is below it.
    pub(super) fn enter(&mut self, row: Arc<str>, of: Vec<Only>, has_resources: bool) -> bool {
        let is_part = self.look.view() == BillView::Costs;
        let mut only = if is_part { self.here.only.clone() } else { Vec::new() };
        only.extend(of);
        let is_in = |key: &BillKey| only.iter().any(|only| only.key == *key);
        let open = |key: &BillKey| match key {
            BillKey::Resource => has_resources && !is_in(&BillKey::Day),
            BillKey::Day => !is_in(&BillKey::Resource),
            _ => true,
        };
        let Some(key) = BELOW.into_iter().find(|key| !is_in(key) && open(key)) else {
            return false;
        };
        let below = Level { keys: vec![key], only, row: None };
        self.here.row = Some(row);
        self.above.push(std::mem::replace(&mut self.here, below));
        self.look = BillList::Breakdown;
        true
    }

    /// Goes one level up and returns the row that was gone into; `None` on the first level.
    pub(super) fn leave(&mut self) -> Option<Arc<str>> {
        self.here = self.above.pop()?;
        self.here.row.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(key: BillKey, value: &str) -> Vec<Only> {
        vec![Only { key, value: Some(value.into()) }]
    }

    #[test]
    fn a_row_is_broken_down_by_what_it_is_not_of_yet() {
        let mut way = Way::default();
        let mut keys = Vec::new();
        while way.enter("row".into(), only(way.here.keys[0].clone(), "x"), true) {
            keys.push(way.here.keys[0].name());
        }
        assert_eq!(keys, ["usage_type", "resource", "account", "region"]);
        assert_eq!(way.here.only.len(), 4);
        for _ in 0..4 {
            assert_eq!(way.leave().as_deref(), Some("row"));
        }
        assert_eq!(way, Way::default());
        assert_eq!(way.leave(), None);
    }

    #[test]
    fn days_and_resources_are_never_asked_for_together() {
        for (first, absent) in [(BillKey::Day, "resource"), (BillKey::Resource, "day")] {
            let mut way = Way::default();
            way.here.keys = vec![first.clone()];
            let mut keys = Vec::new();
            while way.enter("row".into(), only(way.here.keys[0].clone(), "x"), true) {
                keys.push(way.here.keys[0].name());
            }
            assert!(!keys.iter().any(|key| key == absent), "{keys:?}");
        }
        let mut way = Way::default();
        way.here.keys = vec![BillKey::UsageType];
        assert!(way.enter("row".into(), only(BillKey::UsageType, "x"), false));
        assert!(way.enter("row".into(), only(BillKey::Service, "x"), false));
        assert_eq!(way.here.keys, [BillKey::Account], "a bill without resources has none to show");
    }
}
