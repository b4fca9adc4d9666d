//! The bill and the GPUs of `burntop overview`, line by line.

use super::Record;
use crate::tabs::gpus::picture::words;
use crate::tabs::overview::picture::{Basis, GpuUse, Measures, Money, Overview};
use crate::view::reasons;

/// From the list price to the bill now, what of it is waste, and its parts.
pub(super) fn ladder(model: &Overview) -> Vec<Record> {
    let ladder = &model.ladder;
    let whole = if ladder.is_whole() { ladder.bill() } else { ladder.list() };
    let record = |name: &str, label, paid: Option<Money>, list: Option<Money>| Record {
        section: "ladder",
        name: name.to_owned(),
        label: Some(label),
        usd_per_hour: paid.map(|m| m.usd),
        list_usd_per_hour: list.map(|m| m.usd),
        shown_usd_per_hour: (paid.map(Money::shown), list.map(Money::shown)),
        ..Record::default()
    };
    let list = model.known_burn().map(|_| ladder.list());
    let mut records = vec![Record {
        items: Some(model.running),
        unpriced: Some(model.unpriced),
        ..record("list_price", "list price of what runs", list, list)
    }];
    if ladder.is_whole() {
        let why = match &ladder.basis {
            Basis::List(why) => format!("not known: {}", reasons::net_unknown(why)),
            Basis::Net | Basis::Instances => String::new(),
        };
        let unread: Vec<&str> = ladder.unread.iter().map(|part| part.label()).collect();
        let left_out = match &unread[..] {
            [] => String::new(),
            parts => format!("leaves out {}, which were not read", parts.join(", ")),
        };
        let bill = match ladder.basis {
            Basis::Net => "the bill now",
            Basis::List(_) | Basis::Instances => "the bill at list price",
        };
        let change = record("commitments_change", "what commitments change", ladder.change(), None);
        records.push(Record { note: why, ..change });
        records.push(record("paid_besides", "paid besides", Some(ladder.besides()), None));
        let bill = record("bill_now", bill, Some(ladder.bill()), None);
        records.push(Record { note: left_out, ..bill });
    }
    let is_known = model.told_waste().is_some();
    let waste = |money: Money| Some(money).filter(|_| is_known);
    let share =
        |paid: Option<Money>| paid.filter(|_| whole.usd > 0.0).map(|paid| paid.usd / whole.usd);
    records.push(Record {
        share: share(waste(ladder.waste())),
        is_waste: Some(true),
        ..record("waste", "of it waste", waste(ladder.waste()), waste(ladder.waste_at_list()))
    });
    records.extend(ladder.rows.iter().map(|row| Record {
        items: Some(row.count),
        unpriced: Some(row.unpriced),
        share: share(row.known_paid()),
        is_waste: Some(row.kind.is_waste()),
        ..record(row.kind.word(), row.kind.label(), row.known_paid(), row.known_list())
    }));
    records
}

/// GPUs by both measures, and the pieces between them.
pub(super) fn measures(of: &Measures) -> Vec<Record> {
    let uses = GpuUse::ALL.into_iter().zip(of.judged.into_iter().zip(of.live));
    let uses = uses.map(|(what, (judged, live))| Record {
        section: "gpu_use",
        name: what.name().to_owned(),
        label: Some(what.label()),
        gpus: what.is_judged().then_some(judged),
        live_gpus: what.is_live().then_some(live),
        ..Record::default()
    });
    let all = Record {
        section: "gpu_use",
        name: "all".to_owned(),
        label: Some("all of running instances"),
        gpus: Some(of.all()),
        live_gpus: Some(of.all()),
        note: match of.slices {
            0 => String::new(),
            slices => words::gpus(of.sliced, slices, of.sliced),
        },
        ..Record::default()
    };
    let pieces = of.pieces.into_iter().map(|piece| Record {
        section: "gpu_waste",
        name: piece.kind.name().to_owned(),
        label: Some(piece.kind.label()),
        gpus: Some(piece.gpus),
        usd_per_hour: piece.known(),
        note: piece.left_out().unwrap_or_default(),
        ..Record::default()
    });
    uses.chain([all]).chain(pieces).collect()
}
