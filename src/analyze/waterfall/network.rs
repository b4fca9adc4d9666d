//! The network: what bytes and requests cost by the newest bill, and what fixes avoid of it; without a bill the paths that
//! are read live.

use std::sync::Arc;

use super::Done;
use super::bill::Bill;
use crate::analyze::bill::BillSettings;
use crate::analyze::network::live::paths;
use crate::analyze::network::{Confidence, NetworkPath, NetworkRow, Remedy, network, told_days};
use crate::analyze::savings::SavingsInput;
use crate::domain::bill::{self, Month, NetworkSaving, NetworkSpend, Usd};
use crate::domain::{HOURS_PER_MONTH, TagKeys};
use crate::fleet::savings::{Effort, PathRow, Risk, StepNote};

/// What a bill says of the network, for the waterfall.
pub fn network_spend(of: &bill::Bill) -> NetworkSpend {
    // Tags tell training from serving; they do not tell what is of the network.
    let settings = BillSettings::new(&TagKeys::default(), Vec::new(), Vec::new());
    let none: [&bill::Bill; 0] = [];
    let found = network(&[of], &none, &settings);
    let Spend { usd, paths, fixes, unknown } = spend(&found.rows);
    NetworkSpend {
        period: of.head.period,
        days: told_days(std::iter::once(&of.head)).unwrap_or(1),
        usd,
        paths,
        fixes,
        unknown,
    }
}

/// What paths cost by the bytes and the requests, and what fixes avoid of it.
struct Spend {
    usd: Usd,
    paths: u32,
    fixes: Vec<NetworkSaving>,
    unknown: u32,
}

fn spend(rows: &[NetworkRow]) -> Spend {
    let mut spend = Spend { usd: Usd::ZERO, paths: 0, fixes: Vec::new(), unknown: 0 };
    let mut by_fix: [Option<NetworkSaving>; Remedy::WORDS.len()] = Default::default();
    for row in rows {
        let usd = counted(row);
        let fix = row.fix.as_ref().filter(|fix| fix.remedy != Remedy::DeleteIdle);
        if usd <= Usd::ZERO {
            // A live path without a price may have a fix all the same.
            spend.unknown += u32::from(fix.is_some() && row.known_usd().is_none());
            continue;
        }
        spend.usd += usd;
        spend.paths += 1;
        let Some(fix) = fix else { continue };
        let Some(avoidable) = fix.avoidable else {
            spend.unknown += 1;
            continue;
        };
        let (effort, risk) = levels(&fix.remedy);
        let empty = NetworkSaving { usd: Usd::ZERO, paths: 0, bounds: 0, effort, risk };
        let saving = by_fix[fix.remedy.place()].get_or_insert(empty);
        saving.usd += avoidable.min(usd);
        saving.paths += 1;
        saving.bounds += u32::from(fix.confidence != Confidence::High);
    }
    spend.fixes = by_fix.into_iter().flatten().collect();
    spend
}

/// What of a row no resource has: requests, and what bytes cost by the bytes.
fn counted(row: &NetworkRow) -> Usd {
    match row.key.path {
        NetworkPath::Requests => row.usd,
        _ => row.bytes_usd.min(row.usd),
    }
}

/// Effort and risk of a fix.
const fn levels(remedy: &Remedy) -> (Effort, Risk) {
    match remedy {
        // A route more, and nothing moves.
        Remedy::GatewayEndpoint | Remedy::DeleteIdle => (Effort::Low, Risk::Low),
        // What is older than the retention is gone for good.
        Remedy::LogRetention => (Effort::Low, Risk::Medium),
        Remedy::InterfaceEndpoint { .. } | Remedy::Compression => (Effort::Medium, Risk::Low),
        Remedy::ReplicationRules => (Effort::Low, Risk::Medium),
        Remedy::PackObjects { .. } => (Effort::High, Risk::Low),
        // What runs moves, or survives less.
        Remedy::CoLocation | Remedy::OneZone => (Effort::High, Risk::Medium),
    }
}

/// The network as the steps see it: by the bill, or by what was read live, never by both.
#[derive(Debug)]
pub(super) struct Network {
    /// Cost of bytes and requests, USD/h.
    pub usd_per_hour: f64,
    /// Number of paths.
    pub paths: u32,
    /// What kinds of fixes avoid, each with its USD/h.
    fixes: Vec<(NetworkSaving, f64)>,
    /// Number of paths with a fix of which it is not known how much it avoids.
    unknown: u32,
    /// Period of the bill; `None` of live paths.
    period: Option<Month>,
}

impl Network {
    /// That of the newest bill; where no bill is kept that of `live` paths. `None` where neither knows a path.
    pub fn of(input: &SavingsInput<'_>, live: &[Arc<PathRow>]) -> Option<Self> {
        let book = &*input.fleet.book;
        if let Some(spend) = book.network.as_deref() {
            let per_hour = |usd| spend.per_hour(usd);
            let fixes = spend.fixes.iter().map(|fix| (*fix, per_hour(fix.usd)));
            return Some(Self {
                usd_per_hour: per_hour(spend.usd),
                paths: spend.paths,
                fixes: fixes.collect(),
                unknown: spend.unknown,
                period: Some(spend.period),
            });
        }
        // A bill that does not tell of the network is one all the same.
        if book.billed.is_some() {
            return None;
        }
        let Spend { usd, paths, fixes, unknown } = spend(&paths(live).rows);
        let per_hour = |usd: Usd| usd.to_f64() / HOURS_PER_MONTH;
        (paths > 0 || unknown > 0).then(|| Self {
            usd_per_hour: per_hour(usd),
            paths,
            fixes: fixes.into_iter().map(|fix| (fix, per_hour(fix.usd))).collect(),
            unknown,
            period: None,
        })
    }
}

/// Takes what the fixes avoid. None of it is in another step: idle gateways go by their hours, and those are resources.
pub(super) fn take(bill: &mut Bill<'_>, of: &Network) -> Done {
    let mut done = Done::default();
    let (mut saves, mut bounds) = (0.0, 0);
    for (fix, usd) in &of.fixes {
        let usd = usd.max(0.0);
        saves += usd;
        done.items += fix.paths;
        bounds += fix.bounds;
        done.levels.add(fix.effort, fix.risk, usd);
    }
    done.gross_alone = saves;
    done.unknown = of.unknown;
    done.notes.push(match of.period {
        Some(period) => StepNote::NetworkOfBill { period, bounds },
        None => StepNote::NetworkLive { bounds },
    });
    bill.network = (bill.network - saves).max(0.0);
    done
}
