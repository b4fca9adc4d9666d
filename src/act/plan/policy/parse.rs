//! The text of a policy file becomes a [`Policy`], or everything that is wrong with it.
//!
//! A key that is not known is an error here and no warning as in the configuration: a misspelt
//! `grace` must not become no grace.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use jiff::SignedDuration;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::file::{MAX_GRACE_DAYS, Policy, PolicyCaps, Rule, RuleAction};
use crate::act::plan::parse_grace;
use crate::domain::json::no_toml;
use crate::domain::suggest::nearest;
use crate::domain::text::{clean, is_unsafe};
use crate::tabs::idle::picture::Field;
use crate::view::{Filter, TableField};

/// The longest name of a policy or a rule, in characters: both go into a tag.
const MAX_NAME: usize = 40;
/// The longest reason, in characters: with names and times it must fit into the 256 of a tag.
const MAX_REASON: usize = 120;

/// One mistake in a policy file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong and what would be right; clean text.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

/// Why a text is not a policy: all of it, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyError(
    /// What is wrong; never empty.
    pub Vec<Problem>,
);

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for PolicyError {}

/// Parses a policy file. Fails with all mistakes at once, in the order of the file.
pub fn parse(source: &str) -> Result<Policy, PolicyError> {
    let (document, errors) = DeTable::parse_recoverable(source);
    let mut reader = Reader { source, problems: Vec::new() };
    if !errors.is_empty() {
        for error in &errors {
            reader.wrong(error.span().unwrap_or(0..0), no_toml(error.message()));
        }
        return Err(reader.error());
    }
    let policy = reader.policy(document.get_ref());
    match policy {
        Some(policy) if reader.problems.is_empty() => Ok(policy),
        _ => Err(reader.error()),
    }
}

type Value<'a> = Spanned<DeValue<'a>>;

struct Reader<'s> {
    source: &'s str,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn error(mut self) -> PolicyError {
        self.problems.sort();
        self.problems.dedup();
        PolicyError(self.problems)
    }

    fn wrong(&mut self, span: Range<usize>, message: impl AsRef<str>) {
        let before = self.source.get(..span.start).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let message = clean(message.as_ref()).into_owned();
        self.problems.push(Problem { line, column, message });
    }

    /// Reports the keys of `table` that are none of `known`.
    fn unknown(&mut self, place: &str, table: &DeTable<'_>, known: &[&'static str]) {
        for key in table.keys().filter(|k| !known.contains(&&**k.get_ref())) {
            let name: &str = key.get_ref();
            let hint = match nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known are {}", known.join(", ")),
            };
            self.wrong(key.span(), format!("{place}unknown key `{name}`; {hint}"));
        }
    }

    fn policy(&mut self, table: &DeTable<'_>) -> Option<Policy> {
        self.unknown("", table, &["name", "caps", "rules"]);
        let name = if let Some(value) = get(table, "name") {
            self.name("name", value)
        } else {
            self.wrong(0..0, "`name` is missing: the marks carry it");
            None
        };
        let caps = get(table, "caps").map_or_else(|| Some(PolicyCaps::default()), |v| self.caps(v));
        let rules = if let Some(value) = get(table, "rules") {
            self.rules(value)
        } else {
            self.wrong(0..0, "there is no `[[rules]]`: a policy needs one rule at least");
            None
        };
        Some(Policy { name: name?, caps: caps?, rules: rules? })
    }

    fn rules(&mut self, value: &Value<'_>) -> Option<Vec<Rule>> {
        let DeValue::Array(items) = value.get_ref() else {
            self.wrong(value.span(), "`rules` is a list of tables, written `[[rules]]`");
            return None;
        };
        if items.is_empty() {
            self.wrong(value.span(), "`rules` is empty: a policy needs one rule at least");
            return None;
        }
        let mut names = BTreeSet::new();
        let mut rules = Vec::new();
        for (i, item) in items.iter().enumerate() {
            let DeValue::Table(table) = item.get_ref() else {
                self.wrong(item.span(), format!("rule {}: a rule is a table", i + 1));
                continue;
            };
            let Some(rule) = self.rule(i, item.span(), table) else { continue };
            if !names.insert(rule.name.clone()) {
                let span = get(table, "name").map_or_else(|| item.span(), Spanned::span);
                self.wrong(span, format!("there are two rules named `{}`", rule.name));
            }
            rules.push(rule);
        }
        Some(rules)
    }

    fn rule(&mut self, index: usize, span: Range<usize>, table: &DeTable<'_>) -> Option<Rule> {
        let called = get(table, "name").and_then(|v| v.get_ref().as_str());
        let rule = match called {
            Some(name) => format!("rule `{name}`: "),
            None => format!("rule {}: ", index + 1),
        };
        self.unknown(
            &rule,
            table,
            &["name", "filter", "action", "grace", "remind_before", "reason"],
        );
        let mut needed = |key: &str, why: &str| {
            let found = get(table, key);
            if found.is_none() {
                self.wrong(span.clone(), format!("{rule}`{key}` is missing{why}"));
            }
            found
        };
        let name = needed("name", "");
        let filter = needed("filter", "; write \"\" for every instance");
        let action = needed("action", "; accepted: `stop`, `mark`");
        // The one default that a tool of this kind must not have.
        let grace = needed("grace", "; write for example `grace = \"4d\"`");
        let name = name.and_then(|v| self.name(&format!("{rule}name"), v));
        let filter = filter.and_then(|v| self.filter(&rule, v));
        let action = action.and_then(|v| self.action(&rule, v));
        let grace = grace.and_then(|v| self.duration(&format!("{rule}`grace`"), v));
        let remind = get(table, "remind_before");
        let remind_before = match remind {
            Some(v) => Some(self.duration(&format!("{rule}`remind_before`"), v)?),
            None => None,
        };
        if let (Some(value), Some(before), Some(grace)) = (remind, remind_before, grace)
            && before >= grace
        {
            let text = "`remind_before` is not shorter than `grace`: the reminder would come with \
                        the mark";
            self.wrong(value.span(), format!("{rule}{text}"));
        }
        let reason = match get(table, "reason") {
            Some(value) => self.reason(&rule, value)?,
            None => String::new(),
        };
        let (filter, filter_text) = filter?;
        Some(Rule {
            name: name?,
            filter,
            filter_text,
            action: action?,
            grace: grace?,
            remind_before,
            reason,
        })
    }

    fn string<'v>(&mut self, what: &str, value: &'v Value<'_>) -> Option<&'v str> {
        let text = value.get_ref().as_str();
        if text.is_none() {
            self.wrong(value.span(), format!("{what} is a text in quotes"));
        }
        text
    }

    fn name(&mut self, what: &str, value: &Value<'_>) -> Option<String> {
        let name = self.string(what, value)?;
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.chars().count() > MAX_NAME || !name.chars().all(plain) {
            let text = format!("{what}: 1 to {MAX_NAME} of letters, digits, `-`, `_` and `.`");
            self.wrong(value.span(), text);
            return None;
        }
        Some(name.to_owned())
    }

    fn reason(&mut self, rule: &str, value: &Value<'_>) -> Option<String> {
        let text = self.string(&format!("{rule}`reason`"), value)?.trim();
        if text.chars().count() > MAX_REASON || text.chars().any(is_unsafe) {
            let text = format!("{rule}`reason` is one line of at most {MAX_REASON} characters");
            self.wrong(value.span(), text);
            return None;
        }
        Some(text.to_owned())
    }

    fn action(&mut self, rule: &str, value: &Value<'_>) -> Option<RuleAction> {
        match self.string(&format!("{rule}`action`"), value)? {
            "stop" => Some(RuleAction::Stop),
            "mark" => Some(RuleAction::Mark),
            "terminate" => {
                let text = "a policy never terminates; `stop` keeps the disks, and what is stopped \
                            can be terminated by a plan";
                self.wrong(value.span(), format!("{rule}{text}"));
                None
            }
            other => {
                let text = format!("{rule}`action` is \"{other}\"; accepted: `stop`, `mark`");
                self.wrong(value.span(), text);
                None
            }
        }
    }

    fn filter(&mut self, rule: &str, value: &Value<'_>) -> Option<(Filter, String)> {
        let text = self.string(&format!("{rule}`filter`"), value)?;
        // It is shown to whoever approves it: nothing in it may steer a terminal.
        if text.chars().any(is_unsafe) {
            let text = format!("{rule}`filter` is one line without control characters");
            self.wrong(value.span(), text);
            return None;
        }
        if text.trim().is_empty() && !text.is_empty() {
            self.wrong(
                value.span(),
                format!("{rule}`filter` is blank; write \"\" for every instance"),
            );
            return None;
        }
        match Filter::parse_strict(Field::table(), text) {
            Ok(filter) => Some((filter, text.to_owned())),
            Err(error) => {
                self.wrong(value.span(), format!("{rule}`filter`, {error}"));
                None
            }
        }
    }

    fn duration(&mut self, what: &str, value: &Value<'_>) -> Option<SignedDuration> {
        let accepted = "accepted: a span of days and hours like \"4d\" or \"36h\"";
        let Some(text) = value.get_ref().as_str() else {
            self.wrong(value.span(), format!("{what} has no unit; {accepted}"));
            return None;
        };
        match parse_grace(text.trim_matches(' '), SignedDuration::from_hours(24 * MAX_GRACE_DAYS)) {
            Ok(span) => Some(span),
            Err(why) => {
                self.wrong(value.span(), format!("{what} is \"{text}\"; {why}"));
                None
            }
        }
    }

    fn caps(&mut self, value: &Value<'_>) -> Option<PolicyCaps> {
        let DeValue::Table(table) = value.get_ref() else {
            self.wrong(value.span(), "`caps` is a table, written `[caps]`");
            return None;
        };
        let keys = ["max_instances", "max_fleet_percent", "max_usd_per_hour"];
        self.unknown("caps: ", table, &keys);
        let [instances, percent, usd] = keys.map(|key| get(table, key).map(|v| (key, v)));
        let before = self.problems.len();
        let max_instances = instances.and_then(|(key, v)| {
            let whole = integer(v.get_ref()).and_then(|n| u32::try_from(n).ok());
            if whole.is_none() {
                self.wrong(v.span(), format!("caps: `{key}` is a whole number from 0 on"));
            }
            whole
        });
        let mut figure = |found: Option<(&str, &Value<'_>)>, most: f64, accepted: &str| {
            let (key, v) = found?;
            let number = number(v.get_ref()).filter(|n| (0.0..=most).contains(n));
            if number.is_none() {
                self.wrong(v.span(), format!("caps: `{key}` is {accepted}"));
            }
            number
        };
        let max_fleet_percent = figure(percent, 100.0, "a number from 0 to 100");
        let max_usd_per_hour = figure(usd, f64::MAX, "a number from 0 on");
        (self.problems.len() == before).then_some(PolicyCaps {
            max_instances,
            max_fleet_percent,
            max_usd_per_hour,
        })
    }
}

fn get<'t, 'a>(table: &'t DeTable<'a>, key: &str) -> Option<&'t Value<'a>> {
    table.iter().find(|(k, _)| k.get_ref() == key).map(|(_, v)| v)
}

fn integer(value: &DeValue<'_>) -> Option<i64> {
    let DeValue::Integer(i) = value else { return None };
    i64::from_str_radix(i.as_str(), i.radix()).ok()
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Float(f) => f.as_str().parse().ok(),
        other => integer(other).map(|i| i as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::act::plan::policy::TEMPLATE;

    const RULE: &str = "name = 'p'\n[[rules]]\nname = 'r'\nfilter = 'env=dev'\naction = 'stop'\n";

    fn errors(source: &str) -> String {
        parse(source).map_or_else(|e| e.to_string(), |p| panic!("{p:?}"))
    }

    #[test]
    fn a_policy_says_what_it_says() {
        let source = format!(
            "{RULE}grace = '1w2d12h'\nremind_before = '36h'\nreason = ' no use '\n[caps]\n\
             max_instances = 3\nmax_fleet_percent = 5\nmax_usd_per_hour = 12.5"
        );
        let policy = parse(&source).unwrap();
        let rule = &policy.rules[0];
        assert_eq!((policy.name.as_str(), rule.name.as_str()), ("p", "r"));
        assert_eq!(rule.filter.to_string(), "environment=dev");
        assert_eq!(rule.grace, SignedDuration::from_hours(9 * 24 + 12));
        assert_eq!(rule.remind_before, Some(SignedDuration::from_hours(36)));
        assert_eq!((rule.action, rule.reason.as_str()), (RuleAction::Stop, "no use"));
        assert_eq!(policy.caps.max_instances, Some(3));
        assert_eq!(policy.caps.max_fleet_percent, Some(5.0));
        assert_eq!(policy.caps.max_usd_per_hour, Some(12.5));
    }

    #[test]
    fn a_missing_grace_is_an_error_and_not_zero() {
        let missing = "2:1: rule `r`: `grace` is missing; write for example `grace = \"4d\"`";
        assert_eq!(errors(RULE), missing);
        for (grace, says) in [
            ("'0d'", "6:9: rule `r`: `grace` is \"0d\"; accepted: a span"),
            ("'-4d'", "6:9: rule `r`: `grace` is \"-4d\"; accepted: a span"),
            ("'4d ago'", "6:9: rule `r`: `grace` is \"4d ago\"; accepted: a span"),
            ("'1ns'", "6:9: rule `r`: `grace` is \"1ns\"; accepted: a span"),
            (
                "'4m'",
                "6:9: rule `r`: `grace` is \"4m\"; that is 4 minutes, and the shortest is 1 hour",
            ),
            (
                "'4d'\nremind_before = '1m'",
                "7:17: rule `r`: `remind_before` is \"1m\"; that is 1 minute",
            ),
            (
                "'91d'",
                "6:9: rule `r`: `grace` is \"91d\"; that is 91 days, and the longest is 90 days",
            ),
            ("4", "6:9: rule `r`: `grace` has no unit; accepted: a span of days and hours like"),
            ("''", "6:9: rule `r`: `grace` is \"\"; accepted: a span"),
            ("'4'", "6:9: rule `r`: `grace` is \"4\"; accepted: a span"),
            ("'1mo'", "6:9: rule `r`: `grace` is \"1mo\"; accepted: a span"),
        ] {
            let text = errors(&format!("{RULE}grace = {grace}"));
            assert!(text.starts_with(says), "{grace}: {text}");
        }
    }

    #[test]
    fn nothing_that_is_shown_steers_a_terminal() {
        for hidden in ["\\u001b[1A\\u001b[2K", "\\u202e", "\\r", "\\n", "\\u009b2J"] {
            let source = RULE.replace("'env=dev'", &format!("\"name=\\\"a{hidden}\\\"\""));
            let text = errors(&format!("{source}grace = '4d'"));
            assert!(text.contains("`filter` is one line"), "{hidden}: {text}");
            let text = errors(&format!("{RULE}grace = '4d'\nreason = \"a{hidden}b\""));
            assert!(text.contains("`reason` is one line"), "{hidden}: {text}");
        }
    }

    #[test]
    fn unknown_keys_are_errors_with_a_suggestion() {
        for (line, says) in [
            ("grase = '4d'", "6:1: rule `r`: unknown key `grase`; did you mean `grace`?"),
            (
                "Remind-Before = '1d'",
                "6:1: rule `r`: unknown key `Remind-Before`; did you mean `remind_before`?",
            ),
            ("zebra = 1", "6:1: rule `r`: unknown key `zebra`; known are name, filter"),
            ("grace = '4d'\n[cap]\nx = 1", "7:2: unknown key `cap`; did you mean `caps`?"),
            (
                "grace = '4d'\n[caps]\nmax_instance = 1",
                "8:1: caps: unknown key `max_instance`; did you mean `max_instances`?",
            ),
        ] {
            let text = errors(&format!("{RULE}{line}"));
            assert!(text.lines().any(|l| l.starts_with(says)), "{line}: {text}");
        }
    }

    #[test]
    fn a_filter_that_does_not_parse_names_rule_line_and_column() {
        let text = errors(&RULE.replace("env=dev", "gpu<5 and envv=dev"));
        let first = text.lines().find(|l| l.starts_with("4:10: ")).unwrap_or(&text).to_owned();
        assert!(first.starts_with("4:10: rule `r`: `filter`, column 11: "), "{text}");
    }

    #[test]
    fn terminate_cannot_be_written() {
        let text = errors(&format!("{}grace = '4d'", RULE.replace("'stop'", "'terminate'")));
        assert!(text.starts_with("5:10: rule `r`: a policy never terminates"), "{text}");
        let text = errors(&format!("{}grace = '4d'", RULE.replace("'stop'", "'Stop'")));
        assert_eq!(text, "5:10: rule `r`: `action` is \"Stop\"; accepted: `stop`, `mark`");
    }

    #[test]
    fn all_that_is_wrong_is_said_at_once() {
        let text = errors(
            "naem = 'x'\n[caps]\nmax_instances = -1\nmax_fleet_percent = 101\n\
             max_usd_per_hour = nan\n[[rules]]\nname = 'a b'\nfilter = ''\naction = 'mark'\n\
             grace = '1d'\nremind_before = '1d'\n[[rules]]\naction = 'mark'\n",
        );
        for says in [
            "1:1: `name` is missing",
            "1:1: unknown key `naem`; did you mean `name`?",
            "3:17: caps: `max_instances` is a whole number",
            "4:21: caps: `max_fleet_percent` is a number from 0 to 100",
            "5:20: caps: `max_usd_per_hour` is a number from 0 on",
            "7:8: rule `a b`: name: 1 to 40 of",
            "11:17: rule `a b`: `remind_before` is not shorter than `grace`",
            "12:1: rule 2: `grace` is missing",
        ] {
            assert!(text.lines().any(|l| l.starts_with(says)), "{says}\n---\n{text}");
        }
        let twice = format!("{RULE}grace = '1d'\n{}grace = '1d'", &RULE[RULE.find('[').unwrap()..]);
        assert!(errors(&twice).contains("two rules named `r`"));
        assert!(errors("name = 'p'").contains("one rule at least"));
        assert!(errors("name = 'p'\nrules = []").contains("one rule at least"));
        assert!(errors("name = 'p'\nrules = 'all'").contains("written `[[rules]]`"));
        assert!(errors("name = \n").starts_with("1:"));
    }

    #[test]
    fn the_template_is_a_policy_with_a_grace_of_four_days() {
        let policy = parse(TEMPLATE).unwrap();
        assert_eq!(policy.rules[0].grace, SignedDuration::from_hours(4 * 24));
        assert!(TEMPLATE.contains("grace = \"4d\""));
        // Every key of a rule and of the caps is shown.
        for key in ["name", "filter", "action", "grace", "remind_before", "reason"] {
            assert!(TEMPLATE.lines().any(|l| l.starts_with(&format!("{key} = "))), "{key}");
        }
    }

    #[test]
    fn what_goes_into_the_tag_fits_into_it() {
        let made = "2026-11-21T12:00:00Z".parse().unwrap();
        let name = "n".repeat(MAX_NAME);
        let text = super::super::mark::reason(&name, &name, made, &"w".repeat(MAX_REASON));
        assert!(text.chars().count() <= 256, "{}", text.len());
    }

    mod hostile {
        use super::*;

        /// Whole policies; every key of theirs is misspelt in turn.
        const KEYS: [&str; 12] = [
            "name",
            "caps",
            "rules",
            "max_instances",
            "max_fleet_percent",
            "max_usd_per_hour",
            "filter",
            "action",
            "grace",
            "remind_before",
            "reason",
            "name",
        ];

        #[test]
        fn a_misspelt_key_is_no_policy() {
            let whole = format!(
                "{RULE}grace = '9d'\nremind_before = '36h'\nreason = 'no use'\n[caps]\n\
                 max_instances = 3\nmax_fleet_percent = 5\nmax_usd_per_hour = 12.5\n"
            );
            assert!(parse(&whole).is_ok());
            let mut inputs = 0_u32;
            for key in KEYS {
                for at in 0..key.len() {
                    let (head, tail) = key.split_at(at);
                    let rest: String = tail.chars().skip(1).collect();
                    for slip in [
                        format!("{head}{rest}"),
                        format!("{head}x{tail}"),
                        format!("{head}-{rest}"),
                        format!("{head}{}", tail.to_uppercase()),
                        format!("\"{head}\u{430}{rest}\""),
                        format!("\"{head}\u{200b}{tail}\""),
                        format!("\"{key} \""),
                    ] {
                        let slip = if slip.is_empty() { "\"\"".to_owned() } else { slip };
                        for (from, to) in [
                            (format!("\n{key} ="), format!("\n{slip} =")),
                            (format!("[{key}]"), format!("[{slip}]")),
                        ] {
                            let source = whole.replace(&from, &to);
                            if source == whole {
                                continue;
                            }
                            inputs += 1;
                            assert!(parse(&source).is_err(), "{source}");
                        }
                    }
                }
            }
            println!("hostile: misspelt keys of policies: {inputs} inputs");
            assert!(inputs >= 500, "{inputs}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_ends_well(source in "[\\[\\]a-z_.=\"' \n0-9{},#-]{0,200}") {
            if let Err(e) = parse(&source) {
                proptest::prop_assert!(!e.0.is_empty());
            }
        }

        #[test]
        fn no_policy_has_a_rule_without_a_grace(
            days in -3_i64..95, key in proptest::sample::select(vec!["grace", "grase", "name"]),
        ) {
            if let Ok(policy) = parse(&format!("{RULE}{key} = '{days}d'")) {
                let long = |r: &Rule| r.grace >= crate::act::plan::SHORTEST_GRACE;
                proptest::prop_assert!(policy.rules.iter().all(long));
                proptest::prop_assert_eq!(policy.rules[0].grace.as_hours(), days * 24);
            }
        }
    }
}
