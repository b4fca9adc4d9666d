//! The plan file of storage: a plan with the approvals it was given. It is as foreign as that of
//! instances, and checked in the same way.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fit::MAX_RULES;
use super::item::{Matter, STORAGE_PLAN_SCHEMA, StorageItem, StoragePlan};
use super::lifecycle_hash;
use super::verb::StorageVerb;
use crate::act::plan::file::{
    self, LONGEST, MAX_APPROVALS, MAX_BYTES, MAX_ITEMS, PlanFile, PlanFileError, foreign,
    is_sha256, plain, schema_of, span, wrong,
};
use crate::act::plan::{Approval, draft};

/// The most that a row is believed to save or cost, USD per month.
const MAX_USD_PER_MONTH: f64 = 1e9;

/// A plan about storage with its approvals, as a plan file holds them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoragePlanFile {
    /// The plan.
    pub plan: StoragePlan,
    /// Approvals of the plan, oldest first.
    pub approvals: Vec<Approval>,
}

/// A plan file of either kind.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyPlan {
    /// A plan about instances.
    Instances(PlanFile),
    /// A plan about storage.
    Storage(StoragePlanFile),
}

impl AnyPlan {
    /// Reads the bytes of a file, by the schema that it names.
    pub fn parse(bytes: &[u8]) -> Result<Self, PlanFileError> {
        if bytes.len() > MAX_BYTES {
            return Err(PlanFileError::TooLarge);
        }
        let value: Option<Value> = serde_json::from_slice(bytes).ok();
        if value.as_ref().and_then(schema_of) == Some(STORAGE_PLAN_SCHEMA) {
            return StoragePlanFile::parse(bytes).map(Self::Storage);
        }
        PlanFile::parse(bytes).map(Self::Instances)
    }
}

impl StoragePlanFile {
    /// Reads the bytes of a file. What it returns is clean text and believable figures; whether the
    /// plan may run is for the guards to say.
    pub fn parse(bytes: &[u8]) -> Result<Self, PlanFileError> {
        let file = foreign(bytes, |value| match schema_of(value) {
            Some(STORAGE_PLAN_SCHEMA) | None => Ok(()),
            Some(other) => Err(schema(other)),
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

fn schema(other: &str) -> PlanFileError {
    let why = format!("this is \"{other}\", and {STORAGE_PLAN_SCHEMA} is what is read here");
    PlanFileError::Value { place: "plan.schema".to_owned(), why }
}

fn believable(file: &StoragePlanFile) -> Result<(), PlanFileError> {
    let plan = &file.plan;
    if plan.schema != STORAGE_PLAN_SCHEMA {
        return Err(schema(&plan.schema));
    }
    span("plan.expires_at", plan.created_at, plan.expires_at, LONGEST)?;
    if plan.items.is_empty() {
        return wrong("plan.items", "there are none");
    }
    let max = if plan.verb == StorageVerb::PutLifecycle { 1 } else { MAX_ITEMS };
    if plan.items.len() > max {
        return wrong("plan.items", format!("more than {max}"));
    }
    let mut ids = BTreeSet::new();
    for (i, item) in plan.items.iter().enumerate() {
        let place = format!("plan.items[{i}]");
        self::item(&place, item, plan.verb)?;
        if !ids.insert(item.id().clone()) {
            return wrong(place, format!("{} stands there twice", item.id()));
        }
    }
    if file.approvals.len() > MAX_APPROVALS {
        return wrong("approvals", format!("more than {MAX_APPROVALS}"));
    }
    for (i, approval) in file.approvals.iter().enumerate() {
        file::approval(&format!("approvals[{i}]"), approval, LONGEST)?;
    }
    Ok(())
}

fn item(place: &str, item: &StorageItem, verb: StorageVerb) -> Result<(), PlanFileError> {
    let account = &item.scope.account;
    if account.len() != 12 || !account.bytes().all(|b| b.is_ascii_digit()) {
        return wrong(format!("{place}.scope.account"), format!("\"{account}\" is no account id"));
    }
    if !plain(&item.scope.region, 64) {
        return wrong(
            format!("{place}.scope.region"),
            format!("\"{}\" is none", item.scope.region),
        );
    }
    match item.usd_per_month {
        Some(usd) if draft::whole_millionths(usd).to_bits() != usd.to_bits() => {
            return wrong(
                format!("{place}.usd_per_month"),
                format!("{usd} has more than six decimals"),
            );
        }
        Some(usd) if usd.abs() > MAX_USD_PER_MONTH || !usd.is_finite() => {
            return wrong(format!("{place}.usd_per_month"), format!("{usd} is no price"));
        }
        _ => {}
    }
    match (&item.matter, verb) {
        (Matter::Volume(volume), StorageVerb::DeleteVolume | StorageVerb::ModifyVolume) => {
            if !(volume.id.starts_with("vol-") && plain(&volume.id, 64)) {
                let why = format!("\"{}\" is no volume id", volume.id);
                return wrong(format!("{place}.matter.id"), why);
            }
            if !plain(&volume.az, 64) {
                return wrong(format!("{place}.matter.az"), format!("\"{}\" is none", volume.az));
            }
            if volume.target.is_some() != (verb == StorageVerb::ModifyVolume) {
                return wrong(
                    format!("{place}.matter.target"),
                    "it is for modify-volume, and there alone",
                );
            }
            Ok(())
        }
        (Matter::Bucket(bucket), StorageVerb::PutLifecycle) => {
            let named = (3..=63).contains(&bucket.name.len())
                && bucket.name.bytes().all(|b| {
                    b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'.'
                });
            if !named {
                let why = format!("\"{}\" is no bucket name", bucket.name);
                return wrong(format!("{place}.matter.name"), why);
            }
            if !is_sha256(&bucket.before_sha256)
                || lifecycle_hash(bucket.before.as_ref()) != bucket.before_sha256
            {
                let why = "it is not the SHA-256 of `before`";
                return wrong(format!("{place}.matter.before_sha256"), why);
            }
            if bucket.after.rules.len() > MAX_RULES {
                return wrong(
                    format!("{place}.matter.after.rules"),
                    format!("more than {MAX_RULES}"),
                );
            }
            Ok(())
        }
        _ => wrong(format!("{place}.matter"), format!("{} is for something else", verb.word())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::act::plan::storage::fixture;

    fn refusal(file: &StoragePlanFile, change: impl FnOnce(&mut Value)) -> String {
        let mut value = serde_json::to_value(file).unwrap();
        change(&mut value);
        StoragePlanFile::parse(value.to_string().as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn what_was_written_reads_back_with_its_hash() {
        for plan in [
            fixture::plan(StorageVerb::DeleteVolume),
            fixture::plan(StorageVerb::ModifyVolume),
            fixture::plan(StorageVerb::PutLifecycle),
        ] {
            let file = StoragePlanFile { plan, approvals: vec![] };
            let read = StoragePlanFile::parse(file.to_text().as_bytes()).unwrap();
            assert_eq!(read.plan.hash(), file.plan.hash());
            assert_eq!(read, file);
            let any = AnyPlan::parse(file.to_text().as_bytes()).unwrap();
            assert_eq!(any, AnyPlan::Storage(file));
        }
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_place() {
        let file = |verb| StoragePlanFile { plan: fixture::plan(verb), approvals: vec![] };
        let volume = file(StorageVerb::DeleteVolume);
        let bucket = file(StorageVerb::PutLifecycle);
        for (file, place, bad, says) in [
            (&volume, "/plan/items/0/matter/id", json!("i-1"), "is no volume id"),
            (&volume, "/plan/items/0/matter/id", json!("vol-1 --region x"), "is no volume id"),
            (&volume, "/plan/items/0/matter/state", json!("a\u{1b}[2J"), "control characters"),
            (&volume, "/plan/items/0/scope/account", json!("1"), "is no account id"),
            (&volume, "/plan/items/0/usd_per_month", json!(0.123_456_7), "six decimals"),
            (&volume, "/plan/items", json!([]), "there are none"),
            (&volume, "/plan/verb", json!("put-lifecycle"), "is for something else"),
            (&volume, "/plan/verb", json!("modify-volume"), "it is for modify-volume"),
            (&volume, "/plan/schema", json!("burntop/plan-storage/2"), "is what is read here"),
            (&volume, "/plan/expires_at", json!("2027-01-01T00:00:00Z"), "are not possible"),
            (&bucket, "/plan/items/0/matter/name", json!("Bucket/x"), "is no bucket name"),
            (&bucket, "/plan/items/0/matter/before/rules", json!([]), "not the SHA-256"),
            (&bucket, "/plan/items/0/matter/before_sha256", json!("00"), "not the SHA-256"),
        ] {
            let refusal = refusal(file, |v| *v.pointer_mut(place).unwrap() = bad.clone());
            assert!(refusal.contains(says), "{place} {bad}: {refusal}");
        }
        let more = refusal(&bucket, |v| v["plan"]["items"][0]["matter"]["after"]["x"] = json!(1));
        assert!(more.contains("knows no such key"), "{more}");
        let twice = refusal(&volume, |v| {
            let first = v["plan"]["items"][0].clone();
            v["plan"]["items"].as_array_mut().unwrap().push(first);
        });
        assert!(twice.contains("twice"), "{twice}");
    }
}
