//! The page of an organisation: each account, and whether its role is reached.

use jiff::Timestamp;

use super::{Check, Status};
use crate::config::Found;
use crate::domain::{SourceError, text};

/// Id of the check of the list of accounts.
pub const ORGANIZATION: &str = "organization";

/// One check for the list, then one for each account in it. `checks` = those of the accounts that are read,
/// `age` = age of the list as text.
pub fn page(
    found: &[Found],
    listed_at: Option<Timestamp>,
    age: &str,
    trouble: Option<&SourceError>,
    checks: &[Check],
) -> Vec<Check> {
    let mut page = vec![list(found, listed_at, age, trouble)];
    page.extend(found.iter().map(|found| account(found, checks)));
    page
}

fn list(
    found: &[Found],
    listed_at: Option<Timestamp>,
    age: &str,
    trouble: Option<&SourceError>,
) -> Check {
    let read = found.iter().filter(|f| f.becomes.is_ok()).count();
    let out = found.len() - read;
    let counted =
        format!("{} accounts, listed {age} ago: {read} are read, {out} left out", found.len());
    match (listed_at, trouble) {
        (Some(_), None) => Check::ok(ORGANIZATION, counted),
        (Some(_), Some(error)) => {
            let text = format!("{}: {}; still {counted}", error.kind.word(), error.message);
            Check::warn(ORGANIZATION, text, error.advice().to_owned())
        }
        (None, Some(error)) => {
            let text = format!("{}: {}", error.kind.word(), error.message);
            Check::fail(ORGANIZATION, text, error.advice().to_owned())
        }
        (None, None) => {
            Check::skip(ORGANIZATION, "not asked: there is no list, and no call is made")
        }
    }
}

/// One account, by the credentials of its role.
fn account(found: &Found, checks: &[Check]) -> Check {
    let member = &found.member;
    let id = format!("{ORGANIZATION}/{}", member.id);
    let state = if member.state.is_empty() { "state unknown" } else { &member.state };
    let who = format!("{} ({}), {state}", text::clean(&member.name), member.id);
    let label = match &found.becomes {
        Ok(label) => label,
        Err(why) => return Check::skip(&id, format!("{who}: left out: {}", text::clean(why))),
    };
    let label = text::clean(label);
    let of = |c: &&Check| c.id == "credentials" && c.account.as_deref() == Some(&*label);
    match checks.iter().find(of) {
        Some(check) if check.status == Status::Ok => {
            Check::ok(&id, format!("{who}: {}", check.message))
        }
        Some(check) => Check {
            fix: check.fix.clone(),
            ..Check::new(&id, Status::Warn, format!("{who}: {}", check.message))
        },
        None => Check::skip(&id, format!("{who}: not asked")),
    }
}
