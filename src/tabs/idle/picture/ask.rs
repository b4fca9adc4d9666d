//! Whom to ask about an instance, in words, and the message to them.

use jiff::Timestamp;

use crate::domain::{LaunchLook, Launcher, VerdictKind};
use crate::fleet::{Ask, AskFrom, GpuFleet, Row};
use crate::view::{EXPIRES_TAG, ViewContext, format, reasons};

/// Who launched the instance in a few words, as `CloudTrail` has it; `None` where nothing was found.
pub fn launched_by(row: &Row) -> Option<String> {
    let LaunchLook::Found(launch) = &row.launch.as_deref()?.look else { return None };
    Some(match &launch.by {
        Launcher::Person(name) => name.to_string(),
        Launcher::Program { session, role } if role.is_empty() => format!("program {session}"),
        Launcher::Program { session, role } => format!("role {role} (session {session})"),
        Launcher::Service(name) => name.to_string(),
    })
}

fn day(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d").to_string()
}

fn from(ask: &Ask) -> String {
    match ask.from {
        AskFrom::Tag => "named by a tag".to_owned(),
        AskFrom::Launch(at) => format!("launched it on {}, as CloudTrail has it", day(at)),
        AskFrom::Processes => "processes of theirs were on its GPUs".to_owned(),
    }
}

/// Who is to be asked and what the launch tells, a sentence each; empty for an instance that nobody need be asked about.
pub fn sentences(row: &Row, gpus: Option<&GpuFleet>) -> Vec<String> {
    let ask = row.ask_with(gpus);
    if ask.is_none() && row.launch.is_none() && !row.is_worth_asking() {
        return Vec::new();
    }
    let mut out: Vec<String> =
        ask.iter().map(|ask| format!("Ask {}: {}.", ask.name, from(ask))).collect();
    let launched = match row.launch.as_deref().map(|of| &of.look) {
        Some(LaunchLook::Found(launch)) => {
            let on = day(launch.at);
            match &launch.by {
                Launcher::Person(_) => None,
                Launcher::Program { .. } => {
                    let by = launched_by(row).unwrap_or_default();
                    Some(format!("Launched by {by} on {on}, a program: ask who runs it."))
                }
                Launcher::Service(name) => {
                    Some(format!("Launched by {name} on {on}, a service and no person."))
                }
            }
        }
        Some(LaunchLook::NotFound) => {
            Some("CloudTrail has no launch of it at its time.".to_owned())
        }
        Some(LaunchLook::TooOld) => Some(
            "It was launched more than 90 days ago, which CloudTrail does not keep.".to_owned(),
        ),
        Some(LaunchLook::Unread { why, fix }) => {
            let fix = if fix.is_empty() { String::new() } else { format!(" {fix}") };
            Some(format!("Who launched it could not be read: {why}.{fix}"))
        }
        None if ask.is_none() => {
            Some("No tag names a person, and who launched it is not known.".to_owned())
        }
        None => None,
    };
    out.extend(launched);
    out
}

/// The message to whoever is to be asked, plain text in five or six lines: which instance, since when, evidence, dollars,
/// what to do. `None` for an instance whose verdict names no waste.
pub fn message(
    row: &Row,
    gpus: Option<&GpuFleet>,
    preset: &str,
    ctx: &ViewContext,
) -> Option<String> {
    let verdict = row.verdict.as_deref().filter(|_| row.is_worth_asking())?;
    let instance = &*row.instance;
    let to = match row.ask_with(gpus) {
        Some(ask) => format!("To {} ({}):", ask.name, from(&ask)),
        None => "To whoever runs this instance:".to_owned(),
    };
    let name =
        if instance.name.is_empty() { String::new() } else { format!(" ({})", instance.name) };
    let state = match verdict.kind {
        VerdictKind::Partial => "has idle GPUs",
        VerdictKind::Underused => "does little",
        _ => "is idle",
    };
    let since = verdict.idle_since.map_or(String::new(), |since| {
        let span = format::span_words(ctx.now.duration_since(since));
        let span = format::at_least(span, verdict.idle_since_at_least);
        format!(", for {span}, since {} UTC", since.strftime("%Y-%m-%d %H:%M"))
    });
    let mut lines = vec![
        to,
        format!(
            "{}{name}, a {} in {} of account {}, {state}{since}.",
            instance.id, instance.instance_type, instance.scope.region, instance.scope.account
        ),
        format!(
            "Evidence (preset {preset}): {}.",
            reasons::verdict(&verdict.reason).trim_end_matches('.')
        ),
    ];
    if let Some(rate) = row.usd_per_hour() {
        let wasted = row.waste_usd_per_hour().map_or(String::new(), |waste| {
            format!(", {} a day of it wasted", format::usd_total(waste * 24.0))
        });
        let so_far = row.wasted_usd.map_or(String::new(), |usd| {
            let usd = format::at_least(format::usd_total(usd), row.wasted_at_least());
            format!(", {usd} so far")
        });
        lines.push(format!("It costs {}{wasted}{so_far}.", format::usd_per_hour(rate)));
    }
    let expires: Option<Timestamp> =
        instance.tags.get(EXPIRES_TAG).and_then(|tag| tag.trim().parse().ok());
    lines.push(match expires {
        Some(at) => format!(
            "It is marked and may be stopped from {} UTC on. If you need it, say so, or tag it burntop:exempt=true.",
            at.strftime("%Y-%m-%d %H:%M")
        ),
        None => "If you still need it, say so, or tag it burntop:exempt=true; else please stop it.".to_owned(),
    });
    Some(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::{Instance, Launch, LaunchOf, Tags};
    use crate::view::fixture::{ctx, fleet};

    /// An idle instance of the fixture that no tag names a person for.
    fn idle() -> Row {
        let fleet = fleet();
        let is = |row: &&Arc<Row>| {
            row.verdict.as_ref().is_some_and(|v| v.kind == VerdictKind::Idle) && !row.names_owner()
        };
        (**fleet.rows.iter().find(is).unwrap()).clone()
    }

    fn with(look: LaunchLook) -> Row {
        let mut row = idle();
        let launched_at = row.instance.launched_at;
        row.launch = Some(Arc::new(LaunchOf { launched_at, look }));
        row
    }

    fn found(by: Launcher) -> LaunchLook {
        LaunchLook::Found(Launch { at: "2026-11-02T08:00:00Z".parse().unwrap(), by })
    }

    fn tagged(mut row: Row, key: &str, value: &str) -> Row {
        let instance = Instance { tags: Tags::from_raw([(key, value)]), ..(*row.instance).clone() };
        row.instance = Arc::new(instance);
        row
    }

    #[test]
    fn a_tag_comes_before_the_launch_and_a_service_is_no_person() {
        let row = with(found(Launcher::Person("ines".into())));
        assert_eq!(row.ask().unwrap().name.as_ref(), "ines");
        assert_eq!(
            sentences(&row, None),
            ["Ask ines: launched it on 2026-11-02, as CloudTrail has it."]
        );
        let row = tagged(row, "Owner", "omar");
        assert_eq!(
            row.ask().map(|ask| (ask.name.to_string(), ask.from)),
            Some(("omar".into(), AskFrom::Tag))
        );
        let tags = Tags::from_raw([("owner", " "), ("contact", "wei")]);
        let mut unfilled = row;
        unfilled.instance = Arc::new(Instance { tags, ..(*unfilled.instance).clone() });
        assert_eq!(unfilled.ask().unwrap().name.as_ref(), "wei", "an empty tag names nobody");
        let row = with(found(Launcher::Service("EC2 Auto Scaling".into())));
        assert_eq!(row.ask(), None);
        assert_eq!(
            sentences(&row, None),
            ["Launched by EC2 Auto Scaling on 2026-11-02, a service and no person."]
        );
        let program = Launcher::Program { session: "i-0abc".into(), role: "node".into() };
        assert_eq!(
            launched_by(&with(found(program))).as_deref(),
            Some("role node (session i-0abc)")
        );
    }

    #[test]
    fn what_is_not_known_says_why() {
        let says = |look| sentences(&with(look), None).join(" ");
        assert!(says(LaunchLook::TooOld).contains("90 days"));
        assert!(says(LaunchLook::NotFound).contains("no launch"));
        let denied = LaunchLook::Unread { why: "denied".into(), fix: "Allow it.".into() };
        assert!(says(denied).ends_with("could not be read: denied. Allow it."));
        assert!(sentences(&idle(), None)[0].contains("not known"));
    }

    #[test]
    fn a_message_has_the_instance_the_evidence_and_the_dollars() {
        let row = with(found(Launcher::Person("ines".into())));
        let text = message(&row, None, "cautious", &ctx()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!((3..=6).contains(&lines.len()), "{text}");
        assert!(lines[0].starts_with("To ines (launched it on 2026-11-02"), "{text}");
        assert!(
            lines[1].starts_with(&*row.instance.id) && lines[1].contains("is idle, for "),
            "{text}"
        );
        assert!(lines[2].starts_with("Evidence (preset cautious): "), "{text}");
        // By hand: dollars a day are 24 times those of an hour.
        let a_day = format::usd_total(row.usd_per_hour().unwrap() * 24.0);
        assert!(lines[3].contains(&format!("{a_day} a day")), "{text}");
        assert!(text.contains("burntop:exempt=true"), "{text}");
        let marked = tagged(row, EXPIRES_TAG, "2026-12-01T00:00:00Z");
        let text = message(&marked, None, "cautious", &ctx()).unwrap();
        assert!(text.contains("may be stopped from 2026-12-01 00:00 UTC on"), "{text}");
    }

    #[test]
    fn nobody_is_asked_about_what_works() {
        let fleet = fleet();
        let busy =
            |row: &&Arc<Row>| row.verdict.as_ref().is_some_and(|v| v.kind == VerdictKind::Busy);
        let row = fleet.rows.iter().find(busy).unwrap();
        assert_eq!(message(row, None, "cautious", &ctx()), None);
        assert!(!row.is_worth_asking());
    }
}
