//! What may be changed where. The rules are made of every entry of `accounts`, read in this run or
//! not, and matched by account id: the one that STS names, or the one that the entry gives. While
//! it is not known which account a pinned entry means, nothing is armed that might be it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::accounts::{self, Reach};
use super::acting::identities_within;
use super::invocation::Invocation;
use crate::act::plan::{AccountRules, Caps, Rules};
use crate::config::Target;
use crate::domain::text;
use crate::report::acting::Trouble;
use crate::source::Identity;

/// Accounts whose identity was confirmed by STS, with their action rules.
pub struct Arming<'a> {
    /// Accounts and their identities, in the order of the configuration.
    pub known: Vec<(&'a Reach, Identity)>,
    /// Action rules of all accounts.
    pub rules: Rules,
    /// Accounts that did not answer, and entries that contradict STS.
    pub troubles: Vec<Trouble>,
}

/// Asks STS for the identity of the accounts of a run and of those that only a pin names; each may take
/// `within` to answer.
pub async fn arming<'a>(
    invocation: &Invocation,
    reaches: &'a [Reach],
    within: Duration,
) -> Arming<'a> {
    let unread: Vec<Reach> = to_ask(invocation).map(accounts::reach).collect();
    let ((known, mut troubles), (pins, unknown)) =
        tokio::join!(identities_within(reaches, within), identities_within(&unread, within));
    let reached: Vec<(Arc<str>, Option<&Target>)> =
        known.iter().map(|(reach, who)| (who.account.clone(), reach.target.as_ref())).collect();
    let pins: Vec<(Arc<str>, &Target)> = pins
        .iter()
        .filter_map(|(reach, who)| Some((who.account.clone(), reach.target.as_ref()?)))
        .collect();
    let (rules, open) = rules(invocation, &reached, &pins);
    // An entry that names its account need not answer.
    troubles.extend(unknown.into_iter().filter(|trouble| {
        let of = |t: &&Target| text::clean(&t.label) == trouble.scope;
        let entry = invocation.config.unread.iter().find(of);
        entry.is_none_or(|t| t.named_accounts().next().is_none())
    }));
    troubles.extend(open);
    Arming { known, rules, troubles }
}

/// The entries that are asked for the sake of their pin alone. Whose credentials are those of an
/// account that is read gets that account's answer; a role's account stands in its ARN.
fn to_ask(invocation: &Invocation) -> impl Iterator<Item = &Target> {
    let is_real = invocation.options.demo.is_none() && invocation.options.tape.is_none();
    let config = &invocation.config;
    config.unread.iter().filter(move |entry| {
        is_real
            && entry.is_pinned()
            && entry.role_arn.is_none()
            && !config.targets.iter().any(|t| t.has_credentials_of(entry))
    })
}

/// Action rules of a run, and entries that contradict STS. `reached` = account ids of the run with their
/// entries, `pins` = those of entries that are not read. Where several entries lead to one account, a pin of
/// any of them holds, and it is armed only if all are.
pub fn rules(
    invocation: &Invocation,
    reached: &[(Arc<str>, Option<&Target>)],
    pins: &[(Arc<str>, &Target)],
) -> (Rules, Vec<Trouble>) {
    let config = &invocation.config;
    let is_armed =
        |t: Option<&Target>| invocation.options.allow_actions || t.is_some_and(|t| t.allow_actions);
    let mut accounts: BTreeMap<Arc<str>, AccountRules> = BTreeMap::new();
    for (id, target) in reached {
        let armed = is_armed(*target);
        let new = || AccountRules { armed, ..AccountRules::default() };
        accounts.entry(id.clone()).or_insert_with(new).armed &= armed;
    }
    // The configuration's entries are about real accounts, the demo's are others.
    let is_real = invocation.options.demo.is_none();
    let entries = config.targets.iter().chain(&config.unread).filter(|_| is_real);
    let (mut unknown, mut troubles) = (Vec::new(), Vec::new());
    for entry in entries {
        let answers = reached.iter().filter_map(|(id, target)| Some((id, (*target)?)));
        let answers = answers.chain(pins.iter().map(|(id, target)| (id, *target)));
        let answered = answers.filter(|(_, t)| t.has_credentials_of(entry)).map(|(id, _)| &**id);
        let ids: BTreeSet<&str> = answered.chain(entry.named_accounts()).collect();
        if ids.is_empty() && entry.is_pinned() {
            unknown.push(described(entry));
        }
        let apart = (ids.len() > 1).then(|| disagreement(entry, &ids));
        for id in ids {
            // What nobody reached has rules only where something is pinned in it.
            if !accounts.contains_key(id) && !entry.is_pinned() {
                continue;
            }
            let account = accounts.entry(id.into()).or_default();
            account.armed &= is_armed(Some(entry));
            account.read_only |= entry.read_only;
            account.production |= entry.production;
            account.withheld = account.withheld.take().or_else(|| apart.clone());
        }
        troubles.extend(apart.map(|message| Trouble {
            source: "config",
            scope: text::clean(&entry.label).into_owned(),
            message: message.to_string(),
            fix: String::new(),
        }));
    }
    if !unknown.is_empty() {
        let why = open_pins(&unknown);
        for account in accounts.values_mut() {
            account.withheld = Some(why.clone());
        }
    }
    for id in &config.actions.read_only_accounts {
        accounts.entry(id.as_str().into()).or_default().read_only = true;
    }
    for id in &config.actions.production_accounts {
        accounts.entry(id.as_str().into()).or_default().production = true;
    }
    let config = &invocation.config.actions;
    let rules = Rules {
        accounts,
        caps: caps(invocation),
        production_tags: config.production_tags.clone(),
        read_only_tags: config.read_only_tags.clone(),
        tag_keys: invocation.config.tag_keys.clone(),
        recheck_minutes: config.recheck_minutes,
        min_age_hours: config.min_age_hours,
        max_evidence_hours: config.max_evidence_hours,
    };
    (rules, troubles)
}

/// Limits of one plan, from the configuration of this machine.
pub fn caps(invocation: &Invocation) -> Caps {
    let config = &invocation.config.actions;
    Caps {
        max_instances: config.max_instances,
        max_fleet_percent: config.max_fleet_percent,
        max_usd_per_hour: config.max_usd_per_hour,
    }
}

/// `` `prod` (profile ops) ``.
fn described(entry: &Target) -> String {
    let by = match &entry.profile {
        Some(profile) => format!("profile {}", text::clean(profile)),
        None => "default credentials".to_owned(),
    };
    format!("`{}` ({by})", text::clean(&entry.label))
}

/// Why nothing is armed while these pinned entries are open.
fn open_pins(entries: &[String]) -> Arc<str> {
    let said = match entries {
        [one] => format!("pinned entry {one} did not say which account it is"),
        many => format!("pinned entries {} did not say which accounts they are", many.join(", ")),
    };
    format!(
        "{said}: nothing is armed that might be it; mend its credentials, or give `account_id` or \
         `role_arn`"
    )
    .into()
}

/// Why nothing is armed in accounts that one entry names and another answer contradicts.
fn disagreement(entry: &Target, ids: &BTreeSet<&str>) -> Arc<str> {
    let ids = ids.iter().copied().collect::<Vec<_>>().join(" and ");
    format!(
        "entry {} leads to {ids}, by `account_id`, `role_arn` and what STS says: nothing is armed \
         in either; mend the entry",
        described(entry)
    )
    .into()
}

#[cfg(test)]
mod tests;
