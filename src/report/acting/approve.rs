//! What an approver is shown, as JSON.

use serde_json::{Value as Json, json};

use super::plan::{head, item};
use super::storage;
use crate::act::plan::policy::RuleMatches;
use crate::act::plan::storage::StoragePlan;
use crate::act::plan::{Breach, CapUse, Plan};
use crate::report::page::Page;
use crate::report::{Format, write};
use crate::view::ViewContext;

const BASIS: &str = "what is approved, as the file has it; counts by environment and the caps of this \
                     machine's configuration against all of it";

/// A plan and the caps against it.
pub fn plan_to_approve(
    plan: &Plan,
    (breaches, caps): (&[Breach], &[CapUse]),
    ctx: &ViewContext,
) -> String {
    let row = |i| Json::Object(item(i).into_iter().map(|(k, v)| (k.to_owned(), v)).collect());
    let more = vec![
        ("plan", head(plan)),
        ("plan_sha256", json!(plan.hash())),
        ("environments", json!(plan.environments())),
        ("caps", json!(caps)),
        ("breaches", words(breaches)),
    ];
    written(plan.items.iter().map(row).collect(), more, ctx)
}

/// A plan about storage and the caps against it.
pub fn storage_plan_to_approve(
    plan: &StoragePlan,
    (breaches, caps): (&[Breach], &[CapUse]),
    ctx: &ViewContext,
) -> String {
    let more = vec![
        ("plan", storage::head(plan)),
        ("plan_sha256", json!(plan.hash())),
        ("environments", json!(plan.environments())),
        ("caps", json!(caps)),
        ("breaches", words(breaches)),
    ];
    let rows = plan.items.iter().map(storage::item).collect();
    written(rows, more, ctx)
}

/// A policy: its rules with what they match, and the caps were all that is idle now stopped at once.
pub fn policy_to_approve(
    name: &str,
    sha256: &str,
    rules: &[RuleMatches],
    caps: &[CapUse],
    ctx: &ViewContext,
) -> String {
    let more =
        vec![("policy", json!(name)), ("policy_sha256", json!(sha256)), ("caps", json!(caps))];
    let rows = rules.iter().map(|r| json!(r)).collect();
    written(rows, more, ctx)
}

fn written(rows: Vec<Json>, more: Vec<(&'static str, Json)>, ctx: &ViewContext) -> String {
    let basis = BASIS.to_owned();
    write(&Page { view: "approve", basis, rows, more, ..Page::default() }, Format::Json, ctx)
}

fn words(breaches: &[Breach]) -> Json {
    breaches.iter().map(|b| json!(b.to_string())).collect()
}
