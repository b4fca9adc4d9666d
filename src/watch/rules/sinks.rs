//! Sections of sinks become sinks.

use std::time::Duration;

use super::check::{Wrong, suggestion};
use super::resolve::Helpers;
use crate::domain::Address;
use crate::domain::address::is_loopback;
use crate::watch::body::Body;
use crate::watch::file::{SinkSection, SinkType};
use crate::watch::message::Severity;
use crate::watch::sink::{AtEnd, Destination, SecretFrom, Sink, SmtpTls, UrlFrom};

/// Seconds that one try may take.
const TIMEOUT_S: u32 = 10;

/// Keys that a kind of sink takes beside those of all.
fn takes(kind: SinkType) -> &'static [&'static str] {
    match kind {
        SinkType::Slack => &["url_file", "url_env"],
        SinkType::Webhook => &[
            "url",
            "url_file",
            "url_env",
            "body",
            "secret_file",
            "secret_env",
            "end_url",
            "end_body",
            "hmac_file",
            "hmac_env",
            "headers",
        ],
        SinkType::Sns => &["topic", "profile"],
        SinkType::Smtp => {
            &["host", "port", "tls", "user", "password_file", "password_env", "from", "to"]
        }
        SinkType::File => &["path"],
        SinkType::Stdout => &[],
    }
}

/// The keys of a section that are of some kinds alone, those that stand there.
fn given(of: &SinkSection) -> Vec<&'static str> {
    let all = [
        ("url", of.url.is_some()),
        ("url_file", of.url_file.is_some()),
        ("url_env", of.url_env.is_some()),
        ("body", of.body.is_some()),
        ("secret_file", of.secret_file.is_some()),
        ("secret_env", of.secret_env.is_some()),
        ("end_url", of.end_url.is_some()),
        ("end_body", of.end_body.is_some()),
        ("hmac_file", of.hmac_file.is_some()),
        ("hmac_env", of.hmac_env.is_some()),
        ("headers", of.headers.is_some()),
        ("topic", of.topic.is_some()),
        ("profile", of.profile.is_some()),
        ("host", of.host.is_some()),
        ("port", of.port.is_some()),
        ("tls", of.tls.is_some()),
        ("user", of.user.is_some()),
        ("password_file", of.password_file.is_some()),
        ("password_env", of.password_env.is_some()),
        ("from", of.from.is_some()),
        ("to", of.to.is_some()),
        ("path", of.path.is_some()),
    ];
    all.into_iter().filter(|(_, is_given)| *is_given).map(|(key, _)| key).collect()
}

/// The sinks of a file, those that can be used.
pub fn resolve(sections: &[SinkSection], with: &Helpers<'_>, wrong: &mut Wrong) -> Vec<Sink> {
    let mut out: Vec<Sink> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for (at, section) in sections.iter().enumerate() {
        let path = format!("sinks[{at}]");
        let name = wrong.name(&format!("{path}.name"), section.name.as_deref(), &names);
        names.extend(name.clone());
        let Some(kind) = section.r#type else {
            let why = "its type is needed: slack, webhook, sns, smtp, file or stdout";
            wrong.at(format!("{path}.type"), why);
            continue;
        };
        let known = takes(kind);
        for key in given(section).into_iter().filter(|key| !known.contains(key)) {
            let near = suggestion(key, known);
            wrong
                .at(format!("{path}.{key}"), format!("a sink of this type has no `{key}`; {near}"));
        }
        let to = Reader { path: &path, of: section, with, wrong: &mut *wrong }.destination(kind);
        let (Some(name), Some(to)) = (name, to) else { continue };
        out.push(Sink {
            name,
            to,
            least: section.severity.unwrap_or(Severity::Info),
            timeout: Duration::from_secs(section.timeout_s.unwrap_or(TIMEOUT_S).into()),
            allow_loopback: section.allow_loopback.unwrap_or(false),
        });
    }
    out
}

struct Reader<'a> {
    path: &'a str,
    of: &'a SinkSection,
    with: &'a Helpers<'a>,
    wrong: &'a mut Wrong,
}

impl Reader<'_> {
    fn bad(&mut self, key: &str, why: impl AsRef<str>) {
        self.wrong.at(format!("{}.{key}", self.path), why);
    }

    fn destination(&mut self, kind: SinkType) -> Option<Destination> {
        let of = self.of;
        match kind {
            SinkType::Slack => Some(Destination::Slack { url: self.address()? }),
            SinkType::Webhook => self.webhook(),
            SinkType::Sns => self.topic(),
            SinkType::Smtp => self.smtp(),
            SinkType::File => {
                let Some(path) = of.path.clone().filter(|path| !path.as_os_str().is_empty()) else {
                    self.bad("path", "the file is needed");
                    return None;
                };
                Some(Destination::File { path })
            }
            SinkType::Stdout => Some(Destination::Stdout),
        }
    }

    fn webhook(&mut self) -> Option<Destination> {
        let of = self.of;
        let url = self.address();
        let body = self.body("body", of.body.as_deref());
        let end_body = self.body("end_body", of.end_body.as_deref());
        let secret = self.secret("secret", of.secret_file.as_ref(), of.secret_env.as_deref());
        let bodies = [body.as_ref().ok(), end_body.as_ref().ok()];
        let needs =
            bodies.iter().flatten().filter_map(|body| body.as_ref()).any(Body::needs_secret);
        let is_given = of.secret_file.is_some() || of.secret_env.is_some();
        if needs && !is_given {
            let why =
                "the template has `{{secret}}`: `secret_file` or `secret_env` says what it is";
            self.bad("body", why);
        } else if !needs && is_given && body.is_ok() && end_body.is_ok() {
            self.bad("body", "a secret is named, and no template has `{{secret}}`");
        }
        if of.end_body.is_some() && of.end_url.is_none() {
            self.bad("end_url", "`end_body` is posted to it: it is needed");
        }
        let hmac = self.secret("hmac", of.hmac_file.as_ref(), of.hmac_env.as_deref());
        let headers = self.headers();
        let (body, end_body) = (body.ok()?, end_body.ok()?);
        let at_end = of.end_url.clone().map(|url| AtEnd { url, body: end_body });
        Some(Destination::Webhook { url: url?, body, hmac, secret, headers, at_end })
    }

    /// A secret from a file or the environment; `None` where neither is named.
    fn secret(
        &mut self,
        key: &str,
        file: Option<&std::path::PathBuf>,
        env: Option<&str>,
    ) -> Option<SecretFrom> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        match (file, env) {
            (Some(_), Some(_)) => {
                self.bad(&format!("{key}_env"), format!("`{key}_file` is there too; keep one"));
                None
            }
            // What is no name of a variable may be the secret itself: it is not repeated.
            (None, Some(name)) if name.is_empty() || !name.chars().all(plain) => {
                let why = "the name of an environment variable is needed, not the secret itself";
                self.bad(&format!("{key}_env"), why);
                None
            }
            (Some(file), None) => Some(SecretFrom::File(file.clone())),
            (None, Some(name)) => Some(SecretFrom::Env(name.to_owned())),
            (None, None) => None,
        }
    }

    fn address(&mut self) -> Option<UrlFrom> {
        let of = self.of;
        let secret = self.secret("url", of.url_file.as_ref(), of.url_env.as_deref());
        let Some(url) = of.url.as_deref() else {
            if secret.is_none() && of.url_file.is_none() && of.url_env.is_none() {
                self.bad("url_file", "the address is needed: a file or a variable that has it");
            }
            return secret.map(UrlFrom::Secret);
        };
        if of.url_file.is_some() || of.url_env.is_some() {
            self.bad("url", "the address is in a file or a variable too; keep one");
            return None;
        }
        match Address::new(url).parse() {
            Err(why) => {
                self.bad("url", why.to_string());
                None
            }
            Ok(at) if at.scheme() == "https" => Some(UrlFrom::Plain(url.to_owned())),
            Ok(at) if is_loopback(&at) && of.allow_loopback == Some(true) => {
                Some(UrlFrom::Plain(url.to_owned()))
            }
            Ok(at) if is_loopback(&at) => {
                self.bad("url", "plain HTTP to this host needs `allow_loopback = true`");
                None
            }
            Ok(_) => {
                self.bad("url", "it would travel in clear text; use https://");
                None
            }
        }
    }

    /// The template; `Ok(None)` where none is named.
    fn body(&mut self, key: &str, name: Option<&str>) -> Result<Option<Body>, ()> {
        let Some(name) = name else { return Ok(None) };
        if let Some(shipped) = Body::shipped(name) {
            return Ok(Some(shipped));
        }
        let path = std::path::Path::new(name);
        let read = (self.with.template)(path)
            .and_then(|text| Body::parse(&text, name).map_err(|error| error.to_string()));
        read.map(Some).map_err(|why| self.bad(key, why))
    }

    fn headers(&mut self) -> Vec<(String, SecretFrom)> {
        let mut out: Vec<(String, SecretFrom)> = Vec::new();
        for (at, header) in self.of.headers.iter().flatten().enumerate() {
            let key = format!("headers[{at}]");
            let name = header.name.as_deref().unwrap_or_default();
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            if name.is_empty() || !name.chars().all(plain) {
                self.bad(&format!("{key}.name"), "a header's name is letters, digits and dashes");
                continue;
            }
            let value = self.secret(
                &format!("{key}.value"),
                header.value_file.as_ref(),
                header.value_env.as_deref(),
            );
            match value {
                Some(value) => out.push((name.to_owned(), value)),
                None if header.value_file.is_none() && header.value_env.is_none() => {
                    self.bad(&format!("{key}.value_file"), "where its value is, is needed");
                }
                None => {}
            }
        }
        out
    }

    fn topic(&mut self) -> Option<Destination> {
        let topic = self.of.topic.clone().unwrap_or_default();
        let parts: Vec<&str> = topic.split(':').collect();
        let is_arn = matches!(parts.as_slice(), ["arn", partition, "sns", region, account, name]
            if partition.starts_with("aws") && !region.is_empty() && !name.is_empty()
                && account.len() == 12 && account.bytes().all(|b| b.is_ascii_digit()));
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_' | '.');
        if !is_arn || !topic.chars().all(plain) {
            let why = "the ARN of a topic is needed: `arn:aws:sns:us-east-1:123456789012:alerts`";
            self.bad("topic", why);
            return None;
        }
        Some(Destination::Sns { topic, profile: self.of.profile.clone() })
    }

    fn smtp(&mut self) -> Option<Destination> {
        let of = self.of;
        let tls = of.tls.unwrap_or_default();
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':');
        let host = of.host.clone().filter(|host| !host.is_empty() && host.chars().all(plain));
        if host.is_none() {
            self.bad("host", "the name of the mail server is needed");
        }
        let is_here = matches!(host.as_deref(), Some("localhost" | "127.0.0.1" | "::1"));
        if tls == SmtpTls::None && !(is_here && of.allow_loopback == Some(true)) {
            let why =
                "mail without encryption goes to this host alone, with `allow_loopback = true`";
            self.bad("tls", why);
        }
        let password =
            self.secret("password", of.password_file.as_ref(), of.password_env.as_deref());
        let has_password = of.password_file.is_some() || of.password_env.is_some();
        if of.user.is_some() != has_password {
            self.bad("user", "`user` and the place of its password belong together");
        }
        // What else an address has to be, who sends it checks.
        let is_mail = |mail: &str| mail.contains('@') && !mail.chars().any(char::is_control);
        let from = of.from.clone().filter(|from| is_mail(from));
        if from.is_none() {
            self.bad("from", "the address of the sender is needed: `burntop@example.com`");
        }
        let to = of.to.clone().unwrap_or_default();
        if to.is_empty() {
            self.bad("to", "one address at least is needed");
        }
        for (at, mail) in to.iter().enumerate().filter(|(_, mail)| !is_mail(mail)) {
            self.bad(&format!("to[{at}]"), format!("\"{mail}\" is no address"));
        }
        let port = of.port.unwrap_or(match tls {
            SmtpTls::Wrapped => 465,
            SmtpTls::StartTls => 587,
            SmtpTls::None => 25,
        });
        let login = of.user.clone().zip(password);
        Some(Destination::Smtp { host: host?, port, tls, login, from: from?, to })
    }
}
