//! Sections become rules.

use std::time::Duration;

use jiff::civil::{Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::check::{Wrong, suggestion};
use super::sinks;
use super::{Rule, Rules};
use crate::view::Filter;
use crate::watch::file::{Day, Group, RuleSection, RulesFile, SilenceSection};
use crate::watch::message::Severity;
use crate::watch::silence::{Silence, Window};
use crate::watch::view::{WatchView, all, view};

/// What resolving needs and cannot have by itself: nothing here opens a file.
pub struct Helpers<'a> {
    /// The time zone of that name; `None` where there is none.
    pub zone: &'a dyn Fn(&str) -> Option<TimeZone>,
    /// The text of a template's file. Err in words where it cannot be read.
    pub template: &'a dyn Fn(&std::path::Path) -> Result<String, String>,
}

/// Messages to one sink at once that are still sent one by one.
const SUMMARY_ABOVE: u32 = 20;

/// Time between two looks.
const EVERY: SignedDuration = SignedDuration::from_mins(5);

/// Time after which an alert that still fires is sent again.
const REPEAT: SignedDuration = SignedDuration::from_hours(24);

/// The rules of a file. Err with all mistakes: the dotted path of each key, and why.
pub fn resolve(file: &RulesFile, with: &Helpers<'_>) -> Result<Rules, Vec<(String, String)>> {
    let mut wrong = Wrong::default();
    let sinks = sinks::resolve(file.sinks.as_deref().unwrap_or_default(), with, &mut wrong);
    // A sink that is wrong in another way is named all the same.
    let known: Vec<String> =
        file.sinks.iter().flatten().filter_map(|sink| sink.name.clone()).collect();
    if known.is_empty() {
        wrong.at("sinks", "there is no `[[sinks]]`: alerts would go nowhere");
    }
    let by_default = wrong.sinks("sinks_by_default", file.sinks_by_default.as_deref(), &known);
    let routes = routes(file, &known, &mut wrong);
    let mut rules: Vec<Rule> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for (at, section) in file.rules.iter().flatten().enumerate() {
        let path = format!("rules[{at}]");
        let name = wrong.name(&format!("{path}.name"), section.name.as_deref(), &names);
        names.extend(name.clone());
        if let Some(rule) = rule(&path, name, section, &known, &mut wrong) {
            let leads_somewhere = !rule.sinks.is_empty() || !by_default.is_empty();
            if !leads_somewhere {
                let why = "it names no sink, and there is no `sinks_by_default`";
                wrong.at(format!("{path}.sinks"), why);
            }
            rules.push(rule);
        }
    }
    let silences = silences(file, &names, with, &mut wrong);
    let every = wrong.span("every", file.every.as_deref(), SignedDuration::from_mins(1));
    if !wrong.0.is_empty() {
        return Err(wrong.0);
    }
    Ok(Rules {
        rules,
        sinks,
        by_default,
        routes,
        silences,
        summary_above: file.summary_above.unwrap_or(SUMMARY_ABOVE) as usize,
        every: Duration::from_secs(every.unwrap_or(EVERY).as_secs().unsigned_abs()),
    })
}

fn routes(file: &RulesFile, known: &[String], wrong: &mut Wrong) -> Vec<(String, Vec<String>)> {
    let mut out: Vec<(String, Vec<String>)> = Vec::new();
    for (at, section) in file.routes.iter().flatten().enumerate() {
        let path = format!("routes[{at}]");
        let team = section.team.as_deref().map(str::trim).filter(|team| !team.is_empty());
        let Some(team) = team.map(str::to_lowercase) else {
            wrong.at(format!("{path}.team"), "the name of a team is needed");
            continue;
        };
        if out.iter().any(|(other, _)| *other == team) {
            wrong.at(format!("{path}.team"), format!("there are two routes of the team `{team}`"));
            continue;
        }
        let sinks = wrong.sinks(&format!("{path}.sinks"), section.sinks.as_deref(), known);
        if section.sinks.is_none() {
            wrong.at(format!("{path}.sinks"), "its sinks are needed");
        }
        out.push((team, sinks));
    }
    out
}

fn rule(
    path: &str,
    name: Option<String>,
    section: &RuleSection,
    known: &[String],
    wrong: &mut Wrong,
) -> Option<Rule> {
    let when = when(&format!("{path}.when"), section.when.as_deref(), wrong);
    let group = section.group.unwrap_or_default();
    if group == Group::Row && section.min_rows.is_some() {
        let why = "a row is one; `group = \"team\"` or \"rule\" counts rows";
        wrong.at(format!("{path}.min_rows"), why);
    }
    if let (Some((view, _)), Some(_)) = (&when, section.min_usd_per_day)
        && view.rate.is_none()
    {
        let why = format!("rows of `{}` have no dollars by time", view.name);
        wrong.at(format!("{path}.min_usd_per_day"), why);
    }
    if let (Some((view, _)), Group::Team) = (&when, group)
        && view.team.is_none()
    {
        wrong.at(format!("{path}.group"), format!("rows of `{}` have no team", view.name));
    }
    let zero = SignedDuration::ZERO;
    let holds_for = wrong.span(&format!("{path}.for"), section.r#for.as_deref(), zero);
    let keep = wrong.span(&format!("{path}.keep_firing"), section.keep_firing.as_deref(), zero);
    let repeat = match section.repeat.as_deref() {
        Some("never") => None,
        Some(text) => {
            wrong.span(&format!("{path}.repeat"), Some(text), SignedDuration::from_mins(1))
        }
        None => Some(REPEAT),
    };
    let note = wrong.line(&format!("{path}.note"), section.note.as_deref());
    let sinks = wrong.sinks(&format!("{path}.sinks"), section.sinks.as_deref(), known);
    let (view, filter) = when?;
    Some(Rule {
        name: name?,
        view,
        filter,
        holds_for: holds_for.unwrap_or(zero),
        keep_firing: keep.unwrap_or(zero),
        group,
        min_rows: section.min_rows.unwrap_or(1) as usize,
        min_usd_per_day: section.min_usd_per_day,
        severity: section.severity.unwrap_or(Severity::Warning),
        sinks,
        repeat,
        tells_end: section.tell_end.unwrap_or(true),
        note: note.unwrap_or_default(),
    })
}

/// A list and a filter over its rows.
fn when(path: &str, text: Option<&str>, wrong: &mut Wrong) -> Option<(&'static WatchView, Filter)> {
    let Some(text) = text else {
        wrong.at(path, "what the rule looks for is needed: `when = \"gpus state=held_idle\"`");
        return None;
    };
    if text.chars().any(crate::domain::text::is_unsafe) {
        wrong.at(path, "one line of text without control characters is needed");
        return None;
    }
    let text = text.trim();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let Some(view) = view(word) else {
        let names: Vec<&str> = all().map(|view| view.name).collect();
        wrong.at(path, format!("there is no list `{word}`; {}", suggestion(word, &names)));
        return None;
    };
    match Filter::parse_strict((view.table)(), rest) {
        Ok(filter) => Some((view, filter)),
        Err(error) => {
            wrong.at(path, format!("`{}`, {error}", rest.trim()));
            None
        }
    }
}

fn silences(
    file: &RulesFile,
    names: &[String],
    with: &Helpers<'_>,
    wrong: &mut Wrong,
) -> Vec<Silence> {
    let mut out = Vec::new();
    for (at, section) in file.silences.iter().flatten().enumerate() {
        let path = format!("silences[{at}]");
        for (i, rule) in section.rules.iter().flatten().enumerate() {
            if !names.contains(rule) {
                let why = format!("there is no rule `{rule}`; {}", suggestion(rule, names));
                wrong.at(format!("{path}.rules[{i}]"), why);
            }
        }
        if section.rules.as_ref().is_some_and(Vec::is_empty) {
            wrong
                .at(format!("{path}.rules"), "no rule is named; leave the key out for all of them");
        }
        let rules = section.rules.clone().unwrap_or_default();
        out.extend(window(&path, section, with, wrong).map(|window| Silence { rules, window }));
    }
    out
}

fn window(
    path: &str,
    section: &SilenceSection,
    with: &Helpers<'_>,
    wrong: &mut Wrong,
) -> Option<Window> {
    let is_weekly = section.days.is_some()
        || section.from.is_some()
        || section.to.is_some()
        || section.tz.is_some();
    let mut moment = |key: &str, text: Option<&str>| {
        let at = text?.parse::<Timestamp>().ok();
        if at.is_none() {
            let why = "a moment like `2026-12-24T12:00:00Z` is needed";
            wrong.at(format!("{path}.{key}"), why);
        }
        at
    };
    if section.starts.is_some() || section.ends.is_some() {
        let (starts, ends) =
            (moment("starts", section.starts.as_deref()), moment("ends", section.ends.as_deref()));
        if is_weekly {
            wrong.at(path, "a silence has days and hours, or a beginning and an end, not both");
        }
        if section.starts.is_none() || section.ends.is_none() {
            wrong.at(path, "`starts` and `ends` belong together");
        }
        let (starts, ends) = (starts?, ends?);
        if ends <= starts {
            wrong.at(format!("{path}.ends"), "it is not after `starts`");
        }
        return Some(Window::Once(starts, ends));
    }
    if !is_weekly {
        wrong.at(path, "a silence needs `days`, `from` and `to`, or `starts` and `ends`");
        return None;
    }
    let mut time = |key: &str, text: Option<&str>| {
        let Some(text) = text else { return Some(Time::midnight()) };
        let is_short = text.len() == 5;
        let at = text.parse::<Time>().ok().filter(|_| is_short);
        if at.is_none() {
            wrong.at(format!("{path}.{key}"), format!("\"{text}\" is no time like `22:00`"));
        }
        at
    };
    let (from, to) = (time("from", section.from.as_deref()), time("to", section.to.as_deref()));
    let name = section.tz.as_deref().unwrap_or("UTC");
    let zone = (with.zone)(name);
    if zone.is_none() {
        let why = format!("there is no time zone \"{name}\"; accepted: names like `Europe/Berlin`");
        wrong.at(format!("{path}.tz"), why);
    }
    if section.days.as_ref().is_some_and(Vec::is_empty) {
        wrong.at(format!("{path}.days"), "no day is named; leave the key out for all of them");
    }
    let days = section.days.iter().flatten().map(|day| weekday(*day)).collect();
    Some(Window::Weekly { days, from: from?, to: to?, zone: zone? })
}

fn weekday(day: Day) -> Weekday {
    match day {
        Day::Mon => Weekday::Monday,
        Day::Tue => Weekday::Tuesday,
        Day::Wed => Weekday::Wednesday,
        Day::Thu => Weekday::Thursday,
        Day::Fri => Weekday::Friday,
        Day::Sat => Weekday::Saturday,
        Day::Sun => Weekday::Sunday,
    }
}
