//! What is wrong with `[teams]`.

use std::collections::{BTreeMap, BTreeSet};

use super::{MapSection, TeamsSection, folded};
use crate::analyze::bill::{BillKey, TagIs};
use crate::analyze::teams::{MoneyFilter, Pattern, Split};
use crate::config::validate;
use crate::domain::{is_account_id, text};

/// What is wrong with `[teams]`: the key below `teams.` and the reason.
pub(in crate::config) fn problems(section: &TeamsSection) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut bad = |key: String, why: String| out.push((key, why));
    let mut seen = BTreeSet::new();
    for (i, name) in section.names.iter().flatten().enumerate() {
        match unusable(name) {
            Some(why) => bad(format!("names[{i}]"), why),
            None if !seen.insert(name.trim().to_lowercase()) => {
                bad(
                    format!("names[{i}]"),
                    format!("`{}` is named twice, case aside", text::clean(name)),
                );
            }
            None => {}
        }
    }
    let known = |team: &str| unknown_team(section, team);
    let by_word = folded(&section.aliases);
    for (alias, team) in &section.aliases {
        let key = format!("aliases.{alias}");
        if let Some(why) = unusable(alias).or_else(|| unusable(team)) {
            bad(key, why);
        } else if is_in_circle(&by_word, &alias.trim().to_lowercase()) {
            let (alias, team) = (text::clean(alias), text::clean(team));
            bad(
                key,
                format!(
                    "`{alias}` means `{team}`, which leads back to `{alias}`: leave one of them out"
                ),
            );
        } else if !by_word.contains_key(&team.trim().to_lowercase())
            && let Some(why) = known(team)
        {
            bad(key, why);
        }
    }
    for (name, list) in
        [("user_tags", &section.user_tags), ("required_tags", &section.required_tags)]
    {
        for (i, tag) in list.iter().flatten().enumerate() {
            if let Some(why) = unusable(tag) {
                bad(format!("{name}[{i}]"), why);
            } else if let Some((key, _)) = tag.split_once('=') {
                bad(
                    format!("{name}[{i}]"),
                    format!("a key is needed; did you mean `{}`?", text::clean(key)),
                );
            }
        }
    }
    let maps = section.map.as_deref().unwrap_or_default();
    for (i, map) in maps.iter().enumerate() {
        let key = |part: &str| format!("map[{i}].{part}");
        if let Some(why) = unusable(&map.team).or_else(|| known(&map.team)) {
            bad(key("team"), why);
        }
        if map.account.as_deref().is_some_and(|account| !is_account_id(account)) {
            bad(key("account"), "an account id has 12 digits".into());
        }
        if let Some(why) = map.name.as_deref().and_then(unusable) {
            bad(key("name"), why);
        }
        if let Some(tag) = &map.tag
            && (tag.parse::<TagIs>().is_err() || tag.chars().any(text::is_unsafe))
        {
            bad(
                key("tag"),
                format!("`{}` is no `key=value`, such as `squad=language`", text::clean(tag)),
            );
        }
        if map.account.is_none() && map.name.is_none() && map.tag.is_none() {
            bad(
                format!("map[{i}]"),
                "it would fit every line; say an account, a name or a tag".into(),
            );
        }
        if let Some(before) = maps[..i].iter().position(|before| covers(before, map)) {
            let line = before + 1;
            bad(
                format!("map[{i}]"),
                format!(
                    "it never counts: mapping {line} of the list fits everything that it fits; put the narrower one first"
                ),
            );
        }
    }
    let mut names = BTreeSet::new();
    for (i, shared) in section.shared.iter().flatten().enumerate() {
        let key = |part: &str| format!("shared[{i}].{part}");
        if let Some(why) = unusable(&shared.name) {
            bad(key("name"), why);
        } else if !names.insert(shared.name.trim().to_lowercase()) {
            bad(key("name"), format!("two shared costs are named `{}`", text::clean(&shared.name)));
        }
        if shared.split.as_deref().is_some_and(|split| Split::of(split).is_none()) {
            let split = text::clean(shared.split.as_deref().unwrap_or_default()).into_owned();
            bad(
                key("split"),
                format!("`{split}` is no rule; accepted: {}", Split::WORDS.join(", ")),
            );
        }
        let filter = MoneyFilter::parse(&shared.filter);
        if let Err(error) = &filter {
            bad(key("filter"), error.to_string());
        }
        for (j, team) in shared.among.iter().flatten().enumerate() {
            let key = format!("shared[{i}].among[{j}]");
            if let Some(why) = unusable(team).or_else(|| known(team)) {
                bad(key, why);
            } else if filter.as_ref().is_ok_and(|filter| takes_all_of(filter, team)) {
                let team = text::clean(team).into_owned();
                bad(
                    key,
                    format!(
                        "its filter takes all of `{team}`, which would pay itself: leave `{team}` out"
                    ),
                );
            }
        }
    }
    out
}

/// True where a filter is of a team as a whole.
fn takes_all_of(filter: &MoneyFilter, team: &str) -> bool {
    let of = filter.only(&BillKey::Team);
    of.is_some_and(|of| of.eq_ignore_ascii_case(team.trim()))
}

/// True where whatever fits `map` fits `before` as well.
fn covers(before: &MapSection, map: &MapSection) -> bool {
    let account = before.account.is_none() || before.account == map.account;
    let name = match (&before.name, &map.name) {
        (None, _) => true,
        (Some(before), Some(name)) => Pattern::new(before).covers(&Pattern::new(name)),
        (Some(_), None) => false,
    };
    let tag = match (&before.tag, &map.tag) {
        (None, _) => true,
        (Some(before), Some(tag)) => before.eq_ignore_ascii_case(tag),
        (Some(_), None) => false,
    };
    account && name && tag
}

fn is_in_circle(aliases: &BTreeMap<String, &String>, begin: &str) -> bool {
    let mut at = begin.to_owned();
    for _ in 0..=aliases.len() {
        match aliases.get(&at) {
            Some(next) => at = next.trim().to_lowercase(),
            None => return false,
        }
        if at == begin {
            return true;
        }
    }
    false
}

pub(super) fn unusable(name: &str) -> Option<String> {
    validate::unusable_name(name).map(|_| "it is empty or contains control characters".to_owned())
}

/// What is wrong with a name of a team, where the teams are named; `None` for one of them, and for an alias.
pub(super) fn unknown_team(section: &TeamsSection, team: &str) -> Option<String> {
    let names = section.names.as_ref()?;
    let known = |name: &&String| name.trim().to_lowercase() == team.trim().to_lowercase();
    let is_alias = || folded(&section.aliases).contains_key(&team.trim().to_lowercase());
    if names.iter().any(|name| known(&name)) || is_alias() {
        return None;
    }
    Some(validate::unknown_name("team", team, names))
}
