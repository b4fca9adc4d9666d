//! The network calculator of What-if, filled from paths.

use super::NetworkItem;
use crate::analyze::network::{GB, INTERNET, NetworkPath, NetworkRow, Remedy, told_days};
use crate::domain::bill::{BillHead, Usd};
use crate::domain::hash::FastMap;
use crate::whatif::levers::Network;
use crate::whatif::levers::network::{Cut, Flow, Way};

/// What the calculator begins with.
#[derive(Clone, Debug, PartialEq)]
pub struct Calculator {
    /// A flow per way and pair of regions, at what it cost; a cut per fix, which leaves of all flows what the fixes leave.
    pub network: Network,
    /// Dollars of the paths that are in no flow: hours, requests, and paths that the calculator has no way for.
    pub left_out: Usd,
}

/// Factor from what bills of a month tell to the whole month, where that goes on as it began; `None` where they tell of no
/// day.
pub fn to_a_month(heads: &[BillHead]) -> Option<f64> {
    let days = told_days(heads.iter())?;
    let month = heads.iter().map(|head| f64::from(head.period.days())).fold(0.0, f64::max);
    Some(month / f64::from(days))
}

/// Fills the calculator from paths, each times `scale`. `None` where no path has bytes, with their cost, of a way that the
/// calculator knows.
pub fn calculator<'a>(
    rows: impl Iterator<Item = &'a NetworkItem>,
    scale: f64,
) -> Option<Calculator> {
    let mut flows: Vec<(Flow, f64)> = Vec::new();
    let mut cuts: Vec<(Remedy, f64)> = Vec::new();
    let mut places: FastMap<String, usize> = FastMap::default();
    let mut left_out = Usd::ZERO;
    for row in rows.map(|row| &row.of) {
        let is_priced = row.live.as_ref().is_none_or(|live| live.bytes_usd.is_some());
        let of = way(row).zip(row.bytes.filter(|bytes| *bytes > 0.0 && is_priced));
        let Some((way, bytes)) = of else {
            left_out += row.usd;
            continue;
        };
        left_out += row.usd - row.bytes_usd;
        let name = name(row, way);
        let place = *places.entry(name.clone()).or_insert_with(|| {
            flows.push((Flow { name, way, ..Flow::default() }, 0.0));
            flows.len() - 1
        });
        let (flow, usd) = &mut flows[place];
        *flow.gb.get_or_insert_default() += bytes / GB * scale;
        *usd += row.bytes_usd.to_f64().max(0.0) * scale;
        let Some(fix) = row.fix.as_ref().filter(|fix| fix.remedy != Remedy::DeleteIdle) else {
            continue;
        };
        let avoids = fix.avoidable.unwrap_or_default().min(row.bytes_usd).to_f64() * scale;
        match cuts.iter_mut().find(|(remedy, _)| remedy.place() == fix.remedy.place()) {
            Some((_, usd)) => *usd += avoids,
            None => cuts.push((fix.remedy, avoids)),
        }
    }
    let mut left: f64 = flows.iter().map(|(_, usd)| usd).sum();
    cuts.retain(|(_, usd)| *usd > 0.0);
    cuts.sort_by(|a, b| b.1.total_cmp(&a.1));
    let cut = |(remedy, usd): (Remedy, f64)| {
        // Of what the cuts before it leave.
        let share = if left > 0.0 { (usd / left).clamp(0.0, 1.0) } else { 0.0 };
        left -= usd;
        Cut { name: remedy.word().replace('_', " "), share: Some(share) }
    };
    let cuts = cuts.into_iter().map(cut).collect();
    flows.sort_by(|a, b| b.1.total_cmp(&a.1));
    let flow = |(flow, usd): (Flow, f64)| {
        let gb = flow.gb.unwrap_or_default();
        Flow { usd_per_gb: (gb > 0.0).then(|| usd / gb), ..flow }
    };
    let flows: Vec<Flow> = flows.into_iter().map(flow).collect();
    (!flows.is_empty()).then_some(Calculator { network: Network { flows, cuts }, left_out })
}

/// Way of a path; `None` for one that the calculator does not know.
fn way(row: &NetworkRow) -> Option<Way> {
    Some(match row.key.path {
        NetworkPath::Internet if row.key.from.as_deref() == Some(INTERNET) => Way::InternetIn,
        NetworkPath::Internet => Way::InternetOut,
        NetworkPath::InterRegion => Way::RegionToRegion,
        NetworkPath::InterAz => Way::CrossZone,
        NetworkPath::Nat => Way::NatGateway,
        _ => return None,
    })
}

/// Name of the flow that a row is a part of: between regions their pair, else the way.
fn name(row: &NetworkRow, way: Way) -> String {
    let end = |end: &Option<std::sync::Arc<str>>| end.as_deref().unwrap_or("?").to_owned();
    match way {
        Way::RegionToRegion => format!("{} to {}", end(&row.key.from), end(&row.key.to)),
        _ => way.word().to_owned(),
    }
}
