//! How the credentials of a profile come about, for the words of what went wrong with them: an SSO
//! session that has ended, a role that wants MFA, a program that failed. Read when something has
//! gone wrong, so that it is what the files say now.

use std::path::Path;

use aws_config::profile::{Profile, ProfileSet};
use jiff::Timestamp;
use serde::Deserialize;
use sha1::{Digest, Sha1};

use super::config;
use super::redaction::without_keys;
use crate::domain::{ErrorKind, text};
use crate::files;

/// More links of `source_profile` than any chain of roles has.
const LONGEST_CHAIN: usize = 16;

/// The largest token file, bytes.
const TOKEN_AT_MOST: u64 = 64 << 10;

/// Source of a profile's credentials, from the AWS config files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Login {
    /// The profile that is used.
    profile: String,
    /// SSO at the end of the chain.
    sso: Option<Sso>,
    /// The first profile of the chain whose role wants MFA, and the serial number of the device.
    mfa: Option<(String, String)>,
    /// The profile of the chain with a `credential_process`.
    process: Option<String>,
    /// The profile of the chain with a `login_session`.
    console: Option<String>,
}

/// A login by IAM Identity Center.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sso {
    profile: String,
    /// The `[sso-session]`; `None` = written into the profile, as it used to be.
    session: Option<String>,
    /// By what the file of the token is named: the session, or the address of the portal.
    key: String,
}

/// Explanation of a credentials failure.
pub struct Words {
    /// Kind of the error.
    pub kind: ErrorKind,
    /// What went wrong, one line.
    pub message: String,
    /// Advice for the user, one sentence.
    pub fix: String,
}

impl Login {
    /// Credentials source of a profile (`None` = `AWS_PROFILE` or `default`); `None` when the AWS config files cannot
    /// be read or lack the profile.
    pub fn read(profile: Option<&str>) -> Option<Self> {
        Self::of(&config::sections(profile)?)
    }

    fn of(sections: &ProfileSet) -> Option<Self> {
        let mut name = sections.selected_profile();
        let mut found = Self { profile: name.to_owned(), ..Self::default() };
        for link in 0..LONGEST_CHAIN {
            let profile = sections.get_profile(name)?;
            // Behind the first profile keys win over whatever else stands there, as in the SDK.
            if link > 0 && profile.get("aws_access_key_id").is_some() {
                return Some(found);
            }
            let by_role = profile.get("role_arn").is_some()
                && profile.get("web_identity_token_file").is_none();
            if by_role {
                let serial = profile.get("mfa_serial").map(|s| (name.to_owned(), s.to_owned()));
                found.mfa = found.mfa.or(serial);
            }
            match profile.get("source_profile") {
                Some(next) if by_role && next != name => name = next,
                _ => return Some(found.based_on(sections, profile)),
            }
        }
        None
    }

    /// With what the last profile of the chain says.
    fn based_on(mut self, sections: &ProfileSet, profile: &Profile) -> Self {
        let name = profile.name().to_owned();
        let session = profile.get("sso_session");
        if let Some(session) = session.filter(|s| sections.sso_session(s).is_some()) {
            let key = session.to_owned();
            self.sso = Some(Sso { profile: name, session: Some(key.clone()), key });
        } else if let Some(url) = profile.get("sso_start_url") {
            self.sso = Some(Sso { profile: name, session: None, key: url.to_owned() });
        } else if profile.get("login_session").is_some() {
            self.console = Some(name);
        } else if profile.get("credential_process").is_some() {
            self.process = Some(name);
        }
        self
    }

    /// Explanation of an SDK error about the credentials of this profile; `None` when the general message says as much.
    /// `said` = all causes of the error.
    pub fn words(&self, said: &str, now: Timestamp) -> Option<Words> {
        let lower = said.to_lowercase();
        let has = |words: &str| lower.contains(words);
        if let Some(profile) = self.process.as_ref().filter(|_| has("external process")) {
            return Some(failed_process(profile, said));
        }
        if let Some(profile) = self.console.as_ref().filter(|_| has("credentials-login")) {
            let export = format!("aws configure export-credentials --profile {}", word(profile));
            return Some(Words {
                kind: ErrorKind::NoCredentials,
                message: format!(
                    "profile `{profile}` logs in by `aws login`, which burntop cannot read"
                ),
                fix: format!(
                    "make a profile with credential_process = {export} --format process, and use that"
                ),
            });
        }
        let sso = self.sso.as_ref()?;
        if has("forbiddenexception") {
            return Some(Words {
                kind: ErrorKind::Denied,
                message: format!(
                    "IAM Identity Center gives {} no credentials for its role",
                    sso.name()
                ),
                fix: format!("check sso_account_id and sso_role_name of profile `{}`", sso.profile),
            });
        }
        let is_session =
            ["sso token", "unauthorizedexception", "token not found", "token is expired"]
                .iter()
                .any(|words| has(words));
        is_session.then(|| sso.ended(std::env::home_dir().as_deref(), now))
    }

    /// Explanation of STS's refusal to assume the role; `None` when no MFA is required.
    pub fn refused(&self) -> Option<Words> {
        let (profile, serial) = self.mfa.as_ref()?;
        Some(Words {
            kind: ErrorKind::Denied,
            message: format!(
                "the role of profile `{profile}` wants MFA (mfa_serial), and burntop can ask nobody \
                 for the code"
            ),
            fix: format!(
                "run `aws sts get-session-token --serial-number {} --token-code CODE`, put what it \
                 prints into a profile, and name that in source_profile of `{profile}`; with SSO or \
                 a credential_process it goes without",
                word(serial)
            ),
        })
    }
}

impl Sso {
    fn name(&self) -> String {
        match &self.session {
            Some(session) => format!("SSO session `{session}` of profile `{}`", self.profile),
            None => format!("the SSO login of profile `{}`", self.profile),
        }
    }

    fn ended(&self, home: Option<&Path>, now: Timestamp) -> Words {
        let name = self.name();
        let (kind, message) = match home.and_then(|home| self.until(home)) {
            None => (ErrorKind::NoCredentials, format!("{name}: nobody is logged in")),
            Some(until) if until <= now => {
                let at = until.strftime("%Y-%m-%d %H:%M UTC");
                (ErrorKind::Expired, format!("{name} ended at {at}"))
            }
            Some(_) => (ErrorKind::Expired, format!("{name} was ended before its time")),
        };
        let how = match &self.session {
            Some(session) => format!("--sso-session {}", word(session)),
            None => format!("--profile {}", word(&self.profile)),
        };
        let fix = format!("run `aws sso login {how}`; burntop goes on by itself then");
        Words { kind, message, fix }
    }

    /// Until when the token in the AWS CLI's cache is good; `None` = there is none.
    fn until(&self, home: &Path) -> Option<Timestamp> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Token {
            expires_at: Timestamp,
        }
        let digest = Sha1::digest(self.key.as_bytes());
        let name: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let path = home.join(".aws/sso/cache").join(format!("{name}.json"));
        let token = files::read_named(&path, TOKEN_AT_MOST).ok()?;
        Some(serde_json::from_slice::<Token>(&token).ok()?.expires_at)
    }
}

/// Error of a `credential_process` program, without what may be a credential in its output.
fn failed_process(profile: &str, said: &str) -> Words {
    let (_, how) = said.split_once("external process").unwrap_or_default();
    let (status, output) = how.split_once("Stderr:").unwrap_or((how, ""));
    let last = output.lines().rev().map(str::trim).find(|line| !line.is_empty());
    let status = status.trim().trim_start_matches([',', ':']).trim();
    let status = status.trim_start_matches("exited with code").trim().trim_end_matches('.');
    let what = match last {
        Some(line) => format!("{status}: {}", without_keys(&text::clean_to(line, 200))),
        // What it printed is not repeated: it may be the credentials.
        None if status.contains("parse") => "what it printed are no credentials".to_owned(),
        None => status.to_owned(),
    };
    Words {
        kind: ErrorKind::NoCredentials,
        message: format!("credential_process of profile `{profile}` failed ({what})"),
        fix: format!("run the command of credential_process in profile `{profile}` by hand"),
    }
}

/// A name as one word of a command line.
fn word(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.:/@+=".contains(c);
    if !name.is_empty() && name.chars().all(plain) {
        return name.to_owned();
    }
    format!("'{}'", name.replace('\'', r"'\''"))
}

#[cfg(test)]
pub(super) mod tests;
