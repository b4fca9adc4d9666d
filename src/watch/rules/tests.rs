use std::path::Path;
use std::time::Duration;

use jiff::SignedDuration;
use jiff::tz::TimeZone;

use super::{Helpers, Rules, resolve};
use crate::watch::TEMPLATE;
use crate::watch::file::{Group, RulesFile};
use crate::watch::message::Severity;
use crate::watch::sink::{Destination, SecretFrom, UrlFrom};

/// What a rules file comes to; mistakes a line each.
pub fn read(text: &str) -> Result<Rules, String> {
    let file: RulesFile = toml::from_str(text).map_err(|error| error.to_string())?;
    let zone = |name: &str| TimeZone::get(name).ok();
    let template = |path: &Path| match path.to_str() {
        Some("mine.json") => Ok(r#"{"text": "{{title}}"}"#.to_owned()),
        Some("broken.json") => Ok(r#"{"text": "{{nothing}}"}"#.to_owned()),
        _ => Err("there is no such file".to_owned()),
    };
    resolve(&file, &Helpers { zone: &zone, template: &template }).map_err(|wrong| {
        let lines: Vec<String> =
            wrong.into_iter().map(|(path, why)| format!("{path}: {why}")).collect();
        lines.join("\n")
    })
}

/// A rules file with one rule and a sink of its own.
pub fn one(rule: &str) -> String {
    format!(
        "sinks_by_default = ['out']\n[[rules]]\n{rule}\n[[sinks]]\nname = 'out'\ntype = 'stdout'\n"
    )
}

#[test]
fn the_example_can_be_used_and_says_what_it_says() {
    let rules = read(TEMPLATE).unwrap();
    assert_eq!(rules.every, Duration::from_mins(5));
    assert_eq!(rules.by_default, ["terminal"]);
    let rule = &rules.rules[0];
    assert_eq!((rule.name.as_str(), rule.view.name), ("gpus-held-idle", "gpus"));
    assert_eq!(rule.holds_for, SignedDuration::from_hours(2));
    assert_eq!(rule.keep_firing, SignedDuration::from_mins(30));
    assert_eq!((rule.group, rule.repeat), (Group::Team, Some(SignedDuration::from_hours(24))));
    let anomalies = rules.rules.iter().find(|rule| rule.name == "bill-anomalies").unwrap();
    assert_eq!(anomalies.repeat, None);
    // What is commented out in it can be used as well.
    let all: String = TEMPLATE
        .lines()
        .map(|line| match line.strip_prefix("# ") {
            Some(rest) if rest.starts_with('[') || rest.contains(" = ") => format!("{rest}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    let all = read(&all).unwrap();
    assert_eq!(all.sinks.len(), 5);
    assert_eq!((all.routes.len(), all.silences.len()), (1, 1));
}

#[test]
fn every_mistake_is_told_with_its_key_and_what_would_be_right() {
    for (text, says) in [
        ("", "there is no `[[sinks]]`"),
        (&one("when = 'gpus'"), "rules[0].name: a name is needed"),
        (&one("name = 'a b'\nwhen = 'gpus'"), "\"a b\" is no name"),
        (&one("name = 'a'"), "rules[0].when: what the rule looks for is needed"),
        (
            &one("name = 'a'\nwhen = 'gpu state=busy'"),
            "there is no list `gpu`; did you mean `gpus`?",
        ),
        (&one("name = 'a'\nwhen = 'gpus sate=busy'"), "rules[0].when: `sate=busy`, "),
        (&one("name = 'a'\nwhen = 'gpus busy'"), "rules[0].when: `busy`, "),
        (&one("name = 'a'\nwhen = 'gpus state=idel'"), "rules[0].when: "),
        (&one("name = 'a'\nwhen = 'gpus wasted>5%'"), "rules[0].when: "),
        (
            &one("name = 'a'\nwhen = 'gpus'\nfor = '2 hours'"),
            "rules[0].for: \"2 hours\" is no span",
        ),
        (&one("name = 'a'\nwhen = 'gpus'\nfor = '-2h'"), "is no span"),
        (&one("name = 'a'\nwhen = 'gpus'\nrepeat = '0'"), "rules[0].repeat: \"0\" is no span"),
        (&one("name = 'a'\nwhen = 'gpus'\nmin_rows = 3"), "a row is one"),
        (
            &one("name = 'a'\nwhen = 'sources state=failed'\nmin_usd_per_day = 3"),
            "rows of `sources` have no dollars by time",
        ),
        (
            &one("name = 'a'\nwhen = 'commitments'\ngroup = 'team'"),
            "rows of `commitments` have no team",
        ),
        (&one("name = 'a'\nwhen = 'gpus'\nsinks = ['nul']"), "there is no sink `nul`"),
        (&one("name = 'a'\nwhen = 'gpus'\nsinks = []"), "no sink is named"),
        (
            "[[rules]]\nname = 'a'\nwhen = 'gpus'\n[[sinks]]\nname = 'o'\ntype = 'stdout'",
            "it names no sink, and there is no `sinks_by_default`",
        ),
        (
            &(one("name = 'a'\nwhen = 'gpus'") + "[[rules]]\nname = 'a'\nwhen = 'idle'"),
            "there are two of the name `a`",
        ),
        (
            &(one("name = 'a'\nwhen = 'gpus'") + "[[silences]]\nrules = ['b']\ndays = ['sat']"),
            "silences[0].rules[0]: there is no rule `b`",
        ),
        (
            &(one("name = 'a'\nwhen = 'gpus'") + "[[silences]]\nrules = ['a']"),
            "silences[0]: a silence needs `days`, `from` and `to`",
        ),
        (
            &(one("name = 'a'\nwhen = 'gpus'") + "[[silences]]\nfrom = '25:00'"),
            "\"25:00\" is no time",
        ),
        (
            &(one("name = 'a'\nwhen = 'gpus'") + "[[silences]]\nfrom = '20:00'\ntz = 'Berlin'"),
            "there is no time zone \"Berlin\"",
        ),
        (
            &(one("name = 'a'\nwhen = 'gpus'")
                + "[[silences]]\nstarts = '2026-12-24T12:00:00Z'\nends = '2026-12-23T12:00:00Z'"),
            "silences[0].ends: it is not after `starts`",
        ),
        (
            &(one("name = 'a'\nwhen = 'gpus'") + "[[routes]]\nteam = 'x'\nsinks = ['o']"),
            "routes[0].sinks[0]: there is no sink `o`; there are out",
        ),
        (&("every = '10s'\n".to_owned() + &one("name = 'a'\nwhen = 'gpus'")), "every: \"10s\""),
    ] {
        let told = read(text).err().unwrap_or_default();
        assert!(told.contains(says), "{text}\nsays: {told}\nnot: {says}");
    }
}

#[test]
fn a_sink_takes_what_it_needs_and_nothing_else() {
    let rule = "name = 'a'\nwhen = 'gpus'";
    let with = |sink: &str| read(&(one(rule) + "[[sinks]]\nname = 's'\n" + sink));
    for (sink, says) in [
        ("url = 'https://x.example'", "sinks[1].type: its type is needed"),
        ("type = 'slack'", "the address is needed"),
        ("type = 'slack'\nurl = 'https://hooks.example/x'", "a sink of this type has no `url`"),
        ("type = 'slack'\nurl_file = '/a'\nurl_env = 'B'", "`url_file` is there too"),
        (
            "type = 'slack'\nurl_env = 'https://hooks.slack.com/services/T/B/x'",
            "not the secret itself",
        ),
        ("type = 'webhook'\nurl = 'http://example.com/'", "it would travel in clear text"),
        ("type = 'webhook'\nurl = 'http://127.0.0.1:1/'", "needs `allow_loopback = true`"),
        ("type = 'webhook'\nurl = 'https://a:b@x.example/'", "sinks[1].url: "),
        ("type = 'webhook'\nurl = 'https://x.example/'\nbody = 'none.json'", "no such file"),
        ("type = 'webhook'\nurl = 'https://x.example/'\nbody = 'broken.json'", "nothing"),
        ("type = 'webhook'\nurl = 'https://x.example/'\nbody = 'pagerduty'", "`{{secret}}`"),
        ("type = 'webhook'\nurl = 'https://x.example/'\nsecret_env = 'S'", "no template has"),
        (
            "type = 'webhook'\nurl = 'https://x.example/'\nend_body = 'mine.json'",
            "sinks[1].end_url",
        ),
        ("type = 'sns'\ntopic = 'alerts'", "the ARN of a topic is needed"),
        ("type = 'smtp'\nhost = 'h'\nfrom = 'a@b'", "one address at least is needed"),
        ("type = 'smtp'\nhost = 'h'\nfrom = 'a@b'\nto = ['x']", "\"x\" is no address"),
        ("type = 'smtp'\nhost = 'h'\nfrom = 'a@b'\nto = ['c@d']\nuser = 'u'", "belong together"),
        (
            "type = 'smtp'\nhost = 'h'\nfrom = 'a@b'\nto = ['c@d']\ntls = 'none'",
            "to this host alone",
        ),
        (
            "type = 'smtp'\nhost = 'h'\nfrom = \"a@b\\r\\nBcc: x@y\"\nto = ['c@d']",
            "the sender is needed",
        ),
        ("type = 'file'", "the file is needed"),
        ("type = 'stdout'\npath = '/x'", "a sink of this type has no `path`"),
    ] {
        let told = with(sink).err().unwrap_or_default();
        assert!(told.contains(says), "{sink}\nsays: {told}\nnot: {says}");
        assert!(!told.contains("services/T/B/x"), "a secret is not repeated: {told}");
    }
    let rules = with("type = 'webhook'\nurl = 'https://x.example/'\nbody = 'pagerduty'\nsecret_env = 'KEY'\nseverity = 'critical'").unwrap();
    let sink = rules.sink("s").unwrap();
    assert_eq!(sink.least, Severity::Critical);
    let Destination::Webhook { url, secret, .. } = &sink.to else { panic!("{sink:?}") };
    assert_eq!(*url, UrlFrom::Plain("https://x.example/".into()));
    assert_eq!(*secret, Some(SecretFrom::Env("KEY".into())));
}

#[test]
fn alerts_go_where_rule_team_and_severity_lead() {
    let text = "sinks_by_default = ['ops']\n\
        [[rules]]\nname = 'own'\nwhen = 'gpus'\nsinks = ['pager', 'ops']\n\
        [[rules]]\nname = 'any'\nwhen = 'gpus'\nseverity = 'critical'\n\
        [[routes]]\nteam = 'Vision'\nsinks = ['vision', 'pager']\n\
        [[sinks]]\nname = 'ops'\ntype = 'stdout'\n\
        [[sinks]]\nname = 'vision'\ntype = 'stdout'\n\
        [[sinks]]\nname = 'pager'\ntype = 'stdout'\nseverity = 'critical'\n";
    let rules = read(text).unwrap();
    let [own, any] = [&rules.rules[0], &rules.rules[1]];
    // A pager takes what is critical alone.
    assert_eq!(rules.sinks_of(own, Some("vision")), ["ops"]);
    assert_eq!(rules.sinks_of(any, Some("VISION")), ["vision", "pager"]);
    assert_eq!(rules.sinks_of(any, Some("nlp")), ["ops"]);
    assert_eq!(rules.sinks_of(any, None), ["ops"]);
}
