//! The plan file: a plan with the approvals it was given.
//!
//! It comes from somebody else, perhaps by mail: everything in it is checked before any of it is
//! shown, and what this version does not know is refused rather than dropped, because an approval
//! is for all that stands there.

use std::collections::BTreeSet;
use std::fmt;

use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::approval::Approval;
use super::draft::whole_millionths;
use super::item::{PLAN_SCHEMA, Plan, PlanItem};
use super::policy;
use super::span::SHORTEST_GRACE;
use super::verb::Verb;
use crate::domain::json::why_no_json;
use crate::domain::text;
use crate::view::format::span_long;

/// Largest plan file, bytes; a row has about 600.
pub const MAX_BYTES: usize = 8 << 20;
/// Most rows of a plan file.
pub const MAX_ITEMS: usize = 10_000;
/// Most approvals of a plan file.
pub const MAX_APPROVALS: usize = 32;
/// The longest text of a plan, characters; what comes from tags is shorter, see [`text`].
const MAX_TEXT: usize = 4_096;
/// The largest fleet that is believed.
const MAX_FLEET: u32 = 10_000_000;
/// The dearest instance that is believed, USD per hour: ten times the dearest there is.
const MAX_USD_PER_HOUR: f64 = 10_000.0;
/// Longest validity of a plan or an approval that `[actions]` can set.
pub(super) const LONGEST: SignedDuration = SignedDuration::from_hours(168);

/// A plan with its approvals, as a plan file holds them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanFile {
    /// The plan.
    pub plan: Plan,
    /// Approvals of the plan, oldest first.
    pub approvals: Vec<Approval>,
}

/// Why a file was not read as a plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanFileError {
    /// Larger than [`MAX_BYTES`].
    #[error("it has more than {} MiB; burntop writes no such plan", MAX_BYTES >> 20)]
    TooLarge,
    /// Not JSON, or JSON of another shape.
    #[error("{0}")]
    Json(String),
    /// Another schema.
    #[error(
        "its schema is \"{0}\", and this version reads {PLAN_SCHEMA}; use the burntop that wrote it"
    )]
    Schema(String),
    /// A field holds a value that no plan can have.
    #[error("{place}: {why}")]
    Value {
        /// Where: `plan.items[3].usd_per_hour`.
        place: String,
        /// What is wrong.
        why: String,
    },
}

impl PlanFile {
    /// Reads the bytes of a file. What it returns is clean text and believable figures; whether
    /// the plan may run is for the guards to say.
    pub fn parse(bytes: &[u8]) -> Result<Self, PlanFileError> {
        // Before the shape: the file of another version deserves a better word than its first key.
        let file = foreign(bytes, |value| match schema_of(value) {
            Some(PLAN_SCHEMA) | None => Ok(()),
            Some(other) => Err(PlanFileError::Schema(other.to_owned())),
        })?;
        believable(&file)?;
        Ok(file)
    }

    /// The text of the file, with a final newline.
    pub fn to_text(&self) -> String {
        // A plan holds nothing that JSON lacks.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// Parses a file with one approval, as untrusted as a plan file. Err when it is malformed or valid for longer than
/// `longest`.
pub fn parse_approval(bytes: &[u8], longest: SignedDuration) -> Result<Approval, PlanFileError> {
    let read = foreign(bytes, |_| Ok(()))?;
    approval("approval", &read, longest)?;
    Ok(read)
}

/// Value of the field `schema` of the plan; `None` where there is none.
pub(super) fn schema_of(value: &Value) -> Option<&str> {
    value.pointer("/plan/schema").and_then(Value::as_str)
}

/// Reads what comes from somebody else: not too large, clean, as `first` wants it before its shape
/// is looked at, and nothing in it that this version does not know.
pub(super) fn foreign<T: Serialize + DeserializeOwned>(
    bytes: &[u8],
    first: impl FnOnce(&Value) -> Result<(), PlanFileError>,
) -> Result<T, PlanFileError> {
    if bytes.len() > MAX_BYTES {
        return Err(PlanFileError::TooLarge);
    }
    let json = |e: serde_json::Error| PlanFileError::Json(text::clean(&why_no_json(&e)).into());
    let value: Value = serde_json::from_slice(bytes).map_err(json)?;
    texts(&value, &mut String::new())?;
    first(&value)?;
    let read: T = serde_json::from_slice(bytes).map_err(json)?;
    let again = serde_json::to_value(&read).map_err(json)?;
    nothing_lost(&value, &again, &mut String::new())?;
    Ok(read)
}

pub(super) fn wrong<T>(
    place: impl fmt::Display,
    why: impl Into<String>,
) -> Result<T, PlanFileError> {
    Err(PlanFileError::Value { place: place.to_string(), why: why.into() })
}

/// Every text and every key: short, and nothing in it that steers a terminal.
fn texts(value: &Value, path: &mut String) -> Result<(), PlanFileError> {
    let check = |place: &str, text: &str| {
        if text.chars().any(text::is_unsafe) {
            return wrong(text::clean(place), "it holds control characters");
        }
        if text.chars().nth(MAX_TEXT).is_some() {
            return wrong(text::clean(place), format!("it is longer than {MAX_TEXT} characters"));
        }
        Ok(())
    };
    match value {
        Value::String(text) => check(path, text),
        Value::Array(all) => all
            .iter()
            .enumerate()
            .try_for_each(|(i, v)| below(path, &format!("[{i}]"), |p| texts(v, p))),
        Value::Object(map) => map.iter().try_for_each(|(key, v)| {
            check(path, key)?;
            below(path, &dotted(path, key), |p| texts(v, p))
        }),
        _ => Ok(()),
    }
}

fn dotted(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!(".{key}") }
}

fn below<T>(path: &mut String, more: &str, then: impl FnOnce(&mut String) -> T) -> T {
    let length = path.len();
    path.push_str(more);
    let answer = then(path);
    path.truncate(length);
    answer
}

/// Everything that stands in `there` was read into `read`: no key was dropped, no figure bent.
fn nothing_lost(there: &Value, read: &Value, path: &mut String) -> Result<(), PlanFileError> {
    match (there, read) {
        (Value::Object(there), Value::Object(read)) => there.iter().try_for_each(|(key, v)| {
            below(path, &dotted(path, key), |p| match read.get(key) {
                Some(known) => nothing_lost(v, known, p),
                None => wrong(p, "this version knows no such key, so it cannot stand for it"),
            })
        }),
        (Value::Array(there), Value::Array(read)) if there.len() == read.len() => {
            there.iter().zip(read).enumerate().try_for_each(|(i, (v, r))| {
                below(path, &format!("[{i}]"), |p| nothing_lost(v, r, p))
            })
        }
        (Value::Number(there), Value::Number(read)) if there.as_f64() == read.as_f64() => Ok(()),
        (there, read) if there == read => Ok(()),
        (_, read) => wrong(path, format!("it is not as burntop writes it, which would be {read}")),
    }
}

fn believable(file: &PlanFile) -> Result<(), PlanFileError> {
    let plan = &file.plan;
    if plan.schema != PLAN_SCHEMA {
        return Err(PlanFileError::Schema(plan.schema.clone()));
    }
    span("plan.expires_at", plan.created_at, plan.expires_at, LONGEST)?;
    if plan.items.is_empty() {
        return wrong("plan.items", "there are none");
    }
    if plan.items.len() > MAX_ITEMS {
        return wrong("plan.items", format!("more than {MAX_ITEMS}"));
    }
    if plan.fleet_size > MAX_FLEET || (plan.fleet_size as usize) < plan.items.len() {
        return wrong("plan.fleet_size", format!("{} is no fleet of these rows", plan.fleet_size));
    }
    if let Verb::Mark { expires, reason } = &plan.verb {
        if expires.duration_since(plan.created_at) < SHORTEST_GRACE {
            return wrong(
                "plan.verb.expires",
                format!("it lies less than {} after the plan", span_long(SHORTEST_GRACE)),
            );
        }
        if policy::is_like_a_policys(reason) {
            return wrong("plan.verb.reason", "it reads like the mark of a policy");
        }
    }
    net("plan.net_usd_per_hour", plan.net_usd_per_hour)?;
    let mut ids = BTreeSet::new();
    for (i, item) in plan.items.iter().enumerate() {
        let place = format!("plan.items[{i}]");
        self::item(&place, item)?;
        if !ids.insert(&*item.id) {
            return wrong(format!("{place}.id"), format!("{} stands there twice", item.id));
        }
    }
    if file.approvals.len() > MAX_APPROVALS {
        return wrong("approvals", format!("more than {MAX_APPROVALS}"));
    }
    for (i, approval) in file.approvals.iter().enumerate() {
        self::approval(&format!("approvals[{i}]"), approval, LONGEST)?;
    }
    Ok(())
}

pub(super) fn span(
    place: &str,
    from: Timestamp,
    to: Timestamp,
    longest: SignedDuration,
) -> Result<(), PlanFileError> {
    if to <= from {
        return wrong(place, "it lies before the beginning");
    }
    if to.duration_since(from) > longest {
        return wrong(place, format!("more than {} hours are not possible", longest.as_hours()));
    }
    Ok(())
}

/// Ids, regions and zones become parts of requests: nothing but letters, digits, dashes and dots.
pub(super) fn plain(text: &str, max: usize) -> bool {
    (1..=max).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.')
}

fn item(place: &str, item: &PlanItem) -> Result<(), PlanFileError> {
    if !(item.id.starts_with("i-") && plain(&item.id, 64)) {
        return wrong(format!("{place}.id"), format!("\"{}\" is no instance id", item.id));
    }
    let account = &item.scope.account;
    if account.len() != 12 || !account.bytes().all(|b| b.is_ascii_digit()) {
        return wrong(format!("{place}.scope.account"), format!("\"{account}\" is no account id"));
    }
    for (key, text) in [
        ("scope.region", &item.scope.region),
        ("az", &item.az),
        ("instance_type", &item.instance_type),
    ] {
        if !plain(text, 64) {
            return wrong(format!("{place}.{key}"), format!("\"{text}\" is none"));
        }
    }
    if !is_sha256(&item.evidence_sha256) {
        return wrong(format!("{place}.evidence_sha256"), "it is no SHA-256");
    }
    price(&format!("{place}.usd_per_hour"), item.usd_per_hour)?;
    net(&format!("{place}.net_usd_per_hour"), item.net_usd_per_hour)
}

/// USD per hour of an instance.
fn price(place: &str, usd: Option<f64>) -> Result<(), PlanFileError> {
    match usd {
        Some(usd) if !(0.0..=MAX_USD_PER_HOUR).contains(&usd) => {
            wrong(place, format!("{usd} is no price of an instance"))
        }
        usd => net(place, usd),
    }
}

/// USD per hour in the decimals that come back from JSON as they went. A net may lie below 0: room of
/// a capacity reservation that stays billed can lose its discount.
fn net(place: &str, usd: Option<f64>) -> Result<(), PlanFileError> {
    match usd {
        Some(usd) if !usd.is_finite() => wrong(place, format!("{usd} is no saving")),
        Some(usd) if whole_millionths(usd).to_bits() != usd.to_bits() => {
            wrong(place, format!("{usd} has more than six decimals"))
        }
        _ => Ok(()),
    }
}

pub(super) fn approval(
    place: &str,
    approval: &Approval,
    longest: SignedDuration,
) -> Result<(), PlanFileError> {
    if !is_sha256(&approval.sha256) {
        return wrong(format!("{place}.sha256"), "it is no SHA-256");
    }
    if approval.approver.is_empty() {
        return wrong(format!("{place}.approver"), "it names nobody");
    }
    if let Some((_, arn)) = approval.approver.iter().find(|(_, arn)| !arn.starts_with("arn:")) {
        return wrong(format!("{place}.approver"), format!("\"{arn}\" is no ARN"));
    }
    span(&format!("{place}.expires_at"), approval.approved_at, approval.expires_at, longest)
}

pub(super) fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::act::plan::{Signature, sha256_hex};
    use crate::domain::{InstanceState, Scope, VerdictKind};

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn row(n: usize) -> PlanItem {
        PlanItem {
            id: format!("i-{n:017x}").into(),
            scope: Scope::new("123456789012", "eu-west-1"),
            az: "eu-west-1a".into(),
            name: "eval \u{fffd}[31m".into(),
            instance_type: "p4d.24xlarge".into(),
            state: InstanceState::Running,
            launched_at: at("2026-01-01T00:00:00Z"),
            verdict: Some(VerdictKind::Idle),
            idle_since: Some(at("2026-02-01T00:00:00Z")),
            judged_until: None,
            evidence_sha256: sha256_hex(b"evidence"),
            usd_per_hour: Some(32.772_6),
            net_usd_per_hour: None,
            covered_by: String::new(),
            price_basis: "on-demand list price".into(),
            production: false,
            environment: None,
            held_by: String::new(),
        }
    }

    fn file(rows: usize) -> PlanFile {
        let plan = Plan {
            schema: PLAN_SCHEMA.into(),
            created_at: at("2026-03-01T00:00:00Z"),
            expires_at: at("2026-03-02T00:00:00Z"),
            verb: Verb::Stop,
            preset: "cautious".into(),
            filter: "gpu<5".into(),
            justification: String::new(),
            fleet_size: 280,
            net_usd_per_hour: None,
            items: (0..rows).map(row).collect(),
        };
        let arn: Arc<str> = "arn:aws:iam::123456789012:user/b".into();
        let approval = Approval {
            sha256: plan.hash(),
            approver: [("123456789012".into(), arn)].into(),
            approved_at: at("2026-03-01T01:00:00Z"),
            expires_at: at("2026-03-02T01:00:00Z"),
            signature: Some(Signature {
                key_id: "arn:aws:kms:eu-west-1:123456789012:key/k".into(),
                algorithm: "ECDSA_SHA_256".into(),
                signature: "00ff".into(),
            }),
        };
        PlanFile { plan, approvals: vec![approval] }
    }

    /// The refusal of a file in which one thing was changed.
    fn refusal(change: impl FnOnce(&mut Value)) -> String {
        let mut value = serde_json::to_value(file(2)).unwrap();
        change(&mut value);
        PlanFile::parse(value.to_string().as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn an_approval_of_its_own_is_as_foreign_as_a_plan() {
        let approval = file(1).approvals.remove(0);
        let read = |value: &Value| parse_approval(value.to_string().as_bytes(), LONGEST);
        let value = serde_json::to_value(&approval).unwrap();
        assert_eq!(read(&value), Ok(approval));
        let account = "123456789012";
        for (place, bad) in [
            ("/approver", json!({ account: "arn:aws:iam::1:user/\u{1b}]52;c;x\u{7}" })),
            ("/approver", json!({ account: "somebody" })),
            ("/approver", json!({})),
            ("/sha256", json!("")),
            ("/expires_at", json!("2026-03-10T01:00:00Z")),
            ("/expires_at", json!("2026-02-01T01:00:00Z")),
        ] {
            let mut value = value.clone();
            *value.pointer_mut(place).unwrap() = bad;
            assert!(read(&value).is_err(), "{value:#}");
        }
        let mut more = value.clone();
        more["for"] = json!("everything");
        assert!(read(&more).is_err());
    }

    #[test]
    fn a_person_cannot_write_the_mark_of_a_policy() {
        let reason = "marked=2020-01-01T00:00:00Z policy=p rule=r since long";
        let refusal = refusal(|v| {
            v["plan"]["verb"] =
                json!({ "kind": "mark", "expires": "2026-03-01T02:00:00Z", "reason": reason });
        });
        assert!(refusal.contains("reads like the mark of a policy"), "{refusal}");
    }

    #[test]
    fn what_was_written_reads_back_with_its_hash() {
        let file = file(3);
        let read = PlanFile::parse(file.to_text().as_bytes()).unwrap();
        assert_eq!(read, file);
        assert_eq!(read.plan.hash(), read.approvals[0].sha256);
    }

    #[test]
    fn what_cannot_be_says_where() {
        type Change = fn(&mut Value);
        let cases: [(Change, &str); 20] = [
            (
                |v| v["plan"]["items"][0]["usd_per_hour"] = json!(0.1 + 0.2),
                "more than six decimals",
            ),
            (|v| v["plan"]["schema"] = json!("burntop/plan/9"), "its schema is \"burntop/plan/9\""),
            (|v| v["plan"]["items"] = json!([]), "plan.items: there are none"),
            (|v| v["plan"]["items"][1] = v["plan"]["items"][0].clone(), "plan.items[1].id: i-"),
            (
                |v| v["plan"]["items"][1]["usd_per_hour"] = json!(-1.0),
                "plan.items[1].usd_per_hour: -1",
            ),
            (
                |v| v["plan"]["items"][0]["usd_per_hour"] = json!(1e300),
                "plan.items[0].usd_per_hour: 1",
            ),
            (
                |v| v["plan"]["items"][0]["name"] = json!("a\u{1b}[2J"),
                "plan.items[0].name: it holds control",
            ),
            (
                |v| v["plan"]["justification"] = json!("\u{202e}"),
                "plan.justification: it holds control",
            ),
            (|v| v["plan"]["filter"] = json!("x".repeat(5000)), "plan.filter: it is longer"),
            (
                |v| v["plan"]["items"][0]["id"] = json!("i-1 --force"),
                "plan.items[0].id: \"i-1 --force\"",
            ),
            (
                |v| v["plan"]["items"][0]["scope"]["account"] = json!("12"),
                "plan.items[0].scope.account",
            ),
            (
                |v| v["plan"]["items"][0]["scope"]["region"] = json!("a/b"),
                "plan.items[0].scope.region",
            ),
            (
                |v| v["plan"]["items"][0]["force"] = json!(true),
                "plan.items[0].force: this version knows no",
            ),
            (|v| v["plan"]["fleet_size"] = json!(1), "plan.fleet_size: 1 is no fleet"),
            (|v| v["plan"]["fleet_size"] = json!(4_000_000_000_u32), "plan.fleet_size"),
            (
                |v| v["plan"]["expires_at"] = json!("2036-01-01T00:00:00Z"),
                "plan.expires_at: more than 168",
            ),
            (
                |v| v["plan"]["expires_at"] = json!("2026-02-01T00:00:00Z"),
                "plan.expires_at: it lies before",
            ),
            (
                |v| v["approvals"][0]["approver"] = json!({}),
                "approvals[0].approver: it names nobody",
            ),
            (|v| v["approvals"][0]["sha256"] = json!("00"), "approvals[0].sha256"),
            (|v| v["plan"]["verb"] = json!({ "kind": "explode" }), "explode"),
        ];
        for (change, says) in cases {
            let text = refusal(change);
            assert!(text.contains(says), "{says}: {text}");
            assert!(!text.chars().any(text::is_unsafe), "{text:?}");
        }
    }

    #[test]
    fn a_mark_in_the_past_marks_nothing() {
        let text = refusal(|v| {
            v["plan"]["verb"] =
                json!({ "kind": "mark", "expires": "2026-02-01T00:00:00Z", "reason": "" });
        });
        assert!(text.starts_with("plan.verb.expires"), "{text}");
    }

    #[test]
    fn numbers_that_json_lacks_and_huge_files_are_refused() {
        let text = file(1).to_text();
        for number in ["NaN", "1e999", "-Infinity"] {
            let text = text.replace("32.7726", number);
            assert!(
                matches!(PlanFile::parse(text.as_bytes()), Err(PlanFileError::Json(_))),
                "{number}"
            );
        }
        let huge = vec![b' '; MAX_BYTES + 1];
        assert_eq!(PlanFile::parse(&huge), Err(PlanFileError::TooLarge));
        let many = file(MAX_ITEMS + 1);
        let many = PlanFile { plan: Plan { fleet_size: 100_000, ..many.plan }, ..many };
        let refused = PlanFile::parse(many.to_text().as_bytes()).unwrap_err().to_string();
        assert!(refused.contains("plan.items: more than 10000"), "{refused}");
    }

    #[test]
    fn a_key_that_stands_twice_is_refused() {
        let text = file(1).to_text().replacen("\"plan\":", "\"plan\": {}, \"plan\":", 1);
        assert!(PlanFile::parse(text.as_bytes()).is_err());
    }

    proptest! {
        #[test]
        fn any_text_ends_well(source in "[\\[\\]{}:,\"a-z0-9. \\-\\\\]{0,200}") {
            let _ = PlanFile::parse(source.as_bytes());
        }

        /// One byte of a good file changed: it is refused, or another hash says so, or it changed
        /// an approval or a blank.
        #[test]
        fn a_changed_byte_never_passes_for_the_approved_plan(at in 0_usize..2_000, byte in any::<u8>()) {
            let good = file(2);
            let mut bytes = good.to_text().into_bytes();
            let at = at % bytes.len();
            bytes[at] = byte;
            if let Ok(read) = PlanFile::parse(&bytes) {
                prop_assert!(read.plan == good.plan || read.plan.hash() != good.plan.hash());
            }
        }

        #[test]
        fn plans_round_trip(
            rows in 1_usize..20,
            micro_usd in proptest::option::of(0..10_000_000_000_u64),
            justification in "[\\PC&&[^\u{200b}-\u{200f}\u{2028}-\u{202e}\u{2060}-\u{206f}\u{61c}\u{feff}\u{fff9}-\u{fffb}\u{e0000}-\u{e007f}]]{0,60}",
        ) {
            let mut file = file(rows);
            file.plan.justification = justification;
            // As a calculation leaves it: with all its digits.
            let usd = micro_usd.map(|n| n as f64 * 1e-6);
            file.plan.items[0].usd_per_hour = usd.map(whole_millionths);
            let read = PlanFile::parse(file.to_text().as_bytes());
            prop_assert_eq!(read.as_ref(), Ok(&file));
            prop_assert_eq!(read.unwrap().plan.hash(), file.plan.hash());
        }
    }
}
