//! What must hold, what was assumed and what to watch of a row.

use std::sync::Arc;

use jiff::civil::Date;

use super::fit::{Given, Judged};
use super::gang::Gang;
use super::interruptions::per_hour;
use super::lot::{Lot, environment, manager};
use super::market::counted;
use super::rules::{SpotRules, WorkKind};
use super::worth::Worth;
use crate::domain::{Figure, Interruption, Owner, OwnerKind};
use crate::fleet::savings::{Named, SpotFit, SpotNote as Note, ZonePrice};
use crate::fleet::{Net, Row};

/// What there is to speak of.
pub(super) struct Case<'a> {
    pub row: &'a Row,
    pub judged: &'a Judged,
    pub lot: Option<&'a Lot>,
    pub gang: Gang,
    pub zones: &'a [ZonePrice],
    pub interruption: Option<(Interruption, Date)>,
    pub worth: Option<&'a Worth>,
    pub net: Option<f64>,
    pub rules: &'a SpotRules,
}

/// What is said, the most important first.
pub(super) fn of(case: &Case<'_>) -> Vec<Note> {
    let mut out = Vec::new();
    match case.judged.fit {
        SpotFit::No => {}
        SpotFit::Unknown => unknown(case, &mut out),
        SpotFit::Yes | SpotFit::Partial => moves(case, &mut out),
    }
    out.extend(case.judged.odd.iter().cloned());
    out
}

fn unknown(case: &Case<'_>, out: &mut Vec<Note>) {
    out.push(Note::SayWhat);
    if let (Some(on_demand), Some(zone)) = (on_demand(case), case.zones.first())
        && counted(zone) < on_demand
    {
        out.push(Note::IfItBears {
            spot: Figure(counted(zone)),
            az: zone.az.clone(),
            on_demand: Figure(on_demand),
        });
    }
}

fn moves(case: &Case<'_>, out: &mut Vec<Note>) {
    verdict(case, out);
    gang(case, out);
    zones(case, out);
    lot(case, out);
    commitments(case, out);
    if let Some(owner) = manager(&case.row.instance.owners) {
        let pinned = case.lot.filter(|lot| lot.is_pinned() && sets_the_group(owner.kind));
        out.push(match pinned {
            Some(lot) => Note::MoveAway(Named::of(&lot.pinned)),
            None => belongs(case.row, owner),
        });
    }
    must_hold(case, out);
    assumed(case, out);
}

/// Whether it pays, and how far it is from not paying.
fn verdict(case: &Case<'_>, out: &mut Vec<Note>) {
    let (Some(on_demand), Some(zone), Some(worth)) =
        (on_demand(case), case.zones.first(), case.worth)
    else {
        out.push(Note::NoPrice { is_on_demand: on_demand(case).is_none() });
        return;
    };
    let bears = Figure(worth.limit);
    if counted(zone) >= on_demand {
        let (spot, on_demand) = (Figure(counted(zone)), Figure(on_demand));
        out.push(Note::Dearer { spot, on_demand });
    } else if let Some(lost) = worth.overhead.map(Figure) {
        out.push(if worth.pays() {
            let each = worth.bears_per_hour.map(|per_hour| Figure(1.0 / per_hour));
            Note::Pays { lost, bears, each }
        } else {
            Note::LosesMore { lost, bears }
        });
    } else {
        out.push(Note::NeverFinishes);
    }
}

fn zones(case: &Case<'_>, out: &mut Vec<Note>) {
    let (Some(on_demand), Some(best)) = (on_demand(case), case.zones.first()) else { return };
    let dear = case.zones.iter().filter(|z| counted(z) >= on_demand);
    let dear: Vec<Arc<str>> = dear.map(|z| z.az.clone()).collect();
    if !dear.is_empty() && dear.len() < case.zones.len() {
        out.push(Note::DearZones { dear, of: case.zones.len() });
    }
    let here = &case.row.instance.az;
    if best.az != *here && counted(best) < on_demand {
        let there = case.zones.iter().find(|z| z.az == *here);
        out.push(Note::OtherZone {
            best: best.az.clone(),
            here: here.clone(),
            spot: there.map(|z| Figure(counted(z))),
        });
    }
    if best.hours == 0 {
        out.push(Note::NoHistory);
    }
}

fn lot(case: &Case<'_>, out: &mut Vec<Note>) {
    let Some(lot) = case.lot else { return };
    if lot.is_mixed() {
        out.push(mixed(lot));
    }
    if case.judged.fit != SpotFit::Partial && lot.moves == lot.ours {
        return;
    }
    if lot.moves == 0 {
        out.push(Note::NoneMoves { count: lot.count, on_demand: lot.on_demand });
    } else {
        out.push(Note::SomeMove { moves: lot.moves, of: lot.ours });
    }
}

fn commitments(case: &Case<'_>, out: &mut Vec<Note>) {
    match case.row.net.as_deref() {
        None => out.push(Note::NetUnread),
        Some(Net::Unknown(why)) => out.push(Note::NetUnknown(why.clone())),
        Some(Net::Known(cover)) => {
            out.extend(cover.note.map(Note::Net));
            let pays = cover.by.iter().filter(|by| by.usd_per_hour.is_none_or(|usd| usd > 0.0));
            let Some(by) = pays.max_by(|a, b| a.share.total_cmp(&b.share)) else { return };
            out.push(Note::PaidBy {
                kind: by.kind,
                id: by.id.clone(),
                until: by.until,
                is_no: case.net.is_some_and(|net| net <= 0.0),
            });
        }
    }
}

/// Who is stopped with it.
fn gang(case: &Case<'_>, out: &mut Vec<Note>) {
    match case.gang {
        Gang::Alone => {}
        Gang::Perhaps(size) => out.push(Note::PerhapsTogether(size)),
        Gang::One(size) => {
            let band = case.interruption.map(|(band, _)| band);
            let each = 1.0 / (case.gang.times() * per_hour(band, &case.rules.assume));
            out.push(Note::OneJob { size, each: Figure(each) });
        }
    }
}

/// That one policy holds for members that fit differently.
pub(super) fn mixed(lot: &Lot) -> Note {
    Note::OnePolicy { whole: lot.ours - lot.partly, partly: lot.partly }
}

/// True where the setting of a group that there is already is what changes.
pub(super) fn sets_the_group(kind: OwnerKind) -> bool {
    matches!(kind, OwnerKind::Asg | OwnerKind::Karpenter | OwnerKind::Ecs)
}

/// Whose setting it is.
pub(super) fn belongs(row: &Row, owner: &Owner) -> Note {
    let name = environment(&row.instance, owner).unwrap_or_else(|| owner.name.clone());
    Note::Belongs { kind: owner.kind, name }
}

fn must_hold(case: &Case<'_>, out: &mut Vec<Note>) {
    let spec = case.row.spec.as_ref();
    let shortened = case.worth.and_then(|w| w.shortened_from.zip(w.checkpoint_every));
    match case.judged.kind {
        Some(WorkKind::Serving) => out.push(Note::MustDrain),
        Some(WorkKind::Batch) => out.push(Note::MustRepeat),
        _ => {
            let every = case.worth.and_then(|w| w.checkpoint_every);
            out.push(Note::MustCheckpoint(every.map(Figure)));
            out.extend(
                shortened.map(|(from, to)| Note::Shortened { from: Figure(from), to: Figure(to) }),
            );
        }
    }
    if spec.is_some_and(|s| s.instance_store_gb > 0) {
        out.push(Note::LosesStore);
    }
}

fn assumed(case: &Case<'_>, out: &mut Vec<Note>) {
    let assume = &case.rules.assume;
    out.push(match case.interruption {
        Some((band, date)) if band.at_most().is_some() => {
            let each = Figure(1.0 / per_hour(Some(band), assume));
            Note::Interrupted { band, date, each }
        }
        band => Note::InterruptedPerhaps { band, each: Figure(1.0 / assume.above_20_per_hour) },
    });
    let terms = &case.judged.terms;
    let assumed = |given: Given| given.assumed.then_some(Figure(given.value));
    let writes = !matches!(case.judged.kind, Some(WorkKind::Batch | WorkKind::Serving));
    let is_batch = case.judged.kind == Some(WorkKind::Batch);
    let (checkpoint, job, restart, available) = (
        assumed(terms.checkpoint_hours).filter(|_| writes),
        is_batch.then_some(Figure(assume.job_hours)),
        assumed(terms.restart_hours),
        assumed(terms.availability),
    );
    if [checkpoint, job, restart, available].iter().any(Option::is_some) {
        out.push(Note::Assumed { checkpoint, job, restart, available });
    }
}

fn on_demand(case: &Case<'_>) -> Option<f64> {
    case.row.rate.as_ref().map(|rate| rate.usd_per_hour)
}
