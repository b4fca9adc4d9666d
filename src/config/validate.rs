//! The values of a layer: names, regions, roles, and the words that other parts own.

use std::collections::BTreeSet;

use super::actions;
use super::bill;
use super::commitments;
use super::error::Problem;
use super::file::{AccountSection, RegionsText, SavedView};
use super::gpus;
use super::jobs;
use super::organization;
use super::people;
use super::prices;
use super::resolve::Layer;
use super::role_account;
use super::secret::{PLACEHOLDER, Secret};
use super::spot;
use super::storage;
use super::teams;
use super::vocabulary::Vocabulary;
use crate::domain::suggest::nearest;
use crate::domain::{is_account_id, text};

/// Checks one layer. `presets` are the names that `idle.preset` may have: the built-in ones and
/// those of every layer.
pub fn layer(layer: &Layer, presets: &[String], words: &Vocabulary, problems: &mut Vec<Problem>) {
    let value = &layer.value;
    let mut bad = |key: &str, message: String| {
        problems.push(Problem { place: layer.place(key), message });
    };
    for (i, name) in value.profiles.iter().flatten().enumerate() {
        if let Some(why) = unusable_name(name) {
            bad(&format!("profiles[{i}]"), format!("a profile name {why}"));
        }
    }
    region_problems("regions", value.regions.as_ref(), &words.regions, &mut bad);
    let mut names = BTreeSet::new();
    for (i, account) in value.accounts.iter().flatten().enumerate() {
        let key = format!("accounts[{i}]");
        account_problems(&key, account, &mut bad);
        if !names.insert(account.name.as_str()) {
            bad(
                &format!("{key}.name"),
                format!("two accounts are named \"{}\"", text::clean(&account.name)),
            );
        }
        let regions = account.regions.as_ref();
        region_problems(&format!("{key}.regions"), regions, &words.regions, &mut bad);
    }
    if let Some(organization) = &value.organization {
        for (key, why) in organization::problems(organization) {
            bad(&format!("organization.{key}"), format!("`organization.{key}`: {why}"));
        }
        if let Some(why) = organization.profile.as_deref().and_then(unusable_name) {
            bad("organization.profile", format!("a profile name {why}"));
        }
        let regions = organization.regions.as_ref();
        region_problems("organization.regions", regions, &words.regions, &mut bad);
    }
    if let Some(preset) = &value.idle.preset {
        one_of("idle.preset", preset, presets, words.presets.is_empty(), &mut bad);
    }
    for (name, table) in &value.idle.presets {
        let key = format!("idle.presets.{name}");
        if words.presets.contains(name) {
            bad(&key, format!("`{name}` is a built-in preset; give yours another name"));
        } else if let Some(Err(why)) = words.custom_preset.map(|check| check(name, table)) {
            bad(&key, text::clean(&why).into_owned());
        }
    }
    for (key, why) in actions::problems(&value.actions) {
        bad(&format!("actions.{key}"), format!("`actions.{key}`: {why}"));
    }
    for (key, why) in gpus::problems(&value.gpus) {
        bad(&format!("gpus.{key}"), format!("`gpus.{key}`: {why}"));
    }
    for (key, why) in storage::problems(&value.storage) {
        bad(&format!("storage.{key}"), format!("`storage.{key}`: {why}"));
    }
    let of_buckets = value.storage.regions.iter().flatten().map(|r| ("storage.regions", r));
    let of_prices = value.storage.price_region.iter().map(|r| ("storage.price_region", r));
    for (key, region) in of_buckets.chain(of_prices) {
        if !words.regions.is_empty() && !words.regions.contains(region) {
            bad(key, unknown_name("region", region, &words.regions));
        }
    }
    for (key, why) in spot::problems(&value.spot) {
        bad(&format!("spot.{key}"), format!("`spot.{key}`: {why}"));
    }
    let named = value.accounts.as_deref().unwrap_or_default();
    for (key, why) in commitments::problems(&value.commitments, named) {
        bad(&format!("commitments.{key}"), format!("`commitments.{key}`: {why}"));
    }
    for (key, why) in bill::problems(&value.bill) {
        bad(&format!("bill.{key}"), format!("`bill.{key}`: {why}"));
    }
    let servers = value.gpus.prometheus.as_deref().unwrap_or_default();
    for (key, why) in jobs::server_problems(&value.jobs, servers) {
        bad(&format!("jobs.{key}"), format!("`jobs.{key}`: {why}"));
    }
    for (key, why) in jobs::problems(&value.jobs) {
        bad(&format!("jobs.{key}"), format!("`jobs.{}`: {why}", text::clean(&key)));
    }
    for (key, why) in teams::problems(&value.teams) {
        bad(&format!("teams.{key}"), format!("`{}`: {why}", text::clean(&format!("teams.{key}"))));
    }
    for (key, why) in teams::budget_problems(value.budgets.as_deref().unwrap_or_default()) {
        bad(&format!("budgets{key}"), format!("`budgets{key}`: {why}"));
    }
    let units = value.units.as_deref().unwrap_or_default();
    for (key, why) in teams::unit_problems(units, servers) {
        bad(&format!("units{key}"), format!("`{}`: {why}", text::clean(&format!("units{key}"))));
    }
    for (i, metric) in
        units.iter().enumerate().filter_map(|(i, u)| Some((i, u.cloudwatch.as_ref()?)))
    {
        if !words.regions.is_empty() && !words.regions.contains(&metric.region) {
            let why = unknown_name("region", &metric.region, &words.regions);
            bad(&format!("units[{i}].cloudwatch.region"), why);
        }
    }
    let quotas = value.quotas.as_deref().unwrap_or_default();
    for (key, why) in teams::quota_problems(quotas, &value.teams) {
        bad(&format!("quotas{key}"), format!("`{}`: {why}", text::clean(&format!("quotas{key}"))));
    }
    for (key, why) in people::problems(&value.people) {
        bad(&format!("people.{key}"), format!("`people.{key}`: {why}"));
    }
    for (key, why) in prices::problems(&value.prices, named, words) {
        let key = format!("prices.{key}");
        let said = format!("`{}`: {why}", text::clean(&key));
        bad(&key, said);
    }
    if let Some(theme) = &value.ui.theme {
        one_of("ui.theme", theme, &words.themes, words.themes.is_empty(), &mut bad);
    }
    let check = words.keys.filter(|_| !value.keys.is_empty());
    for (action, why) in check.map(|check| check(&value.keys)).unwrap_or_default() {
        bad(&format!("keys.{action}"), why);
    }
    for (name, view) in &value.views {
        for (part, why) in view_problems(view, words) {
            bad(&format!("views.{name}.{part}"), format!("view `{}`: {why}", text::clean(name)));
        }
    }
}

/// What is wrong with a view: the part and the reason.
pub fn view_problems(view: &SavedView, words: &Vocabulary) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let name = view.tab.as_deref().unwrap_or("idle");
    let Some(list) = words.lists.iter().find(|list| list.name == name) else {
        // Without words nothing can be checked.
        if !words.lists.is_empty() {
            let all = words.lists.iter().map(|list| &*list.name);
            let hint = nearest(name, all.clone()).map(|h| format!("; did you mean `{h}`?"));
            let (name, hint) = (text::clean(name), hint.unwrap_or_default());
            let all = all.collect::<Vec<_>>().join(", ");
            out.push(("tab".into(), format!("unknown list `{name}`; accepted: {all}{hint}")));
        }
        return out;
    };
    if let Some(group) = &view.group {
        if list.groups.is_empty() {
            out.push(("group".into(), "`group` is for views with `tab = \"gpus\"`".into()));
        } else if !list.groups.contains(group) {
            let all = list.groups.join(", ");
            let group = text::clean(group);
            out.push(("group".into(), format!("unknown group `{group}`; accepted: {all}")));
        }
    }
    if let Some(filter) = &view.filter
        && let Err(why) = (list.filter)(name, filter)
    {
        out.push(("filter".into(), text::clean(&why).into_owned()));
    }
    let mut field = |part: String, name: &str| {
        if !list.fields.iter().any(|f| f == name) {
            let hint = nearest(name, list.fields.iter().map(String::as_str));
            let hint = hint.map_or(String::new(), |h| format!("; did you mean `{h}`?"));
            out.push((part, format!("unknown field `{}`{hint}", text::clean(name))));
        }
    };
    if let Some(sort) = &view.sort {
        field("sort".into(), sort.trim_start_matches('-'));
    }
    for (i, column) in view.columns.iter().flatten().enumerate() {
        field(format!("columns[{i}]"), column);
    }
    out
}

fn one_of(
    key: &str,
    value: &str,
    known: &[String],
    unchecked: bool,
    bad: &mut impl FnMut(&str, String),
) {
    if unchecked || known.iter().any(|k| k == value) {
        return;
    }
    let hint = nearest(value, known.iter().map(String::as_str));
    let hint = hint.map_or(String::new(), |h| format!("; did you mean `{h}`?"));
    let all: Vec<String> = known.iter().map(|k| format!("`{}`", text::clean(k))).collect();
    bad(
        key,
        format!("`{key}` is \"{}\"; accepted: one of {}{hint}", text::clean(value), all.join(", ")),
    );
}

/// Why a name cannot be used, as what follows it in a sentence; `None` for one that can.
pub(super) fn unusable_name(name: &str) -> Option<&'static str> {
    if name.trim().is_empty() {
        Some("is empty")
    } else if name.chars().any(text::is_unsafe) {
        Some("contains control characters")
    } else {
        None
    }
}

/// True for the code of a region, known or not: codes become part of host names.
pub(super) fn is_region_code(code: &str) -> bool {
    let is_word = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    code.len() <= 32 && code.split('-').count() >= 3 && code.split('-').all(is_word)
}

/// Region codes become part of host names, so nothing but a code passes.
fn region_problems(
    key: &str,
    regions: Option<&RegionsText>,
    known: &[String],
    bad: &mut impl FnMut(&str, String),
) {
    let Some(RegionsText::List(list)) = regions else { return };
    for (i, code) in list.iter().enumerate() {
        if !is_region_code(code) {
            let key = format!("{key}[{i}]");
            // An account's external id may have been put here.
            let secret_beside = key.starts_with("accounts[") || key.starts_with("organization.");
            let what = match secret_beside {
                true => format!("`{key}`"),
                false => format!("\"{}\"", text::clean(code)),
            };
            let accepted = "codes like `us-east-1`, or `all` alone";
            bad(&key, format!("{what} is no region code; accepted: {accepted}"));
        } else if !known.is_empty() && !known.contains(code) {
            bad(&format!("{key}[{i}]"), unknown_name("region", code, known));
        }
    }
}

/// Error for a name that is none of `known`.
pub fn unknown_name(what: &str, name: &str, known: &[String]) -> String {
    let hint = nearest(name, known.iter().map(String::as_str));
    let hint = hint.map_or(".".into(), |h| format!("; did you mean `{}`?", text::clean(h)));
    let all: Vec<_> = known.iter().map(|k| text::clean(k)).collect();
    let all = if all.is_empty() { "there is none".to_owned() } else { all.join(", ") };
    format!("there is no {what} \"{}\"{hint} Those there are: {all}", text::clean(name))
}

fn account_problems(key: &str, account: &AccountSection, bad: &mut impl FnMut(&str, String)) {
    if let Some(why) = unusable_name(&account.name) {
        bad(&format!("{key}.name"), format!("an account name {why}"));
    }
    if let Some(why) = account.profile.as_deref().and_then(unusable_name) {
        bad(&format!("{key}.profile"), format!("a profile name {why}"));
    }
    if account.external_id.is_some() && account.role_arn.is_none() {
        bad(
            &format!("{key}.external_id"),
            "`external_id` means nothing without `role_arn`".to_owned(),
        );
    }
    if account.external_id.as_ref().is_some_and(Secret::is_placeholder) {
        bad(&format!("{key}.external_id"), format!("`{key}.external_id`: {PLACEHOLDER}"));
    }
    if account.read_only && account.allow_actions {
        bad(
            &format!("{key}.allow_actions"),
            "`read_only` and `allow_actions` contradict each other; take one away".to_owned(),
        );
    }
    let id = account.account_id.as_deref();
    if let Some(why) = id.and_then(actions::account_problem) {
        bad(&format!("{key}.account_id"), why);
    } else if let (Some(id), Some(of_role)) =
        (id, account.role_arn.as_deref().and_then(role_account))
        && id != of_role
    {
        bad(
            &format!("{key}.account_id"),
            format!("`account_id` is {id}, and `role_arn` leads to {of_role}; mend one of them"),
        );
    }
    if let Some(arn) = &account.role_arn
        && !is_role_arn(arn)
    {
        bad(
            &format!("{key}.role_arn"),
            // Not repeated: the external id may have been put here.
            format!(
                "`{key}.role_arn` is no role; accepted: `arn:aws:iam::<12 digits>:role/<name>`"
            ),
        );
    }
}

fn is_role_arn(arn: &str) -> bool {
    let parts: Vec<&str> = arn.splitn(6, ':').collect();
    matches!(parts.as_slice(), ["arn", partition, "iam", "", account, role]
        if partition.starts_with("aws")
            && is_account_id(account)
            && role.strip_prefix("role/").is_some_and(|name| !name.is_empty())
            && role.chars().all(|c| c.is_ascii_graphic()))
}
