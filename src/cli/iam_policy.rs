//! `burntop iam-policy`: the least that burntop needs, from the list of calls it makes.

use std::collections::BTreeSet;
use std::io::Write;

use serde_json::{Value, json};

use super::exit::CliError;
use crate::config::Config;
use crate::source::aws::calls;

/// Prints the policy. Roles from the configuration become a statement of their own: it belongs to
/// whoever assumes them, the first one to the roles.
pub fn print(config: &Config, out: &mut dyn Write) -> Result<(), CliError> {
    let roles = config.targets.iter().filter_map(|t| t.role_arn.as_deref()).collect();
    writeln!(out, "{:#}", read_only(&roles))?;
    Ok(())
}

/// The refusal of `--actions`: there is nothing to allow, and a policy for nothing would be one
/// that somebody attaches.
pub fn no_actions() -> CliError {
    CliError::Usage(
        "this release changes nothing in an account, so there is no policy for actions; \
         `burntop iam-policy` prints what reading needs"
            .into(),
    )
}

/// What reading needs. None of the calls can be restricted to resources (Service Authorization
/// Reference), but for assuming a role, which is granted on the role alone.
fn read_only(roles: &BTreeSet<&str>) -> Value {
    let reads = calls::ALL.iter().filter(|c| c.read_only).map(|c| c.action);
    let mut statements = vec![json!({
        "Sid": "BurntopReads",
        "Effect": "Allow",
        "Action": reads.collect::<BTreeSet<_>>(),
        "Resource": "*",
    })];
    if !roles.is_empty() {
        statements.push(json!({
            "Sid": "BurntopAssumesItsRoles",
            "Effect": "Allow",
            "Action": calls::ASSUME_ROLE.action,
            "Resource": roles,
        }));
    }
    json!({ "Version": "2012-10-17", "Statement": statements })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::PERMISSIONS;

    #[test]
    fn the_policy_is_pinned() {
        insta::assert_snapshot!(format!("{:#}", read_only(&BTreeSet::new())));
    }

    #[test]
    fn the_policy_allows_exactly_the_calls_that_are_made() {
        let policy = read_only(&BTreeSet::new());
        let allowed: BTreeSet<&str> = policy["Statement"][0]["Action"]
            .as_array()
            .unwrap()
            .iter()
            .map(|a| a.as_str().unwrap())
            .collect();
        assert_eq!(allowed, calls::ALL.iter().map(|c| c.action).collect());
        for action in &allowed {
            let (_, operation) = action.split_once(':').unwrap();
            let reads = ["Get", "List", "Describe"].iter().any(|p| operation.starts_with(p));
            assert!(reads && !action.contains('*'), "{action}");
        }
    }

    #[test]
    fn roles_are_named_and_never_a_star() {
        let role = "arn:aws:iam::123456789012:role/burntop-read";
        let policy = read_only(&[role].into());
        assert_eq!(policy["Statement"][1]["Action"], "sts:AssumeRole");
        assert_eq!(policy["Statement"][1]["Resource"], json!([role]));
    }

    #[test]
    fn the_doctor_probes_every_call() {
        let mut probed: BTreeSet<&str> = PERMISSIONS.iter().map(|p| p.action).collect();
        // The check of the credentials.
        probed.insert("sts:GetCallerIdentity");
        assert_eq!(probed, calls::ALL.iter().map(|c| c.action).collect());
    }
}
