//! From one picture to the next: what each account burnt in between.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;

use crate::domain::{BurnStep, ByTeam, SourceId, SourceState, add_to_team};
use crate::fleet::Fleet;

/// Pictures further apart leave what lies between unseen: a machine that slept saw nothing.
const LONGEST_MS: i64 = 10 * 60 * 1000;

/// Reads off what is burnt.
#[derive(Debug, Default)]
pub struct Meter {
    /// Version of the fleet that `rates` are of.
    version: Option<u64>,
    /// Rates of each account.
    rates: HashMap<Arc<str>, Arc<ByTeam>>,
    /// When each account was seen last, milliseconds since the epoch, with all of its regions.
    seen: HashMap<Arc<str>, i64>,
    /// Not written down yet.
    steps: Vec<BurnStep>,
}

impl Meter {
    /// Takes a picture in: until now the rates of the last one held.
    pub fn see(&mut self, fleet: &Fleet, now: Timestamp) {
        let now = now.as_millisecond();
        let live = live_accounts(fleet);
        for account in &live {
            let Some(&from_ms) = self.seen.get(account) else { continue };
            let Some(rates) = self.rates.get(account) else { continue };
            if now <= from_ms || now - from_ms > LONGEST_MS {
                continue;
            }
            self.push(BurnStep {
                account: account.clone(),
                from_ms,
                to_ms: now,
                rates: rates.clone(),
            });
        }
        if self.version != Some(fleet.version) {
            self.version = Some(fleet.version);
            self.rates = rates(fleet);
        }
        for account in &live {
            // An account in which nothing runs burns nothing, and is seen to.
            self.rates.entry(account.clone()).or_default();
        }
        self.seen = live.into_iter().map(|account| (account, now)).collect();
    }

    /// Takes in the last picture of a run by itself, whose versions say nothing of those of other runs.
    pub fn see_run(&mut self, fleet: &Fleet, now: Timestamp) {
        self.version = None;
        self.see(fleet, now);
    }

    /// Steps under the same rates are one.
    fn push(&mut self, step: BurnStep) {
        let last = self.steps.iter_mut().rev().find(|last| last.account == step.account);
        match last {
            Some(last) if last.to_ms == step.from_ms && Arc::ptr_eq(&last.rates, &step.rates) => {
                last.to_ms = step.to_ms;
            }
            _ => self.steps.push(step),
        }
    }

    /// What was seen since the last time.
    pub fn take(&mut self) -> Vec<BurnStep> {
        std::mem::take(&mut self.steps)
    }
}

/// Accounts of which every inventory is there as of now.
fn live_accounts(fleet: &Fleet) -> Vec<Arc<str>> {
    let mut live: HashMap<&Arc<str>, bool> = HashMap::new();
    for reading in fleet.readings.iter().filter(|r| r.source == SourceId::Ec2) {
        *live.entry(&reading.scope.account).or_insert(true) &= reading.state == SourceState::Live;
    }
    live.into_iter().filter(|(_, live)| *live).map(|(account, _)| account.clone()).collect()
}

/// Rates per hour of each account, by team.
fn rates(fleet: &Fleet) -> HashMap<Arc<str>, Arc<ByTeam>> {
    let mut by_account: HashMap<Arc<str>, ByTeam> = HashMap::new();
    for row in fleet.rows.iter().filter(|row| row.instance.state.is_billed()) {
        let teams = by_account.entry(row.instance.scope.account.clone()).or_default();
        add_to_team(teams, row.team.as_ref(), &row.burnt(), 1.0);
    }
    by_account.into_iter().map(|(account, teams)| (account, Arc::new(teams))).collect()
}
