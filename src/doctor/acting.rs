//! Whether anything may be changed, and whether it would be written down. The facts are gathered
//! by the caller.

use std::collections::BTreeMap;

use super::{Check, Status};
use crate::act::exec::audit::{AuditError, Chain};
use crate::act::plan::AccountRules;
use crate::domain::{ErrorKind, Inspection, Known, SourceError, text};
use crate::files::Cause;

/// Id of the check whether an account may be changed.
pub const ACTIONS: &str = "actions";
/// Id of the check whether guards get their answers.
pub const PREFLIGHT: &str = "preflight";
/// Id of the check of the audit log.
pub const AUDIT: &str = "audit_log";

/// Whether an account may be changed, and which setting decides. `by_flag` = `--allow-actions` was given.
pub fn actions(label: &str, rules: &AccountRules, by_flag: bool) -> Check {
    let armed_by = if by_flag { "--allow-actions" } else { "`allow_actions` of the account" };
    let production = if rules.production { "; production: acting needs a reason" } else { "" };
    let message = match (rules.armed, rules.read_only) {
        (true, true) => format!("pinned read-only by the configuration, over {armed_by}"),
        (false, true) => "pinned read-only by the configuration".to_owned(),
        (true, false) => format!("armed by {armed_by}{production}"),
        (false, false) => "read-only: neither --allow-actions nor `allow_actions`".to_owned(),
    };
    let check = match &rules.withheld {
        Some(why) if rules.armed && !rules.read_only => Check::warn(
            ACTIONS,
            format!("not armed, though {armed_by} says so: {why}"),
            "give the entry `account_id`, or mend what it says; nothing is changed until then",
        ),
        _ => Check::ok(ACTIONS, message),
    };
    Check { account: Some(text::clean(label).into_owned()), ..check }
}

/// Whether the guards of an armed account would get their answers: `looked_at` is one of its instances,
/// `permitted` the result of EC2's dry run of a stop. Facts that this instance does not have (a Spot request, a
/// group) are not requested, so permissions for them are not tested.
pub fn preflight(
    label: &str,
    looked_at: &Inspection,
    permitted: &Result<(), SourceError>,
) -> Vec<Check> {
    let mut failed: BTreeMap<&str, &SourceError> = BTreeMap::new();
    for error in unread(looked_at).into_iter().flatten().chain(permitted.as_ref().err()) {
        failed.entry(&error.operation).or_insert(error);
    }
    let label = text::clean(label).into_owned();
    let of_account = |check: Check| Check { account: Some(label.clone()), ..check };
    if failed.is_empty() {
        let text = format!("the guards get their answers of {}; a stop is permitted", looked_at.id);
        return vec![of_account(Check::ok(PREFLIGHT, text))];
    }
    let check = |(action, error): (&&str, &&SourceError)| {
        let fix = match error.kind {
            ErrorKind::Denied => {
                format!("allow `{action}`; `burntop iam-policy --actions` prints it")
            }
            _ => error.advice().to_owned(),
        };
        let message = format!("{}: {}; what needs it is blocked", error.kind.word(), error.message);
        let fix = (!fix.is_empty()).then_some(fix);
        of_account(Check {
            fix,
            ..Check::new(&format!("permission/{action}"), Status::Warn, message)
        })
    };
    failed.iter().map(check).collect()
}

/// The errors in the place of facts.
fn unread(looked_at: &Inspection) -> [Option<&SourceError>; 10] {
    fn error<T>(fact: &Known<T>) -> Option<&SourceError> {
        fact.as_ref().err().map(|e| &**e)
    }
    let i = looked_at;
    [
        error(&i.instance),
        error(&i.spec),
        error(&i.launch),
        error(&i.termination_protection),
        error(&i.stop_protection),
        error(&i.volumes),
        error(&i.addresses),
        error(&i.group),
        error(&i.target_groups),
        error(&i.spot),
    ]
}

/// Whether the audit log is intact and its directory writable.
pub fn audit(
    place: &str,
    chain: Result<&Chain, &AuditError>,
    writable: Result<(), std::io::Error>,
) -> Check {
    let place = text::clean(place);
    match (chain, writable) {
        (Err(error), _) => Check::fail(
            AUDIT,
            text::clean(&error.to_string()),
            "nothing is done without an audit log",
        ),
        (Ok(chain), _) if !chain.holds() => Check::fail(
            AUDIT,
            format!(
                "{place}: {}",
                chain.problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
            ),
            "`burntop audit verify`; what a crash left is put right by `burntop audit reconcile`",
        ),
        (_, Err(why)) => Check::fail(
            AUDIT,
            format!("{place} cannot be written: {}", text::clean(&why.to_string())),
            format!("{}; nothing is done without an audit log", Cause::of(&why).advice()),
        ),
        (Ok(chain), Ok(())) => Check::ok(AUDIT, format!("{place}: {} lines, whole", chain.lines)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::act::plan::fixture;

    #[test]
    fn it_says_what_arms_and_what_pins() {
        let said = |armed, read_only, by_flag| {
            let rules =
                AccountRules { armed, read_only, production: true, ..AccountRules::default() };
            actions("prod", &rules, by_flag).message
        };
        assert!(said(true, false, true).starts_with("armed by --allow-actions; production"));
        assert!(said(true, false, false).starts_with("armed by `allow_actions`"));
        assert!(said(true, true, true).starts_with("pinned read-only"));
        assert!(said(false, false, false).starts_with("read-only"));
        let withheld = Some("pinned entry `prod` did not say which account it is".into());
        let rules = AccountRules { armed: true, withheld, ..AccountRules::default() };
        let check = actions("ops", &rules, true);
        assert_eq!(check.status, Status::Warn);
        assert!(check.message.starts_with("not armed, though --allow-actions"), "{check:?}");
        assert!(check.message.contains("`prod`") && check.fix.unwrap().contains("account_id"));
    }

    #[test]
    fn every_permission_that_a_guard_would_miss_is_named_once() {
        let fine = preflight("prod", &fixture::inspection(), &Ok(()));
        let said: Vec<_> = fine.iter().map(|c| (c.id.as_str(), c.status)).collect();
        assert_eq!(said, [(PREFLIGHT, Status::Ok)]);

        let denied = |action: &str| {
            let message = "you are not authorized";
            Arc::new(SourceError::new(ErrorKind::Denied, action, message, ""))
        };
        let blind = Inspection {
            termination_protection: Err(denied("ec2:DescribeInstanceAttribute")),
            stop_protection: Err(denied("ec2:DescribeInstanceAttribute")),
            volumes: Err(denied("ec2:DescribeVolumes")),
            addresses: Err(denied("ec2:DescribeAddresses")),
            group: Err(denied("autoscaling:DescribeAutoScalingInstances")),
            target_groups: Err(denied("elasticloadbalancing:DescribeTargetGroups")),
            ..fixture::inspection()
        };
        let stop = Err((*denied("ec2:StopInstances")).clone());
        let checks = preflight("prod", &blind, &stop);
        let ids: Vec<&str> = checks.iter().map(|c| c.id.as_str()).collect();
        assert_eq!(
            ids,
            [
                "permission/autoscaling:DescribeAutoScalingInstances",
                "permission/ec2:DescribeAddresses",
                "permission/ec2:DescribeInstanceAttribute",
                "permission/ec2:DescribeVolumes",
                "permission/ec2:StopInstances",
                "permission/elasticloadbalancing:DescribeTargetGroups",
            ]
        );
        for check in &checks {
            assert_eq!((check.status, check.account.as_deref()), (Status::Warn, Some("prod")));
            assert!(check.fix.as_deref().unwrap().contains("iam-policy --actions"), "{check:?}");
        }
    }

    #[test]
    fn a_log_is_whole_and_writable_or_it_fails() {
        let chain = Chain { lines: 7, head: String::new(), problems: vec![] };
        let fine = audit("/a", Ok(&chain), Ok(()));
        assert_eq!((fine.status, fine.message.as_str()), (Status::Ok, "/a: 7 lines, whole"));
        let full = audit("/a", Ok(&chain), Err(rustix::io::Errno::NOSPC.into()));
        assert_eq!(full.status, Status::Fail);
        let problems = vec![crate::act::exec::audit::Problem {
            line: 3,
            defect: crate::act::exec::audit::Defect::Changed,
        }];
        let broken = audit("/a", Ok(&Chain { problems, ..chain }), Ok(()));
        assert!(broken.status == Status::Fail && broken.message.contains("line 3"), "{broken:?}");
    }
}
