//! One row: an instance, its fit, prices, and what moving it is worth.

use std::sync::Arc;

use super::fit::Judged;
use super::gang::Gang;
use super::interruptions::per_hour;
use super::lot::{Lot, Lots};
use super::market::{Market, counted};
use super::rules::WorkKind;
use super::says::{self, Case};
use super::worth::{Ask, Worth, worth};
use crate::analyze::savings::SavingsInput;
use crate::analyze::shared_texts::{Shared, SharedTexts};
use crate::domain::{OwnerKind, Platform, Tenancy, spot_advisor};
use crate::fleet::Row;
use crate::fleet::savings::{Effort, Risk, SpotBecause, SpotFit, SpotNote, SpotRow, ZonePrice};

/// What rows of one picture share.
#[derive(Default)]
pub(super) struct InCommon {
    notes: Shared<SpotNote>,
    because: Shared<SpotBecause>,
    dates: SharedTexts,
}

pub(super) fn make(
    input: &SavingsInput<'_>,
    row: &Row,
    judged: &Judged,
    lots: &Lots,
    market: &Market,
    shared: &mut InCommon,
) -> SpotRow {
    let instance = &row.instance;
    let region = &instance.scope.region;
    let zones = if instance.tenancy == Tenancy::Shared && instance.platform != Platform::Other {
        market.zones(region, &instance.az, &instance.instance_type, instance.platform)
    } else {
        Arc::default()
    };
    let interruption = spot_advisor::interruption(region, &instance.instance_type);
    let on_demand = row.rate.as_ref().map(|rate| rate.usd_per_hour);
    let assume = &input.rules.spot.assume;
    let lot = lots.get(&instance.id);
    let gang = Gang::of(row, judged, lot);
    let worth = on_demand.filter(|usd| *usd > 0.0).zip(zones.first()).map(|(on_demand, zone)| {
        let ask = Ask {
            on_demand,
            spot: counted(zone),
            per_hour: gang.times() * per_hour(interruption.map(|(band, _)| band), assume),
            kind: judged.kind.unwrap_or(WorkKind::Other),
        };
        worth(&ask, &judged.terms, assume)
    });
    let money = money(row, judged, lot, zones.first(), worth.as_ref());
    let case = Case {
        row,
        judged,
        lot,
        gang,
        zones: &zones,
        interruption,
        worth: worth.as_ref(),
        net: money.net,
        rules: &input.rules.spot,
    };
    let says = shared.notes.share_all(says::of(&case));
    let shown = worth.filter(|_| judged.may_move());
    SpotRow {
        id: instance.id.clone(),
        name: if instance.name.is_empty() { instance.id.clone() } else { instance.name.clone() },
        scope: instance.scope.clone(),
        az: instance.az.clone(),
        team: row.team.clone(),
        instance_type: instance.instance_type.clone(),
        gpus: row.gpus().unwrap_or(0.0),
        workload: judged.workload(),
        fit: judged.fit,
        because: shared.because.share(judged.because.clone()),
        on_demand,
        zones,
        interruption: interruption
            .map(|(band, date)| (band, shared.dates.share(&*date.to_string()))),
        checkpoint_every_hours: shown.and_then(|w| w.checkpoint_every),
        efficiency: shown.map(|w| w.efficiency.clamp(0.0, 1.0)),
        effective: money.effective,
        gross_usd_per_hour: money.gross,
        net_usd_per_hour: money.net,
        effort: effort(row, judged),
        risk: risk(judged),
        says,
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Money {
    effective: Option<f64>,
    gross: Option<f64>,
    net: Option<f64>,
}

/// With the share σ of the lot that moves, availability a, on demand p, Spot now s₀, Spot counted s,
/// efficiency e, and Δ what the bill falls by when the instance stops (p without commitments):
/// effective σ (a min(s ÷ e, p) + (1 − a) p) + (1 − σ) p, gross σ (p − s₀), net σ a (Δ − s ÷ e).
fn money(
    row: &Row,
    judged: &Judged,
    lot: Option<&Lot>,
    best: Option<&ZonePrice>,
    worth: Option<&Worth>,
) -> Money {
    let (Some(on_demand), Some(lot), Some(best), Some(worth)) =
        (row.rate.as_ref().map(|r| r.usd_per_hour), lot, best, worth)
    else {
        return Money::default();
    };
    let share = lot.share();
    let availability = judged.terms.availability.value.clamp(0.0, 1.0);
    let net = |frees: f64| match worth.on_spot {
        Some(on_spot) => share * availability * (frees - on_spot),
        // Nothing would ever be finished: it stays where it is.
        None => 0.0,
    };
    Money {
        effective: Some(share * worth.blended + (1.0 - share) * on_demand),
        gross: Some(share * (on_demand - best.usd_per_hour)),
        net: row.net_usd_per_hour().map(net),
    }
}

/// A group's setting is minutes; a job must be made to bear interruptions.
fn effort(row: &Row, judged: &Judged) -> Effort {
    let owners = &row.instance.owners;
    let by_setting = owners.iter().any(|o| {
        matches!(o.kind, OwnerKind::Asg | OwnerKind::Karpenter | OwnerKind::Batch | OwnerKind::Ecs)
    });
    match (judged.fit, judged.kind) {
        (SpotFit::Yes, Some(WorkKind::Batch | WorkKind::Search)) if by_setting => Effort::Low,
        (SpotFit::Yes | SpotFit::Partial | SpotFit::Unknown, _) => Effort::Medium,
        (SpotFit::No, _) => Effort::High,
    }
}

fn risk(judged: &Judged) -> Risk {
    match (judged.fit, judged.kind) {
        (SpotFit::Yes, Some(WorkKind::Batch | WorkKind::Search)) => Risk::Low,
        (SpotFit::Yes | SpotFit::Partial, _) => Risk::Medium,
        (SpotFit::No | SpotFit::Unknown, _) => Risk::High,
    }
}
