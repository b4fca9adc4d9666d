//! Drafts a plan from rows of the fleet.

use std::collections::HashSet;
use std::hash::BuildHasher;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::digest::sha256_hex;
use super::item::{PLAN_SCHEMA, Plan, PlanItem};
use super::rules::Rules;
use super::verb::Verb;
use crate::domain::{
    Instance, InstanceState, PriceBasis, Provenance, Rate, Scope, SourceId, Verdict, text,
};
use crate::fleet::commitments::{CoveredBy, Net, joint_saving};
use crate::fleet::{Fleet, HeldBy, Row};
use crate::view::reasons;

/// Parameters of a plan, beside its rows.
#[derive(Clone, Debug)]
pub struct Draft<'a> {
    /// Action.
    pub verb: Verb,
    /// Name of the preset whose verdicts the plan rests on.
    pub preset: &'a str,
    /// The filter that chose the rows; empty for rows marked by hand.
    pub filter: &'a str,
    /// Justification; may be empty.
    pub justification: &'a str,
    /// Time from `now` until the plan expires.
    pub valid_for: SignedDuration,
    /// The present moment.
    pub now: Timestamp,
}

/// Why no plan was drafted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DraftError {
    /// There are no rows.
    #[error("no instance was chosen; mark some, or narrow with a filter that matches some")]
    Empty,
}

/// Drafts a plan for `rows` of `fleet`. Rows that cannot pass the guards are taken in as well:
/// the preflight says why they leave, which is more than a row that is not there can say.
pub fn draft(
    fleet: &Fleet,
    rows: &[&Row],
    rules: &Rules,
    draft: &Draft<'_>,
) -> Result<Plan, DraftError> {
    if rows.is_empty() {
        return Err(DraftError::Empty);
    }
    let living = fleet.rows.iter().filter(|r| r.instance.state != InstanceState::Terminated);
    // The first picture of a session holds some rows only, with the totals of all.
    let size = living.count().max(fleet.totals.instances as usize);
    Ok(Plan {
        schema: PLAN_SCHEMA.to_owned(),
        created_at: draft.now,
        expires_at: draft.now.saturating_add(draft.valid_for).unwrap_or(draft.now),
        verb: draft.verb.clone(),
        preset: draft.preset.to_owned(),
        filter: text::clean(draft.filter).into_owned(),
        justification: text::clean(draft.justification).into_owned(),
        fleet_size: u32::try_from(size).unwrap_or(u32::MAX),
        net_usd_per_hour: draft
            .verb
            .is_destructive()
            .then(|| {
                let ids: HashSet<Arc<str>> =
                    rows.iter().map(|row| row.instance.id.clone()).collect();
                net(fleet, &ids, draft.now).map(whole_millionths)
            })
            .flatten(),
        items: rows.iter().map(|row| item(fleet, row, rules)).collect(),
    })
}

/// What the bill falls by when the instances of `ids` stop together, commitments considered, USD/h;
/// `None` when it is not known.
pub fn net<S: BuildHasher>(
    fleet: &Fleet,
    ids: &HashSet<Arc<str>, S>,
    now: Timestamp,
) -> Option<f64> {
    let holdings = fleet.book.holdings.as_ref()?;
    let instances: Vec<Arc<Instance>> = fleet.rows.iter().map(|r| r.instance.clone()).collect();
    joint_saving(&instances, ids, holdings, &fleet.book.prices, now)
}

/// Commitment that pays for an instance whether it runs or not, in words; empty for none.
fn covered_by(row: &Row) -> String {
    let Some(Net::Known(cover)) = row.net.as_deref() else { return String::new() };
    let one = |by: &CoveredBy| format!("{} {}", by.kind.label(), by.id);
    cover.by.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn item(fleet: &Fleet, row: &Row, rules: &Rules) -> PlanItem {
    PlanItem {
        judged_until: judged_until(fleet, &row.instance.scope),
        evidence_sha256: evidence_hash(row),
        ..known_item(row, rules)
    }
}

/// A row of a plan without what its evidence is and when it was read.
pub(super) fn known_item(row: &Row, rules: &Rules) -> PlanItem {
    let instance = &row.instance;
    let verdict = row.verdict.as_deref();
    PlanItem {
        id: instance.id.clone(),
        scope: instance.scope.clone(),
        az: instance.az.clone(),
        name: instance.name.clone(),
        instance_type: instance.instance_type.clone(),
        state: instance.state,
        launched_at: instance.launched_at,
        verdict: verdict.map(|v| v.kind),
        idle_since: verdict.and_then(|v| v.idle_since),
        judged_until: None,
        evidence_sha256: String::new(),
        usd_per_hour: row.rate.as_ref().map(|r| whole_millionths(r.usd_per_hour)),
        net_usd_per_hour: row.net_usd_per_hour().map(whole_millionths),
        covered_by: covered_by(row),
        price_basis: row.rate.as_ref().map(basis).unwrap_or_default(),
        production: rules.is_production(&instance.scope.account, &instance.tags),
        environment: row.environment.clone(),
        held_by: row.held_by.as_deref().map(HeldBy::words).unwrap_or_default(),
    }
}

/// USD to six digits behind the point, as price lists have them. Longer numbers need not come back
/// from JSON as they went (`serde_json` reads them to one unit in the last place), and the hash of
/// a plan that was read would not be that of the plan that was written.
pub(super) fn whole_millionths(usd: f64) -> f64 {
    (usd * 1e6).round() / 1e6
}

/// When the metrics of a scope were last read; `None` where they never were.
pub(super) fn judged_until(fleet: &Fleet, scope: &Scope) -> Option<Timestamp> {
    let readings = fleet.readings.iter();
    readings
        .filter(|r| r.source == SourceId::CloudWatch && r.scope == *scope)
        .filter_map(|r| r.taken_at)
        .max()
}

/// SHA-256 over id, launch and verdict with every signal and its reasons in words, as compact JSON.
fn evidence_hash(row: &Row) -> String {
    let said = |v: &Verdict| Verdict {
        reason: reasons::verdict(&v.reason).as_str().into(),
        not_checked: v.not_checked.iter().map(|u| (&*reasons::unchecked(u)).into()).collect(),
        network_out_bytes_per_day: None,
        ..v.clone()
    };
    let evidence: (&Arc<str>, Timestamp, Option<Verdict>) =
        (&row.instance.id, row.instance.launched_at, row.verdict.as_deref().map(said));
    let Ok(json) = serde_json::to_string(&evidence) else { return String::new() };
    // No verdict rests on it, and plans that are approved have hashes without it.
    sha256_hex(json.replacen(NOT_JUDGED, "", 1).as_bytes())
}

/// The field of a verdict that is no evidence, as compact JSON.
const NOT_JUDGED: &str = ",\"network_out_bytes_per_day\":null";

/// Basis and provenance in words.
fn basis(rate: &Rate) -> String {
    let kind = match rate.basis {
        PriceBasis::OnDemandList => "on-demand list price",
        PriceBasis::Spot => "spot price",
        PriceBasis::Private => "private rate",
    };
    match &rate.provenance {
        Provenance::Live { at } => format!("{kind}, read {at}"),
        Provenance::Embedded { date } => format!("{kind} of {date}"),
        Provenance::Demo => format!("{kind}, demo"),
        Provenance::Configured => format!("{kind}, configured"),
        Provenance::Bill { period } => format!("{kind}, bill of {period}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{InstanceReason, Unchecked};
    use crate::view::fixture;

    /// A plan names the evidence by the same hash as when verdicts kept their words.
    #[test]
    fn the_hash_of_evidence_is_of_its_words() {
        let mut row = (*fixture::fleet().rows[0]).clone();
        let mut verdict = fixture::verdict(crate::domain::VerdictKind::Unknown, 8, None, "");
        verdict.reason = InstanceReason::GpusSilent.into();
        verdict.network_out_bytes_per_day = Some(7e9);
        verdict.not_checked = [Unchecked::Memory, "disks".into()].into();
        row.verdict = Some(verdict.into());
        let (id, launched) = (&row.instance.id, row.instance.launched_at);
        let words = format!(
            "[\"{id}\",\"{launched}\",{{\"kind\":\"unknown\",\"idle_since\":null,\
             \"idle_since_at_least\":false,\"idle_gpus\":null,\"devices\":8,\"coverage\":1.0,\
             \"gpu_percent\":null,\"cpu_percent\":3.2,\"network_bytes_per_day\":2100000.0,\
             \"signals\":[],\"not_checked\":[\"memory\",\"disks\"],\"reason\":\"Unknown: no GPU \
             telemetry; install the CloudWatch agent with nvidia_gpu.\",\"likely\":null}}]"
        );
        assert_eq!(evidence_hash(&row), sha256_hex(words.as_bytes()));
    }
}
