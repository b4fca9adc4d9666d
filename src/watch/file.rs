//! A rules file as it is written: TOML, every key optional for the parser and checked by [`super::rules`].

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::message::Severity;
use super::sink::SmtpTls;

/// A rules file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RulesFile {
    /// Sinks of rules that name none and whose team has no route.
    pub sinks_by_default: Option<Vec<String>>,
    /// More messages than so many to one sink at once become one summary; 20 where it is left out.
    #[schemars(range(min = 1, max = 1000))]
    pub summary_above: Option<u32>,
    /// How often the fleet is looked at: `5m`, which holds where it is left out; at least `1m`.
    pub every: Option<String>,
    /// What is watched.
    pub rules: Option<Vec<RuleSection>>,
    /// Whom alerts of a team go to.
    pub routes: Option<Vec<RouteSection>>,
    /// When nothing is sent.
    pub silences: Option<Vec<SilenceSection>>,
    /// Where alerts go.
    pub sinks: Option<Vec<SinkSection>>,
}

/// One rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RuleSection {
    /// Its name, unique in the file: letters, digits, `-`, `_` and `.`.
    pub name: Option<String>,
    /// What it looks for: the name of a list and a filter over its rows, `gpus state=held_idle and wasted>$200`.
    pub when: Option<String>,
    /// How long it has to be so, by the start that was witnessed: `2h`. At once where it is left out.
    pub r#for: Option<String>,
    /// How long an alert outlives its cause, so that what comes and goes is one alert: `30m`. Not at all where it is left out.
    pub keep_firing: Option<String>,
    /// One alert for each row, for each team, or for the whole rule; `row` where it is left out.
    pub group: Option<Group>,
    /// Rows that a group needs at least.
    #[schemars(range(min = 1))]
    pub min_rows: Option<u32>,
    /// Dollars a day that a row or a group costs at least.
    #[schemars(range(min = 0))]
    pub min_usd_per_day: Option<f64>,
    /// How urgent it is; `warning` where it is left out.
    #[schemars(with = "Option<SeverityWord>")]
    pub severity: Option<Severity>,
    /// Sinks that it is sent to.
    pub sinks: Option<Vec<String>>,
    /// Time after which an alert that still fires is sent again: `1d`, which holds where it is left out; `never`.
    pub repeat: Option<String>,
    /// False where nobody is to be told the end of an alert: of what happened, like a run that failed, it is no news. True where it
    /// is left out.
    pub tell_end: Option<bool>,
    /// A sentence that goes with each of its messages.
    pub note: Option<String>,
}

/// The words of [`Severity`] for the schema.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "the schema is made of it")]
enum SeverityWord {
    Info,
    Warning,
    Critical,
}

/// What one alert is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// One row.
    #[default]
    Row,
    /// All rows of a team.
    Team,
    /// All rows of the rule.
    Rule,
}

/// Whom alerts of a team go to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RouteSection {
    /// The team; upper and lower case are alike.
    pub team: Option<String>,
    /// Its sinks.
    pub sinks: Option<Vec<String>>,
}

/// When nothing is sent: days of the week with hours, or a stretch of time. What happened meanwhile is told afterwards
/// where it is still so.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SilenceSection {
    /// Names of the rules that are silent; all where it is left out.
    pub rules: Option<Vec<String>>,
    /// Days of the week, by their first three letters: `["sat", "sun"]`; all where it is left out.
    pub days: Option<Vec<Day>>,
    /// Beginning on these days, `22:00`; midnight where it is left out.
    pub from: Option<String>,
    /// End, `06:00`; before `from` it is on the next day. Midnight where it is left out.
    pub to: Option<String>,
    /// Time zone of days and hours; `UTC` where it is left out.
    pub tz: Option<String>,
    /// Beginning of a stretch of time instead, RFC 3339.
    pub starts: Option<String>,
    /// Its end, RFC 3339.
    pub ends: Option<String>,
}

/// A day of the week.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Day {
    /// Monday.
    Mon,
    /// Tuesday.
    Tue,
    /// Wednesday.
    Wed,
    /// Thursday.
    Thu,
    /// Friday.
    Fri,
    /// Saturday.
    Sat,
    /// Sunday.
    Sun,
}

/// Kind of a sink.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SinkType {
    /// An incoming webhook of Slack.
    Slack,
    /// Any HTTP server that takes JSON.
    Webhook,
    /// A topic of Amazon SNS.
    Sns,
    /// Mail.
    Smtp,
    /// A file of JSON lines.
    File,
    /// Standard output.
    Stdout,
}

/// Where alerts go.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SinkSection {
    /// Its name, unique in the file.
    pub name: Option<String>,
    /// What it is.
    pub r#type: Option<SinkType>,
    /// Least severity that it takes; all where it is left out.
    #[schemars(with = "Option<SeverityWord>")]
    pub severity: Option<Severity>,
    /// Seconds that one try may take; 10 where it is left out.
    #[schemars(range(min = 1, max = 120))]
    pub timeout_s: Option<u32>,
    /// True to allow plain HTTP, or mail without encryption, to this host.
    pub allow_loopback: Option<bool>,
    /// Address of a webhook that holds no secret.
    pub url: Option<String>,
    /// File with the address, where it is a secret.
    #[schemars(with = "Option<String>")]
    pub url_file: Option<PathBuf>,
    /// Environment variable with the address, where it is a secret.
    pub url_env: Option<String>,
    /// What a webhook is sent: `pagerduty`, `opsgenie`, or a file with a template; `burntop/alert/1` where it is left out.
    pub body: Option<String>,
    /// File with what `{{secret}}` stands for in the template.
    #[schemars(with = "Option<String>")]
    pub secret_file: Option<PathBuf>,
    /// Environment variable with what `{{secret}}` stands for in the template.
    pub secret_env: Option<String>,
    /// Address that the end of an alert is posted to, where a server takes it elsewhere; `{{thread}}` in it stands for the
    /// name of the alert.
    pub end_url: Option<String>,
    /// What is posted there: as `body`.
    pub end_body: Option<String>,
    /// File with the key of the signature of a webhook.
    #[schemars(with = "Option<String>")]
    pub hmac_file: Option<PathBuf>,
    /// Environment variable with the key of the signature of a webhook.
    pub hmac_env: Option<String>,
    /// Further headers of a webhook.
    pub headers: Option<Vec<HeaderSection>>,
    /// ARN of the topic.
    pub topic: Option<String>,
    /// AWS profile to publish with.
    pub profile: Option<String>,
    /// Mail server.
    pub host: Option<String>,
    /// Its port; 465 with `wrapped`, 587 with `starttls`, 25 with `none`.
    #[schemars(range(min = 1, max = 65535))]
    pub port: Option<u16>,
    /// How it is encrypted; `starttls` where it is left out.
    #[schemars(with = "Option<TlsWord>")]
    pub tls: Option<SmtpTls>,
    /// User of the mail server.
    pub user: Option<String>,
    /// File with the password.
    #[schemars(with = "Option<String>")]
    pub password_file: Option<PathBuf>,
    /// Environment variable with the password.
    pub password_env: Option<String>,
    /// Sender of mails.
    pub from: Option<String>,
    /// Who gets the mails.
    pub to: Option<Vec<String>>,
    /// The file that JSON lines are appended to.
    #[schemars(with = "Option<String>")]
    pub path: Option<PathBuf>,
}

/// The words of [`SmtpTls`] for the schema.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "the schema is made of it")]
enum TlsWord {
    Wrapped,
    Starttls,
    None,
}

/// A header whose value is a secret.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HeaderSection {
    /// Its name.
    pub name: Option<String>,
    /// File with its value.
    #[schemars(with = "Option<String>")]
    pub value_file: Option<PathBuf>,
    /// Environment variable with its value.
    pub value_env: Option<String>,
}
