//! What an account answers: credentials, clock, regions, permissions.

use std::sync::Arc;

use futures_util::future::join_all;

use super::probe::{self, Asked, Permission, judged, within};
use super::{Check, Terms, network, resources, savings, storage};
use crate::bus::{Account, Regions};
use crate::domain::{ErrorKind, SourceError, text};
use crate::source::provider::Identity;

const CREDENTIALS: &str = "credentials";
const CLOCK: &str = "clock";
const REGIONS: &str = "regions";

/// Checks credentials, clock, regions and permissions of one account.
pub async fn examine(account: &Account, terms: &Terms) -> Vec<Check> {
    let label = text::clean(account.provider.label()).into_owned();
    let mut checks = checks(account, terms).await;
    for check in &mut checks {
        check.account = Some(label.clone());
    }
    checks
}

async fn checks(account: &Account, terms: &Terms) -> Vec<Check> {
    let provider = account.provider.as_ref();
    let identity = within(terms.limit, "sts:GetCallerIdentity", provider.identity()).await;
    let mut checks = vec![credentials(&identity), clock(terms, &identity)];
    checks.extend(provider.network().await.map(|n| network::check(&n, identity.as_ref().err())));
    let Ok(identity) = identity else {
        let text = "not asked: without credentials there is nobody to ask";
        checks.push(Check::skip(REGIONS, text));
        checks.extend(not_asked(&probe::PERMISSIONS, text));
        return checks;
    };
    let listed = within(terms.limit, "ec2:DescribeRegions", provider.regions()).await;
    let wanted = match &account.regions {
        Regions::Home => within_home(account, terms).await,
        Regions::Named(list) => Wanted::These(list.clone()),
        Regions::Enabled => Wanted::Enabled,
    };
    let (regions, mut check) = chosen(wanted, &listed);
    let answers = join_all(regions.iter().map(async |region| {
        let page = provider.instances(&identity.account, region, None);
        (region, within(terms.limit, "ec2:DescribeInstances", page).await.map(drop))
    }));
    let Some(first) = regions.first() else {
        checks.push(check);
        checks.extend(judged("ec2:DescribeRegions", &listed));
        checks
            .extend(not_asked(&probe::PERMISSIONS[1..], "not asked: there is no region to ask in"));
        return checks;
    };
    let (answers, probes) = tokio::join!(answers, probe::probes(provider, first, terms));
    if check.status == super::Status::Ok {
        check = reachable(&answers);
    }
    checks.push(check);
    checks.extend(judged("ec2:DescribeRegions", &listed));
    // The permission is the account's: one region that answers proves it.
    let instances = answers.iter().find(|(_, a)| a.is_ok()).or(answers.first());
    checks.extend(instances.and_then(|(_, answer)| judged("ec2:DescribeInstances", answer)));
    checks.extend(probes);
    checks.extend(savings::probes(provider, &identity.account, first, terms).await);
    if let Some(source) = &account.storage {
        checks.extend(storage::probes(source.as_ref(), &identity.account, first, terms).await);
    }
    checks.extend(resources::probes(provider, &identity.account, first, terms).await);
    checks
}

fn not_asked(permissions: &[Permission], why: &str) -> impl Iterator<Item = Check> {
    permissions.iter().map(move |p| Check::skip(&format!("permission/{}", p.action), why))
}

fn credentials(identity: &Asked<Identity>) -> Check {
    match identity {
        Ok(who) => Check::ok(CREDENTIALS, format!("{} in account {}", who.arn, who.account)),
        Err(e) => failed(CREDENTIALS, e),
    }
}

fn failed(id: &str, error: &SourceError) -> Check {
    let fix = Some(error.advice()).filter(|fix| !fix.is_empty()).map(str::to_owned);
    Check {
        fix,
        ..Check::new(id, super::Status::Fail, format!("{}: {}", error.kind.word(), error.message))
    }
}

/// Requests are signed with this machine's time, and AWS refuses a signature that is five minutes
/// off: an answer proves the clock.
fn clock(terms: &Terms, identity: &Asked<Identity>) -> Check {
    match identity {
        _ if terms.demo => Check::skip(CLOCK, "the demo fleet signs nothing"),
        Ok(_) => Check::ok(CLOCK, "AWS accepts signatures with this machine's time"),
        Err(e) if e.kind == ErrorKind::ClockSkew => Check::fail(
            CLOCK,
            e.message.clone(),
            "set the clock, for example with `timedatectl set-ntp true`",
        ),
        Err(_) => Check::skip(CLOCK, "no signed request was answered"),
    }
}

/// The regions that burntop would read, before it is known whether they are there.
enum Wanted {
    These(Vec<Arc<str>>),
    Enabled,
    /// Nobody said in time.
    Unknown,
}

async fn within_home(account: &Account, terms: &Terms) -> Wanted {
    match tokio::time::timeout(terms.limit, account.provider.home_region()).await {
        Ok(region) => Wanted::These(vec![region]),
        Err(_) => Wanted::Unknown,
    }
}

/// The regions to ask, and whether they are there to be read.
fn chosen(wanted: Wanted, listed: &Asked<Vec<Arc<str>>>) -> (Vec<Arc<str>>, Check) {
    let fine = Check::ok(REGIONS, "");
    let none = |message: String, fix: &str| (Vec::new(), Check::fail(REGIONS, message, fix));
    match (wanted, listed) {
        (Wanted::These(wanted), _) => enabled(wanted, listed, fine),
        (Wanted::Unknown, _) => none(
            "neither profile, environment nor instance named a region in time".into(),
            "pass `--region us-east-1`, or set AWS_REGION",
        ),
        (Wanted::Enabled, Ok(all)) if all.is_empty() => {
            none("no region is enabled in the account".into(), "enable one")
        }
        (Wanted::Enabled, Ok(all)) => (all.clone(), fine),
        (Wanted::Enabled, Err(e)) => none(
            format!("the enabled regions cannot be listed: {}", e.message),
            "name the regions, for example `--region us-east-1`",
        ),
    }
}

/// Takes out of `wanted` what is not enabled, where that is known.
fn enabled(
    wanted: Vec<Arc<str>>,
    listed: &Asked<Vec<Arc<str>>>,
    fine: Check,
) -> (Vec<Arc<str>>, Check) {
    let Ok(all) = listed else { return (wanted, fine) };
    let (there, missing): (Vec<_>, Vec<_>) = wanted.into_iter().partition(|r| all.contains(r));
    if missing.is_empty() {
        return (there, fine);
    }
    let names = missing.join(", ");
    let check = Check::fail(
        REGIONS,
        format!("not enabled in the account: {names}"),
        "enable it in the account's settings, or leave it out",
    );
    (there, check)
}

fn reachable(answers: &[(&Arc<str>, Asked<()>)]) -> Check {
    // Being denied is an answer too; the permission has a check of its own.
    let silent: Vec<String> = answers
        .iter()
        .filter_map(|(region, answer)| match answer {
            Err(e) if e.kind != ErrorKind::Denied => Some(format!("{region} ({})", e.kind.word())),
            _ => None,
        })
        .collect();
    let names: Vec<&str> = answers.iter().map(|(region, _)| region.as_ref()).collect();
    if silent.is_empty() {
        let verb = if names.len() == 1 { "answers" } else { "answer" };
        return Check::ok(REGIONS, format!("{} {verb}", names.join(", ")));
    }
    let count = silent.len();
    let text = format!("{count} of {} do not answer: {}", names.len(), silent.join(", "));
    let fix = "leave them out, or see whether a proxy or firewall stands between";
    if count < names.len() {
        Check::warn(REGIONS, text, fix)
    } else {
        Check::fail(REGIONS, text, fix)
    }
}

#[cfg(test)]
mod tests;
